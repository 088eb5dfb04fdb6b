/* encode_normal.c: what a tokenizer does to text before it cuts it.
 *
 * In:    a stretch of text between added tokens.
 * Out:   the stretch, normalised: itself where nothing changes, else a copy
 *        in run->normal. Spaces stand for U+2581 throughout, as in the token
 *        table, so both spellings become a space.
 * Order: NFC, spaces, collapsing, the prepended space (Hugging Face's Prepend
 *        and Replace, SentencePiece's add_dummy_prefix give the same).
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

/* No space at either end, and never two in a row. In place. */
static uint32_t collapse(uint8_t *at, uint32_t size)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < size; i++)
        if (at[i] != ' ' || (out && at[out - 1] != ' ')) at[out++] = at[i];
    return out && at[out - 1] == ' ' ? out - 1 : out;
}

/* Room for `size` more bytes behind the first, which is kept for a space. */
static uint8_t *normal_room(EncodeRun *run, size_t size)
{
    const Mem *mem = &run->encoder->mem;
    if (!vec_reserve(mem, &run->normal, size + 1)) {
        run->failed = true;
        return NULL;
    }
    run->normal.at[0] = ' ';
    run->normal.count = 1;
    return run->normal.at + 1;
}

static bool normal_copy(EncodeRun *run, Span text, bool has_nfc)
{
    uint8_t *at = normal_room(run, text.size);
    if (!at) return false;
    if (has_nfc) return nfc_append(run, text);
    memcpy(at, text.at, text.size);
    run->normal.count += (uint32_t)text.size;
    return true;
}

Span normal_stretch(EncodeRun *run, Span text, bool is_first)
{
    const EncoderSpec *spec = &run->encoder->spec;
    bool has_nfc = spec->nfc && nfc_is_needed(text);
    bool has_marks = spec->space_mark && has_mark(text);
    if (!text.size || (!has_nfc && !has_marks && !spec->collapse_spaces &&
                       spec->prepend == PREPEND_NEVER))
        return text;
    if (!normal_copy(run, text, has_nfc)) return (Span){NULL, 0};
    uint8_t *at = run->normal.at + 1;
    uint32_t size = run->normal.count - 1;
    if (spec->space_mark) size = replace_marks(at, size);
    if (spec->collapse_spaces) size = collapse(at, size);
    bool is_prepended = size && !spec->prepend_unless_space &&
                        (spec->prepend == PREPEND_EACH ||
                         (spec->prepend == PREPEND_FIRST && is_first));
    return is_prepended ? span_of(at - 1, size + 1) : span_of(at, size);
}
