/* row_load.c: row vocab-load: reading a tokenizer file and all that is made
 * at once, and the memory that stays. Memory is measured in a process of its
 * own, since an allocator's habits depend on what it was asked for before. */
#include "bench/bench_child.h"

enum { LOADS = 7 };

#define LOAD_MS 150.0
#define RESIDENT_MIB 40.0

static const StatsTargets load_targets = {.us = {[STATS_P50] = LOAD_MS * 1e3}};

bool child_resident(const Bench *bench)
{
    size_t before = bench_resident();
    weir_vocab *v = bench_vocab(bench);
    size_t after = bench_resident();
    weir_vocab_free(v);
    printf("%zu\n", v && before && after > before ? after - before : 0);
    return v != NULL;
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double least_ms(const double *us)
{
    double least = us[0];
    for (int i = 1; i < LOADS; i++) least = MIN(least, us[i]);
    return least * 1e-3;
}

bool row_vocab_load(const Bench *bench, Report *report)
{
    double wall[LOADS], cpu[LOADS];
    weir_vocab_info info = {.size = sizeof info};
    double resident = 0;
    child_run(bench, "--resident", &resident, 1);
    for (int i = 0; i < LOADS; i++) {
        double cpu_begin = cpu_us();
        uint64_t begin = timer_now();
        weir_vocab *v = bench_vocab(bench);
        wall[i] = bench_us(bench, begin, timer_now());
        cpu[i] = cpu_us() - cpu_begin;
        if (!v) return false;
        weir_vocab_describe(v, &info);
        weir_vocab_free(v);
    }
    report->copy_ns = bench_copy_ns(bench, info.width);
    report_series(report, (ReportSeries){.us = stats_of(wall, LOADS),
                                         .targets = &load_targets});
    report_series(report,
                  (ReportSeries){.name = "cpu", .us = stats_of(cpu, LOADS)});
    report_figure(report, "least", "ms", least_ms(wall));
    report_figure(report, "least_cpu", "ms", least_ms(cpu));
    report_figure(report, "loads", "", LOADS);
    report_figure(report, "tokens", "", info.tokens);
    report_figure_most(report, "resident_after", "mib", resident / 1048576,
                       RESIDENT_MIB);
    report_figure(report, "held", "mib", (double)info.memory / 1048576);
    return true;
}
