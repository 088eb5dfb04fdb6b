/* answer_state.h: what the writers of answers share.
 *
 *   step ─► AnswerReader: reasoning, text, calls ─► Choice: items ─► endpoint
 *
 * answer_life.c runs an endpoint's functions; each family of endpoints is a file. A
 * choice keeps all that has been told of it, as items in order, so that a
 * whole answer and the last events of a stream are written from the same.
 */
#ifndef WEIR_SERVER_ANSWER_STATE_H
#define WEIR_SERVER_ANSWER_STATE_H

#include "server/answer.h"
#include "server/answer_fields.h"
#include "server/answer_read.h"

/* A token as log probabilities tell it. */
typedef struct TokenNote {
    uint32_t id;
    double own; /* natural logarithm, or after_chain the probability */
    const weir_logprob *top;
    size_t top_count;
} TokenNote;

typedef enum ItemKind { ITEM_REASONING, ITEM_TEXT, ITEM_CALL } ItemKind;

/* A run of reasoning, of text, or a call. Ranges are of Choice.text. */
typedef struct Item {
    ItemKind kind;
    uint32_t name, name_end; /* of a call */
    uint32_t begin, end;     /* the text; a call's arguments */
    uint32_t call;           /* which one of the choice */
    bool ended;
    bool whole; /* a call's arguments are all there: a JSON object */
} Item;

/* Log probabilities of tokens that have not been written yet: texts of JSON
 * without their brackets. Only completions have more than one list. */
enum { PROB_LISTS = 4 };

typedef struct Choice {
    uint32_t index;
    AnswerReader reader;
    JsonPut text; /* plain bytes */
    VEC(Item) items;
    JsonPut probs[PROB_LISTS];
    uint32_t told;      /* bytes of the first that a delta has told */
    JsonPut ids;        /* of tokens, that are to be told */
    JsonPut report;     /* weir's own, of tokens */
    uint64_t offset;    /* characters before the next token's text */
    uint64_t tokens;    /* of the output so far */
    uint64_t forced;    /* of them */
    uint64_t reasoning; /* of them */
    uint32_t last_token;
    weir_finish finish;
    size_t stop; /* TEXT: which one */
    bool completed, truncated, ended;
    AnswerEnd end;
} Choice;

typedef struct Endpoint Endpoint;

struct Answer {
    Mem mem;
    const Endpoint *endpoint;
    AnswerOpts opts; /* `constraint` and `settings` are NULL */
    weir_settings_info settings;
    AnswerFields fields;
    weir_source_kind kind; /* of the constraint */
    bool degraded;
    char from[96];   /* JSON pointer of it */
    JsonPut grammar; /* its text, where it is told */
    JsonPut head;    /* of each chunk, written once */
    char id[40];
    AnswerStart start;
    VEC(Choice) choices;
    uint32_t open;     /* choices that have not ended */
    uint32_t sequence; /* of events */
    uint32_t item_at;  /* responses, messages: the item being streamed */
    bool item_open;
    bool begun, done;
    int status;
};

/* A family of answers. Functions that add to a stream are not called for whole
 * answers, and the other way round. NULL: nothing to do. */
struct Endpoint {
    const char *id_prefix;
    const char *stream_type;
    void (*begin)(Answer *a, JsonPut *out);
    /* More of a choice: one event of its reader; NULL: a step without any. */
    void (*more)(Answer *a, Choice *c, const weir_tool_event *event,
                 JsonPut *out);
    void (*end)(Answer *a, Choice *c, JsonPut *out); /* the choice has ended */
    void (*close)(Answer *a, JsonPut *out);          /* all have */
    void (*whole)(Answer *a, JsonPut *out);
    /* The error in a stream; NULL: as a "data:" event. */
    void (*fail)(Answer *a, const weir_refusal *refusal, JsonPut *out);
    /* Notes the log probabilities of one token. */
    void (*note)(Answer *a, Choice *c, const TokenNote *note);
};

extern const Endpoint endpoint_chat, endpoint_completions, endpoint_responses,
    endpoint_messages, endpoint_llama, endpoint_sglang, endpoint_ollama;

/* ---- choices (answer_items.c) ---- */

