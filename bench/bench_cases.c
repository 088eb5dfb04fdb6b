/* bench_cases.c: reading the file of cases, a line at a time.
 *
 * Only ids and names are kept; the text goes when it has been read, so that
 * resident memory afterwards is the engine's.
 */
#include "bench/bench_cases.h"

#include "base/diag.h"
#include "bench/bench_lines.h"

static bool name_add(BenchCases *c, Span name)
{
    if (!vec_reserve(c->mem, &c->names, c->names.count + name.size + 1))
        return false;
    if (name.size) memcpy(c->names.at + c->names.count, name.at, name.size);
    c->names.count += (uint32_t)name.size;
    c->names.at[c->names.count++] = '\0';
    return true;
}

static bool test_add(BenchCases *c, const Json *json, JsonId ids, BenchTest t)
{
    t.ids = c->ids.count;
    for (JsonIter it = json_iter(json, ids); json_step(&it);) {
        uint32_t id = UINT32_MAX; /* no number: a token that none allows */
        json_u32(json, it.value, &id);
        if (!vec_push(c->mem, &c->ids, id)) return false;
    }
    t.count = c->ids.count - t.ids;
    c->longest = MAX(c->longest, t.count);
    return !t.count || vec_push(c->mem, &c->tests, t);
}

static bool line_add(void *user, const Json *json)
{
    BenchCases *c = user;
    BenchTest t = {.name = c->names.count};
    if (!name_add(c, json_string(json, json_get(json, JSON_ROOT, "file"))))
        return false;
    JsonId tests = json_get(json, JSON_ROOT, "tests");
    for (JsonIter it = json_iter(json, tests); json_step(&it); t.number++) {
        JsonId valid = json_get(json, it.value, "valid");
        JsonId ids = json_get(json, it.value, "ids");
        if (json_bool(json, valid, false) && !test_add(c, json, ids, t))
            return false;
    }
    return true;
}

bool cases_load(BenchCases *cases, const Mem *mem, const char *path,
                weir_error *err)
{
    *cases = (BenchCases){.mem = mem};
    bool ok = lines_each(mem, path, line_add, cases, err);
    if (ok && !cases->tests.count)
        ok = diag_fail(err, WEIR_FORMAT, 0, 0,
                       "found no valid test with ids in '%.100s'", path);
    if (!ok) cases_free(cases);
    return ok;
}

void cases_free(BenchCases *cases)
{
    vec_free(cases->mem, &cases->tests);
    vec_free(cases->mem, &cases->ids);
    vec_free(cases->mem, &cases->names);
}
