/* tag_text.h: free text in which tags hand over to rules.
 *
 *     text tag1 body1 text tag2 body2 ... text
 *
 * Free text is any characters without a complete tag and without anything
 * excluded; it may end anywhere, also inside an unfinished tag. Where a tag is
 * complete its body must follow, then free text again (or the end). A tag is
 * read where it is written: what of other tags lies within it does not count,
 * but no other tag may begin in the free text before it. Excluded texts are
 * forbidden in the free text and the tag together, not in the body.
 */
#ifndef WEIR_SYNTAX_TAG_TEXT_H
#define WEIR_SYNTAX_TAG_TEXT_H

#include "syntax/ir.h"

typedef struct TagText {
    const Span *tags; /* UTF-8, not empty; may repeat */
    const NodeId *bodies;
    uint32_t ntags;
    const Span *excludes; /* UTF-8, not empty */
    uint32_t nexcludes;
    bool is_loop;        /* free text again after a body; else the end */
    uint32_t begin, end; /* where warnings and errors point */
} TagText;

/* Reports an exclude that is a prefix of a tag. Work: linear in the texts,
 * and in the edges of their automaton, bounded by the limit of states. */
NodeId tag_text_compile(Ir *ir, const TagText *tags);

#endif
