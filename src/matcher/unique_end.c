/* unique_end.c: heads in hand that could only be ended as earlier ones were.
 *
 * A head whose list is not open (State.is_open) is looked at as long as it
 * begins as an earlier one: then a way is searched on which it comes to differ
 * from all of them, depth first. Once it differs, whatever follows will do.
 * Where there are endless ways (unique_endless.c) no head need be looked at.
 * Cost: the earlier heads; the way is a few bytes nearly always.
 * Tests: unit/unique_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/config.h"
#include "matcher/likeness.h"
#include "matcher/unique_answers.h"

enum { SEARCH_STEPS = 200000, SEARCH_DEPTH = 400 };

static void fail(Stepper *s, weir_status status)
{
    if (!s->stacks.status) s->stacks.status = status;
}

/* ---- near earlier heads ---- */

/* Adds to *key how near one the head in hand is; false: it is not. */
static bool like_one(const UniqueHand *hand, Likeness l, Span more,
                     uint32_t head, uint64_t *key)
{
    if (like_text(&l, more) != LIKE_MORE || !like_is_near(&l)) return false;
    *key = like_hash(hash_mix(*key, (uint64_t)hand->last << 32 | head), &l);
    return true;
}

/* Whether the hand begins like some head; *key: how. What is kept of likes does
 * not change: the text may be one that is only tried. */
static bool hand_is_near(UniqueTable *u, const UniqueHand *hand, uint64_t *key)
{
    bool is_near = false;
    const UniqueLikes *kept = unique_kept_likes(u, hand);
    for (uint32_t i = 0; kept && i < kept->list.count; i++) {
        const UniqueLike *one = &kept->list.at[i];
        uint32_t known = kept->end - kept->begin;
        is_near |=
            like_one(hand, one->like,
                     span_of(hand->text.at + known, hand->text.size - known),
                     one->head, key);
    }
    for (uint32_t i = kept ? UNIQUE_NONE : hand->last; i != UNIQUE_NONE;
         i = u->heads.at[i].before) {
        const UniqueHead *h = &u->heads.at[i];
        Likeness l;
        if (h->unique != hand->unique) continue;
        like_begin(&l, h->unique, span_of(u->bytes.at + h->at, h->size));
        is_near |= like_one(hand, l, hand->text, i, key);
    }
    return is_near;
}

static bool config_is_near(UniqueTable *u, const Config *c, uint64_t *key)
{
    UniqueHand hand;
    bool is_near = false;
    for (uint32_t r = UNIQUE_NONE;
         unique_is_watched(u, c) && unique_hand(u, c, &r, &hand);)
        is_near |= !hand.is_open && hand_is_near(u, &hand, key);
    return is_near;
}

static bool is_near(UniqueTable *u, const Config *c)
{
    uint64_t key = 0;
    return config_is_near(u, c, &key);
}

/* ---- a round of tries ---- */

void unique_tries_begin(UniqueTable *u)
{
    unique_answers_clear(&u->tried, u->mem);
    u->nstable = u->heads.count;
}

void unique_tries_end(UniqueTable *u)
{
    u->nstable = 0;
}

/* A hash of what the answer depends on, given how near heads are. */
static uint64_t config_hash(const UniqueTable *u, const Config *c,
                            uint64_t near)
{
    uint64_t h = hash_mix(near, unique_place_hash(u, c));
    for (uint32_t i = c->record; i; i = unique_record(u, i)->outer)
        h = hash_mix(h, unique_record(u, i)->last);
    return h;
}

/* The same, or 0: it is not to be kept. Heads that a try has made are other
 * ones in another. */
static uint64_t answer_key(const UniqueTable *u, const Config *c, uint64_t near)
{
    for (uint32_t i = c->record; i; i = unique_record(u, i)->outer) {
        uint32_t last = unique_record(u, i)->last;
        if (last != UNIQUE_NONE && last >= u->nstable) return 0;
    }
    return u->nstable ? config_hash(u, c, near) : 0;
}

/* A hash of what can follow a set all of whose heads are near. */
static uint64_t set_hash(UniqueTable *u, const ConfigSet *set)
{
    uint64_t h = set->list.count;
    for (uint32_t i = 0; i < set->list.count; i++) {
        uint64_t near = 0;
        config_is_near(u, &set->list.at[i], &near);
        h = hash_mix(h, config_hash(u, &set->list.at[i], near));
    }
    return h;
}

/* ---- the search ---- */

typedef struct SearchLevel {
    ConfigSet set;
    ByteSet first;
    uint32_t next; /* bytes tried: all once for what they lead to, then again */
} SearchLevel;

/* What ends things comes first, blanks and what is no character last. */
static uint8_t search_byte(uint32_t i)
{
    static const char first[] = "\"]}0123456789";
    enum { FIRST = sizeof first - 1 };
    return i < FIRST ? (uint8_t)first[i] : (uint8_t)(i - FIRST + '!');
}

