/* prefix_set.c: one hash of a text's beginnings, byte by byte, looked up at
 * each. Tests: unit/prefix_set_test.c. */
#include "base/prefix_set.h"

/* FNV-1a goes byte by byte; the map wants good high bits. */
static uint64_t key_of(uint64_t fnv)
{
    return hash_mix(FNV_SEED, fnv);
}

bool prefix_set_add(const Mem *mem, PrefixSet *set, Span text)
{
    uint64_t h = key_of(fnv1a(FNV_SEED, text.at, text.size));
    if (!vec_push(mem, &set->texts, text)) return false;
    set->longest = MAX(set->longest, text.size);
    if (map_add(mem, &set->index, h, set->texts.count - 1)) return true;
    set->texts.count--;
    return false;
}

void prefix_set_free(const Mem *mem, PrefixSet *set)
{
    vec_free(mem, &set->texts);
    map_free(mem, &set->index);
}

uint32_t prefix_set_find(const PrefixSet *set, Span text, uint32_t *count)
{
    uint32_t best = PREFIX_NONE;
    uint64_t fnv = FNV_SEED;
    *count = 0;
    for (size_t n = 0; n < MIN(text.size, set->longest);) {
        fnv = fnv1a(fnv, text.at + n, 1);
        n++;
        uint32_t here = PREFIX_NONE;
        uint64_t h = key_of(fnv);
        for (MapPos p = map_first(&set->index, h); p.value != MAP_NONE;
             p = map_next(&set->index, h, p)) {
            if (!span_equal(set->texts.at[p.value], span_of(text.at, n)))
                continue;
            here = MIN(here, p.value);
            ++*count;
        }
        if (here != PREFIX_NONE) best = here;
    }
    return best;
}
