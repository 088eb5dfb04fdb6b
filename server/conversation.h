/* conversation.h: what a request says before the answer, as tokens.
 *
 *     Conversation c;
 *     conversation_read(&c, &mem, &chat, endpoint, profile, body, &refusal);
 *     reasoning = conversation_start(&c, direct);   for weir_request_opts
 *     ... the constraint ...
 *     conversation_encode(&c, &info, direct, &refusal);
 *     ... c.prompts ...
 *     conversation_close(&c);
 *
 * Messages of each endpoint become those of engine/chat.h, with earlier calls of
 * tools and their results; endpoints without messages have prompts, as text or
 * as ids. Content that is no text (images, audio, files) is refused.
 */
#ifndef SERVER_CONVERSATION_H
#define SERVER_CONVERSATION_H

#include "engine/chat.h"
#include "engine/engine.h"
#include "server/body.h"

/* How a model is spoken to. */
typedef struct ChatModel {
    const ChatStyle *style;    /* NULL: it has no chat format */
    const weir_vocab *vocab;   /* borrowed, like all here */
    const char *template_text; /* the model's own, or NULL */
    uint32_t begin;            /* the token that texts begin with */
    bool adds_begin;           /* prompts begin with it */
    uint32_t context;          /* most tokens of a prompt; 0: any */
    uint32_t longest;          /* bytes of the longest token */
} ChatModel;

/* A prompt that is too long is refused with this code; one whose bytes alone
 * tell so before it is encoded. */
#define TOO_LONG "context_length_exceeded"

/* Whether the model is to reason before it answers. */
typedef enum Thinking {
    THINKING_UNSAID = 0, /* as the model does by itself */
    THINKING_ON = 1,
    THINKING_OFF = 2
} Thinking;

typedef struct Prompt {
    weir_bytes text; /* as the request has it; {NULL, 0}: it has ids */
    ChatTokens ids;
} Prompt;

typedef struct Conversation {
    Body body;
    Arena arena; /* texts that are put together, lists of calls */
    const Mem *mem;
    const ChatModel *chat;
    weir_endpoint endpoint;
    weir_profile profile;
    VEC(ChatMessage) messages; /* texts borrowed from the request's JSON; those
                                  of the system stand apart */
    VEC(ChatCall) calls;       /* of all messages, in their order */
    VEC(weir_bytes) system;
    VEC(char) draft; /* text of a message that is being read */
    bool has_draft;
    bool is_raw;    /* prompts in place of messages */
    bool is_load;   /* Ollama's request without a prompt: to load the model */
    bool continues; /* the last message is the assistant's, to go on with */
    Thinking thinking;
    uint32_t thinking_tokens; /* most of them; 0: not said */
    VEC(Prompt) prompts;      /* a conversation is one of them, when encoded */
    uint32_t least; /* of a prompt that is too long: tokens at least */
} Conversation;

/* `request` is borrowed until conversation_close, which is to follow in any
 * case. False: the refusal tells. */
bool conversation_read(Conversation *c, const Mem *mem, const ChatModel *chat,
                       weir_endpoint endpoint, weir_profile profile,
                       weir_bytes request, weir_refusal *refusal);
void conversation_close(Conversation *c);

/* How the output is written, and where it begins; direct: the prompt ends so
 * that there is no reasoning. */
weir_family conversation_family(const Conversation *c);
weir_reasoning conversation_start(const Conversation *c, bool direct);
/* The assistant's words that the answer goes on behind; or empty. */
weir_bytes conversation_continued(const Conversation *c);

/* Makes the tokens of the prompts, with the tools and the system message that
 * the constraint has. False: the refusal tells. */
bool conversation_encode(Conversation *c, const weir_constraint_info *info,
                         bool direct, weir_refusal *refusal);

/* ---- for the readers of endpoints; false after a refusal ---- */

/* Text content: a string, or parts of text, which are put on lines of their
 * own; empty when absent. */
bool content_read(Conversation *c, JsonId at, const Place *place,
                  weir_bytes *text);
bool message_add(Conversation *c, const ChatMessage *message);
/* Of instructions, and of the roles system and developer; only before all
 * others. */
bool system_add(Conversation *c, JsonId at, const Place *place,
                weir_bytes text);
/* A call of the last message, which is the assistant's. */
bool call_add(Conversation *c, ChatCall call);
/* The name of the call with that id, before the end; or empty. */
weir_bytes call_name(const Conversation *c, weir_bytes id);
/* Whether a prompt of so many bytes may fit: encoding takes its time. */
bool length_check(Conversation *c, size_t nbytes);
/* Whether the last message is the assistant's. */
bool ends_in_answer(const Conversation *c);

bool messages_read_openai(Conversation *c); /* conversation_chat.c */
bool messages_read_ollama(Conversation *c);
bool messages_read_responses(Conversation *c); /* conversation_items.c */
bool messages_read_anthropic(Conversation *c);
bool prompts_read(Conversation *c);  /* conversation_prompt.c */
bool thinking_read(Conversation *c); /* conversation_think.c */

#endif
