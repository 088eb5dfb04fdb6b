/* json_grammar.c: RFC 8259 as rules, one set for each way to lay it out.
 *
 * In:    a whitespace policy. Out: rules, made on first use.
 *   value  := object | array | string | number | "true" | "false" | "null"
 *   array  := "[" (open value end (comma value end)* close | hollow) "]"
 *   object := "{" (open pair end (comma pair end)* close | hollow) "}"
 *   pair   := string colon value
 * Holds: between two pieces stands one gap and never two, so that a run of
 *        blanks is read in one way only. Every rule refers to shared rules
 *        alone, and is shared by content: equal policies, equal rules.
 * A string is a row of code points from U+0020 on, without quote and
 * backslash, and of escapes; an escape of a surrogate must come as a high one
 * and a low one (RFC 8259 leaves lone ones unpredictable; they denote no text).
 * Cost:  a fixed number of nodes a depth.
 * Tests: unit/json_grammar_test.c.
 */
#include "syntax/json_grammar.h"

#include "lang/json_text.h"
#include "syntax/regex.h"

#define CLASS(ir, ...)                           \
    ir_class((ir), (const Range[]){__VA_ARGS__}, \
             sizeof((const Range[]){__VA_ARGS__}) / sizeof(Range), false)
#define ALT(ir, ...)                            \
    ir_alt((ir), (const NodeId[]){__VA_ARGS__}, \
           sizeof((const NodeId[]){__VA_ARGS__}) / sizeof(NodeId))

static NodeId text(Ir *ir, const char *literal)
{
    return ir_bytes(ir, span_text(literal));
}

static NodeId star(Ir *ir, NodeId node)
{
    return ir_repeat(ir, node, 0, REPEAT_INF);
}

/* ---- rules ---- */

/* The name of a part, and the shortest text of it that is not empty. */
static const struct {
    const char *name, *sample;
} parts[] = {
    [JSON_PART_SPACE] = {"json_space", " "},
    [JSON_PART_STRING] = {"json_string", "\"\""},
    [JSON_PART_NUMBER] = {"json_number", "0"},
    [JSON_PART_INTEGER] = {"json_integer", "0"},
    [JSON_PART_BOOLEAN] = {"json_boolean", "true"},
    [JSON_PART_ARRAY] = {"json_array", "[]"},
    [JSON_PART_OBJECT] = {"json_object", "{}"},
    [JSON_PART_VALUE] = {"json_value", "0"},
    [JSON_PART_KEY_REST] = {"json_key_rest", "\""},
    [JSON_PART_KEY_MORE] = {"json_key_more", "a\""},
    [JSON_PART_OF_STRING] = {"json_of_string", ":\"\""},
    [JSON_PART_OF_NUMBER] = {"json_of_number", ":0"},
    [JSON_PART_OF_INTEGER] = {"json_of_integer", ":0"},
    [JSON_PART_OF_BOOLEAN] = {"json_of_boolean", ":true"},
    [JSON_PART_OF_ARRAY] = {"json_of_array", ":[]"},
    [JSON_PART_OF_OBJECT] = {"json_of_object", ":{}"},
    [JSON_PART_OF_VALUE] = {"json_of_value", ":0"},
    [JSON_PART_COLON] = {"json_colon", ":"},
    [JSON_PART_TEXT] = {"json_text", "a"},
};

/* Whether the rule is the same under the usual policy. */
static bool is_usual(const JsonRules *json, JsonPart part)
{
    switch (part) {
    case JSON_PART_STRING:
    case JSON_PART_NUMBER:
    case JSON_PART_INTEGER:
    case JSON_PART_BOOLEAN:
    case JSON_PART_KEY_REST:
    case JSON_PART_KEY_MORE:
    case JSON_PART_TEXT:
        return true;
    default:
        return json->has_usual_gap;
    }
}

