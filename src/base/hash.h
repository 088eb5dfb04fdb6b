/* hash.h: hashing of bytes and words (FNV-1a 64, and a mixer by multiply and
 * fold), and Map: an index from hashes to u32 values whose keys live with the
 * caller. */
#ifndef WEIR_BASE_HASH_H
#define WEIR_BASE_HASH_H

#include "base/mem.h"

#define FNV_SEED 0xcbf29ce484222325u

static inline uint64_t fnv1a(uint64_t h, const void *data, size_t nbytes)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < nbytes; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

/* Mixes one word into a hash; good in all bits. */
static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
    h ^= word + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    return h;
}

/* Bytes, eight at a time; of long texts in four lanes. */
uint64_t hash_bytes(uint64_t seed, const void *data, size_t nbytes);

/* Open addressing; a slot holds value + 1 and 32 bits of the hash. Several
 * values may share a hash: the caller compares its keys.
 *
 *     for (MapPos p = map_first(&m, h); p.value != MAP_NONE;
 *          p = map_next(&m, h, p))
 *         if (same(key, items[p.value])) return p.value;
 *     map_add(mem, &m, h, new_value);
 */
#define MAP_NONE UINT32_MAX

typedef struct Map {
    uint64_t *slot;
    uint32_t cap, count; /* cap: 0 or a power of two */
} Map;

typedef struct MapPos {
    uint32_t slot, value;
} MapPos;

MapPos map_first(const Map *map, uint64_t hash);
MapPos map_next(const Map *map, uint64_t hash, MapPos pos);
bool map_add(const Mem *mem, Map *map, uint64_t hash, uint32_t value);
bool map_reserve(const Mem *mem, Map *map, uint32_t count);
/* Empties it; the memory of a small one stays. */
void map_clear(const Mem *mem, Map *map);
/* Into an empty one. */
bool map_copy(const Mem *mem, Map *map, const Map *from);
void map_free(const Mem *mem, Map *map);
static inline size_t map_bytes(const Map *map)
{
    return map->cap * sizeof *map->slot;
}

#endif
