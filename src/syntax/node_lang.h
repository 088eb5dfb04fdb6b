/* node_lang.h: an expression of an IR as a regular language. */
#ifndef WEIR_SYNTAX_NODE_LANG_H
#define WEIR_SYNTAX_NODE_LANG_H

#include "lang/lang.h"
#include "syntax/ir.h"

typedef enum RuleProgress { RULE_UNSEEN, RULE_OPEN, RULE_KNOWN } RuleProgress;

/* Languages found are kept by node, so that asking again costs nothing; the
 * Ir may grow in between. Lifetime: call. */
typedef struct NodeLang {
    Ir *ir;
    Arena arena; /* languages */
    LangCtx lang;
    VEC(const Dfa *) node_dfa; /* by node; NULL: not known yet */
    VEC(RuleProgress) rule_progress;
    VEC(NodeId) todo; /* the innermost comes last */
    VEC(const Dfa *) parts;
    /* What a rule denotes, given its body. NULL: the body itself. */
    const Dfa *(*rule)(void *user, RuleId rule, const Dfa *body);
    void *user;
    const char *why; /* the last node has no such language: "holds tokens" */
} NodeLang;

/* Errors go to the Ir. */
void node_lang_init(NodeLang *l, Ir *ir);
void node_lang_free(NodeLang *l);

/* The language of `node`, rules as if they stood where they are named. NULL
 * after an error; or with l->why set and no error where there is none: rules
 * that lead back to themselves or have options, tokens, lists, texts of bounded
 * length. Places of errors are l->lang.begin and end. No recursion. */
const Dfa *node_lang(NodeLang *l, NodeId node);
/* The same of what a rule denotes; it may have options itself. */
const Dfa *node_lang_rule(NodeLang *l, RuleId rule);

#endif
