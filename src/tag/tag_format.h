/* tag_format.h: formats as expressions. tag_format.c tells which format a value
 * is; each of the other files makes some of them.
 *
 * A format's scope is the end of the nearest tag around it. Free text and free
 * tokens never hold that end; where it follows at once (`is_last`), a format's
 * expression has it at its end, so that free text stops at the first one.
 */
#ifndef WEIR_TAG_TAG_FORMAT_H
#define WEIR_TAG_TAG_FORMAT_H

#include "schema/schema.h"
#include "tag/tag_read.h"

/* How a tag may end. */
typedef struct TagEnds {
    TextList texts;    /* those that are not empty */
    NodeId *closings;  /* how each is written */
    NodeId others;     /* ends that are no text, or NEVER */
    Range id;          /* of an end that is a token */
    bool has_id;       /* then there is no other */
    bool may_be_empty; /* "" is an end */
    NodeId all;        /* any of them */
} TagEnds;

typedef struct Scope {
    const TagEnds *ends; /* NULL: in no tag */
    bool is_last;        /* they follow at once */
} Scope;

/* What the value is, a format; NEVER after an error. */
NodeId tag_format(Tags *t, const At *at, Scope scope);
/* Whether it is a tag with the right members; an error if not. */
bool tag_is_tag(Tags *t, const At *at);
/* The members of an object are among `known`, words with blanks between. */
bool tag_known_members(Tags *t, const At *at, const char *what,
                       const char *known);
/* An array of two items. */
bool tag_pair(Tags *t, const At *at, At pair[2]);
/* The id of a format that must be a token. */
bool tag_token_object(Tags *t, const At *at, Range *id);
/* What comes after the begin of a tag, content and end. Where the content is
 * free text that an empty end does not stop, that text runs on: nothing that
 * is free comes after it. Such ways are `last`, the others `more`; NEVER: there
 * are none. */
typedef struct TagRest {
    NodeId more, last;
} TagRest;
TagRest tag_after_begin(Tags *t, const At *at);
/* Whether the format ends in free text without a limit. */
bool tag_is_open(Tags *t, const At *at);
/* `node`, and the end if it follows at once. */
static inline NodeId tag_closed(Tags *t, NodeId node, Scope scope)
{
    return scope.is_last && scope.ends ? ir_seq2(t->ir, node, scope.ends->all)
                                       : node;
}
static inline Scope scope_before(Scope scope)
{
    return (Scope){scope.ends, false};
}

/* A text that the format spells out, in all ways or with a control token first:
 * syntax/marker.h. */
static inline NodeId tag_marker(Tags *t, const At *at, Span text)
{
    NodeId node = marker_node(t->ir, t->opts->markers, text);
    tag_place(t, at);
    return node;
}
static inline NodeId tag_marker_tokens(Tags *t, const At *at, Span text,
                                       size_t limit)
{
    NodeId node = marker_tokens(t->ir, t->opts->markers, text, limit);
    tag_place(t, at);
    return node;
}

/* The makers: what a format of the type is, its members checked. */
NodeId tag_const_string(Tags *t, const At *at, Scope scope);
NodeId tag_sequence(Tags *t, const At *at, Scope scope);
NodeId tag_any_of(Tags *t, const At *at, Scope scope);
NodeId tag_optional(Tags *t, const At *at, Scope scope);
NodeId tag_star(Tags *t, const At *at, Scope scope);
NodeId tag_plus(Tags *t, const At *at, Scope scope);
NodeId tag_repeat(Tags *t, const At *at, Scope scope);
NodeId tag_whole(Tags *t, const At *at, Scope scope);
NodeId tag_separated(Tags *t, const At *at, Scope scope);
NodeId tag_any_text(Tags *t, const At *at, Scope scope);
NodeId tag_triggered(Tags *t, const At *at, Scope scope);
NodeId tag_dispatch(Tags *t, const At *at, Scope scope);
/* The older form: structures and triggers. */
NodeId tag_structures(Tags *t, const At *at);

/* A token by its id or its text, as it stands at `at`. */
bool tag_token_id(Tags *t, const At *at, Range *id);
NodeId tag_token(Tags *t, const At *at, Scope scope);
NodeId tag_exclude_token(Tags *t, const At *at, Scope scope);
NodeId tag_any_tokens(Tags *t, const At *at, Scope scope);
NodeId tag_token_triggered(Tags *t, const At *at, Scope scope);
NodeId tag_token_dispatch(Tags *t, const At *at, Scope scope);

NodeId tag_json_schema(Tags *t, const At *at, Scope scope);
NodeId tag_xml_parameter(Tags *t, const At *at, Scope scope);
NodeId tag_grammar(Tags *t, const At *at, Scope scope);
NodeId tag_regex(Tags *t, const At *at, Scope scope);
/* The schema at `at`; NULL: any value. */
NodeId tag_schema(Tags *t, const At *at, const SchemaUse *given);

#endif
