/* lark_emit.c: see lark_emit.h.
 *
 * Method: instances wait in a list; each gets its body, part by part, operands
 * first, or place by place (lark_state.c) where it matters what may begin
 * beside what.
 * Cost:  linear in the instances' nodes, but for lark_state.c. No recursion.
 * Tests: unit/lark_test.c, unit/lark_recorded_test.c
 */
#include "syntax/lark_emit.h"

#include <stdio.h>

bool emit_no_memory(LarkEmit *e)
{
    return diag_no_memory(&e->ir->error);
}

/* ---- instances ---- */

/* Flags without a meaning are left out, so that equal bodies are one. */
static void normalise(LarkEmit *e, LarkInstance *in)
{
    bool is_nullable = in->is_lexeme
                           ? emit_is_nullable(e, emit_symbol(e, in->of)->value)
                           : e->calls.at[in->of].is_nullable;
    if (in->is_lexeme || e->blanks == NODE_EMPTY_ID)
        in->flags &= ~(uint32_t)INSTANCE_BARE;
    if (!is_nullable) in->flags &= ~(uint32_t)INSTANCE_FULL;
    if (in->is_lexeme) in->after = 0;
}

static uint32_t instance_symbol(const LarkEmit *e, const LarkInstance *in)
{
    return in->is_lexeme ? in->of : e->calls.at[in->of].symbol;
}

/* name, or name::value */
static RuleId new_rule(LarkEmit *e, const LarkInstance *in)
{
    const LarkSymbol *s = emit_symbol(e, instance_symbol(e, in));
    Span name = lark_symbol_name(e->k, s);
    char text[160];
    if (s->is_parametric) {
        int n = snprintf(text, sizeof text, "%.*s::%llu",
                         (int)MIN(name.size, 100), (const char *)name.at,
                         (unsigned long long)e->calls.at[in->of].value);
        name = span_of(text, (size_t)n);
    }
    RuleId rule = ir_rule_new(e->ir, name, 0);
    if (!ir_ok(e->ir)) return rule;
    e->ir->rules.at[rule].begin = s->begin;
    e->ir->rules.at[rule].end = s->end;
    if (s->options.has || s->options.hidden_suffix || s->options.hidden_stop)
        ir_rule_options(e->ir, rule, &s->options);
    return rule;
}

static bool same_instance(const LarkInstance *a, const LarkInstance *b)
{
    return a->is_lexeme == b->is_lexeme && a->of == b->of &&
           a->flags == b->flags && a->rivals == b->rivals &&
           a->after == b->after;
}

/* A reference to the rule of an instance, made if need be. */
static NodeId instance_node(LarkEmit *e, LarkInstance in)
{
    normalise(e, &in);
    uint64_t h = hash_mix(hash_mix(14, in.of), in.flags * 2 + in.is_lexeme);
    h = hash_mix(hash_mix(h, in.rivals), in.after);
    for (MapPos p = map_first(&e->instance_index, h); p.value != MAP_NONE;
         p = map_next(&e->instance_index, h, p))
        if (same_instance(&e->instances.at[p.value], &in))
            return ir_ref(e->ir, e->instances.at[p.value].rule);
    in.rule = new_rule(e, &in);
    if (!ir_ok(e->ir)) return NODE_NEVER_ID;
    if (!vec_push(e->ir->mem, &e->instances, in) ||
        !map_add(e->ir->mem, &e->instance_index, h, e->instances.count - 1))
        emit_no_memory(e);
    return ir_ref(e->ir, in.rule);
}

/* ---- atoms ---- */

NodeId emit_with_blanks(LarkEmit *e, NodeId node, uint32_t flags)
{
    return flags & INSTANCE_BARE ? node : ir_seq2(e->ir, node, e->blanks);
}

/* A terminal has a rule of its own, for what is printed of the grammar. */
static NodeId terminal_rule(LarkEmit *e, uint32_t symbol)
{
    LarkSymbol *s = &e->k->symbols.at[symbol];
    if (s->rule == RULE_NONE) {
        s->rule = ir_rule_new(e->ir, lark_symbol_name(e->k, s), 0);
        if (!ir_ok(e->ir)) return NODE_NEVER_ID;
        e->ir->rules.at[s->rule].begin = s->begin;
        e->ir->rules.at[s->rule].end = s->end;
        ir_rule_set(e->ir, s->rule, s->value);
    }
    return ir_ref(e->ir, s->rule);
}

