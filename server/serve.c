/* serve.c: the server's life: parts made, signals waited for, parts ended.
 *
 * In:    an engine and options.   Out: nothing but answers.
 * Threads: the scheduler's and its workers, one a connection, one that watches
 *        connections; the caller's waits for signals, which all others block.
 * At the end: no more connections; no more jobs; what is in hand may finish for
 *        opts->drain seconds; then it is cut.
 * Tests: tests/server/serve_http_test.py, serve_fault_test.py.
 */
#include "server/serve.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/pool.h"
#include "server/service.h"

/* ---- the gate ---- */

void gate_open(Gate *gate, uint32_t room)
{
    lock_init(&gate->lock);
    pthread_cond_init(&gate->opens, NULL);
    gate->room = room;
}

void gate_enter(Gate *gate)
{
    lock_take(&gate->lock);
    while (!gate->room) pthread_cond_wait(&gate->opens, &gate->lock);
    gate->room--;
    lock_give(&gate->lock);
}

void gate_leave(Gate *gate)
{
    lock_take(&gate->lock);
    gate->room++;
    pthread_cond_signal(&gate->opens);
    lock_give(&gate->lock);
}

void gate_close(Gate *gate)
{
    pthread_cond_destroy(&gate->opens);
    lock_free(&gate->lock);
}

/* ---- what routes ask ---- */

uint64_t service_id(Service *s)
{
    uint64_t x =
        atomic_fetch_add(&s->next_id, 0x9E3779B97F4A7C15u); /* splitmix64 */
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

weir_request_opts service_request_opts(const Service *s, weir_endpoint endpoint)
{
    const ServeOpts *o = &s->opts;
    return (weir_request_opts){.size = sizeof(weir_request_opts),
                               .profile = o->profile,
                               .endpoint = endpoint,
                               .failure = o->failure,
                               .switches = o->switches,
                               .max_bytes = o->max_body,
                               .limits = {.max_work = o->max_work}};
}

uint32_t service_context(const Service *s)
{
    return s->opts.context;
}

/* ---- making the parts ---- */

static uint64_t random_start(void)
{
    uint64_t x = (uint64_t)time(NULL) << 32 ^ (uint64_t)getpid();
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file) return x;
    if (fread(&x, sizeof x, 1, file) != 1) x ^= (uint64_t)clock();
    fclose(file);
    return x;
}

/* Each connection has a socket and a pipe. */
static void raise_files(void)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most)) return;
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
}

static bool make_scheduler(Service *s, weir_error *err)
{
    const ServeOpts *o = &s->opts;
    SchedulerOpts opts = {.engine = o->engine,
                          .rows = o->parallel,
                          .waiting = o->waiting,
                          .context = o->context,
                          .speculate = o->speculate,
                          .grammar_alone = o->switches.batch_grammar_off};
    s->scheduler = scheduler_new(&opts, err);
    return s->scheduler;
}

static bool make_http(Service *s, weir_error *err)
{
    enum { BODIES = 8, CONNECTIONS = 256 };
    const ServeOpts *o = &s->opts;
    HttpOpts opts = {.mem = s->mem,
                     .host = o->host,
                     .port = o->port,
                     .api_key = o->api_key,
                     .profile = o->profile,
                     .max_body = o->max_body,
                     .max_bodies = (size_t)o->max_body * BODIES,
                     .connections = o->waiting + o->parallel + CONNECTIONS,
                     .read_ms = o->timeout * 1000,
                     .write_ms = o->timeout * 1000,
                     .routes = service_routes,
                     .route_count = service_route_count,
                     .user = s};
    s->http = http_open(&opts, err);
    return s->http;
}

static void service_free(Service *s)
{
    http_close(s->http); /* first: handlers ask the scheduler */
    scheduler_free(s->scheduler);
    weir_compiler_free(s->compiler);
    gate_close(&s->compiling);
    mem_free(s->mem, s, sizeof *s);
}

static uint32_t longest_token(const weir_vocab *vocab)
{
    size_t most = 0;
    for (uint32_t i = 0; i < weir_vocab_width(vocab); i++)
        most = MAX(most, weir_vocab_token(vocab, i).bytes.size);
    return (uint32_t)most;
}

static Service *service_new(const ServeOpts *opts, weir_error *err)
{
    enum { COMPILING = 2 }; /* at once, at least */
    Service *s = mem_zero(opts->mem, sizeof *s);
    if (!s) return diag_no_memory(err), NULL;
    s->opts = *opts;
    s->mem = opts->mem;
    s->info = engine_info(opts->engine);
    s->vocab = engine_vocab(opts->engine);
    s->chat = (ChatModel){.style = opts->style,
                          .vocab = s->vocab,
                          .template_text = s->info->chat_template,
                          .begin = s->info->begin,
                          .adds_begin = s->info->adds_begin,
                          .context = opts->context,
                          .longest = longest_token(s->vocab)};
    s->started = time(NULL);
    atomic_store(&s->next_id, random_start());
    gate_open(&s->compiling, MAX(pool_processors(), (uint32_t)COMPILING));
    s->compiler = weir_compiler_new(s->vocab, NULL, err);
    if (s->compiler && make_scheduler(s, err) && make_http(s, err)) return s;
    service_free(s);
    return NULL;
}

/* ---- signals ---- */

static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* A second signal takes its usual way. */
static void let_signals_end(const sigset_t *set)
{
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
}

bool serve_run(const ServeOpts *opts, weir_error *err)
{
    sigset_t set;
    int signal_number;
    *err = (weir_error){.status = WEIR_OK};
    block_signals(&set);
    raise_files();
    Service *s = service_new(opts, err);
    if (!s) return false;
    if (opts->ready) opts->ready(opts->user, http_port(s->http));
    sigwait(&set, &signal_number);
    let_signals_end(&set);
    scheduler_drain(s->scheduler, 0);
    http_drain(s->http, opts->drain * 1000);
    service_free(s);
    return true;
}
