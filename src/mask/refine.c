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

enum { MANY_IDS = 1 << 18 }; /* kept ones, before they are found anew */

typedef struct Refine {
    MaskRun *run;
    const ConfigSet *set;
    uint32_t *row;
    UniqueTable *table;
    UniqueMark mark;
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

static bool begins_like_one(MaskRun *run, const UniqueHand *hand)
{
    const UniqueLikes *likes = unique_likes(run->unique, hand);
    run->no_memory |= !likes;
    return !likes || likes->list.count;
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
            if (begins_like_one(run, &hand) || some_later(run, &hand, row))
                return true;
    }
    return false;
}

/* ---- trying ---- */

/* What has been read of a token: a set a byte, the first before any. */
typedef struct TryLevel {
    ConfigSet *set;
    UniqueMark mark;
} TryLevel;

typedef struct Tries {
    Refine *r;
    VEC(TryLevel) levels;
    Span text;   /* of the token tried last */
    size_t size; /* its bytes that could be read */
} Tries;

static void level_push(Tries *t, ConfigSet *set)
{
    MaskRun *run = t->r->run;
    TryLevel level = {set, unique_mark(t->r->table)};
    if (set && vec_push(run->mem, &t->levels, level)) return;
    run->no_memory = true;
    if (set) set_give(run, set);
}

static void levels_cut(Tries *t, size_t count)
{
    while (t->levels.count > count)
        set_give(t->r->run, t->levels.at[--t->levels.count].set);
}

/* Reads a byte from the last level into `to`: by one configuration where that
 * will do. False: it cannot be read. */
static bool level_read(Tries *t, uint8_t byte, ConfigSet *to)
{
    Stepper *s = &t->r->run->stepper;
    assert(t->levels.at && t->levels.count);
    const TryLevel *last = &t->levels.at[t->levels.count - 1];
    const ConfigSet *from = last->set;
    unique_back(t->r->table, last->mark);
    if (from->list.count == 1 && !from->ends && !s->has_budgets) {
        ConfigNext end;
        Config c = from->list.at[0];
        track_alone(s, span_of(&byte, 1), &c, &end);
        if (end == CONFIG_DEAD) return false;
        if (end == CONFIG_MOVED) return vec_push(s->mem, &to->list, c);
    }
    set_step(s, from, byte, to);
    return !set_is_empty(to);
}

/* Whether the token can be read. What it begins with like the one before is
 * not read again. */
static bool can_read(Tries *t, Span text)
{
    MaskRun *run = t->r->run;
    size_t same = 0;
    while (same < MIN(text.size, t->text.size) &&
           text.at[same] == t->text.at[same])
        same++;
    if (t->size < t->text.size && same > t->size) return false;
    levels_cut(t, same + 1);
    t->text = text;
    for (t->size = same; t->size < text.size; t->size++) {
        ConfigSet *to = set_borrow(run);
        bool alive = to && level_read(t, text.at[t->size], to);
        if (alive) {
            level_push(t, to);
            if (run->no_memory) return false;
            continue;
        }
        if (to) set_give(run, to);
        return false;
    }
    return true;
}

static Tries tries_begin(Refine *r)
{
    Tries t = {.r = r};
    ConfigSet *first = set_borrow(r->run);
    if (first && !set_copy(r->run->mem, first, r->set)) {
        set_give(r->run, first);
        first = NULL;
    }
    level_push(&t, first);
    return t;
}

