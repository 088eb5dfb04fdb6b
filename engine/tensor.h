/* tensor.h: the arithmetic of matrices as model files have them. */
#ifndef ENGINE_TENSOR_H
#define ENGINE_TENSOR_H

#include "engine/gguf_model.h"

/* What a multiplication needs besides. */
typedef struct TensorRoom {
    size_t count, columns; /* most inputs, and numbers of each */
    float *row;            /* one of the matrix */
    int8_t *rounded;       /* the inputs in Q8_0 */
    float *scales;         /* of their blocks */
} TensorRoom;

/* False: out of memory, and what there is is freed by tensor_room_free. */
bool tensor_room_new(const Mem *mem, TensorRoom *room, size_t count,
                     size_t columns);
void tensor_room_free(const Mem *mem, TensorRoom *room);

float tensor_dot(const float *a, const float *b, uint32_t n);
/* A row in Q8_0 times an input in Q8_0: bytes in [-127, 127] and a scale a
 * block; row_scales are the row's in 32 bits. */
typedef float TensorDotQ8(const int8_t *in, const float *scales,
                          const uint8_t *row, const float *row_scales,
                          size_t blocks);
TensorDotQ8 tensor_dot_q8;
/* The fastest that this machine has: the same to the last bit. */
TensorDotQ8 *tensor_dot_q8_best(void);
/* A row in 32 bits: in place, or in `room`, which has a row's numbers. */
const float *tensor_row(const Tensor *t, uint32_t row, float *room);
/* out[i][row] = t[row] . in[i] for `count` inputs. */
void tensor_multiply(const Tensor *t, const float *in, float *out, size_t count,
                     TensorRoom *room);

#endif
