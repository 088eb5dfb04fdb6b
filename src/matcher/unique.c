/* unique.c: records of heads, and what happens at the ends of heads.
 *
 * Heads of one list are a chain from the last to the first, so that readings
 * share what they have in common; looking one up compares hashes along it.
 * A record or head that was made with the same byte is not made again, so that
 * readings that agree have equal records.
 * Cost: at the end of a head, the heads before it.
 * Tests: unit/unique_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/unique.h"

#include "matcher/config.h"
#include "matcher/likeness.h"
#include "matcher/meaning.h"
#include "network/list_frame.h"

enum { RECENT = 32 }; /* heads that are looked through */

void unique_free(UniqueTable *u)
{
    if (!u->mem) return;
    vec_free(u->mem, &u->text);
    vec_free(u->mem, &u->records);
    vec_free(u->mem, &u->heads);
    vec_free(u->mem, &u->bytes);
    vec_free(u->mem, &u->scratch);
    unique_answers_free(&u->tried, u->mem);
    unique_answers_free(&u->endless, u->mem);
    for (int i = 0; i < UNIQUE_HANDS; i++) vec_free(u->mem, &u->likes[i].list);
    u->mem = NULL;
}

bool unique_copy(UniqueTable *to, const UniqueTable *from)
{
    *to = (UniqueTable){.mem = from->mem, .whole = from->whole};
    if (vec_append(to->mem, &to->text, &from->text) &&
        vec_append(to->mem, &to->records, &from->records) &&
        vec_append(to->mem, &to->heads, &from->heads) &&
        vec_append(to->mem, &to->bytes, &from->bytes))
        return true;
    unique_free(to);
    return false;
}

UniqueMark unique_mark(const UniqueTable *u)
{
    return (UniqueMark){u->text.count, u->records.count, u->heads.count,
                        u->bytes.count};
}

void unique_back(UniqueTable *u, UniqueMark mark)
{
    for (int i = 0; i < UNIQUE_HANDS; i++)
        if (u->likes[i].end > mark.text) u->likes[i].end = 0;
    u->text.count = mark.text;
    u->records.count = mark.records;
    u->heads.count = mark.heads;
    u->bytes.count = mark.bytes;
}

bool unique_meaning(UniqueTable *u, ListUnique kind, Span text)
{
    u->scratch.count = 0;
    return kind == LIST_UNIQUE_STRING
               ? meaning_string(u->mem, text, (MeaningBytes *)&u->scratch)
               : meaning_value(u->mem, text, (MeaningBytes *)&u->scratch);
}

/* ---- heads ---- */

static Span head_meaning(const UniqueTable *u, const UniqueHead *head)
{
    return span_of(u->bytes.at + head->at, head->size);
}

static bool head_is(const UniqueTable *u, const UniqueHead *h, ListUnique kind,
                    uint64_t hash, Span meaning)
{
    return h->hash == hash && h->unique == kind &&
           span_equal(head_meaning(u, h), meaning);
}

static bool head_is_known(const UniqueTable *u, uint32_t last, ListUnique kind,
                          uint64_t hash, Span meaning)
{
    for (uint32_t i = last; i != UNIQUE_NONE; i = u->heads.at[i].before)
        if (head_is(u, &u->heads.at[i], kind, hash, meaning)) return true;
    return false;
}

static void fail(Stepper *s)
{
    if (!s->stacks.status) s->stacks.status = WEIR_NO_MEMORY;
}

static bool may_be_whole(const UniqueTable *u, uint64_t hash)
{
    return u->whole && map_first(u->whole, hash).value != MAP_NONE;
}

/* The head in u->scratch, after `before`. */
static uint32_t head_add(Stepper *s, uint32_t before, ListUnique kind,
                         uint64_t hash)
{
    UniqueTable *u = s->unique;
    Span meaning = span_of(u->scratch.at, u->scratch.count);
    uint32_t n = u->heads.count;
    for (uint32_t i = n; i-- > 0 && n - i <= RECENT;)
        if (u->heads.at[i].before == before &&
            head_is(u, &u->heads.at[i], kind, hash, meaning))
            return i;
    uint32_t nbefore = before == UNIQUE_NONE ? 0 : u->heads.at[before].count;
    UniqueHead made = {.before = before,
                       .count = nbefore + 1,
                       .at = u->bytes.count,
                       .size = u->scratch.count,
                       .unique = kind,
                       .may_be_whole = may_be_whole(u, hash) ||
                                       (before != UNIQUE_NONE &&
                                        u->heads.at[before].may_be_whole),
                       .hash = hash};
    if (!vec_append(u->mem, &u->bytes, &u->scratch) ||
        !vec_push(u->mem, &u->heads, made)) {
        fail(s);
        return before;
    }
    return n;
}

