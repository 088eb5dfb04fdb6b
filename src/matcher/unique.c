/* unique.c: records of heads, and what happens at the ends of heads.
 *
 * Heads of one list are a chain from the last to the first, so that readings
 * share what they have in common; looking one up compares hashes along it.
 * A record or head that was made just before is not made again, so that
 * readings that agree have equal registers.
 * Cost: at the end of a head, the heads before it.
 * Tests: unit/unique_test.c, prop/masks_vs_oracle_test.c.
 */
#include "matcher/unique.h"

#include "matcher/config.h"
#include "matcher/meaning.h"
#include "network/list_frame.h"

enum { RECENT = 32 }; /* records and heads that are looked through */

void unique_free(UniqueTable *u)
{
    if (!u->mem) return;
    vec_free(u->mem, &u->text);
    vec_free(u->mem, &u->records);
    vec_free(u->mem, &u->heads);
    vec_free(u->mem, &u->bytes);
    vec_free(u->mem, &u->scratch);
    u->mem = NULL;
}

#define vec_append(mem, to, from)                                      \
    (vec_reserve((mem), (to), (size_t)(to)->count + (from)->count) &&  \
     ((from)->count ? (void)memcpy((to)->at + (to)->count, (from)->at, \
                                   (from)->count * sizeof *(to)->at)   \
                    : (void)0,                                         \
      (to)->count += (from)->count, true))

