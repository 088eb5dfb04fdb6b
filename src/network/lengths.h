/* lengths.h: how short the rest of a frame's text can be.
 *
 * Counted in bytes; a token of a token edge counts as one. Found when first
 * asked for, frame by frame. One thread.
 */
#ifndef WEIR_NETWORK_LENGTHS_H
#define WEIR_NETWORK_LENGTHS_H

#include "network/network.h"

/* No text, or one too long to count, or no memory. */
#define LENGTH_NONE UINT32_MAX

typedef struct FrameLengths {
    const Frame *frame;
    uint32_t *by_pos; /* from the NFA position to the exit, or to the end of an
                         item; NULL: no NFA */
    uint32_t copy;    /* counted frames: of one copy */
    struct ListLengths *list; /* NULL: no list */
} FrameLengths;

typedef struct NodeLengths {
    const Network *network;
    uint32_t *by_node;
    uint32_t count;
} NodeLengths;

typedef struct Lengths {
    const Mem *mem;
    VEC(NodeLengths) networks;
    VEC(FrameLengths) frames;
    Map index;   /* frame -> frames.at */
    bool failed; /* sticky: memory was out, lengths may be too large */
} Lengths;

void lengths_init(Lengths *lengths, const Mem *mem);
void lengths_free(Lengths *lengths);

/* The shortest text from the state to the end of its frame. */
uint32_t lengths_state(Lengths *lengths, const State *q, uint32_t reg);

static inline uint32_t length_add(uint32_t a, uint32_t b)
{
    return a >= LENGTH_NONE - b ? LENGTH_NONE : a + b;
}
static inline uint32_t length_times(uint32_t n, uint32_t length)
{
    if (length == LENGTH_NONE) return n ? LENGTH_NONE : 0;
    uint64_t total = (uint64_t)n * length;
    return total < LENGTH_NONE ? (uint32_t)total : LENGTH_NONE;
}

#endif
