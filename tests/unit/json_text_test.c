/* json_text_test.c: spellings inside JSON strings against a decoder written
 * for this test.
 *
 * Random languages are spelled, and every string over a random alphabet is
 * tried as far as either side can still accept it (or the first 20,000): it
 * must be accepted iff the decoder, a direct reading of RFC 8259, finds a text
 * of the language in it and every escape is one that the mode allows. With
 * ticks, these must be 1 wherever the decoder has whole characters. Languages
 * of one character are tried with all spellings of all 1,112,064 code points.
 * Results must be what a minimisation makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "lang/json_text.h"
#include "unit/faulty_mem.h"
#include "unit/lang_kit.h"

/* ---- a context ---- */

static void world_close(World *w)
{
    assert_int_equal(w->error.status, WEIR_OK);
    arena_free(&w->arena);
}

static uint32_t seed = 2463534242;

static uint32_t draw(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

static const Dfa *class_of(World *w, uint32_t lo, uint32_t hi)
{
    RuneRange range = {lo, hi};
    return lang_class(&w->ctx, &range, 1);
}

/* Product and minimisation, twice: only a minimal Dfa stays as it is. */
static void check_minimal(World *w, const Dfa *a)
{
    const Dfa *other = lang_complement(&w->ctx, a);
    assert_true(lang_equal(a, lang_complement(&w->ctx, other)));
}

/* ---- the decoder ---- */

typedef enum Verdict { INVALID, PARTIAL, WHOLE } Verdict;

static int hex_value(uint32_t c)
{
    const char *digits = "0123456789abcdef";
    if (c >= 'A' && c <= 'F') c += 'a' - 'A';
    const char *at = c && c < 128 ? strchr(digits, (int)c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* \uXXXX at s[*pos]. */
static Verdict decode_unit(const uint32_t *s, int n, int *pos, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 6; i++, ++*pos) {
        if (*pos == n) return PARTIAL;
        uint32_t c = s[*pos];
        int value = hex_value(c);
        if (i == 0 ? c != '\\' : i == 1 ? c != 'u' : value < 0) return INVALID;
        if (i > 1) *unit = *unit * 16 + (uint32_t)value;
    }
    return WHOLE;
}

static bool is_needed(uint32_t rune)
{
    return rune < 0x20 || rune == '"' || rune == '\\';
}

static Verdict decode_u(const uint32_t *s, int n, int *pos, uint32_t *rune)
{
    uint32_t low;
    Verdict v = decode_unit(s, n, pos, rune);
    if (v != WHOLE || *rune < 0xD800 || *rune > 0xDFFF) return v;
    if (*rune > 0xDBFF) return INVALID;
    v = decode_unit(s, n, pos, &low);
    if (v != WHOLE) return v;
    *rune = 0x10000 + (*rune - 0xD800) * 0x400 + (low - 0xDC00);
    return low >= 0xDC00 && low <= 0xDFFF ? WHOLE : INVALID;
}

static Verdict decode_one(const uint32_t *s, int n, int *pos, bool any,
                          uint32_t *rune)
{
    const char *letters = "\"\\bfnrt/", *values = "\"\\\b\f\n\r\t/";
    if (s[*pos] != '\\') {
        *rune = s[(*pos)++];
        return is_needed(*rune) ? INVALID : WHOLE;
    }
    if (*pos + 1 == n) return PARTIAL;
    uint32_t c = s[*pos + 1];
    if (c == 'u') {
        Verdict v = decode_u(s, n, pos, rune);
        return v == WHOLE && !any && !is_needed(*rune) ? INVALID : v;
    }
    const char *at = c && c < 128 ? strchr(letters, (int)c) : NULL;
    if (!at || (*at == '/' && !any)) return INVALID;
    *rune = (uint8_t)values[at - letters];
    return *pos += 2, WHOLE;
}

typedef struct Decoded {
    Verdict verdict;
    int count;    /* characters before what is PARTIAL */
    uint32_t end; /* state of the language after them, or LANG_INF */
} Decoded;

static Decoded decode(const Dfa *a, const uint32_t *s, int n, bool any)
{
    Decoded d = {WHOLE, 0, a->nstates ? 0 : LANG_INF};
    for (int pos = 0; pos < n && d.verdict == WHOLE && d.end != LANG_INF;) {
        uint32_t rune;
        d.verdict = decode_one(s, n, &pos, any, &rune);
        if (d.verdict != WHOLE) break;
        d.end = lang_step(a, d.end, rune);
        d.count++;
    }
    return d;
}

/* ---- every string ---- */

enum { MOST_RUNES = 2, MOST_SIGNS = 24, LONGEST = 2 * 12 + 1 };
enum { MOST_TRIED = 20000 };

typedef struct Trial {
    const Dfa *text, *spelled, *ticked;
    const uint8_t *ticks; /* of the states of `ticked` */
    bool any;
    uint32_t signs[MOST_SIGNS];
    int nsigns;
    uint32_t string[LONGEST + 1];
    int accepted, tried;
} Trial;

static uint32_t step(const Dfa *a, uint32_t state, uint32_t sign)
{
    return state == LANG_INF ? LANG_INF : lang_step(a, state, sign);
}

/* The automaton with ticks, in `state` after what was decoded as `d`. */
static void check_ticks(const Trial *t, uint32_t state, Decoded d, bool is_text)
{
    bool is_spelled = state != LANG_INF && t->ticked->accepts[state];
    assert_int_equal(is_spelled, is_text);
    if (state != LANG_INF)
        assert_int_equal(!t->ticks || t->ticks[state], d.verdict == WHOLE);
}

/* Extends the string as long as either side may still accept it; the order of
 * signs is random, for languages that have too many strings. */
static void try_from(Trial *t, int n, uint32_t state, uint32_t ticked)
{
    Decoded d = decode(t->text, t->string, n, t->any);
    bool is_dead = d.verdict == INVALID || d.end == LANG_INF;
    bool is_text = d.verdict == WHOLE && !is_dead && t->text->accepts[d.end];
    bool is_spelled = state != LANG_INF && t->spelled->accepts[state];
    if (is_text != is_spelled) {
        for (int i = 0; i < n; i++) print_message("%c", (int)t->string[i]);
        fail_msg(": expected %d", is_text);
    }
    check_ticks(t, ticked, d, is_text);
    t->tried++;
    t->accepted += is_text;
    if ((is_dead && state == LANG_INF) || n == LONGEST ||
        t->tried >= MOST_TRIED || (d.count == MOST_RUNES && d.verdict == WHOLE))
        return;
    for (int i = 0; i < t->nsigns; i++) {
        t->string[n] = t->signs[i];
        try_from(t, n + 1, step(t->spelled, state, t->signs[i]),
                 step(t->ticked, ticked, t->signs[i]));
    }
}

static void try_all(World *w, const Dfa *text, bool any, const uint32_t *signs,
                    int nsigns, int *accepted, int *tried)
{
    Trial t = {.text = text, .any = any, .nsigns = nsigns};
    JsonTextEscapes escapes = any ? JSON_TEXT_ANY : JSON_TEXT_NEEDED;
    t.spelled = lang_json_text(&w->ctx, text, escapes);
    t.ticked = lang_json_text_ticks(&w->ctx, text, escapes, &t.ticks);
    assert_int_equal(w->error.status, WEIR_OK);
    memcpy(t.signs, signs, (size_t)nsigns * sizeof *signs);
    check_minimal(w, t.spelled);
    uint32_t first = t.spelled->nstates ? 0 : LANG_INF;
    try_from(&t, 0, first, first);
    *accepted += t.accepted;
    *tried += t.tried;
}

/* ---- random languages ---- */

static const uint32_t runes[] = {
    0,    1,      7,      8,      9,      10,      12,      13,      0x1F,
    ' ',  '"',    '/',    '\\',   'u',    'n',     'b',     '0',     '1',
    'a',  'A',    'd',    'F',    0x7F,   0xE9,    0x20AC,  0xD7FF,  0xE000,
    '\'', 0xFFFE, 0xFFFF, '5',    '2',    0x10000, 0x103FF, 0x10400, 0x1F600,
    'c',  0xFDD0, 'f',    0x1FFF, 0x2028, 0x10FFFF};

static uint32_t draw_rune(void)
{
    return runes[draw(COUNT_OF(runes))];
}

static const Dfa *draw_class(World *w)
{
    RuneRange ranges[4];
    uint32_t count = draw(4) + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = draw_rune(), y = draw(2) ? x : draw_rune();
        ranges[i] = (RuneRange){MIN(x, y), MAX(x, y)};
    }
    const Dfa *a = lang_class(&w->ctx, ranges, count);
    return draw(4) ? a : lang_subtract(&w->ctx, lang_any(), a);
}

static const Dfa *draw_language(World *w)
{
    LangCtx *c = &w->ctx;
    const Dfa *a = draw_class(w);
    for (uint32_t i = draw(4); i > 0; i--) {
        const Dfa *b = draw_class(w);
        switch (draw(5)) {
        case 0:
            a = lang_unite(c, a, b);
            break;
        case 1:
            a = lang_concat(c, a, b);
            break;
        case 2:
            a = lang_concat(c, lang_unite(c, b, lang_empty()), a);
            break;
        case 3:
            a = lang_repeat(c, a, draw(2), LANG_INF);
            break;
        default:
            a = lang_subtract(c, lang_repeat(c, a, 0, 2), b);
        }
    }
    return a;
}

/* A backslash, u, and others: digits that spell some of the runes, or signs
 * of any kind. */
static int draw_signs(uint32_t *signs)
{
    int n = 0;
    uint32_t rune = draw_rune(), unit = rune;
    signs[n++] = '\\';
    signs[n++] = 'u';
    if (rune > 0xFFFF) unit = 0xD800 + (rune - 0x10000) / 0x400;
    uint32_t low = 0xDC00 + rune % 0x400;
    for (int k = 0; k < 16; k += 4) {
        const char *digits = draw(2) ? "0123456789abcdef" : "0123456789ABCDEF";
        signs[n++] = (uint8_t)digits[unit >> k & 15];
        if (rune > 0xFFFF) signs[n++] = (uint8_t)digits[low >> k & 15];
    }
    for (int k = 0; k < 5; k++)
        signs[n++] = draw(3) ? draw_rune() : (uint8_t) "\"/bfnrt"[draw(7)];
    for (int i = n - 1; i > 0; i--) {
        uint32_t k = draw((uint32_t)i + 1), sign = signs[i];
        signs[i] = signs[k];
        signs[k] = sign;
    }
    int kept = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < kept && signs[k] != signs[i]) k++;
        if (k == kept) signs[kept++] = signs[i];
    }
    return kept;
}

