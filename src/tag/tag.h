/* tag.h: structural tags → IR. docs/structural-tag.md describes the language.
 *
 * A structural tag is JSON: a tree of formats, some of which hold a JSON
 * Schema, a regular expression or an EBNF grammar. Errors and warnings name
 * bytes of the source and carry a JSON pointer ("#/format/elements/1").
 */
#ifndef WEIR_TAG_TAG_H
#define WEIR_TAG_TAG_H

#include "syntax/marker.h"
#include "weir/weir.h"

#define TAG_NO_TOKEN UINT32_MAX
#define TAG_MAX_DEPTH 128u /* formats inside each other */

typedef struct TagOpts {
    const weir_schema_opts *schema; /* of all schemas; a format may say more */
    const weir_space *space;
    /* The vocabulary: ids are below `width`; 0: there is none. token: the
     * lowest id of that text or name, or TAG_NO_TOKEN. markers: its control
     * tokens. */
    uint32_t width;
    uint32_t (*token)(void *user, Span text);
    void *user;
    const Markers *markers;
} TagOpts;

/* Sets ir->root; errors and warnings go to the Ir. `source` is borrowed for
 * the call. */
void tag_compile(Ir *ir, Span source, const TagOpts *opts);

#endif
