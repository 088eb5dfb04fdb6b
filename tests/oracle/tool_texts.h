/* tool_texts.h: random tools, and calls of them written as the chat templates
 * of the families write them: knows nothing of src/calls/. */
#ifndef WEIR_TESTS_TOOL_TEXTS_H
#define WEIR_TESTS_TOOL_TEXTS_H

#include "base/span.h"
#include "oracle/rng.h"
#include "text/json.h"
#include "weir/weir.h"

enum { TOOLS_MOST = 3, TOOL_SCHEMA_MAX = 2048, TOOL_TEXT_MAX = 1 << 15 };

typedef struct RandomTools {
    weir_tool list[TOOLS_MOST];
    uint32_t count;
    char schemas[TOOLS_MOST][TOOL_SCHEMA_MAX];
} RandomTools;

/* One to three tools with different names; some have no schema. */
void random_tools(Rng *rng, RandomTools *tools);

typedef struct ToolText {
    char at[TOOL_TEXT_MAX];
    Out out; /* of `at` */
} ToolText;

void tool_text_begin(ToolText *text);

/* A call: the arguments are a JSON object. */
typedef struct ToolCall {
    const weir_tool *tool;
    Span args;
} ToolCall;

/* Whether the family can write the arguments: a string that holds what ends it,
 * or looks like another value where that tells, cannot be written. */
bool tool_args_fit(weir_family family, Span args);
/* The arguments, in the family's style: tool_args_text.c. */
void tool_args_write(ToolText *out, weir_family family, Span args);
/* An answer of calls, without reasoning. `text` stands before the calls where
 * there may be some. */
void tool_answer_write(ToolText *out, weir_family family, const char *text,
                       const ToolCall *calls, uint32_t count);
/* Reasoning up to the answer; `opens`: the prompt has not opened it. */
void tool_thoughts_write(ToolText *out, weir_family family, bool opens,
                         const char *thoughts);
/* What the model writes in place of reasoning when the prompt has opened
 * neither it nor the answer. */
void tool_answer_open(ToolText *out, weir_family family);
/* Whether the family's models reason. */
bool tool_family_thinks(weir_family family);

#endif
