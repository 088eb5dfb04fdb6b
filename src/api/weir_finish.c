/* weir_finish.c: the shortest way to the end of an output, as tokens.
 *
 * Bytes are taken one by one, each one that brings the end nearer by a byte
 * (finish.h); where only a token edge does, a token of it. Runs of bytes are
 * spelled as the encoder would, or, where that does not fit, by the longest
 * allowed token at each place. The tokens are accepted on the way and all
 * taken back at the end, so what is returned can be accepted.
 * Where heads must be unique the shortest way may not be open: then a detour is
 * made, of which there may be some hundred.
 * Cost: some microseconds a byte; at most FINISH_BYTES of them.
 * Tests: unit/finish_test.c.
 */
#include "api/matcher.h"
#include "matcher/finish.h"

enum { FINISH_BYTES = 65536, TOKEN_TRIES = 64, DETOURS = 256 };

typedef struct Finish {
    weir_matcher *m;
    Hub *hub; /* of `now`; m may move to another */
    Stepper s;
    Finisher finisher;
    ConfigSet now, next; /* on the way, and one step further */
    UniqueTable unique;  /* a copy of m's */
    uint32_t ndetours;
    uint32_t left;     /* from `now` */
    VEC(uint8_t) text; /* bytes not spelled yet */
    VEC(uint32_t) ids; /* accepted by m */
    VEC(uint32_t) encoded;
    VEC(uint32_t) prefixes; /* trie nodes of prefixes of the text */
    ByteSet spellable;      /* bytes that are a token */
    bool failed;            /* no memory, or a limit */
} Finish;

static bool fail(Finish *f)
{
    f->failed = true;
    return false;
}

static void take_next(Finish *f, uint32_t left)
{
    ConfigSet swap = f->now;
    f->now = f->next;
    f->next = swap;
    f->left = left;
}

/* ---- the way ---- */

static void find_spellable(Finish *f)
{
    const Trie *trie = &f->m->grammar->vocab->masks.main.trie;
    const TrieNode *root = &trie->nodes[TRIE_ROOT];
    for (uint32_t i = 0; i < root->nchildren; i++) {
        const TrieNode *child = &trie->nodes[root->child + i];
        if (trie_own_end(trie, child) > child->tok)
            byteset_add(&f->spellable, child->byte);
    }
}

/* How short the rest can be, but for heads that must be unique. */
static uint32_t length_left(Finish *f, const ConfigSet *set)
{
    return finisher_length(&f->finisher, set);
}

/* Takes a byte of `among` that leaves less to do, if there is one. */
static bool way_byte(Finish *f, const ByteSet *among)
{
    for (unsigned b = 0; b < 256; b++) {
        if (!byteset_has(among, (uint8_t)b)) continue;
        UniqueMark mark = unique_mark(&f->unique);
        set_step(&f->s, &f->now, (uint8_t)b, &f->next);
        if (stepper_status(&f->s)) return fail(f);
        uint32_t left = length_left(f, &f->next);
        if (left >= f->left) {
            unique_back(&f->unique, mark);
            continue;
        }
        if (!vec_push(f->s.mem, &f->text, (uint8_t)b)) return fail(f);
        take_next(f, left);
        return true;
    }
    return false;
}

/* One byte on: better one that is a token of its own, so that it can be
 * spelled. */
static bool way_on(Finish *f)
{
    ByteSet first, other;
    set_first(&f->s, &f->now, &first);
    for (int i = 0; i < 4; i++) {
        other.word[i] = first.word[i] & ~f->spellable.word[i];
        first.word[i] &= f->spellable.word[i];
    }
    return way_byte(f, &first) || (!f->failed && way_byte(f, &other));
}

/* Where only an earlier head would end sooner: a byte after which least is
 * left, though that is not less. */
static bool way_around(Finish *f)
{
    ByteSet first;
    uint32_t best = LENGTH_NONE, byte = 256;
    UniqueMark mark = unique_mark(&f->unique);
    if (!f->s.unique || f->ndetours++ == DETOURS) return false;
    set_first(&f->s, &f->now, &first);
    for (uint32_t b = 0; b < 256 && !stepper_status(&f->s); b++) {
        if (!byteset_has(&first, (uint8_t)b)) continue;
        set_step(&f->s, &f->now, (uint8_t)b, &f->next);
        uint32_t left = length_left(f, &f->next);
        unique_back(&f->unique, mark);
        if (left >= best) continue;
        best = left;
        byte = b;
    }
    if (byte == 256 || !vec_push(f->s.mem, &f->text, (uint8_t)byte))
        return false;
    set_step(&f->s, &f->now, (uint8_t)byte, &f->next);
    if (stepper_status(&f->s)) return fail(f);
    take_next(f, best);
    return true;
}

typedef struct TokenIds {
    Finish *f;
    VEC(uint32_t) ids;
} TokenIds;

/* Some ids of every token edge. */
static void collect_ids(void *user, Config c)
{
    TokenIds *t = user;
    const TokenMoves *moves = c.q->has_tokens ? state_tokens(c.q) : NULL;
    for (uint32_t i = 0; moves && i < moves->count; i++) {
        const Ir *ir = moves->at[i].network->ir;
        Node n = ir_node(ir, moves->at[i].set);
        const Range *r = ir_node_ranges(ir, n);
        if (n.b && t->ids.count < TOKEN_TRIES &&
            !vec_push(t->f->s.mem, &t->ids, r[0].lo))
            fail(t->f);
    }
}

