/* oracle.h: the independent judge: is a text a prefix of a sentence, or a
 * sentence, of a grammar? Works from the IR alone and from first principles;
 * it shares no code and no idea with the engine, and keeps nothing between
 * two questions.
 *
 * A text is a row of positions. Bytes take one position each. A token with
 * text takes its bytes, which byte nodes may read one by one, or which one
 * TOKENS node may read as a whole; a token that text cannot reach takes one
 * position that only a TOKENS node can cross.
 *
 * What counts as reachable, in one place:
 *   by text    neither CONTROL, STOP nor HOLE, and at least one byte
 *   by TOKENS  not HOLE; a STOP only where a set names it, not where a negated
 *              set leaves it over
 *   stop       where the text is a sentence, a STOP ends it, whatever else it
 *              could be
 */
#ifndef WEIR_TESTS_ORACLE_H
#define WEIR_TESTS_ORACLE_H

#include "syntax/ir.h"

/* Token id = index; flags as in weir_token. NULL tokens: bytes only. */
typedef struct OracleVocab {
    const weir_token *tokens;
    uint32_t count;
} OracleVocab;

enum { ORACLE_MAX = 62 }; /* positions: their set fits one word */

typedef struct OracleText {
    uint32_t size;
    int16_t byte[ORACLE_MAX];   /* -1: a token that text cannot reach */
    uint32_t token[ORACLE_MAX]; /* which begins here, or UINT32_MAX */
    uint32_t end[ORACLE_MAX];   /* where that token ends */
} OracleText;

/* Appends; false, and no change, when the text would be too long. */
bool oracle_add_bytes(OracleText *text, Span bytes);
bool oracle_add_token(OracleText *text, const OracleVocab *vocab, uint32_t id);

bool oracle_by_text(weir_token token);
bool oracle_by_node(weir_token token, bool is_negated);

typedef struct OracleAnswer {
    bool complete; /* a sentence */
    bool more;     /* a proper prefix of a sentence */
} OracleAnswer;

OracleAnswer oracle_ask(const Ir *ir, RuleId root, const OracleVocab *vocab,
                        const OracleText *text);

static inline bool oracle_prefix(const Ir *ir, RuleId root,
                                 const OracleVocab *vocab,
                                 const OracleText *text)
{
    OracleAnswer a = oracle_ask(ir, root, vocab, text);
    return a.complete || a.more;
}
static inline bool oracle_complete(const Ir *ir, RuleId root,
                                   const OracleVocab *vocab,
                                   const OracleText *text)
{
    return oracle_ask(ir, root, vocab, text).complete;
}

/* allowed[id] for every id < vocab->count, each token tried alone after
 * `prefix`, which must leave room for the longest token. */
void oracle_mask(const Ir *ir, RuleId root, const OracleVocab *vocab,
                 const OracleText *prefix, bool *allowed);

#endif
