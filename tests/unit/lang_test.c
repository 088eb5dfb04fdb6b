/* lang_test.c: the algebra of regular languages against sets of strings.
 *
 * The oracle is a bit set of all strings of at most LONGEST letters over three
 * letters; each operation is computed on the sets by its definition. Random
 * expressions are built in both worlds and compared on every string, together
 * with the invariants of a Dfa. Fixed cases cover sizes, lists, printing,
 * budgets and lack of memory; their expectations are counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "lang/known.h"
#include "lang/lang.h"
#include "lang/nfa.h"
#include "unit/lang_kit.h"

/* ---- a context ---- */

static void world_close(World *w)
{
    arena_free(&w->arena);
}

/* ---- invariants ---- */

static void check_reach(const Dfa *a)
{
    uint32_t n = a->nstates;
    uint8_t *seen = calloc(n, 1), *live = calloc(n, 1);
    seen[0] = 1;
    for (int changed = 1; changed;) {
        changed = 0;
        for (uint32_t s = 0; s < n; s++)
            for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++) {
                uint32_t to = a->edges[e].to;
                if (seen[s] && !seen[to]) seen[to] = 1, changed = 1;
            }
        for (uint32_t s = 0; s < n; s++) {
            uint8_t is_live = a->accepts[s];
            for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++)
                is_live |= live[a->edges[e].to];
            if (is_live != live[s]) live[s] = is_live, changed = 1;
        }
    }
    for (uint32_t s = 0; s < n; s++) assert_true(seen[s] && live[s]);
    free(seen);
    free(live);
}

static void check_dfa(const Dfa *a)
{
    if (!a->nstates) return;
    assert_int_equal(a->edge_start[0], 0);
    for (uint32_t s = 0; s < a->nstates; s++) {
        assert_in_range(a->accepts[s], 0, 1);
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++) {
            DfaEdge x = a->edges[e];
            assert_true(x.lo <= x.hi && x.hi <= RUNE_MAX);
            assert_true(x.hi < 0xD800 || x.lo > 0xDFFF);
            assert_true(x.to < a->nstates);
            if (e == a->edge_start[s]) continue;
            DfaEdge before = a->edges[e - 1];
            assert_true(before.hi < x.lo);
            assert_false(before.to == x.to && before.hi + 1 == x.lo);
        }
    }
    check_reach(a);
}

/* ---- the oracle ---- */

enum { LETTERS = 3, LONGEST = 5, STRINGS = 364 };

/* Each letter stands for one class of code points; the third for many. */
static const char *const letter_text[LETTERS] = {"a", "b", "\xF0\x9F\x98\x80"};

typedef struct Word {
    int length;
    int letter[LONGEST];
} Word;
static Word words[STRINGS];

typedef struct Set {
    uint8_t has[STRINGS];
} Set;

static int word_index(const int *letter, int length)
{
    int index = 0;
    for (int i = 0; i < length; i++) index = index * LETTERS + letter[i] + 1;
    return index;
}

static void words_fill(void)
{
    for (int i = 0; i < STRINGS; i++) {
        int n = i, length = 0, back[LONGEST];
        for (; n; n = (n - 1) / LETTERS) back[length++] = (n - 1) % LETTERS;
        words[i].length = length;
        for (int k = 0; k < length; k++)
            words[i].letter[k] = back[length - 1 - k];
        assert_int_equal(word_index(words[i].letter, length), i);
    }
}

static Span word_text(int index, char *buffer)
{
    buffer[0] = 0;
    for (int k = 0; k < words[index].length; k++)
        strcat(buffer, letter_text[words[index].letter[k]]);
    return span_text(buffer);
}

static Set set_concat(const Set *a, const Set *b)
{
    Set out = {{0}};
    for (int i = 0; i < STRINGS; i++)
        for (int cut = 0; cut <= words[i].length; cut++)
            if (a->has[word_index(words[i].letter, cut)] &&
                b->has[word_index(words[i].letter + cut,
                                  words[i].length - cut)])
                out.has[i] = 1;
    return out;
}

static Set set_repeat(const Set *a, uint32_t lo, uint32_t hi)
{
    Set power = {{0}}, out = {{0}};
    power.has[0] = 1;
    for (uint32_t n = 0; n <= hi && n <= lo + LONGEST + 1; n++) {
        for (int i = 0; i < STRINGS; i++)
            if (n >= lo) out.has[i] |= power.has[i];
        power = set_concat(&power, a);
    }
    return out;
}

