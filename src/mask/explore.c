/* explore.c: masks and walks from kept walks.
 *
 *     explore(x, set):   for each configuration c of the set and its returns
 *         w = walk(x, root, c.q)                        kept, or made now
 *         report w.inside
 *         if w.leaving:  explore(w.leaving, what c's stacks return to)
 *
 * Small remainder tries are read directly with the whole set. A walk in the
 * making reads its trie directly, but at a large subtree where a single state
 * with many continuations stands (the inside of a string) it takes that
 * state's walk of the subtree instead. When the cache is full, what has no
 * kept walk is read directly: slower, and as right.
 * Recursion: each level strips at least a byte of the tokens; MAX_DEPTH guards
 * against absurd ones.
 * Tests: prop/masks_vs_oracle_test.c, unit/mask_test.c (large subtrees).
 */
#include "mask/explore.h"

enum {
    SMALL_TRIE = 64,  /* ids: below, no walk is kept for a remainder trie */
    LARGE_TREE = 128, /* ids below a node that has a walk of its own */
    MANY_BYTES = 64,  /* continuations of a state that has one */
    MAX_DEPTH = 200   /* remainders of remainders, then directly */
};

ConfigSet *set_borrow(MaskRun *run)
{
    if (run->sets.count) {
        ConfigSet *set = run->sets.at[--run->sets.count];
        set_clear(set);
        return set;
    }
    ConfigSet *set = mem_zero(run->mem, sizeof *set);
    if (!set) run->no_memory = true;
    return set;
}

void set_give(MaskRun *run, ConfigSet *set)
{
    if (vec_push(run->mem, &run->sets, set)) return;
    vec_free(run->mem, &set->list);
    mem_free(run->mem, set, sizeof *set);
}

static bool run_failed(const MaskRun *run)
{
    return run->no_memory || stepper_status(&run->stepper);
}

uint32_t reg_class(const State *q, uint32_t reg, uint32_t most)
{
    const Frame *f = q->frame;
    if (!f->is_counted) return 0;
    uint32_t lo = f->lo, hi = f->hi;
    if (reg >= lo &&
        (hi == REPEAT_INF || (hi - reg >= most && hi - lo >= most)))
        return lo;
    if (lo > most && reg < lo - most) return 0;
    return reg;
}

/* ---- with a kept walk ---- */

/* Which copies count for a counted frame at register `reg`. */
static RiseRange own_leaving(const Frame *f, uint32_t reg)
{
    RiseRange r = RISE_ANY;
    if (f->lo > reg) r.lo = f->lo - reg;
    if (f->hi != REPEAT_INF) r.hi = f->hi - reg;
    return r;
}

/* What a stack returns to; NULL: no memory. Given back with set_give. */
static ConfigSet *set_of_returns(MaskRun *run, const StackNode *stack)
{
    ConfigSet *set = set_borrow(run);
    for (uint32_t i = 0; set && i < stack->count; i++) {
        const StackEntry *e = &stack->at[i];
        set_add(&run->stepper, set, (Config){e->ret, e->below, e->reg});
    }
    return set;
}

/* What w leaves, read by what c's stacks return to. */
static void explore_leaving(MaskRun *run, const Findings *to, const Walk *w,
                            Config c, RiseRange range)
{
    const MaskTrie *x = w->leaving;
    const TrieNode *root = &x->trie.nodes[TRIE_ROOT];
    if (!c.stack || c.stack->ends)
        if (to->bottom) to->bottom(to->user, x, root, 0, range);
    ConfigSet *set = c.stack ? set_of_returns(run, c.stack) : NULL;
    if (!set) return;
    explore_set(run, to, x, set, range);
    set_give(run, set);
}

static void explore_config(MaskRun *run, const Findings *to, const Walk *w,
                           Config c, RiseRange range)
{
    RiseRange inside = range, leaving = range;
    if (w->rise_kind == RISE_OWN) {
        leaving = own_leaving(c.q->frame, c.reg);
        inside = (RiseRange){0, leaving.hi};
    }
    if (w->ninside || w->cover) to->walk(to->user, w, inside);
    const MaskTrie *x = w->leaving;
    if (!x || run_failed(run)) return;
    if (x->rise && (leaving.lo > x->rise_max || leaving.hi < x->rise_min))
        return;
    explore_leaving(run, to, w, c, leaving);
}

/* ---- directly ---- */

static void explore_direct(MaskRun *run, const Findings *to, const MaskTrie *x,
                           uint32_t node, uint32_t depth, const ConfigSet *set,
                           RiseRange range, bool is_making);

typedef struct Direct {
    MaskRun *run;
    const Findings *to;
    const MaskTrie *x;
    RiseRange range;
    uint32_t depth; /* of the walk's start below x's root */
    bool is_making; /* a walk in the making: take walks of subtrees */
} Direct;

static bool set_reaches_bottom(MaskRun *run, const ConfigSet *set)
{
    if (set->list.count == 1 && !set->list.at[0].q->accepts) return set->ends;
    return set_is_complete(&run->stepper, set);
}

