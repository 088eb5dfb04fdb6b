/* regex_compile.c: a parsed regular expression → IR nodes, or → a Dfa.
 *
 * In:    a resolved Regex.   Out: an expression of the Ir; a minimal Dfa.
 * Method: nodes without assertions become IR nodes one by one, counts kept, so
 *        that no automaton is built for them. Where assertions are left, the
 *        pattern (each alternative of it on its own) is a row of parts
 *            [any text] part ... part [any text]
 *        of which those from the first to the last that asserts something are
 *        determinised together, and everything to the left, too, if one of
 *        them looks left; to the right likewise.
 * Cost:  linear, but for what is determinised, which is charged.
 * Tests: unit/regex_test.c, prop/regex_reference_test.c, fuzz/regex_fuzz.c
 */
#include "syntax/regex.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "lang/nfa.h"
#include "syntax/regex_ast.h"

/* ---- to an Nfa ---- */

/* A node to be built between two states. */
typedef struct Task {
    ReId node;
    uint32_t from, to;
} Task;

typedef struct NfaBuilder {
    const Regex *re;
    Nfa *nfa;
    VEC(Task) tasks;
    VEC(ReId) pending;   /* nodes to be searched for assertions */
    VEC(uint32_t) looks; /* look_key of each assertion that is used */
    uint32_t *assertion; /* by look_key: its number, or NFA_NONE */
} NfaBuilder;

/* A LOOK's body and direction, as one number: assertions that differ only in
 * being negated are one. Inner assertions have smaller keys. */
static uint32_t look_key(ReNode look)
{
    return look.a * 2 + (look.b & LOOK_BEHIND ? 1 : 0);
}

static void push_task(NfaBuilder *b, ReId node, uint32_t from, uint32_t to)
{
    LangCtx *ctx = b->nfa->ctx;
    if (lang_charge(ctx, 4) &&
        !vec_push(ctx->mem, &b->tasks, (Task){node, from, to}))
        lang_no_memory(ctx);
}

static const RuneRange any_rune[] = {{0, 0xD7FF}, {0xE000, RUNE_MAX}};

/* Any text from `from` on; the state after it. */
static uint32_t build_any(NfaBuilder *b, uint32_t from)
{
    uint32_t loop = nfa_state(b->nfa);
    if (!lang_ok(b->nfa->ctx)) return from;
    nfa_label(b->nfa, loop, any_rune, 2, loop);
    nfa_empty(b->nfa, from, loop);
    return loop;
}

static void build_text(NfaBuilder *b, ReNode n, uint32_t from, uint32_t to)
{
    Span text = span_of(b->re->bytes.at + n.a, n.b);
    for (size_t pos = 0; pos < text.size && lang_ok(b->nfa->ctx);) {
        uint32_t rune = utf8_decode(text, &pos);
        RuneRange one = {rune, rune};
        uint32_t next = pos < text.size ? nfa_state(b->nfa) : to;
        nfa_label(b->nfa, from, &one, 1, next);
        from = next;
    }
}

static void build_seq(NfaBuilder *b, ReNode n, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < n.b && lang_ok(b->nfa->ctx); i++) {
        uint32_t next = i + 1 < n.b ? nfa_state(b->nfa) : to;
        push_task(b, b->re->kids.at[n.a + i], from, next);
        from = next;
    }
}

/* lo copies, then a loop, or copies that may be left out. Where one may be, the
 * fewer are read, the more may follow: a chain. */
