/* gguf_widen.c: from Q8_0 to F32, by GGUF's published layout. The head and the
 * metadata stay as they are; the list of tensors gets new types and offsets. */
#include "oracle/gguf_widen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "text/gguf.h"

enum { ALIGNMENT = 32, BLOCK = 32, BLOCK_SIZE = 34 };
enum { TYPE_F32 = 0, TYPE_Q8_0 = 8 };

typedef struct Widening {
    const unsigned char *in;
    size_t data; /* where the tensors' data begin */
    FILE *out;
    bool ok;
} Widening;

static uint64_t number(const unsigned char *at, int nbytes)
{
    uint64_t value = 0;
    for (int i = 0; i < nbytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static void put_number(FILE *out, uint64_t value, int nbytes)
{
    for (int i = 0; i < nbytes; i++) putc((int)(value >> (8 * i) & 255), out);
}

/* Half precision: 1 sign, 5 exponent, 10 fraction. */
static float half(const unsigned char *at)
{
    int bits = (int)number(at, 2), exponent = bits >> 10 & 31;
    int fraction = bits & 1023;
    float value = exponent ? ldexpf((float)(fraction + 1024), exponent - 25)
                           : ldexpf((float)fraction, -24);
    return bits & 0x8000 ? -value : value;
}

/* A line of the list: name, dimensions, type, offset. Calls for the count of
 * numbers; the next line is returned. */
static const unsigned char *line_read(const unsigned char *at, uint64_t *count,
                                      uint32_t *type, uint64_t *offset)
{
    at += 8 + number(at, 8);
    uint32_t dimensions = (uint32_t)number(at, 4);
    at += 4;
    *count = 1;
    for (uint32_t i = 0; i < dimensions; i++, at += 8) *count *= number(at, 8);
    *type = (uint32_t)number(at, 4);
    *offset = number(at + 4, 8);
    return at + 12;
}

static void pad(Widening *w, uint64_t size)
{
    for (; size % ALIGNMENT; size++) putc(0, w->out);
}

static void widen_data(Widening *w, uint64_t count, uint32_t type,
                       uint64_t offset)
{
    const unsigned char *at = w->in + w->data + offset;
    if (type == TYPE_F32) {
        fwrite(at, 4, count, w->out);
    } else if (type == TYPE_Q8_0) {
        for (uint64_t i = 0; i < count; i += BLOCK, at += BLOCK_SIZE)
            for (int k = 0; k < BLOCK; k++) {
                float value = half(at) * (float)(signed char)at[2 + k];
                fwrite(&value, sizeof value, 1, w->out);
            }
    } else {
        w->ok = false;
    }
    pad(w, count * 4);
}

static void widen(Widening *w, size_t begin, uint64_t ntensors)
{
    const unsigned char *at = w->in + begin;
    uint64_t count, offset, next = 0;
    uint32_t type;
    fwrite(w->in, 1, begin, w->out);
    for (uint64_t i = 0; i < ntensors; i++) {
        const unsigned char *end = line_read(at, &count, &type, &offset);
        fwrite(at, 1, (size_t)(end - at) - 12, w->out);
        put_number(w->out, TYPE_F32, 4);
        put_number(w->out, next, 8);
        next += (count * 4 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        at = end;
    }
    pad(w, (uint64_t)(at - w->in));
    w->data = (size_t)(at - w->in + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    at = w->in + begin;
    for (uint64_t i = 0; i < ntensors && w->ok; i++) {
        at = line_read(at, &count, &type, &offset);
        widen_data(w, count, type, offset);
    }
}

static unsigned char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*size + 1);
    if (data && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

bool gguf_widen(const char *from, const char *to)
{
    Mem mem = mem_from_env(NULL);
    Gguf gguf;
    weir_error err = {.status = WEIR_OK};
    size_t size;
    unsigned char *in = file_read(from, &size);
    if (!in) return false;
    Widening w = {.in = in, .out = fopen(to, "wb"), .ok = true};
    bool is_read = w.out && gguf_parse(&gguf, &mem, span_of(in, size), &err);
    if (is_read) {
        size_t n = gguf.entries.count;
        widen(&w, n ? gguf.entries.at[n - 1].end : 24, number(in + 8, 8));
        gguf_free(&gguf);
    }
    free(in);
    return w.out && fclose(w.out) == 0 && is_read && w.ok;
}
