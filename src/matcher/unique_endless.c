/* unique_endless.c: heads in hand that have endless ways to end.
 *
 * A head whose list is not open (State.is_open) has them where a way leads into
 * a string or number of it that may go on with one letter or digit again and
 * again: each time it is another value, so whatever heads there have been, some
 * are left. Such a way is searched, depth first, what ends things last; whether
 * there is one depends on the place alone, and is kept for good.
 * Conservative: items of arrays without end are not seen, nor long ways.
 * Cost: 20 us for a new place; a look-up for others, nearly all.
 * Tests: unit/unique_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/unique_answers.h"

enum { FIND_STEPS = 150, FIND_DEPTH = 100 };

/* ---- answers ---- */

enum { MANY_ANSWERS = 1 << 16 }; /* kept ones, before all are forgotten */

void unique_answers_free(UniqueAnswers *a, const Mem *mem)
{
    vec_free(mem, &a->at);
    map_free(mem, &a->index);
}

void unique_answers_clear(UniqueAnswers *a, const Mem *mem)
{
    a->at.count = 0;
    map_clear(mem, &a->index);
}

const UniqueAnswer *unique_answer(const UniqueAnswers *a, uint64_t key)
{
    for (MapPos p = map_first(&a->index, key); p.value != MAP_NONE;
         p = map_next(&a->index, key, p)) {
        assert(p.value < a->at.count && a->at.at);
        if (a->at.at[p.value].key == key) return &a->at.at[p.value];
    }
    return NULL;
}

void unique_answer_keep(UniqueAnswers *a, const Mem *mem, uint64_t key,
                        bool can)
{
    if (!key || unique_answer(a, key)) return;
    if (a->at.count == MANY_ANSWERS) unique_answers_clear(a, mem);
    if (!vec_push(mem, &a->at, (UniqueAnswer){key, can})) return;
    if (!map_add(mem, &a->index, key, a->at.count - 1)) a->at.count--;
}

uint64_t unique_place_hash(const UniqueTable *u, const Config *c)
{
    uint64_t h = hash_mix(1, (uintptr_t)c->q);
    h = hash_mix(h, c->reg ^ (c->stack ? c->stack->item.hash : 1));
    for (uint32_t i = c->record; i; i = unique_record(u, i)->outer) {
        const UniqueRecord *r = unique_record(u, i);
        h = hash_mix(hash_mix(h, (uintptr_t)r->list), (uintptr_t)r->head);
    }
    return h;
}

/* ---- places ---- */

static bool loops_on(State *q, uint8_t byte)
{
    if (!byteset_has(&q->first, byte)) return false;
    uintptr_t cell = state_next(q, byte);
    return cell && CELL_IS_STATE(cell) && cell_state(cell) == q;
}

/* Whether the number at the end of a text has an exponent: that of 0 has no
 * meaning. */
static bool has_exponent(const UniqueTable *u)
{
    uint32_t i = u->text.count;
    while (i && strchr("0123456789+-.", u->text.at[i - 1])) i--;
    return i && (u->text.at[i - 1] | 0x20) == 'e';
}

/* Whether some letter can be read again and again, which is in a string, or a
 * digit 1 that makes another number each time. */
static bool state_is_endless(const UniqueTable *u, State *q)
{
    for (unsigned byte = 'a'; byte <= 'z'; byte++)
        if (loops_on(q, (uint8_t)byte)) return true;
    return loops_on(q, '1') && !has_exponent(u);
}

/* Where the innermost head in hand that is not open begins. */
static uint32_t watched_begin(const UniqueTable *u, const Config *c)
{
    UniqueHand hand;
    for (uint32_t r = UNIQUE_NONE; unique_hand(u, c, &r, &hand);)
        if (!hand.is_open) return hand.begin;
    return UNIQUE_NONE;
}

/* Whether a head that is not open and began at `begin` is in hand. */
static bool is_in(const UniqueTable *u, const Config *c, uint32_t begin)
{
    UniqueHand hand;
    for (uint32_t r = UNIQUE_NONE; c->record && unique_hand(u, c, &r, &hand);)
        if (!hand.is_open && hand.begin == begin) return true;
    return false;
}

/* ---- the search ---- */

/* Whether the text from `begin`, where no string is, ends inside of one. */
static bool ends_in_string(const UniqueTable *u, uint32_t begin)
{
    bool is_in = false;
    for (uint32_t i = begin; i < u->text.count; i++) {
        uint8_t c = u->text.at[i];
        if (c == '"') is_in = !is_in;
        if (c == '\\' && is_in) i++;
    }
    return is_in;
}

/* A line end stands in no string, a blank may. */
static bool has_blanks(const UniqueTable *u, const ConfigSet *set,
                       const ByteSet *bytes)
{
    UniqueHand hand;
    uint32_t r = UNIQUE_NONE;
    if (byteset_has(bytes, '\n')) return true;
    return byteset_has(bytes, ' ') && set->list.count &&
           set->list.at[0].record &&
           unique_hand(u, &set->list.at[0], &r, &hand) &&
           !ends_in_string(u, hand.begin);
}