static void build_repeat(NfaBuilder *b, ReNode n, uint32_t from, uint32_t to)
{
    LangCtx *ctx = b->nfa->ctx;
    uint64_t copies = n.c == REPEAT_INF ? n.b + 1ull : n.c;
    if (!lang_room(ctx, copies)) return;
    for (uint32_t i = 0; i < n.b && lang_ok(ctx); i++) {
        uint32_t next = nfa_state(b->nfa);
        push_task(b, n.a, from, next);
        from = next;
    }
    if (n.c == REPEAT_INF && lang_ok(ctx)) {
        uint32_t loop = nfa_state(b->nfa);
        if (lang_ok(ctx)) nfa_empty(b->nfa, from, loop);
        push_task(b, n.a, loop, loop);
        from = loop;
    }
    uint32_t chain = ++b->nfa->nchains;
    for (uint32_t i = n.b; n.c != REPEAT_INF && i < n.c && lang_ok(ctx); i++) {
        uint32_t next = nfa_state(b->nfa);
        nfa_empty(b->nfa, from, to);
        nfa_rank(b->nfa, from, chain);
        push_task(b, n.a, from, next);
        from = next;
    }
    if (lang_ok(ctx)) nfa_empty(b->nfa, from, to);
}

static void build_node(NfaBuilder *b, ReNode n, uint32_t from, uint32_t to)
{
    switch (n.kind) {
    case RE_NEVER:
        break;
    case RE_EMPTY:
        nfa_empty(b->nfa, from, to);
        break;
    case RE_TEXT:
        build_text(b, n, from, to);
        break;
    case RE_CLASS:
        nfa_label(b->nfa, from, b->re->ranges.at + n.a, n.b, to);
        break;
    case RE_SEQ:
        build_seq(b, n, from, to);
        break;
    case RE_ALT:
        for (uint32_t i = 0; i < n.b && lang_ok(b->nfa->ctx); i++)
            push_task(b, b->re->kids.at[n.a + i], from, to);
        break;
    case RE_REPEAT:
        build_repeat(b, n, from, to);
        break;
    case RE_START:
        nfa_edge(b->nfa, from, NFA_AT_START, 0, to);
        break;
    case RE_END:
        nfa_edge(b->nfa, from, NFA_AT_END, 0, to);
        break;
    case RE_LOOK:
        nfa_edge(b->nfa, from, n.b & LOOK_NEGATED ? NFA_HOLDS_NOT : NFA_HOLDS,
                 b->assertion[look_key(n)], to);
        break;
    }
}

/* Builds everything on the task list. */
static void build_tasks(NfaBuilder *b)
{
    while (b->tasks.count && lang_ok(b->nfa->ctx)) {
        Task t = b->tasks.at[--b->tasks.count];
        ReNode n = b->re->nodes.at[t.node];
        if (n.wrap & WRAP_LEFT) t.from = build_any(b, t.from);
        if (n.wrap & WRAP_RIGHT && lang_ok(b->nfa->ctx)) {
            uint32_t middle = nfa_state(b->nfa);
            if (!lang_ok(b->nfa->ctx)) return;
            uint32_t after = build_any(b, middle);
            if (lang_ok(b->nfa->ctx)) nfa_empty(b->nfa, after, t.to);
            t.to = middle;
        }
        if (lang_ok(b->nfa->ctx)) build_node(b, n, t.from, t.to);
    }
}

/* ---- assertions ---- */

static void push_pending(NfaBuilder *b, ReId node)
{
    LangCtx *ctx = b->nfa->ctx;
    if (lang_charge(ctx, 2) && !vec_push(ctx->mem, &b->pending, node))
        lang_no_memory(ctx);
}

/* Notes a LOOK that was not met before, and what is in its body. */
static void note_look(NfaBuilder *b, ReNode n)
{
    LangCtx *ctx = b->nfa->ctx;
    uint32_t key = look_key(n);
    if (b->assertion[key] != NFA_NONE) return;
    b->assertion[key] = 0;
    if (!vec_push(ctx->mem, &b->looks, key)) lang_no_memory(ctx);
    push_pending(b, n.a);
}

/* Finds the assertions below the pending nodes. */
static void find_looks(NfaBuilder *b)
{
    while (b->pending.count && lang_ok(b->nfa->ctx)) {
        ReNode n = b->re->nodes.at[b->pending.at[--b->pending.count]];
        if (!n.looks) continue;
        if (n.kind == RE_LOOK) note_look(b, n);
        if (n.kind == RE_REPEAT) push_pending(b, n.a);
        if (n.kind != RE_SEQ && n.kind != RE_ALT) continue;
        for (uint32_t i = 0; i < n.b; i++)
            push_pending(b, b->re->kids.at[n.a + i]);
    }
}

