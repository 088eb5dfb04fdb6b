/* ir.c: the IR's builders: hash-consing and local simplification.
 *
 * Every builder first simplifies, then looks the node up by content; pools
 * (bytes, ranges, kids) only grow, and a candidate's pool tail is given back
 * when an equal node exists. Cost: linear in the size of the arguments, and
 * sorting for alternatives.
 * Tests: unit/ir_test.c.
 */
#include "syntax/ir.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "syntax/ir_dfa.h"
#include "syntax/ir_list.h"
#include "lang/lax.h"

static const weir_limits default_limits = {
    .max_source = 64u << 20,
    .max_depth = 10000,
    .max_rules = 1000000,
    .max_states = 500000,
    .max_work = 2000000000,
    .max_memory = 64u << 20,
    .max_configs = 4096,
    .max_step = 20000000,
};

weir_limits ir_limits(const weir_limits *given)
{
    weir_limits l = default_limits;
    if (!given) return l;
    if (given->max_source) l.max_source = given->max_source;
    if (given->max_depth) l.max_depth = given->max_depth;
    if (given->max_rules) l.max_rules = given->max_rules;
    if (given->max_states) l.max_states = given->max_states;
    if (given->max_work) l.max_work = given->max_work;
    if (given->max_memory) l.max_memory = given->max_memory;
    if (given->max_configs) l.max_configs = given->max_configs;
    if (given->max_step) l.max_step = given->max_step;
    return l;
}

enum { FIRST_NODES = 64 }; /* for which there is room from the beginning */

void ir_init_within(Ir *ir, const Mem *scratch, const Mem *mem,
                    const weir_limits *limits)
{
    *ir = (Ir){.mem = scratch, .root = RULE_NONE, .limits = ir_limits(limits)};
    arena_init(&ir->arena, mem, 0);
    if (!vec_reserve(scratch, &ir->nodes, FIRST_NODES) ||
        !vec_reserve(scratch, &ir->kids, FIRST_NODES) ||
        !vec_reserve(scratch, &ir->bytes, FIRST_NODES) ||
        !map_reserve(scratch, &ir->node_index, FIRST_NODES) ||
        !vec_push(scratch, &ir->nodes, (Node){.kind = NODE_NEVER}) ||
        !vec_push(scratch, &ir->nodes, (Node){.kind = NODE_EMPTY}))
        diag_no_memory(&ir->error);
}

void ir_init(Ir *ir, const Mem *mem, const weir_limits *limits)
{
    ir_init_within(ir, mem, mem, limits);
}

static void growing_free(Ir *ir, const Mem *mem)
{
    vec_free(mem, &ir->rules);
    vec_free(mem, &ir->nodes);
    vec_free(mem, &ir->bytes);
    vec_free(mem, &ir->ranges);
    vec_free(mem, &ir->kids);
    vec_free(mem, &ir->dfas);
    vec_free(mem, &ir->lists);
    vec_free(mem, &ir->bounds);
    vec_free(mem, &ir->warnings);
    map_free(mem, &ir->node_index);
    map_free(mem, &ir->name_index);
}

static bool growing_copy(const Mem *mem, Ir *to, const Ir *from)
{
    return vec_append(mem, &to->rules, &from->rules) &&
           vec_append(mem, &to->nodes, &from->nodes) &&
           vec_append(mem, &to->bytes, &from->bytes) &&
           vec_append(mem, &to->ranges, &from->ranges) &&
           vec_append(mem, &to->kids, &from->kids) &&
           vec_append(mem, &to->dfas, &from->dfas) &&
           vec_append(mem, &to->lists, &from->lists) &&
           vec_append(mem, &to->bounds, &from->bounds) &&
           vec_append(mem, &to->warnings, &from->warnings) &&
           map_copy(mem, &to->node_index, &from->node_index) &&
           map_copy(mem, &to->name_index, &from->name_index);
}

