/* track.c: history of one output.
 *
 * Invariant: steps.at[k] describes the set after k steps and `now` equals the
 * last one. The pool holds the sets in order; a set equal to the one before
 * it is not stored again.   Tests: prop/matcher_state_test.c.
 */
#include "matcher/track.h"

#include "matcher/budget.h"

static bool same_set(const Config *a, uint32_t n, const ConfigSet *b)
{
    if (n != b->list.count) return false;
    for (uint32_t i = 0; i < n; i++)
        if (!config_same(&a[i], &b->list.at[i])) return false;
    return true;
}

/* All three sets can hold `count` configurations: so taking a step back, which
 * fills `now` from the pool, cannot fail. */
static bool sets_reserve(Track *t, uint32_t count)
{
    return vec_reserve(t->mem, &t->now.list, count) &&
           vec_reserve(t->mem, &t->next.list, count) &&
           vec_reserve(t->mem, &t->spare.list, count);
}

/* Appends `set` as the state after `step`. */
static bool step_push(Track *t, TrackStep step, const ConfigSet *set)
{
    const TrackStep *last =
        t->steps.count ? &t->steps.at[t->steps.count - 1] : NULL;
    uint32_t pool = t->pool.count;
    step.ends = set->ends;
    step.nchars = set->nchars;
    step.ntokens = t->stepper.ntokens;
    step.count = set->list.count & 0x3FFFFFFF;
    step.start = pool;
    if (!sets_reserve(t, step.count)) return false;
    if (last && same_set(t->pool.at + last->start, last->count, set)) {
        step.start = last->start;
    } else {
        if (!vec_reserve(t->mem, &t->pool, (size_t)pool + step.count))
            return false;
        if (step.count)
            memcpy(t->pool.at + pool, set->list.at,
                   step.count * sizeof *t->pool.at);
        t->pool.count = pool + step.count;
    }
    if (vec_push(t->mem, &t->steps, step)) return true;
    t->pool.count = pool;
    return false;
}

bool track_init(Track *t, const Mem *mem, StackHub *hub,
                const weir_limits *limits, const ConfigSet *start)
{
    *t = (Track){.mem = mem};
    stepper_init(&t->stepper, mem, hub, limits, false);
    if (set_copy(mem, &t->now, start) &&
        step_push(t, (TrackStep){.token = TRACK_BYTES}, start))
        return true;
    track_free(t);
    return false;
}

void track_free(Track *t)
{
    if (!t->mem) return;
    stepper_free(&t->stepper);
    vec_free(t->mem, &t->now.list);
    vec_free(t->mem, &t->next.list);
    vec_free(t->mem, &t->spare.list);
    vec_free(t->mem, &t->pool);
    vec_free(t->mem, &t->steps);
    vec_free(t->mem, &t->text);
    vec_free(t->mem, &t->marks);
    if (t->unique) unique_free(t->unique);
    mem_free(t->mem, t->unique, sizeof *t->unique);
    t->unique = NULL;
    t->mem = NULL;
}

#define vec_copy(mem, to, from)                                      \
    (vec_reserve((mem), (to), (from)->count) &&                      \
     ((from)->count ? (void)memcpy((to)->at, (from)->at,             \
                                   (from)->count * sizeof *(to)->at) \
                    : (void)0,                                       \
      (to)->count = (from)->count, true))

bool track_use_unique(Track *t, const Map *whole)
{
    assert(t->steps.count == 1);
    t->unique = mem_zero(t->mem, sizeof *t->unique);
    if (!t->unique) return false;
    t->unique->mem = t->mem;
    t->unique->whole = whole;
    t->stepper.unique = t->unique;
    return vec_push(t->mem, &t->marks, (UniqueMark){0});
}

static bool fork_unique(Track *to, const Track *from)
{
    if (!from->unique) return true;
    to->unique = mem_zero(to->mem, sizeof *to->unique);
    to->stepper.unique = to->unique;
    return to->unique && unique_copy(to->unique, from->unique) &&
           vec_copy(to->mem, &to->marks, &from->marks);
}

static UniqueMark last_mark(const Track *t)
{
    return t->marks.at[t->marks.count - 1];
}

void track_drop_text(Track *t)
{
    if (t->unique) t->unique->text.count = last_mark(t).text;
}

/* Text and records are those of the last step. */
static void unique_begin(Track *t)
{
    if (t->unique) unique_back(t->unique, last_mark(t));
}

