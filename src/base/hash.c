/* hash.c: byte hashing and the Map index: linear probing, at most half full,
 * values never removed, placed by the hash's high half, which cells keep. */
#include "base/hash.h"

/* A step of a lane: what differs in the high bits goes on to the low ones. */
static inline uint64_t lane_step(uint64_t lane, const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    lane ^= word;
    return (lane << 29 | lane >> 35) * 0xd6e8feb86659fd93u;
}

/* Four lanes of 8 bytes each, for what is long. */
static uint64_t hash_long(uint64_t h, const uint8_t *p, size_t nblocks)
{
    uint64_t lane[4] = {h, h + 1, h + 2, h + 3};
    for (; nblocks; p += 32, nblocks--)
        for (int i = 0; i < 4; i++) lane[i] = lane_step(lane[i], p + 8 * i);
    for (int i = 0; i < 4; i++) h = hash_mix(h, lane[i]);
    return h;
}

/* Up to 7 bytes as a word, zeros above them. */
static inline uint64_t short_word(const uint8_t *p, size_t nbytes)
{
    uint32_t lo, hi;
    if (!nbytes) return 0;
    if (nbytes < 4)
        return p[0] | (uint64_t)p[nbytes / 2] << 8 * (nbytes / 2) |
               (uint64_t)p[nbytes - 1] << 8 * (nbytes - 1);
    memcpy(&lo, p, 4);
    memcpy(&hi, p + nbytes - 4, 4);
    return lo | (uint64_t)hi << 8 * (nbytes - 4);
}

uint64_t hash_bytes(uint64_t seed, const void *data, size_t nbytes)
{
    const uint8_t *p = data;
    uint64_t h = seed ^ (nbytes * 0x9e3779b97f4a7c15u);
    if (nbytes >= 128) {
        h = hash_long(h, p, nbytes / 32);
        p += nbytes / 32 * 32;
        nbytes %= 32;
    }
    for (; nbytes >= 8; p += 8, nbytes -= 8) h = lane_step(h, p);
    return hash_mix(h, short_word(p, nbytes));
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static MapPos map_probe(const Map *map, uint64_t hash, uint32_t slot)
{
    for (;; slot++) {
        slot &= map->cap - 1;
        uint64_t cell = map->slot[slot];
        if (!cell) return (MapPos){slot, MAP_NONE};
        if ((uint32_t)(cell >> 32) == tag_of(hash))
            return (MapPos){slot, (uint32_t)cell - 1};
    }
}

MapPos map_first(const Map *map, uint64_t hash)
{
    if (!map->cap) return (MapPos){0, MAP_NONE};
    return map_probe(map, hash, tag_of(hash));
}

MapPos map_next(const Map *map, uint64_t hash, MapPos pos)
{
    return map_probe(map, hash, pos.slot + 1);
}

static void map_put(Map *map, uint64_t cell)
{
    uint32_t slot = (uint32_t)(cell >> 32) & (map->cap - 1);
    while (map->slot[slot]) slot = (slot + 1) & (map->cap - 1);
    map->slot[slot] = cell;
    map->count++;
}

bool map_reserve(const Mem *mem, Map *map, uint32_t count)
{
    if (count <= map->cap / 2) return true;
    uint32_t cap = MAX(map->cap, 16);
    while (cap / 2 < count && cap < 1u << 31) cap *= 2;
    Map grown = {.slot = mem_zero(mem, size_mul(cap, sizeof *map->slot)),
                 .cap = cap};
    if (!grown.slot) return false;
    for (uint32_t i = 0; i < map->cap; i++)
        if (map->slot[i]) map_put(&grown, map->slot[i]);
    map_free(mem, map);
    *map = grown;
    return true;
}

bool map_add(const Mem *mem, Map *map, uint64_t hash, uint32_t value)
{
    assert(value != MAP_NONE);
    if (map->count >= map->cap / 2 && !map_reserve(mem, map, map->count + 1))
        return false;
    map_put(map, (uint64_t)tag_of(hash) << 32 | (value + 1));
    return true;
}

void map_clear(const Mem *mem, Map *map)
{
    enum { KEEP = 1024 };
    if (map->cap > KEEP) {
        map_free(mem, map);
        return;
    }
    if (map->count) memset(map->slot, 0, map->cap * sizeof *map->slot);
    map->count = 0;
}

bool map_copy(const Mem *mem, Map *map, const Map *from)
{
    size_t nbytes = map_bytes(from);
    *map = *from;
    if (!nbytes) return true;
    map->slot = mem_new(mem, nbytes);
    if (map->slot)
        memcpy(map->slot, from->slot, nbytes);
    else
        *map = (Map){0};
    return map->slot != NULL;
}

void map_free(const Mem *mem, Map *map)
{
    mem_free(mem, map->slot, map->cap * sizeof *map->slot);
    *map = (Map){0};
}
