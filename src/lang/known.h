/* known.h: operations on languages, each done once.
 *
 * For callers that ask for the same over and over: combinations of schemas.
 * Results are interned, so that equal ones are one Dfa; operands are known by
 * their address. Errors are the context's. Lifetime: the caller's; the results
 * are the arena's of the context. */
#ifndef WEIR_LANG_KNOWN_H
#define WEIR_LANG_KNOWN_H

#include "base/hash.h"
#include "base/vec.h"
#include "lang/lang.h"

typedef enum KnownKind {
    KNOWN_INTERSECT,
    KNOWN_SUBTRACT,
    KNOWN_UNITE
} KnownKind;

typedef struct KnownCall {
    KnownKind kind;
    const Dfa *a, *b, *result;
} KnownCall;

typedef struct LangKnown {
    LangCtx *ctx; /* borrowed */
    VEC(const Dfa *) results;
    VEC(KnownCall) calls;
    Map result_index, call_index;
} LangKnown;

void known_init(LangKnown *known, LangCtx *ctx);
void known_free(LangKnown *known);

/* The one Dfa that is equal. */
const Dfa *known_keep(LangKnown *known, const Dfa *a);
const Dfa *known_intersect(LangKnown *known, const Dfa *a, const Dfa *b);
const Dfa *known_subtract(LangKnown *known, const Dfa *a, const Dfa *b);
const Dfa *known_unite(LangKnown *known, const Dfa *a, const Dfa *b);

#endif
