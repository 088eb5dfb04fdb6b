/* walk.c: keeping walks, and the walk of frames without calls.
 *
 * walk_regular follows one automaton state down the trie, depth first; at a
 * state that may return, everything below the node leaves as well. In a
 * counted frame the limits are ignored and the copies counted instead.
 * Cost: 15 to 20 ns a visited node, about 4 ms for a JSON string over 128,000
 * tokens; so it is done once a state.
 * Tests: prop/masks_vs_oracle_test.c, unit/walk_test.c.
 */
#include "mask/walk.h"

enum {
    MAX_LEAVING = 16384, /* entries of a grammar's remainder trie */
    BITMAP_FROM = 1024   /* ids from which on a whole row is worth it */
};

bool walkcache_init(WalkCache *cache, const Mem *mem, bool is_shared,
                    size_t limit)
{
    *cache = (WalkCache){.mem = mem, .is_shared = is_shared};
    cache->max_leaving = is_shared ? UINT32_MAX : MAX_LEAVING;
    arena_init(&cache->arena, mem, limit);
    if (!shared_init(&cache->table, &cache->arena)) {
        arena_free(&cache->arena);
        cache->mem = NULL;
        return false;
    }
    lock_init(&cache->lock);
    return true;
}

void walkcache_free(WalkCache *cache)
{
    if (!cache->mem) return;
    arena_free(&cache->arena);
    lock_free(&cache->lock);
    cache->mem = NULL;
}

size_t walkcache_bytes(WalkCache *cache)
{
    lock_take(&cache->lock);
    size_t total = cache->arena.total;
    lock_give(&cache->lock);
    return total;
}

bool walkcache_is_full(WalkCache *cache)
{
    lock_take(&cache->lock);
    bool is_full = cache->arena.hit_limit;
    lock_give(&cache->lock);
    return is_full;
}

static uint64_t walk_hash(const MaskTrie *trie, uint32_t node, const State *q,
                          uint32_t reg)
{
    uint64_t h = hash_mix((uintptr_t)q, (uint64_t)trie->serial << 32 | node);
    return hash_mix(h, reg);
}

const Walk *walkcache_find(WalkCache *cache, const MaskTrie *trie,
                           uint32_t node, State *q, uint32_t reg)
{
    uint64_t h = walk_hash(trie, node, q, reg);
    for (SharedPos p = shared_first(&cache->table, h); p.item;
         p = shared_next(h, p)) {
        const Walk *w = (const Walk *)(const void *)p.item;
        if (w->q == q && w->trie == trie && w->node == node && w->reg == reg)
            return w;
    }
    return NULL;
}

/* ---- building ---- */

void walkbuild_free(WalkBuild *b)
{
    vec_free(b->mem, &b->inside);
    vec_free(b->mem, &b->leaving);
}

static uint32_t place_rise(const WalkBuild *b, const MaskTrie *x,
                           uint32_t place, uint32_t rise)
{
    return x->rise && !walk_is_own(b->q) ? x->rise[place] : rise;
}

void walkbuild_inside(WalkBuild *b, const MaskTrie *x, uint32_t from,
                      uint32_t to, uint32_t rise)
{
    for (uint32_t p = from; p < to && !b->no_memory; p++)
        b->no_memory = !vec_push(
            b->mem, &b->inside,
            (WalkEntry){x->trie.ids[p], 0, place_rise(b, x, p, rise)});
}

void walkbuild_exit(WalkBuild *b, const MaskTrie *x, const TrieNode *node,
                    uint32_t depth, uint32_t rise)
{
    uint32_t from = trie_own_end(&x->trie, node);
    if (node->tok_end - from > b->max_leaving - b->leaving.count)
        b->leaks = true;
    if (b->leaks) return;
    for (uint32_t p = from; p < node->tok_end && !b->no_memory; p++) {
        WalkEntry e = {x->trie.ids[p], depth + (x->skip ? x->skip[p] : 0),
                       place_rise(b, x, p, rise)};
        b->no_memory = !vec_push(b->mem, &b->leaving, e);
    }
}

