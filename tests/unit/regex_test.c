/* regex_test.c: regular expressions: what they match, what is refused where,
 * and what they are made of.
 *
 * The oracle is a matcher of a page: it works on the test's own trees, which
 * are printed as patterns, and follows ECMA-262's meaning position by
 * position. All trees of up to four nodes, and random larger ones, are
 * compared on all short texts, as whole match and as search. Tables hold
 * dialects, errors and the cases of public bug reports; what they expect comes
 * from the specifications and from Node, Python and Rust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/oracle.h"
#include "syntax/regex.h"

/* ---- compiling ---- */

typedef struct Compiled {
    Mem mem;
    Arena arena;
    weir_error error;
    LangCtx ctx;
    const Dfa *dfa;
    Ir ir;
    NodeId node;
} Compiled;

static void compile_dfa(Compiled *c, Span pattern, const RegexOpts *opts)
{
    arena_init(&c->arena, &c->mem, 0);
    lang_init(&c->ctx, &c->mem, &c->arena, NULL, &c->error);
    c->dfa = regex_dfa(&c->ctx, pattern, opts, NULL, NULL);
}

static void compile_ir(Compiled *c, Span pattern, const RegexOpts *opts,
                       const weir_limits *limits)
{
    ir_init(&c->ir, &c->mem, limits);
    RuleId root = ir_rule_new(&c->ir, SPAN("root"), 0);
    c->node = regex_compile(&c->ir, pattern, opts);
    ir_rule_set(&c->ir, root, c->node);
    c->ir.root = root;
}

static Compiled *compile(const char *pattern, RegexOpts opts)
{
    Compiled *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->mem = mem_from_env(NULL);
    compile_dfa(c, span_text(pattern), &opts);
    compile_ir(c, span_text(pattern), &opts, NULL);
    assert_int_equal(c->error.status, c->ir.error.status);
    return c;
}

static void compiled_free(Compiled *c)
{
    ir_free(&c->ir);
    arena_free(&c->arena);
    free(c);
}

static bool ir_matches(const Compiled *c, Span text)
{
    OracleText word = {0};
    assert_true(oracle_add_bytes(&word, text));
    return oracle_complete(&c->ir, c->ir.root, NULL, &word);
}

/* ---- the oracle ---- */

typedef enum Op {
    OP_LEAF,
    OP_STAR,
    OP_OPTIONAL,
    OP_SOME, /* {1,3}: a chain of states, of which the later allow less */
    OP_AHEAD,
    OP_NOT_AHEAD,
    OP_BEHIND,
    OP_NOT_BEHIND,
    OP_SEQ,
    OP_ALT
} Op;

typedef struct Tree {
    Op op;
    int leaf; /* index in leaf_text */
    struct Tree *left, *right;
} Tree;

static const char *const leaf_text[] = {"a", "b", "[^b]", "",
                                        "^", "$", "\\b",  "\\B"};
enum { LEAVES = 8, LONGEST = 4 };

static bool is_word_at(const char *text, int n, int i)
{
    return i >= 0 && i < n && text[i] != '-';
}

/* Ends of the leaf's matches that begin at i, as bits. */
static unsigned leaf_ends(int leaf, const char *text, int n, int i)
{
    bool boundary = is_word_at(text, n, i - 1) != is_word_at(text, n, i);
    unsigned here = 1u << i, next = i < n ? 2u << i : 0;
    switch (leaf) {
    case 0:
        return i < n && text[i] == 'a' ? next : 0;
    case 1:
        return i < n && text[i] == 'b' ? next : 0;
    case 2:
        return i < n && text[i] != 'b' ? next : 0;
    case 3:
        return here;
    case 4:
        return i == 0 ? here : 0;
    case 5:
        return i == n ? here : 0;
    case 6:
        return boundary ? here : 0;
    default:
        return boundary ? 0 : here;
    }
}

static unsigned tree_ends(const Tree *t, const char *text, int n, int i);

/* Ends of t's matches that begin at one of `starts`. */
static unsigned step(const Tree *t, const char *text, int n, unsigned starts)
{
    unsigned ends = 0;
    for (int i = 0; i <= n; i++)
        if (starts >> i & 1) ends |= tree_ends(t, text, n, i);
    return ends;
}

static bool holds_behind(const Tree *t, const char *text, int n, int i)
{
    for (int from = 0; from <= i; from++)
        if (tree_ends(t, text, n, from) >> i & 1) return true;
    return false;
}

static unsigned star_ends(const Tree *t, const char *text, int n, int i)
{
    unsigned ends = 1u << i;
    for (unsigned more; (more = ends | step(t, text, n, ends)) != ends;)
        ends = more;
    return ends;
}

