/* mask.c: masks of configuration sets, remembered.
 *
 *     known set     copy its row, or its base row and the few ids on top
 *     new set       explore (explore.c), writing the row and noting the ids
 *
 * The key of a set is its configurations with registers by class (reg_class):
 * so a string of length 7 of at most 1,000 is the same key as one of length 8.
 * A mask that is asked for again becomes a row of its own, while the memo's
 * byte limit lasts; the memo then stops growing and its hub is replaced when
 * the next matcher starts (api).
 * Tests: prop/masks_vs_oracle_test.c, unit/mask_test.c.
 */
#include "mask/mask.h"

#include "matcher/budget.h"

enum { FEW_IDS = 96 }; /* ids that are as quick to set as a row to copy */

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
         walkcache_init(&v->cache, mem, true, 0);
    if (!ok) maskvocab_free(v);
    return ok;
}

void maskvocab_free(MaskVocab *v)
{
    if (!v->mem) return;
    walkcache_free(&v->cache);
    covers_free(&v->covers);
    arena_free(&v->arena);
    v->mem = NULL;
}

/* ---- memo ---- */

bool maskmemo_init(MaskMemo *memo, const Mem *mem, size_t limit)
{
    *memo = (MaskMemo){.mem = mem};
    arena_init(&memo->arena, mem, limit);
    if (!shared_init(&memo->table, &memo->arena)) {
        arena_free(&memo->arena);
        memo->mem = NULL;
        return false;
    }
    lock_init(&memo->lock);
    return true;
}

void maskmemo_free(MaskMemo *memo)
{
    if (!memo->mem) return;
    arena_free(&memo->arena);
    lock_free(&memo->lock);
    memo->mem = NULL;
}

size_t maskmemo_bytes(MaskMemo *memo)
{
    lock_take(&memo->lock);
    size_t total = memo->arena.total;
    lock_give(&memo->lock);
    return total;
}

static uint64_t set_hash(const ConfigSet *set, const uint32_t *regs)
{
    uint64_t h = set->list.count;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i];
        h = hash_mix(h ^ regs[i], (uintptr_t)c->q);
        h = hash_mix(h, c->stack ? c->stack->item.hash : 1);
    }
    return h;
}

static bool mask_is_for(const Mask *mask, const ConfigSet *set,
                        const uint32_t *regs)
{
    if (mask->nconfigs != set->list.count) return false;
    for (uint32_t i = 0; i < mask->nconfigs; i++) {
        const Config *a = &mask->configs[i], *b = &set->list.at[i];
        if (a->q != b->q || a->stack != b->stack || a->reg != regs[i])
            return false;
    }
    return true;
}

static Mask *memo_find(MaskMemo *memo, const ConfigSet *set,
                       const uint32_t *regs, uint64_t hash)
{
    for (SharedPos p = shared_first(&memo->table, hash); p.item;
         p = shared_next(hash, p)) {
        Mask *mask = (Mask *)(void *)p.item;
        if (mask_is_for(mask, set, regs)) return mask;
    }
    return NULL;
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
    vec_free(run->mem, &run->regs);
    vec_free(run->mem, &run->ids);
    loops_free(run->loops, run->mem);
    run->mem = NULL;
}

/* ---- a new mask ---- */

/* The row being written, and how it could be written again. */
typedef struct RowBuild {
    MaskRun *run;
    uint32_t *row;
    const uint32_t *base; /* the first large walk's row */
    bool is_whole;        /* base and run->ids no longer say it all */
} RowBuild;

static void build_id(RowBuild *b, uint32_t id)
{
    b->row[id / 32] |= 1u << (id % 32);
    if (!b->is_whole && !vec_push(b->run->mem, &b->run->ids, id))
        b->run->no_memory = true;
}

static void build_base(RowBuild *b, const uint32_t *bitmap)
{
    if (!b->base && !b->is_whole)
        b->base = bitmap;
    else
        b->is_whole = true;
    for (uint32_t i = 0; i < b->run->vocab->nwords; i++) b->row[i] |= bitmap[i];
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
            build_cover_part(b, c->cover, range.hi);
        else if (all || rise_in(range, c->rise))
            build_base(b, c->row);
    }
}

static void row_walk(void *user, const Walk *w, RiseRange range)
{
    RowBuild *b = user;
    bool all = !w->rise || (range.lo <= w->rise_min && w->rise_max <= range.hi);
    if (all && w->bitmap) {
        build_base(b, w->bitmap);
        return;
    }
    build_covers(b, w, range, all);
    if (w->ninside > b->run->vocab->nwords) b->is_whole = true;
    for (uint32_t i = 0; i < w->ninside; i++)
        if (all || rise_in(range, w->rise[i])) build_id(b, w->inside[i]);
}

static void row_places(void *user, const MaskTrie *x, uint32_t from,
                       uint32_t to, RiseRange range)
{
    RowBuild *b = user;
    for (uint32_t p = from; p < to; p++)
        if (!x->rise || rise_in(range, x->rise[p])) build_id(b, x->trie.ids[p]);
}

/* ---- remembering ---- */

