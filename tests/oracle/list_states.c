/* list_states.c: a list's counters by brute force.
 *
 * Method: from the start, every kind from every state that is found. A counter
 *         beyond its maximum is no state; one without a maximum stops where it
 *         is enough.
 * Tests:  unit/list_test.c holds the engine's look-ahead against it.
 */
#include "oracle/list_states.h"

#include <stdlib.h>

static uint32_t count_up(ListCounter c, uint32_t value)
{
    uint32_t enough = MAX(c.lo, 1);
    if (c.hi != REPEAT_INF) return value + 1;
    return MIN(value + 1, enough);
}

static bool group_allows(const ListSpec *list, const ListState *s,
                         bool is_start, uint32_t order)
{
    if (is_start) return !list->is_contiguous || order == 0;
    if (order < s->group) return false;
    return !list->is_contiguous || order <= s->group + 1;
}

static bool holds(const ListNeed *n, const ListState *s)
{
    if (s->value[n->then]) return true;
    for (uint32_t i = 0; i < n->nwhen; i++)
        if (!s->value[n->when[i]]) return true;
    return false;
}

static bool is_satisfied(const ListSpec *list, const ListState *s)
{
    for (uint32_t c = 0; c < list->ncounters; c++)
        if (s->value[c] < list->counters[c].lo ||
            s->value[c] > list->counters[c].hi)
            return false;
    for (uint32_t i = 0; i < list->nneeds; i++)
        if (!holds(&list->needs[i], s)) return false;
    return true;
}

static uint16_t state_find(ListStates *states, const ListSpec *list,
                           const ListState *new)
{
    for (uint32_t i = 1; i < states->count; i++)
        if (states->at[i].group == new->group &&
            !memcmp(states->at[i].value, new->value, sizeof new->value))
            return (uint16_t)i;
    assert(states->count < LIST_STATES_MAX);
    if (states->count == states->cap) {
        states->cap *= 4;
        states->at = realloc(states->at, states->cap * sizeof *states->at);
        assert(states->at);
    }
    ListState *made = &states->at[states->count++];
    *made = *new;
    memset(made->next, 0, sizeof made->next);
    made->ends = is_satisfied(list, new);
    return (uint16_t)(states->count - 1);
}

/* The state after an item of the kind; 0: not allowed. */
static uint16_t state_next(ListStates *states, const ListSpec *list,
                           uint32_t from, const ListKind *kind)
{
    ListState s = states->at[from];
    if (!group_allows(list, &s, from == 0, kind->order)) return 0;
    s.group = kind->order;
    for (uint32_t i = 0; i < kind->ncounters; i++) {
        uint32_t c = kind->counters[i];
        s.value[c] = count_up(list->counters[c], s.value[c]);
        if (s.value[c] > list->counters[c].hi) return 0;
    }
    return state_find(states, list, &s);
}

void list_states_make(ListStates *states, const ListSpec *list)
{
    assert(list->nkinds <= LIST_KINDS_MAX);
    assert(list->ncounters <= LIST_COUNTERS_MAX);
    states->cap = 16;
    states->at = calloc(states->cap, sizeof *states->at);
    assert(states->at);
    states->count = 1;
    for (uint32_t s = 0; s < states->count; s++)
        for (uint32_t k = 0; k < list->nkinds; k++) {
            uint16_t to = state_next(states, list, s, &list->kinds[k]);
            states->at[s].next[k] = to;
        }
}

void list_states_free(ListStates *states)
{
    free(states->at);
}

void list_states_live(const ListStates *states, const ListSpec *list,
                      const bool *usable, bool can_go_on, bool *live)
{
    for (uint32_t s = 0; s < states->count; s++) live[s] = states->at[s].ends;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < states->count; s++)
            for (uint32_t k = 0; k < list->nkinds && !live[s]; k++) {
                uint32_t to = states->at[s].next[k];
                bool open = usable[k] && (!s || can_go_on);
                if (to && open && live[to]) live[s] = changed = true;
            }
    }
}
