/* bench_slowest.h: which steps took longest, for those who make them faster. */
#ifndef WEIR_BENCH_SLOWEST_H
#define WEIR_BENCH_SLOWEST_H

#include <stdio.h>

#include "bench/bench_cases.h"

/* Prints the `most` slowest of the steps, slowest first: time, file, test,
 * step, the text just before it and the token taken.
 * us: by index in cases->ids. */
void slowest_print(const BenchCases *cases, const weir_vocab *vocab,
                   const double *us, uint32_t most, FILE *out);

#endif
