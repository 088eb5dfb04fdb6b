/* encode_map.c: from a token's bytes to its id.
 *
 * In:    the token table; ids to leave out.   Out: TokenMap.
 * Method: open addressing with linear probing, at most half full; a slot keeps
 *        32 bits of the hash, so nearly every failed look-up ends in one read.
 * Cost:  about 30 ns a token to build, 10 ns a look-up while it is cached.
 * Tests: unit/encode_test.c
 */
#include "base/hash.h"
#include "vocab/encode_parts.h"

static Span bytes_of(const Encoder *encoder, uint32_t id)
{
    const uint32_t *start = encoder->tokens.start + id;
    return span_of(encoder->tokens.bytes + start[0], start[1] - start[0]);
}

/* Up to 8 bytes as a number, without reading beyond them. */
static uint64_t load_short(const uint8_t *p, size_t n)
{
    uint64_t word = 0;
    if (n >= 4) {
        uint32_t lo, hi;
        memcpy(&lo, p, 4);
        memcpy(&hi, p + n - 4, 4);
        return (uint64_t)hi << 32 | lo;
    }
    if (n) word = p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16;
    return word;
}

static uint64_t hash_token(Span bytes)
{
    uint64_t h = bytes.size * 0x9e3779b97f4a7c15u, word;
    size_t i = 0;
    for (; bytes.size - i > 8; i += 8) {
        memcpy(&word, bytes.at + i, 8);
        h = hash_mix(h, word);
    }
    return hash_mix(h, load_short(bytes.at + i, bytes.size - i));
}

static uint32_t probe(const Encoder *encoder, Span bytes, uint64_t hash,
                      uint32_t *slot)
{
    const TokenMap *map = &encoder->map;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (*slot = tag & (map->cap - 1);; *slot = (*slot + 1) & (map->cap - 1)) {
        uint64_t cell = map->slot[*slot];
        if (!cell) return ENCODER_NONE;
        uint32_t id = (uint32_t)cell - 1;
        if ((uint32_t)(cell >> 32) == tag &&
            span_equal(bytes, bytes_of(encoder, id)))
            return id;
    }
}

uint32_t token_find(const Encoder *encoder, Span bytes)
{
    uint32_t slot;
    if (!bytes.size || bytes.size > encoder->map.longest) return ENCODER_NONE;
    return probe(encoder, bytes, hash_token(bytes), &slot);
}

/* skip: by id, 1 for tokens that text does not reach through the model. */
bool token_map_build(Encoder *encoder, const uint8_t *skip)
{
    TokenMap *map = &encoder->map;
    uint32_t count = encoder->tokens.count, slot;
    if (count > UINT32_MAX / 4) return false;
    for (map->cap = 16; map->cap < count * 2; map->cap *= 2) {}
    map->slot = mem_zero(&encoder->mem, (size_t)map->cap * sizeof *map->slot);
    if (!map->slot) return false;
    encoder->memory += (size_t)map->cap * sizeof *map->slot;
    for (uint32_t id = 0; id < count; id++) {
        Span bytes = bytes_of(encoder, id);
        if (!bytes.size || skip[id]) continue;
        uint64_t hash = hash_token(bytes);
        if (probe(encoder, bytes, hash, &slot) != ENCODER_NONE) continue;
        map->slot[slot] = (hash >> 32) << 32 | (id + 1);
        map->longest = MAX(map->longest, (uint32_t)bytes.size);
    }
    return true;
}
