/* row_serve.c: row serve: answers through the scheduler, with a constraint and
 * without, of the same number of tokens.
 *
 * Free answers ignore stop tokens; constrained ones are arrays of objects that
 * are never long enough: both end at the same length. A run has as many answers
 * as the batch has rows, to different prompts, of which nothing is in the
 * cache. The two kinds take turns, and who begins takes turns, too; a pair of
 * neighbours gives a ratio, and of the pairs the median, the least and the most
 * are told: of the time, and of the processor time of all threads, which other
 * programs disturb less. Mask work is a share of that processor time; what of
 * it was waited for is one of the time that the engine took.
 */
#include "bench/bench.h"
#include "server/scheduler.h"

enum { PROMPT = 64, OUTPUT = 64, ROWS_MOST = 16, PAIRS_LEAST = 5 };
enum { FREE, CONSTRAINED, KINDS };

typedef enum Measure {
    TOKENS_FREE,
    TOKENS_CONSTRAINED,
    FIRST_FREE,
    FIRST_CONSTRAINED,
    SLOWER,
    SLOWER_LEAST,
    SLOWER_MOST,
    MORE_WORK,
    MORE_WORK_LEAST,
    MORE_WORK_MOST,
    MASK_SHARE,
    MASK_WAIT,
    MEASURES
} Measure;

static const struct {
    const char *unit;
    double most; /* target; < 0: none */
    const char *name[3];
} measures[MEASURES] = {
#define OF_EACH(name)                             \
    {                                             \
        name "_of_1", name "_of_4", name "_of_16" \
    }
    {"per_s", -1, OF_EACH("free_tokens")},
    {"per_s", -1, OF_EACH("constrained_tokens")},
    {"ms", -1, OF_EACH("first_free_token")},
    {"ms", -1, OF_EACH("first_constrained_token")},
    {"percent", 2, OF_EACH("slower")},
    {"percent", -1, OF_EACH("slower_least")},
    {"percent", -1, OF_EACH("slower_most")},
    {"percent", 2, OF_EACH("more_work")},
    {"percent", -1, OF_EACH("more_work_least")},
    {"percent", -1, OF_EACH("more_work_most")},
    {"percent", 2, OF_EACH("mask_work")},
    {"percent", -1, OF_EACH("mask_wait")},
#undef OF_EACH
};
static const uint32_t sizes[] = {1, 4, ROWS_MOST};

static bool fail(const char *what)
{
    fprintf(stderr, "weir-bench: serve: %s\n", what);
    return false;
}

typedef struct Serve {
    const Bench *bench;
    Engine *engine;
    weir_grammar *grammar;
    uint32_t prompts[ROWS_MOST][PROMPT];
} Serve;

/* What a run of some answers gave. */
typedef struct Run {
    double tps, first_ms, work_ns, mask_share, wait_share;
} Run;

typedef struct Listener {
    Job *job;
    uint64_t begin, first_ns;
    uint32_t tokens;
} Listener;

/* On the scheduler's thread; read when that has ended all. */
static void hear(void *user, const JobEvent *event)
{
    Listener *l = user;
    if (event->kind == JOB_STEP && !l->first_ns)
        l->first_ns = timer_clock_ns() - l->begin;
    if (event->kind == JOB_END && event->finish == WEIR_FINISH_LENGTH)
        l->tokens = event->counts.output;
}

static bool submit(const Serve *b, Scheduler *s, int kind, uint32_t i,
                   Listener *l)
{
    weir_sampler_opts so;
    weir_decode_opts po = {.size = sizeof po,
                           .max_tokens = OUTPUT,
                           .ignore_stop_tokens = kind == FREE};
    weir_sampler_defaults(&so);
    so.seed = i;
    *l = (Listener){.begin = timer_clock_ns()};
    JobOpts o = {.prompt = b->prompts[i],
                 .prompt_count = PROMPT,
                 .grammar = kind == FREE ? NULL : b->grammar,
                 .sampler = &so,
                 .decode = &po,
                 .notify = hear,
                 .user = l};
    JobRefusal refusal;
    l->job = scheduler_submit(s, &o, &refusal);
    return l->job || bench_fail("job", &refusal.error);
}

static double work_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static Run run_of(const Listener *listeners, uint32_t rows, uint64_t ns,
                  double work_ns, const SchedulerStats *stats)
{
    double first[ROWS_MOST];
    for (uint32_t i = 0; i < rows; i++)
        first[i] = (double)listeners[i].first_ns * 1e-6;
    double decode = (double)stats->decode_ns;
    return (Run){.tps = rows * OUTPUT / ((double)ns * 1e-9),
                 .first_ms = stats_of(first, rows).at[STATS_P50],
                 .work_ns = work_ns,
                 .mask_share = 100 * (double)stats->mask_ns / work_ns,
                 .wait_share = 100 * (double)stats->mask_wait_ns / decode};
}

static bool run(const Serve *b, int kind, uint32_t rows, Run *out)
{
    Listener listeners[ROWS_MOST];
    SchedulerOpts opts = {.engine = b->engine, .rows = rows, .no_reuse = true};
    SchedulerStats stats;
    weir_error err;
    Scheduler *s = scheduler_new(&opts, &err);
    if (!s) return bench_fail("scheduler", &err);
    uint64_t begin = timer_clock_ns();
    double work_ns = work_clock();
    bool ok = true;
    uint32_t n = 0;
    for (; ok && n < rows; n++) ok = submit(b, s, kind, n, &listeners[n]);
    scheduler_drain(s, UINT32_MAX);
    uint64_t ns = timer_clock_ns() - begin;
    work_ns = work_clock() - work_ns;
    scheduler_stats(s, &stats);
    scheduler_free(s);
    for (uint32_t i = 0; i < n; i++) {
        ok = ok && listeners[i].tokens == OUTPUT;
        job_free(listeners[i].job);
    }
    if (ok) *out = run_of(listeners, rows, ns, work_ns, &stats);
    return ok || fail("an answer ended early");
}

