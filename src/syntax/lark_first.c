/* lark_first.c: which rules may be empty, and which lexemes that end early
 * they may begin with.
 *
 * Method: all calls that the root's leads to are found, parameters and all;
 * then what is known of each is worked out from what is known of the others
 * until nothing changes. Sets of lexemes are interned, so that equal ones have
 * one number.
 * Cost:  the calls' nodes, times the depth of what depends on what at worst;
 *        charged to the limit of work.
 * Tests: unit/lark_recorded_test.c
 */
#include "syntax/lark_emit.h"

/* ---- sets ---- */

static Span set_span(const LarkEmit *e, LarkSet set)
{
    LarkSetSpan s = e->sets.at[set];
    return span_of(vec_from(&e->set_items, s.first),
                   s.count * sizeof(uint32_t));
}

/* The set of e->merged. */
static LarkSet intern(LarkEmit *e)
{
    const Mem *mem = e->ir->mem;
    uint32_t n = e->merged.count;
    Span items = span_of(e->merged.at, n * sizeof(uint32_t));
    if (!n) return 0;
    uint64_t h = hash_bytes(11, items.at, items.size);
    for (MapPos p = map_first(&e->set_index, h); p.value != MAP_NONE;
         p = map_next(&e->set_index, h, p))
        if (span_equal(set_span(e, p.value), items)) return p.value;
    LarkSetSpan set = {e->set_items.count, n};
    if (!vec_reserve(mem, &e->set_items, (size_t)set.first + n) ||
        !vec_push(mem, &e->sets, set) ||
        !map_add(mem, &e->set_index, h, e->sets.count - 1)) {
        emit_no_memory(e);
        return 0;
    }
    memcpy(e->set_items.at + set.first, e->merged.at, items.size);
    e->set_items.count += n;
    return e->sets.count - 1;
}

static void merge_item(LarkEmit *e, uint32_t item)
{
    if (!vec_push(e->ir->mem, &e->merged, item)) emit_no_memory(e);
}

LarkSet emit_union(LarkEmit *e, LarkSet a, LarkSet b)
{
    if (a == b || !b || !ir_ok(e->ir)) return a;
    if (!a) return b;
    LarkSetSpan x = e->sets.at[a], y = e->sets.at[b];
    const uint32_t *at = e->set_items.at;
    uint32_t i = 0, j = 0;
    e->merged.count = 0;
    while (i < x.count || j < y.count) {
        uint32_t p = i < x.count ? at[x.first + i] : UINT32_MAX;
        uint32_t q = j < y.count ? at[y.first + j] : UINT32_MAX;
        merge_item(e, MIN(p, q));
        i += p <= q;
        j += q <= p;
    }
    return ir_ok(e->ir) ? intern(e) : 0;
}

LarkSet emit_single(LarkEmit *e, uint32_t symbol)
{
    e->merged.count = 0;
    merge_item(e, symbol);
    return ir_ok(e->ir) ? intern(e) : 0;
}

/* ---- lexemes ---- */

static bool node_nullable(const LarkEmit *e, Node n)
{
    const uint8_t *known = e->lexeme_nullable.at;
    switch (n.kind) {
    case NODE_EMPTY:
        return true;
    case NODE_REGULAR: {
        const Dfa *dfa = ir_node_dfa(e->ir, n);
        return dfa->nstates && dfa->accepts[0];
    }
    case NODE_REPEAT:
        return !n.b || known[n.a];
    case NODE_SEQ:
        for (uint32_t i = 0; i < n.b; i++)
            if (!known[ir_node_kids(e->ir, n)[i]]) return false;
        return true;
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            if (known[ir_node_kids(e->ir, n)[i]]) return true;
        return false;
    default:
        return false;
    }
}

/* Operands have smaller ids, and lexemes name no rules. */
bool emit_is_nullable(LarkEmit *e, NodeId lexeme)
{
    uint32_t known = e->lexeme_nullable.count, want = e->ir->nodes.count;
    if (!vec_reserve(e->ir->mem, &e->lexeme_nullable, want))
        return emit_no_memory(e);
    for (; known < want; known++)
        e->lexeme_nullable.at[known] = node_nullable(e, ir_node(e->ir, known));
    e->lexeme_nullable.count = known;
    return e->lexeme_nullable.at[lexeme];
}

