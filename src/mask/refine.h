/* refine.h: masks where heads of lists must be unique.
 *
 * A mask is made as if nothing had to be unique, from configurations without
 * records, so that it can be remembered; then the tokens that would repeat a
 * head are found and taken out. A token can do so only if it goes on with a
 * head in hand as an earlier one does, to its end, or has a whole head in it;
 * each such token is tried. Where heads are not open (State.is_open) a token
 * need not have the end: one that goes on as an earlier head does is tried, and
 * one inside which a head begins so. The direct walk is left to lists of very
 * many such heads, and to values too large for likeness.h.
 */
#ifndef WEIR_MASK_REFINE_H
#define WEIR_MASK_REFINE_H

#include "mask/explore.h"

/* False: the row, which is right but for heads that repeat earlier ones, is
 * right. run->unique knows the output. Some ns, unless a head is in hand. */
bool refine_concerns(MaskRun *run, const ConfigSet *set, const uint32_t *row);
/* Takes the tokens that repeat an earlier head out of the row. False: the direct walk is
 * needed. */
bool refine_row(MaskRun *run, const ConfigSet *set, uint32_t *row);

/* Takes tokens out of a row that repeat what they have in themselves, whatever
 * heads there were before: what is left can be remembered for the set without
 * records. True if there are any. */
bool refine_repeats(MaskRun *run, const ConfigSet *set, uint32_t *row);

#endif