/* After a step of `bytes`. False: no memory. */
static bool unique_take(Track *t, Span bytes)
{
    UniqueTable *u = t->unique;
    if (!u) return true;
    uint32_t at = last_mark(t).text;
    if (!vec_reserve(t->mem, &u->text, at + bytes.size) ||
        !vec_reserve(t->mem, &t->marks, (size_t)t->marks.count + 1))
        return false;
    if (bytes.size) memcpy(u->text.at + at, bytes.at, bytes.size);
    u->text.count = at + (uint32_t)bytes.size;
    t->marks.at[t->marks.count++] = unique_mark(u);
    return true;
}

bool track_fork(Track *to, const Track *from, StackHub *hub,
                const weir_limits *limits)
{
    *to = (Track){.mem = from->mem, .is_stopped = from->is_stopped};
    stepper_init(&to->stepper, from->mem, hub, limits, false);
    to->stepper.has_budgets = from->stepper.has_budgets;
    to->stepper.ntokens = from->stepper.ntokens;
    uint32_t most = 0;
    for (uint32_t i = 0; i < from->steps.count; i++)
        most = MAX(most, from->steps.at[i].count);
    if (sets_reserve(to, most) && set_copy(to->mem, &to->now, &from->now) &&
        vec_copy(to->mem, &to->pool, &from->pool) &&
        vec_copy(to->mem, &to->steps, &from->steps) &&
        vec_copy(to->mem, &to->text, &from->text) && fork_unique(to, from))
        return true;
    track_free(to);
    return false;
}

/* Copies all stacks, then puts the copies, known by now, in their places. */
weir_status track_move(Track *t, StackHub *hub)
{
    StackUser *user = &t->stepper.stacks;
    StackHub *before = user->hub;
    stepper_clear(&t->stepper);
    stack_forget_unions(user);
    user->hub = hub;
    for (uint32_t i = 0; i < t->pool.count; i++)
        stack_copy(user, t->pool.at[i].stack);
    weir_status status = user->status;
    for (uint32_t i = 0; !status && i < t->pool.count; i++)
        t->pool.at[i].stack = stack_copy(user, t->pool.at[i].stack);
    for (uint32_t i = 0; !status && i < t->now.list.count; i++)
        t->now.list.at[i].stack = stack_copy(user, t->now.list.at[i].stack);
    if (status) user->hub = before;
    set_clear(&t->next);
    set_clear(&t->spare);
    stack_forget_unions(user);
    stepper_clear(&t->stepper);
    return status;
}

/* One configuration needs no set while only one reading goes on: follows it
 * as far as that holds. Returns the bytes read; *c is the configuration there.
 * It is kept in variables: a structure that is copied whole just after a part
 * of it was written makes the processor wait for the write (a fifth of the time
 * of a byte). */
static inline size_t try_alone(Stepper *s, Span bytes, Config *c,
                               ConfigNext *end)
{
    State *q = c->q;
    const StackNode *stack = c->stack;
    uint32_t reg = c->reg;
    size_t i = 0;
    *end = CONFIG_MOVED;
    for (; i < bytes.size; i++) {
        uintptr_t cell = state_next(q, bytes.at[i]);
        if (CELL_IS_STATE(cell) && !q->accepts) {
            q = cell_state(cell);
            continue;
        }
        Config next = {q, stack, reg, 0};
        *end = config_next(s, &next, bytes.at[i], cell);
        if (*end != CONFIG_MOVED) break;
        q = next.q;
        stack = next.stack;
        reg = next.reg;
    }
    *c = (Config){q, stack, reg, 0};
    return i;
}

/* ---- the same where heads must be unique ---- */

/* Room for the bytes to come in the text. */
static bool text_reserve(Stepper *s, Span bytes)
{
    UniqueTable *u = s->unique;
    if (vec_reserve(u->mem, &u->text, u->text.count + bytes.size)) return true;
    s->stacks.status = WEIR_NO_MEMORY;
    return false;
}

static void text_put(UniqueTable *u, Span bytes)
{
    if (bytes.size) memcpy(u->text.at + u->text.count, bytes.at, bytes.size);
    u->text.count += (uint32_t)bytes.size;
}

/* Where each byte has to be looked at: a head is in hand that may come to
 * repeat another whatever follows. */
static bool is_watched(const Stepper *s, const Config *c)
{
    return c->record &&
           (c->q->is_watched || unique_record(s->unique, c->record)->is_closed);
}

