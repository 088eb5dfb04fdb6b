/* walk.c: keeping walks, and the walk of frames without calls.
 *
 * walk_regular follows one automaton state down the trie, depth first; at a
 * state that may return, everything below the node leaves as well. In a
 * counted frame the limits are ignored and the copies counted instead.
 *
 * Pruning, by the state's loop. While all that was read since the root are
 * units of q's loop, the cover has the tokens and a subtree is left alone
 * unless something below is an exit of the loop (or can follow it). Elsewhere
 * a subtree is taken whole if all below are units of the state's own loop.
 * Cost: 10 to 20 ns a visited node, of 270,000 for a vocabulary of 128,000
 * tokens; some thousands for a string, whose only exits are quote and escape.
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
                          uint32_t reg, const ByteSet *follow)
{
    uint64_t h = hash_mix((uintptr_t)q, (uint64_t)trie->serial << 32 | node);
    h = hash_mix(h, reg);
    for (int i = 0; follow && i < 4; i++) h = hash_mix(h, follow->word[i]);
    return h;
}

static bool follow_is(const ByteSet *a, const ByteSet *b)
{
    return a && b ? !memcmp(a, b, sizeof *a) : a == b;
}

const Walk *walkcache_find(WalkCache *cache, const MaskTrie *trie,
                           uint32_t node, State *q, uint32_t reg,
                           const ByteSet *follow)
{
    uint64_t h = walk_hash(trie, node, q, reg, follow);
    for (SharedPos p = shared_first(&cache->table, h); p.item;
         p = shared_next(h, p)) {
        const Walk *w = (const Walk *)(const void *)p.item;
        if (w->q == q && w->trie == trie && w->node == node && w->reg == reg &&
            follow_is(w->follow, follow))
            return w;
    }
    return NULL;
}

/* ---- building ---- */

void walkbuild_free(WalkBuild *b)
{
    vec_free(b->mem, &b->ids);
    vec_free(b->mem, &b->rises);
    vec_free(b->mem, &b->exits);
}

/* Room for `count` more ids. */
static bool inside_reserve(WalkBuild *b, uint32_t count)
{
    size_t need = (size_t)b->ids.count + count;
    if (!vec_reserve(b->mem, &b->ids, need) ||
        (b->has_rise && !vec_reserve(b->mem, &b->rises, need)))
        b->no_memory = true;
    return !b->no_memory;
}

static uint32_t place_rise(const WalkBuild *b, const MaskTrie *x,
                           uint32_t place, uint32_t rise)
{
    return x->rise && !walk_is_own(b->q) ? x->rise[place] : rise;
}

void walkbuild_inside(WalkBuild *b, const MaskTrie *x, uint32_t from,
                      uint32_t to, uint32_t rise)
{
    if (from == to || !inside_reserve(b, to - from)) return;
    memcpy(b->ids.at + b->ids.count, x->trie.ids + from,
           (to - from) * sizeof *b->ids.at);
    b->ids.count += to - from;
    if (!b->has_rise) return;
    for (uint32_t p = from; p < to; p++)
        b->rises.at[b->rises.count++] = place_rise(b, x, p, rise);
}

void walkbuild_id(WalkBuild *b, uint32_t id, uint32_t rise)
{
    if (!inside_reserve(b, 1)) return;
    b->ids.at[b->ids.count++] = id;
    if (b->has_rise) b->rises.at[b->rises.count++] = rise;
}

static void exit_add(WalkBuild *b, WalkExit e)
{
    if (e.from == e.to) return;
    if (e.to - e.from > b->max_leaving - b->nleaving) b->leaks = true;
    if (b->leaks) return;
    b->nleaving += e.to - e.from;
    if (!vec_push(b->mem, &b->exits, e)) b->no_memory = true;
}

void walkbuild_exit(WalkBuild *b, const MaskTrie *x, const TrieNode *node,
                    uint32_t depth, uint32_t rise)
{
    WalkExit e = {x, trie_own_end(&x->trie, node), node->tok_end, depth, rise};
    if (!b->follow) {
        exit_add(b, e);
        return;
    }
    for (uint32_t i = 0; i < node->nchildren; i++) {
        const TrieNode *child = &x->trie.nodes[node->child + i];
        if (!byteset_has(b->follow, child->byte)) continue;
        e.from = child->tok;
        e.to = child->tok_end;
        exit_add(b, e);
    }
}

