/* weir_matcher.c: one output: life, accepting, rollback, flags.
 *
 * What a token may do: a stop token ends a complete output; a token that a
 * token edge names follows that edge; a text token is its bytes. The mask
 * (weir_mask.c) says the same in the same order.
 */
#include "api/matcher.h"
#include "base/diag.h"
#include "base/sort.h"
#include "matcher/budget.h"

static bool stops_set(weir_matcher *m, const weir_matcher_opts *opts)
{
    weir_vocab *v = m->grammar->vocab;
    if (!opts->stop_count) {
        m->stops = v ? v->vocab.stops : NULL;
        m->nstops = v ? v->vocab.nstops : 0;
        return true;
    }
    m->owns_stops = true;
    m->nstops = opts->stop_count;
    m->stops = mem_new(&m->mem, size_mul(m->nstops, sizeof *m->stops));
    if (!m->stops) return false;
    memcpy(m->stops, opts->stop_ids, m->nstops * sizeof *m->stops);
    sort_numbers(m->stops, m->nstops);
    return true;
}

static const Vocab *texts_of(const weir_matcher *m)
{
    const weir_grammar *g = m->grammar;
    bool is_plain = g->vocab && !g->has_tokens && !g->has_held &&
                    !m->owns_stops &&
                    m->termination != WEIR_TERM_FIRST_COMPLETE;
    return is_plain ? &g->vocab->vocab : NULL;
}

/* A matcher without a track; the hub's reference is taken over. */
static weir_matcher *matcher_alloc(weir_grammar *g, Hub *hub)
{
    weir_matcher *m = mem_zero(&g->mem, sizeof *m);
    if (!m) {
        hub_drop(hub);
        return NULL;
    }
    m->mem = g->mem;
    m->grammar = weir_grammar_retain(g);
    m->hub = hub;
    m->generation = 1;
    return m;
}

weir_matcher *matcher_start(weir_grammar *grammar, Hub *hub,
                            const weir_matcher_opts *opts)
{
    weir_matcher *m = matcher_alloc(grammar, hub);
    if (!m) return NULL;
    m->termination = opts->termination;
    bool ok = stops_set(m, opts);
    m->texts = texts_of(m);
    if (ok && track_init(&m->track, &grammar->mem, &hub->stacks,
                         &grammar->ir.limits, &grammar->start)) {
        m->track.stepper.has_budgets = grammar->has_budgets;
        const Map *whole =
            grammar->vocab ? &grammar->vocab->masks.wholes.index : NULL;
        if (!grammar->has_unique || track_use_unique(&m->track, whole))
            return m;
    }
    weir_matcher_free(m);
    return NULL;
}

weir_matcher_opts matcher_opts(const weir_matcher *m)
{
    return (weir_matcher_opts){
        .size = sizeof(weir_matcher_opts),
        .termination = m->termination,
        .stop_ids = m->stops,
        .stop_count = m->owns_stops ? m->nstops : 0,
    };
}

weir_matcher *weir_matcher_new(weir_grammar *grammar,
                               const weir_matcher_opts *given, weir_error *err)
{
    weir_error local;
    weir_matcher_opts opts = {.size = sizeof opts};
    err = error_begin(err, &local);
    if (given && !opts_known(given, given->size, sizeof opts, err)) return NULL;
    if (given) memcpy(&opts, given, MIN(given->size, sizeof opts));
    weir_matcher *m = matcher_start(grammar, hub_borrow(grammar), &opts);
    if (!m) diag_no_memory(err);
    return m;
}

void weir_matcher_free(weir_matcher *m)
{
    if (!m) return;
    Mem mem = m->mem;
    weir_grammar *grammar = m->grammar;
    track_free(&m->track);
    if (m->has_run) maskrun_free(&m->run);
    if (m->owns_stops) mem_free(&mem, m->stops, m->nstops * sizeof *m->stops);
    if (m->row)
        mem_free(&mem, m->row, grammar->vocab->masks.nwords * sizeof *m->row);
    hub_drop(m->hub);
    mem_free(&mem, m, sizeof *m);
    weir_grammar_free(grammar);
}

weir_matcher *weir_matcher_fork(const weir_matcher *from)
{
    ref_take(&from->hub->refs);
    weir_matcher *m = matcher_alloc(from->grammar, from->hub);
    if (!m) return NULL;
    m->generation = from->generation;
    m->termination = from->termination;
    weir_matcher_opts opts = matcher_opts(from);
    bool ok = stops_set(m, &opts);
    m->texts = texts_of(m);
    if (ok && track_fork(&m->track, &from->track, &m->hub->stacks,
                         &m->grammar->ir.limits))
        return m;
    weir_matcher_free(m);
    return NULL;
}

void weir_matcher_reset(weir_matcher *m)
{
    track_rollback(&m->track, track_steps(&m->track));
    stepper_clear(&m->track.stepper);
    m->error = WEIR_OK;
    m->generation++;
}

