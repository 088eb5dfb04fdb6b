/* loop.c: finding the characters that a state loops over.
 *
 * For a set C of characters let K(q, C) be the states that texts of C reach
 * from q; C is a loop of q if each state of K reads each character of C. Tried
 * in turn: all that q reads; those that q's most usual successor, its home,
 * loops over, with those of them to begin with that lead there; for a home all
 * that it reads, or what leads it back to itself and then, in groups by where
 * they lead, others that can join. So in a string that must contain "foo" the
 * states after f and after fo belong to one loop, since nothing can go wrong
 * in them; and where a few names are told from all others, what is no prefix
 * of a name leads home.
 * In a frame that counts, the states after each character must need the same,
 * so that what a text adds to the register follows from its length alone.
 * Cost: a look at each byte of each state, some microseconds.
 * Tests: unit/loop_test.c, prop/masks_vs_oracle_test.c.
 */
#include "mask/loop.h"

#include "network/safe_text.h"

enum {
    LOOP_FROM = 8, /* fewer characters are read as quickly as known */
    MOST_STATES = 512,
    FEW_STATES = 64,
    MOST_GROUPS = 6, /* tried, of characters that lead elsewhere */
    MOST_TARGETS = 32,
    LEAST_CHAIN = 4,  /* characters */
    LEAST_CAPPED = 2, /* the same, where no more can be read */
    MOST_CHAIN = 20,  /* few tokens have more */
    MOST_LEVEL = 4,
    SLOTS = 64 /* states whose readings are kept */
};

/* Where each character leads a state: an index in `to`; 0: it, or some
 * character with that first byte, leads nowhere or somewhere else, or pushes,
 * or it is one target too many. */
typedef struct Reads {
    State *q;
    uint8_t at[256]; /* by first byte */
    uint32_t count;
    State *to[MOST_TARGETS]; /* [0]: NULL */
    ByteSet all;             /* first bytes that lead somewhere */
} Reads;

/* Where all runs of `left` continuation bytes, the first in [lo, hi], lead
 * from q. */
typedef struct Rest {
    State *q, *to;
    uint8_t lo, hi, left;
    uint32_t copies;
} Rest;

/* Where a loop's texts lead: states[0] is its state, where it was found for one.
 */
typedef struct Closure {
    State *states[MOST_STATES];
    uint32_t count;
    uint32_t need; /* of all that characters lead to */
} Closure;

/* By hash of the state; the next one with the same takes the place. */
struct LoopTable {
    Loop made;     /* the last one */
    Closure large; /* of more than FEW_STATES, the last one */
    ByteSet large_set;
    uint32_t large_copies; /* copies_each of it */
    const Frame *no_large; /* a frame that had none where it was looked for */
    Reads reads[SLOTS];
    Rest rests[SLOTS];
};

static uint32_t slot_of(const State *q)
{
    return (uint32_t)(hash_mix(0, (uintptr_t)q) % SLOTS);
}

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

static void rest_fill(LoopTable *t, Rest *rest);

/* The rest of a character from q on; rest->to is NULL too if anything else can
 * happen within it. */
static Rest rest_find(LoopTable *t, State *q, uint8_t lo, uint8_t hi,
                      uint8_t left)
{
    Rest *slot = &t->rests[slot_of(q)];
    if (slot->q == q && slot->lo == lo && slot->hi == hi && slot->left == left)
        return *slot;
    Rest rest = {.q = q, .lo = lo, .hi = hi, .left = left};
    if (!q->accepts && takes_only(q, lo, hi)) rest_fill(t, &rest);
    *slot = rest;
    return rest;
}

/* All ways must agree. */
static void rest_fill(LoopTable *t, Rest *rest)
{
    const uint8_t *map = rest->q->map;
    for (unsigned b = rest->lo; b <= rest->hi; b++) {
        Rest way = {.copies = 0};
        if (b > rest->lo && map[b] == map[b - 1]) continue;
        State *to = read_byte(rest->q, (uint8_t)b, &way.copies);
        if (to && rest->left > 1) {
            Rest more = rest_find(t, to, 0x80, 0xBF, rest->left - 1);
            to = more.to;
            way.copies += more.copies;
        }
        bool agrees = to && (b == rest->lo ||
                             (to == rest->to && way.copies == rest->copies));
        rest->to = agrees ? to : NULL;
        rest->copies = way.copies;
        if (!agrees) return;
    }
}

