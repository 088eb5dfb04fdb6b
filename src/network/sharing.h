/* sharing.h: frames of RULE_SHARED rules live in the vocabulary's network. */
#ifndef WEIR_NETWORK_SHARING_H
#define WEIR_NETWORK_SHARING_H

#include "network/network.h"

typedef struct SharedRule {
    Span key; /* spelling of the rule and all it reaches */
    JsonPart part;
    Frame *frame;
} SharedRule;

/* Makes a frame for every shared rule and files it under its key. */
bool sharing_publish(Network *net);
/* *frame: the one that the vocabulary's network has for the rule, if `node` is
 * a reference to a shared rule that it knows, or else NULL. False: an error. */
bool sharing_find(Network *net, NodeId node, Frame **frame);

/* The frame of a part of JSON in the vocabulary's network; NULL: it has none. */
Frame *sharing_part(const Network *shared, JsonPart part);

#endif
