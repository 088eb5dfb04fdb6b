/* structural_tag_vs_oracle_test.c: random structural tags against what their
 * documentation says, read naively.
 *
 * The reader below knows no automaton and no expression: it finds the sets of
 * places where a format may end in a given text, by trying every way to cut the
 * text and looking for triggers, ends and excludes at every place. Its verdict
 * on all texts of up to seven letters a and b, where words overlap in every
 * way, is compared with the compiled grammar's; and along random outputs the
 * masks of a random vocabulary are compared with the oracle's (oracle.h), which
 * knows the expression only.
 */
#include "oracle/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "tag/tag.h"

enum { LONGEST = 7, KIDS = 3, WORDS = 3, WORD = 4, NODES = 64, JSON = 8192 };

typedef enum FormatKind {
    CONST_STRING,
    ANY_TEXT,
    SEQUENCE,
    OR,
    OPTIONAL,
    REPEAT,
    TAG,
    TRIGGERED,
    SEPARATED,
    DISPATCH,
    FORMATS
} FormatKind;

typedef struct Words {
    char at[WORDS][WORD];
    int count;
} Words;

typedef struct Format {
    FormatKind kind;
    char text[WORD]; /* value, begin, separator, the text of a rule */
    Words ends;      /* of a tag; may have "" */
    Words excludes, triggers;
    int max; /* any_text: max_chars or -1; repeat: max or -1 */
    int min;
    bool at_least_one, stop_after_first, loop;
    struct Format *kids[KIDS]; /* a tag's content is the first */
    int nkids;
} Format;

/* ---- making ---- */

static Rng rng;
static Format pool[NODES];
static int used;

static void random_word(char *word)
{
    uint32_t n = 1 + rng_below(&rng, rng_chance(&rng, 20) ? 3 : 2);
    memset(word, 0, WORD);
    for (uint32_t i = 0; i < n; i++) word[i] = "ab"[rng_below(&rng, 2)];
}

static void random_words(Words *w, int least, int most)
{
    w->count = least + (int)rng_below(&rng, (uint32_t)(most - least + 1));
    for (int i = 0; i < w->count; i++) random_word(w->at[i]);
}

static Format *random_format(int depth);

static Format *new_format(FormatKind kind)
{
    assert_true(used < NODES);
    Format *f = &pool[used++];
    *f = (Format){.kind = kind, .max = -1, .loop = true};
    return f;
}

static Format *random_tag(int depth)
{
    Format *f = new_format(TAG);
    if (rng_chance(&rng, 80)) random_word(f->text);
    random_words(&f->ends, 1, 2);
    if (rng_chance(&rng, 25)) f->ends.at[0][0] = 0;
    f->kids[f->nkids++] = random_format(depth);
    return f;
}

static int triggers_of(const Format *f, const char *begin)
{
    int n = 0;
    for (int i = 0; i < f->triggers.count; i++)
        n += !strncmp(begin, f->triggers.at[i], strlen(f->triggers.at[i]));
    return n;
}

static void random_tags(Format *f, int depth)
{
    int n = 1 + (int)rng_below(&rng, 2);
    for (int i = 0; i < n; i++) {
        Format *tag = random_tag(depth);
        while (f->kind == TRIGGERED && triggers_of(f, tag->text) != 1)
            random_word(tag->text);
        f->kids[f->nkids++] = tag;
    }
}

static void random_kids(Format *f, int depth, int count)
{
    for (int i = 0; i < count; i++) f->kids[f->nkids++] = random_format(depth);
}

