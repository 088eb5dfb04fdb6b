/* ir_regex.c: see ir_regex.h.
 *
 * What is written means the same to ECMAScript with the flag u, Rust, Python
 * and RE2: groups (?:...), characters as they are, \xHH for those that cannot
 * be seen, no class by name but [\s\S] for any character.
 * Method: a stack of what is still to be written. No recursion.
 * Cost:  linear in the text.
 * Tests: prop/convert_vs_oracle_test.c, unit/convert_test.c
 */
#include "convert/ir_regex.h"

#include "convert/conversion_text.h"

#include <stdio.h>

#include "base/utf8.h"

/* How tightly what surrounds a part binds. */
typedef enum Level { IN_CHOICE, IN_SEQUENCE, IN_REPEAT } Level;

typedef struct Todo {
    const char *text; /* this; or else ... */
    NodeId node;
    Level level;
} Todo;

typedef struct Pattern {
    Ir *ir;
    Scratch *out;
    VEC(Todo) todo; /* the next comes last */
    VEC(Range) ranges;
} Pattern;

static bool ok(const Pattern *p)
{
    return ir_ok(p->ir) && !p->out->arena->failed;
}

static void refuse(Pattern *p, const char *what)
{
    diag_fail(&p->ir->error, WEIR_UNSUPPORTED, 0, 0,
              "found %s, which a regular expression cannot say", what);
}

static void push(Pattern *p, Todo todo)
{
    if (!vec_push(p->ir->mem, &p->todo, todo)) diag_no_memory(&p->ir->error);
}

static void push_text(Pattern *p, const char *text)
{
    push(p, (Todo){.text = text});
}

static void push_node(Pattern *p, NodeId node, Level level)
{
    push(p, (Todo){NULL, node, level});
}

/* ---- characters ---- */

static void put_rune(Pattern *p, uint32_t rune, const char *special,
                     const char *hidden)
{
    char text[8];
    bool is_ascii = rune && rune < 0x80;
    bool is_hidden =
        rune < 0x20 || rune == 0x7F || (is_ascii && strchr(hidden, (int)rune));
    if (is_hidden) {
        snprintf(text, sizeof text, "\\x%02x", (unsigned)rune);
        scratch_text(p->out, text);
        return;
    }
    if (is_ascii && strchr(special, (int)rune)) scratch_text(p->out, "\\");
    uint8_t bytes[4];
    scratch_add(p->out, span_of(bytes, utf8_encode(rune, bytes)));
}

static void put_literal(Pattern *p, Span bytes)
{
    for (size_t i = 0; i < bytes.size && ok(p);) {
        uint32_t rune = utf8_decode(bytes, &i);
        if (rune == RUNE_BAD)
            refuse(p, "bytes that are not UTF-8");
        else
            put_rune(p, rune, "\\^$.*+?()[]{}|", "");
    }
}

/* Operators of sets in some languages are spelled by their numbers. */
static void put_member(Pattern *p, uint32_t rune)
{
    put_rune(p, rune, "\\]^-", "&~[");
}

static void put_ranges(Pattern *p)
{
    for (uint32_t i = 0; i < p->ranges.count; i++) {
        Range r = p->ranges.at[i];
        put_member(p, r.lo);
        if (r.hi > r.lo + 1) scratch_text(p->out, "-");
        if (r.hi > r.lo) put_member(p, r.hi);
    }
}

static void add_range(Pattern *p, uint32_t lo, uint32_t hi)
{
    if (lo <= hi && !vec_push(p->ir->mem, &p->ranges, (Range){lo, hi}))
        diag_no_memory(&p->ir->error);
}

/* The characters from lo up to `end`, surrogates left out. */
static void add_gap(Pattern *p, uint32_t lo, uint32_t end)
{
    if (lo < end) add_range(p, lo, MIN(end - 1, 0xD7FF));
    if (end > 0xE000) add_range(p, MAX(lo, 0xE000), end - 1);
}

/* The ranges of a class, or what lies between them; no surrogates. */
static void find_ranges(Pattern *p, Node n, bool negated)
{
    uint32_t next = 0;
    p->ranges.count = 0;
    for (uint32_t i = 0; i <= n.b; i++) {
        const Range *r = ir_node_ranges(p->ir, n) + i;
        if (!negated && i < n.b) add_range(p, r->lo, r->hi);
        if (!negated) continue;
        uint32_t end = i < n.b ? r->lo : RUNE_MAX + 1;
        add_gap(p, next, end);
        if (i < n.b) next = r->hi + 1;
    }
}