/* Makes the rule of a part. False: it is borrowed, and needs no body. */
static bool begin_rule(JsonRules *json, JsonPart part, RuleId *rule)
{
    Ir *ir = json->ir;
    bool is_part = is_usual(json, part), is_borrowed = is_part && ir->borrows;
    *rule = ir_rule_new(ir, span_text(parts[part].name), RULE_SHARED);
    if (!ir_ok(ir)) return false;
    Rule *r = &ir->rules.at[*rule];
    if (is_part) r->part = part;
    if (part == JSON_PART_SPACE) r->flags |= RULE_SPACE;
    if (!is_borrowed) return true;
    r->flags |= RULE_BORROWED;
    ir_rule_set(ir, *rule, text(ir, parts[part].sample));
    return false;
}

/* ---- policy ---- */

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The given separator, or the default; it must be one mark among blanks. */
static NodeId separator(Ir *ir, weir_bytes given, const char *usual,
                        uint8_t mark)
{
    Span s = given.size ? span_of(given.data, given.size) : span_text(usual);
    size_t marks = 0, others = 0;
    for (size_t i = 0; i < s.size; i++) {
        marks += s.at[i] == mark;
        others += s.at[i] != mark && !is_blank(s.at[i]);
    }
    if (marks == 1 && !others) return ir_bytes(ir, s);
    diag_fail(&ir->error, WEIR_ARGUMENT, 0, 0,
              "separator is not one '%c' among blanks", mark);
    return NODE_NEVER_ID;
}

/* The rule has no empty text, so that lowering finds nothing to do in what is
 * made of it. */
static NodeId any_space(JsonRules *json, uint32_t max_run)
{
    Ir *ir = json->ir;
    if (max_run == UINT32_MAX) return NODE_EMPTY_ID;
    json->has_usual_gap = !max_run || max_run == JSON_SPACE_RUN;
    if (begin_rule(json, JSON_PART_SPACE, &json->space)) {
        NodeId blank = CLASS(ir, {'\t', '\n'}, {'\r', '\r'}, {' ', ' '});
        uint32_t most = max_run ? max_run : JSON_SPACE_RUN;
        ir_rule_set(ir, json->space, ir_repeat(ir, blank, 1, most));
    }
    return ir_optional(ir, ir_ref(ir, json->space));
}

/* The pattern may ask for anything: what it takes is its author's choice. */
static NodeId pattern_space(Ir *ir, weir_bytes pattern)
{
    RuleId space = ir_rule_new(ir, SPAN("json_space"), RULE_SHARED);
    ir_rule_set(ir, space,
                regex_compile(ir, span_of(pattern.data, pattern.size), NULL));
    return ir_ref(ir, space);
}

static void fixed_layout(JsonRules *json, const weir_space *policy)
{
    Ir *ir = json->ir;
    json->indent = policy->indent;
    if (json->indent > JSON_MAX_INDENT) {
        diag_fail(&ir->error, WEIR_ARGUMENT, 0, 0, "indent of %u, more than %u",
                  json->indent, JSON_MAX_INDENT);
        json->indent = 0;
    }
    json->item_separator =
        separator(ir, policy->item_separator, policy->indent ? "," : ", ", ',');
    json->key_separator = separator(ir, policy->key_separator, ": ", ':');
}

void json_rules_init(JsonRules *json, Ir *ir, const weir_space *policy)
{
    const weir_space any = {.kind = WEIR_SPACE_ANY};
    if (!policy) policy = &any;
    *json = (JsonRules){.ir = ir, .kind = policy->kind, .gap = NODE_EMPTY_ID};
    json->space = json->string = json->number = RULE_NONE;
    json->integer = json->boolean = RULE_NONE;
    for (uint32_t i = 0; i <= JSON_LAYOUT_DEPTH; i++)
        json->values[i] = json->arrays[i] = json->objects[i] = RULE_NONE;
    for (uint32_t i = 0; i < COUNT_OF(json->members); i++)
        json->members[i] = RULE_NONE;
    switch (policy->kind) {
    case WEIR_SPACE_ANY:
        json->gap = any_space(json, policy->max_run);
        break;
    case WEIR_SPACE_COMPACT:
        break;
    case WEIR_SPACE_FIXED:
        fixed_layout(json, policy);
        break;
    case WEIR_SPACE_REGEX:
        json->gap = pattern_space(ir, policy->pattern);
        break;
    default:
        diag_fail(&ir->error, WEIR_ARGUMENT, 0, 0,
                  "unknown whitespace policy %d", (int)policy->kind);
    }
}

