/* runes.h: sets of code points as sorted range lists, and their algebra.
 *
 * A RuneSet is normal: ascending, disjoint, neighbours united, no surrogates
 * (so the whole set is two ranges), nothing above RUNE_MAX. runes_add alone
 * may break the order; runes_normalise restores it. A false result means out
 * of memory; the set is then unspecified but may be freed. */
#ifndef WEIR_LANG_RUNES_H
#define WEIR_LANG_RUNES_H

#include "base/vec.h"
#include "text/unicode.h"

typedef struct RuneSet {
    RuneRange *at;
    uint32_t count, cap;
} RuneSet;

/* Appends [lo, hi], cut to code points that UTF-8 can encode. */
bool runes_add(const Mem *mem, RuneSet *set, uint32_t lo, uint32_t hi);
bool runes_add_all(const Mem *mem, RuneSet *set, const RuneRange *ranges,
                   uint32_t count);
void runes_normalise(RuneSet *set);

/* These take and leave normal sets; the result is in `set`. */
bool runes_invert(const Mem *mem, RuneSet *set);
bool runes_intersect(const Mem *mem, RuneSet *set, const RuneSet *other);
bool runes_subtract(const Mem *mem, RuneSet *set, const RuneSet *other);

#endif