static void put_class(Pattern *p, Node n)
{
    const Range *r = ir_node_ranges(p->ir, n);
    bool negated = r[n.b - 1].hi == RUNE_MAX;
    bool is_one = n.b == 1 && r->lo == r->hi;
    if (is_one) {
        put_rune(p, r->lo, "\\^$.*+?()[]{}|", "");
        return;
    }
    find_ranges(p, n, negated);
    if (negated && !p->ranges.count) {
        scratch_text(p->out, "[\\s\\S]");
        return;
    }
    scratch_text(p->out, negated ? "[^" : "[");
    put_ranges(p);
    scratch_text(p->out, "]");
}

/* ---- expressions ---- */

static bool has_empty(const Pattern *p, Node n)
{
    for (uint32_t i = 0; n.kind == NODE_ALT && i < n.b; i++)
        if (ir_node_kids(p->ir, n)[i] == NODE_EMPTY_ID) return true;
    return false;
}

static void push_kids(Pattern *p, Node n, Level level)
{
    bool has = false;
    for (uint32_t i = n.b; i-- > 0;) {
        NodeId kid = ir_node_kids(p->ir, n)[i];
        if (kid == NODE_EMPTY_ID) continue;
        if (has && level == IN_CHOICE) push_text(p, "|");
        push_node(p, kid, level);
        has = true;
    }
}

/* Whether an operator behind what is written takes all of it. */
static bool is_tight(const Pattern *p, Node n)
{
    if (n.kind == NODE_CLASS) return true;
    return n.kind == NODE_BYTES &&
           n.b == utf8_lead_size(ir_node_bytes(p->ir, n).at[0]);
}

/* (?:x|y)? for a choice that the empty text is in. */
static void push_optional(Pattern *p, Node n)
{
    const NodeId *kids = ir_node_kids(p->ir, n);
    NodeId other = kids[kids[0] == NODE_EMPTY_ID];
    push_text(p, "?");
    if (n.b == 2) {
        push_node(p, other, IN_REPEAT);
        return;
    }
    push_text(p, ")");
    push_kids(p, n, IN_CHOICE);
    push_text(p, "(?:");
}

static const char *repeat_text(Pattern *p, Node n)
{
    char text[32];
    if (n.c == REPEAT_INF && n.b < 2) return n.b ? "+" : "*";
    if (!n.b && n.c == 1) return "?";
    if (n.c == REPEAT_INF)
        snprintf(text, sizeof text, "{%u,}", n.b);
    else if (n.c == n.b)
        snprintf(text, sizeof text, "{%u}", n.b);
    else
        snprintf(text, sizeof text, "{%u,%u}", n.b, n.c);
    char *copy = arena_copy(p->out->arena, text, strlen(text) + 1);
    return copy ? copy : "";
}

static void push_repeat(Pattern *p, Node n)
{
    push_text(p, repeat_text(p, n));
    push_node(p, n.a, IN_REPEAT);
}

static void push_inside(Pattern *p, Node n)
{
    switch (n.kind) {
    case NODE_EMPTY:
        return;
    case NODE_BYTES:
        put_literal(p, ir_node_bytes(p->ir, n));
        return;
    case NODE_CLASS:
        put_class(p, n);
        return;
    case NODE_SEQ:
        push_kids(p, n, IN_SEQUENCE);
        return;
    case NODE_ALT:
        if (has_empty(p, n))
            push_optional(p, n);
        else
            push_kids(p, n, IN_CHOICE);
        return;
    case NODE_REPEAT:
        push_repeat(p, n);
        return;
    default:
        refuse(p, n.kind == NODE_TOKENS ? "a token by its id" : "nothing");
    }
}

static void write_node(Pattern *p, NodeId id, Level level)
{
    Node n = ir_node(p->ir, id);
    bool is_choice = n.kind == NODE_ALT && !has_empty(p, n);
    bool is_open = level == IN_REPEAT     ? !is_tight(p, n)
                   : level == IN_SEQUENCE ? is_choice
                                          : false;
    if (is_open) {
        scratch_text(p->out, "(?:");
        push_text(p, ")");
    }
    push_inside(p, n);
}

static void write_all(Pattern *p, NodeId root)
{
    push_node(p, root, IN_CHOICE);
    while (p->todo.count && ok(p)) {
        Todo next = p->todo.at[--p->todo.count];
        if (next.text)
            scratch_text(p->out, next.text);
        else
            write_node(p, next.node, next.level);
    }
}

bool ir_regex(Ir *ir, Scratch *out)
{
    Pattern p = {.ir = ir, .out = out};
    if (!ir_ok(ir)) return false;
    NodeId root = ir_solve(ir);
    if (ir_ok(ir) && root == NODE_NEVER_ID)
        diag_fail(&ir->error, WEIR_EMPTY, 0, 0,
                  "found a grammar that allows no text at all");
    if (ir_ok(ir)) write_all(&p, root);
    vec_free(ir->mem, &p.todo);
    vec_free(ir->mem, &p.ranges);
    return conversion_fits(ir, out);
}
