/* adopt.h: rules of grammars that a vocabulary's network takes in.
 *
 * The strings of a format (`date-time`, `uri`) are the same in every schema, and
 * so is what masks learn about them. A shared rule that is one automaton in
 * quotes is copied the first time a grammar has it, as a small network of its
 * own; the frame is then that of all grammars with an equal rule. Few rules are
 * so: those of formats, in each way that strings may be spelled.
 */
#ifndef WEIR_NETWORK_ADOPT_H
#define WEIR_NETWORK_ADOPT_H

#include "network/network.h"

/* The frame of the rule, whose key (sharing.h) is given, in the vocabulary's
 * network `shared`; NULL: it is no such rule, or there is no room. A grammar's
 * lock may be held. Any thread. */
Frame *adopt_rule(Network *shared, const Ir *ir, RuleId rule, Span key);

/* Of network_free and network_count. */
void adopted_free(Network *shared);
size_t adopted_bytes(Network *shared);

#endif