/* ---- scalars ---- */

static NodeId hex_digits(Ir *ir, uint32_t count)
{
    NodeId hex = CLASS(ir, {'0', '9'}, {'A', 'F'}, {'a', 'f'});
    return ir_repeat(ir, hex, count, count);
}

/* What may follow \u: a code point, or a high and a low surrogate. */
static NodeId unicode_escape(Ir *ir)
{
    NodeId d = CLASS(ir, {'D', 'D'}, {'d', 'd'});
    NodeId not_d =
        CLASS(ir, {'0', '9'}, {'A', 'C'}, {'E', 'F'}, {'a', 'c'}, {'e', 'f'});
    NodeId high = CLASS(ir, {'8', '9'}, {'A', 'B'}, {'a', 'b'});
    NodeId low = CLASS(ir, {'C', 'F'}, {'c', 'f'});
    NodeId below = CLASS(ir, {'0', '7'});
    return ALT(ir, IR_SEQ(ir, not_d, hex_digits(ir, 3)),
               IR_SEQ(ir, d, below, hex_digits(ir, 2)),
               IR_SEQ(ir, d, high, hex_digits(ir, 2), text(ir, "\\u"), d, low,
                      hex_digits(ir, 2)));
}

NodeId json_character(JsonRules *json)
{
    if (json->character != NODE_NEVER_ID) return json->character;
    Ir *ir = json->ir;
    NodeId plain = CLASS(ir, {0x20, 0x21}, {0x23, 0x5B}, {0x5D, 0x10FFFF});
    NodeId one = CLASS(ir, {'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', 'b'},
                       {'f', 'f'}, {'n', 'n'}, {'r', 'r'}, {'t', 't'});
    NodeId escape = ALT(ir, one, IR_SEQ(ir, text(ir, "u"), unicode_escape(ir)));
    json->character = ALT(ir, plain, IR_SEQ(ir, text(ir, "\\"), escape));
    return json->character;
}

RuleId json_string_rule(JsonRules *json)
{
    if (json->string != RULE_NONE) return json->string;
    Ir *ir = json->ir;
    if (!begin_rule(json, JSON_PART_STRING, &json->string)) return json->string;
    NodeId quote = text(ir, "\"");
    ir_rule_set(ir, json->string,
                IR_SEQ(ir, quote, star(ir, json_character(json)), quote));
    return json->string;
}

RuleId json_number_rule(JsonRules *json)
{
    if (json->number != RULE_NONE) return json->number;
    Ir *ir = json->ir;
    if (!begin_rule(json, JSON_PART_NUMBER, &json->number)) return json->number;
    NodeId digit = CLASS(ir, {'0', '9'}), nonzero = CLASS(ir, {'1', '9'});
    NodeId digits = ir_repeat(ir, digit, 1, REPEAT_INF);
    NodeId whole = ALT(ir, text(ir, "0"), IR_SEQ(ir, nonzero, star(ir, digit)));
    NodeId fraction = IR_SEQ(ir, text(ir, "."), digits);
    NodeId sign = CLASS(ir, {'+', '+'}, {'-', '-'});
    NodeId power = IR_SEQ(ir, CLASS(ir, {'E', 'E'}, {'e', 'e'}),
                          ir_optional(ir, sign), digits);
    ir_rule_set(ir, json->number,
                IR_SEQ(ir, ir_optional(ir, text(ir, "-")), whole,
                       ir_optional(ir, fraction), ir_optional(ir, power)));
    return json->number;
}

