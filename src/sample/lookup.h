/* lookup.h: prompt lookup: what followed when the same tokens came before. */
#ifndef WEIR_SAMPLE_LOOKUP_H
#define WEIR_SAMPLE_LOOKUP_H

#include "base/port.h"

/* Trees are no larger. */
enum { LOOKUP_NODES = 64 };

typedef struct Lookup {
    const uint32_t *taken; /* prompt and output */
    size_t count;
    size_t longest, shortest, length, branches;
} Lookup;

/* Nodes 1 and on of a tree: see weir_decoder_propose. Returns the number of
 * nodes with node 0; capacity > 0 and at most LOOKUP_NODES. Of places the latest come first, of longer
 * matches before shorter ones. Cost: for each length of match a look at each
 * token. */
size_t lookup_tree(const Lookup *l, uint32_t *tokens, uint32_t *parents,
                   size_t capacity);

#endif
