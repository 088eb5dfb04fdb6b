/* emit_array.c: shapes of arrays as expressions.
 *
 * Without counts and uniqueness an array is a sequence: the first items, each
 * optional beyond the least length, then a counted repeat of the rest. With
 * them it is a LIST of one group a position: an item that counts and one that
 * does not are two kinds, disjoint where there is a most.
 */
#include "schema/emit.h"
#include "schema/number.h"
#include "schema/values.h"

/* ---- sequences ---- */

static NodeId sequence(Emit *e, const ArrayShape *a, uint32_t depth)
{
    Ir *ir = e->ir;
    NodeId comma = emit_comma(e, depth), after = emit_after(e);
    NodeId rest = emit_item(e, a->rest, depth + 1);
    uint32_t n = MAX(a->nprefix, 1);
    NodeId tail = NODE_EMPTY_ID;
    if (a->hi > n)
        tail = ir_repeat(ir, IR_SEQ(ir, comma, rest, after),
                         a->lo > n ? a->lo - n : 0,
                         a->hi == COUNT_INF ? REPEAT_INF : a->hi - n);
    for (uint32_t i = MIN(n, a->hi) - 1; i > 0; i--) {
        NodeId item = emit_item(e, array_value(a, i), depth + 1);
        tail = IR_SEQ(ir, comma, item, after, tail);
        if (i >= a->lo) tail = ir_optional(ir, tail);
    }
    NodeId first = emit_item(e, array_value(a, 0), depth + 1);
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
    /* Strings, numbers, arrays and objects of unique items that are kinds of
     * their own, wherever they may come; found first. */
    VEC(Span) listed;
    ValueList numbers, compounds;
    bool is_listing;    /* they are being found */
    bool is_unlisted;   /* no strings: it is not known which sets have them */
    bool has_compounds; /* arrays and objects that are not listed */
} ArrayList;

/* A value that can be named, and the counter of its occurrences. */
struct ListedValue {
    Span key;
    uint32_t counter;
};

enum {
    MAX_SOME = 32,
    MAX_LISTED = LIST_SUPPLY_LEAST,
    MAX_LISTED_APART = 16, /* arrays and objects beside those not listed */
    MAX_KINDS = 20000
};

