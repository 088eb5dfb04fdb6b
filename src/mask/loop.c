/* loop.c: finding the characters that a state loops over.
 *
 * For a set C of characters let K(q, C) be the states that texts of C reach
 * from q; C is a loop of q if each state of K reads each character of C. Tried
 * in turn: all that q reads; those that keep leading to q's most usual
 * successor, and then, in groups by where they lead, others that join it. So
 * in a string that must contain "foo" the states after f and after fo belong
 * to one loop, since nothing can go wrong in them.
 * Cost: a look at each byte of each state, some microseconds.
 * Tests: unit/loop_test.c, prop/masks_vs_oracle_test.c.
 */
#include "mask/loop.h"

enum {
    LOOP_FROM = 8, /* fewer characters are read as quickly as known */
    MOST_STATES = 16,
    MOST_GROUPS = 6, /* tried, of characters that lead elsewhere */
    SLOTS = 64       /* loops that are kept */
};

/* Where each character leads a state; NULL: it, or some character with that
 * first byte, leads nowhere or somewhere else, or pushes. */
typedef struct Reads {
    State *q;
    State *to[256];
    ByteSet all; /* that lead somewhere */
} Reads;

struct LoopTable {
    Loop at[SLOTS];
    Reads reads[MOST_STATES]; /* of the loop in the making; [0]: q's */
    uint32_t nreads;
};

/* ---- bytes and characters ---- */

/* Where a byte leads inside the frame, and the copies that it ends. */
static State *read_byte(State *q, uint8_t byte, uint32_t *copies)
{
    if (!byteset_has(&q->first, byte)) return NULL;
    uintptr_t cell = state_next(q, byte);
    if (!cell) return NULL; /* who needs the step will report it */
    if (CELL_IS_STATE(cell)) return cell_state(cell);
    const Step *step = cell_step(cell);
    if (step->count != 1) return NULL;
    const Move *m = &step->at[0];
    if (m->npush || !m->op.adds || m->to->is_final) return NULL;
    *copies += m->op.reg;
    return m->to;
}

/* True if q takes nothing but bytes in [lo, hi], continuation bytes. */
static bool takes_only(const State *q, uint8_t lo, uint8_t hi)
{
    const uint64_t *first = q->first.word;
    uint64_t range = ~(uint64_t)0 << (lo - 0x80);
    range &= ~(uint64_t)0 >> (0xBF - hi);
    return !(first[0] | first[1] | first[3]) && !(first[2] & ~range);
}

/* Where all runs of `left` continuation bytes, the first in [lo, hi], lead
 * from q, inside a character: NULL too if anything else can happen there. */
static State *read_rest(State *q, uint8_t lo, uint8_t hi, unsigned left,
                        uint32_t *copies)
{
    State *all = NULL, *before = NULL;
    uint32_t all_copies = 0, n_before = 0;
    if (q->accepts || !takes_only(q, lo, hi)) return NULL;
    for (unsigned b = lo; b <= hi; b++) {
        uint32_t n = *copies;
        if (b > lo && q->map[b] == q->map[b - 1]) continue;
        State *to = read_byte(q, (uint8_t)b, &n);
        if (to && to == before && n == n_before) continue;
        before = to;
        n_before = n;
        if (to && left > 1) to = read_rest(to, 0x80, 0xBF, left - 1, &n);
        if (!to || (all && (to != all || n != all_copies))) return NULL;
        all = to;
        all_copies = n;
    }
    *copies = all_copies;
    return all;
}

/* Where all characters that begin with `lead` lead. */
static State *read_unit(State *q, uint8_t lead, uint32_t *copies)
{
    unsigned left = rest_of(lead);
    if (lead >= 0x80 && (!left || lead > 0xF4)) return NULL;
    State *to = read_byte(q, lead, copies);
    if (!to || !left) return to;
    uint8_t lo = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t hi = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return read_rest(to, lo, hi, left, copies);
}

/* Characters that begin with `lead` are read otherwise than those that begin
 * with the byte before, even if q does the same for both. */
