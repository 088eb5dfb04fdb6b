/* answer_fields.h: the fields of a request that say how its answer is written.
 * Those that ask for a constraint or for settings are the library's to read.
 */
#ifndef WEIR_SERVER_ANSWER_FIELDS_H
#define WEIR_SERVER_ANSWER_FIELDS_H

#include "text/json.h"
#include "weir/weir.h"

typedef struct AnswerFields {
    Json json;   /* the whole request */
    bool stream; /* Ollama's: true if it does not say */
    bool include_usage, continuous_usage; /* stream_options */
    bool echo;          /* completions: the prompt comes first */
    bool return_tokens; /* llama-server: ids of tokens */
    bool no_text;       /* SGLang: log probabilities without tokens' texts */
    bool tokens;        /* weir: tokens, and how many were allowed */
    bool grammar;       /* weir: the text of the constraint in force */
} AnswerFields;

/* Reads opts' request, which must stay; `fields` is freed by the caller in any
 * case. False: *refusal tells. */
bool fields_read(AnswerFields *fields, const Mem *mem, weir_bytes request,
                 weir_profile profile, weir_endpoint endpoint,
                 weir_refusal *refusal);
void fields_free(AnswerFields *fields);

/* A member of the request as it spells it; `otherwise`, which is JSON, where
 * it is absent or null. */
weir_bytes fields_spelling(const AnswerFields *fields, const char *name,
                           const char *otherwise);

#endif