static void put_kind(ArrayList *l, uint32_t order, NodeId item,
                     const uint32_t *counters, uint32_t count,
                     ListUnique unique, ListSupply supply)
{
    Sets *s = l->e->s;
    const uint32_t *kept = sets_copy(s, counters, count * sizeof *counters);
    ListKind kind = {item, NODE_EMPTY_ID, order, count, kept, unique, supply};
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
static uint32_t value_counter(ArrayList *l, Span key)
{
    for (uint32_t i = 0; i < l->values.count; i++)
        if (span_equal(l->values.at[i].key, key))
            return l->values.at[i].counter;
    struct ListedValue v = {key, put_counter(l, 0, 1)};
    if (!vec_push(l->e->s->mem, &l->values, v))
        diag_no_memory(&l->e->ir->error);
    return v.counter;
}

/* `key`: equal for equal values only; strings begin with what no other does. */
static void put_listed(ArrayList *l, Item *item, NodeId text, Span key)
{
    item->counters[item->ncounters] = value_counter(l, key);
    put_kind(l, item->order, text, item->counters, item->ncounters + 1,
             LIST_REPEATABLE, LIST_SUPPLY_UNKNOWN);
}

/* ---- items that must differ ---- */

static bool is_listed(const ArrayList *l, Span text)
{
    for (uint32_t i = 0; i < l->listed.count; i++)
        if (span_equal(l->listed.at[i], text)) return true;
    return false;
}

/* Lists the strings of a set that has few. */
static void list_strings(ArrayList *l, const Form *f)
{
    Sets *s = l->e->s;
    Span *texts = sets_array(s, Span, MAX_LISTED);
    for (uint32_t i = 0; i < f->nstrings; i++)
        l->is_unlisted |= f->strings[i].kind != PIECE_EXACT;
    if (!texts || f->nstrings != 1 || l->is_unlisted) return;
    if (!f->strings[0].dfa && f->strings[0].hi) return; /* many */
    const Dfa *dfa = piece_language(s, &f->strings[0]);
    LangSize size = lang_size(&s->lang, dfa);
    if (!size.is_finite || size.count > MAX_LISTED) return;
    uint32_t n = (uint32_t)lang_list(&s->lang, dfa, texts, MAX_LISTED);
    for (uint32_t i = 0; i < n; i++)
        if (!is_listed(l, texts[i]) && !vec_push(s->mem, &l->listed, texts[i]))
            diag_no_memory(&s->ir->error);
}

static bool piece_has(Sets *s, const StringPiece *p, Span text)
{
    return lang_matches(piece_language(s, p), text);
}

/* The quote, then the text. */
static Span string_key(Sets *s, Span text)
{
    uint8_t *key = sets_alloc(s, text.size + 1);
    if (!key) return (Span){0};
    *key = '"';
    if (text.size) memcpy(key + 1, text.at, text.size);
    return span_of(key, text.size + 1);
}

/* Kinds for the listed strings of the set; what is left of its strings. */
static Form put_strings(ArrayList *l, Item *item, const Form *f)
{
    Sets *s = l->e->s;
    StringPiece *rest = sets_array(s, StringPiece, f->nstrings);
    Form left = {.strings = rest};
    if (!rest) return left;
    for (uint32_t i = 0; i < l->listed.count && sets_ok(s); i++) {
        uint32_t k = 0;
        while (k < f->nstrings &&
               !piece_has(s, &f->strings[k], l->listed.at[i]))
            k++;
        if (k < f->nstrings)
            put_listed(l, item, emit_text(l->e, l->listed.at[i]),
                       string_key(s, l->listed.at[i]));
    }
    for (uint32_t i = 0; i < f->nstrings && sets_ok(s); i++) {
        StringPiece p = f->strings[i];
        if (l->listed.count)
            p.dfa = known_subtract(
                &s->known, p.dfa ? p.dfa : lang_all(),
                known_keep(&s->known, lang_texts(&s->lang, l->listed.at,
                                                 l->listed.count)));
        if (!p.dfa || (!lang_is_none(p.dfa) && !piece_fit(s, &p)))
            rest[left.nstrings++] = p;
    }
    return left;
}

static NodeId form_node(ArrayList *l, const Form *f)
{
    Sets *s = l->e->s;
    const Form *kept = sets_copy(s, f, sizeof *f);
    return kept ? emit_value(l->e, set_form(s, kept), l->depth + 1)
                : NODE_NEVER_ID;
}

/* What is known of strings of any of the pieces. */
static ListSupply strings_supply(Sets *s, const Form *f)
{
    ListSupply least = LIST_SUPPLY_OPEN, most = LIST_SUPPLY_UNKNOWN;
    for (uint32_t i = 0; i < f->nstrings; i++) {
        ListSupply supply = piece_supply(s, f->strings[i]);
        least = MIN(least, supply);
        most = MAX(most, supply);
    }
    return MAX(least, MIN(most, LIST_SUPPLY_MANY));
}

/* ---- items that must differ: other values ---- */

static Form compounds_of(const Form *f)
{
    return (Form){.narrays = f->narrays,
                  .arrays = f->arrays,
                  .nobjects = f->nobjects,
                  .objects = f->objects};
}

/* Appends those that are not there. */
static void add_values(ArrayList *l, ValueList *to, const ValueList *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        uint32_t k = 0;
        while (k < to->count && !span_equal(to->at[k].key, from->at[i].key))
            k++;
        if (k == to->count && !vec_push(l->e->s->mem, to, from->at[i]))
            diag_no_memory(&l->e->ir->error);
    }
}

