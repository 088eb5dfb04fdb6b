/* emit.c: scalars, and the order of the work.
 *
 * Strings: any string, and what formats allow, are rules that all grammars of
 * a vocabulary share. A range of lengths alone is a counted repeat of one
 * character; with an automaton it is a product, but for automata of one class
 * of characters (^[a-z]*$), which stay a counted repeat.
 * Tests: unit/schema_test.c, the conformance suite.
 */
#include "schema/emit.h"

#include "lang/json_text.h"
#include "schema/number.h"

/* ---- strings ---- */

static NodeId quoted(Emit *e, NodeId body)
{
    NodeId quote = ir_bytes(e->ir, SPAN("\""));
    return IR_SEQ(e->ir, quote, body, quote);
}

static JsonTextEscapes escapes_of(const Emit *e)
{
    return e->s->opts->any_escape ? JSON_TEXT_ANY : JSON_TEXT_NEEDED;
}

static NodeId spelled(Emit *e, const Dfa *texts)
{
    const Dfa *dfa = lang_json_text(&e->s->lang, texts, escapes_of(e));
    return sets_ok(e->s) ? ir_regular(e->ir, dfa) : NODE_NEVER_ID;
}

/* Texts of lo to hi characters. A minimum needs states of its own. */
static NodeId spelled_within(Emit *e, const Dfa *texts, uint32_t lo,
                             uint32_t hi)
{
    LangCtx *lang = &e->s->lang;
    const uint8_t *ticks;
    if (lo)
        texts = lang_intersect(lang, texts, lang_length(lang, lo, LANG_INF));
    if (hi == COUNT_INF) return spelled(e, texts);
    const Dfa *dfa = lang_json_text_ticks(lang, texts, escapes_of(e), &ticks);
    if (!sets_ok(e->s)) return NODE_NEVER_ID;
    return ir_regular_bounded(e->ir, dfa, ticks, hi);
}

NodeId emit_text(Emit *e, Span text)
{
    if (e->s->opts->any_escape)
        return quoted(e, spelled(e, lang_text(&e->s->lang, text)));
    size_t size = 6 * text.size + 2;
    char *buffer = sets_alloc(e->s, size);
    if (!buffer) return NODE_NEVER_ID;
    Out out = {buffer, size, 0};
    json_write_string(&out, text);
    return ir_bytes(e->ir, span_of(buffer, out.size));
}

static NodeId format_rule(Emit *e, FormatKind kind)
{
    RuleId *rule = &e->formats[kind];
    if (*rule != RULE_NONE) return ir_ref(e->ir, *rule);
    char name[64];
    Out out = {name, sizeof name, 0};
    out_text(&out, "json_");
    out_text(&out, format_name(kind));
    *rule = ir_rule_new(e->ir, span_of(name, out.size), RULE_SHARED);
    NodeId body = quoted(e, spelled_within(e, e->s->formats.at[kind], 0,
                                           format_max_length(kind)));
    ir_rule_set(e->ir, *rule, body);
    return ir_ref(e->ir, *rule);
}

/* The class C of an automaton for C* or C+ (*least: 0, 1), or NULL. */
static const Dfa *one_class(Emit *e, const Dfa *dfa, uint32_t *least)
{
    uint32_t last = dfa->nstates - 1;
    if (dfa->nstates > 2 || !dfa->accepts[last]) return NULL;
    if (last && dfa->accepts[0]) return NULL;
    uint32_t n = dfa->edge_start[1];
    if (last && dfa->edge_start[2] - n != n) return NULL;
    RuneRange *ranges = sets_array(e->s, RuneRange, n);
    if (!ranges) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        const DfaEdge *a = &dfa->edges[i], *b = &dfa->edges[last ? n + i : i];
        if (a->to != last || b->to != last || a->lo != b->lo || a->hi != b->hi)
            return NULL;
        ranges[i] = (RuneRange){a->lo, a->hi};
    }
    *least = last;
    return lang_class(&e->s->lang, ranges, n);
}

static NodeId counted(Emit *e, NodeId character, uint32_t lo, uint32_t hi)
{
    uint32_t most = hi == COUNT_INF ? REPEAT_INF : hi;
    if (lo > most) return NODE_NEVER_ID;
    return quoted(e, ir_repeat(e->ir, character, lo, most));
}

NodeId emit_string(Emit *e, StringPiece p)
{
    Sets *s = e->s;
    if (e->mode == EMIT_BRACED) return emit_quoted_string(e, p);
    bool any_length = !p.lo && p.hi == COUNT_INF;
    uint32_t least;
    if (p.kind == PIECE_REGEX) return emit_regex(e, !p.lo);
    if (!p.dfa && any_length) return ir_ref(e->ir, json_string_rule(&e->json));
    if (!p.dfa) return counted(e, json_character(&e->json), p.lo, p.hi);
    for (uint32_t k = 0; k < FORMAT_KINDS; k++)
        if (p.dfa == s->formats.at[k] && !p.lo && p.hi == format_max_length(k))
            return format_rule(e, (FormatKind)k);
    if (any_length) return quoted(e, spelled(e, p.dfa));
    const Dfa *class = one_class(e, p.dfa, &least);
    if (class) return counted(e, spelled(e, class), MAX(p.lo, least), p.hi);
    return quoted(e, spelled_within(e, p.dfa, p.lo, p.hi));
}

