/* list_length.c: shortest lists.
 *
 * The rest of a list from a state is the rest of the item, or of the separator
 * and an item, and what the tally after it asks for (list_cheapest.c). A
 * position that is part of the items of several kinds is told apart by kind:
 * what is left of such an item is its length less the bytes read.
 * Tests: prop/finish_vs_oracle_test.c.
 */
#include "network/list_length.h"

/* Longer ones are not told apart from none: so sums of many fit. */
#define MAX_COST ((uint64_t)1 << 30)

static uint64_t cost_of(uint32_t head, uint32_t tail, uint64_t separator)
{
    if (head == LENGTH_NONE || tail == LENGTH_NONE) return LIST_NO_COST;
    uint64_t cost = (uint64_t)head + tail + separator;
    return cost < MAX_COST ? cost : LIST_NO_COST;
}

/* A list whose separator has no text has one item. */
static bool find_items(const ListSpec *list, const uint32_t *by_node,
                       uint64_t *separator, uint64_t *item)
{
    bool is_single = by_node[list->separator] == LENGTH_NONE;
    *separator = is_single ? 0 : by_node[list->separator];
    for (uint32_t k = 0; k < list->nkinds; k++)
        item[k] = cost_of(by_node[list->kinds[k].head],
                          by_node[list->kinds[k].tail], *separator);
    return is_single;
}

static uint32_t cost_length(SolveAnswer answer, uint64_t cost)
{
    return answer == SOLVE_YES && cost < LENGTH_NONE ? (uint32_t)cost
                                                     : LENGTH_NONE;
}

bool list_length(const Mem *mem, const ListSpec *list, const uint32_t *by_node,
                 uint32_t *length)
{
    size_t nbytes = list->nkinds * (sizeof(uint64_t) + 1);
    uint64_t *item = mem_new(mem, nbytes);
    if (!item) return false;
    uint8_t *next = (uint8_t *)(item + list->nkinds);
    uint64_t separator, cost = 0;
    bool is_single = find_items(list, by_node, &separator, item);
    ListOutlook out = {false, next};
    ListCount lc;
    bool ok = listcount_init(&lc, mem, list, is_single);
    if (ok) {
        SolveAnswer answer = listcount_look(&lc, &tally_start, &out);
        if (answer == SOLVE_YES)
            answer =
                listcount_cheapest_next(&lc, &tally_start, item, next, &cost);
        *length = cost_length(answer, cost - separator);
        ok = answer != SOLVE_NO_MEMORY;
        listcount_free(&lc);
    }
    mem_free(mem, item, nbytes);
    return ok;
}

/* ---- frames ---- */

static size_t lengths_size(const Frame *f)
{
    return f->list->nkinds * (sizeof(uint64_t) + 1) +
           2 * (size_t)f->nfa->npos * sizeof(uint32_t);
}

/* Heads' bytes lead from LIST_ITEMS by edges of one byte each, to positions of
 * higher numbers. */
static void find_depths(const Nfa *nfa, uint32_t *depth)
{
    for (uint32_t p = 0; p < nfa->npos; p++) depth[p] = 0;
    for (uint32_t p = LIST_ITEMS; p < nfa->npos; p++)
        for (uint32_t e = nfa->edge_start[p]; e < nfa->edge_start[p + 1]; e++)
            if (nfa->edges[e].kind == NFA_BYTE)
                depth[nfa->edges[e].to] = depth[p] + 1;
}

ListLengths *list_lengths_new(const Mem *mem, const Frame *f,
                              const uint32_t *by_node)
{
    ListLengths *l = mem_new(mem, sizeof *l);
    uint32_t n = f->list->nkinds, npos = f->nfa->npos;
    if (!l) return NULL;
    l->item = mem_new(mem, lengths_size(f));
    if (!l->item) {
        mem_free(mem, l, sizeof *l);
        return NULL;
    }
    l->before = (uint32_t *)(void *)(l->item + n);
    l->depth = l->before + npos;
    l->next = (uint8_t *)(l->depth + npos);
    find_items(f->list->count.spec, by_node, &l->separator, l->item);
    find_depths(f->nfa, l->depth);
    return l;
}

void list_lengths_free(const Mem *mem, const Frame *f, ListLengths *l)
{
    if (!l) return;
    mem_free(mem, l->item, lengths_size(f));
    mem_free(mem, l, sizeof *l);
}

/* ---- states ---- */

/* A state being looked at, under the network's lock. */
typedef struct StateLook {
    const FrameLengths *known;
    const State *q;
    const Tally *tally;
    ListCount *count;
    uint64_t best;
    SolveAnswer error;
} StateLook;

static void offer(StateLook *s, SolveAnswer answer, uint64_t cost)
{
    if (answer > SOLVE_YES) s->error = answer;
    if (answer == SOLVE_YES) s->best = MIN(s->best, cost);
}

/* A position of the items of one kind. */
static void look_own(StateLook *s, uint32_t pos, uint32_t kind)
{
    Tally after;
    uint64_t rest = 0;
    uint32_t here = s->known->by_pos[pos];
    if (here == LENGTH_NONE) return;
    if (!listcount_next(s->count, s->tally, kind, &after)) {
        s->error = SOLVE_NO_MEMORY;
        return;
    }
    SolveAnswer answer =
        listcount_cheapest(s->count, &after, s->known->list->item, &rest);
    offer(s, answer, here + rest);
}

/* A position of several: of a separator, or in the bytes of heads. */
static void look_shared(StateLook *s, uint32_t pos)
{
    const ListLengths *l = s->known->list;
    Range r = s->q->frame->nfa->kind[pos];
    uint64_t cost, before = l->before[pos];
    memset(l->next, 0, s->q->frame->list->nkinds);
    for (uint32_t k = r.lo; k < r.hi; k++)
        l->next[k] = kindset_has(s->q->kinds, k);
    SolveAnswer answer =
        listcount_cheapest_next(s->count, s->tally, l->item, l->next, &cost);
    if (answer == SOLVE_YES && before != LENGTH_NONE)
        cost = cost - l->separator + before;
    else if (answer == SOLVE_YES)
        cost = cost - l->separator - l->depth[pos];
    offer(s, answer, cost);
}

static void look_at(StateLook *s, uint32_t pos)
{
    Range r = s->q->frame->nfa->kind[pos];
    if (pos == NFA_EXIT)
        s->best = 0;
    else if (r.hi - r.lo == 1)
        look_own(s, pos, r.lo);
    else
        look_shared(s, pos);
}

bool list_length_state(const FrameLengths *known, const State *q, uint32_t reg,
                       uint32_t *length)
{
    Frame *f = q->frame;
    weir_status before = network_enter(f->network);
    Tally tally = tally_start;
    StateLook s = {.known = known,
                   .q = q,
                   .tally = &tally,
                   .count = &f->list->count,
                   .best = LIST_NO_COST};
    if (!list_tally(f, reg, &tally)) s.error = SOLVE_NO_MEMORY;
    for (uint32_t i = 0; i < q->npos && s.best && !s.error; i++)
        look_at(&s, q->pos[i]);
    network_leave(f->network, before);
    *length = cost_length(SOLVE_YES, s.best);
    if (s.error == SOLVE_GAVE_UP) *length = LENGTH_NONE;
    return s.error != SOLVE_NO_MEMORY;
}
