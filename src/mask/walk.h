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
 * walked once for all registers: `rise` says how many copies (or characters) a
 * token ends, and those that are still needed where it ends (need, network.h);
 * or how many it ends before it leaves. The register decides which count: that
 * sum does not fall along a text, so its end decides for all of it.
 *
 * Where a state loops over many characters (mask/loop.h), the tokens made of
 * them are a row that the vocabulary keeps, the walk's cover, and the walk
 * looks only for tokens with something else in them.
 *
 * A state's calls need no walks of their own: they are walks of the callees'
 * starts. What is left is the state's local walk.
 *
 * A loop that may end anywhere (an identifier) leaves too much to be kept.
 * Then the walk is made anew for those remainders alone that begin with a byte
 * which can be read there: its `follow`.
 */
#ifndef WEIR_MASK_WALK_H
#define WEIR_MASK_WALK_H

#include "mask/cover.h"
#include "mask/direct.h"
#include "mask/loop.h"
#include "vocab/vocab.h"

/* Register values for which entries of a counted trie count. */
typedef struct RiseRange {
    uint32_t lo, hi;
} RiseRange;
#define RISE_ANY ((RiseRange){0, UINT32_MAX})

static inline bool rise_in(RiseRange range, uint32_t rise)
{
    return range.lo <= rise && rise <= range.hi;
}

/* Token texts, or remainders of them. */
typedef struct MaskTrie {
    Trie trie;
    const uint32_t *skip; /* by place: bytes of the token before; NULL: 0 */
    const uint32_t *rise; /* by place: copies before; NULL: not counted */
    uint32_t rise_min, rise_max;
    uint32_t serial; /* for hashing */
    bool is_shared;  /* about shared frames only */
} MaskTrie;

static inline bool walk_is_own(const State *q)
{
    return q->frame->is_counted && q->frame->nfa;
}

typedef enum RiseKind {
    RISE_NONE,
    RISE_TRIE, /* the rise of the trie's own entries, handed on */
    RISE_OWN   /* of the frame walked: a counted one */
} RiseKind;

/* What a walk is of. */
typedef struct WalkKey {
    const MaskTrie *trie;
    State *q;
    uint32_t node, reg;    /* reg: only for counted frames that call */
    const ByteSet *follow; /* NULL: whatever follows */
    bool is_local;         /* begins with no call */
} WalkKey;

/* Tokens inside, as a row. Each rises by `rise`, and by its characters. */
typedef struct WalkCover {
    const uint32_t *row;
    const Cover *cover; /* NULL: the row may not be cut down */
    bool counts;        /* its characters */
    uint32_t most;      /* of them that its tokens have, at most */
    uint32_t rise;
} WalkCover;
/* How many characters a token of the cover may have within range; 0: none. */
static inline uint32_t cover_most(const WalkCover *cover, RiseRange range)
{
    return range.hi > cover->rise ? MIN(range.hi - cover->rise, cover->most)
                                  : 0;
}
enum { WALK_COVERS = 4 };

typedef struct Walk {
    SharedItem item;
    WalkKey key;
    uint32_t ncovers;
    const WalkCover *covers; /* inside, beside the list */
    uint32_t ninside;
    const uint32_t *inside;
    const uint32_t *rise; /* by index in inside; NULL with RISE_NONE */
    uint32_t rise_min, rise_max;
    RiseKind rise_kind;
    const uint32_t *bitmap;  /* of all inside, a whole row; NULL when few */
    const MaskTrie *leaving; /* NULL: nothing leaves */
    bool leaks; /* too much leaves: walk with the real stack instead */
} Walk;

/* Kept walks and remainder tries; of a vocabulary or of a grammar. */
typedef struct WalkCache {
    const Mem *mem;
    Arena arena;
    Lock lock;
    SharedTable table;
    VEC(const struct MaskTrie *) tries; /* kept remainder tries */
    Map trie_index;                     /* content -> tries.at */
    VEC(const struct LeavingOf *) made; /* what each was made of */
    Map made_index;                     /* by hash of the exits -> made.at */
    struct WalkCache *shared; /* a grammar's: its vocabulary's; or NULL */
    bool is_shared;
    uint32_t max_leaving;  /* entries of one remainder trie */
    uint32_t taken_in;     /* entries kept for walks of grammars' states */
    atomic_size_t adopted; /* a vocabulary's: bytes of walks of rules that it
                              has taken in (adopt.h), about */
} WalkCache;

/* `shared`: the vocabulary's, for a grammar's, which it outlives; NULL: it is
 * that one. */
bool walkcache_init(WalkCache *cache, const Mem *mem, WalkCache *shared,
                    size_t limit);
void walkcache_free(WalkCache *cache);
/* Of a state of a rule that the vocabulary has taken in. */
static inline bool walk_is_adopted(const WalkKey *key)
{
    return key->q->frame->network->is_adopted;
}
size_t walkcache_bytes(WalkCache *cache);
/* True once a walk did not fit: no more are kept. */
bool walkcache_is_full(WalkCache *cache);

/* What is below a node of x is left to be read, after `depth` bytes below x's
 * root: those that may follow, and within range. */