static const ListSpec *list_spec(const Frame *f)
{
    return f->list->count.spec;
}

static ListUnique head_unique(const State *head)
{
    if (!head) return LIST_UNIQUE_STRING; /* no call */
    return list_spec(head->frame)->kinds[head->head_kind].unique;
}

/* ---- records ---- */

static bool same_record(const UniqueRecord *a, const UniqueRecord *b)
{
    return a->outer == b->outer && a->last == b->last && a->begin == b->begin &&
           a->head == b->head;
}

/* What a record says of those around it, too. */
static void record_sum(const UniqueTable *u, UniqueRecord *r)
{
    if (r->outer) {
        const UniqueRecord *outer = unique_record(u, r->outer);
        r->in_hand = outer->in_hand;
        r->is_closed = outer->is_closed;
        r->has_closed = outer->has_closed;
        r->may_be_whole = outer->may_be_whole;
    }
    if (r->last != UNIQUE_NONE) {
        r->may_be_whole |= u->heads.at[r->last].may_be_whole;
        r->has_closed |=
            atomic_load_explicit(&r->list->is_closed, memory_order_relaxed);
    }
    if (!r->head) return;
    r->in_hand = true;
    r->is_closed |= !r->head->is_open && r->last != UNIQUE_NONE;
}

/* The number of a record; 0: no memory. */
static uint32_t record_get(Stepper *s, UniqueRecord r)
{
    UniqueTable *u = s->unique;
    uint32_t n = u->records.count;
    for (uint32_t i = n; i-- > 0 && u->records.at[i].made + 1 >= u->text.count;)
        if (same_record(&u->records.at[i], &r)) return i + 1;
    r.made = u->text.count;
    record_sum(u, &r);
    if (!vec_push(u->mem, &u->records, r)) {
        fail(s);
        return 0;
    }
    return n + 1;
}

/* ---- moving ---- */

uint32_t unique_leave(const Stepper *s, uint32_t record)
{
    return unique_record(s->unique, record)->outer;
}

/* The operation is on a list that has been there before. */
static bool op_stays(RegOp op)
{
    return op.adds || op.counts;
}

uint32_t unique_move(const Stepper *s, uint32_t record, const Frame *f,
                     const Move *m)
{
    const State *first = m->npush ? m->push[0].state : m->to;
    RegOp op = m->npush ? m->push[0].op : m->op;
    bool stays = first->frame == f && op_stays(op);
    return stays ? record : unique_leave(s, record);
}

uint32_t unique_place(Stepper *s, uint32_t record, RegOp op, const State *to,
                      bool stays)
{
    UniqueTable *u = s->unique;
    if (op_stays(op) && !record) return 0; /* after a failure */
    if (!stays) return op_stays(op) ? unique_leave(s, record) : record;
    if (op_stays(op) && !op.begins) return record;
    UniqueRecord r = {.outer = record,
                      .last = UNIQUE_NONE,
                      .begin = UNIQUE_NONE,
                      .list = to->frame};
    if (op_stays(op)) {
        r.outer = unique_record(u, record)->outer;
        r.last = unique_record(u, record)->last;
    }
    if (op.begins) {
        r.begin = u->text.count - (u->text.count > 0);
        r.head = to;
    }
    return record_get(s, r);
}

/* Where the last string before `end` begins: at a quote behind an even number
 * of backslashes. */
static uint32_t string_begin(const UniqueTable *u, uint32_t end)
{
    const uint8_t *text = u->text.at;
    for (uint32_t i = end; i-- > 0;) {
        if (text[i] != '"') continue;
        uint32_t n = 0;
        while (n < i && text[i - 1 - n] == '\\') n++;
        if (n % 2 == 0) return i;
    }
    return 0;
}

bool unique_return(Stepper *s, Config *c)
{
    UniqueTable *u = s->unique;
    UniqueRecord r = *unique_record(u, c->record);
    if (r.begin == UNIQUE_NONE && !c->q->ends_head) return true;
    if (r.begin == UNIQUE_NONE)
        r.begin = string_begin(u, u->text.count - (u->text.count > 0));
    ListUnique kind = head_unique(r.head);
    Span text = span_of(u->text.at + r.begin, u->text.count - r.begin);
    if (!unique_meaning(u, kind, text)) return fail(s), false;
    Span meaning = span_of(u->scratch.at, u->scratch.count);
    uint64_t hash = unique_hash(kind, meaning);
    if (head_is_known(u, r.last, kind, hash, meaning)) return false;
    UniqueRecord after = {.outer = r.outer,
                          .last = head_add(s, r.last, kind, hash),
                          .begin = UNIQUE_NONE,
                          .list = r.list};
    c->record = record_get(s, after);
    return !s->stacks.status;
}