/* ---- frames without calls ---- */

typedef struct RegularLevel {
    ChildCursor children;
    State *q;
    uint32_t rise;   /* copies complete */
    bool is_covered; /* all since the root are units of the cover */
    uint8_t left;    /* covered: bytes to the end of the character */
} RegularLevel;

typedef struct Regular {
    WalkBuild *b;
    RegularLevel *levels;
    ByteSet units; /* of the cover */
    uint64_t out;  /* groups for which a covered subtree is walked */
    weir_status status;
} Regular;

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

/* The node of level `at` was reached. */
static void regular_reached(WalkBuild *b, const TrieNode *node, uint32_t depth,
                            const RegularLevel *at)
{
    bool is_counted = at->q->frame->is_counted;
    bool between = !is_counted || at->q->is_loop;
    if (!at->is_covered)
        walkbuild_inside(b, b->trie, node->tok,
                         trie_own_end(&b->trie->trie, node),
                         between ? at->rise : at->rise + 1);
    if (is_counted ? at->q->is_loop : at->q->accepts)
        walkbuild_exit(b, b->trie, node, depth, at->rise);
}

static void cover_step(const Regular *r, const RegularLevel *from, uint8_t byte,
                       RegularLevel *to)
{
    to->is_covered =
        from->is_covered && (from->left || byteset_has(&r->units, byte));
    if (!to->is_covered) return;
    to->left = (uint8_t)(from->left ? from->left - 1u : rest_of(byte));
}

/* Places below the node, `depth` bytes above which were read, all inside: each
 * by its own number of copies, one a character. */
static void take_counted(WalkBuild *b, uint32_t from, uint32_t to,
                         uint32_t depth, uint32_t rise)
{
    const MaskTrie *x = b->trie;
    for (uint32_t p = from; p < to; p++) {
        Span text = vocab_bytes(b->vocab, x->trie.ids[p]);
        uint32_t n = 0;
        for (size_t i = depth + (x->skip ? x->skip[p] : 0); i < text.size; i++)
            n += (text.at[i] & 0xC0) != 0x80;
        walkbuild_inside(b, x, p, p + 1, rise + n);
    }
}

/* Takes all below the node if it is made of units of the state's loop. */
static bool take_subtree(WalkBuild *b, const TrieNode *node, uint32_t depth,
                         const RegularLevel *at)
{
    enum { WORTH = 4 };
    uint32_t from = trie_own_end(&b->trie->trie, node);
    if (at->is_covered || node->tok_end - from < WORTH) return false;
    const Loop *loop = loop_of(b->loops, b->mem, at->q);
    if (!loop->is_any || node->below & ~loop->in) return false;
    if (loop->may_return && (!b->follow || node->below & groups_of(b->follow)))
        return false;
    if (loop->counts)
        take_counted(b, from, node->tok_end, depth, at->rise);
    else
        walkbuild_inside(b, b->trie, from, node->tok_end,
                         at->q->frame->is_counted ? at->rise + 1 : at->rise);
    return true;
}

/* True if the walk goes on below the node of level `at`. */
static bool goes_below(const Regular *r, const TrieNode *node, uint32_t depth,
                       const RegularLevel *at)
{
    if (!node->nchildren || at->q->is_final) return false;
    if (at->is_covered) return node->below & r->out;
    return !take_subtree(r->b, node, depth, at);
}

