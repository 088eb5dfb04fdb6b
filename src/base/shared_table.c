/* shared_table.c: growing and adding; at most half full, linear probing.
 * Tests: unit/shared_table_test.c, prop/threads_test.c. */
#include "base/shared_table.h"

enum { FIRST_CAP = 16 };

static SharedSlots *slots_new(Arena *arena, uint32_t cap)
{
    SharedSlots *slots =
        arena_zero(arena, sizeof *slots + cap * sizeof slots->at[0]);
    if (slots) slots->cap = cap;
    return slots;
}

bool shared_init(SharedTable *table, Arena *arena)
{
    SharedSlots *slots = slots_new(arena, FIRST_CAP);
    atomic_init(&table->slots, slots);
    table->count = 0;
    return slots != NULL;
}

static void slots_put(SharedSlots *slots, SharedItem *item)
{
    uint32_t i = (uint32_t)item->hash & (slots->cap - 1);
    while (atomic_load_explicit(&slots->at[i], memory_order_relaxed))
        i = (i + 1) & (slots->cap - 1);
    atomic_store_explicit(&slots->at[i], item, memory_order_release);
}

static SharedSlots *slots_grow(SharedTable *table, Arena *arena,
                               const SharedSlots *old)
{
    SharedSlots *grown = slots_new(arena, old->cap * 2);
    if (!grown) return NULL;
    for (uint32_t i = 0; i < old->cap; i++) {
        SharedItem *item =
            atomic_load_explicit(&old->at[i], memory_order_relaxed);
        if (item) slots_put(grown, item);
    }
    atomic_store_explicit(&table->slots, grown, memory_order_release);
    return grown;
}

bool shared_add(SharedTable *table, Arena *arena, SharedItem *item)
{
    SharedSlots *slots =
        atomic_load_explicit(&table->slots, memory_order_relaxed);
    if (table->count >= slots->cap / 2) slots = slots_grow(table, arena, slots);
    if (!slots) return false;
    slots_put(slots, item);
    table->count++;
    return true;
}
