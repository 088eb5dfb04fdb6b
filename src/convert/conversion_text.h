/* conversion_text.h: the result of a conversion, for the converters. */
#ifndef WEIR_CONVERT_CONVERSION_TEXT_H
#define WEIR_CONVERT_CONVERSION_TEXT_H

#include "convert/convert.h"
#include "convert/scratch.h"

/* The whole stack: the text, and behind it the warnings. False: no memory. */
bool conversion_text_give(const Scratch *stack, size_t text_size,
                          ConversionText *out);

/* Reports that the stack has run out of room or memory. True: nothing has
 * failed so far. */
bool conversion_fits(Ir *ir, const Scratch *stack);

#endif