/* Lists the numbers, arrays and objects of a set that has few. */
static void list_others(ArrayList *l, const Form *f)
{
    Sets *s = l->e->s;
    Form numbers = {.numbers = f->numbers, .is_whole = f->is_whole};
    Form compounds = compounds_of(f);
    ValueList found = {0};
    if (values_of(s, &numbers, MAX_LISTED, &found) == VALUES_FEW)
        add_values(l, &l->numbers, &found);
    found.count = 0;
    if (form_supply(s, &compounds) == LIST_SUPPLY_UNKNOWN &&
        values_of(s, &compounds, MAX_LISTED, &found) == VALUES_FEW)
        add_values(l, &l->compounds, &found);
    else
        l->has_compounds = true;
    vec_free(s->mem, &found);
}

/* Kinds for the listed numbers of the set; what is left of its numbers. */
static Numbers put_numbers(ArrayList *l, Item *item, const Form *f)
{
    Sets *s = l->e->s;
    uint32_t count = 0;
    Span *texts = sets_array(s, Span, l->numbers.count + 1);
    if (!texts || !f->numbers) return f->numbers;
    for (uint32_t i = 0; i < l->numbers.count && sets_ok(s); i++) {
        Span text = values_number(&l->numbers.at[i]);
        if (!lang_matches(f->numbers, text)) continue;
        Form one = {.numbers = number_equal(&s->lang, text),
                    .is_whole = f->is_whole};
        put_listed(l, item, form_node(l, &one), l->numbers.at[i].key);
        texts[count++] = text;
    }
    if (!count) return f->numbers;
    Numbers left = lang_subtract(&s->lang, f->numbers,
                                 number_one_of(&s->lang, texts, count));
    return lang_is_none(left) ? NULL : left;
}

/* Kinds for the listed arrays and objects of the set; what is left of it. */
static Form put_compounds(ArrayList *l, Item *item, Form f)
{
    Sets *s = l->e->s;
    const Form *kept = sets_copy(s, &f, sizeof f);
    SetId all, left;
    if (!kept || !l->compounds.count || (!f.narrays && !f.nobjects)) return f;
    left = all = set_form(s, kept);
    for (uint32_t i = 0; i < l->compounds.count && sets_ok(s); i++) {
        SetValue v = l->compounds.at[i];
        if (set_is_none(s, set_and(s, all, v.set))) continue;
        put_listed(l, item, emit_value(l->e, v.set, l->depth + 1), v.key);
        if (l->has_compounds) left = set_and(s, left, set_not(s, v.set));
    }
    if (l->has_compounds)
        f = *set_form_of(s, left, false);
    else
        f.narrays = f.nobjects = 0;
    return f;
}

/* What is known of values that are not listed. */
static ListSupply others_supply(Sets *s, const Form *f)
{
    ValueList found = {0};
    if (form_supply(s, f) != LIST_SUPPLY_UNKNOWN) return LIST_SUPPLY_MANY;
    ValueCount all = values_of(s, f, MAX_LISTED, &found);
    vec_free(s->mem, &found);
    return all == VALUES_MANY ? LIST_SUPPLY_MANY : LIST_SUPPLY_UNKNOWN;
}

/* Constants and listed values one by one, each with a counter; other strings
 * and other values are told apart when read, each among their like. */