static unsigned many_bytes(const ByteSet *set)
{
    return bit_count(set->word[0]) + bit_count(set->word[1]) +
           bit_count(set->word[2]) + bit_count(set->word[3]);
}

static const Walk *walk_for(MaskRun *run, const Findings *to, const MaskTrie *x,
                            uint32_t node, uint32_t depth, Config c);

/* A walk of the subtree at `node`, if it pays; its registers must be free of
 * limits, since what it finds is handed on without them. */
static const Walk *subtree_walk(Direct *d, const TrieNode *node, uint32_t depth,
                                const ConfigSet *set)
{
    if (!d->is_making || set->list.count != 1 || set->ends) return NULL;
    uint32_t below = node->tok_end - trie_own_end(&d->x->trie, node);
    Config c = set->list.at[0];
    if (below < LARGE_TREE || many_bytes(&c.q->first) < MANY_BYTES) return NULL;
    if (d->x->rise && walk_is_own(c.q)) return NULL;
    const Walk *w = walk_for(d->run, d->to, d->x,
                             (uint32_t)(node - d->x->trie.nodes), depth, c);
    if (!w || w->leaks) return NULL;
    if (w->rise_kind != RISE_OWN) return w;
    RiseRange r = own_leaving(c.q->frame, c.reg);
    bool is_free =
        w->rise_max <= r.hi && (!w->leaving || (r.lo <= w->leaving->rise_min &&
                                                w->leaving->rise_max <= r.hi));
    return is_free ? w : NULL;
}

/* A walk begins with a byte: what c may return to before is read apart. */
static void direct_returns(Direct *d, const TrieNode *node, uint32_t depth,
                           Config c)
{
    if (!state_accepts(c.q, c.reg) || !c.stack) return;
    ConfigSet *set = set_of_returns(d->run, c.stack);
    if (!set) return;
    explore_direct(d->run, d->to, d->x, (uint32_t)(node - d->x->trie.nodes),
                   depth, set, d->range, d->is_making);
    set_give(d->run, set);
}

static bool direct_reached(void *user, const TrieNode *node, uint32_t depth,
                           const ConfigSet *set)
{
    Direct *d = user;
    depth += d->depth;
    d->to->node(d->to->user, d->x, node, d->range);
    if (!node->nchildren) return false;
    if (d->to->bottom && set_reaches_bottom(d->run, set))
        d->to->bottom(d->to->user, d->x, node, depth, d->range);
    const Walk *w = subtree_walk(d, node, depth, set);
    if (!w) return !run_failed(d->run);
    Config c = set->list.at[0];
    explore_config(d->run, d->to, w, c, d->range);
    direct_returns(d, node, depth, c);
    return false;
}

static void explore_direct(MaskRun *run, const Findings *to, const MaskTrie *x,
                           uint32_t node, uint32_t depth, const ConfigSet *set,
                           RiseRange range, bool is_making)
{
    Direct d = {run, to, x, range, depth, is_making};
    WalkSink sink = {direct_reached, &d};
    walk_direct(&run->walker, &x->trie, node, set, &sink);
}

/* ---- a set at a trie's root ---- */

typedef struct Gather {
    MaskRun *run;
    const Findings *to;
    const MaskTrie *x;
    RiseRange range;
    ConfigSet *direct; /* what has no walk */
    VEC(Config) configs;
} Gather;

static void gather_config(void *user, Config c)
{
    Gather *g = user;
    if (!vec_push(g->run->mem, &g->configs, c)) g->run->no_memory = true;
}

/* By the walk of c, or later. */
static void gather_explore(Gather *g, Config c)
{
    const Walk *w = NULL;
    bool is_small = g->x->trie.nids < SMALL_TRIE || g->run->depth > MAX_DEPTH;
    if (!is_small && !(g->x->rise && walk_is_own(c.q)))
        w = walk_for(g->run, g->to, g->x, TRIE_ROOT, 0, c);
    if (run_failed(g->run)) return;
    if (w && !w->leaks) {
        explore_config(g->run, g->to, w, c, g->range);
        return;
    }
    if (!g->direct) g->direct = set_borrow(g->run);
    if (g->direct) set_add(&g->run->stepper, g->direct, c);
}

void explore_set(MaskRun *run, const Findings *to, const MaskTrie *x,
                 const ConfigSet *set, RiseRange range)
{
    const TrieNode *root = &x->trie.nodes[TRIE_ROOT];
    Gather g = {.run = run, .to = to, .x = x, .range = range};
    bool reaches = set_each_return(&run->stepper, set, gather_config, &g);
    if (reaches && to->bottom && x->skip)
        to->bottom(to->user, x, root, 0, range);
    run->depth++;
    for (uint32_t i = 0; i < g.configs.count && !run_failed(run); i++)
        gather_explore(&g, g.configs.at[i]);
    if (g.direct && !run_failed(run))
        explore_direct(run, to, x, TRIE_ROOT, 0, g.direct, range, false);
    run->depth--;
    if (g.direct) set_give(run, g.direct);
    vec_free(run->mem, &g.configs);
}

