/* capture.c: reading a text again, with memory.
 *
 * The matcher's sets unite readings that meet in a state; what each of them
 * captured before would be lost. So captures are found by reading the text
 * once more with readings that are never united: each is a configuration on a
 * stack of single entries, with the list of what it has captured. Two that are
 * equal but for that list are one: the first found stays, so among several
 * readings of a text the earlier alternatives' captures win, though not by a
 * promise. A marker's register is where its rule began.
 * Cost: the text times the readings, at most max_configs of them.
 * Tests: unit/capture_test.c.
 */
#include "matcher/capture.h"

typedef struct Event Event;
struct Event {
    const Event *before;
    Capture capture;
};

typedef struct Reading {
    Config c;
    const Event *events;
} Reading;

typedef VEC(Reading) Readings;

struct CaptureRun {
    const Mem *mem;
    Arena arena; /* events */
    StackUser stacks;
    uint32_t max_readings;
    uint32_t before, pos; /* of the last byte or token: its begin and its end */
    Readings now, next, todo;
    const Event *ended; /* of a reading that reached the end */
    bool has_ended;
    VEC(Capture) list;
};

static void fail(CaptureRun *run, weir_status status)
{
    if (!run->stacks.status) run->stacks.status = status;
}

static bool reading_same(const Reading *a, const Config *c)
{
    return a->c.q == c->q && a->c.reg == c->reg && a->c.stack == c->stack;
}

/* Adds a reading unless an equal one is there. */
static void readings_add(CaptureRun *run, Readings *list, Reading r)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (reading_same(&list->at[i], &r.c)) return;
    if (list->count >= run->max_readings)
        fail(run, WEIR_LIMIT_WORK);
    else if (!vec_push(run->mem, list, r))
        fail(run, WEIR_NO_MEMORY);
}

static const Event *event_new(CaptureRun *run, const Event *before,
                              Capture capture)
{
    Event *e = arena_new(&run->arena, Event);
    if (!e) return fail(run, WEIR_NO_MEMORY), before;
    *e = (Event){before, capture};
    return e;
}

/* The rule of a marker ends here. */
static const Event *rule_end(CaptureRun *run, const Event *events,
                             const State *marker, uint32_t begin)
{
    const RuleOptions *o = marker->frame->options;
    if (marker->by_chars) return events;
    uint32_t hidden = o->hidden_suffix + o->hidden_stop;
    uint32_t end = run->pos - MIN(hidden, run->pos - begin);
    if (o->has & RULE_HAS_CAPTURE)
        events = event_new(run, events, (Capture){o->capture, begin, end});
    if (o->has & RULE_HAS_STOP_CAPTURE)
        events =
            event_new(run, events, (Capture){o->stop_capture, end, run->pos});
    return events;
}

/* What r returns to; false: the end of the text. */
static bool reading_return(CaptureRun *run, Reading *r)
{
    const StackNode *node = r->c.stack;
    if (!node) return false;
    assert(node->count == 1 && !node->ends);
    r->c = (Config){node->at[0].ret, node->at[0].below, node->at[0].reg, 0};
    if (r->c.q->is_marker)
        r->events = rule_end(run, r->events, r->c.q, r->c.reg);
    return true;
}

static void reading_ends(CaptureRun *run, const Reading *r)
{
    if (!run->has_ended) run->ended = r->events;
    run->has_ended = true;
}

/* Puts r into `next`, returning while it can do nothing else. */
static void reading_put(CaptureRun *run, Reading r)
{
    if (!state_is_alive(r.c.q, r.c.reg)) return;
    while (state_is_done(r.c.q, r.c.reg))
        if (!reading_return(run, &r)) {
            reading_ends(run, &r);
            return;
        }
    readings_add(run, &run->next, r);
}

static Landing land(CaptureRun *run, RegOp op, uint32_t reg, State *to)
{
    Landing l = op_land(op, reg, to);
    if (!l.state) fail(run, network_error(to->frame->network).status);
    return l;
}

static void reading_move(CaptureRun *run, Reading r, const Move *m)
{
    const StackNode *stack = r.c.stack;
    for (uint32_t i = 0; i < m->npush; i++) {
        State *ret = m->push[i].state;
        Landing l = {ret, run->before};
        if (!ret->is_marker) l = land(run, m->push[i].op, r.c.reg, ret);
        if (l.state && (ret->is_marker || !state_is_done(l.state, l.reg)))
            stack = stack_push(&run->stacks, stack, l.state, l.reg);
    }
    Landing l = land(run, m->op, r.c.reg, m->to);
    if (run->stacks.status) return;
    r.c = (Config){l.state, stack, l.reg, 0};
    if (l.state->is_marker)
        r.events = rule_end(run, r.events, l.state, run->before);
    reading_put(run, r);
}

