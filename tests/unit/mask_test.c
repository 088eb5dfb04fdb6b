/* mask_test.c: masks over counted runs near their limits, every token judged
 * by a small reader of its own; the memo's register classes.
 *
 * The grammars are all   blanks{0,lead} " any{lo,hi} " blanks{0,trail},
 * which exercises counted frames that hold their operand, what leaves them,
 * and remainders that pass through a second one. The vocabulary has every
 * string of up to five of blank, quote, 'a', C3 and A9 (so also pieces of a
 * character and ill-formed ones), and some long runs.
 */
#include "unit/small_grammar.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/objects.h"
#include "mask/warm.h"
#include "oracle/rng.h"

/* ---- the vocabulary ---- */

static const char symbols[] = " \"a\xC3\xA9";
enum { NSYMBOLS = 5, LONGEST = 5, MAX_TOKENS = 4000 };

typedef struct Words {
    char text[MAX_TOKENS][LONGEST];
    weir_token token[MAX_TOKENS];
    uint32_t count;
} Words;

static void words_add(Words *w, const char *text, size_t size, uint32_t flags)
{
    assert_true(w->count < MAX_TOKENS);
    w->token[w->count++] = (weir_token){{text, size}, flags};
}

/* All strings of `size` symbols: the digits of a number to base NSYMBOLS. */
static void words_of_size(Words *w, uint32_t size)
{
    uint32_t all = 1;
    for (uint32_t i = 0; i < size; i++) all *= NSYMBOLS;
    for (uint32_t number = 0; number < all; number++) {
        char *text = w->text[w->count];
        uint32_t rest = number;
        for (uint32_t i = 0; i < size; i++, rest /= NSYMBOLS)
            text[i] = symbols[rest % NSYMBOLS];
        words_add(w, text, size, 0);
    }
}