static void random_members(Format *f, int depth)
{
    switch (f->kind) {
    case CONST_STRING:
        if (rng_chance(&rng, 90)) random_word(f->text);
        break;
    case ANY_TEXT:
        random_words(&f->excludes, 0, 2);
        if (rng_chance(&rng, 30)) f->max = (int)rng_below(&rng, 4);
        break;
    case SEQUENCE:
    case OR:
        random_kids(f, depth, 1 + (int)rng_below(&rng, KIDS));
        break;
    case OPTIONAL:
        random_kids(f, depth, 1);
        break;
    case REPEAT:
        f->min = (int)rng_below(&rng, 3);
        if (rng_chance(&rng, 60)) f->max = f->min + (int)rng_below(&rng, 3);
        random_kids(f, depth, 1);
        break;
    case TRIGGERED:
        random_words(&f->triggers, 1, 2);
        if (!strcmp(f->triggers.at[0], f->triggers.at[1]))
            f->triggers.count = 1;
        if (rng_chance(&rng, 50)) random_words(&f->excludes, 0, 2);
        f->at_least_one = rng_chance(&rng, 30);
        f->stop_after_first = rng_chance(&rng, 30);
        random_tags(f, depth);
        break;
    case SEPARATED:
        if (rng_chance(&rng, 80)) random_word(f->text);
        f->at_least_one = rng_chance(&rng, 50);
        f->stop_after_first = rng_chance(&rng, 30);
        random_tags(f, depth);
        break;
    case DISPATCH:
        random_words(&f->triggers, 1, 2);
        if (rng_chance(&rng, 50)) random_words(&f->excludes, 0, 2);
        f->loop = rng_chance(&rng, 70);
        random_kids(f, depth, f->triggers.count);
        break;
    default:
        break;
    }
}

static Format *random_format(int depth)
{
    FormatKind kind = (FormatKind)rng_below(&rng, depth ? FORMATS : SEQUENCE);
    if (kind == TAG) return random_tag(depth - 1);
    Format *f = new_format(kind);
    random_members(f, depth - 1);
    return f;
}

/* ---- as JSON ---- */

static void put_words(Out *out, const char *key, const Words *w)
{
    out_format(out, ",\"%s\":[", key);
    for (int i = 0; i < w->count; i++)
        out_format(out, "%s\"%s\"", i ? "," : "", w->at[i]);
    out_text(out, "]");
}

static void put_format(Out *out, const Format *f);

static void put_kids(Out *out, const char *key, const Format *f)
{
    out_format(out, ",\"%s\":[", key);
    for (int i = 0; i < f->nkids; i++) {
        if (i) out_text(out, ",");
        if (f->kind == DISPATCH) out_format(out, "[\"%s\",", f->triggers.at[i]);
        put_format(out, f->kids[i]);
        if (f->kind == DISPATCH) out_text(out, "]");
    }
    out_text(out, "]");
}

static void put_content(Out *out, const Format *f)
{
    out_text(out, ",\"content\":");
    put_format(out, f->kids[0]);
}

static void put_switches(Out *out, const Format *f)
{
    if (f->at_least_one) out_text(out, ",\"at_least_one\":true");
    if (f->stop_after_first) out_text(out, ",\"stop_after_first\":true");
}

static void put_format(Out *out, const Format *f)
{
    static const char *const names[FORMATS] = {
        "const_string", "any_text",       "sequence",
        "or",           "optional",       "repeat",
        "tag",          "triggered_tags", "tags_with_separator",
        "dispatch"};
    out_format(out, "{\"type\":\"%s\"", names[f->kind]);
    if (f->kind == CONST_STRING) out_format(out, ",\"value\":\"%s\"", f->text);
    if (f->kind == ANY_TEXT && f->max >= 0)
        out_format(out, ",\"max_chars\":%d", f->max);
    if (f->excludes.count) put_words(out, "excludes", &f->excludes);
    if (f->kind == SEQUENCE || f->kind == OR) put_kids(out, "elements", f);
    if (f->kind == REPEAT)
        out_format(out, ",\"min\":%d,\"max\":%d", f->min, f->max);
    if (f->kind == OPTIONAL || f->kind == REPEAT || f->kind == TAG)
        put_content(out, f);
    if (f->kind == TAG) {
        out_format(out, ",\"begin\":\"%s\"", f->text);
        put_words(out, "end", &f->ends);
    }
    if (f->kind == TRIGGERED) put_words(out, "triggers", &f->triggers);
    if (f->kind == TRIGGERED || f->kind == SEPARATED) put_kids(out, "tags", f);
    if (f->kind == SEPARATED) out_format(out, ",\"separator\":\"%s\"", f->text);
    if (f->kind == DISPATCH) put_kids(out, "rules", f);
    if (!f->loop) out_text(out, ",\"loop\":false");
    put_switches(out, f);
    out_text(out, "}");
}

/* ---- reading ---- */

/* Places in the text: bit p is before letter p. */
typedef uint32_t Places;

static const char *text;
static int size;

