/* explore.c: masks and walks from kept walks.
 *
 *     explore(x, set):   for each configuration c of the set and its returns
 *         if c has calls:  explore(x, the starts of its callees)
 *         w = walk(x, root, c.q)                        kept, or made now
 *         report w.inside
 *         if w.leaving:  explore(w.leaving, what c's stacks return to)
 *
 * Small remainder tries are read directly with the whole set, and so is what
 * leaves too much. A walk in the making reads its trie directly, but at a large
 * subtree where a single state with many continuations stands (the inside of a
 * string) it explores that subtree instead. When the cache is full, what has no
 * kept walk is read directly: slower, and as right.
 * Recursion: each level strips at least a byte of the tokens, or is a call
 * deeper; MAX_DEPTH guards against absurd ones.
 * Tests: prop/masks_vs_oracle_test.c, unit/mask_test.c (large subtrees).
 */
#include "mask/explore.h"

#include "mask/key_ends.h"
#include "network/twin.h"

enum {
    SMALL_TRIE = 64,  /* ids: below, no walk is kept for a remainder trie */
    LARGE_TREE = 128, /* ids below a node that has walks of its own */
    MANY_BYTES = 64,  /* continuations of a state that has one */
    SOME_BYTES = 16,  /* of one that may be a loop that may end anywhere */
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
    if (f->list) return reg;
    if (!f->is_counted) return 0;
    uint32_t lo = f->lo, hi = f->hi;
    uint64_t room = (uint64_t)most + f->most_need;
    if (reg >= lo &&
        (hi == REPEAT_INF || (hi - reg >= room && hi - lo >= room)))
        return lo;
    if (lo > most && reg < lo - most) return 0;
    return reg;
}

/* A place in a trie, and what is done with what is found below. */
typedef struct Explore {
    MaskRun *run;
    const Findings *to;
    const MaskTrie *x;
    uint32_t node, depth; /* depth: bytes below x's root */
    RiseRange range;
} Explore;

static void explore_at(const Explore *e, const ConfigSet *set);

static const TrieNode *place_node(const Explore *e)
{
    return &e->x->trie.nodes[e->node];
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
        set_add(&run->stepper, set, (Config){e->ret, e->below, e->reg, 0});
    }
    return set;
}

/* What w leaves, read by what c's stacks return to. */
static void explore_leaving(const Explore *e, const Walk *w, Config c,
                            RiseRange range)
{
    const Findings *to = e->to;
    const MaskTrie *x = w->leaving;
    const TrieNode *root = &x->trie.nodes[TRIE_ROOT];
    if (!c.stack || c.stack->ends)
        if (to->bottom) to->bottom(to->user, x, root, 0, range);
    ConfigSet *set = c.stack ? set_of_returns(e->run, c.stack) : NULL;
    if (!set) return;
    explore_set(e->run, to, x, set, range);
    set_give(e->run, set);
}

static void explore_walked(const Explore *e, const Walk *w, Config c)
{
    RiseRange inside = e->range, leaving = e->range;
    if (w->rise_kind == RISE_OWN) {
        leaving = own_leaving(c.q->frame, c.reg);
        inside = (RiseRange){0, leaving.hi};
    }
    if (w->ninside || w->ncovers) e->to->walk(e->to->user, w, inside);
    const MaskTrie *x = w->leaving;
    if (!x || run_failed(e->run)) return;
    if (x->rise && (leaving.lo > x->rise_max || leaving.hi < x->rise_min))
        return;
    explore_leaving(e, w, c, leaving);
}

static void follow_add(void *user, Config c)
{
    ByteSet *follow = user;
    for (int i = 0; i < 4; i++) follow->word[i] |= c.q->first.word[i];
}

/* The bytes that can be read after c's frame has returned. False: what lies
 * below the bottom is not known, and counts. */
static bool follow_find(const Explore *e, Config c, ByteSet *follow)
{
    bool reaches = !c.stack || c.stack->ends;
    *follow = (ByteSet){{0}};
    if (c.stack) {
        ConfigSet *set = set_of_returns(e->run, c.stack);
        if (!set) return false;
        reaches |= set_each_return(&e->run->stepper, set, follow_add, follow);
        set_give(e->run, set);
    }
    return !reaches || !e->to->bottom;
}