/* Every LOOK becomes an assertion, those inside others first. */
static void build_looks(NfaBuilder *b)
{
    find_looks(b);
    sort_numbers(b->looks.at, b->looks.count);
    for (uint32_t i = 0; i < b->looks.count && lang_ok(b->nfa->ctx); i++) {
        uint32_t key = b->looks.at[i];
        uint32_t start = nfa_state(b->nfa), accept = nfa_state(b->nfa);
        push_task(b, key / 2, start, accept);
        build_tasks(b);
        b->assertion[key] = nfa_assertion(b->nfa, start, accept, key & 1);
    }
}

/* ---- rows of parts ---- */

/* The pattern, or one of its alternatives, as a row: kids, and "any text" in
 * the first and last place where the node is wrapped. */
typedef struct Row {
    ReId node;
    const ReId *kids;
    uint32_t nkids;
    bool any_first, any_last;
} Row;

static Row row_of(const Regex *re, const ReId *id)
{
    const ReNode *n = &re->nodes.at[*id];
    Row row = {.node = *id, .kids = id, .nkids = 1};
    if (n->kind == RE_SEQ) {
        row.kids = re->kids.at + n->a;
        row.nkids = n->b;
        row.any_first = n->wrap & WRAP_LEFT;
        row.any_last = n->wrap & WRAP_RIGHT;
    }
    return row;
}

/* The part of a row that is determinised: kids [first, past), and whether the
 * any text before and after them belongs to it. */
typedef struct Core {
    uint32_t first, past;
    bool any_first, any_last;
} Core;

static Core core_of(const Regex *re, const Row *row)
{
    Core core = {row->nkids, 0, false, false};
    uint8_t looks = 0;
    for (uint32_t i = 0; i < row->nkids; i++) {
        uint8_t kid = re->nodes.at[row->kids[i]].looks;
        if (!kid) continue;
        looks |= kid;
        core.first = MIN(core.first, i);
        core.past = i + 1;
    }
    if (looks & WRAP_LEFT) core.first = 0, core.any_first = row->any_first;
    if (looks & WRAP_RIGHT)
        core.past = row->nkids, core.any_last = row->any_last;
    return core;
}

static void build_row(NfaBuilder *b, const Row *row, const Core *core)
{
    LangCtx *ctx = b->nfa->ctx;
    uint32_t from = b->nfa->start;
    if (core->any_first) from = build_any(b, from);
    for (uint32_t i = core->first; i < core->past && lang_ok(ctx); i++) {
        uint32_t next = nfa_state(b->nfa);
        push_task(b, row->kids[i], from, next);
        from = next;
    }
    if (core->any_last && lang_ok(ctx)) from = build_any(b, from);
    if (lang_ok(ctx)) nfa_empty(b->nfa, from, b->nfa->accept);
    build_tasks(b);
}

/* assertion: by look_key, all NFA_NONE, and so again at the end. */
static const Dfa *core_dfa(LangCtx *ctx, const Regex *re, const Row *row,
                           const Core *core, uint32_t *assertion)
{
    Nfa nfa;
    nfa_init(&nfa, ctx);
    NfaBuilder b = {.re = re, .nfa = &nfa, .assertion = assertion};
    for (uint32_t i = core->first; i < core->past; i++)
        push_pending(&b, row->kids[i]);
    build_looks(&b);
    if (lang_ok(ctx)) build_row(&b, row, core);
    for (uint32_t i = 0; i < b.looks.count; i++)
        assertion[b.looks.at[i]] = NFA_NONE;
    vec_free(ctx->mem, &b.tasks);
    vec_free(ctx->mem, &b.pending);
    vec_free(ctx->mem, &b.looks);
    return nfa_finish(&nfa);
}

