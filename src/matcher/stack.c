/* stack.c: hash-consing of stack graphs, and their union.
 *
 * Lookup: by a content hash that is computed from the nodes below, so it costs
 * no walk; without a lock (base/shared_table.h).
 * Union: merge of the sorted entries; equal return points unite what is below
 * them, first and by a list of what is wanted (stacks are as deep as texts are
 * long), with a memo of the pairs of this step, so the cost is the number of
 * distinct pairs.
 * Tests: unit/matcher_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/stack.h"

bool stackhub_init(StackHub *hub, const Mem *mem, size_t limit)
{
    *hub = (StackHub){.mem = mem};
    arena_init(&hub->arena, mem, limit);
    if (!shared_init(&hub->table, &hub->arena)) {
        arena_free(&hub->arena);
        return false;
    }
    lock_init(&hub->lock);
    return true;
}

void stackhub_free(StackHub *hub)
{
    if (!hub->mem) return;
    arena_free(&hub->arena);
    lock_free(&hub->lock);
    hub->mem = NULL;
}

size_t stackhub_bytes(StackHub *hub)
{
    lock_take(&hub->lock);
    size_t total = hub->arena.total;
    lock_give(&hub->lock);
    return total;
}

bool stackhub_is_full(StackHub *hub)
{
    lock_take(&hub->lock);
    bool is_full = hub->arena.hit_limit;
    lock_give(&hub->lock);
    return is_full;
}

/* ---- nodes ---- */

static uint64_t entry_hash(uint64_t h, const StackEntry *e)
{
    h = h * 31 + (e->below ? e->below->item.hash : 1);
    return hash_mix(h, (uint64_t)(uintptr_t)e->ret ^ e->reg);
}

static uint64_t entries_hash(const StackEntry *at, uint32_t count, bool ends)
{
    uint64_t h = ends;
    for (uint32_t i = 0; i < count; i++) h = entry_hash(h, &at[i]);
    return h;
}

static bool entry_is(const StackEntry *a, const StackEntry *b)
{
    return a->ret == b->ret && a->reg == b->reg && a->below == b->below;
}

static bool node_is(const StackNode *node, uint64_t hash, const StackEntry *at,
                    uint32_t count, bool ends)
{
    if (node->item.hash != hash || node->count != count || node->ends != ends)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!entry_is(&node->at[i], &at[i])) return false;
    return true;
}

static StackNode *node_new(Arena *arena, uint64_t hash, const StackEntry *at,
                           uint32_t count, bool ends)
{
    StackNode *node = arena_alloc(arena, sizeof *node + count * sizeof *at);
    if (!node) return NULL;
    node->item.hash = hash;
    node->count = count;
    node->ends = ends;
    memcpy(node->at, at, count * sizeof *at);
    return node;
}

static const StackNode *hub_find(StackHub *hub, uint64_t hash,
                                 const StackEntry *at, uint32_t count,
                                 bool ends)
{
    for (SharedPos p = shared_first(&hub->table, hash); p.item;
         p = shared_next(hash, p)) {
        const StackNode *node = (const StackNode *)(const void *)p.item;
        if (node_is(node, hash, at, count, ends)) return node;
    }
    return NULL;
}

/* What a failure of this arena means. */
static void fail_arena(StackUser *user, const Arena *arena)
{
    if (!user->status)
        user->status = arena->hit_limit ? WEIR_LIMIT_MEMORY : WEIR_NO_MEMORY;
}

static const StackNode *hub_intern(StackUser *user, uint64_t hash,
                                   const StackEntry *at, uint32_t count,
                                   bool ends)
{
    StackHub *hub = user->hub;
    lock_take(&hub->lock);
    const StackNode *node = hub_find(hub, hash, at, count, ends);
    if (!node) {
        StackNode *made = node_new(&hub->arena, hash, at, count, ends);
        if (made && shared_add(&hub->table, &hub->arena, &made->item))
            node = made;
        else
            fail_arena(user, &hub->arena);
    }
    lock_give(&hub->lock);
    return node;
}

static const StackNode *scratch_intern(StackUser *user, uint64_t hash,
                                       const StackEntry *at, uint32_t count,
                                       bool ends)
{
    for (MapPos p = map_first(&user->index, hash); p.value != MAP_NONE;
         p = map_next(&user->index, hash, p))
        if (node_is(user->own.at[p.value], hash, at, count, ends))
            return user->own.at[p.value];
    const StackNode *node = node_new(&user->arena, hash, at, count, ends);
    if (node && vec_push(user->mem, &user->own, node)) {
        if (map_add(user->mem, &user->index, hash, user->own.count - 1))
            return node;
        user->own.count--;
    }
    fail_arena(user, &user->arena);
    return NULL;
}

