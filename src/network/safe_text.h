/* safe_text.h: how far a state is from the first text that it refuses.
 *
 * A pattern for strings reads nearly any character nearly everywhere, and most
 * texts are far from what it forbids: `^(\S+\s+){0,99}\S+$` refuses nothing
 * before its hundredth blank. So for an automaton and a set of characters, its
 * units, the height of each state is found once: the number of units such that
 * any text of so many is read. It is a shortest way backwards from the states
 * that refuse a unit, linear in the automaton, and no state of the network is
 * made for it.
 */
#ifndef WEIR_NETWORK_SAFE_TEXT_H
#define WEIR_NETWORK_SAFE_TEXT_H

#include "network/network.h"

#define SAFE_ANY 255u /* any number of characters */

/* Characters are given by their first bytes. From the state any text is read
 * whose first character is of `first`, whose others are of `units`, and that
 * has at most `height` characters; no state on the way is final. */
typedef struct SafeText {
    ByteSet first, units; /* first is part of units */
    ByteSet exits;        /* what else some state on the way may read */
    uint32_t height;      /* SAFE_ANY: no bound */
    uint32_t need;        /* of all states after a unit, in bounded languages */
    bool may_return;      /* some state on the way may accept */
} SafeText;

/* The safe texts of a state between two characters of an automaton. False:
 * none are known, or fewer than are of use. Any thread. Cost: once for an
 * automaton and its units as above; else a look at the edges of two states. */
bool state_safe_text(State *q, SafeText *out);

#endif