bool unique_copy(UniqueTable *to, const UniqueTable *from)
{
    *to = (UniqueTable){.mem = from->mem};
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

/* ---- records ---- */

static UniqueRecord record_of(const UniqueTable *u, uint32_t reg)
{
    if (reg & UNIQUE_RECORD) return u->records.at[reg & ~UNIQUE_RECORD];
    return (UniqueRecord){reg, UNIQUE_NONE, UNIQUE_NONE};
}

static void fail(Stepper *s)
{
    if (!s->stacks.status) s->stacks.status = WEIR_NO_MEMORY;
}

/* The register that stands for r. */
static uint32_t record_reg(Stepper *s, UniqueRecord r)
{
    UniqueTable *u = s->unique;
    uint32_t n = u->records.count;
    if (r.head == UNIQUE_NONE && r.begin == UNIQUE_NONE) return r.tally;
    for (uint32_t i = n; i-- > 0 && n - i <= RECENT;)
        if (!memcmp(&u->records.at[i], &r, sizeof r)) return i | UNIQUE_RECORD;
    if (n >= UNIQUE_RECORD - 1 || !vec_push(u->mem, &u->records, r)) {
        fail(s);
        return r.tally;
    }
    return n | UNIQUE_RECORD;
}

/* ---- heads ---- */

static Span head_meaning(const UniqueTable *u, const UniqueHead *head)
{
    return span_of(u->bytes.at + head->at, head->size);
}

static bool head_is_known(const UniqueTable *u, uint32_t last, uint64_t hash,
                          Span meaning)
{
    for (uint32_t i = last; i != UNIQUE_NONE; i = u->heads.at[i].before)
        if (u->heads.at[i].hash == hash &&
            span_equal(head_meaning(u, &u->heads.at[i]), meaning))
            return true;
    return false;
}

/* The head in u->scratch, after `before`. */
static uint32_t head_add(Stepper *s, uint32_t before, uint64_t hash)
{
    UniqueTable *u = s->unique;
    Span meaning = span_of(u->scratch.at, u->scratch.count);
    uint32_t n = u->heads.count;
    for (uint32_t i = n; i-- > 0 && n - i <= RECENT;) {
        const UniqueHead *h = &u->heads.at[i];
        if (h->before == before && h->hash == hash &&
            span_equal(head_meaning(u, h), meaning))
            return i;
    }
    UniqueHead made = {before, u->bytes.count, u->scratch.count, hash};
    if (!vec_append(u->mem, &u->bytes, &u->scratch) ||
        !vec_push(u->mem, &u->heads, made)) {
        fail(s);
        return before;
    }
    return n;
}

static const ListKind *head_kind(const State *head)
{
    return &head->frame->list->count.spec->kinds[head->head_kind];
}

/* Kinds of uniqueness do not mix: a hash of each. */
static uint64_t meaning_hash(const UniqueTable *u, ListUnique kind)
{
    return hash_bytes(kind, u->scratch.at, u->scratch.count);
}

/* ---- moving ---- */

static Landing land_state(Stepper *s, State *to, uint32_t tally, uint32_t kind)
{
    Landing l = list_land(to, tally, kind);
    if (!l.state && !s->stacks.status)
        s->stacks.status = network_error(to->frame->network).status;
    return l;
}

Landing unique_land(Stepper *s, RegOp op, uint32_t reg, State *to)
{
    UniqueTable *u = s->unique;
    UniqueRecord r = record_of(u, reg);
    if (op.begins) {
        if (!op.adds) r = record_of(u, op.reg);
        r.begin = u->text.count - 1;
        return (Landing){to, record_reg(s, r)};
    }
    if (!op.counts) return (Landing){to, reg_apply(op, reg, to)};
    Landing l = land_state(s, to, r.tally, op.reg);
    r.tally = l.reg;
    l.reg = record_reg(s, r);
    return l;
}

bool unique_pass(Stepper *s, Config *c)
{
    UniqueTable *u = s->unique;
    State *head = c->q;
    UniqueRecord r = record_of(u, c->reg);
    const ListKind *kind = head_kind(head);
    Span text = span_of(u->text.at + r.begin, u->text.count - r.begin);
    if (!unique_meaning(u, kind->unique, text)) return fail(s), false;
    Span meaning = span_of(u->scratch.at, u->scratch.count);
    uint64_t hash = meaning_hash(u, kind->unique);
    if (head_is_known(u, r.head, hash, meaning)) return false;
    if (kind->unique == LIST_UNIQUE_STRING &&
        list_is_taken(head->frame->list, meaning))
        return false;
    r.head = head_add(s, r.head, hash);
    r.begin = UNIQUE_NONE;
    c->q = head->then;
    if (!c->q) {
        Landing l = land_state(s, head, r.tally, head->head_kind);
        c->q = l.state;
        r.tally = l.reg;
    }
    c->reg = record_reg(s, r);
    s->npassed++;
    return !s->stacks.status;
}

/* ---- no dead ends ---- */

enum { SEARCH_STEPS = 20000, SEARCH_DEPTH = 400, SEARCH_NODES = 256 };

/* Whether a head that may have been there before is in hand, and how it begins
 * does not tell that it can always go on otherwise. */
static bool needs_look(const UniqueTable *u, const StackEntry *e)
{
    if (!e->ret->is_head || e->ret->is_open) return false;
    return record_of(u, e->reg).head != UNIQUE_NONE ||
           e->ret->frame->list->count.spec->ntaken;
}

/* The first such on the stacks; heads of heads are looked at by themselves. */
static bool stack_needs_look(Stepper *s, const StackNode *top)
{
    VEC(const StackNode *) nodes = {0};
    bool found = false;
    if (top && top->has_records && !vec_push(s->mem, &nodes, top)) fail(s);
    for (uint32_t i = 0; i < nodes.count && !found; i++)
        for (uint32_t k = 0; k < nodes.at[i]->count; k++) {
            const StackEntry *e = &nodes.at[i]->at[k];
            found |= needs_look(s->unique, e);
            if (e->below && e->below->has_records &&
                nodes.count < SEARCH_NODES &&
                !vec_push(s->mem, &nodes, e->below))
                fail(s);
        }
    vec_free(s->mem, &nodes);
    return found;
}

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

static void pass_any(void *user, Config c)
{
    (void)user;
    (void)c;
}

/* Depth first from levels[0], until a head's end is passed. */
static bool search_run(Stepper *s, SearchLevel *levels, uint32_t text)
{
    uint32_t depth = 0, steps = 0;
    s->npassed = 0;
    set_each_return(s, &levels[0].set, pass_any, NULL);
    while (!s->npassed && !s->stacks.status) {
        SearchLevel *l = &levels[depth], *below = l + 1;
        s->unique->text.count = text + depth;
        if (++steps > SEARCH_STEPS) {
            s->stacks.status = WEIR_LIMIT_WORK;
        } else if (l->next == SEARCH_BYTES || depth == SEARCH_DEPTH) {
            if (!depth--) return false;
        } else {
            set_step_raw(s, &l->set, search_byte(l->next++), &below->set);
            if (set_is_empty(&below->set)) continue;
            below->next = 0;
            depth++;
            set_each_return(s, &below->set, pass_any, NULL);
        }
    }
    return true;
}

/* Whether the head in hand can be ended otherwise than earlier ones were. */
static bool can_end(Stepper *s, Config c)
{
    UniqueMark mark = unique_mark(s->unique);
    uint64_t passed = s->npassed;
    size_t nbytes = (SEARCH_DEPTH + 2) * sizeof(SearchLevel);
    SearchLevel *levels = mem_zero(s->mem, nbytes);
    if (!levels) return fail(s), true;
    bool ok = vec_push(s->mem, &levels[0].set.list, c);
    if (!ok) fail(s);
    bool can = !ok || search_run(s, levels, mark.text);
    for (uint32_t i = 0; i < SEARCH_DEPTH + 2; i++)
        vec_free(s->mem, &levels[i].set.list);
    mem_free(s->mem, levels, nbytes);
    s->npassed = passed;
    unique_back(s->unique, mark);
    return can;
}

void unique_prune(Stepper *s, ConfigSet *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->list.count; i++) {
        Config c = set->list.at[i];
        if (s->stacks.status || !stack_needs_look(s, c.stack) || can_end(s, c))
            set->list.at[kept++] = c;
    }
    bool was_empty = !set->list.count && !set->ends;
    set->list.count = kept;
    if (!was_empty && set_is_empty(set)) s->unique->text.count--;
}

