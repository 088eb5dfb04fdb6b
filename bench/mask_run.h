/* mask_run.h: sources, each with texts that it allows and texts that it
 * forbids, run after MaskBench (guidance-ai/jsonschemabench).
 *
 * In file order, each source is compiled (no cache), its tests are run, each
 * once and by a fresh matcher, and it is freed. It passes when it compiles,
 * every valid text is accepted token by token with a stop token allowed at the
 * end, and every invalid one is refused somewhere.
 *
 *   ttfm  compile, JSON parser included, a matcher, and its first mask
 *   tbm   a mask filled into a row, and the accept of one token
 *
 * All this is done in several runs, one after the other over the whole file,
 * each with a fresh vocabulary; each time counts with its least of them, since
 * the machine pauses a process now and then. What a vocabulary's grammars
 * share is warm, as in a server that has run for a while: built-in JSON has
 * read some of the texts of schemas before.
 */
#ifndef WEIR_BENCH_MASK_RUN_H
#define WEIR_BENCH_MASK_RUN_H

#include "base/span.h"
#include "bench/bench.h"

typedef struct MaskSet {
    const char *tokenizer, *cases; /* paths */
    weir_source_kind kind; /* a line's source: of JSON_SCHEMA the value of
                              "schema", else the string "source" */
    bool has_ids;          /* the lines' "ids" are the tokenizer's; else their
                              "text" is encoded */
    uint32_t every;        /* one line of so many; at least 1 */
} MaskSet;

/* Worst last: a source counts once, as the worst of its tests. A valid text
 * that only its order of members makes invalid is an order refusal: so says
 * the same schema compiled for any order, apart from times. */
typedef enum Verdict {
    PASSING,
    ORDER_REFUSAL,
    VALIDATION_ERROR,   /* a valid text is refused */
    INVALIDATION_ERROR, /* an invalid text is accepted */
    COMPILE_ERROR,
    VERDICTS
} Verdict;
extern const char *const verdict_names[VERDICTS];

/* Microseconds, in the order in which they are met in each run. */
typedef struct Times {
    VEC(float) least;
    uint32_t next; /* the one to come in this run */
} Times;

typedef struct MaskRun {
    const Bench *bench;
    const MaskSet *set;
    weir_vocab *vocab; /* of the present run, like all below but times */
    int32_t *row;
    size_t row_size;
    VEC(uint32_t) ids; /* of the test being run */
    Times tbm, ttfm;
    bool is_first, is_last, differs; /* runs; whether one had other steps */
    uint32_t count[VERDICTS], sources;
    size_t resident; /* most bytes after some source's tests, it still there,
                        in the first run, without the times kept here */
    double copy_ns;  /* the least of those after each run */
    Span file;       /* of the source being run: its name */
    FILE *list;      /* written in the last run */
} MaskRun;

/* Runs the set bench->runs times. False: stderr says why. After either, the
 * caller frees. */
bool mask_run(MaskRun *r, const Bench *bench, const MaskSet *set);
void mask_run_free(MaskRun *r);

/* Fills the report with what was found. */
bool mask_run_report(const MaskRun *r, Report *report);

#endif