void unique_search_bytes(Stepper *s, const ConfigSet *set, ByteSet *bytes)
{
    static const uint64_t blanks =
        1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\r';
    set_first(s, set, bytes);
    if (!has_blanks(s->unique, set, bytes)) return;
    uint64_t others = bytes->word[0] & ~blanks;
    if (others | bytes->word[1] | bytes->word[2] | bytes->word[3])
        bytes->word[0] = others;
}

typedef struct FindLevel {
    ConfigSet set; /* all in the head */
    ByteSet first;
    uint32_t next; /* bytes tried */
} FindLevel;

typedef struct Find {
    uint32_t begin;      /* of the head */
    uint32_t text;       /* bytes when it began */
    FindLevel *levels;   /* FIND_DEPTH + 1 */
    UniqueAnswers *seen; /* places gone on from */
} Find;

/* What leads into strings comes first, what ends things late, blanks last. */
static uint8_t find_byte(uint32_t i)
{
    static const char first[] = "\",:";
    enum { FIRST = sizeof first - 1 };
    if (i < FIRST) return (uint8_t)first[i];
    return (uint8_t)(i - FIRST + '#');
}
enum { FIND_BYTES = 256 + 3 };

/* Leaves those of a set that are in the head; true: one is endless. */
static bool find_keep(Stepper *s, const Find *f, ConfigSet *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i];
        if (!is_in(s->unique, c, f->begin)) continue;
        if (state_is_endless(s->unique, c->q)) return true;
        set->list.at[kept++] = *c;
    }
    set->list.count = kept;
    return false;
}

/* Whether the set has a place that was not gone on from. */
static bool find_is_new(Stepper *s, const Find *f, const ConfigSet *set)
{
    bool is_new = false;
    for (uint32_t i = 0; i < set->list.count; i++) {
        uint64_t key = unique_place_hash(s->unique, &set->list.at[i]);
        if (unique_answer(f->seen, key)) continue;
        is_new = true;
        unique_answer_keep(f->seen, s->mem, key, false);
    }
    return is_new;
}

/* *depth: of the last level on the way. */
static bool find_run(Stepper *s, const Find *f, uint32_t *depth)
{
    uint32_t steps = 0;
    unique_search_bytes(s, &f->levels[0].set, &f->levels[0].first);
    while (steps < FIND_STEPS && !stepper_status(s)) {
        FindLevel *l = &f->levels[*depth], *below = l + 1;
        if (l->next == FIND_BYTES || *depth == FIND_DEPTH) {
            if (!(*depth)--) return false;
            continue;
        }
        uint8_t byte = find_byte(l->next++);
        if (!byteset_has(&l->first, byte)) continue;
        steps++;
        s->unique->text.count = f->text + *depth;
        set_step_raw(s, &l->set, byte, &below->set);
        if (find_keep(s, f, &below->set)) return true;
        if (!find_is_new(s, f, &below->set)) continue;
        below->next = 0;
        unique_search_bytes(s, &below->set, &below->first);
        ++*depth;
    }
    return false;
}

/* Keeps that from the places on the way, up to depth, there is one. */
static void find_learn(Stepper *s, const Find *f, uint32_t depth)
{
    UniqueTable *u = s->unique;
    for (uint32_t i = 0; i <= depth; i++) {
        const ConfigSet *set = &f->levels[i].set;
        if (set->list.count != 1) continue;
        s->unique->text.count = f->text + i;
        if (watched_begin(u, &set->list.at[0]) == f->begin)
            unique_answer_keep(&u->endless, u->mem,
                               unique_place_hash(u, &set->list.at[0]), true);
    }
}

static bool find(Stepper *s, const Config *c, uint32_t begin)
{
    UniqueMark mark = unique_mark(s->unique);
    size_t nbytes = (FIND_DEPTH + 2) * sizeof(FindLevel);
    UniqueAnswers seen = {0};
    Find f = {begin, mark.text, mem_zero(s->mem, nbytes), &seen};
    uint32_t depth = 0;
    bool found = f.levels && vec_push(s->mem, &f.levels[0].set.list, *c) &&
                 find_run(s, &f, &depth);
    if (found) find_learn(s, &f, depth);
    for (uint32_t i = 0; f.levels && i < FIND_DEPTH + 2; i++)
        vec_free(s->mem, &f.levels[i].set.list);
    mem_free(s->mem, f.levels, nbytes);
    unique_answers_free(&seen, s->mem);
    unique_back(s->unique, mark);
    return found;
}

bool unique_is_endless(Stepper *s, const Config *c)
{
    UniqueTable *u = s->unique;
    if (state_is_endless(u, c->q)) return true;
    uint64_t key = unique_place_hash(u, c);
    const UniqueAnswer *known = unique_answer(&u->endless, key);
    if (known) return known->can;
    uint32_t begin = watched_begin(u, c);
    bool is = begin == UNIQUE_NONE || find(s, c, begin);
    if (!stepper_status(s)) unique_answer_keep(&u->endless, u->mem, key, is);
    return is;
}