bool ir_settle(Ir *ir)
{
    const Mem *mem = ir->arena.mem;
    Ir now = {.mem = mem,
              .arena = ir->arena,
              .limits = ir->limits,
              .error = ir->error,
              .root = ir->root,
              .borrows = ir->borrows,
              .keeps_dead_ends = ir->keeps_dead_ends};
    bool ok = mem == ir->mem || growing_copy(mem, &now, ir);
    if (!ok) growing_free(&now, mem);
    if (!ok || mem == ir->mem) return ok || diag_no_memory(&ir->error);
    growing_free(ir, ir->mem);
    *ir = now;
    return true;
}

void ir_free(Ir *ir)
{
    if (!ir->mem) return;
    growing_free(ir, ir->mem);
    arena_free(&ir->arena);
}

size_t ir_memory(const Ir *ir)
{
    return ir->arena.total + vec_bytes(&ir->rules) + vec_bytes(&ir->nodes) +
           vec_bytes(&ir->bytes) + vec_bytes(&ir->ranges) +
           vec_bytes(&ir->kids) + vec_bytes(&ir->dfas) + vec_bytes(&ir->lists) +
           vec_bytes(&ir->bounds) + vec_bytes(&ir->warnings) +
           map_bytes(&ir->node_index) + map_bytes(&ir->name_index);
}

/* ---- rules ---- */

/* Numbers the rules of one name; false when memory is out. */
static bool rule_name(Ir *ir, RuleId id)
{
    Rule *rule = &ir->rules.at[id];
    uint64_t h = hash_bytes(FNV_SEED, rule->name.at, rule->name.size);
    for (MapPos p = map_first(&ir->name_index, h); p.value != MAP_NONE;
         p = map_next(&ir->name_index, h, p)) {
        Rule *first = &ir->rules.at[p.value];
        if (!span_equal(first->name, rule->name)) continue;
        rule->ordinal = first->namesakes++;
        return true;
    }
    rule->namesakes = 1;
    return map_add(ir->mem, &ir->name_index, h, id);
}

RuleId ir_rule_new(Ir *ir, Span name, uint32_t flags)
{
    if (!ir_ok(ir)) return 0;
    if (ir->rules.count >= ir->limits.max_rules) {
        diag_fail(&ir->error, WEIR_LIMIT_RULES, 0, 0,
                  "more than %u rules (limit max_rules)", ir->limits.max_rules);
        return 0;
    }
    Rule rule = {.flags = flags, .body = NODE_NEVER_ID};
    rule.name = span_of(arena_copy(&ir->arena, name.at, name.size), name.size);
    if (flags & RULE_SHARED) rule.flags |= RULE_FRAME;
    if (!rule.name.at || !vec_push(ir->mem, &ir->rules, rule) ||
        !rule_name(ir, ir->rules.count - 1)) {
        diag_no_memory(&ir->error);
        return 0;
    }
    return ir->rules.count - 1;
}

void ir_rule_set(Ir *ir, RuleId rule, NodeId body)
{
    if (!ir_ok(ir)) return;
    ir->rules.at[rule].body = body;
    ir->rules.at[rule].is_defined = true;
}

static void copy_text(Ir *ir, Span *text)
{
    text->at = arena_copy(&ir->arena, text->at, text->size);
}

void ir_rule_options(Ir *ir, RuleId rule, const RuleOptions *options)
{
    if (!ir_ok(ir)) return;
    RuleOptions o = *options;
    copy_text(ir, &o.temperature_text);
    copy_text(ir, &o.capture);
    copy_text(ir, &o.stop_capture);
    ir->rules.at[rule].options = arena_copy(&ir->arena, &o, sizeof o);
    ir->rules.at[rule].flags |= RULE_FRAME;
    if (ir->arena.failed) diag_no_memory(&ir->error);
}

void ir_warn(Ir *ir, size_t begin, size_t end, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t size = MIN((size_t)MAX(n, 0), sizeof text - 1);
    Warning w = {(uint32_t)begin,
                 (uint32_t)end,
                 {arena_copy(&ir->arena, text, size), size}};
    if (!w.message.at || !vec_push(ir->mem, &ir->warnings, w))
        diag_no_memory(&ir->error);
}

/* ---- hash-consing ---- */

