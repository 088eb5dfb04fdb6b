/* emit_array.c: shapes of arrays as expressions.
 *
 * Without counts and uniqueness an array is a sequence: the first items, each
 * optional beyond the least length, then a counted repeat of the rest. With
 * them it is a LIST of one group a position: an item that counts and one that
 * does not are two kinds, disjoint where there is a most.
 */
#include "schema/emit.h"

/* ---- sequences ---- */

static NodeId sequence(Emit *e, const ArrayShape *a, uint32_t depth)
{
    Ir *ir = e->ir;
    NodeId comma = json_comma(&e->json, depth), after = json_after(&e->json);
    NodeId rest = emit_value(e, a->rest, depth + 1);
    uint32_t n = MAX(a->nprefix, 1);
    NodeId tail = NODE_EMPTY_ID;
    if (a->hi > n)
        tail = ir_repeat(ir, IR_SEQ(ir, comma, rest, after),
                         a->lo > n ? a->lo - n : 0,
                         a->hi == COUNT_INF ? REPEAT_INF : a->hi - n);
    for (uint32_t i = MIN(n, a->hi) - 1; i > 0; i--) {
        NodeId item = emit_value(e, array_value(a, i), depth + 1);
        tail = IR_SEQ(ir, comma, item, after, tail);
        if (i >= a->lo) tail = ir_optional(ir, tail);
    }
    NodeId first = emit_value(e, array_value(a, 0), depth + 1);
    return IR_SEQ(ir, first, after, tail);
}

/* ---- lists ---- */

typedef struct ArrayList {
    Emit *e;
    const ArrayShape *a;
    uint32_t depth;
    VEC(ListKind) kinds;
    VEC(ListCounter) counters;
    VEC(struct ListedValue) values; /* of unique items */
} ArrayList;

/* A value that can be named, and the counter of its occurrences. */
struct ListedValue {
    NodeId text;
    uint32_t counter;
};

enum { MAX_SOME = 32, MAX_LISTED = 64, MAX_KINDS = 20000 };

static void put_kind(ArrayList *l, uint32_t order, NodeId item,
                     const uint32_t *counters, uint32_t count,
                     ListUnique unique)
{
    Sets *s = l->e->s;
    const uint32_t *kept = sets_copy(s, counters, count * sizeof *counters);
    ListKind kind = {item, NODE_EMPTY_ID, order, count, kept, unique};
    if (item == NODE_NEVER_ID || !kept) return;
    if (!vec_push(s->mem, &l->kinds, kind)) diag_no_memory(&s->ir->error);
    if (l->kinds.count > MAX_KINDS)
        diag_fail(&s->ir->error, WEIR_LIMIT_WORK, 0, 0,
                  "more than %d kinds of items of one array", MAX_KINDS);
}

static uint32_t put_counter(ArrayList *l, uint32_t lo, uint32_t hi)
{
    ListCounter c = {lo, hi == COUNT_INF ? REPEAT_INF : hi};
    if (!vec_push(l->e->s->mem, &l->counters, c))
        diag_no_memory(&l->e->ir->error);
    return l->counters.count - 1;
}

/* An item that is about to become kinds: one for each way to be counted.
 * Counter 0 is the length, counter 1 + i that of some[i]. */
typedef struct Item {
    uint32_t order, position;
    uint32_t counters[MAX_SOME + 3], ncounters;
} Item;

/* The counter of a value, of which there is at most one. */
static uint32_t value_counter(ArrayList *l, NodeId text)
{
    for (uint32_t i = 0; i < l->values.count; i++)
        if (l->values.at[i].text == text) return l->values.at[i].counter;
    struct ListedValue v = {text, put_counter(l, 0, 1)};
    if (!vec_push(l->e->s->mem, &l->values, v))
        diag_no_memory(&l->e->ir->error);
    return v.counter;
}

static void put_listed(ArrayList *l, Item *item, NodeId text)
{
    item->counters[item->ncounters] = value_counter(l, text);
    put_kind(l, item->order, text, item->counters, item->ncounters + 1,
             LIST_REPEATABLE);
}

/* The texts of a piece, if they are few; else SIZE_MAX. */
static size_t few_texts(Sets *s, StringPiece p, Span *texts)
{
    if (!p.dfa || p.kind != PIECE_EXACT) return SIZE_MAX;
    const Dfa *dfa = piece_language(s, &p);
    LangSize size = lang_size(&s->lang, dfa);
    if (!size.is_finite || size.count > MAX_LISTED) return SIZE_MAX;
    return lang_list(&s->lang, dfa, texts, MAX_LISTED);
}

/* Items that must differ: constants and few strings one by one, each with a
 * counter; what is left differs from them, and is told apart when read. */
