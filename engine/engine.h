/* engine.h: a model that computes logits.
 *
 *     Engine *e = engine_load(&opts, &err);
 *     EngineRow row = {.tokens = prompt, .count = n, .logits = 1};
 *     engine_decode(e, &row, 1, &err);
 *     logits = engine_logits(e, 0, 0);    then weir_decoder_step, and so on
 *
 * An engine holds sequences of tokens, each a number below limits.sequences.
 * A decode adds tokens to some of them at once: a row each, of any lengths.
 * What an engine computes with is its own affair: libllama, loaded when the
 * program runs (engine_llama.c), or a small runner of weir's own
 * (engine_builtin.c); others fit behind engine_kind.h.
 *
 * One thread at a time; different engines are independent. Errors are a status
 * and a weir_error (NULL: not wanted), and leave every sequence as it was; only
 * of a model whose state cannot be divided those of a failed decode are empty
 * afterwards.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "weir/weir.h"

typedef struct Engine Engine;

typedef struct EngineOpts {
    const weir_env *env;     /* NULL: malloc; the model's weights are the
                                engine's own affair */
    const char *kind;        /* "llama", "builtin"; NULL: llama */
    const char *model;       /* a GGUF file */
    weir_bytes image;        /* or, for builtin, what such a file holds, at a
                                multiple of 4; borrowed as long as the engine
                                lives */
    const char *library_dir; /* of libllama; NULL: as docs/engine.md says */
    const char *rpc;         /* llama: machines that compute layers, too, as
                                "HOST:PORT,HOST:PORT"; NULL: none */
    uint32_t context;        /* tokens that all sequences hold together; 0: as
                                many as the model was trained for, but 4,096
                                at most */
    uint32_t batch;          /* most tokens of a decode; 0: 512 */
    uint32_t sequences;      /* 0: 1 */
    uint32_t threads;        /* 0: as many as may run, 16 at most */
    int32_t gpu_layers;      /* layers that a GPU computes, if there is one;
                                -1: all */
    bool wide_cache;         /* keys, values and attention in 32 bits, not 16 */
    weir_dialect dialect;    /* of the vocabulary */
    /* NULL, or told which share of the model, 0 to 1, is loaded. */
    void (*progress)(void *user, float share);
    void *user;
} EngineOpts;

/* Loads the model; takes from milliseconds to minutes. NULL for an error; err
 * may not be NULL. The texts of opts are borrowed for the call. */
Engine *engine_load(const EngineOpts *opts, weir_error *err);
void engine_free(Engine *engine);

/* The model's vocabulary. Borrowed; retain it to keep it. */
weir_vocab *engine_vocab(const Engine *engine);

typedef struct EngineInfo {
    uint32_t width;      /* logits of a token: ids are [0, width) */
    uint32_t context;    /* tokens that all sequences hold together; what they
                           share by engine_copy may count once */
    uint32_t trained;    /* tokens of the longest text that it was trained on */
    uint32_t batch;      /* most tokens of a decode */
    uint32_t sequences;  /* they are [0, sequences) */
    uint32_t begin;      /* the token that texts begin with; UINT32_MAX: none */
    bool adds_begin;     /* prompts begin with it */
    const char *kind;    /* "llama" */
    const char *name;    /* "gemma3 270M Q4_K - Medium" */
    const char *library; /* what computes: "llama.cpp 0.4.0" */
    const char *chat_template; /* Jinja, as the file has it, or NULL */
} EngineInfo;
/* What never changes; texts are borrowed from the engine. */
const EngineInfo *engine_info(const Engine *engine);

/* Tokens to add to a sequence. */
typedef struct EngineRow {
    uint32_t sequence;
    uint32_t position; /* of the first one: what engine_length says */
    const uint32_t *tokens;
    uint32_t count;  /* 1 and more */
    uint32_t logits; /* of the last so many tokens logits are wanted: 1 to
                        draw from, 0 while a prompt goes on, more for drafts */
} EngineRow;

/* Adds the rows' tokens; a sequence is in one row at most. Costs a pass
 * through the weights for all rows together. ARGUMENT: rows that are none, or
 * more than a batch; LIMIT_MEMORY: there is no room for all the tokens (remove
 * some sequences); UNSUPPORTED: the engine has failed. */
weir_status engine_decode(Engine *engine, const EngineRow *rows, size_t count,
                          weir_error *err);
/* Logits after the row's token number count - logits + i of the last decode,
 * info.width of them, valid until the next one. NULL if there are none. */
const float *engine_logits(const Engine *engine, size_t row, uint32_t i);

/* Tokens that a sequence has; 0 for one that is none. */
uint32_t engine_length(const Engine *engine, uint32_t sequence);
/* Makes `to` the first `count` tokens of `from`, whatever it was before. Takes
 * no computation, and no room for tokens where the engine can share them.
 * ARGUMENT, NO_MEMORY, or UNSUPPORTED by a model whose state cannot be divided. */
weir_status engine_copy(Engine *engine, uint32_t from, uint32_t to,
                        uint32_t count, weir_error *err);
/* Removes all but the first `keep` tokens of a sequence. The same errors. */
weir_status engine_remove(Engine *engine, uint32_t sequence, uint32_t keep,
                          weir_error *err);

#endif
