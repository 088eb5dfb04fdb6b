/* ir_import.h: one IR's rules inside another, for union and concatenation, and
 * to have borrowed rules defined. */
#ifndef WEIR_SYNTAX_IR_IMPORT_H
#define WEIR_SYNTAX_IR_IMPORT_H

#include "syntax/ir.h"

/* Adds copies of all rules of `from`, warnings too, with definitions of those
 * that it borrows; returns its root's copy, or RULE_NONE after an error, which
 * goes to `to`. Cost: linear. */
RuleId ir_import(Ir *to, const Ir *from);

#endif
