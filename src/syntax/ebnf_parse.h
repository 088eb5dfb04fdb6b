/* ebnf_parse.h: what the parts of the EBNF front end share. */
#ifndef WEIR_SYNTAX_EBNF_PARSE_H
#define WEIR_SYNTAX_EBNF_PARSE_H

#include "syntax/ebnf_lex.h"

#define EBNF_MAX_REPEAT 2147483647u
#define EBNF_MAX_TOKEN_ID 2147483647u
#define EBNF_MAX_BUDGET_TOKENS 1000000u

/* A rule of the source, in the order of definition: rule `first + i`. */
typedef struct EbnfRule {
    uint32_t begin, end; /* its name */
    EbnfHead head;
    bool is_lazy;
} EbnfRule;

/* An open group: (, (= or the body itself. */
typedef struct EbnfGroup {
    EbnfWord open;
    uint32_t items, alts; /* its first in the stacks below */
    bool can_repeat;      /* the last word ended something repeatable */
} EbnfGroup;

/* Lifetime: call. */
typedef struct Ebnf {
    Ir *ir;
    EbnfLexer lex;
    RuleId first;
    uint32_t present; /* index of the rule being read */
    VEC(EbnfRule) rules;
    Map names; /* name → index in rules */
    VEC(EbnfGroup) groups;
    VEC(NodeId) items; /* of the sequences being read, outermost first */
    VEC(NodeId) alts;  /* finished sequences of the open groups */
    EbnfBytes text;    /* scratch of one string */
    EbnfRanges ranges; /* scratch of one class or token set */
} Ebnf;

/* The rule of a name, or RULE_NONE. */
RuleId ebnf_find(const Ebnf *e, Span name);
/* A reference to the rule that `name` names; reports an undefined one. */
NodeId ebnf_reference(Ebnf *e, EbnfWord name);
/* Reports that the present word is not what was expected. False. */
bool ebnf_unexpected(Ebnf *e, const char *expected);
/* The value of a number word, if at most `max`; reports otherwise. */
bool ebnf_number(Ebnf *e, EbnfWord word, uint32_t max, uint32_t *value);

/* -- ebnf_options.c -- */

/* Reads the options of rule `index` from its head. */
void ebnf_options(Ebnf *e, uint32_t index);

/* -- ebnf_macro.c -- */

bool ebnf_is_macro(Span name);
/* The present word is a macro's name; leaves its closing parenthesis present.
 */
NodeId ebnf_macro(Ebnf *e);

/* -- ebnf_lazy.c -- */

/* Cuts lazy rules down to their shortest texts, once all bodies are known. */
void ebnf_cut_lazy(Ebnf *e);

#endif
