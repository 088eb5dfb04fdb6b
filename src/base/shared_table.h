/* shared_table.h: a hash table that threads read without a lock.
 *
 * Items begin with a SharedItem, never change and are never taken out. Finding
 * takes no lock and may miss an item that is being added; adding wants the
 * owner's lock, looks again, and publishes the item complete. When the table
 * grows the old one stays in the arena, so a reader never loses its ground.
 *
 *     for (p = shared_first(&t, h); p.item; p = shared_next(h, p))
 *         if (same(key, p.item)) return p.item;
 */
#ifndef WEIR_BASE_SHARED_TABLE_H
#define WEIR_BASE_SHARED_TABLE_H

#include "base/arena.h"
#include "base/thread.h"

typedef struct SharedItem {
    uint64_t hash;
} SharedItem;

typedef struct SharedSlots {
    uint32_t cap;
    _Atomic(SharedItem *) at[];
} SharedSlots;

typedef struct SharedTable {
    _Atomic(SharedSlots *) slots;
    uint32_t count; /* under the lock */
} SharedTable;

typedef struct SharedPos {
    SharedItem *item; /* NULL: no more */
    const SharedSlots *slots;
    uint32_t slot;
} SharedPos;

/* False: no memory. The table's memory is the arena's. */
bool shared_init(SharedTable *table, Arena *arena);
/* Under the lock. */
bool shared_add(SharedTable *table, Arena *arena, SharedItem *item);

static inline SharedPos shared_probe(const SharedSlots *slots, uint64_t hash,
                                     uint32_t slot)
{
    for (;; slot++) {
        slot &= slots->cap - 1;
        SharedItem *item =
            atomic_load_explicit(&slots->at[slot], memory_order_acquire);
        if (!item || item->hash == hash) return (SharedPos){item, slots, slot};
    }
}

static inline SharedPos shared_first(SharedTable *table, uint64_t hash)
{
    const SharedSlots *slots =
        atomic_load_explicit(&table->slots, memory_order_acquire);
    return shared_probe(slots, hash, (uint32_t)hash);
}

static inline SharedPos shared_next(uint64_t hash, SharedPos pos)
{
    return shared_probe(pos.slots, hash, pos.slot + 1);
}

#endif
