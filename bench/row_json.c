/* row_json.c: row json: built-in JSON over real outputs, fill and accept.
 *
 * Each run has a fresh vocabulary and a fresh grammar, as warm as loading
 * leaves them, since what one output teaches the engine helps the next. Each
 * test has a fresh matcher. A step is the mask for a token and the taking of
 * that token, timed together; over several runs each step counts with its
 * least time, since the machine pauses a process now and then.
 * The cost of a byte is measured apart, with the last run's grammar: accepts
 * alone, a test at a time, over the bytes of its tokens.
 */
#include "bench/bench.h"

#include "bench/bench_slowest.h"

static const StatsTargets json_targets = {.us = {[STATS_AVG] = 0.7,
                                                 [STATS_P50] = 0.6,
                                                 [STATS_P99] = 4,
                                                 [STATS_P999] = 20,
                                                 [STATS_MAX] = 700}};
#define BYTE_NS 15.0

typedef struct JsonRow {
    const Bench *bench;
    BenchCases cases;
    weir_vocab *vocab; /* of the present run */
    weir_grammar *grammar;
    int32_t *row;
    size_t row_size;
    double *least; /* by index in cases.ids: microseconds */
    double byte_ns;
    double copy_ns;   /* the least of those after each run */
    uint32_t refused; /* tests of the present run */
    size_t grown;     /* resident bytes in the first run */
} JsonRow;

/* ---- one run ---- */

static weir_matcher *matcher_begin(const JsonRow *j)
{
    weir_error err;
    weir_matcher *m = weir_matcher_new(j->grammar, NULL, &err);
    if (!m) bench_fail("matcher", &err);
    return m;
}

/* The number of tokens that mask and accept took. Times go to least[]. */
static uint32_t test_steps(JsonRow *j, weir_matcher *m, const BenchTest *t,
                           bool is_first)
{
    const uint32_t *ids = cases_ids(&j->cases, t);
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t begin = timer_now();
        weir_matcher_fill(m, j->row);
        weir_accept answer = weir_matcher_accept(m, ids[i]);
        double us = bench_us(j->bench, begin, timer_now());
        if (answer != WEIR_ACCEPTED) return i;
        if (!((uint32_t)j->row[ids[i] / 32] >> ids[i] % 32 & 1)) return i;
        double *least = &j->least[t->ids + i];
        *least = is_first ? us : MIN(*least, us);
    }
    return t->count;
}

static bool run_test(JsonRow *j, const BenchTest *t, bool is_first)
{
    weir_matcher *m = matcher_begin(j);
    if (!m) return false;
    uint32_t taken = test_steps(j, m, t, is_first);
    bool is_complete = weir_matcher_is_completed(m);
    weir_matcher_free(m);
    if (taken == t->count && is_complete) return true;
    j->refused++;
    fprintf(stderr, "weir-bench: json: %s, test %u: %s at token %u of %u\n",
            cases_name(&j->cases, t), t->number,
            taken < t->count ? "refused" : "incomplete", taken, t->count);
    return true;
}

static void run_end(JsonRow *j)
{
    weir_grammar_free(j->grammar);
    weir_vocab_free(j->vocab);
    j->grammar = NULL;
    j->vocab = NULL;
}

static bool run_begin(JsonRow *j)
{
    run_end(j);
    j->refused = 0;
    j->vocab = bench_vocab(j->bench);
    j->grammar = j->vocab ? bench_json(j->vocab) : NULL;
    return j->grammar != NULL;
}

static bool run_all(JsonRow *j, bool is_first)
{
    if (!run_begin(j)) return false;
    bench_trim();
    size_t before = bench_resident();
    for (uint32_t i = 0; i < j->cases.tests.count; i++)
        if (!run_test(j, &j->cases.tests.at[i], is_first)) return false;
    size_t after = bench_resident();
    if (is_first && after > before) j->grown = after - before;
    double copy_ns = bench_copy_ns(j->bench, weir_vocab_width(j->vocab));
    j->copy_ns = is_first ? copy_ns : MIN(j->copy_ns, copy_ns);
    return true;
}

