/* ir_print.c: the IR as text, and a hash of what that text says.
 *
 * In:  rules and expressions. Out: one line a rule, in the notation of
 * docs/ir.md: the root first, then the others by number.
 * Method: a work list of pieces still to be written, so that depth costs
 * memory and not stack. The hash goes bottom-up: kids have smaller ids than
 * what holds them.
 * Cost: linear in the text; the hash linear in the pools.
 * Tests: unit/ir_test.c.
 */
#include "syntax/ir.h"

#include "base/utf8.h"
#include "syntax/ir_dfa.h"
#include "syntax/ir_list.h"
#include "lang/lax.h"

/* How tightly a piece binds; weaker ones need parentheses. */
typedef enum Level { LEVEL_ALT, LEVEL_SEQ, LEVEL_POSTFIX, LEVEL_ATOM } Level;

/* Something to be written. */
typedef enum PieceKind {
    PIECE_NODE, /* where nothing weaker than `level` may stand */
    PIECE_TEXT,
    PIECE_COUNT, /* of the REPEAT `node` */
    PIECE_ITEM,  /* kind number `index` of the LIST `node` */
    PIECE_MARKS, /* and what that counts */
    PIECE_END    /* what the LIST `node` counts in all */
} PieceKind;

typedef struct Piece {
    PieceKind kind;
    const char *text;
    NodeId node;
    Level level;
    uint32_t index;
} Piece;

typedef struct Printer {
    const Ir *ir;
    Out *out;
    VEC(Piece) todo; /* the last comes first */
    bool failed;
} Printer;

static void push(Printer *p, Piece piece)
{
    if (!vec_push(p->ir->mem, &p->todo, piece)) p->failed = true;
}

static void push_text(Printer *p, const char *text)
{
    push(p, (Piece){.kind = PIECE_TEXT, .text = text});
}

static void push_node(Printer *p, NodeId node, Level level)
{
    push(p, (Piece){PIECE_NODE, .node = node, .level = level});
}

/* ---- leaves ---- */

static void print_class_rune(Out *out, uint32_t rune)
{
    if (rune == '\n')
        out_text(out, "\\n");
    else if (rune == '\r')
        out_text(out, "\\r");
    else if (rune == '\t')
        out_text(out, "\\t");
    else if (rune < 0x7F && rune >= 0x20)
        out_format(out, strchr("]-^\\", (int)rune) ? "\\%c" : "%c", (int)rune);
    else if (rune < 0x100)
        out_format(out, "\\x%02X", (unsigned)rune);
    else if (rune < 0x10000)
        out_format(out, "\\u%04X", (unsigned)rune);
    else
        out_format(out, "\\U%08X", (unsigned)rune);
}

static void print_span(Out *out, uint32_t lo, uint32_t hi)
{
    if (lo > hi) return;
    print_class_rune(out, lo);
    if (lo == hi) return;
    if (hi > lo + 1) out_text(out, "-");
    print_class_rune(out, hi);
}

/* The code points of [lo, hi] that are not surrogates. */
static void print_gap(Out *out, uint32_t lo, uint32_t hi)
{
    print_span(out, lo, MIN(hi, 0xD7FF));
    print_span(out, MAX(lo, 0xE000), hi);
}

/* A class that is read as llama.cpp reads it: a wary one by what it lacks. */
static void print_lax(Out *out, const Range *r, Node n)
{
    bool wary = n.c & CLASS_WARY;
    uint32_t next = 1;
    out_text(out, wary ? "lax[^" : "lax[");
    for (uint32_t i = 0; i < n.b; i++) {
        print_span(out, wary ? next : r[i].lo, wary ? r[i].lo - 1 : r[i].hi);
        next = r[i].hi + 1;
    }
    if (wary) print_span(out, next, LAX_MAX);
    out_text(out, "]");
}

/* A class that holds the highest code point is shown by what it lacks. */
static void print_class(Out *out, const Range *r, Node n)
{
    uint32_t count = n.b;
    if (n.c) {
        print_lax(out, r, n);
        return;
    }
    bool negated = r[count - 1].hi == RUNE_MAX;
    out_text(out, negated ? "[^" : "[");
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!negated)
            print_span(out, r[i].lo, r[i].hi);
        else if (r[i].lo > next)
            print_gap(out, next, r[i].lo - 1);
        next = r[i].hi + 1;
    }
    out_text(out, "]");
}

