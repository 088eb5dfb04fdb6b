/* lax_mask.h: what masks in the dialect llama.cpp need besides text and token
 * edges: tokens that end within a character, and tokens that llama.cpp's masks
 * have although it does not take them. */
#ifndef WEIR_MASK_LAX_MASK_H
#define WEIR_MASK_LAX_MASK_H

#include "mask/explore.h"

/* The trie of the tokens that end within a character. False: no memory. */
bool lax_find_open(const Mem *mem, const Vocab *vocab, Arena *arena,
                   Trie *open);
/* The trie of the tokens that sets of `ir`, resolved, name; *is_all: too many
 * for a trie of their own, and `named` is empty. False: no memory. */
bool lax_find_named(const Mem *mem, const Vocab *vocab, const Ir *ir,
                    Arena *arena, Trie *named, bool *is_all);
/* Takes from the row the tokens that end within a character, and puts those
 * back that may end so. Errors: in the stepper's status. */
void lax_fix_open(MaskRun *run, const ConfigSet *set, uint32_t *row);
/* Adds the tokens that llama.cpp takes for a token of a set although some text
 * comes before: u v, where u is read, the set is next, v has a whole character
 * and the set has u v. */
/* Only run->named are looked at. */
void lax_add_loose(MaskRun *run, const ConfigSet *set, uint32_t *row);

#endif