/* ---- bytes ---- */

static size_t test_bytes(const JsonRow *j, const BenchTest *t)
{
    size_t nbytes = 0;
    const uint32_t *ids = cases_ids(&j->cases, t);
    for (uint32_t i = 0; i < t->count; i++)
        nbytes += weir_vocab_token(j->vocab, ids[i]).bytes.size;
    return nbytes;
}

/* The time of accepting a test's tokens, the least of several tries, in ns. */
static double test_accept_ns(const JsonRow *j, weir_matcher *m,
                             const BenchTest *t)
{
    enum { TRIES = 3 };
    const uint32_t *ids = cases_ids(&j->cases, t);
    double least = 0;
    for (int try = 0; try < TRIES; try++) {
        weir_matcher_reset(m);
        uint64_t begin = timer_now();
        for (uint32_t i = 0; i < t->count; i++) weir_matcher_accept(m, ids[i]);
        double ns = timer_ns(&j->bench->timer, begin, timer_now());
        least = try ? MIN(least, ns) : ns;
    }
    return least;
}

static bool measure_bytes(JsonRow *j)
{
    double ns = 0;
    size_t nbytes = 0;
    for (uint32_t i = 0; i < j->cases.tests.count; i++) {
        const BenchTest *t = &j->cases.tests.at[i];
        weir_matcher *m = matcher_begin(j);
        if (!m) return false;
        ns += test_accept_ns(j, m, t);
        nbytes += test_bytes(j, t);
        weir_matcher_free(m);
    }
    j->byte_ns = nbytes ? ns / (double)nbytes : 0;
    return true;
}

/* ---- the row ---- */

static bool json_alloc(JsonRow *j)
{
    const Mem *mem = &j->bench->mem;
    weir_vocab *v = bench_vocab(j->bench);
    if (!v) return false;
    j->row_size = WEIR_MASK_WORDS((size_t)weir_vocab_width(v)) * sizeof *j->row;
    weir_vocab_free(v);
    j->row = mem_zero(mem, j->row_size);
    j->least = mem_zero(mem, size_mul(j->cases.ids.count, sizeof *j->least));
    return (j->row && j->least) || bench_fail("json", NULL);
}

static void json_free_row(JsonRow *j)
{
    const Mem *mem = &j->bench->mem;
    run_end(j);
    mem_free(mem, j->row, j->row_size);
    mem_free(mem, j->least, j->cases.ids.count * sizeof *j->least);
    cases_free(&j->cases);
}

static void json_report(JsonRow *j, Report *report)
{
    uint32_t steps = j->cases.ids.count;
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(j->grammar, &info);
    report->copy_ns = j->copy_ns;
    slowest_print(&j->cases, j->vocab, j->least, j->bench->slowest, stderr);
    Stats us = stats_of(j->least, steps);
    report_series(report, (ReportSeries){.us = us, .targets = &json_targets});
    report_figure(report, "tests", "", j->cases.tests.count);
    report_figure(report, "steps", "", steps);
    report_figure(report, "runs", "", j->bench->runs);
    report_figure_most(report, "refused", "", j->refused, 0);
    report_figure_most(report, "byte_step", "ns", j->byte_ns, BYTE_NS);
    report_figure(report, "grammar_holds", "mib",
                  (double)info.memory / 1048576);
    report_figure(report, "resident_growth", "mib", (double)j->grown / 1048576);
    report_figure(report, "timer_cost_subtracted", "ns",
                  (double)j->bench->timer.cost * j->bench->timer.ns_per_tick);
}

bool row_json(const Bench *bench, Report *report)
{
    JsonRow j = {.bench = bench};
    weir_error err = {0};
    if (!cases_load(&j.cases, &bench->mem, bench->cases, &err))
        return bench_fail("cases", &err);
    bool ok = json_alloc(&j);
    for (uint32_t run = 0; ok && run < bench->runs; run++)
        ok = run_all(&j, run == 0);
    ok = ok && measure_bytes(&j);
    if (ok) json_report(&j, report);
    ok = ok && !j.refused;
    json_free_row(&j);
    return ok;
}
