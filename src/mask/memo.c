/* memo.c: two tables over one arena: configurations -> mask, content -> mask.
 * When the arena's limit is met nothing more is kept; the grammar's next
 * matcher begins with a new memo (api/hub.c).
 * Tests: unit/mask_test.c, unit/limits_test.c, prop/threads_test.c.
 */
#include "mask/memo.h"

typedef struct MemoEntry {
    SharedItem item;
    Mask *mask;
    uint32_t nconfigs;
    Config configs[]; /* registers by class */
} MemoEntry;

bool maskmemo_init(MaskMemo *memo, const Mem *mem, size_t limit)
{
    *memo = (MaskMemo){.mem = mem};
    arena_init(&memo->arena, mem, limit);
    if (!shared_init(&memo->table, &memo->arena) ||
        !shared_init(&memo->masks, &memo->arena)) {
        arena_free(&memo->arena);
        memo->mem = NULL;
        return false;
    }
    lock_init(&memo->lock);
    return true;
}

void maskmemo_free(MaskMemo *memo)
{
    if (!memo->mem) return;
    arena_free(&memo->arena);
    lock_free(&memo->lock);
    memo->mem = NULL;
}

size_t maskmemo_bytes(MaskMemo *memo)
{
    lock_take(&memo->lock);
    size_t total = memo->arena.total;
    lock_give(&memo->lock);
    return total;
}

/* ---- finding ---- */

MaskKey mask_key(const ConfigSet *set, const uint32_t *regs)
{
    uint64_t h = set->list.count;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i];
        h = hash_mix(h ^ regs[i], (uintptr_t)c->q);
        h = hash_mix(h, c->stack ? c->stack->item.hash : 1);
    }
    return (MaskKey){set, regs, h};
}

static bool entry_is_for(const MemoEntry *e, const MaskKey *key)
{
    const ConfigSet *set = key->set;
    if (e->nconfigs != set->list.count) return false;
    for (uint32_t i = 0; i < e->nconfigs; i++) {
        const Config *a = &e->configs[i], *b = &set->list.at[i];
        if (a->q != b->q || a->stack != b->stack || a->reg != key->regs[i])
            return false;
    }
    return true;
}

Mask *memo_find(MaskMemo *memo, const MaskKey *key)
{
    for (SharedPos p = shared_first(&memo->table, key->hash); p.item;
         p = shared_next(key->hash, p)) {
        const MemoEntry *e = (const MemoEntry *)(const void *)p.item;
        if (entry_is_for(e, key)) return e->mask;
    }
    return NULL;
}

/* ---- keeping ---- */

static bool mask_is(const Mask *mask, const MaskText *text, uint32_t nwords)
{
    if (text->row) {
        const uint32_t *row =
            atomic_load_explicit(&mask->row, memory_order_relaxed);
        return row && !memcmp(row, text->row, nwords * sizeof *row);
    }
    if (mask->base != text->base || mask->nids != text->nids) return false;
    size_t nbytes = text->nids * sizeof *text->ids;
    return mask->ids && (!nbytes || !memcmp(mask->ids, text->ids, nbytes));
}

static Mask *mask_new(Arena *arena, const MaskText *text, uint32_t nwords)
{
    Mask *mask = arena_new(arena, Mask);
    const uint32_t *row = NULL;
    if (!mask) return NULL;
    mask->item.hash = text->hash;
    if (text->row) {
        row = arena_copy(arena, text->row, nwords * sizeof *row);
        if (!row) return NULL;
    } else {
        mask->base = text->base;
        mask->nids = text->nids;
        mask->ids =
            arena_copy(arena, text->ids, text->nids * sizeof *text->ids);
        if (!mask->ids) return NULL;
    }
    atomic_init(&mask->row, row);
    atomic_init(&mask->ending, NULL);
    atomic_init(&mask->visits, 0);
    return mask;
}

/* The mask with this content, kept now if it is new. */
static Mask *mask_of(MaskMemo *memo, const MaskText *text, uint32_t nwords)
{
    for (SharedPos p = shared_first(&memo->masks, text->hash); p.item;
         p = shared_next(text->hash, p)) {
        Mask *mask = (Mask *)(void *)p.item;
        if (mask_is(mask, text, nwords)) return mask;
    }
    Mask *mask = mask_new(&memo->arena, text, nwords);
    if (mask && !shared_add(&memo->masks, &memo->arena, &mask->item))
        return NULL;
    return mask;
}

static void entry_add(MaskMemo *memo, const MaskKey *key, Mask *mask)
{
    uint32_t n = key->set->list.count;
    MemoEntry *e = arena_alloc(&memo->arena, sizeof *e + n * sizeof(Config));
    if (!e) return;
    e->item.hash = key->hash;
    e->mask = mask;
    e->nconfigs = n;
    for (uint32_t i = 0; i < n; i++) {
        e->configs[i] = key->set->list.at[i];
        e->configs[i].reg = key->regs[i];
    }
    shared_add(&memo->table, &memo->arena, &e->item);
}

void memo_keep(MaskMemo *memo, const MaskKey *key, const MaskText *text,
               uint32_t nwords)
{
    lock_take(&memo->lock);
    if (!memo->arena.failed && !memo_find(memo, key)) {
        Mask *mask = mask_of(memo, text, nwords);
        if (mask) entry_add(memo, key, mask);
    }
    lock_give(&memo->lock);
}

/* ---- rows ---- */

void mask_write(const Mask *mask, uint32_t *row, uint32_t nwords)
{
    size_t nbytes = nwords * sizeof *row;
    const uint32_t *whole =
        atomic_load_explicit(&mask->row, memory_order_acquire);
    if (whole) {
        memcpy(row, whole, nbytes);
        return;
    }
    if (mask->base)
        memcpy(row, mask->base, nbytes);
    else
        memset(row, 0, nbytes);
    for (uint32_t i = 0; i < mask->nids; i++)
        row[mask->ids[i] / 32] |= 1u << (mask->ids[i] % 32);
}

/* The row in `slot`, which is of `mask`, made now if it is new; stops: NULL, or
 * tokens that it has besides. NULL: no room. */
static const uint32_t *row_in(MaskMemo *memo, const Mask *mask,
                              _Atomic(const uint32_t *) *slot, uint32_t nwords,
                              const MaskStops *stops)
{
    const uint32_t *row = atomic_load_explicit(slot, memory_order_acquire);
    if (row) return row;
    uint32_t *made = NULL;
    lock_take(&memo->lock);
    row = atomic_load_explicit(slot, memory_order_relaxed);
    if (!row && !memo->arena.failed)
        made = arena_alloc(&memo->arena, nwords * sizeof *made);
    if (made) {
        mask_write(mask, made, nwords);
        for (uint32_t i = 0; stops && i < stops->count; i++)
            if (stops->ids[i] < stops->width)
                made[stops->ids[i] / 32] |= 1u << (stops->ids[i] % 32);
        atomic_store_explicit(slot, made, memory_order_release);
        row = made;
    }
    lock_give(&memo->lock);
    return row;
}

const uint32_t *memo_promote(MaskMemo *memo, Mask *mask, uint32_t nwords)
{
    if (!mask->nids && mask->base) return mask->base;
    return row_in(memo, mask, &mask->row, nwords, NULL);
}

const uint32_t *memo_promote_ending(MaskMemo *memo, Mask *mask, uint32_t nwords,
                                    const MaskStops *stops)
{
    return row_in(memo, mask, &mask->ending, nwords, stops);
}
