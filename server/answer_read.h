/* answer_read.h: the text of one output, as it comes, as reasoning, text and
 * calls.
 *
 *   text ─► family's marks ─► content ─┬─► JSON value alone ─► text
 *                 │                    ├─► [{"name","parameters"}] ─► calls
 *                 └─► reasoning, calls └─► arguments of the only tool ─► call
 *
 * What is told, joined, does not depend on how the text came in pieces.
 */
#ifndef WEIR_SERVER_ANSWER_READ_H
#define WEIR_SERVER_ANSWER_READ_H

#include "base/mem.h"
#include "server/json_put.h"
#include "weir/content.h"
#include "weir/weir.h"

typedef struct AnswerReader {
    weir_tool_parser *family; /* NULL: no marks */
    weir_tool_parser *list;   /* the content is a JSON array of calls */
    bool is_arguments;        /* the content is the arguments of `name` */
    bool has_call;            /* ... and its call has been told */
    JsonPut name;
    weir_content *value; /* of the content only the JSON value counts */
    JsonPut raw;         /* then: all of it, for an answer without value */
} AnswerReader;

typedef struct ReaderOpts {
    const weir_env *env;
    const Mem *mem; /* the same; borrowed until the reader is closed */
    weir_family family;
    weir_reasoning reasoning;
    const weir_constraint_info *constraint;
    bool json_alone; /* answers of the endpoint are messages: of an output that
                        is held to JSON the value alone counts */
} ReaderOpts;

/* False: *err tells. The reader is closed in any case. */
bool reader_open(AnswerReader *r, const ReaderOpts *opts, weir_error *err);
void reader_close(AnswerReader *r);

/* Told of each event; its texts are borrowed for the call. False: enough. */
typedef bool (*ReaderTell)(void *user, const weir_tool_event *event);

/* Takes the next piece. False: out of memory, or tell has said false. */
bool reader_take(AnswerReader *r, weir_bytes text, ReaderTell tell, void *user);
/* The output has ended; completed: it met its constraint. */
bool reader_end(AnswerReader *r, bool completed, ReaderTell tell, void *user);

#endif
