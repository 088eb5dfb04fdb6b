/* refine.h: masks where heads of lists must be unique.
 *
 * A mask is made as if nothing had to be unique, from configurations without
 * records, so that it can be remembered; then the tokens that would repeat a
 * head are found and taken out. A token can do so only if it goes on with the
 * head in hand as an earlier one does, to its end, or has a whole head in it;
 * each such token is tried.
 */
#ifndef WEIR_MASK_REFINE_H
#define WEIR_MASK_REFINE_H

#include "mask/explore.h"

/* Takes out of the row, which is right but for heads that repeat, the tokens
 * that repeat one: run->unique knows the output. False: the direct walk is
 * needed. */
bool refine_row(MaskRun *run, const ConfigSet *set, uint32_t *row);

/* Ids of a vocabulary with two quotes or more, ascending; in `out`. */
bool refine_find_quoted(const Mem *mem, const Vocab *vocab, QuotedIds *out);

#endif
