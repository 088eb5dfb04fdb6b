/* emit_style.c: what a mode of emission decides: how members and items begin,
 * what stands between them, and how a value is written.
 *
 * In JSON a member is "name": value. In an ArgStyle (calls/arg_style.h) an
 * object is a row of members, each with an opening that has its name, a text
 * and a close:
 *
 *     member := open name named [type typed] [gap value] text close
 *     text   := characters without `close` | gap JSON gap | members | items
 *
 * By its types a value has one or several texts. Of a string all characters
 * are as they are; where the style has lines, one line end before and after a
 * text is layout. Nothing that is declared comes twice; other names may.
 *
 * Where no type is written, what reads as JSON of another type that the value
 * may have is no string: so readers that know the schema are never in doubt.
 *
 * A braced style is JSON, but for bare names and strings between its quotes.
 * Holds: no close has a proper end that is also a beginning of it, so that text
 *        without it, then it, has it at the end alone.
 * Tests: unit/structural_tag_test.c, prop/xml_style_test.c.
 */
#include "schema/emit.h"

#include "syntax/regex.h"

enum { TYPE_STRING = 1 << ARG_STRING, TYPE_ALL = (1 << ARG_TYPES) - 1 };

static NodeId text(Emit *e, const char *t)
{
    return ir_bytes(e->ir, span_text(t));
}

/* One of the style's marks. */
static NodeId mark(Emit *e, const char *t)
{
    return marker_node(e->ir, e->markers, span_text(t));
}

/* ---- sets of values by type ---- */

static Form form_of_types(Emit *e, unsigned types)
{
    Form f = *form_all(e->s);
    if (!(types & TYPE_STRING)) f.nstrings = 0;
    if (!(types & 1u << ARG_NUMBER)) f.numbers = NULL;
    if (!(types & 1u << ARG_BOOLEAN)) f.constants &= HAS_NULL;
    if (!(types & 1u << ARG_NULL)) f.constants &= ~(unsigned)HAS_NULL;
    if (!(types & 1u << ARG_OBJECT)) f.nobjects = 0;
    if (!(types & 1u << ARG_ARRAY)) f.narrays = 0;
    return f;
}

static SetId set_of_types(Emit *e, unsigned types)
{
    if (types == TYPE_ALL) return SET_ALL;
    if (e->types[types] != SET_NONE) return e->types[types];
    Form f = form_of_types(e, types);
    const Form *kept = sets_copy(e->s, &f, sizeof f);
    if (kept) e->types[types] = set_form(e->s, kept);
    return e->types[types];
}

/* ---- a style ---- */

/* One optional line end where blanks have one layout. */
static NodeId gap_of(Emit *e)
{
    weir_space_kind kind = e->json.kind;
    return kind == WEIR_SPACE_COMPACT || kind == WEIR_SPACE_FIXED
               ? ir_optional(e->ir, text(e, "\n"))
               : json_after(&e->json);
}

SetId emit_style_begin(Emit *e, SetId root)
{
    static const RuneRange others[] = {{0, 0x1F},
                                       {'"', '"'},
                                       {'&', '&'},
                                       {'<', '<'},
                                       {'>', '>'},
                                       /* where braced */
                                       {' ', ' '},
                                       {',', ','},
                                       {':', ':'},
                                       {'[', '['},
                                       {']', ']'},
                                       {'{', '{'},
                                       {'}', '}'}};
    enum { IN_TAGS = 5 };
    LangCtx *c = &e->s->lang;
    const Dfa *plain = lang_subtract(
        c, lang_any(),
        lang_class(c, others,
                   e->style->is_braced ? COUNT_OF(others) : IN_TAGS));
    e->gap = gap_of(e);
    e->names = known_keep(&e->s->known, lang_repeat(c, plain, 1, LANG_INF));
    SetId objects = set_and(e->s, root, set_of_types(e, 1u << ARG_OBJECT));
    if (sets_ok(e->s) && set_is_none(e->s, objects))
        place_fail(e->s->sources, sources_root(), NULL, WEIR_EMPTY,
                   "no object is valid, and style %s writes objects only",
                   e->style->name);
    return objects;
}

