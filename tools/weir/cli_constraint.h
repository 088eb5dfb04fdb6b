/* cli_constraint.h: from the options to a grammar. */
#ifndef TOOLS_WEIR_CLI_CONSTRAINT_H
#define TOOLS_WEIR_CLI_CONSTRAINT_H

#include "weir/args.h"
#include "weir/cli_request.h"
#include "weir/cli_schema.h"
#include "weir/weir.h"

/* What a command with a constraint works on. */
typedef struct Session {
    weir_vocab *vocab; /* of --tokenizer, or NULL */
    weir_grammar *grammar;
    weir_matcher *matcher; /* at the start */
    double compile_ms;
    SchemaSource schema; /* of --schema, or of a request; or empty */
    RequestFile request; /* of --request */
    weir_termination termination;
    weir_bytes prefill; /* of the request: behind the matcher already */
} Session;

/* Checks that the options fit together (one constraint, what goes with it,
 * standard input at most once, --tokenizer where it is wanted, files where
 * they are), loads and compiles. 0, or 2 after a message. */
int session_open(Session *session, const Args *args);
/* The same in two steps, for a vocabulary that comes from elsewhere: the
 * checks, and what the vocabulary shall be like; then the rest. No constraint
 * is none: no grammar, no matcher. */
int session_check(const Args *args, weir_dialect *dialect);
int session_open_with(Session *session, const Args *args, weir_vocab *vocab);
/* The matcher at the start again. */
void session_restart(const Session *session);
void session_close(Session *session, const Args *args);
/* The constraint as one would say it: "--regex a+". For reports. */
void constraint_print(const Args *args, FILE *out);

/* Whether each option goes with the constraint. 0, or 2 after a message. */
int validate_companions(const Args *args);
/* The options of a source; those of a schema are schema_read's. 0, or 2 after a
 * message. */
int source_opts_read(const Args *args, weir_compile_opts *opts);
/* The vocabulary of --tokenizer, or of a path. NULL after a message. */
weir_vocab *tokenizer_load(const char *path, weir_dialect dialect);

#endif
