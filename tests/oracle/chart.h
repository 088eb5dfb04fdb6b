/* chart.h: the oracle's table of facts about one text, for the oracle and for
 * the completer. Lifetime: from chart_make to chart_free. */
#ifndef WEIR_TESTS_CHART_H
#define WEIR_TESTS_CHART_H

#include "oracle/list_states.h"
#include "oracle/oracle.h"

enum { DFA_MAX = 64 }; /* states of an automaton */

typedef uint64_t Set; /* of positions */

typedef struct Fact {
    Set ends;
    bool more;
} Fact;

typedef struct Chart {
    const Ir *ir;
    const OracleVocab *vocab;
    const OracleText *text;
    bool *alive;       /* by node: has a finite sentence */
    bool *solid;       /* by node: has one that is not empty */
    Fact *facts;       /* by node * (size + 1) + start */
    ListStates *lists; /* by list */
    bool **live;       /* by list: which of its states lead to an end */
} Chart;

/* What the bytes from a position on can be as one character. */
typedef struct Char {
    uint32_t size;   /* of the whole character; 0: none */
    uint32_t lo, hi; /* its code points; one if all bytes are there */
} Char;

void chart_make(Chart *chart, const Ir *ir, const OracleVocab *vocab,
                const OracleText *text);
void chart_free(Chart *chart);

static inline Fact *chart_fact(const Chart *c, NodeId node, uint32_t start)
{
    return &c->facts[(size_t)node * (c->text->size + 1) + start];
}

/* `start` is not the end of the text. */
Char chart_char(const OracleText *text, uint32_t start);
/* Where a node read from any of the positions `from` ends. */
Fact chart_read(const Chart *c, NodeId node, Set from);
/* An item of the kind, read from `start`. */
Fact chart_item(const Chart *c, const ListKind *kind, uint32_t start);
bool chart_usable(const Chart *c, const ListKind *kind);
/* Where items of the list that begins at `start` can end: by state. */
void chart_list_reach(const Chart *c, Node n, uint32_t start, Set *reach);
/* Whether some kind may follow in a state of a list. */
bool chart_can_follow(const Chart *c, Node n, uint32_t state);
bool chart_list_unique(const ListSpec *list);
/* The same with heads that must differ; true: the text may go on. */
bool chart_read_unique(const Chart *c, Node n, uint32_t start, Set *reach);
/* Whether token `id` is one of the TOKENS node's. */
bool chart_in_tokens(const Chart *c, Node tokens, uint32_t id);

#endif
