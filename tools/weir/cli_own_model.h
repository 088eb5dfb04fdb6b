/* cli_own_model.h: the demonstration model, which the program carries
 * (model/, docs/model.md). */
#ifndef TOOLS_WEIR_CLI_OWN_MODEL_H
#define TOOLS_WEIR_CLI_OWN_MODEL_H

#include "weir/weir.h"

/* A GGUF file of some megabytes. Static, at a multiple of 64 bytes. */
weir_bytes own_model(void);

#endif
