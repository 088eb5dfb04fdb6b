/* rng.h: a seeded stream of random numbers (splitmix64), so that a test run
 * can be repeated from the seed it printed. */
#ifndef WEIR_TESTS_RNG_H
#define WEIR_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Rng {
    uint64_t state;
} Rng;

static inline uint64_t rng_next(Rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In [0, n), n > 0. */
static inline uint32_t rng_below(Rng *rng, uint32_t n)
{
    return (uint32_t)(rng_next(rng) % n);
}

static inline bool rng_chance(Rng *rng, uint32_t percent)
{
    return rng_below(rng, 100) < percent;
}

/* A number from the environment, or `otherwise`. */
static inline uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* How long a test runs: WEIR_CASES, else `quick` when WEIR_QUICK is set (as
 * under sanitizers), else one part of `full`, of WEIR_PARTS (1). */
static inline uint64_t case_count(uint64_t full, uint64_t quick)
{
    uint64_t part = full / env_number("WEIR_PARTS", 1);
    return env_number("WEIR_CASES", env_number("WEIR_QUICK", 0) ? quick : part);
}

#endif
