/* blocks_test.c: blocks do not overlap, keep what is in them, and are all gone
 * in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/blocks.h"
#include "unit/faulty_mem.h"

enum { HELD = 64 };

typedef struct Held {
    uint8_t *at;
    size_t nbytes;
    uint8_t mark;
} Held;

static uint32_t draw_state;

static uint32_t draw(uint32_t below)
{
    draw_state = draw_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)draw_state * below >> 32);
}

/* Mostly small, now and then around the largest small block and above. */
static size_t draw_size(void)
{
    return draw(8) ? draw(200) : draw(20000);
}

static void check(const Held *h)
{
    for (size_t i = 0; i < h->nbytes; i++) assert_int_equal(h->at[i], h->mark);
}

static void take(const Mem *mem, Held *h)
{
    *h = (Held){.nbytes = draw_size(), .mark = (uint8_t)draw(256)};
    h->at = mem_new(mem, h->nbytes);
    assert_non_null(h->at);
    memset(h->at, h->mark, h->nbytes);
}

static void give(const Mem *mem, Held *h)
{
    check(h);
    mem_free(mem, h->at, h->nbytes);
    *h = (Held){0};
}

static void change(const Mem *mem, Held *h)
{
    size_t now = draw_size();
    h->at = mem->resize(mem->user, h->at, h->nbytes, now);
    assert_non_null(h->at);
    h->nbytes = MIN(h->nbytes, now);
    check(h);
    h->nbytes = now;
    memset(h->at, h->mark, now);
}

static void blocks_hold_what_is_put_in_them(void **state)
{
    (void)state;
    Faulty counted = {.left = SIZE_MAX};
    Mem under = faulty_mem(&counted);
    Blocks blocks;
    Held held[HELD] = {{0}};
    draw_state = 1;
    blocks_init(&blocks, &under, 0);
    for (int i = 0; i < 20000; i++) {
        Held *h = &held[draw(HELD)];
        if (!h->at)
            take(&blocks.mem, h);
        else if (draw(2))
            give(&blocks.mem, h);
        else
            change(&blocks.mem, h);
    }
    for (int i = 0; i < HELD; i++)
        if (held[i].at) give(&blocks.mem, &held[i]);
    blocks_free(&blocks);
    assert_int_equal(counted.held, 0);
}

/* The same few blocks over and over take no more memory. */
static void blocks_are_used_again(void **state)
{
    (void)state;
    if (IS_WATCHED) skip();
    Faulty counted = {.left = SIZE_MAX};
    Mem under = faulty_mem(&counted);
    Blocks blocks;
    blocks_init(&blocks, &under, 0);
    for (int i = 0; i < 10000; i++) {
        void *small = mem_new(&blocks.mem, 40),
             *large = mem_new(&blocks.mem, 900);
        mem_free(&blocks.mem, large, 900);
        mem_free(&blocks.mem, small, 40);
    }
    assert_true(counted.peak <= 4096);
    blocks_free(&blocks);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    Faulty none = {.left = 0};
    Mem under = faulty_mem(&none);
    Blocks blocks;
    blocks_init(&blocks, &under, 4096);
    assert_null(mem_new(&blocks.mem, 1));
    assert_null(mem_new(&blocks.mem, 100000));
    none.left = 1;
    uint8_t *p = mem_new(&blocks.mem, 100);
    assert_non_null(p);
    *p = 7;
    assert_null(blocks.mem.resize(blocks.mem.user, p, 100, 100000));
    assert_int_equal(*p, 7);
    mem_free(&blocks.mem, p, 100);
    blocks_free(&blocks);
    assert_int_equal(none.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_what_is_put_in_them),
        cmocka_unit_test(blocks_are_used_again),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
