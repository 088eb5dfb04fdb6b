/* list_frame.c: tallies as registers, and sets of kinds.
 *
 * Tallies and sets are interned; a tally is looked ahead from once, when it is
 * first met. What an item of a kind does to a tally is kept in a table that
 * readers use without a lock.
 * Cost: a new tally, a look (list_count.c) and a set; a state, the words of a
 * set for each of its positions.   Tests: unit/list_test.c.
 */
#include "network/list_frame.h"

/* ---- sets of kinds ---- */

static bool set_same(const KindSet *set, uint32_t first, uint32_t nwords,
                     const uint64_t *word)
{
    return set->first == first && set->nwords == nwords &&
           !memcmp(set->word, word, nwords * sizeof *word);
}

/* The set of the words [first, end) of list->scratch; `known`: perhaps that, or
 * NULL. */
static const KindSet *set_intern(Frame *f, uint32_t first, uint32_t end,
                                 const KindSet *known)
{
    Network *net = f->network;
    ListFrame *l = f->list;
    while (first < end && !l->scratch[first]) first++;
    while (first < end && !l->scratch[end - 1]) end--;
    const uint64_t *word = l->scratch + first;
    size_t nbytes = (end - first) * sizeof *word;
    if (known && set_same(known, first, end - first, word)) return known;
    uint64_t h = hash_bytes(first, word, nbytes);
    for (MapPos p = map_first(&l->set_index, h); p.value != MAP_NONE;
         p = map_next(&l->set_index, h, p))
        if (set_same(l->sets.at[p.value], first, end - first, word))
            return l->sets.at[p.value];
    KindSet *set = arena_alloc(&net->arena, sizeof *set + nbytes);
    if (!set) return network_no_memory(net), NULL;
    *set = (KindSet){.hash = h, .first = first, .nwords = end - first};
    memcpy(set->word, word, nbytes);
    if (!vec_push(net->mem, &l->sets, set) ||
        !map_add(net->mem, &l->set_index, h, l->sets.count - 1))
        return network_no_memory(net), NULL;
    return set;
}

/* The same; the words are 0 again. */
static const KindSet *set_take(Frame *f, uint32_t first, uint32_t end,
                               const KindSet *known)
{
    const KindSet *set = set_intern(f, first, end, known);
    if (first < end)
        memset(f->list->scratch + first, 0, (end - first) * sizeof(uint64_t));
    return set;
}

static bool set_meets(const KindSet *set, Range r)
{
    if (r.hi - r.lo == 1) return kindset_has(set, r.lo);
    uint32_t first = MAX(r.lo / 64, set->first);
    uint32_t end = MIN((r.hi + 63) / 64, set->first + set->nwords);
    for (uint32_t i = first; i < end; i++)
        if (set->word[i - set->first] & kind_bits(r, i)) return true;
    return false;
}

bool list_has(const Frame *f, const KindSet *kinds, uint32_t pos)
{
    return set_meets(kinds, f->nfa->kind[pos]);
}

/* Whether an item of the set can go on from a position: the byte after it may
 * belong to others only. */
static bool leads_on(const Frame *f, const KindSet *kinds, uint32_t pos)
{
    const Nfa *nfa = f->nfa;
    if (is_of_one(nfa, pos)) return true;
    for (uint32_t e = nfa->edge_start[pos]; e < nfa->edge_start[pos + 1]; e++)
        if (nfa->edges[e].kind != NFA_EMPTY &&
            list_has(f, kinds, nfa->edges[e].to))
            return true;
    return false;
}

bool list_sort(Frame *f, const KindSet *kinds, PosSet *set,
               const KindSet **rest, PosSet *done)
{
    ListFrame *l = f->list;
    uint32_t kept = 0, first = l->nwords, end = 0;
    bool ok = true;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t pos = set->at[i], ends = nfa_done(f->nfa, pos);
        Range r = f->nfa->kind[pos];
        if (!set_meets(kinds, r)) continue;
        if (ends != NO_KIND) {
            ok = ok && vec_push(f->network->mem, done, ends);
            continue;
        }
        if (!leads_on(f, kinds, pos)) continue;
        first = MIN(first, r.lo / 64);
        end = MAX(end, (r.hi + 63) / 64);
        for (uint32_t w = r.lo / 64; w * 64 < r.hi; w++)
            l->scratch[w] |= kindset_word(kinds, w) & kind_bits(r, w);
        set->at[kept++] = pos;
    }
    set->count = kept;
    *rest = kept ? set_take(f, first, end, kinds) : NULL;
    return (ok || network_no_memory(f->network)) && (!kept || *rest);
}

