/* sampling_runs.h: runs of a sampler as text, for what records them with
 * llama.cpp (scripts/sampling/record.c) and what repeats them.
 *
 *     run top-k shape=flat logits=7 seed=42 width=338 steps=40 top_k=5
 *     got 12/5 300/5 ...            token, and how many had a chance
 *
 * All options begin neutral; `llama` sets llama.cpp's defaults. Logits are
 * made of the run's numbers, the step and the id: multiples of powers of 2, so
 * that they have the same bits everywhere. */
#ifndef WEIR_TESTS_SAMPLING_RUNS_H
#define WEIR_TESTS_SAMPLING_RUNS_H

#include "weir/sample.h"

enum { RUN_STEPS = 256, RUN_LIST = 64 };

typedef enum LogitShape {
    SHAPE_FLAT,   /* evenly from -8 to 8 */
    SHAPE_COARSE, /* sixteen values: many are equal */
    SHAPE_SHARP,  /* a few tokens stand out */
    SHAPE_LOW,    /* all below -30 */
    SHAPE_WIDE,   /* from -128 to 128: most are impossible */
    SHAPE_LOOP,   /* sharp, and the same again every 7 steps */
    SHAPES
} LogitShape;

typedef struct SamplingRun {
    char name[40];
    LogitShape shape;
    uint32_t logit_seed, width, steps;
    const char *grammar; /* GBNF, or NULL */
    weir_sampler_opts opts;
    uint32_t prompt[RUN_LIST];
    weir_logit_bias bias[RUN_LIST];
    weir_sampler_kind order[WEIR_SAMPLER_KINDS];
    weir_bytes breakers[RUN_LIST];
    char texts[256]; /* of breakers */
    size_t prompt_count;
} SamplingRun;

/* Reads a line that begins with "run ". False, and *wrong: the word that is
 * not understood. The run keeps pointers to its own lists: not to be copied. */
bool run_parse(SamplingRun *run, const char *line, char wrong[64]);
/* The logits of a step. */
void run_logits(const SamplingRun *run, uint32_t step, float *logits);

#endif
