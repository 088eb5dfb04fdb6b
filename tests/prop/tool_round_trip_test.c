/* tool_round_trip_test.c: for every family the two directions of its table
 * agree, with random tools, one or several calls, with and without reasoning.
 *
 *   written   random calls with valid arguments, written as chat templates do
 *             (oracle/tool_texts.h): the grammar of the tag takes the text, and
 *             the parser reads the same calls out of it
 *   sampled   random outputs of that grammar: the parser tells calls of known
 *             tools, whole, with arguments that are valid for the schema, as
 *             many as the options allow
 *
 * Each text is read whole, byte by byte, and split at every place.
 *
 * WEIR_SEED, WEIR_CASES (rounds a family, default 60).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>

#include "oracle/tool_outputs.h"
#include "unit/calls_kit.h"

static weir_vocab *vocab;

/* ---- one round ---- */

typedef struct Round {
    Rng *rng;
    weir_family family;
    RandomTools tools;
    weir_tool_opts opts;
    char tag[1 << 16];
    size_t tag_size;
    weir_grammar *grammar; /* of the tag */
    weir_tool_parser *parser;
    weir_grammar *args[TOOLS_MOST];  /* valid arguments, compact */
    weir_grammar *valid[TOOLS_MOST]; /* ... however they are written */
} Round;

static const char *name_of(const Round *r)
{
    return weir_family_name(r->family);
}

static weir_grammar *args_grammar(const weir_tool *tool, bool is_loose)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts};
    bool has_schema = tool->kind == WEIR_JSON_SCHEMA && !tool->any_input;
    opts.schema.any_order = opts.schema.any_escape = is_loose;
    opts.schema.integer_fraction = is_loose;
    if (!is_loose) opts.space.kind = WEIR_SPACE_COMPACT;
    opts.schema.unique_keys = !is_loose;
    weir_bytes any = {"{\"type\":\"object\"}", 17};
    weir_grammar *g = weir_grammar_compile(
        vocab, WEIR_JSON_SCHEMA, has_schema ? tool->source : any, &opts, &err);
    if (!g)
        fail_msg("%.*s: %s", (int)tool->source.size, tool->source.data,
                 err.message);
    return g;
}

static void round_open(Round *r)
{
    weir_error err;
    random_tools(r->rng, &r->tools);
    r->tag_size = weir_tool_tag(r->family, r->tools.list, r->tools.count,
                                &r->opts, r->tag, sizeof r->tag, &err);
    if (r->tag_size == SIZE_MAX) fail_msg("%s: %s", name_of(r), err.message);
    assert_true(r->tag_size <= sizeof r->tag);
    r->grammar =
        weir_grammar_compile(vocab, WEIR_STRUCTURAL_TAG,
                             (weir_bytes){r->tag, r->tag_size}, NULL, &err);
    if (!r->grammar)
        fail_msg("%s: %s at %s\n%.*s", name_of(r), err.message, err.pointer,
                 (int)r->tag_size, r->tag);
    r->parser = weir_tool_parser_new(NULL, r->family, r->tools.list,
                                     r->tools.count, &r->opts, &err);
    if (!r->parser) fail_msg("%s: %s", name_of(r), err.message);
    for (uint32_t i = 0; i < r->tools.count; i++) {
        r->args[i] = args_grammar(&r->tools.list[i], false);
        r->valid[i] = args_grammar(&r->tools.list[i], true);
    }
}

static void round_close(Round *r)
{
    for (uint32_t i = 0; i < r->tools.count; i++) {
        weir_grammar_free(r->args[i]);
        weir_grammar_free(r->valid[i]);
    }
    weir_tool_parser_free(r->parser);
    weir_grammar_free(r->grammar);
}

/* ---- reading in all ways ---- */

static size_t by_ones(void *user, size_t left)
{
    (void)user;
    (void)left;
    return 1;
}

static size_t by_two(void *user, size_t left)
{
    size_t n = MIN(*(size_t *)user, left);
    *(size_t *)user = left;
    return n ? n : left;
}

