/* json_text.c: Dfa of texts → Dfa of their spellings inside a JSON string.
 *
 * In:    a minimal Dfa.   Out: the minimal Dfa of the spellings.
 * Method: every state keeps the edges that JSON lets stand for themselves, and
 *        one over the backslash into a tree of helpers for the rest:
 *
 *          s ── raw ─► t
 *          s ── \ ─► escape ── " \ / b f n r t ─► t
 *                      └─ u ─► hex 4 ─► hex 3 ─► hex 2 ─► hex 1 ─► t
 *                                                           └─► pair
 *          pair ── \ ── u ─► hex 4 ... ─► t      (low half of a surrogate pair)
 *
 *        Helpers are hash-consed by their edges, from the leaves up.
 * Holds: the result is minimal without a minimisation. Two states of the
 *        input stay different, as every text has a spelling and a spelling one
 *        text. Helpers all end in input states (hex 1) after a number of edges
 *        that their kind fixes, so two of them are equal only if they are one
 *        after hash-consing, and one equals an input state only if some hex 1
 *        does: a state that refuses and has edges over hexadecimal digits
 *        alone. With JSON_TEXT_ANY there is none, for every state with edges
 *        has one over the backslash; otherwise such states are hash-consed
 *        with the helpers, and if ever one meets (`clash`), the Dfa is minimised.
 * Cost:  linear in the edges; some ten helpers for each different way in which
 *        a state goes on over characters that need escapes. With ANY up to
 *        twelve helpers an edge.
 * Tests: unit/json_text_test.c: all spellings up to a length against a decoder
 *        of their own, minimality, random Dfas.
 */
#include "lang/json_text.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "lang/dfa_writer.h"

#define NODE_NONE UINT32_MAX

enum { HIGH_FIRST = 0xD800, LOW_FIRST = 0xDC00, LOW_LAST = 0xDFFF };
enum {
    PAIR_FIRST = 0x10000,
    LOWS = 0x400,
    LAST_UNIT = 0xFFFF,
    LAST_CONTROL = 0x1F
};

typedef VEC(DfaEdge) EdgeList;

typedef struct Speller {
    LangCtx *ctx;
    const Dfa *dfa;
    JsonTextEscapes escapes;
    /* Nodes: the states of `dfa`, then helpers. */
    EdgeList helper_edges;      /* targets are nodes */
    VEC(uint32_t) helper_start; /* by helper */
    Map index;                  /* of helpers and of bare hex states: nodes */
    bool clash;                 /* a helper was one of the states */
    EdgeList escaped, last;     /* what the escape node is made of; of the
                                   state before */
    uint32_t last_escape;
    EdgeList units, lows;
    VEC(uint32_t) number; /* by node: state of the result, or NODE_NONE */
    VEC(uint32_t) order;  /* by state of the result: node */
    DfaWriter writer;
    bool is_ticked; /* states and helpers are kept apart */
    VEC(uint8_t) ticks;
} Speller;

static void speller_free(Speller *s)
{
    const Mem *mem = s->ctx->mem;
    vec_free(mem, &s->helper_edges);
    vec_free(mem, &s->helper_start);
    map_free(mem, &s->index);
    vec_free(mem, &s->escaped);
    vec_free(mem, &s->last);
    vec_free(mem, &s->units);
    vec_free(mem, &s->lows);
    vec_free(mem, &s->number);
    vec_free(mem, &s->order);
    vec_free(mem, &s->ticks);
    dfa_writer_free(&s->writer);
}

/* ---- helpers ---- */

typedef struct Edges {
    const DfaEdge *at;
    uint32_t count;
} Edges;

static Edges node_edges(const Speller *s, uint32_t node)
{
    const Dfa *a = s->dfa;
    Edges e = {NULL, 0};
    if (node < a->nstates) {
        e.at = dfa_edges(a, node);
        e.count = a->edge_start[node + 1] - a->edge_start[node];
    } else {
        uint32_t helper = node - a->nstates, from = s->helper_start.at[helper];
        uint32_t end = helper + 1 < s->helper_start.count
                           ? s->helper_start.at[helper + 1]
                           : s->helper_edges.count;
        e.at = vec_from(&s->helper_edges, from);
        e.count = end - from;
    }
    assert(e.at || !e.count);
    return e;
}

