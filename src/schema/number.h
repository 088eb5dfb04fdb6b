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
 * number that would need too many states ends in WEIR_LIMIT_STATES with its
 * text, before any work is done where its digits alone say so (1e1000000); a
 * text that is no number of JSON, and a divisor of 0, in WEIR_ARGUMENT.
 * Typical sets cost some microseconds: they are written down as minimal automata
 * (dfa_writer.h), without operations of lang.h.
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

/* What lies between two bounds, in one step: what the schema keywords minimum
 * to exclusiveMaximum and type integer say together. */
typedef struct NumberRange {
    Span low, high;    /* as above; empty: none */
    bool above, below; /* without the bound itself */
    bool integer;      /* integers only */
} NumberRange;
const Dfa *number_range(LangCtx *ctx, const NumberRange *range);

/* Multiples of a number other than 0 ("0.01", "2.5", "1e-8", "3"). */
const Dfa *number_multiples(LangCtx *ctx, Span divisor);
/* False if that automaton would surely have too many states: about as many as
 * the divisor's digits say when its factors 2 and 5 are taken out. */
bool number_multiples_fit(LangCtx *ctx, Span divisor);
/* Whether a number is a multiple of one other than 0, both of any length. Costs
 * their lengths multiplied. */
bool number_is_multiple(LangCtx *ctx, Span number, Span divisor);

/* The one value, or one of the values. */
const Dfa *number_equal(LangCtx *ctx, Span value);
const Dfa *number_one_of(LangCtx *ctx, const Span *values, uint32_t count);

const Dfa *number_complement(LangCtx *ctx, const Dfa *set);

/* One spelling of each number: no zeros that say nothing, no -0. Static. */
const Dfa *number_shortest(void);

/* -- spellings that are generated -- */

typedef struct NumberSpelling {
    bool integer_fraction; /* a set of integers may be written 1.0, 1.00 */
    bool no_exponent;      /* never an exponent */
} NumberSpelling;

/* The language that is generated for a set:
 *   - all its plain spellings; of a set of integers, those without a fraction
 *     only, unless spelling->integer_fraction;
 *   - with an exponent, every spelling of a positive number where the set
 *     holds all positive ones, of a negative one where it holds all negative
 *     ones, and of zero where it holds zero and one of these; in a set of
 *     integers never.
 * docs/schema.md, "Numbers", says the same to users. */
const Dfa *number_spellings(LangCtx *ctx, const Dfa *set,
                            const NumberSpelling *spelling);

/* The value in one fixed form: no exponent where that needs at most 40 more
 * digits, no zeros that say nothing, "0" for any zero. Equal values have equal
 * forms. Lives in the arena. */
Span number_canonical(LangCtx *ctx, Span number);

#endif
