/* bounded_test.c: masks of languages with a bound on their characters, every
 * token judged by a small reader of its own.
 *
 * The grammars are all   item ("," item)*   of items   " language "   where the
 * language is of spellings in a JSON string, of at most so many characters of
 * the text. The reader follows the automaton and counts; what has begun must be
 * able to end within the bound, by distances found by trying. The vocabulary
 * has every string of up to three of some symbols, pieces of a character and
 * ill-formed ones among them, and random longer ones.
 */
#include "unit/small_network.h"

#include <stdio.h>
#include <stdlib.h>

#include "lang/json_text.h"
#include "matcher/finish.h"
#include "oracle/rng.h"
#include "syntax/regex.h"

/* ---- the vocabulary ---- */

static const char symbols[] = "\"\\,abcfonu 0-\xC3\xA9";
enum {
    NSYMBOLS = sizeof symbols - 1,
    SHORT = 3,
    LONGEST = 12,
    NLONG = 900,
    MAX_TOKENS = 5200
};

typedef struct Words {
    char text[MAX_TOKENS][LONGEST];
    weir_token token[MAX_TOKENS];
    uint32_t count;
} Words;

static void words_add(Words *w, size_t size)
{
    assert_true(w->count + 1 < MAX_TOKENS);
    w->token[w->count] = (weir_token){{w->text[w->count], size}, 0};
    w->count++;
}

/* All strings of `size` symbols: the digits of a number to base NSYMBOLS. */
static void words_of_size(Words *w, uint32_t size)
{
    uint32_t all = 1;
    for (uint32_t i = 0; i < size; i++) all *= NSYMBOLS;
    for (uint32_t number = 0; number < all; number++) {
        uint32_t rest = number;
        for (uint32_t i = 0; i < size; i++, rest /= NSYMBOLS)
            w->text[w->count][i] = symbols[rest % NSYMBOLS];
        words_add(w, size);
    }
}

/* Mostly letters, so that some are in the languages. */
static void random_word(Words *w, Rng *rng)
{
    static const char *const parts[] = {"a",     "b",        "foo", " ", "-",
                                        "\\n",   "0",        "ab ", "c", "\"",
                                        "\",\"", "\xC3\xA9", "o",   "n"};
    size_t size = 0;
    while (size < 4 || rng_chance(rng, 70)) {
        const char *part = parts[rng_below(rng, COUNT_OF(parts))];
        if (size + strlen(part) > LONGEST) break;
        memcpy(w->text[w->count] + size, part, strlen(part));
        size += strlen(part);
    }
    words_add(w, size);
}

static weir_vocab *words_vocab(Words *w, Rng *rng)
{
    w->count = 0;
    for (uint32_t size = 1; size <= SHORT; size++) words_of_size(w, size);
    for (int number = 0; number < 27; number++) { /* after an escape */
        char *text = w->text[w->count];
        memcpy(text, "\\faaa", 5);
        for (int i = 0, rest = number; i < 3; i++, rest /= 3)
            text[2 + i] = "abc"[rest % 3];
        words_add(w, 5);
    }
    for (int i = 0; i < NLONG; i++) random_word(w, rng);
    w->token[w->count++] = (weir_token){{"</s>", 4}, WEIR_TOKEN_STOP};
    weir_vocab *v = weir_vocab_new(NULL, w->token, w->count, NULL, NULL);
    assert_non_null(v);
    return v;
}

/* ---- the languages ---- */

static const char *const patterns[] = {
    "[^]*",
    "(\\S+\\s+){0,4}\\S+",
    "[^]*foo[^]*",
    "([a-z]+-)*[a-z]+",
    "(a|bb|ccc)*",
    "\\w{2,}( \\w+)*",
    "[^-]*(-[^]{3})?",
    "a?[^]{3,}",
    "(\xC3\xA9|[ab]{2})+",
    "[^]{5}|[^]*-",
    "([^]*[a\\n])?",
    "([ab]|\\n|[c-f]{5})*",
    "[^]([^]{7})*",
    "[^]*-[^]*",
};

typedef struct Language {
    Mem mem;
    Arena arena;
    weir_error error;
    const Dfa *dfa;
    const uint8_t *ticks;
    uint32_t hi;
    uint32_t *far; /* by state: characters to an accepting one */
} Language;

