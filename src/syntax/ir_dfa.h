/* ir_dfa.h: inside the IR: automata, and bounds on their texts, as values. */
#ifndef WEIR_SYNTAX_IR_DFA_H
#define WEIR_SYNTAX_IR_DFA_H

#include "syntax/ir.h"

bool dfa_same(const Dfa *x, const Dfa *y);
uint64_t dfa_hash(const Dfa *dfa);
/* Less, equal or more than 0, by content. */
int dfa_order(const Dfa *x, const Dfa *y);
/* Replaces the arrays by copies in the arena. False: no memory. */
bool dfa_copy(Arena *arena, Dfa *dfa);

/* What ir_regular_bounded means, with arrays in the arena; the states that no
 * text takes are left out. `hi` becomes REPEAT_INF if it says nothing. False:
 * no memory. */
bool bounded_make(Arena *arena, const Dfa *dfa, const uint8_t *ticks,
                  uint32_t hi, BoundedSpec *out);

bool bounded_same(const BoundedSpec *x, const BoundedSpec *y);
uint64_t bounded_hash(const BoundedSpec *spec);
int bounded_order(const BoundedSpec *x, const BoundedSpec *y);
bool bounded_copy(Arena *arena, BoundedSpec *spec);

#endif
