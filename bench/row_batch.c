/* row_batch.c: row batch: many matchers filled at once, by a plain loop and on
 * pools of one and two threads.
 *
 * Matchers stand at places spread over the outputs of the cases; what they
 * need is warm. For each size of batch all of them are filled, one window of
 * that many after the other, several times in a row, so that rows and masks of
 * a window stay as hot as so few can be. The ways take turns, and so does a
 * memcpy of the very masks into the very rows. What this costs more than for a
 * batch of one, because as much no longer fits into the caches, is taken off
 * the time of a row: the rest may not grow with the batch.
 */
#include "bench/bench.h"

enum { BATCH_MOST = 1024, CALLS = 15, WARM = 2, WAYS = 3, COPY = WAYS };

static const struct BatchSize {
    uint32_t count;
    const char *group; /* NULL: the row itself */
} batch_sizes[] = {
    {1, "of_1"}, {8, "of_8"}, {64, "of_64"}, {256, NULL}, {1024, "of_1024"}};
enum { SIZES = COUNT_OF(batch_sizes) };

/* By way: the plain loop, and pools by their number of threads. */
static const char *const way_names[WAYS] = {"loop", "1", "2"};
static const char *const growth_names[WAYS] = {"growth_loop", "growth_1_thread",
                                               "growth_2_threads"};
static const char *const flat_names[SIZES][WAYS] = {
    {"row_of_1_by_loop", "row_of_1_by_1", "row_of_1_by_2"},
    {"row_of_8_by_loop", "row_of_8_by_1", "row_of_8_by_2"},
    {"row_of_64_by_loop", "row_of_64_by_1", "row_of_64_by_2"},
    {"row_of_256_by_loop", "row_of_256_by_1", "row_of_256_by_2"},
    {"row_of_1024_by_loop", "row_of_1024_by_1", "row_of_1024_by_2"}};
static const char *const copy_names[SIZES] = {"memcpy_of_1", "memcpy_of_8",
                                              "memcpy_of_64", "memcpy_of_256",
                                              "memcpy_of_1024"};
#define FLAT 1.15

typedef struct BatchRow {
    const Bench *bench;
    BenchCases cases;
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_pool *pools[WAYS]; /* [0]: NULL */
    weir_matcher *matchers[BATCH_MOST];
    int32_t *rows;
    size_t stride, rows_size;
    double row_us[SIZES][WAYS + 1]; /* the last: its copy */
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

/* Matchers [first, first + count) into the first rows: microseconds. */
static double fill_once(BatchRow *b, uint32_t way, uint32_t first,
                        uint32_t count)
{
    weir_matcher *const *some = b->matchers + first;
    uint64_t begin = timer_now();
    if (way)
        weir_batch_fill(b->pools[way], some, count, NULL, b->rows, b->stride,
                        NULL);
    else
        for (uint32_t i = 0; i < count; i++)
            weir_matcher_fill(some[i], b->rows + i * b->stride);
    return bench_us(b->bench, begin, timer_now());
}

/* The same masks by memcpy. */
static double copy_once(BatchRow *b, uint32_t first, uint32_t count)
{
    const int32_t *masks[BATCH_MOST];
    size_t nbytes = b->stride * sizeof *b->rows;
    for (uint32_t i = 0; i < count; i++)
        masks[i] = weir_matcher_mask(b->matchers[first + i]);
    uint64_t begin = timer_now();
    for (uint32_t i = 0; i < count; i++)
        memcpy(b->rows + i * b->stride, masks[i], nbytes);
    return bench_us(b->bench, begin, timer_now());
}

typedef struct WayTimes {
    double row_us[WAYS][BATCH_MOST]; /* by window: of its median call */
    double total_us[WAYS + 1];       /* of all windows; the last: the copy */
} WayTimes;

static void measure_window(BatchRow *b, WayTimes *t, uint32_t window,
                           uint32_t count)
{
    double calls[WAYS + 1][CALLS];
    uint32_t first = window * count;
    for (int i = -WARM; i < CALLS; i++)
        for (uint32_t way = 0; way <= COPY; way++) {
            double us = way == COPY ? copy_once(b, first, count)
                                    : fill_once(b, way, first, count);
            if (i >= 0) calls[way][i] = us;
        }
    for (uint32_t way = 0; way <= COPY; way++) {
        double us = stats_of(calls[way], CALLS).at[STATS_P50];
        t->total_us[way] += us;
        if (way < WAYS) t->row_us[way][window] = us / count;
    }
}

static void measure_size(BatchRow *b, uint32_t size, Report *r)
{
    static WayTimes t;
    const struct BatchSize *s = &batch_sizes[size];
    uint32_t windows = BATCH_MOST / s->count;
    memset(&t, 0, sizeof t);
    for (uint32_t i = 0; i < windows; i++) measure_window(b, &t, i, s->count);
    for (uint32_t way = 0; way < WAYS; way++) {
        report_series(r,
                      (ReportSeries){.group = s->group,
                                     .name = way_names[way],
                                     .us = stats_of(t.row_us[way], windows)});
    }
    for (uint32_t way = 0; way <= COPY; way++)
        b->row_us[size][way] = t.total_us[way] / BATCH_MOST;
}

/* A row's time without what its copy costs more than in a batch of one. */
static double flat_us(const BatchRow *b, uint32_t size, uint32_t way)
{
    double more = b->row_us[size][COPY] - b->row_us[0][COPY];
    return b->row_us[size][way] - MAX(more, 0);
}

static void report_flat(const BatchRow *b, Report *r)
{
    for (uint32_t i = 0; i < SIZES; i++)
        report_figure(r, copy_names[i], "ns", b->row_us[i][COPY] * 1e3);
    for (uint32_t way = 0; way < WAYS; way++) {
        double growth = 1;
        for (uint32_t i = 0; i < SIZES; i++) {
            double us = flat_us(b, i, way);
            report_figure(r, flat_names[i][way], "ns", us * 1e3);
            growth = MAX(growth, us / b->row_us[0][way]);
        }
        report_figure_most(r, growth_names[way], "", growth, FLAT);
    }
}

bool row_batch(const Bench *bench, Report *report)
{
    static BatchRow b;
    b = (BatchRow){.bench = bench};
    bool ok = batch_begin(&b);
    for (uint32_t i = 0; ok && i < SIZES; i++) measure_size(&b, i, report);
    if (ok) {
        report_flat(&b, report);
        report->copy_ns = bench_copy_ns(bench, weir_vocab_width(b.vocab));
    }
    batch_end(&b);
    return ok;
}
