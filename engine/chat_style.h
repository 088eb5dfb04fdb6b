/* chat_style.h: the row of a chat format. */
#ifndef ENGINE_CHAT_STYLE_H
#define ENGINE_CHAT_STYLE_H

#include "engine/chat.h"

typedef enum ChatPlace {
    PLACE_OWN,        /* a message of its own */
    PLACE_FIRST_USER, /* before the first user's content, a blank line between */
    PLACE_LAST_USER,  /* before the last one's */
    PLACE_NOWHERE
} ChatPlace;

typedef struct ChatForm {
    const char *before, *after; /* of a message's content */
} ChatForm;

struct ChatStyle {
    const char *name;
    const char *marks[4]; /* all are in a model's template */
    const char *absent;   /* NULL, or what is not in it */
    ChatForm roles[3];    /* by ChatRole */
    const char *open;     /* where the answer begins */
    const char *direct;   /* the same without reasoning; NULL: as `open` */
    bool trims;           /* contents lose blanks at both ends */
    ChatPlace system;
    /* NULL, or writes what comes first: all of the system message, if it has
     * one of its own. */
    void (*head)(ChatText *out, const ChatStyle *style, const ChatInput *input,
                 weir_bytes system);
    /* NULL, or writes the tools before a user's content, or its message. */
    void (*tools)(ChatText *out, const ChatInput *input);
    ChatPlace tools_place; /* FIRST_USER: in its content; LAST_USER: before
                              its message */
    /* NULL, or writes an assistant's message that has calls, whole;
     * is_answered: an answer without any follows somewhere. */
    void (*calls)(ChatText *out, const ChatStyle *style, const ChatMessage *m,
                  bool is_answered);
    /* NULL, or writes results of calls that follow each other. */
    void (*results)(ChatText *out, const ChatMessage *m, size_t count);
    weir_family family;
    weir_reasoning reasoning;
};

extern const ChatStyle chat_styles[];
extern const size_t chat_style_count;

/* Parts of a text; out->no_memory tells of a failure at the end. */
void chat_put(ChatText *out, const char *text);
/* What came from outside; trimmed if wanted. */
void chat_content(ChatText *out, weir_bytes text, bool trims);
/* {"type": "function", "function": {...}} as Python's json.dumps writes it, on
 * one line, or with an indent of four. */
void chat_tool(ChatText *out, const weir_tool *tool, bool indents);
/* A JSON text in the same way, at `depth` levels of indent. What is no JSON is
 * written as it is. */
void chat_json(ChatText *out, weir_bytes text, bool indents, uint32_t depth);

/* A string as JSON, in its quotes. */
void chat_quoted(ChatText *out, weir_bytes text);

/* The tools of a conversation, for harmony (chat_harmony.c). */
void chat_harmony_tools(ChatText *out, const ChatInput *input);

/* Earlier calls and their results, by family (chat_calls.c). */
#define CHAT_CALLS(name)                                            \
    void chat_calls_##name(ChatText *out, const ChatStyle *style,   \
                           const ChatMessage *m, bool is_answered); \
    void chat_results_##name(ChatText *out, const ChatMessage *m, size_t count)
CHAT_CALLS(llama);
CHAT_CALLS(mistral);
CHAT_CALLS(mistral_v11);
CHAT_CALLS(mistral_v13);
CHAT_CALLS(harmony);
void chat_calls_hermes(ChatText *out, const ChatStyle *style,
                       const ChatMessage *m, bool is_answered);
void chat_results_qwen(ChatText *out, const ChatMessage *m, size_t count);
void chat_results_granite(ChatText *out, const ChatMessage *m, size_t count);

#endif
