/* walk.c: walks in the making, and keeping them.
 *
 * What leaves is noted as nodes of the trie that was walked, and becomes a trie
 * of its own when the walk is kept (leaving.c).
 * Tests: prop/masks_vs_oracle_test.c, unit/walk_test.c.
 */
#include "mask/walk.h"

enum {
    MAX_LEAVING = 16384, /* entries of a grammar's remainder trie */
    BITMAP_FROM = 1024,  /* ids from which on a whole row is worth it */
    SHARED_FROM = 64     /* the same in walks for all grammars */
};

bool walkcache_init(WalkCache *cache, const Mem *mem, WalkCache *shared,
                    size_t limit)
{
    *cache = (WalkCache){.mem = mem, .shared = shared, .is_shared = !shared};
    cache->max_leaving = shared ? MAX_LEAVING : UINT32_MAX;
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
    vec_free(cache->mem, &cache->tries);
    map_free(cache->mem, &cache->trie_index);
    vec_free(cache->mem, &cache->made);
    map_free(cache->mem, &cache->made_index);
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

static uint64_t walk_hash(const WalkKey *key)
{
    uint64_t h = hash_mix((uintptr_t)key->q,
                          (uint64_t)key->trie->serial << 32 | key->node);
    h = hash_mix(h, (uint64_t)key->is_local << 32 | key->reg);
    for (int i = 0; key->follow && i < 4; i++)
        h = hash_mix(h, key->follow->word[i]);
    return h;
}

static bool key_is(const WalkKey *a, const WalkKey *b)
{
    if (a->q != b->q || a->trie != b->trie || a->node != b->node ||
        a->reg != b->reg || a->is_local != b->is_local)
        return false;
    return a->follow && b->follow
               ? !memcmp(a->follow, b->follow, sizeof *a->follow)
               : a->follow == b->follow;
}

const Walk *walkcache_find(WalkCache *cache, const WalkKey *key)
{
    uint64_t h = walk_hash(key);
    for (SharedPos p = shared_first(&cache->table, h); p.item;
         p = shared_next(h, p)) {
        const Walk *w = (const Walk *)(const void *)p.item;
        if (key_is(&w->key, key)) return w;
    }
    return NULL;
}

/* ---- building ---- */

void walkbuild_free(WalkBuild *b)
{
    vec_free(b->mem, &b->ids);
    vec_free(b->mem, &b->rises);
    vec_free(b->mem, &b->exits);
    for (uint32_t i = 0; i < b->nuses; i++)
        mem_free(b->mem, b->uses[i].own,
                 b->covers->nwords * sizeof *b->uses[i].own);
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

void walkbuild_inside(WalkBuild *b, const MaskTrie *x, uint32_t from,
                      uint32_t to, uint32_t rise)
{
    if (from == to || !inside_reserve(b, to - from)) return;
    memcpy(b->ids.at + b->ids.count, x->trie.ids + from,
           (to - from) * sizeof *b->ids.at);
    b->ids.count += to - from;
    if (!b->has_rise) return;
    for (uint32_t p = from; p < to; p++)
        b->rises.at[b->rises.count++] = walkbuild_rise(b, x, p, rise);
}

void walkbuild_id(WalkBuild *b, uint32_t id, uint32_t rise)
{
    if (!inside_reserve(b, 1)) return;
    b->ids.at[b->ids.count++] = id;
    if (b->has_rise) b->rises.at[b->rises.count++] = rise;
}

/* Texts below the node that may follow, in number. */
static uint32_t count_below(const WalkBuild *b, const Trie *trie,
                            const TrieNode *node)
{
    uint32_t n = 0;
    if (!b->key.follow) return node->tok_end - trie_own_end(trie, node);
    for (uint32_t i = 0; i < node->nchildren; i++) {
        const TrieNode *child = &trie->nodes[node->child + i];
        if (byteset_has(b->key.follow, child->byte))
            n += child->tok_end - child->tok;
    }
    return n;
}

void walkbuild_exit(WalkBuild *b, const MaskTrie *x, const TrieNode *node,
                    uint32_t depth, uint32_t rise, RiseRange range)
{
    WalkExit e = {x, (uint32_t)(node - x->trie.nodes), depth, rise, range};
    if (!node->nchildren || !(node->below & b->follow_groups)) return;
    uint32_t n = count_below(b, &x->trie, node);
    if (!n || b->leaks) return;
    b->leaks = n > b->max_leaving - b->nleaving;
    b->nleaving += n;
    if (!b->leaks && !vec_push(b->mem, &b->exits, e)) b->no_memory = true;
}

void walkbuild_some(WalkBuild *b, const MaskTrie *x, uint32_t from, uint32_t to,
                    RiseRange range)
{
    if (b->has_rise || !x->rise) {
        walkbuild_inside(b, x, from, to, 0);
        return;
    }
    for (uint32_t p = from; p < to; p++)
        if (rise_in(range, x->rise[p])) walkbuild_id(b, x->trie.ids[p], 0);
}

void walkbuild_ids(WalkBuild *b, const uint32_t *row, uint32_t nwords)
{
    for (uint32_t w = 0; w < nwords; w++)
        for (uint32_t bits = row[w]; bits; bits &= bits - 1)
            walkbuild_id(b, w * 32 + bit_lowest(bits), 0);
}

void walkbuild_row(WalkBuild *b, const uint32_t *row, uint32_t nwords)
{
    assert(!b->has_rise);
    if (b->nuses < WALK_COVERS)
        b->uses[b->nuses++] = (CoverUse){.cover = {.row = row}};
    else
        walkbuild_ids(b, row, nwords);
}

/* ---- keeping ---- */

void rise_bounds(const uint32_t *rise, uint32_t count, uint32_t *least,
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
    for (uint32_t c = 0; row && c < w->ncovers; c++)
        for (uint32_t i = 0; i < nwords; i++) row[i] |= w->covers[c].row[i];
    for (uint32_t i = 0; row && i < w->ninside; i++)
        row[w->inside[i] / 32] |= 1u << (w->inside[i] % 32);
    return row;
}

static const uint32_t *row_copy(WalkCache *cache, const WalkBuild *b,
                                const uint32_t *row)
{
    return arena_copy(&cache->arena, row, b->covers->nwords * sizeof *row);
}

static bool keep_covers(WalkCache *cache, Walk *w, const WalkBuild *b)
{
    uint32_t n = b->nuses;
    WalkCover *covers = arena_array(&cache->arena, WalkCover, n);
    for (uint32_t i = 0; covers && i < n; i++) {
        covers[i] = b->uses[i].cover;
        if (b->uses[i].own) covers[i].row = row_copy(cache, b, b->uses[i].own);
        if (!covers[i].row) return false;
        if (!b->has_rise) continue;
        uint32_t rise = covers[i].rise, counts = covers[i].counts;
        w->rise_min = MIN(w->rise_min, rise + counts);
        w->rise_max = MAX(w->rise_max, rise + (counts ? covers[i].most : 0));
    }
    w->covers = covers;
    w->ncovers = n;
    return covers != NULL;
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
    if (b->nuses && !keep_covers(cache, w, b)) return false;
    uint32_t from = cache->is_shared ? SHARED_FROM : BITMAP_FROM;
    if (n >= from) w->bitmap = bitmap_make(&cache->arena, w, nwords);
    return n < from || w->bitmap;
}

static Walk *keep_new(WalkCache *cache, const WalkBuild *b, uint32_t nwords)
{
    Walk *w = arena_new(&cache->arena, Walk);
    if (!w) return NULL;
    w->item.hash = walk_hash(&b->key);
    w->key = b->key;
    w->leaks = b->leaks;
    w->rise_kind = walk_is_own(b->key.q) ? RISE_OWN
                   : b->key.trie->rise   ? RISE_TRIE
                                         : RISE_NONE;
    if (b->key.follow)
        w->key.follow =
            arena_copy(&cache->arena, b->key.follow, sizeof *b->key.follow);
    if (b->key.follow && !w->key.follow) return NULL;
    if (b->leaks) return w;
    bool ok =
        keep_inside(cache, w, b, nwords) && leaving_keep(cache, b, &w->leaving);
    return ok ? w : NULL;
}

/* About, with what leaves. */
static size_t walk_bytes(const Walk *w, uint32_t nwords)
{
    enum { REMAINDER = 48 };
    size_t total = sizeof *w + w->ninside * sizeof *w->inside;
    if (w->rise) total += w->ninside * sizeof *w->rise;
    if (w->bitmap) total += nwords * sizeof *w->bitmap;
    if (w->leaving) total += (size_t)w->leaving->trie.nids * REMAINDER;
    return total;
}

const Walk *walkcache_keep(WalkCache *cache, WalkBuild *b, uint32_t nwords)
{
    lock_take(&cache->lock);
    const Walk *w = walkcache_find(cache, &b->key);
    if (!w) {
        Walk *made = keep_new(cache, b, nwords);
        if (made && shared_add(&cache->table, &cache->arena, &made->item))
            w = made;
        if (w && cache->is_shared && walk_is_adopted(&b->key))
            atomic_fetch_add(&cache->adopted, walk_bytes(w, nwords));
        b->no_memory |= !w && !cache->arena.hit_limit;
    }
    lock_give(&cache->lock);
    return w;
}