RuleId json_integer_rule(JsonRules *json)
{
    if (json->integer != RULE_NONE) return json->integer;
    Ir *ir = json->ir;
    if (!begin_rule(json, JSON_PART_INTEGER, &json->integer))
        return json->integer;
    NodeId nonzero = CLASS(ir, {'1', '9'}), digit = CLASS(ir, {'0', '9'});
    NodeId whole = ALT(ir, text(ir, "0"), IR_SEQ(ir, nonzero, star(ir, digit)));
    ir_rule_set(ir, json->integer,
                ir_seq2(ir, ir_optional(ir, text(ir, "-")), whole));
    return json->integer;
}

RuleId json_boolean_rule(JsonRules *json)
{
    if (json->boolean != RULE_NONE) return json->boolean;
    Ir *ir = json->ir;
    if (begin_rule(json, JSON_PART_BOOLEAN, &json->boolean))
        ir_rule_set(ir, json->boolean,
                    ALT(ir, text(ir, "false"), text(ir, "true")));
    return json->boolean;
}

/* ---- between the pieces ---- */

/* A new line at `level` of indent, or nothing without one. */
static NodeId new_line(JsonRules *json, uint32_t level)
{
    if (!json->indent) return NODE_EMPTY_ID;
    Ir *ir = json->ir;
    uint32_t blanks = json->indent * level;
    NodeId margin = ir_repeat(ir, text(ir, " "), blanks, blanks);
    return ir_seq2(ir, text(ir, "\n"), margin);
}

/* Whether no item can stand in a container at `depth`. */
static bool is_too_deep(const JsonRules *json, uint32_t depth)
{
    return json->indent && depth >= JSON_LAYOUT_DEPTH;
}

NodeId json_open(JsonRules *json, uint32_t depth)
{
    if (is_too_deep(json, depth)) return NODE_NEVER_ID;
    return ir_seq2(json->ir, json->gap, new_line(json, depth + 1));
}

NodeId json_after(JsonRules *json)
{
    return json->gap;
}

NodeId json_comma(JsonRules *json, uint32_t depth)
{
    Ir *ir = json->ir;
    if (json->kind != WEIR_SPACE_FIXED) {
        if (json->comma == NODE_NEVER_ID)
            json->comma = ir_seq2(ir, text(ir, ","), json->gap);
        return json->comma;
    }
    return ir_seq2(ir, json->item_separator, new_line(json, depth + 1));
}

NodeId json_close(JsonRules *json, uint32_t depth)
{
    return new_line(json, depth);
}

NodeId json_hollow(JsonRules *json)
{
    return json->gap;
}

NodeId json_colon(JsonRules *json)
{
    if (json->kind == WEIR_SPACE_FIXED) return json->key_separator;
    if (json->colon == NODE_NEVER_ID)
        json->colon =
            IR_SEQ(json->ir, json->gap, text(json->ir, ":"), json->gap);
    return json->colon;
}

NodeId json_container(JsonRules *json, uint32_t depth, const char *brackets,
                      NodeId items, bool may_be_hollow)
{
    Ir *ir = json->ir;
    NodeId first = json_open(json, depth), hollow = json_hollow(json);
    NodeId *kept = json->brackets[*brackets == '{'];
    if (kept[0] == NODE_NEVER_ID)
        for (int i = 0; i < 2; i++)
            kept[i] = ir_bytes(ir, span_of(brackets + i, 1));
    NodeId begin = kept[0], end = kept[1];
    if (!may_be_hollow)
        return IR_SEQ(ir, begin, first, items, json_close(json, depth), end);
    items = ir_seq2(ir, items, json_close(json, depth));
    if (first == hollow) /* one run of blanks, read once */
        items = ir_seq2(ir, first, ir_optional(ir, items));
    else
        items = ir_alt2(ir, hollow, ir_seq2(ir, first, items));
    return IR_SEQ(ir, begin, items, end);
}

