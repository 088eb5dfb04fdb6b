/* cli_lazy.h: outputs that are free until a trigger: --trigger-word and others.
 */
#ifndef TOOLS_WEIR_CLI_LAZY_H
#define TOOLS_WEIR_CLI_LAZY_H

#include "weir/cli_constraint.h"

bool lazy_is_asked(const Args *args);

/* A text read up to its trigger. */
typedef struct LazyText {
    weir_lazy *lazy;
    weir_matcher *matcher; /* behind the trigger's token; NULL: not found, or
                              refused */
    size_t taken;          /* bytes up to there; of the whole text if none */
    bool is_refused;       /* the grammar cannot read what the trigger begins
                              with; `taken` is where its token begins */
} LazyText;

/* Reads the text as tokens of the session's vocabulary. 0, or 2 after a
 * message. */
int lazy_read(LazyText *out, const Args *args, const Session *session,
              weir_bytes text);
void lazy_free(LazyText *lazy);

#endif