static Set set_reverse(const Set *a)
{
    Set out = {{0}};
    for (int i = 0; i < STRINGS; i++) {
        Word back = words[i];
        for (int k = 0; k < back.length; k++)
            back.letter[k] = words[i].letter[back.length - 1 - k];
        out.has[word_index(back.letter, back.length)] = a->has[i];
    }
    return out;
}

static Set set_shortest(const Set *a)
{
    Set out = *a;
    for (int i = 0; i < STRINGS; i++)
        for (int cut = 0; cut < words[i].length; cut++)
            if (a->has[word_index(words[i].letter, cut)]) out.has[i] = 0;
    return out;
}

typedef struct Both {
    const Dfa *dfa;
    Set set;
} Both;

static void check_both(World *w, const Both *b)
{
    char text[64];
    assert_int_equal(w->error.status, WEIR_OK);
    check_dfa(b->dfa);
    for (int i = 0; i < STRINGS; i++)
        if (lang_matches(b->dfa, word_text(i, text)) != b->set.has[i])
            fail_msg("string \"%s\": expected %d", text, b->set.has[i]);
}

/* ---- random expressions ---- */

static uint32_t seed = 12345;

static uint32_t draw(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

static Both draw_class(World *w)
{
    static const RuneRange range[LETTERS] = {
        {'a', 'a'}, {'b', 'b'}, {'c', RUNE_MAX}};
    RuneRange ranges[LETTERS];
    uint32_t count = 0, mask = draw(1 << LETTERS);
    Both out = {0};
    for (int k = 0; k < LETTERS; k++)
        if (mask >> k & 1) {
            ranges[count++] = range[k];
            out.set.has[word_index(&k, 1)] = 1;
        }
    out.dfa = lang_class(&w->ctx, ranges, count);
    return out;
}

static Both draw_texts(World *w)
{
    char buffer[3][64];
    Span texts[3];
    Both out = {0};
    uint32_t count = draw(4);
    for (uint32_t i = 0; i < count; i++) {
        int index = (int)draw(STRINGS);
        texts[i] = word_text(index, buffer[i]);
        out.set.has[index] = 1;
    }
    out.dfa = lang_texts(&w->ctx, texts, count);
    return out;
}

static Both combine(World *w, uint32_t op, const Both *a, const Both *b)
{
    Both out = {0};
    uint32_t lo = draw(3), hi = draw(3) ? lo + draw(3) : LANG_INF;
    for (int i = 0; i < STRINGS; i++) {
        int x = a->set.has[i], y = b->set.has[i];
        int one[] = {x | y, x & y, x & !y, !x};
        if (op < 4) out.set.has[i] = (uint8_t)one[op];
    }
    switch (op) {
    case 0:
        out.dfa = lang_unite(&w->ctx, a->dfa, b->dfa);
        break;
    case 1:
        out.dfa = lang_intersect(&w->ctx, a->dfa, b->dfa);
        break;
    case 2:
        out.dfa = lang_subtract(&w->ctx, a->dfa, b->dfa);
        break;
    case 3:
        out.dfa = lang_complement(&w->ctx, a->dfa);
        break;
    case 4:
        out.dfa = lang_concat(&w->ctx, a->dfa, b->dfa);
        out.set = set_concat(&a->set, &b->set);
        break;
    case 5:
        out.dfa = lang_repeat(&w->ctx, a->dfa, lo, hi);
        out.set = set_repeat(&a->set, lo, hi);
        break;
    case 6:
        out.dfa = lang_reverse(&w->ctx, a->dfa);
        out.set = set_reverse(&a->set);
        break;
    default:
        out.dfa = lang_shortest(&w->ctx, a->dfa);
        out.set = set_shortest(&a->set);
    }
    return out;
}

static void random_expressions_agree(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        World w;
        Both pool[8];
        world_open(&w, NULL);
        for (int i = 0; i < 4; i++)
            pool[i] = i & 1 ? draw_class(&w) : draw_texts(&w);
        for (int i = 4; i < 8; i++) {
            pool[i] = combine(&w, draw(8), &pool[draw((uint32_t)i)],
                              &pool[draw((uint32_t)i)]);
            check_both(&w, &pool[i]);
        }
        world_close(&w);
    }
}

