/* cli_family.h: which family of models, and where its reasoning begins. */
#ifndef TOOLS_WEIR_CLI_FAMILY_H
#define TOOLS_WEIR_CLI_FAMILY_H

#include "weir/args.h"
#include "weir/weir.h"

/* --family; 0, or 2 after a message, also when it is not given. */
int family_read(const Args *args, weir_family *family);
/* --reasoning, --reasoning-tokens. */
int reasoning_read(const Args *args, weir_reasoning *reasoning,
                   uint32_t *tokens);
/* --chat. */
int chat_read(const Args *args, weir_chat *chat);
/* One of three words, by its index; 0 for NULL; -1 after a message. */
int word_read(const Args *args, const char *option, const char *value,
              const char *const words[3]);

#endif
