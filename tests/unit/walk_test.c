/* walk_test.c: what tokens do from one state, with lists written by hand.
 *
 * A walk is shown as its inside ids, then what leaves:
 *
 *     ID+RISE ...  |  ID@SKIP+RISE ...
 *
 * sorted by id and skip; "+RISE" only where copies are counted.
 */
#include "unit/small_grammar.h"

#include <stdlib.h>

#include "api/objects.h"

/* ---- a vocabulary, a grammar and a place in it ---- */

enum { MAX_TOKENS = 200 };

typedef struct Place {
    Mem mem;
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_matcher *matcher;
    MaskRun run;
    Config at; /* the one configuration after the text read */
} Place;

/* The place takes over the vocabulary. */
static void place_begin(Place *p, weir_vocab *vocab, const char *source,
                        const char *after)
{
    *p = (Place){.mem = mem_from_env(NULL), .vocab = vocab};
    assert_non_null(vocab);
    p->grammar = small_grammar(p->vocab, &p->mem, source, NULL);
    p->matcher = weir_matcher_new(p->grammar, NULL, NULL);
    assert_non_null(p->matcher);
    assert_int_equal(
        weir_matcher_accept_bytes(p->matcher, small_bytes(after), NULL),
        WEIR_ACCEPTED);
    assert_int_equal(p->matcher->track.now.list.count, 1);
    p->at = p->matcher->track.now.list.at[0];
    maskrun_init(&p->run, &p->mem, &p->vocab->masks, &p->grammar->walks,
                 &p->grammar->hub->stacks, &p->grammar->ir.limits);
}

static void place_open(Place *p, const weir_token *tokens, uint32_t count,
                       const char *source, const char *after)
{
    weir_vocab *vocab = weir_vocab_new(NULL, tokens, count, NULL, NULL);
    place_begin(p, vocab, source, after);
}

static void place_close(Place *p)
{
    maskrun_free(&p->run);
    weir_matcher_free(p->matcher);
    weir_grammar_free(p->grammar);
    weir_vocab_free(p->vocab);
}

static const Walk *place_walk(Place *p, const MaskTrie *x, Config c)
{
    const Walk *w = explore_walk(&p->run, x, TRIE_ROOT, 0, c);
    assert_non_null(w);
    assert_ptr_equal(explore_walk(&p->run, x, TRIE_ROOT, 0, c), w);
    assert_int_equal(stepper_status(&p->run.stepper), WEIR_OK);
    return w;
}

/* ---- walks as text ---- */

typedef struct WalkEntry {
    uint32_t id, skip, rise;
} WalkEntry;

static int entry_order(const void *x, const void *y)
{
    const WalkEntry *a = x, *b = y;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->skip > b->skip) - (a->skip < b->skip);
}

static void show_entries(WalkEntry *at, uint32_t count, bool skips, bool rises,
                         Out *out)
{
    qsort(at, count, sizeof *at, entry_order);
    for (uint32_t i = 0; i < count; i++) {
        out_format(out, " %u", at[i].id);
        if (skips) out_format(out, "@%u", at[i].skip);
        if (rises) out_format(out, "+%u", at[i].rise);
    }
}

static uint32_t count_characters(Span text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.size; i++) n += (text.at[i] & 0xC0) != 0x80;
    return n;
}

/* The inside of a walk, that of its cover too. */
static uint32_t inside_entries(const Vocab *vocab, const Walk *w, WalkEntry *at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->ninside; i++)
        at[n++] = (WalkEntry){w->inside[i], 0, w->rise ? w->rise[i] : 0};
    for (uint32_t c = 0; c < w->ncovers; c++)
        for (uint32_t id = 0; id < vocab->width; id++) {
            const WalkCover *cover = &w->covers[c];
            if (!(cover->row[id / 32] >> id % 32 & 1)) continue;
            uint32_t rise = !w->rise ? 0 : cover->rise;
            if (w->rise && cover->counts)
                rise = count_characters(vocab_bytes(vocab, id));
            at[n++] = (WalkEntry){id, 0, rise};
        }
    for (uint32_t i = 0; w->rise && i < n; i++)
        assert_true(w->rise_min <= at[i].rise && at[i].rise <= w->rise_max);
    return n;
}

static void show_walk(const Vocab *vocab, const Walk *w, Out *out)
{
    static WalkEntry at[1000];
    uint32_t n = inside_entries(vocab, w, at);
    assert_true(n <= COUNT_OF(at));
    show_entries(at, n, false, w->rise != NULL, out);
    const MaskTrie *x = w->leaving;
    out_text(out, w->leaks ? " leaks" : " |");
    if (!x) return;
    assert_true(x->trie.nids <= COUNT_OF(at));
    for (uint32_t i = 0; i < x->trie.nids; i++) {
        at[i] =
            (WalkEntry){x->trie.ids[i], x->skip[i], x->rise ? x->rise[i] : 0};
        if (x->rise)
            assert_true(x->rise_min <= at[i].rise && at[i].rise <= x->rise_max);
    }
    show_entries(at, x->trie.nids, true, x->rise != NULL, out);
}

