/* mt19937.h: the Mersenne Twister of Matsumoto and Nishimura with 32 bits, and
 * the random numbers that C++'s library makes of it: what llama.cpp draws. */
#ifndef WEIR_SAMPLE_MT19937_H
#define WEIR_SAMPLE_MT19937_H

#include "base/port.h"

enum { MT_WORDS = 624 };

typedef struct Mt19937 {
    uint32_t word[MT_WORDS];
    uint32_t next; /* MT_WORDS: all used */
} Mt19937;

void mt_seed(Mt19937 *mt, uint32_t seed);
uint32_t mt_next(Mt19937 *mt);
/* In [0, 1), as std::generate_canonical<double, 53>: two words. */
double mt_double(Mt19937 *mt);
/* In [0, 1), as std::generate_canonical<float, 24>: one word. */
float mt_float(Mt19937 *mt);

#endif