/* ---- pairs ---- */

enum { PAIRS_MOST = 1000 };

static void note_pair(double found[MEASURES][PAIRS_MOST], uint32_t i,
                      const Run *free, const Run *constrained)
{
    found[TOKENS_FREE][i] = free->tps;
    found[TOKENS_CONSTRAINED][i] = constrained->tps;
    found[FIRST_FREE][i] = free->first_ms;
    found[FIRST_CONSTRAINED][i] = constrained->first_ms;
    found[SLOWER][i] = 100 * (1 - constrained->tps / free->tps);
    found[MORE_WORK][i] = 100 * (constrained->work_ns / free->work_ns - 1);
    found[MASK_SHARE][i] = constrained->mask_share;
    found[MASK_WAIT][i] = constrained->wait_share;
}

/* The median, and of what is followed by them the least and the most. */
static void report_measures(double found[MEASURES][PAIRS_MOST], uint32_t pairs,
                            uint32_t size, Report *r)
{
    for (int m = 0; m < MEASURES; m++) {
        double median = stats_of(found[m], pairs).at[STATS_P50]; /* sorts */
        report_figure_most(r, measures[m].name[size], measures[m].unit, median,
                           measures[m].most);
        if (m != SLOWER && m != MORE_WORK) continue;
        report_figure(r, measures[m + 1].name[size], "percent", found[m][0]);
        report_figure(r, measures[m + 2].name[size], "percent",
                      found[m][pairs - 1]);
        m += 2;
    }
}

static bool measure_size(const Serve *b, uint32_t size, Report *r)
{
    static double found[MEASURES][PAIRS_MOST];
    uint32_t runs_wanted = b->bench->runs;
    uint32_t pairs = runs_wanted == 1 ? 1 : MAX(runs_wanted, PAIRS_LEAST);
    Run runs[KINDS] = {{0}};
    for (int kind = FREE; kind < KINDS; kind++) /* warm */
        if (!run(b, kind, sizes[size], &runs[kind])) return false;
    for (uint32_t i = 0; i < pairs; i++) {
        for (uint32_t k = 0; k < KINDS; k++) {
            int kind = (int)((i + k) % KINDS);
            if (!run(b, kind, sizes[size], &runs[kind])) return false;
        }
        note_pair(found, i, &runs[FREE], &runs[CONSTRAINED]);
    }
    report_measures(found, pairs, size, r);
    return true;
}

/* ---- set-up ---- */

static bool engine_open(Serve *b)
{
    EngineOpts opts = {.kind = b->bench->engine,
                       .model = b->bench->model,
                       .context = ROWS_MOST * (PROMPT + OUTPUT) + 64,
                       .threads = b->bench->threads,
                       .sequences = ROWS_MOST};
    weir_error err;
    if (!opts.model) return fail("expected --model FILE");
    b->engine = engine_load(&opts, &err);
    return b->engine || bench_fail("model", &err);
}

static bool grammar_make(Serve *b)
{
    static const char schema[] =
        "{\"type\":\"array\",\"minItems\":1000,\"items\":{\"type\":\"object\","
        "\"properties\":{\"name\":{\"type\":\"string\"},"
        "\"age\":{\"type\":\"integer\",\"minimum\":0},"
        "\"city\":{\"enum\":[\"Oslo\",\"Bergen\",\"Paris\",\"Lima\"]},"
        "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
        "\"required\":[\"name\",\"age\",\"city\",\"tags\"],"
        "\"additionalProperties\":false}}";
    weir_bytes source = {schema, sizeof schema - 1};
    weir_error err;
    b->grammar = weir_grammar_compile(engine_vocab(b->engine), WEIR_JSON_SCHEMA,
                                      source, NULL, &err);
    return b->grammar || bench_fail("grammar", &err);
}

/* Prompts that have nothing in common. */
static bool prompts_make(Serve *b)
{
    static const char text[] =
        " lists people with their names, ages, home towns and tags as JSON, "
        "for a test of how fast a server answers many such requests at once. "
        "Each list is long, and each person in it is another one; names are "
        "not repeated. The list of people, in the order of their names, "
        "begins here, and goes on until there is nobody left:\n";
    for (uint32_t i = 0; i < ROWS_MOST; i++) {
        char line[512];
        uint32_t ids[512];
        int size = snprintf(line, sizeof line, "Number %u of us%s", i, text);
        size_t n = weir_vocab_encode(engine_vocab(b->engine),
                                     (weir_bytes){line, (size_t)size}, false,
                                     ids, COUNT_OF(ids));
        if (n == SIZE_MAX || n < PROMPT) return fail("the prompt is too short");
        memcpy(b->prompts[i], ids, sizeof b->prompts[i]);
    }
    return true;
}

bool row_serve(const Bench *bench, Report *report)
{
    static Serve b;
    b = (Serve){.bench = bench};
    bool ok = engine_open(&b) && grammar_make(&b) && prompts_make(&b);
    for (uint32_t i = 0; ok && i < COUNT_OF(sizes); i++)
        ok = measure_size(&b, i, report);
    weir_grammar_free(b.grammar);
    engine_free(b.engine);
    return ok;
}
