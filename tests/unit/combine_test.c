/* combine_test.c: union and concatenation, against every short text.
 *
 * Each part comes with a few lines of C that say which texts are its. A union
 * must take what some part takes, a concatenation what can be cut into texts
 * of the parts.
 */
#include "unit/small_grammar.h"

#include <stdlib.h>

/* ---- parts ---- */

typedef bool (*Takes)(const char *text, size_t size);

static bool only_a(const char *s, size_t n) /* a* */
{
    while (n && *s == 'a') s++, n--;
    return !n;
}

static bool bs_then_a(const char *s, size_t n) /* b* a */
{
    while (n && *s == 'b') s++, n--;
    return n == 1 && *s == 'a';
}

static bool sum(const char *s, size_t n) /* a (+a)* */
{
    if (n % 2 == 0) return false;
    for (size_t i = 0; i < n; i++)
        if (s[i] != (i % 2 ? '+' : 'a')) return false;
    return true;
}

static bool ab_or_nothing(const char *s, size_t n)
{
    return !n || (n == 2 && s[0] == 'a' && s[1] == 'b');
}

static bool postfix(const char *s, size_t n) /* a (b+)*, (b+)+ */
{
    bool has_a = n && *s == 'a';
    if (has_a) s++, n--;
    if (n % 2 || (!has_a && !n)) return false;
    for (size_t i = 0; i < n; i++)
        if (s[i] != (i % 2 ? '+' : 'b')) return false;
    return true;
}

static bool letters(const char *s, size_t n) /* ([ab] +?){1,70} */
{
    if (!n || *s == '+') return false;
    for (size_t i = 1; i < n; i++)
        if (s[i] == '+' && s[i - 1] == '+') return false;
    return true;
}

typedef struct Part {
    const char *source;
    Takes takes;
} Part;

static const Part parts[] = {
    {"root ::= \"a\"*", only_a},
    {"root ::= \"b\" root | \"a\"", bs_then_a},
    {"root ::= root \"+\" \"a\" | \"a\"", sum},
    {"root ::= (\"a\" \"b\")?", ab_or_nothing},
    {"root ::= e\ne ::= f \"+\" | \"a\"\nf ::= e \"b\" | \"b\"", postfix},
    {"root ::= ([ab] \"+\"?){1,70}", letters},
};
enum { NPARTS = COUNT_OF(parts) };

static bool union_takes(const size_t *part, size_t count, const char *s,
                        size_t n)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any |= parts[part[i]].takes(s, n);
    return any;
}

static bool concat_takes(const size_t *part, size_t count, const char *s,
                         size_t n)
{
    if (count == 1) return parts[part[0]].takes(s, n);
    for (size_t cut = 0; cut <= n; cut++)
        if (parts[part[0]].takes(s, cut) &&
            concat_takes(part + 1, count - 1, s + cut, n - cut))
            return true;
    return false;
}

/* ---- judging ---- */

enum { LONGEST = 6 };

/* All texts of a, b and + as numbers to base 3. */
static void expect_language(weir_grammar *g, const size_t *part, size_t count,
                            bool is_union)
{
    assert_non_null(g);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    for (size_t size = 0, all = 1; size <= LONGEST; size++, all *= 3)
        for (size_t number = 0; number < all; number++) {
            char text[LONGEST + 1] = "";
            for (size_t i = 0, rest = number; i < size; i++, rest /= 3)
                text[i] = "ab+"[rest % 3];
            weir_matcher_reset(m);
            bool takes = !size || !weir_matcher_accept_bytes(
                                      m, (weir_bytes){text, size}, NULL);
            takes = takes && weir_matcher_is_completed(m);
            bool expected = is_union ? union_takes(part, count, text, size)
                                     : concat_takes(part, count, text, size);
            if (takes != expected)
                fail_msg("%s of %zu, %zu: '%s' is %s",
                         is_union ? "union" : "concat", part[0],
                         part[count - 1], text, takes ? "taken" : "refused");
        }
    weir_matcher_free(m);
}

static weir_grammar *compile_part(weir_vocab *v, size_t part)
{
    Mem mem = mem_from_env(NULL);
    return small_grammar(v, &mem, parts[part].source, NULL);
}

