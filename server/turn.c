/* turn.c: one request that generates, from its first byte to its last.
 *
 *   connection's thread            scheduler's thread
 *   wanted_read ─► jobs ─────────► notify: answer_step ─► out ──┐
 *   pull, or wait for all ◄─────── a byte in a pipe ◄───────────┘
 *
 * Steps become text on the scheduler's thread, under the turn's lock; the
 * connection's takes it away. A client that leaves shows at its socket: then
 * the jobs are cancelled, and what they held is free within a step.
 * A turn ends when its last job has; nothing of it is touched after that by
 * the scheduler.
 * Tests: tests/server/serve_chat_test.py, serve_fault_test.py.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "server/answer.h"
#include "server/wanted.h"

typedef struct Turn Turn;

typedef struct TurnJob {
    Turn *turn;
    Job *job;
    uint32_t first; /* its first choice */
} TurnJob;

struct Turn {
    Service *service;
    HttpCall *call;
    Wanted wanted;
    Answer *answer;
    TurnJob *jobs;
    uint32_t job_count;
    uint64_t prompt_tokens;
    int wake[2];   /* a pipe: something is there to take */
    Lock lock;     /* of all below, and of the answer */
    uint32_t open; /* jobs that have not ended */
    bool is_awake; /* a byte is in the pipe */
    JsonPut out;
    uint32_t taken; /* of out: sent already */
    VEC(weir_candidate) candidates;
    VEC(uint32_t) allowed; /* of the tokens of a step */
};

/* ---- on the scheduler's thread ---- */

static void wake(Turn *t)
{
    if (t->is_awake) return;
    t->is_awake = write(t->wake[1], "", 1) == 1;
}

static void begin(Turn *t, const JobEvent *event)
{
    AnswerStart start = {t->prompt_tokens, event->counts.cached};
    answer_begin(t->answer, &start, &t->out); /* the first one counts */
}

static void list_candidates(Turn *t, const JobEvent *event, AnswerStep *step)
{
    const weir_sampler *from = event->sampler;
    const weir_decoded *d = event->step;
    bool is_one = from && d->token_count == d->forced + 1; /* draw */
    if (!answer_wants_candidates(t->answer) || !is_one) return;
    size_t n = weir_sampler_candidates(from, NULL, 0);
    if (!vec_reserve(t->service->mem, &t->candidates, n)) return;
    weir_sampler_candidates(from, t->candidates.at, n);
    step->candidates = t->candidates.at;
    step->candidate_count = n;
}

/* How many the constraint allowed for each token: what was not drawn had no
 * choice. Of drafts that came true only the first is known, so none is told. */
static void list_allowed(Turn *t, const JobEvent *event, AnswerStep *step)
{
    const weir_decoded *d = event->step;
    bool is_counted = answer_wants_allowed(t->answer) &&
                      event->allowed != UINT32_MAX &&
                      d->token_count == d->forced + 1;
    if (!is_counted ||
        !vec_reserve(t->service->mem, &t->allowed, d->token_count))
        return;
    t->allowed.at[0] = event->allowed;
    for (size_t i = 1; i < d->token_count; i++) t->allowed.at[i] = 1;
    step->allowed = t->allowed.at;
}

static void step(Turn *t, const TurnJob *job, const JobEvent *event)
{
    AnswerStep s = {.decoded = event->step};
    list_candidates(t, event, &s);
    list_allowed(t, event, &s);
    answer_step(t->answer, job->first + event->choice, &s, &t->out);
}

/* What went wrong in the engine is told in its words. */
static void fail(Turn *t, const weir_error *error)
{
    weir_refusal f;
    http_fail(t->call, &f, 500, "generation_failed", "%s", error->message);
    f.status = error->status;
    answer_fail(t->answer, &f, &t->out);
}

