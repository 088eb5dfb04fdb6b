/* llama.h: JSON Schema -> GBNF as llama.cpp 0.4.0 converts it, byte for byte,
 * its faults included: docs/convert.md says what it does with each keyword.
 *
 *     llama_refs_find     what each $ref of the schema means  (llama_refs.c)
 *     llama_visit         a schema -> the name of a rule      (llama_schema.c)
 *       objects, allOf                                        (llama_object.c)
 *       bounds of integers                                    (llama_integer.c)
 *       pattern                                               (llama_pattern.c)
 *     llama_chat_rules    what a chat puts around it          (llama_chat.c)
 *     llama_rule ...      the rules so far                    (llama_rules.c)
 *
 * Bodies are put together on the stack `text`; a function that returns a name
 * leaves the stack as it was. Names and messages belong to the arena.
 *
 * Three kinds of failure. What the converter goes on after is a complaint: all
 * of them together refuse the schema. What it stops at, and what stops us (a
 * limit, no memory), is the sticky error. A pattern that it gives up is a
 * warning.
 */
#ifndef WEIR_CONVERT_LLAMA_H
#define WEIR_CONVERT_LLAMA_H

#include "base/diag.h"
#include "convert/convert.h"
#include "convert/doc.h"
#include "convert/scratch.h"

typedef struct LlamaRule {
    Span name, body;
} LlamaRule;

typedef struct LlamaRef {
    Span text;
    JsonId target; /* JSON_NONE: null */
    bool is_open;  /* being visited */
} LlamaRef;

/* A value that stands for a schema, or for one with another `type`. */
typedef struct LlamaSchema {
    JsonId id;   /* JSON_NONE: null */
    JsonId type; /* JSON_NONE: its own */
} LlamaSchema;

typedef VEC(Span) SpanList;

typedef struct Llama {
    const Mem *mem;
    const weir_limits *limits;
    Arena arena;
    Scratch text;
    Doc doc;
    VEC(LlamaRule) rules;
    Map rule_index;
    VEC(LlamaRef) refs;
    Map ref_index;
    SpanList complaints, warnings;
    weir_error first; /* status and place of the first complaint */
    uint32_t depth;
    uint64_t work;
    weir_error *err; /* sticky */
} Llama;

static inline bool llama_ok(const Llama *c)
{
    return !c->err->status && !c->arena.failed;
}
/* Counts steps of work; false after any failure. */
bool llama_work(Llama *c, uint64_t steps);
/* Stops the conversion. Return false. */
bool llama_stop(Llama *c, JsonId at, const char *message);
bool llama_stop_kind(Llama *c, JsonId at, const char *wanted);
/* Takes the message from the stack. */
void llama_complain(Llama *c, weir_status status, JsonId at, size_t from);
void llama_warn(Llama *c, size_t from);

/* ---- rules ---- */

/* Adds a rule whose body is on the stack since `from`, and takes that away.
 * What a rule's name may not have becomes '-'; if a rule of the name has another
 * body, the first number behind it helps that makes a new name or finds the
 * same body. Returns the name. */
Span llama_rule(Llama *c, Span name, size_t from);
/* The same for a body given. */
Span llama_rule_of(Llama *c, Span name, Span body);
bool llama_has_rule(const Llama *c, Span name);
/* The part of a name that llama_rule makes of `text`, put on the stack. */
void llama_name(Llama *c, Span text);
/* name-part; just part if the name is empty. */
Span llama_path(Llama *c, Span name, const char *part);

/* A rule that is the same in all grammars. */
typedef struct LlamaFixed {
    const char *name, *body;
    const char *needs[6]; /* names of others */
    bool is_type;         /* may stand as `type` */
} LlamaFixed;
const LlamaFixed *llama_fixed_find(Span name);
/* Adds it as a rule called `name`, with those that it needs. */
Span llama_fixed(Llama *c, Span name, const char *fixed);
/* All rules, sorted by name, one a line, on the stack. */
void llama_rules_write(Llama *c);

/* ---- pieces of bodies, put on the stack ---- */

/* A literal that means `text`. */
void llama_literal(Llama *c, Span text);
/* One that means a value's JSON text. */
void llama_value(Llama *c, JsonId id);
/* item, `lo` to `hi` times, with a separator (or none) between. */
void llama_repeat(Llama *c, Span item, int32_t lo, int32_t hi,
                  const char *separator);
#define LLAMA_INF INT32_MAX
/* Whole numbers from lo to hi; INT64_MIN: no lower bound, INT64_MAX: no upper
 * one. False without either, after llama_stop. */
bool llama_integers(Llama *c, JsonId at, int64_t lo, int64_t hi);

/* ---- schemas ---- */

/* name: of the place in the schema, empty for the root. Returns the name of a
 * rule; empty after a complaint. */
Span llama_visit(Llama *c, LlamaSchema schema, Span name);
/* Text of a string; stops at other values. */
bool llama_string(Llama *c, JsonId id, Span *text);
/* The rule that each of these keywords makes. */
Span llama_object(Llama *c, JsonId schema, Span name, Span rule);
Span llama_all_of(Llama *c, JsonId schema, Span name, Span rule);
Span llama_pattern(Llama *c, JsonId at, Span pattern, Span rule);

/* The rules around the schema's own, which is called `schema`. */
void llama_chat_rules(Llama *c, weir_chat chat, Span schema);
#define LLAMA_CHAT_SCHEMA SPAN("response-format-schema")

/* Finds the targets of all $ref; complains of those that have none. */
bool llama_refs_find(Llama *c);
/* The target of a $ref, JSON_NONE for one that was not found. */
LlamaRef *llama_ref_get(Llama *c, Span text);

#endif
