/* ir_list.c: list specifications as values: equality, hash, order, copies.
 *
 * A list has arrays of its own, so that it is kept apart from the pools, as
 * automata are. Kinds keep the order they were given in.
 * Cost: linear in the size of the lists.   Tests: unit/ir_test.c.
 */
#include "syntax/ir_list.h"

bool list_same(const ListSpec *x, const ListSpec *y)
{
    NodeId left, right;
    return !list_order(x, y) && !list_difference(x, y, &left, &right);
}

bool list_difference(const ListSpec *x, const ListSpec *y, NodeId *left,
                     NodeId *right)
{
    *left = x->separator;
    *right = y->separator;
    for (uint32_t i = 0; *left == *right && i < x->nkinds; i++) {
        *left = x->kinds[i].head;
        *right = y->kinds[i].head;
        if (*left != *right) break;
        *left = x->kinds[i].tail;
        *right = y->kinds[i].tail;
    }
    return *left != *right;
}

static uint64_t hash_id(uint64_t h, NodeId node, const uint64_t *node_hash)
{
    return hash_mix(h, node_hash ? node_hash[node] : node);
}

uint64_t list_hash(uint64_t h, const ListSpec *list, const uint64_t *node_hash)
{
    h = hash_id(hash_mix(h, list->is_contiguous), list->separator, node_hash);
    h = hash_mix(h, (uint64_t)list->nkinds << 32 | list->ncounters);
    h = hash_mix(h, list->nneeds);
    for (uint32_t i = 0; i < list->nkinds; i++) {
        const ListKind *k = &list->kinds[i];
        h = hash_id(hash_id(h, k->head, node_hash), k->tail, node_hash);
        h = hash_mix(h, (uint64_t)k->order << 32 | k->unique);
        h = hash_bytes(hash_mix(h, k->ncounters), k->counters,
                       k->ncounters * sizeof *k->counters);
    }
    h = hash_bytes(h, list->counters, list->ncounters * sizeof(ListCounter));
    for (uint32_t i = 0; i < list->nneeds; i++) {
        const ListNeed *n = &list->needs[i];
        h = hash_bytes(hash_mix(h, (uint64_t)n->nwhen << 32 | n->then), n->when,
                       n->nwhen * sizeof *n->when);
    }
    return h;
}

/* ---- order ---- */

static int order_words(const uint32_t *x, const uint32_t *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int order_kinds(const ListKind *x, const ListKind *y)
{
    const uint32_t a[] = {x->order, x->unique, x->ncounters};
    const uint32_t b[] = {y->order, y->unique, y->ncounters};
    int c = order_words(a, b, COUNT_OF(a));
    return c ? c : order_words(x->counters, y->counters, x->ncounters);
}

static int order_needs(const ListNeed *x, const ListNeed *y)
{
    const uint32_t a[] = {x->nwhen, x->then}, b[] = {y->nwhen, y->then};
    int c = order_words(a, b, COUNT_OF(a));
    return c ? c : order_words(x->when, y->when, x->nwhen);
}

static int order_sizes(const ListSpec *x, const ListSpec *y)
{
    const uint32_t a[] = {x->is_contiguous, x->nkinds, x->ncounters, x->nneeds};
    const uint32_t b[] = {y->is_contiguous, y->nkinds, y->ncounters, y->nneeds};
    return order_words(a, b, COUNT_OF(a));
}

int list_order(const ListSpec *x, const ListSpec *y)
{
    int c = order_sizes(x, y);
    for (uint32_t i = 0; !c && i < x->nkinds; i++)
        c = order_kinds(&x->kinds[i], &y->kinds[i]);
    for (uint32_t i = 0; !c && i < x->ncounters; i++)
        c = order_words(&x->counters[i].lo, &y->counters[i].lo, 1);
    for (uint32_t i = 0; !c && i < x->ncounters; i++)
        c = order_words(&x->counters[i].hi, &y->counters[i].hi, 1);
    for (uint32_t i = 0; !c && i < x->nneeds; i++)
        c = order_needs(&x->needs[i], &y->needs[i]);
    return c;
}

/* ---- copies ---- */

static bool are_below(const uint32_t *counters, uint32_t count, uint32_t bound)
{
    for (uint32_t i = 0; i < count; i++)
        if (counters[i] >= bound) return false;
    return true;
}

bool list_check(const ListSpec *list)
{
    bool ok = true;
    for (uint32_t i = 0; i < list->nkinds; i++) {
        const ListKind *k = &list->kinds[i];
        ok &= are_below(k->counters, k->ncounters, list->ncounters);
    }
    for (uint32_t i = 0; i < list->nneeds; i++) {
        const ListNeed *n = &list->needs[i];
        ok &= n->nwhen && n->then < list->ncounters &&
              are_below(n->when, n->nwhen, list->ncounters);
    }
    return ok;
}

static bool copy_kinds(Arena *arena, ListSpec *list)
{
    size_t ncounters = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->nkinds; i++)
        ncounters += list->kinds[i].ncounters;
    ListKind *kinds = arena_array(arena, ListKind, list->nkinds + 1);
    uint32_t *counters = arena_array(arena, uint32_t, ncounters + 1);
    if (!kinds || !counters) return false;
    for (uint32_t i = 0; i < list->nkinds; i++) {
        ListKind k = list->kinds[i];
        if (k.head == NODE_NEVER_ID || k.tail == NODE_NEVER_ID) continue;
        if (k.ncounters)
            memcpy(counters, k.counters, k.ncounters * sizeof *counters);
        k.counters = counters;
        counters += k.ncounters;
        kinds[kept++] = k;
    }
    list->kinds = kinds;
    list->nkinds = kept;
    return true;
}

static bool copy_needs(Arena *arena, ListSpec *list)
{
    ListNeed *needs = arena_array(arena, ListNeed, list->nneeds + 1);
    for (uint32_t i = 0; needs && i < list->nneeds; i++) {
        ListNeed n = list->needs[i];
        n.when = arena_copy(arena, n.when, n.nwhen * sizeof *n.when);
        needs[i] = n;
    }
    list->needs = needs;
    return !arena->failed;
}

bool list_copy(Arena *arena, ListSpec *list)
{
    list->counters = arena_copy(arena, list->counters,
                                list->ncounters * sizeof(ListCounter));
    return copy_kinds(arena, list) && copy_needs(arena, list);
}
