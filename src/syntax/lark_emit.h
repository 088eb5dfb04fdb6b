/* lark_emit.h: inside the Lark front end: from rules' nodes to IR rules.
 *
 * A rule is emitted once for each way in which it is used: an Instance. In
 * most grammars that is one. Three things make more:
 *
 * - its parameter;
 * - blanks (%ignore). They stand behind each lexeme. What a rule with options
 *   reads must end without them, so it is emitted BARE, and the blanks stand
 *   behind the call;
 * - what ends early (lazy, suffix, stop) beside other lexemes. Where one of
 *   these may begin, a text that holds its match from there on is no other
 *   lexeme's any more: "rivals" are those that may begin at the rule's start,
 *   "after" those that may where it has ended.
 *
 *     lark_first.c   what may be empty, what may begin where
 *     lark_cut.c     lexemes without the texts that rivals take
 *     lark_emit.c    instances; bodies part by part
 *     lark_state.c   bodies place by place, where the above makes differences
 */
#ifndef WEIR_SYNTAX_LARK_EMIT_H
#define WEIR_SYNTAX_LARK_EMIT_H

#include "syntax/lark_parse.h"

/* A set of lexemes that end early, by its number; 0 is the empty one. */
typedef uint32_t LarkSet;

typedef enum InstanceFlag {
    INSTANCE_BARE = 1, /* no blanks at the end */
    INSTANCE_FULL = 2, /* not the empty text */
    INSTANCE_EMPTY = 4 /* only that */
} InstanceFlag;

/* What a rule is with a parameter, wherever it stands. */
typedef struct LarkCall {
    uint32_t symbol;
    uint64_t value;
    bool is_nullable;
    LarkSet first; /* what may begin with it */
} LarkCall;

typedef struct LarkInstance {
    bool is_lexeme;
    uint32_t of;    /* a call; a lexeme that ends early: its symbol */
    uint32_t flags; /* InstanceFlag bits */
    LarkSet rivals, after;
    RuleId rule;
} LarkInstance;

typedef struct LarkCut {
    NodeId from, to;
    LarkSet rivals;
    bool is_early, is_full;
} LarkCut;

typedef struct LarkSetSpan {
    uint32_t first, count; /* in set_items, ascending */
} LarkSetSpan;

typedef struct LarkEmit {
    Lark *k;
    Ir *ir;
    VEC(LarkCall) calls;
    Map call_index;
    VEC(LarkInstance) instances; /* [0, emitted) have bodies */
    Map instance_index;
    VEC(LarkCut) cuts;
    Map cut_index;
    VEC(LarkSetSpan) sets;
    VEC(uint32_t) set_items; /* symbols */
    Map set_index;
    VEC(uint8_t) lexeme_nullable; /* by IR node */
    bool has_early;               /* something ends early */
    NodeId blanks;                /* what %ignore allows in one place; EMPTY */
    /* of the body in hand, by node from its first: */
    VEC(uint8_t) nullable;
    VEC(LarkSet) first;
    VEC(uint8_t) need;   /* whether it counts; then NeedFlag bits */
    VEC(NodeId) made[2]; /* with blanks at the end, and without */
    VEC(NodeId) list;
    VEC(uint32_t) merged; /* scratch of a union */
} LarkEmit;

static inline const LarkNode *emit_node(const LarkEmit *e, LarkId id)
{
    return &e->k->nodes.at[id];
}
static inline const LarkSymbol *emit_symbol(const LarkEmit *e, uint32_t symbol)
{
    return &e->k->symbols.at[symbol];
}
bool emit_no_memory(LarkEmit *e);

/* ---- lark_first.c ---- */

/* The call of a rule with a parameter, made if need be. LARK_NONE after an
 * error. */
uint32_t emit_call(LarkEmit *e, uint32_t symbol, uint64_t value);
/* Finds all calls that the root's needs, and what they begin with. */
bool emit_find_calls(LarkEmit *e, uint32_t root);
/* Fills e->nullable and e->first for the body of a call. */
bool emit_look(LarkEmit *e, const LarkCall *call);
bool emit_is_nullable(LarkEmit *e, NodeId lexeme);

LarkSet emit_union(LarkEmit *e, LarkSet a, LarkSet b);
LarkSet emit_single(LarkEmit *e, uint32_t symbol);

/* ---- lark_cut.c ---- */

/* The lexeme without the texts that rivals take, and if it is FULL without the
 * empty one. is_early: it ends early itself. */
NodeId emit_cut(LarkEmit *e, NodeId lexeme, LarkSet rivals, bool is_early,
                bool is_full);

/* ---- lark_emit.c ---- */

/* How a part is used: what an Instance says of a rule. */
typedef struct LarkUse {
    uint32_t flags;
    LarkSet rivals, after;
} LarkUse;

/* A lexeme, tokens or a call, with blanks behind it unless it is BARE. value:
 * the parameter of the rule that it stands in. */
NodeId emit_atom(LarkEmit *e, const LarkNode *n, LarkUse use, uint64_t value);
/* What is left of the string `next` behind a rule that a text has stopped with
 * which the string begins: it is the string's own beginning. False: there is
 * no such rule or string. */
bool emit_rest(const LarkEmit *e, LarkId stopped, LarkId next, Span *rest);
NodeId emit_with_blanks(LarkEmit *e, NodeId node, uint32_t flags);

/* ---- lark_state.c ---- */

/* The body of an instance, place by place; e->nullable and e->first are those
 * of its call. */
NodeId emit_states(LarkEmit *e, const LarkInstance *how);

#endif