/* The pool items a node owns: pointer and size in bytes. */
static Span node_payload(const Ir *ir, Node n)
{
    switch (n.kind) {
    case NODE_BYTES:
        return span_of(vec_from(&ir->bytes, n.a), n.b);
    case NODE_CLASS:
    case NODE_TOKENS:
        return span_of(vec_from(&ir->ranges, n.a), n.b * sizeof(Range));
    case NODE_SEQ:
    case NODE_ALT:
        return span_of(vec_from(&ir->kids, n.a), n.b * sizeof(NodeId));
    default:
        return (Span){0};
    }
}

static bool has_payload(Node n)
{
    return n.kind == NODE_BYTES || n.kind == NODE_CLASS ||
           n.kind == NODE_TOKENS || n.kind == NODE_SEQ || n.kind == NODE_ALT;
}

static bool node_same(const Ir *ir, Node x, Node y)
{
    if (x.kind != y.kind || x.b != y.b || x.c != y.c) return false;
    if (x.kind == NODE_REGULAR)
        return dfa_same(&ir->dfas.at[x.a], &ir->dfas.at[y.a]);
    if (x.kind == NODE_BOUNDED)
        return bounded_same(&ir->bounds.at[x.a], &ir->bounds.at[y.a]);
    if (x.kind == NODE_LIST)
        return list_same(&ir->lists.at[x.a], &ir->lists.at[y.a]);
    if (!has_payload(x)) return x.a == y.a;
    return span_equal(node_payload(ir, x), node_payload(ir, y));
}

static uint64_t node_hash(const Ir *ir, Node n)
{
    uint64_t h = hash_mix(n.kind, (uint64_t)n.b << 32 | n.c);
    if (n.kind == NODE_REGULAR) return hash_mix(h, dfa_hash(&ir->dfas.at[n.a]));
    if (n.kind == NODE_BOUNDED)
        return hash_mix(h, bounded_hash(&ir->bounds.at[n.a]));
    if (n.kind == NODE_LIST) return list_hash(h, &ir->lists.at[n.a], NULL);
    if (!has_payload(n)) return hash_mix(h, n.a);
    Span p = node_payload(ir, n);
    return hash_bytes(h, p.at, p.size);
}

/* Takes back the pool tail of a node that turned out to exist. */
static void node_forget(Ir *ir, Node n)
{
    if (n.kind == NODE_BYTES) ir->bytes.count = n.a;
    if (n.kind == NODE_CLASS || n.kind == NODE_TOKENS) ir->ranges.count = n.a;
    if (n.kind == NODE_SEQ || n.kind == NODE_ALT) ir->kids.count = n.a;
}

/* The node equal to `n`, whose hash is `h`, from `p` on; or MAP_NONE. */
static NOINLINE NodeId node_find_from(const Ir *ir, Node n, uint64_t h,
                                      MapPos p)
{
    while (p.value != MAP_NONE && !node_same(ir, ir->nodes.at[p.value], n))
        p = map_next(&ir->node_index, h, p);
    return p.value;
}

/* Mostly there is none. */
static NodeId node_find(const Ir *ir, Node n, uint64_t h)
{
    MapPos p = map_first(&ir->node_index, h);
    return p.value == MAP_NONE ? MAP_NONE : node_find_from(ir, n, h, p);
}

static NodeId node_add(Ir *ir, Node n, uint64_t h)
{
    NodeId id = ir->nodes.count;
    if (!vec_push(ir->mem, &ir->nodes, n) ||
        !map_add(ir->mem, &ir->node_index, h, id)) {
        diag_no_memory(&ir->error);
        return NODE_NEVER_ID;
    }
    return id;
}

/* `n`'s payload is the tail of its pool. */
static NodeId node_intern(Ir *ir, Node n)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    uint64_t h = node_hash(ir, n);
    NodeId found = node_find(ir, n, h);
    if (found == MAP_NONE) return node_add(ir, n, h);
    node_forget(ir, n);
    return found;
}

static NodeId fail_memory(Ir *ir)
{
    diag_no_memory(&ir->error);
    return NODE_NEVER_ID;
}

/* ---- leaves ---- */

