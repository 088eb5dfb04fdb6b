/* dialect_checklist_test.c: the requirements on grammars' dialects, each under
 * its number in the list that the project was made from. Those that are about
 * requests are in tests/cases/request_checklist.txt and
 * request_checklist_test.c (5, 133, 134, 151 to 153). What is proved by records
 * is named in docs/requirements.md; here stands the smallest case of each, by
 * hand.
 */
#include "weir/weir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, AB, ONE, LEAD, TAIL, EMPTY, THINK, CONTROL, END, END2, COUNT };
#define BIT(id) (1u << (id))

static weir_bytes bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static weir_vocab *vocab_of(weir_dialect dialect)
{
    weir_vocab_opts opts = {.size = sizeof opts, .dialect = dialect};
    const weir_token tokens[COUNT] = {
        [A] = {{"a", 1}, 0},
        [B] = {{"b", 1}, 0},
        [AB] = {{"ab", 2}, 0},
        [ONE] = {{"1", 1}, 0},
        [LEAD] = {{"\xC3", 1}, 0},
        [TAIL] = {{"\xA9", 1}, 0},
        [EMPTY] = {{"", 0}, 0},
        [THINK] = {{"</think>", 8}, WEIR_TOKEN_CONTROL},
        [CONTROL] = {{"<c>", 3}, WEIR_TOKEN_CONTROL},
        [END] = {{"</s>", 4}, WEIR_TOKEN_STOP},
        [END2] = {{"<end>", 5}, WEIR_TOKEN_STOP},
    };
    weir_vocab *v = weir_vocab_new(NULL, tokens, COUNT, &opts, NULL);
    assert_non_null(v);
    return v;
}

static weir_matcher *start(weir_source_kind kind, weir_dialect dialect,
                           const char *source)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts, .dialect = dialect};
    weir_matcher_opts ends = {.size = sizeof ends,
                              .termination = WEIR_TERM_STOP_TOKEN};
    weir_vocab *v = vocab_of(dialect);
    weir_grammar *g = weir_grammar_compile(v, kind, bytes(source), &opts, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    weir_matcher *m = weir_matcher_new(g, &ends, NULL);
    assert_non_null(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
    return m;
}

static weir_matcher *llama(const char *source)
{
    return start(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, source);
}

static uint32_t mask_of(weir_matcher *m)
{
    const int32_t *row = weir_matcher_mask(m);
    assert_non_null(row);
    return (uint32_t)row[0];
}

static void take(weir_matcher *m, uint32_t id)
{
    assert_int_equal(weir_matcher_accept(m, id), WEIR_ACCEPTED);
}

/* Whether the whole text is in the language. */
static bool takes(weir_source_kind kind, const char *source, const char *text)
{
    weir_error err;
    weir_grammar *g =
        weir_grammar_compile(NULL, kind, bytes(source), NULL, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    bool taken =
        weir_matcher_accept_bytes(m, bytes(text), NULL) == WEIR_ACCEPTED &&
        weir_matcher_is_completed(m);
    weir_matcher_free(m);
    weir_grammar_free(g);
    return taken;
}

static weir_error refused(weir_source_kind kind, weir_dialect dialect,
                          const char *source)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts, .dialect = dialect};
    assert_null(weir_grammar_compile(NULL, kind, bytes(source), &opts, &err));
    return err;
}

/* ---- structural tags ---- */

#define THINKING                                                            \
    "{\"type\":\"tag\",\"begin\":\"\",\"content\":{\"type\":\"any_text\"}," \
    "\"end\":\"</think>\"}"
#define TAG(format) "{\"type\":\"structural_tag\",\"format\":" format "}"