/* ---- calls ---- */

uint32_t emit_call(LarkEmit *e, uint32_t symbol, uint64_t value)
{
    const Mem *mem = e->ir->mem;
    uint64_t h = hash_mix(hash_mix(12, symbol), value);
    for (MapPos p = map_first(&e->call_index, h); p.value != MAP_NONE;
         p = map_next(&e->call_index, h, p)) {
        const LarkCall *c = &e->calls.at[p.value];
        if (c->symbol == symbol && c->value == value) return p.value;
    }
    const LarkSymbol *s = emit_symbol(e, symbol);
    if (e->calls.count >= e->ir->limits.max_rules) {
        diag_fail(&e->ir->error, WEIR_LIMIT_RULES, s->begin, s->end,
                  "rules with parameters make more than %u rules (limit "
                  "max_rules)",
                  e->ir->limits.max_rules);
        diag_pointer(&e->ir->error, lark_symbol_name(e->k, s));
        return LARK_NONE;
    }
    LarkCall call = {.symbol = symbol, .value = value};
    if (vec_push(mem, &e->calls, call) &&
        map_add(mem, &e->call_index, h, e->calls.count - 1))
        return e->calls.count - 1;
    emit_no_memory(e);
    return LARK_NONE;
}

/* A parameter is given to those that take one, and to no others. */
static bool check_argument(LarkEmit *e, const LarkNode *n)
{
    const LarkSymbol *s = emit_symbol(e, n->a);
    LarkWord at = {LARK_RULE, n->begin, n->end};
    if (s->is_parametric == (n->b != LARK_NONE)) return true;
    return lark_fail(e->k, at, WEIR_SYNTAX,
                     s->is_parametric
                         ? "rule \"%s\" takes a parameter, expected ::value"
                         : "rule \"%s\" takes no parameter, found ::",
                     diag_shown(lark_symbol_name(e->k, s)).text);
}

static bool is_alive(const LarkEmit *e, const LarkNode *n, uint64_t value)
{
    return n->kind != LARK_GUARDED || lark_param_holds(e->k, n->b, value);
}

/* Which nodes of the body count: those in a guarded part that does not hold do
 * not. Parents stand behind their operands. */
static bool find_alive(LarkEmit *e, const LarkSymbol *s, uint64_t value)
{
    uint32_t n = s->body - s->first + 1;
    if (!vec_reserve(e->ir->mem, &e->need, n)) return emit_no_memory(e);
    memset(e->need.at, 0, n);
    e->need.at[n - 1] = 1;
    for (uint32_t i = n; i-- > 0;) {
        const LarkNode *node = emit_node(e, s->first + i);
        if (!e->need.at[i] || !is_alive(e, node, value)) continue;
        if (node->kind == LARK_SEQ || node->kind == LARK_ALT)
            for (uint32_t j = 0; j < node->b; j++)
                e->need.at[e->k->kids.at[node->a + j] - s->first] = 1;
        else if (node->kind == LARK_REPEAT || node->kind == LARK_GUARDED)
            e->need.at[node->a - s->first] = 1;
    }
    return true;
}

static bool find_named(LarkEmit *e, uint32_t index)
{
    LarkCall call = e->calls.at[index];
    const LarkSymbol *s = emit_symbol(e, call.symbol);
    if (!find_alive(e, s, call.value)) return false;
    for (LarkId i = s->first; i <= s->body; i++) {
        const LarkNode *n = emit_node(e, i);
        if (n->kind != LARK_NAME) continue;
        if (!check_argument(e, n)) break;
        e->has_early |= emit_symbol(e, n->a)->ends != LARK_ENDS_LONG;
        if (emit_symbol(e, n->a)->is_lexeme || !e->need.at[i - s->first])
            continue;
        uint64_t value = lark_param_value(e->k, n->b, call.value);
        if (emit_call(e, n->a, value) == LARK_NONE) return false;
    }
    if (!ir_ok(e->ir)) diag_pointer(&e->ir->error, lark_symbol_name(e->k, s));
    return ir_ok(e->ir);
}