/* ---- heads in hand ---- */

bool unique_hand(const UniqueTable *u, const Config *c, uint32_t *record,
                 UniqueHand *hand)
{
    bool is_first = *record == UNIQUE_NONE;
    if (is_first) *record = c->record;
    if (is_first && *record && c->q->in_head) {
        uint32_t begin = string_begin(u, u->text.count);
        *hand = (UniqueHand){begin,
                             span_of(u->text.at + begin, u->text.count - begin),
                             unique_record(u, *record)->last,
                             LIST_UNIQUE_STRING, !c->q->is_watched};
        *record = unique_record(u, *record)->outer;
        return true;
    }
    while (*record) {
        const UniqueRecord *r = unique_record(u, *record);
        if (!r->in_hand) break;
        *record = r->outer;
        if (!r->head) continue;
        *hand = (UniqueHand){
            r->begin, span_of(u->text.at + r->begin, u->text.count - r->begin),
            r->last, head_unique(r->head), r->head->is_open};
        return true;
    }
    *record = 0;
    return false;
}

/* Takes what has come to the text; heads that are not like it go. */
static void likes_grow(UniqueLikes *l, Span more)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->list.count; i++)
        if (like_text(&l->list.at[i].like, more) == LIKE_MORE)
            l->list.at[kept++] = l->list.at[i];
    l->list.count = kept;
}

static bool likes_fill(UniqueTable *u, UniqueLikes *l, const UniqueHand *hand)
{
    l->list.count = 0;
    for (uint32_t i = hand->last; i != UNIQUE_NONE; i = u->heads.at[i].before) {
        UniqueLike one = {.head = i};
        if (u->heads.at[i].unique != hand->unique) continue;
        like_begin(&one.like, hand->unique, head_meaning(u, &u->heads.at[i]));
        if (like_text(&one.like, hand->text) == LIKE_MORE &&
            !vec_push(u->mem, &l->list, one))
            return false;
    }
    return true;
}

static UniqueLikes *find_likes(UniqueTable *u, const UniqueHand *hand)
{
    UniqueLikes *found = NULL;
    uint32_t end = hand->begin + (uint32_t)hand->text.size;
    for (int i = 0; i < UNIQUE_HANDS && !found; i++) {
        UniqueLikes *k = &u->likes[i];
        if (k->end && k->end <= end && k->begin == hand->begin &&
            k->last == hand->last && k->unique == hand->unique)
            found = k;
    }
    for (uint32_t i = 0; found && i < found->list.count; i++) {
        UniqueLike *one = &found->list.at[i]; /* its meaning may have moved */
        one->like.meaning = head_meaning(u, &u->heads.at[one->head]);
    }
    return found;
}

const UniqueLikes *unique_kept_likes(UniqueTable *u, const UniqueHand *hand)
{
    return find_likes(u, hand);
}

const UniqueLikes *unique_likes(UniqueTable *u, const UniqueHand *hand)
{
    UniqueLikes *l = find_likes(u, hand);
    uint32_t end = hand->begin + (uint32_t)hand->text.size;
    if (l) {
        uint32_t known = l->end - l->begin;
        likes_grow(l, span_of(hand->text.at + known, hand->text.size - known));
    } else {
        l = &u->likes[u->next_likes++ % UNIQUE_HANDS];
        l->begin = hand->begin;
        l->last = hand->last;
        l->unique = hand->unique;
        l->end = 0;
        if (!likes_fill(u, l, hand)) return NULL;
    }
    l->end = end;
    return l;
}

uint32_t unique_fresh(Stepper *s, uint32_t record, uint32_t begin)
{
    uint32_t fresh = 0, depth = 0;
    for (uint32_t r = record; r; r = unique_record(s->unique, r)->outer)
        depth++;
    while (depth--) { /* the outermost first */
        uint32_t at = record;
        for (uint32_t i = 0; i < depth; i++)
            at = unique_record(s->unique, at)->outer;
        UniqueRecord r = *unique_record(s->unique, at);
        fresh =
            record_get(s, (UniqueRecord){.outer = fresh,
                                         .last = UNIQUE_NONE,
                                         .begin = r.head ? begin : UNIQUE_NONE,
                                         .head = r.head,
                                         .list = r.list});
    }
    return fresh;
}

/* ---- without records ---- */

void unique_plain(Stepper *s, const ConfigSet *set, ConfigSet *out)
{
    set_clear(out);
    out->ends = set->ends;
    out->nchars = set->nchars;
    stack_forget_unions(&s->stacks);
    for (uint32_t i = 0; i < set->list.count && !s->stacks.status; i++) {
        Config c = set->list.at[i];
        c.record = 0;
        set_add(s, out, c);
    }
}
