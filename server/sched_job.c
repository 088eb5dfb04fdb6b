/* sched_job.c: jobs: options in, matchers, samplers and decoders out.
 *
 * All that may be refused is looked at here, on the thread that submits. What
 * the rows need to draw with is freed when each ends, the job by its owner.
 * Tests: tests/server/scheduler_test.c.
 */
#include "server/sched.h"

/* ---- checks ---- */

static bool refuse(JobRefusal *r, JobRefusalKind kind)
{
    r->kind = kind;
    return false;
}

static bool check_tokens(const Scheduler *s, const JobOpts *o, JobRefusal *r)
{
    for (size_t i = 0; i < o->prompt_count; i++)
        if (o->prompt[i] >= s->info->width)
            return diag_fail(&r->error, WEIR_ARGUMENT, 0, 0,
                             "found token %u in the prompt, expected less than "
                             "%u",
                             o->prompt[i], s->info->width);
    return true;
}

static bool check(const Scheduler *s, const JobOpts *o, JobRefusal *r)
{
    refuse(r, JOB_INVALID);
    if (!o->prompt_count)
        return diag_fail(&r->error, WEIR_ARGUMENT, 0, 0,
                         "found an empty prompt, expected a token or more");
    if (o->lazy && !o->grammar)
        return diag_fail(&r->error, WEIR_ARGUMENT, 0, 0,
                         "a lazy grammar is none");
    if (o->grammar && weir_grammar_vocab(o->grammar) != engine_vocab(s->engine))
        return diag_fail(&r->error, WEIR_MISMATCH, 0, 0,
                         "the grammar is for another vocabulary");
    if (!check_tokens(s, o, r)) return false;
    if (o->prompt_count < s->opts.context) return true;
    r->prompt = (uint32_t)MIN(o->prompt_count, UINT32_MAX);
    r->context = s->opts.context;
    diag_fail(
        &r->error, WEIR_LIMIT_MEMORY, 0, 0,
        "found a prompt of %zu tokens, expected less than %u, which prompt "
        "and output have together",
        o->prompt_count, s->opts.context);
    return refuse(r, JOB_CONTEXT);
}

/* ---- rows ---- */

static bool constraint_new(Row *row, const JobOpts *o, weir_error *err)
{
    if (!o->grammar) return true;
    if (o->lazy) {
        row->lazy = weir_lazy_new(o->grammar, o->lazy, err);
        return row->lazy != NULL;
    }
    row->matcher = weir_matcher_new(o->grammar, o->matcher, err);
    if (!row->matcher) return false;
    if (o->prefill.size && weir_matcher_accept_bytes(row->matcher, o->prefill,
                                                     NULL) != WEIR_ACCEPTED)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "the grammar does not take the prefill");
    row->is_over = weir_matcher_is_terminated(row->matcher);
    return true;
}

/* The i-th answer's seed follows on the first one's. */
static bool sampler_new(const Scheduler *s, Row *row, const JobOpts *o,
                        weir_error *err)
{
    weir_sampler_opts opts;
    weir_sampler_defaults(&opts);
    if (o->sampler)
        memcpy(&opts, o->sampler, MIN(o->sampler->size, sizeof opts));
    opts.size = sizeof opts;
    if (row->choice)
        opts.seed = weir_sampler_seed(row->job->rows[0].sampler) + row->choice;
    if (row->choice && opts.seed == WEIR_SEED_RANDOM) opts.seed = 0;
    row->wants_mask = !opts.redraw;
    row->sampler =
        weir_sampler_new(s->opts.env, engine_vocab(s->engine), &opts, err);
    return row->sampler != NULL;
}

