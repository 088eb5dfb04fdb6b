/* pointer_test.c: JSON pointers followed and written. The examples are those
 * of RFC 6901, sections 5 and 6; large containers are compared with json_get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "schema/pointer.h"
#include "unit/faulty_mem.h"

static Mem memory;

static const char example[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
    "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}";

static Json parse(const char *text)
{
    Json json;
    weir_error err = {0};
    if (!json_parse(&json, &memory, span_text(text), NULL, &err))
        fail_msg("%s: %s", text, err.message);
    return json;
}

static void rfc_examples(void **state)
{
    (void)state;
    static const struct {
        const char *pointer, *spelling, *fragment;
    } rows[] = {
        {"", NULL, ""},
        {"/foo", "[\"bar\",\"baz\"]", "/foo"},
        {"/foo/0", "\"bar\"", "/foo/0"},
        {"/foo/1", "\"baz\"", "/foo/1"},
        {"/", "0", "/"},
        {"/a~1b", "1", "/a~1b"},
        {"/c%d", "2", "/c%25d"},
        {"/e^f", "3", "/e%5Ef"},
        {"/g|h", "4", "/g%7Ch"},
        {"/i\\j", "5", "/i%5Cj"},
        {"/k\"l", "6", "/k%22l"},
        {"/ ", "7", "/%20"},
        {"/m~0n", "8", "/m~0n"},
    };
    Json json = parse(example);
    PointerIndex index = {0};
    PointerEnd end;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Span pointer = span_text(rows[i].pointer);
        assert_true(pointer_follow(&index, &json, JSON_ROOT, pointer, &end));
        if (rows[i].spelling)
            assert_true(span_equal(json_spelling(&json, end.at),
                                   span_text(rows[i].spelling)));
        char text[32];
        Out out = {text, sizeof text, 0};
        pointer_write(&out, NULL, &json, end.at);
        assert_true(
            span_equal(span_of(text, out.size), span_text(rows[i].fragment)));
    }
    pointer_index_free(&memory, &index);
    json_free(&json);
}

static void nowhere(void **state)
{
    (void)state;
    static const struct {
        const char *pointer, *token;
    } rows[] = {
        {"/bar", "bar"},
        {"/foo/2", "2"},
        {"/foo/-", "-"},
        {"/foo/00", "00"},
        {"/foo/+1", "+1"},
        {"/foo/1e0", "1e0"},
        {"/foo/", ""},
        {"/foo/0/0", "0"},
        {"/a~b", "a~b"},
        {"/a~2b", "a~2b"},
        {"/a~", "a~"},
        {"/foo/bar", "bar"},
        {"//", ""},
        {"/a~1b/x/y", "x"},
        {"/foo/999999999999", NULL},
        {"/foo/4294967296", NULL},
    };
    Json json = parse(example);
    PointerIndex index = {0};
    PointerEnd end;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Span pointer = span_text(rows[i].pointer);
        assert_false(pointer_follow(&index, &json, JSON_ROOT, pointer, &end));
        if (rows[i].token)
            assert_true(span_equal(end.token, span_text(rows[i].token)));
    }
    assert_false(index.failed);
    pointer_index_free(&memory, &index);
    json_free(&json);
}

/* {"k0":[0,1,...],"k1":...}, sizes around the border between scan and table;
 * each name once more at the end, which is the one that counts. */
static void large(void **state)
{
    (void)state;
    enum { MOST = 40, ROOM = 40000 };
    char *text = malloc(ROOM), pointer[32];
    for (int size = 1; size <= MOST; size++) {
        int n = snprintf(text, ROOM, "{");
        for (int i = 0; i < 2 * size; i++) {
            n += snprintf(text + n, (size_t)(ROOM - n), "\"k%d\":[", i % size);
            for (int k = 0; k < size; k++)
                n += snprintf(text + n, (size_t)(ROOM - n), "%d,", i + k);
            n += snprintf(text + n, (size_t)(ROOM - n), "0],");
        }
        snprintf(text + n, (size_t)(ROOM - n), "\"\":0}");
        Json json = parse(text);
        PointerIndex index = {0};
        PointerEnd end;
        for (int i = 0; i < size; i++)
            for (int k = 0; k < size; k++) {
                uint32_t value = 0;
                snprintf(pointer, sizeof pointer, "/k%d/%d", i, k);
                assert_true(pointer_follow(&index, &json, JSON_ROOT,
                                           span_text(pointer), &end));
                assert_true(json_u32(&json, end.at, &value));
                assert_int_equal(value, size + i + k);
            }
        snprintf(pointer, sizeof pointer, "/k%d", size);
        assert_false(
            pointer_follow(&index, &json, JSON_ROOT, span_text(pointer), &end));
        snprintf(pointer, sizeof pointer, "/k0/%d", size + 1);
        assert_false(
            pointer_follow(&index, &json, JSON_ROOT, span_text(pointer), &end));
        pointer_index_free(&memory, &index);
        json_free(&json);
    }
    free(text);
}