/* config_next where the text is kept. */
static ConfigNext next_unique(Stepper *s, Config *c, uint8_t byte)
{
    UniqueTable *u = s->unique;
    uint32_t before = u->text.count;
    u->text.at[before] = byte;
    ConfigNext way = config_next(s, c, byte, state_next(c->q, byte));
    if (way != CONFIG_MOVED) u->text.count = before;
    return way;
}

/* Bytes that c's state takes within its frame, from the first on. */
static size_t run_plain(Config *c, Span bytes)
{
    State *q = c->q;
    size_t i = 0;
    while (i < bytes.size && !q->accepts) {
        uintptr_t cell = state_next(q, bytes.at[i]);
        if (!CELL_IS_STATE(cell)) break;
        q = cell_state(cell);
        i++;
    }
    c->q = q;
    return i;
}

/* Without a look at heads that could only be ended as earlier ones were. */
static size_t run_unique(Stepper *s, Span bytes, Config *c, ConfigNext *end)
{
    size_t i = 0;
    for (;;) {
        size_t n = run_plain(c, span_of(bytes.at + i, bytes.size - i));
        text_put(s->unique, span_of(bytes.at + i, n));
        i += n;
        *end = CONFIG_MOVED;
        if (i == bytes.size) return i;
        *end = next_unique(s, c, bytes.at[i]);
        if (*end != CONFIG_MOVED) return i;
        i++;
    }
}

/* The text that can be ended has beginnings that can, so that one look at its
 * end will do; where it says no, every byte is looked at. */
static size_t try_unique(Stepper *s, Span bytes, Config *c, ConfigNext *end)
{
    Config start = *c;
    size_t i = 0;
    *end = CONFIG_FORKS;
    if (!text_reserve(s, bytes)) return 0;
    uint32_t before = s->unique->text.count;
    size_t size = run_unique(s, bytes, c, end);
    if (!is_watched(s, c) || unique_can_end(s, *c)) return size;
    s->unique->text.count = before;
    for (*c = start; i < size; i++) {
        Config next = *c;
        run_unique(s, span_of(bytes.at + i, 1), &next, end);
        if (is_watched(s, &next) && !unique_can_end(s, next)) break;
        *c = next;
    }
    s->unique->text.count = before + (uint32_t)i;
    *end = stepper_status(s) ? CONFIG_FORKS : CONFIG_DEAD;
    return i;
}

size_t track_alone(Stepper *s, Span bytes, Config *c, ConfigNext *end)
{
    return s->unique ? try_unique(s, bytes, c, end)
                     : try_alone(s, bytes, c, end);
}

/* A set that need not be one, as long as it stays so. */
static bool is_alone(const Track *t, const ConfigSet *set)
{
    return set->list.count == 1 && !set->ends && !t->stepper.has_budgets;
}

/* Keeps c as what `token` led to. False: no memory. */
static inline bool step_alone(Track *t, uint32_t token, Config c)
{
    Config *now = &t->now.list.at[0];
    if (!vec_reserve(t->mem, &t->pool, (size_t)t->pool.count + 1) ||
        !vec_reserve(t->mem, &t->steps, (size_t)t->steps.count + 1))
        return false;
    assert(t->steps.at[t->steps.count - 1].start + 1 == t->pool.count);
    if (!config_same(&c, now)) {
        t->pool.at[t->pool.count++] = c;
        *now = c;
    }
    t->steps.at[t->steps.count++] = (TrackStep){.token = token,
                                                .start = t->pool.count - 1,
                                                .text_start = t->text.count,
                                                .count = 1};
    return true;
}

static NOINLINE ConfigNext take_unique(Track *t, uint32_t token, Span bytes)
{
    ConfigNext end;
    Config c = t->now.list.at[0];
    unique_begin(t);
    try_unique(&t->stepper, bytes, &c, &end);
    if (end == CONFIG_MOVED &&
        (!vec_reserve(t->mem, &t->marks, (size_t)t->marks.count + 1) ||
         !step_alone(t, token, c)))
        end = CONFIG_FORKS;
    if (end == CONFIG_MOVED)
        t->marks.at[t->marks.count++] = unique_mark(t->unique);
    else
        track_drop_text(t);
    return end;
}