/* Free while the model thinks, constrained afterwards. */
static void thinking(void **state)
{
    (void)state;
    static const char tag[] = TAG(
        "{\"type\":\"sequence\",\"elements\":[" THINKING
        ",{\"type\":\"json_schema\",\"json_schema\":{\"type\":\"integer\"}}]}");
    assert_true(takes(WEIR_STRUCTURAL_TAG, tag, "a { b</think>11"));
    assert_false(takes(WEIR_STRUCTURAL_TAG, tag, "a { b</think>a"));
    assert_false(takes(WEIR_STRUCTURAL_TAG, tag, "a { b"));
}

static void tag_nodes(void **state)
{
    (void)state;
    static const char tag[] =
        TAG("{\"type\":\"sequence\",\"elements\":["
            "{\"type\":\"regex\",\"pattern\":\"[ab]+\"},"
            "{\"type\":\"triggered_tags\",\"triggers\":[\"<\"],\"tags\":["
            "{\"type\":\"tag\",\"begin\":\"<f>\",\"content\":{\"type\":"
            "\"json_schema\",\"json_schema\":{\"enum\":[1]}},\"end\":\"</f>\"},"
            "{\"type\":\"tag\",\"begin\":\"<g>\",\"content\":{\"type\":"
            "\"any_text\"},\"end\":\"</g>\"}]}]}");
    assert_true(takes(WEIR_STRUCTURAL_TAG, tag, "ab free <f>1</f> more"));
    assert_true(takes(WEIR_STRUCTURAL_TAG, tag, "b<g>any</g><f>1</f>"));
    assert_false(takes(WEIR_STRUCTURAL_TAG, tag, "b<f>2</f>"));
    assert_false(takes(WEIR_STRUCTURAL_TAG, tag, "1<f>1</f>"));
    assert_false(takes(WEIR_STRUCTURAL_TAG, tag, "b<h>"));
}

static void tag_regex(void **state)
{
    (void)state;
    static const char tag[] =
        "{\"format\":{\"type\":\"regex\",\"pattern\":\"[A-Z]{3}\\\\d+\"}}";
    assert_true(takes(WEIR_STRUCTURAL_TAG, tag, "ABC12"));
    assert_false(takes(WEIR_STRUCTURAL_TAG, tag, "AB12"));
}

/* ---- the engine ---- */

/* Alternatives stay open side by side; a character may come in two tokens. */
static void stacks(void **state)
{
    (void)state;
    weir_matcher *m = llama("root ::= \"a\" x | \"ab\" \"1\"\n"
                            "x ::= \"b\" \"\xC3\xA9\"");
    take(m, A);
    take(m, B);
    assert_int_equal(mask_of(m), BIT(ONE) | BIT(LEAD));
    take(m, LEAD);
    assert_int_equal(mask_of(m), BIT(TAIL));
    take(m, TAIL);
    assert_int_equal(mask_of(m), BIT(END) | BIT(END2));
    weir_matcher_free(m);
}

/* A state holds nothing of the process: it goes on elsewhere. */
static void relocatable(void **state)
{
    (void)state;
    char saved[256];
    weir_matcher *m = llama("root ::= [ab]+ \"1\"");
    take(m, AB);
    size_t size = weir_matcher_export(m, saved, sizeof saved);
    assert_true(size <= sizeof saved);
    weir_matcher_free(m);
    m = llama("root ::= [ab]+ \"1\"");
    assert_int_equal(weir_matcher_import(m, (weir_bytes){saved, size}),
                     WEIR_OK);
    assert_int_equal(mask_of(m), BIT(A) | BIT(B) | BIT(AB) | BIT(ONE));
    weir_matcher_free(m);
}

static void whole_grammar(void **state)
{
    (void)state;
    static const char *const bad[] = {"root ::= x", "x ::= \"a\"",
                                      "root ::= root \"a\" | \"b\"",
                                      "root ::= x\nx ::= root \"a\" | \"b\""};
    for (size_t i = 0; i < 4; i++)
        refused(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, bad[i]);
    assert_non_null(strstr(
        refused(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, bad[2]).pointer, "root"));
}

