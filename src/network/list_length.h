/* list_length.h: inside lengths: how short a list can be, or the rest of one.
 */
#ifndef WEIR_NETWORK_LIST_LENGTH_H
#define WEIR_NETWORK_LIST_LENGTH_H

#include "network/lengths.h"
#include "network/list_frame.h"

/* What is known of a list's frame, beside FrameLengths.by_pos. */
typedef struct ListLengths {
    uint64_t separator;
    uint64_t *item;   /* by kind, with a separator */
    uint32_t *before; /* by position: to LIST_ITEMS; LENGTH_NONE: past it */
    uint32_t *depth;  /* by position: bytes of heads since LIST_ITEMS */
    uint8_t *next;    /* scratch: by kind */
} ListLengths;

/* The shortest text of a list, by the lengths of other nodes. False: no
 * memory. */
bool list_length(const Mem *mem, const ListSpec *list, const uint32_t *by_node,
                 uint32_t *length);

/* All but `before`, which the caller fills. NULL: no memory. */
ListLengths *list_lengths_new(const Mem *mem, const Frame *frame,
                              const uint32_t *by_node);
void list_lengths_free(const Mem *mem, const Frame *frame, ListLengths *list);

/* From a state with a tally. False: no memory. */
bool list_length_state(const FrameLengths *known, const State *q, uint32_t reg,
                       uint32_t *length);

#endif