NodeId ir_bytes(Ir *ir, Span bytes)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    if (!bytes.size) return NODE_EMPTY_ID;
    Node n = {NODE_BYTES, ir->bytes.count, (uint32_t)bytes.size, 0};
    if (bytes.size > UINT32_MAX / 2 ||
        !vec_reserve(ir->mem, &ir->bytes, n.a + bytes.size))
        return fail_memory(ir);
    memcpy(ir->bytes.at + n.a, bytes.at, bytes.size);
    ir->bytes.count += n.b;
    return node_intern(ir, n);
}

NodeId ir_rune(Ir *ir, uint32_t rune)
{
    uint8_t text[4];
    unsigned n = utf8_encode(rune, text);
    return n ? ir_bytes(ir, span_of(text, n)) : NODE_NEVER_ID;
}

static int range_order(const void *x, const void *y)
{
    const Range *a = x, *b = y;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Sorts, unites touching ranges; returns how many remain. */
static uint32_t ranges_normalise(Range *r, uint32_t count)
{
    uint32_t kept = 0;
    if (count) qsort(r, count, sizeof *r, range_order);
    for (uint32_t i = 0; i < count; i++) {
        if (r[i].lo > r[i].hi) continue;
        if (kept && r[i].lo <= r[kept - 1].hi + (r[kept - 1].hi < UINT32_MAX))
            r[kept - 1].hi = MAX(r[kept - 1].hi, r[i].hi);
        else
            r[kept++] = r[i];
    }
    return kept;
}

static bool push_range(Ir *ir, uint32_t lo, uint32_t hi)
{
    return lo > hi || vec_push(ir->mem, &ir->ranges, (Range){lo, hi});
}

/* Appends the code points of `r` (normalised), without surrogates. */
static bool push_code_points(Ir *ir, const Range *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lo = r[i].lo, hi = MIN(r[i].hi, RUNE_MAX);
        if (!push_range(ir, lo, MIN(hi, 0xD7FF)) ||
            !push_range(ir, MAX(lo, 0xE000), hi))
            return false;
    }
    return true;
}

static bool push_complement(Ir *ir, const Range *r, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t lo = i < count ? r[i].lo : RUNE_MAX + 1;
        Range gap = {next, lo - 1};
        if (lo > next && !push_code_points(ir, &gap, 1)) return false;
        if (i < count) next = MIN(r[i].hi, RUNE_MAX) + 1;
    }
    return true;
}

static NodeId class_intern(Ir *ir, uint32_t start)
{
    if (start == ir->ranges.count) return NODE_NEVER_ID;
    assert(ir->ranges.at);
    uint32_t count = ranges_normalise(vec_from(&ir->ranges, start),
                                      ir->ranges.count - start);
    ir->ranges.count = start + count;
    if (!count) return NODE_NEVER_ID;
    Range first = ir->ranges.at[start];
    if (count == 1 && first.lo == first.hi) {
        ir->ranges.count = start;
        return ir_rune(ir, first.lo);
    }
    return node_intern(ir, (Node){NODE_CLASS, start, count, 0});
}

NodeId ir_class(Ir *ir, const Range *ranges, uint32_t count, bool negated)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    Range *sorted = mem_new(ir->mem, (count + 1) * sizeof *sorted);
    if (!sorted) return fail_memory(ir);
    if (count) memcpy(sorted, ranges, count * sizeof *sorted);
    uint32_t kept = ranges_normalise(sorted, count);
    uint32_t start = ir->ranges.count;
    bool done = negated ? push_complement(ir, sorted, kept)
                        : push_code_points(ir, sorted, kept);
    mem_free(ir->mem, sorted, (count + 1) * sizeof *sorted);
    return done ? class_intern(ir, start) : fail_memory(ir);
}

/* Appends the numbers of [1, LAX_MAX] that are in `r` (normalised), or not. */
static bool push_lax(Ir *ir, const Range *r, uint32_t count, bool negated)
{
    uint32_t next = 1;
    for (uint32_t i = 0; i < count && r[i].lo <= LAX_MAX; i++) {
        uint32_t lo = MAX(r[i].lo, 1), hi = MIN(r[i].hi, LAX_MAX);
        if (negated ? !push_range(ir, next, lo - 1) : !push_range(ir, lo, hi))
            return false;
        next = hi + 1;
    }
    return !negated || push_range(ir, next, LAX_MAX);
}