/* The table that core_dfa wants; NULL, and an error, when memory is out. */
static uint32_t *assertions_new(LangCtx *ctx, const Regex *re)
{
    size_t nbytes = re->nodes.count * 2 * sizeof(uint32_t);
    uint32_t *table = mem_new(ctx->mem, nbytes);
    if (!table) return lang_no_memory(ctx), NULL;
    memset(table, 0xFF, nbytes);
    return table;
}

static void assertions_free(LangCtx *ctx, const Regex *re, uint32_t *table)
{
    mem_free(ctx->mem, table, re->nodes.count * 2 * sizeof(uint32_t));
}

/* ---- to IR ---- */

typedef struct IrBuilder {
    Ir *ir;
    Regex *re;
    LangCtx lang;
    NodeId *built;       /* by node, where wanted */
    uint8_t *wanted;     /* by node: is made of plain IR nodes */
    uint32_t *assertion; /* core_dfa's table */
    NodeId *class_node;  /* by first range of a class: its node, or NEVER */
    VEC(NodeId) kids;
    VEC(Range) ranges;
} IrBuilder;

static NodeId no_memory(IrBuilder *b)
{
    diag_no_memory(&b->ir->error);
    return NODE_NEVER_ID;
}

static NodeId any_text(Ir *ir)
{
    return ir_repeat(ir, ir_any(ir), 0, REPEAT_INF);
}

static NodeId plain_class(IrBuilder *b, ReNode n)
{
    NodeId *known = &b->class_node[n.a];
    if (*known != NODE_NEVER_ID) return *known;
    b->ranges.count = 0;
    if (!vec_reserve(b->re->mem, &b->ranges, n.b)) return no_memory(b);
    for (uint32_t i = 0; i < n.b; i++) {
        RuneRange r = b->re->ranges.at[n.a + i];
        b->ranges.at[i] = (Range){r.lo, r.hi};
    }
    return *known = ir_class(b->ir, b->ranges.at, n.b, false);
}

static NodeId plain_list(IrBuilder *b, ReNode n)
{
    b->kids.count = 0;
    if (!vec_reserve(b->re->mem, &b->kids, n.b)) return no_memory(b);
    for (uint32_t i = 0; i < n.b; i++)
        b->kids.at[i] = b->built[b->re->kids.at[n.a + i]];
    return n.kind == RE_SEQ ? ir_seq(b->ir, b->kids.at, n.b)
                            : ir_alt(b->ir, b->kids.at, n.b);
}

static NodeId plain_node(IrBuilder *b, ReNode n)
{
    switch (n.kind) {
    case RE_EMPTY:
        return NODE_EMPTY_ID;
    case RE_TEXT:
        return ir_bytes(b->ir, span_of(b->re->bytes.at + n.a, n.b));
    case RE_CLASS:
        return plain_class(b, n);
    case RE_SEQ:
    case RE_ALT:
        return plain_list(b, n);
    case RE_REPEAT:
        return ir_repeat(b->ir, b->built[n.a], n.b, n.c);
    default:
        assert(n.kind == RE_NEVER);
        return NODE_NEVER_ID;
    }
}

/* Marks what the wanted nodes are made of. */
static void want_kids(IrBuilder *b)
{
    for (ReId id = b->re->nodes.count; id-- > 0;) {
        ReNode n = b->re->nodes.at[id];
        if (!b->wanted[id]) continue;
        if (n.kind == RE_REPEAT) b->wanted[n.a] = 1;
        if (n.kind != RE_SEQ && n.kind != RE_ALT) continue;
        for (uint32_t i = 0; i < n.b; i++)
            b->wanted[b->re->kids.at[n.a + i]] = 1;
    }
}

static void build_plain(IrBuilder *b)
{
    for (ReId id = 0; id < b->re->nodes.count && ir_ok(b->ir); id++) {
        ReNode n = b->re->nodes.at[id];
        if (!b->wanted[id]) continue;
        NodeId node = plain_node(b, n);
        if (n.wrap & WRAP_LEFT) node = ir_seq2(b->ir, any_text(b->ir), node);
        if (n.wrap & WRAP_RIGHT) node = ir_seq2(b->ir, node, any_text(b->ir));
        b->built[id] = node;
    }
}