static void random_languages_agree(void **state)
{
    (void)state;
    int accepted = 0, tried = 0;
    for (int round = 0; round < 600; round++) {
        World w;
        uint32_t signs[MOST_SIGNS];
        world_open(&w, NULL);
        const Dfa *a = draw_language(&w);
        int nsigns = draw_signs(signs);
        try_all(&w, a, round & 1, signs, nsigns, &accepted, &tried);
        world_close(&w);
    }
    print_message("%d strings tried, %d accepted\n", tried, accepted);
    assert_true(accepted > 10000);
}

/* ---- every code point ---- */

static void put_unit(char *at, uint32_t unit)
{
    const char *digits[] = {"0123456789abcdef", "0123456789ABCDEF"};
    *at++ = '\\';
    *at++ = 'u';
    for (int k = 12; k >= 0; k -= 4) *at++ = digits[draw(2)][unit >> k & 15];
}

static bool accepts(const Dfa *a, const char *text, size_t size)
{
    return lang_matches(a, span_of(text, size));
}

static void check_rune(const Dfa *spelled, bool any, uint32_t rune, bool has)
{
    char text[16];
    uint8_t raw[4];
    bool is_pair = rune > 0xFFFF;
    size_t n = utf8_encode(rune, raw);
    if (accepts(spelled, (char *)raw, n) != (has && !is_needed(rune)))
        fail_msg("U+%04X raw", (unsigned)rune);
    put_unit(text, is_pair ? 0xD800 + ((rune - 0x10000) >> 10) : rune);
    put_unit(text + 6, 0xDC00 + (rune & 0x3FF));
    if (accepts(spelled, text, is_pair ? 12 : 6) !=
        (has && (any || is_needed(rune))))
        fail_msg("U+%04X as \\u", (unsigned)rune);
    if (is_pair && accepts(spelled, text, 6)) fail_msg("%s", text);
}