/* ---- frames without calls ---- */

typedef struct RegularLevel {
    ChildCursor children;
    State *q;
    uint32_t rise; /* copies complete */
} RegularLevel;

/* Where a byte leads in a frame without calls. False: nowhere. */
static bool regular_step(State *q, uint32_t rise, uint8_t byte, State **to,
                         uint32_t *to_rise, weir_status *status)
{
    uintptr_t cell = state_next(q, byte);
    if (!cell) {
        *status = network_error(q->frame->network).status;
        return false;
    }
    *to_rise = rise;
    if (CELL_IS_STATE(cell)) {
        *to = cell_state(cell);
        return true;
    }
    const Step *step = cell_step(cell);
    if (!step->count) return false;
    assert(step->count == 1 && !step->at[0].npush);
    *to = step->at[0].to;
    *to_rise += step->at[0].op.reg;
    return true;
}

/* A node was reached in state q. */
static void regular_reached(WalkBuild *b, const TrieNode *node, uint32_t depth,
                            const State *q, uint32_t rise)
{
    bool is_counted = q->frame->is_counted;
    bool between = !is_counted || q->is_loop;
    walkbuild_inside(b, b->trie, node->tok, trie_own_end(&b->trie->trie, node),
                     between ? rise : rise + 1);
    if (is_counted ? q->is_loop : q->accepts)
        walkbuild_exit(b, b->trie, node, depth, rise);
}

static void regular_run(WalkBuild *b, RegularLevel *levels, weir_status *status)
{
    const Trie *trie = &b->trie->trie;
    uint32_t depth = 0;
    levels[0].q = b->q;
    levels[0].rise = 0;
    children_begin(&levels[0].children, trie, b->node, &b->q->first);
    while (!*status && !b->leaks) {
        RegularLevel *level = &levels[depth];
        uint32_t child = children_next(&level->children, trie);
        if (!child) {
            if (!depth--) return;
            continue;
        }
        const TrieNode *n = &trie->nodes[child];
        RegularLevel *below = level + 1;
        if (!regular_step(level->q, level->rise, n->byte, &below->q,
                          &below->rise, status))
            continue;
        regular_reached(b, n, b->depth + depth + 1, below->q, below->rise);
        if (!n->nchildren || below->q->is_final) continue;
        children_begin(&below->children, trie, child, &below->q->first);
        depth++;
    }
}

void walk_regular(WalkBuild *b, weir_status *status)
{
    size_t nbytes = (b->trie->trie.depth + 2) * sizeof(RegularLevel);
    RegularLevel *levels = mem_new(b->mem, nbytes);
    if (levels) regular_run(b, levels, status);
    b->no_memory |= !levels;
    mem_free(b->mem, levels, nbytes);
}

/* ---- keeping ---- */

static void rise_bounds(const WalkEntry *at, uint32_t count, uint32_t *least,
                        uint32_t *most)
{
    *least = count ? UINT32_MAX : 0;
    *most = 0;
    for (uint32_t i = 0; i < count; i++) {
        *least = MIN(*least, at[i].rise);
        *most = MAX(*most, at[i].rise);
    }
}

static const uint32_t *bitmap_make(Arena *arena, const uint32_t *ids,
                                   uint32_t count, uint32_t nwords)
{
    uint32_t *row = arena_zero(arena, nwords * sizeof *row);
    for (uint32_t i = 0; row && i < count; i++)
        row[ids[i] / 32] |= 1u << (ids[i] % 32);
    return row;
}