static bool edges_equal(Edges a, Edges b)
{
    return a.count == b.count &&
           (!a.count || !memcmp(a.at, b.at, a.count * sizeof *a.at));
}

/* Appends to edges in order; touching ones to one node are joined. */
static void push_edge(Speller *s, EdgeList *list, DfaEdge edge)
{
    if (list->count) {
        DfaEdge *last = &list->at[list->count - 1];
        assert(last->hi < edge.lo);
        if (last->to == edge.to && last->hi + 1 == edge.lo) {
            last->hi = edge.hi;
            return;
        }
    }
    if (!vec_push(s->ctx->mem, list, edge)) lang_no_memory(s->ctx);
}

static uint64_t edges_hash(Edges e)
{
    return hash_bytes(e.count, e.at, e.count * sizeof *e.at);
}

/* The node with these edges that does not accept; NODE_NONE for no edges. */
static uint32_t intern(Speller *s, const DfaEdge *at, uint32_t count)
{
    LangCtx *ctx = s->ctx;
    Edges edges = {at, count};
    if (!count || !lang_charge(ctx, count + 4ull)) return NODE_NONE;
    uint64_t hash = edges_hash(edges);
    for (MapPos p = map_first(&s->index, hash); p.value != MAP_NONE;
         p = map_next(&s->index, hash, p)) {
        if (!edges_equal(edges, node_edges(s, p.value))) continue;
        if (p.value < s->dfa->nstates) s->clash = true;
        return p.value;
    }
    uint32_t start = s->helper_edges.count;
    uint32_t node = s->dfa->nstates + s->helper_start.count;
    if (!lang_room(ctx, (uint64_t)node + 1)) return NODE_NONE;
    if (!vec_reserve(ctx->mem, &s->helper_edges, (size_t)start + count) ||
        !vec_push(ctx->mem, &s->helper_start, start) ||
        !vec_push(ctx->mem, &s->number, NODE_NONE) ||
        !map_add(ctx->mem, &s->index, hash, node))
        return lang_no_memory(ctx), NODE_NONE;
    memcpy(s->helper_edges.at + start, at, count * sizeof *at);
    s->helper_edges.count += count;
    return node;
}

static uint32_t intern_one(Speller *s, char over, uint32_t to)
{
    DfaEdge edge = {(uint8_t)over, (uint8_t)over, to};
    return to == NODE_NONE ? NODE_NONE : intern(s, &edge, 1);
}

static bool is_hex(DfaEdge e)
{
    return (e.lo >= '0' && e.hi <= '9') || (e.lo >= 'A' && e.hi <= 'F') ||
           (e.lo >= 'a' && e.hi <= 'f');
}

/* Makes the states known that a hex 1 might be equal to. */
static bool intern_hex_states(Speller *s)
{
    for (uint32_t q = 0; q < s->dfa->nstates; q++) {
        Edges e = node_edges(s, q);
        uint32_t i = 0;
        while (i < e.count && is_hex(e.at[i])) i++;
        if (i < e.count || s->dfa->accepts[q]) continue;
        if (!map_add(s->ctx->mem, &s->index, edges_hash(e), q))
            return lang_no_memory(s->ctx);
    }
    return true;
}

/* ---- four hexadecimal digits ---- */

/* Edges over the digit of each value from 0 to 15, both cases. */
static uint32_t hex_node(Speller *s, const uint32_t *to)
{
    static const struct {
        uint8_t first, value, count;
    } runs[] = {{'0', 0, 10}, {'A', 10, 6}, {'a', 10, 6}};
    DfaEdge edges[10 + 6 + 6];
    uint32_t n = 0;
    for (size_t r = 0; r < COUNT_OF(runs); r++)
        for (uint32_t i = 0; i < runs[r].count; i++) {
            uint32_t target = to[runs[r].value + i], over = runs[r].first + i;
            if (target == NODE_NONE) continue;
            if (n && edges[n - 1].to == target && edges[n - 1].hi + 1 == over)
                edges[n - 1].hi = over;
            else
                edges[n++] = (DfaEdge){over, over, target};
        }
    return intern(s, edges, n);
}

