/* encode_symbols.c: a word as its first symbols, before anything merges.
 *
 * In:    a word.   Out: run->symbols: one a byte (byte-level), or one a
 *        character; characters without a token become byte tokens or unk,
 *        which never merge. What has no token at all is left out, and its
 *        neighbours then touch, as in the reference.
 * Tests: unit/encode_test.c
 */
#include "base/utf8.h"
#include "vocab/encode_parts.h"

static void push(EncodeRun *run, uint32_t begin, size_t end, uint32_t id,
                 bool is_fixed)
{
    Symbol symbol = {.begin = begin,
                     .end = (uint32_t)end,
                     .id = id,
                     .rank = ENCODER_NONE,
                     .is_fixed = is_fixed};
    if (!vec_push(&run->encoder->mem, &run->symbols, symbol))
        run->failed = true;
}

static bool has_byte_tokens(const Encoder *encoder, Span bytes)
{
    if (!encoder->spec.byte_fallback) return false;
    for (size_t i = 0; i < bytes.size; i++)
        if (encoder->byte_ids[bytes.at[i]] == ENCODER_NONE) return false;
    return true;
}

static void push_unk(EncodeRun *run, uint32_t begin, size_t end)
{
    const EncoderSpec *spec = &run->encoder->spec;
    Symbol *last =
        run->symbols.count ? &run->symbols.at[run->symbols.count - 1] : NULL;
    if (spec->fuse_unk && last && last->is_fixed && last->id == spec->unk &&
        last->end == begin)
        last->end = (uint32_t)end;
    else
        push(run, begin, end, spec->unk, true);
}

/* The character [begin, end) of the word; false when it has no token. */
static bool push_rune(EncodeRun *run, Span word, size_t begin, size_t end)
{
    const Encoder *encoder = run->encoder;
    Span bytes = span_of(word.at + begin, end - begin);
    uint32_t id = token_find(encoder, bytes);
    if (id != ENCODER_NONE) {
        push(run, (uint32_t)begin, end, id, false);
    } else if (has_byte_tokens(encoder, bytes)) {
        for (size_t i = begin; i < end; i++)
            push(run, (uint32_t)i, i + 1, encoder->byte_ids[word.at[i]], true);
    } else if (encoder->spec.unk != ENCODER_NONE) {
        push_unk(run, (uint32_t)begin, end);
    } else {
        return false;
    }
    return true;
}

static bool push_byte(EncodeRun *run, Span word, size_t pos)
{
    uint32_t id = run->encoder->byte_ids[word.at[pos]];
    if (id == ENCODER_NONE) return push_rune(run, word, pos, pos + 1);
    push(run, (uint32_t)pos, pos + 1, id, false);
    return true;
}

static bool push_next(EncodeRun *run, Span word, size_t *pos)
{
    size_t begin = *pos;
    if (run->encoder->spec.byte_level) return push_byte(run, word, (*pos)++);
    utf8_decode(word, pos);
    return push_rune(run, word, begin, *pos);
}

/* The word without what has no token. The symbols are those of that text:
 * what is left out goes before any merge. */
static Span word_kept(EncodeRun *run, Span word)
{
    ByteVec *kept = &run->kept;
    kept->count = 0;
    if (!vec_reserve(&run->encoder->mem, kept, word.size) || !kept->at) {
        run->failed = true;
        return word;
    }
    for (size_t pos = 0; pos < word.size && !run->failed;) {
        size_t begin = pos;
        if (!push_next(run, word, &pos)) continue;
        memcpy(kept->at + kept->count, word.at + begin, pos - begin);
        kept->count += (uint32_t)(pos - begin);
    }
    run->symbols.count = 0;
    return span_of(kept->at, kept->count);
}

Span symbols_make(EncodeRun *run, Span word)
{
    run->symbols.count = 0;
    if (run->encoder->has_drops) word = word_kept(run, word);
    if (!vec_reserve(&run->encoder->mem, &run->symbols, word.size))
        run->failed = true;
    for (size_t pos = 0; pos < word.size && !run->failed;)
        push_next(run, word, &pos);
    return word;
}