/* ---- tallies ---- */

static uint64_t tally_hash(const Tally *t)
{
    uint64_t h = hash_mix(t->is_start, (uint64_t)t->group << 32 | t->nvalues);
    return hash_bytes(h, t->values, t->nvalues * sizeof *t->values);
}

/* Between two items: the list may end, and a separator may come. */
static State *after_make(Frame *f, const KindSet *next, bool ends)
{
    Network *net = f->network;
    const KindSet *rest = NULL;
    PosSet set = {0}, none = {0};
    State *after = NULL;
    bool ok = !next->nwords || vec_push(net->mem, &set, LIST_AFTER);
    ok = ok && nfa_close(f->nfa, net->mem, &set);
    if (!ok) network_no_memory(net);
    ok = ok && list_sort(f, next, &set, &rest, &none);
    assert(!none.count); /* no item is empty */
    if (ok && ends) {
        ok = vec_reserve(net->mem, &set, (size_t)set.count + 1) ||
             network_no_memory(net);
        if (ok && set.count)
            memmove(set.at + 1, set.at, set.count * sizeof *set.at);
        if (ok) set.at[0] = NFA_EXIT;
        set.count += ok;
    }
    if (ok) after = state_intern(f, &set, rest);
    vec_free(net->mem, &set);
    vec_free(net->mem, &none);
    return after;
}

/* Finds out what may follow. */
static bool tally_look(Frame *f, const Tally *tally, ListTally *t)
{
    ListFrame *l = f->list;
    ListOutlook out = {false, l->may};
    SolveAnswer answer = listcount_look(&l->count, tally, &out);
    if (answer == SOLVE_NO_MEMORY) return network_no_memory(f->network);
    if (answer == SOLVE_GAVE_UP) return listcount_fail(&f->network->error);
    assert(answer == SOLVE_YES); /* only live ones are made */
    for (uint32_t k = 0; k < l->nkinds; k++)
        l->scratch[k / 64] |= (uint64_t)l->may[k] << (k % 64);
    t->next = set_take(f, 0, l->nwords, NULL);
    if (!t->next) return false;
    if (tally->is_start) return true;
    t->after = after_make(f, t->next, out.ends);
    return t->after != NULL;
}

/* The number of a tally; UINT32_MAX: error. */
static uint32_t tally_intern(Frame *f, const Tally *tally)
{
    Network *net = f->network;
    ListFrame *l = f->list;
    uint64_t h = tally_hash(tally);
    for (MapPos p = map_first(&l->tally_index, h); p.value != MAP_NONE;
         p = map_next(&l->tally_index, h, p))
        if (tally_is(&l->tallies.at[p.value]->tally, tally)) return p.value;
    ListTally *t = arena_new(&net->arena, ListTally);
    if (!t) return network_no_memory(net), UINT32_MAX;
    t->hash = h;
    if (!tally_pack(&net->arena, tally, &t->tally))
        return network_no_memory(net), UINT32_MAX;
    if (!tally_look(f, tally, t)) return UINT32_MAX;
    if (!vec_push(net->mem, &l->tallies, t) ||
        !map_add(net->mem, &l->tally_index, h, l->tallies.count - 1))
        return network_no_memory(net), UINT32_MAX;
    return l->tallies.count - 1;
}

bool list_tally(Frame *f, uint32_t reg, Tally *tally)
{
    ListFrame *l = f->list;
    const PackedTally *packed = &l->tallies.at[reg]->tally;
    if (!vec_reserve(f->network->mem, &l->values, packed->nvalues))
        return network_no_memory(f->network);
    *tally = tally_unpack(packed, l->values.at);
    return true;
}

State *list_start(Frame *f)
{
    Network *net = f->network;
    const KindSet *rest = NULL;
    PosSet set = {0}, none = {0};
    State *start = NULL;
    uint32_t reg = tally_intern(f, &tally_start);
    if (reg == UINT32_MAX) return NULL;
    assert(!reg);
    bool ok = vec_push(net->mem, &set, NFA_ENTRY) &&
              nfa_close(f->nfa, net->mem, &set);
    if (!ok) network_no_memory(net);
    ok = ok && list_sort(f, f->list->tallies.at[reg]->next, &set, &rest, &none);
    assert(!none.count); /* no item is empty */
    if (ok) start = state_intern(f, &set, rest);
    vec_free(net->mem, &set);
    vec_free(net->mem, &none);
    return start;
}

