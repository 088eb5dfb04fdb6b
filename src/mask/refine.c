/* refine.c: taking out tokens that would repeat a head.
 *
 * Candidates, a superset of them:
 *   - the head in hand: for each earlier head that begins as it does, the
 *     tokens that go on like that one, in any spelling, and past the quote at
 *     its end
 *   - whole heads: tokens with two quotes or more, if what stands between two
 *     of them is an earlier head, or stands there twice
 * Each is read from the set with records; what cannot be read is taken out.
 * Cost: the earlier heads, and some 100 ns a byte of each candidate.
 * Tests: prop/masks_vs_oracle_test.c, unit/unique_test.c.
 */
#include "mask/refine.h"

#include "base/unescape.h"
#include "matcher/meaning.h"

enum { MAX_NODES = 1024, MANY_QUOTES = 3 };

/* ---- tokens with quotes ---- */

static uint32_t count_quotes(Span text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.size; i++) n += text.at[i] == '"';
    return n;
}

bool refine_find_quoted(const Mem *mem, const Vocab *vocab, QuotedIds *out)
{
    for (uint32_t id = 0; id < vocab->ntokens; id++)
        if (vocab_is_text(vocab, id) &&
            count_quotes(vocab_bytes(vocab, id)) >= 2 &&
            !vec_push(mem, out, id))
            return false;
    return true;
}

/* ---- trying ---- */

typedef struct Refine {
    MaskRun *run;
    const ConfigSet *set;
    uint32_t *row;
    UniqueTable *table;
    UniqueMark mark;
    VEC(const StackNode *) nodes; /* of the stacks, as far as heads matter */
    bool any_head;                /* one is in hand */
    bool is_all;
    Span meaning; /* of the earlier head in hand */
    MeaningBytes bytes;
} Refine;

static bool row_has(const Refine *r, uint32_t id)
{
    return r->row[id / 32] >> (id % 32) & 1;
}

/* Whether the token can be read. */
static bool can_read(Refine *r, Span text)
{
    MaskRun *run = r->run;
    ConfigSet *now = set_borrow(run), *next = set_borrow(run);
    bool alive = now && next && set_copy(run->mem, now, r->set);
    if (!alive) run->no_memory = true;
    for (size_t i = 0; alive && i < text.size; i++) {
        set_step(&run->stepper, now, text.at[i], next);
        alive = !set_is_empty(next);
        ConfigSet *swap = now;
        now = next;
        next = swap;
    }
    if (now) set_give(run, now);
    if (next) set_give(run, next);
    unique_back(r->table, r->mark);
    return alive;
}

static void try_id(Refine *r, uint32_t id)
{
    if (!row_has(r, id) || r->run->no_memory ||
        stepper_status(&r->run->stepper))
        return;
    if (!can_read(r, vocab_bytes(r->run->vocab->vocab, id)))
        r->row[id / 32] &= ~(1u << (id % 32));
}

static void try_places(Refine *r, uint32_t from, uint32_t to)
{
    const Trie *trie = &r->run->vocab->main.trie;
    for (uint32_t p = from; p < to; p++) try_id(r, trie->ids[p]);
}

/* ---- the head in hand ---- */

/* How far a spelling of the earlier head has come. */
typedef struct Spelling {
    Unescape unescape;
    size_t pos; /* in r->meaning */
} Spelling;

/* False: the byte does not go on like it. *ends: it is the quote at its end. */
static bool spell(const Refine *r, Spelling *s, uint8_t byte, bool *ends)
{
    uint8_t out[UNESCAPE_MAX];
    unsigned n;
    UnescapeEnd end = unescape_byte(&s->unescape, byte, out, &n);
    if (end == UNESCAPE_BAD || n > r->meaning.size - s->pos ||
        memcmp(out, r->meaning.at + s->pos, n) != 0)
        return false;
    s->pos += n;
    *ends = end == UNESCAPE_END;
    return !*ends || s->pos == r->meaning.size;
}

typedef struct SpellNode {
    uint32_t node;
    Spelling spelling;
} SpellNode;

typedef VEC(SpellNode) SpellNodes;

/* The child of a node by a byte, if that goes on like the earlier head. */
static void try_child(Refine *r, SpellNodes *todo, SpellNode at, uint32_t child)
{
    const TrieNode *c = &r->run->vocab->main.trie.nodes[child];
    bool ends = false;
    if (!child || !spell(r, &at.spelling, c->byte, &ends)) return;
    at.node = child;
    if (ends)
        try_places(r, c->tok, c->tok_end);
    else if (!vec_push(r->run->mem, todo, at))
        r->run->no_memory = true;
}

/* Between characters only three bytes can do: the next one of the earlier
 * head, the beginning of an escape, and the quote. */
static void try_children(Refine *r, SpellNodes *todo, SpellNode at)
{
    const Trie *trie = &r->run->vocab->main.trie;
    const TrieNode *n = &trie->nodes[at.node];
    const Unescape *u = &at.spelling.unescape;
    if (u->is_escaped || u->ndigits || u->high) {
        for (uint32_t i = 0; i < n->nchildren; i++)
            try_child(r, todo, at, n->child + i);
        return;
    }
    if (at.spelling.pos < r->meaning.size)
        try_child(r, todo, at,
                  trie_child(trie, n, r->meaning.at[at.spelling.pos]));
    try_child(r, todo, at, trie_child(trie, n, '\\'));
    if (at.spelling.pos == r->meaning.size)
        try_child(r, todo, at, trie_child(trie, n, '"'));
}

