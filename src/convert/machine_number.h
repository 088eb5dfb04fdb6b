/* machine_number.h: JSON numbers as a reader has them that keeps what is spelled
 * without fraction and exponent in 64 bits, and all else as a double. */
#ifndef WEIR_CONVERT_MACHINE_NUMBER_H
#define WEIR_CONVERT_MACHINE_NUMBER_H

#include "convert/scratch.h"

typedef struct MachineNumber {
    bool is_whole;    /* kept as an integer: `bits`; else `value` */
    bool is_negative; /* of an integer: `bits` are a two's complement */
    uint64_t bits;
    double value;
} MachineNumber;

/* `spelling` is a JSON number. An infinite `value`: no double is so large. */
MachineNumber machine_number(Span spelling);
/* Converted as x86-64 processors do: fractions dropped, integers cut to the
 * size, doubles out of range become the least number. */
int64_t machine_number_i64(MachineNumber n);
int32_t machine_number_i32(MachineNumber n);
/* Its canonical spelling: the digits of double_digits.h; a fraction always,
 * unless there is an exponent; an exponent of at least two digits for numbers
 * from 1e15 and below 1e-4. */
void machine_number_write(MachineNumber n, Scratch *out);

#endif