/* Two ways to one language give one array; different sets, different ones. */
static void equal_languages_are_equal_arrays(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        World w;
        world_open(&w, NULL);
        LangCtx *c = &w.ctx;
        Both a = draw_texts(&w), b = draw_class(&w);
        a = combine(&w, draw(8), &a, &b);
        b = combine(&w, draw(8), &b, &a);
        const Dfa *na = lang_complement(c, a.dfa);
        const Dfa *nb = lang_complement(c, b.dfa);
        assert_true(lang_equal(a.dfa, lang_complement(c, na)));
        assert_true(lang_equal(lang_unite(c, a.dfa, b.dfa),
                               lang_complement(c, lang_intersect(c, na, nb))));
        assert_true(lang_equal(a.dfa, lang_reverse(c, lang_reverse(c, a.dfa))));
        assert_true(lang_equal(lang_all(), lang_unite(c, a.dfa, na)));
        assert_true(lang_is_none(lang_intersect(c, a.dfa, na)));
        if (memcmp(&a.set, &b.set, sizeof a.set))
            assert_false(lang_equal(a.dfa, b.dfa));
        assert_true(lang_is_subset(c, lang_shortest(c, a.dfa), a.dfa));
        assert_true(lang_is_subset(c, a.dfa, lang_prefixes(c, a.dfa)));
        assert_int_equal(lang_hash(a.dfa), lang_hash(lang_complement(
                                               c, lang_complement(c, a.dfa))));
        world_close(&w);
    }
}

/* However many texts there are, in whatever order, with common beginnings and
 * ends: one array, that of the union of each. */
static void texts_are_a_union(void **state)
{
    (void)state;
    enum { TEXTS = 12 };
    for (int round = 0; round < 300; round++) {
        World w;
        char buffer[TEXTS][64];
        Span texts[TEXTS];
        uint32_t count = draw(TEXTS + 1);
        world_open(&w, NULL);
        const Dfa *one_by_one = lang_none();
        for (uint32_t i = 0; i < count; i++) {
            texts[i] = word_text((int)draw(STRINGS), buffer[i]);
            one_by_one =
                lang_unite(&w.ctx, one_by_one, lang_text(&w.ctx, texts[i]));
        }
        assert_true(lang_equal(lang_texts(&w.ctx, texts, count), one_by_one));
        world_close(&w);
    }
}

/* Lists hold exactly the oracle's strings, shorter first, then in code point
 * order, which is the order of the oracle's numbers. */
static void lists_agree(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        World w;
        Span list[STRINGS + 1];
        char text[64];
        world_open(&w, NULL);
        Both a = draw_texts(&w), b = draw_texts(&w), c;
        c = combine(&w, draw(2) * 4, &a, &b);
        static const RuneRange letters[] = {{'a', 'b'}, {0x1F600, 0x1F600}};
        const Dfa *letter = lang_class(&w.ctx, letters, 2);
        const Dfa *bound = lang_repeat(&w.ctx, letter, 0, LONGEST);
        const Dfa *cut = lang_intersect(&w.ctx, c.dfa, bound);
        uint32_t n = lang_list(&w.ctx, cut, list, STRINGS + 1), k = 0;
        for (int i = 0; i < STRINGS; i++)
            if (c.set.has[i]) {
                assert_true(k < n);
                assert_true(span_equal(list[k++], word_text(i, text)));
            }
        assert_int_equal(k, n);
        LangSize size = lang_size(&w.ctx, cut);
        assert_true(size.is_finite);
        assert_int_equal(size.count, n);
        Span example;
        assert_int_equal(lang_example(&w.ctx, cut, &example), n > 0);
        if (n) assert_true(lang_matches(cut, example));
        world_close(&w);
    }
}

/* ---- fixed cases ---- */

