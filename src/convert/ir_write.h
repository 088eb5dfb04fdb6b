/* ir_write.h: a grammar as text of a language that people write. */
#ifndef WEIR_CONVERT_IR_WRITE_H
#define WEIR_CONVERT_IR_WRITE_H

#include "convert/scratch.h"
#include "syntax/ir.h"

typedef enum WrittenLanguage {
    WRITE_GBNF,
    WRITE_EBNF,
    WRITE_LARK
} WrittenLanguage;

/* Puts the rules that the root reaches on the stack, one a line, the root
 * first, called root, or start in Lark. `ir` must be plain (ir_plain.h). False with ir->error:
 * UNSUPPORTED for what the language cannot say, LIMIT_MEMORY. */
bool ir_write(Ir *ir, WrittenLanguage language, Scratch *out);

#endif
