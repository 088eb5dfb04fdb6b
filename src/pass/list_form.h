/* list_form.h: lists as their frames want them.
 *
 *   - an item that is all head, unless that must be unique, begins with a text
 *     of bytes as its head (perhaps EMPTY); the rest of it is the tail
 *   - kinds are sorted by the bytes that their heads begin with, those with
 *     unique heads first
 */
#ifndef WEIR_PASS_LIST_FORM_H
#define WEIR_PASS_LIST_FORM_H

#include "syntax/ir.h"

/* The bytes with which all texts of a node begin, as far as they are
 * written at its beginning; `nkids`: operands of a SEQ that they take up. */
Span list_prefix(const Ir *ir, NodeId node);

/* `kinds` are the caller's to change, and spec->kinds. */
NodeId list_form(Ir *ir, const ListSpec *spec, ListKind *kinds);

#endif
