/* grammar_late_test.c: what a grammar tells of itself when it is asked:
 * warnings of a schema, its hash. */
#include "unit/faulty_mem.h"

#include <string.h>

#include "base/thread.h"
#include "weir/weir.h"

static weir_bytes bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* Two mistakes, and what a lenient reading does not enforce. */
static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"minlength\":1},"
    "\"b\":{\"type\":\"string\",\"pattern\":\"(a)\\\\1\"},"
    "\"c\":{\"type\":\"string\",\"maximum\":2}}}";

static weir_grammar *compile(weir_vocab *vocab, const weir_document *documents,
                             size_t count)
{
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema = {.lenient = true,
                                         .documents = documents,
                                         .document_count = count}};
    return weir_grammar_compile(vocab, WEIR_JSON_SCHEMA, bytes(schema), &opts,
                                NULL);
}

static uint32_t count_warnings(const weir_grammar *g)
{
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(g, &info);
    return info.warnings;
}

static size_t print(const weir_grammar *g, char *text, size_t capacity)
{
    size_t size =
        weir_grammar_print(g, WEIR_PRINT_WARNINGS, text, capacity - 1);
    assert_true(size < capacity);
    text[size] = 0;
    return size;
}

/* With documents beside it a schema cannot be read again: its warnings are
 * made at once. They are the same, in the same order. */
static void same_as_at_once(void **state)
{
    (void)state;
    const weir_document other = {bytes("urn:other"), bytes("{}")};
    weir_grammar *late = compile(NULL, NULL, 0);
    weir_grammar *at_once = compile(NULL, &other, 1);
    char a[1024], b[1024];
    assert_non_null(late);
    assert_non_null(at_once);
    assert_int_equal(count_warnings(late), 3);
    assert_int_equal(count_warnings(at_once), 3);
    print(late, a, sizeof a);
    print(at_once, b, sizeof b);
    assert_string_equal(a, b);
    assert_non_null(strstr(a, "\"minlength\""));
    assert_non_null(strstr(a, "not enforced"));
    weir_grammar_free(late);
    weir_grammar_free(at_once);
}

/* The text of the schema is the caller's again after compiling, and a union
 * has the warnings of its parts. */
static void taken_along(void **state)
{
    (void)state;
    char *text = strdup(schema);
    weir_compile_opts opts = {.size = sizeof opts, .schema = {.lenient = true}};
    weir_grammar *two[2];
    two[0] =
        weir_grammar_compile(NULL, WEIR_JSON_SCHEMA, bytes(text), &opts, NULL);
    free(text);
    two[1] = compile(NULL, NULL, 0);
    weir_grammar *both = weir_grammar_union(two, 2, NULL);
    assert_int_equal(count_warnings(both), 6);
    assert_int_equal(count_warnings(two[0]), 3);
    weir_grammar_free(two[0]);
    weir_grammar_free(two[1]);
    weir_grammar_free(both);
}

static void *ask(void *user)
{
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(user, &info);
    return (void *)(uintptr_t)(info.hash + info.warnings);
}

static void many_ask(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    weir_grammar *g = compile(NULL, NULL, 0);
    pthread_t thread[THREADS];
    void *answer[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask, g), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], &answer[i]);
    for (int i = 0; i < THREADS; i++) assert_ptr_equal(answer[i], ask(g));
    weir_grammar_free(g);
}

/* Without memory for them there are only those that compiling made; later all,
 * and nothing is lost or left over. */
static void without_memory(void **state)
{
    (void)state;
    Faulty faulty = {.left = SIZE_MAX / 2};
    weir_env env = {.allocate = faulty_allocate,
                    .resize = faulty_resize,
                    .release = faulty_release,
                    .user = &faulty};
    weir_token tokens[] = {{{"{", 1}, 0}, {{"}", 1}, 0}};
    weir_vocab *vocab = weir_vocab_new(&env, tokens, 2, NULL, NULL);
    assert_non_null(vocab);
    weir_grammar *g = compile(vocab, NULL, 0);
    assert_non_null(g);
    size_t held = faulty.held;
    uint32_t found = 0;
    for (size_t n = 0; found != 3; n++) {
        faulty.left = n;
        found = count_warnings(g);
        assert_true(found == 1 || found == 3);
        if (found == 1) assert_int_equal(faulty.held, held);
    }
    faulty.left = 0;
    assert_int_equal(count_warnings(g), 3);
    weir_grammar_free(g);
    weir_vocab_free(vocab);
    assert_int_equal(faulty.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_at_once),
        cmocka_unit_test(taken_along),
        cmocka_unit_test(many_ask),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