static void put_unique(ArrayList *l, Item *item, SetId value)
{
    static const char *const constants[] = {"null", "false", "true"};
    Emit *e = l->e;
    const Form *f = set_form_of(e->s, value, false);
    if (l->is_listing) {
        list_strings(l, f);
        list_others(l, f);
        return;
    }
    for (uint32_t i = 0; i < COUNT_OF(constants); i++)
        if (f->constants & 1u << i)
            put_listed(l, item, ir_bytes(e->ir, span_text(constants[i])),
                       span_text(constants[i]));
    Form strings = put_strings(l, item, f), others = *f;
    others.constants = 0;
    others.nstrings = 0;
    others.one_of = NULL;
    others.numbers = put_numbers(l, item, f);
    others = put_compounds(l, item, others);
    if (!sets_ok(e->s)) return;
    /* A string itself, not a rule for it: of such heads it is known that a
     * list cannot run out of them, which makes their masks cheap. */
    if (strings.nstrings)
        put_kind(l, item->order,
                 strings.nstrings == 1 ? emit_string(e, strings.strings[0])
                                       : form_node(l, &strings),
                 item->counters, item->ncounters, LIST_UNIQUE_STRING,
                 strings_supply(e->s, &strings));
    if (!form_is_none(&others))
        put_kind(l, item->order, form_node(l, &others), item->counters,
                 item->ncounters, LIST_UNIQUE_VALUE,
                 others_supply(e->s, &others));
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
            put_kind(l, item->order, emit_item(l->e, value, l->depth + 1),
                     item->counters, item->ncounters, LIST_REPEATABLE,
                     LIST_SUPPLY_UNKNOWN);
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
    ListSpec spec = {.separator = ir_seq2(l->e->ir, emit_after(l->e),
                                          emit_comma(l->e, l->depth)),
                     .is_contiguous = is_contiguous,
                     .nkinds = l->kinds.count,
                     .ncounters = l->counters.count,
                     .kinds = l->kinds.at,
                     .counters = l->counters.at};
    return ir_seq2(l->e->ir, ir_list(l->e->ir, &spec), emit_after(l->e));
}

static void put_items(ArrayList *l, uint32_t last)
{
    for (uint32_t i = 0; i <= last; i++) {
        Item item = {i, i, {0}, 1};
        SetId value = array_value(l->a, i);
        if (i < last && !l->is_listing)
            item.counters[item.ncounters++] = put_counter(l, 0, 1);
        put_ways(l, &item, value, value, 0);
    }
}

static void find_listed(ArrayList *l, uint32_t last)
{
    l->is_listing = true;
    put_items(l, last);
    l->is_listing = false;
    if (l->is_unlisted) l->listed.count = 0;
    if (l->has_compounds && l->compounds.count > MAX_LISTED_APART)
        l->compounds.count = 0;
}

static NodeId list(Emit *e, const ArrayShape *a, uint32_t depth)
{
    ArrayList l = {.e = e, .a = a, .depth = depth};
    uint32_t last = a->nprefix;
    for (uint32_t i = 0; i < a->nsome; i++) last = MAX(last, a->some[i].from);
    if (a->unique) find_listed(&l, last);
    put_counter(&l, a->lo, a->hi);
    for (uint32_t i = 0; i < a->nsome; i++)
        put_counter(&l, a->some[i].lo, a->some[i].hi);
    put_items(&l, last);
    NodeId node = list_node(&l, last > 0);
    vec_free(e->s->mem, &l.kinds);
    vec_free(e->s->mem, &l.counters);
    vec_free(e->s->mem, &l.values);
    vec_free(e->s->mem, &l.listed);
    vec_free(e->s->mem, &l.numbers);
    vec_free(e->s->mem, &l.compounds);
    return node;
}

NodeId emit_array(Emit *e, const ArrayShape *a, uint32_t depth)
{
    NodeId items = NODE_NEVER_ID;
    uint32_t least = a->lo;
    if (a == &array_any && !e->s->opts->unique_keys && e->mode == EMIT_JSON)
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
    if (a->unique && e->mode != EMIT_JSON) {
        diag_fail(&e->ir->error, WEIR_UNSUPPORTED, 0, 0,
                  "uniqueItems cannot be enforced in style %s", e->style->name);
        return NODE_NEVER_ID;
    }
    for (uint32_t i = 0; i < a->nsome; i++) least = MAX(least, a->some[i].lo);
    if (a->hi)
        items =
            a->nsome || a->unique ? list(e, a, depth) : sequence(e, a, depth);
    return emit_container(e, depth, "[]", items, !least);
}
