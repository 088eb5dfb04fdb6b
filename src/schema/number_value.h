/* number_value.h: numbers as JSON spells them, exactly: digits and a power of
 * ten. For the room's own files. */
#ifndef WEIR_SCHEMA_NUMBER_VALUE_H
#define WEIR_SCHEMA_NUMBER_VALUE_H

#include "lang/lang.h"

/* (-1)^is_negative * digits * 10^exponent. */
typedef struct NumberValue {
    Span text;
    const uint8_t *digits; /* 0 to 9; neither the first nor the last is 0 */
    size_t ndigits;        /* 0: the number is zero, and not negative */
    int64_t exponent;      /* at least 10^18 in size: stands for all beyond */
    bool is_negative;
} NumberValue;

/* False, and an error, when the text is not a number of JSON. */
bool number_value(LangCtx *ctx, Span text, NumberValue *value);
/* By value; a pair with exponents that stand for others is of no meaning. */
int number_compare(const NumberValue *a, const NumberValue *b);

/* A magnitude written out, without sign and exponent. */
typedef struct NumberDigits {
    const uint8_t *at;  /* 0 to 9 */
    size_t nint, nfrac; /* no zero first of `nint`, none last of `nfrac` */
} NumberDigits;

/* False, and LIMIT_STATES with the number's text, when there are more than
 * ctx->max_states digits: an automaton has a state for each. */
bool number_digits(LangCtx *ctx, const NumberValue *value, NumberDigits *out);
/* LIMIT_STATES: `role` ("bound") and text. Returns false. */
bool number_too_large(LangCtx *ctx, const char *role, Span text);

#endif