/* Takes a token of a token edge that leaves less to do; its id. */
static uint32_t way_token(Finish *f)
{
    TokenIds t = {.f = f};
    uint32_t id = UINT32_MAX;
    set_each_return(&f->s, &f->now, collect_ids, &t);
    for (uint32_t i = 0; i < t.ids.count && id == UINT32_MAX; i++) {
        set_step_token(&f->s, &f->now, t.ids.at[i], &f->next);
        uint32_t left = length_left(f, &f->next);
        if (left >= f->left || stepper_status(&f->s)) continue;
        take_next(f, left);
        id = t.ids.at[i];
    }
    vec_free(f->s.mem, &t.ids);
    return id;
}

/* ---- the tokens ---- */

static bool accept(Finish *f, uint32_t id)
{
    weir_accept answer = weir_matcher_accept(f->m, id);
    if (answer == WEIR_ACCEPT_ERROR) return fail(f);
    if (answer != WEIR_ACCEPTED) return false;
    if (vec_push(f->s.mem, &f->ids, id)) return true;
    weir_matcher_rollback(f->m, 1);
    return fail(f);
}

/* Accepts the encoder's tokens as far as they are the text; the bytes read. */
static size_t spell_encoded(Finish *f)
{
    weir_vocab *v = f->m->grammar->vocab;
    weir_bytes text = {(const char *)f->text.at, f->text.count};
    size_t count = weir_vocab_encode(v, text, false, NULL, 0), pos = 0;
    if (count == SIZE_MAX || !vec_reserve(f->s.mem, &f->encoded, count))
        return fail(f);
    weir_vocab_encode(v, text, false, f->encoded.at, count);
    for (size_t i = 0; i < count; i++) {
        Span bytes = vocab_bytes(&v->vocab, f->encoded.at[i]);
        Span rest = span_of(f->text.at + pos, f->text.count - pos);
        if (!bytes.size || !span_starts(rest, bytes) ||
            !accept(f, f->encoded.at[i]))
            break;
        pos += bytes.size;
    }
    return pos;
}

/* Accepts the longest token that is a prefix of the text from `pos` on; its
 * size, or 0. */
static size_t spell_longest(Finish *f, size_t pos)
{
    const Trie *trie = &f->m->grammar->vocab->masks.main.trie;
    const TrieNode *node = &trie->nodes[TRIE_ROOT];
    f->prefixes.count = 0;
    for (size_t i = pos; i < f->text.count; i++) {
        uint32_t child = trie_child(trie, node, f->text.at[i]);
        if (!child) break;
        if (!vec_push(f->s.mem, &f->prefixes, child)) return fail(f);
        node = &trie->nodes[child];
    }
    for (uint32_t n = f->prefixes.count; n; n--) {
        node = &trie->nodes[f->prefixes.at[n - 1]];
        uint32_t end = trie_own_end(trie, node);
        for (uint32_t i = node->tok; i < end; i++)
            if (accept(f, trie->ids[i])) return n;
    }
    return 0;
}

/* Turns the text into tokens. */
static bool spell(Finish *f)
{
    size_t pos = f->text.count ? spell_encoded(f) : 0;
    while (pos < f->text.count && !weir_matcher_is_terminated(f->m)) {
        size_t n = f->failed ? 0 : spell_longest(f, pos);
        if (!n) return false;
        pos += n;
    }
    f->text.count = 0;
    return !f->failed;
}

/* ---- the whole ---- */

static bool finish_run(Finish *f)
{
    f->left = length_left(f, &f->now);
    while (f->left && f->left <= FINISH_BYTES) {
        if (way_on(f)) continue;
        uint32_t id = f->failed ? UINT32_MAX : way_token(f);
        if (id == UINT32_MAX && !f->failed && way_around(f)) continue;
        if (id == UINT32_MAX || !spell(f) || !accept(f, id)) return false;
    }
    return !f->left && spell(f);
}

static void finish_free(Finish *f)
{
    finisher_free(&f->finisher);
    vec_free(f->s.mem, &f->now.list);
    vec_free(f->s.mem, &f->next.list);
    unique_free(&f->unique);
    vec_free(f->s.mem, &f->text);
    vec_free(f->s.mem, &f->ids);
    vec_free(f->s.mem, &f->encoded);
    vec_free(f->s.mem, &f->prefixes);
    stepper_free(&f->s);
    hub_drop(f->hub);
}

size_t weir_matcher_finish_tokens(weir_matcher *m, uint32_t *ids,
                                  size_t capacity)
{
    uint64_t generation = m->generation;
    Finish f = {.m = m, .hub = m->hub};
    if (weir_matcher_is_terminated(m)) return 0;
    if (!m->grammar->vocab) return SIZE_MAX;
    ref_take(&f.hub->refs);
    stepper_init(&f.s, &m->mem, &f.hub->stacks, &m->grammar->ir.limits, true);
    f.s.has_budgets = m->track.stepper.has_budgets;
    f.s.ntokens = m->track.stepper.ntokens;
    finisher_init(&f.finisher, &m->mem);
    find_spellable(&f);
    size_t count = SIZE_MAX;
    bool ok = !m->track.unique || unique_copy(&f.unique, m->track.unique);
    if (m->track.unique) f.s.unique = &f.unique;
    if (ok && set_copy(&m->mem, &f.now, &m->track.now) && finish_run(&f)) {
        count = f.ids.count;
        size_t shown = MIN(count, capacity);
        if (shown) memcpy(ids, f.ids.at, shown * sizeof *ids);
    }
    matcher_back(m, f.ids.count, generation);
    finish_free(&f);
    return count;
}