/* Something that blanks stand behind, not in. */
typedef struct Unit {
    NodeId lexeme;   /* texts; or NODE_NEVER_ID and ... */
    uint32_t symbol; /* of a terminal; else LARK_NONE */
    LarkInstance instance;
    bool is_instance, is_nullable;
} Unit;

static NodeId unit_node(LarkEmit *e, const Unit *u, LarkUse use, uint32_t flags)
{
    if (u->is_instance) {
        LarkInstance in = u->instance;
        in.flags = flags | INSTANCE_BARE;
        in.rivals = use.rivals;
        in.after = use.after;
        return instance_node(e, in);
    }
    if (flags & INSTANCE_EMPTY) return NODE_EMPTY_ID;
    NodeId cut =
        emit_cut(e, u->lexeme, use.rivals, false, flags & INSTANCE_FULL);
    return cut == u->lexeme && u->symbol != LARK_NONE
               ? terminal_rule(e, u->symbol)
               : cut;
}

/* Blanks stand behind lexemes, also empty ones as in llguidance, but not where a
 * rule with options has none. */
static NodeId put_unit(LarkEmit *e, const Unit *u, LarkUse use)
{
    uint32_t full = use.flags & INSTANCE_FULL;
    bool is_bare = use.flags & INSTANCE_BARE || e->blanks == NODE_EMPTY_ID;
    if (is_bare) return unit_node(e, u, use, full);
    if (!u->is_nullable || full)
        return emit_with_blanks(e, unit_node(e, u, use, full), 0);
    NodeId node = emit_with_blanks(e, unit_node(e, u, use, INSTANCE_FULL), 0);
    return ir_alt2(e->ir, node, unit_node(e, u, use, INSTANCE_EMPTY));
}

static NodeId lexeme_atom(LarkEmit *e, NodeId lexeme, uint32_t symbol,
                          LarkUse use)
{
    Unit u = {.lexeme = lexeme, .symbol = symbol};
    return put_unit(e, &u, use);
}

static bool has_options(const LarkSymbol *s)
{
    return s->options.has != 0;
}

static NodeId name_atom(LarkEmit *e, const LarkNode *n, LarkUse use,
                        uint64_t value)
{
    const LarkSymbol *s = emit_symbol(e, n->a);
    bool is_early = s->ends != LARK_ENDS_LONG;
    if (s->is_lexeme && !is_early) return lexeme_atom(e, s->value, n->a, use);
    LarkInstance in = {.is_lexeme = is_early,
                       .of = n->a,
                       .flags = use.flags,
                       .rivals = use.rivals,
                       .after = use.after};
    if (!is_early)
        in.of = emit_call(e, n->a, lark_param_value(e->k, n->b, value));
    if (in.of == LARK_NONE) return NODE_NEVER_ID;
    if (!is_early && !has_options(s)) return instance_node(e, in);
    Unit u = {.symbol = LARK_NONE, .is_instance = true, .instance = in};
    u.is_nullable = !is_early && e->calls.at[in.of].is_nullable;
    return put_unit(e, &u, use);
}

NodeId emit_atom(LarkEmit *e, const LarkNode *n, LarkUse use, uint64_t value)
{
    if (!ir_ok(e->ir)) return NODE_NEVER_ID;
    switch (n->kind) {
    case LARK_LEXEME:
        return lexeme_atom(e, n->a, LARK_NONE, use);
    case LARK_NAME:
        return name_atom(e, n, use, value);
    default:
        assert(n->kind == LARK_PART);
        return emit_with_blanks(e, n->a, use.flags);
    }
}