static void read_in_ways(Round *r, Span text, Told *told)
{
    enum { SPLITS = 400 };
    weir_tool_parser_reset(r->parser);
    assert_true(told_read(told, r->parser, text, NULL, NULL));
    size_t step = 1 + text.size / SPLITS;
    for (size_t at = 0; at < text.size; at += step) {
        Told other;
        size_t first = at;
        told_open(&other);
        weir_tool_parser_reset(r->parser);
        assert_true(
            told_read(&other, r->parser, text, at ? by_two : by_ones, &first));
        if (strcmp(other.lines, told->lines) != 0)
            fail_msg("%s, split at %zu of %.*s:\n%s--- whole:\n%s", name_of(r),
                     at, (int)text.size, (const char *)text.at, other.lines,
                     told->lines);
        assert_false(other.split_rune);
        told_close(&other);
    }
}

/* ---- written calls ---- */

/* The same JSON, but for blanks and how characters are written. */
static bool same_json(const Json *a, JsonId x, const Json *b, JsonId y)
{
    JsonKind kind = json_kind(a, x);
    if (kind != json_kind(b, y)) return false;
    if (kind == JSON_STRING)
        return span_equal(json_string(a, x), json_string(b, y));
    if (kind < JSON_ARRAY)
        return span_equal(json_spelling(a, x), json_spelling(b, y));
    JsonIter i = json_iter(a, x), k = json_iter(b, y);
    for (;;) {
        bool more = json_step(&i), other = json_step(&k);
        if (!more || !other) return more == other;
        if (!span_equal(i.key, k.key) || !same_json(a, i.value, b, k.value))
            return false;
    }
}

static bool same_args(Span a, Span b)
{
    Json x, y;
    Mem mem = mem_from_env(NULL);
    if (!json_parse(&x, &mem, a, NULL, NULL)) return false;
    bool same = false;
    if (json_parse(&y, &mem, b, NULL, NULL)) {
        same = same_json(&x, JSON_ROOT, &y, JSON_ROOT);
        json_free(&y);
    }
    json_free(&x);
    return same;
}

/* The line that follows, of a list of lines; moves *at past it. */
static Span next_line(const char **at)
{
    size_t n = strcspn(*at, "\n");
    Span line = span_of(*at, n);
    *at += n + ((*at)[n] == '\n');
    return line;
}

static void expect_line(const Round *r, Span line, const char *expected,
                        const char *text)
{
    if (!span_equal(line, span_text(expected)))
        fail_msg("%s: found \"%.*s\", expected \"%s\", in\n%s\n%.*s",
                 name_of(r), (int)line.size, (const char *)line.at, expected,
                 text, (int)r->tag_size, r->tag);
}

static void expect_call(const Round *r, const char **at, const ToolCall *call,
                        const char *text)
{
    char head[64];
    Span line = next_line(at), args;
    snprintf(head, sizeof head, "call %.*s", (int)call->tool->name.size,
             call->tool->name.data);
    if (!span_starts(line, span_text(head)) ||
        (line.size > strlen(head) && line.at[strlen(head)] != ' '))
        expect_line(r, line, head, text);
    args = next_line(at);
    if (!span_starts(args, SPAN("args ")) ||
        !same_args(span_of(args.at + 5, args.size - 5), call->args))
        fail_msg("%s: found %.*s, expected args %.*s, in\n%s", name_of(r),
                 (int)args.size, (const char *)args.at, (int)call->args.size,
                 (const char *)call->args.at, text);
    expect_line(r, next_line(at), "end", text);
}

static bool grammar_takes(weir_grammar *g, Span text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    weir_bytes bytes = {(const char *)text.at, text.size};
    bool takes = weir_matcher_accept_bytes(m, bytes, NULL) == WEIR_ACCEPTED &&
                 weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return takes;
}

/* Valid arguments that the family can write; false: none were found. */
static bool random_args(Round *r, uint32_t tool, ToolText *text)
{
    for (int tries = 0; tries < 50; tries++)
        if (tool_output_sample(r->rng, r->args[tool], 8 + rng_below(r->rng, 24),
                               text) &&
            tool_args_fit(r->family, span_of(text->at, text->out.size)))
            return true;
    return false;
}