enum { SEARCH_BYTES = 256 + 13 };

typedef struct FreeCall {
    UniqueTable *u;
    bool is_free;
} FreeCall;

static void free_visit(void *user, Config c)
{
    FreeCall *call = user;
    call->is_free = call->is_free || !is_near(call->u, &c);
}

/* Whether some reading differs from the earlier heads by now, or has ended. */
static bool has_free(Stepper *s, const ConfigSet *set)
{
    FreeCall call = {s->unique, false};
    return set_each_return(s, set, free_visit, &call) || call.is_free;
}

typedef struct Search {
    SearchLevel *levels;
    uint32_t count;     /* levels that have been used */
    VEC(uint64_t) seen; /* hashes of the sets gone on from: blanks lead back */
} Search;

/* False: the set has been gone on from before. */
static bool search_is_new(Stepper *s, Search *search, const ConfigSet *set)
{
    uint64_t h = set_hash(s->unique, set);
    for (uint32_t i = 0; i < search->seen.count; i++)
        if (search->seen.at[i] == h) return false;
    if (!vec_push(s->mem, &search->seen, h)) fail(s, WEIR_NO_MEMORY);
    return true;
}

static SearchLevel *search_level(Search *search, uint32_t depth)
{
    if (depth == search->count)
        search->levels[search->count++] = (SearchLevel){.next = 0};
    return &search->levels[depth];
}

/* Tries the next byte of a level; *deeper: it is one to go on from. */
static bool search_next(Stepper *s, SearchLevel *l, ConfigSet *below,
                        bool *deeper)
{
    uint8_t byte = search_byte(l->next % SEARCH_BYTES);
    bool is_look = l->next++ < SEARCH_BYTES;
    *deeper = false;
    if (!byteset_has(&l->first, byte)) return false;
    set_step_raw(s, &l->set, byte, below);
    if (set_is_empty(below)) return false;
    *deeper = !is_look;
    return is_look && has_free(s, below);
}

static bool search_run(Stepper *s, Search *search, uint32_t text)
{
    uint32_t depth = 0, steps = 0;
    bool found = has_free(s, &search->levels[0].set), deeper;
    unique_search_bytes(s, &search->levels[0].set, &search->levels[0].first);
    while (!found && !s->stacks.status) {
        SearchLevel *below = search_level(search, depth + 1);
        SearchLevel *l = &search->levels[depth];
        s->unique->text.count = text + depth;
        if (++steps > SEARCH_STEPS) {
            fail(s, WEIR_LIMIT_WORK);
        } else if (l->next == 2 * SEARCH_BYTES || depth == SEARCH_DEPTH) {
            if (!depth--) return false;
        } else {
            found = search_next(s, l, &below->set, &deeper);
            if (!deeper || !search_is_new(s, search, &below->set)) continue;
            below->next = 0;
            unique_search_bytes(s, &below->set, &below->first);
            depth++;
        }
    }
    return true;
}

static bool search(Stepper *s, Config c)
{
    UniqueMark mark = unique_mark(s->unique);
    size_t nbytes = (SEARCH_DEPTH + 2) * sizeof(SearchLevel);
    Search search = {.levels = mem_new(s->mem, nbytes)};
    bool ok = search.levels &&
              vec_push(s->mem, &search_level(&search, 0)->set.list, c);
    if (!ok) fail(s, WEIR_NO_MEMORY);
    bool can = !ok || search_run(s, &search, mark.text);
    for (uint32_t i = 0; i < search.count; i++)
        vec_free(s->mem, &search.levels[i].set.list);
    vec_free(s->mem, &search.seen);
    mem_free(s->mem, search.levels, nbytes);
    unique_back(s->unique, mark);
    return can;
}

bool unique_can_end(Stepper *s, Config c)
{
    UniqueTable *u = s->unique;
    uint64_t near = 0;
    if (!unique_is_watched(u, &c) || unique_is_endless(s, &c)) return true;
    if (!config_is_near(u, &c, &near)) return true;
    uint64_t key = answer_key(u, &c, near);
    const UniqueAnswer *known = unique_answer(&u->tried, key);
    if (known) return known->can;
    bool can = search(s, c);
    if (!s->stacks.status) unique_answer_keep(&u->tried, u->mem, key, can);
    return can;
}

void unique_prune(Stepper *s, ConfigSet *set)
{
    uint32_t kept = 0;
    bool was_empty = set_is_empty(set);
    for (uint32_t i = 0; i < set->list.count; i++) {
        Config c = set->list.at[i];
        if (s->stacks.status || unique_can_end(s, c)) set->list.at[kept++] = c;
    }
    set->list.count = kept;
    if (!was_empty && set_is_empty(set)) s->unique->text.count--;
}