NodeId ir_lax_class(Ir *ir, const Range *ranges, uint32_t count, bool negated)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    Range *sorted = mem_new(ir->mem, (count + 1) * sizeof *sorted);
    if (!sorted) return fail_memory(ir);
    if (count) memcpy(sorted, ranges, count * sizeof *sorted);
    uint32_t kept = ranges_normalise(sorted, count);
    uint32_t start = ir->ranges.count;
    bool is_ascii = !kept || sorted[kept - 1].hi < 0x80;
    bool done = push_lax(ir, sorted, kept, negated);
    mem_free(ir->mem, sorted, (count + 1) * sizeof *sorted);
    if (!done) return fail_memory(ir);
    count = ir->ranges.count - start;
    if (!count) return NODE_NEVER_ID;
    if (ir->ranges.at[ir->ranges.count - 1].hi < 0x800)
        return class_intern(ir, start); /* no other spelling, nothing to hold */
    uint32_t flags = negated && !is_ascii ? CLASS_LAX | CLASS_WARY : CLASS_LAX;
    return node_intern(ir, (Node){NODE_CLASS, start, count, flags});
}

NodeId ir_any(Ir *ir)
{
    return ir_class(ir, NULL, 0, true);
}

NodeId ir_ref(Ir *ir, RuleId rule)
{
    return node_intern(ir, (Node){NODE_RULE, rule, 0, 0});
}

NodeId ir_tokens(Ir *ir, const Range *ids, uint32_t count, bool negated)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    uint32_t start = ir->ranges.count;
    for (uint32_t i = 0; i < count; i++)
        if (!push_range(ir, ids[i].lo, ids[i].hi)) return fail_memory(ir);
    count = ranges_normalise(vec_from(&ir->ranges, start),
                             ir->ranges.count - start);
    ir->ranges.count = start + count;
    if (!count && !negated) return NODE_NEVER_ID;
    return node_intern(ir, (Node){NODE_TOKENS, start, count, negated});
}

NodeId ir_regular(Ir *ir, const Dfa *dfa)
{
    if (!ir_ok(ir) || !dfa->nstates) return NODE_NEVER_ID;
    if (dfa->nstates == 1 && !dfa->edge_start[1]) return NODE_EMPTY_ID;
    uint32_t at = ir->dfas.count;
    Dfa copy = *dfa;
    if (!vec_push(ir->mem, &ir->dfas, copy)) return fail_memory(ir);
    Node n = {NODE_REGULAR, at, 0, 0};
    uint64_t h = node_hash(ir, n);
    NodeId found = node_find(ir, n, h);
    if (found != MAP_NONE || !dfa_copy(&ir->arena, &copy)) {
        ir->dfas.count = at;
        return found != MAP_NONE ? found : fail_memory(ir);
    }
    ir->dfas.at[at] = copy;
    return node_add(ir, n, h);
}

static NodeId bounded_intern(Ir *ir, const BoundedSpec *spec)
{
    uint32_t at = ir->bounds.count;
    BoundedSpec copy = *spec;
    if (!vec_push(ir->mem, &ir->bounds, copy)) return fail_memory(ir);
    Node n = {NODE_BOUNDED, at, 0, 0};
    uint64_t h = node_hash(ir, n);
    NodeId found = node_find(ir, n, h);
    if (found != MAP_NONE || !bounded_copy(&ir->arena, &copy)) {
        ir->bounds.count = at;
        return found != MAP_NONE ? found : fail_memory(ir);
    }
    ir->bounds.at[at] = copy;
    return node_add(ir, n, h);
}

NodeId ir_regular_bounded(Ir *ir, const Dfa *dfa, const uint8_t *ticks,
                          uint32_t hi)
{
    Arena scratch;
    BoundedSpec spec;
    if (hi == REPEAT_INF) return ir_regular(ir, dfa);
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    NodeId made = NODE_NEVER_ID;
    arena_init(&scratch, ir->mem, 0);
    if (!bounded_make(&scratch, dfa, ticks, hi, &spec))
        fail_memory(ir);
    else if (spec.hi == REPEAT_INF)
        made = ir_regular(ir, &spec.dfa);
    else if (spec.dfa.nstates)
        made = bounded_intern(ir, &spec);
    arena_free(&scratch);
    return made;
}

