/* config.c: stepping sets of configurations over bytes and tokens.
 *
 * One configuration without a return in sight, the usual case, is a table
 * lookup. Otherwise every configuration that can be reached by returning takes
 * the byte as well (set_each_return), and what arrives is added: states that
 * are done return at once, equal (state, register) pairs unite their stacks.
 * Returning from a graph of stacks visits each (state, register, stacks) once.
 * Cost: the size of the set times the moves of a step; bounded by max_configs.
 * Tests: unit/matcher_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/config.h"

#include "matcher/budget.h"

enum { LEAST_SCRATCH = 16 << 20 }; /* bytes */

void stepper_init(Stepper *s, const Mem *mem, StackHub *hub,
                  const weir_limits *limits, bool to_scratch)
{
    *s = (Stepper){.mem = mem, .max_configs = limits->max_configs};
    uint64_t scratch = limits->max_memory; /* 0: no limit */
    if (scratch) scratch = MAX(scratch, LEAST_SCRATCH);
    stackuser_init(&s->stacks, mem, hub, to_scratch, limit_size(scratch));
    s->stacks.max_work = limits->max_step;
}

void stepper_free(Stepper *s)
{
    if (!s->mem) return;
    stackuser_free(&s->stacks);
    vec_free(s->mem, &s->todo);
    vec_free(s->mem, &s->pending);
}

static void fail(Stepper *s, weir_status status)
{
    if (!s->stacks.status) s->stacks.status = status;
}

/* ---- adding ---- */

static int config_order(const Config *a, const Config *b)
{
    uintptr_t x = (uintptr_t)a->q, y = (uintptr_t)b->q;
    if (x != y) return x < y ? -1 : 1;
    if (a->record != b->record) return a->record < b->record ? -1 : 1;
    return (a->reg > b->reg) - (a->reg < b->reg);
}

static bool covers(const Config *a, const Config *b)
{
    return a->q == b->q && a->stack == b->stack && a->record == b->record &&
           reg_covers(a->q, a->reg, b->reg);
}

/* Registers that a neighbour's covers, on the same stacks, say nothing new: a
 * count that is read in many ways (ambiguous repeats) stays one configuration.
 * True if c is such, to be put at i; drops neighbours that c makes such. */
static bool set_covers(ConfigSet *set, uint32_t *i, const Config *c)
{
    Config *at = set->list.at;
    uint32_t n = set->list.count, end = *i;
    if (*i && covers(&at[*i - 1], c)) return true;
    if (*i < n && covers(&at[*i], c)) return true;
    while (*i && covers(c, &at[*i - 1])) --*i;
    while (end < n && covers(c, &at[end])) end++;
    if (end == *i) return false;
    memmove(at + *i, at + end, (n - end) * sizeof *at);
    set->list.count = n - (end - *i);
    return false;
}

static void set_insert(Stepper *s, ConfigSet *set, Config c)
{
    uint32_t i = set->list.count;
    while (i && config_order(&set->list.at[i - 1], &c) > 0) i--;
    Config *at = set->list.at;
    if (i && !config_order(&at[i - 1], &c)) {
        if (at[i - 1].stack != c.stack)
            at[i - 1].stack = stack_union(&s->stacks, at[i - 1].stack, c.stack);
        return;
    }
    if (c.q->frame->is_counted && set_covers(set, &i, &c)) return;
    if (set->list.count >= s->max_configs) {
        fail(s, WEIR_LIMIT_WORK);
        return;
    }
    if (!vec_reserve(s->mem, &set->list, (size_t)set->list.count + 1)) {
        fail(s, WEIR_NO_MEMORY);
        return;
    }
    at = set->list.at;
    memmove(at + i + 1, at + i, (set->list.count - i) * sizeof *at);
    at[i] = c;
    set->list.count++;
}

bool config_return(Stepper *s, Config *c, const StackEntry *e)
{
    uint32_t record = c->record;
    if (record && c->q->frame->has_unique) record = unique_leave(s, record);
    *c = (Config){e->ret, e->below, e->reg, record};
    return !record || !e->ret->frame->has_unique || unique_return(s, c);
}