static void print_tokens(Out *out, const Range *r, Node n)
{
    out_text(out, n.c ? "tokens(^" : "tokens(");
    for (uint32_t i = 0; i < n.b; i++) {
        if (i) out_text(out, ", ");
        if (r[i].lo == TOKEN_NEVER) {
            out_text(out, "never");
            continue;
        }
        out_format(out, "%u", r[i].lo);
        if (r[i].hi > r[i].lo) out_format(out, "-%u", r[i].hi);
    }
    out_text(out, ")");
}

static void print_state(Out *out, const Dfa *dfa, uint32_t state)
{
    uint32_t end = dfa->edge_start[state + 1];
    for (uint32_t i = dfa->edge_start[state]; i < end; i++) {
        DfaEdge e = dfa->edges[i];
        out_text(out, " [");
        print_span(out, e.lo, e.hi);
        out_format(out, "]>%u", e.to);
    }
}

/* 0 [a]>1; 1! [b-c]>0: states in order, accepting ones marked, and those in the
 * middle of a character. */
static void print_states(Out *out, const Dfa *dfa, const uint8_t *ticks)
{
    for (uint32_t s = 0; s < dfa->nstates; s++) {
        out_format(out, s ? "; %u" : "%u", s);
        if (dfa->accepts[s]) out_text(out, "!");
        if (ticks && !ticks[s]) out_text(out, "~");
        print_state(out, dfa, s);
    }
    out_text(out, ")");
}

static void print_regular(Out *out, const Dfa *dfa)
{
    out_text(out, "regular(");
    print_states(out, dfa, NULL);
}

static void print_bounded(Out *out, const BoundedSpec *spec)
{
    out_format(out, "bounded(%u; ", spec->hi);
    print_states(out, &spec->dfa, spec->ticks);
}

static bool is_plain(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.';
}

static bool name_is_plain(Span name)
{
    size_t i = 0;
    while (i < name.size && is_plain(name.at[i])) i++;
    return name.size && i == name.size &&
           !(name.at[0] >= '0' && name.at[0] <= '9');
}

static void print_name(const Ir *ir, Out *out, RuleId id)
{
    if (id >= ir->rules.count) {
        out_format(out, "<%u>", id);
        return;
    }
    Rule rule = ir->rules.at[id];
    if (name_is_plain(rule.name)) {
        out_bytes(out, rule.name);
    } else {
        out_text(out, "<");
        out_quoted(out, rule.name);
        out_text(out, ">");
    }
    if (rule.ordinal) out_format(out, "#%u", rule.ordinal + 1);
}

static void print_leaf(const Ir *ir, Out *out, Node n)
{
    switch (n.kind) {
    case NODE_NEVER:
        out_text(out, "[]");
        break;
    case NODE_EMPTY:
        out_text(out, "\"\"");
        break;
    case NODE_BYTES:
        out_quoted(out, ir_node_bytes(ir, n));
        break;
    case NODE_CLASS:
        print_class(out, ir_node_ranges(ir, n), n);
        break;
    case NODE_RULE:
        print_name(ir, out, n.a);
        break;
    case NODE_REGULAR:
        print_regular(out, &ir->dfas.at[n.a]);
        break;
    case NODE_BOUNDED:
        print_bounded(out, ir_node_bounded(ir, n));
        break;
    default:
        assert(n.kind == NODE_TOKENS);
        print_tokens(out, ir_node_ranges(ir, n), n);
    }
}

/* ---- what holds other nodes ---- */

/* "" | x is shown as x? */
static bool is_optional(const Ir *ir, Node n)
{
    return n.kind == NODE_ALT && ir_node_kids(ir, n)[0] == NODE_EMPTY_ID;
}

