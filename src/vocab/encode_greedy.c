/* encode_greedy.c: longest match, for tokenizers that are not understood.
 *
 * The ids always spell the text where every byte has a token; they need not
 * be those that the tokenizer's own library would give.
 * Cost:  at most ENCODER_MAX_TRIED look-ups a token. Tests: unit/encode_test.c
 */
#include "vocab/encode_parts.h"

static size_t longest_match(const Encoder *encoder, Span rest, uint32_t *id)
{
    size_t size = MIN(MIN(rest.size, encoder->map.longest), ENCODER_MAX_TRIED);
    for (; size; size--) {
        *id = token_find(encoder, span_of(rest.at, size));
        if (*id != ENCODER_NONE) break;
    }
    return size;
}

void greedy_word(EncodeRun *run, Span word)
{
    const Encoder *encoder = run->encoder;
    bool is_after_unk = false;
    for (size_t pos = 0; pos < word.size;) {
        uint32_t id;
        size_t size = longest_match(
            encoder, span_of(word.at + pos, word.size - pos), &id);
        bool is_unk = false;
        if (!size) {
            size = 1;
            id = encoder->byte_ids[word.at[pos]];
            is_unk = id == ENCODER_NONE;
            if (is_unk) id = encoder->spec.unk;
        }
        if (id != ENCODER_NONE && !(is_unk && is_after_unk)) run_emit(run, id);
        is_after_unk = is_unk;
        pos += size;
    }
}