/* hub_find for a single entry and no end, as most pushes are. */
static inline const StackNode *hub_find_one(StackHub *hub, uint64_t hash,
                                            StackEntry entry)
{
    for (SharedPos p = shared_first(&hub->table, hash); p.item;
         p = shared_next(hash, p)) {
        const StackNode *node = (const StackNode *)(const void *)p.item;
        if (entry_is(&node->at[0], &entry) && node->count == 1 && !node->ends)
            return node;
    }
    return NULL;
}

/* After the hub was found not to have it. */
static NOINLINE const StackNode *node_add(StackUser *user, uint64_t hash,
                                          const StackEntry *at, uint32_t count,
                                          bool ends)
{
    return user->to_scratch ? scratch_intern(user, hash, at, count, ends)
                            : hub_intern(user, hash, at, count, ends);
}

static const StackNode *node_intern(StackUser *user, const StackEntry *at,
                                    uint32_t count, bool ends)
{
    if (!count) return NULL;
    uint64_t hash = entries_hash(at, count, ends);
    const StackNode *node = hub_find(user->hub, hash, at, count, ends);
    return node ? node : node_add(user, hash, at, count, ends);
}

/* ---- users ---- */

void stackuser_init(StackUser *user, const Mem *mem, StackHub *hub,
                    bool to_scratch, size_t scratch)
{
    *user = (StackUser){.mem = mem, .hub = hub, .to_scratch = to_scratch};
    arena_init(&user->arena, mem, scratch);
}

void stackuser_free(StackUser *user)
{
    if (!user->mem) return;
    arena_free(&user->arena);
    map_free(user->mem, &user->index);
    map_free(user->mem, &user->pair_index);
    vec_free(user->mem, &user->own);
    vec_free(user->mem, &user->entries);
    vec_free(user->mem, &user->pairs);
    vec_free(user->mem, &user->wanted);
}

void stackuser_reset(StackUser *user)
{
    stack_forget_unions(user);
    if (!user->own.count) return;
    user->own.count = 0;
    map_clear(user->mem, &user->index);
    arena_reset(&user->arena);
}

void stack_forget_unions(StackUser *user)
{
    if (!user->pairs.count) return;
    user->pairs.count = 0;
    map_clear(user->mem, &user->pair_index);
}

const StackNode *stack_push(StackUser *user, const StackNode *below, State *ret,
                            uint32_t reg)
{
    StackEntry entry = {ret, below, reg};
    uint64_t hash = entries_hash(&entry, 1, false);
    const StackNode *node = hub_find_one(user->hub, hash, entry);
    return node ? node : node_add(user, hash, &entry, 1, false);
}

/* ---- union ---- */

static uint64_t pair_hash(const StackNode *a, const StackNode *b)
{
    return hash_mix((uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)b);
}

static const struct StackPair *pair_find(StackUser *user, const StackNode *a,
                                         const StackNode *b)
{
    uint64_t h = pair_hash(a, b);
    for (MapPos p = map_first(&user->pair_index, h); p.value != MAP_NONE;
         p = map_next(&user->pair_index, h, p)) {
        struct StackPair *pair = &user->pairs.at[p.value];
        if (pair->a == a && pair->b == b) return pair;
    }
    return NULL;
}

static void pair_store(StackUser *user, struct StackPair pair)
{
    if (!vec_push(user->mem, &user->pairs, pair) ||
        !map_add(user->mem, &user->pair_index, pair_hash(pair.a, pair.b),
                 user->pairs.count - 1))
        user->status = WEIR_NO_MEMORY;
}

static int entry_order(const StackEntry *x, const StackEntry *y)
{
    uintptr_t a = (uintptr_t)x->ret, b = (uintptr_t)y->ret;
    if (a != b) return a < b ? -1 : 1;
    return (x->reg > y->reg) - (x->reg < y->reg);
}

static bool entry_put(StackUser *user, StackEntry entry)
{
    if (!vec_push(user->mem, &user->entries, entry))
        user->status = WEIR_NO_MEMORY;
    return !user->status;
}

/* Smaller address first: a union is one whichever way it is asked for. */
static struct StackWant want_of(const StackNode *a, const StackNode *b)
{
    if ((uintptr_t)a > (uintptr_t)b) return (struct StackWant){b, a, false};
    return (struct StackWant){a, b, false};
}