static Mask *mask_new(Arena *arena, const ConfigSet *set, const uint32_t *regs,
                      uint64_t hash)
{
    Mask *mask = arena_new(arena, Mask);
    uint32_t n = set->list.count;
    Config *configs = arena_copy(arena, set->list.at, n * sizeof *configs);
    if (!mask || !configs) return NULL;
    for (uint32_t i = 0; i < n; i++) configs[i].reg = regs[i];
    mask->item.hash = hash;
    mask->nconfigs = n;
    mask->configs = configs;
    atomic_init(&mask->row, NULL);
    atomic_init(&mask->visits, 0);
    return mask;
}

static bool mask_set(Mask *mask, Arena *arena, const RowBuild *b)
{
    const MaskRun *run = b->run;
    size_t nbytes = run->vocab->nwords * sizeof *b->row;
    if (b->is_whole || run->ids.count * sizeof *b->row >= nbytes) {
        const uint32_t *row = arena_copy(arena, b->row, nbytes);
        atomic_init(&mask->row, row);
        return row != NULL;
    }
    mask->base = b->base;
    mask->nids = run->ids.count;
    mask->ids =
        arena_copy(arena, run->ids.at, run->ids.count * sizeof *run->ids.at);
    return mask->ids != NULL;
}

/* No room is no error: the mask is made anew next time. */
static void memo_keep(MaskMemo *memo, const ConfigSet *set,
                      const uint32_t *regs, uint64_t hash, const RowBuild *b)
{
    lock_take(&memo->lock);
    if (!memo->arena.failed && !memo_find(memo, set, regs, hash)) {
        Mask *mask = mask_new(&memo->arena, set, regs, hash);
        if (mask && mask_set(mask, &memo->arena, b))
            shared_add(&memo->table, &memo->arena, &mask->item);
    }
    lock_give(&memo->lock);
}

static void mask_write(const MaskRun *run, const Mask *mask, uint32_t *row)
{
    size_t nbytes = run->vocab->nwords * sizeof *row;
    const uint32_t *whole =
        atomic_load_explicit(&mask->row, memory_order_acquire);
    if (whole) {
        memcpy(row, whole, nbytes);
        return;
    }
    if (mask->base)
        memcpy(row, mask->base, nbytes);
    else
        memset(row, 0, nbytes);
    for (uint32_t i = 0; i < mask->nids; i++)
        row[mask->ids[i] / 32] |= 1u << (mask->ids[i] % 32);
}

/* Gives a mask that is asked for again a row of its own. */
static const uint32_t *mask_promote(const MaskRun *run, MaskMemo *memo,
                                    Mask *mask)
{
    if (!mask->nids && mask->base) return mask->base;
    size_t nbytes = run->vocab->nwords * sizeof(uint32_t);
    lock_take(&memo->lock);
    const uint32_t *row =
        atomic_load_explicit(&mask->row, memory_order_relaxed);
    uint32_t *made = NULL;
    if (!row && !memo->arena.failed) made = arena_alloc(&memo->arena, nbytes);
    if (made) {
        mask_write(run, mask, made);
        atomic_store_explicit(&mask->row, made, memory_order_release);
        row = made;
    }
    lock_give(&memo->lock);
    return row;
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

static weir_status mask_make(MaskRun *run, MaskMemo *memo, const ConfigSet *set,
                             uint64_t hash, uint32_t *row)
{
    RowBuild b = {.run = run, .row = row};
    Findings to = {row_walk, row_places, NULL, NULL, &b};
    run->ids.count = 0;
    memset(row, 0, run->vocab->nwords * sizeof *row);
    explore_set(run, &to, &run->vocab->main, set, RISE_ANY);
    weir_status status = run_end(run);
    if (!status) memo_keep(memo, set, run->regs.at, hash, &b);
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
    memset(row, 0, run->vocab->nwords * sizeof *row);
    walk_direct(&run->walker, &run->vocab->main.trie, TRIE_ROOT, set, NULL,
                &sink);
    return run_end(run);
}

weir_status mask_fill(MaskRun *run, MaskMemo *memo, const ConfigSet *set,
                      uint32_t *row)
{
    if (budget_is_near(run, set)) return mask_direct(run, set, row);
    if (!find_regs(run, set)) return WEIR_NO_MEMORY;
    uint64_t hash = set_hash(set, run->regs.at);
    Mask *mask = memo_find(memo, set, run->regs.at, hash);
    if (!mask) return mask_make(run, memo, set, hash, row);
    if (mask->nids > FEW_IDS &&
        atomic_fetch_add_explicit(&mask->visits, 1, memory_order_relaxed) == 1)
        mask_promote(run, memo, mask);
    mask_write(run, mask, row);
    return WEIR_OK;
}

const uint32_t *mask_row(MaskRun *run, MaskMemo *memo, const ConfigSet *set)
{
    if (budget_is_near(run, set)) return NULL;
    if (!find_regs(run, set)) return NULL;
    uint64_t hash = set_hash(set, run->regs.at);
    Mask *mask = memo_find(memo, set, run->regs.at, hash);
    if (!mask) return NULL;
    const uint32_t *row =
        atomic_load_explicit(&mask->row, memory_order_acquire);
    return row ? row : mask_promote(run, memo, mask);
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

weir_status mask_add_tokens(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    TokenRow tokens = {run, row};
    set_each_return(&run->stepper, set, add_token_moves, &tokens);
    return run_end(run);
}
