/* encode_normal.c: what a tokenizer does to text before it cuts it.
 *
 * In:    a stretch of text between added tokens.
 * Out:   the stretch, normalised: itself where nothing changes, else a copy.
 *        Spaces stand for U+2581 throughout, as in the token table, so both
 *        spellings become a space.
 * Order: NFC, collapsing (which does not see U+2581, but at the end, as in
 *        SentencePiece), spaces, the prepended space. Where
 *        the file has a pre-tokenizer for spaces in place of a normaliser
 *        (Metaspace, ByteLevel), they come later: after those added tokens
 *        that are looked for in normalised text.
 * Cost:  linear. Tests: unit/encode_test.c
 */
#include "vocab/encode_parts.h"

static const uint8_t mark[3] = {0xE2, 0x96, 0x81}; /* U+2581 */

static bool has_mark(Span text)
{
    const uint8_t *p = text.at, *end = text.at + text.size;
    while (p && (size_t)(end - p) >= sizeof mark) {
        p = memchr(p, mark[0], (size_t)(end - p) - 2);
        if (p && !memcmp(p, mark, sizeof mark)) return true;
        if (p) p++;
    }
    return false;
}

/* In place; returns the new size. */
static uint32_t replace_marks(uint8_t *at, uint32_t size)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < size; out++) {
        bool is_mark = size - i >= 3 && !memcmp(at + i, mark, sizeof mark);
        at[out] = is_mark ? ' ' : at[i];
        i += is_mark ? 3 : 1;
    }
    return out;
}

/* No space at the start, and never two in a row. In place. */
static uint32_t collapse(uint8_t *at, uint32_t size)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < size; i++)
        if (at[i] != ' ' || (out && at[out - 1] != ' ')) at[out++] = at[i];
    return out;
}

static uint32_t trim_end(const uint8_t *at, uint32_t size)
{
    while (size && at[size - 1] == ' ') size--;
    return size;
}

static bool is_prepended(const EncodeRun *run, bool is_first)
{
    const EncoderSpec *spec = &run->encoder->spec;
    if (is_first && run->is_behind) return false;
    return spec->prepend == PREPEND_EACH ||
           (spec->prepend == PREPEND_FIRST && is_first);
}

/* Makes `to` a space and then `text`; returns where the text stands in it. */
static uint8_t *copy_spaced(EncodeRun *run, ByteVec *to, Span text)
{
    to->count = 0;
    if (!vec_reserve(&run->encoder->mem, to, text.size + 1)) {
        run->failed = true;
        return NULL;
    }
    to->at[0] = ' ';
    memcpy(to->at + 1, text.at, text.size);
    to->count = (uint32_t)text.size + 1;
    return to->at + 1;
}

Span normal_stretch(EncodeRun *run, Span text, bool is_first)
{
    const EncoderSpec *spec = &run->encoder->spec;
    bool is_late = spec->prepend_unless_space;
    bool has_nfc = spec->nfc && nfc_is_needed(text);
    bool has_marks = spec->space_mark && !is_late && has_mark(text);
    bool has_space = !is_late && is_prepended(run, is_first);
    if (!text.size ||
        (!has_nfc && !has_marks && !has_space && !spec->collapse_spaces))
        return text;
    uint8_t *at =
        has_nfc ? nfc_spaced(run, text) : copy_spaced(run, &run->normal, text);
    if (!at) return (Span){NULL, 0};
    uint32_t size = run->normal.count - 1;
    if (spec->collapse_spaces) size = collapse(at, size);
    if (has_marks) size = replace_marks(at, size);
    if (spec->collapse_spaces) size = trim_end(at, size);
    return has_space && size ? span_of(at - 1, size + 1) : span_of(at, size);
}

Span normal_late(EncodeRun *run, Span text, bool is_first)
{
    const EncoderSpec *spec = &run->encoder->spec;
    if (!spec->prepend_unless_space || !text.size) return text;
    bool has_marks = spec->space_mark && has_mark(text);
    bool has_space = is_prepended(run, is_first);
    if (!has_marks && (!has_space || text.at[0] == ' ')) return text;
    uint8_t *at = copy_spaced(run, &run->late, text);
    if (!at) return (Span){NULL, 0};
    uint32_t size = run->late.count - 1;
    if (has_marks) size = replace_marks(at, size);
    return has_space && *at != ' ' ? span_of(at - 1, size + 1)
                                   : span_of(at, size);
}
