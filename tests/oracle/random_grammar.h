/* random_grammar.h: small random grammars with every kind of node and every
 * way in which a grammar can be awkward. */
#ifndef WEIR_TESTS_RANDOM_GRAMMAR_H
#define WEIR_TESTS_RANDOM_GRAMMAR_H

#include "oracle/random_vocab.h"

/* `own` gives everything but the shared rules, which `shared` gives alone: two
 * grammars with equal `shared` have equal ones, as ir.h demands of rules of
 * one vocabulary; with another one, others of the same names. */
typedef struct RandomSeeds {
    uint64_t own, shared;
} RandomSeeds;

/* Fills `ir`, which ir_init has prepared, with 1 to 8 rules and a root. Token
 * ids are drawn from a few more than there are. */
void random_grammar(RandomSeeds seeds, const Alphabet *alphabet,
                    uint32_t ntokens, Ir *ir);

/* Whether some list in it has heads that must be unique: then shortest ends and
 * left recursion are not what they are otherwise. */
bool random_has_unique(const Ir *ir);

#endif