static void terminals(void **state)
{
    (void)state;
    weir_matcher *m = llama("root ::= </think> | <[0]> \"b\"");
    assert_int_equal(mask_of(m), BIT(A) | BIT(THINK));
    weir_matcher_free(m);
    m = llama("root ::= !<[0]>");
    assert_int_equal(mask_of(m),
                     BIT(B) | BIT(AB) | BIT(ONE) | BIT(THINK) | BIT(CONTROL));
    weir_matcher_free(m);
}

/* Ends only behind a whole output, an empty piece never. */
static void ends(void **state)
{
    (void)state;
    weir_matcher *m = llama("root ::= \"a\" \"b\"?");
    assert_int_equal(mask_of(m), BIT(A) | BIT(AB));
    assert_false(weir_matcher_is_completed(m));
    take(m, A);
    assert_int_equal(mask_of(m), BIT(B) | BIT(END) | BIT(END2));
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_free(m);
}

/* A candidate alone is judged as the mask judges it. */
static void one_candidate(void **state)
{
    (void)state;
    weir_matcher *m = llama("root ::= (\"a\" | \"\xC3\xA9\" | <c>)+ \"1\"");
    for (unsigned step = 0; step < 4; step++) {
        static const uint32_t path[] = {A, LEAD, TAIL, ONE};
        uint32_t mask = mask_of(m);
        for (uint32_t id = 0; id < COUNT; id++)
            assert_int_equal(weir_matcher_allows(m, id), mask >> id & 1);
        take(m, path[step]);
    }
    weir_matcher_free(m);
}

/* What llama.cpp throws at is an answer, and changes nothing. */
static void no_stack_left(void **state)
{
    (void)state;
    weir_matcher *m = llama("root ::= \"a\" \"1\"");
    assert_int_equal(weir_matcher_accept(m, B), WEIR_REFUSED);
    assert_int_equal(weir_matcher_accept(m, END), WEIR_REFUSED);
    assert_int_equal(mask_of(m), BIT(A));
    weir_matcher_free(m);
}

static void repeats(void **state)
{
    (void)state;
    refused(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, "root ::= \"a\"{5,2}");
    refused(WEIR_GBNF, WEIR_DIALECT_DEFAULT, "root ::= \"a\"{5,2}");
    refused(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, "root ::= \"a\"{2000}");
    weir_matcher_free(llama("root ::= \"a\"{1999}"));
    weir_matcher_free(
        start(WEIR_GBNF, WEIR_DIALECT_DEFAULT, "root ::= \"a\"{2000}"));
}

static void errors_say_where(void **state)
{
    (void)state;
    uint32_t line, column;
    static const char source[] = "root ::= \"a\"\nx = \"b\"";
    weir_error err = refused(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, source);
    weir_line_column(bytes(source), err.begin, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 3);
    assert_non_null(strstr(err.message, "expected"));
}

/* The ends are a set; pieces are bytes that may be parts of characters. */
static void vocabulary(void **state)
{
    (void)state;
    uint32_t count;
    weir_vocab *v = vocab_of(WEIR_DIALECT_LLAMA_CPP);
    const uint32_t *stops = weir_vocab_stops(v, &count);
    assert_int_equal(count, 2);
    assert_int_equal(stops[0], END);
    assert_int_equal(stops[1], END2);
    assert_int_equal(weir_vocab_token(v, LEAD).bytes.size, 1);
    weir_vocab_free(v);
}

/* Equal grammars are compiled once. */
static void shared_rules(void **state)
{
    (void)state;
    weir_vocab *v = vocab_of(WEIR_DIALECT_DEFAULT);
    weir_compiler *c = weir_compiler_new(v, NULL, NULL);
    weir_grammar *a = weir_compiler_compile(
        c, WEIR_GBNF, bytes("root ::= \"a\""), NULL, NULL);
    weir_grammar *b = weir_compiler_compile(
        c, WEIR_GBNF, bytes("root ::= \"a\""), NULL, NULL);
    assert_non_null(a);
    assert_ptr_equal(a, b);
    weir_grammar_free(a);
    weir_grammar_free(b);
    weir_compiler_free(c);
    weir_vocab_free(v);
}

