/* mask.c: masks of configuration sets, remembered.
 *
 *     known set     copy its row, or its base row and the few ids on top
 *     new set       explore (explore.c), writing the row and noting the ids
 *                   that are not in its base row
 *
 * The key of a set is its configurations with registers by class (reg_class):
 * so a string of length 7 of at most 1,000 is the same key as one of length 8.
 * A mask that is asked for again becomes a row of its own, while the memo's
 * byte limit lasts; the memo then stops growing and its hub is replaced when
 * the next matcher starts (api).
 * Tests: prop/masks_vs_oracle_test.c, unit/mask_test.c.
 */
#include "mask/mask.h"

#include "mask/lax_mask.h"
#include "mask/refine.h"
#include "matcher/budget.h"

enum {
    FEW_IDS = 96,   /* ids that are as quick to set as a row to copy */
    SOME_IDS = 1024 /* that are noted on top of a base, having a row too */
};

/* ---- vocabulary ---- */

bool maskvocab_init(MaskVocab *v, const Mem *mem, const Vocab *vocab)
{
    *v = (MaskVocab){.mem = mem,
                     .vocab = vocab,
                     .width = vocab->width,
                     .nwords = WEIR_MASK_WORDS(vocab->width)};
    arena_init(&v->arena, mem, 0);
    TrieEntry *entries = mem_new(mem, (vocab->ntokens + 1) * sizeof *entries);
    uint32_t n = 0;
    if (!entries) return false;
    for (uint32_t id = 0; id < vocab->ntokens; id++)
        if (vocab_is_text(vocab, id))
            entries[n++] = (TrieEntry){vocab_bytes(vocab, id), id};
    bool ok = trie_build(&v->main.trie, &v->arena, mem, entries, n);
    mem_free(mem, entries, (vocab->ntokens + 1) * sizeof *entries);
    v->main.is_shared = true;
    ok = ok && covers_init(&v->covers, mem, vocab, &v->main.trie) &&
         walkcache_init(&v->cache, mem, NULL, 0) &&
         whole_init(&v->wholes, mem, &v->arena, vocab);
    if (vocab->dialect == WEIR_DIALECT_LLAMA_CPP)
        ok = ok && lax_find_open(mem, vocab, &v->arena, &v->open);
    if (!ok) maskvocab_free(v);
    return ok;
}

void maskvocab_free(MaskVocab *v)
{
    if (!v->mem) return;
    walkcache_free(&v->cache);
    whole_free(&v->wholes, v->mem);
    covers_free(&v->covers);
    arena_free(&v->arena);
    v->mem = NULL;
}

/* ---- run ---- */

void maskrun_init(MaskRun *run, const Mem *mem, MaskVocab *vocab,
                  WalkCache *cache, StackHub *hub, const weir_limits *limits)
{
    *run = (MaskRun){
        .mem = mem, .vocab = vocab, .cache = cache, .min_chars = UINT32_MAX};
    stepper_init(&run->stepper, mem, hub, limits, true);
    walker_init(&run->walker, mem, &run->stepper);
}

void maskrun_free(MaskRun *run)
{
    if (!run->mem) return;
    walker_free(&run->walker);
    stepper_free(&run->stepper);
    for (uint32_t i = 0; i < run->sets.count; i++) {
        vec_free(run->mem, &run->sets.at[i]->list);
        mem_free(run->mem, run->sets.at[i], sizeof(ConfigSet));
    }
    vec_free(run->mem, &run->sets);
    vec_free(run->mem, &run->configs);
    vec_free(run->mem, &run->regs);
    vec_free(run->mem, &run->ids);
    vec_free(run->mem, &run->wanted);
    vec_free(run->mem, &run->heads);
    vec_free(run->mem, &run->head_ids);
    vec_free(run->mem, &run->held);
    mem_free(run->mem, run->marks, run->vocab->nwords * sizeof *run->marks);
    loops_free(run->loops, run->mem);
    run->mem = NULL;
}

/* ---- a new mask ---- */

/* The row being written, and how it could be written again. */
typedef struct RowBuild {
    MaskRun *run;
    uint32_t *row;        /* nothing is written until has_row */
    const uint32_t *base; /* the first large walk's row, or NULL */
    bool has_row;
    bool is_whole; /* base and run->ids no longer say it all */
    uint64_t hash; /* of base and run->ids */
} RowBuild;

static void row_begin(RowBuild *b)
{
    if (!b->has_row) memset(b->row, 0, b->run->vocab->nwords * sizeof *b->row);
    b->has_row = true;
}