/* ---- directly ---- */

typedef struct Direct {
    Explore at;      /* node: of the subtree in hand */
    uint32_t depth;  /* of the start below x's root */
    CoverPath *path; /* by depth below the start; NULL: no cover */
    CoverUse use;    /* of a mask */
    ByteSet follow;  /* what may be read after a return, on the covered path */
} Direct;

static bool set_reaches_bottom(MaskRun *run, const ConfigSet *set)
{
    if (set->list.count == 1 && !set->list.at[0].q->accepts) return set->ends;
    return set_is_complete(&run->stepper, set);
}

/* True if the vocabulary keeps q's walk of x. */
static bool is_shared(const MaskRun *run, const MaskTrie *x, const State *q)
{
    return x->is_shared && q->frame->network->shared == NULL &&
           run->vocab->cache.mem && q->frame->network->keys.count;
}

/* True if q only calls a frame of the vocabulary, which keeps its walk of x,
 * or a frame that begins so. */
static bool leads_to_shared(const MaskRun *run, const MaskTrie *x, State *q)
{
    enum { MOST = 4 };
    for (int i = 0; i < MOST; i++) {
        if (q->ncalls != 1 || !byteset_is_empty(&q->local) || q->accepts)
            return false;
        const Entries *entries = state_entries(q);
        if (!entries || entries->count != 1) return false;
        q = entries->at[0].to;
        if (is_shared(run, x, q)) return true;
    }
    return false;
}

/* Walks of its own for the subtree at `node`: if they pay. */
static bool is_worth_walks(const Direct *d, const TrieNode *node,
                           const ConfigSet *set)
{
    const Explore *at = &d->at;
    uint32_t below = node->tok_end - trie_own_end(&at->x->trie, node);
    if (below < LARGE_TREE || set->list.count != 1 || set->ends) return false;
    State *q = set->list.at[0].q;
    return (at->to->build && q->nfirst >= MANY_BYTES) ||
           leads_to_shared(at->run, at->x, q);
}

/* Whether the vocabulary keeps the walks that read on from the set. */
static bool is_known(const Explore *at, const ConfigSet *set)
{
    State *q = set->list.at[0].q;
    return is_shared(at->run, at->x, q) ||
           (!at->run->has_held && state_home(q));
}

/* Of what is covered, only where something else is below, or some return may
 * have been read on from. */
static bool direct_matters(void *user, const TrieNode *node, uint32_t depth,
                           const ConfigSet *set)
{
    Direct *d = user;
    d->path[depth] = cover_step(d->path[depth - 1], node->byte);
    return path_matters(d->path[depth], node) || set->list.count != 1 ||
           byteset_has(&d->follow, node->byte);
}

/* True if one of the readings loops over all that is below the node: then it
 * is all inside, and what else may become of it does not matter. */
static bool loops_over(const Explore *at, const TrieNode *node,
                       const ConfigSet *set)
{
    MaskRun *run = at->run;
    uint32_t below = node->tok_end - trie_own_end(&at->x->trie, node);
    for (uint32_t i = 0; i < set->list.count; i++) {
        State *q = set->list.at[i].q;
        if (q->nfirst < SOME_BYTES) continue;
        const Loop *loop = loop_for(&run->loops, run->mem, q, below);
        /* in a counted frame what follows must be alive as q is */
        if (loop && !loop->counts && loop->need <= q->need &&
            loop_takes(loop, node))
            return true;
    }
    return false;
}

