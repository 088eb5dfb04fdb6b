/* chat.h: from a conversation to the text that a chat model goes on with.
 *
 * Model files carry their format as a program in Jinja. It is not run: a format
 * is a row of a table (chat_styles.c), and the model's program is only looked
 * through for the marks that tell which row is meant. docs/engine.md has the
 * rows, and what of the models' programs they leave out.
 */
#ifndef ENGINE_CHAT_H
#define ENGINE_CHAT_H

#include "base/mem.h"
#include "base/vec.h"
#include "weir/weir.h"

typedef struct ChatStyle ChatStyle;

/* By its name ("chatml"), or by the marks in a model's template; NULL: none
 * is so. Static. */
const ChatStyle *chat_find(const char *name);
const ChatStyle *chat_recognise(const char *model_template);
/* The name of row i; NULL after the last. */
const char *chat_style_name(size_t i);
/* How such models write calls; NONE: they have no tools, or in a way that
 * weir_tool_tag does not know. */
weir_family chat_tools(const ChatStyle *style);
/* How they write reasoning, whether the prompt has a place for tools or not. */
weir_family chat_family(const ChatStyle *style);
/* Where their output begins, if nothing else is said. */
weir_reasoning chat_reasoning(const ChatStyle *style);

typedef enum ChatRole {
    CHAT_SYSTEM,
    CHAT_USER,
    CHAT_ASSISTANT,
    CHAT_TOOL /* the result of a call */
} ChatRole;

/* A call of a tool that an earlier answer has made. */
typedef struct ChatCall {
    weir_bytes name, arguments, id; /* arguments: JSON */
} ChatCall;

typedef struct ChatMessage {
    ChatRole role;
    weir_bytes content;
    const ChatCall *calls; /* ASSISTANT: behind its content */
    size_t call_count;
    weir_bytes name, id; /* TOOL: of the call */
} ChatMessage;

typedef struct ChatInput {
    const ChatMessage *messages; /* a system message may be the first */
    size_t count;
    const weir_tool *tools;
    size_t tool_count;
    bool direct;          /* the answer begins at once: no reasoning before */
    bool continues;       /* the last message is the assistant's, without calls:
                             the answer goes on behind it */
    int year, month, day; /* today, for formats that tell it */
} ChatInput;

/* The day that it is here. */
void chat_today(ChatInput *input);

/* Bytes that came from outside: in them no control token is meant. */
typedef struct ChatSpan {
    uint32_t begin, end;
} ChatSpan;

typedef struct ChatText {
    const Mem *mem;
    VEC(char) text;
    VEC(ChatSpan) contents; /* ascending, apart */
    bool no_memory;         /* then it is not whole */
} ChatText;

/* Writes the conversation, up to where the model begins its answer, without
 * the token that texts begin with. False after a report: ARGUMENT for roles
 * out of order, UNSUPPORTED for tools, calls and results that the format has no
 * place for. `out` is freed by the caller in any case. */
bool chat_render(const ChatStyle *style, const ChatInput *input, ChatText *out,
                 weir_error *err);
/* Adds the text's tokens to `ids`: control tokens by name, but none within
 * contents, whatever they say. False: out of memory. */
typedef VEC(uint32_t) ChatTokens;
bool chat_encode(const ChatText *text, const weir_vocab *vocab,
                 ChatTokens *ids); /* chat_encode.c */
void chat_free(ChatText *text);

/* A prompt without a format, in which control tokens are meant. False: out of
 * memory. */
bool chat_raw(ChatText *out, weir_bytes text);

#endif