/* Adds ids [0, count); those in the row already are not noted. */
static void build_ids(RowBuild *b, const uint32_t *ids, uint32_t count)
{
    MaskRun *run = b->run;
    row_begin(b);
    if (!count) return;
    if (!vec_reserve(run->mem, &run->ids, (size_t)run->ids.count + count)) {
        run->no_memory = true;
        return;
    }
    uint32_t *noted = run->ids.at + run->ids.count;
    uint64_t hash = b->hash;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *word = &b->row[ids[i] / 32], bit = 1u << (ids[i] % 32);
        if (*word & bit) continue;
        *word |= bit;
        *noted++ = ids[i];
        hash = (hash ^ ids[i]) * 0x9e3779b97f4a7c15u;
    }
    b->hash = hash;
    run->ids.count = (uint32_t)(noted - run->ids.at);
}

/* Adds a row that is kept. */
static void build_base(RowBuild *b, const uint32_t *bitmap)
{
    uint32_t nwords = b->run->vocab->nwords;
    if (b->base || b->is_whole) {
        b->is_whole |= b->base != bitmap;
    } else {
        b->base = bitmap;
        b->hash = hash_mix(b->hash, (uintptr_t)bitmap);
    }
    assert(bitmap);
    if (!b->has_row)
        memcpy(b->row, bitmap, nwords * sizeof *bitmap);
    else
        for (uint32_t i = 0; i < nwords; i++) b->row[i] |= bitmap[i];
    b->has_row = true;
}

/* The cover's tokens of at most `most` characters. */
static void build_cover_part(RowBuild *b, const Cover *cover, uint32_t most)
{
    MaskRun *run = b->run;
    CoverTable *covers = &run->vocab->covers;
    const uint32_t *kept = cover_upto(covers, cover, most);
    if (kept) {
        build_base(b, kept);
        return;
    }
    size_t nbytes = run->vocab->nwords * sizeof *b->row;
    uint32_t *part = mem_new(run->mem, nbytes);
    b->is_whole = true;
    row_begin(b);
    if (part)
        cover_write(covers, cover, most, part);
    else
        run->no_memory = true;
    for (uint32_t i = 0; part && i < run->vocab->nwords; i++)
        b->row[i] |= part[i];
    mem_free(run->mem, part, nbytes);
}

static void build_covers(RowBuild *b, const Walk *w, RiseRange range, bool all)
{
    for (uint32_t i = 0; i < w->ncovers; i++) {
        const WalkCover *c = &w->covers[i];
        if (!all && c->counts)
            build_cover_part(b, c->cover, cover_most(c, range));
        else if (all || rise_in(range, c->rise))
            build_base(b, c->row);
    }
}

static void row_walk(void *user, const Walk *w, RiseRange range)
{
    RowBuild *b = user;
    bool all = !w->rise || (range.lo <= w->rise_min && w->rise_max <= range.hi);
    bool is_noted = b->base && !w->ncovers && w->ninside < SOME_IDS;
    if (all && w->bitmap && !is_noted) {
        build_base(b, w->bitmap);
        return;
    }
    build_covers(b, w, range, all);
    if (w->ninside > b->run->vocab->nwords) b->is_whole = true;
    if (all) build_ids(b, w->inside, w->ninside);
    for (uint32_t i = 0; !all && i < w->ninside; i++)
        if (rise_in(range, w->rise[i])) build_ids(b, &w->inside[i], 1);
}

static void row_base(void *user, const uint32_t *row)
{
    build_base(user, row);
}

static void row_places(void *user, const MaskTrie *x, uint32_t from,
                       uint32_t to, RiseRange range)
{
    RowBuild *b = user;
    const uint32_t *ids = x->trie.ids;
    if (!x->rise && from < to) build_ids(b, ids + from, to - from);
    for (uint32_t p = from; x->rise && p < to; p++)
        if (rise_in(range, x->rise[p])) build_ids(b, ids + p, 1);
}

static uint32_t row_hold(void *user, const uint32_t *ids, uint32_t count)
{
    RowBuild *b = user;
    MaskRun *run = b->run;
    uint32_t mark = run->held.count;
    if (!count) return mark;
    row_begin(b);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *word = &b->row[ids[i] / 32], bit = 1u << (ids[i] % 32);
        if (*word & bit) continue;
        *word |= bit;
        if (!vec_push(run->mem, &run->held, ids[i])) run->no_memory = true;
    }
    return mark;
}

static void row_let_go(void *user, uint32_t mark)
{
    RowBuild *b = user;
    MaskRun *run = b->run;
    while (run->held.count > mark) {
        uint32_t id = run->held.at[--run->held.count];
        uint32_t bit = 1u << (id % 32);
        b->row[id / 32] &= ~bit;
        b->is_whole |= b->base && b->base[id / 32] & bit;
    }
}

/* ---- remembering ---- */

