/* random_vocab.c: see random_vocab.h. Every choice comes from the Rng alone,
 * so equal seeds give equal vocabularies. Used by the property tests. */
#include "oracle/random_vocab.h"

#include "base/utf8.h"

/* Neighbours that share bytes, the borders of the encoded lengths and of the
 * surrogates. */
static const uint32_t wide_runes[] = {
    0xE9,   0xE8,   0x80,   0x7FF,   0x800,    0x20AC,  0x20AD,
    0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF, 0x1F600, 0x1F601,
};

/* Of JSON: with quotes, grammars may have heads that must be unique. */
static void json_alphabet(Rng *rng, Alphabet *alphabet)
{
    static const uint32_t runes[] = {'a', 'b', '"', ',', '1'};
    alphabet->count = 4 + rng_below(rng, 2);
    memcpy(alphabet->runes, runes, alphabet->count * sizeof *runes);
}

void random_alphabet(Rng *rng, Alphabet *alphabet)
{
    if (rng_chance(rng, 15)) {
        json_alphabet(rng, alphabet);
        return;
    }
    uint32_t nletters = 2 + rng_below(rng, 3);
    alphabet->count = 0;
    for (uint32_t i = 0; i < nletters; i++)
        alphabet->runes[alphabet->count++] = 'a' + i;
    if (rng_chance(rng, 20)) alphabet->runes[alphabet->count++] = ' ';
    uint32_t nwide = rng_chance(rng, 65) ? 1 + rng_below(rng, 3) : 0;
    for (uint32_t i = 0; i < nwide && alphabet->count < ALPHABET_MAX; i++)
        alphabet->runes[alphabet->count++] =
            wide_runes[rng_below(rng, COUNT_OF(wide_runes))];
}

void random_vocab_add(RandomVocab *vocab, const void *bytes, size_t size,
                      uint32_t flags)
{
    assert(size <= RANDOM_BYTES_MAX && vocab->count < RANDOM_TOKENS_MAX);
    uint32_t id = vocab->count++;
    if (size) memcpy(vocab->bytes[id], bytes, size);
    vocab->tokens[id] = (weir_token){{vocab->bytes[id], size}, flags};
}

/* One to three characters, one of them perhaps cut. */
static size_t random_text(Rng *rng, const Alphabet *alphabet, uint8_t *out)
{
    size_t size = 0;
    uint32_t nrunes = 1 + (rng_chance(rng, 50) ? rng_below(rng, 4) : 0);
    for (uint32_t i = 0; i < nrunes && size + 4 <= RANDOM_BYTES_MAX; i++) {
        uint32_t rune = alphabet->runes[rng_below(rng, alphabet->count)];
        if (rng_chance(rng, 4)) rune = 'x';
        size += utf8_encode(rune, out + size);
    }
    if (!rng_chance(rng, 30) || size < 2) return size;
    size_t from = rng_below(rng, (uint32_t)size);
    size_t to = from + 1 + rng_below(rng, (uint32_t)(size - from));
    memmove(out, out + from, to - from);
    return to - from;
}

static void add_odd_token(Rng *rng, RandomVocab *vocab)
{
    static const char odd[][3] = {"\xFF",     "\x80",     "\xC0\x80",
                                  "\xED\xA0", "\xF4\x90", "\xC3"};
    static const uint32_t odd_flags[] = {WEIR_TOKEN_CONTROL, WEIR_TOKEN_HOLE,
                                         WEIR_TOKEN_ADDED,
                                         WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    uint32_t pick = rng_below(rng, 16);
    if (pick < 4)
        random_vocab_add(vocab, "a", 1, odd_flags[pick]);
    else if (pick < 6)
        random_vocab_add(vocab, "", 0, pick == 4 ? 0 : WEIR_TOKEN_CONTROL);
    else if (pick < 9)
        random_vocab_add(vocab, odd[2 * (pick - 6)],
                         strlen(odd[2 * (pick - 6)]), 0);
    else if (pick < 11)
        random_vocab_add(vocab, odd[2 * (pick - 9) + 1],
                         strlen(odd[2 * (pick - 9) + 1]), 0);
    else if (vocab->count) {
        uint32_t id = rng_below(rng, vocab->count);
        random_vocab_add(vocab, vocab->bytes[id], vocab->tokens[id].bytes.size,
                         vocab->tokens[id].flags);
    }
}

void random_vocab(Rng *rng, const Alphabet *alphabet, RandomVocab *vocab)
{
    uint32_t count = 1 + rng_below(rng, rng_chance(rng, 25) ? 39 : 15);
    vocab->count = 0;
    while (vocab->count < count) {
        uint8_t text[RANDOM_BYTES_MAX];
        if (rng_chance(rng, 18))
            add_odd_token(rng, vocab);
        else {
            size_t size = random_text(rng, alphabet, text);
            random_vocab_add(vocab, text, size, 0);
        }
    }
    if (rng_chance(rng, 85))
        random_vocab_add(vocab, "<end>", 5,
                         WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP);
}

void random_vocab_complete(RandomVocab *vocab)
{
    for (unsigned byte = 0; byte < 256; byte++)
        random_vocab_add(vocab, &(uint8_t){(uint8_t)byte}, 1, 0);
    random_vocab_add(vocab, "<end>", 5, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP);
}