/* Where all characters that begin with `lead` lead. */
static State *read_unit(LoopTable *t, State *q, uint8_t lead, uint32_t *copies)
{
    unsigned left = rest_of(lead);
    if (lead >= 0x80 && (!left || lead > 0xF4)) return NULL;
    State *to = read_byte(q, lead, copies);
    if (!to || !left) return to;
    uint8_t lo = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t hi = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    Rest rest = rest_find(t, to, lo, hi, (uint8_t)left);
    *copies += rest.copies;
    return rest.to;
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

static uint8_t target_of(Reads *r, State *to)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->to[i] == to) return (uint8_t)i;
    if (r->count == MOST_TARGETS) return 0;
    r->to[r->count] = to;
    return (uint8_t)r->count++;
}

static void reads_fill(LoopTable *t, Reads *r, State *q, uint32_t copies_each)
{
    *r = (Reads){.q = q, .count = 1};
    for (unsigned b = 0; b < 256; b++) {
        uint32_t copies = 0;
        if (q->map[b] == q->map[(b - 1) & 255] && !begins_range(b)) {
            r->at[b] = r->at[b - 1];
        } else {
            State *to = read_unit(t, q, (uint8_t)b, &copies);
            r->at[b] = target_of(r, copies == copies_each ? to : NULL);
        }
        if (r->at[b]) byteset_add(&r->all, (uint8_t)b);
    }
}

/* ---- sets of characters ---- */

/* Characters of `set` that lead to `to`. */
static ByteSet that_lead(const Reads *r, const ByteSet *set, const State *to)
{
    ByteSet some = *set;
    for (int w = 0; w < 4; w++)
        for (uint64_t bits = set->word[w]; bits; bits &= bits - 1)
            if (r->to[r->at[(unsigned)w * 64 + bit_lowest(bits)]] != to)
                some.word[w] &= ~(bits & -bits);
    return some;
}

/* ---- loops ---- */

/* The reads of `q`; valid until others are asked for. copies_each is a matter
 * of q alone. */
static const Reads *reads_of(LoopTable *t, State *q, uint32_t copies_each)
{
    Reads *r = &t->reads[slot_of(q)];
    if (r->q != q) reads_fill(t, r, q, copies_each);
    return r;
}

static bool closure_has(const Closure *k, const State *q)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->states[i] == q) return true;
    return false;
}

static bool closure_add(Closure *k, State *to, uint32_t most)
{
    if (k->need == UINT32_MAX) k->need = to->need;
    if (k->need != to->need) return false;
    if (closure_has(k, to)) return true;
    if (k->count == most) return false;
    k->states[k->count++] = to;
    return true;
}

static void closure_copy(Closure *to, const Closure *from)
{
    memcpy(to->states, from->states, from->count * sizeof *to->states);
    to->count = from->count;
    to->need = from->need;
}

static bool closure_grow(LoopTable *t, uint32_t copies_each, const ByteSet *set,
                         uint32_t most, Closure *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const Reads *r = reads_of(t, k->states[i], copies_each);
        State *last = NULL;
        for (int w = 0; w < 4; w++) {
            if (set->word[w] & ~r->all.word[w]) return false;
            for (uint64_t bits = set->word[w]; bits; bits &= bits - 1) {
                State *to = r->to[r->at[(unsigned)w * 64 + bit_lowest(bits)]];
                if (to != last && !closure_add(k, to, most)) return false;
                last = to;
            }
        }
    }
    return true;
}

/* True if `set` is a loop of q; then *k are the states, or more of which it is
 * one. What loops over many states does so from each of them, so a large
 * closure is kept for the others. */
static bool closure_find(LoopTable *t, State *q, uint32_t copies_each,
                         const ByteSet *set, Closure *k)
{
    const Frame *f = q->frame;
    ByteSet other = byteset_minus(*set, &t->large_set);
    if (t->large.count && t->large_copies == copies_each &&
        !byteset_count(&other) && closure_has(&t->large, q)) {
        closure_copy(k, &t->large);
        return true;
    }
    k->states[0] = q;
    k->count = 1;
    k->need = UINT32_MAX;
    uint32_t most = f == t->no_large ? FEW_STATES : MOST_STATES;
    bool is_loop = closure_grow(t, copies_each, set, most, k);
    if (k->count <= FEW_STATES) return is_loop;
    if (!is_loop) {
        t->no_large = f;
        return false;
    }
    closure_copy(&t->large, k);
    t->large_set = *set;
    t->large_copies = copies_each;
    return true;
}

