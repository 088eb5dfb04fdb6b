/* json_others.c: all texts but a few, as JSON strings spell them.
 *
 * In:    texts without characters that must be escaped.
 * Out:   the minimal Dfa of the spellings of all others: the names that an
 *        object does not declare, which nearly every schema needs.
 * Method: the states of the texts (texts.h), with what they accept turned round
 *        and all that they do not go on with leading to ANY, where all may
 *        follow. Escapes lead there from any state, since no text has one:
 *
 *          s ── a character of the texts ─► t
 *          s ── any other ─► ANY            (which accepts)
 *          s ── \ ─► ESCAPE ── " \ b f n r t ─► ANY
 *                       └─ u ─► 0 ─► 0 ─► 00-1F, 22, 5C ─► ANY
 * Holds: as texts that a state still needs stay different when they are left
 *        out in place of let in, and none is none, the result is minimal.
 * Cost:  linear in the texts.
 * Tests: unit/json_text_test.c: equal to complement and spelling in turn.
 */
#include "base/utf8.h"
#include "lang/json_text.h"
#include "lang/texts.h"

/* Nodes behind those of the texts. */
typedef enum Helper {
    ANY,
    ESCAPE,
    HEX_4, /* four digits are still to come */
    HEX_3,
    HEX_2,
    HEX_CONTROL, /* the last one of 00-1F */
    HEX_QUOTE,   /* of 22 */
    HEX_SLASH,   /* of 5C */
    HELPERS
} Helper;

typedef struct HelperEdge {
    uint8_t from, lo, hi, to; /* Helper, characters, Helper */
} HelperEdge;

/* By `from`, in the order of code points. */
static const HelperEdge helper_edges[] = {
    {ESCAPE, '"', '"', ANY},        {ESCAPE, '\\', '\\', ANY},
    {ESCAPE, 'b', 'b', ANY},        {ESCAPE, 'f', 'f', ANY},
    {ESCAPE, 'n', 'n', ANY},        {ESCAPE, 'r', 'r', ANY},
    {ESCAPE, 't', 't', ANY},        {ESCAPE, 'u', 'u', HEX_4},
    {HEX_4, '0', '0', HEX_3},       {HEX_3, '0', '0', HEX_2},
    {HEX_2, '0', '1', HEX_CONTROL}, {HEX_2, '2', '2', HEX_QUOTE},
    {HEX_2, '5', '5', HEX_SLASH},   {HEX_CONTROL, '0', '9', ANY},
    {HEX_CONTROL, 'A', 'F', ANY},   {HEX_CONTROL, 'a', 'f', ANY},
    {HEX_QUOTE, '2', '2', ANY},     {HEX_SLASH, 'C', 'C', ANY},
    {HEX_SLASH, 'c', 'c', ANY},
};

/* What may stand for itself; the backslash is between the second and the
 * third. */
static const RuneRange raw[] = {{0x20, '"' - 1},
                                {'"' + 1, '\\' - 1},
                                {'\\' + 1, 0xD7FF},
                                {0xE000, RUNE_MAX}};
enum { BACKSLASH = 2, EDGES_MOST = 5 }; /* of ANY */

typedef struct Others {
    const Texts *texts;
    uint32_t ntexts;  /* states of the texts; helpers come behind */
    uint32_t *number; /* by node: state of the result, or UNNUMBERED */
    uint32_t *order;  /* by state: node */
    uint32_t count;
    DfaEdge *edges;
    uint32_t nedges, first; /* first: of the state in hand */
} Others;

#define UNNUMBERED UINT32_MAX

static inline void put(Others *o, uint32_t lo, uint32_t hi, uint32_t node)
{
    if (o->number[node] == UNNUMBERED) {
        o->number[node] = o->count;
        o->order[o->count++] = node;
    }
    o->edges[o->nedges++] = (DfaEdge){lo, hi, o->number[node]};
}

/* Joined with the edge before if they touch and lead to one state. */
static void put_rune(Others *o, uint32_t rune, uint32_t node)
{
    DfaEdge *before = &o->edges[o->nedges - (o->nedges > 0)];
    if (o->nedges > o->first && before->to == o->number[node] &&
        before->hi + 1 == rune)
        before->hi = rune;
    else
        put(o, rune, rune, node);
}