static void reading_step(CaptureRun *run, Reading r, uint8_t byte)
{
    if (!byteset_has(&r.c.q->first, byte)) return;
    uintptr_t cell = state_next(r.c.q, byte);
    if (!cell) {
        fail(run, network_error(r.c.q->frame->network).status);
    } else if (CELL_IS_STATE(cell)) {
        r.c.q = cell_state(cell);
        readings_add(run, &run->next, r);
    } else {
        const Step *step = cell_step(cell);
        for (uint32_t i = 0; i < step->count; i++)
            reading_move(run, r, &step->at[i]);
    }
}

/* All readings of `now`, and what they return to, in run->todo; true if some
 * reach the end: the first one's events in *ended. */
static bool returns_find(CaptureRun *run, const Event **ended)
{
    bool ends = false;
    run->todo.count = 0;
    for (uint32_t i = 0; i < run->now.count; i++)
        readings_add(run, &run->todo, run->now.at[i]);
    for (uint32_t i = 0; i < run->todo.count && !run->stacks.status; i++) {
        Reading r = run->todo.at[i];
        if (!state_accepts(r.c.q, r.c.reg)) continue;
        if (reading_return(run, &r)) {
            readings_add(run, &run->todo, r);
        } else if (!ends) {
            ends = true;
            *ended = r.events;
        }
    }
    return ends;
}

static void next_becomes_now(CaptureRun *run)
{
    Readings swap = run->now;
    run->now = run->next;
    run->next = swap;
}

/* Readings of todo were made at the position before the byte: events carry
 * it. */
static bool step_byte(CaptureRun *run, uint8_t byte)
{
    const Event *ended;
    returns_find(run, &ended);
    run->next.count = 0;
    run->has_ended = false;
    run->before = run->pos++;
    for (uint32_t i = 0; i < run->todo.count && !run->stacks.status; i++)
        reading_step(run, run->todo.at[i], byte);
    next_becomes_now(run);
    return !run->stacks.status && (run->now.count || run->has_ended);
}

CaptureRun *capture_new(const Mem *mem, StackHub *hub,
                        const weir_limits *limits, const ConfigSet *start)
{
    CaptureRun *run = mem_zero(mem, sizeof *run);
    if (!run) return NULL;
    run->mem = mem;
    run->max_readings = limits->max_configs;
    arena_init(&run->arena, mem, 0);
    stackuser_init(&run->stacks, mem, hub, true, 0);
    for (uint32_t i = 0; i < start->list.count; i++)
        readings_add(run, &run->now, (Reading){start->list.at[i], NULL});
    run->has_ended = start->ends;
    if (!run->stacks.status) return run;
    capture_free(run);
    return NULL;
}

void capture_free(CaptureRun *run)
{
    if (!run) return;
    const Mem *mem = run->mem;
    arena_free(&run->arena);
    stackuser_free(&run->stacks);
    vec_free(mem, &run->now);
    vec_free(mem, &run->next);
    vec_free(mem, &run->todo);
    vec_free(mem, &run->list);
    mem_free(mem, run, sizeof *run);
}

bool capture_bytes(CaptureRun *run, Span bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        if (!step_byte(run, bytes.at[i])) return false;
    return true;
}

/* The token edges of one reading. */
static void token_step(CaptureRun *run, Reading r, uint32_t id)
{
    if (!r.c.q->has_tokens) return;
    const TokenMoves *moves = state_tokens(r.c.q);
    if (!moves) {
        fail(run, network_error(r.c.q->frame->network).status);
        return;
    }
    for (uint32_t i = 0; i < moves->count; i++)
        if (token_move_takes(&moves->at[i], id))
            reading_move(run, r, &moves->at[i].move);
}

/* A token edge takes the token whole. */
static bool step_token(CaptureRun *run, uint32_t id, uint32_t size)
{
    const Event *ended;
    returns_find(run, &ended);
    run->next.count = 0;
    run->has_ended = false;
    run->before = run->pos;
    run->pos += size;
    for (uint32_t i = 0; i < run->todo.count && !run->stacks.status; i++)
        token_step(run, run->todo.at[i], id);
    bool taken = run->next.count || run->has_ended;
    if (taken)
        next_becomes_now(run);
    else
        run->pos = run->before;
    return taken;
}

bool capture_token(CaptureRun *run, uint32_t id, Span bytes)
{
    if (step_token(run, id, (uint32_t)bytes.size)) return true;
    return !run->stacks.status && capture_bytes(run, bytes);
}

weir_status capture_status(const CaptureRun *run)
{
    return run->stacks.status;
}

const Capture *capture_list(CaptureRun *run, uint32_t *count)
{
    const Event *last = run->now.count ? run->now.at[0].events : NULL;
    const Event *ended = NULL;
    if (run->has_ended)
        last = run->ended;
    else if (returns_find(run, &ended))
        last = ended;
    run->list.count = 0;
    for (const Event *e = last; e; e = e->before)
        if (!vec_push(run->mem, &run->list, e->capture))
            fail(run, WEIR_NO_MEMORY);
    for (uint32_t i = 0, j = run->list.count; i + 1 < j; i++) {
        Capture swap = run->list.at[i];
        run->list.at[i] = run->list.at[--j];
        run->list.at[j] = swap;
    }
    *count = run->list.count;
    return run->list.at;
}
