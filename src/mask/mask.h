/* mask.h: from a set of configurations to the bitmask of allowed tokens.
 *
 * MaskVocab belongs to a vocabulary, MaskMemo to a grammar, MaskRun to a
 * matcher. Masks here are of text tokens, and of token edges where run says
 * so; the api puts in stop tokens, and other token edges.
 */
#ifndef WEIR_MASK_MASK_H
#define WEIR_MASK_MASK_H

#include "mask/explore.h"
#include "mask/memo.h"

bool maskvocab_init(MaskVocab *v, const Mem *mem, const Vocab *vocab);
void maskvocab_free(MaskVocab *v);

void maskrun_init(MaskRun *run, const Mem *mem, MaskVocab *vocab,
                  WalkCache *cache, StackHub *hub, const weir_limits *limits);
void maskrun_free(MaskRun *run);

/* Writes the mask of `set`, nwords words. */
weir_status mask_fill(MaskRun *run, MaskMemo *memo, const ConfigSet *set,
                      uint32_t *row);
/* The same mask as a row that is kept and never changes, or NULL when there is
 * none (yet): then mask_fill. stops: those to add, always the same ones of a
 * vocabulary; NULL: none. */
const uint32_t *mask_row(MaskRun *run, MaskMemo *memo, const ConfigSet *set,
                         const MaskStops *stops);
/* Adds what token edges allow. */
weir_status mask_add_tokens(MaskRun *run, const ConfigSet *set, uint32_t *row);

#endif