static Level node_level(const Ir *ir, Node n)
{
    if (n.kind == NODE_REPEAT || is_optional(ir, n)) return LEVEL_POSTFIX;
    if (n.kind == NODE_SEQ) return LEVEL_SEQ;
    return n.kind == NODE_ALT ? LEVEL_ALT : LEVEL_ATOM;
}

/* Kids [from, count) with `between` between them. */
static void push_kids(Printer *p, Node n, uint32_t from, const char *between,
                      Level level)
{
    for (uint32_t i = n.b; i-- > from;) {
        push_node(p, ir_node_kids(p->ir, n)[i], level);
        if (i > from) push_text(p, between);
    }
}

static void push_optional(Printer *p, Node n)
{
    push_text(p, n.b > 2 ? ")?" : "?");
    push_kids(p, n, 1, " | ", n.b > 2 ? LEVEL_SEQ : LEVEL_ATOM);
    if (n.b > 2) push_text(p, "(");
}

static void push_list(Printer *p, NodeId id, Node n)
{
    const ListSpec *list = ir_node_list(p->ir, n);
    push(p, (Piece){PIECE_END, .node = id});
    for (uint32_t i = list->nkinds; i-- > 0;)
        push(p, (Piece){PIECE_ITEM, .node = id, .index = i});
    push_node(p, list->separator, LEVEL_ALT);
    push_text(p, list->is_contiguous ? "list(contiguous " : "list(");
}

static void push_item(Printer *p, Piece piece)
{
    const ListSpec *list = ir_node_list(p->ir, ir_node(p->ir, piece.node));
    const ListKind *kind = &list->kinds[piece.index];
    out_format(p->out, "; %u: ", kind->order);
    piece.kind = PIECE_MARKS;
    push(p, piece);
    if (kind->tail != NODE_EMPTY_ID) {
        push_node(p, kind->tail, LEVEL_SEQ);
        push_text(p, " ~ ");
    }
    push_node(p, kind->head, LEVEL_SEQ);
}

static void print_marks(Out *out, const ListKind *kind)
{
    static const char *const unique[] = {"", " unique string", " unique value"};
    for (uint32_t i = 0; i < kind->ncounters; i++)
        out_format(out, " +%u", kind->counters[i]);
    out_text(out, unique[kind->unique]);
}

static void print_list_end(Out *out, const ListSpec *list)
{
    for (uint32_t i = 0; i < list->ncounters; i++) {
        ListCounter c = list->counters[i];
        out_format(out, c.hi == REPEAT_INF ? "; +%u{%u,}" : "; +%u{%u,%u}", i,
                   c.lo, c.hi);
    }
    for (uint32_t i = 0; i < list->nneeds; i++) {
        const ListNeed *n = &list->needs[i];
        for (uint32_t k = 0; k < n->nwhen; k++)
            out_format(out, k ? " +%u" : "; +%u", n->when[k]);
        out_format(out, " needs +%u", n->then);
    }
    out_text(out, ")");
}

static void push_body(Printer *p, NodeId id, Node n)
{
    if (is_optional(p->ir, n)) {
        push_optional(p, n);
    } else if (n.kind == NODE_ALT) {
        push_kids(p, n, 0, " | ", LEVEL_SEQ);
    } else if (n.kind == NODE_SEQ) {
        push_kids(p, n, 0, " ", LEVEL_POSTFIX);
    } else {
        push(p, (Piece){PIECE_COUNT, .node = id});
        push_node(p, n.a, LEVEL_ATOM);
    }
}

static void print_count(Out *out, Node n)
{
    if (n.c == REPEAT_INF && n.b < 2)
        out_text(out, n.b ? "+" : "*");
    else if (n.c == REPEAT_INF)
        out_format(out, "{%u,}", n.b);
    else if (n.b == n.c)
        out_format(out, "{%u}", n.b);
    else
        out_format(out, "{%u,%u}", n.b, n.c);
}

static void print_node(Printer *p, Piece piece, Node n)
{
    if (n.kind == NODE_LIST) {
        push_list(p, piece.node, n);
    } else if (node_level(p->ir, n) == LEVEL_ATOM) {
        print_leaf(p->ir, p->out, n);
    } else if (node_level(p->ir, n) >= piece.level) {
        push_body(p, piece.node, n);
    } else {
        push_text(p, ")");
        push_body(p, piece.node, n);
        out_text(p->out, "(");
    }
}