static void sizes(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    LangCtx *c = &w.ctx;
    LangSize s = lang_size(c, lang_none());
    assert_true(s.is_finite && s.shortest == LANG_INF && !s.count);
    s = lang_size(c, lang_empty());
    assert_true(s.is_finite && !s.shortest && !s.longest && s.count == 1);
    s = lang_size(c, lang_any()); /* 0x110000 - 0x800 */
    assert_true(s.shortest == 1 && s.longest == 1 && s.count == 1112064);
    s = lang_size(c, lang_all());
    assert_true(!s.is_finite && !s.shortest && s.longest == LANG_INF);
    const RuneRange digit = {'0', '9'};
    const Dfa *digits = lang_class(c, &digit, 1);
    s = lang_size(c, lang_repeat(c, digits, 2, 4));
    assert_true(s.shortest == 2 && s.longest == 4);
    assert_int_equal(s.count, 100 + 1000 + 10000);
    s = lang_size(c, lang_length(c, 3, 100)); /* more than 64 bits */
    assert_true(s.is_finite && s.count == UINT64_MAX);
    s = lang_size(c, lang_length(c, 7, LANG_INF));
    assert_true(!s.is_finite && s.shortest == 7);
    Span list[3];
    assert_int_equal(lang_list(c, lang_length(c, 7, LANG_INF), list, 3), 3);
    assert_true(list[2].size == 7 && list[2].at[6] == 2);
    world_close(&w);
}

static void printed(void **state)
{
    (void)state;
    World w;
    char text[128];
    world_open(&w, NULL);
    Span both[] = {SPAN("ab"), SPAN("\xC3\xA9")};
    Out out = {text, sizeof text - 1, 0};
    lang_print(lang_texts(&w.ctx, both, 2), &out);
    text[out.size] = 0;
    assert_string_equal(text, "0: a>1 U+00E9>2\n1: b>2\n2*:\n");
    out.size = 0;
    lang_print(lang_none(), &out);
    text[out.size] = 0;
    assert_string_equal(text, "none\n");
    world_close(&w);
}

static void texts_that_are_not_utf8_are_nobodys(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    assert_true(lang_is_none(lang_text(&w.ctx, SPAN("a\xFF"))));
    assert_true(lang_is_none(lang_text(&w.ctx, SPAN("\xED\xA0\x80"))));
    assert_false(lang_matches(lang_all(), SPAN("\xED\xA0\x80")));
    assert_true(lang_matches(lang_all(), SPAN("\xF4\x8F\xBF\xBF")));
    world_close(&w);
}

/* (a|b)*a(a|b){n} has 2^(n+1) states; the budget must stop it early. */
static const Dfa *doubling(LangCtx *c, uint32_t n)
{
    RuneRange ab = {'a', 'b'};
    const Dfa *any = lang_class(c, &ab, 1);
    const Dfa *left = lang_concat(c, lang_repeat(c, any, 0, LANG_INF),
                                  lang_text(c, SPAN("a")));
    return lang_concat(c, left, lang_repeat(c, any, n, n));
}

static void budgets(void **state)
{
    (void)state;
    World w;
    weir_limits limits = {.max_states = 1000};
    world_open(&w, &limits);
    assert_int_equal(doubling(&w.ctx, 8)->nstates, 512);
    assert_true(lang_ok(&w.ctx));
    assert_true(lang_is_none(doubling(&w.ctx, 30)));
    assert_int_equal(w.error.status, WEIR_LIMIT_STATES);
    assert_true(lang_is_none(lang_complement(&w.ctx, lang_none())));
    world_close(&w);

    limits = (weir_limits){.max_work = 100000};
    world_open(&w, &limits);
    doubling(&w.ctx, 30);
    assert_int_equal(w.error.status, WEIR_LIMIT_WORK);
    world_close(&w);

    world_open(&w, NULL);
    const Dfa *many = lang_repeat(&w.ctx, lang_any(), 5000, 400000000);
    assert_true(lang_is_none(many));
    assert_int_equal(w.error.status, WEIR_LIMIT_STATES);
    world_close(&w);
}

/* ---- assertions, by hand ---- */

static RuneRange one(char c)
{
    return (RuneRange){(uint8_t)c, (uint8_t)c};
}

/* Everything that holds an 'a' with no 'b' right after it, and does not end
 * in 'c': .*a(?!b).*(?<!c)$ */
