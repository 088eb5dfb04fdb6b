/* request.h: one request being resolved, and the constraint that comes of it.
 *
 *   text ─► Json ─► asks: what each field asks for ─► one of them ─► constraint
 *                └► tools and their choice ───────────────────────────┘
 *
 * Functions that can find fault return false after refuse(), which fills the
 * refusal; the first one stays.
 */
#ifndef WEIR_REQUEST_REQUEST_H
#define WEIR_REQUEST_REQUEST_H

#include "base/arena.h"
#include "request/profile.h"
#include "text/json.h"

/* The fields that ask for a constraint, in the order of CONFLICT_FIRST. */
typedef enum Field {
    FIELD_GUIDED_GRAMMAR,
    FIELD_RESPONSE_FORMAT,
    FIELD_TEXT, /* text.format */
    FIELD_FORMAT,
    FIELD_STRUCTURED_OUTPUTS,
    FIELD_GUIDED_REGEX,
    FIELD_GUIDED_CHOICE,
    FIELD_GUIDED_JSON,
    FIELD_GRAMMAR,
    FIELD_JSON_SCHEMA,
    FIELD_REGEX,
    FIELD_EBNF,
    FIELD_SAMPLING_PARAMS,
    FIELD_COUNT
} Field;

/* Room for the JSON pointers of fields: names that are fixed, and an index. */
enum { POINTER_ROOM = 96 };

/* What one field asks for. Texts lie in the request or in the Json. */
typedef struct Ask {
    Field field;
    weir_source_kind kind; /* 0: explicitly nothing */
    Span source;
    JsonId at;      /* what is told about in errors */
    JsonId choices; /* of WEIR_CHOICE */
    Span name, description, space_pattern;
    const char *space_from; /* pointer of the pattern; static */
    bool strict, is_fixed, is_closed;
    bool is_bare;               /* json_object, without a schema */
    char pointer[POINTER_ROOM]; /* of `at` */
} Ask;

struct weir_constraint {
    Mem mem;
    Arena arena; /* all texts and lists */
    const Profile *profile;
    weir_profile profile_id;
    weir_endpoint endpoint;
    weir_failure failure; /* REFUSE or DEGRADE */
    weir_constraint_info info;
    weir_constraint_info asked; /* is_made: info as the fields ask for it; its
                                   source is part of that of the tag, or what
                                   the chat's grammar was made of */
    bool is_made;               /* the source is made of the request */
    weir_compile_opts opts;
    const char *space_from;  /* pointer of the request's pattern, or NULL */
    const char *error_param; /* of errors in the source */
    uint32_t source_at;      /* its offset in the request; UINT32_MAX: none */
};

/* At most one ask a field, but for structured_outputs and sampling_params,
 * which may have several kinds. */
enum { ASKS_MAX = FIELD_COUNT + 16 };

typedef struct Resolver {
    const weir_request_opts *opts;
    const Profile *profile;
    weir_endpoint endpoint;
    Json json;
    weir_constraint *c;
    weir_refusal *refusal;
    Ask asks[ASKS_MAX];
    unsigned count;
} Resolver;

/* Resolves into c, which is zeroed but for mem. False: the refusal tells. */
bool request_resolve(weir_constraint *c, Span request,
                     const weir_request_opts *opts, weir_refusal *refusal);

/* The request as JSON into r->json, with the limits of r->opts. */
bool request_parse(Resolver *r, const Mem *mem, Span request);

/* ---- refusals (refuse.c) ---- */

/* Whom the answer is for. */
void refusal_begin(weir_refusal *refusal, weir_profile profile,
                   weir_endpoint endpoint);
/* Refuses with status 400. `pointer` leads to what is wrong; the message gets
 * its dotted form in front. */
bool refuse(Resolver *r, JsonId at, const char *pointer, const char *code,
            const char *format, ...) PRINTF_LIKE(5, 6);
/* "found a number, expected <wanted>". */
bool refuse_kind(Resolver *r, JsonId at, const char *pointer,
                 const char *wanted);
bool refuse_memory(weir_refusal *refusal);
void refusal_set(weir_refusal *refusal, weir_status status, int http,
                 const char *code);
/* "/tools/0/name" as "tools[0].name". */
void pointer_dotted(const char *pointer, char *text, size_t capacity);

/* Text from the request for messages: in quotes, printable, cut. */
typedef struct Quoted {
    char text[64];
} Quoted;
Quoted quoted(Span text);

