/* decoder_test.c: the loop: what is taken, sent, held back, and when it ends.
 * Named after the checklist where it asks for something.
 */
#include "base/utf8.h"
#include "oracle/rng.h"
#include "unit/decoder_kit.h"
#include "unit/faulty_mem.h"

enum { STEPS = 400 };

typedef struct Result {
    char text[8192]; /* joined */
    size_t size;
    uint32_t ids[STEPS];
    size_t count, forced;
    weir_finish finish;
    size_t stop;
    bool completed;
} Result;

static void join(Result *r, const weir_decoded *out)
{
    assert_true(r->size + out->text.size <= sizeof r->text);
    memcpy(r->text + r->size, out->text.data, out->text.size);
    r->size += out->text.size;
    for (size_t i = 0; i < out->token_count; i++)
        r->ids[r->count++] = out->tokens[i];
    r->forced += out->forced;
    r->finish = out->finish;
    r->stop = out->stop;
    r->completed = out->completed;
}

static Result run(weir_decoder *d, uint64_t salt)
{
    Result r = {.size = 0};
    weir_decoded out = {0};
    for (int i = 0; i < STEPS && !out.finish; i++) {
        weir_decoder_step(d, kit_next(salt, d), KIT_WIDTH, &out);
        assert_int_equal(utf8_unfinished(span_of(out.text.data, out.text.size)),
                         0);
        join(&r, &out);
    }
    return r;
}

/* A whole run with its own sampler and matcher. */
static Result run_new(weir_source_kind kind, const char *source, uint32_t seed,
                      const weir_decode_opts *o)
{
    weir_matcher *m = source ? kit_matcher(kind, source) : NULL;
    weir_sampler *s = kit_sampler(seed, seed % 2);
    weir_decoder *d = kit_decoder(s, m, o);
    Result r = run(d, seed);
    weir_bytes text = weir_decoder_text(d);
    if (r.finish != WEIR_FINISH_NONE)
        assert_true(text.size - r.size <= 3); /* an unfinished character */
    assert_memory_equal(text.data, r.text, r.size);
    assert_int_equal(weir_decoder_forced(d), r.forced);
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
    return r;
}

#define SCHEMA                                                            \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"," \
    "\"maxLength\":12},\"n\":{\"type\":\"integer\",\"maximum\":999,"      \
    "\"minimum\":-9}},\"required\":[\"name\",\"n\"],"                     \
    "\"additionalProperties\":false}"

/* ---- tokens and ends ---- */

/* F1 (46, 47, 48): the token at max_tokens is the one that was drawn, for every
 * max_tokens shorter than the JSON, 1 among them; the same as without. */
static void max_tokens(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 10; seed++) {
        Result whole = run_new(WEIR_JSON_SCHEMA, SCHEMA, seed, NULL);
        assert_int_equal(whole.finish, WEIR_FINISH_END);
        assert_true(whole.completed);
        for (uint32_t most = 1; most <= whole.count; most++) {
            weir_decode_opts o = {.size = sizeof o, .max_tokens = most};
            Result cut = run_new(WEIR_JSON_SCHEMA, SCHEMA, seed, &o);
            assert_int_equal(cut.count, most);
            assert_memory_equal(cut.ids, whole.ids, most * sizeof *cut.ids);
            assert_int_equal(cut.finish, most < whole.count ? WEIR_FINISH_LENGTH
                                                            : WEIR_FINISH_END);
            if (most + 1 < whole.count) assert_false(cut.completed);
            assert_memory_equal(cut.text, whole.text, cut.size);
        }
    }
}

/* 44, 45, 49: the grammar's end is "stop", as a stop token is; each end once. */
static void ends(void **state)
{
    (void)state;
    Result r = run_new(WEIR_JSON_SCHEMA, SCHEMA, 3, NULL);
    assert_string_equal(weir_finish_reason(r.finish), "stop");
    assert_string_equal(weir_finish_reason(WEIR_FINISH_LENGTH), "length");
    assert_string_equal(weir_finish_reason(WEIR_FINISH_STUCK), "error");
    assert_null(weir_finish_reason(WEIR_FINISH_NONE));
    assert_null(weir_finish_reason((weir_finish)77));
    weir_sampler *s = kit_sampler(1, false);
    weir_decode_opts o = {.size = sizeof o};
    for (int ignore = 0; ignore < 2; ignore++) {
        weir_decoded out;
        o.ignore_stop_tokens = ignore;
        weir_decoder *d = kit_decoder(s, NULL, &o);
        weir_decoder_take(d, 'a', &out);
        assert_false(weir_decoder_prompt(d, (uint32_t[]){1}, 1)); /* late */
        weir_decoder_take(d, KIT_END, &out);
        assert_int_equal(out.finish,
                         ignore ? WEIR_FINISH_NONE : WEIR_FINISH_END);
        assert_false(out.completed); /* there was no constraint */
        weir_decoder_take(d, 'b', &out);
        assert_int_equal(out.token_count, ignore);
        weir_decoder_free(d);
    }
    weir_sampler_free(s);
}