/* The nearest tag's ends. `closes`: they follow at once, and are read too. */
typedef struct Around {
    const Words *ends; /* NULL: no tag */
    bool closes;
} Around;
static const Around nowhere = {NULL, false};

static Around before(Around around)
{
    return (Around){around.ends, false};
}

static Places place(int p)
{
    return (Places)1 << p;
}

static bool stands(const char *word, int at)
{
    size_t n = strlen(word);
    return at + (int)n <= size && !strncmp(text + at, word, n);
}

static Places after_word(const char *word, Places from)
{
    Places to = 0;
    for (int p = 0; p <= size; p++)
        if (from & place(p) && stands(word, p))
            to |= place(p + (int)strlen(word));
    return to;
}

static Places after_words(const Words *w, Places from)
{
    Places to = 0;
    for (int i = 0; i < w->count; i++) to |= after_word(w->at[i], from);
    return to;
}

static Places closed(Around around, Places from)
{
    return around.closes && around.ends ? after_words(around.ends, from) : from;
}

/* Whether one of the words, "" aside, begins in [from, until) and ends at `end`
 * or earlier. */
static bool occurs(const Words *w, int from, int until, int end)
{
    for (int i = 0; w && i < w->count; i++)
        for (int p = from; p < until; p++)
            if (w->at[i][0] && stands(w->at[i], p) &&
                p + (int)strlen(w->at[i]) <= end)
                return true;
    return false;
}

static bool has_empty(const Words *w)
{
    for (int i = 0; i < w->count; i++)
        if (!w->at[i][0]) return true;
    return false;
}

static bool is_open(const Format *f)
{
    bool any = false;
    switch (f->kind) {
    case ANY_TEXT:
        return f->max < 0;
    case SEQUENCE:
        return is_open(f->kids[f->nkids - 1]);
    case OR:
        for (int i = 0; i < f->nkids; i++) any |= is_open(f->kids[i]);
        return any;
    case OPTIONAL:
        return is_open(f->kids[0]);
    default:
        return f->kind == TRIGGERED || f->kind == DISPATCH;
    }
}

static Places read_format(const Format *f, Places from, Around around);

/* After a tag's begin: `more` may be followed by free text, `last` not. */
static Places rest_of(const Format *tag, Places from, Places *last)
{
    Words ends = {{{0}}, 0};
    *last = 0;
    if (!has_empty(&tag->ends) || !is_open(tag->kids[0]))
        return read_format(tag->kids[0], from, (Around){&tag->ends, true});
    *last = read_format(tag->kids[0], from, (Around){&tag->ends, false});
    for (int i = 0; i < tag->ends.count; i++)
        if (tag->ends.at[i][0]) strcpy(ends.at[ends.count++], tag->ends.at[i]);
    return ends.count ? read_format(tag->kids[0], from, (Around){&ends, true})
                      : 0;
}

/* Free text from one place, with triggers: where it may end; into `taken` go
 * the places after a trigger, by trigger. */
static Places free_text(const Format *f, int from, Around around,
                        Places taken[WORDS])
{
    const Words *ends = around.ends, *triggers = &f->triggers;
    bool open = !around.closes || !ends || has_empty(ends);
    Places to = 0;
    for (int p = from; p <= size; p++) {
        if (f->kind == ANY_TEXT && f->max >= 0 && p - from > f->max) break;
        bool ok = !occurs(&f->excludes, from, p, p);
        if (open && ok && !occurs(triggers, from, p, p) &&
            !occurs(ends, from, p, p))
            to |= place(p);
        for (int i = 0; around.closes && ends && i < ends->count; i++) {
            int end = p + (int)strlen(ends->at[i]);
            if (ok && ends->at[i][0] && stands(ends->at[i], p) &&
                !occurs(triggers, from, p, end) && !occurs(ends, from, p, end))
                to |= place(end);
        }
        for (int i = 0; i < triggers->count; i++) {
            int end = p + (int)strlen(triggers->at[i]);
            bool clean = !occurs(&f->excludes, from, end, end) &&
                         (around.closes || !occurs(ends, from, end, end));
            if (stands(triggers->at[i], p) && clean &&
                !occurs(triggers, from, p, end) && !occurs(ends, from, p, end))
                taken[i] |= place(end);
        }
    }
    return to;
}

