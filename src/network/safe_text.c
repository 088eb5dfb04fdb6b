/* safe_text.c: finding units and heights.
 *
 * Units are tried for two states, the one asked for and the one where most of
 * its characters lead: of all that it reads those after which all of them can
 * be read again. So the escape in a JSON string is none, nor what a host name
 * may not end with.
 * Tests: unit/safe_text_test.c, prop/masks_vs_oracle_test.c.
 */
#include "network/safe_text.h"

#include "base/utf8.h"
#include "network/frame.h"

enum {
    LEAST_UNITS = 8,
    LEAST_HEIGHT = 4,
    FAR_HEIGHT = 20,  /* few tokens have more characters */
    MOST_ROUNDS = 4,  /* in which units are taken out */
    MOST_TABLES = 16, /* of an automaton */
    MOST_TARGETS = 32,
    MOST_STATES = 1 << 16,
    LEAD_MIN = 0xC2, /* of characters of several bytes */
    LEAD_MAX = 0xF4
};

/* The heights of an automaton's states for some units. Lifetime: the
 * network's. */
struct SafeHeights {
    struct SafeHeights *next;
    ByteSet units, exits;
    uint32_t need;         /* bounded languages: of all that units lead to */
    const uint8_t *height; /* by state */
    bool may_return;
};
typedef struct SafeHeights SafeHeights;

/* An automaton of a frame, and what may come behind its texts. */
typedef struct Part {
    Frame *frame;
    NfaDfa *in;
    const Dfa *dfa;
    uint32_t need; /* bounded languages */
} Part;

/* ---- sets of first bytes ---- */

static bool has_all(const ByteSet *a, const ByteSet *b)
{
    ByteSet rest = byteset_minus(*b, a);
    return byteset_is_empty(&rest);
}

/* The characters that begin with a byte from LEAD_MIN on. */
static Range lead_runes(uint32_t lead)
{
    if (lead < 0xE0)
        return (Range){(lead & 0x1F) << 6, (lead & 0x1F) << 6 | 0x3F};
    if (lead < 0xF0) {
        Range r = {(lead & 0xF) << 12, (lead & 0xF) << 12 | 0xFFF};
        if (lead == 0xE0) r.lo = 0x800;
        if (lead == 0xED) r.hi = 0xD7FF; /* no surrogates */
        return r;
    }
    Range r = {(lead & 7) << 18, (lead & 7) << 18 | 0x3FFFF};
    if (lead == 0xF0) r.lo = 0x10000;
    if (lead == 0xF4) r.hi = RUNE_MAX;
    return r;
}

/* First bytes of some of the characters [lo, hi]. */
static ByteSet leads_some(uint32_t lo, uint32_t hi)
{
    ByteSet set = {{0}};
    byteset_add_range(&set, utf8_lead(lo), utf8_lead(hi));
    set.word[2] = 0; /* no character begins with these, nor with C0 and C1 */
    set.word[3] &= ~(uint64_t)3;
    return set;
}

/* Adds the first bytes all of whose characters are in [lo, hi]. */
static void add_leads_whole(ByteSet *set, uint32_t lo, uint32_t hi)
{
    if (lo < 0x80) byteset_add_range(set, (uint8_t)lo, (uint8_t)MIN(hi, 0x7Fu));
    if (hi < 0x80) return;
    for (uint32_t b = utf8_lead(MAX(lo, 0x80u)); b <= utf8_lead(hi); b++) {
        Range r = lead_runes(b);
        if (lo <= r.lo && r.hi <= hi) byteset_add(set, (uint8_t)b);
    }
}

static bool meets(const ByteSet *units, const DfaEdge *e)
{
    if (e->lo == e->hi) return byteset_has(units, utf8_lead(e->lo));
    ByteSet some = leads_some(e->lo, e->hi);
    some = byteset_and(some, units);
    return !byteset_is_empty(&some);
}

/* First bytes all of whose characters x reads. */
static ByteSet reads_of(const Dfa *a, uint32_t x)
{
    ByteSet set = {{0}};
    const DfaEdge *e = dfa_edges(a, x), *end = dfa_edges(a, x + 1);
    while (e != end) {
        uint32_t lo = e->lo, hi = e->hi;
        for (e++; e != end && e->lo == hi + 1; e++) hi = e->hi;
        add_leads_whole(&set, lo, hi);
    }
    return set;
}