static void find_far(Language *l)
{
    const Dfa *d = l->dfa;
    l->far = arena_array(&l->arena, uint32_t, d->nstates);
    for (uint32_t s = 0; s < d->nstates; s++)
        l->far[s] = d->accepts[s] ? 0 : 1000000;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < d->nstates; s++)
            for (uint32_t e = d->edge_start[s]; e < d->edge_start[s + 1]; e++) {
                uint32_t to = d->edges[e].to;
                uint32_t far = l->far[to] + (!l->ticks || l->ticks[to]);
                if (far >= l->far[s]) continue;
                l->far[s] = far;
                changed = true;
            }
    }
}

static void language_open(Language *l, const char *pattern,
                          JsonTextEscapes escapes)
{
    LangCtx c;
    memset(l, 0, sizeof *l);
    l->mem = mem_from_env(NULL);
    arena_init(&l->arena, &l->mem, 0);
    lang_init(&c, &l->mem, &l->arena, NULL, &l->error);
    const Dfa *text = regex_dfa(&c, span_text(pattern), NULL, NULL, NULL);
    l->dfa = lang_json_text_ticks(&c, text, escapes, &l->ticks);
    assert_int_equal(l->error.status, WEIR_OK);
    find_far(l);
}

/* item ("," item)*, or one item without quotes if `is_bare`. */
static void language_ir(const Language *l, const Mem *mem, bool is_bare, Ir *ir)
{
    ir_init(ir, mem, NULL);
    NodeId quote = ir_bytes(ir, SPAN("\""));
    NodeId item = ir_regular_bounded(ir, l->dfa, l->ticks, l->hi);
    if (!is_bare) {
        item = ir_seq(ir, (const NodeId[]){quote, item, quote}, 3);
        NodeId next = ir_seq2(ir, ir_bytes(ir, SPAN(",")), item);
        item = ir_seq2(ir, item, ir_repeat(ir, next, 0, REPEAT_INF));
    }
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
    ir_rule_set(ir, ir->root, item);
    assert_true(ir_ok(ir));
}

/* ---- a reader ---- */

typedef struct Reader {
    enum { BEFORE, INSIDE, AFTER, REFUSED } at;
    uint32_t state, chars;
    uint8_t part[4]; /* of a character */
    uint32_t npart;
} Reader;

/* The code points that the part may become; false: none. */
static bool part_range(const Reader *r, uint32_t *lo, uint32_t *hi,
                       bool *is_whole)
{
    uint8_t lead = r->part[0];
    uint32_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (lead >= 0xF8 || (lead >= 0x80 && lead < 0xC0)) return false;
    *lo = size == 1 ? lead : lead & (0x7Fu >> size);
    *hi = *lo;
    for (uint32_t i = 1; i < size; i++) {
        uint8_t byte = i < r->npart ? r->part[i] : 0x80;
        if ((byte & 0xC0) != 0x80) return false;
        *lo = *lo << 6 | (byte & 0x3F);
        *hi = *hi << 6 | (i < r->npart ? byte & 0x3F : 0x3F);
    }
    *lo = MAX(*lo, least[size]);
    *is_whole = r->npart == size;
    return *lo <= *hi;
}

static bool has_room(const Language *l, const Reader *r, uint32_t to)
{
    uint32_t then = r->chars + (!l->ticks || l->ticks[to]);
    return then + l->far[to] <= l->hi;
}

static Reader read_inside(const Language *l, Reader r, uint8_t byte)
{
    const Dfa *d = l->dfa;
    uint32_t lo, hi;
    bool is_whole, any = false;
    if (r.npart == 4) return (Reader){.at = REFUSED};
    r.part[r.npart++] = byte;
    if (!part_range(&r, &lo, &hi, &is_whole)) return (Reader){.at = REFUSED};
    for (uint32_t e = d->edge_start[r.state]; e < d->edge_start[r.state + 1];
         e++) {
        DfaEdge edge = d->edges[e];
        if (edge.hi < lo || edge.lo > hi || !has_room(l, &r, edge.to)) continue;
        any = true;
        if (!is_whole) continue;
        uint32_t chars = r.chars + (!l->ticks || l->ticks[edge.to]);
        return (Reader){.at = INSIDE, .state = edge.to, .chars = chars};
    }
    if (any) return r;
    bool ends = byte == '"' && r.npart == 1 && d->accepts[r.state];
    return (Reader){.at = ends ? AFTER : REFUSED};
}

static Reader read_byte(const Language *l, Reader r, uint8_t byte)
{
    if (r.at == INSIDE) return read_inside(l, r, byte);
    if (r.at == BEFORE && byte == '"') return (Reader){.at = INSIDE};
    bool is_next = r.at == AFTER && byte == ',';
    return (Reader){.at = is_next ? BEFORE : REFUSED};
}