static unsigned tree_ends(const Tree *t, const char *text, int n, int i)
{
    unsigned here = 1u << i, once;
    switch (t->op) {
    case OP_LEAF:
        return leaf_ends(t->leaf, text, n, i);
    case OP_STAR:
        return star_ends(t->left, text, n, i);
    case OP_OPTIONAL:
        return here | tree_ends(t->left, text, n, i);
    case OP_SOME:
        once = tree_ends(t->left, text, n, i);
        once |= step(t->left, text, n, once);
        return once | step(t->left, text, n, once);
    case OP_AHEAD:
        return tree_ends(t->left, text, n, i) ? here : 0;
    case OP_NOT_AHEAD:
        return tree_ends(t->left, text, n, i) ? 0 : here;
    case OP_BEHIND:
        return holds_behind(t->left, text, n, i) ? here : 0;
    case OP_NOT_BEHIND:
        return holds_behind(t->left, text, n, i) ? 0 : here;
    case OP_SEQ:
        return step(t->right, text, n, tree_ends(t->left, text, n, i));
    default:
        return tree_ends(t->left, text, n, i) | tree_ends(t->right, text, n, i);
    }
}

static void print_tree(const Tree *t, char *out)
{
    static const char *const open[] = {
        "", "(?:", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "", "(?:"};
    static const char *const close[] = {"",  ")*", ")?", "){1,3}", ")",
                                        ")", ")",  ")",  "",       ")"};
    strcat(out, open[t->op]);
    if (t->op == OP_LEAF) strcat(out, leaf_text[t->leaf]);
    if (t->left) print_tree(t->left, out);
    if (t->op == OP_ALT) strcat(out, "|");
    if (t->right) print_tree(t->right, out);
    strcat(out, close[t->op]);
}

enum { TEXTS = 121 };
static char texts[TEXTS][LONGEST + 1];

static void texts_fill(void)
{
    for (int i = 0; i < TEXTS; i++) {
        int n = i, size = 0;
        for (; n; n = (n - 1) / 3) texts[i][size++] = "ab-"[(n - 1) % 3];
    }
}

static void check_tree(const Tree *t)
{
    static unsigned number;
    char pattern[512] = "";
    print_tree(t, pattern);
    Compiled *whole = compile(pattern, (RegexOpts){0});
    Compiled *search = compile(pattern, (RegexOpts){.is_search = true});
    if (whole->error.status) fail_msg("%s: %s", pattern, whole->error.message);
    for (int k = 0; k < TEXTS; k++) {
        int n = (int)strlen(texts[k]);
        Span text = span_text(texts[k]);
        bool is_whole = tree_ends(t, texts[k], n, 0) >> n & 1;
        bool is_found = step(t, texts[k], n, (2u << n) - 1) != 0;
        if (lang_matches(whole->dfa, text) != is_whole)
            fail_msg("%s: whole '%s'", pattern, texts[k]);
        if (lang_matches(search->dfa, text) != is_found)
            fail_msg("%s: search '%s'", pattern, texts[k]);
        if (number++ % 16) continue;
        if (ir_matches(whole, text) != is_whole)
            fail_msg("%s: IR, whole '%s'", pattern, texts[k]);
        if (ir_matches(search, text) != is_found)
            fail_msg("%s: IR, search '%s'", pattern, texts[k]);
    }
    compiled_free(whole);
    compiled_free(search);
}

typedef struct List {
    Tree **at;
    int count;
} List;
static List trees[6]; /* by size */

static void list_add(List *list, Tree t)
{
    if (list->count % 1024 == 0)
        list->at =
            realloc(list->at, (size_t)(list->count + 1024) * sizeof *list->at);
    assert_non_null(list->at);
    list->at[list->count] = malloc(sizeof t);
    assert_non_null(list->at[list->count]);
    *list->at[list->count++] = t;
}

static void make_trees(int size)
{
    List *list = &trees[size];
    if (size == 1)
        for (int i = 0; i < LEAVES; i++) list_add(list, (Tree){.leaf = i});
    for (int k = 0; size > 1 && k < trees[size - 1].count; k++)
        for (int op = OP_STAR; op <= OP_NOT_BEHIND; op++)
            list_add(list, (Tree){.op = (Op)op, .left = trees[size - 1].at[k]});
    for (int left = 1; left < size - 1; left++)
        for (int i = 0; i < trees[left].count; i++)
            for (int k = 0; k < trees[size - 1 - left].count; k++)
                for (int op = OP_SEQ; op <= OP_ALT; op++)
                    list_add(list,
                             (Tree){.op = (Op)op,
                                    .left = trees[left].at[i],
                                    .right = trees[size - 1 - left].at[k]});
}

static void all_small_trees(void **state)
{
    (void)state;
    int step_size = getenv("WEIR_QUICK") ? 7 : 1;
    for (int size = 1; size <= 4; size++) {
        make_trees(size);
        for (int i = 0; i < trees[size].count; i++)
            if (size < 4 || i % step_size == 0) check_tree(trees[size].at[i]);
    }
    print_message("%d trees of up to 4 nodes\n",
                  trees[1].count + trees[2].count + trees[3].count +
                      trees[4].count);
}

static uint32_t seed = 2024;

