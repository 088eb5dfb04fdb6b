/* plain_list.c: what the items of a list have counted (pass/list_count.h) as
 * rules.
 *
 *     list     = item after(t) | ...
 *     after(t) = separator item after(t + kind) | ... | "" if it may end
 *
 * Cost:  a rule for each tally that some items reach.
 * Tests: prop/convert_vs_oracle_test.c
 */
#include "convert/ir_plain.h"
#include "pass/list_count.h"

typedef struct TallyRule {
    Tally tally;
    RuleId rule;
} TallyRule;

typedef struct Tallies {
    Ir *ir;
    const ListSpec *list;
    ListCount count;
    VEC(TallyRule) at;
    Map index;
    VEC(uint8_t) may; /* by kind */
    VEC(NodeId) ways;
    uint32_t nways; /* of all tallies */
} Tallies;

static uint64_t tally_hash(const Tally *t)
{
    uint64_t hash = hash_mix(t->is_start, t->group);
    return hash_bytes(hash, t->values, t->nvalues * sizeof *t->values);
}

static bool tally_same(const Tally *a, const Tally *b)
{
    return a->is_start == b->is_start && a->group == b->group &&
           a->nvalues == b->nvalues &&
           (!a->nvalues ||
            !memcmp(a->values, b->values, a->nvalues * sizeof *a->values));
}

static RuleId tally_rule(Tallies *t, const Tally *tally)
{
    Ir *ir = t->ir;
    uint64_t hash = tally_hash(tally);
    for (MapPos p = map_first(&t->index, hash); p.value != MAP_NONE;
         p = map_next(&t->index, hash, p))
        if (tally_same(&t->at.at[p.value].tally, tally))
            return t->at.at[p.value].rule;
    TallyRule made = {*tally, ir_rule_new(ir, SPAN("items"), 0)};
    made.tally.values = arena_copy(&ir->arena, tally->values,
                                   tally->nvalues * sizeof *tally->values);
    if (!ir_ok(ir)) return RULE_NONE;
    if (!made.tally.values || !vec_push(ir->mem, &t->at, made) ||
        !map_add(ir->mem, &t->index, hash, t->at.count - 1))
        diag_no_memory(&ir->error);
    return made.rule;
}

static void add_way(Tallies *t, const Tally *from, uint32_t kind)
{
    Ir *ir = t->ir;
    const ListKind *item = &t->list->kinds[kind];
    Tally next;
    if (!listcount_next(&t->count, from, kind, &next)) {
        diag_no_memory(&ir->error);
        return;
    }
    if (t->nways++ >= ir->limits.max_states)
        diag_fail(&ir->error, WEIR_LIMIT_STATES, 0, 0,
                  "found a list that can go on in more than %u ways (limit "
                  "max_states)",
                  ir->limits.max_states);
    RuleId rule = tally_rule(t, &next);
    if (!ir_ok(ir)) return;
    NodeId parts[] = {from->is_start ? NODE_EMPTY_ID : t->list->separator,
                      item->head, item->tail, ir_ref(ir, rule)};
    if (!vec_push(ir->mem, &t->ways, ir_seq(ir, parts, COUNT_OF(parts))))
        diag_no_memory(&ir->error);
}

static void define(Tallies *t, TallyRule from)
{
    Ir *ir = t->ir;
    ListOutlook out = {false, t->may.at};
    SolveAnswer answer = listcount_look(&t->count, &from.tally, &out);
    t->ways.count = 0;
    if (answer == SOLVE_NO_MEMORY) diag_no_memory(&ir->error);
    if (answer == SOLVE_GAVE_UP) listcount_fail(&ir->error);
    for (uint32_t k = 0; k < t->list->nkinds && ir_ok(ir); k++)
        if (answer == SOLVE_YES && out.may[k]) add_way(t, &from.tally, k);
    if (answer == SOLVE_YES && out.ends && !from.tally.is_start &&
        !vec_push(ir->mem, &t->ways, NODE_EMPTY_ID))
        diag_no_memory(&ir->error);
    if (!ir_ok(ir)) return;
    ir_rule_set(ir, from.rule,
                t->ways.count ? ir_alt(ir, t->ways.at, t->ways.count)
                              : NODE_NEVER_ID);
}

NodeId plain_list(Ir *ir, const ListSpec *list)
{
    Tallies t = {.ir = ir, .list = list};
    NodeId made = NODE_NEVER_ID;
    bool is_single = list->separator == NODE_NEVER_ID;
    if (!listcount_init(&t.count, ir->mem, list, is_single) ||
        !vec_reserve(ir->mem, &t.may, list->nkinds + 1)) {
        diag_no_memory(&ir->error);
    } else {
        made = ir_ref(ir, tally_rule(&t, &tally_start));
        for (uint32_t i = 0; i < t.at.count && ir_ok(ir); i++)
            define(&t, t.at.at[i]);
    }
    listcount_free(&t.count);
    vec_free(ir->mem, &t.at);
    map_free(ir->mem, &t.index);
    vec_free(ir->mem, &t.may);
    vec_free(ir->mem, &t.ways);
    return made;
}