static bool direct_reached(void *user, const TrieNode *node, uint32_t depth,
                           const ConfigSet *set)
{
    Direct *d = user;
    Explore *at = &d->at;
    const Findings *to = at->to;
    const MaskTrie *x = at->x;
    bool is_covered = d->path && d->path[depth].use;
    bool has_walks = !is_covered && is_worth_walks(d, node, set);
    bool is_taken = !is_covered && !(has_walks && is_known(at, set)) &&
                    loops_over(at, node, set);
    uint32_t end = is_taken ? node->tok_end : trie_own_end(&x->trie, node);
    if (!is_covered) to->places(to->user, x, node->tok, end, at->range);
    if (!node->nchildren || is_taken) return false;
    at->node = (uint32_t)(node - x->trie.nodes);
    at->depth = d->depth + depth;
    if (to->bottom && set_reaches_bottom(at->run, set))
        to->bottom(to->user, x, node, at->depth, at->range);
    if (!has_walks) return !run_failed(at->run);
    explore_at(at, set);
    return false;
}

/* A cover for a walk in the making, whose state begins at e. */
static bool walk_cover(const Explore *e, Config c, CoverPath *path)
{
    WalkBuild *b = e->to->build;
    return e->x == b->key.trie && !b->has_rise && !c.stack &&
           cover_begin(b, path, e->node, e->depth, c.q, 0);
}

/* A cover for a mask that begins at e. */
static bool mask_cover(const Explore *e, Config c, Direct *d, CoverPath *path)
{
    MaskRun *run = e->run;
    const Loop *loop = loop_of(&run->loops, run->mem, c.q);
    if (!loop->is_any || loop->counts) return false;
    if (memcmp(&loop->first, &loop->units, sizeof loop->first) ||
        loop->height != ANY_HEIGHT)
        return false;
    d->use = (CoverUse){
        .first = loop->first, .units = loop->units, .out = loop->out};
    if (loop->may_return) {
        loop = NULL; /* the next call may take its place */
        if (!follow_find(e, c, &d->follow)) return false;
        d->use.out |= groups_of(&d->follow);
    }
    const Cover *cover =
        cover_for(&run->vocab->covers, e->x, e->node, &d->use.units);
    if (!cover) return false;
    e->to->row(e->to->user, cover->row);
    *path = (CoverPath){&d->use, 0, ANY_HEIGHT, false};
    return true;
}

/* False: no memory. */
static bool direct_cover(const Explore *e, const ConfigSet *set, Direct *d)
{
    CoverPath path;
    if (set->list.count != 1 || set->ends || e->x->skip) return true;
    Config c = set->list.at[0];
    bool has_cover =
        e->to->build ? walk_cover(e, c, &path) : mask_cover(e, c, d, &path);
    if (!has_cover) return true;
    d->path = mem_new(e->run->mem, (e->x->trie.depth + 2) * sizeof *d->path);
    if (d->path) d->path[0] = path;
    return d->path != NULL;
}

static void explore_direct(const Explore *e, const ConfigSet *set,
                           const ByteSet *only)
{
    MaskRun *run = e->run;
    Direct d = {.at = *e, .depth = e->depth};
    WalkSink sink = {NULL, direct_reached, &d};
    bool ok = direct_cover(e, set, &d);
    if (d.path) sink.matters = direct_matters;
    if (ok)
        walk_direct(&run->walker, &e->x->trie, e->node, set, only, &sink);
    else
        run->no_memory = true;
    if (d.path)
        mem_free(run->mem, d.path, (e->x->trie.depth + 2) * sizeof *d.path);
}

/* ---- which walk ---- */

static WalkCache *cache_for(const MaskRun *run, const MaskTrie *x,
                            const State *q)
{
    return is_shared(run, x, q) ? &run->vocab->cache : run->cache;
}

/* Whether a vocabulary has as many walks of rules that it has taken in as it
 * may: then the grammar keeps the next ones. */
static bool takes_no_more(const WalkCache *cache, const WalkKey *key)
{
    enum { MOST_BYTES = 8 << 20 };
    return cache->is_shared && walk_is_adopted(key) &&
           atomic_load_explicit(&cache->adopted, memory_order_relaxed) >
               MOST_BYTES;
}

static void make_general(MaskRun *run, WalkBuild *b);

