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
#define NOINLINE __attribute__((noinline)) /* seldom run, from hot code */
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define NOINLINE
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

/* Index of the highest one of a word that is not 0. */
static inline unsigned bit_highest(uint64_t word)
{
#if defined(__GNUC__)
    return 63u - (unsigned)__builtin_clzll(word);
#else
    unsigned n = 0;
    while (word >>= 1) n++;
    return n;
#endif
}

/* Whether each block of memory is watched from when it is taken to when it is
 * given back. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_WATCHED 1
#elif defined(__has_feature)
#define IS_WATCHED __has_feature(address_sanitizer)
#else
#define IS_WATCHED 0
#endif

/* x86 has an instruction only where it is asked for at compile time, else the
 * compiler's own support is a call; elsewhere it knows best. */
static inline unsigned bit_count(uint64_t word)
{
#if defined(__POPCNT__) || \
    (defined(__GNUC__) && !defined(__x86_64__) && !defined(__i386__))
    return (unsigned)__builtin_popcountll(word);
#else
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
#endif
}

#endif