/* ---- flags ---- */

/* Moves a status of the stepper to the matcher; false if there was one. */
static bool stepper_good(weir_matcher *m)
{
    weir_status status = stepper_status(&m->track.stepper);
    if (!status) return true;
    stepper_clear(&m->track.stepper);
    m->error = status;
    return false;
}

bool matcher_completed(weir_matcher *m, bool *failed)
{
    if (m->track.is_stopped) return true;
    stepper_clear(&m->track.stepper);
    bool ends = set_is_complete(&m->track.stepper, &m->track.now);
    if (stepper_good(m)) return ends;
    *failed = true;
    return false;
}

bool weir_matcher_is_completed(const weir_matcher *m)
{
    bool failed;
    return matcher_completed((weir_matcher *)m, &failed); /* scratch only */
}

bool weir_matcher_can_continue(const weir_matcher *m)
{
    return !m->track.is_stopped && m->track.now.list.count;
}

bool matcher_terminated(weir_matcher *m, bool *failed)
{
    if (m->track.is_stopped) return true;
    switch (m->termination) {
    case WEIR_TERM_WHEN_FINAL:
        return !m->track.now.list.count;
    case WEIR_TERM_FIRST_COMPLETE:
        return matcher_completed(m, failed);
    case WEIR_TERM_STOP_TOKEN:
        break;
    }
    return false;
}

bool weir_matcher_is_terminated(const weir_matcher *m)
{
    bool failed;
    return matcher_terminated((weir_matcher *)m, &failed);
}

bool weir_matcher_is_free_text(const weir_matcher *matcher)
{
    weir_matcher *m = (weir_matcher *)matcher;
    ByteSet first = {{0}};
    unsigned count = 0;
    if (m->track.is_stopped) return false;
    stepper_clear(&m->track.stepper);
    set_first(&m->track.stepper, &m->track.now, &first);
    if (!stepper_good(m)) return false;
    for (uint8_t byte = 0x20; byte < 0x7F; byte++)
        count += byteset_has(&first, byte);
    return count >= (0x7F - 0x20 + 1) / 2;
}

double weir_matcher_temperature(const weir_matcher *m, double otherwise)
{
    return m->track.is_stopped ? otherwise
                               : budget_temperature(&m->track.now, otherwise);
}

weir_status weir_matcher_error(const weir_matcher *m)
{
    return m->error;
}

size_t weir_matcher_steps(const weir_matcher *m)
{
    return track_steps(&m->track);
}

uint64_t weir_matcher_generation(const weir_matcher *m)
{
    return m->generation;
}

bool matcher_is_stop(const weir_matcher *m, uint32_t id)
{
    for (uint32_t i = 0; i < m->nstops; i++)
        if (m->stops[i] == id) return true;
    return false;
}

/* ---- accepting ---- */

/* track.next = what token `id`, not a stop, leads to; empty: refused. False:
 * error. */
static bool try_token(weir_matcher *m, uint32_t id)
{
    Track *t = &m->track;
    const Vocab *vocab = &m->grammar->vocab->vocab;
    set_clear(&t->next);
    if (vocab_is_text(vocab, id) && !matcher_is_stop(m, id)) {
        Span bytes = vocab_bytes(vocab, id);
        if (track_try(t, bytes) < bytes.size || set_is_held(&t->next))
            set_clear(&t->next);
    }
    if (m->grammar->has_tokens && set_has_tokens(&t->stepper, &t->now)) {
        set_step_token(&t->stepper, &t->now, id, &t->spare);
        set_merge(&t->stepper, &t->next, &t->spare);
    }
    return stepper_good(m);
}

weir_accept matcher_try(weir_matcher *m, uint32_t id, bool *is_stop)
{
    bool failed = false;
    *is_stop = false;
    stepper_clear(&m->track.stepper);
    if (matcher_terminated(m, &failed)) return WEIR_TERMINATED;
    if (failed) return WEIR_ACCEPT_ERROR;
    if (!m->grammar->vocab || id >= m->grammar->vocab->vocab.width)
        return WEIR_REFUSED;
    if (matcher_is_stop(m, id) && matcher_completed(m, &failed)) {
        *is_stop = true;
        return WEIR_ACCEPTED;
    }
    if (failed || !try_token(m, id)) return WEIR_ACCEPT_ERROR;
    return set_is_empty(&m->track.next) ? WEIR_REFUSED : WEIR_ACCEPTED;
}

/* After a step that could not be taken. */
static weir_accept fail_step(weir_matcher *m)
{
    if (stepper_good(m)) m->error = WEIR_NO_MEMORY;
    return WEIR_ACCEPT_ERROR;
}