static bool keep_inside(WalkCache *cache, Walk *w, const WalkBuild *b,
                        uint32_t nwords)
{
    uint32_t n = b->inside.count;
    uint32_t *ids = arena_array(&cache->arena, uint32_t, n + 1);
    uint32_t *rise = NULL;
    if (w->rise_kind != RISE_NONE)
        rise = arena_array(&cache->arena, uint32_t, n + 1);
    if (!ids || (w->rise_kind != RISE_NONE && !rise)) return false;
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = b->inside.at[i].id;
        if (rise) rise[i] = b->inside.at[i].rise;
    }
    rise_bounds(b->inside.at, n, &w->rise_min, &w->rise_max);
    w->inside = ids;
    w->rise = rise;
    w->ninside = n;
    if (n >= BITMAP_FROM)
        w->bitmap = bitmap_make(&cache->arena, ids, n, nwords);
    return n < BITMAP_FROM || w->bitmap;
}

/* The entries of a trie under construction, one block: the texts, then what
 * the trie's places keep. */
static MaskTrie *leaving_make(WalkCache *cache, const WalkBuild *b,
                              const TrieEntry *texts, RiseKind kind)
{
    uint32_t n = b->leaving.count;
    MaskTrie *x = arena_new(&cache->arena, MaskTrie);
    if (!x || !trie_build(&x->trie, &cache->arena, b->mem, texts, n))
        return NULL;
    uint32_t *skip = arena_array(&cache->arena, uint32_t, n);
    uint32_t *rise = kind ? arena_array(&cache->arena, uint32_t, n) : NULL;
    if (!skip || (kind && !rise)) return NULL;
    for (uint32_t p = 0; p < n; p++) {
        const WalkEntry *e = &b->leaving.at[x->trie.ids[p]];
        skip[p] = e->skip;
        if (rise) rise[p] = e->rise;
        x->trie.ids[p] = e->id;
    }
    x->skip = skip;
    x->rise = rise;
    rise_bounds(b->leaving.at, n, &x->rise_min, &x->rise_max);
    x->is_shared = cache->is_shared;
    x->serial = cache->table.count + 1;
    return x;
}

/* Texts carry the index of their entry in place of an id. */
static bool keep_leaving(WalkCache *cache, Walk *w, const WalkBuild *b)
{
    uint32_t n = b->leaving.count;
    if (!n || b->leaks) return true;
    TrieEntry *texts = mem_new(b->mem, n * sizeof *texts);
    if (!texts) return false;
    for (uint32_t i = 0; i < n; i++) {
        const WalkEntry *e = &b->leaving.at[i];
        Span text = vocab_bytes(b->vocab, e->id);
        texts[i] =
            (TrieEntry){span_of(text.at + e->skip, text.size - e->skip), i};
    }
    w->leaving = leaving_make(cache, b, texts, w->rise_kind);
    mem_free(b->mem, texts, n * sizeof *texts);
    return w->leaving != NULL;
}

static Walk *keep_new(WalkCache *cache, const WalkBuild *b, uint32_t nwords)
{
    Walk *w = arena_new(&cache->arena, Walk);
    if (!w) return NULL;
    w->item.hash = walk_hash(b->trie, b->node, b->q, b->reg);
    w->trie = b->trie;
    w->q = b->q;
    w->node = b->node;
    w->reg = b->reg;
    w->leaks = b->leaks;
    w->rise_kind = walk_is_own(b->q) ? RISE_OWN
                   : b->trie->rise   ? RISE_TRIE
                                     : RISE_NONE;
    if (b->leaks) return w;
    return keep_inside(cache, w, b, nwords) && keep_leaving(cache, w, b) ? w
                                                                         : NULL;
}

const Walk *walkcache_keep(WalkCache *cache, WalkBuild *b, uint32_t nwords)
{
    lock_take(&cache->lock);
    const Walk *w = walkcache_find(cache, b->trie, b->node, b->q, b->reg);
    if (!w) {
        Walk *made = keep_new(cache, b, nwords);
        if (made && shared_add(&cache->table, &cache->arena, &made->item))
            w = made;
        b->no_memory |= !w && !cache->arena.hit_limit;
    }
    lock_give(&cache->lock);
    return w;
}
