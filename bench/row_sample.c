/* row_sample.c: row sample: one draw from 128,256 logits, by chain and by the
 * way of the mask. Logits are like a model's: most near 0, a few far above.
 * No matcher: masks are made beforehand, one as inside a JSON string (most
 * allowed) and one as between a key and its value (a few).
 */
#include "bench/bench.h"

#include "weir/sample.h"

enum {
    SAMPLES = 1000,
    WHOLE_SAMPLES = 50,
    WARM = 5,
    STRING_REFUSED = 3385,
    FEW = 48,
    TAKEN = 64
};

typedef enum RowMask { MASK_NONE, MASK_STRING, MASK_FEW } RowMask;

typedef struct SampleCase {
    const char *name;
    RowMask mask;
    bool redraw, penalties;
    bool whole; /* no top-k */
    bool alone; /* no sampler at all */
} SampleCase;

static const SampleCase sample_cases[] = {
    {"free", .mask = MASK_NONE},
    {"string-mask-first", .mask = MASK_STRING},
    {"string-redraw", .mask = MASK_STRING, .redraw = true},
    {"few-mask-first", .mask = MASK_FEW},
    {"few-redraw", .mask = MASK_FEW, .redraw = true},
    {"penalties-dry", .mask = MASK_STRING, .penalties = true},
    {"no-top-k", .mask = MASK_NONE, .whole = true},
    {"draw-alone", .mask = MASK_NONE, .whole = true, .alone = true},
};

typedef struct SampleRow {
    float *logits;
    int32_t *masks[3];
} SampleRow;

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Sums of four even numbers, and one in 2,000 stands out: about as likely
 * together as a model's candidates are. */
static void logits_make(float *logits)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < BENCH_WIDTH; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) sum += (float)(next(&state) & 0xFFFF);
        logits[i] = sum / 16384 - 8;
        if (next(&state) % 2000 == 0) logits[i] += 16;
    }
}

static void mask_make(int32_t *mask, RowMask kind)
{
    uint32_t state = 7, nodd = kind == MASK_STRING ? STRING_REFUSED : FEW;
    for (uint32_t i = 0; i < WEIR_MASK_WORDS(BENCH_WIDTH); i++)
        mask[i] = kind == MASK_STRING ? -1 : 0;
    for (uint32_t i = 0; i < nodd; i++) {
        uint32_t id = next(&state) % BENCH_WIDTH;
        int32_t bit = (int32_t)(1u << id % 32);
        mask[id / 32] =
            kind == MASK_STRING ? mask[id / 32] & ~bit : mask[id / 32] | bit;
    }
}

static weir_sampler *sampler_make(const SampleCase *c)
{
    weir_sampler_opts opts;
    weir_error err;
    weir_sampler_defaults(&opts);
    if (c->alone) weir_sampler_neutral(&opts);
    opts.seed = 1;
    opts.redraw = c->redraw;
    if (c->whole) opts.top_k = 0;
    if (c->penalties) {
        opts.repeat_penalty = 1.1f;
        opts.dry_multiplier = 0.8f;
    }
    weir_sampler *s = weir_sampler_new(NULL, NULL, &opts, &err);
    if (!s) return bench_fail("sample", &err), NULL;
    for (uint32_t i = 0; i < TAKEN; i++)
        if (!weir_sampler_accept(s, i * 1999 % BENCH_WIDTH)) break;
    return s;
}

static bool sample_stats(const Bench *b, const SampleRow *row,
                         const SampleCase *c, Stats *stats)
{
    static double samples[SAMPLES];
    weir_sampler *s = sampler_make(c);
    bool ok = s;
    int n = c->whole ? WHOLE_SAMPLES : SAMPLES;
    for (int i = -WARM; ok && i < n; i++) {
        uint32_t id;
        uint64_t begin = timer_now();
        ok = weir_sampler_draw_mask(s, row->logits, BENCH_WIDTH,
                                    row->masks[c->mask], BENCH_WIDTH,
                                    &id) == WEIR_DRAWN;
        if (i >= 0) samples[i] = bench_us(b, begin, timer_now());
    }
    weir_sampler_free(s);
    if (ok) *stats = stats_of(samples, (size_t)n);
    return ok;
}

bool row_sample(const Bench *bench, Report *report)
{
    size_t mask_size = WEIR_MASK_WORDS(BENCH_WIDTH) * sizeof(int32_t);
    SampleRow row = {.logits =
                         mem_new(&bench->mem, BENCH_WIDTH * sizeof(float))};
    bool ok = row.logits;
    if (ok) logits_make(row.logits);
    for (int i = MASK_STRING; ok && i <= MASK_FEW; i++) {
        row.masks[i] = mem_new(&bench->mem, mask_size);
        ok = row.masks[i];
        if (ok) mask_make(row.masks[i], (RowMask)i);
    }
    if (!ok) bench_fail("sample", NULL);
    for (size_t i = 0; ok && i < COUNT_OF(sample_cases); i++) {
        Stats us;
        ok = sample_stats(bench, &row, &sample_cases[i], &us);
        if (ok)
            report_series(
                report, (ReportSeries){.name = sample_cases[i].name, .us = us});
    }
    report->copy_ns = bench_copy_ns(bench, BENCH_WIDTH);
    mem_free(&bench->mem, row.logits, BENCH_WIDTH * sizeof(float));
    for (int i = 0; i <= MASK_FEW; i++)
        mem_free(&bench->mem, row.masks[i], mask_size);
    return ok;
}
