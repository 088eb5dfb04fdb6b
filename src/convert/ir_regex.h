/* ir_regex.h: a grammar as one regular expression. */
#ifndef WEIR_CONVERT_IR_REGEX_H
#define WEIR_CONVERT_IR_REGEX_H

#include "convert/scratch.h"
#include "syntax/ir.h"

/* Puts the pattern on the stack; the whole text is to match it. `ir` must be
 * plain (ir_plain.h) and is changed. False with ir->error: UNSUPPORTED for
 * rules that nest in themselves, tokens, and bytes that are not UTF-8; EMPTY
 * for no text at all; LIMIT_WORK, LIMIT_MEMORY. */
bool ir_regex(Ir *ir, Scratch *out);

/* ---- parts, for ir_regex.c ---- */

/* What the root denotes, without rules. */
NodeId ir_solve(Ir *ir);

#endif