/* ---- units ---- */

/* Where most of what x reads leads. */
static uint32_t usual_target(const Dfa *a, uint32_t x)
{
    uint32_t to[MOST_TARGETS], most[MOST_TARGETS], n = 0, best = 0;
    for (const DfaEdge *e = dfa_edges(a, x); e != dfa_edges(a, x + 1); e++) {
        ByteSet some = leads_some(e->lo, e->hi);
        uint32_t i = 0;
        while (i < n && to[i] != e->to) i++;
        if (i == MOST_TARGETS) continue;
        if (i == n) to[n] = e->to, most[n++] = 0;
        most[i] += byteset_count(&some);
        if (most[i] > most[best]) best = i;
    }
    return n ? to[best] : x;
}

static bool has_edges(const Dfa *a, uint32_t x)
{
    return a->edge_start[x] < a->edge_start[x + 1];
}

/* Whether a unit may lead to y: not if nothing can be read there any more, and
 * in bounded languages it must end a character and need what all need. */
static bool may_enter(const Part *p, uint32_t y)
{
    if (!has_edges(p->dfa, y)) return false;
    if (!p->frame->is_bounded) return true;
    NfaBound bound = p->frame->nfa->bound[p->in->base + y];
    return bound.ticks && bound.need == p->need;
}

/* Units for x: p->need becomes what they need. Empty: too few. */
static ByteSet units_of(Part *p, uint32_t x)
{
    const Dfa *a = p->dfa;
    ByteSet units = reads_of(a, x);
    if (p->frame->is_bounded)
        p->need = p->frame->nfa->bound[p->in->base + usual_target(a, x)].need;
    for (int i = 0; i < MOST_ROUNDS; i++) {
        ByteSet next = units;
        for (const DfaEdge *e = dfa_edges(a, x); e != dfa_edges(a, x + 1);
             e++) {
            if (!meets(&next, e)) continue;
            ByteSet there = reads_of(a, e->to), gone = leads_some(e->lo, e->hi);
            if (!may_enter(p, e->to) || !has_all(&there, &units))
                next = byteset_minus(next, &gone);
        }
        if (has_all(&next, &units)) return units;
        units = next;
        if (byteset_count(&units) < LEAST_UNITS) break;
    }
    return (ByteSet){{0}};
}

/* ---- heights ---- */

/* Where units lead to each state from: start[y] to start[y + 1] in from. */
typedef struct Back {
    uint32_t *start, *from, *todo;
} Back;

/* True if x reads each unit, to where it may. */
static bool is_safe(const Part *p, const ByteSet *units, uint32_t x)
{
    ByteSet reads = reads_of(p->dfa, x);
    if (!has_all(&reads, units)) return false;
    for (const DfaEdge *e = dfa_edges(p->dfa, x); e != dfa_edges(p->dfa, x + 1);
         e++)
        if (meets(units, e) && !may_enter(p, e->to)) return false;
    return true;
}

static void back_fill(const Part *p, const ByteSet *units, Back *back)
{
    const Dfa *a = p->dfa;
    uint32_t n = a->nstates, nedges = a->edge_start[n];
    for (uint32_t e = 0; e < nedges; e++)
        if (meets(units, &a->edges[e])) back->start[a->edges[e].to + 2]++;
    for (uint32_t y = 2; y < n + 2; y++) back->start[y] += back->start[y - 1];
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t e = a->edge_start[x]; e < a->edge_start[x + 1]; e++)
            if (meets(units, &a->edges[e]))
                back->from[back->start[a->edges[e].to + 1]++] = x;
}

/* Breadth first from the states that are not safe. */
static void heights_fill(const Part *p, const ByteSet *units, Back *back,
                         uint8_t *height)
{
    uint32_t n = p->dfa->nstates, ntodo = 0;
    back_fill(p, units, back);
    for (uint32_t x = 0; x < n; x++) {
        height[x] = is_safe(p, units, x) ? SAFE_ANY : 0;
        if (!height[x]) back->todo[ntodo++] = x;
    }
    for (uint32_t i = 0; i < ntodo; i++) {
        uint32_t y = back->todo[i];
        for (uint32_t k = back->start[y]; k < back->start[y + 1]; k++) {
            uint32_t x = back->from[k];
            if (height[x] != SAFE_ANY) continue;
            height[x] = (uint8_t)MIN(height[y] + 1u, SAFE_ANY - 1);
            back->todo[ntodo++] = x;
        }
    }
}