static uint32_t draw(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

static Tree *random_tree(Arena *arena, int size)
{
    Tree *t = arena_new(arena, Tree);
    if (size <= 1) {
        t->leaf = (int)draw(LEAVES);
    } else if (size == 2 || draw(2)) {
        t->op = (Op)(OP_STAR + draw(OP_SEQ - OP_STAR));
        t->left = random_tree(arena, size - 1);
    } else {
        int left = 1 + (int)draw((uint32_t)size - 2);
        t->op = draw(3) ? OP_SEQ : OP_ALT;
        t->left = random_tree(arena, left);
        t->right = random_tree(arena, size - 1 - left);
    }
    return t;
}

static void random_large_trees(void **state)
{
    (void)state;
    int rounds = getenv("WEIR_QUICK") ? 300 : 3000;
    Mem mem = mem_from_env(NULL);
    for (int i = 0; i < rounds; i++) {
        Arena arena;
        arena_init(&arena, &mem, 0);
        check_tree(random_tree(&arena, 5 + (int)draw(10)));
        arena_free(&arena);
    }
}

/* ---- dialects ---- */

/* A row: what the pattern matches as a whole, and what it does not; texts
 * separated by blanks, "''" for the empty one. */
typedef struct MatchRow {
    const char *pattern, *accept, *reject;
    RegexOpts opts;
} MatchRow;

static void check_texts(const MatchRow *row, const Compiled *c,
                        const char *list, bool expected)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        Span text = span_of(list, n);
        if (span_equal(text, SPAN("''"))) text.size = 0;
        if (lang_matches(c->dfa, text) != expected)
            fail_msg("%s: '%.*s': expected %d", row->pattern, (int)text.size,
                     (const char *)text.at, expected);
        if (text.size <= ORACLE_MAX && ir_matches(c, text) != expected)
            fail_msg("%s: IR, '%.*s': expected %d", row->pattern,
                     (int)text.size, (const char *)text.at, expected);
        list += n + (list[n] == ' ');
    }
}

static void check_rows(const MatchRow *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Compiled *c = compile(rows[i].pattern, rows[i].opts);
        if (c->error.status)
            fail_msg("%s: %s", rows[i].pattern, c->error.message);
        check_texts(&rows[i], c, rows[i].accept, true);
        check_texts(&rows[i], c, rows[i].reject, false);
        compiled_free(c);
    }
}

#define ICASE               \
    {                       \
        .ignore_case = true \
    }
#define SEARCH            \
    {                     \
        .is_search = true \
    }
#define ECMA                  \
    {                         \
        .dialect = REGEX_ECMA \
    }
#define SETS                       \
    {                              \
        .dialect = REGEX_ECMA_SETS \
    }
#define SETS_ICASE                                      \
    {                                                   \
        .dialect = REGEX_ECMA_SETS, .ignore_case = true \
    }

