/* budget.c: deadlines on the stack.
 *
 * Markers are looked for from the top of the stack down as long as there is
 * one way down; below a place where stacks part (an ambiguous reading) they
 * are left alone, so that no reading is lost.
 * Cost: the depth of the stack, for grammars with budgets only.
 * Tests: unit/budget_test.c.
 */
#include "matcher/budget.h"

uint32_t budget_deadline(const Stepper *s, const State *marker, uint32_t budget)
{
    uint32_t now = marker->by_chars ? s->nchars : s->ntokens;
    return budget > UINT32_MAX - 1 - now ? UINT32_MAX : now + budget;
}

static bool has_come(const StackEntry *e, uint32_t now, bool by_chars)
{
    return e->ret->is_marker && e->ret->by_chars == by_chars &&
           e->reg != UINT32_MAX && e->reg <= now;
}

/* The next marker at or below *node on the only way down; NULL: none. */
static const StackEntry *next_marker(const StackNode **node)
{
    while (*node && (*node)->count == 1) {
        const StackEntry *e = &(*node)->at[0];
        *node = e->below;
        if (e->ret->is_marker) return e;
    }
    return NULL;
}

bool budget_has_run_out(const ConfigSet *set, uint32_t now, bool by_chars)
{
    for (uint32_t i = 0; i < set->list.count; i++) {
        const StackNode *node = set->list.at[i].stack;
        for (const StackEntry *e; (e = next_marker(&node));)
            if (has_come(e, now, by_chars)) return true;
    }
    return false;
}

uint32_t budget_chars_left(const ConfigSet *set)
{
    uint32_t left = UINT32_MAX;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const StackNode *node = set->list.at[i].stack;
        for (const StackEntry *e; (e = next_marker(&node));)
            if (e->ret->by_chars && e->reg != UINT32_MAX)
                left = MIN(left, e->reg - MIN(e->reg, set->nchars));
    }
    return left;
}

/* Ends the outermost rule of c whose deadline has come and that can end here,
 * if there is one. */
static void end_one(Stepper *s, Config *c, uint32_t now, bool by_chars)
{
    Config at = *c;
    while (state_accepts(at.q, at.reg) && at.stack && at.stack->count == 1 &&
           !at.stack->ends) {
        const StackEntry *e = &at.stack->at[0];
        if (!config_return(s, &at, e)) return;
        if (has_come(e, now, by_chars)) *c = at;
    }
}

void budget_end(Stepper *s, ConfigSet *set, uint32_t now, bool by_chars)
{
    ConfigSet left = {.ends = set->ends, .nchars = set->nchars};
    for (uint32_t i = 0; i < set->list.count; i++) {
        Config c = set->list.at[i];
        end_one(s, &c, now, by_chars);
        set_add(s, &left, c); /* a marker returns at once */
    }
    /* the set keeps its storage: histories count on its size */
    if (!set_copy(s->mem, set, &left)) s->stacks.status = WEIR_NO_MEMORY;
    vec_free(s->mem, &left.list);
}

/* ---- temperature ---- */

typedef struct Heat {
    bool found;
    double value;
} Heat;

static Heat heat_of(const Frame *f, Heat around)
{
    const RuleOptions *o = f->options;
    if (!o || !(o->has & RULE_HAS_TEMPERATURE)) return around;
    return (Heat){true, o->temperature};
}

static void heat_take(Heat *most, Heat one)
{
    if (one.found && (!most->found || one.value > most->value)) *most = one;
}

/* The next token may begin rules that q calls: they count as being read. */
static void heat_of_calls(const State *q, Heat around, int depth, Heat *most)
{
    for (uint32_t i = 0; i < q->ncalls; i++) {
        const Frame *callee = q->calls[i].callee;
        Heat inside = heat_of(callee, around);
        heat_take(most, inside);
        if (depth && callee->start)
            heat_of_calls(callee->start, inside, depth - 1, most);
    }
}

double budget_temperature(const ConfigSet *set, double otherwise)
{
    enum { CALL_DEPTH = 8 };
    Heat most = {false, otherwise};
    for (uint32_t i = 0; i < set->list.count; i++) {
        const StackNode *node = set->list.at[i].stack;
        Heat around = {false, otherwise};
        for (const StackEntry *e; !around.found && (e = next_marker(&node));)
            around = heat_of(e->ret->frame, around);
        heat_take(&most, around);
        heat_of_calls(set->list.at[i].q, around, CALL_DEPTH, &most);
    }
    return most.value;
}