/* The union if it is known; else it becomes wanted, and NULL is returned. */
static const StackNode *union_ask(StackUser *user, const StackNode *a,
                                  const StackNode *b)
{
    struct StackWant w = want_of(a, b);
    const struct StackPair *known = pair_find(user, w.a, w.b);
    if (known) return known->both;
    if (!vec_push(user->mem, &user->wanted, w)) user->status = WEIR_NO_MEMORY;
    return NULL;
}

/* Of what is below equal return points. */
static const StackNode *union_below(StackUser *user, const StackNode *a,
                                    const StackNode *b)
{
    return a == b ? a : union_ask(user, a, b);
}

/* Merges the entries of a and b onto user->entries. What is not known below
 * becomes wanted; then the merge is of no use. */
static void entries_merge(StackUser *user, const StackNode *a,
                          const StackNode *b)
{
    uint32_t na = a ? a->count : 0, nb = b ? b->count : 0;
    for (uint32_t i = 0, j = 0; i < na || j < nb;) {
        int order = i == na   ? 1
                    : j == nb ? -1
                              : entry_order(&a->at[i], &b->at[j]);
        StackEntry e = order <= 0 ? a->at[i] : b->at[j];
        if (!order) e.below = union_below(user, e.below, b->at[j].below);
        i += order <= 0;
        j += order >= 0;
        if (!entry_put(user, e)) return;
    }
}

static bool entry_covers(const StackEntry *a, const StackEntry *b)
{
    return a->ret == b->ret && a->below == b->below &&
           reg_covers(a->ret, a->reg, b->reg);
}

/* Drops merged entries whose register a neighbour's covers. */
static void entries_prune(StackUser *user)
{
    uint32_t kept = 0;
    StackEntry *at = user->entries.at;
    for (uint32_t i = 0; i < user->entries.count; i++) {
        if (at[i].ret->frame->is_counted) {
            if (kept && entry_covers(&at[kept - 1], &at[i])) continue;
            while (kept && entry_covers(&at[i], &at[kept - 1])) kept--;
        }
        at[kept++] = at[i];
    }
    user->entries.count = kept;
}

/* The entries of a copy of `node`: the union of a node of another hub with
 * itself. */
static void entries_copy(StackUser *user, const StackNode *node)
{
    for (uint32_t i = 0; i < node->count; i++) {
        StackEntry e = node->at[i];
        if (e.below) e.below = union_ask(user, e.below, e.below);
        if (!entry_put(user, e)) return;
    }
}

/* A union counts once, though it may be tried twice; a copy is no work of a
 * step. */
static void union_count(StackUser *user, struct StackWant *w)
{
    if (w->is_counted || w->a == w->b) return;
    w->is_counted = true;
    user->work += w->a ? w->a->count : 0;
    user->work += w->b ? w->b->count : 0;
    if (user->work > user->max_work) user->status = WEIR_LIMIT_WORK;
}

/* Makes the last of the wanted unions, unless it wants others first. */
static void union_make(StackUser *user)
{
    uint32_t before = user->wanted.count;
    struct StackWant w = user->wanted.at[before - 1];
    if (pair_find(user, w.a, w.b)) { /* wanted twice */
        user->wanted.count--;
        return;
    }
    union_count(user, &user->wanted.at[before - 1]);
    user->entries.count = 0;
    if (w.a == w.b)
        entries_copy(user, w.a);
    else
        entries_merge(user, w.a, w.b);
    if (user->status || user->wanted.count > before) return;
    entries_prune(user);
    bool ends = !w.a || !w.b || w.a->ends || w.b->ends;
    const StackNode *both =
        node_intern(user, user->entries.at, user->entries.count, ends);
    if (!user->status) pair_store(user, (struct StackPair){w.a, w.b, both});
    user->wanted.count--;
}

/* With all that it wants. */
static const StackNode *union_whole(StackUser *user, const StackNode *a,
                                    const StackNode *b)
{
    user->wanted.count = 0;
    const StackNode *both = union_ask(user, a, b);
    if (both) return both;
    while (user->wanted.count && !user->status) union_make(user);
    return user->status ? NULL : union_ask(user, a, b);
}

const StackNode *stack_union(StackUser *user, const StackNode *a,
                             const StackNode *b)
{
    if (a == b || user->status) return a;
    const StackNode *both = union_whole(user, a, b);
    return user->status ? a : both;
}

const StackNode *stack_copy(StackUser *user, const StackNode *node)
{
    if (!node || user->status) return NULL;
    return union_whole(user, node, node);
}
