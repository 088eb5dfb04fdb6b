/* row_growth.c: row growth: what a step costs as something grows that it
 * should not depend on.
 *
 *   length      tokens of the output so far, any JSON
 *   depth       arrays that are open, any JSON
 *   max_length  of a string
 *   enum        number of strings; may grow with its logarithm
 *   properties  number of optional members of an object
 *
 * At each size a mask is made and a token taken for some steps, timed apart:
 * at the end of such an output, or along a few outputs spread over all there
 * are, with a fresh grammar (first) and once more with the same one (again).
 * The median of the largest is compared with the least of the smaller sizes.
 */
#include "bench/bench.h"

#include <stdarg.h>

#include "base/vec.h"

enum { SIZES = 5, KEEP = 1000, OUTPUTS = 50, PASSES = 2 };

typedef VEC(double) Samples;

/* What is measured at the present size of the present axis. */
typedef struct Growth {
    const Bench *bench;
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_matcher *matcher;
    int32_t *row;
    size_t row_size;
    VEC(char) text;                       /* of a source or an output */
    VEC(uint32_t) ids;                    /* of the output in hand */
    Samples mask[PASSES], accept[PASSES]; /* microseconds */
    bool failed;
} Growth;

/* ---- texts ---- */

static void text_add(Growth *g, const char *format, ...)
{
    char part[128];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(part, sizeof part, format, args);
    va_end(args);
    for (int i = 0; i < size; i++)
        if (!vec_push(&g->bench->mem, &g->text, part[i])) g->failed = true;
}

static weir_bytes text_bytes(const Growth *g)
{
    return (weir_bytes){g->text.at, g->text.count};
}

/* The text as g->ids. */
static void encode(Growth *g)
{
    size_t n = weir_vocab_encode(g->vocab, text_bytes(g), false, NULL, 0);
    g->ids.count = 0;
    if (n == SIZE_MAX || !vec_reserve(&g->bench->mem, &g->ids, n)) {
        g->failed = true;
        return;
    }
    weir_vocab_encode(g->vocab, text_bytes(g), false, g->ids.at, n);
    g->ids.count = (uint32_t)n;
}

/* ---- steps ---- */

static void begin_output(Growth *g)
{
    weir_matcher_free(g->matcher);
    g->matcher = g->grammar ? weir_matcher_new(g->grammar, NULL, NULL) : NULL;
    if (!g->matcher) g->failed = true;
}

/* The grammar of the text as source. */
static void compile(Growth *g, weir_source_kind kind)
{
    weir_error err;
    weir_matcher_free(g->matcher);
    g->matcher = NULL;
    weir_grammar_free(g->grammar);
    g->grammar =
        weir_grammar_compile(g->vocab, kind, text_bytes(g), NULL, &err);
    if (!g->grammar) g->failed = !bench_fail("growth", &err);
}

static void take(Growth *g, uint32_t id)
{
    if (g->failed || weir_matcher_accept(g->matcher, id) == WEIR_ACCEPTED)
        return;
    fprintf(stderr, "weir-bench: growth: token %u is refused\n", id);
    g->failed = true;
}

/* A mask and a token, both timed. */
static void step(Growth *g, uint32_t id, uint32_t pass)
{
    const Mem *mem = &g->bench->mem;
    if (g->failed) return;
    uint64_t begin = timer_now();
    weir_matcher_fill(g->matcher, g->row);
    uint64_t middle = timer_now();
    take(g, id);
    uint64_t end = timer_now();
    if (!vec_push(mem, &g->mask[pass], bench_us(g->bench, begin, middle)) ||
        !vec_push(mem, &g->accept[pass], bench_us(g->bench, middle, end)))
        g->failed = true;
}

/* The text is a whole output. */
static void run_output(Growth *g, uint32_t pass)
{
    encode(g);
    begin_output(g);
    for (uint32_t i = 0; i < g->ids.count; i++) step(g, g->ids.at[i], pass);
}

/* ---- axes ---- */

/* On from where the smaller size has ended. */
static void grow_length(Growth *g, uint32_t size)
{
    g->text.count = 0;
    if (!g->matcher) {
        compile(g, WEIR_JSON_VALUE);
        begin_output(g);
        take(g, weir_vocab_find(g->vocab, (weir_bytes){"[", 1}));
    }
    text_add(g, "{\"id\": 17, \"name\": \"alpha beta\", \"on\": true}, ");
    encode(g);
    assert(g->ids.count);
    for (size_t n = weir_matcher_steps(g->matcher); n < size; n++) {
        uint32_t id = g->ids.at[(n - 1) % g->ids.count];
        if (n + KEEP < size)
            take(g, id);
        else
            step(g, id, 0);
        if (g->failed) return;
    }
}