/* Returns from c until it is not done; other returns go to s->pending. */
static void add_one(Stepper *s, ConfigSet *set, Config c)
{
    if (!state_is_alive(c.q, c.reg)) return;
    while (state_is_done(c.q, c.reg)) {
        const StackNode *node = c.stack;
        if (!node || node->ends) set->ends = true;
        if (!node) return;
        for (uint32_t i = 1; i < node->count; i++) {
            Config other = c;
            if (!config_return(s, &other, &node->at[i])) continue;
            if (!vec_push(s->mem, &s->pending, other)) fail(s, WEIR_NO_MEMORY);
        }
        if (!config_return(s, &c, &node->at[0])) return;
    }
    set_insert(s, set, c);
}

void set_add(Stepper *s, ConfigSet *set, Config config)
{
    uint32_t base = s->pending.count;
    add_one(s, set, config);
    while (s->pending.count > base && !s->stacks.status)
        add_one(s, set, s->pending.at[--s->pending.count]);
    s->pending.count = base;
}

void set_merge(Stepper *s, ConfigSet *into, const ConfigSet *from)
{
    if (set_is_empty(into)) into->nchars = from->nchars;
    into->ends |= from->ends;
    for (uint32_t i = 0; i < from->list.count; i++)
        set_insert(s, into, from->list.at[i]);
}

bool set_copy(const Mem *mem, ConfigSet *to, const ConfigSet *from)
{
    if (!vec_reserve(mem, &to->list, from->list.count)) return false;
    if (from->list.count)
        memcpy(to->list.at, from->list.at,
               from->list.count * sizeof *from->list.at);
    to->list.count = from->list.count;
    to->ends = from->ends;
    to->nchars = from->nchars;
    return true;
}

/* ---- moving ---- */

static Landing land(Stepper *s, RegOp op, uint32_t reg, State *to)
{
    assert(to);
    Landing l = op_land(op, reg, to);
    if (UNLIKELY(!l.state)) fail(s, network_error(to->frame->network).status);
    return l;
}

/* c's stack and record after the move's pushes. Markers are kept, though they
 * are done: they tell that their rule is being read; and so is what stands
 * behind a head that must be unique. */
static void push_all(Stepper *s, Config *c, const Move *m)
{
    if (c->record && c->q->frame->has_unique)
        c->record = unique_move(s, c->record, c->q->frame, m);
    for (uint32_t i = 0; i < m->npush; i++) {
        const Push *p = &m->push[i];
        if (p->state->is_marker) {
            uint32_t reg = budget_deadline(s, p->state, p->op.reg);
            c->stack = stack_push(&s->stacks, c->stack, p->state, reg);
            continue;
        }
        Landing l = land(s, p->op, c->reg, p->state);
        bool stays =
            l.state && (p->op.begins || !state_is_done(l.state, l.reg));
        if (s->unique && p->state->frame->has_unique)
            c->record = unique_place(s, c->record, p->op, p->state, stays);
        if (stays) c->stack = stack_push(&s->stacks, c->stack, l.state, l.reg);
    }
}

/* Pushes and moves; the state may be done. False: not alive, a head that was
 * there before, or failure. */
static bool config_move(Stepper *s, Config *c, const Move *m)
{
    push_all(s, c, m);
    Landing l = land(s, m->op, c->reg, m->to);
    if (s->stacks.status) return false;
    assert(l.state);
    c->q = l.state;
    c->reg = l.reg;
    if (s->unique && m->to->frame->has_unique) {
        c->record = unique_place(s, c->record, m->op, m->to, true);
        if (m->op.begins || l.state->ends_head) return unique_return(s, c);
    }
    return true;
}

void set_move(Stepper *s, Config c, const Move *m, ConfigSet *out)
{
    if (config_move(s, &c, m)) set_add(s, out, c);
}

static void config_step(Stepper *s, Config c, uint8_t byte, ConfigSet *out)
{
    uintptr_t cell = state_next(c.q, byte);
    if (UNLIKELY(!cell)) {
        fail(s, network_error(c.q->frame->network).status);
    } else if (CELL_IS_STATE(cell)) {
        c.q = cell_state(cell);
        set_insert(s, out, c);
    } else {
        const Step *step = cell_step(cell);
        for (uint32_t i = 0; i < step->count; i++)
            set_move(s, c, &step->at[i], out);
    }
}