static void pairs(void **state)
{
    (void)state;
    for (size_t a = 0; a < NPARTS; a++)
        for (size_t b = 0; b < NPARTS; b++) {
            const size_t both[2] = {a, b};
            weir_grammar *part[2] = {compile_part(NULL, a),
                                     compile_part(NULL, b)};
            weir_grammar *u = weir_grammar_union(part, 2, NULL);
            weir_grammar *c = weir_grammar_concat(part, 2, NULL);
            weir_grammar_free(part[0]); /* no longer needed */
            weir_grammar_free(part[1]);
            expect_language(u, both, 2, true);
            expect_language(c, both, 2, false);
            weir_grammar_free(u);
            weir_grammar_free(c);
        }
}

/* One by one, the result being the next one's part, and all at once. */
static void many(void **state)
{
    (void)state;
    const size_t order[] = {2, 4, 0, 1, 2, 5, 3};
    for (int is_union = 0; is_union < 2; is_union++) {
        weir_grammar *all[COUNT_OF(order)], *grown = NULL;
        for (size_t i = 0; i < COUNT_OF(order); i++) {
            all[i] = compile_part(NULL, order[i]);
            weir_grammar *two[2] = {grown, all[i]};
            weir_grammar *next = !i         ? weir_grammar_retain(all[i])
                                 : is_union ? weir_grammar_union(two, 2, NULL)
                                            : weir_grammar_concat(two, 2, NULL);
            weir_grammar_free(grown);
            grown = next;
            if (i < 4) expect_language(grown, order, i + 1, is_union);
        }
        expect_language(grown, order, COUNT_OF(order), is_union);
        weir_grammar_free(grown);
        grown = is_union ? weir_grammar_union(all, COUNT_OF(order), NULL)
                         : weir_grammar_concat(all, COUNT_OF(order), NULL);
        expect_language(grown, order, COUNT_OF(order), is_union);
        weir_grammar_free(grown);
        for (size_t i = 0; i < COUNT_OF(order); i++) weir_grammar_free(all[i]);
    }
}

/* A union with itself, over and over, does not blow up. */
static void repeated(void **state)
{
    (void)state;
    const size_t part[] = {4};
    weir_grammar *g = compile_part(NULL, 4);
    for (int i = 0; i < 8; i++) {
        weir_grammar *twice[2] = {g, g};
        weir_grammar *u = weir_grammar_union(twice, 2, NULL);
        assert_non_null(u);
        weir_grammar_free(g);
        g = u;
    }
    expect_language(g, part, 1, true);
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(g, &info);
    assert_true(info.memory < 4 << 20);
    weir_grammar_free(g);
    /* one alone is itself */
    g = compile_part(NULL, 4);
    weir_grammar *u = weir_grammar_union(&g, 1, NULL);
    weir_grammar *c = weir_grammar_concat(&g, 1, NULL);
    expect_language(u, part, 1, true);
    expect_language(c, part, 1, true);
    weir_grammar_free(u);
    weir_grammar_free(c);
    weir_grammar_free(g);
}

/* ---- with a vocabulary ---- */

static weir_vocab *small_vocab(void)
{
    static const char *const text[] = {"a", "b", "+", "ab", "+a", "a+", "b+b"};
    weir_token tokens[COUNT_OF(text) + 1];
    for (size_t i = 0; i < COUNT_OF(text); i++)
        tokens[i] = (weir_token){small_bytes(text[i]), 0};
    tokens[COUNT_OF(text)] = (weir_token){small_bytes("</s>"), WEIR_TOKEN_STOP};
    return weir_vocab_new(NULL, tokens, COUNT_OF(tokens), NULL, NULL);
}

static int32_t mask_after(weir_grammar *g, const char *text)
{
    int32_t row[1] = {0};
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    if (!*text || !weir_matcher_accept_bytes(m, small_bytes(text), NULL))
        assert_int_not_equal(weir_matcher_fill(m, row), WEIR_FILL_ERROR);
    weir_matcher_free(m);
    return row[0];
}

/* After any text the mask of a union is both masks. */
static void masks_of_unions(void **state)
{
    (void)state;
    weir_vocab *v = small_vocab();
    const char *const after[] = {"", "a", "a+", "ab", "b", "b+", "a+a"};
    for (size_t a = 0; a < NPARTS; a++)
        for (size_t b = 0; b < NPARTS; b++) {
            weir_grammar *part[2] = {compile_part(v, a), compile_part(v, b)};
            weir_grammar *u = weir_grammar_union(part, 2, NULL);
            for (size_t i = 0; i < COUNT_OF(after); i++)
                assert_int_equal(mask_after(u, after[i]),
                                 mask_after(part[0], after[i]) |
                                     mask_after(part[1], after[i]));
            weir_grammar_free(u);
            weir_grammar_free(part[0]);
            weir_grammar_free(part[1]);
        }
    weir_vocab_free(v);
}