static void grow_depth(Growth *g, uint32_t size)
{
    g->text.count = 0;
    if (!g->matcher) {
        compile(g, WEIR_JSON_VALUE);
        begin_output(g);
    }
    uint32_t open = weir_vocab_find(g->vocab, (weir_bytes){"[", 1});
    for (size_t n = weir_matcher_steps(g->matcher); n < size; n++) {
        if (n + KEEP < size && n * 2 < size)
            take(g, open);
        else
            step(g, open, 0);
        if (g->failed) return;
    }
}

static void grow_max_length(Growth *g, uint32_t size)
{
    g->text.count = 0;
    text_add(g, "{\"type\":\"string\",\"maxLength\":%u}", size);
    compile(g, WEIR_JSON_SCHEMA);
    g->text.count = 0;
    text_add(g, "\"");
    uint32_t chars = MIN(size, KEEP * 4) / 10;
    for (uint32_t i = 0; i < chars; i++) text_add(g, "word %u abc ", i % 10);
    while (g->text.count > size + 1) g->text.count--;
    text_add(g, "\"");
    run_output(g, 0);
    run_output(g, 1);
}

static void add_member_name(Growth *g, uint32_t i)
{
    static const char *const words[] = {"red",  "blue", "old",  "new",
                                        "left", "high", "main", "side"};
    text_add(g, "%s %s %u", words[i * 7 % 8], words[i / 8 * 5 % 8], i);
}

static void grow_enum(Growth *g, uint32_t size)
{
    g->text.count = 0;
    text_add(g, "{\"enum\":[");
    for (uint32_t i = 0; i < size; i++) {
        text_add(g, i ? ",\"" : "\"");
        add_member_name(g, i);
        text_add(g, "\"");
    }
    text_add(g, "]}");
    compile(g, WEIR_JSON_SCHEMA);
    for (uint32_t pass = 0; pass < PASSES; pass++)
        for (uint32_t i = 0; i < OUTPUTS; i++) {
            g->text.count = 0;
            text_add(g, "\"");
            add_member_name(g, (uint32_t)((uint64_t)i * size / OUTPUTS));
            text_add(g, "\"");
            run_output(g, pass);
        }
}

static void grow_properties(Growth *g, uint32_t size)
{
    g->text.count = 0;
    text_add(g, "{\"type\":\"object\",\"properties\":{");
    for (uint32_t i = 0; i < size; i++) {
        text_add(g, i ? ",\"" : "\"");
        add_member_name(g, i);
        text_add(g, "\":{\"type\":\"integer\"}");
    }
    text_add(g, "},\"additionalProperties\":false}");
    compile(g, WEIR_JSON_SCHEMA);
    g->text.count = 0;
    uint32_t members = MIN(size, OUTPUTS);
    for (uint32_t i = 0; i < members; i++) {
        text_add(g, i ? ", \"" : "{\"");
        add_member_name(g, (uint32_t)((uint64_t)i * size / members));
        text_add(g, "\": %u", i);
    }
    text_add(g, "}");
    run_output(g, 0);
    run_output(g, 1);
}

static const struct Axis {
    void (*grow)(Growth *g, uint32_t size);
    bool is_logarithmic;
    uint32_t size[SIZES]; /* 0: no more */
    const char *size_name[SIZES];
    const char *mask[PASSES], *accept[PASSES]; /* groups; NULL: no pass */
    const char *mask_ratio[PASSES], *accept_ratio[PASSES];
} axes[] = {
    {grow_length,
     false,
     {1000, 10000, 100000, 1000000},
     {"1000", "10000", "100000", "1000000"},
     {"length_mask"},
     {"length_accept"},
     {"growth_of_length_mask"},
     {"growth_of_length_accept"}},
    {grow_depth,
     false,
     {10, 100, 1000, 10000},
     {"10", "100", "1000", "10000"},
     {"depth_mask"},
     {"depth_accept"},
     {"growth_of_depth_mask"},
     {"growth_of_depth_accept"}},
    {grow_max_length,
     false,
     {100, 1000, 10000, 100000, 1000000},
     {"100", "1000", "10000", "100000", "1000000"},
     {"max_length_mask", "max_length_again_mask"},
     {"max_length_accept", "max_length_again_accept"},
     {"growth_of_max_length_mask", "growth_of_max_length_again_mask"},
     {"growth_of_max_length_accept", "growth_of_max_length_again_accept"}},
    {grow_enum,
     true,
     {10, 100, 1000, 10000, 100000},
     {"10", "100", "1000", "10000", "100000"},
     {"enum_mask", "enum_again_mask"},
     {"enum_accept", "enum_again_accept"},
     {"growth_of_enum_mask", "growth_of_enum_again_mask"},
     {"growth_of_enum_accept", "growth_of_enum_again_accept"}},
    {grow_properties,
     false,
     {10, 30, 100, 300, 1000},
     {"10", "30", "100", "300", "1000"},
     {"properties_mask", "properties_again_mask"},
     {"properties_accept", "properties_again_accept"},
     {"growth_of_properties_mask", "growth_of_properties_again_mask"},
     {"growth_of_properties_accept", "growth_of_properties_again_accept"}},
};

