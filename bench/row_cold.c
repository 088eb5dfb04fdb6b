/* row_cold.c: row cold: the first mask that a process ever makes, for a schema
 * of some size, when nothing has run before: each sample is a process of its
 * own. The same schema compiled again, and its next mask, stand beside it. */
#include "bench/bench_child.h"

enum { PROCESSES = 15, NUMBERS = 4 };

static const char cold_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"order\":{\"type\":\"integer\",\"minimum\":1},"
    "\"customer\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":80},"
    "\"email\":{\"type\":\"string\",\"format\":\"email\"},"
    "\"since\":{\"type\":\"string\",\"format\":\"date\"}},"
    "\"required\":[\"name\",\"email\"]},"
    "\"lines\":{\"type\":\"array\",\"minItems\":1,\"items\":{"
    "\"type\":\"object\",\"properties\":{"
    "\"article\":{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-[0-9]{4}$\"},"
    "\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":999},"
    "\"state\":{\"enum\":[\"open\",\"packed\",\"sent\",\"back\"]}},"
    "\"required\":[\"article\",\"count\"]}},"
    "\"note\":{\"type\":[\"string\",\"null\"]}},"
    "\"required\":[\"order\",\"customer\",\"lines\"]}";

/* ---- the child ---- */

/* Compiles and fills a mask: microseconds. */
static double first_mask_us(const Bench *b, weir_vocab *v, int32_t *row,
                            double *second_us)
{
    weir_bytes text = {cold_schema, sizeof cold_schema - 1};
    uint64_t begin = timer_now();
    weir_grammar *g =
        weir_grammar_compile(v, WEIR_JSON_SCHEMA, text, NULL, NULL);
    weir_matcher *m = g ? weir_matcher_new(g, NULL, NULL) : NULL;
    if (m) weir_matcher_fill(m, row);
    double us = bench_us(b, begin, timer_now());
    if (m) weir_matcher_accept(m, weir_vocab_find(v, (weir_bytes){"{", 1}));
    begin = timer_now();
    if (m) weir_matcher_fill(m, row);
    *second_us = bench_us(b, begin, timer_now());
    weir_matcher_free(m);
    weir_grammar_free(g);
    return m ? us : -1;
}

bool child_cold(const Bench *bench)
{
    uint64_t begin = timer_now();
    weir_vocab *v = bench_vocab(bench);
    double load = bench_us(bench, begin, timer_now()), second, ignored;
    if (!v) return false;
    int32_t *row =
        calloc(WEIR_MASK_WORDS((size_t)weir_vocab_width(v)), sizeof *row);
    bool ok = row != NULL;
    if (ok) {
        double first = first_mask_us(bench, v, row, &second);
        double again = first_mask_us(bench, v, row, &ignored);
        ok = first >= 0 && again >= 0;
        if (ok) printf("%.3f\n%.3f\n%.3f\n%.3f\n", load, first, second, again);
    }
    free(row);
    weir_vocab_free(v);
    return ok || bench_fail("cold", NULL);
}

/* ---- the row ---- */

static const StatsTargets first_targets = {.us = {[STATS_P50] = 1000}};
static const char *const number_names[NUMBERS] = {
    "vocabulary", "first_mask", "second_mask", "compiled_again"};

bool row_cold(const Bench *bench, Report *report)
{
    double samples[NUMBERS][PROCESSES], numbers[NUMBERS];
    for (int i = 0; i < PROCESSES; i++) {
        if (child_run(bench, "--cold", numbers, NUMBERS) != NUMBERS) {
            fputs("weir-bench: cold: a process has failed\n", stderr);
            return false;
        }
        for (int k = 0; k < NUMBERS; k++) samples[k][i] = numbers[k];
    }
    for (int k = 0; k < NUMBERS; k++)
        report_series(
            report, (ReportSeries){.name = number_names[k],
                                   .us = stats_of(samples[k], PROCESSES),
                                   .targets = k == 1 ? &first_targets : NULL});
    report_figure(report, "processes", "", PROCESSES);
    report->copy_ns = bench_copy_ns(bench, BENCH_WIDTH);
    return true;
}
