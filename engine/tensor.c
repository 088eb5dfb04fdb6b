/* tensor.c: a matrix times the inputs of several tokens.
 *
 * Each row of the matrix is unpacked once for all tokens; what meets a row in
 * Q8_0 is rounded to that form first, as llama.cpp does on processors, and
 * multiplied in whole numbers. A product depends on its row and its input alone,
 * not on the machine: sums have a fixed order, in lanes, that vectors can keep.
 * Tests: tests/engine/engine_builtin_test.c, against libllama.
 */
#include "engine/tensor.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"

#if CPU_X86
#include <immintrin.h>
#endif

enum { LANES = 16 };

/* ---- half precision ---- */

static float half_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff, bits;
    float f;
    if (!exponent) { /* subnormal: fraction * 2^-24 */
        f = (float)fraction * 5.9604644775390625e-8F;
        return sign ? -f : f;
    }
    bits =
        sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float half_at(const uint8_t *at)
{
    return half_float((uint16_t)(at[0] | at[1] << 8));
}

float tensor_dot(const float *a, const float *b, uint32_t n)
{
    float sums[LANES] = {0}, sum = 0;
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (uint32_t k = 0; k < LANES; k++) sums[k] += a[i + k] * b[i + k];
    for (uint32_t k = 0; k < LANES; k++) sum += sums[k];
    for (; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* The nearest number that has half precision; f is 0 or more. */
static float half_rounded(float f)
{
    uint32_t bits;
    if (f < 6.103515625e-5F) return rintf(f * 0x1p24F) * 0x1p-24F;
    memcpy(&bits, &f, sizeof bits);
    bits = (bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff;
    memcpy(&f, &bits, sizeof f);
    return f;
}

const float *tensor_row(const Tensor *t, uint32_t row, float *room)
{
    size_t n = t->columns;
    if (t->type == TENSOR_F32)
        return (const float *)(const void *)(t->data + row * n * 4);
    if (t->type == TENSOR_F16) {
        const uint8_t *at = t->data + row * n * 2;
        for (size_t i = 0; i < n; i++) room[i] = half_at(at + 2 * i);
        return room;
    }
    const uint8_t *at = t->data + row * (n / Q8_BLOCK) * Q8_SIZE;
    for (size_t i = 0; i < n; i += Q8_BLOCK, at += Q8_SIZE) {
        float scale = half_at(at);
        for (size_t k = 0; k < Q8_BLOCK; k++)
            room[i + k] = scale * (float)(int8_t)at[2 + k];
    }
    return room;
}

/* A block of inputs as signed bytes and their scale. */
static void block_round(const float *in, int8_t *out, float *scale)
{
    float most = 0;
    for (size_t k = 0; k < Q8_BLOCK; k++) {
        float size = fabsf(in[k]);
        most = size > most ? size : most;
    }
    float factor = most > 0 ? 127 / most : 0;
    *scale = half_rounded(most / 127);
    for (size_t k = 0; k < Q8_BLOCK; k++) {
        float value = rintf(in[k] * factor); /* what is no number becomes one */
        value = value > -127 ? value : -127;
        out[k] = (int8_t)(value < 127 ? value : 127);
    }
}

/* Sums of four products, in eight lanes, which are added up over the blocks: the
 * order that libllama has on x86 with AVX2. So what is rounded next is the same
 * number there and here, nearly always, and all that follows from it. */
enum { Q8_LANES = 8, Q8_PART = Q8_BLOCK / Q8_LANES };

static float lanes_sum(const float *at)
{
    return at[0] + at[4] + (at[2] + at[6]) + (at[1] + at[5] + (at[3] + at[7]));
}

float tensor_dot_q8(const int8_t *in, const float *scales, const uint8_t *row,
                    const float *row_scales, size_t blocks)
{
    float sums[Q8_LANES] = {0};
    for (size_t i = 0; i < blocks; i++, row += Q8_SIZE) {
        float scale = scales[i] * row_scales[i];
        const uint8_t *at = row + 2;
        for (size_t lane = 0; lane < Q8_LANES; lane++) {
            int32_t part = 0;
            for (size_t k = 0; k < Q8_PART; k++)
                part += (int32_t)*in++ * (int8_t)*at++;
            sums[lane] = fmaf(scale, (float)part, sums[lane]);
        }
    }
    return lanes_sum(sums);
}

#if CPU_X86

/* The same, to the last bit. Inputs are never -128, so that they can take the
 * signs of the weights. */
CPU_TARGET("avx2,fma")
static float dot_q8_avx2(const int8_t *in, const float *scales,
                         const uint8_t *row, const float *row_scales,
                         size_t blocks)
{
    const __m256i ones = _mm256_set1_epi16(1);
    __m256 sums = _mm256_setzero_ps();
    float lanes[Q8_LANES];
    for (size_t i = 0; i < blocks; i++, in += Q8_BLOCK, row += Q8_SIZE) {
        __m256i weights = _mm256_loadu_si256((const __m256i *)(row + 2));
        __m256i inputs = _mm256_loadu_si256((const __m256i *)in);
        __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(weights),
                                             _mm256_sign_epi8(inputs, weights));
        __m256 parts = _mm256_cvtepi32_ps(_mm256_madd_epi16(pairs, ones));
        __m256 scale = _mm256_set1_ps(scales[i] * row_scales[i]);
        sums = _mm256_fmadd_ps(scale, parts, sums);
    }
    _mm256_storeu_ps(lanes, sums);
    return lanes_sum(lanes);
}

TensorDotQ8 *tensor_dot_q8_best(void)
{
    return cpu_has_avx2() && cpu_has_fma() ? dot_q8_avx2 : tensor_dot_q8;
}

#else

TensorDotQ8 *tensor_dot_q8_best(void)
{
    return tensor_dot_q8;
}

#endif

static void multiply_q8(const Tensor *t, const float *in, float *out,
                        size_t count, TensorRoom *room)
{
    size_t n = t->columns, blocks = n / Q8_BLOCK;
    TensorDotQ8 *dot = tensor_dot_q8_best();
    for (size_t i = 0; i < count * blocks; i++)
        block_round(in + i * Q8_BLOCK, room->rounded + i * Q8_BLOCK,
                    room->scales + i);
    for (uint32_t r = 0; r < t->rows; r++) {
        const uint8_t *row = t->data + r * blocks * Q8_SIZE;
        for (size_t i = 0; i < blocks; i++)
            room->row[i] = half_at(row + i * Q8_SIZE);
        for (size_t i = 0; i < count; i++)
            out[i * t->rows + r] =
                dot(room->rounded + i * n, room->scales + i * blocks, row,
                    room->row, blocks);
    }
}

void tensor_multiply(const Tensor *t, const float *in, float *out, size_t count,
                     TensorRoom *room)
{
    if (t->type == TENSOR_Q8_0) {
        multiply_q8(t, in, out, count, room);
        return;
    }
    for (uint32_t r = 0; r < t->rows; r++) {
        const float *row = tensor_row(t, r, room->row);
        for (size_t i = 0; i < count; i++)
            out[i * t->rows + r] =
                tensor_dot(row, in + i * t->columns, t->columns);
    }
}

/* ---- room ---- */

bool tensor_room_new(const Mem *mem, TensorRoom *room, size_t count,
                     size_t columns)
{
    size_t blocks = size_mul(count, columns / Q8_BLOCK + 1);
    size_t bytes = size_mul(blocks, sizeof *room->scales);
    *room = (TensorRoom){.count = count, .columns = columns};
    if (bytes == SIZE_MAX || size_mul(count, columns) == SIZE_MAX) return false;
    room->row = mem_new(mem, columns * sizeof *room->row);
    room->rounded = mem_new(mem, count * columns);
    room->scales = mem_new(mem, bytes);
    return room->row && room->rounded && room->scales;
}

void tensor_room_free(const Mem *mem, TensorRoom *room)
{
    size_t blocks = room->count * (room->columns / Q8_BLOCK + 1);
    mem_free(mem, room->row, room->columns * sizeof *room->row);
    mem_free(mem, room->rounded, room->count * room->columns);
    mem_free(mem, room->scales, blocks * sizeof *room->scales);
}
