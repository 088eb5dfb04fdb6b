/* cli_random.h: random numbers that are the same everywhere for one seed:
 * splitmix64, after Steele, Lea and Flood. */
#ifndef TOOLS_WEIR_CLI_RANDOM_H
#define TOOLS_WEIR_CLI_RANDOM_H

#include <stdint.h>

typedef struct Random {
    uint64_t state;
} Random;

static inline uint64_t random_next(Random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Evenly one of [0, n), n > 0. */
static inline uint64_t random_below(Random *r, uint64_t n)
{
    uint64_t most = UINT64_MAX - UINT64_MAX % n, x;
    do x = random_next(r);
    while (x >= most);
    return x % n;
}

#endif