/* ---- making a walk ---- */

static void build_walk(void *user, const Walk *w, RiseRange range)
{
    WalkBuild *b = user;
    assert(!w->cover); /* which walks from the root of all tokens have */
    for (uint32_t i = 0; i < w->ninside; i++) {
        uint32_t rise = w->rise ? w->rise[i] : 0;
        if (!w->rise || rise_in(range, rise))
            walkbuild_id(b, w->inside[i], rise);
    }
}

static void build_node(void *user, const MaskTrie *x, const TrieNode *node,
                       RiseRange range)
{
    (void)range; /* a walk is made for all registers */
    walkbuild_inside(user, x, node->tok, trie_own_end(&x->trie, node), 0);
}

static void build_bottom(void *user, const MaskTrie *x, const TrieNode *node,
                         uint32_t depth, RiseRange range)
{
    (void)range;
    walkbuild_exit(user, x, node, depth, 0);
}

static WalkCache *cache_for(MaskRun *run, const MaskTrie *x, const State *q)
{
    bool shared = x->is_shared && q->frame->network->shared == NULL &&
                  run->vocab->cache.mem && q->frame->network->keys.count;
    return shared ? &run->vocab->cache : run->cache;
}

static void make_general(MaskRun *run, WalkBuild *b, Config c)
{
    Findings to = {build_walk, build_node, build_bottom, b};
    ConfigSet *set = set_borrow(run);
    if (!set) return;
    set_add(&run->stepper, set, (Config){c.q, NULL, b->reg});
    explore_direct(run, &to, b->trie, b->node, b->depth, set, RISE_ANY, true);
    set_give(run, set);
}

static const Walk *make_walk(MaskRun *run, WalkCache *cache, WalkBuild *b,
                             Config c)
{
    weir_status status = WEIR_OK;
    if (c.q->frame->is_regular)
        walk_regular(b, &status);
    else
        make_general(run, b, c);
    if (status && !run->stepper.stacks.status)
        run->stepper.stacks.status = status;
    run->no_memory |= b->no_memory;
    if (run_failed(run)) return NULL;
    const Walk *w = walkcache_keep(cache, b, run->vocab->nwords);
    run->no_memory |= b->no_memory;
    return w;
}

/* The walk of (x, node, q, reg, follow), made if new. */
static const Walk *walk_get(MaskRun *run, const MaskTrie *x, uint32_t node,
                            uint32_t depth, Config c, const ByteSet *follow)
{
    WalkCache *cache = cache_for(run, x, c.q);
    uint32_t reg = walk_is_own(c.q) ? 0 : reg_class(c.q, c.reg, x->trie.depth);
    const Walk *known = walkcache_find(cache, x, node, c.q, reg, follow);
    if (known || walkcache_is_full(cache)) return known;
    WalkBuild b = {.vocab = run->vocab->vocab,
                   .mem = run->mem,
                   .covers = &run->vocab->covers,
                   .loops = &run->loops,
                   .trie = x,
                   .q = c.q,
                   .node = node,
                   .depth = depth,
                   .reg = reg,
                   .follow = follow,
                   .has_rise = x->rise || walk_is_own(c.q),
                   .max_leaving = cache->max_leaving};
    const Walk *w = make_walk(run, cache, &b, c);
    walkbuild_free(&b);
    return w;
}

const Walk *explore_walk(MaskRun *run, const MaskTrie *x, uint32_t node,
                         uint32_t depth, Config c)
{
    return walk_get(run, x, node, depth, c, NULL);
}

static void follow_add(void *user, Config c)
{
    ByteSet *follow = user;
    for (int i = 0; i < 4; i++) follow->word[i] |= c.q->first.word[i];
}

/* The bytes that can be read after c's frame has returned. False: what lies
 * below the bottom is not known, and counts. */
static bool follow_find(MaskRun *run, const Findings *to, Config c,
                        ByteSet *follow)
{
    bool reaches = !c.stack || c.stack->ends;
    *follow = (ByteSet){{0}};
    if (c.stack) {
        ConfigSet *set = set_of_returns(run, c.stack);
        if (!set) return false;
        reaches |= set_each_return(&run->stepper, set, follow_add, follow);
        set_give(run, set);
    }
    return !reaches || !to->bottom;
}

/* The walk of c, by what follows c's frame if it leaves too much else. */
static const Walk *walk_for(MaskRun *run, const Findings *to, const MaskTrie *x,
                            uint32_t node, uint32_t depth, Config c)
{
    ByteSet follow;
    const Walk *w = walk_get(run, x, node, depth, c, NULL);
    if (!w || !w->leaks || !follow_find(run, to, c, &follow)) return w;
    return walk_get(run, x, node, depth, c, &follow);
}