static void build_keep(RowBuild *b, MaskMemo *memo, const MaskKey *key)
{
    const MaskRun *run = b->run;
    uint32_t nwords = run->vocab->nwords;
    MaskText text = {b->base, run->ids.at, run->ids.count, NULL, b->hash};
    if (b->is_whole || run->ids.count >= nwords) {
        text = (MaskText){.row = b->row};
        text.hash = hash_bytes(1, b->row, nwords * sizeof *b->row);
    }
    memo_keep(memo, key, &text, nwords);
}

/* Class of each register, for the key. */
static bool find_regs(MaskRun *run, const ConfigSet *set)
{
    uint32_t most = run->vocab->main.trie.depth;
    run->regs.count = 0;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i];
        if (!vec_push(run->mem, &run->regs, reg_class(c->q, c->reg, most)))
            return false;
    }
    return true;
}

static weir_status run_end(MaskRun *run)
{
    weir_status status = stepper_status(&run->stepper);
    if (!status && run->no_memory) status = WEIR_NO_MEMORY;
    stackuser_reset(&run->stepper.stacks);
    stepper_clear(&run->stepper);
    run->no_memory = false;
    return status;
}

/* ---- token edges ---- */

typedef struct TokenRow {
    MaskRun *run;
    uint32_t *row;
} TokenRow;

static void row_set_range(uint32_t *row, uint32_t lo, uint32_t end)
{
    for (uint32_t id = lo; id < end; id++) row[id / 32] |= 1u << (id % 32);
}

/* Or-s a TOKENS set into the row; lowering has left usable ids only. */
static void row_add_tokens(TokenRow *t, const TokenMove *move)
{
    const Ir *ir = move->network->ir;
    Node n = ir_node(ir, move->set);
    const Range *r = ir_node_ranges(ir, n);
    assert(!n.c);
    for (uint32_t i = 0; i < n.b; i++)
        row_set_range(t->row, r[i].lo, r[i].hi + 1);
}

static void add_token_moves(void *user, Config c)
{
    TokenRow *t = user;
    if (!c.q->has_tokens) return;
    const TokenMoves *moves = state_tokens(c.q);
    if (!moves) {
        t->run->stepper.stacks.status =
            network_error(c.q->frame->network).status;
        return;
    }
    for (uint32_t i = 0; i < moves->count; i++)
        row_add_tokens(t, &moves->at[i]);
}

static void row_add_edges(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    TokenRow tokens = {run, row};
    run->stepper.unique = run->unique;
    set_each_return(&run->stepper, set, add_token_moves, &tokens);
    run->stepper.unique = NULL;
}

/* What walks and texts do not tell. */
static void row_edges(RowBuild *b, const ConfigSet *set)
{
    MaskRun *run = b->run;
    b->is_whole = true;
    if (run->has_held) lax_fix_open(run, set, b->row);
    if (run->named) lax_add_loose(run, set, b->row);
    if (run->has_tokens) row_add_edges(run, set, b->row);
}

static weir_status mask_make(MaskRun *run, MaskMemo *memo, const MaskKey *key,
                             uint32_t *row)
{
    RowBuild b = {.run = run, .row = row};
    Findings to = {.walk = row_walk,
                   .row = row_base,
                   .places = row_places,
                   .hold = row_hold,
                   .let_go = row_let_go,
                   .user = &b};
    run->ids.count = 0;
    explore_set(run, &to, &run->vocab->main, key->set, RISE_ANY);
    row_begin(&b);
    if (run->has_held || run->has_tokens) row_edges(&b, key->set);
    weir_status status = run_end(run);
    if (!status && run->unique) {
        b.is_whole |= refine_repeats(run, run->given, row);
        status = run_end(run);
    }
    if (!status) build_keep(&b, memo, key);
    return status;
}

/* ---- budgets in characters ---- */

/* True if one may run out inside a token: then only the direct walk, which
 * counts characters, is right. */
static bool budget_is_near(const MaskRun *run, const ConfigSet *set)
{
    uint32_t longest = run->vocab->main.trie.depth;
    return run->min_chars != UINT32_MAX &&
           (run->min_chars <= longest || budget_chars_left(set) <= longest);
}

static bool direct_node(void *user, const TrieNode *node, uint32_t depth,
                        const ConfigSet *set)
{
    RowBuild *b = user;
    (void)depth;
    (void)set;
    const MaskTrie *x = &b->run->vocab->main;
    row_places(b, x, node->tok, trie_own_end(&x->trie, node), RISE_ANY);
    return true;
}

static weir_status mask_direct(MaskRun *run, const ConfigSet *set,
                               uint32_t *row)
{
    RowBuild b = {.run = run, .row = row, .is_whole = true};
    WalkSink sink = {NULL, direct_node, &b};
    run->ids.count = 0;
    run->counts.direct++;
    run->is_passing = true;
    row_begin(&b);
    walk_direct(&run->walker, &run->vocab->main.trie, TRIE_ROOT, set, NULL,
                &sink);
    return run_end(run);
}