static const Walk *make_walk(MaskRun *run, WalkCache *cache, WalkBuild *b)
{
    weir_status status = WEIR_OK;
    if (b->key.q->frame->is_regular)
        walk_regular(b, &status);
    else
        make_general(run, b);
    if (status && !run->stepper.stacks.status)
        run->stepper.stacks.status = status;
    run->no_memory |= b->no_memory;
    if (run_failed(run)) return NULL;
    const Walk *w = walkcache_keep(cache, b, run->vocab->nwords);
    run->no_memory |= b->no_memory;
    return w;
}

/* The walk of the key, made if new; depth: bytes above its node. */
static const Walk *walk_get(MaskRun *run, const WalkKey *key, uint32_t depth)
{
    WalkCache *cache = cache_for(run, key->trie, key->q);
    const Walk *known = walkcache_find(cache, key);
    if (!known && takes_no_more(cache, key)) {
        cache = run->cache;
        known = walkcache_find(cache, key);
    }
    if (known) run->counts.walks_known++;
    if (known || walkcache_is_full(cache)) return known;
    WalkBuild b = {.vocab = run->vocab->vocab,
                   .mem = run->mem,
                   .covers = &run->vocab->covers,
                   .loops = &run->loops,
                   .key = *key,
                   .depth = depth,
                   .has_rise = key->trie->rise || walk_is_own(key->q),
                   .follow_groups =
                       key->follow ? groups_of(key->follow) : UINT64_MAX,
                   .max_leaving = cache->max_leaving};
    const Walk *w = make_walk(run, cache, &b);
    run->counts.walks_made++;
    run->counts.nodes += b.nodes;
    walkbuild_free(&b);
    return w;
}

static WalkKey key_of(const MaskTrie *x, uint32_t node, Config c)
{
    State *twin = walk_is_own(c.q) ? state_twin(c.q) : NULL;
    uint32_t reg = walk_is_own(c.q) ? 0 : reg_class(c.q, c.reg, x->trie.depth);
    return (WalkKey){
        .trie = x, .q = twin ? twin : c.q, .node = node, .reg = reg};
}

const Walk *explore_walk(MaskRun *run, const MaskTrie *x, uint32_t node,
                         uint32_t depth, Config c)
{
    WalkKey key = key_of(x, node, c);
    return walk_get(run, &key, depth);
}

/* True if q loops over much and may return anywhere: its walk would leave too
 * much unless it is made by what follows. */
static bool is_open(MaskRun *run, const MaskTrie *x, State *q)
{
    if (q->nfirst < SOME_BYTES) return false;
    if (is_shared(run, x, q) && !walk_is_own(q)) return false;
    const Loop *loop = loop_of(&run->loops, run->mem, q);
    return loop->may_return && byteset_count(&loop->units) >= SOME_BYTES;
}

/* Of a twin the vocabulary keeps what a quote follows, as in JSON; anything
 * else could be told in too many ways. */
static void key_follow(WalkKey *key, Config c, const ByteSet *follow)
{
    bool is_quote = byteset_has(follow, '"') && byteset_count(follow) == 1;
    key->follow = follow;
    if (!is_quote) key->q = c.q;
}

/* The walk of c, by what follows c's frame if it leaves too much else. */
static const Walk *walk_for(const Explore *e, Config c, bool is_local)
{
    ByteSet follow;
    WalkKey key = key_of(e->x, e->node, c);
    key.is_local = is_local;
    bool open = is_open(e->run, e->x, c.q);
    if (open && follow_find(e, c, &follow)) key_follow(&key, c, &follow);
    const Walk *w = walk_get(e->run, &key, e->depth);
    if (!w || !w->leaks || open || !follow_find(e, c, &follow)) return w;
    key_follow(&key, c, &follow);
    return walk_get(e->run, &key, e->depth);
}

/* ---- keys ---- */

/* How far a walk in the making was. */
typedef struct BuildMark {
    uint32_t ids, exits, uses, nleaving;
} BuildMark;

static BuildMark build_mark(const WalkBuild *b)
{
    return (BuildMark){b->ids.count, b->exits.count, b->nuses, b->nleaving};
}

static void build_back(WalkBuild *b, BuildMark mark)
{
    b->ids.count = mark.ids;
    if (b->has_rise) b->rises.count = mark.ids;
    b->exits.count = mark.exits;
    b->nuses = mark.uses; /* none of these has a row of its own */
    b->nleaving = mark.nleaving;
    b->leaks = false;
}

