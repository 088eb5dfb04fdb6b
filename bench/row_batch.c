/* row_batch.c: row batch: many matchers filled at once, by a plain loop and on
 * pools of one and two threads. Matchers stand at places spread over the
 * outputs of the cases; what they need is warm. The ways take turns, so that a
 * busy machine meets all of them. Times are of a call over its rows.
 */
#include "bench/bench.h"

enum { BATCH_MOST = 256, CALLS = 200, WARM = 5, WAYS = 3 };

static const struct BatchSize {
    uint32_t count;
    const char *group; /* NULL: the row itself */
} batch_sizes[] = {{256, NULL}, {64, "of_64"}, {8, "of_8"}, {1, "of_1"}};

/* By way: the plain loop, and pools by their number of threads. */
static const char *const way_names[WAYS] = {"loop", "1", "2"};

typedef struct BatchRow {
    const Bench *bench;
    BenchCases cases;
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_pool *pools[WAYS]; /* [0]: NULL */
    weir_matcher *matchers[BATCH_MOST];
    int32_t *rows;
    size_t stride, rows_size;
} BatchRow;

/* A matcher as far into test i as i is into the batch. */
static weir_matcher *matcher_at(const BatchRow *b, uint32_t i)
{
    uint64_t test = (uint64_t)i * b->cases.tests.count / BATCH_MOST;
    const BenchTest *t = &b->cases.tests.at[test];
    uint32_t steps = (uint32_t)((uint64_t)i * t->count / BATCH_MOST);
    weir_error err;
    weir_matcher *m = weir_matcher_new(b->grammar, NULL, &err);
    if (!m) bench_fail("matcher", &err);
    for (uint32_t k = 0; m && k < steps; k++)
        weir_matcher_accept(m, cases_ids(&b->cases, t)[k]);
    return m;
}

static bool batch_pools(BatchRow *b)
{
    weir_error err;
    for (uint32_t way = 1; way < WAYS; way++)
        if (!(b->pools[way] = weir_pool_new(way, &err)))
            return bench_fail("pool", &err);
    return true;
}

static bool batch_begin(BatchRow *b)
{
    weir_error err = {0};
    if (!cases_load(&b->cases, &b->bench->mem, b->bench->cases, &err))
        return bench_fail("cases", &err);
    b->vocab = bench_vocab(b->bench);
    b->grammar = b->vocab ? bench_json(b->vocab) : NULL;
    if (!b->grammar || !batch_pools(b)) return false;
    for (uint32_t i = 0; i < BATCH_MOST; i++)
        if (!(b->matchers[i] = matcher_at(b, i))) return false;
    b->stride = WEIR_MASK_WORDS((size_t)weir_vocab_width(b->vocab));
    b->rows_size = BATCH_MOST * b->stride * sizeof *b->rows;
    b->rows = mem_zero(&b->bench->mem, b->rows_size);
    return b->rows || bench_fail("rows", NULL);
}

static void batch_end(BatchRow *b)
{
    for (uint32_t i = 0; i < BATCH_MOST; i++) weir_matcher_free(b->matchers[i]);
    for (uint32_t way = 0; way < WAYS; way++) weir_pool_free(b->pools[way]);
    mem_free(&b->bench->mem, b->rows, b->rows_size);
    weir_grammar_free(b->grammar);
    weir_vocab_free(b->vocab);
    cases_free(&b->cases);
}

/* Microseconds a row. Few matchers are spread over all places. */
static double fill_once(BatchRow *b, uint32_t way, uint32_t count)
{
    weir_matcher *some[BATCH_MOST];
    for (uint32_t i = 0; i < count; i++)
        some[i] = b->matchers[(i + 1) * (BATCH_MOST / count) - 1];
    uint64_t begin = timer_now();
    if (way)
        weir_batch_fill(b->pools[way], some, count, NULL, b->rows, b->stride,
                        NULL);
    else
        for (uint32_t i = 0; i < count; i++)
            weir_matcher_fill(some[i], b->rows + i * b->stride);
    return bench_us(b->bench, begin, timer_now()) / count;
}

/* Copying as many rows, from one hot row to all of them: us a row. */
static double copy_footprint(BatchRow *b)
{
    double samples[CALLS];
    size_t nbytes = b->stride * sizeof *b->rows;
    for (int i = 0; i < CALLS; i++) {
        uint64_t begin = timer_now();
        for (size_t k = 1; k < BATCH_MOST; k++)
            memcpy(b->rows + k * b->stride, b->rows, nbytes);
        samples[i] = bench_us(b->bench, begin, timer_now()) / (BATCH_MOST - 1);
    }
    return stats_of(samples, CALLS).at[STATS_P50];
}

static void measure_size(BatchRow *b, const struct BatchSize *size, Report *r)
{
    double samples[WAYS][CALLS];
    for (int i = -WARM; i < CALLS; i++)
        for (uint32_t way = 0; way < WAYS; way++) {
            double us = fill_once(b, way, size->count);
            if (i >= 0) samples[way][i] = us;
        }
    for (uint32_t way = 0; way < WAYS; way++)
        report_series(r, (ReportSeries){.group = size->group,
                                        .name = way_names[way],
                                        .us = stats_of(samples[way], CALLS)});
}

bool row_batch(const Bench *bench, Report *report)
{
    BatchRow b = {.bench = bench};
    bool ok = batch_begin(&b);
    for (size_t i = 0; ok && i < COUNT_OF(batch_sizes); i++)
        measure_size(&b, &batch_sizes[i], report);
    if (ok) {
        report_figure(report, "memcpy_of_256_rows_each", "ns",
                      copy_footprint(&b) * 1e3);
        report->copy_ns = bench_copy_ns(bench, weir_vocab_width(b.vocab));
    }
    batch_end(&b);
    return ok;
}
