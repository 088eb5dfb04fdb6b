/* texts.h: a list of texts as states, for what is written of them: the texts
 * themselves (texts.c), or all others as JSON spells them (json_others.c). */
#ifndef WEIR_LANG_TEXTS_H
#define WEIR_LANG_TEXTS_H

#include "lang/closed.h"

/* A state of the text in hand: its edges are on the stack, from `first` on, the
 * last one without its target. */
typedef struct OpenState {
    uint32_t first;
    bool accepts;
} OpenState;

/* Closed states are pairwise different languages, none of them empty; an edge
 * is over one code point. Lifetime: call. */
typedef struct Texts {
    LangCtx *ctx;
    VEC(OpenState) open; /* by depth; while reading */
    VEC(DfaEdge) stack;  /* the same */
    Closed closed;
    uint32_t root; /* the start */
} Texts;

/* Reads the texts that are UTF-8, in any order. False: there is none, or an
 * error. To be freed in any case. */
bool texts_read(Texts *t, LangCtx *ctx, const Span *texts, uint32_t count);
void texts_free(Texts *t);

#endif
