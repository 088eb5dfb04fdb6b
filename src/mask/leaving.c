/* leaving.c: from the exits of a walk to the trie of what is left to read.
 *
 * The exits are nodes of tries, so the remainders below them are merged
 * without a look at their texts (vocab/trie_merge.c). Only when some of them
 * do not count, by their number of copies, are the rest sorted by their texts.
 * A trie with the same content as a kept one is that one: states that differ
 * in what they read but not in how they end (digits of a number) share it, and
 * with it the walks of what follows. The same exits need not be merged again.
 * Where they are nodes of the vocabulary's tries nothing of the grammar is in
 * what leaves: then the vocabulary keeps it, as long as it has few of them.
 * Tests: unit/walk_test.c, prop/masks_vs_oracle_test.c.
 */
#include "mask/walk.h"

/* A trie in the making, not in the cache yet. */
typedef struct Leaving {
    const WalkBuild *b;
    TrieMerge merge;
    Arena arena; /* of a trie with some left out */
    Trie trie;   /* that one, or the merged one */
    uint32_t count;
    uint32_t *skip, *rise; /* by place; one block, of `count` each */
} Leaving;

static bool places_new(Leaving *l, uint32_t count)
{
    l->count = count;
    l->skip = mem_new(l->b->mem, 2 * ((size_t)count + 1) * sizeof *l->skip);
    l->rise = l->skip + count;
    return l->skip != NULL;
}

/* Place i of the trie comes from place p of the exit's. */
static void place_set(Leaving *l, uint32_t i, const WalkExit *e, uint32_t p)
{
    l->skip[i] = e->depth + (e->x->skip ? e->x->skip[p] : 0);
    l->rise[i] = walkbuild_rise(l->b, e->x, p, e->rise);
}

/* ---- all below the exits ---- */

static bool merge_exits(Leaving *l)
{
    const WalkBuild *b = l->b;
    uint32_t n = b->exits.count;
    TriePart *parts = mem_new(b->mem, n * sizeof *parts);
    if (!parts) return false;
    for (uint32_t i = 0; i < n; i++)
        parts[i] = (TriePart){&b->exits.at[i].x->trie, b->exits.at[i].node};
    bool ok = trie_merge(&l->merge, b->mem, parts, n,
                         b->key.follow ? b->key.follow->word : NULL);
    mem_free(b->mem, parts, n * sizeof *parts);
    if (!ok || !places_new(l, l->merge.trie.nids)) return false;
    for (uint32_t i = 0; i < l->count; i++)
        place_set(l, i, &b->exits.at[l->merge.part[i]], l->merge.place[i]);
    return true;
}

/* ---- some of them ---- */

static bool exit_counts(const WalkBuild *b, const WalkExit *e, uint32_t place)
{
    return b->has_rise || !e->x->rise || rise_in(e->range, e->x->rise[place]);
}

/* True if all places of all exits count. */
static bool all_count(const WalkBuild *b)
{
    for (uint32_t i = 0; !b->has_rise && i < b->exits.count; i++) {
        const WalkExit *e = &b->exits.at[i];
        if (e->x->rise &&
            (e->range.lo > e->x->rise_min || e->x->rise_max > e->range.hi))
            return false;
    }
    return true;
}

/* The remainders that count, each with its place for an id; their number. */
static uint32_t texts_that_count(const Leaving *l, TrieEntry *texts)
{
    uint32_t n = 0;
    const TrieMerge *m = &l->merge;
    for (uint32_t i = 0; i < l->count; i++) {
        const WalkExit *e = &l->b->exits.at[m->part[i]];
        if (!exit_counts(l->b, e, m->place[i])) continue;
        Span text = vocab_bytes(l->b->vocab, m->trie.ids[i]);
        texts[n++] = (TrieEntry){
            span_of(text.at + l->skip[i], text.size - l->skip[i]), i};
    }
    return n;
}