static void every_code_point(void **state)
{
    (void)state;
    for (int round = 0; round < 6; round++) {
        World w;
        world_open(&w, NULL);
        const Dfa *a = round < 2 ? lang_any() : draw_class(&w);
        bool any = round & 1;
        const Dfa *spelled =
            lang_json_text(&w.ctx, a, any ? JSON_TEXT_ANY : JSON_TEXT_NEEDED);
        check_minimal(&w, spelled);
        for (uint32_t rune = 0; rune <= RUNE_MAX; rune++) {
            if (rune == 0xD800) rune = 0xE000;
            check_rune(spelled, any, rune,
                       a->nstates && lang_step(a, 0, rune) != LANG_INF);
        }
        world_close(&w);
    }
}

static void lone_surrogates_spell_nothing(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    const Dfa *spelled = lang_json_text(&w.ctx, lang_all(), JSON_TEXT_ANY);
    char text[12];
    for (uint32_t unit = 0xD800; unit < 0xE000; unit++) {
        put_unit(text, unit);
        assert_false(accepts(spelled, text, 6));
        put_unit(text + 6, 0xD800 + draw(0x400));
        assert_false(accepts(spelled, text, 12));
        put_unit(text + 6, 0xDC00 + draw(0x400));
        assert_int_equal(accepts(spelled, text, 12), unit < 0xDC00);
        put_unit(text + 6, 0x41);
        assert_false(accepts(spelled, text, 12));
    }
    world_close(&w);
}