static void tries_end(Tries *t)
{
    levels_cut(t, 0);
    vec_free(t->r->run->mem, &t->levels);
    unique_back(t->r->table, t->r->mark);
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

static void try_all(Refine *r)
{
    if (!r->run->wanted.count) return;
    Tries t = tries_begin(r);
    for (uint32_t i = 0; i < r->run->wanted.count && !has_failed(r); i++) {
        uint32_t id = r->run->wanted.at[i];
        if (can_read(&t, vocab_bytes(r->run->vocab->vocab, id)))
            r->row[id / 32] |= 1u << (id % 32);
    }
    tries_end(&t);
}

/* ---- tokens that go on like an earlier head ---- */

typedef struct LikeNode {
    uint32_t node;
    Likeness likeness;
} LikeNode;

/* A walk over a trie, of tokens or of what they have from some place on. */
typedef struct LikeWalk {
    Refine *r;
    const Trie *trie;
    bool is_closed; /* tokens need not come to the head's end */
    bool to_keep;   /* ids go to head_ids, whatever the row */
    VEC(LikeNode) todo;
} LikeWalk;

static void walk_found(LikeWalk *w, uint32_t from, uint32_t to)
{
    MaskRun *run = w->r->run;
    for (uint32_t p = from; p < to; p++) {
        if (!w->to_keep)
            want_id(w->r, w->trie->ids[p]);
        else if (!vec_push(run->mem, &run->head_ids, w->trie->ids[p]))
            run->no_memory = true;
    }
}

/* Whether something below a node may matter, if the text there is like the
 * earlier head. */
static bool is_worth(const LikeWalk *w, const TrieNode *n, const Likeness *l)
{
    uint8_t last = like_last(l);
    if (!n->nchildren) return false;
    if (!last || (w->is_closed && like_is_near(l))) return true;
    return n->below >> trie_group[last] & 1;
}

/* The child of a node, if the byte that leads there goes on like the earlier
 * head. */
static void walk_child(LikeWalk *w, const LikeNode *at, uint32_t child)
{
    const TrieNode *c = &w->trie->nodes[child];
    LikeNode next = {child, at->likeness};
    const Likeness *l = &next.likeness;
    switch (like_byte(&next.likeness, c->byte)) {
    case LIKE_NOT:
        break;
    case LIKE_WHOLE:
        walk_found(w, c->tok, c->tok_end);
        break;
    case LIKE_MORE:
        if (like_is_vague(l)) w->r->needs_direct = true;
        if (w->is_closed && like_has_begun(l) && like_is_near(l))
            walk_found(w, c->tok, trie_own_end(w->trie, c));
        if (is_worth(w, c, l) && !vec_push(w->r->run->mem, &w->todo, next))
            w->r->run->no_memory = true;
        break;
    }
}

static void walk_children(LikeWalk *w, const LikeNode *at)
{
    const TrieNode *n = &w->trie->nodes[at->node];
    uint8_t bytes[LIKE_FIRST + 1];
    unsigned count = like_first(&at->likeness, bytes);
    for (uint32_t i = 0; count > LIKE_FIRST && i < n->nchildren; i++)
        walk_child(w, at, n->child + i);
    for (unsigned i = 0; count <= LIKE_FIRST && i < count; i++) {
        uint32_t child = trie_child(w->trie, n, bytes[i]);
        if (child) walk_child(w, at, child);
    }
}

static void walk_like(LikeWalk *w, const Likeness *from)
{
    LikeNode at = {TRIE_ROOT, *from};
    MaskRun *run = w->r->run;
    if (like_is_vague(from)) w->r->needs_direct = true;
    if (!vec_push(run->mem, &w->todo, at)) run->no_memory = true;
    while (w->todo.count && !w->r->needs_direct && !has_failed(w->r)) {
        at = w->todo.at[--w->todo.count];
        walk_children(w, &at);
    }
    vec_free(run->mem, &w->todo);
}

/* Earlier heads that the one in hand begins like. */
static void walk_hand(Refine *r, const UniqueHand *hand)
{
    const UniqueLikes *likes = unique_likes(r->table, hand);
    r->run->no_memory |= !likes;
    for (uint32_t i = 0; likes && i < likes->list.count; i++) {
        LikeWalk w = {.r = r,
                      .trie = &r->run->vocab->main.trie,
                      .is_closed = !hand->is_open};
        walk_like(&w, &likes->list.at[i].like);
    }
}

/* ---- heads that begin in a token and could only be ended as before ---- */

/* Finds the tokens inside which an earlier head may begin once more. */
static HeadTokens find_tokens(Refine *r, const UniqueHead *h)
{
    MaskRun *run = r->run;
    const Trie *tries[] = {&run->vocab->main.trie, &run->vocab->wholes.tails};
    HeadTokens found = {h->hash, run->head_ids.count, 0};
    Likeness l;
    like_begin(&l, h->unique, span_of(r->table->bytes.at + h->at, h->size));
    for (size_t i = 0; i < COUNT_OF(tries); i++) {
        LikeWalk w = {
            .r = r, .trie = tries[i], .is_closed = true, .to_keep = true};
        walk_like(&w, &l);
    }
    found.count = run->head_ids.count - found.at;
    return found;
}

static HeadTokens tokens_of(Refine *r, uint32_t head)
{
    MaskRun *run = r->run;
    const UniqueHead *h = &r->table->heads.at[head];
    if (run->head_ids.count > MANY_IDS)
        run->heads.count = run->head_ids.count = 0;
    while (run->heads.count <= head)
        if (!vec_push(run->mem, &run->heads, (HeadTokens){0, 0, 0})) {
            run->no_memory = true;
            return (HeadTokens){0, 0, 0};
        }
    HeadTokens *known = &run->heads.at[head];
    if (known->hash != h->hash) *known = find_tokens(r, h);
    return *known;
}

static bool is_closed(const UniqueRecord *r)
{
    return r->last != UNIQUE_NONE &&
           atomic_load_explicit(&r->list->is_closed, memory_order_relaxed);
}

static void want_begun(Refine *r, uint32_t record)
{
    const UniqueTable *u = r->table;
    for (; record && unique_record(u, record)->has_closed && !r->needs_direct;
         record = unique_record(u, record)->outer) {
        const UniqueRecord *at = unique_record(u, record);
        if (!is_closed(at)) continue;
        if (u->heads.at[at->last].count >= LIST_SUPPLY_LEAST)
            r->needs_direct = true;
        for (uint32_t i = at->last; i != UNIQUE_NONE && !r->needs_direct;
             i = u->heads.at[i].before) {
            HeadTokens t = tokens_of(r, i);
            for (uint32_t k = 0; k < t.count; k++)
                want_id(r, r->run->head_ids.at[t.at + k]);
        }
    }
}

/* Tokens that may end the head in hand and begin one like it. */
static void want_reopens(Refine *r, const UniqueHand *hand)
{
    const WholeTable *w = &r->run->vocab->wholes;
    if (hand->is_open || !hand->text.size) return;
    WholeKind kind = whole_kind(hand->text.at[0]);
    for (uint32_t i = 0; i < w->reopens[kind].count; i++)
        want_id(r, w->reopens[kind].at[i]);
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
    for (uint32_t at = UNIQUE_NONE;
         !r->needs_direct && unique_hand(r->table, c, &at, &hand);) {
        walk_hand(r, &hand);
        want_later(r, &hand);
        want_reopens(r, &hand);
    }
    want_begun(r, c->record);
    if (!r->needs_direct) want_wholes(r, c->record);
}

static Refine refine_begin(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    run->wanted.count = 0;
    unique_tries_begin(run->unique);
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
    unique_tries_end(r->table);
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
 * has that can be read: no character has this byte. NULL: no memory. */
static ConfigSet *fresh_set(MaskRun *run, const ConfigSet *set)
{
    static const uint8_t odd[] = {'"', 0xFF};
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