static Reader read_bytes(const Language *l, Reader r, weir_bytes text)
{
    for (size_t i = 0; i < text.size && r.at != REFUSED; i++)
        r = read_byte(l, r, (uint8_t)text.data[i]);
    return r;
}

/* ---- judging ---- */

typedef struct Judge {
    const Words *words;
    const Language *lang;
    weir_matcher *matcher;
    Reader at;
    int32_t *row, *again;
    uint64_t masks, near;
} Judge;

static bool token_fits(const Judge *j, uint32_t id)
{
    const weir_token *t = &j->words->token[id];
    if (t->flags) return j->at.at == AFTER;
    return read_bytes(j->lang, j->at, t->bytes).at != REFUSED;
}

/* Bytes that must come, as long as there is one choice and no end. */
static void judge_forced(const Judge *j)
{
    char text[64], want[64];
    size_t n = 0, size = weir_matcher_forced_bytes(j->matcher, text, 64);
    for (Reader r = j->at; n < sizeof want && r.at != AFTER; n++) {
        Reader next = {.at = REFUSED};
        uint32_t count = 0;
        for (uint32_t byte = 0; byte < 256; byte++) {
            Reader to = read_byte(j->lang, r, (uint8_t)byte);
            if (to.at == REFUSED) continue;
            next = to;
            want[n] = (char)byte;
            count++;
        }
        if (count != 1) break;
        r = next;
    }
    assert_int_equal(size, n);
    assert_memory_equal(text, want, n);
}

static void judge_here(Judge *j)
{
    size_t nbytes = WEIR_MASK_WORDS(j->words->count) * sizeof *j->row;
    assert_int_equal(weir_matcher_is_completed(j->matcher), j->at.at == AFTER);
    for (int i = 0; i < 3; i++) {
        int32_t *row = i ? j->again : j->row;
        assert_int_equal(weir_matcher_fill(j->matcher, row), WEIR_FILL_APPLY);
        assert_memory_equal(j->row, row, nbytes);
    }
    for (uint32_t id = 0; id < j->words->count; id++)
        if (((uint32_t)j->row[id / 32] >> id % 32 & 1) != token_fits(j, id))
            fail_msg("at state %u, %u of %u: token %u, %.*s, is %s",
                     j->at.state, j->at.chars, j->lang->hi, id,
                     (int)j->words->token[id].bytes.size,
                     j->words->token[id].bytes.data,
                     token_fits(j, id) ? "refused" : "allowed");
    judge_forced(j);
    j->masks++;
    j->near += j->at.at == INSIDE && j->at.chars + 3 >= j->lang->hi;
}

/* A random token that fits, long or not. False: there is none. */
static bool judge_on(Judge *j, Rng *rng)
{
    enum { TRIES = 3000 };
    uint32_t id = 0, tries = 0;
    do id = rng_below(rng, j->words->count - 1);
    while (!token_fits(j, id) && ++tries < TRIES);
    if (tries == TRIES) return false;
    assert_int_equal(weir_matcher_accept(j->matcher, id), WEIR_ACCEPTED);
    j->at = read_bytes(j->lang, j->at, j->words->token[id].bytes);
    return true;
}

/* Single bytes from the first quote on, until only a few characters are left;
 * mostly letters. */
static void judge_approach(Judge *j, Rng *rng, uint32_t left)
{
    for (int tries = 0; tries < 4000; tries++) {
        char byte = symbols[rng_below(rng, NSYMBOLS)];
        if (rng_chance(rng, 70)) byte = "abcfo"[rng_below(rng, 5)];
        if (j->at.at == BEFORE) byte = '"';
        Reader to = read_byte(j->lang, j->at, (uint8_t)byte);
        if (to.at == REFUSED || to.at == AFTER) continue;
        if (to.chars + left > j->lang->hi) return;
        assert_int_equal(
            weir_matcher_accept_bytes(j->matcher, (weir_bytes){&byte, 1}, NULL),
            WEIR_ACCEPTED);
        j->at = to;
    }
}

static void judge_walk(Judge *j, Rng *rng)
{
    weir_matcher_reset(j->matcher);
    j->at = (Reader){.at = BEFORE};
    if (rng_chance(rng, 60)) judge_approach(j, rng, rng_below(rng, 8));
    for (int step = 0; step < 7; step++) {
        judge_here(j);
        if (!judge_on(j, rng)) return;
    }
}