ConfigNext track_take_alone(Track *t, uint32_t token, Span bytes)
{
    ConfigNext end;
    if (!is_alone(t, &t->now)) return CONFIG_FORKS;
    if (t->unique) return take_unique(t, token, bytes);
    Config c = t->now.list.at[0];
    try_alone(&t->stepper, bytes, &c, &end);
    if (end == CONFIG_MOVED && !step_alone(t, token, c)) return CONFIG_FORKS;
    return end;
}

static void swap_sets(ConfigSet *a, ConfigSet *b)
{
    ConfigSet swap = *a;
    *a = *b;
    *b = swap;
}

/* Reads on from `next`, set by set. Returns the bytes read. */
static size_t try_sets(Track *t, Span bytes)
{
    size_t pos = 0;
    ConfigNext end = CONFIG_FORKS;
    while (pos < bytes.size && end != CONFIG_DEAD) {
        set_step(&t->stepper, &t->next, bytes.at[pos], &t->spare);
        if (set_is_empty(&t->spare) || stepper_status(&t->stepper)) break;
        swap_sets(&t->next, &t->spare);
        pos++;
        if (is_alone(t, &t->next))
            pos += track_alone(&t->stepper,
                               span_of(bytes.at + pos, bytes.size - pos),
                               &t->next.list.at[0], &end);
    }
    return pos;
}

size_t track_try(Track *t, Span bytes)
{
    size_t pos = 0;
    ConfigNext end = CONFIG_FORKS;
    if (!set_copy(t->mem, &t->next, &t->now)) {
        t->stepper.stacks.status = WEIR_NO_MEMORY;
        return 0;
    }
    unique_begin(t);
    if (is_alone(t, &t->next))
        pos = track_alone(&t->stepper, bytes, &t->next.list.at[0], &end);
    if (pos < bytes.size && end != CONFIG_DEAD)
        pos += try_sets(t, span_of(bytes.at + pos, bytes.size - pos));
    track_drop_text(t);
    return pos;
}

/* A token more; budgets in tokens that have run out end. */
static void count_token(Track *t)
{
    if (!t->stepper.has_budgets) return;
    t->stepper.ntokens++;
    if (budget_has_run_out(&t->next, t->stepper.ntokens, false))
        budget_end(&t->stepper, &t->next, t->stepper.ntokens, false);
}

bool track_take(Track *t, uint32_t token, Span bytes)
{
    uint32_t ntokens = t->stepper.ntokens;
    TrackStep step = {.token = token, .text_start = t->text.count};
    if (token == TRACK_BYTES) {
        if (!vec_reserve(t->mem, &t->text, t->text.count + bytes.size))
            return false;
        if (bytes.size)
            memcpy(t->text.at + t->text.count, bytes.at, bytes.size);
    }
    if (token != TRACK_BYTES) count_token(t);
    bool ok = !stepper_status(&t->stepper) && unique_take(t, bytes);
    if (ok && !step_push(t, step, &t->next)) {
        if (t->unique) t->marks.count--;
        ok = false;
    }
    if (!ok) {
        t->stepper.ntokens = ntokens;
        unique_begin(t);
        return false;
    }
    if (token == TRACK_BYTES) t->text.count += (uint32_t)bytes.size;
    swap_sets(&t->now, &t->next);
    return true;
}

bool track_take_stop(Track *t, uint32_t token)
{
    TrackStep step = {
        .token = token, .text_start = t->text.count, .is_stop = true};
    unique_begin(t);
    if (!unique_take(t, (Span){0})) return false;
    if (!step_push(t, step, &t->now)) {
        if (t->unique) t->marks.count--;
        return false;
    }
    t->is_stopped = true;
    return true;
}

void track_rollback(Track *t, size_t steps)
{
    assert(steps <= track_steps(t));
    if (!steps) return;
    const TrackStep *first_gone = &t->steps.at[t->steps.count - steps];
    const TrackStep *last = first_gone - 1;
    if (t->unique) t->marks.count -= (uint32_t)steps;
    unique_begin(t);
    t->text.count = first_gone->text_start;
    t->steps.count -= (uint32_t)steps;
    t->pool.count = last->start + last->count;
    t->is_stopped = last->is_stop;
    t->now.list.count = 0;
    t->now.ends = last->ends;
    t->now.nchars = last->nchars;
    t->stepper.ntokens = last->ntokens;
    assert(t->now.list.cap >= last->count);
    if (last->count)
        memcpy(t->now.list.at, t->pool.at + last->start,
               last->count * sizeof *t->pool.at);
    t->now.list.count = last->count;
}
