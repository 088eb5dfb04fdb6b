/* row_apply.c: row apply-f32: a mask put on one row of 32-bit logits. */
#include "bench/bench.h"

enum { SAMPLES = 3000, WARM = 100 };

typedef struct ApplyCase {
    const char *name;
    bool begins_full; /* all ones, else all zeros */
    uint32_t nodd;    /* random ids with the other bit */
} ApplyCase;

/* Inside a JSON string 3,385 of Llama-3's tokens are impossible; between a
 * key and its value some dozens are possible. */
static const ApplyCase apply_cases[] = {
    {"ones", true, 0}, {"string", true, 3385}, {"sparse", false, 48}};

static void mask_make(int32_t *mask, const ApplyCase *c)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < WEIR_MASK_WORDS(BENCH_WIDTH); i++)
        mask[i] = c->begins_full ? -1 : 0;
    for (uint32_t done = 0; done < c->nodd;) {
        state = state * 1664525u + 1013904223u;
        uint32_t id = (state >> 8) % BENCH_WIDTH, bit = 1u << id % 32;
        uint32_t word = (uint32_t)mask[id / 32];
        if (((word & bit) != 0) != c->begins_full) continue;
        mask[id / 32] = (int32_t)(word ^ bit);
        done++;
    }
}

static Stats apply_stats(const Bench *b, float *logits, const int32_t *mask)
{
    double samples[SAMPLES];
    for (int i = -WARM; i < SAMPLES; i++) {
        uint64_t begin = timer_now();
        weir_apply_f32(logits, BENCH_WIDTH, mask, BENCH_WIDTH);
        if (i >= 0) samples[i] = bench_us(b, begin, timer_now());
    }
    return stats_of(samples, SAMPLES);
}

bool row_apply(const Bench *bench, Report *report)
{
    size_t mask_size = WEIR_MASK_WORDS(BENCH_WIDTH) * sizeof(int32_t);
    size_t logits_size = BENCH_WIDTH * sizeof(float);
    int32_t *mask = mem_new(&bench->mem, mask_size);
    float *logits = mem_zero(&bench->mem, logits_size);
    bool ok = mask && logits;
    if (!ok) bench_fail("apply-f32", NULL);
    for (size_t i = 0; ok && i < COUNT_OF(apply_cases); i++) {
        mask_make(mask, &apply_cases[i]);
        Stats us = apply_stats(bench, logits, mask);
        report_series(report,
                      (ReportSeries){.name = apply_cases[i].name, .us = us});
    }
    report->copy_ns = bench_copy_ns(bench, BENCH_WIDTH);
    mem_free(&bench->mem, mask, mask_size);
    mem_free(&bench->mem, logits, logits_size);
    return ok;
}
