/* warm.h: finding out about shared states before anyone waits for it. */
#ifndef WEIR_MASK_WARM_H
#define WEIR_MASK_WARM_H

#include "mask/mask.h"

/* Makes the walks that the masks along `text`, read from `start`, need, and
 * keeps them with the vocabulary: a cold string state costs milliseconds.
 * False: no memory. */
bool mask_warm(MaskVocab *vocab, State *start, Span text);

#endif
