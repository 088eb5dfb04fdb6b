/* completer.h: a shortest way to end a text that a grammar has begun. */
#ifndef WEIR_TESTS_COMPLETER_H
#define WEIR_TESTS_COMPLETER_H

#include "oracle/oracle.h"

enum { COMPLETION_MAX = 4096 };

/* A byte, or a token that a TOKENS node takes as a whole. */
typedef struct Item {
    uint32_t token; /* UINT32_MAX: the byte */
    uint8_t byte;
} Item;

typedef struct Completion {
    Item items[COMPLETION_MAX];
    uint32_t count;
} Completion;

typedef enum CompleteResult {
    COMPLETE_OK,
    COMPLETE_NONE,    /* the text is no prefix of a sentence */
    COMPLETE_TOO_LONG /* more than COMPLETION_MAX items are needed */
} CompleteResult;

CompleteResult complete_text(const Ir *ir, RuleId root,
                             const OracleVocab *vocab, const OracleText *text,
                             Completion *out);

#endif
