/* ir_edit.h: copies of an Ir, plain or with one small simplification: what a
 * property test needs to make a failing grammar smaller. */
#ifndef WEIR_TESTS_IR_EDIT_H
#define WEIR_TESTS_IR_EDIT_H

#include "syntax/ir.h"

typedef enum EditKind {
    EDIT_NONE,
    EDIT_NEVER,    /* the node becomes NEVER */
    EDIT_EMPTY,    /* ... EMPTY */
    EDIT_KID,      /* ... its kid number `arg` (a RULE: the rule's body) */
    EDIT_DROP_KID, /* SEQ, ALT: without kid `arg`; BYTES: without byte `arg`;
                      CLASS, TOKENS: without range `arg` */
    EDIT_LOWER,    /* REPEAT: halves lo (arg 0) or hi (arg 1) */
    EDIT_UNFLAG,   /* rule `node` loses its flags */
    EDIT_KINDS
} EditKind;

typedef struct Edit {
    EditKind kind;
    uint32_t node, arg;
} Edit;

/* How many values of `arg` make sense for the edit; 0: none at all. */
uint32_t edit_choices(const Ir *ir, EditKind kind, uint32_t node);

/* `to` is not initialised yet. With `prune`, rules that the root does not
 * need are left out and rules and nodes renumbered. */
void ir_edited(const Ir *from, Ir *to, const Mem *mem, Edit edit, bool prune);

static inline void ir_copied(const Ir *from, Ir *to, const Mem *mem)
{
    ir_edited(from, to, mem, (Edit){EDIT_NONE, 0, 0}, false);
}

/* Marks what the root needs: one byte a node, and one a rule. */
void ir_reached(const Ir *ir, uint8_t *nodes, uint8_t *rules);

#endif
