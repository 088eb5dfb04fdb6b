/* lax.h: UTF-8 as llama.cpp reads it.
 *
 * The high four bits of a first byte say how long a character is: up to 7: one
 * byte, C and D: two, E: three, F: four. Its value is what the bits below
 * make, up to LAX_MAX: so surrogates and numbers that are no code points are
 * characters too, and some have several spellings.
 *
 * A piece of text may end inside a character. Then the character can become
 * any of an interval of values, those that too many bytes spell left out as
 * far as the place tells:
 *
 *     value so far v, n bytes missing:  [v << 6n, (v << 6n) + 2^6n - 1],
 *     but from 0x800 on for v = 0 and n = 2, from 0x10000 for v = 0 and n = 3;
 *     for n = 1 and v < 2: none
 *
 * A class may begin a character if it has some value of the interval. A wary
 * class, one that was written as what it lacks, also reads characters piece by
 * piece, but no piece may end where some value of the interval is not in it:
 * the place is held.
 */
#ifndef WEIR_LANG_LAX_H
#define WEIR_LANG_LAX_H

#include "text/unicode.h"

#define LAX_MAX 0x3FFFFFu

/* Writes 1 to 4 bytes, returns how many; 0 above LAX_MAX. */
unsigned lax_encode(uint32_t value, uint8_t out[4]);

/* One sequence of byte ranges: byte i in [lo[i], hi[i]]. held[i]: no piece may
 * end after byte i. */
typedef struct LaxSeq {
    uint8_t count, lo[4], hi[4];
    bool held[4];
} LaxSeq;

/* Splits a class, ascending ranges of [1, LAX_MAX], into sequences of byte
 * ranges. Of two that begin with the same bytes, the places are held alike. */
void lax_ranges(const RuneRange *ranges, uint32_t count, bool wary,
                void (*emit)(void *user, const LaxSeq *seq), void *user);

#endif