/* The node that reads `ndigits` digits, the last ones of the code units from
 * `base` on. `units` are those of them, in order, that lead anywhere. A digit
 * stands for a block of code units; blocks inside one range lead alike. */
static uint32_t hex_tree(Speller *s, Edges units, uint32_t base, int ndigits)
{
    uint32_t size = (uint32_t)1 << 4 * (ndigits - 1), to[16];
    memset(to, 0xFF, sizeof to);
    for (uint32_t i = 0; i < 16 && units.count;) {
        uint32_t lo = base + i * size;
        DfaEdge u = *units.at;
        if (u.hi < lo) {
            units.at++, units.count--;
        } else if (u.lo >= lo + size) {
            i = (u.lo - base) / size;
        } else {
            to[i] = ndigits > 1 ? hex_tree(s, units, lo, ndigits - 1) : u.to;
            uint32_t same = i++;
            bool is_whole = u.lo <= lo && u.hi >= lo + size - 1;
            while (is_whole && i < 16 && u.hi >= base + (i + 1) * size - 1)
                to[i++] = to[same];
        }
    }
    return hex_node(s, to);
}

static uint32_t hex_digits(Speller *s, const EdgeList *units)
{
    return hex_tree(s, (Edges){units->at, units->count}, 0, 4);
}

/* ---- surrogate pairs ---- */

/* After a high half: its low halves, as code units. */
static uint32_t pair_node(Speller *s, const EdgeList *lows)
{
    return intern_one(s, '\\', intern_one(s, 'u', hex_digits(s, lows)));
}

/* Adds the high halves from `high` on that lead the way the first edges do;
 * returns the last of them. */
static uint32_t add_highs(Speller *s, Edges edges, uint32_t high)
{
    uint32_t base = PAIR_FIRST + (high - HIGH_FIRST) * LOWS;
    uint32_t last = high;
    s->lows.count = 0;
    for (uint32_t i = 0; i < edges.count; i++) {
        DfaEdge e = edges.at[i];
        if (e.lo >= base + LOWS) break;
        uint32_t lo = MAX(e.lo, base) - base;
        uint32_t hi = MIN(e.hi, base + LOWS - 1) - base;
        if (hi - lo + 1 == LOWS) last = high + (e.hi + 1 - base) / LOWS - 1;
        push_edge(s, &s->lows, (DfaEdge){LOW_FIRST + lo, LOW_FIRST + hi, e.to});
    }
    uint32_t to = pair_node(s, &s->lows);
    if (to != NODE_NONE) push_edge(s, &s->units, (DfaEdge){high, last, to});
    return last;
}

static uint32_t high_half(uint32_t rune)
{
    return HIGH_FIRST + (rune - PAIR_FIRST) / LOWS;
}

/* `edges` are those beyond the 16 bit code points. */
static void add_pairs(Speller *s, Edges edges)
{
    uint32_t high = HIGH_FIRST;
    while (edges.count && lang_ok(s->ctx)) {
        high = MAX(high, high_half(MAX(edges.at->lo, (uint32_t)PAIR_FIRST)));
        high = add_highs(s, edges, high) + 1;
        while (edges.count && high_half(edges.at->hi) < high)
            edges.at++, edges.count--;
    }
}

/* ---- escapes ---- */

typedef struct ShortEscape {
    char letter;
    uint8_t rune;
} ShortEscape;

static const ShortEscape short_escapes[] = {
    {'"', '"'},  {'/', '/'},  {'\\', '\\'}, {'b', '\b'},
    {'f', '\f'}, {'n', '\n'}, {'r', '\r'},  {'t', '\t'}};