/* Where most characters of the set lead. */
static State *usual_successor(const Reads *r, const ByteSet *set)
{
    State *best = NULL;
    unsigned most = 0;
    for (uint32_t i = 1; i < r->count; i++) {
        ByteSet some = that_lead(r, set, r->to[i]);
        if (byteset_count(&some) <= most) continue;
        most = byteset_count(&some);
        best = r->to[i];
    }
    return best;
}

/* Adds to `set`, a loop of q, what q reads besides and can join. */
static void loop_widen(LoopTable *t, const Reads *q, uint32_t copies_each,
                       ByteSet *set)
{
    Closure k;
    ByteSet wide = byteset_minus(q->all, set);
    for (uint32_t i = 1; i < MIN(q->count, (uint32_t)MOST_GROUPS); i++) {
        ByteSet some = that_lead(q, &wide, q->to[i]);
        ByteSet both = byteset_or(*set, &some);
        if (byteset_count(&some) &&
            closure_find(t, q->q, copies_each, &both, &k))
            *set = both;
    }
}

/* A large loop of q as its own home, as large as can be found quickly, and the
 * states that it leads to. */
static ByteSet loop_at(LoopTable *t, State *q, uint32_t copies_each, Closure *k)
{
    Reads own = *reads_of(t, q, copies_each);
    if (closure_find(t, q, copies_each, &own.all, k)) return own.all;
    ByteSet set = that_lead(&own, &own.all, q);
    if (byteset_count(&set) < LOOP_FROM) return (ByteSet){{0}};
    loop_widen(t, &own, copies_each, &set);
    closure_find(t, q, copies_each, &set, k);
    return set;
}

/* Characters of `units` that lead from q into the closure. */
static ByteSet that_enter(const Reads *q, const ByteSet *units,
                          const Closure *k)
{
    ByteSet first = {{0}};
    for (uint32_t i = 0; i < k->count; i++) {
        ByteSet some = that_lead(q, units, k->states[i]);
        first = byteset_or(first, &some);
    }
    return byteset_and(first, &q->all);
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

/* The loop of q's home, entered from q. False: too few characters. */
static bool home_loop(LoopTable *t, const Reads *q, uint32_t copies_each,
                      Loop *loop, Closure *k)
{
    State *home = usual_successor(q, &q->all);
    loop->units = loop->first = loop_at(t, home, copies_each, k);
    if (byteset_count(&loop->units) < LOOP_FROM) return false;
    if (home != q->q) {
        if (home->need != k->need) return false;
        loop->first = that_enter(q, &loop->units, k);
    }
    return byteset_count(&loop->first) >= LOOP_FROM;
}

/* Units, first ones and states; false: too few. */
static bool loop_units(LoopTable *t, Loop *loop, uint32_t copies_each,
                       Closure *k)
{
    if (loop->q->frame->is_bounded && !loop->q->is_loop) return false;
    Reads own = *reads_of(t, loop->q, copies_each);
    if (byteset_count(&own.all) < LOOP_FROM) return false;
    bool is_own = closure_find(t, loop->q, copies_each, &own.all, k);
    if (is_own && copies_each) {
        loop->units = loop->first = own.all;
        return true;
    }
    bool has_home = home_loop(t, &own, copies_each, loop, k);
    if (!is_own ||
        (has_home && byteset_count(&loop->units) > byteset_count(&own.all)))
        return has_home;
    loop->units = loop->first = own.all;
    return closure_find(t, loop->q, copies_each, &own.all, k);
}

/* States that texts of one length lead to. */
typedef struct Level {
    State *states[MOST_LEVEL];
    uint32_t count;
} Level;

static bool level_add(Level *level, State *to)
{
    for (uint32_t i = 0; i < level->count; i++)
        if (level->states[i] == to) return true;
    if (level->count == MOST_LEVEL) return false;
    level->states[level->count++] = to;
    return true;
}

/* *to = where `set` leads from the level; false: one of its states does not
 * read all of it, or there are too many. */
static bool level_next(LoopTable *t, const Level *from, const ByteSet *set,
                       Level *to)
{
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const Reads *r = reads_of(t, from->states[i], 0);
        for (int w = 0; w < 4; w++) {
            if (set->word[w] & ~r->all.word[w]) return false;
            for (uint64_t bits = set->word[w]; bits; bits &= bits - 1) {
                unsigned b = (unsigned)w * 64 + bit_lowest(bits);
                if (!level_add(to, r->to[r->at[b]])) return false;
            }
        }
    }
    return true;
}