static void end(Turn *t, const TurnJob *job, const JobEvent *event)
{
    const JobCounts *c = &event->counts;
    uint32_t most = t->wanted.how.decode.max_tokens;
    AnswerEnd e = {.finish = event->finish,
                   .truncated = event->finish == WEIR_FINISH_LENGTH &&
                                (!most || c->output < most),
                   .queue_ns = c->wait_ns,
                   .prompt_ns = c->prompt_ns,
                   .decode_ns = c->decode_ns,
                   .mask_ns = c->mask_ns,
                   .drafted = c->drafted,
                   .accepted = c->accepted};
    if (event->finish == WEIR_FINISH_ERROR && event->error)
        fail(t, event->error);
    else
        answer_end(t->answer, job->first + event->choice, &e, &t->out);
    if (event->is_last) t->open--;
}

static void notify(void *user, const JobEvent *event)
{
    TurnJob *job = user;
    Turn *t = job->turn;
    lock_take(&t->lock);
    switch (event->kind) {
    case JOB_STARTED:
        begin(t, event);
        break;
    case JOB_STEP:
        step(t, job, event);
        break;
    case JOB_END:
        end(t, job, event);
        break;
    }
    bool is_stream = answer_is_stream(t->answer);
    if (!t->open || (is_stream && t->out.text.count > t->taken)) wake(t);
    lock_give(&t->lock);
}

/* ---- beginning ---- */

static bool make_answer(Turn *t, weir_refusal *refusal)
{
    const Service *s = t->service;
    const Wanted *w = &t->wanted;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    AnswerOpts opts = {.endpoint = w->endpoint,
                       .profile = s->opts.profile,
                       .request = http_body(t->call),
                       .constraint = &w->info,
                       .settings = &w->how,
                       .vocab = s->vocab,
                       .family = w->family,
                       .reasoning = w->reasoning,
                       .continues = w->conversation.continues,
                       .model = s->opts.name,
                       .id = service_id(t->service),
                       .created = now.tv_sec,
                       .created_nanos = (uint32_t)now.tv_nsec,
                       .prompt_count = w->conversation.prompts.count,
                       .prompts = w->texts,
                       .seed = w->how.sampler.seed,
                       .context_size = service_context(s)};
    t->answer = answer_new(&opts, refusal);
    return t->answer;
}

static void refuse_job(const Turn *t, const JobRefusal *r, weir_refusal *f)
{
    static const struct {
        int http;
        const char *code;
    } kinds[] = {[JOB_INVALID] = {400, "invalid_value"},
                 [JOB_CONTEXT] = {400, TOO_LONG},
                 [JOB_FULL] = {503, "too_many_requests"},
                 [JOB_STOPPED] = {503, "shutting_down"}};
    bool is_memory = r->error.status == WEIR_NO_MEMORY;
    http_fail(t->call, f, is_memory ? 503 : kinds[r->kind].http,
              is_memory ? "out_of_memory" : kinds[r->kind].code, "%s",
              r->error.message);
}

/* llama-server's form, where OpenAI's would be: clients look for its
 * numbers. */
static void answer_too_long(const Turn *t, uint32_t prompt,
                            const weir_refusal *f)
{
    JsonPut out = {.mem = t->service->mem};
    weir_endpoint e = t->wanted.endpoint;
    if (e == WEIR_ENDPOINT_OLLAMA_CHAT || e == WEIR_ENDPOINT_OLLAMA_GENERATE ||
        e == WEIR_ENDPOINT_MESSAGES || e == WEIR_ENDPOINT_GENERATE) {
        http_refuse(t->call, f);
        return;
    }
    put_object(&out, NULL);
    put_object(&out, "error");
    put_uint(&out, "code", 400);
    put_text(&out, "message", f->message);
    put_text(&out, "type", "exceed_context_size_error");
    put_null(&out, "param");
    put_uint(&out, "n_prompt_tokens", prompt);
    put_uint(&out, "n_ctx", service_context(t->service));
    put_end(&out, '}');
    put_end(&out, '}');
    http_answer(t->call, 400, "application/json", &out);
}