/* ---- all but a few texts ---- */

/* One of few texts, so that texts begin and end alike, and are drawn twice. */
static Span draw_text(char *at)
{
    static const uint32_t some[] = {
        'a',  'b',  ' ',    '!',    '#', '[',    ']',     0x7F,
        0x80, 0xE9, 0xD7FF, 0xE000, '0', 0xFFFF, 0x1F600, RUNE_MAX};
    size_t size = 0;
    uint32_t most = draw(8) ? COUNT_OF(some) : 2;
    for (uint32_t n = draw(5); n > 0; n--)
        size += utf8_encode(some[draw(most)], (uint8_t *)at + size);
    return span_of(at, size);
}

static void others_are_the_complement(void **state)
{
    (void)state;
    enum { MOST = 12, SIZE = 32 };
    for (int round = 0; round < 2000; round++) {
        World w;
        char text[MOST][SIZE];
        Span texts[MOST + 1];
        uint32_t count = draw(MOST) + 1;
        world_open(&w, NULL);
        for (uint32_t i = 0; i < count; i++) {
            texts[i] = draw_text(text[i]);
            assert_true(json_text_is_plain(texts[i]));
        }
        if (draw(4) == 0) texts[count++] = SPAN("\xFF\"not UTF-8");
        const Dfa *expected = lang_json_text(
            &w.ctx, lang_complement(&w.ctx, lang_texts(&w.ctx, texts, count)),
            JSON_TEXT_NEEDED);
        const Dfa *made = lang_json_others(&w.ctx, texts, count);
        assert_true(made->nstates && lang_equal(made, expected));
        assert_true(lang_is_open(made));
        world_close(&w);
    }
}

static void plain_texts(void **state)
{
    (void)state;
    assert_true(json_text_is_plain(SPAN("")));
    assert_true(json_text_is_plain(SPAN("a b/\x7F\xC3\xA9")));
    assert_false(json_text_is_plain(SPAN("a\"")));
    assert_false(json_text_is_plain(SPAN("\\")));
    assert_false(json_text_is_plain(SPAN("a\x1F")));
}

/* ---- fixed cases ---- */

static void nothing_to_escape_is_no_work(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    const Dfa *digits = lang_repeat(&w.ctx, class_of(&w, '0', '9'), 1, 9);
    assert_ptr_equal(lang_json_text(&w.ctx, digits, JSON_TEXT_NEEDED), digits);
    assert_true(
        lang_is_none(lang_json_text(&w.ctx, lang_none(), JSON_TEXT_ANY)));
    const Dfa *empty = lang_json_text(&w.ctx, lang_empty(), JSON_TEXT_ANY);
    assert_true(lang_equal(empty, lang_empty()));
    world_close(&w);
}

/* One state and its helpers: the node after the backslash, three that read
 * u, 0, 0, and those for the last digit of 00X, 01X, 02X (22) and 05X (5C).
 * 00X and 01X are one: every digit leads back. */