static weir_status fill_plain(MaskRun *run, MaskMemo *memo,
                              const ConfigSet *set, uint32_t *row)
{
    if (budget_is_near(run, set)) {
        weir_status status = mask_direct(run, set, row);
        if (!status && run->unique) refine_repeats(run, run->given, row);
        return status ? status : run_end(run);
    }
    if (!find_regs(run, set)) return WEIR_NO_MEMORY;
    uint32_t nwords = run->vocab->nwords;
    MaskKey key = mask_key(set, run->regs.at);
    Mask *mask = memo_find(memo, &key);
    if (!mask) return mask_make(run, memo, &key, row);
    run->counts.remembered++;
    if (mask->nids > FEW_IDS &&
        atomic_fetch_add_explicit(&mask->visits, 1, memory_order_relaxed) == 1)
        memo_promote(memo, mask, nwords);
    mask_write(mask, row, nwords);
    return WEIR_OK;
}

/* ---- heads that must be unique ---- */

/* A set without records: `one` stands for a set of one configuration. Stacks
 * that are united stay, so that masks of it can be remembered. */
typedef struct PlainSet {
    Config one;
    ConfigSet single;
    ConfigSet *many; /* borrowed, or NULL */
    const ConfigSet *set;
} PlainSet;

static bool has_records(const ConfigSet *set)
{
    bool any = false;
    for (uint32_t i = 0; i < set->list.count; i++)
        any |= set->list.at[i].record != 0;
    return any;
}

/* False: no memory. */
static bool plain_begin(PlainSet *p, MaskRun *run, const ConfigSet *set)
{
    p->many = NULL;
    p->set = set;
    if (!has_records(set)) return true;
    if (set->list.count == 1) {
        p->one = set->list.at[0];
        p->one.record = 0;
        p->single = (ConfigSet){
            .list = {&p->one, 1, 1}, .ends = set->ends, .nchars = set->nchars};
        p->set = &p->single;
        return true;
    }
    p->set = p->many = set_borrow(run);
    if (!p->many) return false;
    run->stepper.stacks.to_scratch = false;
    unique_plain(&run->stepper, set, p->many);
    run->stepper.stacks.to_scratch = true;
    return !stepper_status(&run->stepper);
}

static void plain_end(PlainSet *p, MaskRun *run)
{
    if (p->many) set_give(run, p->many);
}

/* Every byte with records. */
static weir_status direct_unique(MaskRun *run, const ConfigSet *set,
                                 uint32_t *row)
{
    UniqueMark mark = unique_mark(run->unique);
    run->walker.text = mark.text;
    run->stepper.unique = run->unique;
    weir_status status = mask_direct(run, set, row);
    run->stepper.unique = NULL;
    unique_back(run->unique, mark);
    return status;
}

static weir_status fill_unique(MaskRun *run, MaskMemo *memo,
                               const ConfigSet *set, uint32_t *row)
{
    PlainSet plain;
    weir_status status = WEIR_OK;
    run->given = set;
    if (plain_begin(&plain, run, set))
        status = fill_plain(run, memo, plain.set, row);
    plain_end(&plain, run);
    if (!status) status = run_end(run);
    if (status || !refine_concerns(run, set, row)) return status;
    run->is_passing = true;
    bool is_right = refine_row(run, set, row);
    status = run_end(run);
    return is_right || status ? status : direct_unique(run, set, row);
}

weir_status mask_fill(MaskRun *run, MaskMemo *memo, const ConfigSet *set,
                      uint32_t *row)
{
    run->counts.masks++;
    run->is_passing = false;
    return run->unique ? fill_unique(run, memo, set, row)
                       : fill_plain(run, memo, set, row);
}

static const uint32_t *row_plain(MaskRun *run, MaskMemo *memo,
                                 const ConfigSet *set, const MaskStops *stops)
{
    uint32_t nwords = run->vocab->nwords;
    if (budget_is_near(run, set)) return NULL;
    if (!find_regs(run, set)) return NULL;
    MaskKey key = mask_key(set, run->regs.at);
    Mask *mask = memo_find(memo, &key);
    if (!mask) return NULL;
    return stops ? memo_promote_ending(memo, mask, nwords, stops)
                 : memo_promote(memo, mask, nwords);
}

const uint32_t *mask_row(MaskRun *run, MaskMemo *memo, const ConfigSet *set,
                         const MaskStops *stops)
{
    PlainSet plain;
    const uint32_t *row = NULL;
    if (!run->unique) return row_plain(run, memo, set, stops);
    if (plain_begin(&plain, run, set))
        row = row_plain(run, memo, plain.set, stops);
    plain_end(&plain, run);
    bool concerns = row && refine_concerns(run, set, row);
    return run_end(run) || concerns ? NULL : row;
}

weir_status mask_add_tokens(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    row_add_edges(run, set, row);
    return run_end(run);
}
