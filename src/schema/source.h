/* source.h: schema documents, and where references lead.
 *
 * A place is a schema inside a document. A document is read when somebody
 * refers to it. Identifiers ($id, id, $anchor, $dynamicAnchor, definitions
 * by plain name) are found by a walk of a whole document, once; a draft knows
 * which keywords hold schemas, so that an "$id" inside an enum is none.
 *
 * A *scope* is what $dynamicRef and $recursiveRef need to know of the way
 * taken: for each dynamic anchor the outermost resource that was entered and
 * has it. Scopes are interned: equal ones have equal numbers, and there is
 * one, 0, unless some document has dynamic anchors.
 */
#ifndef WEIR_SCHEMA_SOURCE_H
#define WEIR_SCHEMA_SOURCE_H

#include "base/arena.h"
#include "base/hash.h"
#include "schema/keyword.h"
#include "syntax/ir.h"
#include "text/json.h"
#include "weir/weir.h"

typedef struct Place {
    uint32_t doc;
    JsonId id; /* in that document */
} Place;

typedef struct Sources Sources;

/* Reads the main schema. `ir` gives memory, limits, and takes errors (sticky)
 * and warnings. NULL after an error. Free with sources_free. */
Sources *sources_new(Ir *ir, Span schema, const weir_schema_opts *opts);
void sources_free(Sources *s);

static inline Place sources_root(void)
{
    return (Place){0, JSON_ROOT};
}
/* The scope at the root: its own resource entered. */
uint32_t sources_root_scope(Sources *s);

const Json *place_json(const Sources *s, Place place);
/* The first schema of the document that means the same as this one, as far as
 * that is plain from the text; itself after an error. */
Place place_same(Sources *s, Place place);
/* The draft in force there: that of its resource's $schema. */
weir_draft place_draft(const Sources *s, Place place);
/* The keyword that a key of the schema there is, by draft and by what the
 * metaschema's $vocabulary leaves in force; KEYWORD_NONE: it is ignored. */
KeywordId place_keyword(const Sources *s, Place place, JsonId key);
/* The same, or `dependencies`: it asserts what it always did also in the drafts
 * that have split it in two. */
KeywordId place_asserted(const Sources *s, Place place, JsonId key);

/* Where $ref `ref` at `place` leads, and the scope after entering what it
 * leads to. False: not found; the error (status UNDEFINED, or UNSUPPORTED for
 * a document nobody handed over) is set, with `place` and its pointer. */
bool place_ref(Sources *s, Place place, uint32_t scope, Span ref, Place *to,
               uint32_t *to_scope);
/* The same for $dynamicRef, and for $recursiveRef (ref "#"). */
bool place_dynamic_ref(Sources *s, Place place, uint32_t scope, Span ref,
                       Place *to, uint32_t *to_scope);
bool place_recursive_ref(Sources *s, Place place, uint32_t scope, Place *to,
                         uint32_t *to_scope);
/* The scope on going from a schema into a subschema of it, which may be a
 * resource of its own. */
uint32_t place_enter(Sources *s, uint32_t scope, Place place);

/* The place as a URI fragment JSON pointer ("#/properties/a~1b"), with the
 * document's URI before it when it is not the main one; in the arena. */
Span place_pointer(Sources *s, Place place);

/* Sets ir->error (if there is none yet), or adds a warning, with byte range
 * and pointer of `place`, or of its member `keyword` unless that is NULL. A
 * place in another document than the main one has no byte range. */
void place_fail(Sources *s, Place place, const char *keyword,
                weir_status status, const char *format, ...) PRINTF_LIKE(5, 6);
/* Gives the error, if it has no pointer yet, that of the place, and its range
 * unless it has one. */
void place_error(Sources *s, Place place);
void place_warn(Sources *s, Place place, const char *keyword,
                const char *format, ...) PRINTF_LIKE(4, 5);

#endif