static void regular_run(Regular *r)
{
    WalkBuild *b = r->b;
    const Trie *trie = &b->trie->trie;
    uint32_t depth = 0;
    children_begin(&r->levels[0].children, trie, b->node, &b->q->first);
    while (!r->status && !b->leaks && !b->no_memory) {
        RegularLevel *level = &r->levels[depth], *below = level + 1;
        uint32_t child = children_next(&level->children, trie);
        if (!child) {
            if (!depth--) return;
            continue;
        }
        const TrieNode *n = &trie->nodes[child];
        if (!regular_step(level->q, level->rise, n->byte, &below->q,
                          &below->rise, &r->status))
            continue;
        cover_step(r, level, n->byte, below);
        regular_reached(b, n, b->depth + depth + 1, below);
        if (!goes_below(r, n, b->depth + depth + 1, below)) continue;
        children_begin(&below->children, trie, child, &below->q->first);
        depth++;
    }
}

/* At the root of all tokens: what q loops over is known already. */
static void cover_begin(Regular *r)
{
    WalkBuild *b = r->b;
    if (b->node != TRIE_ROOT || b->trie->skip || !b->covers->mem) return;
    const Loop *loop = loop_of(b->loops, b->mem, b->q);
    if (!loop->is_any) return;
    if (loop->may_return && !b->follow) return; /* all of it leaves */
    b->cover = cover_find(b->covers, &loop->units);
    if (!b->cover) return;
    b->cover_counts = loop->counts;
    r->levels[0].is_covered = true;
    r->units = loop->units;
    r->out = loop->out;
    if (loop->may_return) r->out |= groups_of(b->follow);
}

void walk_regular(WalkBuild *b, weir_status *status)
{
    size_t nbytes = (b->trie->trie.depth + 2) * sizeof(RegularLevel);
    Regular r = {.b = b, .levels = mem_new(b->mem, nbytes)};
    if (r.levels) {
        r.levels[0] = (RegularLevel){.q = b->q};
        cover_begin(&r);
        regular_run(&r);
    }
    *status = r.status;
    b->no_memory |= !r.levels;
    mem_free(b->mem, r.levels, nbytes);
}

/* ---- keeping ---- */

static void rise_bounds(const uint32_t *rise, uint32_t count, uint32_t *least,
                        uint32_t *most)
{
    *least = count ? UINT32_MAX : 0;
    *most = 0;
    for (uint32_t i = 0; i < count; i++) {
        *least = MIN(*least, rise[i]);
        *most = MAX(*most, rise[i]);
    }
}

static const uint32_t *bitmap_make(Arena *arena, const Walk *w, uint32_t nwords)
{
    uint32_t *row = arena_zero(arena, nwords * sizeof *row);
    if (row && w->cover) memcpy(row, w->cover->row, nwords * sizeof *row);
    for (uint32_t i = 0; row && i < w->ninside; i++)
        row[w->inside[i] / 32] |= 1u << (w->inside[i] % 32);
    return row;
}

static bool keep_inside(WalkCache *cache, Walk *w, const WalkBuild *b,
                        uint32_t nwords)
{
    uint32_t n = b->ids.count;
    w->ninside = n;
    w->inside = arena_copy(&cache->arena, b->ids.at, n * sizeof *b->ids.at);
    if (b->has_rise)
        w->rise =
            arena_copy(&cache->arena, b->rises.at, n * sizeof *b->rises.at);
    if (!w->inside || (b->has_rise && !w->rise)) return false;
    if (b->has_rise) rise_bounds(w->rise, n, &w->rise_min, &w->rise_max);
    w->cover = b->cover;
    w->cover_counts = b->cover_counts;
    if (w->cover && b->has_rise) {
        w->rise_min = MIN(w->rise_min, 1);
        w->rise_max =
            MAX(w->rise_max, b->cover_counts ? b->covers->longest : 1);
    }
    if (n >= BITMAP_FROM) w->bitmap = bitmap_make(&cache->arena, w, nwords);
    return n < BITMAP_FROM || w->bitmap;
}

/* The entries of a remainder trie in the making. */
typedef struct Leaving {
    TrieEntry *texts; /* with the index of the entry in place of an id */
    uint32_t *ids, *skip, *rise;
    uint32_t count;
} Leaving;