static uint64_t written, sampled, sampled_calls;

static void written_calls(Round *r)
{
    static ToolText args[3], text;
    ToolCall calls[3];
    uint32_t count = r->opts.single ? 1 : 1 + rng_below(r->rng, 3);
    weir_reasoning reasoning = r->opts.reasoning;
    bool opens = reasoning == WEIR_REASONING_MAY && rng_chance(r->rng, 50);
    bool thinks = opens || reasoning == WEIR_REASONING_OPEN;
    bool must = r->opts.calls == WEIR_CALLS_REQUIRED;
    bool has_text = !must && !r->opts.answer.size;
    const char *before =
        has_text && rng_chance(r->rng, 50) ? "Well: 1 < 2." : "";
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tool = rng_below(r->rng, r->tools.count);
        if (!random_args(r, tool, &args[i])) return;
        calls[i] = (ToolCall){&r->tools.list[tool],
                              span_of(args[i].at, args[i].out.size)};
    }
    tool_text_begin(&text);
    if (thinks)
        tool_thoughts_write(&text, r->family, opens, "Let me see.");
    else if (reasoning == WEIR_REASONING_MAY)
        tool_answer_open(&text, r->family);
    tool_answer_write(&text, r->family, before, calls, count);
    Span span = span_of(text.at, text.out.size);
    if (!grammar_takes(r->grammar, span))
        fail_msg("%s: the tag does not take\n%s\n%.*s", name_of(r), text.at,
                 (int)r->tag_size, r->tag);
    Told told;
    told_open(&told);
    read_in_ways(r, span, &told);
    const char *at = told.lines;
    if (thinks)
        expect_line(r, next_line(&at), "reasoning \"Let me see.\"", text.at);
    if (*before)
        expect_line(r, next_line(&at), "content \"Well: 1 < 2.\"", text.at);
    for (uint32_t i = 0; i < count; i++)
        expect_call(r, &at, &calls[i], text.at);
    if (*at) fail_msg("%s: too much: %s in\n%s", name_of(r), at, text.at);
    told_close(&told);
    written++;
}

/* ---- sampled outputs ---- */

/* A name that comes twice among those that the schema does not declare. */
static bool has_twins(Span args)
{
    Json json;
    Mem mem = mem_from_env(NULL);
    bool twins = false;
    if (!json_parse(&json, &mem, args, NULL, NULL)) return false;
    for (JsonIter it = json_iter(&json, JSON_ROOT); json_step(&it);)
        twins |= json_get_span(&json, JSON_ROOT, it.key) != it.value;
    json_free(&json);
    return twins;
}

static void check_valid(const Round *r, Span name, Span args, const char *text)
{
    for (uint32_t i = 0; i < r->tools.count; i++) {
        weir_bytes known = r->tools.list[i].name;
        if (!span_equal(name, span_of(known.data, known.size))) continue;
        if (!has_twins(args) && !grammar_takes(r->valid[i], args))
            fail_msg("%s: found arguments %.*s of %.*s, not valid for\n%.*s\n"
                     "in %s",
                     name_of(r), (int)args.size, (const char *)args.at,
                     (int)name.size, (const char *)name.at,
                     (int)r->tools.list[i].source.size,
                     r->tools.list[i].source.data, text);
        return;
    }
    fail_msg("%s: no tool is called %.*s, in\n%s", name_of(r), (int)name.size,
             (const char *)name.at, text);
}

/* Arguments may have line ends: they go up to the line that says "end". */
static Span read_args(const Round *r, const char **at, const char *text)
{
    const char *begin = *at + 5, *end = strstr(begin, "\nend\n");
    if (strncmp(*at, "args ", 5) != 0 || !end)
        fail_msg("%s: found %s, expected arguments, in\n%s\n%.*s", name_of(r),
                 *at, text, (int)r->tag_size, r->tag);
    *at = end + 5;
    return span_of(begin, (size_t)(end - begin));
}

