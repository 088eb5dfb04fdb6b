/* random_model.h: a small model of random weights, as a GGUF file that any
 * engine for llama's architecture loads. */
#ifndef WEIR_TESTS_RANDOM_MODEL_H
#define WEIR_TESTS_RANDOM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ModelType { /* as GGUF numbers them */
                         MODEL_F32 = 0,
                         MODEL_F16 = 1,
                         MODEL_Q8_0 = 8
} ModelType;

typedef struct RandomModel {
    uint64_t seed;
    ModelType type; /* of the matrices; norms are F32 */
    uint32_t layers, width, heads, kv_heads, hidden, context;
    bool is_tied;              /* the output matrix is that of the tokens */
    const char *architecture;  /* NULL: llama */
    const char *chat_template; /* NULL: none */
} RandomModel;

/* 2 layers of 64, 4 heads with 2 of keys, F32. */
RandomModel random_model_small(uint64_t seed);

/* Tokens: bytes 0 to 255, "th", "in", then these. */
enum {
    MODEL_TH = 256,
    MODEL_IN,
    MODEL_BEGIN, /* <|begin|>, which prompts begin with */
    MODEL_START, /* <|im_start|> */
    MODEL_END,   /* <|im_end|>, a stop token */
    MODEL_TOKENS
};

bool random_model_write(const RandomModel *model, const char *path);

#endif
