/* lint_parts.h: one schema being looked at, for the files of lint.h. */
#ifndef WEIR_SCHEMA_LINT_PARTS_H
#define WEIR_SCHEMA_LINT_PARTS_H

#include "schema/keyword.h"
#include "schema/lint.h"
#include "schema/pointer.h"

typedef struct Lint {
    Sources *s;
    unsigned kinds;
    const Json *json;
    PointerIndex index;
    /* of the schema that is visited */
    Place place;
    weir_draft draft;
    KeywordId via;                  /* that holds it; KEYWORD_NONE: the root */
    JsonId at[KEYWORD_COUNT];       /* values of its keywords, or JSON_NONE */
    uint8_t present[KEYWORD_COUNT]; /* those that it has, in their order */
    unsigned count;
    unsigned types; /* set of JsonKind that `type` names; 0: none */
} Lint;

static inline bool lint_has(const Lint *l, KeywordId id)
{
    return l->at[id] != JSON_NONE;
}
static inline bool lint_wants(const Lint *l, LintKinds kind)
{
    return l->kinds & kind;
}
static inline JsonKind lint_kind(const Lint *l, KeywordId id)
{
    return json_kind(l->json, l->at[id]);
}
static inline const char *lint_name(KeywordId id)
{
    return keyword_table[id].name;
}

/* Members of the schema that are none of the draft's keywords. */
void lint_stranger(Lint *l, const JsonIter *member);
/* What keywords say together. */
void lint_rules(Lint *l);

#endif
