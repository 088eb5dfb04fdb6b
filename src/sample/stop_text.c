/* stop_text.c: the algorithm of Knuth, Morris and Pratt, once for each text.
 *
 * Of several texts the one counts that is complete first, so that what is
 * found does not depend on how the output comes in pieces.
 * Holds: `matched` is the length of the longest part of the output's end that
 * the text begins with.
 * Cost: on average two comparisons a byte and text.
 * Tests: unit/decoder_test.c.
 */
#include "sample/stop_text.h"

static bool stop_init(StopText *s, const Mem *mem, weir_bytes text)
{
    size_t n = text.size;
    s->size = (uint16_t)n;
    s->text = mem_new(mem, n);
    s->fail = mem_new(mem, (n + 1) * sizeof *s->fail);
    if (!s->text || !s->fail) return false;
    memcpy(s->text, text.data, n);
    s->fail[0] = s->fail[1] = 0;
    for (size_t i = 1; i < n; i++) {
        uint16_t k = s->fail[i];
        while (k && s->text[k] != s->text[i]) k = s->fail[k];
        s->fail[i + 1] = (uint16_t)(k + (s->text[k] == s->text[i]));
    }
    return true;
}

bool stops_init(StopTexts *s, const Mem *mem, const weir_bytes *texts,
                size_t count)
{
    if (!count) return true;
    s->at = mem_zero(mem, count * sizeof *s->at);
    if (!s->at) return false;
    for (s->count = 0; s->count < count; s->count++) {
        assert(texts[s->count].size && texts[s->count].size <= STOP_BYTES);
        s->longest = MAX(s->longest, texts[s->count].size);
        if (stop_init(&s->at[s->count], mem, texts[s->count])) continue;
        s->count = count; /* the others are zero */
        return false;
    }
    return true;
}

void stops_free(StopTexts *s, const Mem *mem)
{
    for (size_t i = 0; i < s->count; i++) {
        mem_free(mem, s->at[i].text, s->at[i].size);
        mem_free(mem, s->at[i].fail,
                 (s->at[i].size + 1u) * sizeof *s->at[i].fail);
    }
    mem_free(mem, s->at, s->count * sizeof *s->at);
}

static bool stop_step(StopText *s, uint8_t byte)
{
    uint16_t k = s->matched == s->size ? s->fail[s->size] : s->matched;
    while (k && s->text[k] != byte) k = s->fail[k];
    s->matched = (uint16_t)(k + (s->text[k] == byte));
    return s->matched == s->size;
}

bool stops_read(StopTexts *s, Span bytes, size_t *end, size_t *which)
{
    for (size_t i = 0; i < bytes.size && s->count; i++) {
        size_t found = s->count;
        for (size_t k = 0; k < s->count; k++)
            if (stop_step(&s->at[k], bytes.at[i]) &&
                (found == s->count || s->at[k].size > s->at[found].size))
                found = k;
        if (found == s->count) continue;
        *end = i + 1;
        *which = found;
        return true;
    }
    return false;
}

size_t stops_held(const StopTexts *s)
{
    size_t held = 0;
    for (size_t i = 0; i < s->count; i++) held = MAX(held, s->at[i].matched);
    return held;
}

void stops_restart(StopTexts *s, Span text)
{
    size_t from = text.size > s->longest ? text.size - s->longest : 0;
    for (size_t k = 0; k < s->count; k++) {
        s->at[k].matched = 0;
        for (size_t i = from; i < text.size; i++)
            stop_step(&s->at[k], text.at[i]);
    }
}