static void put_helper(Others *o, Helper from)
{
    for (size_t i = 0; i < COUNT_OF(helper_edges); i++) {
        const HelperEdge *e = &helper_edges[i];
        if (e->from == from) put(o, e->lo, e->hi, o->ntexts + e->to);
    }
}

/* `edge`: `count` edges of the texts, single code points that need no escape.
 */
static void put_state(Others *o, const DfaEdge *edge, uint32_t count)
{
    for (size_t r = 0; r < COUNT_OF(raw); r++) {
        uint32_t lo = raw[r].lo;
        if (r == BACKSLASH) put(o, '\\', '\\', o->ntexts + ESCAPE);
        for (; count && edge->lo <= raw[r].hi; edge++, count--) {
            if (edge->lo > lo) put(o, lo, edge->lo - 1, o->ntexts + ANY);
            put_rune(o, edge->lo, edge->to);
            lo = edge->lo + 1;
        }
        if (lo <= raw[r].hi) put(o, lo, raw[r].hi, o->ntexts + ANY);
    }
}

static void put_node(Others *o, uint32_t node, uint8_t *accepts)
{
    const Texts *t = o->texts;
    bool is_text = node < o->ntexts;
    *accepts =
        is_text ? !t->closed.states.at[node].accepts : node == o->ntexts + ANY;
    if (is_text)
        put_state(o, closed_edges(&t->closed, node),
                  t->closed.states.at[node].count);
    else if (*accepts)
        put_state(o, NULL, 0);
    else
        put_helper(o, (Helper)(node - o->ntexts));
}

/* Breadth first from the root. */
static const Dfa *write_nodes(Others *o, Dfa *dfa, uint32_t *edge_start,
                              uint8_t *accepts)
{
    o->number[o->texts->root] = 0;
    o->order[o->count++] = o->texts->root;
    for (uint32_t s = 0; s < o->count; s++) {
        edge_start[s] = o->first = o->nedges;
        put_node(o, o->order[s], &accepts[s]);
    }
    edge_start[o->count] = o->nedges;
    *dfa = (Dfa){o->count, edge_start, o->edges, accepts};
    return dfa;
}

static const Dfa *write_others(const Texts *t)
{
    LangCtx *ctx = t->ctx;
    uint32_t nnodes = t->closed.states.count + HELPERS;
    size_t most = (size_t)nnodes * EDGES_MOST +
                  2 * (size_t)t->closed.edges.count + COUNT_OF(helper_edges);
    Others o = {.texts = t, .ntexts = t->closed.states.count};
    if (!lang_room(ctx, nnodes) || !lang_charge(ctx, most + 4ull * nnodes))
        return lang_none();
    o.number = mem_new(ctx->mem, 2 * nnodes * sizeof *o.number);
    o.edges = arena_array(ctx->arena, DfaEdge, most);
    uint32_t *edge_start =
        arena_array(ctx->arena, uint32_t, (size_t)nnodes + 1);
    uint8_t *accepts = arena_alloc(ctx->arena, nnodes);
    Dfa *dfa = arena_new(ctx->arena, Dfa);
    const Dfa *out = lang_none();
    if (o.number && o.edges && edge_start && accepts && dfa) {
        o.order = o.number + nnodes;
        memset(o.number, 0xFF, nnodes * sizeof *o.number);
        out = write_nodes(&o, dfa, edge_start, accepts);
        assert(o.nedges <= most);
    } else {
        lang_no_memory(ctx);
    }
    mem_free(ctx->mem, o.number, 2 * nnodes * sizeof *o.number);
    return out;
}

const Dfa *lang_json_others(LangCtx *ctx, const Span *texts, uint32_t count)
{
    Texts t;
    const Dfa *out = lang_none();
    if (texts_read(&t, ctx, texts, count)) out = write_others(&t);
    texts_free(&t);
    return out;
}

bool json_text_is_plain(Span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.at[i] < 0x20 || text.at[i] == '"' || text.at[i] == '\\')
            return false;
    return true;
}