static void lenient_spellings(void **state)
{
    (void)state;
    static const MatchRow rows[] = {
        /* Rust's and Python's */
        {"(?P<year>\\d{4})-(?<m>\\d\\d)", "2024-05", "24-05 2024-5", {0}},
        {"\\Aab\\z", "ab", "Aabz a", {0}},
        {"\\Aab\\Z", "ab", "AabZ", {0}},
        {"a\\Ab", "", "ab aAb", {0}},
        {"\\x{e9}\\u{1F600}\\U0001F600\\U{41}", "é😀😀A", "e", {0}},
        {"\\pL\\PL", "a1 é-", "aa 11", {0}},
        {"\\p{greek}\\p{Script=Latin}\\p{lowercase letter}", "αaa", "aaa", {0}},
        {"(?i)stop|(?-i:Go)", "STOP stop Go", "go GO", {0}},
        {"a(?i)b|c", "ab aB c C", "Ab", {0}},
        {"(a(?i)b)c", "abc aBc", "abC", {0}},
        {"(?i:a)b", "ab Ab", "aB", {0}},
        {"(?s:.)(?s).", "ab", "a", {0}},
        {"(?x) a b # a comment )\n c\\ ?[ ]?", "abc", "ab", {0}},
        {"(?#note)a(?#(b)*", "a aa ''", "b", {0}},
        {"(?U)a*?", "'' aaa", "b", {0}},
        {"\\a", "\a", "a", {0}},
        /* Annex B, where the u flag has an error */
        {"]{}", "]{}", "", {0}},
        {"a{,2}", "a{,2}", "a aa ''", {0}},
        {"x{a}{2", "x{a}{2", "xx", {0}},
        {"\\07\\012?", "\a", "07", {0}},
        {"[\\w-z]", "a - z _", "+", {0}},
        {"(?=a)*b", "b", "ab", {0}},
        {"(?=a){0,1}a", "a", "b", {0}},
        /* the character itself */
        {"\\y\\@\\-\\é", "y@-é", "", {0}},
        {"[\\y\\-\\]]", "y - ]", "\\", {0}},
        /* lazy marks */
        {"a+?b*?c??", "a abc aab", "'' b", {0}},
        {"[]", "", "'' a ]", {0}},
        {"[^]", "a \n é", "'' aa", {0}},
        {"\\uD83D\\uDE00+", "😀 😀😀", "", {0}},
        {"[\\uD83D\\uDE00]", "😀", "", {0}},
        {"[^\\uD800-\\uDFFF]", "a 😀", "''", {0}},
        {"\\uD800|a", "a", "''", {0}},
        {".", "a é 😀 \t", "\n \r '' \u2028 \u2029 ab", {0}},
        {".", "a \n \u2028", "''", {.dot_all = true}},
        {"\\s", "\t \v \f \u00A0 \uFEFF \u2003 \u2028", "a \u200B", {0}},
        {"\\d\\w", "1a 9_ 00", "a1 ٣a 1é", {0}},
        {"\\d\\w", "1a ٣a 1é 1字", "a1", {.unicode_classes = true}},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void ignoring_case(void **state)
{
    (void)state;
    static const MatchRow rows[] = {
        {"straße", "straße STRAßE straẞe", "STRASSE", ICASE},
        {"k[s]", "ks KS \u212As K\u017F", "k", ICASE},
        {"[^k]", "a é", "k K \u212A", ICASE},
        {"\\w", "a Z \u017F \u212A _", "é -", ICASE},
        {"\\W", "é -", "a \u017F \u212A", ICASE},
        {"σ", "σ ς Σ", "s", ICASE},
        {"\\p{Lu}", "a A é É", "1", ICASE},
        {"[a-z]+", "aZ \u212A", "1", ICASE},
        {"\u017F",
         "\u017F",
         "s S",
         {.dialect = REGEX_ECMA, .ignore_case = true}},
        {"µ", "µ μ Μ", "u", {.dialect = REGEX_ECMA, .ignore_case = true}},
        /* v folds operands first, and negates within what is folded */
        {"[\\w--k]", "a _", "k K \u212A", SETS_ICASE},
        {"\\P{Lu}", "1 -", "a A", SETS_ICASE},
        {"[^\\P{Lu}]", "a A", "1 -", SETS_ICASE},
        {"[[a-z]--[aeiou]--b]", "c C", "b B e E", SETS_ICASE},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void strict_dialects(void **state)
{
    (void)state;
    static const MatchRow rows[] = {
        {"\\A\\z\\a\\p{L}", "Azap{L}", "", ECMA},
        {"\\u{2}x{2}", "uuxx", "", ECMA},
        {"\\c\\cA", "\\c\001", "", ECMA},
        {"[\\c1]", "\021", "c 1", ECMA},
        {"\\1\\8", "\0018", "", ECMA},
        {"[a-z&&[^aeiou]]", "a] &] []", "a b", {0}},
        {"[[a-z]&&[^aeiou]]", "b z", "a &", SETS},
        {"[\\p{L}--[a-z]]", "A é", "a 1", SETS},
        {"[^[ab][cd]]", "e", "a d", SETS},
        {"[a-c\\-_]", "b - _", "d", SETS},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void anchored_and_searching(void **state)
{
    (void)state;
    static const MatchRow rows[] = {
        {"b", "b ab ba aba", "a ''", SEARCH},
        {"^b", "b ba", "ab", SEARCH},
        {"b$", "b ab", "ba", SEARCH},
        {"^b$", "b", "ab ba", SEARCH},
        {"^a|b$", "a ax b xb", "xa bx", SEARCH},
        {"(^a|b)c", "ac acx xbc bc", "xac", SEARCH},
        {"(a|b$)", "a xay xb b", "bx", SEARCH},
        {"(?:^|,)a(?:,|$)", "a a, ,a x,a,y", "xa ax", SEARCH},
        {"^(?:a|^b)$", "a b", "ab", SEARCH},
        {"x*^b$y*", "b", "xb by", {0}},
        {"a^b|a$b", "", "ab", {0}},
        {"(^a)*$", "'' a", "aa", {0}},
        {"(^a|b)+", "ab bbb abb", "ba", {0}},
        {"", "'' a ab", "", SEARCH},
        {"\\bword\\b", "word a-word-b", "words sword", SEARCH},
        {"^x",
         "x a\nx",
         "ax",
         {.is_search = true, .multi_line = true, .dot_all = true}},
        {"x$", "x x\na", "xa", {.is_search = true, .multi_line = true}},
    };
    check_rows(rows, COUNT_OF(rows));
}

static void assertions(void **state)
{
    (void)state;
    static const MatchRow rows[] = {
        {"^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,64}$",
         "aB345678 xxxxxxY1",
         "ab345678 aB34567 ABCDEFG1",
         {0}},
        {"(?!foo)[a-z]+", "bar fo ofoo", "foo food", {0}},
        {"(?!.*foo).*", "bar fo", "foo xfoox", {0}},
        {"[a-z]+(?<!end)", "en ending", "end xend", {0}},
        {"(?<=^|-)\\d+(?=-|$)", "12", "a", {0}},
        {"(?:(?<=a)b|(?<=b)a|^.)*", "abab baba", "abb", {0}},
        {"(?=(?!a)[a-c]+$)\\w*", "bca c", "abc bd", {0}},
        {"(?<=(?<!a)b)c|.*", "abc c", "", {0}},
        {"\\w+(?<=(?=c)c)d?", "abc c", "abd", {0}},
        {"a(?=b(?<=ab))b", "ab", "b", {0}},
        {"(?<=a(?=b))b", "", "ab b", {0}},
        {"(?<=a(?=b))b", "ab aab", "b bb", SEARCH},
        {"(?<!a(?!b))b", "b ab cb", "", SEARCH},
        {"(?:\\B.\\B)*", "", "ab", {0}},
        {"\\b", "", "''", {0}},
        {"\\B", "''", "a", {0}},
    };
    check_rows(rows, COUNT_OF(rows));
}

/* ---- public bug reports ---- */

static char *repeated_text(const char *unit, int times, const char *end)
{
    char *out = calloc(1, strlen(unit) * (size_t)times + strlen(end) + 1);
    assert_non_null(out);
    for (int i = 0; i < times; i++) strcat(out, unit);
    return strcat(out, end);
}

static void check_ir(const char *pattern, const char *const *accept,
                     const char *const *reject)
{
    Compiled c = {.mem = mem_from_env(NULL)};
    compile_ir(&c, span_text(pattern), NULL, NULL);
    assert_int_equal(c.ir.error.status, WEIR_OK);
    for (; *accept; accept++) assert_true(ir_matches(&c, span_text(*accept)));
    for (; *reject; reject++) assert_false(ir_matches(&c, span_text(*reject)));
    ir_free(&c.ir);
}

/* Case compile-timeout: 2^18 states and more if determinised. */
static void case_compile_timeout(void **state)
{
    (void)state;
    check_ir("((a|b)*a(a|b){18}c)|((a|b)*b(a|b){18}d)",
             (const char *const[]){"aaaaaaaaaaaaaaaaaaac",
                                   "bbbbbbbbbbbbbbbbbbbd",
                                   "baabababababababababc", NULL},
             (const char *const[]){"aaaaaaaaaaaaaaaaaaa", "c",
                                   "abbbbbbbbbbbbbbbbbc", NULL});
}

/* Case lazy-optional-blocks-regex. */
static void case_lazy_optional_blocks(void **state)
{
    (void)state;
    char *pattern =
        repeated_text("(A: x\\n(\\n|[^`].*?\\n)*`\\n)?", 8, "END\\n");
    check_ir(pattern,
             (const char *const[]){"END\n", "A: x\nfoo\n\nbar\n`\nEND\n",
                                   "A: x\n`\nA: x\n`\nEND\n", NULL},
             (const char *const[]){"A: x\nfoo\nEND\n", "END", "", NULL});
    free(pattern);
}

/* Case stop-regex-in-token. */
static void case_stop_regex_in_token(void **state)
{
    (void)state;
    static const MatchRow row = {"[^\"]*\"", "test\"", "test\", test", {0}};
    check_rows(&row, 1);
}

typedef struct ErrorRow {
    const char *pattern;
    weir_status status;
    uint32_t begin, end;
    RegexOpts opts;
} ErrorRow;

static void check_error(const ErrorRow *row)
{
    Compiled *c = compile(row->pattern, row->opts);
    if (c->error.status != row->status || c->error.begin != row->begin ||
        c->error.end != row->end)
        fail_msg("%s: found %s [%u,%u) %s", row->pattern,
                 weir_status_name(c->error.status), c->error.begin,
                 c->error.end, c->error.message);
    assert_int_equal(c->ir.error.begin, row->begin);
    assert_string_equal(c->ir.error.message, c->error.message);
    assert_int_equal(c->node, NODE_NEVER_ID);
    compiled_free(c);
}

/* Case regex-quantifier-nothing, in the dialect of the report and ours. All
 * but two are refused by ECMA-262; "a|*" too. */
static void case_quantifier_nothing(void **state)
{
    (void)state;
    for (int d = REGEX_LENIENT; d <= REGEX_ECMA; d++) {
        RegexOpts o = {.dialect = (RegexDialect)d};
        ErrorRow rows[] = {
            {"*a", WEIR_SYNTAX, 0, 1, o},   {"+", WEIR_SYNTAX, 0, 1, o},
            {"a|*", WEIR_SYNTAX, 2, 3, o},  {"(?:)*+?", WEIR_SYNTAX, 4, 6, o},
            {"^*", WEIR_SYNTAX, 1, 2, o},   {"(?<=x)*a", WEIR_SYNTAX, 6, 7, o},
            {"{2}a", WEIR_SYNTAX, 0, 1, o}, {"a**", WEIR_SYNTAX, 2, 3, o},
        };
        for (size_t i = 0; i < COUNT_OF(rows); i++) check_error(&rows[i]);
    }
}

/* Case regex-deep-nesting, at 40, 9,000 and 100,000 levels. */
static void case_deep_nesting(void **state)
{
    (void)state;
    static const int depths[] = {40, 9000, 100000};
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        char *open = repeated_text("(", depths[i], "a");
        char *pattern = malloc(strlen(open) + (size_t)depths[i] + 1);
        assert_non_null(pattern);
        strcpy(pattern, open);
        memset(pattern + strlen(open), ')', (size_t)depths[i]);
        pattern[strlen(open) + (size_t)depths[i]] = 0;
        Compiled *c = compile(pattern, (RegexOpts){0});
        if (depths[i] > 10000) {
            assert_int_equal(c->error.status, WEIR_LIMIT_DEPTH);
            assert_int_equal(c->error.begin, 10000);
        } else {
            assert_true(ir_matches(c, SPAN("a")));
            assert_false(ir_matches(c, SPAN("aa")));
            assert_false(ir_matches(c, SPAN("")));
        }
        compiled_free(c);
        free(open);
        free(pattern);
    }
}

/* ---- errors ---- */

#define STRICT                        \
    {                                 \
        .dialect = REGEX_ECMA_UNICODE \
    }

static void errors_have_places(void **state)
{
    (void)state;
    static const ErrorRow rows[] = {
        {"ab(c", WEIR_SYNTAX, 2, 3, {0}},
        {"ab)c", WEIR_SYNTAX, 2, 3, {0}},
        {"a[bc", WEIR_SYNTAX, 1, 2, {0}},
        {"a[z-a]", WEIR_SYNTAX, 2, 5, {0}},
        {"a{3,2}", WEIR_SYNTAX, 1, 6, {0}},
        {"a\\", WEIR_SYNTAX, 1, 2, {0}},
        {"(a)b\\1", WEIR_UNSUPPORTED, 4, 6, {0}},
        {"(a)b\\12", WEIR_SYNTAX, 4, 7, {0}},
        {"(?<n>a)\\k<n>", WEIR_UNSUPPORTED, 7, 12, {0}},
        {"(?P<n>a)(?P=n)", WEIR_UNSUPPORTED, 8, 12, {0}},
        {"(?>a)", WEIR_UNSUPPORTED, 0, 3, {0}},
        {"(?(1)a)", WEIR_UNSUPPORTED, 0, 3, {0}},
        {"(?q)", WEIR_SYNTAX, 0, 3, {0}},
        {"a*+", WEIR_SYNTAX, 1, 3, {0}},
        {"\\p{Nope}", WEIR_SYNTAX, 0, 8, {0}},
        {"\\p{L", WEIR_SYNTAX, 0, 4, {0}},
        {"\\u{110000}", WEIR_SYNTAX, 0, 9, {0}},
        {"é\xFF", WEIR_SYNTAX, 2, 3, {0}},
        {"a{4294967295}", WEIR_UNSUPPORTED, 1, 13, {0}},
        {"(?#", WEIR_SYNTAX, 0, 3, {0}},
        {"\\A", WEIR_SYNTAX, 0, 2, STRICT},
        {"a]", WEIR_SYNTAX, 1, 2, STRICT},
        {"a{", WEIR_SYNTAX, 1, 2, STRICT},
        {"(?=a)*", WEIR_SYNTAX, 5, 6, STRICT},
        {"(?P<n>a)", WEIR_SYNTAX, 0, 3, STRICT},
        {"(?i)a", WEIR_SYNTAX, 0, 4, STRICT},
        {"[\\d-z]", WEIR_SYNTAX, 1, 5, STRICT},
        {"[a&&b--c]", WEIR_SYNTAX, 5, 7, SETS},
        {"[\\q{ab}]", WEIR_UNSUPPORTED, 1, 3, SETS},
        {"[(]", WEIR_SYNTAX, 1, 2, SETS},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) check_error(&rows[i]);
}

static void places_are_moved_by_the_offset(void **state)
{
    (void)state;
    Compiled *c = compile("a\\y**", (RegexOpts){.offset = 100});
    assert_int_equal(c->error.begin, 104);
    assert_int_equal(c->error.end, 105);
    assert_string_equal(c->error.message,
                        "found the repeat '*', expected something to repeat "
                        "before it");
    compiled_free(c);
    c = compile("a\\y", (RegexOpts){.offset = 100});
    assert_int_equal(c->ir.warnings.count, 1);
    assert_int_equal(c->ir.warnings.at[0].begin, 101);
    assert_int_equal(c->ir.warnings.at[0].end, 103);
    compiled_free(c);
}

static void warnings(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        unsigned count;
    } rows[] = {{"\\y\\h", 2},  {"\\.\\-\\@", 0},   {"[]", 1},    {"a{,2}", 1},
                {"\\uD800", 1}, {"[[:alpha:]]", 1}, {"(?u)a", 1}, {"a{", 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Compiled *c = compile(rows[i].pattern, (RegexOpts){0});
        assert_int_equal(c->error.status, WEIR_OK);
        assert_int_equal(c->ir.warnings.count, rows[i].count);
        compiled_free(c);
    }
}

/* ---- limits ---- */

static weir_status limited(const char *pattern, weir_limits limits)
{
    Compiled c = {.mem = mem_from_env(NULL)};
    compile_ir(&c, span_text(pattern), NULL, &limits);
    weir_status status = c.ir.error.status;
    ir_free(&c.ir);
    return status;
}

static void limits_end_in_errors(void **state)
{
    (void)state;
    weir_limits none = {0};
    assert_int_equal(limited("(?!b)(.*a.{30})", none), WEIR_LIMIT_STATES);
    assert_int_equal(limited("(?!x)a{9,400000000}", none), WEIR_LIMIT_STATES);
    assert_int_equal(limited("(?=a)((a{999}){999}){999}", none),
                     WEIR_LIMIT_STATES);
    assert_int_equal(limited("(?!b)a", (weir_limits){.max_work = 150}),
                     WEIR_LIMIT_WORK);
    assert_int_equal(limited("abc", (weir_limits){.max_source = 2}),
                     WEIR_LIMIT_BYTES);
    assert_int_equal(limited("((a))", (weir_limits){.max_depth = 1}),
                     WEIR_LIMIT_DEPTH);
    assert_int_equal(limited("((a))", (weir_limits){.max_depth = 2}), WEIR_OK);
    assert_int_equal(limited("((a{999}){999}){999}", none), WEIR_OK);
}

static void work_may_be_shared(void **state)
{
    (void)state;
    Compiled c = {.mem = mem_from_env(NULL)};
    uint64_t work = 60000, before = work;
    RegexOpts opts = {.work = &work};
    ir_init(&c.ir, &c.mem, NULL);
    for (int i = 0; ir_ok(&c.ir); i++) {
        regex_compile(&c.ir, SPAN("(?!ab)\\w+"), &opts);
        assert_true(work < before);
        before = work;
        assert_true(i < 1000);
        if (!work) break;
    }
    assert_int_equal(c.ir.error.status, WEIR_LIMIT_WORK);
    ir_free(&c.ir);
}

/* ---- what patterns are made of ---- */

static void check_printed(const char *pattern, RegexOpts opts,
                          const char *expected)
{
    Compiled c = {.mem = mem_from_env(NULL)};
    char text[512];
    Out out = {text, sizeof text - 1, 0};
    compile_ir(&c, span_text(pattern), &opts, NULL);
    assert_int_equal(c.ir.error.status, WEIR_OK);
    ir_print_node(&c.ir, c.node, &out);
    assert_true(out.size < sizeof text);
    text[out.size] = 0;
    assert_string_equal(text, expected);
    ir_free(&c.ir);
}

static void plain_patterns_are_plain_nodes(void **state)
{
    (void)state;
    RegexOpts whole = {0}, search = SEARCH;
    check_printed("^ab{2,3}(?:c|[d-f]+)?$", whole,
                  "\"a\" \"b\"{2,3} (\"c\" | [d-f]+)?");
    check_printed("x{1,1000000}", whole, "\"x\"{1,1000000}");
    check_printed("^ab|cd$", search, "\"ab\" [^]* | [^]* \"cd\"");
}

/* Only what an assertion touches is determinised. */
static void assertions_stay_local(void **state)
{
    (void)state;
    RegexOpts whole = {0};
    check_printed("a{1,100000}(?!b)c?|d{7}", whole,
                  "\"a\"{1,100000} regular(0! [c]>1; 1!) | \"d\"{7}");
    check_printed("c?(?<!b)a{1,100000}", whole,
                  "regular(0! [c]>1; 1!) \"a\"{1,100000}");
}

/* A look-ahead that never comes true in a long chain: b{0,1000} is left. */
/* Repeats that overlap themselves: all that matters of the places where a copy
 * may have begun is the latest; their sets are 2^60. */
static void overlapping_repeats(void **state)
{
    static const char *const patterns[] = {
        "(?:[ab]{1,60}b)+(?!c)",
        "(?:[ab]{1,60}b)+",
        "(?=(?:[ab]{1,60}b)+$)[abc]*",
        "(?!(?![ab]{0,60}b)[^])(?:[ab]{1,60}b)+(?<!a)",
    };
    char text[122];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        Compiled *c = compile(patterns[i], (RegexOpts){0});
        assert_int_equal(c->error.status, WEIR_OK);
        memset(text, 'a', sizeof text);
        text[60] = text[121] = 'b';
        assert_true(lang_matches(c->dfa, span_of(text, 61)));
        assert_true(lang_matches(c->dfa, span_of(text, 122)));
        assert_false(lang_matches(c->dfa, span_of(text + 60, 62)));
        assert_true(lang_matches(c->dfa, span_of(text + 61, 61)));
        compiled_free(c);
    }
}

static void expect_same(const char *pattern, RegexLength length,
                        const char *plain)
{
    Compiled *c = compile(pattern, (RegexOpts){0});
    Compiled *p = compile(plain, (RegexOpts){0});
    assert_int_equal(c->error.status, WEIR_OK);
    assert_int_equal(p->error.status, WEIR_OK);
    const Dfa *want = lang_intersect(
        &p->ctx, p->dfa, lang_length(&p->ctx, length.lo, length.hi));
    if (!lang_equal(c->dfa, want)) fail_msg("%s", pattern);
    assert_int_equal(ir_node(&c->ir, c->node).kind, NODE_BOUNDED);
    RegexLength got = {0, LANG_INF};
    RegexOpts opts = {.length = &got};
    const Dfa *rest = regex_dfa(&c->ctx, span_text(pattern), &opts, NULL, NULL);
    assert_int_equal(got.lo, length.lo);
    assert_int_equal(got.hi, length.hi);
    rest = lang_intersect(&c->ctx, rest, lang_length(&c->ctx, got.lo, got.hi));
    assert_true(lang_equal(c->dfa, rest));
    compiled_free(c);
    compiled_free(p);
}

static void lengths_are_counted_apart(void **state)
{
    (void)state;
    expect_same("^(?=.{1,60}$)([a-z]{1,20}\\.){1,30}[a-z]+$",
                (RegexLength){1, 60}, "([a-z]{1,20}\\.)+[a-z]+");
    expect_same("^(?=^[^]{3,40}$)(a|bc)*$", (RegexLength){3, 40}, "(a|bc)*");
    expect_same("^(?=.*\\d)(?=.*[a-z]).{8,64}$", (RegexLength){8, 64},
                "(?=.*\\d)(?=.*[a-z]).*");
    expect_same("(?!a)(?=[ab]{0,50}$)(?=.{2,40}$)[^]*(?<!b)",
                (RegexLength){2, 40}, "(?!a)[ab]*(?<!b)");
    /* a copy of two characters or more has room 20 times in 40: the maximum
       of 33 says nothing, that of 19 does */
    expect_same("(?=.{0,40}$)(?:aa|bbb){0,33}", (RegexLength){0, 40},
                "(?:aa|bbb)*");
    Compiled *c = compile("(?=.{0,80}$)(?:aa|bbb){0,39}", (RegexOpts){0});
    char text[82];
    memset(text, 'a', sizeof text);
    assert_true(lang_matches(c->dfa, span_of(text, 78)));
    assert_false(lang_matches(c->dfa, span_of(text, 80)));
    compiled_free(c);
}

static void long_chains_of_assertions(void **state)
{
    (void)state;
    Compiled *c = compile("(?:(?=a)|b){1000}", (RegexOpts){0});
    assert_int_equal(c->error.status, WEIR_OK);
    assert_int_equal(c->dfa->nstates, 1001);
    compiled_free(c);
}

/* ---- lack of memory ---- */

typedef struct Failing {
    int left;
} Failing;

static void *failing_allocate(void *user, size_t nbytes)
{
    Failing *f = user;
    return f->left-- > 0 ? malloc(nbytes) : NULL;
}

static void *failing_resize(void *user, void *p, size_t old, size_t nbytes)
{
    Failing *f = user;
    (void)old;
    return f->left-- > 0 ? realloc(p, nbytes) : NULL;
}

static void failing_release(void *user, void *p, size_t nbytes)
{
    (void)user;
    (void)nbytes;
    free(p);
}

static void fail_each_allocation(const char *pattern, RegexOpts opts)
{
    for (int allowed = 0;; allowed++) {
        Failing failing = {allowed};
        weir_env env = {sizeof env, failing_allocate, failing_resize,
                        failing_release, &failing};
        Compiled c = {.mem = mem_from_env(&env)};
        compile_ir(&c, span_text(pattern), &opts, NULL);
        weir_status status = c.ir.error.status;
        if (status) assert_int_equal(status, WEIR_NO_MEMORY);
        ir_free(&c.ir);
        if (!status) return;
        assert_true(allowed < 10000);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    fail_each_allocation("(?i)^(?=.*\\d)[^k-z\\s]+(?:ab|\\p{Lu}){2,}"
                         "(?<!x\\b)\\y$|b",
                         (RegexOpts){.is_search = true});
    fail_each_allocation("[[a-z]&&[^aeiou]]|[\\w--[a-k]]",
                         (RegexOpts)SETS_ICASE);
}

int main(void)
{
    texts_fill();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_trees),
        cmocka_unit_test(random_large_trees),
        cmocka_unit_test(lenient_spellings),
        cmocka_unit_test(ignoring_case),
        cmocka_unit_test(strict_dialects),
        cmocka_unit_test(anchored_and_searching),
        cmocka_unit_test(assertions),
        cmocka_unit_test(case_compile_timeout),
        cmocka_unit_test(case_lazy_optional_blocks),
        cmocka_unit_test(case_stop_regex_in_token),
        cmocka_unit_test(case_quantifier_nothing),
        cmocka_unit_test(case_deep_nesting),
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(places_are_moved_by_the_offset),
        cmocka_unit_test(warnings),
        cmocka_unit_test(limits_end_in_errors),
        cmocka_unit_test(work_may_be_shared),
        cmocka_unit_test(plain_patterns_are_plain_nodes),
        cmocka_unit_test(assertions_stay_local),
        cmocka_unit_test(overlapping_repeats),
        cmocka_unit_test(lengths_are_counted_apart),
        cmocka_unit_test(long_chains_of_assertions),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