static bool has_never(const ListSpec *spec)
{
    for (uint32_t i = 0; i < spec->nkinds; i++)
        if (spec->kinds[i].head == NODE_NEVER_ID ||
            spec->kinds[i].tail == NODE_NEVER_ID)
            return true;
    return false;
}

NodeId ir_list(Ir *ir, const ListSpec *spec)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    assert(list_check(spec));
    ListSpec list = *spec;
    bool is_copied = has_never(spec);
    if (is_copied && !list_copy(&ir->arena, &list)) return fail_memory(ir);
    if (!list.nkinds) return NODE_NEVER_ID;
    uint32_t at = ir->lists.count;
    if (!vec_push(ir->mem, &ir->lists, list)) return fail_memory(ir);
    Node n = {NODE_LIST, at, 0, 0};
    uint64_t h = node_hash(ir, n);
    NodeId found = node_find(ir, n, h);
    if (found != MAP_NONE) {
        ir->lists.count = at;
        return found;
    }
    if (!is_copied && !list_copy(&ir->arena, &ir->lists.at[at]))
        return fail_memory(ir);
    return node_add(ir, n, h);
}

/* ---- sequences and alternatives ---- */

/* Appends `id` to the kid list that began at `start`, opening a node of the
 * same kind. */
static bool kid_push(Ir *ir, NodeKind kind, NodeId id)
{
    Node n = ir_node(ir, id);
    if (n.kind != kind) return vec_push(ir->mem, &ir->kids, id);
    if (!vec_reserve(ir->mem, &ir->kids, (size_t)ir->kids.count + n.b))
        return false;
    memcpy(ir->kids.at + ir->kids.count, ir->kids.at + n.a,
           n.b * sizeof(NodeId));
    ir->kids.count += n.b;
    return true;
}

static NodeId kids_intern(Ir *ir, NodeKind kind, uint32_t start)
{
    uint32_t count = ir->kids.count - start;
    if (count > 1) return node_intern(ir, (Node){kind, start, count, 0});
    NodeId only = kind == NODE_SEQ ? NODE_EMPTY_ID : NODE_NEVER_ID;
    if (count) only = ir->kids.at[start];
    ir->kids.count = start;
    return only;
}

/* Whether the kids before and at `border` are BYTES. */
static bool is_within_bytes(const Ir *ir, uint32_t border)
{
    const NodeId *kid = &ir->kids.at[border];
    return ir->nodes.at[kid[-1]].kind == NODE_BYTES &&
           ir->nodes.at[kid[0]].kind == NODE_BYTES;
}

/* Joins runs of BYTES among the kids from `start` on. */
static bool seq_join_bytes(Ir *ir, uint32_t start)
{
    uint32_t kept = start;
    for (uint32_t i = start; i < ir->kids.count;) {
        uint32_t j = i, at = ir->bytes.count;
        size_t size = 0; /* one node may stand in the row many times */
        while (j < ir->kids.count &&
               ir_node(ir, ir->kids.at[j]).kind == NODE_BYTES)
            size += ir_node(ir, ir->kids.at[j++]).b;
        if (j - i < 2) {
            ir->kids.at[kept++] = ir->kids.at[i++];
            continue;
        }
        if (!vec_reserve(ir->mem, &ir->bytes, at + size)) return false;
        for (; i < j; i++) {
            Node n = ir_node(ir, ir->kids.at[i]);
            memcpy(ir->bytes.at + ir->bytes.count, ir->bytes.at + n.a, n.b);
            ir->bytes.count += n.b;
        }
        ir->kids.at[kept++] =
            node_intern(ir, (Node){NODE_BYTES, at, (uint32_t)size, 0});
    }
    ir->kids.count = kept;
    return ir_ok(ir);
}

NodeId ir_seq(Ir *ir, const NodeId *kids, uint32_t count)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    uint32_t start = ir->kids.count;
    bool joins = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t border = ir->kids.count;
        if (kids[i] == NODE_EMPTY_ID) continue;
        if (kids[i] == NODE_NEVER_ID) {
            ir->kids.count = start;
            return NODE_NEVER_ID;
        }
        if (!kid_push(ir, NODE_SEQ, kids[i])) return fail_memory(ir);
        joins |= border > start && is_within_bytes(ir, border);
    }
    if (joins && !seq_join_bytes(ir, start)) return fail_memory(ir);
    return kids_intern(ir, NODE_SEQ, start);
}

