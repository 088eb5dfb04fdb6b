/* json_grammar.h: JSON (RFC 8259) as rules: what `json` constraints are made
 * of, and the parts that schemas share.
 *
 * A JsonRules remembers the rules made so far, so that one Ir holds each of
 * them once. Depth counts the arrays and objects around a value; only a fixed
 * layout with an indent tells depths apart, and it ends at JSON_LAYOUT_DEPTH
 * of them, since no rule can count without end.
 *
 *     JsonRules json;
 *     json_rules_init(&json, ir, &opts->space);
 *     ir->root = json_value_rule(&json, 0);
 *
 * Errors go to the Ir. Lifetime: call.
 */
#ifndef WEIR_SYNTAX_JSON_GRAMMAR_H
#define WEIR_SYNTAX_JSON_GRAMMAR_H

#include "syntax/ir.h"

#define JSON_LAYOUT_DEPTH 64u
#define JSON_MAX_INDENT 1024u
#define JSON_SPACE_RUN 128u /* longest run of blanks, unless told */

typedef struct JsonRules {
    Ir *ir;
    weir_space_kind kind;
    bool has_usual_gap; /* its rules are those of the usual policy */
    uint32_t indent;    /* FIXED */
    NodeId gap;         /* between any two pieces; EMPTY where FIXED */
    NodeId item_separator, key_separator; /* FIXED */
    NodeId comma, colon, brackets[2][2];  /* others; NEVER: not made yet;
                                             [1]: of objects */
    NodeId character;                     /* NEVER: not made yet */
    RuleId space, string, number, integer,
        boolean;                          /* RULE_NONE: not made yet */
    RuleId members[8];                    /* by the part of their values */
    RuleId values[JSON_LAYOUT_DEPTH + 1]; /* by depth */
    RuleId arrays[JSON_LAYOUT_DEPTH + 1];
    RuleId objects[JSON_LAYOUT_DEPTH + 1];
} JsonRules;

/* policy: NULL means blanks in runs of at most JSON_SPACE_RUN. */
void json_rules_init(JsonRules *json, Ir *ir, const weir_space *policy);

/* -- whole values, without blanks before or after -- */

RuleId json_value_rule(JsonRules *json, uint32_t depth);
RuleId json_object_rule(JsonRules *json, uint32_t depth);
RuleId json_array_rule(JsonRules *json, uint32_t depth);
RuleId json_string_rule(JsonRules *json); /* quotes included */
RuleId json_number_rule(JsonRules *json);
RuleId json_integer_rule(JsonRules *json);
RuleId json_boolean_rule(JsonRules *json);
/* Of what a vocabulary keeps for all grammars: a value, or a mark and what
 * stands in a key (behind its quote) or behind one (from its last quote on). */
RuleId json_parts_rule(JsonRules *json);
static inline uint8_t json_part_mark(JsonPart part)
{
    return (uint8_t)('A' + part);
}
/* By part, under the usual policy. */
RuleId json_part_rule(JsonRules *json, JsonPart part);
/* One character of a string, however it is spelled. */
NodeId json_character(JsonRules *json);

/* -- what stands between, in a container at `depth`:
 *
 *     [ open item end  comma item end  comma item end  close ]
 *     [ hollow ]
 */

/* NEVER where the layout is too deep. */
NodeId json_open(JsonRules *json, uint32_t depth);
NodeId json_after(JsonRules *json);
NodeId json_comma(JsonRules *json, uint32_t depth);
NodeId json_close(JsonRules *json, uint32_t depth);
NodeId json_hollow(JsonRules *json);
/* Between key and value. */
NodeId json_colon(JsonRules *json);
/* What follows a member's key: colon and value. */
NodeId json_member(JsonRules *json, NodeId value);
/* A container, brackets included: `items` is all between open and close; it
 * may be hollow, too, if may_be_hollow. */
NodeId json_container(JsonRules *json, uint32_t depth, const char *brackets,
                      NodeId items, bool may_be_hollow);

#endif