/* ---- reading values (refuse.c) ---- */

/* Absent, or null. */
static inline bool json_absent(const Json *json, JsonId id)
{
    return json_kind(json, id) <= JSON_NULL;
}
/* A string member, empty when absent; false after a refusal. `pointer` is the
 * object's. */
bool read_text(Resolver *r, JsonId object, const char *pointer,
               const char *name, Span *text);
/* A boolean member; unchanged when absent. */
bool read_flag(Resolver *r, JsonId object, const char *pointer,
               const char *name, bool *flag);
/* A pointer with one step more, in POINTER_ROOM bytes; out may be pointer. */
void pointer_join(char *out, const char *pointer, const char *name);
void pointer_index(char *out, const char *pointer, uint32_t index);

/* ---- what fields ask for ---- */

/* One for the field; its source is the value `at`. */
Ask *ask_new(Resolver *r, Field field, weir_source_kind kind, JsonId at,
             const char *pointer);
/* json_object. */
void ask_bare(Resolver *r, Field field, JsonId at, const char *pointer);
/* ask_value.c: an ask whose source is the value `at`. */
bool ask_schema(Resolver *r, Field field, JsonId at, const char *pointer);
bool ask_pattern(Resolver *r, Field field, weir_source_kind kind, JsonId at,
                 const char *pointer);
bool ask_choice(Resolver *r, Field field, JsonId at, const char *pointer);
bool ask_tag(Resolver *r, Field field, JsonId at, const char *pointer);
/* A grammar whose language shows in the text: EBNF or GBNF, or Lark. */
bool ask_grammar(Resolver *r, Field field, weir_source_kind kind, JsonId at,
                 const char *pointer);
/* ask_format.c: response_format and text.format; Ollama's format. */
bool ask_response_format(Resolver *r, Field field, JsonId at,
                         const char *pointer);
bool ask_ollama_format(Resolver *r, JsonId at);
/* ask_structured.c */
bool ask_structured_outputs(Resolver *r, JsonId at);
bool ask_sampling_params(Resolver *r, JsonId at);

/* ask_choose.c: the one ask of all; NULL: none, or a refusal. */
const Ask *ask_choose(Resolver *r);

/* tool_request.c: tools and their choice. */
bool tools_read(Resolver *r);
/* tool_choice.c: which of the tools in c->info may, or must, be called. */
bool tool_choice_read(Resolver *r);
/* tool_json.c: calls as JSON: c->info's kind and source. */
bool tools_as_json(Resolver *r);
/* tool_tag.c: calls and reasoning around the text, for opts->family: makes a
 * structural tag of all that has been read. */
bool request_tag(Resolver *r);
/* Copies into the constraint; false, and a refusal, when out of memory. */
bool keep_text(Resolver *r, Span text, weir_bytes *out);
const char *keep_pointer(Resolver *r, const char *pointer);

/* ---- afterwards ---- */

/* constraint_compile.c: as the public functions of these names. */
weir_grammar *constraint_compile(weir_constraint *c, weir_vocab *vocab,
                                 weir_refusal *refusal);
bool constraint_fail(weir_constraint *c, const weir_error *error,
                     weir_refusal *refusal);
/* error_body.c: the body of the answer. */
void refusal_write(const weir_refusal *f, Out *out);
/* degrade.c: makes it a constraint that is not enforced, for `reason`. */
bool constraint_degrade(weir_constraint *c, const char *reason);

/* Endpoints that a field belongs to, in its table. */
enum {
    ON_CHAT = 1 << WEIR_ENDPOINT_CHAT,
    ON_COMPLETIONS = 1 << WEIR_ENDPOINT_COMPLETIONS,
    ON_RESPONSES = 1 << WEIR_ENDPOINT_RESPONSES,
    ON_MESSAGES = 1 << WEIR_ENDPOINT_MESSAGES,
    ON_COMPLETION = 1 << WEIR_ENDPOINT_COMPLETION,
    ON_GENERATE = 1 << WEIR_ENDPOINT_GENERATE,
    ON_OLLAMA =
        1 << WEIR_ENDPOINT_OLLAMA_CHAT | 1 << WEIR_ENDPOINT_OLLAMA_GENERATE,
    ON_V1 = ON_CHAT | ON_COMPLETIONS | ON_RESPONSES,
    ON_LLAMA = ON_V1 | ON_COMPLETION
};

#endif