/* A token that the grammar refuses is not taken; nothing that can come is
 * said so. */
static void refused(void **state)
{
    (void)state;
    weir_matcher *m = kit_matcher(WEIR_REGEX, "a+");
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, m, NULL);
    weir_decoded out;
    float none[KIT_WIDTH];
    size_t n;
    for (int i = 0; i < KIT_WIDTH; i++) none[i] = -1.0f / 0.0f;
    assert_int_equal(weir_decoder_take(d, 'b', &out), WEIR_FINISH_ERROR);
    weir_decoder_tokens(d, &n);
    assert_int_equal(n, 0);
    assert_int_equal(weir_matcher_steps(m), 0);
    weir_decoder_free(d);
    d = kit_decoder(s, m, NULL);
    assert_int_equal(weir_decoder_step(d, none, KIT_WIDTH, &out),
                     WEIR_FINISH_STUCK);
    assert_int_equal(out.token_count, 0);
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
}

/* The same seed, the same bytes; either way of masking. (Case
 * seed-nondeterminism.) */
static void same_seed(void **state)
{
    (void)state;
    static const char list[] =
        "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"maxItems\":9}";
    for (uint32_t seed = 40; seed < 60; seed++) {
        Result a = run_new(WEIR_JSON_SCHEMA, list, seed, NULL);
        Result b = run_new(WEIR_JSON_SCHEMA, list, seed, NULL);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.ids, b.ids, a.count * sizeof *a.ids);
    }
}

/* ---- stop texts ---- */

static const char *const stop_sets[][3] = {
    {"ab"},        {"aab", "b"},   {"aaa"},      {"abab", "ba"},
    {"bb", "abb"}, {"aba", "a a"}, {"\xC3\xA9"}, {"b a", "abba", "aabb"},
};
enum { SETS = sizeof stop_sets / sizeof *stop_sets };

/* The first end of any stop text, by trying each place. */
static bool plain_stop(const char *text, size_t size, const char *const *stops,
                       size_t *begin, size_t *which)
{
    for (size_t end = 1; end <= size; end++) {
        size_t longest = 0;
        for (size_t k = 0; k < 3 && stops[k]; k++) {
            size_t n = strlen(stops[k]);
            if (n > end || memcmp(text + end - n, stops[k], n) != 0) continue;
            if (n > longest) longest = n, *which = k, *begin = end - n;
        }
        if (longest) return true;
    }
    return false;
}

/* Feeds tokens of the text, cut at random; returns what was sent. */
static Result feed(const char *text, size_t size, const char *const *stops,
                   bool keep, Rng *rng)
{
    static const char *const longer[] = {"aa", "aaa", "ab", "é"};
    weir_bytes list[3];
    weir_decode_opts o = {.size = sizeof o, .stops = list, .keep_stop = keep};
    for (; o.stop_count < 3 && stops[o.stop_count]; o.stop_count++)
        list[o.stop_count] = kit_bytes(stops[o.stop_count]);
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, NULL, &o);
    Result r = {.size = 0};
    for (size_t at = 0; at < size && !r.finish;) {
        weir_bytes word = {text + at, 1};
        for (int k = 0; k < 4; k++) {
            size_t n = strlen(longer[k]);
            if (n <= size - at && !memcmp(text + at, longer[k], n) &&
                rng_chance(rng, 40))
                word.size = n;
        }
        weir_decoded out;
        weir_decoder_take(d, weir_vocab_find(kit_vocab, word), &out);
        assert_int_equal(utf8_unfinished(span_of(out.text.data, out.text.size)),
                         0);
        join(&r, &out);
        at += word.size;
    }
    weir_decoder_free(d);
    weir_sampler_free(s);
    return r;
}

