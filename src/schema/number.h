/* number.h: sets of JSON numbers by value, as automata over their spellings.
 *
 * A set of numbers is kept as the language of all its *plain* spellings:
 * RFC 8259 numbers without an exponent. It is closed under spelling: with
 * "1" it holds "1.0" and "1.00", with "0" also "-0" and "-0.0". So union,
 * intersection and difference are those of lang.h, and number_complement is
 * number_all without the set. Exact on decimals: no binary floating point
 * anywhere, no limit on digits.
 *
 * Results live in the context's arena; errors are sticky there (lang.h). A
 * bound or divisor that would need too many states ends in
 * WEIR_LIMIT_STATES.
 */
#ifndef WEIR_SCHEMA_NUMBER_H
#define WEIR_SCHEMA_NUMBER_H

#include "lang/lang.h"

/* Every number; every number without a fractional part (2.0 is one). */
const Dfa *number_all(LangCtx *ctx);
const Dfa *number_integers(LangCtx *ctx);

/* Values above (or from) / below (or to) a bound, which is any JSON number,
 * exponents included ("1e400", "-2.50"). */
const Dfa *number_above(LangCtx *ctx, Span bound, bool inclusive);
const Dfa *number_below(LangCtx *ctx, Span bound, bool inclusive);

/* Multiples of a number other than 0 ("0.01", "2.5", "1e-8", "3"). */
const Dfa *number_multiples(LangCtx *ctx, Span divisor);

/* The one value, or one of the values. */
const Dfa *number_equal(LangCtx *ctx, Span value);
const Dfa *number_one_of(LangCtx *ctx, const Span *values, uint32_t count);

const Dfa *number_complement(LangCtx *ctx, const Dfa *set);

/* -- spellings that are generated -- */

typedef struct NumberSpelling {
    bool integer_fraction; /* a set of integers may be written 1.0, 1.00 */
    bool no_exponent;      /* never an exponent */
} NumberSpelling;

/* The language that is generated for a set:
 *   - all its plain spellings; of a set of integers, those without a fraction
 *     only, unless spelling->integer_fraction;
 *   - with an exponent, every spelling of a positive (negative, zero) number,
 *     where the set holds all positive (negative, zero) ones; in a set of
 *     integers never.
 * docs/schema.md, "Numbers", says the same to users. */
const Dfa *number_spellings(LangCtx *ctx, const Dfa *set,
                            const NumberSpelling *spelling);

/* The value in one fixed form: no exponent where that needs at most 40 more
 * digits, no zeros that say nothing, "0" for any zero. Equal values have equal
 * forms. Lives in the arena. */
Span number_canonical(LangCtx *ctx, Span number);

#endif
