/* mask.h: from a set of configurations to the bitmask of allowed tokens.
 *
 * MaskVocab belongs to a vocabulary, MaskRun to a thread or matcher. Stop
 * tokens are the api's business: no bit of theirs is set here unless a token
 * edge names it.
 */
#ifndef WEIR_MASK_MASK_H
#define WEIR_MASK_MASK_H

#include "mask/direct.h"
#include "vocab/vocab.h"

typedef struct MaskVocab {
    const Mem *mem;
    Arena arena;
    Trie trie; /* of all text tokens */
    uint32_t width, nwords;
} MaskVocab;

bool maskvocab_init(MaskVocab *v, const Mem *mem, const Vocab *vocab);
void maskvocab_free(MaskVocab *v);

typedef struct MaskRun {
    const Mem *mem;
    const MaskVocab *vocab;
    Stepper stepper; /* scratch stacks */
    Walker walker;
} MaskRun;

void maskrun_init(MaskRun *run, const Mem *mem, const MaskVocab *vocab,
                  StackHub *hub, const weir_limits *limits);
void maskrun_free(MaskRun *run);

/* Writes the mask of `set` by text tokens, nwords words. */
weir_status mask_compute(MaskRun *run, const ConfigSet *set, uint32_t *row);
/* Adds what token edges allow. */
weir_status mask_add_tokens(MaskRun *run, const ConfigSet *set, uint32_t *row);

#endif