/* Whether the last level reads no unit any more; then what it reads are exits.
 */
static void chain_cap(Loop *loop, const Level *last)
{
    ByteSet reads = {{0}};
    for (uint32_t i = 0; i < last->count; i++)
        reads = byteset_or(reads, &last->states[i]->first);
    ByteSet both = byteset_and(reads, &loop->units);
    loop->is_capped = !byteset_count(&both);
    if (loop->is_capped) loop->exits = byteset_or(loop->exits, &reads);
}

/* Characters each of which leads a level further, and how far. */
static bool loop_chain(LoopTable *t, Loop *loop, ByteSet units)
{
    Level at = {{loop->q}, 1}, next;
    *loop = (Loop){.q = loop->q, .units = units, .first = units};
    if (byteset_count(&units) < LOOP_FROM) return false;
    while (loop->height < MOST_CHAIN && level_next(t, &at, &units, &next)) {
        for (uint32_t i = 0; loop->height && i < at.count; i++)
            loop->exits = byteset_or(loop->exits, &at.states[i]->first);
        for (uint32_t i = 0; i < next.count; i++)
            loop->may_return |= next.states[i]->accepts;
        at = next;
        loop->height++;
    }
    chain_cap(loop, &at);
    return loop->height >= (loop->is_capped ? LEAST_CAPPED : LEAST_CHAIN);
}

/* Of all that q reads or, failing that, of what leads to one state; not in a
 * frame that counts, since what its states need differs. */
static bool loop_chains(LoopTable *t, Loop *loop)
{
    Reads own = *reads_of(t, loop->q, 0);
    State *to = usual_successor(&own, &own.all);
    return loop_chain(t, loop, own.all) ||
           loop_chain(t, loop, that_lead(&own, &own.all, to));
}

/* By the states of the network, one after the other. */
static void loop_search(LoopTable *t, Loop *loop, uint32_t copies_each)
{
    Closure k;
    loop->is_any = loop_units(t, loop, copies_each, &k);
    if (loop->is_any) loop->need = k.need;
    for (uint32_t i = 0; loop->is_any && i < k.count; i++) {
        loop->exits = byteset_or(loop->exits, &k.states[i]->first);
        loop->may_return |= k.states[i]->accepts;
    }
    if (!loop->is_any && !loop->q->frame->is_counted)
        loop->is_any = loop_chains(t, loop);
}

/* By what the state's automaton says. */
static void loop_take(Loop *loop, const SafeText *safe)
{
    _Static_assert(SAFE_ANY == ANY_HEIGHT, "any number of characters");
    *loop = (Loop){.q = loop->q,
                   .counts = loop->counts,
                   .first = safe->first,
                   .units = safe->units,
                   .exits = safe->exits,
                   .height = (uint8_t)safe->height,
                   .may_return = safe->may_return,
                   .need = safe->need,
                   .is_any = true};
}

static void loop_fill(LoopTable *t, Loop *loop, State *q)
{
    uint32_t copies_each = q->frame->is_counted && q->is_loop;
    *loop = (Loop){.q = q, .counts = copies_each, .height = ANY_HEIGHT};
    SafeText safe;
    bool is_safe = state_safe_text(q, &safe);
    if (!is_safe || safe.height < MOST_CHAIN) loop_search(t, loop, copies_each);
    if (is_safe && !loop->is_any) loop_take(loop, &safe);
    loop->exits = byteset_minus(loop->exits, &loop->units);
    ByteSet others;
    for (int i = 0; i < 4; i++) others.word[i] = ~loop->first.word[i];
    loop->in = ~groups_of(&others);
    loop->out = groups_of(&loop->exits);
    ByteSet other = byteset_minus(q->first, &loop->first);
    loop->other = groups_of(&other);
}

const Loop *loop_of(LoopTable **table, const Mem *mem, State *q)
{
    static const Loop nothing = {.q = NULL};
    if (byteset_count(&q->first) < LOOP_FROM) return &nothing;
    const Loop *known = loop_known(q);
    if (known) return known;
    if (!*table) *table = mem_zero(mem, sizeof **table);
    if (!*table) return &nothing;
    Loop *loop = &(*table)->made;
    loop_fill(*table, loop, q);
    const Loop *kept = network_keep(q->frame->network, loop, sizeof *loop);
    if (!kept) return loop;
    atomic_store_explicit(&q->loop, kept, memory_order_release);
    return kept;
}

void loops_free(LoopTable *table, const Mem *mem)
{
    mem_free(mem, table, sizeof *table);
}