static bool is_marked(const uint32_t *marks, uint32_t id)
{
    return marks[id / 32] >> (id % 32) & 1;
}

/* Whether a name ends where the keys are read from, by the quote. */
static bool ends_at_once(const Explore *e, const KeyEnds *ends)
{
    const KeyEnd *first = ends->at;
    return ends->count && first->depth == 1 &&
           e->x->trie.nodes[first->node].byte == '"';
}

/* Marks the ids behind the ends from `from` on, or takes the marks away. */
static void flip_ends(const Explore *e, const KeyEnds *ends, uint32_t from)
{
    const Trie *trie = &e->x->trie;
    for (uint32_t i = from; i < ends->count; i++) {
        const TrieNode *n = &trie->nodes[ends->at[i].node];
        for (uint32_t p = n->tok; p < n->tok_end; p++)
            e->run->marks[trie->ids[p] / 32] ^= 1u << (trie->ids[p] % 32);
    }
}

/* True if some marked id is among what leaves since the mark. */
static bool leaves_marked(const WalkBuild *b, BuildMark mark,
                          const uint32_t *marks)
{
    for (uint32_t i = mark.exits; i < b->exits.count; i++) {
        const Trie *trie = &b->exits.at[i].x->trie;
        const TrieNode *n = &trie->nodes[b->exits.at[i].node];
        for (uint32_t p = n->tok; p < n->tok_end; p++)
            if (is_marked(marks, trie->ids[p])) return true;
    }
    return false;
}

/* Drops what was added to the walk in the making behind the ends, from `from`
 * on. False: that is not to be done, since some of it leaves or too much does.
 */
static bool build_drop(const Explore *e, BuildMark mark, const KeyEnds *ends,
                       uint32_t from)
{
    WalkBuild *b = e->to->build;
    MaskRun *run = e->run;
    if (from == ends->count) return true;
    size_t nbytes = run->vocab->nwords * sizeof *run->marks;
    uint32_t kept = mark.ids;
    if (!run->marks) run->marks = mem_zero(run->mem, nbytes);
    if (!run->marks) {
        run->no_memory = true;
        return true;
    }
    flip_ends(e, ends, from);
    bool ok = !b->leaks && !leaves_marked(b, mark, run->marks);
    for (uint32_t i = mark.ids; ok && i < b->ids.count; i++) {
        if (is_marked(run->marks, b->ids.at[i])) continue;
        b->ids.at[kept] = b->ids.at[i];
        if (b->has_rise) b->rises.at[kept] = b->rises.at[i];
        kept++;
    }
    flip_ends(e, ends, from);
    b->ids.count = kept;
    if (b->has_rise) b->rises.count = kept;
    return ok;
}

/* As if c stood at its key's home. more: but for a quote that comes at once. */
static void explore_home(const Explore *e, const KeyHome *home, Config c,
                         bool more)
{
    MaskRun *run = e->run;
    Config at = {.q = more ? home->more : home->rest};
    at.stack = stack_push(&run->stepper.stacks, c.stack, home->ret, c.reg);
    ConfigSet set = {.list = {&at, 1, 1}};
    run->depth++;
    if (at.stack) explore_at(e, &set);
    run->depth--;
}

/* What is behind the ends. */
static void explore_ends(const Explore *e, const KeyEnds *ends, Config c)
{
    MaskRun *run = e->run;
    const Findings *to = e->to;
    const Trie *trie = &e->x->trie;
    ConfigSet *after = set_borrow(run);
    for (uint32_t i = 0; after && i < ends->count && !run_failed(run); i++) {
        const TrieNode *n = &trie->nodes[ends->at[i].node];
        Config at = {ends->at[i].q, c.stack, c.reg, 0};
        ConfigSet set = {.list = {&at, 1, 1}};
        Explore below = *e;
        below.node = ends->at[i].node;
        below.depth += ends->at[i].depth;
        set_step(&run->stepper, &set, n->byte, after);
        if (set_is_empty(after)) continue;
        to->places(to->user, e->x, n->tok, trie_own_end(trie, n), e->range);
        if (to->bottom && set_reaches_bottom(run, after))
            to->bottom(to->user, e->x, n, below.depth, e->range);
        run->depth++;
        explore_at(&below, after);
        run->depth--;
    }
    if (after) set_give(run, after);
}

