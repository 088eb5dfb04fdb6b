/* row_maskbench.c: the rows that run sources with tests: maskbench, the real
 * schemas; the same for other vocabularies, whose names are the rows'; and the
 * other front ends, over bench/grammars/. mask_run.h says what is measured.
 *
 * Targets are multiples of the memcpy of a mask of the row's own vocabulary.
 * Little of a step but that copy depends on the width, so a vocabulary whose
 * masks are shorter than Llama-3's has the copy of one of Llama-3's as floor.
 */
#include "bench/mask_run.h"

#define LLAMA3_COPY_NS 130.0 /* the copy beside which the targets are set */
#define COPIES(us) ((us)*1e3 / LLAMA3_COPY_NS)

static const StatsTargets tbm_targets = {
    .copies = {[STATS_AVG] = 11,
               [STATS_P50] = 6,
               [STATS_P99] = 60,
               [STATS_P999] = 300,
               [STATS_MAX] = COPIES(1000)}};
static const StatsTargets ttfm_targets = {
    .copies = {[STATS_P50] = COPIES(12), [STATS_P99] = COPIES(400)}};
static const StatsTargets middle_targets = {
    .copies = {[STATS_P50] = 6, [STATS_P99] = 60}};

#define RESIDENT_MB 140.0

static bool add_times(const Bench *b, Report *report, ReportSeries series,
                      const Times *times)
{
    uint32_t count = times->least.count;
    size_t size = size_mul((size_t)count + 1, sizeof(double));
    double *us = mem_new(&b->mem, size);
    if (!us) return bench_fail("times", NULL);
    for (uint32_t i = 0; i < count; i++) us[i] = times->least.at[i];
    series.us = stats_of(us, count);
    report_series(report, series);
    mem_free(&b->mem, us, size);
    return true;
}

static void add_counts(const MaskRun *r, Report *report, const char *sources)
{
    report_figure(report, sources, "", r->sources);
    for (int i = 0; i < VERDICTS; i++)
        report_figure(report, verdict_names[i], "", r->count[i]);
    report_figure(report, "masks", "", r->tbm.least.count);
    report_figure(report, "runs", "", r->bench->runs);
    report->copy_ns = r->copy_ns;
    report->copy_in_us = true;
}

static bool add_all(const MaskRun *r, Report *report, const StatsTargets *tbm)
{
    const Bench *b = r->bench;
    return add_times(b, report,
                     (ReportSeries){.name = "tbm_us", .targets = tbm},
                     &r->tbm) &&
           add_times(
               b, report,
               (ReportSeries){.name = "ttfm_us", .targets = &ttfm_targets},
               &r->ttfm);
}

bool row_maskbench(const Bench *bench, Report *report)
{
    MaskRun r;
    const MaskSet set = {.tokenizer = bench->tokenizer,
                         .cases = bench->cases,
                         .kind = WEIR_JSON_SCHEMA,
                         .has_ids = true,
                         .every = 1};
    bool ok = mask_run(&r, bench, &set);
    if (ok) {
        add_counts(&r, report, "schemas");
        report_figure_most(report, "rss", "mb", (double)r.resident / 1e6,
                           RESIDENT_MB);
        ok = add_all(&r, report, &tbm_targets);
    }
    mask_run_free(&r);
    return ok;
}

/* ---- other vocabularies ---- */

/* A part of the schemas, their texts encoded by the vocabulary. */
bool row_vocab(const Bench *bench, Report *report)
{
    enum { EVERY = 16 };
    MaskRun r;
    char path[4200];
    snprintf(path, sizeof path, "%s/%s/tokenizer.json", bench->vocabs,
             report->row);
    const MaskSet set = {.tokenizer = path,
                         .cases = bench->cases,
                         .kind = WEIR_JSON_SCHEMA,
                         .every = EVERY};
    bool ok = mask_run(&r, bench, &set);
    if (ok) {
        add_counts(&r, report, "schemas");
        report_figure(report, "width", "", weir_vocab_width(r.vocab));
        report->floor_ns = MAX(r.copy_ns, bench_copy_ns(bench, BENCH_WIDTH));
        ok = add_all(&r, report, &tbm_targets);
    }
    mask_run_free(&r);
    return ok;
}

/* ---- other front ends ---- */

/* By row: what its file, bench/grammars/ROW.jsonl, has. */
static const struct FrontEnd {
    const char *row;
    weir_source_kind kind;
} front_ends[] = {{"regex", WEIR_REGEX}, {"ebnf", WEIR_EBNF}};

bool row_front(const Bench *bench, Report *report)
{
    const struct FrontEnd *front = front_ends;
    while (strcmp(front->row, report->row) != 0) front++;
    MaskRun r;
    char path[4200];
    snprintf(path, sizeof path, "%s/%s.jsonl", bench->grammars, front->row);
    const MaskSet set = {.tokenizer = bench->tokenizer,
                         .cases = path,
                         .kind = front->kind,
                         .every = 1};
    bool ok = mask_run(&r, bench, &set);
    if (ok) {
        add_counts(&r, report, "grammars");
        ok = add_all(&r, report, &middle_targets);
        ok = ok && r.count[PASSING] == r.sources;
    }
    mask_run_free(&r);
    return ok;
}