typedef struct WalkExit {
    const MaskTrie *x;
    uint32_t node, depth, rise;
    RiseRange range;
} WalkExit;

/* A path whose characters since some node are units of a loop there: its tokens
 * are in the cover. */
typedef struct CoverPath {
    const struct CoverUse *use; /* NULL: it is none */
    uint8_t left;               /* bytes to the end of the character */
    uint8_t height;             /* characters that may follow; ANY_HEIGHT */
    bool has_begun;
} CoverPath;

typedef struct CoverUse {
    WalkCover cover;
    uint32_t *own;  /* the row, if the vocabulary has none; or NULL */
    bool is_capped; /* texts of more characters have an exit in them */
    ByteSet first, units;
    uint64_t out;   /* groups that may be below a node for which to go on */
    uint64_t other; /* ... the node where the cover begins */
} CoverUse;

typedef struct WalkBuild {
    const Vocab *vocab;
    const Mem *mem;
    CoverTable *covers;
    LoopTable **loops;
    WalkKey key;    /* its `follow` is borrowed */
    uint32_t depth; /* bytes above the node */
    uint32_t nuses;
    CoverUse uses[WALK_COVERS];
    VEC(uint32_t) ids, rises; /* inside; rises: if the walk has them */
    VEC(WalkExit) exits;
    uint32_t nleaving, max_leaving; /* entries of the exits, at most */
    uint64_t follow_groups;         /* of the follow; all without one */
    uint64_t nodes;                 /* of tries, looked at */
    bool has_rise, leaks, no_memory;
} WalkBuild;

void walkbuild_free(WalkBuild *b);
/* Ids [from, to) of the places of `x` can be read to the end. */
void walkbuild_inside(WalkBuild *b, const MaskTrie *x, uint32_t from,
                      uint32_t to, uint32_t rise);
/* The same of those within range, for a walk that has no rises itself. */
void walkbuild_some(WalkBuild *b, const MaskTrie *x, uint32_t from, uint32_t to,
                    RiseRange range);
/* One more id inside. */
void walkbuild_id(WalkBuild *b, uint32_t id, uint32_t rise);
/* The tokens of a row are inside; of a row that is kept for ever. */
void walkbuild_ids(WalkBuild *b, const uint32_t *row, uint32_t nwords);
void walkbuild_row(WalkBuild *b, const uint32_t *row, uint32_t nwords);
/* The frame may return at `node` of x, `depth` bytes below x's root; places
 * out of range (of a walk without rises) do not count. */
void walkbuild_exit(WalkBuild *b, const MaskTrie *x, const TrieNode *node,
                    uint32_t depth, uint32_t rise, RiseRange range);

/* Copies at a place of x, if `rise` were read on the way. */
static inline uint32_t walkbuild_rise(const WalkBuild *b, const MaskTrie *x,
                                      uint32_t place, uint32_t rise)
{
    return x->rise && !walk_is_own(b->key.q) ? x->rise[place] : rise;
}
void rise_bounds(const uint32_t *rise, uint32_t count, uint32_t *least,
                 uint32_t *most);
/* The trie of what leaves b, or NULL for nothing; under the cache's lock. It
 * is the vocabulary's if all exits are nodes of such, so that what is read from
 * there on is known to other grammars. False: no memory, or the cache is full.
 */
bool leaving_keep(WalkCache *cache, const WalkBuild *b, const MaskTrie **out);

/* The cover for what is below a node of the trie of all tokens, if that is
 * enough; else NULL. */
const Cover *cover_for(CoverTable *covers, const MaskTrie *x, uint32_t node,
                       const ByteSet *units);
/* Begins a cover for what is below `node`, `depth` bytes below the root, where
 * q is reached after `rise` copies. False: no cover; *path is none then. */
bool cover_begin(WalkBuild *b, CoverPath *path, uint32_t node, uint32_t depth,
                 State *q, uint32_t rise);
/* The path a byte further. */
static inline CoverPath cover_step(CoverPath from, uint8_t byte)
{
    CoverPath to = from;
    if (!from.use) return to;
    to.has_begun = true;
    if (from.left) {
        to.left--;
        return to;
    }
    const ByteSet *set = from.has_begun ? &from.use->units : &from.use->first;
    to.left = (uint8_t)rest_of(byte);
    if (!from.height || !byteset_has(set, byte)) to.use = NULL;
    if (from.height != ANY_HEIGHT) to.height--;
    return to;
}

/* False: the path is covered, and nothing below the node is not. */
static inline bool path_matters(CoverPath path, const TrieNode *node)
{
    return !path.use || node->below & path.use->out ||
           (path.height != ANY_HEIGHT && !path.use->is_capped &&
            node->height > path.height);
}

/* The walk of a frame without calls: one state at a time. */
void walk_regular(WalkBuild *b, weir_status *status);

const Walk *walkcache_find(WalkCache *cache, const WalkKey *key);
/* Keeps the finished build, or what another thread kept meanwhile; NULL: the
 * cache is full, or b->no_memory. */
const Walk *walkcache_keep(WalkCache *cache, WalkBuild *b, uint32_t nwords);

#endif