/* ---- the row ---- */

/* Medians of less are what a busy machine makes of them. */
#define CONSTANT 1.5

typedef struct Curve {
    const char *group, *ratio;
    Stats at[SIZES];
} Curve;

static uint32_t sizes_of(const struct Axis *axis)
{
    uint32_t n = 0;
    while (n < SIZES && axis->size[n]) n++;
    return n;
}

static uint32_t digits_of(uint32_t n)
{
    return n < 10 ? 1 : 1 + digits_of(n / 10);
}

static void report_curve(const struct Axis *axis, const Curve *c, Report *r)
{
    uint32_t n = sizes_of(axis);
    double least = c->at[0].at[STATS_P50], most = CONSTANT;
    for (uint32_t i = 0; i < n; i++) {
        least = i + 1 < n ? MIN(least, c->at[i].at[STATS_P50]) : least;
        report_series(r, (ReportSeries){.group = c->group,
                                        .name = axis->size_name[i],
                                        .us = c->at[i]});
    }
    if (axis->is_logarithmic)
        most *= (double)digits_of(axis->size[n - 1]) / digits_of(axis->size[0]);
    report_figure_most(r, c->ratio, "", c->at[n - 1].at[STATS_P50] / least,
                       most);
}

static bool run_axis(Growth *g, const struct Axis *axis, Report *r)
{
    static Curve mask[PASSES], accept[PASSES];
    weir_matcher_free(g->matcher);
    g->matcher = NULL;
    for (uint32_t i = 0; i < sizes_of(axis) && !g->failed; i++) {
        for (int p = 0; p < PASSES; p++)
            g->mask[p].count = g->accept[p].count = 0;
        axis->grow(g, axis->size[i]);
        for (int p = 0; p < PASSES; p++) {
            mask[p].at[i] = stats_of(g->mask[p].at, g->mask[p].count);
            accept[p].at[i] = stats_of(g->accept[p].at, g->accept[p].count);
        }
    }
    for (int p = 0; p < PASSES && axis->mask[p] && !g->failed; p++) {
        mask[p].group = axis->mask[p];
        mask[p].ratio = axis->mask_ratio[p];
        accept[p].group = axis->accept[p];
        accept[p].ratio = axis->accept_ratio[p];
        report_curve(axis, &mask[p], r);
        report_curve(axis, &accept[p], r);
    }
    return !g->failed;
}

static void growth_free(Growth *g)
{
    const Mem *mem = &g->bench->mem;
    weir_matcher_free(g->matcher);
    weir_grammar_free(g->grammar);
    weir_vocab_free(g->vocab);
    mem_free(mem, g->row, g->row_size);
    vec_free(mem, &g->text);
    vec_free(mem, &g->ids);
    for (int p = 0; p < PASSES; p++) {
        vec_free(mem, &g->mask[p]);
        vec_free(mem, &g->accept[p]);
    }
}

bool row_growth(const Bench *bench, Report *report)
{
    Growth g = {.bench = bench, .vocab = bench_vocab(bench)};
    bool ok = g.vocab != NULL;
    if (ok) {
        uint32_t width = weir_vocab_width(g.vocab);
        g.row_size = WEIR_MASK_WORDS((size_t)width) * sizeof *g.row;
        g.row = mem_zero(&bench->mem, g.row_size);
        ok = g.row || bench_fail("growth", NULL);
        report->copy_ns = bench_copy_ns(bench, width);
    }
    for (size_t i = 0; ok && i < COUNT_OF(axes); i++)
        ok = run_axis(&g, &axes[i], report);
    growth_free(&g);
    return ok;
}