static void print_piece(Printer *p, Piece piece)
{
    if (piece.kind == PIECE_TEXT) {
        out_text(p->out, piece.text);
        return;
    }
    Node n = ir_node(p->ir, piece.node);
    switch (piece.kind) {
    case PIECE_COUNT:
        print_count(p->out, n);
        break;
    case PIECE_ITEM:
        push_item(p, piece);
        break;
    case PIECE_MARKS:
        print_marks(p->out, &ir_node_list(p->ir, n)->kinds[piece.index]);
        break;
    case PIECE_END:
        print_list_end(p->out, ir_node_list(p->ir, n));
        break;
    default:
        print_node(p, piece, n);
    }
}

static void print_expression(Printer *p, NodeId node)
{
    push_node(p, node, LEVEL_ALT);
    while (p->todo.count && !p->failed)
        print_piece(p, p->todo.at[--p->todo.count]);
    if (p->failed) out_text(p->out, "(out of memory)");
}

void ir_print_node(const Ir *ir, NodeId node, Out *out)
{
    Printer p = {.ir = ir, .out = out};
    print_expression(&p, node);
    vec_free(ir->mem, &p.todo);
}

/* ---- rules ---- */

/* What stands in brackets after a rule's name. */
typedef struct Attributes {
    Out *out;
    bool any;
} Attributes;

static void attribute(Attributes *a, const char *name)
{
    out_text(a->out, a->any ? ", " : "[");
    out_text(a->out, name);
    a->any = true;
}

static void attribute_number(Attributes *a, const char *name, uint32_t value)
{
    attribute(a, name);
    out_format(a->out, "=%u", value);
}

static void attribute_text(Attributes *a, const char *name, Span text)
{
    attribute(a, name);
    out_text(a->out, "=");
    out_quoted(a->out, text);
}

static void print_options(const Ir *ir, Attributes *a, const RuleOptions *o)
{
    if (o->has & RULE_HAS_MAX_TOKENS)
        attribute_number(a, "max_tokens", o->max_tokens);
    if (o->has & RULE_HAS_MAX_CHARS)
        attribute_number(a, "max_chars", o->max_chars);
    if (o->has & RULE_HAS_TEMPERATURE) {
        attribute(a, "temperature=");
        out_bytes(a->out, o->temperature_text);
    }
    if (o->has & RULE_HAS_CAPTURE) attribute_text(a, "capture", o->capture);
    if (o->has & RULE_HAS_STOP_CAPTURE)
        attribute_text(a, "stop_capture", o->stop_capture);
    if (o->hidden_suffix)
        attribute_number(a, "hidden_suffix", o->hidden_suffix);
    if (o->hidden_stop) attribute_number(a, "hidden_stop", o->hidden_stop);
    if (o->has & RULE_HAS_HIDDEN_RULES) {
        attribute(a, "hidden_body=");
        print_name(ir, a->out, o->hidden_body);
        attribute(a, "hidden_marker=");
        print_name(ir, a->out, o->hidden_marker);
    }
}

static void print_attributes(const Ir *ir, Out *out, Rule rule)
{
    Attributes a = {.out = out};
    if (rule.flags & RULE_SHARED)
        attribute(&a, "shared");
    else if (rule.flags & RULE_FRAME)
        attribute(&a, "frame");
    if (rule.flags & RULE_SPACE) attribute(&a, "space");
    if (rule.options) print_options(ir, &a, rule.options);
    if (a.any) out_text(out, "]");
}

static void print_rule(Printer *p, RuleId id)
{
    Rule rule = p->ir->rules.at[id];
    print_name(p->ir, p->out, id);
    print_attributes(p->ir, p->out, rule);
    out_text(p->out, " ::= ");
    if (rule.is_defined)
        print_expression(p, rule.body);
    else
        out_text(p->out, "?");
    out_text(p->out, "\n");
}

