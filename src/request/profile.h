/* profile.h: what the systems disagree on, as one table. docs/request.md has
 * the same table in words. */
#ifndef WEIR_REQUEST_PROFILE_H
#define WEIR_REQUEST_PROFILE_H

#include "base/port.h"
#include "weir/weir.h"

/* What several constraints in one request mean. */
typedef enum ConflictRule {
    CONFLICT_REFUSE,
    CONFLICT_REPLACE, /* response_format replaces one of its own kind */
    CONFLICT_LLAMA,   /* a schema of response_format replaces json_schema */
    CONFLICT_FIRST    /* the first in the order of the fields */
} ConflictRule;

/* What a json_schema without a schema means, and one with a schema that is
 * neither an object nor true nor false. */
typedef enum OddSchema { ODD_REFUSE, ODD_NONE, ODD_OBJECT } OddSchema;

/* Which objects of a schema take no members that it does not name. */
typedef enum ClosedRule {
    CLOSED_NEVER,
    CLOSED_IF_STRICT,
    CLOSED_ALWAYS
} ClosedRule;

/* How calls of tools are constrained. */
typedef enum ToolRule {
    TOOL_TAGS, /* auto, required and named ones, around the text */
    TOOL_JSON, /* required and named ones, as the text itself */
    TOOL_FREE  /* not at all */
} ToolRule;

/* Whose values hold where a request is silent about sampling. */
typedef enum SamplingRule {
    SAMPLING_LLAMA, /* llama.cpp's chain */
    SAMPLING_PLAIN, /* what the model says */
    SAMPLING_OLLAMA
} SamplingRule;

typedef struct Profile {
    const char *name;
    ConflictRule conflict;
    weir_source_kind json_object;  /* type json_object */
    weir_source_kind empty_schema; /* the schema {} */
    bool ignores_types;            /* unknown types mean no constraint */
    bool folds_types;              /* types in any case, with blanks around */
    bool takes_flat;               /* {"type":"json_schema","schema":{}} */
    OddSchema missing, odd;
    bool ignores_misplaced; /* fields that the endpoint does not have */
    bool refuses_nul;       /* U+0000 in a regular expression */
    bool refuses_twice;     /* a rule of a GBNF grammar defined again */
    ClosedRule closed;
    ToolRule tools;
    bool choice_wants_tools; /* a tool_choice but none is one of `tools` */
    bool empty_required;     /* required with an empty list means none */
    bool parallel;           /* calls, when the request does not say */
    weir_dialect dialect;
    const char *space; /* pattern of the blanks, or NULL: any */
    uint32_t indent;   /* of any_whitespace: false; 0: one line */
    weir_termination termination;
    bool redraw; /* the mask comes when a draw without it has failed */
    weir_failure failure;
    SamplingRule sampling;
    bool logprobs_unmasked; /* the likeliest, as the model has them */
    bool takes_odd_numbers; /* beyond OpenAI's and Anthropic's bounds */
} Profile;

const Profile *profile_at(weir_profile profile);

#endif