static const Dfa *guarded_example(LangCtx *ctx)
{
    Nfa n;
    RuneRange a = one('a'), b = one('b'), c = one('c');
    RuneRange any[] = {{0, 0xD7FF}, {0xE000, RUNE_MAX}};
    nfa_init(&n, ctx);
    uint32_t b0 = nfa_state(&n), b1 = nfa_state(&n);
    nfa_label(&n, b0, &b, 1, b1);
    uint32_t is_b = nfa_assertion(&n, b0, b1, false);
    uint32_t c0 = nfa_state(&n), c1 = nfa_state(&n);
    nfa_label(&n, c0, &c, 1, c1);
    uint32_t was_c = nfa_assertion(&n, c0, c1, true);
    uint32_t s1 = nfa_state(&n), s2 = nfa_state(&n), s3 = nfa_state(&n);
    nfa_label(&n, n.start, any, 2, n.start);
    nfa_label(&n, n.start, &a, 1, s1);
    nfa_edge(&n, s1, NFA_HOLDS_NOT, is_b, s2);
    nfa_label(&n, s2, any, 2, s2);
    nfa_edge(&n, s2, NFA_HOLDS_NOT, was_c, s3);
    nfa_edge(&n, s3, NFA_AT_END, 0, n.accept);
    return nfa_finish(&n);
}

static bool guarded_expected(const char *text)
{
    size_t n = strlen(text);
    bool has = false;
    for (size_t i = 0; i < n; i++) has |= text[i] == 'a' && text[i + 1] != 'b';
    return has && (!n || text[n - 1] != 'c');
}

static void assertions(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    const Dfa *d = guarded_example(&w.ctx);
    assert_int_equal(w.error.status, WEIR_OK);
    check_dfa(d);
    for (int i = 0; i < 4 * 4 * 4 * 4 * 4; i++) {
        char text[6] = {0};
        for (int k = 0, n = i; k < 5; k++, n /= 4) text[k] = "abcd"[n % 4];
        for (int size = 5; size >= 0; text[--size < 0 ? 0 : size] = 0)
            assert_int_equal(lang_matches(d, span_text(text)),
                             guarded_expected(text));
    }
    world_close(&w);
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

static void every_allocation_may_fail(void **state)
{
    (void)state;
    int allocations = 0;
    for (bool done = false; !done; allocations++) {
        Failing failing = {allocations};
        weir_env env = {sizeof env, failing_allocate, failing_resize,
                        failing_release, &failing};
        Mem mem = mem_from_env(&env);
        Arena arena;
        weir_error error = {0};
        LangCtx c;
        Span example, list[4];
        arena_init(&arena, &mem, 0);
        lang_init(&c, &mem, &arena, NULL, &error);
        const Dfa *d = lang_reverse(&c, doubling(&c, 3));
        d = lang_shortest(&c, lang_subtract(&c, d, guarded_example(&c)));
        lang_example(&c, d, &example);
        lang_list(&c, d, list, 4);
        lang_size(&c, d);
        done = lang_ok(&c);
        if (!done) assert_int_equal(error.status, WEIR_NO_MEMORY);
        arena_free(&arena);
    }
    assert_true(allocations > 100);
}

/* Each operation is done once; equal results are one Dfa, whatever made them. */
static void operations_are_remembered(void **state)
{
    (void)state;
    World w;
    LangKnown known;
    world_open(&w, NULL);
    known_init(&known, &w.ctx);
    const Span texts[] = {SPAN("ab"), SPAN("b"), SPAN("abc")};
    const Dfa *all = lang_texts(&w.ctx, texts, 3);
    const Dfa *some = lang_texts(&w.ctx, texts, 2);
    const Dfa *rest = known_subtract(&known, all, some);
    assert_true(lang_equal(rest, lang_text(&w.ctx, texts[2])));
    uint64_t work = w.ctx.work;
    assert_ptr_equal(known_subtract(&known, all, some), rest);
    assert_true(w.ctx.work == work);
    assert_ptr_equal(known_keep(&known, lang_text(&w.ctx, texts[2])), rest);
    const Dfa *both = known_intersect(&known, all, some);
    assert_ptr_equal(known_intersect(&known, some, all), both);
    assert_true(lang_equal(both, some));
    assert_ptr_not_equal(known_subtract(&known, some, all), rest);
    assert_ptr_equal(known_unite(&known, rest, both), known_keep(&known, all));
    known_free(&known);
    arena_free(&w.arena);
}

int main(void)
{
    words_fill();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_expressions_agree),
        cmocka_unit_test(equal_languages_are_equal_arrays),
        cmocka_unit_test(texts_are_a_union),
        cmocka_unit_test(lists_agree),
        cmocka_unit_test(sizes),
        cmocka_unit_test(printed),
        cmocka_unit_test(texts_that_are_not_utf8_are_nobodys),
        cmocka_unit_test(budgets),
        cmocka_unit_test(assertions),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(operations_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