bool emit_rest(const LarkEmit *e, LarkId stopped, LarkId next, Span *rest)
{
    const LarkNode *a = emit_node(e, stopped), *b = emit_node(e, next);
    if (a->kind != LARK_NAME || b->kind != LARK_LEXEME) return false;
    const LarkSymbol *s = emit_symbol(e, a->a);
    if (s->ends != LARK_ENDS_STOP) return false;
    NodeId stop = emit_symbol(e, s->marker)->value;
    Node x = ir_node(e->ir, stop), y = ir_node(e->ir, b->a);
    if (x.kind != NODE_BYTES || y.kind != NODE_BYTES) return false;
    Span text = ir_node_bytes(e->ir, y), begin = ir_node_bytes(e->ir, x);
    if (!span_starts(text, begin)) return false;
    /* A copy: the Ir's own texts move when it gets others. */
    size_t size = text.size - begin.size;
    const uint8_t *copy =
        size ? arena_copy(&e->ir->arena, text.at + begin.size, size) : NULL;
    if (size && !copy) diag_no_memory(&e->ir->error);
    *rest = span_of(copy, copy ? size : 0);
    return true;
}

/* ---- bodies, part by part ---- */

typedef enum NeedFlag { NEED_BLANKS = 1, NEED_BARE = 2 } NeedFlag;

typedef struct Body {
    LarkEmit *e;
    const LarkSymbol *symbol;
    uint64_t value;
} Body;

static uint8_t *need_of(const Body *b, LarkId id)
{
    return &b->e->need.at[id - b->symbol->first];
}

/* The operands of a sequence, and whether each is the last. */
static LarkId kid_of(const Body *b, const LarkNode *n, uint32_t i)
{
    return b->e->k->kids.at[n->a + i];
}

static void need_kids(const Body *b, const LarkNode *n, uint8_t need)
{
    bool is_list = n->kind == LARK_SEQ || n->kind == LARK_ALT;
    for (uint32_t i = 0; is_list && i < n->b; i++) {
        bool is_inner = n->kind == LARK_SEQ && i + 1 < n->b;
        *need_of(b, kid_of(b, n, i)) |= is_inner ? (uint8_t)NEED_BLANKS : need;
    }
    if (n->kind == LARK_GUARDED && lark_param_holds(b->e->k, n->b, b->value))
        *need_of(b, n->a) |= need;
    if (n->kind == LARK_REPEAT)
        *need_of(b, n->a) |= need & NEED_BARE ? need | NEED_BLANKS : need;
}

static void find_need(const Body *b, uint32_t flags)
{
    LarkEmit *e = b->e;
    uint32_t count = b->symbol->body - b->symbol->first + 1;
    bool is_bare = flags & INSTANCE_BARE && e->blanks != NODE_EMPTY_ID;
    memset(e->need.at, 0, count);
    e->need.at[count - 1] = is_bare ? NEED_BARE : NEED_BLANKS;
    for (uint32_t i = count; i-- > 0;)
        if (e->need.at[i])
            need_kids(b, emit_node(e, b->symbol->first + i), e->need.at[i]);
}

static NodeId made_of(const Body *b, LarkId id, bool is_bare)
{
    return b->e->made[is_bare].at[id - b->symbol->first];
}

static void push_made(const Body *b, NodeId node)
{
    if (!vec_push(b->e->ir->mem, &b->e->list, node)) emit_no_memory(b->e);
}

/* A string behind a rule that its beginning stops. */
static NodeId stopped_node(const Body *b, LarkId stopped, Span rest,
                           bool is_bare)
{
    LarkEmit *e = b->e;
    LarkUse use = {INSTANCE_BARE, 0, 0};
    NodeId text = rest.size ? ir_bytes(e->ir, rest) : NODE_EMPTY_ID;
    NodeId node = emit_atom(e, emit_node(e, stopped), use, b->value);
    return emit_with_blanks(e, ir_seq2(e->ir, node, text),
                            is_bare ? INSTANCE_BARE : 0);
}

static NodeId sequence_node(const Body *b, const LarkNode *n, bool is_bare)
{
    LarkEmit *e = b->e;
    e->list.count = 0;
    for (uint32_t i = 0; i < n->b; i++) {
        Span rest;
        LarkId kid = kid_of(b, n, i);
        if (i + 1 < n->b && emit_rest(e, kid, kid_of(b, n, i + 1), &rest)) {
            bool is_last = ++i + 1 == n->b;
            push_made(b, stopped_node(b, kid, rest, is_bare && is_last));
        } else {
            push_made(b, made_of(b, kid, is_bare && i + 1 == n->b));
        }
    }
    return ir_ok(e->ir) ? ir_seq(e->ir, e->list.at, e->list.count)
                        : NODE_NEVER_ID;
}