static void stop_texts(void **state)
{
    (void)state;
    Rng rng = {5};
    for (int round = 0; round < 4000; round++) {
        char text[32];
        size_t size = 1 + rng_below(&rng, 20), begin = 0, which = 0;
        const char *const *stops = stop_sets[round % SETS];
        for (size_t i = 0; i < size; i++)
            text[i] = rng_chance(&rng, 15) ? ' ' : "ab"[rng_below(&rng, 2)];
        if (round % SETS == 6 && size > 2)
            memcpy(text + rng_below(&rng, (uint32_t)size - 1), "\xC3\xA9", 2);
        bool found = plain_stop(text, size, stops, &begin, &which);
        bool keep = round & 1;
        Result r = feed(text, size, stops, keep, &rng);
        assert_int_equal(r.finish, found ? WEIR_FINISH_TEXT : WEIR_FINISH_NONE);
        if (!found) continue;
        assert_int_equal(r.stop, which);
        assert_int_equal(r.size, begin + (keep ? strlen(stops[which]) : 0));
        assert_memory_equal(r.text, text, r.size);
    }
}

/* What cannot be a part of a stop text is sent at once, and no more is held
 * than may be one. */
static void sent_at_once(void **state)
{
    (void)state;
    weir_bytes stop = kit_bytes("x:end");
    weir_decode_opts o = {.size = sizeof o, .stops = &stop, .stop_count = 1};
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, NULL, &o);
    static const char text[] = "axx:eyx:enx:end";
    static const size_t sent[] = {1, 1, 2,  2,  2,  6,  6, 6,
                                  6, 6, 10, 10, 10, 10, 10};
    size_t total = 0;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        weir_decoded out;
        weir_decoder_take(
            d, weir_vocab_find(kit_vocab, (weir_bytes){text + i, 1}), &out);
        total += out.text.size;
        assert_int_equal(total, sent[i]);
    }
    weir_decoder_free(d);
    weir_sampler_free(s);
}