static void mixed_vocabularies_are_refused(void **state)
{
    (void)state;
    weir_error err;
    weir_vocab *v = small_vocab(), *w = small_vocab();
    weir_grammar *mixed[3] = {compile_part(v, 0), compile_part(v, 1),
                              compile_part(w, 0)};
    weir_grammar *bytes[2] = {mixed[0], compile_part(NULL, 0)};
    assert_null(weir_grammar_union(mixed, 3, &err));
    assert_int_equal(err.status, WEIR_MISMATCH);
    assert_string_equal(err.message, "grammar 2 is for another vocabulary");
    assert_null(weir_grammar_concat(bytes, 2, &err));
    assert_int_equal(err.status, WEIR_MISMATCH);
    assert_null(weir_grammar_concat(mixed, 0, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    for (int i = 0; i < 3; i++) weir_grammar_free(mixed[i]);
    weir_grammar_free(bytes[1]);
    weir_vocab_free(v);
    weir_vocab_free(w);
}

/* ---- as text ---- */

static void expect_ir(const weir_grammar *g, const char *expected)
{
    char text[1024];
    size_t size = weir_grammar_print(g, WEIR_PRINT_IR, text, sizeof text);
    assert_true(size < sizeof text);
    text[size] = 0;
    assert_string_equal(text, expected);
}

/* Rules keep their names, the second of a name gets a number; options that
 * name rules name the copies. */
static void rules_are_copied(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    weir_grammar *part[2] = {
        small_grammar(NULL, &mem, "root ::= a \"x\"\na ::= \"a\" a | \"b\"",
                      NULL),
        small_grammar(NULL, &mem,
                      "root ::= s\n"
                      "s[capture_hidden_body_rule_id=2,"
                      "capture_hidden_marker_rule_id=3] ::= a b\n"
                      "a ::= \"y\" a?\nb ::= \"z\"",
                      NULL)};
    weir_grammar *c = weir_grammar_concat(part, 2, NULL);
    assert_non_null(c);
    expect_ir(c, "root ::= root#2 root#3\n"
                 "root#2 ::= a \"x\"\n"
                 "a ::= \"b\" | \"a\" a\n"
                 "root#3 ::= s\n"
                 "s[frame, hidden_body=a#2, hidden_marker=b] ::= a#2 b\n"
                 "a#2 ::= \"y\" a#2?\n"
                 "b ::= \"z\"\n");
    weir_grammar_free(c);
    weir_grammar_free(part[0]);
    weir_grammar_free(part[1]);
}

static bool takes_text(weir_grammar *g, const char *text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    bool takes = !weir_matcher_accept_bytes(m, small_bytes(text), NULL) &&
                 weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return takes;
}

/* A schema borrows the rules of JSON from its vocabulary: one that has none
 * defines them, and what is printed is the same. */
static void borrowed_rules_are_defined(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{}", "{\"properties\":{\"a\":{\"maxLength\":3},\"b\":{}}}",
        "{\"items\":{\"type\":[\"number\",\"string\"]}}"};
    static char own[1 << 16], borrowed[1 << 16];
    weir_vocab *v = small_vocab();
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        weir_bytes source = small_bytes(schemas[i]);
        weir_grammar *part[2] = {
            weir_grammar_compile(v, WEIR_JSON_SCHEMA, source, NULL, NULL),
            compile_part(v, 0)};
        weir_grammar *g =
            weir_grammar_compile(NULL, WEIR_JSON_SCHEMA, source, NULL, NULL);
        size_t size = weir_grammar_print(g, WEIR_PRINT_IR, own, sizeof own);
        assert_true(size && size < sizeof own);
        assert_int_equal(weir_grammar_print(part[0], WEIR_PRINT_IR, borrowed,
                                            sizeof borrowed),
                         size);
        assert_memory_equal(own, borrowed, size);
        weir_grammar *both = weir_grammar_union(part, 2, NULL);
        assert_true(takes_text(both, "[1, \"x\"]"));
        assert_true(takes_text(both, "aa"));
        assert_false(takes_text(both, "[1, \"x]"));
        weir_grammar_free(both);
        weir_grammar_free(g);
        weir_grammar_free(part[0]);
        weir_grammar_free(part[1]);
    }
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(many),
        cmocka_unit_test(repeated),
        cmocka_unit_test(masks_of_unions),
        cmocka_unit_test(mixed_vocabularies_are_refused),
        cmocka_unit_test(rules_are_copied),
        cmocka_unit_test(borrowed_rules_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