void unique_each(const UniqueTable *u, const State *head, uint32_t reg,
                 void (*visit)(void *user, Span meaning), void *user)
{
    const ListFrame *l = head->frame->list;
    UniqueRecord r = record_of(u, reg);
    for (uint32_t i = r.head; i != UNIQUE_NONE; i = u->heads.at[i].before)
        visit(user, head_meaning(u, &u->heads.at[i]));
    if (head_kind(head)->unique != LIST_UNIQUE_STRING) return;
    for (uint32_t i = 0; i < l->count.spec->ntaken; i++)
        visit(user, l->count.spec->taken[i]);
}

Span unique_text(const UniqueTable *u, uint32_t reg)
{
    uint32_t begin = record_of(u, reg).begin;
    return span_of(u->text.at + begin, u->text.count - begin);
}

/* ---- what may be known ---- */

bool unique_taken_init(UniqueTaken *taken, const Mem *mem, const Ir *ir)
{
    for (uint32_t i = 0; i < ir->lists.count; i++)
        for (uint32_t k = 0; k < ir->lists.at[i].ntaken; k++) {
            Span t = ir->lists.at[i].taken[k];
            uint64_t h = hash_bytes(0, t.at, t.size);
            if (!vec_push(mem, &taken->texts, t) ||
                !map_add(mem, &taken->index, h, taken->texts.count - 1))
                return false;
        }
    return true;
}

void unique_taken_free(UniqueTaken *taken, const Mem *mem)
{
    vec_free(mem, &taken->texts);
    map_free(mem, &taken->index);
}

bool unique_is_known(const UniqueTable *u, const UniqueTaken *taken,
                     Span string)
{
    uint64_t h = hash_bytes(0, string.at, string.size);
    for (MapPos p = map_first(&taken->index, h); p.value != MAP_NONE;
         p = map_next(&taken->index, h, p))
        if (span_equal(taken->texts.at[p.value], string)) return true;
    h = hash_bytes(LIST_UNIQUE_STRING, string.at, string.size);
    for (uint32_t i = 0; i < u->heads.count; i++)
        if (u->heads.at[i].hash == h &&
            span_equal(head_meaning(u, &u->heads.at[i]), string))
            return true;
    return false;
}