static NodeId choice_node(const Body *b, const LarkNode *n, bool is_bare)
{
    LarkEmit *e = b->e;
    e->list.count = 0;
    for (uint32_t i = 0; i < n->b; i++)
        push_made(b, made_of(b, kid_of(b, n, i), is_bare));
    return ir_ok(e->ir) ? ir_alt(e->ir, e->list.at, e->list.count)
                        : NODE_NEVER_ID;
}

static NodeId repeat_node(const Body *b, const LarkNode *n, bool is_bare)
{
    Ir *ir = b->e->ir;
    NodeId kid = made_of(b, n->a, false);
    if (!is_bare) return ir_repeat(ir, kid, n->b, n->c);
    if (!n->c) return NODE_EMPTY_ID;
    NodeId before = ir_repeat(ir, kid, n->b ? n->b - 1 : 0,
                              n->c == REPEAT_INF ? REPEAT_INF : n->c - 1);
    NodeId all = ir_seq2(ir, before, made_of(b, n->a, true));
    return n->b ? all : ir_optional(ir, all);
}

static NodeId part_node(const Body *b, const LarkNode *n, bool is_bare)
{
    LarkUse use = {is_bare ? INSTANCE_BARE : 0, 0, 0};
    switch (n->kind) {
    case LARK_EMPTY:
        return NODE_EMPTY_ID;
    case LARK_SEQ:
        return sequence_node(b, n, is_bare);
    case LARK_ALT:
        return choice_node(b, n, is_bare);
    case LARK_REPEAT:
        return repeat_node(b, n, is_bare);
    case LARK_GUARDED:
        return lark_param_holds(b->e->k, n->b, b->value)
                   ? made_of(b, n->a, is_bare)
                   : NODE_NEVER_ID;
    default:
        return emit_atom(b->e, n, use, b->value);
    }
}

/* e->need is made by find_need. */
static NodeId emit_parts(const Body *b)
{
    LarkEmit *e = b->e;
    uint32_t count = b->symbol->body - b->symbol->first + 1;
    for (int bare = 0; bare < 2; bare++)
        if (!vec_reserve(e->ir->mem, &e->made[bare], count))
            return emit_no_memory(e), NODE_NEVER_ID;
    for (uint32_t i = 0; i < count && ir_ok(e->ir); i++) {
        const LarkNode *n = emit_node(e, b->symbol->first + i);
        for (int bare = 0; bare < 2; bare++)
            if (e->need.at[i] & (bare ? NEED_BARE : NEED_BLANKS))
                e->made[bare].at[i] = part_node(b, n, bare);
    }
    bool is_bare = e->need.at[count - 1] & NEED_BARE;
    return ir_ok(e->ir) ? e->made[is_bare].at[count - 1] : NODE_NEVER_ID;
}

/* ---- which way ---- */

/* What is bare at its end has to know where it ends. */
static bool has_loose_end(const Body *b)
{
    const LarkEmit *e = b->e;
    LarkId first = b->symbol->first;
    for (LarkId id = first; id <= b->symbol->body; id++) {
        const LarkNode *n = emit_node(e, id);
        if (!(*need_of(b, id) & NEED_BARE)) continue;
        if (n->kind == LARK_SEQ &&
            e->nullable.at[kid_of(b, n, n->b - 1) - first])
            return true;
        if (n->kind == LARK_REPEAT && e->nullable.at[n->a - first]) return true;
    }
    return false;
}

static bool has_first(const Body *b)
{
    uint32_t count = b->symbol->body - b->symbol->first + 1;
    for (uint32_t i = 0; i < count; i++)
        if (b->e->first.at[i]) return true;
    return false;
}

static NodeId instance_body(LarkEmit *e, const LarkInstance *in)
{
    if (in->flags & INSTANCE_EMPTY) return NODE_EMPTY_ID;
    if (in->is_lexeme)
        return emit_cut(e, emit_symbol(e, in->of)->value, in->rivals, true,
                        in->flags & INSTANCE_FULL);
    LarkCall call = e->calls.at[in->of];
    Body b = {e, emit_symbol(e, call.symbol), call.value};
    if (!emit_look(e, &call)) return NODE_NEVER_ID;
    if (in->rivals || in->after || in->flags & INSTANCE_FULL || has_first(&b))
        return emit_states(e, in);
    find_need(&b, in->flags);
    return has_loose_end(&b) ? emit_states(e, in) : emit_parts(&b);
}

