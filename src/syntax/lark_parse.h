/* lark_parse.h: what the parts of the Lark front end share.
 *
 *     lark.c          items: rules, terminals, directives     text -> nodes
 *     lark_expr.c     bodies
 *     lark_atom.c     what bodies are made of
 *     lark_common.c   %import common
 *     lark_option.c   name[option, ...]
 *     lark_param.c    name::expr and %if
 *     lark_terminal.c terminals and lexemes                   nodes -> IR
 *     lark_emit.c     rules
 *
 * A body is an array of nodes, operands before what holds them, so that no
 * stage recurses. */
#ifndef WEIR_SYNTAX_LARK_PARSE_H
#define WEIR_SYNTAX_LARK_PARSE_H

#include "syntax/lark.h"
#include "syntax/lark_lex.h"
#include "syntax/node_lang.h"

#define LARK_NONE UINT32_MAX
#define LARK_MAX_REPEAT 2147483647u
#define LARK_MAX_TOKEN_ID 2147483647u
#define LARK_MAX_BUDGET_TOKENS 1000000u

typedef uint32_t LarkId; /* index of a node */

typedef enum LarkKind {
    LARK_EMPTY,
    LARK_LEXEME, /* a: an IR node that denotes texts */
    LARK_PART,   /* a: an IR node that is no lexeme: tokens, a nested grammar */
    LARK_NAME,   /* a: symbol, b: param that is its argument, or LARK_NONE */
    LARK_SEQ,    /* a: first in kids, b: count */
    LARK_ALT,    /* a: first in kids, b: count */
    LARK_REPEAT, /* a: node, b: lo, c: hi or REPEAT_INF */
    LARK_AND,    /* a: first in kids, b: count; in terminals */
    LARK_NOT,    /* a: node; in terminals */
    LARK_GUARDED, /* a: node, b: param that must hold */
} LarkKind;

typedef struct LarkNode {
    LarkKind kind;
    uint32_t a, b, c;
    uint32_t begin, end; /* where it stands */
} LarkNode;

/* What ends a lexeme early. */
typedef enum LarkEnd {
    LARK_ENDS_LONG,   /* nothing */
    LARK_ENDS_LAZY,   /* its own first end */
    LARK_ENDS_SUFFIX, /* `marker` behind it, which its capture leaves out */
    LARK_ENDS_STOP    /* the same, and what follows may read it again */
} LarkEnd;

typedef enum LarkProgress { LARK_UNSEEN, LARK_OPEN, LARK_DONE } LarkProgress;

/* A rule or a terminal. */
typedef struct LarkSymbol {
    uint32_t begin, end; /* its name, where it is defined or else first used */
    bool is_terminal, is_defined;
    bool is_parametric;
    LarkId first, body; /* its nodes are [first, body] */
    LarkEnd ends;
    uint32_t marker; /* of a SUFFIX or STOP: a terminal without a name */
    RuleOptions options;
    LarkProgress progress;
    bool is_lexeme; /* a terminal, or a rule that ends early */
    NodeId value;   /* of a lexeme: its texts */
    NodeId bare;    /* of a STOP: the texts without the marker */
    RuleId rule;    /* of a terminal that a rule names; else RULE_NONE */
} LarkSymbol;

/* An expression over the parameter of a rule: a new value, or a condition. */
typedef enum LarkParamKind {
    PARAM_SAME,
    PARAM_VALUE, /* value */
    PARAM_SET_BIT,
    PARAM_CLEAR_BIT, /* value: the bit */
    PARAM_BIT_AND,
    PARAM_BIT_OR, /* value */
    PARAM_INCR,
    PARAM_DECR, /* bits [lo, hi) */
    PARAM_TRUE,
    PARAM_BIT_IS_SET,
    PARAM_BIT_IS_CLEAR, /* value: the bit */
    PARAM_IS_ONES,
    PARAM_IS_ZEROS, /* bits [lo, hi) */
    PARAM_EQ,
    PARAM_NE,
    PARAM_LT,
    PARAM_LE,
    PARAM_GT,
    PARAM_GE, /* bits [lo, hi) against value */
    PARAM_COUNT_EQ,
    PARAM_COUNT_NE,
    PARAM_COUNT_LT,
    PARAM_COUNT_LE,
    PARAM_COUNT_GT,
    PARAM_COUNT_GE, /* ones among bits [lo, hi) against value */
    PARAM_AND,
    PARAM_OR, /* a, b */
    PARAM_NOT /* a */
} LarkParamKind;

