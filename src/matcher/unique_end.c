/* unique_end.c: heads in hand that could only be ended as earlier ones were.
 *
 * A head whose list is not open (State.is_open) is looked at as long as it
 * begins as an earlier one: then a way is searched on which it comes to differ
 * from all of them, depth first. Once it differs, whatever follows will do.
 * Cost: the earlier heads; the way is a few bytes nearly always.
 * Tests: unit/unique_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/config.h"
#include "matcher/likeness.h"
#include "network/list_frame.h"

enum { SEARCH_STEPS = 20000, SEARCH_DEPTH = 400 };

static void fail(Stepper *s, weir_status status)
{
    if (!s->stacks.status) s->stacks.status = status;
}

/* ---- near earlier heads ---- */

typedef struct NearCall {
    const UniqueHand *hand;
    bool is_near;
} NearCall;

static void near_visit(void *user, Span meaning)
{
    NearCall *call = user;
    Likeness l;
    if (call->is_near) return;
    like_begin(&l, call->hand->unique, meaning);
    call->is_near =
        like_text(&l, call->hand->text) == LIKE_MORE && like_is_near(&l);
}

bool unique_is_near(const UniqueTable *u, const Config *c)
{
    UniqueHand hand;
    if (!c->record) return false;
    bool is_closed = unique_record(u, c->record)->is_closed || c->q->is_watched;
    for (uint32_t r = UNIQUE_NONE; is_closed && unique_hand(u, c, &r, &hand);) {
        NearCall call = {&hand, false};
        if (!hand.is_open) unique_each(u, &hand, near_visit, &call);
        if (call.is_near) return true;
    }
    return false;
}

/* ---- the search ---- */

typedef struct SearchLevel {
    ConfigSet set;
    uint32_t next; /* bytes tried */
} SearchLevel;

/* Bytes that end things come first. */
static uint8_t search_byte(uint32_t i)
{
    static const char first[] = "\"]}0123456789";
    enum { FIRST = sizeof first - 1 };
    return i < FIRST ? (uint8_t)first[i] : (uint8_t)(i - FIRST);
}

enum { SEARCH_BYTES = 256 + 13 };

typedef struct FreeCall {
    const UniqueTable *u;
    bool is_free;
} FreeCall;

static void free_visit(void *user, Config c)
{
    FreeCall *call = user;
    call->is_free = call->is_free || !unique_is_near(call->u, &c);
}

/* Whether some reading differs from the earlier heads by now, or has ended. */
static bool has_free(Stepper *s, const ConfigSet *set)
{
    FreeCall call = {s->unique, false};
    return set_each_return(s, set, free_visit, &call) || call.is_free;
}

static bool search_run(Stepper *s, SearchLevel *levels, uint32_t text)
{
    uint32_t depth = 0, steps = 0;
    bool found = has_free(s, &levels[0].set);
    while (!found && !s->stacks.status) {
        SearchLevel *l = &levels[depth], *below = l + 1;
        s->unique->text.count = text + depth;
        if (++steps > SEARCH_STEPS) {
            fail(s, WEIR_LIMIT_WORK);
        } else if (l->next == SEARCH_BYTES || depth == SEARCH_DEPTH) {
            if (!depth--) return false;
        } else {
            set_step_raw(s, &l->set, search_byte(l->next++), &below->set);
            if (set_is_empty(&below->set)) continue;
            below->next = 0;
            depth++;
            found = has_free(s, &below->set);
        }
    }
    return true;
}

bool unique_can_end(Stepper *s, Config c)
{
    if (!unique_is_near(s->unique, &c)) return true;
    UniqueMark mark = unique_mark(s->unique);
    size_t nbytes = (SEARCH_DEPTH + 2) * sizeof(SearchLevel);
    SearchLevel *levels = mem_zero(s->mem, nbytes);
    bool ok = levels && vec_push(s->mem, &levels[0].set.list, c);
    if (!ok) fail(s, WEIR_NO_MEMORY);
    bool can = !ok || search_run(s, levels, mark.text);
    for (uint32_t i = 0; levels && i < SEARCH_DEPTH + 2; i++)
        vec_free(s->mem, &levels[i].set.list);
    mem_free(s->mem, levels, nbytes);
    unique_back(s->unique, mark);
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