static void wrong_stops(void **state)
{
    (void)state;
    static char long_text[1025];
    weir_bytes stops[1025];
    weir_decode_opts o = {.size = sizeof o, .stops = stops, .stop_count = 1};
    weir_error err;
    weir_sampler *s = kit_sampler(1, false);
    stops[0] = (weir_bytes){"", 0};
    assert_null(weir_decoder_new(kit_vocab, s, NULL, &o, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    stops[0] = (weir_bytes){long_text, sizeof long_text};
    assert_null(weir_decoder_new(kit_vocab, s, NULL, &o, &err));
    for (int i = 0; i < 1025; i++) stops[i] = kit_bytes("a");
    o.stop_count = 1025;
    assert_null(weir_decoder_new(kit_vocab, s, NULL, &o, &err));
    weir_sampler_free(s);
}

/* ---- characters ---- */

/* Case stream-utf8-split, and what is no character at all. */
static void characters(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        const char *sent; /* for each byte, how much has been sent after it */
        size_t all;
    } rows[] = {
        {"\xF0\x9F\x98\x80\xE4\xB8\xAD", "\0\0\0\4\4\4\7", 7},
        {"a\xC3\xA9", "\1\1\3", 3},
        {"\x98z", "\1\2", 2},          /* never the begin of one */
        {"\xE4\xB8z", "\0\0\3", 3},    /* broken off */
        {"\xED\xA0\x80", "\0\2\3", 3}, /* a surrogate */
        {"\xF4\x90\x80", "\0\2\3", 3}, /* too large */
        {"\xE0\x9F\xC0", "\0\2\3", 3}, /* overlong */
        {"\xF0\x9F\x98", "\0\0\0", 0}, /* at the end: dropped */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        weir_decode_opts o = {.size = sizeof o,
                              .max_tokens = (uint32_t)strlen(rows[i].bytes)};
        weir_sampler *s = kit_sampler(1, false);
        weir_decoder *d = kit_decoder(s, NULL, &o);
        size_t sent = 0;
        for (size_t k = 0; rows[i].bytes[k]; k++) {
            weir_decoded out;
            weir_bytes byte = {rows[i].bytes + k, 1};
            weir_decoder_take(d, weir_vocab_find(kit_vocab, byte), &out);
            sent += out.text.size;
            assert_int_equal(sent, rows[i].sent[k]);
        }
        assert_int_equal(sent, rows[i].all);
        weir_decoder_free(d);
        weir_sampler_free(s);
    }
}

/* ---- forced text ---- */

/* 97, 110, 111, 112: the same text with and without jumps; jumps are counted, and none
 * without the option. The grammar is what one would get anyway where all is
 * forced. */
static void forced_text(void **state)
{
    (void)state;
    weir_decode_opts o = {.size = sizeof o, .jump_forward = true};
    static const char all[] = "root ::= \"{\\\"name\\\": \\\"list\\\"}\"";
    Result plain = run_new(WEIR_GBNF, all, 1, NULL);
    Result jumped = run_new(WEIR_GBNF, all, 1, &o);
    assert_int_equal(plain.forced, 0);
    assert_true(jumped.forced + 1 == jumped.count && jumped.completed);
    assert_int_equal(jumped.size, plain.size);
    assert_memory_equal(jumped.text, plain.text, plain.size);
    for (uint32_t seed = 0; seed < 30; seed++) {
        Result r = run_new(WEIR_JSON_SCHEMA, SCHEMA, seed, &o);
        assert_true(r.forced > 0 && r.completed);
        o.max_tokens = 7;
        Result cut = run_new(WEIR_JSON_SCHEMA, SCHEMA, seed, &o);
        assert_int_equal(cut.count, 7);
        assert_memory_equal(cut.ids, r.ids, 7 * sizeof *r.ids);
        o.max_tokens = 0;
    }
}

/* Forced tokens of ten runs with one policy for blanks. */
static size_t forced_with(weir_space_kind space)
{
    size_t forced = 0;
    weir_compile_opts co = {.size = sizeof co, .space = {.kind = space}};
    weir_decode_opts o = {.size = sizeof o, .jump_forward = true};
    weir_grammar *g = weir_grammar_compile(kit_vocab, WEIR_JSON_SCHEMA,
                                           kit_bytes(SCHEMA), &co, NULL);
    for (uint32_t seed = 0; seed < 10; seed++) {
        weir_matcher *m = weir_matcher_new(g, NULL, NULL);
        weir_sampler *s = kit_sampler(seed, false);
        weir_decoder *d = kit_decoder(s, m, &o);
        forced += run(d, seed).forced;
        weir_decoder_free(d);
        weir_sampler_free(s);
        weir_matcher_free(m);
    }
    weir_grammar_free(g);
    return forced;
}

/* 113: without choices of blanks jumps are longer. */
static void compact_jumps(void **state)
{
    (void)state;
    size_t any = forced_with(WEIR_SPACE_ANY);
    assert_true(forced_with(WEIR_SPACE_COMPACT) > any);
    assert_true(forced_with(WEIR_SPACE_FIXED) > any);
}

/* ---- rollback ---- */

/* Taking back and going on is as if nothing had been, unless text was sent. */
static void rollback(void **state)
{
    (void)state;
    weir_bytes stop = kit_bytes("aaaaaaaa");
    weir_decode_opts o = {.size = sizeof o, .stops = &stop, .stop_count = 1};
    weir_matcher *m = kit_matcher(WEIR_REGEX, "[ab]*");
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, m, &o);
    weir_decoded out;
    size_t n;
    weir_decoder_take(d, 'b', &out);
    assert_int_equal(out.text.size, 1);
    uint32_t a = weir_vocab_find(kit_vocab, kit_bytes("a"));
    for (int i = 0; i < 6; i++) weir_decoder_take(d, a, &out);
    assert_int_equal(weir_decoder_rollback(d, 8), WEIR_ROLLBACK);
    assert_int_equal(weir_decoder_rollback(d, 7), WEIR_ROLLBACK); /* sent */
    assert_int_equal(weir_decoder_rollback(d, 6), WEIR_OK);
    weir_decoder_tokens(d, &n);
    assert_int_equal(n, 1);
    assert_int_equal(weir_matcher_steps(m), 1);
    for (int i = 0; i < 7; i++) {
        weir_decoder_take(d, a, &out);
        assert_int_equal(out.finish, WEIR_FINISH_NONE);
        assert_int_equal(out.text.size, 0);
    }
    weir_decoder_take(d, a, &out);
    assert_int_equal(out.finish, WEIR_FINISH_TEXT);
    assert_int_equal(weir_decoder_rollback(d, 1), WEIR_OK);
    weir_decoder_take(d, 'b', &out);
    assert_int_equal(out.finish, WEIR_FINISH_NONE);
    assert_int_equal(out.text.size, 8);
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
}