/* What may be read where a text of the automaton has ended. False: a call, the
 * end of an item, or some unit, which would lead away from the automaton; or no
 * memory. */
static bool find_ends(const Part *p, SafeHeights *h)
{
    Network *net = p->frame->network;
    Nfa *nfa = p->frame->nfa;
    PosSet set = {0};
    bool ok =
        vec_push(net->mem, &set, p->in->end) && nfa_close(nfa, net->mem, &set);
    for (uint32_t i = 0; ok && i < set.count; i++) {
        uint32_t pos = set.at[i];
        h->may_return |= pos == NFA_EXIT;
        ok = nfa_done(nfa, pos) == UINT32_MAX && !nfa_is_head(nfa, pos);
        for (uint32_t e = nfa->edge_start[pos]; e < nfa->edge_start[pos + 1];
             e++) {
            const NfaEdge *edge = &nfa->edges[e];
            if (edge->kind == NFA_EMPTY) continue;
            ok = ok && edge->kind == NFA_BYTE;
            byteset_add_range(&h->exits, edge->lo, edge->hi);
        }
    }
    vec_free(net->mem, &set);
    ByteSet both = byteset_and(h->exits, &h->units);
    return ok && byteset_is_empty(&both);
}

static void find_exits(const Part *p, SafeHeights *h)
{
    const Dfa *a = p->dfa;
    for (uint32_t x = 0; x < a->nstates; x++) {
        if (!h->height[x]) continue;
        for (uint32_t e = a->edge_start[x]; e < a->edge_start[x + 1]; e++) {
            ByteSet some = leads_some(a->edges[e].lo, a->edges[e].hi);
            h->exits = byteset_or(h->exits, &some);
        }
    }
    h->exits = byteset_minus(h->exits, &h->units);
}

/* False: no memory. */
static bool heights_make(const Part *p, SafeHeights *h)
{
    Network *net = p->frame->network;
    const Dfa *a = p->dfa;
    uint32_t n = a->nstates;
    size_t nstates = (size_t)(n + 2) * sizeof(uint32_t);
    size_t nedges = (size_t)(a->edge_start[n] + 1) * sizeof(uint32_t);
    uint8_t *height = arena_zero(&net->arena, n);
    Back back = {mem_zero(net->mem, nstates), mem_new(net->mem, nedges),
                 mem_new(net->mem, nstates)};
    bool ok = height && back.start && back.from && back.todo;
    if (ok) heights_fill(p, &h->units, &back, height);
    mem_free(net->mem, back.start, nstates);
    mem_free(net->mem, back.from, nedges);
    mem_free(net->mem, back.todo, nstates);
    h->height = height;
    if (ok) find_exits(p, h);
    return ok;
}

/* The heights for some units, made if new; NULL: there are none, or no room. */
static const SafeHeights *heights_of(const Part *p, const ByteSet *units)
{
    uint32_t count = 0;
    for (SafeHeights *h = p->in->safe; h; h = h->next, count++)
        if (h->need == p->need && !memcmp(&h->units, units, sizeof *units))
            return h->height ? h : NULL;
    if (count == MOST_TABLES) return NULL;
    SafeHeights *h = arena_zero(&p->frame->network->arena, sizeof *h);
    if (!h) return NULL;
    *h = (SafeHeights){.next = p->in->safe, .units = *units, .need = p->need};
    if (find_ends(p, h) && !heights_make(p, h)) h->height = NULL;
    p->in->safe = h;
    return h->height ? h : NULL;
}

/* ---- a state ---- */

/* How many characters x may begin with if e is the first one's; 0: few. */
static uint32_t height_by(const Part *p, const SafeHeights *h, const DfaEdge *e)
{
    uint32_t height = may_enter(p, e->to) ? h->height[e->to] : 0;
    if (height == SAFE_ANY) return SAFE_ANY;
    return height + 1 < LEAST_HEIGHT ? 0 : MIN(height + 1, SAFE_ANY - 1);
}