static void expect_walk(const Place *p, const Walk *w, const char *expected)
{
    char text[2048];
    Out out = {text, sizeof text, 0};
    show_walk(&p->vocab->vocab, w, &out);
    assert_true(out.size < out.cap);
    text[out.size] = 0;
    assert_string_equal(text, expected);
}

/* ---- cases ---- */

typedef struct WalkCase {
    const char *tokens; /* separated by newlines; ids from 0 */
    const char *grammar, *after, *walk;
} WalkCase;

/* clang-format off */
/*                 0  1   2     3      4   5     6      7            */
#define STRINGS   "a\nab\nab\"\na\"\"\n\"\n\xC3\na\xC3\n\xC3\xA9\"x"
#define STRING    "root ::= \"\\\"\" [^\"]{3,7} \"\\\"\" [x\"]{0,9}"
/*                 0  1   2   3    4   5     6  7    */
#define NUMBERS   "1\n12\n1.\n1.5\n1]\n1.5]\n]\n1]x"
#define NUMBER    "root ::= \"[\" N \"]\"\nN ::= [0-9]+ (\".\" [0-9]+)?"
/*                 0 1  2   3     4      5    */
#define BLANKS    " \n  \n   \n  x\n   xx\nx"
#define RUN       "root ::= \"<\" [ ]{0,70} \"x\""
static const WalkCase cases[] = {
    /* a counted frame: copies begun by the end, or whole before leaving */
    {STRINGS, STRING, "\"aa",
     " 0+1 1+2 5+1 6+2 | 1@1+1 2@1+1 2@2+2 3@1+1 6@1+1 7@2+1"},
    /* the register is not the walk's affair */
    {STRINGS, STRING, "\"aaaaaa",
     " 0+1 1+2 5+1 6+2 | 1@1+1 2@1+1 2@2+2 3@1+1 6@1+1 7@2+1"},
    /* inside a copy: the copy that ends first is begun already */
    {"\xA9\n\xA9" "b\n\xA9\"\na", STRING, "\"aa\xC3", " 0+1 1+2 | 1@1+1 2@1+1"},
    /* blanks */
    {BLANKS, RUN, "< ", " 0+1 1+2 2+3 | 1@1+1 2@1+1 2@2+2 3@1+1 3@2+2"
                        " 4@1+1 4@2+2 4@3+3"},
    /* a plain frame, and the one around it, which calls it */
    {NUMBERS, NUMBER, "[1", " 0 1 2 3 | 1@1 2@1 3@1 4@1 5@1 5@3 7@1"},
    {NUMBERS, NUMBER, "[", " 0 1 2 3 4 5 | 7@2"},
    {NUMBERS, NUMBER, "[1.", " 0 1 | 1@1 2@1 3@1 4@1 5@1 7@1"},
    /* nothing leaves a frame that returns at its end alone */
    {"b\nbc\nbcd", "root ::= \"a\" L \"d\"\nL ::= \"(\" L \")\" | \"bc\"", "a",
     " 0 1 2 |"},
};
/* clang-format on */

static uint32_t split(const char *text, weir_token *tokens)
{
    uint32_t n = 0;
    for (const char *end = text; *end; text = end + 1) {
        end = strchr(text, '\n');
        if (!end) end = text + strlen(text);
        tokens[n++] = (weir_token){{text, (size_t)(end - text)}, 0};
    }
    return n;
}

static void walks_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        weir_token tokens[16];
        Place p;
        uint32_t n = split(cases[i].tokens, tokens);
        place_open(&p, tokens, n, cases[i].grammar, cases[i].after);
        expect_walk(&p, place_walk(&p, &p.vocab->masks.main, p.at),
                    cases[i].walk);
        place_close(&p);
    }
}

/* What leaves a string, read by what follows it: rises are handed on. Texts
 * left: b" and " of 2, b of 1, "" of 3, C3 of 6, "x of 7; after the quote the
 * output may end, so that what lies behind it leaves again. */
static void walks_of_remainders(void **state)
{
    (void)state;
    weir_token tokens[16];
    Place p;
    uint32_t n = split(STRINGS, tokens);
    place_open(&p, tokens, n, STRING, "\"aa");
    const Walk *w = place_walk(&p, &p.vocab->masks.main, p.at);
    assert_int_equal(w->rise_kind, RISE_OWN);
    assert_int_equal(p.at.stack->count, 1);
    Config below = {.q = p.at.stack->at[0].ret, .reg = p.at.stack->at[0].reg};
    const Walk *on = place_walk(&p, w->leaving, below);
    assert_int_equal(on->rise_kind, RISE_TRIE);
    expect_walk(&p, on, " 2+2 3+1 7+1 | 3@2+1 7@3+1");
    place_close(&p);
}

