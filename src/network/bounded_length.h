/* bounded_length.h: the shortest text that keeps a bound on its characters. */
#ifndef WEIR_NETWORK_BOUNDED_LENGTH_H
#define WEIR_NETWORK_BOUNDED_LENGTH_H

#include "network/byte_nfa.h"

/* What is read from some positions of a bounded NFA on to its exit. */
typedef struct BoundedSearch {
    const Nfa *nfa;
    const uint32_t *pos;
    uint32_t npos;
    uint32_t left; /* characters that may be ended */
    bool is_solid; /* not the empty text */
} BoundedSearch;

/* *length = bytes of the shortest text; LENGTH_NONE: there is none. False: no
 * memory. */
bool bounded_length(const Mem *mem, const BoundedSearch *search,
                    uint32_t *length);

#endif
