/* content.h: which part of an output is the answer.
 *
 * A model that is held to JSON may still put blanks before it, or a Markdown
 * fence around it. The content is the JSON value alone:
 *
 *     blanks ( VALUE | "```json" blanks VALUE blanks "```" )
 *
 * An object, an array or a string ends where it is closed, any other value at
 * the first blank or backtick; a value that is still open goes on to the end
 * of the text, but for an escape (\, \u12) or a character that the end cuts.
 * Before the value, and of a fence that is cut, the content is empty.
 * Reasoning and calls of tools are weir_tool_parse's to read; what it calls
 * content goes on through here.
 */
#ifndef WEIR_CONTENT_H
#define WEIR_CONTENT_H

#include "weir/weir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_content_rule {
    WEIR_CONTENT_TEXT = 0, /* all of it */
    WEIR_CONTENT_JSON = 1  /* the JSON value alone */
} weir_content_rule;
/* The rule for outputs of a constraint: JSON for JSON values, objects and
 * schemas; TEXT for all others and for 0, none. */
WEIR_API weir_content_rule weir_content_rule_of(weir_source_kind kind);

/* The content of an output so far, a part of it; it grows with the output.
 * With TEXT, too, a character that the end cuts is no content. */
WEIR_API weir_bytes weir_content_find(weir_content_rule rule,
                                      weir_bytes output);
/* The message of an answer that is not streamed: its content, or if that is
 * empty the output as it is. */
WEIR_API weir_bytes weir_content_message(weir_content_rule rule,
                                         weir_bytes output);

/* The same for an output that comes in pieces. One thread at a time. */
typedef struct weir_content weir_content;
WEIR_API weir_content *weir_content_new(const weir_env *env,
                                        weir_content_rule rule,
                                        weir_error *err);
WEIR_API void weir_content_free(weir_content *content);
/* Back to the start, for another output. */
WEIR_API void weir_content_reset(weir_content *content);
/* Takes the next piece, cut anywhere, and gives the content that it adds, in
 * whole characters, borrowed until the next call. All that is given, joined,
 * is weir_content_find of all pieces, joined. There is no end to tell: what is
 * held back is no content. OK or NO_MEMORY: then it is as before the call. */
WEIR_API weir_status weir_content_push(weir_content *content, weir_bytes piece,
                                       weir_bytes *more);
/* Whether the JSON value has been closed; of a number or a literal, whether
 * something has followed. */
WEIR_API bool weir_content_is_closed(const weir_content *content);

#ifdef __cplusplus
}
#endif
#endif