static void judge_language(Judge *j, weir_vocab *v, Language *l, Rng *rng)
{
    static const uint32_t more[] = {0, 1, 2, 3, 5, 8, 13, 30, 200};
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        Ir ir;
        weir_error err;
        l->hi = MAX(l->far[0], 1) + more[i];
        language_ir(l, &l->mem, false, &ir);
        weir_grammar *g = grammar_from_ir(v, &ir, &err);
        assert_non_null(g);
        j->lang = l;
        j->matcher = weir_matcher_new(g, NULL, NULL);
        assert_non_null(j->matcher);
        for (int walk = 0; walk < 4; walk++) judge_walk(j, rng);
        weir_matcher_free(j->matcher);
        weir_grammar_free(g);
    }
}

static void masks_near_the_bound(void **state)
{
    (void)state;
    static Words words;
    Rng rng = {env_number("WEIR_SEED", 11)};
    weir_vocab *v = words_vocab(&words, &rng);
    Judge j = {.words = &words};
    j.row = calloc(WEIR_MASK_WORDS(words.count), sizeof *j.row);
    j.again = calloc(WEIR_MASK_WORDS(words.count), sizeof *j.again);
    for (size_t i = 0; i < COUNT_OF(patterns); i++)
        for (int any = 0; any < 2; any++) {
            Language l;
            language_open(&l, patterns[i],
                          any ? JSON_TEXT_ANY : JSON_TEXT_NEEDED);
            judge_language(&j, v, &l, &rng);
            arena_free(&l.arena);
        }
    print_message("seed %llu, %u tokens, %llu masks, %llu near the bound\n",
                  (unsigned long long)env_number("WEIR_SEED", 11), words.count,
                  (unsigned long long)j.masks, (unsigned long long)j.near);
    assert_true(j.near > 500);
    free(j.row);
    free(j.again);
    weir_vocab_free(v);
}

/* ---- shortest ends ---- */

enum { SEARCH_MAX = 20000 };

/* Bytes to the end of the string, a quote included: by trying all of
 * ASCII and of U+00E9. No other byte gets nearer in any of the languages. */
static uint32_t nearest_end(const Language *l, Reader from)
{
    static Reader queue[SEARCH_MAX];
    static uint32_t length[SEARCH_MAX];
    uint32_t head = 0, tail = 0;
    queue[tail] = from;
    length[tail++] = 0;
    while (head < tail) {
        Reader r = queue[head];
        uint32_t n = length[head++];
        for (uint32_t byte = 0x20; byte < 256; byte++) {
            if (byte > 0x7F && byte != 0xC3 && byte != 0xA9) continue;
            Reader to = read_byte(l, r, (uint8_t)byte);
            if (to.at == AFTER) return n + 1;
            uint32_t i = to.at == REFUSED ? tail : 0;
            while (i < tail && memcmp(&queue[i], &to, sizeof to)) i++;
            if (to.at == REFUSED || i < tail) continue;
            assert_true(tail < SEARCH_MAX);
            queue[tail] = to;
            length[tail++] = n + 1;
        }
    }
    return UINT32_MAX;
}

static void check_ends(Net *n, const Language *l, Rng *rng)
{
    Finisher f;
    Reader at = {.at = BEFORE};
    finisher_init(&f, &n->mem);
    net_read(n, "");
    for (int step = 0; step < 40; step++) {
        char byte = step ? symbols[rng_below(rng, NSYMBOLS)] : '"';
        Reader to = read_byte(l, at, (uint8_t)byte);
        if (to.at != INSIDE) continue;
        at = to;
        set_step(&n->stepper, &n->set, (uint8_t)byte, &n->next);
        ConfigSet swap = n->set;
        n->set = n->next;
        n->next = swap;
        assert_int_equal(finisher_length(&f, &n->set), nearest_end(l, at));
    }
    finisher_free(&f);
}

/* Fewer bytes may be more characters than are left. */
static void shortest_ends(void **state)
{
    (void)state;
    static const char *const some[] = {"(aa\\u00E9\\u00E9|aabbb)*",
                                       "([a\\n]|b{3}\\\\?)*-",
                                       "(aa|\\u00E9)(bbb|\\u00E9\\u00E9)[^]*",
                                       "[^]*foo|a*",
                                       "(a*|[^]*\\u00E9\\u00E9)",
                                       "(ab\\n|a{6}|\\u00E9[^]*)*"};
    Rng rng = {3};
    for (uint32_t i = 0; i < 5 * COUNT_OF(some); i++) {
        Language l;
        Net n = {.mem = mem_from_env(NULL)};
        language_open(&l, some[i % COUNT_OF(some)],
                      i & 1 ? JSON_TEXT_ANY : JSON_TEXT_NEEDED);
        l.hi = MAX(l.far[0], 1) + i / 2;
        language_ir(&l, &n.mem, false, &n.ir);
        net_open_ir(&n, NULL);
        for (int round = 0; round < 4; round++) check_ends(&n, &l, &rng);
        net_close(&n);
        arena_free(&l.arena);
    }
}

