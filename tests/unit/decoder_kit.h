/* decoder_kit.h: a vocabulary, grammars, and a model that is made of numbers:
 * its logits depend on all tokens before, and nothing else.
 */
#ifndef WEIR_TESTS_DECODER_KIT_H
#define WEIR_TESTS_DECODER_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "weir/decode.h"

/* Tokens of tests/cases/sampling.gguf. */
enum { KIT_WIDTH = 338, KIT_END = 336 };

static weir_vocab *kit_vocab;
static float kit_logits[KIT_WIDTH];

static inline int kit_set_up(void **state)
{
    (void)state;
    kit_vocab =
        weir_vocab_load_file(NULL, "tests/cases/sampling.gguf", NULL, NULL);
    return !kit_vocab;
}

static inline int kit_tear_down(void **state)
{
    (void)state;
    weir_vocab_free(kit_vocab);
    return 0;
}

static inline weir_bytes kit_bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* A matcher of any kind of source. */
static inline weir_matcher *kit_matcher(weir_source_kind kind,
                                        const char *source)
{
    weir_error err = {.status = WEIR_OK};
    weir_grammar *g =
        weir_grammar_compile(kit_vocab, kind, kit_bytes(source), NULL, &err);
    if (!g) fail_msg("%s", err.message);
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    weir_grammar_free(g);
    assert_non_null(m);
    return m;
}

static inline weir_sampler *kit_sampler(uint32_t seed, bool redraw)
{
    weir_sampler_opts o;
    weir_sampler_defaults(&o);
    o.seed = seed;
    o.redraw = redraw;
    o.repeat_penalty = 1.1f;
    weir_sampler *s = weir_sampler_new(NULL, kit_vocab, &o, NULL);
    assert_non_null(s);
    return s;
}

static inline weir_decoder *kit_decoder(weir_sampler *s, weir_matcher *m,
                                        const weir_decode_opts *o)
{
    weir_error err = {.status = WEIR_OK};
    weir_decoder *d = weir_decoder_new(kit_vocab, s, m, o, &err);
    if (!d) fail_msg("%s", err.message);
    return d;
}

static inline uint64_t kit_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* The model after n tokens; `salt` is which model. The end is unlikely; the
 * last token but two is likely again, so that there are repeats. */
static inline const float *kit_model(uint64_t salt, const uint32_t *ids,
                                     size_t n)
{
    uint64_t h = kit_mix(salt + 1);
    for (size_t i = n > 3 ? n - 3 : 0; i < n; i++) h = kit_mix(h * 31 + ids[i]);
    for (uint32_t i = 0; i < KIT_WIDTH; i++)
        kit_logits[i] = (float)(kit_mix(h + i) >> 44) / 131072.0f;
    kit_logits[KIT_END] -= 4;
    if (n > 2) kit_logits[ids[n - 3]] += 6;
    return kit_logits;
}

/* The model after what the decoder has. */
static inline const float *kit_next(uint64_t salt, const weir_decoder *d)
{
    size_t n;
    const uint32_t *ids = weir_decoder_tokens(d, &n);
    return kit_model(salt, ids, n);
}

#endif
