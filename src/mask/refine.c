/* refine.c: taking out tokens that would repeat a head.
 *
 * Candidates, a superset of them:
 *   - the head in hand: for each earlier head that begins as it does, the
 *     tokens that go on like that one (matcher/likeness.h) and past its end
 *   - whole heads: tokens with a value in them (mask/whole.h) that is an
 *     earlier head, or that stands there twice, or is what the head in hand is
 *     when the token has ended it
 * Each is read from the set with records; what cannot be read is taken out.
 * Cost: the earlier heads, and some 100 ns a byte of each candidate.
 * Tests: prop/masks_vs_oracle_test.c, unit/unique_test.c.
 */
#include "mask/refine.h"

#include "matcher/likeness.h"
#include "matcher/track.h"

typedef struct Refine {
    MaskRun *run;
    const ConfigSet *set;
    uint32_t *row;
    UniqueTable *table;
    UniqueMark mark;
    const UniqueHand *hand;
    bool needs_direct;
} Refine;

static bool row_has(const uint32_t *row, uint32_t id)
{
    return row[id / 32] >> (id % 32) & 1;
}

/* ---- whether there are candidates ---- */

typedef struct Ids {
    const uint32_t *at;
    uint32_t count;
} Ids;

typedef struct LikeCall {
    const UniqueHand *hand;
    bool found;
} LikeCall;

static void like_visit(void *user, Span meaning)
{
    LikeCall *call = user;
    Likeness l;
    if (call->found) return;
    like_begin(&l, call->hand->unique, meaning);
    call->found = like_text(&l, call->hand->text) == LIKE_MORE;
}

/* Whether an earlier head begins as the one in hand does. */
static bool begins_like_one(const UniqueTable *u, const UniqueHand *hand)
{
    LikeCall call = {hand, false};
    unique_each(u, hand, like_visit, &call);
    return call.found;
}

/* Whether a token ends the head in hand such that it is the value. */
static bool ends_like(const MaskRun *run, const UniqueHand *hand,
                      const WholeValue *v)
{
    Likeness l;
    Span text = vocab_bytes(run->vocab->vocab, v->id);
    Span meaning = whole_meaning(&run->vocab->wholes, v, hand->unique);
    if (!meaning.at) return false;
    like_begin(&l, hand->unique, meaning);
    if (like_text(&l, hand->text) != LIKE_MORE) return false;
    return like_is_vague(&l) ||
           like_text(&l, span_of(text.at, v->begin)) == LIKE_WHOLE;
}

/* The values (of WholeTable) that may be what a token makes of the head in
 * hand. */
static Ids later_values(const MaskRun *run, const UniqueHand *hand)
{
    const WholeTable *w = &run->vocab->wholes;
    uint32_t from = 0, to = w->later.count;
    bool is_string = hand->unique == LIST_UNIQUE_STRING;
    if (is_string && hand->text.size == 1)
        return (Ids){w->doubled.at, w->doubled.count};
    if (is_string && hand->text.size > 1 && hand->text.at[1] != '\\') {
        from = w->later_from[hand->text.at[1]];
        to = w->later_from[hand->text.at[1] + 1];
    }
    return (Ids){w->later.at + from, to - from};
}

static bool some_later(const MaskRun *run, const UniqueHand *hand,
                       const uint32_t *row)
{
    Ids later = later_values(run, hand);
    for (uint32_t i = 0; i < later.count; i++) {
        const WholeValue *v = &run->vocab->wholes.values.at[later.at[i]];
        if (row_has(row, v->id) && ends_like(run, hand, v)) return true;
    }
    return false;
}

bool refine_concerns(MaskRun *run, const ConfigSet *set, const uint32_t *row)
{
    const UniqueTable *u = run->unique;
    UniqueHand hand;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i];
        if (!c->record) continue;
        const UniqueRecord *r = unique_record(u, c->record);
        if (r->may_be_whole || r->has_closed) return true;
        for (uint32_t at = UNIQUE_NONE; unique_hand(u, c, &at, &hand);)
            if (begins_like_one(u, &hand) || some_later(run, &hand, row))
                return true;
    }
    return false;
}

/* ---- trying ---- */

/* Whether the text can be read from a set; that one and another are used up. */
static bool read_sets(MaskRun *run, ConfigSet *now, ConfigSet *next, Span text)
{
    bool alive = true;
    for (size_t i = 0; alive && i < text.size; i++) {
        set_step(&run->stepper, now, text.at[i], next);
        alive = !set_is_empty(next);
        ConfigSet *swap = now;
        now = next;
        next = swap;
    }
    return alive;
}