/* What is written leads back. */
static void round_trip(void **state)
{
    (void)state;
    Json json = parse("[{\"a\":[[1,{\"\":{\"b/~1\":[]}}],2]},3,"
                      "{\"c\":{},\"d\":[0,0,{\"e\":null}]}]");
    PointerIndex index = {0};
    for (JsonId id = 0; id < json.nodes.count; id++) {
        char text[64];
        Out out = {text, sizeof text, 0};
        PointerEnd end;
        bool is_key = false; /* keys are nodes that no pointer leads to */
        for (JsonId object = 0; object < id; object++)
            for (JsonIter it = json_iter(&json, object); json_step(&it);)
                is_key = is_key || it.key_id == id;
        if (is_key) continue;
        pointer_write(&out, NULL, &json, id);
        assert_true(pointer_follow(&index, &json, JSON_ROOT,
                                   span_of(text, out.size), &end));
        assert_int_equal(end.at, id);
    }
    pointer_index_free(&memory, &index);
    json_free(&json);
}

/* In large containers, equal names among them, the index finds the way that
 * looking through them does. */
static void written_by_index(void **state)
{
    char source[4000];
    Out all = {source, sizeof source, 0};
    (void)state;
    out_text(&all, "{\"dup\":[1,{\"x\":2}]");
    for (int i = 0; i < 40; i++) out_format(&all, ",\"k%d\":[[%d],{}]", i, i);
    out_text(&all, ",\"dup\":[");
    for (int i = 0; i < 40; i++) out_format(&all, "{\"i\":%d},", i);
    out_text(&all, "0]}");
    source[all.size] = 0;
    Json json = parse(source);
    PointerIndex index = {0};
    VEC(bool) is_key = {0};
    assert_true(vec_reserve(&memory, &is_key, json.nodes.count));
    memset(is_key.at, 0, json.nodes.count);
    for (JsonId id = 0; id < json.nodes.count; id++)
        for (JsonIter it = json_iter(&json, id); json_step(&it);)
            if (it.is_object) is_key.at[it.key_id] = true;
    for (JsonId id = 0; id < json.nodes.count; id++) {
        char plain[64], quick[64];
        Out a = {plain, sizeof plain, 0}, b = {quick, sizeof quick, 0};
        if (is_key.at[id]) continue;
        pointer_write(&a, NULL, &json, id);
        pointer_write(&b, &index, &json, id);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(plain, quick, a.size);
    }
    vec_free(&memory, &is_key);
    pointer_index_free(&memory, &index);
    json_free(&json);
}

static bool follow(const Mem *mem, weir_error *err)
{
    Json json;
    char text[200] = "[{";
    for (int i = 0; i < 17; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "\"/%d\":%d,",
                 i, i);
    strcat(text, "\"\":0}]");
    if (!json_parse(&json, mem, span_text(text), NULL, err)) return false;
    PointerIndex index = {0};
    PointerEnd end;
    bool ok = pointer_follow(&index, &json, JSON_ROOT, SPAN("/0/~116"), &end);
    if (!ok && index.failed) err->status = WEIR_NO_MEMORY;
    pointer_index_free(mem, &index);
    json_free(&json);
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    faulty_sweep(follow);
}

int main(void)
{
    memory = mem_from_env(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_by_index), cmocka_unit_test(rfc_examples),
        cmocka_unit_test(nowhere),          cmocka_unit_test(large),
        cmocka_unit_test(round_trip),       cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
