/* gguf_widen.h: a GGUF file with all its weights in 32 bits. */
#ifndef WEIR_TESTS_GGUF_WIDEN_H
#define WEIR_TESTS_GGUF_WIDEN_H

#include <stdbool.h>

/* Copies a file whose tensors are F32 or Q8_0; each becomes F32 of the same
 * values. False: it cannot be read, or has others. */
bool gguf_widen(const char *from, const char *to);

#endif