/* Reads what is below e with a key in hand. False: otherwise, then. */
static bool explore_key(const Explore *e, Config c)
{
    MaskRun *run = e->run;
    const Findings *to = e->to;
    const KeyHome *home = run->has_held ? NULL : state_home(c.q);
    KeyEnds ends = {0};
    if (!home) return false;
    weir_status status =
        key_ends_find(&ends, run->mem, &e->x->trie, e->node, c.q);
    if (status) run->stepper.stacks.status = status;
    bool is_done = true, at_once = ends_at_once(e, &ends);
    if (!status && to->build) {
        BuildMark mark = build_mark(to->build);
        explore_home(e, home, c, at_once);
        is_done = build_drop(e, mark, &ends, at_once);
        if (!is_done) build_back(to->build, mark);
    } else if (!status) {
        uint32_t mark = to->hold(to->user, NULL, 0);
        for (uint32_t i = at_once; i < ends.count; i++) {
            const TrieNode *n = &e->x->trie.nodes[ends.at[i].node];
            to->hold(to->user, e->x->trie.ids + n->tok, n->tok_end - n->tok);
        }
        explore_home(e, home, c, at_once);
        to->let_go(to->user, mark);
    }
    if (is_done) explore_ends(e, &ends, c);
    vec_free(run->mem, &ends);
    return is_done;
}

/* ---- a set at a place ---- */

typedef struct Gather {
    const Explore *at;
    ConfigSet *direct; /* what has no walk */
} Gather;

static void gather_config(void *user, Config c)
{
    Gather *g = user;
    MaskRun *run = g->at->run;
    if (state_is_done(c.q, c.reg)) return; /* it only returns */
    if (!vec_push(run->mem, &run->configs, c)) run->no_memory = true;
}

/* The entries of c's calls, if they can be told from its other moves by the
 * first byte and are to be explored apart; else NULL. Walks that the vocabulary
 * keeps are of the whole state, unless there is nothing to it but one call. */
static const Entries *entries_of(const Explore *e, Config c)
{
    ByteSet calls = {{0}};
    bool is_name = c.q->ncalls == 1 && byteset_is_empty(&c.q->local);
    if (!c.q->ncalls) return NULL;
    if (is_shared(e->run, e->x, c.q) && !is_name) return NULL;
    const Entries *entries = state_entries(c.q);
    if (!entries) {
        e->run->stepper.stacks.status =
            network_error(c.q->frame->network).status;
        return NULL;
    }
    for (uint32_t i = 0; i < entries->count; i++)
        for (int w = 0; w < 4; w++)
            calls.word[w] |= entries->at[i].to->first.word[w];
    for (int w = 0; w < 4; w++)
        if (calls.word[w] & c.q->local.word[w]) return NULL;
    return entries;
}

static void explore_entries(const Explore *e, const Entries *entries, Config c)
{
    ConfigSet *set = set_borrow(e->run);
    if (!set) return;
    for (uint32_t i = 0; i < entries->count; i++)
        set_move(&e->run->stepper, c, &entries->at[i], set);
    e->run->depth++;
    explore_at(e, set);
    e->run->depth--;
    set_give(e->run, set);
}

static bool has_walks(const Explore *e, Config c)
{
    const TrieNode *node = place_node(e);
    if (e->run->depth > MAX_DEPTH || node->tok_end - node->tok < SMALL_TRIE)
        return false;
    if (e->x->rise && walk_is_own(c.q)) return false;
    return e->node == TRIE_ROOT || c.q->nfirst >= MANY_BYTES ||
           is_shared(e->run, e->x, c.q) || leads_to_shared(e->run, e->x, c.q);
}