static weir_vocab *words_vocab(Words *w)
{
    static const char blanks[] =
        "                                                                    ";
    static const char letters[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                                  "aaaaaaaaaaaaaaaaaaaaaaaa\"";
    w->count = 0;
    for (uint32_t size = 1; size <= LONGEST; size++) words_of_size(w, size);
    for (uint32_t size = 6; size < sizeof blanks; size += 9) {
        words_add(w, blanks, size, 0);
        words_add(w, letters, size, 0);
        words_add(w, letters + sizeof letters - 1 - size, size, 0);
    }
    words_add(w, "</s>", 4, WEIR_TOKEN_STOP);
    weir_vocab *v = weir_vocab_new(NULL, w->token, w->count, NULL, NULL);
    assert_non_null(v);
    return v;
}

/* ---- the grammars, and a reader for them ---- */

#define NO_LIMIT UINT32_MAX

typedef struct Runs {
    uint32_t lead, lo, hi, trail;
    bool is_frame; /* the middle run is a rule of its own */
} Runs;

/* `hi` as the grammar says it. Copies that fill more than 64 positions are
 * counted, others are written out. */
static weir_grammar *runs_grammar(weir_vocab *v, Runs r)
{
    char source[200], most[16] = "", run[40];
    Mem mem = mem_from_env(NULL);
    if (r.hi != NO_LIMIT) snprintf(most, sizeof most, "%u", r.hi);
    snprintf(run, sizeof run, "[^\"]{%u,%s}", r.lo, most);
    snprintf(source, sizeof source,
             "root ::= [ ]{0,%u} \"\\\"\" %s \"\\\"\" [ ]{0,%u}\nRun ::= %s",
             r.lead, r.is_frame ? "Run" : run, r.trail, run);
    return small_grammar(v, &mem, source, NULL);
}

/* Where a reader stands. */
typedef struct Reader {
    enum { LEAD, STRING, HALF, TRAIL, REFUSED } at;
    uint32_t n; /* blanks or characters of the present run */
} Reader;

static Reader read_byte(Runs r, Reader at, uint8_t byte)
{
    const Reader refused = {REFUSED, 0};
    switch (at.at) {
    case LEAD:
        if (byte == '"') return (Reader){STRING, 0};
        return byte == ' ' && at.n < r.lead ? (Reader){LEAD, at.n + 1}
                                            : refused;
    case STRING:
        if (byte == '"') return at.n >= r.lo ? (Reader){TRAIL, 0} : refused;
        if (byte == 0xA9 || at.n >= r.hi) return refused;
        return byte == 0xC3 ? (Reader){HALF, at.n} : (Reader){STRING, at.n + 1};
    case HALF:
        return byte == 0xA9 ? (Reader){STRING, at.n + 1} : refused;
    case TRAIL:
        return byte == ' ' && at.n < r.trail ? (Reader){TRAIL, at.n + 1}
                                             : refused;
    default:
        return refused;
    }
}

static Reader read_bytes(Runs r, Reader at, weir_bytes text)
{
    for (size_t i = 0; i < text.size && at.at != REFUSED; i++)
        at = read_byte(r, at, (uint8_t)text.data[i]);
    return at;
}

/* ---- judging ---- */

typedef struct Judge {
    const Words *words;
    weir_grammar *grammar;
    weir_matcher *matcher;
    Runs runs;
    Reader at;
    uint32_t nwords;
    int32_t *row, *again;
    uint64_t masks;
} Judge;

static bool row_has(const int32_t *row, uint32_t id)
{
    return (uint32_t)row[id / 32] >> id % 32 & 1;
}

static bool token_fits(const Judge *j, uint32_t id)
{
    const weir_token *t = &j->words->token[id];
    if (t->flags) return j->at.at == TRAIL;
    return read_bytes(j->runs, j->at, t->bytes).at != REFUSED;
}

/* The row kept in the memo, if there is one, is the row filled. */
static void judge_kept_row(Judge *j)
{
    weir_matcher *m = j->matcher;
    MaskMemo *memo = &m->hub->memo;
    uint32_t end = j->words->count - 1; /* the stop token is the api's */
    const uint32_t *kept = mask_row(&m->run, memo, &m->track.now, NULL);
    assert_non_null(kept);
    assert_ptr_equal(mask_row(&m->run, memo, &m->track.now, NULL), kept);
    for (uint32_t id = 0; id < end; id++)
        if ((kept[id / 32] >> id % 32 & 1) != row_has(j->row, id))
            fail_msg("kept row differs at token %u", id);
    /* what is handed out has the stop token where the text may end, and is
       kept, too */
    const int32_t *handed = weir_matcher_mask(m);
    assert_memory_equal(handed, j->row, j->nwords * sizeof *j->row);
    assert_ptr_not_equal(handed, m->row);
    assert_ptr_equal(weir_matcher_mask(m), handed);
}

static void judge_here(Judge *j)
{
    size_t nbytes = j->nwords * sizeof *j->row;
    if (weir_matcher_is_terminated(j->matcher)) return;
    assert_int_equal(weir_matcher_is_completed(j->matcher), j->at.at == TRAIL);
    assert_int_equal(weir_matcher_fill(j->matcher, j->row), WEIR_FILL_APPLY);
    for (uint32_t id = 0; id < j->words->count; id++)
        if (row_has(j->row, id) != token_fits(j, id))
            fail_msg("{%u} {%u,%u} {%u} at %d, %u: token %u is %s",
                     j->runs.lead, j->runs.lo, j->runs.hi, j->runs.trail,
                     (int)j->at.at, j->at.n, id,
                     token_fits(j, id) ? "refused" : "allowed");
    /* remembered, then promoted */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weir_matcher_fill(j->matcher, j->again),
                         WEIR_FILL_APPLY);
        assert_memory_equal(j->row, j->again, nbytes);
    }
    assert_memory_equal(weir_matcher_mask(j->matcher), j->row, nbytes);
    judge_kept_row(j);
    j->masks++;
}

/* From the start: `blanks` blanks, and perhaps a quote and characters. */
static void judge_begin(Judge *j, uint32_t blanks, bool opens, uint32_t chars)
{
    static char text[512];
    assert_true(blanks + chars + 1 < sizeof text);
    memset(text, ' ', blanks);
    text[blanks] = '"';
    memset(text + blanks + 1, 'a', chars);
    weir_bytes bytes = {text, blanks + (opens ? 1 + chars : 0)};
    weir_matcher_reset(j->matcher);
    j->at = read_bytes(j->runs, (Reader){LEAD, 0}, bytes);
    assert_int_equal(weir_matcher_accept_bytes(j->matcher, bytes, NULL),
                     j->at.at == REFUSED ? WEIR_REFUSED : WEIR_ACCEPTED);
}

