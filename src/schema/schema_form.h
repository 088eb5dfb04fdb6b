/* schema_form.h: one schema being read, for the files that read its keywords:
 * schema_form.c, schema_object.c, schema_array.c. */
#ifndef WEIR_SCHEMA_SCHEMA_FORM_H
#define WEIR_SCHEMA_SCHEMA_FORM_H

#include "schema/keyword.h"
#include "schema/set.h"
#include "syntax/regex.h"

typedef struct Schema {
    Sets *s;
    Place place;
    uint32_t scope;
    const Json *json;
    weir_draft draft;
    bool seen;                /* what unevaluated* must know is kept */
    bool speaks;              /* some keyword speaks of a type */
    JsonId at[KEYWORD_COUNT]; /* values of the draft's keywords */
    const Form *form;         /* so far; NULL: nothing said yet */
} Schema;

Place schema_sub(const Schema *x, JsonId id);
/* The set of a subschema. */
SetId schema_set(Schema *x, JsonId id);
/* A keyword that cannot be enforced: an error, or lenient a warning. */
void schema_refuse(Schema *x, KeywordId keyword, const char *reason);
/* Two keywords that leave nothing of a type. */
void schema_clash(Schema *x, KeywordId keyword, KeywordId against);
uint32_t schema_count(Schema *x, KeywordId keyword, uint32_t otherwise);
/* The texts in which the pattern is found; length: as in RegexOpts, NULL for
 * keys. NULL (for keys) or all texts when it cannot be enforced and the options
 * are lenient. */
const Dfa *schema_pattern(Schema *x, JsonId id, KeywordId keyword,
                          RegexLength *length);

/* The shape; NULL: none. */
const ArrayShape *schema_array(Schema *x);
const ObjectShape *schema_object(Schema *x, bool is_named);
/* Apply unevaluatedItems, unevaluatedProperties to x->form. */
void schema_rest_items(Schema *x);
void schema_rest_members(Schema *x);

#endif