/* Forced tokens that are taken back are counted no more. */
static void forced_taken_back(void **state)
{
    (void)state;
    weir_bytes stop = kit_bytes("aaaaaaaaaa");
    weir_decode_opts o = {.size = sizeof o,
                          .stops = &stop,
                          .stop_count = 1,
                          .jump_forward = true};
    weir_matcher *m = kit_matcher(WEIR_REGEX, "xa{7}(b|c)");
    weir_sampler *s = kit_sampler(1, false);
    weir_decoder *d = kit_decoder(s, m, &o);
    weir_decoded out;
    size_t n, forced;
    weir_decoder_take(d, 'x', &out);
    forced = weir_decoder_forced(d);
    assert_true(forced > 1 && out.forced == forced);
    assert_int_equal(weir_decoder_rollback(d, 1), WEIR_OK);
    assert_int_equal(weir_decoder_forced(d), forced - 1);
    assert_int_equal(weir_decoder_rollback(d, forced - 1), WEIR_OK);
    assert_int_equal(weir_decoder_forced(d), 0);
    weir_decoder_tokens(d, &n);
    assert_int_equal(n, 1);
    weir_decoder_take(d, 'a', &out); /* drawn this time */
    assert_int_equal(weir_decoder_rollback(d, out.token_count), WEIR_OK);
    assert_int_equal(weir_decoder_forced(d), 0);
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
}

/* ---- penalties ---- */

/* Of a text in a string only what is inside counts: not the quotes, nor the
 * token that ends it. */
static void free_text_counts(void **state)
{
    (void)state;
    weir_sampler_opts so;
    weir_sampler_neutral(&so);
    so.free_text_only = true;
    so.presence_penalty = 8;
    so.temperature = 0;
    weir_sampler *s = weir_sampler_new(NULL, kit_vocab, &so, NULL);
    weir_matcher *m =
        kit_matcher(WEIR_JSON_SCHEMA, "{\"type\":\"array\",\"items\":{\"type\":"
                                      "\"string\"}}");
    weir_decoder *d = kit_decoder(s, m, NULL);
    static const char *const texts[] = {"[", "\"", "a", "b", "\"", ",", "\""};
    weir_decoded out;
    float flat[KIT_WIDTH] = {0};
    for (size_t i = 0; i < 7; i++)
        weir_decoder_take(d, weir_vocab_find(kit_vocab, kit_bytes(texts[i])),
                          &out);
    assert_int_equal(out.finish, WEIR_FINISH_NONE);
    weir_sampler_candidates(s, NULL, 0);
    for (size_t i = 0; i < 7; i++) {
        uint32_t id = weir_vocab_find(kit_vocab, kit_bytes(texts[i])), drawn;
        flat[id] = 4;
        weir_sampler_draw(s, flat, KIT_WIDTH, m, &drawn);
        bool is_lowered = i == 2 || i == 3;
        assert_int_equal(drawn == id, !is_lowered);
        flat[id] = 0;
    }
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_matcher_free(m);
}

/* ---- log probabilities ---- */

/* Of each token drawn, before and after the mask, and the likeliest of either,
 * as by hand with the mask of the place; forced tokens are certain. 40: those
 * after the mask are of what is allowed. */
static void log_probabilities(void **state)
{
    (void)state;
    enum { TOP = 3 };
    for (uint32_t seed = 0; seed < 12; seed++) {
        weir_decode_opts o = {.size = sizeof o, .top_logprobs = TOP};
        o.logprobs =
            seed % 2 ? WEIR_LOGPROBS_BEFORE_MASK : WEIR_LOGPROBS_AFTER_MASK;
        o.jump_forward = seed % 3 == 0;
        if (seed == 11) o.top_logprobs = UINT32_MAX; /* as many as there are */
        weir_matcher *m = kit_matcher(WEIR_JSON_SCHEMA, SCHEMA);
        weir_sampler *s = kit_sampler(seed, false);
        weir_decoder *d = kit_decoder(s, m, &o);
        weir_decoded out = {0};
        while (!out.finish) {
            int32_t row[WEIR_MASK_WORDS(KIT_WIDTH)];
            weir_logprob top[TOP];
            float before, after;
            const float *logits = kit_next(seed, d);
            weir_matcher_fill(m, row);
            weir_decoder_step(d, logits, KIT_WIDTH, &out);
            assert_true(out.token_count > 0);
            const weir_token_logprobs *first = &out.logprobs[0];
            size_t n = weir_logprobs(logits, KIT_WIDTH, NULL, 0, out.tokens[0],
                                     &before, top, TOP);
            assert_true(first->before == before);
            if (seed % 2 == 0)
                n = weir_logprobs(logits, KIT_WIDTH, row, KIT_WIDTH,
                                  out.tokens[0], &after, top, TOP);
            else
                weir_logprobs(logits, KIT_WIDTH, row, KIT_WIDTH, out.tokens[0],
                              &after, NULL, 0);
            assert_true(first->after == after && after >= before);
            assert_true(first->top_count == n ||
                        (seed == 11 && first->top_count == KIT_WIDTH));
            assert_memory_equal(first->top, top, n * sizeof *top);
            for (size_t i = 1; i < out.token_count; i++)
                assert_true(out.logprobs[i].after == 0 &&
                            out.logprobs[i].before != out.logprobs[i].before &&
                            out.logprobs[i].top_count == 0);
        }
        assert_true(out.completed);
        weir_decoder_free(d);
        weir_sampler_free(s);
        weir_matcher_free(m);
    }
}

