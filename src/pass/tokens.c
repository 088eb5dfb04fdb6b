/* tokens.c: TOKENS nodes -> sets of usable ids.
 *
 * A set that names ids keeps those that exist; a negated one is everything it
 * leaves over, except what the vocabulary never gives by default (stop
 * tokens). A set without any id is NEVER, so what needs it is dropped like
 * any other part that produces nothing; TOKEN_NEVER stays in a set.   Tests: unit/lower_test.c.
 */
#include "pass/tokens.h"

typedef VEC(Range) Ranges;

static bool add_id(Ir *ir, Ranges *out, uint32_t id)
{
    Range *last = out->count ? &out->at[out->count - 1] : NULL;
    if (last && last->hi + 1 == id) {
        last->hi = id;
        return true;
    }
    return vec_push(ir->mem, out, (Range){id, id}) ||
           diag_no_memory(&ir->error);
}

/* Ids in [lo, end) that are usable. */
static bool add_usable(Ir *ir, const LowerTokens *tokens, bool by_default,
                       uint32_t lo, uint32_t end, Ranges *out)
{
    end = MIN(end, tokens->width);
    for (uint32_t id = lo; id < end; id++)
        if (tokens->usable(tokens->user, id, by_default) &&
            !add_id(ir, out, id))
            return false;
    return true;
}

static bool collect(Ir *ir, const LowerTokens *tokens, Node n, Ranges *out)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < n.b; i++) {
        Range r = ir->ranges.at[n.a + i];
        uint32_t end = r.hi < UINT32_MAX ? r.hi + 1 : r.hi;
        if (!add_usable(ir, tokens, n.c, n.c ? next : r.lo, n.c ? r.lo : end,
                        out))
            return false;
        next = end;
    }
    return !n.c || add_usable(ir, tokens, true, next, tokens->width, out);
}

static bool has_never(const Ir *ir, Node n)
{
    return !n.c && ir->ranges.at[n.a + n.b - 1].hi == TOKEN_NEVER;
}

static bool resolve_one(Ir *ir, const LowerTokens *tokens, NodeId id,
                        TokenSets *sets)
{
    Ranges ids = {0};
    Node n = ir_node(ir, id);
    bool ok = !tokens || collect(ir, tokens, n, &ids);
    if (ok && has_never(ir, n)) ok = add_id(ir, &ids, TOKEN_NEVER);
    NodeId to = ok ? ir_tokens(ir, ids.at, ids.count, false) : NODE_NEVER_ID;
    vec_free(ir->mem, &ids);
    if (ok && vec_push(ir->mem, &sets->from, id) &&
        vec_push(ir->mem, &sets->to, to))
        return ir_ok(ir);
    return diag_no_memory(&ir->error);
}

bool tokens_resolve(Ir *ir, const LowerTokens *tokens, TokenSets *sets)
{
    uint32_t nnodes = ir->nodes.count;
    for (NodeId id = 0; id < nnodes; id++)
        if (ir->nodes.at[id].kind == NODE_TOKENS &&
            !resolve_one(ir, tokens, id, sets))
            return false;
    return true;
}

void tokens_free(const Mem *mem, TokenSets *sets)
{
    vec_free(mem, &sets->from);
    vec_free(mem, &sets->to);
}

NodeId tokens_find(const TokenSets *sets, NodeId id)
{
    for (uint32_t i = 0; i < sets->from.count; i++)
        if (sets->from.at[i] == id) return sets->to.at[i];
    return id;
}
