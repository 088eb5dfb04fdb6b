/* cli_blame.h: which part of a schema refuses a document. */
#ifndef TOOLS_WEIR_CLI_BLAME_H
#define TOOLS_WEIR_CLI_BLAME_H

#include "weir/args.h"
#include "weir/weir.h"

enum { BLAME_BYTES = 512 };

/* What is known about the refusal. */
typedef struct Refusal {
    weir_bytes schema;
    const weir_compile_opts *opts;
    weir_bytes text;      /* of the document, the refused byte included */
    bool is_incomplete;   /* all of it is accepted, but it is not complete */
    const char *instance; /* pointer to the value at fault */
} Refusal;

typedef struct Blame {
    bool is_order;             /* members in any order would be accepted */
    char pointer[BLAME_BYTES]; /* of the keyword, or of the schema if several
                                  refuse at once; empty: not found */
} Blame;

/* Takes up to about a second. */
void blame_find(const Mem *mem, const Refusal *refusal, Blame *blame);

#endif