/* Counts the calls; *content: the lines of text that are no reasoning. */
static uint32_t check_calls(const Round *r, const char *lines, const char *text,
                            uint32_t *content)
{
    uint32_t count = 0;
    *content = 0;
    for (const char *at = lines; *at;) {
        Span line = next_line(&at);
        if (span_equal(line, SPAN("broken")))
            fail_msg("%s: a call is broken, in\n%s", name_of(r), text);
        bool is_content = span_starts(line, SPAN("content "));
        *content += is_content;
        if (is_content && r->opts.answer.size)
            expect_line(r, line, "content \"(12)\"", text);
        if (!span_starts(line, SPAN("call "))) continue;
        const uint8_t *blank = memchr(line.at + 5, ' ', line.size - 5);
        size_t size = blank ? (size_t)(blank - line.at) : line.size;
        check_valid(r, span_of(line.at + 5, size - 5), read_args(r, &at, text),
                    text);
        count++;
    }
    return count;
}

static void sampled_output(Round *r)
{
    static ToolText text;
    uint32_t steps = 20 + rng_below(r->rng, 100);
    if (!tool_output_sample(r->rng, r->grammar, steps, &text)) return;
    Told told;
    told_open(&told);
    read_in_ways(r, span_of(text.at, text.out.size), &told);
    uint32_t content, count = check_calls(r, told.lines, text.at, &content);
    if (r->opts.calls == WEIR_CALLS_REQUIRED && !count)
        fail_msg("%s: no call in\n%s\n%s", name_of(r), text.at, told.lines);
    if (r->opts.calls == WEIR_CALLS_NONE) assert_int_equal(count, 0);
    if (r->opts.single) assert_in_range(count, 0, 1);
    if (r->opts.answer.size && content + (count > 0) != 1)
        fail_msg("%s: neither calls nor an answer in\n%s\n%s", name_of(r),
                 text.at, told.lines);
    told_close(&told);
    sampled++;
    sampled_calls += count;
}

/* ---- all families ---- */

static void one_round(Rng *rng, weir_family family)
{
    static const char node[] = "{\"type\":\"const_string\",\"value\":\"(12)\"}";
    static const weir_bytes answer = {node, sizeof node - 1};
    static Round r;
    bool thinks = tool_family_thinks(family) && rng_chance(rng, 50);
    r = (Round){.rng = rng,
                .family = family,
                .opts = {.size = sizeof r.opts,
                         .calls = (weir_calls)rng_below(rng, 2),
                         .single = rng_chance(rng, 30)}};
    if (thinks)
        r.opts.reasoning =
            rng_chance(rng, 60) ? WEIR_REASONING_OPEN : WEIR_REASONING_MAY;
    if (rng_chance(rng, 20)) r.opts.answer = answer;
    if (rng_chance(rng, 10)) r.opts.calls = WEIR_CALLS_NONE;
    round_open(&r);
    for (int i = 0; i < 3 && r.opts.calls != WEIR_CALLS_NONE; i++)
        written_calls(&r);
    for (int i = 0; i < 3; i++) sampled_output(&r);
    round_close(&r);
}

static void round_trips(void **state)
{
    (void)state;
    uint64_t seed = env_number("WEIR_SEED", 20261130);
    uint64_t rounds = case_count(60, 8);
    uint64_t only = env_number("WEIR_FAMILY", 0);
    print_message("seed %llu, %llu rounds a family\n", (unsigned long long)seed,
                  (unsigned long long)rounds);
    for (weir_family f = 1; weir_family_name(f); f++) {
        if (only && f != only) continue;
        uint64_t w = written, s = sampled, c = sampled_calls;
        for (uint64_t i = 0; i < rounds; i++) {
            Rng rng = {seed + i * 1000 + (uint64_t)f};
            one_round(&rng, f);
        }
        print_message("%-14s %llu written, %llu sampled with %llu calls\n",
                      weir_family_name(f), (unsigned long long)(written - w),
                      (unsigned long long)(sampled - s),
                      (unsigned long long)(sampled_calls - c));
        assert_true(written - w >= rounds);
        assert_true(sampled - s >= rounds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trips)};
    vocab = tool_vocab_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    weir_vocab_free(vocab);
    return failed;
}
