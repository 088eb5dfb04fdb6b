/* lint.h: warnings about schemas that say something else than what their
 * author means. Nothing here changes what a schema allows. */
#ifndef WEIR_SCHEMA_LINT_H
#define WEIR_SCHEMA_LINT_H

#include "schema/source.h"

typedef enum LintKinds {
    LINT_MISTAKES = 1, /* hardly ever meant */
    LINT_ADVICE = 2    /* may be meant: what is loose, slow, or unknown */
} LintKinds;

/* Warns of each in the main document, with its place; an error (SYNTAX) for
 * the first malformed keyword. The rules: lint.c, lint_rules.c. */
void schema_lint(Sources *s, unsigned kinds);

#endif
