/* oracle_unique.c: lists whose heads must differ, by trying every way to read
 * them.
 *
 * In:     a chart in the making, a LIST with unique kinds, a position.
 * Method: one reading after the other, each with the heads it has had, which
 *         are compared by what they mean. A head that the end of the text cuts
 *         off counts if some way to end it is found that differs from all.
 * Tests:  unit/unique_test.c.
 */
#include <stdlib.h>

#include "oracle/chart.h"

enum { HEADS_MAX = 32, TRIES_MAX = 4000 };

typedef struct Head {
    ListUnique unique;
    uint32_t size;
    uint8_t text[ORACLE_MAX];
} Head;

typedef struct Reading {
    uint32_t state, at, nheads;
    Head heads[HEADS_MAX];
} Reading;

typedef struct UniqueRead {
    const Chart *c;
    const ListSpec *list;
    Node n;
    Reading *todo; /* all readings met */
    uint32_t ntodo, cap;
    Set *reach;
    bool more;
} UniqueRead;

/* ---- meanings ---- */

static uint32_t hex(uint8_t c)
{
    return c <= '9' ? c - (uint32_t)'0' : (c | 0x20u) - 'a' + 10u;
}

/* Only escapes of ASCII, \u00XX, are in the tests' grammars. */
static uint32_t decode(const Head *h, uint8_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i + 1 < h->size; i++) {
        if (h->text[i] == '\\' && i + 5 < h->size) {
            out[n++] =
                (uint8_t)(hex(h->text[i + 4]) * 16 + hex(h->text[i + 5]));
            i += 5;
        } else {
            out[n++] = h->text[i];
        }
    }
    return n;
}

static bool same_strings(const Head *x, const Head *y)
{
    uint8_t a[ORACLE_MAX], b[ORACLE_MAX];
    uint32_t n = decode(x, a);
    return n == decode(y, b) && !memcmp(a, b, n);
}

static double number(const Head *h)
{
    char text[ORACLE_MAX + 1];
    memcpy(text, h->text, h->size);
    text[h->size] = 0;
    return strtod(text, NULL);
}

static bool same_heads(const Head *x, const Head *y)
{
    bool is_string = x->text[0] == '"';
    if (x->unique != y->unique || is_string != (y->text[0] == '"'))
        return false;
    if (is_string) return same_strings(x, y);
    double a = number(x), b = number(y);
    return !(a < b) && !(a > b);
}

static bool is_new(const Reading *r, const Head *h)
{
    for (uint32_t i = 0; i < r->nheads; i++)
        if (same_heads(&r->heads[i], h)) return false;
    return true;
}

static Head head_of(const UniqueRead *u, const ListKind *kind, uint32_t from,
                    uint32_t to)
{
    Head h = {.unique = kind->unique, .size = to - from};
    for (uint32_t i = from; i < to; i++)
        h.text[i - from] = (uint8_t)u->c->text->byte[i];
    return h;
}

/* ---- a head cut off ---- */

/* The head alone, in an Ir of its own: such heads have no rules and lists. */
static NodeId copy_head(const Ir *from, NodeId id, Ir *to)
{
    Node n = ir_node(from, id);
    NodeId kids[8];
    switch (n.kind) {
    case NODE_EMPTY:
        return NODE_EMPTY_ID;
    case NODE_BYTES:
        return ir_bytes(to, ir_node_bytes(from, n));
    case NODE_CLASS:
        return ir_class(to, ir_node_ranges(from, n), n.b, false);
    case NODE_REPEAT:
        return ir_repeat(to, copy_head(from, n.a, to), n.b, n.c);
    default:
        assert((n.kind == NODE_SEQ || n.kind == NODE_ALT) && n.b <= 8);
        for (uint32_t i = 0; i < n.b; i++)
            kids[i] = copy_head(from, ir_node_kids(from, n)[i], to);
        return n.kind == NODE_SEQ ? ir_seq(to, kids, n.b)
                                  : ir_alt(to, kids, n.b);
    }
}

static OracleAnswer ask_head(const Ir *head, const Head *h)
{
    OracleText text = {0};
    oracle_add_bytes(&text, span_of(h->text, h->size));
    return oracle_ask(head, 0, NULL, &text);
}