static void put_unique(ArrayList *l, Item *item, SetId value)
{
    static const char *const constants[] = {"null", "false", "true"};
    Emit *e = l->e;
    Sets *s = e->s;
    Form rest = *set_form_of(s, value, false);
    StringPiece *pieces = sets_array(s, StringPiece, rest.nstrings);
    Span *texts = sets_array(s, Span, MAX_LISTED);
    uint32_t nstrings = 0;
    if (!pieces || !texts) return;
    for (uint32_t i = 0; i < COUNT_OF(constants); i++)
        if (rest.constants & 1u << i)
            put_listed(l, item, ir_bytes(e->ir, span_text(constants[i])));
    for (uint32_t i = 0; i < rest.nstrings && sets_ok(s); i++) {
        size_t n =
            rest.nstrings > 1 ? SIZE_MAX : few_texts(s, rest.strings[i], texts);
        if (n == SIZE_MAX) pieces[nstrings++] = rest.strings[i];
        for (size_t k = 0; n != SIZE_MAX && k < n; k++)
            put_listed(l, item, emit_text(e, texts[k]));
    }
    rest.constants = 0;
    rest.one_of = NULL;
    rest.strings = pieces;
    rest.nstrings = nstrings;
    if (form_is_none(&rest) || !sets_ok(s)) return;
    const Form *kept = sets_copy(s, &rest, sizeof rest);
    if (!kept) return;
    /* A string itself, not a rule for it: of such heads it is known that a
     * list cannot run out of them, which makes their masks cheap. */
    bool is_string = !rest.numbers && !rest.narrays && !rest.nobjects;
    NodeId node = is_string && nstrings == 1
                      ? emit_string(e, pieces[0])
                      : emit_value(e, set_form(s, kept), l->depth + 1);
    put_kind(l, item->order, node, item->counters, item->ncounters,
             is_string ? LIST_UNIQUE_STRING : LIST_UNIQUE_VALUE);
}

/* `exact`: as for members (emit_object.c). Unique items are of one kind each:
 * those of different kinds need not be compared. */
static void put_ways(ArrayList *l, Item *item, SetId value, SetId exact,
                     uint32_t i)
{
    Sets *s = l->e->s;
    if (!sets_ok(s) || set_is_none(s, exact)) return;
    while (i < l->a->nsome && item->position < l->a->some[i].from) i++;
    if (i == l->a->nsome) {
        if (l->a->unique)
            put_unique(l, item, value);
        else
            put_kind(l, item->order, emit_value(l->e, value, l->depth + 1),
                     item->counters, item->ncounters, LIST_REPEATABLE);
        return;
    }
    SomeItems c = l->a->some[i];
    SetId others = set_and(s, exact, set_not(s, c.value));
    uint32_t most = l->a->unique ? 0 : c.hi;
    put_ways(l, item, emit_others(s, value, c.value, most), others, i + 1);
    item->counters[item->ncounters++] = 1 + i;
    put_ways(l, item, set_and(s, value, c.value), set_and(s, exact, c.value),
             i + 1);
    item->ncounters--;
}

static NodeId list_node(ArrayList *l, bool is_contiguous)
{
    ListSpec spec = {.separator = ir_seq2(l->e->ir, json_after(&l->e->json),
                                          json_comma(&l->e->json, l->depth)),
                     .is_contiguous = is_contiguous,
                     .nkinds = l->kinds.count,
                     .ncounters = l->counters.count,
                     .kinds = l->kinds.at,
                     .counters = l->counters.at};
    return ir_seq2(l->e->ir, ir_list(l->e->ir, &spec), json_after(&l->e->json));
}

static NodeId list(Emit *e, const ArrayShape *a, uint32_t depth)
{
    ArrayList l = {.e = e, .a = a, .depth = depth};
    uint32_t last = a->nprefix;
    for (uint32_t i = 0; i < a->nsome; i++) last = MAX(last, a->some[i].from);
    put_counter(&l, a->lo, a->hi);
    for (uint32_t i = 0; i < a->nsome; i++)
        put_counter(&l, a->some[i].lo, a->some[i].hi);
    for (uint32_t i = 0; i < last; i++) {
        Item item = {i, i, {0, put_counter(&l, 0, 1)}, 2};
        put_ways(&l, &item, array_value(a, i), array_value(a, i), 0);
    }
    Item item = {last, last, {0}, 1};
    put_ways(&l, &item, array_value(a, last), array_value(a, last), 0);
    NodeId node = list_node(&l, last > 0);
    vec_free(e->s->mem, &l.kinds);
    vec_free(e->s->mem, &l.counters);
    vec_free(e->s->mem, &l.values);
    return node;
}

NodeId emit_array(Emit *e, const ArrayShape *a, uint32_t depth)
{
    NodeId items = NODE_NEVER_ID;
    uint32_t least = a->lo;
    if (a == &array_any && !e->s->opts->unique_keys)
        return ir_ref(e->ir, json_array_rule(&e->json, depth));
    if (a->nsome > MAX_SOME) {
        diag_fail(&e->ir->error, WEIR_LIMIT_WORK, 0, 0,
                  "more than %d counts of items (contains) at once", MAX_SOME);
        return NODE_NEVER_ID;
    }
    if (a->repeats) {
        diag_fail(&e->ir->error, WEIR_UNSUPPORTED, 0, 0,
                  "uniqueItems cannot be enforced below not: arrays with equal "
                  "items are no set that can be followed");
        return NODE_NEVER_ID;
    }
    for (uint32_t i = 0; i < a->nsome; i++) least = MAX(least, a->some[i].lo);
    if (a->hi)
        items =
            a->nsome || a->unique ? list(e, a, depth) : sequence(e, a, depth);
    return json_container(&e->json, depth, "[]", items, !least);
}
