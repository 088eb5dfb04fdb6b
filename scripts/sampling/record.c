/* record.c: runs of tests/cases/sampling_runs.txt through the real llama.cpp.
 *
 *     record sampling.gguf < runs.txt > recorded.txt
 *
 * Built and run by scripts/sampling/record, against the libllama that it
 * fetches. The package has no header: what is used is declared here. The
 * order of the chain, and when a token is drawn again, are those of
 * llama.cpp's own common_sampler_sample. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/sampling_runs.h"

/* ---- llama.cpp, as far as needed ---- */

typedef struct llama_token_data {
    int32_t id;
    float logit, p;
} llama_token_data;
typedef struct llama_token_data_array {
    llama_token_data *data;
    size_t size;
    int64_t selected;
    bool sorted;
} llama_token_data_array;
typedef struct llama_logit_bias {
    int32_t token;
    float bias;
} llama_logit_bias;
typedef struct llama_sampler llama_sampler;
typedef struct llama_vocab llama_vocab;
typedef struct llama_model llama_model;
typedef struct llama_model_params {
    unsigned char bytes[80];
} llama_model_params;
enum { VOCAB_ONLY = 72 }; /* offset of that flag */
typedef struct llama_chain_params {
    bool no_perf;
} llama_chain_params;

llama_model_params llama_model_default_params(void);
llama_model *llama_model_load_from_file(const char *path, llama_model_params);
const llama_vocab *llama_model_get_vocab(const llama_model *);
bool llama_vocab_is_eog(const llama_vocab *, int32_t);
void llama_log_set(void (*)(int, const char *, void *), void *);
llama_sampler *llama_sampler_chain_init(llama_chain_params);
void llama_sampler_chain_add(llama_sampler *, llama_sampler *);
void llama_sampler_apply(llama_sampler *, llama_token_data_array *);
void llama_sampler_accept(llama_sampler *, int32_t);
void llama_sampler_free(llama_sampler *);
llama_sampler *llama_sampler_init_dist(uint32_t seed);
llama_sampler *llama_sampler_init_top_k(int32_t k);
llama_sampler *llama_sampler_init_top_p(float p, size_t keep);
llama_sampler *llama_sampler_init_min_p(float p, size_t keep);
llama_sampler *llama_sampler_init_typical(float p, size_t keep);
llama_sampler *llama_sampler_init_temp(float t);
llama_sampler *llama_sampler_init_temp_ext(float t, float delta, float exp);
llama_sampler *llama_sampler_init_xtc(float p, float t, size_t keep,
                                      uint32_t seed);
llama_sampler *llama_sampler_init_top_n_sigma(float n);
llama_sampler *llama_sampler_init_mirostat(int32_t width, uint32_t seed,
                                           float tau, float eta, int32_t m);
llama_sampler *llama_sampler_init_mirostat_v2(uint32_t seed, float tau,
                                              float eta);
llama_sampler *llama_sampler_init_penalties(int32_t width, int32_t last_n,
                                            float repeat, float freq,
                                            float present);
llama_sampler *llama_sampler_init_dry(const llama_vocab *, float multiplier,
                                      float base, int32_t allowed,
                                      int32_t last_n, const char **breakers,
                                      size_t count);
llama_sampler *llama_sampler_init_adaptive_p(float target, float decay,
                                             uint32_t seed);
llama_sampler *llama_sampler_init_logit_bias(int32_t width, int32_t count,
                                             const llama_logit_bias *);
llama_sampler *llama_sampler_init_grammar(const llama_vocab *, const char *text,
                                          const char *root);

/* ---- the chain ---- */

enum { ZIPF_TOKENS = 100 };

static llama_sampler *dry(const SamplingRun *run, const llama_vocab *vocab)
{
    const weir_sampler_opts *o = &run->opts;
    static char texts[RUN_LIST][64];
    const char *list[RUN_LIST];
    for (size_t i = 0; i < o->dry_breaker_count; i++) {
        snprintf(texts[i], sizeof texts[i], "%.*s",
                 (int)o->dry_breakers[i].size, o->dry_breakers[i].data);
        list[i] = texts[i];
    }
    return llama_sampler_init_dry(vocab, o->dry_multiplier, o->dry_base,
                                  o->dry_allowed_length, o->dry_last_n, list,
                                  o->dry_breaker_count);
}

static llama_sampler *sampler(const SamplingRun *run, const llama_vocab *vocab,
                              int kind)
{
    const weir_sampler_opts *o = &run->opts;
    switch (kind) {
    case WEIR_SAMPLER_PENALTIES:
        return llama_sampler_init_penalties(
            (int32_t)run->width, o->penalty_last_n, o->repeat_penalty,
            o->frequency_penalty, o->presence_penalty);
    case WEIR_SAMPLER_DRY:
        return dry(run, vocab);
    case WEIR_SAMPLER_TOP_N_SIGMA:
        return llama_sampler_init_top_n_sigma(o->top_n_sigma);
    case WEIR_SAMPLER_TOP_K:
        return llama_sampler_init_top_k(o->top_k);
    case WEIR_SAMPLER_TYPICAL:
        return llama_sampler_init_typical(o->typical_p, o->min_keep);
    case WEIR_SAMPLER_TOP_P:
        return llama_sampler_init_top_p(o->top_p, o->min_keep);
    case WEIR_SAMPLER_MIN_P:
        return llama_sampler_init_min_p(o->min_p, o->min_keep);
    case WEIR_SAMPLER_XTC:
        return llama_sampler_init_xtc(o->xtc_probability, o->xtc_threshold,
                                      o->min_keep, o->seed);
    default:
        return llama_sampler_init_temp_ext(o->temperature, o->dynamic_range,
                                           o->dynamic_exponent);
    }
}

