/* port.h: what differs between compilers, in one place. */
#ifndef WEIR_BASE_PORT_H
#define WEIR_BASE_PORT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#if defined(__GNUC__)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define PRINTF_LIKE(fmt, args)
#endif

/* Index of the lowest one of a word that is not 0. */
static inline unsigned bit_lowest(uint64_t word)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(word);
#else
    unsigned n = 0;
    for (; !(word & 1); word >>= 1) n++;
    return n;
#endif
}

static inline unsigned bit_count(uint64_t word)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_popcountll(word);
#else
    unsigned n = 0;
    for (; word; word &= word - 1) n++;
    return n;
#endif
}

#endif
