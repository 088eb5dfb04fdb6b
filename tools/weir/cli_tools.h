/* cli_tools.h: tools that a model may call, read from a file. */
#ifndef TOOLS_WEIR_CLI_TOOLS_H
#define TOOLS_WEIR_CLI_TOOLS_H

#include "weir/args.h"
#include "weir/cli_input.h"
#include "weir/weir.h"

/* The tools of a file, read as a request's. */
typedef struct ToolFile {
    FileBytes text; /* of a request */
    weir_constraint *constraint;
    const weir_tool *list;
    size_t count;
} ToolFile;

/* --tools: a list of tools in any endpoint's form, or a request that has one.
 * Without it an empty list. 0, or 2 after a message. */
int tool_file_read(const Args *args, ToolFile *t);
void tool_file_free(const Args *args, ToolFile *t);
/* --calls, --single, --reasoning, --reasoning-tokens, --any-order. */
int tool_opts_read(const Args *args, weir_tool_opts *opts);

#endif