/* ---- numbers ---- */

static NodeId number_node(Emit *e, Numbers set, bool is_whole)
{
    Sets *s = e->s;
    bool fraction = s->opts->integer_fraction || !is_whole;
    NumberSpelling spelling = {.integer_fraction = fraction};
    if (set == s->all_numbers) return ir_ref(e->ir, json_number_rule(&e->json));
    if (set == s->integers && !fraction)
        return ir_ref(e->ir, json_integer_rule(&e->json));
    const Dfa *dfa = number_spellings(&s->lang, set, &spelling);
    return sets_ok(s) ? ir_regular(e->ir, dfa) : NODE_NEVER_ID;
}

/* ---- values ---- */

typedef VEC(NodeId) Nodes;

static void put(Emit *e, Nodes *nodes, NodeId node)
{
    if (!vec_push(e->ir->mem, nodes, node)) diag_no_memory(&e->ir->error);
}

static void put_constants(Emit *e, Nodes *nodes, uint32_t constants)
{
    static const char *const texts[] = {"null", "false", "true"};
    unsigned booleans = HAS_FALSE | HAS_TRUE;
    if ((constants & booleans) == booleans) {
        put(e, nodes, ir_ref(e->ir, json_boolean_rule(&e->json)));
        constants &= ~booleans;
    }
    for (uint32_t i = 0; i < COUNT_OF(texts); i++)
        if (constants & 1u << i)
            put(e, nodes, ir_bytes(e->ir, span_text(texts[i])));
}

static void put_objects(Emit *e, Nodes *nodes, const Form *f, uint32_t depth)
{
    ShapeList shapes = {0};
    for (uint32_t i = 0; i < f->nobjects && sets_ok(e->s); i++)
        object_breaks_expand(e->s, f->objects[i], &shapes);
    for (uint32_t i = 0; i < shapes.count && sets_ok(e->s); i++)
        put(e, nodes, emit_object(e, shapes.at[i], depth));
    vec_free(e->ir->mem, &shapes);
}

static void put_scalars(Emit *e, Nodes *nodes, const Form *f)
{
    put_constants(e, nodes, f->constants);
    numbers_refuse(e->s, f);
    if (f->numbers) put(e, nodes, number_node(e, f->numbers, f->is_whole));
    for (uint32_t i = 0; i < f->nstrings; i++)
        put(e, nodes, emit_string(e, f->strings[i]));
}

/* In a mode of a style: of the objects, or the arrays, alone. */
static NodeId body(Emit *e, SetId set, uint32_t depth, EmitMode mode)
{
    const Form *f = set_form_of(e->s, set, false);
    Nodes nodes = {0};
    EmitMode around = e->mode;
    if (!sets_ok(e->s)) return NODE_NEVER_ID;
    e->mode = mode;
    if (emit_is_braced(e)) put_scalars(e, &nodes, f);
    for (uint32_t i = 0; i < f->narrays && sets_ok(e->s); i++)
        if (e->mode != EMIT_MEMBERS)
            put(e, &nodes, emit_array(e, f->arrays[i], depth));
    if (e->mode != EMIT_ITEMS) put_objects(e, &nodes, f, depth);
    NodeId all =
        nodes.count == 1 ? nodes.at[0] : ir_alt(e->ir, nodes.at, nodes.count);
    vec_free(e->ir->mem, &nodes);
    e->mode = around;
    return all;
}

SetId emit_others(Sets *s, SetId value, SetId counted, uint32_t most)
{
    const Form *f = set_form_of(s, value, false);
    if (most == COUNT_INF && (f->narrays || f->nobjects)) return value;
    return set_and(s, value, set_not(s, counted));
}

/* ---- the work ---- */

static RuleId new_rule(Emit *e, SetId set)
{
    SetNode n = e->s->nodes.at[set];
    char name[32];
    if (n.kind == SET_KIND_SCHEMA || n.kind == SET_KIND_VALUE) {
        Span pointer = place_pointer(e->s->sources, (Place){n.a, n.b});
        return ir_rule_new(e->ir, pointer, 0);
    }
    Out out = {name, sizeof name, 0};
    out_format(&out, "set %u", set);
    return ir_rule_new(e->ir, span_of(name, out.size), 0);
}