static uint32_t edge_target(const EdgeList *edges, uint32_t rune)
{
    for (uint32_t i = 0; i < edges->count && edges->at[i].lo <= rune; i++)
        if (edges->at[i].hi >= rune) return edges->at[i].to;
    return NODE_NONE;
}

/* Adds the escaped code points in [lo, hi] as code units of their own. */
static void add_units(Speller *s, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = 0; i < s->escaped.count; i++) {
        DfaEdge e = s->escaped.at[i];
        if (e.hi < lo || e.lo > hi) continue;
        push_edge(s, &s->units, (DfaEdge){MAX(e.lo, lo), MIN(e.hi, hi), e.to});
    }
}

/* The node after the backslash, by `escaped`; NODE_NONE if that is empty. */
static uint32_t build_escape(Speller *s)
{
    DfaEdge edges[COUNT_OF(short_escapes) + 1];
    uint32_t n = 0, first = 0;
    for (size_t i = 0; i < COUNT_OF(short_escapes); i++) {
        uint32_t over = (uint8_t)short_escapes[i].letter;
        uint32_t to = edge_target(&s->escaped, short_escapes[i].rune);
        if (to != NODE_NONE) edges[n++] = (DfaEdge){over, over, to};
    }
    while (first < s->escaped.count && s->escaped.at[first].hi < PAIR_FIRST)
        first++;
    s->units.count = 0;
    add_units(s, 0, HIGH_FIRST - 1);
    add_pairs(s, (Edges){s->escaped.at + first, s->escaped.count - first});
    add_units(s, LOW_LAST + 1, LAST_UNIT);
    uint32_t hex = hex_digits(s, &s->units);
    if (hex != NODE_NONE) edges[n++] = (DfaEdge){'u', 'u', hex};
    return intern(s, edges, n);
}

/* Fills `escaped` with the edges over what may or must be escaped. */
static void list_escaped(Speller *s, Edges edges)
{
    static const RuneRange needed[] = {
        {0, LAST_CONTROL}, {'"', '"'}, {'\\', '\\'}};
    static const RuneRange any[] = {{0, RUNE_MAX}};
    bool is_any = s->escapes == JSON_TEXT_ANY;
    const RuneRange *sets = is_any ? any : needed;
    size_t nsets = is_any ? COUNT_OF(any) : COUNT_OF(needed);
    uint32_t i = 0;
    s->escaped.count = 0;
    for (size_t k = 0; k < nsets; k++) {
        while (i < edges.count && edges.at[i].hi < sets[k].lo) i++;
        for (; i < edges.count && edges.at[i].lo <= sets[k].hi; i++) {
            DfaEdge e = edges.at[i];
            e.lo = MAX(e.lo, sets[k].lo);
            e.hi = MIN(e.hi, sets[k].hi);
            push_edge(s, &s->escaped, e);
            if (edges.at[i].hi > sets[k].hi) break;
        }
    }
}

/* The escape node of a state; the same as the one before in most cases. */
static uint32_t escape_node(Speller *s, Edges edges)
{
    list_escaped(s, edges);
    if (!s->escaped.count) return NODE_NONE;
    if (!edges_equal((Edges){s->escaped.at, s->escaped.count},
                     (Edges){s->last.at, s->last.count})) {
        s->last_escape = build_escape(s);
        EdgeList spare = s->last;
        s->last = s->escaped;
        s->escaped = spare;
    }
    return s->last_escape;
}

/* ---- writing ---- */

static uint32_t number_of(Speller *s, uint32_t node)
{
    if (s->number.at[node] == NODE_NONE) {
        s->number.at[node] = s->order.count;
        if (!vec_push(s->ctx->mem, &s->order, node)) lang_no_memory(s->ctx);
    }
    return s->number.at[node];
}

static void write_edge(Speller *s, uint32_t lo, uint32_t hi, uint32_t to)
{
    dfa_writer_edge(&s->writer, lo, hi, number_of(s, to));
}