/* ---- without records ---- */

typedef struct Plain {
    Stepper *s;
    const UniqueTable *u;
    Map index;
    VEC(const StackNode *) from, to;
    VEC(const StackNode *) todo;
} Plain;

/* A place in a list without its record; false: it leaves nothing to do. */
static bool place_plain(Plain *p, State **q, uint32_t *reg)
{
    Landing l = {*q, record_of(p->u, *reg).tally};
    if ((*q)->is_head) l = list_land_head(*q, l.reg);
    if (!l.state) {
        if (!p->s->stacks.status)
            p->s->stacks.status = network_error((*q)->frame->network).status;
        return false;
    }
    *q = l.state;
    *reg = l.reg;
    return !state_is_done(l.state, l.reg);
}

/* NULL stands for itself. False: not known yet. */
static bool plain_find(const Plain *p, const StackNode *node,
                       const StackNode **out)
{
    *out = node;
    if (!node || !node->has_records) return true;
    uint64_t h = node->item.hash;
    for (MapPos m = map_first(&p->index, h); m.value != MAP_NONE;
         m = map_next(&p->index, h, m)) {
        assert(m.value < p->from.count);
        if (p->from.at[m.value] == node) {
            *out = p->to.at[m.value];
            return true;
        }
    }
    return false;
}

/* Nodes below that are not known yet become wanted; false: there are some. */
static bool plain_ready(Plain *p, const StackNode *node)
{
    uint32_t before = p->todo.count;
    const StackNode *below;
    for (uint32_t i = 0; i < node->count; i++)
        if (!plain_find(p, node->at[i].below, &below) &&
            !vec_push(p->s->mem, &p->todo, node->at[i].below))
            fail(p->s);
    return p->todo.count == before;
}

static void plain_make(Plain *p, const StackNode *node)
{
    StackUser *user = &p->s->stacks;
    const StackNode *all = NULL;
    bool any = node->ends; /* NULL is the empty stack */
    for (uint32_t i = 0; i < node->count && !user->status; i++) {
        StackEntry e = node->at[i];
        const StackNode *one;
        plain_find(p, e.below, &one);
        bool is_list = e.ret->frame->list != NULL;
        if (!is_list || place_plain(p, &e.ret, &e.reg))
            one = stack_push(user, one, e.ret, e.reg);
        all = any ? stack_union(user, all, one) : one;
        any = true;
    }
    if (user->status) return;
    if (!vec_push(user->mem, &p->from, node) ||
        !vec_push(user->mem, &p->to, all) ||
        !map_add(user->mem, &p->index, node->item.hash, p->to.count - 1))
        fail(p->s);
}

static const StackNode *plain_stack(Plain *p, const StackNode *node)
{
    const StackNode *out;
    if (plain_find(p, node, &out)) return out;
    p->todo.count = 0;
    if (!vec_push(p->s->mem, &p->todo, node)) fail(p->s);
    while (p->todo.count && !p->s->stacks.status) {
        const StackNode *top = p->todo.at[p->todo.count - 1];
        if (!plain_find(p, top, &out)) {
            if (!plain_ready(p, top)) continue;
            plain_make(p, top);
        }
        p->todo.count--;
    }
    plain_find(p, node, &out);
    return out;
}

void unique_plain(Stepper *s, const UniqueTable *u, const ConfigSet *set,
                  ConfigSet *out)
{
    Plain p = {.s = s, .u = u};
    set_clear(out);
    stack_forget_unions(&s->stacks);
    out->ends = set->ends;
    out->nchars = set->nchars;
    for (uint32_t i = 0; i < set->list.count && !s->stacks.status; i++) {
        Config c = set->list.at[i];
        c.stack = plain_stack(&p, c.stack);
        if (c.q->frame->list) place_plain(&p, &c.q, &c.reg);
        if (!s->stacks.status) set_add(s, out, c);
    }
    map_free(s->mem, &p.index);
    vec_free(s->mem, &p.from);
    vec_free(s->mem, &p.to);
    vec_free(s->mem, &p.todo);
}
