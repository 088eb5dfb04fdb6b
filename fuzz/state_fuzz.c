/* state_fuzz.c: any bytes as the saved state of a matcher.
 *
 * In:    two bytes that choose grammar, vocabulary and termination; a third:
 *        odd: the rest is the state; even: the rest is its list of steps, put
 *        between a right head and a right checksum.
 * Holds: a state that is refused leaves the matcher as it was; one that is
 *        taken gives a matcher whose masks are what each token alone says,
 *        that can be rolled back to the start, and whose own state makes
 *        another matcher the same. Nothing is read beyond the state.
 */
#include "base/hash.h"
#include "fuzz/matcher_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 5 + 16, TAIL = 8, SEEN = 64 };

/* What is known of a place. */
static uint64_t place_of(weir_matcher *m)
{
    int32_t row[KIT_WORDS];
    uint64_t hash = kit_mask(m, row);
    hash = hash_mix(hash, weir_matcher_steps(m));
    hash = hash_mix(hash, weir_matcher_is_completed(m));
    return hash_mix(hash, weir_matcher_is_terminated(m));
}

/* A state of exact size with the steps given; the caller frees it. */
static uint8_t *state_of(weir_matcher *m, const uint8_t *steps, size_t nbytes)
{
    uint8_t *state = malloc(HEAD + nbytes + TAIL);
    uint8_t own[HEAD + 1 + TAIL];
    must(state && weir_matcher_export(m, own, sizeof own) == sizeof own);
    memcpy(state, own, HEAD);
    if (nbytes) memcpy(state + HEAD, steps, nbytes);
    uint64_t sum = fnv1a(FNV_SEED, state, HEAD + nbytes);
    for (int i = 0; i < TAIL; i++)
        state[HEAD + nbytes + (size_t)i] = (uint8_t)(sum >> 8 * i);
    return state;
}

static void check_taken(weir_matcher *m, weir_matcher *other)
{
    uint64_t here = place_of(m);
    size_t size = weir_matcher_export(m, NULL, 0);
    char *state = malloc(size);
    must(state && weir_matcher_export(m, state, size) == size);
    must(weir_matcher_import(other, (weir_bytes){state, size}) == WEIR_OK);
    must(place_of(other) == here);
    free(state);
    while (weir_matcher_steps(m)) {
        size_t some = 1 + weir_matcher_steps(m) / SEEN;
        must(weir_matcher_rollback(m, some) == WEIR_OK);
        must(weir_matcher_rollback(other, some) == WEIR_OK);
        must(place_of(other) == place_of(m));
    }
}

static void check(weir_matcher *m, weir_matcher *other, weir_bytes state)
{
    uint64_t before = place_of(m);
    uint64_t generation = weir_matcher_generation(m);
    weir_status status = weir_matcher_import(m, state);
    if (status) {
        must(weir_matcher_generation(m) == generation);
        must(place_of(m) == before);
    } else {
        check_taken(m, other);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    weir_matcher *m = kit_matcher(data[0], data[1]);
    weir_matcher *other = kit_matcher(data[0], data[1]);
    const uint8_t *rest = data + 3;
    if (data[2] % 2) {
        check(m, other, (weir_bytes){(const char *)rest, size - 3});
    } else {
        uint8_t *state = state_of(m, rest, size - 3);
        check(m, other,
              (weir_bytes){(const char *)state, HEAD + size - 3 + TAIL});
        free(state);
    }
    weir_matcher_free(m);
    weir_matcher_free(other);
    return 0;
}
