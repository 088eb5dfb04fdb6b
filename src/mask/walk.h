/* walk.h: what a trie's tokens do from one state, whatever lies below it.
 *
 * From state q of a frame, over a trie of token texts (or what remains of
 * them), with nothing known of the stack:
 *
 *     inside    ids whose whole text can be read; the frame has not returned
 *               before the last byte
 *     leaving   texts u v, u not empty, such that the frame may return after
 *               u: a trie of the remainders v, to be read by whatever the
 *               real stack returns to
 *
 * Both are facts about (trie, node, q) and are kept for ever, the ones about
 * shared frames with the vocabulary. A remainder trie is a trie like any
 * other: walks over it are kept too.
 *
 * Counted frames that hold their operand (maxLength, runs of blanks) are
 * walked once for all registers: `rise` says how many copies a token begins
 * before its end, or before it leaves; the register decides which count.
 */
#ifndef WEIR_MASK_WALK_H
#define WEIR_MASK_WALK_H

#include "mask/direct.h"
#include "vocab/vocab.h"

/* Token texts, or remainders of them. */
typedef struct MaskTrie {
    Trie trie;
    const uint32_t *skip; /* by place: bytes of the token before; NULL: 0 */
    const uint32_t *rise; /* by place: copies before; NULL: not counted */
    uint32_t rise_min, rise_max;
    uint32_t serial; /* for hashing */
    bool is_shared;  /* about shared frames only */
} MaskTrie;

typedef enum RiseKind {
    RISE_NONE,
    RISE_TRIE, /* the rise of the trie's own entries, handed on */
    RISE_OWN   /* of the frame walked: a counted one */
} RiseKind;

typedef struct Walk {
    SharedItem item;
    const MaskTrie *trie;
    State *q;
    uint32_t node, reg; /* reg: only for counted frames that call */
    uint32_t ninside;
    const uint32_t *inside;
    const uint32_t *rise; /* by index in inside; NULL with RISE_NONE */
    uint32_t rise_min, rise_max;
    RiseKind rise_kind;
    const uint32_t *bitmap;  /* of inside, a whole row; NULL when few */
    const MaskTrie *leaving; /* NULL: nothing leaves */
    bool leaks; /* too much leaves: walk with the real stack instead */
} Walk;

/* Kept walks and remainder tries; of a vocabulary or of a grammar. */
typedef struct WalkCache {
    const Mem *mem;
    Arena arena;
    Lock lock;
    SharedTable table;
    bool is_shared;
    uint32_t max_leaving; /* entries of one remainder trie */
} WalkCache;

bool walkcache_init(WalkCache *cache, const Mem *mem, bool is_shared,
                    size_t limit);
void walkcache_free(WalkCache *cache);
size_t walkcache_bytes(WalkCache *cache);
/* True once a walk did not fit: no more are kept. */
bool walkcache_is_full(WalkCache *cache);

/* Entries of a walk in the making. */
typedef struct WalkEntry {
    uint32_t id, skip, rise;
} WalkEntry;

typedef struct WalkBuild {
    const Vocab *vocab;
    const Mem *mem;
    const MaskTrie *trie;
    State *q;
    uint32_t node, depth, reg; /* depth: bytes above `node` */
    VEC(WalkEntry) inside;     /* skip unused */
    VEC(WalkEntry) leaving;    /* skip: bytes before the remainder */
    uint32_t max_leaving;
    bool leaks, no_memory;
} WalkBuild;

void walkbuild_free(WalkBuild *b);
/* Ids [from, to) of the places of `x` can be read to the end. */
void walkbuild_inside(WalkBuild *b, const MaskTrie *x, uint32_t from,
                      uint32_t to, uint32_t rise);
/* The frame may return at `node` of x, `depth` bytes below x's root. */
void walkbuild_exit(WalkBuild *b, const MaskTrie *x, const TrieNode *node,
                    uint32_t depth, uint32_t rise);

/* The walk of a frame without calls: one state at a time. */
void walk_regular(WalkBuild *b, weir_status *status);

const Walk *walkcache_find(WalkCache *cache, const MaskTrie *trie,
                           uint32_t node, State *q, uint32_t reg);
/* Keeps the finished build, or what another thread kept meanwhile; NULL: the
 * cache is full, or b->no_memory. */
const Walk *walkcache_keep(WalkCache *cache, WalkBuild *b, uint32_t nwords);

static inline bool walk_is_own(const State *q)
{
    return q->frame->is_counted && q->frame->nfa;
}

#endif
