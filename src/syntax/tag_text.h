/* tag_text.h: free text in which tags hand over to rules.
 *
 *     text tag1 body1 text tag2 body2 ... text end
 *
 * Free text is any characters without a complete tag or end and without
 * anything excluded. Where a tag is complete its body must follow, then free
 * text again (or nothing more). A tag or an end is read where it is written:
 * what of other tags lies within it does not count, but no other tag or end may
 * begin in the free text before it. Excluded texts are forbidden in the free
 * text and the tag together, not in the body; before an end in the free text
 * alone.
 */
#ifndef WEIR_SYNTAX_TAG_TEXT_H
#define WEIR_SYNTAX_TAG_TEXT_H

#include "syntax/ir.h"

typedef struct TagText {
    const Span *tags; /* UTF-8, not empty; may repeat */
    const NodeId *bodies;
    uint32_t ntags;
    uint32_t nloop;   /* after the bodies of the first so many comes free text
                       again, after the others nothing more */
    const Span *ends; /* the same; each ends it all */
    const NodeId *closings; /* what is written for an end: itself and more */
    uint32_t nends;
    const Span *excludes; /* UTF-8, not empty */
    uint32_t nexcludes;
    NodeId other_more; /* what may stand in place of a tag and its body, but is
                          no text (token sets), or NEVER: with free text again
                          after it */
    NodeId other_last; /* and with nothing more */
    bool is_open;      /* it may end in free text, also inside an unfinished
                          tag */
    const RuleOptions *budget; /* max_tokens and max_chars of a stretch of free
                                  text; NULL: none */
    uint32_t begin, end;       /* where warnings and errors point */
} TagText;

/* Reports an exclude that is a prefix of a tag. Work: linear in the texts,
 * and in the edges of their automaton, bounded by the limit of states. */
NodeId tag_text_compile(Ir *ir, const TagText *tags);

#endif