static bool decoder_new(const Scheduler *s, Row *row, const JobOpts *o,
                        weir_error *err)
{
    const Job *job = row->job;
    weir_decode_opts opts = {.size = sizeof opts};
    uint32_t most = s->opts.context - job->prompt_count;
    if (o->decode) memcpy(&opts, o->decode, MIN(o->decode->size, sizeof opts));
    opts.size = sizeof opts;
    opts.lazy = row->lazy;
    if (!opts.max_tokens || opts.max_tokens > most) opts.max_tokens = most;
    row->reserve = job->prompt_count + (job->prompt_only ? 0 : opts.max_tokens);
    row->wants_mask |= opts.logprobs == WEIR_LOGPROBS_AFTER_MASK;
    row->decoder = weir_decoder_new(engine_vocab(s->engine), row->sampler,
                                    row->matcher, &opts, err);
    return row->decoder &&
           (weir_decoder_prompt(row->decoder, job->prompt, job->prompt_count) ||
            diag_no_memory(err));
}

static bool row_init(Scheduler *s, Row *row, const JobOpts *o, weir_error *err)
{
    bool ok = constraint_new(row, o, err) && sampler_new(s, row, o, err) &&
              decoder_new(s, row, o, err);
    row->is_alone =
        o->alone || (s->opts.grammar_alone && row_is_constrained(row));
    row->wants_mask =
        row->wants_mask && row_is_constrained(row) && !o->prompt_only;
    row->counts.prompt = row->job->prompt_count;
    return ok;
}

void row_clear(Row *row)
{
    weir_decoder_free(row->decoder);
    weir_sampler_free(row->sampler);
    weir_matcher_free(row->matcher);
    weir_lazy_free(row->lazy);
    row->decoder = NULL;
    row->sampler = NULL;
    row->matcher = NULL;
    row->lazy = NULL;
    vec_free(&row->job->mem, &row->feed);
    vec_free(&row->job->mem, &row->kept);
}

/* ---- life ---- */

static size_t job_bytes(uint32_t choices)
{
    size_t rows = size_mul(choices, sizeof(Row));
    return rows > SIZE_MAX - sizeof(Job) ? SIZE_MAX : sizeof(Job) + rows;
}

static Job *job_alloc(Scheduler *s, const JobOpts *o)
{
    uint32_t choices = MAX(o->choices, 1);
    size_t size = job_bytes(choices);
    Job *job = size == SIZE_MAX ? NULL : mem_zero(&s->mem, size);
    if (!job) return NULL;
    job->mem = s->mem;
    job->scheduler = s;
    job->notify = o->notify;
    job->user = o->user;
    job->prompt_only = o->prompt_only;
    job->count_allowed = o->count_allowed;
    job->choices = job->left = choices;
    job->grammar = o->grammar ? weir_grammar_retain(o->grammar) : NULL;
    job->submitted_ns = sched_clock();
    size = o->prompt_count * sizeof *job->prompt;
    job->prompt = mem_new(&job->mem, size);
    if (job->prompt) {
        memcpy(job->prompt, o->prompt, size);
        job->prompt_count = (uint32_t)o->prompt_count;
    }
    for (uint32_t i = 0; i < choices; i++)
        job->rows[i].job = job, job->rows[i].choice = i;
    return job;
}

Job *job_new(Scheduler *s, const JobOpts *o, JobRefusal *r)
{
    *r = (JobRefusal){.kind = JOB_TAKEN};
    if (!check(s, o, r)) return NULL;
    Job *job = job_alloc(s, o);
    bool ok = job && job->prompt;
    if (!ok) diag_no_memory(&r->error);
    for (uint32_t i = 0; ok && i < job->choices; i++)
        ok = row_init(s, &job->rows[i], o, &r->error);
    if (!ok) {
        job_free(job);
        return NULL;
    }
    r->kind = JOB_TAKEN;
    return job;
}

void job_free(Job *job)
{
    if (!job) return;
    Mem mem = job->mem;
    for (uint32_t i = 0; i < job->choices; i++) row_clear(&job->rows[i]);
    weir_grammar_free(job->grammar);
    mem_free(&mem, job->prompt, job->prompt_count * sizeof *job->prompt);
    mem_free(&mem, job, job_bytes(job->choices));
}