/* FNV-1a 64 of ids as four bytes each, reckoned apart. */
static void hashes(void **state)
{
    (void)state;
    const int32_t none = 0, first = BIT(0), some = BIT(6) | BIT(7) | BIT(9);
    assert_true(weir_mask_hash(&none, 32) == 0xcbf29ce484222325u);
    assert_true(weir_mask_hash(&first, 32) == 0x4d25767f9dce13f5u);
    assert_true(weir_mask_hash(&some, 32) == 0x28ab7ced7a46de6du);
    assert_int_equal(weir_mask_count(&some, 32, NULL), 3);
}

/* ---- where systems disagree ---- */

/* Bytes, and left recursion, by default; the dialect refuses it. */
static void left_recursion(void **state)
{
    (void)state;
    static const char source[] = "root ::= root \"a\" | \"b\"";
    assert_true(takes(WEIR_GBNF, source, "baa"));
    assert_true(takes(WEIR_EBNF, source, "baa"));
    refused(WEIR_GBNF, WEIR_DIALECT_LLAMA_CPP, source);
}

/* Control tokens: text in the dialect, never by default; ends are neither. */
static void control_tokens(void **state)
{
    (void)state;
    static const char source[] = "root ::= \"<c>\" | \"</s>\" | \"a\"";
    weir_matcher *m = llama(source);
    assert_int_equal(mask_of(m), BIT(A) | BIT(CONTROL));
    weir_matcher_free(m);
    m = start(WEIR_GBNF, WEIR_DIALECT_DEFAULT, source);
    assert_int_equal(mask_of(m), BIT(A));
    weir_matcher_free(m);
}

/* Names, look-ahead and line ends differ between GBNF and EBNF. */
static void gbnf_and_ebnf(void **state)
{
    (void)state;
    static const char name[] = "root ::= a_b\na_b ::= \"x\"";
    assert_true(takes(WEIR_EBNF, name, "x"));
    refused(WEIR_GBNF, WEIR_DIALECT_DEFAULT, name);
    static const char lines[] = "root ::= \"x\"\n  | \"y\"";
    assert_true(takes(WEIR_EBNF, lines, "y"));
    refused(WEIR_GBNF, WEIR_DIALECT_DEFAULT, lines);
    static const char number[] = "root ::= 1\n1 ::= \"x\"";
    assert_true(takes(WEIR_GBNF, number, "x"));
    refused(WEIR_EBNF, WEIR_DIALECT_DEFAULT, number);
    static const char twice[] = "root ::= \"x\"\nroot ::= \"y\"";
    assert_true(takes(WEIR_GBNF, twice, "y"));
    refused(WEIR_EBNF, WEIR_DIALECT_DEFAULT, twice);
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ITEM("item 24, 116: free while thinking", thinking),
        ITEM("item 25, 119: nodes of a structural tag", tag_nodes),
        ITEM("item 26: regex as a format", tag_regex),
        ITEM("item 135, 164: stacks and open characters", stacks),
        ITEM("item 136: a state is data", relocatable),
        ITEM("item 137: references, left recursion, root", whole_grammar),
        ITEM("item 138: tokens as terminals", terminals),
        ITEM("item 139, 142: ends and empty pieces", ends),
        ITEM("item 140, 146, 147, 148: one candidate", one_candidate),
        ITEM("item 141: no stack left", no_stack_left),
        ITEM("item 143: repeats", repeats),
        ITEM("item 144, 164: errors say where", errors_say_where),
        ITEM("item 145: pieces and ends", vocabulary),
        ITEM("item 149: rules are shared", shared_rules),
        ITEM("item 150: hash of a mask", hashes),
        ITEM("item 191: left recursion", left_recursion),
        ITEM("item 192: control tokens", control_tokens),
        ITEM("item 194: GBNF and EBNF", gbnf_and_ebnf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