static void leaving_add(Leaving *l, const WalkBuild *b, const WalkExit *e)
{
    const MaskTrie *x = e->x;
    for (uint32_t p = e->from; p < e->to; p++) {
        uint32_t i = l->count++, id = x->trie.ids[p];
        uint32_t skip = e->depth + (x->skip ? x->skip[p] : 0);
        Span text = vocab_bytes(b->vocab, id);
        l->texts[i] = (TrieEntry){span_of(text.at + skip, text.size - skip), i};
        l->ids[i] = id;
        l->skip[i] = skip;
        l->rise[i] = place_rise(b, x, p, e->rise);
    }
}

static bool leaving_begin(Leaving *l, const WalkBuild *b)
{
    uint32_t n = b->nleaving;
    *l = (Leaving){.texts = mem_new(b->mem, n * sizeof *l->texts),
                   .ids = mem_new(b->mem, 3 * n * sizeof *l->ids)};
    if (!l->texts || !l->ids) return false;
    l->skip = l->ids + n;
    l->rise = l->skip + n;
    for (uint32_t i = 0; i < b->exits.count; i++)
        leaving_add(l, b, &b->exits.at[i]);
    assert(l->count == n);
    return true;
}

static void leaving_end(Leaving *l, const WalkBuild *b)
{
    mem_free(b->mem, l->texts, b->nleaving * sizeof *l->texts);
    mem_free(b->mem, l->ids, 3 * b->nleaving * sizeof *l->ids);
}

static MaskTrie *leaving_make(WalkCache *cache, const WalkBuild *b,
                              const Leaving *l)
{
    MaskTrie *x = arena_new(&cache->arena, MaskTrie);
    if (!x || !trie_build(&x->trie, &cache->arena, b->mem, l->texts, l->count))
        return NULL;
    uint32_t n = l->count;
    uint32_t *skip = arena_array(&cache->arena, uint32_t, n);
    uint32_t *rise = NULL;
    if (b->has_rise) rise = arena_array(&cache->arena, uint32_t, n);
    if (!skip || (b->has_rise && !rise)) return NULL;
    for (uint32_t p = 0; p < n; p++) {
        uint32_t i = x->trie.ids[p];
        skip[p] = l->skip[i];
        if (rise) rise[p] = l->rise[i];
        x->trie.ids[p] = l->ids[i];
    }
    x->skip = skip;
    x->rise = rise;
    if (rise) rise_bounds(rise, n, &x->rise_min, &x->rise_max);
    x->is_shared = cache->is_shared;
    x->serial = cache->table.count + 1;
    return x;
}

static bool keep_leaving(WalkCache *cache, Walk *w, const WalkBuild *b)
{
    Leaving l;
    if (!b->nleaving) return true;
    if (leaving_begin(&l, b)) w->leaving = leaving_make(cache, b, &l);
    leaving_end(&l, b);
    return w->leaving != NULL;
}

static Walk *keep_new(WalkCache *cache, const WalkBuild *b, uint32_t nwords)
{
    Walk *w = arena_new(&cache->arena, Walk);
    if (!w) return NULL;
    w->item.hash = walk_hash(b->trie, b->node, b->q, b->reg, b->follow);
    w->trie = b->trie;
    w->q = b->q;
    w->node = b->node;
    w->reg = b->reg;
    w->leaks = b->leaks;
    w->rise_kind = walk_is_own(b->q) ? RISE_OWN
                   : b->trie->rise   ? RISE_TRIE
                                     : RISE_NONE;
    if (b->follow)
        w->follow = arena_copy(&cache->arena, b->follow, sizeof *b->follow);
    if (b->follow && !w->follow) return NULL;
    if (b->leaks) return w;
    return keep_inside(cache, w, b, nwords) && keep_leaving(cache, w, b) ? w
                                                                         : NULL;
}

const Walk *walkcache_keep(WalkCache *cache, WalkBuild *b, uint32_t nwords)
{
    lock_take(&cache->lock);
    const Walk *w =
        walkcache_find(cache, b->trie, b->node, b->q, b->reg, b->follow);
    if (!w) {
        Walk *made = keep_new(cache, b, nwords);
        if (made && shared_add(&cache->table, &cache->arena, &made->item))
            w = made;
        b->no_memory |= !w && !cache->arena.hit_limit;
    }
    lock_give(&cache->lock);
    return w;
}
