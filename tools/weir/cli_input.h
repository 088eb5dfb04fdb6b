/* cli_input.h: files and standard input. */
#ifndef TOOLS_WEIR_CLI_INPUT_H
#define TOOLS_WEIR_CLI_INPUT_H

#include <stdio.h>

#include "base/vec.h"

typedef VEC(char) FileBytes;

/* "-" is standard input. NULL after a message. */
FILE *input_open(const char *path);
void input_close(FILE *file);
/* Appends all of the file. False after a message. */
bool input_read(const Mem *mem, const char *path, FileBytes *bytes);
/* What messages call it. */
const char *input_name(const char *path);

#endif