/* ---- one configuration ---- */

/* push_all for the move of a simple step. */
static const StackNode *push_simple(Stepper *s, Config c, const Move *m)
{
    const StackNode *stack = c.stack;
    for (uint32_t i = 0; i < m->npush; i++)
        stack = stack_push(&s->stacks, stack, m->push[i].state,
                           op_value(m->push[i].op, c.reg));
    return stack;
}

/* The two below work on copies, so that *c can live in variables: see try_alone
 * in track.c. */
static inline bool return_alone(Stepper *s, Config *c, const StackEntry *e)
{
    if (!c->record) {
        *c = (Config){e->ret, e->below, e->reg, 0};
        return true;
    }
    Config copy = *c;
    bool ok = config_return(s, &copy, e);
    *c = copy;
    return ok;
}

static inline bool move_any(Stepper *s, Config *c, const Move *m)
{
    Config copy = *c;
    bool ok = config_move(s, &copy, m);
    *c = copy;
    return ok;
}

/* Pushes and moves by the step's one move; false: the way on is not a single
 * configuration. */
static inline bool move_alone(Stepper *s, Config *c, const Step *step)
{
    const Move *m = &step->at[0];
    if (step->is_simple)
        *c = (Config){m->to, push_simple(s, *c, m), op_value(m->op, c->reg),
                      c->record};
    else if (!move_any(s, c, m))
        return false;
    if (!state_is_alive(c->q, c->reg)) return false;
    while (state_is_done(c->q, c->reg)) {
        const StackNode *stack = c->stack;
        if (!stack || stack->count != 1 || stack->ends) return false;
        if (!return_alone(s, c, &stack->at[0])) return false;
    }
    return !s->stacks.status;
}

/* Returns from c while the byte cannot be read before; c->q takes the byte
 * after CONFIG_MOVED. CONFIG_FORKS also where what it returns from repeats a
 * head: then there is nothing to go on with. */
static inline ConfigNext return_for(Stepper *s, Config *c, uint8_t byte)
{
    for (;;) {
        bool here = byteset_has(&c->q->first, byte);
        if (!state_accepts(c->q, c->reg) || !c->stack)
            return here ? CONFIG_MOVED : CONFIG_DEAD;
        if (c->stack->count != 1) return CONFIG_FORKS;
        const StackEntry *e = &c->stack->at[0];
        bool there =
            byteset_has(&e->ret->first, byte) || state_accepts(e->ret, e->reg);
        if (here) return there ? CONFIG_FORKS : CONFIG_MOVED;
        if (!there) return CONFIG_DEAD;
        if (!return_alone(s, c, e)) return CONFIG_FORKS;
    }
}

ConfigNext config_next(Stepper *s, Config *given, uint8_t byte, uintptr_t cell)
{
    Config c = *given;
    if (c.q->accepts) {
        ConfigNext way = return_for(s, &c, byte);
        if (way != CONFIG_MOVED) return way;
        cell = state_next(c.q, byte);
    }
    if (s->unique) s->unique->text.count++; /* the byte is there */
    if (CELL_IS_STATE(cell)) {
        c.q = cell_state(cell);
        *given = c;
        return CONFIG_MOVED;
    }
    const Step *step = cell_step(cell);
    if (!step) return CONFIG_FORKS; /* set_step reports the error */
    if (!step->count) return CONFIG_DEAD;
    if (step->count > 1 || !move_alone(s, &c, step)) return CONFIG_FORKS;
    *given = c;
    return CONFIG_MOVED;
}

/* ---- returning ---- */

/* What is visited: a set and what it returns to, s->todo from base on. */
typedef struct Returns {
    const ConfigSet *set;
    uint32_t base;
    bool ends;
} Returns;

static bool returns_seen(const Stepper *s, const Returns *r, const Config *c)
{
    for (uint32_t i = 0; i < r->set->list.count; i++)
        if (config_same(&r->set->list.at[i], c)) return true;
    for (uint32_t i = r->base; i < s->todo.count; i++)
        if (config_same(&s->todo.at[i], c)) return true;
    return false;
}

