/* bench_cases.c: reading the file of cases, a line at a time.
 *
 * Only ids and names are kept; the text goes when it has been read, so that
 * resident memory afterwards is the engine's.
 */
#include "bench/bench_cases.h"

#include <stdio.h>

#include "base/diag.h"
#include "text/json.h"

typedef VEC(uint8_t) Text;

static bool text_read(Text *text, const Mem *mem, const char *path)
{
    enum { CHUNK = 1 << 20 };
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    bool ok = true;
    while (ok && !feof(f)) {
        ok = vec_reserve(mem, text, (size_t)text->count + CHUNK);
        if (!ok) break;
        text->count += (uint32_t)fread(text->at + text->count, 1, CHUNK, f);
        ok = !ferror(f);
    }
    fclose(f);
    return ok;
}

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

static bool line_add(BenchCases *c, const Json *json)
{
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

static bool lines_add(BenchCases *c, Span text, weir_error *err)
{
    for (size_t pos = 0; pos < text.size;) {
        const uint8_t *from = text.at + pos;
        const uint8_t *end = memchr(from, '\n', text.size - pos);
        size_t size = end ? (size_t)(end - from) : text.size - pos;
        pos += size + 1;
        Json json;
        if (!size) continue;
        if (!json_parse(&json, c->mem, span_of(from, size), NULL, err))
            return false;
        bool ok = line_add(c, &json);
        json_free(&json);
        if (!ok) return diag_no_memory(err);
    }
    return true;
}

bool cases_load(BenchCases *cases, const Mem *mem, const char *path,
                weir_error *err)
{
    *cases = (BenchCases){.mem = mem};
    Text text = {0};
    bool ok = text_read(&text, mem, path) ||
              diag_fail(err, WEIR_IO, 0, 0, "cannot read '%.150s'", path);
    ok = ok && lines_add(cases, span_of(text.at, text.count), err);
    vec_free(mem, &text);
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