/* ---- names ---- */

static bool can_write(const ArgStyle *style, Span name)
{
    size_t n = strlen(style->named);
    for (size_t i = 0; i + n <= name.size; i++)
        if (!memcmp(name.at + i, style->named, n)) return *style->escaped;
    return true;
}

static void put_name(const ArgStyle *style, Span name, Out *out)
{
    for (size_t i = 0; i < name.size; i++) {
        const char *entity = arg_style_entity(style, name.at[i]);
        out_bytes(out, entity ? span_text(entity) : span_of(name.at + i, 1));
    }
}

static NodeId style_name(Emit *e, Span name)
{
    Out out = {NULL, 0, 0};
    if (!can_write(e->style, name)) {
        diag_fail(&e->ir->error, WEIR_UNSUPPORTED, 0, 0,
                  "member \"%.*s\" cannot be written in style %s",
                  (int)MIN(name.size, 60), (const char *)name.at,
                  e->style->name);
        return NODE_NEVER_ID;
    }
    put_name(e->style, name, &out);
    char *spelled = sets_alloc(e->s, out.size);
    if (!spelled) return NODE_NEVER_ID;
    out = (Out){spelled, out.size, 0};
    put_name(e->style, name, &out);
    return IR_SEQ(e->ir, mark(e, e->style->open),
                  ir_bytes(e->ir, span_of(spelled, out.size)),
                  mark(e, e->style->named));
}

/* A bare name, which ends at the colon. */
static bool is_bare(Span name)
{
    if (!name.size) return false;
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] <= ' ' || strchr(":{}[],", name.at[i])) return false;
    return !span_starts(name, SPAN("<|\"|>"));
}

static NodeId bare_name(Emit *e, Span name)
{
    if (is_bare(name)) return ir_bytes(e->ir, name);
    diag_fail(&e->ir->error, WEIR_UNSUPPORTED, 0, 0,
              "member \"%.*s\" cannot be written in style %s",
              (int)MIN(name.size, 60), (const char *)name.at, e->style->name);
    return NODE_NEVER_ID;
}

NodeId emit_name(Emit *e, Span name)
{
    if (e->mode == EMIT_JSON) return emit_text(e, name);
    return e->mode == EMIT_BRACED ? bare_name(e, name) : style_name(e, name);
}

const Dfa *emit_possible_names(Emit *e, const Dfa *names)
{
    if (e->mode == EMIT_JSON) return names;
    if (!names) return e->names;
    return known_intersect(&e->s->known, names, e->names);
}

NodeId emit_names(Emit *e, const Dfa *names)
{
    if (e->mode == EMIT_JSON)
        return emit_string(
            e, (StringPiece){names, 0, COUNT_INF, PIECE_EXACT, NULL});
    if (e->mode == EMIT_BRACED) return ir_regular(e->ir, names);
    return IR_SEQ(e->ir, mark(e, e->style->open), ir_regular(e->ir, names),
                  mark(e, e->style->named));
}

/* ---- strings ---- */

/* Texts without the style's close. */
static const Dfa *without_close(Emit *e, const Dfa *texts)
{
    LangCtx *c = &e->s->lang;
    const Dfa *close = lang_text(c, span_text(e->style->close));
    const Dfa *with =
        lang_concat(c, lang_concat(c, lang_all(), close), lang_all());
    return texts ? lang_subtract(c, texts, with) : lang_complement(c, with);
}

static bool is_any(StringPiece p)
{
    return p.kind == PIECE_EXACT && !p.dfa && !p.lo && p.hi == COUNT_INF;
}

/* The texts of a piece that can be written, but for a most length, and but for
 * `looks`, which may be NULL. */