/* Whether the token can be read: by one configuration as far as that goes. */
static bool can_read(Refine *r, Span text)
{
    MaskRun *run = r->run;
    Stepper *s = &run->stepper;
    ConfigNext end = CONFIG_FORKS;
    size_t pos = 0;
    ConfigSet *now = set_borrow(run), *next = set_borrow(run);
    bool alive = now && next && set_copy(run->mem, now, r->set);
    if (!alive) run->no_memory = true;
    if (alive && now->list.count == 1 && !now->ends && !s->has_budgets)
        pos = track_alone(s, text, &now->list.at[0], &end);
    alive = alive && end != CONFIG_DEAD;
    if (alive && pos < text.size)
        alive =
            read_sets(run, now, next, span_of(text.at + pos, text.size - pos));
    if (now) set_give(run, now);
    if (next) set_give(run, next);
    unique_back(r->table, r->mark);
    return alive;
}

static bool has_failed(const Refine *r)
{
    return r->run->no_memory || stepper_status(&r->run->stepper);
}

/* Gathers a candidate, once: its bit is 0 until it has been tried. */
static void want_id(Refine *r, uint32_t id)
{
    if (!row_has(r->row, id)) return;
    r->row[id / 32] &= ~(1u << (id % 32));
    if (!vec_push(r->run->mem, &r->run->wanted, id)) r->run->no_memory = true;
}

static void want_places(Refine *r, uint32_t from, uint32_t to)
{
    const Trie *trie = &r->run->vocab->main.trie;
    for (uint32_t p = from; p < to; p++) want_id(r, trie->ids[p]);
}

static void try_all(Refine *r)
{
    for (uint32_t i = 0; i < r->run->wanted.count && !has_failed(r); i++) {
        uint32_t id = r->run->wanted.at[i];
        if (can_read(r, vocab_bytes(r->run->vocab->vocab, id)))
            r->row[id / 32] |= 1u << (id % 32);
    }
}

/* ---- the head in hand ---- */

typedef struct LikeNode {
    uint32_t node;
    Likeness likeness;
} LikeNode;

typedef VEC(LikeNode) LikeNodes;

/* The child of a node, if the byte that leads there goes on like the earlier
 * head. */
static void walk_child(Refine *r, LikeNodes *todo, const LikeNode *at,
                       uint32_t child)
{
    const TrieNode *c = &r->run->vocab->main.trie.nodes[child];
    LikeNode next = {child, at->likeness};
    switch (like_byte(&next.likeness, c->byte)) {
    case LIKE_NOT:
        break;
    case LIKE_WHOLE:
        want_places(r, c->tok, c->tok_end);
        break;
    case LIKE_MORE:
        if (like_is_vague(&next.likeness)) r->needs_direct = true;
        if (c->nchildren && !vec_push(r->run->mem, todo, next))
            r->run->no_memory = true;
        break;
    }
}

static void walk_children(Refine *r, LikeNodes *todo, const LikeNode *at)
{
    const Trie *trie = &r->run->vocab->main.trie;
    const TrieNode *n = &trie->nodes[at->node];
    uint8_t bytes[LIKE_FIRST + 1];
    unsigned count = like_first(&at->likeness, bytes);
    for (uint32_t i = 0; count > LIKE_FIRST && i < n->nchildren; i++)
        walk_child(r, todo, at, n->child + i);
    for (unsigned i = 0; count <= LIKE_FIRST && i < count; i++) {
        uint32_t child = trie_child(trie, n, bytes[i]);
        if (child) walk_child(r, todo, at, child);
    }
}

/* An earlier head: if the one in hand begins like it, tokens that go on like
 * it, to its end. */
static void walk_meaning(void *user, Span meaning)
{
    Refine *r = user;
    LikeNodes todo = {0};
    LikeNode at = {.node = TRIE_ROOT};
    like_begin(&at.likeness, r->hand->unique, meaning);
    if (like_text(&at.likeness, r->hand->text) != LIKE_MORE) return;
    r->needs_direct |= like_is_vague(&at.likeness);
    if (!vec_push(r->run->mem, &todo, at)) r->run->no_memory = true;
    while (todo.count && !r->needs_direct && !has_failed(r)) {
        at = todo.at[--todo.count];
        walk_children(r, &todo, &at);
    }
    vec_free(r->run->mem, &todo);
}