/* Some way to end the head that begins at `from` differs from the earlier
 * ones: tries longer and longer texts. */
static bool has_other(const UniqueRead *u, const Reading *r,
                      const ListKind *kind, uint32_t from)
{
    static const char letters[] = "\"ab\\u0061,.1c";
    Head *tries = malloc(TRIES_MAX * sizeof *tries);
    uint32_t count = 1;
    bool found = !r->nheads;
    Mem mem = mem_from_env(NULL);
    Ir alone;
    assert(tries);
    ir_init(&alone, &mem, NULL);
    alone.root = ir_rule_new(&alone, SPAN("head"), 0);
    ir_rule_set(&alone, 0, copy_head(u->c->ir, kind->head, &alone));
    tries[0] = head_of(u, kind, from, u->c->text->size);
    for (uint32_t i = 0; i < count && !found; i++) {
        OracleAnswer a = ask_head(&alone, &tries[i]);
        found = a.complete && is_new(r, &tries[i]);
        for (uint32_t k = 0; k < sizeof letters - 1 && a.more; k++) {
            if (count == TRIES_MAX || tries[i].size == ORACLE_MAX) break;
            tries[count] = tries[i];
            tries[count].text[tries[count].size++] = (uint8_t)letters[k];
            count++;
        }
    }
    ir_free(&alone);
    free(tries);
    return found;
}

/* ---- readings ---- */

static void add_reading(UniqueRead *u, const Reading *from, uint32_t state,
                        Set ends, const Head *head)
{
    for (; ends; ends &= ends - 1) {
        if (u->ntodo == u->cap) {
            u->cap = 2 * u->cap + 8;
            u->todo = realloc(u->todo, u->cap * sizeof *u->todo);
            assert(u->todo);
        }
        Reading *r = &u->todo[u->ntodo++];
        *r = *from;
        r->state = state;
        r->at = bit_lowest(ends);
        assert(r->nheads < HEADS_MAX);
        if (head) r->heads[r->nheads++] = *head;
    }
}

static void read_unique(UniqueRead *u, const Reading *r, uint32_t to,
                        const ListKind *kind, uint32_t at)
{
    Fact head = *chart_fact(u->c, kind->head, at);
    if (!chart_usable(u->c, kind)) return;
    for (Set ends = head.ends; ends; ends &= ends - 1) {
        uint32_t end = bit_lowest(ends);
        Head h = head_of(u, kind, at, end);
        if (!is_new(r, &h)) continue;
        Fact tail = *chart_fact(u->c, kind->tail, end);
        u->more |= tail.more;
        add_reading(u, r, to, tail.ends, &h);
    }
    u->more |=
        head.more && u->c->alive[kind->tail] && has_other(u, r, kind, at);
}

static void read_kinds(UniqueRead *u, Reading r, uint32_t at)
{
    const Chart *c = u->c;
    for (uint32_t k = 0; k < u->list->nkinds; k++) {
        const ListKind *kind = &u->list->kinds[k];
        uint32_t to = c->lists[u->n.a].at[r.state].next[k];
        if (!to || !c->live[u->n.a][to]) continue;
        if (kind->unique) {
            read_unique(u, &r, to, kind, at);
        } else {
            Fact f = chart_item(c, kind, at);
            u->more |= f.more;
            add_reading(u, &r, to, f.ends, NULL);
        }
    }
}

bool chart_list_unique(const ListSpec *list)
{
    for (uint32_t k = 0; k < list->nkinds; k++)
        if (list->kinds[k].unique) return true;
    return false;
}

bool chart_read_unique(const Chart *c, Node n, uint32_t start, Set *reach)
{
    UniqueRead u = {
        .c = c, .list = ir_node_list(c->ir, n), .n = n, .reach = reach};
    Reading first = {0};
    read_kinds(&u, first, start);
    for (uint32_t i = 0; i < u.ntodo; i++) {
        Reading r = u.todo[i];
        reach[r.state] |= (Set)1 << r.at;
        Fact f = *chart_fact(c, u.list->separator, r.at);
        u.more |= f.more && chart_can_follow(c, n, r.state);
        for (Set left = f.ends; left; left &= left - 1)
            read_kinds(&u, r, bit_lowest(left));
    }
    free(u.todo);
    return u.more;
}