static void any_text_has_eight_states(void **state)
{
    (void)state;
    World w;
    char text[512];
    Out out = {text, sizeof text - 1, 0};
    world_open(&w, NULL);
    const Dfa *a = lang_json_text(&w.ctx, lang_all(), JSON_TEXT_NEEDED);
    lang_print(a, &out);
    assert_true(out.size < sizeof text);
    text[out.size] = 0;
    assert_int_equal(a->nstates, 8);
    assert_string_equal(strchr(text, '\n'),
                        "\n1: \">0 \\>0 b>0 f>0 n>0 r>0 t>0 u>2\n"
                        "2: 0>3\n3: 0>4\n4: 0-1>5 2>6 5>7\n"
                        "5: 0-9>0 A-F>0 a-f>0\n6: 2>0\n7: C>0 c>0\n");
    world_close(&w);
}

/* Languages whose own states read what the helpers read, so that both are
 * one state of the minimal Dfa. */
static void states_that_equal_helpers(void **state)
{
    (void)state;
    World w;
    world_open(&w, NULL);
    LangCtx *c = &w.ctx;
    /* [\x00-\x0F] | z[0-9A-Fa-f]: start, escape, u, 0, 0, hex digit, end. */
    const Dfa *hex = lang_unite(
        c, class_of(&w, '0', '9'),
        lang_unite(c, class_of(&w, 'A', 'F'), class_of(&w, 'a', 'f')));
    const Dfa *a = lang_unite(c, class_of(&w, 0, 15),
                              lang_concat(c, lang_text(c, SPAN("z")), hex));
    const Dfa *spelled = lang_json_text(c, a, JSON_TEXT_NEEDED);
    check_minimal(&w, spelled);
    assert_int_equal(spelled->nstates, 7);
    /* (\\|u005[cC])*(\n|n|u000[aA]): the node after the backslash is the
     * start. */
    Span loop[] = {SPAN("\\"), SPAN("u005c"), SPAN("u005C")};
    Span last[] = {SPAN("\n"), SPAN("n"), SPAN("u000a"), SPAN("u000A")};
    a = lang_concat(c, lang_repeat(c, lang_texts(c, loop, 3), 0, LANG_INF),
                    lang_texts(c, last, 4));
    spelled = lang_json_text(c, a, JSON_TEXT_NEEDED);
    check_minimal(&w, spelled);
    assert_int_equal(spelled->nstates, a->nstates);
    int accepted = 0, tried = 0;
    const uint32_t signs[] = {'\\', 'u', '0', '5', 'c', 'C', 'n', 'a', 'A'};
    try_all(&w, a, false, signs, COUNT_OF(signs), &accepted, &tried);
    world_close(&w);
}

static void limits_hold(void **state)
{
    (void)state;
    World w;
    weir_limits limits = {.max_states = 7};
    world_open(&w, &limits);
    assert_true(
        lang_is_none(lang_json_text(&w.ctx, lang_all(), JSON_TEXT_NEEDED)));
    assert_int_equal(w.error.status, WEIR_LIMIT_STATES);
    arena_free(&w.arena);
    limits = (weir_limits){.max_work = 60};
    world_open(&w, &limits);
    assert_true(
        lang_is_none(lang_json_text(&w.ctx, lang_all(), JSON_TEXT_NEEDED)));
    assert_int_equal(w.error.status, WEIR_LIMIT_WORK);
    arena_free(&w.arena);
}

static bool spell_both(const Mem *mem, weir_error *err)
{
    Arena arena;
    LangCtx c;
    const uint8_t *ticks;
    arena_init(&arena, mem, 0);
    lang_init(&c, mem, &arena, NULL, err);
    RuneRange some[] = {{0, 5}, {'[', 0x10321}};
    const Dfa *a = lang_repeat(&c, lang_class(&c, some, 2), 1, 2);
    lang_json_text(&c, a, JSON_TEXT_NEEDED);
    lang_json_text(&c, a, JSON_TEXT_ANY);
    lang_json_text_ticks(&c, a, JSON_TEXT_NEEDED, &ticks);
    const Span names[] = {SPAN("name"), SPAN("id"), SPAN("names")};
    lang_json_others(&c, names, 3);
    arena_free(&arena);
    return lang_ok(&c);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    faulty_sweep(spell_both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_languages_agree),
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(lone_surrogates_spell_nothing),
        cmocka_unit_test(others_are_the_complement),
        cmocka_unit_test(plain_texts),
        cmocka_unit_test(nothing_to_escape_is_no_work),
        cmocka_unit_test(any_text_has_eight_states),
        cmocka_unit_test(states_that_equal_helpers),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