/* A few random tokens that fit. */
static void judge_on(Judge *j, Rng *rng)
{
    enum { STEPS = 4, TRIES = 400 };
    for (int step = 0; step < STEPS && j->at.at != REFUSED; step++) {
        judge_here(j);
        uint32_t id = 0, tries = 0;
        do id = rng_below(rng, j->words->count - 1);
        while (!token_fits(j, id) && ++tries < TRIES);
        if (tries == TRIES || weir_matcher_is_terminated(j->matcher)) return;
        assert_int_equal(weir_matcher_accept(j->matcher, id), WEIR_ACCEPTED);
        j->at = read_bytes(j->runs, j->at, j->words->token[id].bytes);
    }
}

static uint32_t less(uint32_t from, uint32_t by)
{
    return from > by ? from - by : 0;
}

/* Begins at each distance from each limit that a token can see. */
static void judge_runs(Judge *j, Rng *rng)
{
    uint32_t hi = j->runs.hi == NO_LIMIT ? j->runs.lo + 4 : j->runs.hi;
    for (uint32_t near = 0; near <= LONGEST + 1; near++) {
        judge_begin(j, less(j->runs.lead, near), false, 0);
        judge_on(j, rng);
        judge_begin(j, 0, true, less(hi, near));
        judge_on(j, rng);
        judge_begin(j, near, true, less(j->runs.lo, near));
        judge_on(j, rng);
    }
    judge_begin(j, less(j->runs.lead, 66), false, 0);
    judge_on(j, rng);
}

static const Runs runs[] = {
    {0, 3, 7, 0, false},            /* maxLength */
    {0, 0, 7, 5, false},            /* blanks written out */
    {5, 3, 7, 0, false},            /* several of five blanks in a token */
    {70, 3, 7, 70, false},          /* blanks counted, before and after */
    {70, 5, 5, 66, false},          /* an exact length */
    {70, 40, 100, 1, false},        /* limits far apart */
    {128, 80, NO_LIMIT, 70, false}, /* a minimum alone */
    {66, 0, NO_LIMIT, 128, false},  /* none */
    {5, 0, NO_LIMIT, 5, true},      /* a frame that may return everywhere */
    {0, 2, NO_LIMIT, 70, true},
    {70, 3, 7, 5, true},
};

static void masks_near_limits(void **state)
{
    (void)state;
    static Words words;
    Rng rng = {env_number("WEIR_SEED", 7)};
    weir_vocab *v = words_vocab(&words);
    Judge j = {.words = &words, .nwords = WEIR_MASK_WORDS(words.count)};
    j.row = calloc(j.nwords, sizeof *j.row);
    j.again = calloc(j.nwords, sizeof *j.again);
    printf("seed %llu, %u tokens\n", (unsigned long long)rng.state,
           words.count);
    for (size_t i = 0; i < COUNT_OF(runs); i++) {
        j.runs = runs[i];
        j.grammar = runs_grammar(v, j.runs);
        j.matcher = weir_matcher_new(j.grammar, NULL, NULL);
        assert_non_null(j.matcher);
        for (int round = 0; round < 3; round++) judge_runs(&j, &rng);
        weir_matcher_free(j.matcher);
        weir_grammar_free(j.grammar);
    }
    printf("%llu masks\n", (unsigned long long)j.masks);
    free(j.row);
    free(j.again);
    weir_vocab_free(v);
}

/* ---- register classes ---- */

/* Registers of one class allow the same over texts of `most` copies: to go on
 * for k copies, and to return after them. */
static void check_class(const State *q, uint32_t lo, uint32_t hi, uint32_t a,
                        uint32_t b, uint32_t most)
{
    if (reg_class(q, a, most) != reg_class(q, b, most)) return;
    for (uint32_t k = 0; k <= most; k++) {
        assert_int_equal(a + k <= hi, b + k <= hi);
        if (a + k <= hi) assert_int_equal(a + k >= lo, b + k >= lo);
    }
}

