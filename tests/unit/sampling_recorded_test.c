/* sampling_recorded_test.c: llama.cpp's runs, token by token: which one is
 * drawn, and how many had a chance. scripts/sampling/record made them. Items
 * 155 to 157 of the checklist: a passing token stands, else the mask and the
 * whole chain again with the same generator, token by token as the reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/sampling_runs.h"

#define RUNS "tests/cases/sampling_runs.txt"
#define VOCAB "tests/cases/sampling.gguf"
enum { RUNS_EXPECTED = 108, END = 336 };

static weir_vocab *vocab;
static SamplingRun run;
static float *logits;

static int set_up(void **state)
{
    (void)state;
    weir_vocab_opts opts = {.size = sizeof opts,
                            .dialect = WEIR_DIALECT_LLAMA_CPP};
    vocab = weir_vocab_load_file(NULL, VOCAB, &opts, NULL);
    logits = malloc((1u << 20) * sizeof *logits);
    return !vocab || !logits;
}

static int tear_down(void **state)
{
    (void)state;
    weir_vocab_free(vocab);
    free(logits);
    return 0;
}

static weir_matcher *matcher(const char *grammar)
{
    weir_error err = {.status = WEIR_OK};
    weir_bytes text = {grammar, strlen(grammar)};
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_matcher_opts mopts = {.size = sizeof mopts,
                               .termination = WEIR_TERM_STOP_TOKEN};
    weir_grammar *g = weir_grammar_compile(vocab, WEIR_GBNF, text, &opts, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, &mopts, &err);
    weir_grammar_free(g);
    assert_non_null(m);
    return m;
}

/* The next "token/chances" of the recorded line. */
static void check_step(const char **got, uint32_t step, uint32_t id,
                       size_t chances)
{
    unsigned want;
    size_t many;
    int n;
    if (sscanf(*got, " %u/%zu%n", &want, &many, &n) != 2)
        fail_msg("%s: step %u: llama.cpp's run has ended", run.name, step);
    if (id != want || chances != many)
        fail_msg("%s: step %u: found %u of %zu, expected %u of %zu", run.name,
                 step, id, chances, want, many);
    *got += n;
}

static void repeat_run(weir_sampler *s, const char *got)
{
    weir_matcher *m = run.grammar ? matcher(run.grammar) : NULL;
    for (size_t i = 0; i < run.prompt_count; i++)
        assert_true(weir_sampler_accept(s, run.prompt[i]));
    for (uint32_t step = 0; step < run.steps; step++) {
        uint32_t id = UINT32_MAX;
        run_logits(&run, step, logits);
        assert_int_equal(weir_sampler_draw(s, logits, run.width, m, &id),
                         WEIR_DRAWN);
        check_step(&got, step, id, weir_sampler_candidates(s, NULL, 0));
        if (m) assert_int_equal(weir_matcher_accept(m, id), WEIR_ACCEPTED);
        assert_true(weir_sampler_accept(s, id));
        if (id == END) break;
    }
    if (strcmp(got, "\n") != 0) fail_msg("%s: more tokens: %s", run.name, got);
    weir_matcher_free(m);
}

/* The same from a copy, and from the sampler itself after a reset. */
static void repeat_all_ways(const char *got)
{
    weir_error err = {.status = WEIR_OK};
    weir_sampler *s = weir_sampler_new(NULL, vocab, &run.opts, &err);
    if (!s) fail_msg("%s: %s", run.name, err.message);
    weir_sampler *copy = weir_sampler_fork(s);
    assert_non_null(copy);
    repeat_run(s, got);
    repeat_run(copy, got);
    weir_sampler_reset(s);
    repeat_run(s, got);
    weir_sampler_free(s);
    weir_sampler_free(copy);
}

static void recorded_runs(void **state)
{
    (void)state;
    static char line[8192], got[8192], wrong[64];
    FILE *file = fopen(RUNS, "r");
    unsigned runs = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "run ", 4) != 0) continue;
        if (!run_parse(&run, line, wrong))
            fail_msg("%s: what is %s?", run.name, wrong);
        assert_non_null(fgets(got, sizeof got, file));
        repeat_all_ways(got + 3);
        runs++;
    }
    fclose(file);
    assert_int_equal(runs, RUNS_EXPECTED);
}

#define ITEM(name, test)                 \
    {                                    \
        (name), (test), NULL, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        ITEM("item 155, 156, 157: recorded runs", recorded_runs)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
