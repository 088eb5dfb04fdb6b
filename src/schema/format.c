/* format.c: the formats' names, and their languages from tables.
 *
 * In:    a kind.   Out: its minimal Dfa.
 * What the formats are is written down in tools/formats, whose program makes
 * the tables. Most are constant automata. In the two large ones, idn-email and
 * idn-hostname, classes of code points are spelled out as ranges here.
 * Cost:  nothing; of the large ones up to 3 MB and 1 ms.
 * Tests: unit/format_test.c; weir-formats --check
 */
#include "schema/format.h"

#include <assert.h>

#include "schema/format_tables.h"

static const char *const names[FORMAT_KINDS] = {
    [FORMAT_UNKNOWN] = "",
    [FORMAT_DATE_TIME] = "date-time",
    [FORMAT_DATE] = "date",
    [FORMAT_TIME] = "time",
    [FORMAT_DURATION] = "duration",
    [FORMAT_EMAIL] = "email",
    [FORMAT_IDN_EMAIL] = "idn-email",
    [FORMAT_HOSTNAME] = "hostname",
    [FORMAT_IDN_HOSTNAME] = "idn-hostname",
    [FORMAT_IPV4] = "ipv4",
    [FORMAT_IPV6] = "ipv6",
    [FORMAT_URI] = "uri",
    [FORMAT_URI_REFERENCE] = "uri-reference",
    [FORMAT_IRI] = "iri",
    [FORMAT_IRI_REFERENCE] = "iri-reference",
    [FORMAT_URI_TEMPLATE] = "uri-template",
    [FORMAT_UUID] = "uuid",
    [FORMAT_JSON_POINTER] = "json-pointer",
    [FORMAT_RELATIVE_JSON_POINTER] = "relative-json-pointer",
    [FORMAT_REGEX] = "regex",
};

FormatKind format_find(Span name)
{
    for (int kind = FORMAT_UNKNOWN + 1; kind < FORMAT_KINDS; kind++)
        if (span_equal(name, span_text(names[kind]))) return (FormatKind)kind;
    return FORMAT_UNKNOWN;
}

const char *format_name(FormatKind kind)
{
    assert(kind < FORMAT_KINDS);
    return names[kind];
}

uint32_t format_max_length(FormatKind kind)
{
    enum { MAX_HOSTNAME = 253 };
    bool is_name = kind == FORMAT_HOSTNAME || kind == FORMAT_IDN_HOSTNAME;
    return is_name ? MAX_HOSTNAME : LANG_INF;
}

bool format_is_exact(FormatKind kind)
{
    return kind != FORMAT_HOSTNAME && kind != FORMAT_IDN_HOSTNAME &&
           kind != FORMAT_REGEX;
}

/* ---- tables ---- */

/* Writes the edges of one state; returns where they end. */
static DfaEdge *spell_state(const FormatTable *t, const uint32_t *class_target,
                            DfaEdge *edge)
{
    const DfaEdge *first = edge;
    for (uint32_t i = 0; i < t->nspans; i++) {
        uint32_t to = class_target[t->spans[i] & FORMAT_CLASSES];
        if (to == LANG_INF) continue;
        uint32_t lo = t->spans[i] >> FORMAT_CLASS_BITS;
        uint32_t hi = (t->spans[i + 1] >> FORMAT_CLASS_BITS) - 1;
        if (edge > first && edge[-1].to == to && edge[-1].hi + 1 == lo)
            edge[-1].hi = hi;
        else
            *edge++ = (DfaEdge){lo, hi, to};
    }
    return edge;
}

static void spell(const FormatTable *t, uint32_t *edge_start, DfaEdge *edges)
{
    uint32_t class_target[FORMAT_CLASSES + 1];
    DfaEdge *edge = edges;
    memset(class_target, 0xFF, sizeof class_target);
    for (uint32_t s = 0; s < t->nstates; s++) {
        const uint32_t *begin = t->class_edges + t->state_edges[s];
        const uint32_t *end = t->class_edges + t->state_edges[s + 1];
        edge_start[s] = (uint32_t)(edge - edges);
        for (const uint32_t *e = begin; e < end; e++)
            class_target[*e & FORMAT_CLASSES] = *e >> FORMAT_CLASS_BITS;
        edge = spell_state(t, class_target, edge);
        for (const uint32_t *e = begin; e < end; e++)
            class_target[*e & FORMAT_CLASSES] = LANG_INF;
    }
    edge_start[t->nstates] = (uint32_t)(edge - edges);
    assert(edge == edges + t->nedges);
}

static const Dfa *spelled(LangCtx *ctx, const FormatTable *t)
{
    if (!lang_charge(ctx, t->nedges)) return lang_none();
    Dfa *dfa = arena_new(ctx->arena, Dfa);
    uint32_t *edge_start =
        arena_array(ctx->arena, uint32_t, (size_t)t->nstates + 1);
    DfaEdge *edges = arena_array(ctx->arena, DfaEdge, t->nedges);
    if (!dfa || !edge_start || !edges) return lang_no_memory(ctx), lang_none();
    spell(t, edge_start, edges);
    *dfa = (Dfa){t->nstates, edge_start, edges, t->accepts};
    return dfa;
}

const Dfa *format_language(LangCtx *ctx, FormatCache *cache, FormatKind kind)
{
    const Dfa *dfa = &format_dfas[kind];
    const FormatTable *t = &format_tables[kind];
    if (cache->at[kind]) return cache->at[kind];
    if (!dfa->nstates && !t->nstates) return NULL;
    if (!lang_ok(ctx) || !lang_room(ctx, MAX(dfa->nstates, t->nstates)))
        return lang_none();
    if (!dfa->nstates) dfa = spelled(ctx, t);
    if (lang_ok(ctx)) cache->at[kind] = dfa;
    return dfa;
}
