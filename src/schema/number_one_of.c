/* number_one_of.c: the set of some listed numbers.
 *
 * In:    values.   Out: the Dfa of all their plain spellings.
 * Method: a trie of the values in their shortest plain form, 0 with both signs;
 *        then the end of each value goes on over zeros behind the point, which
 *        are nodes of other values where these begin like that.
 * Cost:  a node of 52 bytes a digit, and one minimisation.
 * Tests: unit/number_test.c
 */
#include "lang/dfa_writer.h"
#include "schema/number.h"
#include "schema/number_value.h"

enum { SIGNS = 12, NO_NODE = 0 }; /* "-.0123456789" */

typedef struct Node {
    uint32_t to[SIGNS]; /* nodes, or NO_NODE */
    bool is_value;      /* a value ends here; it may go on as ".00" ... */
    bool is_fraction;   /* ... or, where this is behind the point, as "00" */
    bool is_dot;        /* right after the point */
} Node;

typedef struct Trie {
    LangCtx *ctx;
    Span text; /* the value that is added */
    VEC(Node) nodes;
} Trie;

static uint32_t sign_index(uint8_t c)
{
    return c == '-' ? 0 : c == '.' ? 1 : (uint32_t)(c - '0') + 2;
}

static uint8_t index_sign(uint32_t i)
{
    return (uint8_t) "-.0123456789"[i];
}

/* The node after `from` over `c`, made if need be. */
static uint32_t trie_step(Trie *t, uint32_t from, uint8_t c)
{
    LangCtx *ctx = t->ctx;
    assert(from < t->nodes.count);
    uint32_t to = t->nodes.at[from].to[sign_index(c)];
    if (to != NO_NODE || !lang_charge(ctx, 16)) return to;
    to = t->nodes.count;
    if (to >= ctx->max_states)
        return number_too_large(ctx, "value", t->text), from;
    bool is_fraction = c == '.' || t->nodes.at[from].is_fraction;
    Node node = {.is_fraction = is_fraction, .is_dot = c == '.'};
    if (!vec_push(ctx->mem, &t->nodes, node)) return lang_no_memory(ctx), from;
    t->nodes.at[from].to[sign_index(c)] = to;
    return to;
}

static void trie_add(Trie *t, const NumberDigits *d, bool is_negative)
{
    uint32_t at = is_negative ? trie_step(t, 0, '-') : 0;
    if (!d->nint) at = trie_step(t, at, '0');
    for (size_t i = 0; i < d->nint + d->nfrac && lang_ok(t->ctx); i++) {
        if (i == d->nint) at = trie_step(t, at, '.');
        at = trie_step(t, at, (uint8_t)('0' + d->at[i]));
    }
    assert(at < t->nodes.count);
    if (lang_ok(t->ctx)) t->nodes.at[at].is_value = true;
}

static bool trie_add_text(Trie *t, Span text)
{
    NumberValue value;
    NumberDigits digits;
    t->text = text;
    if (!number_value(t->ctx, text, &value) ||
        !number_digits(t->ctx, &value, &digits))
        return false;
    trie_add(t, &digits, value.is_negative);
    if (!value.ndigits) trie_add(t, &digits, true); /* -0 */
    return lang_ok(t->ctx);
}

/* Lets every value go on over zeros. Where other values begin like that, its
 * zeros are theirs; node `zeros` is for the rest. */
static void trie_extend(Trie *t)
{
    uint32_t n = t->nodes.count, dot = trie_step(t, 0, '.');
    uint32_t zeros = lang_ok(t->ctx) ? trie_step(t, dot, '0') : 0;
    if (!lang_ok(t->ctx)) return;
    t->nodes.at[0].to[sign_index('.')] = NO_NODE;
    t->nodes.at[zeros].is_value = true;
    t->nodes.at[zeros].to[sign_index('0')] = zeros;
    for (uint32_t i = 0; i < n; i++) { /* children come after parents */
        Node *node = &t->nodes.at[i];
        if (!node->is_value) continue;
        uint32_t *to = &node->to[sign_index(node->is_fraction ? '0' : '.')];
        if (*to == NO_NODE)
            *to = node->is_fraction ? zeros : dot;
        else
            t->nodes.at[*to].is_value = true;
    }
}

static void trie_write(Trie *t, DfaWriter *w)
{
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        const Node *node = &t->nodes.at[i];
        if (!dfa_writer_state(w, node->is_value && !node->is_dot)) return;
        for (uint32_t k = 0; k < SIGNS; k++)
            if (node->to[k] != NO_NODE)
                dfa_writer_edge(w, index_sign(k), index_sign(k), node->to[k]);
    }
}

const Dfa *number_one_of(LangCtx *ctx, const Span *values, uint32_t count)
{
    Trie trie = {.ctx = ctx};
    DfaWriter writer;
    if (!lang_ok(ctx) || !count) return lang_none();
    if (count == 1) return number_equal(ctx, values[0]);
    if (!vec_push(ctx->mem, &trie.nodes, (Node){.is_value = false}))
        lang_no_memory(ctx);
    for (uint32_t i = 0; i < count && lang_ok(ctx); i++)
        trie_add_text(&trie, values[i]);
    if (lang_ok(ctx)) trie_extend(&trie);
    dfa_writer_init(&writer, ctx);
    if (lang_ok(ctx)) trie_write(&trie, &writer);
    const Dfa *out = dfa_writer_minimize(&writer);
    dfa_writer_free(&writer);
    vec_free(ctx->mem, &trie.nodes);
    return out;
}
