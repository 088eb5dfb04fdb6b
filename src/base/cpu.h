/* cpu.h: which vector instructions the machine that runs this has. Each call
 * is a load and a test of a word that the compiler's start-up code has filled
 * before main: no state of our own, so nothing to lock. */
#ifndef WEIR_BASE_CPU_H
#define WEIR_BASE_CPU_H

#include "base/port.h"

#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define CPU_X86 1
#else
#define CPU_X86 0
#endif

#if defined(__GNUC__) && defined(__aarch64__) && !defined(__AARCH64EB__)
#define CPU_NEON 1 /* part of the base instruction set */
#else
#define CPU_NEON 0
#endif

/* Compiles one function for instructions that the rest may not use. */
#if defined(__GNUC__)
#define CPU_TARGET(features) __attribute__((target(features)))
#else
#define CPU_TARGET(features)
#endif

bool cpu_has_popcnt(void);
bool cpu_has_avx2(void);
bool cpu_has_fma(void); /* multiplying and adding, rounded once */
/* Foundation and byte/word instructions. */
bool cpu_has_avx512(void);

#endif
