/* random_grammar.h: small random grammars with every kind of node and every
 * way in which a grammar can be awkward. */
#ifndef WEIR_TESTS_RANDOM_GRAMMAR_H
#define WEIR_TESTS_RANDOM_GRAMMAR_H

#include "oracle/random_vocab.h"

/* Fills `ir`, which ir_init has prepared, with 1 to 6 rules and a root.
 * Shared rules get names that no other seed gives. */
void random_grammar(uint64_t seed, const Alphabet *alphabet, uint32_t ntokens,
                    Ir *ir);

#endif
