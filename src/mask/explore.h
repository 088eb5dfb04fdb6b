/* explore.h: reading a trie from a set of configurations with kept walks.
 *
 * The one procedure behind masks and behind the walks themselves: for each
 * configuration take the walk of its state, then read what leaves it with the
 * stacks below. A mask does it with the real stacks; a walk in the making does
 * it with the empty stack for what lies below its own frame, and gathers what
 * arrives there.
 */
#ifndef WEIR_MASK_EXPLORE_H
#define WEIR_MASK_EXPLORE_H

#include "mask/walk.h"
#include "mask/whole.h"

/* What a vocabulary knows. */
typedef struct MaskVocab {
    const Mem *mem;
    const Vocab *vocab;
    Arena arena;
    MaskTrie main; /* all text tokens */
    CoverTable covers;
    WalkCache cache;
    WholeTable wholes;
    Trie open; /* dialect llama.cpp: tokens that end in a character */
    uint32_t width, nwords;
} MaskVocab;

/* Of a head that is not open: ids [at, at + count) of head_ids. */
typedef struct HeadTokens {
    uint64_t hash; /* of the head; 0: not known */
    uint32_t at, count;
} HeadTokens;

/* What masks took so far; walker.nodes has the nodes of direct walks. */
typedef struct MaskCounts {
    uint64_t masks, remembered, direct; /* direct: every token was read */
    uint64_t walks_known, walks_made, nodes;
} MaskCounts;

/* One thread's or matcher's scratch. */
typedef struct MaskRun {
    const Mem *mem;
    MaskVocab *vocab;
    WalkCache *cache; /* the grammar's */
    Stepper stepper;  /* scratch stacks */
    Walker walker;
    VEC(ConfigSet *) sets; /* free ones */
    VEC(Config) configs;   /* of the sets in hand, and what they return to */
    VEC(uint32_t) regs;    /* register classes of the set in hand */
    VEC(uint32_t) ids;     /* ids of the mask in the making */
    VEC(uint32_t) wanted;  /* ids to be tried (refine.c) */
    VEC(HeadTokens) heads; /* by head: tokens inside which it may begin */
    VEC(uint32_t) head_ids;
    VEC(uint32_t) held;     /* ids that are not to be added now */
    uint32_t *marks;        /* a row of zeros; NULL until needed */
    LoopTable *loops;       /* NULL until needed */
    uint32_t depth;         /* of explore_set in itself */
    uint32_t min_chars;     /* the least max_chars; UINT32_MAX: none */
    UniqueTable *unique;    /* the matcher's, or NULL (refine.h) */
    const ConfigSet *given; /* with `unique`: the set in hand, with records */
    bool has_values;        /* with `unique`: some are not only strings */
    /* of the grammar: */
    bool has_held;     /* some states are held */
    bool has_tokens;   /* masks have what token edges allow */
    const Trie *named; /* and what llama.cpp takes for such tokens, of these;
                          or NULL */
    MaskCounts counts;
    bool is_passing; /* the last mask is remembered by nobody */
    bool no_memory;
} MaskRun;

/* Where what is found goes. */
typedef struct Findings {
    /* The inside of a walk, those within range. */
    void (*walk)(void *user, const Walk *w, RiseRange range);
    /* A row that is kept for ever. */
    void (*row)(void *user, const uint32_t *row);
    /* Ids of places [from, to), those within range. */
    void (*places)(void *user, const MaskTrie *x, uint32_t from, uint32_t to,
                   RiseRange range);
    /* The bottom is reached at `node` of x; NULL: nobody asks. */
    void (*bottom)(void *user, const MaskTrie *x, const TrieNode *node,
                   uint32_t depth, RiseRange range);
    WalkBuild *build; /* the walk in the making, or NULL: a mask */
    /* Masks: ids that are not there yet are not to be added before the mark is
     * let go that was given when they were held. */
    uint32_t (*hold)(void *user, const uint32_t *ids, uint32_t count);
    void (*let_go)(void *user, uint32_t mark);
    void *user;
} Findings;

/* Reads x from its root. Errors: in run's stepper status and no_memory. */
void explore_set(MaskRun *run, const Findings *to, const MaskTrie *x,
                 const ConfigSet *set, RiseRange range);
/* The walk of (x, node, q, reg), made if new; NULL on error and when the cache
 * is full. */
const Walk *explore_walk(MaskRun *run, const MaskTrie *x, uint32_t node,
                         uint32_t depth, Config c);
/* The register as far as it matters over texts of at most `most` copies. */
uint32_t reg_class(const State *q, uint32_t reg, uint32_t most);

ConfigSet *set_borrow(MaskRun *run);
void set_give(MaskRun *run, ConfigSet *set);

#endif