static bool begins_range(unsigned lead)
{
    static const uint8_t at[] = {0x00, 0x80, 0xC2, 0xE0, 0xE1, 0xED,
                                 0xEE, 0xF0, 0xF1, 0xF4, 0xF5};
    for (size_t i = 0; i < sizeof at; i++)
        if (lead == at[i]) return true;
    return false;
}

static void reads_fill(Reads *r, State *q, uint32_t copies_each)
{
    r->q = q;
    for (unsigned b = 0; b < 256; b++) {
        uint32_t copies = 0;
        if (q->map[b] == q->map[(b - 1) & 255] && !begins_range(b)) {
            r->to[b] = r->to[b - 1];
            continue;
        }
        r->to[b] = read_unit(q, (uint8_t)b, &copies);
        if (copies != copies_each) r->to[b] = NULL;
    }
    r->all = (ByteSet){{0}};
    for (unsigned b = 0; b < 256; b++)
        if (r->to[b]) byteset_add(&r->all, (uint8_t)b);
}

/* ---- sets of characters ---- */

/* Characters of `set` that lead to `to`. */
static ByteSet that_lead(const Reads *r, const ByteSet *set, const State *to)
{
    ByteSet some = *set;
    for (int w = 0; w < 4; w++)
        for (uint64_t bits = set->word[w]; bits; bits &= bits - 1)
            if (r->to[(unsigned)w * 64 + bit_lowest(bits)] != to)
                some.word[w] &= ~(bits & -bits);
    return some;
}

static ByteSet set_and(ByteSet a, const ByteSet *b)
{
    for (int i = 0; i < 4; i++) a.word[i] &= b->word[i];
    return a;
}

static ByteSet set_or(ByteSet a, const ByteSet *b)
{
    for (int i = 0; i < 4; i++) a.word[i] |= b->word[i];
    return a;
}

static ByteSet set_minus(ByteSet a, const ByteSet *b)
{
    for (int i = 0; i < 4; i++) a.word[i] &= ~b->word[i];
    return a;
}

static unsigned set_size(const ByteSet *set)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++) n += bit_count(set->word[i]);
    return n;
}

/* ---- loops ---- */

/* The reads of `q`, found out if they are new; NULL: too many states. */
static const Reads *reads_of(LoopTable *t, State *q, uint32_t copies_each)
{
    for (uint32_t i = 0; i < t->nreads; i++)
        if (t->reads[i].q == q) return &t->reads[i];
    if (t->nreads == MOST_STATES) return NULL;
    reads_fill(&t->reads[t->nreads], q, copies_each);
    return &t->reads[t->nreads++];
}

/* Where the loop's texts lead: states[0] is q. */
typedef struct Closure {
    State *states[MOST_STATES];
    uint32_t count;
} Closure;

static bool closure_add(Closure *k, State *to)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->states[i] == to) return true;
    if (k->count == MOST_STATES) return false;
    k->states[k->count++] = to;
    return true;
}

/* True if `set` is a loop of q; then *k are the states. */
static bool closure_find(LoopTable *t, State *q, uint32_t copies_each,
                         const ByteSet *set, Closure *k)
{
    k->states[0] = q;
    k->count = 1;
    for (uint32_t i = 0; i < k->count; i++) {
        const Reads *r = reads_of(t, k->states[i], copies_each);
        if (!r) return false;
        State *last = NULL;
        for (int w = 0; w < 4; w++) {
            if (set->word[w] & ~r->all.word[w]) return false;
            for (uint64_t bits = set->word[w]; bits; bits &= bits - 1) {
                State *to = r->to[(unsigned)w * 64 + bit_lowest(bits)];
                if (to != last && !closure_add(k, to)) return false;
                last = to;
            }
        }
    }
    return true;
}