/* A grammar's remainder trie has an end: then nothing is kept but the fact. */
static void walks_that_leak(void **state)
{
    (void)state;
    weir_token tokens[16];
    Place p;
    uint32_t n = split(STRINGS, tokens);
    for (uint32_t most = 5; most <= 6; most++) {
        place_open(&p, tokens, n, STRING, "\"aa");
        p.grammar->walks.max_leaving = most;
        const Walk *w = place_walk(&p, &p.vocab->masks.main, p.at);
        assert_int_equal(w->leaks, most < 6);
        if (w->leaks) {
            assert_null(w->leaving);
            assert_int_equal(w->ninside, 0);
        }
        /* the mask is the same: 2 and 3 go on to a quote, 4 cannot yet */
        int32_t row[1];
        assert_int_equal(weir_matcher_fill(p.matcher, row), WEIR_FILL_APPLY);
        assert_int_equal(row[0], 0xEF);
        place_close(&p);
    }
}

/* What leaves by the same nodes of the vocabulary's tries is one trie for all
 * grammars, while the vocabulary has room; else each grammar's own. */
static void remainders_of_grammars(void **state)
{
    static const char *const sources[] = {
        "root ::= \"<\" Name \">\"\nName ::= [a-c]+ \".\"",
        "root ::= \"<\" Name \">\" \"!\"?\nName ::= [a-d]+ \".\""};
    (void)state;
    for (int is_full = 0; is_full < 2; is_full++) {
        weir_token tokens[16];
        const MaskTrie *leaving[2];
        Place p[2];
        uint32_t n = split(".>\na.>\nab\nb.!", tokens);
        weir_vocab *vocab = weir_vocab_new(NULL, tokens, n, NULL, NULL);
        if (is_full) vocab->masks.cache.taken_in = UINT32_MAX;
        for (int i = 0; i < 2; i++) {
            place_begin(&p[i], vocab, sources[i], "<a");
            weir_vocab_retain(vocab);
            const Walk *w = place_walk(&p[i], &vocab->masks.main, p[i].at);
            expect_walk(&p[i], w, " 2 | 0@1 1@2 3@2");
            leaving[i] = w->leaving;
            assert_int_equal(leaving[i]->is_shared, !is_full);
        }
        assert_int_equal(leaving[0] == leaving[1], !is_full);
        for (int i = 0; i < 2; i++) place_close(&p[i]);
        weir_vocab_free(vocab);
    }
}

/* A loop state with a rise of its own serves every register; a loop that calls
 * is walked for each class. */
static void walks_by_register(void **state)
{
    (void)state;
    weir_token tokens[16];
    Place p;
    uint32_t n = split("a\nab\na,b\n,", tokens);
    place_open(&p, tokens, n, "root ::= [a-c]{3,100}", "aa");
    Config later = p.at;
    later.reg = 50;
    assert_ptr_equal(place_walk(&p, &p.vocab->masks.main, p.at),
                     place_walk(&p, &p.vocab->masks.main, later));
    place_close(&p);
    place_open(&p, tokens, n, "root ::= ([a-c]+ \",\"?){2,50}", "a,");
    assert_true(p.at.q->is_loop);
    assert_int_equal(p.at.reg, 1);
    const Walk *one = place_walk(&p, &p.vocab->masks.main, p.at);
    expect_walk(&p, one, " 0 1 2 | 1@1 2@1 2@2");
    later = p.at;
    later.reg = 49; /* one copy more, and only one */
    const Walk *last = place_walk(&p, &p.vocab->masks.main, later);
    assert_ptr_not_equal(last, one);
    expect_walk(&p, last, " 0 1 | 1@1 2@1 2@2");
    later.reg = 20; /* no limit within three bytes: as at the minimum */
    assert_ptr_equal(place_walk(&p, &p.vocab->masks.main, later),
                     place_walk(&p, &p.vocab->masks.main,
                                (Config){later.q, later.stack, 2, 0}));
    place_close(&p);
}

/* 1,024 ids are worth a row. */
static void large_walks_have_rows(void **state)
{
    (void)state;
    enum { MANY = 1100 };
    static char text[MANY][2];
    static weir_token tokens[MANY];
    for (uint32_t count = 1023; count <= 1024; count++) {
        Place p;
        for (unsigned i = 0; i < count; i++) {
            text[i][0] = (char)('0' + i / 64);
            text[i][1] = (char)('0' + i % 64);
            tokens[i] = (weir_token){{text[i], 2}, 0};
        }
        place_open(&p, tokens, count, "root ::= [0-o]*", "0");
        const Walk *w = place_walk(&p, &p.vocab->masks.main, p.at);
        assert_int_equal(w->ninside, count);
        assert_int_equal(w->ncovers, 0);
        assert_int_equal(w->bitmap != NULL, count >= 1024);
        for (uint32_t id = 0; w->bitmap && id < count; id++)
            assert_true(w->bitmap[id / 32] >> id % 32 & 1);
        place_close(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_by_hand),
        cmocka_unit_test(walks_of_remainders),
        cmocka_unit_test(walks_that_leak),
        cmocka_unit_test(remainders_of_grammars),
        cmocka_unit_test(walks_by_register),
        cmocka_unit_test(large_walks_have_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