/* Takes an event of the choice's reader into its items. False: no memory. */
bool choice_absorb(Answer *a, Choice *c, const weir_tool_event *event);
void choice_free(const Mem *mem, Choice *c);
weir_bytes item_text(const Choice *c, const Item *item);
weir_bytes item_name(const Choice *c, const Item *item);
bool choice_has(const Choice *c, ItemKind kind);
/* All text, or reasoning, of a choice, joined into `out`'s bytes. */
void choice_join(const Choice *c, ItemKind kind, JsonPut *out);
/* The message of a whole answer: the content, or where that is empty the
 * output as it is. Borrowed until `scratch` is freed. */
weir_bytes choice_message(const Choice *c, JsonPut *scratch);

/* ---- what several endpoints have (answer_shared.c) ---- */

/* An id: prefix, then 24 hexadecimal digits of the answer and of n. */
typedef struct AnswerId {
    char text[40];
} AnswerId;
AnswerId answer_id_of(const Answer *a, const char *prefix, uint64_t n);
AnswerId call_id(const Answer *a, const Choice *c, const Item *item);

/* "stop", "length", "tool_calls" where `calls`. */
const char *choice_reason(const Choice *c, bool calls);
/* The stop text that ended it; empty: none. */
weir_bytes choice_stop_text(const Answer *a, const Choice *c);
/* vLLM's "stop_reason": that text, or null; nothing in other profiles. */
void put_stop_reason(const Answer *a, const Choice *c, JsonPut *out);

/* The text of a choice's prompt, where the answer begins with it. */
weir_bytes echoed(const Answer *a, uint32_t choice);

/* An event of a stream begins and ends; name: NULL without. */
void event_begin(JsonPut *out, const char *name);
void event_end(JsonPut *out);
void event_done(JsonPut *out); /* data: [DONE] */
/* The body of an error, as the endpoint and the profile have it. */
void put_refusal(const weir_refusal *refusal, JsonPut *out);

/* What OpenAI's chats and completions begin with, up to the choices; `object`
 * is the same each time. */
void put_choices_head(Answer *a, const char *object, JsonPut *out);
/* OpenAI's usage, of all choices. */
void put_usage(const Answer *a, JsonPut *out);
/* The usage as a chunk of its own, if it is asked for, and the last event. */
void put_stream_end(Answer *a, const char *object, JsonPut *out);
uint64_t completion_tokens(const Answer *a);
uint64_t reasoning_tokens(const Answer *a);

/* What weir itself says of a choice, as a member "weir": at its end whether
 * the constraint was met; the tokens noted so far, if they are wanted. Nothing
 * where there is nothing to say. */
void put_weir(const Answer *a, Choice *c, bool is_end, JsonPut *out);
/* Whether it has tokens to tell before the end. */
bool has_report(const Choice *c);
/* llama.cpp's timings. */
void put_timings(const Answer *a, const Choice *c, JsonPut *out);

/* ---- log probabilities (answer_logprobs.c) ---- */

/* Tells the endpoint's `note` of each token of a step, but for a stop token
 * that has ended it. False: out of memory. */
bool note_step(Answer *a, Choice *c, const AnswerStep *step);
/* JSON has no infinity: a number that stands for it. */
double finite_logprob(double logprob);

/* {"token","logprob","bytes","top_logprobs"}: OpenAI's of chats and Ollama's;
 * list 0. */
void note_chat(Answer *a, Choice *c, const TokenNote *note);
/* llama-server's form of it, which has ids and may have chances. */
bool has_llama_notes(const Answer *a);
/* Lists 0 to 3: tokens, token_logprobs, top_logprobs, text_offset; or list 0
 * as of a chat, in llama-server's form. */
void note_completions(Answer *a, Choice *c, const TokenNote *note);
/* Lists 0 and 1: [logprob, id, text], and lists of them. */
void note_sglang(Answer *a, Choice *c, const TokenNote *note);

/* Characters of UTF-8. */
uint64_t text_characters(weir_bytes text);
/* [..] of what has been noted, which is then forgotten. */
void put_noted(Choice *c, unsigned list, const char *key, JsonPut *out);

#endif