/* The alternatives of the pattern, or the pattern itself. */
static uint32_t branches_of(const Regex *re, const ReId **branches)
{
    const ReNode *root = &re->nodes.at[re->root];
    bool is_open = root->kind == RE_ALT && !root->wrap;
    *branches = is_open ? re->kids.at + root->a : &re->root;
    return is_open ? root->b : 1;
}

/* Marks the nodes of a branch outside its core. */
static void want_row(IrBuilder *b, const ReId *branch)
{
    Row row = row_of(b->re, branch);
    Core core = core_of(b->re, &row);
    if (core.first >= core.past) {
        b->wanted[*branch] = 1;
        return;
    }
    for (uint32_t i = 0; i < row.nkids; i++)
        if (i < core.first || i >= core.past) b->wanted[row.kids[i]] = 1;
}

static bool push_kid(IrBuilder *b, NodeId node)
{
    return vec_push(b->re->mem, &b->kids, node) || (no_memory(b), false);
}

static NodeId branch_node(IrBuilder *b, const ReId *branch)
{
    Row row = row_of(b->re, branch);
    Core core = core_of(b->re, &row);
    if (core.first >= core.past) return b->built[*branch];
    const Dfa *dfa = core_dfa(&b->lang, b->re, &row, &core, b->assertion);
    if (!ir_ok(b->ir)) return NODE_NEVER_ID;
    b->kids.count = 0;
    bool done = true;
    if (row.any_first && !core.any_first) done = push_kid(b, any_text(b->ir));
    for (uint32_t i = 0; done && i < core.first; i++)
        done = push_kid(b, b->built[row.kids[i]]);
    done = done && push_kid(b, ir_regular(b->ir, dfa));
    for (uint32_t i = core.past; done && i < row.nkids; i++)
        done = push_kid(b, b->built[row.kids[i]]);
    if (done && row.any_last && !core.any_last)
        done = push_kid(b, any_text(b->ir));
    return done ? ir_seq(b->ir, b->kids.at, b->kids.count) : NODE_NEVER_ID;
}

static NodeId build_branches(IrBuilder *b)
{
    const ReId *branches;
    uint32_t count = branches_of(b->re, &branches);
    for (uint32_t i = 0; i < count; i++) want_row(b, &branches[i]);
    want_kids(b);
    build_plain(b);
    NodeId *nodes = mem_new(b->re->mem, count * sizeof *nodes);
    if (!nodes) return no_memory(b);
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = branch_node(b, &branches[i]);
    NodeId out = ir_alt(b->ir, nodes, count);
    mem_free(b->re->mem, nodes, count * sizeof *nodes);
    return out;
}

/* The whole pattern as one core. */
static const Dfa *whole_dfa(LangCtx *ctx, const Regex *re)
{
    Row row = {.node = re->root, .kids = &re->root, .nkids = 1};
    Core core = {0, 1, false, false};
    uint32_t *assertion = assertions_new(ctx, re);
    if (!assertion) return lang_none();
    const Dfa *out = core_dfa(ctx, re, &row, &core, assertion);
    assertions_free(ctx, re, assertion);
    return out;
}

/* The same with a length that was taken out. */
static const Dfa *within(LangCtx *ctx, const Dfa *dfa, RegexLength length)
{
    if (!length.lo && length.hi == LANG_INF) return dfa;
    return lang_intersect(ctx, dfa, lang_length(ctx, length.lo, length.hi));
}

/* With assertions, a length that can be counted apart is. */
static NodeId build_pattern(IrBuilder *b)
{
    RegexLength length = {0, LANG_INF};
    Regex *re = b->re;
    if (re->nodes.at[re->root].looks && !re_take_length(re, &length))
        return NODE_NEVER_ID;
    if (!length.lo && length.hi == LANG_INF) return build_branches(b);
    RegexLength least = {length.lo, LANG_INF};
    const Dfa *dfa = within(&b->lang, whole_dfa(&b->lang, re), least);
    if (!ir_ok(b->ir)) return NODE_NEVER_ID;
    return length.hi == LANG_INF
               ? ir_regular(b->ir, dfa)
               : ir_regular_bounded(b->ir, dfa, NULL, length.hi);
}

