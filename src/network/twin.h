/* twin.h: counted characters that the vocabulary knows.
 *
 * Walks of a counted frame count its copies and leave its limits aside. So what
 * strings of any two limits have in common is found out once: a counted frame
 * of JSON characters has a twin in the vocabulary's network, and each of its
 * states one there, of which the walks are.
 */
#ifndef WEIR_NETWORK_TWIN_H
#define WEIR_NETWORK_TWIN_H

#include "network/network.h"

/* Under the lock of the frame's network, which is not the vocabulary's: sets
 * frame->twin if there is one. */
void twin_find(Frame *frame);

/* The twin of a state; NULL: it has none, or there is no memory. Any thread.
 * Valid as long as the vocabulary. */
State *twin_make(State *q);
static inline State *state_twin(State *q)
{
    if (!q->frame->twin) return NULL;
    State *twin = atomic_load_explicit(&q->twin, memory_order_acquire);
    return twin ? twin : twin_make(q);
}

#endif
