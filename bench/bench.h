/* bench.h: what the rows of the benchmark share. A row is one file, row_*.c,
 * and one line in main.c's table. */
#ifndef WEIR_BENCH_BENCH_H
#define WEIR_BENCH_BENCH_H

#include "bench/bench_cases.h"
#include "bench/bench_report.h"
#include "bench/bench_timer.h"

/* Llama-3's logits, for rows that need no vocabulary. */
#define BENCH_WIDTH 128256u

typedef struct Bench {
    const char *tokenizer, *cases; /* paths */
    const char *records;           /* gbnf: a folder */
    const char *vocabs, *grammars; /* folders */
    const char *list;              /* maskbench: where to list, or NULL */
    const char *model, *engine;    /* serve: a file; its kind, or NULL */
    bool any_order;                /* schemas */
    uint32_t runs;
    uint32_t threads; /* serve: of the engine; 0: its own default */
    uint32_t slowest; /* steps to list on stderr */
    Mem mem;
    Timer timer;
} Bench;

/* Measures and fills the report. False: it could not, and stderr says why; or
 * an answer was wrong. */
typedef bool BenchRow(const Bench *bench, Report *report);
BenchRow row_memcpy, row_apply, row_json, row_vocab_load, row_batch, row_cold,
    row_growth, row_cache_hit, row_cache_cap, row_maskbench, row_gbnf,
    row_sample, row_structural_tag, row_serve;
/* Several rows each: report->row says which. */
BenchRow row_vocab, row_front;

/* One hot memcpy of a mask row of `width` ids, in ns. */
double bench_copy_ns(const Bench *bench, uint32_t width);

/* Says on stderr what failed. Returns false. */
bool bench_fail(const char *what, const weir_error *err);
weir_vocab *bench_vocab(const Bench *bench);
/* Built-in JSON, all defaults. */
weir_grammar *bench_json(weir_vocab *vocab);
/* Resident bytes of this process now; 0 when the system does not say. */
size_t bench_resident(void);
/* Gives free heap back to the system, so that growth can be seen. */
void bench_trim(void);

static inline double bench_us(const Bench *b, uint64_t begin, uint64_t end)
{
    return timer_ns(&b->timer, begin, end) * 1e-3;
}

#endif