/* Tokens that spell the rest of the earlier head and its end. */
static void try_spellings(Refine *r, Spelling from)
{
    SpellNodes todo = {0};
    if (!vec_push(r->run->mem, &todo, (SpellNode){TRIE_ROOT, from}))
        r->run->no_memory = true;
    while (todo.count && !r->run->no_memory)
        try_children(r, &todo, todo.at[--todo.count]);
    vec_free(r->run->mem, &todo);
}

/* An earlier head: if the one in hand begins like it, how it may go on. */
static void try_meaning(void *user, Span meaning)
{
    Refine *r = user;
    Spelling s = {{0}, 0};
    bool ends = false;
    r->meaning = meaning;
    for (uint32_t i = 1; i < r->bytes.count; i++)
        if (!spell(r, &s, r->bytes.at[i], &ends) || ends) return;
    try_spellings(r, s);
}

/* The head that ends at a stack's entry. */
static void try_head(Refine *r, const StackEntry *e)
{
    r->any_head = true;
    Span text = unique_text(r->table, e->reg);
    r->bytes.count = 0;
    if (!e->ret->is_open) r->is_all = true;
    assert(text.size < UINT32_MAX);
    if (!vec_reserve(r->run->mem, &r->bytes, text.size + 1)) {
        r->run->no_memory = true;
        return;
    }
    if (text.size) memcpy(r->bytes.at, text.at, text.size);
    r->bytes.count = (uint32_t)text.size;
    if (!r->is_all) unique_each(r->table, e->ret, e->reg, try_meaning, r);
}

/* ---- all heads in hand ---- */

static void want_node(Refine *r, const StackNode *node)
{
    if (!node || !node->has_records) return;
    for (uint32_t i = 0; i < r->nodes.count; i++)
        if (r->nodes.at[i] == node) return;
    if (r->nodes.count == MAX_NODES)
        r->is_all = true;
    else if (!vec_push(r->run->mem, &r->nodes, node))
        r->run->no_memory = true;
}

static void try_heads(Refine *r)
{
    for (uint32_t i = 0; i < r->set->list.count; i++)
        want_node(r, r->set->list.at[i].stack);
    for (uint32_t i = 0; i < r->nodes.count && !r->is_all; i++) {
        const StackNode *node = r->nodes.at[i];
        for (uint32_t k = 0; k < node->count && !r->is_all; k++) {
            if (node->at[k].ret->is_head) try_head(r, &node->at[k]);
            want_node(r, node->at[k].below);
        }
    }
}

/* ---- whole heads ---- */

/* What stands between two quotes that follow one another, decoded and appended
 * to r->bytes; false: it is no string. */
static bool between(Refine *r, Span text, size_t from, size_t to)
{
    if (meaning_string(r->run->mem, span_of(text.at + from, to - from + 1),
                       &r->bytes))
        return true;
    r->run->no_memory = true;
    return false;
}

typedef struct Parts {
    uint32_t start[16]; /* in r->bytes */
    uint32_t count;
} Parts;

static Span part(const Refine *r, const Parts *p, uint32_t i)
{
    uint32_t end = i + 1 < p->count ? p->start[i + 1] : r->bytes.count;
    return span_of(r->bytes.at + p->start[i], end - p->start[i]);
}

/* Whether a token may have a head in it that was there before. */
static bool may_repeat(Refine *r, Span text)
{
    Parts p = {.count = 0};
    size_t before = SIZE_MAX;
    r->bytes.count = 0;
    if (r->any_head && count_quotes(text) >= MANY_QUOTES) return true;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] != '"') continue;
        if (before != SIZE_MAX) {
            if (p.count == COUNT_OF(p.start)) return true;
            p.start[p.count++] = r->bytes.count;
            if (!between(r, text, before, i)) return false;
        }
        before = i;
    }
    for (uint32_t i = 0; i < p.count; i++) {
        if (unique_is_known(r->table, r->run->taken, part(r, &p, i)))
            return true;
        for (uint32_t k = 0; k < i; k++)
            if (span_equal(part(r, &p, i), part(r, &p, k))) return true;
    }
    return false;
}

static void try_quoted(Refine *r)
{
    const MaskVocab *v = r->run->vocab;
    for (uint32_t i = 0; i < v->quoted.count; i++) {
        uint32_t id = v->quoted.at[i];
        if (row_has(r, id) && may_repeat(r, vocab_bytes(v->vocab, id)))
            try_id(r, id);
    }
}

bool refine_row(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    Refine r = {.run = run, .set = set, .row = row, .table = run->unique};
    r.mark = unique_mark(run->unique);
    run->stepper.unique = run->unique;
    try_heads(&r);
    if (!r.is_all) try_quoted(&r);
    run->stepper.unique = NULL;
    unique_back(run->unique, r.mark);
    vec_free(run->mem, &r.nodes);
    vec_free(run->mem, &r.bytes);
    return !r.is_all;
}
