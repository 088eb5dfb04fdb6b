/* dry_breakers.c: DRY's breakers as tokens.
 *
 * A text may lie within a token, or begin in one and go on in those that
 * follow; then the tokens of its rest are the tail. As in llama.cpp texts have
 * at most TEXT_MOST bytes and tails TAIL_MOST tokens, and more is cut off.
 * Tests: unit/sampling_recorded_test.c (runs dry, dry-words).
 */
#include "sample/penalties.h"

#include <stdlib.h>

enum { TEXT_MOST = 40, TAIL_MOST = 20 };

typedef struct Finder {
    Breakers *b;
    const Mem *mem;
    const BreakerVocab *vocab;
    weir_bytes text;
    uint32_t first; /* of the text's own breakers of the present head */
} Finder;

static bool has_text(weir_bytes token, weir_bytes text)
{
    for (size_t i = 0; i + text.size <= token.size; i++)
        if (!memcmp(token.data + i, text.data, text.size)) return true;
    return false;
}

static bool same_tail(const Finder *f, const Breaker *a, const uint32_t *tail,
                      uint32_t n)
{
    return a->end - a->begin == n &&
           (!n || !memcmp(f->b->tails.at + a->begin, tail, n * sizeof *tail));
}

/* Adds the breaker unless the head has it. */
static bool add(Finder *f, uint32_t head, const uint32_t *tail, uint32_t n)
{
    Breakers *b = f->b;
    for (uint32_t i = f->first; i < b->list.count; i++)
        if (same_tail(f, &b->list.at[i], tail, n)) return true;
    uint32_t begin = b->tails.count;
    for (uint32_t i = 0; i < n; i++)
        if (!vec_push(f->mem, &b->tails, tail[i])) return false;
    return vec_push(f->mem, &b->list, (Breaker){head, begin, begin + n});
}

/* The token ends with the first bytes of the text; the rest is encoded. */
static bool add_rest(Finder *f, uint32_t head, size_t have)
{
    uint32_t tail[TEXT_MOST];
    weir_bytes rest = {f->text.data + have, f->text.size - have};
    size_t n = f->vocab->encode(f->vocab->user, rest, tail, TEXT_MOST);
    if (n == SIZE_MAX) return false;
    return add(f, head, tail, (uint32_t)MIN(n, TAIL_MOST));
}

static bool find_in(Finder *f, uint32_t id)
{
    weir_bytes token = f->vocab->token(f->vocab->user, id);
    f->first = f->b->list.count;
    if (has_text(token, f->text)) return add(f, id, NULL, 0);
    size_t from = token.size > f->text.size ? token.size - f->text.size : 0;
    for (size_t i = from; i < token.size; i++) {
        size_t have = token.size - i;
        if (!memcmp(token.data + i, f->text.data, have) &&
            !add_rest(f, id, have))
            return false;
    }
    return true;
}

static int by_head(const void *a, const void *b)
{
    uint32_t x = ((const Breaker *)a)->head, y = ((const Breaker *)b)->head;
    return (x > y) - (x < y);
}

bool breakers_find(Breakers *b, const Mem *mem, const BreakerVocab *vocab,
                   const weir_bytes *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        weir_bytes text = {texts[i].data, MIN(texts[i].size, TEXT_MOST)};
        Finder f = {.b = b, .mem = mem, .vocab = vocab, .text = text};
        if (!text.size) continue;
        for (uint32_t id = 0; id < vocab->width; id++)
            if (!find_in(&f, id)) return false;
    }
    if (b->list.count)
        qsort(b->list.at, b->list.count, sizeof *b->list.at, by_head);
    return true;
}

void breakers_free(Breakers *b, const Mem *mem)
{
    vec_free(mem, &b->list);
    vec_free(mem, &b->tails);
}

bool breakers_copy(Breakers *to, const Breakers *from, const Mem *mem)
{
    for (uint32_t i = 0; i < from->list.count; i++)
        if (!vec_push(mem, &to->list, from->list.at[i])) return false;
    for (uint32_t i = 0; i < from->tails.count; i++)
        if (!vec_push(mem, &to->tails, from->tails.at[i])) return false;
    return true;
}