/* Which rule stands on line `place`: the root first, then by number. */
static RuleId rule_at(const Ir *ir, uint32_t place)
{
    if (ir->root >= ir->rules.count || place > ir->root) return place;
    return place ? place - 1 : ir->root;
}

static uint32_t rule_place(const Ir *ir, RuleId id)
{
    if (ir->root >= ir->rules.count || id > ir->root) return id;
    return id < ir->root ? id + 1 : 0;
}

void ir_print(const Ir *ir, Out *out)
{
    Printer p = {.ir = ir, .out = out};
    for (uint32_t i = 0; i < ir->rules.count && !p.failed; i++)
        print_rule(&p, rule_at(ir, i));
    vec_free(ir->mem, &p.todo);
}

/* ---- hash ---- */

static uint64_t hash_ranges(uint64_t h, const Range *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        h = hash_mix(h, (uint64_t)r[i].lo << 32 | r[i].hi);
    return h;
}

/* By node: hashes of what its kids are must be known. */
static uint64_t hash_node(const Ir *ir, Node n, const uint64_t *node_hash)
{
    uint64_t h = hash_mix(FNV_SEED, n.kind);
    switch (n.kind) {
    case NODE_BYTES:
        return hash_bytes(h, vec_from(&ir->bytes, n.a), n.b);
    case NODE_CLASS:
    case NODE_TOKENS:
        return hash_ranges(hash_mix(h, n.c), ir_node_ranges(ir, n), n.b);
    case NODE_SEQ:
    case NODE_ALT:
        for (uint32_t i = 0; i < n.b; i++)
            h = hash_mix(h, node_hash[ir_node_kids(ir, n)[i]]);
        return h;
    case NODE_REPEAT:
        return hash_mix(hash_mix(h, node_hash[n.a]), (uint64_t)n.b << 32 | n.c);
    case NODE_RULE:
        return hash_mix(h, rule_place(ir, n.a));
    case NODE_REGULAR:
        return hash_mix(h, dfa_hash(&ir->dfas.at[n.a]));
    case NODE_BOUNDED:
        return hash_mix(h, bounded_hash(ir_node_bounded(ir, n)));
    case NODE_LIST:
        return list_hash(h, ir_node_list(ir, n), node_hash);
    default:
        return h;
    }
}

static uint64_t hash_text(uint64_t h, Span text)
{
    return hash_bytes(h, text.at, text.size);
}

static uint64_t hash_options(const Ir *ir, uint64_t h, const RuleOptions *o)
{
    h = hash_text(hash_mix(h, o->has), o->temperature_text);
    h = hash_mix(h, (uint64_t)o->max_tokens << 32 | o->max_chars);
    h = hash_mix(h, (uint64_t)o->hidden_suffix << 32 | o->hidden_stop);
    if (o->has & RULE_HAS_HIDDEN_RULES) {
        h = hash_mix(h, rule_place(ir, o->hidden_body));
        h = hash_mix(h, rule_place(ir, o->hidden_marker));
    }
    return hash_text(hash_text(h, o->capture), o->stop_capture);
}

static uint64_t hash_rule(const Ir *ir, uint64_t h, Rule rule,
                          const uint64_t *node_hash)
{
    h = hash_mix(hash_text(h, rule.name), rule.ordinal);
    h = hash_mix(h, (uint64_t)rule.flags << 1 | rule.is_defined);
    if (rule.options) h = hash_options(ir, h, rule.options);
    return rule.is_defined ? hash_mix(h, node_hash[rule.body]) : h;
}

uint64_t ir_hash(const Ir *ir)
{
    uint32_t count = ir->nodes.count;
    size_t nbytes = size_mul(count, sizeof(uint64_t));
    uint64_t *node_hash = mem_new(ir->mem, nbytes);
    if (!node_hash) return 0;
    for (NodeId id = 0; id < count; id++)
        node_hash[id] = hash_node(ir, ir_node(ir, id), node_hash);
    uint64_t h = FNV_SEED;
    for (uint32_t i = 0; i < ir->rules.count; i++)
        h = hash_rule(ir, h, ir->rules.at[rule_at(ir, i)], node_hash);
    mem_free(ir->mem, node_hash, nbytes);
    return h ? h : 1;
}
