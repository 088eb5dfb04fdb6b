/* double_digits.h: decimal digits that are read as a given double. */
#ifndef WEIR_CONVERT_DOUBLE_DIGITS_H
#define WEIR_CONVERT_DOUBLE_DIGITS_H

#include <stddef.h>

enum { MOST_DIGITS = 17 };

/* 0.d1 d2 ... dn * 10^point */
typedef struct Digits {
    char at[MOST_DIGITS + 1];
    size_t count;
    int point;
} Digits;

/* value: finite, > 0. Mostly the shortest digits and the nearest of these. */
Digits double_digits(double value);

#endif
