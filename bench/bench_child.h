/* bench_child.h: what must be measured in a fresh process: this program is run
 * again with an option of its own, and prints numbers. */
#ifndef WEIR_BENCH_CHILD_H
#define WEIR_BENCH_CHILD_H

#include "bench/bench.h"

/* Runs this program with the option and the bench's tokenizer. Returns how
 * many numbers it has printed, of which `numbers` has the first `most`. */
uint32_t child_run(const Bench *bench, const char *option, double *numbers,
                   uint32_t most);

/* Prints its numbers on standard output, one a line. */
typedef bool ChildTask(const Bench *bench);
/* The task of an option, or NULL. */
ChildTask *child_task(const char *option);

/* Resident bytes that loading the vocabulary adds: one number. */
ChildTask child_resident;
/* Microseconds: loading the vocabulary, the first compilation of a schema with
 * its first mask, its second mask, and the same schema compiled again. */
ChildTask child_cold;

#endif
