/* adopt_test.c: what a vocabulary takes in of the formats of schemas.
 *
 * A second grammar with the same format finds all its walks known, and its
 * masks are those of one that shares nothing: the same language with a bound
 * that no text of the test comes near. Other languages are not taken for it.
 */
#include "unit/small_grammar.h"

#include <pthread.h>
#include <stdio.h>

#include "api/objects.h"

enum { SINGLES = 256, ROW_WORDS = 12, MOST_TEXT = 64 };

static const char *const words[] = {
    "http",    "://",  "a.",   "-01", "T12:", "00Z\"", "\"", "\",", "@",
    "example", ".com", "2024", "::",  "ffff", "/x",    "%2", "P1",  "Y"};

static weir_vocab *vocab_new(void)
{
    static char singles[SINGLES];
    weir_token tokens[SINGLES + COUNT_OF(words)] = {0};
    for (uint32_t i = 0; i < SINGLES; i++) {
        singles[i] = (char)i;
        tokens[i] = (weir_token){.bytes = {&singles[i], 1}};
    }
    for (uint32_t i = 0; i < COUNT_OF(words); i++)
        tokens[SINGLES + i] = (weir_token){.bytes = small_bytes(words[i])};
    weir_error err;
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT_OF(tokens), NULL, &err);
    if (!v) fail_msg("%s", err.message);
    assert_true(WEIR_MASK_WORDS(weir_vocab_width(v)) <= ROW_WORDS);
    return v;
}

typedef struct FormatCase {
    const char *name, *text;
} FormatCase;

static const FormatCase cases[] = {
    {"date-time", "\"2024-02-29T12:00:00Z\""},
    {"date", "\"2023-12-31\""},
    {"time", "\"12:00:00Z\""},
    {"duration", "\"P1Y2M\""},
    {"email", "\"jane.doe@example.com\""},
    {"hostname", "\"www.a-1.example.com\""},
    {"ipv4", "\"192.168.0.254\""},
    {"ipv6", "\"2001:db8::ffff\""},
    {"uri", "\"https://example.com/x?a=%20#f\""},
    {"uri-reference", "\"../x/./y\""},
    {"iri", "\"http://example.com/\xC3\xA9\""},
    {"uri-template", "\"/x{?a,b}\""},
    {"uuid", "\"01234567-89ab-cdef-0123-456789abcdef\""},
    {"json-pointer", "\"/a/~0b\""},
    {"relative-json-pointer", "\"1/a\""},
};

static weir_grammar *grammar_of(weir_vocab *v, const char *name,
                                const char *more)
{
    char source[160];
    weir_error err;
    snprintf(source, sizeof source,
             "{\"type\": \"string\", \"format\": \"%s\"%s}", name, more);
    weir_grammar *g = weir_grammar_compile(v, WEIR_JSON_SCHEMA,
                                           small_bytes(source), NULL, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    return g;
}

/* The masks along the text, and how many walks were made for them. */
static uint64_t masks_along(weir_grammar *g, const char *text, int32_t *rows)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    for (size_t i = 0;; i++, rows += ROW_WORDS) {
        assert_int_not_equal(weir_matcher_fill(m, rows), WEIR_FILL_ERROR);
        if (!text[i]) break;
        if (weir_matcher_accept_bytes(m, (weir_bytes){text + i, 1}, NULL) !=
            WEIR_ACCEPTED)
            fail_msg("%s: refused at %zu", text, i);
    }
    weir_matcher_stats stats = {.size = sizeof stats};
    weir_matcher_describe(m, &stats);
    weir_matcher_free(m);
    return stats.walks_made;
}

static void walks_are_shared(void **state)
{
    (void)state;
    static int32_t rows[3][MOST_TEXT * ROW_WORDS];
    weir_vocab *v = vocab_new();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const FormatCase *c = &cases[i];
        assert_true(strlen(c->text) < MOST_TEXT);
        memset(rows, 0, sizeof rows);
        weir_grammar *first = grammar_of(v, c->name, "");
        weir_grammar *second = grammar_of(v, c->name, "");
        weir_grammar *bounded = grammar_of(v, c->name, ", \"maxLength\": 200");
        uint64_t made = masks_along(first, c->text, rows[0]);
        if (!made) fail_msg("%s: no walk was needed", c->name);
        made = masks_along(second, c->text, rows[1]);
        if (made) fail_msg("%s: %u walks made again", c->name, (unsigned)made);
        masks_along(bounded, c->text, rows[2]);
        for (int k = 1; k < 3; k++)
            if (memcmp(rows[0], rows[k], sizeof rows[0]) != 0)
                fail_msg("%s: other masks in grammar %d", c->name, k);
        weir_grammar_free(bounded);
        weir_grammar_free(second);
        weir_grammar_free(first);
    }
    weir_vocab_free(v);
}

/* Frames outlive the grammar that brought them, and spelled otherwise they are
 * others. */
static void frames_stay(void **state)
{
    (void)state;
    weir_vocab *v = vocab_new();
    weir_vocab_info before = {.size = sizeof before}, after = before;
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema = {.any_escape = true}};
    weir_bytes source =
        small_bytes("{\"type\": \"string\", \"format\": \"date\"}");
    weir_grammar *g = grammar_of(v, "date", "");
    weir_grammar *h =
        weir_grammar_compile(v, WEIR_JSON_SCHEMA, source, &opts, NULL);
    assert_non_null(h);
    assert_ptr_equal(g->network.shared, &v->shared);
    assert_int_equal(v->shared.adopted.count, 2);
    weir_vocab_describe(v, &before);
    weir_grammar_free(g);
    g = grammar_of(v, "date", "");
    assert_int_equal(v->shared.adopted.count, 2);
    weir_grammar_free(g);
    g = grammar_of(v, "date", ", \"minLength\": 3, \"pattern\": \"^2\"");
    assert_int_equal(v->shared.adopted.count, 2);
    weir_vocab_describe(v, &after);
    assert_true(after.memory >= before.memory);
    weir_grammar_free(g);
    weir_grammar_free(h);
    weir_vocab_free(v);
}

/* ---- threads ---- */

enum { THREADS = 4 };

typedef struct Task {
    weir_vocab *vocab;
    uint32_t from; /* the case to begin with */
    int32_t rows[COUNT_OF(cases)][MOST_TEXT * ROW_WORDS];
} Task;

/* Compiles all formats and reads their texts. */
static void *run_task(void *user)
{
    Task *t = user;
    for (uint32_t k = 0; k < COUNT_OF(cases); k++) {
        uint32_t i = (t->from + k) % COUNT_OF(cases);
        weir_grammar *g = grammar_of(t->vocab, cases[i].name, "");
        masks_along(g, cases[i].text, t->rows[i]);
        weir_grammar_free(g);
    }
    return NULL;
}

/* All take formats in at once, some at the same time the same. */
static void threads_share(void **state)
{
    (void)state;
    static Task serial, tasks[THREADS];
    pthread_t threads[THREADS];
    serial.vocab = vocab_new();
    run_task(&serial);
    weir_vocab_free(serial.vocab);
    weir_vocab *v = vocab_new();
    for (uint32_t i = 0; i < THREADS; i++) {
        tasks[i].vocab = v;
        tasks[i].from = i / 2 * 7;
        assert_int_equal(pthread_create(&threads[i], NULL, run_task, &tasks[i]),
                         0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_memory_equal(tasks[i].rows, serial.rows, sizeof serial.rows);
    }
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_shared),
        cmocka_unit_test(frames_stay),
        cmocka_unit_test(threads_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
