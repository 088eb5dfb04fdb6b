/* bench_cases.h: the token ids of real outputs, from a file of JSON lines
 * {"file","schema","tests":[{"valid","text","ids"}]}: the valid tests. */
#ifndef WEIR_BENCH_CASES_H
#define WEIR_BENCH_CASES_H

#include "base/mem.h"
#include "base/vec.h"
#include "weir/weir.h"

typedef struct BenchTest {
    uint32_t ids, count; /* first one in `ids`; how many, at least 1 */
    uint32_t name;       /* offset in `names`: the line's "file", NUL after */
    uint32_t number;     /* among the line's tests */
} BenchTest;

typedef struct BenchCases {
    const Mem *mem;
    VEC(BenchTest) tests;
    VEC(uint32_t) ids;
    VEC(char) names;
    uint32_t longest; /* most ids of a test */
} BenchCases;

/* False: an error is reported and `cases` is empty. */
bool cases_load(BenchCases *cases, const Mem *mem, const char *path,
                weir_error *err);
void cases_free(BenchCases *cases);

static inline const uint32_t *cases_ids(const BenchCases *c, const BenchTest *t)
{
    return c->ids.at + t->ids;
}
static inline const char *cases_name(const BenchCases *c, const BenchTest *t)
{
    return c->names.at + t->name;
}

#endif