/* Adds what `from`, which may return, returns to. */
static void push_returns(Stepper *s, Returns *r, Config from)
{
    if (++s->stacks.work > s->stacks.max_work) fail(s, WEIR_LIMIT_WORK);
    if (!from.stack || from.stack->ends) r->ends = true;
    for (uint32_t i = 0; from.stack && i < from.stack->count; i++) {
        Config c = from;
        uint32_t count = r->set->list.count + s->todo.count - r->base;
        s->stacks.work += count / 16;
        if (!config_return(s, &c, &from.stack->at[i])) continue;
        if (returns_seen(s, r, &c)) continue;
        if (count > s->max_configs)
            fail(s, WEIR_LIMIT_WORK);
        else if (!vec_push(s->mem, &s->todo, c))
            fail(s, WEIR_NO_MEMORY);
    }
}

bool set_each_return(Stepper *s, const ConfigSet *set,
                     void (*visit)(void *user, Config config), void *user)
{
    Returns r = {set, s->todo.count, set->ends};
    s->stacks.work += set->list.count;
    for (uint32_t i = 0; i < set->list.count && !s->stacks.status; i++) {
        Config c = set->list.at[i];
        if (visit) visit(user, c);
        if (state_accepts(c.q, c.reg)) push_returns(s, &r, c);
    }
    for (uint32_t i = r.base; i < s->todo.count && !s->stacks.status; i++) {
        Config c = s->todo.at[i];
        if (visit) visit(user, c);
        if (state_accepts(c.q, c.reg)) push_returns(s, &r, c);
    }
    s->todo.count = r.base;
    return r.ends;
}

bool set_is_complete(Stepper *s, const ConfigSet *set)
{
    if (set->list.count == 1 && !set->list.at[0].q->accepts) return set->ends;
    return set_each_return(s, set, NULL, NULL);
}

/* True if a move from c for `byte` leaves it alive. */
static bool has_move(Stepper *s, Config c, uint8_t byte)
{
    uintptr_t cell = state_next(c.q, byte);
    if (!cell) fail(s, network_error(c.q->frame->network).status);
    if (!cell || CELL_IS_STATE(cell)) return cell;
    const Step *step = cell_step(cell);
    for (uint32_t i = 0; i < step->count; i++) {
        const Move *m = &step->at[i];
        assert(m->op.adds && !m->op.counts && !m->npush);
        if (state_is_alive(m->to, c.reg + m->op.reg)) return true;
    }
    return false;
}

typedef struct FirstCall {
    Stepper *s;
    ByteSet *first;
} FirstCall;

/* Where the bound of a frame is near, not every byte of its state has a move.
 */
static void add_first(void *user, Config c)
{
    FirstCall *call = user;
    const Frame *f = c.q->frame;
    ByteSet *first = call->first;
    bool is_near = f->is_bounded && f->hi - c.reg <= f->most_need;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t bits = c.q->first.word[i];
        if (!is_near) first->word[i] |= bits;
        for (; is_near && bits; bits &= bits - 1) {
            uint8_t byte = (uint8_t)(i * 64 + bit_lowest(bits));
            if (has_move(call->s, c, byte)) byteset_add(first, byte);
        }
    }
}

void set_first(Stepper *s, const ConfigSet *set, ByteSet *first)
{
    *first = (ByteSet){{0}};
    FirstCall call = {s, first};
    set_each_return(s, set, add_first, &call);
}

static void add_tokens(void *user, Config c)
{
    *(bool *)user |= c.q->has_tokens;
}

bool set_has_tokens(Stepper *s, const ConfigSet *set)
{
    bool any = false;
    set_each_return(s, set, add_tokens, &any);
    return any;
}

int set_only_byte(Stepper *s, const ConfigSet *set)
{
    ByteSet first;
    if (set_is_complete(s, set) || set_has_tokens(s, set)) return -1;
    set_first(s, set, &first);
    if (byteset_count(&first) != 1) return -1;
    int word = 0;
    while (!first.word[word]) word++;
    return word * 64 + (int)bit_lowest(first.word[word]);
}