static NodeId build_ir(Ir *ir, Regex *re, Span pattern)
{
    IrBuilder b = {.ir = ir, .re = re};
    Arena scratch;
    arena_init(&scratch, ir->mem, 0);
    lang_init(&b.lang, ir->mem, &scratch, &ir->limits, &ir->error);
    b.lang.work = re->work;
    b.lang.begin = re->offset;
    b.lang.end = re->offset + (uint32_t)pattern.size;
    b.built = arena_array(&scratch, NodeId, re->nodes.count);
    b.wanted = arena_zero(&scratch, re->nodes.count);
    b.class_node =
        arena_zero(&scratch, (re->ranges.count + 1) * sizeof(NodeId));
    b.assertion = assertions_new(&b.lang, re);
    NodeId out = NODE_NEVER_ID;
    if (scratch.failed) diag_no_memory(&ir->error);
    if (ir_ok(ir)) out = build_pattern(&b);
    assertions_free(&b.lang, re, b.assertion);
    re->work = b.lang.work;
    vec_free(ir->mem, &b.kids);
    vec_free(ir->mem, &b.ranges);
    arena_free(&scratch);
    return ir_ok(ir) ? out : NODE_NEVER_ID;
}

/* ---- the two ways out ---- */

static void give_warnings(const Regex *re, Ir *ir)
{
    for (uint32_t i = 0; i < re->warnings.count && ir_ok(ir); i++) {
        ReWarning w = re->warnings.at[i];
        ir_warn(ir, w.begin, w.end, "%s", w.text);
    }
}

NodeId regex_compile(Ir *ir, Span pattern, const RegexOpts *opts)
{
    RegexOpts o = opts ? *opts : (RegexOpts){0};
    Regex re;
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    re_init(&re, ir->mem, &ir->limits, &ir->error);
    if (o.work) re.work = *o.work;
    NodeId out = NODE_NEVER_ID;
    if (regex_parse(&re, pattern, &o) && re_resolve(&re, o.is_search))
        out = build_ir(ir, &re, pattern);
    give_warnings(&re, ir);
    if (o.work) *o.work = re.work;
    re_free(&re);
    return ir_ok(ir) ? out : NODE_NEVER_ID;
}

static const Dfa *build_dfa(LangCtx *ctx, Regex *re, RegexLength *length)
{
    RegexLength own = {0, LANG_INF};
    if (!re_take_length(re, length ? length : &own)) return lang_none();
    return within(ctx, whole_dfa(ctx, re), own);
}

static weir_limits limits_of(const LangCtx *ctx, const weir_limits *given)
{
    weir_limits l = given ? *given : (weir_limits){0};
    if (!l.max_source) l.max_source = 64u << 20;
    if (!l.max_depth) l.max_depth = 10000;
    l.max_states = ctx->max_states;
    l.max_work = ctx->work;
    return l;
}

const Dfa *regex_dfa(LangCtx *ctx, Span pattern, const RegexOpts *opts,
                     const weir_limits *limits, Ir *warnings)
{
    RegexOpts o = opts ? *opts : (RegexOpts){0};
    Regex re;
    const Dfa *out = lang_none();
    if (!lang_ok(ctx)) return out;
    weir_limits l = limits_of(ctx, limits);
    re_init(&re, ctx->mem, &l, ctx->error);
    ctx->begin = o.offset;
    ctx->end = o.offset + (uint32_t)MIN(pattern.size, l.max_source);
    bool done = regex_parse(&re, pattern, &o) && re_resolve(&re, o.is_search);
    ctx->work = re.work;
    if (done) out = build_dfa(ctx, &re, o.length);
    if (warnings) give_warnings(&re, warnings);
    re_free(&re);
    return lang_ok(ctx) ? out : lang_none();
}
