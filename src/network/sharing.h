/* sharing.h: frames of RULE_SHARED rules live in the vocabulary's network. */
#ifndef WEIR_NETWORK_SHARING_H
#define WEIR_NETWORK_SHARING_H

#include "network/network.h"

typedef struct SharedRule {
    Span key; /* spelling of the rule and all it reaches */
    Frame *frame;
} SharedRule;

/* Makes a frame for every shared rule and files it under its key. */
bool sharing_publish(Network *net);
/* Points net's shared rules at the frames that `shared` has for them. */
bool sharing_link(Network *net, Network *shared);

#endif
