/* peer_llama.c: weir-peer-llama LIBRARY VOCABULARY.gguf: llama.cpp's grammar
 * sampler as a peer; the conversation is that of peer_kit.py, kind gbnf.
 *
 * The library is that of the npm package @node-llama-cpp/linux-x64, loaded
 * when the program runs: there is no header in the package, so what is called
 * is declared here as its release v0.4.0 has it. A mask is what the sampler
 * leaves of all tokens: setting their logits anew is not timed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_stats.h"
#include "bench/bench_timer.h"
#include "bench/peers/peer_talk.h"

/* ---- llama.cpp ---- */

typedef struct ModelParams { /* passed by value, 80 bytes; in byte */
    uint64_t words[10];      /* VOCAB_ONLY is a bool of that name */
} ModelParams;
enum { VOCAB_ONLY = 72 };

typedef struct TokenData {
    int32_t id;
    float logit, p;
} TokenData;

typedef struct TokenArray {
    TokenData *data;
    size_t size;
    int64_t selected;
    bool sorted;
} TokenArray;

typedef void LogFn(int level, const char *text, void *user);

/* Name, result, parameters. */
#define LLAMA_FUNCTIONS(X)                                       \
    X(log_set, void, (LogFn *, void *))                          \
    X(model_default_params, ModelParams, (void))                 \
    X(model_load_from_file, void *, (const char *, ModelParams)) \
    X(model_get_vocab, const void *, (const void *))             \
    X(vocab_n_tokens, int32_t, (const void *))                   \
    X(vocab_is_eog, bool, (const void *, int32_t))               \
    X(sampler_init_grammar, void *,                              \
      (const void *, const char *, const char *))                \
    X(sampler_clone, void *, (const void *))                     \
    X(sampler_apply, void, (void *, TokenArray *))               \
    X(sampler_accept, void, (void *, int32_t))                   \
    X(sampler_free, void, (void *))

typedef struct Llama {
#define X(name, result, parameters) result(*name) parameters;
    LLAMA_FUNCTIONS(X)
#undef X
} Llama;

typedef struct Peer {
    Llama llama;
    const void *vocab;
    TokenArray all; /* every token */
    Timer timer;
} Peer;

static void say_nothing(int level, const char *text, void *user)
{
    (void)level, (void)text, (void)user;
}

/* ISO C has no cast from an object's to a function's address. */
static bool find(void *library, const char *name, void *function)
{
    void *at = dlsym(library, name);
    if (at) memcpy(function, &at, sizeof at);
    return at != NULL;
}

static bool load_library(Llama *llama, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    bool ok = library != NULL;
#define X(name, result, parameters) \
    ok = ok && find(library, "llama_" #name, &llama->name);
    LLAMA_FUNCTIONS(X)
#undef X
    if (!ok) fprintf(stderr, "weir-peer-llama: %s\n", dlerror());
    return ok;
}

static bool load(Peer *p, const char *library, const char *vocabulary)
{
    if (!load_library(&p->llama, library)) return false;
    const Llama *l = &p->llama;
    l->log_set(say_nothing, NULL);
    ModelParams params = l->model_default_params();
    ((uint8_t *)&params)[VOCAB_ONLY] = 1;
    void *model = l->model_load_from_file(vocabulary, params);
    if (!model) return false;
    p->vocab = l->model_get_vocab(model);
    p->all.size = (size_t)l->vocab_n_tokens(p->vocab);
    p->all.data = calloc(p->all.size, sizeof *p->all.data);
    return p->all.data != NULL;
}

/* ---- a job ---- */

static void all_again(Peer *p)
{
    for (size_t i = 0; i < p->all.size; i++)
        p->all.data[i] = (TokenData){.id = (int32_t)i};
    p->all.selected = -1;
    p->all.sorted = false;
}

static bool allows(const Peer *p, uint32_t id)
{
    return id < p->all.size && p->all.data[id].logit > -1e30F;
}

static double us_between(const Peer *p, uint64_t begin, uint64_t end)
{
    return timer_ns(&p->timer, begin, end) * 1e-3;
}

/* Tokens are taken only if the mask has them: else the library throws. */
static void run_test(void *user, void *grammar, const uint32_t *ids,
                     uint32_t count, TalkTest *test)
{
    Peer *p = user;
    const Llama *l = &p->llama;
    void *sampler = l->sampler_clone(grammar);
    for (test->taken = 0; test->taken < count; test->taken++) {
        uint32_t id = ids[test->taken];
        all_again(p);
        uint64_t begin = timer_now();
        l->sampler_apply(sampler, &p->all);
        double us = us_between(p, begin, timer_now());
        if (!allows(p, id)) break;
        begin = timer_now();
        l->sampler_accept(sampler, (int32_t)id);
        test->us[test->taken] = us + us_between(p, begin, timer_now());
    }
    if (test->taken == count) {
        all_again(p);
        l->sampler_apply(sampler, &p->all);
        for (uint32_t i = 0; i < p->all.size && !test->may_stop; i++)
            test->may_stop =
                allows(p, i) && l->vocab_is_eog(p->vocab, (int32_t)i);
    }
    l->sampler_free(sampler);
}

static void *compile(void *user, const TalkJob *job, double *ttfm_us,
                     const char **error)
{
    Peer *p = user;
    const Llama *l = &p->llama;
    *error = "the grammar cannot be parsed";
    if (strcmp(job->kind, "gbnf") != 0) {
        *error = "only gbnf";
        return NULL;
    }
    all_again(p);
    uint64_t begin = timer_now();
    void *g = l->sampler_init_grammar(p->vocab, job->source, job->root);
    void *first = g ? l->sampler_clone(g) : NULL;
    if (first) l->sampler_apply(first, &p->all);
    *ttfm_us = us_between(p, begin, timer_now());
    if (first) l->sampler_free(first);
    return g;
}

static void release(void *user, void *grammar)
{
    Peer *p = user;
    p->llama.sampler_free(grammar);
}

/* ---- the whole ---- */

static double overhead_ns(const Peer *p)
{
    enum { CALLS = 2001 };
    double samples[CALLS];
    for (int i = 0; i < CALLS; i++) {
        uint64_t begin = timer_now();
        p->llama.vocab_n_tokens(p->vocab);
        samples[i] = timer_ns(&p->timer, begin, timer_now());
    }
    return stats_of(samples, CALLS).at[STATS_P50];
}

int main(int argc, char **argv)
{
    static Peer peer;
    if (argc != 3) {
        fputs("usage: weir-peer-llama LIBRARY VOCABULARY.gguf\n", stderr);
        return 2;
    }
    peer.timer = timer_calibrate();
    if (!load(&peer, argv[1], argv[2])) return 1;
    printf("{\"name\":\"llama.cpp\",\"version\":\"v0.4.0\","
           "\"overhead_ns\":%.1f,\"overhead_of\":\"llama_vocab_n_tokens\"}\n",
           overhead_ns(&peer));
    const TalkEngine engine = {&peer, compile, run_test, release};
    return talk(&engine) ? 0 : 1;
}
