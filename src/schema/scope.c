/* scope.c: interned sets of (name, resource).
 *
 * Method: a set is a run of pairs sorted by name; a new one is put together at
 *        the end of the pool, and taken back if an equal one exists.
 * Cost:  scope_add: the size of the scope, and a search for each name.
 * Tests: unit/scope_test.c
 */
#include "schema/scope.h"

void scopes_init(Scopes *scopes, const Mem *mem)
{
    *scopes = (Scopes){.mem = mem};
    if (!vec_push(mem, &scopes->ranges, (ScopeRange){0, 0}) ||
        !map_add(mem, &scopes->index, hash_bytes(0, NULL, 0), 0))
        scopes->failed = true;
}

void scopes_free(Scopes *scopes)
{
    vec_free(scopes->mem, &scopes->pairs);
    vec_free(scopes->mem, &scopes->ranges);
    map_free(scopes->mem, &scopes->index);
}

/* The first pair of a sorted run whose name is not below `name`. */
static uint32_t lower_bound(const ScopePair *pairs, uint32_t count,
                            uint32_t name)
{
    uint32_t lo = 0;
    while (lo < count) {
        uint32_t middle = lo + (count - lo) / 2;
        if (pairs[middle].name < name)
            lo = middle + 1;
        else
            count = middle;
    }
    return lo;
}

uint32_t scope_find(const Scopes *scopes, uint32_t scope, uint32_t name)
{
    ScopeRange range = scopes->ranges.at[scope];
    if (!range.count) return SCOPE_NOTHING;
    const ScopePair *pairs = scopes->pairs.at + range.begin;
    uint32_t at = lower_bound(pairs, range.count, name);
    return at < range.count && pairs[at].name == name ? pairs[at].resource
                                                      : SCOPE_NOTHING;
}

/* The scope equal to the last `count` pairs of the pool, which are taken back
 * if there was one. */
static uint32_t intern(Scopes *s, uint32_t count)
{
    uint32_t begin = s->pairs.count - count;
    const ScopePair *pairs = s->pairs.at + begin;
    size_t size = count * sizeof *pairs;
    uint64_t hash = hash_bytes(0, pairs, size);
    for (MapPos p = map_first(&s->index, hash); p.value != MAP_NONE;
         p = map_next(&s->index, hash, p)) {
        ScopeRange other = s->ranges.at[p.value];
        if (other.count != count ||
            memcmp(s->pairs.at + other.begin, pairs, size) != 0)
            continue;
        s->pairs.count = begin;
        return p.value;
    }
    if (vec_push(s->mem, &s->ranges, (ScopeRange){begin, count}) &&
        map_add(s->mem, &s->index, hash, s->ranges.count - 1))
        return s->ranges.count - 1;
    s->failed = true;
    return 0;
}

/* Whether there is room for so many pairs more. */
static bool has_room(Scopes *s, size_t count)
{
    size_t need = s->pairs.count + count;
    s->hit_limit = s->hit_limit || need > SCOPE_MAX_PAIRS;
    if (!s->hit_limit && !vec_reserve(s->mem, &s->pairs, need))
        s->failed = true;
    return !s->hit_limit && !s->failed;
}

uint32_t scope_add(Scopes *s, uint32_t scope, const uint32_t *names,
                   uint32_t count, uint32_t resource)
{
    if (s->failed || s->hit_limit) return 0;
    ScopeRange old = s->ranges.at[scope];
    if (!count) return scope;
    if (!has_room(s, (size_t)old.count + count)) return 0;
    ScopePair *pairs = s->pairs.at + s->pairs.count;
    if (old.count)
        memcpy(pairs, s->pairs.at + old.begin, old.count * sizeof *pairs);
    uint32_t n = old.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = lower_bound(pairs, n, names[i]);
        if (at < n && pairs[at].name == names[i]) continue;
        memmove(pairs + at + 1, pairs + at, (n - at) * sizeof *pairs);
        pairs[at] = (ScopePair){names[i], resource};
        n++;
    }
    if (n == old.count) return scope;
    s->pairs.count += n;
    return intern(s, n);
}
