/* cli_model.h: a model, and the prompt in its own format. */
#ifndef TOOLS_WEIR_CLI_MODEL_H
#define TOOLS_WEIR_CLI_MODEL_H

#include "engine/chat.h"
#include "engine/engine.h"
#include "weir/args.h"
#include "weir/cli_tools.h"

/* For several answers at once. */
typedef struct ModelRoom {
    uint32_t sequences, context; /* context: of all together */
} ModelRoom;

/* -m and the options about it, with progress on a terminal; without -m the
 * model that the program carries. room: NULL for one answer. NULL after a
 * message. */
Engine *model_load(const Args *args, weir_dialect dialect,
                   const ModelRoom *room);

/* What messages call the model. */
const char *model_name(const Args *args);

/* --chat-template, or the model's own format; *style NULL: the prompt is text
 * as it is. 0, or 2 after a message. */
int model_style(const Args *args, const EngineInfo *info,
                const ChatStyle **style);

/* The tokens of --system, --tools and --prompt. direct: the answer comes
 * without reasoning before. 0, or 2 after a message. */
int model_prompt(const Args *args, const Engine *engine, const ChatStyle *style,
                 const ToolFile *tools, bool direct, ChatTokens *ids);

#endif
