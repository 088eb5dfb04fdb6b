/* cmd.h: the commands of weir, one file each. Each takes checked arguments
 * and returns the exit code: 0; 1 for an answer that is no; 2 for an error,
 * after its message. */
#ifndef TOOLS_WEIR_CMD_H
#define TOOLS_WEIR_CMD_H

#include "weir/args.h"

int cmd_tokenizer(const Args *args);
int cmd_check(const Args *args);
int cmd_mask(const Args *args);
int cmd_sample(const Args *args);
int cmd_generate(const Args *args);
int cmd_explain(const Args *args);
int cmd_convert(const Args *args);
int cmd_conformance(const Args *args);
int cmd_resolve(const Args *args);
int cmd_tools(const Args *args);
int cmd_serve(const Args *args);

#endif