static const Dfa *texts_within(Emit *e, StringPiece p, const Dfa *looks)
{
    LangCtx *c = &e->s->lang;
    if (p.kind == PIECE_REGEX) p = piece_regular(e->s, p);
    const Dfa *texts = p.dfa;
    if (p.lo)
        texts = lang_intersect(c, texts ? texts : lang_all(),
                               lang_length(c, p.lo, LANG_INF));
    texts = without_close(e, texts);
    return looks ? lang_subtract(c, texts, looks) : texts;
}

static NodeId texts_up_to(Emit *e, const Dfa *texts, uint32_t hi)
{
    return hi == COUNT_INF ? ir_regular(e->ir, texts)
                           : ir_regular_bounded(e->ir, texts, NULL, hi);
}

/* Texts with a line end on each side that is layout, or without, as far as a
 * reader who takes off one on each side is not misled. */
static NodeId with_lines(Emit *e, const Dfa *texts, uint32_t hi)
{
    LangCtx *c = &e->s->lang;
    const Dfa *line = lang_text(c, SPAN("\n"));
    const Dfa *at_ends = lang_unite(c, lang_concat(c, line, lang_all()),
                                    lang_concat(c, lang_all(), line));
    const Dfa *inner = lang_subtract(c, texts, at_ends);
    if (!sets_ok(e->s)) return NODE_NEVER_ID;
    NodeId end = text(e, "\n"), maybe = ir_optional(e->ir, end);
    NodeId plain = IR_SEQ(e->ir, maybe, texts_up_to(e, inner, hi), maybe);
    if (lang_equal(inner, texts)) return plain;
    return ir_alt2(e->ir, plain,
                   IR_SEQ(e->ir, end, texts_up_to(e, texts, hi), end));
}

static NodeId characters(Emit *e, StringPiece p, const Dfa *looks)
{
    const Dfa *texts = texts_within(e, p, looks);
    if (!sets_ok(e->s)) return NODE_NEVER_ID;
    if (is_any(p) || !e->style->has_lines) return texts_up_to(e, texts, p.hi);
    return with_lines(e, texts, p.hi);
}

NodeId emit_quoted_string(Emit *e, StringPiece p)
{
    NodeId quote = mark(e, e->style->close);
    return IR_SEQ(e->ir, quote, characters(e, p, NULL), quote);
}

/* ---- what looks like JSON ---- */

static unsigned types_of(Emit *e, SetId value)
{
    const Form *f = set_form_of(e->s, value, false);
    unsigned types = f->nstrings ? TYPE_STRING : 0;
    if (form_has_numbers(f)) types |= 1u << ARG_NUMBER;
    if (f->constants & (HAS_FALSE | HAS_TRUE)) types |= 1u << ARG_BOOLEAN;
    if (f->constants & HAS_NULL) types |= 1u << ARG_NULL;
    if (f->nobjects) types |= 1u << ARG_OBJECT;
    if (f->narrays) types |= 1u << ARG_ARRAY;
    return types;
}

/* The texts that read as JSON of the types, blanks around them, and for objects
 * and arrays all that begins like them: where these end only their JSON tells,
 * whose strings may have the style's close in them. */
static const Dfa *looks_like(Emit *e, unsigned types)
{
    static const char *const patterns[ARG_TYPES] = {
        [ARG_NUMBER] = "|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?",
        [ARG_BOOLEAN] = "|true|false",
        [ARG_NULL] = "|null",
        [ARG_OBJECT] = "|\\{[^]*",
        [ARG_ARRAY] = "|\\[[^]*"};
    char pattern[256];
    Out out = {pattern, sizeof pattern, 0};
    types &= ~(unsigned)TYPE_STRING;
    if (!types) return NULL;
    if (e->looks[types]) return e->looks[types];
    out_text(&out, "[ \\n\\t\\r]*(");
    for (unsigned i = 0, n = 0; i < ARG_TYPES; i++)
        if (types >> i & 1) out_text(&out, patterns[i] + !n++);
    out_text(&out, ")[ \\n\\t\\r]*");
    assert(out.size <= out.cap);
    e->looks[types] =
        regex_dfa(&e->s->lang, span_of(pattern, out.size), NULL, NULL, NULL);
    return e->looks[types];
}

