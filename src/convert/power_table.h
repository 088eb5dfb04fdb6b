/* power_table.h: powers of ten from 10^-300 to 10^324, every eighth. */
#ifndef WEIR_CONVERT_POWER_TABLE_H
#define WEIR_CONVERT_POWER_TABLE_H

#include <stdint.h>

/* f * 2^e, nearest to 10^k; the highest bit of f is set. */
typedef struct PowerOfTen {
    uint64_t f;
    int e, k;
} PowerOfTen;

enum { POWER_FIRST = -300, POWER_STEP = 8, POWER_COUNT = 79 };
extern const PowerOfTen power_table[POWER_COUNT];

#endif