/* ---- by hand ---- */

/* At the sixth character of (ab)*|aaaaaaaa* nothing fits into seven but the
 * end, and a state that can do nothing else returns at once. */
static void what_has_no_room_ends(void **state)
{
    (void)state;
    Language l;
    Net n = {.mem = mem_from_env(NULL)};
    language_open(&l, "(ab)*|a{7}a*", JSON_TEXT_NEEDED);
    l.hi = 7;
    language_ir(&l, &n.mem, true, &n.ir);
    net_open_ir(&n, NULL);
    net_read(&n, "abab");
    assert_int_equal(n.set.list.count, 1);
    net_read(&n, "ababab");
    assert_true(n.set.ends);
    assert_int_equal(n.set.list.count, 0);
    net_read(&n, "aaaaaa");
    assert_int_equal(n.set.list.count, 1);
    net_read(&n, "aaaaaaa");
    assert_true(n.set.ends);
    assert_int_equal(n.set.list.count, 0);
    net_close(&n);
    arena_free(&l.arena);
}

static RuleId capturing_rule(Ir *ir, const char *name, NodeId body)
{
    RuleOptions options = {.has = RULE_HAS_CAPTURE, .capture = span_text(name)};
    RuleId rule = ir_rule_new(ir, span_text(name), 0);
    ir_rule_set(ir, rule, body);
    ir_rule_options(ir, rule, &options);
    return rule;
}

/* root ::= few "!" | some "!" of (a|bbb)* in at most four characters, and
 * (aab)+. In few's reading bbb does not fit after aa. The rules in any order. */
static void check_captures(weir_vocab *v, bool few_first)
{
    static const char *const names[] = {"some", "few"};
    Ir ir;
    weir_error err;
    Mem mem = mem_from_env(NULL);
    NodeId kids[2];
    ir_init(&ir, &mem, NULL);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    const Dfa loop = {
        3, (const uint32_t[]){0, 2, 3, 4},
        (const DfaEdge[]){
            {'a', 'a', 0}, {'b', 'b', 1}, {'b', 'b', 2}, {'b', 'b', 0}},
        (const uint8_t[]){1, 0, 0}};
    NodeId body[] = {ir_repeat(&ir, ir_bytes(&ir, SPAN("aab")), 1, REPEAT_INF),
                     ir_regular_bounded(&ir, &loop, NULL, 4)};
    for (int i = 0; i < 2; i++) {
        int k = i ^ few_first;
        RuleId rule = capturing_rule(&ir, names[k], body[k]);
        kids[i] = ir_seq2(&ir, ir_ref(&ir, rule), ir_bytes(&ir, SPAN("!")));
    }
    ir_rule_set(&ir, ir.root, ir_alt(&ir, kids, 2));
    weir_grammar *g = grammar_from_ir(v, &ir, &err);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    weir_capture list[4];
    weir_matcher_accept_bytes(m, small_bytes("aab!"), NULL);
    assert_int_equal(weir_matcher_captures(m, list, 4), 1);
    assert_int_equal(list[0].name.size, strlen("some"));
    assert_int_equal(list[0].end, 3);
    weir_matcher_reset(m);
    weir_matcher_accept_bytes(m, small_bytes("bbb!"), NULL);
    assert_int_equal(weir_matcher_captures(m, list, 4), 1);
    assert_int_equal(list[0].name.size, strlen("few"));
    weir_matcher_free(m);
    weir_grammar_free(g);
}

static void captures_of_readings_that_end(void **state)
{
    (void)state;
    static const weir_token tokens[] = {
        {{"a", 1}, 0}, {{"b", 1}, 0}, {{"!", 1}, 0}};
    weir_vocab *v = weir_vocab_new(NULL, tokens, 3, NULL, NULL);
    check_captures(v, false);
    check_captures(v, true);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_near_the_bound),
        cmocka_unit_test(shortest_ends),
        cmocka_unit_test(what_has_no_room_ends),
        cmocka_unit_test(captures_of_readings_that_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
