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
/* A row in 32 bits: in place, or in `room`, which has a row's numbers. */
const float *tensor_row(const Tensor *t, uint32_t row, float *room);
/* out[i][row] = t[row] . in[i] for `count` inputs. */
void tensor_multiply(const Tensor *t, const float *in, float *out, size_t count,
                     TensorRoom *room);

#endif