/* A plain text token with a single reading; CONFIG_FORKS: the long way. */
static ConfigNext accept_alone(weir_matcher *m, uint32_t id)
{
    if (!m->texts || m->track.is_stopped) return CONFIG_FORKS;
    const Vocab *vocab = m->texts;
    if (!vocab_is_text(vocab, id)) return CONFIG_FORKS;
    return track_take_alone(&m->track, id, vocab_bytes(vocab, id));
}

static weir_accept accept_once(weir_matcher *m, uint32_t id)
{
    bool is_stop;
    weir_accept answer = matcher_try(m, id, &is_stop);
    if (answer != WEIR_ACCEPTED) return answer;
    bool ok = is_stop ? track_take_stop(&m->track, id)
                      : track_take(&m->track, id,
                                   vocab_bytes(&m->grammar->vocab->vocab, id));
    if (!ok) return fail_step(m);
    m->generation++;
    return WEIR_ACCEPTED;
}

static NOINLINE weir_accept accept_any(weir_matcher *m, uint32_t id)
{
    weir_status before = m->error;
    weir_accept answer = accept_once(m, id);
    for (int moves = 0;
         answer == WEIR_ACCEPT_ERROR && matcher_leave_hub(m, before, moves);
         moves++)
        answer = accept_once(m, id);
    return answer;
}

weir_accept weir_matcher_accept(weir_matcher *m, uint32_t id)
{
    switch (accept_alone(m, id)) {
    case CONFIG_MOVED:
        m->generation++;
        return WEIR_ACCEPTED;
    case CONFIG_DEAD:
        return WEIR_REFUSED;
    case CONFIG_FORKS:
        break;
    }
    return accept_any(m, id);
}

weir_accept weir_matcher_accept_at(weir_matcher *m, uint32_t id,
                                   uint64_t generation)
{
    return generation == m->generation ? weir_matcher_accept(m, id)
                                       : WEIR_STALE_MASK;
}

static weir_accept bytes_once(weir_matcher *m, weir_bytes bytes,
                              size_t *consumed)
{
    bool failed = false;
    *consumed = 0;
    if (matcher_terminated(m, &failed)) return WEIR_TERMINATED;
    if (failed) return WEIR_ACCEPT_ERROR;
    stepper_clear(&m->track.stepper);
    *consumed = track_try(&m->track, span_from(bytes));
    if (!stepper_good(m)) return WEIR_ACCEPT_ERROR;
    if (m->grammar->has_held && *consumed == bytes.size &&
        set_is_held(&m->track.next))
        --*consumed; /* it may not end there */
    if (*consumed < bytes.size) return WEIR_REFUSED;
    if (!track_take(&m->track, TRACK_BYTES, span_from(bytes)))
        return fail_step(m);
    m->generation++;
    return WEIR_ACCEPTED;
}

weir_accept weir_matcher_accept_bytes(weir_matcher *m, weir_bytes bytes,
                                      size_t *consumed)
{
    size_t dummy;
    weir_status before = m->error;
    if (!consumed) consumed = &dummy;
    weir_accept answer = bytes_once(m, bytes, consumed);
    for (int moves = 0;
         answer == WEIR_ACCEPT_ERROR && matcher_leave_hub(m, before, moves);
         moves++)
        answer = bytes_once(m, bytes, consumed);
    return answer;
}

bool weir_matcher_allows(weir_matcher *m, uint32_t id)
{
    bool is_stop;
    weir_status before = m->error;
    weir_accept answer = matcher_try(m, id, &is_stop);
    for (int moves = 0;
         answer == WEIR_ACCEPT_ERROR && matcher_leave_hub(m, before, moves);
         moves++)
        answer = matcher_try(m, id, &is_stop);
    if (answer == WEIR_TERMINATED) return matcher_is_stop(m, id);
    return answer == WEIR_ACCEPTED;
}

weir_status weir_matcher_rollback(weir_matcher *m, size_t steps)
{
    if (steps > track_steps(&m->track)) return WEIR_ROLLBACK;
    if (!steps) return WEIR_OK;
    track_rollback(&m->track, steps);
    stepper_clear(&m->track.stepper);
    m->error = WEIR_OK;
    m->generation++;
    return WEIR_OK;
}

void matcher_back(weir_matcher *m, size_t steps, uint64_t generation)
{
    weir_status error = m->error;
    weir_matcher_rollback(m, steps);
    m->generation = generation;
    if (m->row_generation > generation) m->row_generation = 0;
    if (m->full_at > generation) m->full_at = 0;
    m->error = error;
}

size_t weir_matcher_validate(weir_matcher *m, const uint32_t *ids, size_t count)
{
    size_t taken = 0;
    uint64_t generation = m->generation;
    m->error = WEIR_OK;
    while (taken < count && weir_matcher_accept(m, ids[taken]) == WEIR_ACCEPTED)
        taken++;
    matcher_back(m, taken, generation);
    return taken;
}