/* ---- items ---- */

static uint64_t step_hash(uint32_t reg, uint32_t kind)
{
    return hash_mix(kind, reg);
}

static const ListStep *step_find(ListFrame *l, uint32_t reg, uint32_t kind)
{
    uint64_t h = step_hash(reg, kind);
    for (SharedPos p = shared_first(&l->steps, h); p.item;
         p = shared_next(h, p)) {
        const ListStep *step = (const ListStep *)(const void *)p.item;
        if (step->from == reg && step->kind == kind) return step;
    }
    return NULL;
}

static Landing step_landing(const ListStep *step)
{
    if (!step) return (Landing){NULL, 0};
    return (Landing){step->after, step->to};
}

static const ListStep *list_step_make(Frame *f, uint32_t reg, uint32_t kind)
{
    Network *net = f->network;
    ListFrame *l = f->list;
    const ListStep *known = step_find(l, reg, kind);
    if (known) return known;
    Tally from, next;
    if (!list_tally(f, reg, &from)) return NULL;
    if (!listcount_next(&l->count, &from, kind, &next))
        return network_no_memory(net), NULL;
    uint32_t to = tally_intern(f, &next);
    if (to == UINT32_MAX) return NULL;
    ListStep *step = arena_new(&net->arena, ListStep);
    if (!step) return network_no_memory(net), NULL;
    *step = (ListStep){
        {step_hash(reg, kind)}, reg, kind, to, l->tallies.at[to]->after};
    if (!shared_add(&l->steps, &net->arena, &step->item))
        return network_no_memory(net), NULL;
    return step;
}

Landing list_land(const State *q, uint32_t reg, uint32_t kind)
{
    Frame *f = q->frame;
    const ListStep *step = step_find(f->list, reg, kind);
    if (step) return step_landing(step);
    weir_status before = network_enter(f->network);
    step = list_step_make(f, reg, kind);
    network_leave(f->network, before);
    return step_landing(step);
}

Landing list_land_within(Network *net, const State *q, uint32_t reg,
                         uint32_t kind)
{
    Frame *f = q->frame;
    if (f->network == net) return step_landing(list_step_make(f, reg, kind));
    Landing l = list_land(q, reg, kind);
    if (!l.state) net->error = network_error(f->network);
    return l;
}

/* ---- heads ---- */

enum { OPEN_STATES = 128 };

/* Where a byte leads in a frame without calls and registers; NULL: nowhere. */
static State *plain_next(Network *net, State *q, uint8_t byte)
{
    if (!byteset_has(&q->first, byte)) return NULL;
    uintptr_t cell = next_cell(net, q, byte);
    if (!cell) return NULL;
    if (CELL_IS_STATE(cell)) return cell_state(cell);
    const Step *step = cell_step(cell);
    return step->count ? step->at[0].to : NULL;
}

/* Bytes that mean themselves in a string, other than quotes. */
static bool is_plain_byte(unsigned byte)
{
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\';
}

typedef struct OpenWalk {
    State *state[OPEN_STATES];
    bool is_open[OPEN_STATES];
    uint32_t count;
} OpenWalk;

/* Adds where state i leads, and whether it is a loop over several bytes or
 * leads to one; true: something is new. */
static bool open_look(Network *net, OpenWalk *w, uint32_t i)
{
    uint32_t before = w->count, nloops = 0;
    bool is = w->is_open[i];
    for (unsigned byte = 0; byte < 256 && w->count < OPEN_STATES; byte++) {
        State *to = plain_next(net, w->state[i], (uint8_t)byte);
        if (!to || to->is_final) continue;
        uint32_t k = 0;
        while (k < w->count && w->state[k] != to) k++;
        if (k == w->count) w->state[w->count++] = to;
        nloops += k == i && is_plain_byte(byte);
        is |= w->is_open[k];
    }
    is |= nloops > 1;
    bool changed = w->count > before || is != w->is_open[i];
    w->is_open[i] = is;
    return changed;
}

