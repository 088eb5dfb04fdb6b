/* cpu.c: CPU detection by the compiler's own support, which also asks whether
 * the operating system saves the wide registers. Tests: unit/apply_test.c. */
#include "base/cpu.h"

#if CPU_X86

bool cpu_has_popcnt(void)
{
    return __builtin_cpu_supports("popcnt");
}

bool cpu_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

bool cpu_has_fma(void)
{
    return __builtin_cpu_supports("fma");
}

bool cpu_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw");
}

#else

bool cpu_has_popcnt(void)
{
    return false;
}

bool cpu_has_avx2(void)
{
    return false;
}

bool cpu_has_fma(void)
{
    return false;
}

bool cpu_has_avx512(void)
{
    return false;
}

#endif