/* ---- whole heads ---- */

/* Tokens that end the head in hand and have it whole behind that. */
static void want_later(Refine *r, const UniqueHand *hand)
{
    Ids later = later_values(r->run, hand);
    for (uint32_t i = 0; i < later.count; i++) {
        const WholeValue *v = &r->run->vocab->wholes.values.at[later.at[i]];
        if (row_has(r->row, v->id) && ends_like(r->run, hand, v))
            want_id(r, v->id);
    }
}

/* Tokens that have an earlier head in them. */
static void want_whole(Refine *r, uint64_t hash)
{
    const WholeTable *w = &r->run->vocab->wholes;
    for (MapPos p = map_first(&w->index, hash); p.value != MAP_NONE;
         p = map_next(&w->index, hash, p))
        want_id(r, w->values.at[p.value].id);
}

static void want_wholes(Refine *r, uint32_t record)
{
    const UniqueTable *u = r->table;
    while (record && unique_record(u, record)->may_be_whole) {
        uint32_t i = unique_record(u, record)->last;
        for (; i != UNIQUE_NONE && u->heads.at[i].may_be_whole;
             i = u->heads.at[i].before)
            want_whole(r, u->heads.at[i].hash);
        record = unique_record(u, record)->outer;
    }
}

/* ---- the whole ---- */

static void refine_config(Refine *r, const Config *c)
{
    UniqueHand hand;
    if (!c->record) return;
    r->needs_direct |= unique_record(r->table, c->record)->has_closed;
    for (uint32_t at = UNIQUE_NONE;
         !r->needs_direct && unique_hand(r->table, c, &at, &hand);) {
        r->hand = &hand;
        unique_each(r->table, &hand, walk_meaning, r);
        want_later(r, &hand);
    }
    if (!r->needs_direct) want_wholes(r, c->record);
}

static Refine refine_begin(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    run->wanted.count = 0;
    run->stepper.unique = run->unique;
    return (Refine){.run = run,
                    .set = set,
                    .row = row,
                    .table = run->unique,
                    .mark = unique_mark(run->unique)};
}

static void refine_end(Refine *r)
{
    r->run->stepper.unique = NULL;
    unique_back(r->table, r->mark);
}

bool refine_row(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    Refine r = refine_begin(run, set, row);
    for (uint32_t i = 0; i < set->list.count && !r.needs_direct; i++)
        refine_config(&r, &set->list.at[i]);
    if (!r.needs_direct) try_all(&r);
    refine_end(&r);
    return !r.needs_direct;
}

/* ---- tokens that repeat what they have themselves ---- */

/* A set whose lists have had no heads; what is in hand is made what no token
 * has. NULL: no memory. */
static ConfigSet *fresh_set(MaskRun *run, const ConfigSet *set)
{
    static const uint8_t odd[] = {'"', 1};
    UniqueTable *u = run->unique;
    ConfigSet *fresh = set_borrow(run);
    uint32_t begin = u->text.count;
    bool ok = fresh && set_copy(run->mem, fresh, set) &&
              vec_reserve(u->mem, &u->text, begin + sizeof odd);
    if (!ok) {
        run->no_memory = true;
        return fresh;
    }
    memcpy(u->text.at + begin, odd, sizeof odd);
    u->text.count += (uint32_t)sizeof odd;
    for (uint32_t i = 0; i < fresh->list.count; i++)
        fresh->list.at[i].record =
            unique_fresh(&run->stepper, fresh->list.at[i].record, begin);
    return fresh;
}

bool refine_repeats(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    const WholeTable *w = &run->vocab->wholes;
    Ids ids = {w->strings.at, w->strings.count};
    if (run->has_values) ids = (Ids){w->repeats.at, w->repeats.count};
    Refine r = refine_begin(run, set, row);
    for (uint32_t i = 0; i < ids.count; i++) want_id(&r, ids.at[i]);
    uint32_t before = run->wanted.count;
    ConfigSet *fresh = before ? fresh_set(run, set) : NULL;
    if (fresh && !has_failed(&r)) {
        UniqueMark end = r.mark;
        r.set = fresh;
        r.mark = unique_mark(run->unique);
        try_all(&r);
        r.mark = end;
    }
    if (fresh) set_give(run, fresh);
    refine_end(&r);
    bool any = false;
    for (uint32_t i = 0; i < before; i++)
        any |= !row_has(row, run->wanted.at[i]);
    return any;
}
