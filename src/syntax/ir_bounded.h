/* ir_bounded.h: inside the IR: regular languages with a bound on the number of
 * characters. */
#ifndef WEIR_SYNTAX_IR_BOUNDED_H
#define WEIR_SYNTAX_IR_BOUNDED_H

#include "syntax/ir.h"

/* What ir_regular_bounded means, with arrays in the arena; the states that no
 * text takes left out. `hi` becomes REPEAT_INF if it says nothing. False: no
 * memory. */
bool bounded_make(Arena *arena, const Dfa *dfa, const uint8_t *ticks,
                  uint32_t hi, BoundedSpec *out);

#endif
