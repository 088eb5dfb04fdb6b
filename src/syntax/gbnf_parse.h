/* gbnf_parse.h: what the parts of the GBNF front end share. */
#ifndef WEIR_SYNTAX_GBNF_PARSE_H
#define WEIR_SYNTAX_GBNF_PARSE_H

#include "syntax/gbnf.h"

#define GBNF_NONE UINT32_MAX
#define GBNF_MAX_REPEAT 2147483647u
#define GBNF_MAX_TOKEN_ID 2147483647u

/* A rule of the text, or one that llama.cpp makes for a group or a repeat. */
typedef struct GbnfSymbol {
    uint32_t begin, end; /* its name where it was first met; of a helper, the
                            mark that it is made for */
    RuleId rule;         /* a helper's: the rule that it is part of */
    bool is_helper, is_defined;
    bool has_empty;      /* an alternative without elements */
    uint32_t first_lead; /* its alternatives, see gbnf_leftrec.c */
} GbnfSymbol;

/* One alternative of a symbol: the symbols that it begins with, up to the
 * first that is none: leads[first, first + count). */
typedef struct GbnfLead {
    uint32_t first, count;
    uint32_t next; /* the symbol's next alternative, or GBNF_NONE */
} GbnfLead;

/* The last item of a sequence: what an operator would repeat. */
typedef struct GbnfItem {
    bool exists;     /* it has elements */
    uint64_t cost;   /* as llama.cpp counts it */
    bool has_text;   /* after the symbols of `run` comes something else */
    uint32_t before; /* open leads before it */
    bool was_blocked, was_empty; /* the sequence before it */
} GbnfItem;

/* An open group, or the body itself. */
typedef struct GbnfGroup {
    uint32_t open;        /* where it opens */
    uint32_t symbol;      /* whose alternatives it has */
    uint64_t made;        /* symbols before it, of all that llama.cpp makes */
    uint32_t items, alts; /* its first in the stacks below */
    uint32_t leads;       /* the present sequence's first open lead */
    bool is_blocked;      /* ... has something that is no symbol */
    bool is_empty;        /* ... has no elements yet */
    GbnfItem last;
} GbnfGroup;

/* Lifetime: call. */
typedef struct Gbnf {
    Ir *ir;
    GbnfOpts opts;
    Span source;
    size_t pos;
    uint32_t present; /* symbol of the rule being read, or GBNF_NONE */
    uint32_t nrules;  /* definitions so far */
    uint64_t made;    /* symbols that llama.cpp has made so far */
    VEC(GbnfSymbol) symbols;
    Map names; /* name -> symbol */
    VEC(GbnfGroup) groups;
    VEC(NodeId) items;        /* of the sequences being read, outermost first */
    VEC(NodeId) alts;         /* finished sequences of the open groups */
    VEC(uint32_t) run;        /* symbols that the last item begins with */
    VEC(uint32_t) open_leads; /* of the sequences being read */
    VEC(uint32_t) leads;      /* of all alternatives */
    VEC(GbnfLead) lead_list;
    VEC(uint8_t) text; /* scratch of one string */
    VEC(Range) ranges; /* scratch of one class */
} Gbnf;

/* Reports at [begin, end). False. */
bool gbnf_fail(Gbnf *g, size_t begin, size_t end, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Reports what stands at the present place. False. */
bool gbnf_unexpected(Gbnf *g, const char *expected);

static inline bool gbnf_is(const Gbnf *g, char c)
{
    return g->pos < g->source.size && g->source.at[g->pos] == (uint8_t)c;
}
bool gbnf_is_name(uint8_t c);
/* Moves over blanks and comments, and over line ends where those count as
 * blanks: inside groups, or if `line_ends`. */
void gbnf_skip(Gbnf *g, bool line_ends);
static inline bool gbnf_is_nested(const Gbnf *g)
{
    return g->groups.count > 1;
}
static inline GbnfGroup *gbnf_group(Gbnf *g)
{
    assert(g->groups.count);
    return &g->groups.at[g->groups.count - 1];
}

/* -- gbnf_item.c -- */

/* These read one item at the present place, and what is blank behind it, and
 * add its node to the items. */
bool gbnf_string(Gbnf *g);
bool gbnf_class(Gbnf *g);
bool gbnf_dot(Gbnf *g);
bool gbnf_token(Gbnf *g);
/* Adds the node of an item that begins with symbol `symbol`, or with something
 * else (GBNF_NONE). `exists`: it has elements. */
bool gbnf_push(Gbnf *g, NodeId node, uint32_t symbol, uint64_t cost,
               bool exists);

/* -- gbnf_repeat.c -- */

/* The present character is an operator. */
bool gbnf_repeat(Gbnf *g);

/* -- gbnf_leftrec.c -- */

/* A symbol that llama.cpp would make here. */
bool gbnf_helper(Gbnf *g, uint32_t *symbol);
/* Begins a symbol's alternatives anew. */
void gbnf_leads_reset(Gbnf *g, uint32_t symbol);
/* Adds an alternative of `symbol`. */
bool gbnf_leads_add(Gbnf *g, uint32_t symbol, const uint32_t *leads,
                    uint32_t count, bool is_empty);
/* What the group's present sequence begins with, now that g->run is that of
 * its last item. */
bool gbnf_leads_item(Gbnf *g);
/* Refuses rules that llama.cpp finds left recursive. */
bool gbnf_leads_check(Gbnf *g);

#endif