/* What follows trigger i of the format, `from` after it. */
static Places body_of(const Format *f, int i, Places from, Around around,
                      Places *last)
{
    Places more = 0, one;
    *last = 0;
    if (f->kind == DISPATCH) {
        bool ends = !f->loop || is_open(f->kids[i]);
        Places to =
            read_format(f->kids[i], from, ends ? around : before(around));
        *last = ends ? to : 0;
        return ends ? 0 : to;
    }
    size_t n = strlen(f->triggers.at[i]);
    for (int k = 0; k < f->nkids; k++) {
        if (strncmp(f->kids[k]->text, f->triggers.at[i], n)) continue;
        more |=
            rest_of(f->kids[k], after_word(f->kids[k]->text + n, from), &one);
        *last |= closed(around, one);
    }
    if (!f->stop_after_first) return more;
    *last |= closed(around, more);
    return 0;
}

static Places with_triggers(const Format *f, Places from, Around around)
{
    Places to = 0, done = 0;
    while (from & ~done) {
        int p = 0;
        while (!(from & ~done & place(p))) p++;
        Places taken[WORDS] = {0}, last;
        done |= place(p);
        to |= free_text(f, p, around, taken);
        for (int i = 0; i < f->triggers.count; i++) {
            from |= body_of(f, i, taken[i], around, &last);
            to |= last;
        }
    }
    return to;
}

static Places read_triggered(const Format *f, Places from, Around around)
{
    Places more = 0, last = 0, one;
    if (!f->at_least_one) return with_triggers(f, from, around);
    for (int k = 0; k < f->nkids; k++) {
        more |= rest_of(f->kids[k], after_word(f->kids[k]->text, from), &one);
        last |= one;
    }
    return closed(around, last) |
           (f->stop_after_first ? closed(around, more)
                                : with_triggers(f, more, around));
}

static Places read_separated(const Format *f, Places from, Around around)
{
    Places to = f->at_least_one ? 0 : from, seen = 0;
    while (from & ~seen) {
        Places now = 0, last;
        seen |= from;
        for (int k = 0; k < f->nkids; k++) {
            now |=
                rest_of(f->kids[k], after_word(f->kids[k]->text, from), &last);
            now |= last;
        }
        to |= now;
        if (f->stop_after_first) break;
        from = after_word(f->text, now);
    }
    return closed(around, to);
}

static Places read_repeat(const Format *f, Places from, Around around)
{
    Places to = f->min ? 0 : from, seen = 0;
    for (int i = 1; from && (f->max < 0 || i <= f->max); i++) {
        from = read_format(f->kids[0], from, before(around));
        if (i >= f->min) to |= from;
        if (i > f->min + LONGEST && !(from & ~seen)) break;
        seen |= from;
    }
    return closed(around, to);
}

static Places read_format(const Format *f, Places from, Around around)
{
    Places to = 0, last, none[WORDS];
    switch (f->kind) {
    case CONST_STRING:
        return closed(around, after_word(f->text, from));
    case ANY_TEXT:
        if (!f->max) return closed(around, from);
        for (int p = 0; p <= size; p++)
            if (from & place(p)) to |= free_text(f, p, around, none);
        return to;
    case SEQUENCE:
        for (int i = 0; i + 1 < f->nkids; i++)
            from = read_format(f->kids[i], from, before(around));
        return read_format(f->kids[f->nkids - 1], from, around);
    case OR:
        for (int i = 0; i < f->nkids; i++)
            to |= read_format(f->kids[i], from, around);
        return to;
    case OPTIONAL:
        return closed(around, from) | read_format(f->kids[0], from, around);
    case REPEAT:
        return read_repeat(f, from, around);
    case TAG:
        to = rest_of(f, after_word(f->text, from), &last);
        return closed(around, to | last);
    case TRIGGERED:
        return read_triggered(f, from, around);
    case SEPARATED:
        return read_separated(f, from, around);
    case DISPATCH:
        return with_triggers(f, from, around);
    default:
        return 0;
    }
}

/* ---- comparing ---- */

