/* marker.h: texts that a grammar's author spells out, such as the begin of a
 * tag, where the names of control tokens stand for these tokens: what a model
 * writes there is the token, which no text reaches. The name's characters are
 * allowed, too.
 */
#ifndef WEIR_SYNTAX_MARKER_H
#define WEIR_SYNTAX_MARKER_H

#include "base/prefix_set.h"
#include "syntax/ir.h"

/* Control tokens: their names, and by number of the name their ids. */
typedef struct Markers {
    const PrefixSet *names;
    const uint32_t *ids;
} Markers;

#define MARKER_MAX_NAMES 16u /* in one text: more are an error */

/* The text; markers: NULL for a grammar without a vocabulary. */
NodeId marker_node(Ir *ir, const Markers *markers, Span text);
/* Those ways of writing it in which a control token whose name begins before
 * byte `limit` is the first of its control tokens; NEVER: none. */
NodeId marker_tokens(Ir *ir, const Markers *markers, Span text, size_t limit);

#endif
