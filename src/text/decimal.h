/* decimal.h: the value of a number as JSON spells it: optional minus, digits,
 * optional fraction, optional exponent. Independent of the locale. */
#ifndef WEIR_TEXT_DECIMAL_H
#define WEIR_TEXT_DECIMAL_H

#include "base/span.h"

/* True and the value if it is a whole number in range (also 1e2, 2.0, -0). */
bool decimal_u64(Span spelling, uint64_t *value);
/* The nearest double, ties to even; infinite when too large. */
double decimal_double(Span spelling);

#endif
