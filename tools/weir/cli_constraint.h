/* cli_constraint.h: from the options to a grammar. */
#ifndef TOOLS_WEIR_CLI_CONSTRAINT_H
#define TOOLS_WEIR_CLI_CONSTRAINT_H

#include "weir/args.h"
#include "weir/weir.h"

/* 0, or 2 after a message: exactly one constraint, options that go with it,
 * "-" at most once. */
int constraint_validate(const Args *args);
/* The grammar that the options give. vocab may be NULL. NULL after a message;
 * the caller frees. */
weir_grammar *constraint_compile(const Args *args, weir_vocab *vocab);
/* The constraint as one would say it: "--regex a+". For reports. */
void constraint_print(const Args *args, FILE *out);

/* The vocabulary of --tokenizer, or of a path. NULL after a message. */
weir_vocab *tokenizer_load(const char *path);

#endif
