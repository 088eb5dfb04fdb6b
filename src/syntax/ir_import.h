/* ir_import.h: one IR's rules inside another, for union and concatenation. */
#ifndef WEIR_SYNTAX_IR_IMPORT_H
#define WEIR_SYNTAX_IR_IMPORT_H

#include "syntax/ir.h"

/* Adds copies of all rules of `from`, warnings too; returns a reference to its
 * root's copy. Errors go to `to`. Cost: linear. */
NodeId ir_import(Ir *to, const Ir *from);

#endif