static Job *submit(Turn *t, TurnJob *job, const Prompt *p, JobRefusal *r)
{
    const Wanted *w = &t->wanted;
    weir_matcher_opts matcher = {.size = sizeof matcher,
                                 .termination = w->info.termination};
    JobOpts opts = {.prompt = p->ids.at,
                    .prompt_count = p->ids.count,
                    .choices = w->how.choices,
                    .grammar = w->grammar,
                    .matcher = &matcher,
                    .prefill = w->prefill,
                    .sampler = &w->how.sampler,
                    .decode = &w->how.decode,
                    .alone = w->grammar && !w->info.batched,
                    .count_allowed = answer_wants_allowed(t->answer),
                    .notify = notify,
                    .user = job};
    return scheduler_submit(t->service->scheduler, &opts, r);
}

static void cancel(Turn *t)
{
    for (uint32_t i = 0; i < t->job_count; i++)
        if (t->jobs[i].job) job_cancel(t->jobs[i].job);
}

/* Jobs for all prompts, or none: false after a refusal that has been given. */
static bool start(Turn *t)
{
    const Conversation *c = &t->wanted.conversation;
    JobRefusal r;
    weir_refusal f;
    t->open = c->prompts.count; /* until the last is there none is the last */
    for (uint32_t i = 0; i < c->prompts.count; i++)
        t->prompt_tokens += c->prompts.at[i].ids.count;
    for (uint32_t i = 0; i < c->prompts.count; i++) {
        TurnJob *job = &t->jobs[i];
        *job = (TurnJob){.turn = t, .first = i * t->wanted.how.choices};
        Job *made = submit(t, job, &c->prompts.at[i], &r);
        if (made) {
            job->job = made;
            t->job_count++;
            continue;
        }
        lock_take(&t->lock);
        t->open -= c->prompts.count - i;
        lock_give(&t->lock);
        cancel(t);
        refuse_job(t, &r, &f);
        if (r.kind == JOB_CONTEXT)
            answer_too_long(t, r.prompt, &f);
        else
            http_refuse(t->call, &f);
        return false;
    }
    return true;
}

/* ---- ending ---- */

/* Waits until something is there or all has ended; false: the client has left.
 * call NULL: whether there is a client or not. */
static bool await(Turn *t, HttpCall *call)
{
    char bytes[8];
    struct pollfd fd = {.fd = t->wake[0], .events = POLLIN};
    if (call && !http_wait(call, t->wake[0], -1)) return false;
    if (!call) poll(&fd, 1, -1);
    lock_take(&t->lock);
    if (t->is_awake && read(t->wake[0], bytes, sizeof bytes) > 0)
        t->is_awake = false;
    lock_give(&t->lock);
    return true;
}

static bool is_over(Turn *t)
{
    lock_take(&t->lock);
    bool over = !t->open;
    lock_give(&t->lock);
    return over;
}

static void turn_free(void *user)
{
    Turn *t = user;
    const Mem *mem = t->service->mem;
    bool has_left = !is_over(t);
    if (has_left) {
        cancel(t);
        atomic_fetch_add(&t->service->left, 1);
    }
    while (!is_over(t)) await(t, NULL);
    for (uint32_t i = 0; i < t->job_count; i++) job_free(t->jobs[i].job);
    mem_free(mem, t->jobs,
             t->wanted.conversation.prompts.count * sizeof *t->jobs);
    answer_free(t->answer);
    put_free(&t->out);
    vec_free(mem, &t->candidates);
    vec_free(mem, &t->allowed);
    wanted_close(&t->wanted);
    close(t->wake[0]);
    close(t->wake[1]);
    lock_free(&t->lock);
    mem_free(mem, t, sizeof *t);
}

/* ---- answering ---- */

/* Copies what there is of the text. */
static size_t take(Turn *t, char *out, size_t capacity)
{
    size_t n = MIN(capacity, t->out.text.count - t->taken);
    if (n) memcpy(out, t->out.text.at + t->taken, n);
    t->taken += (uint32_t)n;
    if (t->taken < t->out.text.count) return n;
    t->out.text.count = t->taken = 0;
    return n;
}

static ptrdiff_t pull(void *user, HttpCall *call, char *out, size_t capacity)
{
    Turn *t = user;
    for (;;) {
        lock_take(&t->lock);
        size_t n = take(t, out, capacity);
        bool ends = !t->open, failed = t->out.failed;
        lock_give(&t->lock);
        if (n) return (ptrdiff_t)n;
        if (failed) return -1;
        if (ends) return 0;
        if (!await(t, call)) return -1;
    }
}