/* Replaces the trie by one of the remainders that count. */
static bool drop_others(Leaving *l)
{
    const Mem *mem = l->b->mem;
    uint32_t n = l->count;
    TrieEntry *texts = mem_new(mem, n * sizeof *texts);
    uint32_t *ids = mem_new(mem, 3 * (size_t)n * sizeof *ids);
    uint32_t count = texts && ids ? texts_that_count(l, texts) : 0;
    bool ok =
        texts && ids && trie_build(&l->trie, &l->arena, mem, texts, count);
    if (ok) {
        memcpy(ids, l->merge.trie.ids, n * sizeof *ids);
        memcpy(ids + n, l->skip, n * sizeof *ids);
        memcpy(ids + 2 * n, l->rise, n * sizeof *ids);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t from = l->trie.ids[i];
            l->trie.ids[i] = ids[from];
            l->skip[i] = ids[n + from];
            l->rise[i] = ids[2 * n + from];
        }
    }
    mem_free(mem, texts, n * sizeof *texts);
    mem_free(mem, ids, 3 * (size_t)n * sizeof *ids);
    return ok;
}

/* ---- keeping ---- */

static uint64_t content_hash(const Leaving *l)
{
    size_t nbytes = l->trie.nids * sizeof(uint32_t);
    uint64_t h = hash_bytes(l->b->has_rise, l->trie.ids, nbytes);
    h = hash_bytes(h, l->skip, nbytes);
    return l->b->has_rise ? hash_bytes(h, l->rise, nbytes) : h;
}

static bool content_is(const Leaving *l, const MaskTrie *x)
{
    size_t nbytes = l->trie.nids * sizeof(uint32_t);
    return l->trie.nids == x->trie.nids && l->b->has_rise == !!x->rise &&
           !memcmp(l->trie.ids, x->trie.ids, nbytes) &&
           !memcmp(l->skip, x->skip, nbytes) &&
           (!x->rise || !memcmp(l->rise, x->rise, nbytes));
}

static const MaskTrie *trie_find(WalkCache *cache, const Leaving *l,
                                 uint64_t hash)
{
    for (MapPos p = map_first(&cache->trie_index, hash); p.value != MAP_NONE;
         p = map_next(&cache->trie_index, hash, p))
        if (content_is(l, cache->tries.at[p.value]))
            return cache->tries.at[p.value];
    return NULL;
}

static MaskTrie *trie_copy(WalkCache *cache, const Leaving *l)
{
    Arena *arena = &cache->arena;
    uint32_t n = l->trie.nids;
    MaskTrie *x = arena_new(arena, MaskTrie);
    if (!x || !trie_copy_to(&x->trie, &l->trie, arena)) return NULL;
    x->skip = arena_copy(arena, l->skip, n * sizeof *x->skip);
    if (!x->skip) return NULL;
    if (l->b->has_rise) {
        uint32_t *rise = arena_copy(arena, l->rise, n * sizeof *rise);
        if (!rise) return NULL;
        rise_bounds(rise, n, &x->rise_min, &x->rise_max);
        x->rise = rise;
    }
    x->is_shared = cache->is_shared;
    x->serial = cache->tries.count + 1;
    return x;
}

static const MaskTrie *trie_keep(WalkCache *cache, const Leaving *l)
{
    uint64_t hash = content_hash(l);
    const MaskTrie *known = trie_find(cache, l, hash);
    if (known) return known;
    if (!vec_reserve(cache->mem, &cache->tries, cache->tries.count + 1u) ||
        !map_reserve(cache->mem, &cache->trie_index, cache->tries.count + 1))
        return NULL;
    MaskTrie *x = trie_copy(cache, l);
    if (!x ||
        !map_add(cache->mem, &cache->trie_index, hash, cache->tries.count))
        return NULL;
    cache->tries.at[cache->tries.count++] = x;
    return x;
}

/* ---- the same exits ---- */

enum {
    MOST_TAKEN_IN = 1 << 15, /* entries that a vocabulary keeps for grammars */
    MOST_OF_ONE = 1 << 11    /* of one walk */
};

/* What a trie was made of. */
typedef struct LeavingOf {
    const MaskTrie *trie; /* NULL: nothing that counts */
    bool has_rise, is_own, has_follow;
    ByteSet follow;
    uint32_t count;
    WalkExit exits[];
} LeavingOf;

static uint64_t exits_hash(const WalkBuild *b)
{
    uint64_t h = b->exits.count;
    for (uint32_t i = 0; i < b->exits.count; i++) {
        const WalkExit *e = &b->exits.at[i];
        h = hash_mix(h ^ e->node, (uintptr_t)e->x);
        h = hash_mix(h ^ e->rise, e->depth);
    }
    return h;
}

