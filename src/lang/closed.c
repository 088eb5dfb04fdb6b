/* closed.c: states by their edges.
 *
 * Method: hash-consing; writing is a walk breadth first from the root.
 * Cost:  linear in the edges.
 * Tests: unit/lang_test.c
 */
#include "lang/closed.h"

#include "lang/dfa_writer.h"

void closed_free(Closed *c)
{
    const Mem *mem = c->ctx->mem;
    vec_free(mem, &c->states);
    vec_free(mem, &c->edges);
    map_free(mem, &c->index);
}

/* Most states have one edge. */
static uint64_t state_hash(bool accepts, const DfaEdge *edges, uint32_t count)
{
    if (count != 1) return hash_bytes(accepts, edges, count * sizeof *edges);
    uint64_t h = hash_mix(accepts, (uint64_t)edges->lo << 32 | edges->hi);
    return hash_mix(h, edges->to);
}

bool closed_add(Closed *c, bool accepts, const DfaEdge *edges, uint32_t count,
                uint32_t *state)
{
    LangCtx *ctx = c->ctx;
    uint64_t hash = state_hash(accepts, edges, count);
    for (MapPos p = map_first(&c->index, hash); p.value != MAP_NONE;
         p = map_next(&c->index, hash, p)) {
        assert(c->states.at && p.value < c->states.count);
        const ClosedState *known = &c->states.at[p.value];
        if (known->accepts == accepts && known->count == count &&
            (!count ||
             !memcmp(closed_edges(c, p.value), edges, count * sizeof *edges)))
            return *state = p.value, true;
    }
    *state = c->states.count;
    if (!lang_room(ctx, (uint64_t)*state + 1)) return false;
    ClosedState made = {c->edges.count, count, accepts};
    if (!vec_reserve(ctx->mem, &c->edges, (size_t)made.first + count) ||
        !vec_push(ctx->mem, &c->states, made) ||
        !map_add(ctx->mem, &c->index, hash, *state))
        return lang_no_memory(ctx);
    if (count) memcpy(c->edges.at + made.first, edges, count * sizeof *edges);
    c->edges.count += count;
    return true;
}

#define UNNUMBERED UINT32_MAX

/* `number` has an entry for each state, `order` room for them. */
static const Dfa *write_states(const Closed *c, uint32_t root, uint32_t *number,
                               uint32_t *order)
{
    DfaWriter w;
    uint32_t count = 0;
    dfa_writer_init(&w, c->ctx);
    assert(root < c->states.count && c->states.at);
    memset(number, 0xFF, c->states.count * sizeof *number);
    number[root] = count;
    order[count++] = root;
    for (uint32_t i = 0; i < count && lang_ok(c->ctx); i++) {
        ClosedState state = c->states.at[order[i]];
        const DfaEdge *edge = closed_edges(c, order[i]);
        dfa_writer_state(&w, state.accepts);
        for (uint32_t e = 0; e < state.count; e++) {
            uint32_t to = edge[e].to;
            if (number[to] == UNNUMBERED) {
                number[to] = count;
                order[count++] = to;
            }
            dfa_writer_edge(&w, edge[e].lo, edge[e].hi, number[to]);
        }
    }
    const Dfa *out = dfa_writer_finish(&w);
    dfa_writer_free(&w);
    return out;
}

const Dfa *closed_write(const Closed *c, uint32_t root)
{
    const Mem *mem = c->ctx->mem;
    size_t nbytes = 2 * (size_t)c->states.count * sizeof(uint32_t);
    uint32_t *both = mem_new(mem, nbytes);
    if (!both) return lang_no_memory(c->ctx), lang_none();
    const Dfa *out = write_states(c, root, both, both + c->states.count);
    mem_free(mem, both, nbytes);
    return out;
}