/* The edges over what may stand for itself, and the one over the backslash. */
static void write_state(Speller *s, Edges edges)
{
    static const RuneRange raw[] = {
        {LAST_CONTROL + 1, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, RUNE_MAX}};
    uint32_t escape = escape_node(s, edges), i = 0;
    for (size_t k = 0; k < COUNT_OF(raw); k++) {
        if (raw[k].lo == '\\' + 1 && escape != NODE_NONE)
            write_edge(s, '\\', '\\', escape);
        while (i < edges.count && edges.at[i].hi < raw[k].lo) i++;
        for (; i < edges.count && edges.at[i].lo <= raw[k].hi; i++) {
            DfaEdge e = edges.at[i];
            write_edge(s, MAX(e.lo, raw[k].lo), MIN(e.hi, raw[k].hi), e.to);
            if (e.hi > raw[k].hi) break;
        }
    }
}

static void write_node(Speller *s, uint32_t node)
{
    bool is_state = node < s->dfa->nstates;
    if (!dfa_writer_state(&s->writer, is_state && s->dfa->accepts[node]))
        return;
    if (s->is_ticked && !vec_push(s->ctx->mem, &s->ticks, is_state))
        lang_no_memory(s->ctx);
    Edges edges = node_edges(s, node);
    if (is_state) {
        write_state(s, edges);
        return;
    }
    for (uint32_t i = 0; i < edges.count; i++)
        write_edge(s, edges.at[i].lo, edges.at[i].hi, edges.at[i].to);
}

static const Dfa *speller_run(Speller *s)
{
    LangCtx *ctx = s->ctx;
    uint32_t n = s->dfa->nstates;
    if (!vec_reserve(ctx->mem, &s->number, n))
        return lang_no_memory(ctx), lang_none();
    memset(s->number.at, 0xFF, n * sizeof *s->number.at);
    s->number.count = n;
    if (s->escapes == JSON_TEXT_NEEDED && !s->is_ticked) intern_hex_states(s);
    if (lang_ok(ctx)) number_of(s, 0);
    for (uint32_t i = 0; lang_ok(ctx) && i < s->order.count; i++)
        write_node(s, s->order.at[i]);
    return s->clash ? dfa_writer_minimize(&s->writer)
                    : dfa_writer_finish(&s->writer);
}

/* Whether no string of the language holds a character that must be escaped. */
static bool is_plain(const Dfa *a)
{
    uint32_t nedges = a->nstates ? a->edge_start[a->nstates] : 0;
    for (uint32_t i = 0; i < nedges; i++) {
        DfaEdge e = a->edges[i];
        if (e.lo <= LAST_CONTROL || (e.lo <= '"' && e.hi >= '"') ||
            (e.lo <= '\\' && e.hi >= '\\'))
            return false;
    }
    return true;
}

static const Dfa *spell(LangCtx *ctx, const Dfa *a, JsonTextEscapes escapes,
                        bool is_ticked, const uint8_t **ticks)
{
    uint32_t nedges = a->nstates ? a->edge_start[a->nstates] : 0;
    if (!lang_charge(ctx, nedges + 1ull) || !a->nstates) return lang_none();
    if (escapes == JSON_TEXT_NEEDED && is_plain(a)) return a;
    Speller s = {
        .ctx = ctx, .dfa = a, .escapes = escapes, .is_ticked = is_ticked};
    dfa_writer_init(&s.writer, ctx);
    const Dfa *out = speller_run(&s);
    if (is_ticked && lang_ok(ctx)) {
        *ticks = arena_copy(ctx->arena, s.ticks.at, s.ticks.count);
        if (!*ticks) lang_no_memory(ctx);
    }
    speller_free(&s);
    return out;
}

const Dfa *lang_json_text(LangCtx *ctx, const Dfa *a, JsonTextEscapes escapes)
{
    return spell(ctx, a, escapes, false, NULL);
}

const Dfa *lang_json_text_ticks(LangCtx *ctx, const Dfa *a,
                                JsonTextEscapes escapes, const uint8_t **ticks)
{
    *ticks = NULL;
    return spell(ctx, a, escapes, true, ticks);
}