/* ---- the whole ---- */

/* A rule that stands for what `at` is about. */
static NodeId placed_rule(LarkEmit *e, Span name, const LarkSymbol *at,
                          NodeId body)
{
    RuleId rule = ir_rule_new(e->ir, name, 0);
    if (!ir_ok(e->ir)) return NODE_NEVER_ID;
    e->ir->rules.at[rule].begin = at->begin;
    e->ir->rules.at[rule].end = at->end;
    ir_rule_set(e->ir, rule, body);
    return ir_ref(e->ir, rule);
}

/* (X | Y)*, or at most one. */
static void make_blanks(LarkEmit *e)
{
    Lark *k = e->k;
    e->list.count = 0;
    e->blanks = NODE_EMPTY_ID;
    for (uint32_t i = 0; i < k->ignored.count; i++)
        if (!vec_push(e->ir->mem, &e->list,
                      emit_symbol(e, k->ignored.at[i])->value))
            emit_no_memory(e);
    if (!k->ignored.count || !ir_ok(e->ir)) return;
    NodeId one = ir_alt(e->ir, e->list.at, e->list.count);
    NodeId all = ir_repeat(e->ir, one, 0, k->skip_once ? 1 : REPEAT_INF);
    const LarkSymbol *first = emit_symbol(e, k->ignored.at[0]);
    e->blanks = placed_rule(e, SPAN("ignored"), first, all);
}

static void make_root(LarkEmit *e, uint32_t root)
{
    Ir *ir = e->ir;
    LarkNode call = {.kind = LARK_NAME, .a = root, .b = LARK_NONE};
    LarkUse use = {.rivals = e->calls.at[0].first};
    NodeId node = emit_atom(e, &call, use, 0);
    if (e->k->initial_skip) node = ir_seq2(ir, e->blanks, node);
    if (!ir_ok(ir)) return;
    Node n = ir_node(ir, node);
    if (n.kind != NODE_RULE) {
        node = placed_rule(e, SPAN("root"), emit_symbol(e, root), node);
        n = ir_node(ir, node);
    }
    if (ir_ok(ir)) ir->root = n.a;
}

static void emit_all(LarkEmit *e)
{
    for (uint32_t i = 0; i < e->instances.count && ir_ok(e->ir); i++) {
        LarkInstance in = e->instances.at[i];
        const LarkSymbol *s = emit_symbol(e, instance_symbol(e, &in));
        e->k->lang.lang.begin = s->begin;
        e->k->lang.lang.end = s->end;
        NodeId body = instance_body(e, &in);
        if (ir_ok(e->ir))
            ir_rule_set(e->ir, in.rule, body);
        else
            diag_pointer(&e->ir->error, lark_symbol_name(e->k, s));
    }
}

static void emit_free(LarkEmit *e)
{
    const Mem *mem = e->ir->mem;
    vec_free(mem, &e->calls);
    map_free(mem, &e->call_index);
    vec_free(mem, &e->instances);
    map_free(mem, &e->instance_index);
    vec_free(mem, &e->cuts);
    map_free(mem, &e->cut_index);
    vec_free(mem, &e->sets);
    vec_free(mem, &e->set_items);
    map_free(mem, &e->set_index);
    vec_free(mem, &e->lexeme_nullable);
    vec_free(mem, &e->nullable);
    vec_free(mem, &e->first);
    vec_free(mem, &e->need);
    vec_free(mem, &e->made[0]);
    vec_free(mem, &e->made[1]);
    vec_free(mem, &e->list);
    vec_free(mem, &e->merged);
}

bool lark_emit(Lark *k, uint32_t root)
{
    LarkEmit e = {.k = k, .ir = k->ir, .blanks = NODE_EMPTY_ID};
    if (!vec_push(k->ir->mem, &e.sets, (LarkSetSpan){0, 0})) emit_no_memory(&e);
    make_blanks(&e);
    if (ir_ok(k->ir) && emit_find_calls(&e, root)) make_root(&e, root);
    emit_all(&e);
    emit_free(&e);
    return ir_ok(k->ir);
}