/* True for nodes that are sets of single code points. */
static bool is_char_set(const Ir *ir, Node n)
{
    if (n.kind == NODE_CLASS) return !n.c;
    if (n.kind != NODE_BYTES || n.b > 4) return false;
    size_t pos = 0;
    Span bytes = ir_node_bytes(ir, n);
    return utf8_decode(bytes, &pos) != RUNE_BAD && pos == bytes.size;
}

static bool push_char_set(Ir *ir, Node n)
{
    if (n.kind == NODE_BYTES) {
        size_t pos = 0;
        uint32_t rune = utf8_decode(ir_node_bytes(ir, n), &pos);
        return push_range(ir, rune, rune);
    }
    for (uint32_t i = 0; i < n.b; i++) {
        Range r = ir->ranges.at[n.a + i];
        if (!push_range(ir, r.lo, r.hi)) return false;
    }
    return true;
}

/* Unites the character sets among sorted kids into one class. */
static bool alt_join_chars(Ir *ir, uint32_t start)
{
    uint32_t chars = 0, ranges = ir->ranges.count, kept = start;
    for (uint32_t i = start; i < ir->kids.count; i++)
        chars += is_char_set(ir, ir_node(ir, ir->kids.at[i]));
    if (chars < 2) return true;
    for (uint32_t i = start; i < ir->kids.count; i++) {
        Node n = ir_node(ir, ir->kids.at[i]);
        if (!is_char_set(ir, n))
            ir->kids.at[kept++] = ir->kids.at[i];
        else if (!push_char_set(ir, n))
            return false;
    }
    ir->kids.count = kept;
    NodeId joined = class_intern(ir, ranges);
    return ir_ok(ir) && vec_push(ir->mem, &ir->kids, joined);
}

NodeId ir_alt(Ir *ir, const NodeId *kids, uint32_t count)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    uint32_t start = ir->kids.count;
    for (uint32_t i = 0; i < count; i++)
        if (kids[i] != NODE_NEVER_ID && !kid_push(ir, NODE_ALT, kids[i]))
            return fail_memory(ir);
    if (!alt_join_chars(ir, start)) return fail_memory(ir);
    uint32_t kept = start;
    NodeId *at = ir->kids.at;
    if (ir->kids.count > start) ir_sort(ir, at + start, ir->kids.count - start);
    for (uint32_t i = start; i < ir->kids.count; i++)
        if (i == start || at[i] != at[kept - 1]) at[kept++] = at[i];
    ir->kids.count = kept;
    return kids_intern(ir, NODE_ALT, start);
}

NodeId ir_seq2(Ir *ir, NodeId left, NodeId right)
{
    if (left == NODE_EMPTY_ID) return right;
    if (right == NODE_EMPTY_ID) return left;
    return ir_seq(ir, (NodeId[]){left, right}, 2);
}

NodeId ir_alt2(Ir *ir, NodeId left, NodeId right)
{
    return ir_alt(ir, (NodeId[]){left, right}, 2);
}

NodeId ir_optional(Ir *ir, NodeId node)
{
    return ir_alt2(ir, NODE_EMPTY_ID, node);
}

NodeId ir_repeat(Ir *ir, NodeId node, uint32_t lo, uint32_t hi)
{
    if (!ir_ok(ir) || lo > hi) return NODE_NEVER_ID;
    if (!hi || node == NODE_EMPTY_ID) return NODE_EMPTY_ID;
    if (node == NODE_NEVER_ID) return lo ? NODE_NEVER_ID : NODE_EMPTY_ID;
    if (hi == 1) return lo ? node : ir_optional(ir, node);
    Node inner = ir_node(ir, node);
    bool is_star =
        inner.kind == NODE_REPEAT && !inner.b && inner.c == REPEAT_INF;
    if (is_star) return node;
    return node_intern(ir, (Node){NODE_REPEAT, node, lo, hi});
}