/* ---- what a body begins with ---- */

typedef struct Look {
    bool is_nullable;
    LarkSet first;
} Look;

static Look look_at(const LarkEmit *e, LarkId base, LarkId id)
{
    return (Look){e->nullable.at[id - base], e->first.at[id - base]};
}

static Look look_name(LarkEmit *e, const LarkNode *n, uint64_t value)
{
    const LarkSymbol *s = emit_symbol(e, n->a);
    if (s->is_lexeme) {
        bool is_early = s->ends != LARK_ENDS_LONG;
        return (Look){emit_is_nullable(e, s->value),
                      is_early ? emit_single(e, n->a) : 0};
    }
    uint32_t call = emit_call(e, n->a, lark_param_value(e->k, n->b, value));
    if (call == LARK_NONE) return (Look){0};
    return (Look){e->calls.at[call].is_nullable, e->calls.at[call].first};
}

static Look look_list(LarkEmit *e, LarkId base, const LarkNode *n)
{
    bool is_seq = n->kind == LARK_SEQ;
    Look all = {is_seq, 0};
    for (uint32_t i = 0; i < n->b; i++) {
        Look kid = look_at(e, base, e->k->kids.at[n->a + i]);
        if (!is_seq || all.is_nullable)
            all.first = emit_union(e, all.first, kid.first);
        all.is_nullable = is_seq ? all.is_nullable && kid.is_nullable
                                 : all.is_nullable || kid.is_nullable;
    }
    return all;
}

static Look look_node(LarkEmit *e, LarkId base, const LarkNode *n,
                      uint64_t value)
{
    switch (n->kind) {
    case LARK_EMPTY:
        return (Look){true, 0};
    case LARK_LEXEME:
        return (Look){emit_is_nullable(e, n->a), 0};
    case LARK_NAME:
        return look_name(e, n, value);
    case LARK_SEQ:
    case LARK_ALT:
        return look_list(e, base, n);
    case LARK_REPEAT: {
        Look kid = look_at(e, base, n->a);
        kid.is_nullable |= !n->b;
        return n->c ? kid : (Look){true, 0};
    }
    case LARK_GUARDED:
        return is_alive(e, n, value) ? look_at(e, base, n->a) : (Look){0};
    default:
        return (Look){0};
    }
}

bool emit_look(LarkEmit *e, const LarkCall *call)
{
    const LarkSymbol *s = emit_symbol(e, call->symbol);
    uint64_t value = call->value;
    uint32_t n = s->body - s->first + 1;
    if (!vec_reserve(e->ir->mem, &e->nullable, n) ||
        !vec_reserve(e->ir->mem, &e->first, n) || !find_alive(e, s, value))
        return emit_no_memory(e);
    for (uint32_t i = 0; i < n && ir_ok(e->ir); i++) {
        Look look = {0};
        if (e->need.at[i])
            look = look_node(e, s->first, emit_node(e, s->first + i), value);
        e->nullable.at[i] = look.is_nullable;
        e->first.at[i] = look.first;
    }
    return ir_ok(e->ir);
}

/* Looks at all calls once. */
static bool look_again(LarkEmit *e, bool *has_changed)
{
    *has_changed = false;
    for (uint32_t i = e->calls.count; i-- > 0;) {
        LarkCall call = e->calls.at[i];
        const LarkSymbol *s = emit_symbol(e, call.symbol);
        uint32_t n = s->body - s->first + 1;
        if (!lang_charge(&e->k->lang.lang, n) || !emit_look(e, &call))
            return false;
        LarkCall *c = &e->calls.at[i];
        *has_changed |= c->is_nullable != e->nullable.at[n - 1] ||
                        c->first != e->first.at[n - 1];
        c->is_nullable = e->nullable.at[n - 1];
        c->first = e->first.at[n - 1];
    }
    return true;
}

bool emit_find_calls(LarkEmit *e, uint32_t root)
{
    bool has_changed = true;
    if (emit_call(e, root, 0) == LARK_NONE) return false;
    for (uint32_t i = 0; i < e->calls.count; i++)
        if (!find_named(e, i)) return false;
    while (has_changed)
        if (!look_again(e, &has_changed)) return false;
    return true;
}