static bool exit_same(const WalkExit *a, const WalkExit *b)
{
    return a->x == b->x && a->node == b->node && a->depth == b->depth &&
           a->rise == b->rise && a->range.lo == b->range.lo &&
           a->range.hi == b->range.hi;
}

static bool made_is_of(const LeavingOf *made, const WalkBuild *b)
{
    const ByteSet *follow = b->key.follow;
    if (made->count != b->exits.count || made->has_rise != b->has_rise ||
        made->is_own != walk_is_own(b->key.q) || made->has_follow != !!follow ||
        (follow && memcmp(&made->follow, follow, sizeof *follow) != 0))
        return false;
    for (uint32_t i = 0; i < made->count; i++)
        if (!exit_same(&made->exits[i], &b->exits.at[i])) return false;
    return true;
}

static const LeavingOf *made_find(WalkCache *cache, const WalkBuild *b,
                                  uint64_t hash)
{
    for (MapPos p = map_first(&cache->made_index, hash); p.value != MAP_NONE;
         p = map_next(&cache->made_index, hash, p))
        if (made_is_of(cache->made.at[p.value], b))
            return cache->made.at[p.value];
    return NULL;
}

static bool made_add(WalkCache *cache, const WalkBuild *b, uint64_t hash,
                     const MaskTrie *trie)
{
    uint32_t n = b->exits.count;
    LeavingOf *made =
        arena_alloc(&cache->arena, sizeof *made + n * sizeof *made->exits);
    if (!made) return false;
    *made = (LeavingOf){.trie = trie,
                        .has_rise = b->has_rise,
                        .is_own = walk_is_own(b->key.q),
                        .has_follow = b->key.follow != NULL,
                        .count = n};
    if (b->key.follow) made->follow = *b->key.follow;
    memcpy(made->exits, b->exits.at, n * sizeof *made->exits);
    return vec_push(cache->mem, &cache->made, made) &&
           map_add(cache->mem, &cache->made_index, hash, cache->made.count - 1);
}

/* Under the cache's lock. */
static bool leaving_make(WalkCache *cache, const WalkBuild *b,
                         const MaskTrie **out)
{
    Leaving l = {.b = b};
    arena_init(&l.arena, b->mem, 0);
    bool ok = merge_exits(&l);
    if (ok) l.trie = l.merge.trie;
    if (ok && !all_count(b)) ok = drop_others(&l);
    if (ok && l.trie.nids) ok = (*out = trie_keep(cache, &l)) != NULL;
    trie_merge_free(&l.merge);
    mem_free(b->mem, l.skip, 2 * ((size_t)l.count + 1) * sizeof *l.skip);
    arena_free(&l.arena);
    return ok;
}

/* Found, or made if there is no more than `room` for it. */
static bool leaving_in(WalkCache *cache, const WalkBuild *b, uint64_t hash,
                       uint32_t room, const MaskTrie **out)
{
    const LeavingOf *made = made_find(cache, b, hash);
    if (made) *out = made->trie;
    if (made) return true;
    if (b->nleaving > room) return false;
    return leaving_make(cache, b, out) && made_add(cache, b, hash, *out);
}

static bool exits_are_shared(const WalkBuild *b)
{
    for (uint32_t i = 0; i < b->exits.count; i++)
        if (!b->exits.at[i].x->is_shared) return false;
    return b->nleaving <= MOST_OF_ONE;
}

/* By the vocabulary; false: it does not. */
static bool leaving_hand_over(WalkCache *shared, const WalkBuild *b,
                              uint64_t hash, const MaskTrie **out)
{
    lock_take(&shared->lock);
    uint32_t before = shared->made.count;
    uint32_t room = MOST_TAKEN_IN - MIN(shared->taken_in, MOST_TAKEN_IN);
    bool ok = leaving_in(shared, b, hash, room, out);
    if (shared->made.count > before) shared->taken_in += b->nleaving;
    lock_give(&shared->lock);
    return ok;
}

bool leaving_keep(WalkCache *cache, const WalkBuild *b, const MaskTrie **out)
{
    *out = NULL;
    if (!b->exits.count) return true;
    uint64_t hash = exits_hash(b);
    if (cache->shared && exits_are_shared(b) &&
        leaving_hand_over(cache->shared, b, hash, out))
        return true;
    return leaving_in(cache, b, hash, UINT32_MAX, out);
}
