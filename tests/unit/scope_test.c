/* scope_test.c: interned scopes against plain arrays, by random additions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schema/scope.h"
#include "unit/faulty_mem.h"

enum { NAMES = 6, KEPT = 200 };

/* resource + 1 by name; 0: not there */
typedef struct Model {
    uint32_t at[NAMES];
} Model;

static void against_a_model(void **state)
{
    (void)state;
    Mem memory = mem_from_env(NULL);
    Scopes scopes;
    scopes_init(&scopes, &memory);
    Model models[KEPT] = {{{0}}};
    uint32_t ids[KEPT] = {0}, seed = 7;
    for (unsigned n = 1; n < KEPT; n++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned from = (seed >> 8) % n, resource = (seed >> 20) % 3;
        uint32_t names[3] = {(seed >> 23) % NAMES, (seed >> 26) % NAMES,
                             (seed >> 29) % NAMES};
        uint32_t count = (seed >> 5) % 4;
        models[n] = models[from];
        for (uint32_t i = 0; i < count; i++)
            if (!models[n].at[names[i]]) models[n].at[names[i]] = resource + 1;
        ids[n] = scope_add(&scopes, ids[from], names, count, resource);
        for (uint32_t name = 0; name < NAMES; name++)
            assert_int_equal(scope_find(&scopes, ids[n], name) + 1,
                             models[n].at[name]);
        for (unsigned other = 0; other < n; other++)
            assert_int_equal(
                ids[n] == ids[other],
                !memcmp(&models[n], &models[other], sizeof models[n]));
    }
    scopes_free(&scopes);
}

static void limit(void **state)
{
    (void)state;
    Mem memory = mem_from_env(NULL);
    Scopes scopes;
    scopes_init(&scopes, &memory);
    uint32_t scope = 0, name = 0;
    for (; name < 5000 && !scopes.hit_limit; name++)
        scope = scope_add(&scopes, scope, &name, 1, 0);
    assert_true(scopes.hit_limit); /* 1 + 2 + 3 ... pairs */
    assert_false(scopes.failed);
    assert_true(scopes.pairs.count <= SCOPE_MAX_PAIRS);
    assert_true(name > 2800);
    scopes_free(&scopes);
}

static bool add_some(const Mem *mem, weir_error *err)
{
    Scopes scopes;
    uint32_t scope = 0;
    scopes_init(&scopes, mem);
    for (uint32_t i = 0; i < 40 && !scopes.failed; i++)
        scope = scope_add(&scopes, scope, &i, 1, i);
    bool ok = !scopes.failed;
    if (!ok) err->status = WEIR_NO_MEMORY;
    scopes_free(&scopes);
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    faulty_sweep(add_some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_model),
        cmocka_unit_test(limit),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