/* ---- stepping ---- */

typedef struct StepCall {
    Stepper *s;
    ConfigSet *out;
    uint32_t input;
} StepCall;

static void step_visit(void *user, Config c)
{
    StepCall *call = user;
    uint8_t byte = (uint8_t)call->input;
    UniqueTable *u = call->s->unique;
    if (!byteset_has(&c.q->first, byte)) return;
    if (u)
        u->text.at[u->text.count++] = byte; /* read now, not yet for others */
    config_step(call->s, c, byte, call->out);
    if (u) u->text.count--;
}

/* A set with budgets in force: first what has run out must end. */
static void step_budgeted(Stepper *s, const ConfigSet *in, uint8_t byte,
                          ConfigSet *out)
{
    StepCall call = {s, out, byte};
    bool begins = (byte & 0xC0) != 0x80;
    s->nchars = in->nchars;
    out->nchars = in->nchars + begins;
    if (!begins || !budget_has_run_out(in, in->nchars, true)) {
        set_each_return(s, in, step_visit, &call);
        return;
    }
    ConfigSet now = {0};
    if (set_copy(s->mem, &now, in))
        budget_end(s, &now, in->nchars, true);
    else
        fail(s, WEIR_NO_MEMORY);
    set_each_return(s, &now, step_visit, &call);
    vec_free(s->mem, &now.list);
}

/* With records: every byte goes the way of sets, and is kept. */
void set_step_raw(Stepper *s, const ConfigSet *in, uint8_t byte, ConfigSet *out)
{
    UniqueTable *u = s->unique;
    StepCall call = {s, out, byte};
    set_clear(out);
    if (!vec_reserve(u->mem, &u->text, (size_t)u->text.count + 1)) {
        fail(s, WEIR_NO_MEMORY);
        return;
    }
    if (s->has_budgets)
        step_budgeted(s, in, byte, out);
    else
        set_each_return(s, in, step_visit, &call);
    if (!set_is_empty(out)) u->text.at[u->text.count++] = byte;
}

void set_step(Stepper *s, const ConfigSet *in, uint8_t byte, ConfigSet *out)
{
    set_clear(out);
    stack_forget_unions(&s->stacks);
    if (s->unique) {
        set_step_raw(s, in, byte, out);
        unique_prune(s, out);
        return;
    }
    if (s->has_budgets) {
        step_budgeted(s, in, byte, out);
        return;
    }
    if (in->list.count == 1) { /* with unique heads: track.c, set_step_raw */
        Config c = in->list.at[0];
        ConfigNext next = config_next(s, &c, byte, state_next(c.q, byte));
        if (next == CONFIG_MOVED) set_insert(s, out, c);
        if (next != CONFIG_FORKS) return;
    }
    StepCall call = {s, out, byte};
    set_each_return(s, in, step_visit, &call);
}

bool token_move_takes(const TokenMove *move, uint32_t id)
{
    const Ir *ir = move->network->ir;
    Node n = ir_node(ir, move->set);
    const Range *r = ir_node_ranges(ir, n);
    bool found = false;
    assert(!n.c); /* lowering leaves no negated set */
    for (uint32_t i = 0; i < n.b && !found; i++)
        found = id >= r[i].lo && id <= r[i].hi;
    return found;
}

static void token_visit(void *user, Config c)
{
    StepCall *call = user;
    if (!c.q->has_tokens) return;
    const TokenMoves *moves = state_tokens(c.q);
    if (!moves) {
        fail(call->s, network_error(c.q->frame->network).status);
        return;
    }
    for (uint32_t i = 0; i < moves->count; i++)
        if (token_move_takes(&moves->at[i], call->input))
            set_move(call->s, c, &moves->at[i].move, call->out);
}

void set_step_token(Stepper *s, const ConfigSet *in, uint32_t id,
                    ConfigSet *out)
{
    StepCall call = {s, out, id};
    set_clear(out);
    out->nchars = s->nchars = in->nchars;
    stack_forget_unions(&s->stacks);
    set_each_return(s, in, token_visit, &call);
}
