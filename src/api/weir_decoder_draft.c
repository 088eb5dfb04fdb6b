/* weir_decoder_draft.c: drafts from the tokens before, less what the
 * constraint refuses.
 * Tests: unit/decoder_draft_test.c.
 */
#include "api/decoder.h"
#include "sample/lookup.h"

/* Leaves out the nodes that the constraint refuses, and those below them. */
static bool prune(weir_decoder *d, uint32_t *tokens, uint32_t *parents,
                  size_t *count)
{
    weir_matcher *m = decoder_matcher(d);
    size_t stride = WEIR_MASK_WORDS((size_t)d->vocab->vocab.width), n = 1;
    if (!m || *count < 2) return true;
    if (!vec_reserve(&d->mem, &d->rows, *count * stride)) return false;
    if (weir_matcher_fill_tree(m, tokens, parents, *count, d->rows.at,
                               stride) != WEIR_OK)
        return false;
    uint32_t place[LOOKUP_NODES] = {0};
    for (size_t i = 1; i < *count; i++) {
        const int32_t *row = d->rows.at + parents[i] * stride;
        uint32_t id = tokens[i], parent = place[parents[i]];
        bool is_there = !parents[i] || parent;
        if (!is_there || !((uint32_t)row[id / 32] >> (id % 32) & 1)) continue;
        place[i] = (uint32_t)n;
        tokens[n] = id;
        parents[n++] = parent;
    }
    *count = n;
    return true;
}

size_t weir_decoder_propose(weir_decoder *d, const weir_lookup_opts *given,
                            uint32_t *tokens, uint32_t *parents,
                            size_t capacity)
{
    weir_lookup_opts o = {.size = sizeof o};
    if (given) memcpy(&o, given, MIN(given->size, sizeof o));
    Lookup l = {.taken = d->taken.at,
                .count = d->taken.count,
                .longest = o.longest ? o.longest : 4,
                .shortest = o.shortest ? o.shortest : 2,
                .length = o.length ? o.length : 8,
                .branches = o.branches ? o.branches : 2};
    if (!capacity) return 0;
    tokens[0] = parents[0] = 0;
    if (d->finish) return 1;
    size_t n = lookup_tree(&l, tokens, parents, MIN(capacity, LOOKUP_NODES));
    return prune(d, tokens, parents, &n) ? n : 0;
}
