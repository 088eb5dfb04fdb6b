/* finish.h: how short the rest of an output can be. */
#ifndef WEIR_MATCHER_FINISH_H
#define WEIR_MATCHER_FINISH_H

#include "matcher/config.h"
#include "network/lengths.h"

/* The shortest text from the end of a stack, by node. */
typedef struct StackLength {
    const StackNode *node;
    uint32_t length;
} StackLength;

/* What was found out so far. One thread. */
typedef struct Finisher {
    const Mem *mem;
    Lengths lengths;
    VEC(StackLength) stacks;
    Map index; /* node -> stacks.at */
    VEC(const StackNode *) todo;
} Finisher;

void finisher_init(Finisher *finisher, const Mem *mem);
void finisher_free(Finisher *finisher);
/* Bytes of the shortest text that completes the output, a token of a token
 * edge counting as one; LENGTH_NONE: there is none, or no memory. Stacks must
 * live as long as the finisher. */
uint32_t finisher_length(Finisher *finisher, const ConfigSet *set);

#endif
