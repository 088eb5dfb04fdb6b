/* values.h: the values of a set one by one, where they are few. */
#ifndef WEIR_SCHEMA_VALUES_H
#define WEIR_SCHEMA_VALUES_H

#include "schema/set.h"

/* One value: `key` is equal for equal values only, in the arena; `set` holds
 * the value alone. */
typedef struct SetValue {
    Span key;
    SetId set;
} SetValue;

typedef VEC(SetValue) ValueList;

typedef enum ValueCount {
    VALUES_FEW,    /* all of them are in the list */
    VALUES_MANY,   /* there are more than `most` */
    VALUES_UNKNOWN /* not found out */
} ValueCount;

/* Appends the numbers, arrays and objects of a form, each once, if there are at
 * most `most` in all; otherwise what is appended says nothing. Errors are
 * sticky. */
ValueCount values_of(Sets *s, const Form *f, uint32_t most, ValueList *out);

/* The spelling of a listed value that is a number. */
Span values_number(const SetValue *number);

#endif
