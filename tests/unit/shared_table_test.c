/* shared_table_test.c: a table that is read without a lock.
 *
 * One thread: everything added is found, hashes that collide in whole or in
 * their low bits included. Several: readers look for items while writers add
 * them; what was announced as added must be found, and complete.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/shared_table.h"

typedef struct Item {
    SharedItem item;
    uint32_t key, twice; /* twice = 2 * key in a complete item */
} Item;

typedef struct Table {
    Mem mem;
    Arena arena;
    Lock lock;
    SharedTable table;
} Table;

static void table_open(Table *t, size_t limit)
{
    t->mem = mem_from_env(NULL);
    arena_init(&t->arena, &t->mem, limit);
    lock_init(&t->lock);
    assert_true(shared_init(&t->table, &t->arena));
}

static void table_close(Table *t)
{
    arena_free(&t->arena);
    lock_free(&t->lock);
}

/* Hashes with little in them: four keys share each, and many share slots. */
static uint64_t poor_hash(uint32_t key)
{
    return (uint64_t)(key / 4) << 3;
}

static const Item *find(Table *t, uint32_t key)
{
    uint64_t h = poor_hash(key);
    for (SharedPos p = shared_first(&t->table, h); p.item;
         p = shared_next(h, p)) {
        const Item *item = (const Item *)(const void *)p.item;
        assert_int_equal(item->item.hash, h);
        assert_int_equal(item->twice, 2 * item->key);
        if (item->key == key) return item;
    }
    return NULL;
}

/* What an owner does: under the lock, look again, then add. */
static bool add(Table *t, uint32_t key)
{
    lock_take(&t->lock);
    bool ok = find(t, key) != NULL;
    if (!ok) {
        Item *item = arena_new(&t->arena, Item);
        if (item) {
            *item = (Item){{poor_hash(key)}, key, 2 * key};
            ok = shared_add(&t->table, &t->arena, &item->item);
        }
    }
    lock_give(&t->lock);
    return ok;
}

static void all_are_found(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    Table t;
    table_open(&t, 0);
    assert_null(find(&t, 0));
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t key = i * 7 % MANY; /* each once, in some order */
        assert_null(find(&t, key));
        assert_true(add(&t, key));
        assert_non_null(find(&t, key));
        assert_int_equal(t.table.count, i + 1);
        /* a free slot always ends a search */
        assert_true(t.table.count <= atomic_load(&t.table.slots)->cap / 2);
    }
    for (uint32_t key = 0; key < MANY; key++) assert_non_null(find(&t, key));
    assert_null(find(&t, MANY));
    table_close(&t);
}

/* Every item of a hash comes once. */
static void equal_hashes_come_in_turn(void **state)
{
    (void)state;
    Table t;
    table_open(&t, 0);
    for (uint32_t key = 0; key < 400; key++) assert_true(add(&t, key));
    for (uint32_t first = 0; first < 400; first += 4) {
        uint32_t seen = 0;
        uint64_t h = poor_hash(first);
        for (SharedPos p = shared_first(&t.table, h); p.item;
             p = shared_next(h, p)) {
            uint32_t key = ((const Item *)(const void *)p.item)->key;
            assert_true(key - first < 4);
            seen += 1u << (8 * (key - first));
        }
        assert_int_equal(seen, 0x01010101);
    }
    table_close(&t);
}

/* A reader that began before the table grew reads on in the old one. */
static void old_slots_stay(void **state)
{
    (void)state;
    Table t;
    table_open(&t, 0);
    for (uint32_t key = 0; key < 4; key++) assert_true(add(&t, key));
    SharedPos p = shared_first(&t.table, poor_hash(0));
    for (uint32_t key = 4; key < 1000; key++) assert_true(add(&t, key));
    assert_ptr_not_equal(atomic_load(&t.table.slots), p.slots);
    uint32_t seen = 0;
    for (; p.item; p = shared_next(poor_hash(0), p)) seen++;
    assert_int_equal(seen, 4);
    table_close(&t);
}

/* No room to grow: what is there stays, and the table can be read. */
static void no_memory_adds_nothing(void **state)
{
    (void)state;
    Table t;
    uint32_t key = 0;
    table_open(&t, 20000);
    while (add(&t, key)) key++;
    assert_true(key > 16);
    assert_int_equal(t.table.count, key);
    assert_null(find(&t, key));
    for (uint32_t k = 0; k < key; k++) assert_non_null(find(&t, k));
    table_close(&t);
}

/* ---- threads ---- */

enum { WRITERS = 3, READERS = 3, KEYS = 4000 };

typedef struct Team {
    Table t;
    atomic_uint added[WRITERS]; /* keys below are in, by writer */
    atomic_uint running;        /* writers */
    atomic_uint lost;
} Team;

typedef struct Member {
    Team *team;
    uint32_t number;
} Member;

/* Writer w adds w, w + 3, w + 6 ...; every other key another one's as well. */
static void *write_items(void *arg)
{
    Member *m = arg;
    Team *team = m->team;
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t key = i * WRITERS + m->number;
        if (!add(&team->t, key)) atomic_fetch_add(&team->lost, 1);
        if (i & 1 && !add(&team->t, key ^ 1)) atomic_fetch_add(&team->lost, 1);
        atomic_store(&team->added[m->number], i + 1);
    }
    atomic_fetch_sub(&team->running, 1);
    return NULL;
}

static void *read_items(void *arg)
{
    Member *m = arg;
    Team *team = m->team;
    uint32_t next = m->number;
    do
        for (uint32_t w = 0; w < WRITERS; w++) {
            uint32_t n = atomic_load(&team->added[w]);
            next = next * 1664525 + 1013904223;
            if (n && !find(&team->t, next % n * WRITERS + w))
                atomic_fetch_add(&team->lost, 1);
        }
    while (atomic_load(&team->running));
    return NULL;
}

static void readers_miss_nothing_added(void **state)
{
    (void)state;
    static Team team;
    pthread_t thread[WRITERS + READERS];
    Member member[WRITERS + READERS];
    table_open(&team.t, 0);
    atomic_init(&team.running, WRITERS);
    for (uint32_t i = 0; i < WRITERS + READERS; i++) {
        member[i] = (Member){&team, i};
        assert_int_equal(pthread_create(&thread[i], NULL,
                                        i < WRITERS ? write_items : read_items,
                                        &member[i]),
                         0);
    }
    for (int i = 0; i < WRITERS + READERS; i++) pthread_join(thread[i], NULL);
    assert_int_equal(team.lost, 0);
    uint32_t count = team.t.table.count, found = 0;
    for (uint32_t key = 0; key < KEYS * WRITERS + 2; key++)
        found += find(&team.t, key) != NULL;
    assert_int_equal(found, count); /* no key twice */
    table_close(&team.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_found),
        cmocka_unit_test(equal_hashes_come_in_turn),
        cmocka_unit_test(old_slots_stay),
        cmocka_unit_test(no_memory_adds_nothing),
        cmocka_unit_test(readers_miss_nothing_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