/* What x can begin with where it does not read all units itself. */
static void enter(const Part *p, const SafeHeights *h, uint32_t x,
                  SafeText *out)
{
    const DfaEdge *from = dfa_edges(p->dfa, x), *to = dfa_edges(p->dfa, x + 1);
    ByteSet reads = reads_of(p->dfa, x);
    out->first = byteset_and(reads, &h->units);
    out->height = SAFE_ANY;
    for (const DfaEdge *e = from; e != to; e++) {
        ByteSet some = leads_some(e->lo, e->hi);
        if (!height_by(p, h, e)) out->first = byteset_minus(out->first, &some);
    }
    for (const DfaEdge *e = from; e != to; e++)
        if (meets(&out->first, e))
            out->height = MIN(out->height, height_by(p, h, e));
}

static SafeText text_of(const SafeHeights *h, uint32_t x)
{
    return (SafeText){.first = h->units,
                      .units = h->units,
                      .exits = h->exits,
                      .height = h->height[x],
                      .need = h->need,
                      .may_return = h->may_return};
}

/* By heights that are known, if they say enough: of most of what x reads. */
static bool safe_known(const Part *p, uint32_t x, SafeText *out)
{
    ByteSet reads = reads_of(p->dfa, x);
    unsigned most = byteset_count(&reads);
    for (const SafeHeights *h = p->in->safe; h; h = h->next) {
        if (!h->height || h->height[x] < FAR_HEIGHT) continue;
        *out = text_of(h, x);
        if (byteset_count(&h->units) * 8 >= most * 7) return true;
    }
    return false;
}

/* The safe texts of x, of units found for `home`. */
static bool safe_from(Part *p, uint32_t x, uint32_t home, SafeText *out)
{
    ByteSet units = units_of(p, home);
    if (byteset_count(&units) < LEAST_UNITS) return false;
    const SafeHeights *h = heights_of(p, &units);
    if (!h) return false;
    *out = text_of(h, x);
    if (out->height < LEAST_HEIGHT) enter(p, h, x, out);
    return byteset_count(&out->first) >= LEAST_UNITS;
}

static bool is_better(const SafeText *a, const SafeText *b)
{
    bool far = a->height >= FAR_HEIGHT;
    if (far != (b->height >= FAR_HEIGHT)) return far;
    return byteset_count(&a->units) > byteset_count(&b->units);
}

static bool is_at(const State *q, Nfa *nfa, uint32_t pos)
{
    const Mem *mem = q->frame->network->mem;
    PosSet set = {0};
    bool ok = vec_push(mem, &set, pos) && nfa_close(nfa, mem, &set) &&
              set.count == q->npos &&
              !memcmp(set.at, q->pos, q->npos * sizeof *q->pos);
    vec_free(mem, &set);
    return ok;
}

/* The automaton and its state that q is in, and in nothing else. */
static bool find_part(const State *q, Part *part, uint32_t *x)
{
    Nfa *nfa = q->frame->nfa;
    for (uint32_t i = 0; i < nfa->nautomata; i++) {
        NfaDfa *in = &nfa->automata[i];
        for (uint32_t k = 0; k < q->npos; k++) {
            *x = q->pos[k] - in->base;
            if (*x >= in->dfa->nstates) continue;
            *part = (Part){.frame = q->frame, .in = in, .dfa = in->dfa};
            return is_at(q, nfa, q->pos[k]);
        }
    }
    return false;
}

static bool safe_find(const State *q, SafeText *out)
{
    Part part;
    uint32_t x;
    SafeText other;
    if (!find_part(q, &part, &x) || part.dfa->nstates > MOST_STATES)
        return false;
    if (safe_known(&part, x, out)) return true;
    bool ok = safe_from(&part, x, x, out);
    uint32_t home = usual_target(part.dfa, x);
    if (home == x || !safe_from(&part, x, home, &other)) return ok;
    if (!ok || is_better(&other, out)) *out = other;
    return true;
}

bool state_safe_text(State *q, SafeText *out)
{
    const Frame *f = q->frame;
    Network *net = f->network;
    if (!f->nfa || !f->nfa->nautomata || f->nfa->held) return false;
    if (f->is_counted && !(f->is_bounded && q->is_loop)) return false;
    weir_status before = network_enter(net);
    bool ok = safe_find(q, out);
    network_leave(net, before);
    return ok;
}