typedef struct LarkParam {
    LarkParamKind kind;
    uint32_t lo, hi, a, b;
    uint64_t value;
} LarkParam;

/* An open group, or the body itself. */
typedef struct LarkGroup {
    LarkWord open;
    uint32_t items, conj, alts; /* its first in the stacks below */
    uint32_t nots;              /* ~ before it */
    bool can_repeat;            /* the last word ended something repeatable */
    bool is_ended;              /* an alias or a condition has ended the last
                                   alternative */
} LarkGroup;

typedef struct LarkScratch {
    VEC(LarkGroup) groups;
    VEC(LarkId) items; /* of the sequences being read, outermost first */
    VEC(LarkId) conj;  /* finished sequences of the present alternatives */
    VEC(LarkId) alts;  /* finished alternatives of the open groups */
    LarkBytes text;
    LarkBytes pattern;
    RangeList ranges;
} LarkScratch;

/* Lifetime: call. */
typedef struct Lark {
    Ir *ir;
    LarkOpts opts;
    LarkLexer lex;
    VEC(LarkSymbol) symbols;
    Map names; /* name -> symbol */
    VEC(LarkNode) nodes;
    VEC(LarkId) kids;
    VEC(LarkParam) params;
    VEC(uint32_t) ignored; /* terminals without names */
    uint32_t present;      /* symbol being read, or LARK_NONE */
    bool initial_skip, skip_once;
    NodeLang lang;
    LarkScratch scratch;
} Lark;

/* Report at a word. Return false. */
bool lark_fail(Lark *k, LarkWord at, weir_status status, const char *format,
               ...) PRINTF_LIKE(4, 5);
/* What stands here is not what was expected. */
bool lark_unexpected(Lark *k, const char *expected);
/* Moves past a mark, or reports that it is not here. */
bool lark_expect(Lark *k, const char *mark, const char *expected);
/* The value of a number word, if it is a whole number up to `max`. */
bool lark_number(Lark *k, LarkWord word, uint64_t max, uint64_t *value);

/* The symbol of a name, made if need be. LARK_NONE: no memory. */
uint32_t lark_symbol(Lark *k, LarkWord name);
/* A new terminal that has no name. */
uint32_t lark_nameless(Lark *k, LarkWord at);
Span lark_symbol_name(const Lark *k, const LarkSymbol *s);
/* Appends a node; LARK_NONE after an error. */
LarkId lark_node(Lark *k, LarkNode node);
/* A SEQ, ALT or AND. None: EMPTY; one: itself. */
LarkId lark_list(Lark *k, LarkKind kind, const LarkId *kids, uint32_t count,
                 LarkWord at);

/* Reads a symbol's body up to the end of its line. */
bool lark_body(Lark *k, uint32_t symbol);
/* Whether the present word begins an atom. */
bool lark_begins_atom(const Lark *k);
/* Reads an atom other than a group; moves past it. */
LarkId lark_atom(Lark *k);
/* A terminal of `common`, by its name there: a lexeme. LARK_NONE: there is no
 * such one, or an error. */
LarkId lark_common(Lark *k, Span name, LarkWord at);
/* The present word opens the options of the present symbol. Moves past. */
bool lark_options(Lark *k);
/* Behind "::" in a body; moves past the argument. */
bool lark_argument(Lark *k, uint32_t *param);
/* Behind %if. */
bool lark_condition(Lark *k, uint32_t *param);
uint64_t lark_param_value(const Lark *k, uint32_t param, uint64_t given);
bool lark_param_holds(const Lark *k, uint32_t param, uint64_t given);

/* Works out all lexemes. */
bool lark_terminals(Lark *k);
/* Makes the rules that the root needs. */
bool lark_emit(Lark *k, uint32_t root);

#endif