static bool accepts(weir_grammar *g)
{
    weir_error err;
    if (!g) return false;
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    assert_non_null(m);
    weir_bytes bytes = {text, (size_t)size};
    bool whole =
        !size || weir_matcher_accept_bytes(m, bytes, NULL) == WEIR_ACCEPTED;
    whole = whole && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

static uint64_t verdicts[2], skipped, judged;

static void compare_texts(const Format *f, weir_grammar *g, const char *source)
{
    for (size = 0; size <= LONGEST; size++)
        for (int i = 0; i < 1 << size; i++) {
            char letters[LONGEST + 1] = {0};
            for (int k = 0; k < size; k++) letters[k] = "ab"[i >> k & 1];
            text = letters;
            bool wanted = read_format(f, place(0), nowhere) & place(size);
            if (accepts(g) != wanted)
                fail_msg("%s\nexpected %d of \"%s\"", source, wanted, letters);
            verdicts[wanted]++;
        }
}

/* A walk of random tokens, each position judged by the oracle. */
static void compare_masks(const char *source)
{
    static Case c;
    weir_error err;
    Mem mem = mem_from_env(NULL);
    Alphabet letters = {{'a', 'b'}, 2};
    weir_schema_opts schema = {.draft = WEIR_DRAFT_DEFAULT};
    weir_space space = {.kind = WEIR_SPACE_ANY};
    memset(&c, 0, sizeof c);
    random_vocab(&rng, &letters, &c.made);
    judge_view(&c);
    ir_init(&c.ir, &mem, NULL);
    tag_compile(&c.ir, span_text(source),
                &(TagOpts){.schema = &schema, .space = &space});
    weir_vocab *vocab = judge_vocab(&c.made);
    weir_grammar *g = judge_grammar(vocab, &c.ir, &err);
    weir_matcher *m = g ? judge_matcher(&c, g) : NULL;
    OracleVocab view = oracle_vocab(&c.vocab);
    OracleText read = {0};
    while (m) {
        static bool allowed[RANDOM_TOKENS_MAX];
        Why why;
        Verdict v = judge_position(m, &c, &read, allowed, &why);
        if (v == JUDGE_DIFFERS) fail_msg("%s\n%s", source, why.text);
        judged++;
        uint32_t id = rng_below(&rng, c.vocab.count);
        for (uint32_t k = 0; k < c.vocab.count && !allowed[id]; k++)
            id = (id + 1) % c.vocab.count;
        if (v == JUDGE_LIMIT || !allowed[id] || read.size > 12 ||
            weir_matcher_accept(m, id) != WEIR_ACCEPTED ||
            weir_matcher_is_terminated(m) ||
            !oracle_add_token(&read, &view, id))
            break;
    }
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(vocab);
    ir_free(&c.ir);
}

static void one_case(uint64_t number)
{
    char source[JSON];
    Out out = {source, sizeof source - 1, 0};
    weir_error err;
    used = 0;
    rng.state = number;
    Format *f = random_format(3);
    out_text(&out, "{\"format\":");
    put_format(&out, f);
    out_text(&out, "}");
    assert_true(out.size <= out.cap);
    source[out.size] = 0;
    weir_grammar *g = weir_grammar_compile(
        NULL, WEIR_STRUCTURAL_TAG, (weir_bytes){source, out.size}, NULL, &err);
    bool is_refused = !g && err.status == WEIR_SYNTAX &&
                      strstr(err.message, "is a prefix of a tag");
    if (!g && !is_refused && err.status != WEIR_EMPTY)
        fail_msg("%s\n%s", source, err.message);
    if (is_refused)
        skipped++;
    else
        compare_texts(f, g, source);
    if (g && rng_chance(&rng, 20)) compare_masks(source);
    weir_grammar_free(g);
}

static void random_tags_test(void **state)
{
    (void)state;
    uint64_t count = case_count(20000, 1500), seed = env_number("WEIR_SEED", 1);
    for (uint64_t i = 0; i < count; i++) one_case(seed * 1000003 + i);
    print_message("%llu texts accepted, %llu refused; %llu masks; %llu tags "
                  "with an exclude that is a prefix of a trigger\n",
                  (unsigned long long)verdicts[1],
                  (unsigned long long)verdicts[0], (unsigned long long)judged,
                  (unsigned long long)skipped);
    assert_true(skipped < count / 4 && judged > count / 4);
    assert_true(verdicts[1] > 10 * count && verdicts[0] > 10 * count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_tags_test)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
