/* nfa.h: nondeterministic automata over labels, with empty edges and
 * assertions: the form in which expressions are put together.
 *
 * An edge leads on
 *   - over a code point of a label,
 *   - for nothing (EMPTY),
 *   - at the start (AT_START) or the end (AT_END) of the whole string,
 *   - where an assertion holds, or does not.
 * An assertion is an automaton of its own inside the same Nfa, with its own
 * start and accepting state. Ahead: some prefix of what follows the position
 * is accepted. Behind: some suffix of what precedes it is. An assertion may
 * test only assertions that were added before it, so they do not nest in
 * circles.
 * States may be ranked in a chain: what is accepted from one of them is also
 * accepted from every earlier one, at any place of any string. Beside an
 * earlier one, a later one then adds nothing. Lifetime: call.
 */
#ifndef WEIR_LANG_NFA_H
#define WEIR_LANG_NFA_H

#include "lang/alphabet.h"

#define NFA_NONE UINT32_MAX

typedef enum NfaEdgeKind {
    NFA_EMPTY,
    NFA_LABEL, /* arg: label */
    NFA_AT_START,
    NFA_AT_END,
    NFA_HOLDS,    /* arg: assertion */
    NFA_HOLDS_NOT /* arg: assertion */
} NfaEdgeKind;

typedef struct NfaEdge {
    NfaEdgeKind kind;
    uint32_t arg, to;
    uint32_t next; /* of the same state, or NFA_NONE */
} NfaEdge;

typedef struct NfaAssertion {
    uint32_t start, accept;
    bool is_behind;
} NfaAssertion;

typedef struct Nfa {
    LangCtx *ctx;
    Alphabet alphabet;
    VEC(uint32_t) state_edge;  /* by state: its newest edge, or NFA_NONE */
    VEC(uint32_t) state_chain; /* by state: its chain, or 0; in a chain earlier
                                  states have lower numbers */
    uint32_t nchains;
    VEC(NfaEdge) edges;
    VEC(NfaAssertion) assertions;
    uint32_t start, accept;
    bool is_guarded; /* has edges other than EMPTY and LABEL */
} Nfa;

/* Builders do nothing once the context has an error. */
void nfa_init(Nfa *nfa, LangCtx *ctx); /* with start and accept */
void nfa_free(Nfa *nfa);
uint32_t nfa_state(Nfa *nfa);
/* Puts a state that is in no chain at the end of one; others stay in theirs. */
void nfa_rank(Nfa *nfa, uint32_t state, uint32_t chain);
/* Ranges in normal form; none: no edge. */
void nfa_label(Nfa *nfa, uint32_t from, const RuneRange *ranges, uint32_t count,
               uint32_t to);
void nfa_empty(Nfa *nfa, uint32_t from, uint32_t to);
void nfa_edge(Nfa *nfa, uint32_t from, NfaEdgeKind kind, uint32_t arg,
              uint32_t to);
uint32_t nfa_assertion(Nfa *nfa, uint32_t start, uint32_t accept,
                       bool is_behind);
/* A copy of the Dfa, entered from `from`, left to `to` where it accepts. */
void nfa_dfa(Nfa *nfa, uint32_t from, const Dfa *dfa, uint32_t to);

/* Marks, by state, those from which every string is accepted: a loop over any
 * code point and a way of EMPTY edges to `accept`. Conservative: may miss
 * some. `universal` is zeroed. */
bool nfa_find_universal(const Nfa *nfa, uint8_t *universal);

/* The language as a minimal Dfa; frees the Nfa. */
const Dfa *nfa_finish(Nfa *nfa);

/* Subset construction; no assertions. (determinize.c) */
const Dfa *nfa_determinize(Nfa *nfa);
/* The same with assertions. (guarded.c) */
const Dfa *nfa_determinize_guarded(Nfa *nfa);

#endif