/* Any number of items. */
static NodeId any_items(JsonRules *json, uint32_t depth, const char *brackets,
                        NodeId item)
{
    Ir *ir = json->ir;
    NodeId ended = ir_seq2(ir, item, json_after(json));
    NodeId more = ir_seq2(ir, json_comma(json, depth), ended);
    return json_container(json, depth, brackets,
                          ir_seq2(ir, ended, star(ir, more)), true);
}

/* ---- values ---- */

/* Only an indent tells depths apart. */
static uint32_t layout_depth(const JsonRules *json, uint32_t depth)
{
    return json->indent ? MIN(depth, JSON_LAYOUT_DEPTH) : 0;
}

/* The value of an item: NEVER where no item can stand. */
static NodeId inner_value(JsonRules *json, uint32_t depth)
{
    if (is_too_deep(json, depth)) return NODE_NEVER_ID;
    return ir_ref(json->ir, json_value_rule(json, depth + 1));
}

RuleId json_array_rule(JsonRules *json, uint32_t depth)
{
    RuleId *rule = &json->arrays[layout_depth(json, depth)];
    if (*rule != RULE_NONE || !ir_ok(json->ir)) return *rule;
    if (!begin_rule(json, JSON_PART_ARRAY, rule)) return *rule;
    NodeId item = inner_value(json, depth);
    ir_rule_set(json->ir, *rule, any_items(json, depth, "[]", item));
    return *rule;
}

RuleId json_object_rule(JsonRules *json, uint32_t depth)
{
    RuleId *rule = &json->objects[layout_depth(json, depth)];
    if (*rule != RULE_NONE || !ir_ok(json->ir)) return *rule;
    if (!begin_rule(json, JSON_PART_OBJECT, rule)) return *rule;
    Ir *ir = json->ir;
    NodeId pair = IR_SEQ(ir, ir_ref(ir, json_string_rule(json)),
                         json_colon(json), inner_value(json, depth));
    ir_rule_set(ir, *rule, any_items(json, depth, "{}", pair));
    return *rule;
}

RuleId json_value_rule(JsonRules *json, uint32_t depth)
{
    RuleId *rule = &json->values[layout_depth(json, depth)];
    if (*rule != RULE_NONE || !ir_ok(json->ir)) return *rule;
    Ir *ir = json->ir;
    if (!begin_rule(json, JSON_PART_VALUE, rule)) return *rule;
    ir_rule_set(ir, *rule,
                ALT(ir, ir_ref(ir, json_object_rule(json, depth)),
                    ir_ref(ir, json_array_rule(json, depth)),
                    ir_ref(ir, json_string_rule(json)),
                    ir_ref(ir, json_number_rule(json)), text(ir, "true"),
                    text(ir, "false"), text(ir, "null")));
    return *rule;
}

/* What is left of a key of at least so many characters. */
static RuleId key_rule(JsonRules *json, JsonPart part, uint32_t least)
{
    RuleId rule;
    LangCtx lang;
    Ir *ir = json->ir;
    if (!ir_ok(ir) || !begin_rule(json, part, &rule)) return RULE_NONE;
    lang_init(&lang, ir->mem, &ir->arena, NULL, &ir->error);
    const Dfa *texts = lang_length(&lang, least, LANG_INF);
    texts = lang_json_text(&lang, texts, JSON_TEXT_NEEDED);
    ir_rule_set(ir, rule, ir_seq2(ir, ir_regular(ir, texts), text(ir, "\"")));
    return rule;
}

/* Parts of members are in the order of those of their values. */
enum { TO_MEMBER = JSON_PART_OF_STRING - JSON_PART_STRING };
_Static_assert(JSON_PART_OF_VALUE - JSON_PART_VALUE == TO_MEMBER,
               "as many members as values");

