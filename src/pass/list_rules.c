/* list_rules.c: tallies (list_count.h) as rules.
 *
 *     after(t) = separator (head tail after(t + kind) | ...) | "" if it ends
 *
 * The empty text is left to the users of a rule, as everywhere after lowering.
 * Cost: the tallies, at most MAX_TALLIES.
 * Tests: prop/masks_vs_oracle_test.c.
 */
#include "pass/list_rules.h"

#include "pass/list_count.h"

enum { MAX_TALLIES = 1000 };

typedef struct TallyRule {
    Tally tally;
    RuleId rule; /* RULE_NONE: nothing can follow */
    bool ends;
} TallyRule;

typedef struct ListRules {
    Ir *ir;
    Lowered *lowered;
    ListSpec list;
    ListCount count;
    Arena arena;
    VEC(TallyRule) tallies;
    VEC(uint8_t) may; /* by tally and kind */
} ListRules;

static bool tally_same(const Tally *a, const Tally *b)
{
    return a->group == b->group && a->nvalues == b->nvalues &&
           (!a->nvalues ||
            !memcmp(a->values, b->values, a->nvalues * sizeof *a->values));
}

static RuleId rule_new(ListRules *l)
{
    RuleId rule = ir_rule_new(l->ir, SPAN("items"), 0);
    if (ir_ok(l->ir) && !vec_push(l->ir->mem, &l->lowered->body, NODE_NEVER_ID))
        diag_no_memory(&l->ir->error);
    return rule;
}

static bool look(ListRules *l, const Tally *tally, TallyRule *made)
{
    uint32_t nkinds = l->list.nkinds, at = l->may.count;
    if (!vec_reserve(l->ir->mem, &l->may, (size_t)at + nkinds))
        return diag_no_memory(&l->ir->error);
    ListOutlook out = {false, l->may.at + at};
    SolveAnswer answer = listcount_look(&l->count, tally, &out);
    if (answer == SOLVE_NO_MEMORY) return diag_no_memory(&l->ir->error);
    if (answer == SOLVE_GAVE_UP) return listcount_fail(&l->ir->error);
    l->may.count += nkinds;
    bool any = false;
    for (uint32_t k = 0; k < nkinds; k++) any |= out.may[k];
    *made = (TallyRule){*tally, any ? rule_new(l) : RULE_NONE, out.ends};
    return ir_ok(l->ir);
}

static bool tally_add(ListRules *l, const Tally *tally)
{
    TallyRule made;
    if (l->tallies.count == MAX_TALLIES)
        return diag_fail(&l->ir->error, WEIR_LIMIT_WORK, 0, 0,
                         "a list that begins with itself counts in more than "
                         "%d ways",
                         MAX_TALLIES);
    if (!look(l, tally, &made)) return false;
    made.tally.values = arena_copy(&l->arena, tally->values,
                                   tally->nvalues * sizeof *tally->values);
    return (made.tally.values && vec_push(l->ir->mem, &l->tallies, made)) ||
           diag_no_memory(&l->ir->error);
}

/* What follows an item of `kind` after the tally number `from`. */
static NodeId after_item(ListRules *l, uint32_t from, uint32_t kind)
{
    Tally next;
    Ir *ir = l->ir;
    if (!ir_ok(ir) || !l->may.at[from * l->list.nkinds + kind])
        return NODE_NEVER_ID;
    if (!listcount_next(&l->count, &l->tallies.at[from].tally, kind, &next))
        return diag_no_memory(&ir->error), NODE_NEVER_ID;
    uint32_t i = 1;
    while (i < l->tallies.count && !tally_same(&l->tallies.at[i].tally, &next))
        i++;
    if (i == l->tallies.count && !tally_add(l, &next)) return NODE_NEVER_ID;
    TallyRule to = l->tallies.at[i];
    if (to.rule == RULE_NONE) return NODE_EMPTY_ID;
    return to.ends ? ir_optional(ir, ir_ref(ir, to.rule)) : ir_ref(ir, to.rule);
}

static void body_make(ListRules *l, uint32_t from)
{
    Ir *ir = l->ir;
    NodeId items = NODE_NEVER_ID;
    for (uint32_t k = 0; k < l->list.nkinds && ir_ok(ir); k++) {
        const ListKind *kind = &l->list.kinds[k];
        NodeId after = after_item(l, from, k);
        NodeId parts[] = {kind->head, kind->tail, after};
        items = ir_alt2(ir, items, ir_seq(ir, parts, 3));
    }
    RuleId rule = l->tallies.at[from].rule;
    NodeId body = ir_seq2(ir, l->list.separator, items);
    if (ir_ok(ir) && rule != RULE_NONE) l->lowered->body.at[rule] = body;
}

static bool rules_make(ListRules *l, NodeId *after)
{
    if (!tally_add(l, &tally_start)) return false;
    for (uint32_t k = 0; k < l->list.nkinds; k++)
        after[k] = after_item(l, 0, k);
    for (uint32_t i = 1; i < l->tallies.count && ir_ok(l->ir); i++)
        body_make(l, i);
    return ir_ok(l->ir);
}

bool list_rules(Ir *ir, Lowered *lowered, const ListSpec *list, NodeId *after)
{
    ListRules l = {.ir = ir, .lowered = lowered, .list = *list};
    bool is_single = list->separator == NODE_NEVER_ID;
    if (!listcount_init(&l.count, ir->mem, &l.list, is_single))
        return diag_no_memory(&ir->error);
    arena_init(&l.arena, ir->mem, 0);
    bool ok = rules_make(&l, after);
    arena_free(&l.arena);
    listcount_free(&l.count);
    vec_free(ir->mem, &l.tallies);
    vec_free(ir->mem, &l.may);
    return ok;
}