/* ---- lazy grammars ---- */

static void lazy(void **state)
{
    (void)state;
    weir_matcher *m = kit_matcher(WEIR_REGEX, "x:(true|false)");
    weir_matcher_free(m);
    weir_error err;
    weir_grammar *g = weir_grammar_compile(
        kit_vocab, WEIR_REGEX, kit_bytes("x:(true|false)"), NULL, &err);
    weir_bytes word = kit_bytes("x:");
    weir_lazy_opts lo = {.size = sizeof lo, .words = &word, .word_count = 1};
    for (uint32_t seed = 0; seed < 20; seed++) {
        weir_lazy *l = weir_lazy_new(g, &lo, &err);
        weir_decode_opts o = {.size = sizeof o, .lazy = l, .max_tokens = 60};
        weir_sampler *s = kit_sampler(seed, seed % 2);
        weir_decoder *d = kit_decoder(s, NULL, &o);
        weir_decoded out;
        weir_decoder_take(d, weir_vocab_find(kit_vocab, kit_bytes("\n")), &out);
        weir_decoder_take(d, weir_vocab_find(kit_vocab, kit_bytes("x:")), &out);
        Result r = run(d, seed);
        assert_int_equal(r.finish, WEIR_FINISH_END);
        assert_true(r.completed);
        r.text[r.size] = 0;
        assert_true(!strcmp(r.text, "true") || !strcmp(r.text, "false"));
        weir_decoder_free(d);
        weir_sampler_free(s);
        weir_lazy_free(l);
    }
    weir_grammar_free(g);
}

/* ---- memory ---- */

static bool work(const Mem *mem, weir_error *err)
{
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    weir_token tokens[] = {{{"a", 1}, 0}, {{"b", 1}, 0}, {{"", 0}, 2}};
    weir_bytes stops[] = {{"bbb", 3}, {"ab", 2}};
    static const float logits[3] = {1, -1e9f, -1e9f};
    weir_decode_opts o = {.size = sizeof o,
                          .stops = stops,
                          .stop_count = 2,
                          .logprobs = WEIR_LOGPROBS_AFTER_MASK,
                          .top_logprobs = 2};
    weir_vocab *v = weir_vocab_new(&env, tokens, 3, NULL, err);
    weir_sampler *s = v ? weir_sampler_new(&env, v, NULL, err) : NULL;
    weir_decoder *d = s ? weir_decoder_new(v, s, NULL, &o, err) : NULL;
    bool ok = d;
    for (uint32_t i = 0; ok && i < 20; i++) {
        weir_decoded out;
        ok = (i % 2 ? weir_decoder_step(d, logits, 3, &out)
                    : weir_decoder_take(d, 0, &out)) == WEIR_FINISH_NONE;
        if (ok) assert_int_equal(out.logprobs->top_count, i % 2 ? 2 : 0);
        if (!ok) err->status = WEIR_NO_MEMORY;
    }
    weir_decoder_free(d);
    weir_sampler_free(s);
    weir_vocab_free(v);
    return ok;
}

static void memory_out(void **state)
{
    (void)state;
    faulty_sweep(work);
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ITEM("item 46, 47, 48: the last token", max_tokens),
        ITEM("item 44, 45, 49: ends", ends),
        cmocka_unit_test(refused),
        cmocka_unit_test(same_seed),
        cmocka_unit_test(stop_texts),
        cmocka_unit_test(sent_at_once),
        cmocka_unit_test(wrong_stops),
        cmocka_unit_test(characters),
        ITEM("item 110, 111, 112: forced text", forced_text),
        ITEM("item 113: compact jumps", compact_jumps),
        cmocka_unit_test(rollback),
        cmocka_unit_test(forced_taken_back),
        cmocka_unit_test(free_text_counts),
        ITEM("item 40: log probabilities", log_probabilities),
        cmocka_unit_test(lazy),
        cmocka_unit_test(memory_out),
    };
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
