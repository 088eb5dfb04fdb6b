/* judge.h: one position of a matcher against the oracle, and one failing case
 * made small. */
#ifndef WEIR_TESTS_JUDGE_H
#define WEIR_TESTS_JUDGE_H

#include <stdio.h>

#include "oracle/ir_edit.h"
#include "oracle/random_grammar.h"

enum { CASE_STEPS = 64, CASE_STOPS = 2 };

/* One step of an output: a token, or bytes when id is UINT32_MAX. */
typedef struct Step {
    uint32_t id;
    uint32_t size;
    uint8_t bytes[RANDOM_BYTES_MAX];
} Step;

/* A position: a grammar, a vocabulary, and the steps that lead there. */
typedef struct Case {
    Ir ir;
    RandomVocab made;  /* what the engine's vocabulary is made from */
    RandomVocab vocab; /* what a matcher with these stops sees */
    uint32_t stops[CASE_STOPS], nstops; /* in place of the vocabulary's */
    weir_termination termination;
    Step steps[CASE_STEPS];
    uint32_t nsteps;
} Case;

/* What was wrong; an empty text when nothing was. */
typedef struct Why {
    char text[512];
} Why;

typedef enum Verdict {
    JUDGE_SAME,
    JUDGE_DIFFERS,
    JUDGE_LIMIT /* the engine ran into one of its limits, and says so */
} Verdict;

bool step_add(OracleText *text, const OracleVocab *vocab, const Step *step);
/* Whether the step is a stop token that ends the text. */
bool step_stops(const Case *c, const OracleText *text, const Step *step);
weir_accept step_accept(weir_matcher *matcher, const Step *step);

/* Sets c->vocab: STOP flags on the stops that hold, and only there. */
void judge_view(Case *c);
weir_matcher *judge_matcher(const Case *c, weir_grammar *grammar);
weir_vocab *judge_vocab(const RandomVocab *vocab);
/* NULL with a status in err. `ir` is not consumed. */
weir_grammar *judge_grammar(weir_vocab *vocab, const Ir *ir, weir_error *err);

/* Whether the grammar exists exactly if it has a sentence. */
Verdict judge_compiled(const Ir *ir, const RandomVocab *vocab,
                       const weir_grammar *grammar, const weir_error *err,
                       Why *why);

/* Everything the matcher says here, against the oracle's word: mask, each
 * token accepted and taken back, flags. `allowed` gets the oracle's mask. */
Verdict judge_position(weir_matcher *matcher, const Case *c,
                       const OracleText *text, bool *allowed, Why *why);

/* The whole case on a grammar of its own. */
Verdict judge_case(const Case *c, Why *why);
/* Makes a case that differs smaller while it differs. */
void judge_shrink(Case *c, Why *why);
void judge_print(const Case *c, const Why *why, FILE *out);

#endif
