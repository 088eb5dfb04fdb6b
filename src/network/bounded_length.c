/* bounded_length.c: breadth first by bytes over (position, characters left).
 *
 * Fewer bytes may be more characters, so the nearest exit in bytes may be out
 * of reach. A position that was reached before is of use again only with more
 * characters left. Places from which the exit cannot be reached in what is left
 * are never entered, so each level has a way on.
 * Cost: a look at each place within the length found, for most languages; at
 * worst once for each number of characters.   Tests: unit/finish_test.c,
 * prop/finish_vs_oracle_test.c.
 */
#include "network/bounded_length.h"

#include "network/lengths.h"

typedef struct Place {
    uint32_t pos, left;
} Place;

typedef struct Level {
    VEC(Place) places;
} Level;

typedef struct Search {
    const Mem *mem;
    const Nfa *nfa;
    uint32_t *seen; /* by position: 1 + the most that was left there, or 0 */
    Level now, next;
} Search;

static bool is_exit(const Nfa *nfa, uint32_t pos)
{
    if (pos == NFA_EXIT) return true;
    for (uint32_t e = nfa->edge_start[pos]; e < nfa->edge_start[pos + 1]; e++)
        if (nfa->edges[e].kind == NFA_EMPTY && nfa->edges[e].to == NFA_EXIT)
            return true;
    return false;
}

static bool place_add(Search *s, Level *level, Place p)
{
    if (s->nfa->bound[p.pos].need > p.left || s->seen[p.pos] > p.left)
        return true;
    s->seen[p.pos] = p.left + 1;
    return vec_push(s->mem, &level->places, p);
}

/* What a byte leads to from p. */
static bool place_leave(Search *s, Place p)
{
    const Nfa *nfa = s->nfa;
    for (uint32_t e = nfa->edge_start[p.pos]; e < nfa->edge_start[p.pos + 1];
         e++) {
        uint32_t to = nfa->edges[e].to;
        bool ticks = nfa->bound[to].ticks;
        if (nfa->edges[e].kind != NFA_BYTE || (ticks && !p.left)) continue;
        if (!place_add(s, &s->next, (Place){to, p.left - ticks})) return false;
    }
    return true;
}

/* True with *length unchanged: the exit was not reached. The empty text does
 * not count for a solid one, and the way may lead through the start again. */
static bool search_run(Search *s, bool is_solid, uint32_t *length)
{
    for (uint32_t i = 0; is_solid && i < s->now.places.count; i++)
        s->seen[s->now.places.at[i].pos] = 0;
    for (uint32_t n = 0; s->now.places.count; n++) {
        for (uint32_t i = 0; (n || !is_solid) && i < s->now.places.count; i++)
            if (is_exit(s->nfa, s->now.places.at[i].pos)) {
                *length = n;
                return true;
            }
        s->next.places.count = 0;
        for (uint32_t i = 0; i < s->now.places.count; i++)
            if (!place_leave(s, s->now.places.at[i])) return false;
        Level spare = s->now;
        s->now = s->next;
        s->next = spare;
    }
    return true;
}

bool bounded_length(const Mem *mem, const BoundedSearch *search,
                    uint32_t *length)
{
    const Nfa *nfa = search->nfa;
    Search s = {.mem = mem, .nfa = nfa};
    size_t size = nfa->npos * sizeof *s.seen;
    *length = LENGTH_NONE;
    s.seen = mem_zero(mem, size);
    bool ok = s.seen != NULL;
    for (uint32_t i = 0; ok && i < search->npos; i++) {
        Place p = {search->pos[i], search->left};
        ok = place_add(&s, &s.now, p);
    }
    ok = ok && search_run(&s, search->is_solid, length);
    mem_free(mem, s.seen, size);
    vec_free(mem, &s.now.places);
    vec_free(mem, &s.next.places);
    return ok;
}