/* ---- values ---- */

static NodeId strings(Emit *e, SetId value)
{
    const Form *f = set_form_of(e->s, value, false);
    const Dfa *looks =
        e->style->typed ? NULL : looks_like(e, types_of(e, value));
    NodeId all = NODE_NEVER_ID;
    for (uint32_t i = 0; i < f->nstrings && sets_ok(e->s); i++)
        all = ir_alt2(e->ir, all, characters(e, f->strings[i], looks));
    return all;
}

/* The values of some types that are not written as strings. */
static NodeId others(Emit *e, SetId value, unsigned types)
{
    SetId set = set_and(e->s, value, set_of_types(e, types));
    if (!sets_ok(e->s) || set_is_none(e->s, set)) return NODE_NEVER_ID;
    if (e->style->is_nested && types == 1u << ARG_OBJECT)
        return emit_rule(e, set, 0, EMIT_MEMBERS);
    if (e->style->is_nested && types == 1u << ARG_ARRAY)
        return emit_rule(e, set, 0, EMIT_ITEMS);
    return IR_SEQ(e->ir, e->gap, emit_value(e, set, 0), e->gap);
}

/* The texts of the values of some types, with what is in front of them. */
static NodeId texts_of(Emit *e, SetId value, unsigned types)
{
    NodeId all = types & TYPE_STRING ? strings(e, value) : NODE_NEVER_ID;
    unsigned rest = types & ~(unsigned)TYPE_STRING;
    if (rest) all = ir_alt2(e->ir, all, others(e, value, rest));
    if (!*e->style->value) return all;
    return IR_SEQ(e->ir, e->gap, mark(e, e->style->value), all);
}

/* The types that are called like type i. */
static unsigned namesakes(const ArgStyle *style, unsigned i)
{
    unsigned types = 0;
    for (unsigned k = 0; k < ARG_TYPES; k++)
        if (!strcmp(style->types[k], style->types[i])) types |= 1u << k;
    return types;
}

/* All that comes after the opening. */
static NodeId style_value(Emit *e, SetId value)
{
    const ArgStyle *style = e->style;
    NodeId all = NODE_NEVER_ID;
    unsigned done = 0;
    if (!style->typed) all = texts_of(e, value, TYPE_ALL);
    for (unsigned i = 0; style->typed && i < ARG_TYPES; i++) {
        unsigned types = namesakes(style, i);
        if (done & 1u << i) continue;
        done |= types;
        NodeId one = IR_SEQ(e->ir, mark(e, style->types[i]),
                            mark(e, style->typed), texts_of(e, value, types));
        all = ir_alt2(e->ir, all, one);
    }
    return ir_seq2(e->ir, all, mark(e, style->close));
}

NodeId emit_member_value(Emit *e, SetId value, uint32_t depth)
{
    if (!emit_is_braced(e)) return style_value(e, value);
    return json_member(&e->json, emit_value(e, value, depth));
}

NodeId emit_item(Emit *e, SetId value, uint32_t depth)
{
    if (emit_is_braced(e)) return emit_value(e, value, depth);
    if (value == SET_NONE) return NODE_NEVER_ID;
    return ir_seq2(e->ir, mark(e, e->style->unnamed), style_value(e, value));
}

/* ---- between ---- */

NodeId emit_comma(Emit *e, uint32_t depth)
{
    return emit_is_braced(e) ? json_comma(&e->json, depth) : NODE_EMPTY_ID;
}

NodeId emit_after(Emit *e)
{
    return emit_is_braced(e) ? json_after(&e->json) : e->gap;
}

NodeId emit_container(Emit *e, uint32_t depth, const char *brackets,
                      NodeId items, bool may_be_hollow)
{
    if (emit_is_braced(e))
        return json_container(&e->json, depth, brackets, items, may_be_hollow);
    items = ir_seq2(e->ir, e->gap, items);
    return may_be_hollow ? ir_optional(e->ir, items) : items;
}