/* By the walk of c, or later. */
static void explore_config(Gather *g, Config c)
{
    const Explore *e = g->at;
    if (has_walks(e, c)) {
        if (explore_key(e, c)) return;
        const Entries *entries = entries_of(e, c);
        if (entries) explore_entries(e, entries, c);
        bool is_all = entries && byteset_is_empty(&c.q->local);
        if (is_all || run_failed(e->run)) return;
        const Walk *w = walk_for(e, c, entries != NULL);
        if (w && !w->leaks) explore_walked(e, w, c);
        if ((w && !w->leaks) || run_failed(e->run)) return;
    }
    if (!g->direct) g->direct = set_borrow(e->run);
    if (g->direct) set_add(&e->run->stepper, g->direct, c);
}

/* Each of the set and what it may return to, but for the bottom. */
static void explore_at(const Explore *e, const ConfigSet *set)
{
    MaskRun *run = e->run;
    Gather g = {.at = e};
    uint32_t base = run->configs.count;
    set_each_return(&run->stepper, set, gather_config, &g);
    uint32_t end = run->configs.count;
    for (uint32_t i = base; i < end && !run_failed(run); i++)
        explore_config(&g, run->configs.at[i]);
    run->configs.count = base;
    if (g.direct && !run_failed(run)) explore_direct(e, g.direct, NULL);
    if (g.direct) set_give(run, g.direct);
}

void explore_set(MaskRun *run, const Findings *to, const MaskTrie *x,
                 const ConfigSet *set, RiseRange range)
{
    Explore e = {run, to, x, TRIE_ROOT, 0, range};
    if (to->bottom && x->skip && set_reaches_bottom(run, set))
        to->bottom(to->user, x, place_node(&e), 0, range);
    run->depth++;
    explore_at(&e, set);
    run->depth--;
}

/* ---- making a walk ---- */

/* The tokens of a cover of at most `most` characters. */
static void build_cover(WalkBuild *b, const WalkCover *c, uint32_t most)
{
    uint32_t nwords = b->covers->nwords;
    const uint32_t *kept = cover_upto(b->covers, c->cover, most);
    if (kept) {
        walkbuild_row(b, kept, nwords);
        return;
    }
    uint32_t *row = mem_new(b->mem, nwords * sizeof *row);
    if (row) {
        cover_write(b->covers, c->cover, most, row);
        walkbuild_ids(b, row, nwords);
    }
    b->no_memory |= !row;
    mem_free(b->mem, row, nwords * sizeof *row);
}

static void build_walk(void *user, const Walk *w, RiseRange range)
{
    WalkBuild *b = user;
    for (uint32_t i = 0; i < w->ncovers; i++) {
        const WalkCover *c = &w->covers[i];
        if (w->rise && c->counts)
            build_cover(b, c, cover_most(c, range));
        else if (!w->rise || rise_in(range, c->rise))
            walkbuild_row(b, c->row, b->covers->nwords);
    }
    for (uint32_t i = 0; i < w->ninside; i++) {
        uint32_t rise = w->rise ? w->rise[i] : 0;
        if (!w->rise || rise_in(range, rise))
            walkbuild_id(b, w->inside[i], rise);
    }
}

static void build_places(void *user, const MaskTrie *x, uint32_t from,
                         uint32_t to, RiseRange range)
{
    walkbuild_some(user, x, from, to, range);
}

static void build_bottom(void *user, const MaskTrie *x, const TrieNode *node,
                         uint32_t depth, RiseRange range)
{
    walkbuild_exit(user, x, node, depth, 0, range);
}

/* From the empty stack, which stands for all that may lie below. */
static void make_general(MaskRun *run, WalkBuild *b)
{
    Findings to = {.walk = build_walk,
                   .places = build_places,
                   .bottom = build_bottom,
                   .build = b,
                   .user = b};
    const WalkKey *key = &b->key;
    Explore e = {run, &to, key->trie, key->node, b->depth, RISE_ANY};
    ConfigSet *set = set_borrow(run);
    if (!set) return;
    set_add(&run->stepper, set, (Config){.q = key->q, .reg = key->reg});
    explore_direct(&e, set, key->is_local ? &key->q->local : NULL);
    set_give(run, set);
}
