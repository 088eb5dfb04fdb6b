/* random_vocab.h: small alphabets and vocabularies over them. */
#ifndef WEIR_TESTS_RANDOM_VOCAB_H
#define WEIR_TESTS_RANDOM_VOCAB_H

#include "oracle/oracle.h"
#include "oracle/rng.h"

enum { ALPHABET_MAX = 7, RANDOM_TOKENS_MAX = 320, RANDOM_BYTES_MAX = 8 };

/* Two to four of a b c d, perhaps a blank and characters of 2, 3 or 4 bytes. */
typedef struct Alphabet {
    uint32_t runes[ALPHABET_MAX];
    uint32_t count;
} Alphabet;

typedef struct RandomVocab {
    weir_token tokens[RANDOM_TOKENS_MAX]; /* bytes point into `bytes` */
    char bytes[RANDOM_TOKENS_MAX][RANDOM_BYTES_MAX];
    uint32_t count;
} RandomVocab;

void random_alphabet(Rng *rng, Alphabet *alphabet);
/* 2 to 40 tokens: bytes, short texts, pieces of characters, ill-formed bytes,
 * duplicates, control and stop tokens, holes, empty ones. */
void random_vocab(Rng *rng, const Alphabet *alphabet, RandomVocab *vocab);
/* Adds the 256 bytes and a stop token: no text is out of its reach. */
void random_vocab_complete(RandomVocab *vocab);
void random_vocab_add(RandomVocab *vocab, const void *bytes, size_t size,
                      uint32_t flags);
static inline OracleVocab oracle_vocab(const RandomVocab *vocab)
{
    return (OracleVocab){vocab->tokens, vocab->count};
}

#endif