/* Where most characters of the set lead. */
static State *usual_successor(const Reads *r, const ByteSet *set)
{
    State *best = NULL;
    unsigned most = 0;
    ByteSet left = *set;
    for (int tries = 0; tries < MOST_GROUPS; tries++) {
        unsigned b = 0;
        while (b < 256 && !byteset_has(&left, (uint8_t)b)) b++;
        if (b == 256) break;
        ByteSet some = that_lead(r, &left, r->to[b]);
        if (set_size(&some) > most) {
            most = set_size(&some);
            best = r->to[b];
        }
        left = set_minus(left, &some);
    }
    return best;
}

/* Adds to `set`, a loop of q, what `home` reads besides and can join. */
static void loop_widen(LoopTable *t, State *q, uint32_t copies_each,
                       const Reads *home, ByteSet *set)
{
    Closure k;
    ByteSet wide = home->all, all = t->reads[0].all;
    wide = set_minus(set_and(wide, &all), set);
    for (int tries = 0; tries < MOST_GROUPS; tries++) {
        unsigned b = 0;
        while (b < 256 && !byteset_has(&wide, (uint8_t)b)) b++;
        if (b == 256) return;
        ByteSet some = that_lead(home, &wide, home->to[b]);
        ByteSet both = set_or(*set, &some);
        if (closure_find(t, q, copies_each, &both, &k)) *set = both;
        wide = set_minus(wide, &some);
    }
}

/* A large loop of q, as large as can be found quickly. */
static ByteSet loop_units(LoopTable *t, State *q, uint32_t copies_each)
{
    Closure k;
    const ByteSet none = {{0}};
    t->nreads = 0;
    if (set_size(&q->first) < LOOP_FROM) return none;
    const Reads *own = reads_of(t, q, copies_each);
    ByteSet all = own->all;
    if (set_size(&all) < LOOP_FROM) return none;
    if (closure_find(t, q, copies_each, &all, &k)) return all;
    State *to = usual_successor(own, &all);
    t->nreads = 1; /* the states met on the way may not come up again */
    const Reads *home = reads_of(t, to, copies_each);
    ByteSet set = that_lead(own, &all, to);
    set = that_lead(home, &set, to);
    if (set_size(&set) < LOOP_FROM) return none;
    loop_widen(t, q, copies_each, home, &set);
    return set;
}

uint64_t groups_of(const ByteSet *bytes)
{
    uint64_t groups = 0;
    for (unsigned b = 0; b < 256; b++)
        if (byteset_has(bytes, (uint8_t)b))
            groups |= (uint64_t)1 << (b >= 0x80 && b < 0xC2 ? TRIE_BROKEN_GROUP
                                                            : trie_group[b]);
    return groups;
}

static void loop_fill(LoopTable *t, Loop *loop, State *q)
{
    uint32_t copies_each = q->frame->is_counted && q->is_loop;
    ByteSet units = loop_units(t, q, copies_each);
    *loop = (Loop){.q = q, .units = units, .counts = copies_each};
    loop->is_any = set_size(&units) > 0;
    Closure k = {.count = 0};
    if (!loop->is_any || !closure_find(t, q, copies_each, &units, &k)) {
        loop->is_any = false;
        return;
    }
    for (uint32_t i = 0; i < k.count; i++) {
        loop->exits = set_or(loop->exits, &k.states[i]->first);
        loop->may_return |= k.states[i]->accepts;
    }
    loop->exits = set_minus(loop->exits, &units);
    ByteSet others;
    for (int i = 0; i < 4; i++) others.word[i] = ~units.word[i];
    loop->in = ~groups_of(&others);
    loop->out = groups_of(&loop->exits);
}

const Loop *loop_of(LoopTable **table, const Mem *mem, State *q)
{
    static const Loop nothing = {.q = NULL};
    if (!*table) *table = mem_zero(mem, sizeof **table);
    if (!*table) return &nothing;
    Loop *loop = &(*table)->at[hash_mix(0, (uintptr_t)q) % SLOTS];
    if (loop->q != q) loop_fill(*table, loop, q);
    return loop;
}

void loops_free(LoopTable *table, const Mem *mem)
{
    mem_free(mem, table, sizeof *table);
}
