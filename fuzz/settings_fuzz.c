/* settings_fuzz.c: any bytes as a request that says how its answer is drawn.
 * The first two say profile and endpoint (from 0, chat): "03{...}".
 *
 * Either there are settings or there is a refusal with a body that is JSON and
 * small. Settings make a sampler and a decoder, and the sampler draws.
 */
#include <stdlib.h>

#include "fuzz/refusal_kit.h"
#include "text/json.h"
#include "weir/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WIDTH = 3 };

static weir_vocab *vocab(void)
{
    static weir_vocab *v;
    static const weir_token tokens[WIDTH] = {
        {{"a", 1}, 0}, {{"b", 1}, 0}, {{"", 0}, WEIR_TOKEN_STOP}};
    if (!v) v = weir_vocab_new(NULL, tokens, WIDTH, NULL, NULL);
    return v;
}

/* Draws until the end, 20 tokens at most. */
static void draw(const weir_settings_info *info)
{
    static const float logits[WIDTH] = {1, 2, -1};
    weir_decoded out = {0};
    weir_sampler *s = weir_sampler_new(NULL, vocab(), &info->sampler, NULL);
    must(s);
    weir_decoder *d = weir_decoder_new(vocab(), s, NULL, &info->decode, NULL);
    must(d);
    for (int i = 0; i < 20 && !out.finish; i++)
        weir_decoder_step(d, logits, WIDTH, &out);
    must(out.finish < WEIR_FINISH_STUCK || info->sampler.bias_count);
    weir_decoder_free(d);
    weir_sampler_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    weir_request_opts opts = {.size = sizeof opts,
                              .profile =
                                  (weir_profile)((uint8_t)(data[0] - '0') % 5),
                              .endpoint = (weir_endpoint)(1 + data[1] % 8),
                              .max_depth = 200};
    weir_bytes text = {(const char *)data + 2, size - 2};
    weir_refusal f;
    weir_settings_info info = {.size = sizeof info};
    weir_settings *s =
        weir_settings_from_request(NULL, vocab(), text, &opts, &f);
    must((s != NULL) == (f.http == 0));
    if (!s) {
        check_refusal(&f);
        return 0;
    }
    weir_settings_describe(s, &info);
    must(info.choices >= 1 && info.choices <= 128);
    draw(&info);
    weir_settings_free(s);
    return 0;
}
