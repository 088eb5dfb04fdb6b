/* loop.h: characters that a state reads without getting anywhere new.
 *
 * Inside a string most characters lead back to where one was, and most tokens
 * are made of such characters alone. A Loop says which ones, so that a walk
 * takes whole subtrees of a trie for one look at what is below them.
 *
 * The characters are given by their first bytes: a byte of `units` begins
 * characters all of which are read. From q any text of them can be read, up to
 * a piece of one at its end, if it begins as it should; no state on the way is
 * final. Where each character leads a state further ({1,32} written out), that
 * holds for as many characters as are looked at.
 */
#ifndef WEIR_MASK_LOOP_H
#define WEIR_MASK_LOOP_H

#include "matcher/config.h"
#include "vocab/trie.h"

typedef struct Loop {
    State *q;
    ByteSet first;   /* of a text, units; empty: too few to be of use */
    ByteSet units;   /* of its other characters */
    ByteSet exits;   /* what else some state after the first one takes */
    uint64_t in;     /* groups of a trie all of whose bytes are in `first` */
    uint64_t out;    /* groups with an exit */
    uint64_t other;  /* groups of what q takes that is not in `first` */
    uint8_t height;  /* most characters of a text; 255: any number */
    bool is_capped;  /* then no unit is read any more, only exits */
    bool is_any;     /* first is not empty */
    bool may_return; /* some state on the way accepts */
    bool counts;     /* q's frame counts each character */
    uint32_t need;   /* of the states after them */
} Loop;

#define ANY_HEIGHT 255u

/* What finding loops needs; one thread. */
typedef struct LoopTable LoopTable;

/* The loop of q, which is kept with it; when there is no room for that, valid
 * until the next call. *table: NULL at first; freed with loops_free. Never
 * fails: without memory nothing is a loop. */
const Loop *loop_of(LoopTable **table, const Mem *mem, State *q);
/* The same, or NULL when it was not found out before. */
static inline const Loop *loop_known(const State *q)
{
    return atomic_load_explicit(&q->loop, memory_order_acquire);
}
void loops_free(LoopTable *table, const Mem *mem);
/* The loop of q, for taking `count` ids at once: found out only if that many
 * pay for it. NULL: none. */
static inline const Loop *loop_for(LoopTable **table, const Mem *mem, State *q,
                                   uint32_t count)
{
    enum { USE_FROM = 4, FIND_FROM = 64 };
    if (count < USE_FROM) return NULL;
    return count < FIND_FROM ? loop_known(q) : loop_of(table, mem, q);
}

/* Groups of the bytes of a set. */
uint64_t groups_of(const ByteSet *bytes);

/* True if all below the node is read in the loop. */
static inline bool loop_takes(const Loop *loop, const TrieNode *node)
{
    return loop->is_any && !(node->below & ~loop->in) &&
           (loop->height == ANY_HEIGHT || node->height <= loop->height);
}

/* Continuation bytes of a character after this first byte of it. */
static inline unsigned rest_of(uint8_t lead)
{
    return lead < 0xC2 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
}

#endif
