/* cli_request.h: requests to a server, as files. */
#ifndef TOOLS_WEIR_CLI_REQUEST_H
#define TOOLS_WEIR_CLI_REQUEST_H

#include "weir/args.h"
#include "weir/cli_input.h"
#include "weir/weir.h"

/* A request and what it asks for. */
typedef struct RequestFile {
    FileBytes text;
    weir_constraint *constraint; /* NULL: refused */
    weir_refusal refusal;
    weir_request_opts opts;
} RequestFile;

/* Reads and resolves a request by --profile, --endpoint, --failure, the
 * switches and the environment. 0, also when it is refused; 2 after a message.
 * To be freed in any case. */
int request_read(RequestFile *r, const Args *args, const char *path);
void request_free(RequestFile *r, const Args *args);
/* --profile, --failure or --on-unsupported, the switches and the environment
 * alone. 0, or 2 after a message. */
int request_policy(const Args *args, weir_request_opts *opts);
/* Whose vocabulary it is for. */
weir_dialect request_dialect(const RequestFile *r);
/* The grammar; NULL, and nothing refused: the text is free. */
weir_grammar *request_compile(RequestFile *r, weir_vocab *vocab);
/* A refusal as a message. Returns 2. */
int request_report(const RequestFile *r, const char *path);

#endif