static void answer_whole(Turn *t)
{
    while (!is_over(t))
        if (!await(t, t->call)) return;
    http_answer(t->call, answer_status(t->answer),
                answer_content_type(t->answer), &t->out);
}

static void put_warning(const Turn *t)
{
    weir_bytes warning = t->wanted.info.warning;
    char text[1024];
    if (!warning.size) return;
    snprintf(text, sizeof text, "%.*s", (int)MIN(warning.size, sizeof text - 1),
             warning.data);
    http_put_header(t->call, "Warning", text);
}

static void log_lane(const Turn *t)
{
    const weir_constraint_info *info = &t->wanted.info;
    bool is_constrained = info->kind || info->tool_mode > WEIR_TOOLS_FREE;
    if (!t->service->opts.switches.lane_debug) return;
    fprintf(stderr, "weir: lane %s, constraint %s, jump-forward %s\n",
            info->batched ? "batch" : "serial", is_constrained ? "yes" : "no",
            info->jump_forward ? "on" : "off");
}

/* What Ollama's clients send to have the model loaded, which it is. */
static void answer_load(Turn *t)
{
    JsonPut out = {.mem = t->service->mem};
    put_object(&out, NULL);
    put_text(&out, "model", t->service->opts.name);
    put_date(&out, "created_at", time(NULL));
    if (t->wanted.endpoint == WEIR_ENDPOINT_OLLAMA_CHAT) {
        put_object(&out, "message");
        put_text(&out, "role", "assistant");
        put_text(&out, "content", "");
        put_end(&out, '}');
    } else {
        put_text(&out, "response", "");
    }
    put_text(&out, "done_reason", "load");
    put_bool(&out, "done", true);
    put_end(&out, '}');
    http_answer(t->call, 200, "application/json", &out);
}

static Turn *turn_new(Service *s, HttpCall *call)
{
    Turn *t = mem_zero(s->mem, sizeof *t);
    if (!t) return NULL;
    if (pipe(t->wake)) {
        mem_free(s->mem, t, sizeof *t);
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(t->wake[i], F_SETFL, O_NONBLOCK);
        fcntl(t->wake[i], F_SETFD, FD_CLOEXEC);
    }
    t->service = s;
    t->call = call;
    t->out.mem = s->mem;
    lock_init(&t->lock);
    return t;
}

/* Everything before the first token; false: refused, and told. */
static bool prepare(Turn *t)
{
    weir_refusal f;
    Wanted *w = &t->wanted;
    bool ok = wanted_read(w, t->service, http_route(t->call)->endpoint,
                          http_body(t->call), &f);
    if (ok && w->conversation.is_load) {
        answer_load(t);
        return false;
    }
    ok = ok && make_answer(t, &f);
    uint32_t n = w->conversation.prompts.count;
    if (ok) {
        t->jobs = mem_zero(t->service->mem, n * sizeof *t->jobs);
        ok = t->jobs;
        if (!ok) http_fail(t->call, &f, 503, "out_of_memory", "out of memory");
    }
    if (!ok && !strcmp(f.code, TOO_LONG)) {
        answer_too_long(t, w->conversation.least, &f);
        return false;
    }
    if (!ok) {
        http_refuse(t->call, &f);
        return false;
    }
    log_lane(t);
    put_warning(t);
    return start(t);
}

void route_turn(void *user, HttpCall *call)
{
    Service *s = user;
    weir_refusal f;
    Turn *t = turn_new(s, call);
    if (!t) {
        http_fail(call, &f, 503, "out_of_memory", "out of memory");
        http_refuse(call, &f);
        return;
    }
    bool started = prepare(t);
    atomic_fetch_add(started ? &s->answered : &s->refused, 1);
    if (started && answer_is_stream(t->answer)) {
        HttpStream stream = {t, pull, turn_free};
        if (http_stream(call, answer_content_type(t->answer), &stream)) return;
    } else if (started) {
        answer_whole(t);
    }
    turn_free(t);
}