bool frame_is_open(Network *net, Frame *f)
{
    OpenWalk w = {.count = 1};
    w.state[0] = f->is_regular && !f->is_counted ? callee_start(net, f) : NULL;
    if (!w.state[0]) return false;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < w.count; i++) changed |= open_look(net, &w, i);
    }
    for (uint32_t i = 0; i < w.count; i++)
        if (!w.is_open[i]) return false;
    return w.count < OPEN_STATES;
}

/* Whether the head of a kind can always go on in endless ways; if not, the frame
 * is closed. False in *ok: error. */
static bool head_is_open(Frame *f, uint32_t kind, bool *ok)
{
    const ListKind *k = &f->list->count.spec->kinds[kind];
    bool is_open = k->supply == LIST_SUPPLY_OPEN;
    Frame *callee = is_open ? NULL : frame_of(f->network, k->head);
    *ok = is_open || callee;
    is_open |= callee && frame_is_open(f->network, callee);
    if (!is_open)
        atomic_store_explicit(&f->is_closed, true, memory_order_relaxed);
    return is_open;
}

static State *head_new(Frame *f, uint32_t kind, State *then)
{
    bool ok, is_open = head_is_open(f, kind, &ok);
    if (!ok) return NULL;
    State proto = {.frame = f,
                   .is_open = is_open,
                   .is_final = true,
                   .is_head = true,
                   .head_kind = kind,
                   .then = then,
                   .map = f->class_of,
                   .nnext = f->nclasses};
    PosSet none = {0};
    return state_add(f->network, &proto, &none);
}

State *list_head(Frame *f, uint32_t kind)
{
    Network *net = f->network;
    ListFrame *l = f->list;
    if (l->heads[kind]) return l->heads[kind];
    State *then = NULL;
    if (l->count.spec->kinds[kind].tail != NODE_EMPTY_ID) {
        l->scratch[kind / 64] = (uint64_t)1 << (kind % 64);
        const KindSet *only = set_take(f, kind / 64, kind / 64 + 1, NULL);
        PosSet set = {0};
        bool ok = only && (vec_push(net->mem, &set, nfa_head(f->nfa, kind)) ||
                           network_no_memory(net));
        if (ok) then = state_intern(f, &set, only);
        vec_free(net->mem, &set);
        if (!then) return NULL;
    }
    return l->heads[kind] = head_new(f, kind, then);
}

Landing list_land_head(State *head, uint32_t reg)
{
    if (head->then) return (Landing){head->then, reg};
    return list_land(head, reg, head->head_kind);
}

/* ---- life ---- */

/* What is unique in a list. Of heads that are calls it is found out later
 * whether they are open: they may lead here again. */
static bool find_unique(Frame *f)
{
    bool ok = true;
    for (uint32_t k = 0; ok && k < f->list->nkinds; k++) {
        Range inlined = f->nfa->heads[k];
        f->has_unique |=
            f->list->count.spec->kinds[k].unique != LIST_REPEATABLE;
        if (inlined.lo < inlined.hi) head_is_open(f, k, &ok);
    }
    return ok;
}

bool list_frame_init(Frame *f)
{
    Network *net = f->network;
    const ListSpec *spec = ir_node_list(net->ir, ir_node(net->ir, f->node));
    ListFrame *l = arena_new(&net->arena, ListFrame);
    if (!l) return network_no_memory(net);
    l->nkinds = spec->nkinds;
    l->nwords = (spec->nkinds + 63) / 64;
    l->may = arena_alloc(&net->arena, l->nkinds);
    l->scratch = arena_zero(&net->arena, l->nwords * sizeof(uint64_t));
    if (!l->may || !l->scratch || !shared_init(&l->steps, &net->arena))
        return network_no_memory(net);
    l->heads = arena_zero(&net->arena, spec->nkinds * sizeof *l->heads);
    if (!l->heads) return network_no_memory(net);
    bool is_single = spec->separator == NODE_NEVER_ID;
    if (!listcount_init(&l->count, net->mem, spec, is_single))
        return network_no_memory(net);
    if (!vec_push(net->mem, &net->lists, l)) {
        list_frame_free(net->mem, l);
        return network_no_memory(net);
    }
    f->list = l;
    return find_unique(f);
}

void list_frame_free(const Mem *mem, ListFrame *l)
{
    listcount_free(&l->count);
    map_free(mem, &l->set_index);
    vec_free(mem, &l->sets);
    map_free(mem, &l->tally_index);
    vec_free(mem, &l->tallies);
    vec_free(mem, &l->values);
}