static llama_sampler *chain(const SamplingRun *run, const llama_vocab *vocab)
{
    const weir_sampler_opts *o = &run->opts;
    llama_logit_bias bias[RUN_LIST];
    llama_sampler *c = llama_sampler_chain_init((llama_chain_params){true});
    for (size_t i = 0; i < o->bias_count; i++)
        bias[i] = (llama_logit_bias){(int32_t)o->bias[i].id, o->bias[i].bias};
    if (o->bias_count)
        llama_sampler_chain_add(
            c, llama_sampler_init_logit_bias((int32_t)run->width,
                                             (int32_t)o->bias_count, bias));
    size_t n = o->order_count ? o->order_count : WEIR_SAMPLER_KINDS;
    for (size_t i = 0; i < n && !o->mirostat; i++)
        llama_sampler_chain_add(
            c, sampler(run, vocab,
                       o->order_count ? (int)o->order[i] : (int)i + 1));
    if (o->mirostat)
        llama_sampler_chain_add(c, llama_sampler_init_temp(o->temperature));
    llama_sampler_chain_add(
        c, o->mirostat == 1 ? llama_sampler_init_mirostat(
                                  (int32_t)run->width, o->seed, o->mirostat_tau,
                                  o->mirostat_eta, ZIPF_TOKENS)
           : o->mirostat == 2 ? llama_sampler_init_mirostat_v2(
                                    o->seed, o->mirostat_tau, o->mirostat_eta)
           : o->adaptive_target >= 0
               ? llama_sampler_init_adaptive_p(o->adaptive_target,
                                               o->adaptive_decay, o->seed)
               : llama_sampler_init_dist(o->seed));
    return c;
}

/* ---- a run ---- */

static llama_token_data *cells;
static float *logits;

static llama_token_data_array candidates(uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        cells[i] = (llama_token_data){(int32_t)i, logits[i], 0};
    return (llama_token_data_array){cells, width, -1, false};
}

static bool is_allowed(llama_sampler *grammar, int32_t id)
{
    llama_token_data one = {id, 1, 0};
    llama_token_data_array list = {&one, 1, -1, false};
    llama_sampler_apply(grammar, &list);
    return one.logit == 1;
}

static void record(const SamplingRun *run, const llama_vocab *vocab)
{
    llama_sampler *c = chain(run, vocab), *grammar = NULL;
    if (run->grammar)
        grammar = llama_sampler_init_grammar(vocab, run->grammar, "root");
    for (size_t i = 0; i < run->prompt_count; i++)
        llama_sampler_accept(c, (int32_t)run->prompt[i]);
    printf("got");
    for (uint32_t step = 0; step < run->steps; step++) {
        run_logits(run, step, logits);
        llama_token_data_array list = candidates(run->width);
        llama_sampler_apply(c, &list);
        if (grammar && !is_allowed(grammar, list.data[list.selected].id)) {
            list = candidates(run->width);
            llama_sampler_apply(grammar, &list);
            llama_sampler_apply(c, &list);
        }
        int32_t id = list.data[list.selected].id;
        size_t chances = 0;
        for (size_t i = 0; i < list.size; i++) chances += list.data[i].p > 0;
        printf(" %d/%zu", id, chances);
        if (grammar) llama_sampler_accept(grammar, id);
        llama_sampler_accept(c, id);
        if (llama_vocab_is_eog(vocab, id)) break;
    }
    printf("\n");
    llama_sampler_free(c);
    if (grammar) llama_sampler_free(grammar);
}

static void quiet(int level, const char *text, void *user)
{
    (void)level, (void)text, (void)user;
}

int main(int argc, char **argv)
{
    static char line[8192], wrong[64];
    static SamplingRun run;
    enum { WIDEST = 1 << 20 };
    llama_model_params params = llama_model_default_params();
    params.bytes[VOCAB_ONLY] = 1;
    llama_log_set(quiet, NULL);
    llama_model *model =
        argc == 2 ? llama_model_load_from_file(argv[1], params) : NULL;
    cells = malloc(WIDEST * sizeof *cells);
    logits = malloc(WIDEST * sizeof *logits);
    if (!model || !cells || !logits) return fputs("cannot load\n", stderr), 1;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "got ", 4)) continue;
        fputs(line, stdout);
        if (strncmp(line, "run ", 4) != 0) continue;
        if (!run_parse(&run, line, wrong) || run.width > WIDEST)
            return fprintf(stderr, "%s: %s\n", run.name, wrong), 1;
        record(&run, llama_model_get_vocab(model));
    }
    return 0;
}