static RuleId rule_of(Emit *e, SetId set, uint32_t depth, EmitMode mode)
{
    if (!e->json.indent) depth = 0; /* only an indent tells depths apart */
    uint64_t h = hash_mix(hash_mix(hash_mix(FNV_SEED, set), depth), mode);
    for (MapPos p = map_first(&e->index, h); p.value != MAP_NONE;
         p = map_next(&e->index, h, p))
        if (e->jobs.at[p.value].set == set &&
            e->jobs.at[p.value].depth == depth &&
            e->jobs.at[p.value].mode == mode)
            return e->jobs.at[p.value].rule;
    uint32_t from = e->done ? e->done - 1 : 0;
    EmitJob job = {set, depth, mode, new_rule(e, set), from};
    if (!vec_push(e->ir->mem, &e->jobs, job) ||
        !map_add(e->ir->mem, &e->index, h, e->jobs.count - 1))
        diag_no_memory(&e->ir->error);
    return job.rule;
}

/* Whether the values are a few words and shared rules, which need no rule of
 * their own. */
static bool is_brief(const Emit *e, const Form *f)
{
    if (f->narrays || f->nobjects || f->nmultiples || f->nstrings > 1)
        return false;
    if (f->numbers && f->numbers != e->s->all_numbers &&
        f->numbers != e->s->integers)
        return false;
    const StringPiece *p = f->strings;
    return !f->nstrings ||
           (p->kind == PIECE_EXACT && !p->dfa && !p->lo && p->hi == COUNT_INF);
}

NodeId emit_value(Emit *e, SetId set, uint32_t depth)
{
    if (set == SET_NONE || !sets_ok(e->s)) return NODE_NEVER_ID;
    if (e->json.indent && depth > JSON_LAYOUT_DEPTH) return NODE_NEVER_ID;
    EmitMode mode = e->mode == EMIT_BRACED ? EMIT_BRACED : EMIT_JSON;
    if (set == SET_ALL && !e->s->opts->unique_keys && mode == EMIT_JSON)
        return ir_ref(e->ir, json_value_rule(&e->json, depth));
    const Form *f = set_form_of(e->s, set, false);
    if (sets_ok(e->s) && is_brief(e, f)) return body(e, set, depth, mode);
    return ir_ref(e->ir, rule_of(e, set, depth, mode));
}

NodeId emit_rule(Emit *e, SetId set, uint32_t depth, EmitMode mode)
{
    return sets_ok(e->s) ? ir_ref(e->ir, rule_of(e, set, depth, mode))
                         : NODE_NEVER_ID;
}

/* A place that the set speaks of. */
static bool set_place(const Sets *s, SetId set, Place *place)
{
    SetNode n = s->nodes.at[set];
    while (n.kind == SET_KIND_AND || n.kind == SET_KIND_OR ||
           n.kind == SET_KIND_NOT)
        n = s->nodes.at[n.kind == SET_KIND_NOT ? n.a : s->kids.at[n.a]];
    *place = (Place){n.a, n.b};
    return n.kind == SET_KIND_SCHEMA || n.kind == SET_KIND_VALUE;
}

/* Gives an error that has no place that of the job, or of one that led to
 * it. */
static void job_error(Emit *e, uint32_t job)
{
    Place place = sources_root();
    while (!set_place(e->s, e->jobs.at[job].set, &place)) {
        place = sources_root();
        if (e->jobs.at[job].from == job) break;
        job = e->jobs.at[job].from;
    }
    place_error(e->s->sources, place);
}

static void set_root(Emit *e, SetId root)
{
    Ir *ir = e->ir;
    if (e->style) {
        EmitMode mode = e->style->is_braced ? EMIT_BRACED : EMIT_MEMBERS;
        ir->root = rule_of(e, emit_style_begin(e, root), 0, mode);
        return;
    }
    Node n = ir_node(ir, emit_value(e, root, 0));
    ir->root = n.kind == NODE_RULE ? n.a : rule_of(e, root, 0, EMIT_JSON);
}

void emit_run(Sets *s, SetId root, const SchemaUse *use)
{
    const ArgStyle *style = use->style;
    Emit e = {.s = s, .ir = s->ir, .style = style, .markers = use->markers};
    e.regex[0] = e.regex[1] = RULE_NONE;
    for (uint32_t i = 0; i < FORMAT_KINDS; i++) e.formats[i] = RULE_NONE;
    static const weir_space compact = {.kind = WEIR_SPACE_COMPACT};
    json_rules_init(&e.json, s->ir,
                    style && style->is_braced ? &compact : use->space);
    set_root(&e, root);
    while (e.done < e.jobs.count && sets_ok(s)) {
        EmitJob job = e.jobs.at[e.done++];
        ir_rule_set(s->ir, job.rule, body(&e, job.set, job.depth, job.mode));
        if (!sets_ok(s)) job_error(&e, e.done - 1);
    }
    vec_free(s->mem, &e.jobs);
    map_free(s->mem, &e.index);
}