static void classes_tell_limits_apart(void **state)
{
    (void)state;
    static const struct {
        uint32_t lo, hi;
    } bounds[] = {{1, 1}, {1, 9}, {3, 12}, {8, 9}, {9, 24}, {12, 12}, {5, 30}};
    for (size_t i = 0; i < COUNT_OF(bounds); i++)
        for (uint32_t most = 1; most <= 12; most++) {
            uint32_t lo = bounds[i].lo, hi = bounds[i].hi;
            Frame frame = {.is_counted = true, .lo = lo, .hi = hi};
            State q = {.frame = &frame};
            for (uint32_t a = 0; a <= hi; a++) {
                uint32_t c = reg_class(&q, a, most);
                check_class(&q, lo, hi, a, c, most);
                assert_int_equal(reg_class(&q, c, most), c);
                for (uint32_t b = 0; b <= hi; b++)
                    check_class(&q, lo, hi, a, b, most);
            }
        }
}

/* They are few: a class each while a limit is in reach, one in between. */
static void classes_are_few(void **state)
{
    (void)state;
    static const struct {
        uint32_t lo, hi, reg, class;
    } cases[] = {
        /* over ten copies: both limits far */
        {100, 1000, 0, 0},
        {100, 1000, 50, 0},
        {100, 1000, 89, 0},
        {100, 1000, 90, 90},
        {100, 1000, 99, 99},
        {100, 1000, 100, 100},
        {100, 1000, 500, 100},
        {100, 1000, 990, 100},
        {100, 1000, 991, 991},
        {100, 1000, 1000, 1000},
        {100, REPEAT_INF, 100, 100},
        {100, REPEAT_INF, 5, 0},
        {1, 5, 0, 0},
        {1, 5, 4, 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Frame frame = {
            .is_counted = true, .lo = cases[i].lo, .hi = cases[i].hi};
        State q = {.frame = &frame};
        assert_int_equal(reg_class(&q, cases[i].reg, 10), cases[i].class);
        frame.is_counted = false;
        assert_int_equal(reg_class(&q, cases[i].reg, 10), 0);
    }
}

/* ---- the memo ---- */

/* Strings of 20 and of 21 characters of at most 1,000 have one mask. */
static void registers_of_a_class_share_a_mask(void **state)
{
    (void)state;
    static Words words;
    weir_vocab *v = words_vocab(&words);
    weir_grammar *g = runs_grammar(v, (Runs){0, 1, 1000, 0, false});
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    int32_t *row = calloc(WEIR_MASK_WORDS(words.count), sizeof *row);
    weir_matcher_accept_bytes(m, small_bytes("\"aaaaaaaaaaaaaaaaaaaa"), NULL);
    weir_matcher_fill(m, row);
    MaskMemo *memo = &m->hub->memo;
    uint32_t kept = memo->table.count;
    const uint32_t *mask = mask_row(&m->run, memo, &m->track.now, NULL);
    assert_non_null(mask);
    weir_matcher_accept_bytes(m, small_bytes("a"), NULL);
    assert_ptr_equal(mask_row(&m->run, memo, &m->track.now, NULL), mask);
    weir_matcher_fill(m, row);
    assert_int_equal(memo->table.count, kept);
    free(row);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
}

/* Nobody waits for what a sample text has met. */
static void warming_makes_walks(void **state)
{
    (void)state;
    static Words words;
    weir_vocab *v = words_vocab(&words);
    uint32_t before = v->masks.cache.table.count;
    State *start = network_start(&v->shared);
    assert_non_null(start);
    assert_true(mask_warm(&v->masks, start, SPAN("{\"a\": [\"b\", \"c\"]}")));
    uint32_t warm = v->masks.cache.table.count;
    assert_true(warm >= before);
    assert_true(mask_warm(&v->masks, start, SPAN("{\"a\": [\"b\", \"c\"]}")));
    assert_int_equal(v->masks.cache.table.count, warm);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_near_limits),
        cmocka_unit_test(classes_tell_limits_apart),
        cmocka_unit_test(classes_are_few),
        cmocka_unit_test(registers_of_a_class_share_a_mask),
        cmocka_unit_test(warming_makes_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
