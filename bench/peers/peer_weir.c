/* peer_weir.c: weir-peer TOKENIZER [llama.cpp]: weir itself as a peer; the
 * conversation is that of peer_kit.py. Called from C, so that a step's time is
 * the engine's: what a call costs otherwise is printed with every peer.
 *
 * As in `weir-bench maskbench` no grammar is cached, and what the vocabulary's
 * grammars share is warm: built-in JSON has read jobs of kind "warm" before.
 * With "llama.cpp" the vocabulary and GBNF are read in that dialect.
 */
#include <stdio.h>

#include "bench/bench_stats.h"
#include "bench/bench_timer.h"
#include "bench/peers/peer_talk.h"
#include "weir/weir.h"

typedef struct Peer {
    weir_dialect dialect;
    weir_vocab *vocab;
    uint32_t width;
    int32_t *row;
    Timer timer;
    weir_error err;
} Peer;

static double us_between(const Peer *p, uint64_t begin, uint64_t end)
{
    return timer_ns(&p->timer, begin, end) * 1e-3;
}

static bool allows(const Peer *p, uint32_t id)
{
    return id < p->width && (uint32_t)p->row[id / 32] >> id % 32 & 1;
}

static bool may_stop(const Peer *p, weir_matcher *m)
{
    uint32_t count;
    const uint32_t *stops = weir_vocab_stops(p->vocab, &count);
    weir_matcher_fill(m, p->row);
    for (uint32_t i = 0; i < count; i++)
        if (allows(p, stops[i])) return !weir_matcher_error(m);
    return false;
}

static void run(void *user, void *grammar, const uint32_t *ids, uint32_t count,
                TalkTest *test)
{
    Peer *p = user;
    weir_matcher *m = weir_matcher_new(grammar, NULL, NULL);
    bool ok = m != NULL;
    while (ok && test->taken < count) {
        uint32_t id = ids[test->taken];
        uint64_t begin = timer_now();
        weir_matcher_fill(m, p->row);
        weir_accept answer = weir_matcher_accept(m, id);
        test->us[test->taken] = us_between(p, begin, timer_now());
        ok = answer == WEIR_ACCEPTED && allows(p, id);
        test->taken += ok;
    }
    test->may_stop = ok && may_stop(p, m);
    weir_matcher_free(m);
}

static weir_source_kind kind_of(const char *kind)
{
    if (!strcmp(kind, "gbnf")) return WEIR_GBNF;
    return strcmp(kind, "warm") ? WEIR_JSON_SCHEMA : WEIR_JSON_VALUE;
}

static void *compile(void *user, const TalkJob *job, double *ttfm_us,
                     const char **error)
{
    Peer *p = user;
    weir_compile_opts opts = {.size = sizeof opts, .dialect = p->dialect};
    if (*job->root) opts.root = job->root;
    weir_bytes source = {job->source, job->source_size};
    uint64_t begin = timer_now();
    weir_grammar *g = weir_grammar_compile(p->vocab, kind_of(job->kind), source,
                                           &opts, &p->err);
    weir_matcher *m = g ? weir_matcher_new(g, NULL, &p->err) : NULL;
    if (m) weir_matcher_fill(m, p->row);
    *ttfm_us = us_between(p, begin, timer_now());
    weir_matcher_free(m);
    if (m) return g;
    *error = p->err.message;
    weir_grammar_free(g);
    return NULL;
}

static void release(void *user, void *grammar)
{
    (void)user;
    weir_grammar_free(grammar);
}

/* A call through the library that does next to nothing. */
static double overhead_ns(const Peer *p)
{
    enum { CALLS = 2001 };
    double samples[CALLS];
    for (int i = 0; i < CALLS; i++) {
        uint64_t begin = timer_now();
        weir_vocab_width(p->vocab);
        samples[i] = timer_ns(&p->timer, begin, timer_now());
    }
    return stats_of(samples, CALLS).at[STATS_P50];
}

static void introduce(const Peer *p)
{
    uint32_t count;
    const uint32_t *stops = weir_vocab_stops(p->vocab, &count);
    printf("{\"name\":\"weir\",\"version\":\"%s\",\"overhead_ns\":%.1f,"
           "\"overhead_of\":\"weir_vocab_width\",\"width\":%u,\"stops\":[",
           weir_version(), overhead_ns(p), p->width);
    for (uint32_t i = 0; i < count; i++) printf("%s%u", i ? "," : "", stops[i]);
    puts("]}");
}

int main(int argc, char **argv)
{
    Peer p = {.timer = timer_calibrate()};
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "llama.cpp"))) {
        fputs("usage: weir-peer TOKENIZER [llama.cpp]\n", stderr);
        return 2;
    }
    if (argc == 3) p.dialect = WEIR_DIALECT_LLAMA_CPP;
    weir_vocab_opts opts = {.size = sizeof opts, .dialect = p.dialect};
    p.vocab = weir_vocab_load_file(NULL, argv[1], &opts, &p.err);
    if (!p.vocab) {
        fprintf(stderr, "weir-peer: %s\n", p.err.message);
        return 1;
    }
    p.width = weir_vocab_width(p.vocab);
    p.row = calloc(WEIR_MASK_WORDS((size_t)p.width), sizeof *p.row);
    introduce(&p);
    const TalkEngine engine = {&p, compile, run, release};
    bool ok = p.row && talk(&engine);
    free(p.row);
    weir_vocab_free(p.vocab);
    return ok ? 0 : 1;
}
