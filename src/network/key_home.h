/* key_home.h: what most keys of an object come to.
 *
 * The keys of an object that declares some names and leaves others open are
 * read in the list's own states, together with those names. Once a key can be
 * none of the names any more, what is left of it is the rest of any key: of
 * the characters and escapes of a JSON string, and the quote. That state is the
 * keys' home. It reads what the vocabulary's frame `json_key_rest` reads and
 * then goes on at `ret`, so that its masks are made of walks that are known.
 *
 * A state that a name can still come from reads the same as its home, up to
 * the closing quote: until then any key goes on with any character. It differs
 * only where a name ends, which is few tokens (mask/key_mask.h).
 */
#ifndef WEIR_NETWORK_KEY_HOME_H
#define WEIR_NETWORK_KEY_HOME_H

#include "network/network.h"

typedef struct KeyHome {
    State *home;
    State *rest, *ret; /* home is `rest` with `ret` to return to */
    State *more;       /* `rest`, but for the quote at once */
    ByteSet differs;   /* bytes that may lead elsewhere than from home */
} KeyHome;

/* Makes it; any thread. */
const KeyHome *state_home_make(State *q);

/* The home of a state inside a key, between two characters; NULL: it has none,
 * or there is no memory. Valid as long as the network. */
static inline const KeyHome *state_home(State *q)
{
    if (!q->in_head) return NULL;
    const KeyHome *known = atomic_load_explicit(&q->home, memory_order_acquire);
    if (UNLIKELY(!known)) known = state_home_make(q);
    return known && known->home ? known : NULL;
}

#endif
