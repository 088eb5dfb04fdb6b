/* gbnf.h: GBNF, llama.cpp's grammar language, as a front end. */
#ifndef WEIR_SYNTAX_GBNF_H
#define WEIR_SYNTAX_GBNF_H

#include "syntax/ir.h"

#define GBNF_NO_TOKEN UINT32_MAX

typedef struct GbnfOpts {
    const char *root;  /* NULL: "root" */
    bool is_llama_cpp; /* the dialect: docs/gbnf.md */
    bool any_repeat;   /* the dialect's limits on repeats do not hold */
    /* The token that a text is spelled by, or GBNF_NO_TOKEN if that is not
     * exactly one. NULL: there is no vocabulary. */
    uint32_t (*token)(void *user, Span text);
    void *user;
} GbnfOpts;

/* Reads `source` into rules and sets ir->root. False: ir->error tells why.
 * opts: NULL for the defaults. */
bool gbnf_compile(Ir *ir, Span source, const GbnfOpts *opts);

#endif