/* A colon, and the value of a member. */
static RuleId member_rule(JsonRules *json, JsonPart part, NodeId value)
{
    RuleId *rule = &json->members[part - JSON_PART_OF_STRING];
    if (*rule != RULE_NONE || !begin_rule(json, part, rule)) return *rule;
    ir_rule_set(json->ir, *rule, ir_seq2(json->ir, json_colon(json), value));
    return *rule;
}

static RuleId colon_rule(JsonRules *json)
{
    return member_rule(json, JSON_PART_COLON, NODE_EMPTY_ID);
}

NodeId json_member(JsonRules *json, NodeId value)
{
    Ir *ir = json->ir;
    Node n = ir_node(ir, value);
    JsonPart part = JSON_PART_NONE;
    if (!json->has_usual_gap) return ir_seq2(ir, json_colon(json), value);
    if (n.kind == NODE_RULE) part = ir->rules.at[n.a].part;
    if (part < JSON_PART_STRING || part > JSON_PART_VALUE)
        return ir_seq2(ir, ir_ref(ir, colon_rule(json)), value);
    return ir_ref(ir, member_rule(json, part + TO_MEMBER, value));
}

RuleId json_parts_rule(JsonRules *json)
{
    Ir *ir = json->ir;
    NodeId found[JSON_PART_TEXT - JSON_PART_KEY_REST + 2];
    uint32_t n = 0;
    RuleId rule = ir_rule_new(ir, SPAN("json_parts"), 0);
    found[n++] = ir_ref(ir, json_value_rule(json, 0));
    for (JsonPart p = JSON_PART_KEY_REST; p <= JSON_PART_TEXT; p++) {
        uint8_t mark = json_part_mark(p);
        NodeId part = ir_ref(ir, json_part_rule(json, p));
        if (p >= JSON_PART_OF_STRING) part = ir_seq2(ir, text(ir, "\""), part);
        if (p == JSON_PART_TEXT) part = ir_seq2(ir, part, text(ir, "\""));
        found[n++] = ir_seq2(ir, ir_bytes(ir, span_of(&mark, 1)), part);
    }
    if (ir_ok(ir)) ir_rule_set(ir, rule, ir_alt(ir, found, n));
    return rule;
}

/* Counted, since no one writes so many out. */
static RuleId text_rule(JsonRules *json)
{
    enum { MOST = 1 << 30 };
    RuleId rule;
    if (begin_rule(json, JSON_PART_TEXT, &rule))
        ir_rule_set(json->ir, rule,
                    ir_repeat(json->ir, json_character(json), 1, MOST));
    return rule;
}

RuleId json_part_rule(JsonRules *json, JsonPart part)
{
    switch (part) {
    case JSON_PART_SPACE:
        return json->space;
    case JSON_PART_STRING:
        return json_string_rule(json);
    case JSON_PART_NUMBER:
        return json_number_rule(json);
    case JSON_PART_INTEGER:
        return json_integer_rule(json);
    case JSON_PART_BOOLEAN:
        return json_boolean_rule(json);
    case JSON_PART_ARRAY:
        return json_array_rule(json, 0);
    case JSON_PART_OBJECT:
        return json_object_rule(json, 0);
    case JSON_PART_VALUE:
        return json_value_rule(json, 0);
    case JSON_PART_KEY_REST:
        return key_rule(json, part, 0);
    case JSON_PART_KEY_MORE:
        return key_rule(json, part, 1);
    case JSON_PART_OF_STRING:
    case JSON_PART_OF_NUMBER:
    case JSON_PART_OF_INTEGER:
    case JSON_PART_OF_BOOLEAN:
    case JSON_PART_OF_ARRAY:
    case JSON_PART_OF_OBJECT:
    case JSON_PART_OF_VALUE:
        return member_rule(
            json, part,
            ir_ref(json->ir, json_part_rule(json, part - TO_MEMBER)));
    case JSON_PART_COLON:
        return colon_rule(json);
    case JSON_PART_TEXT:
        return text_rule(json);
    case JSON_PART_NONE:
        break;
    }
    return RULE_NONE;
}
