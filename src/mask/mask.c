/* mask.c: masks of configuration sets.
 * Tests: prop/masks_vs_oracle_test.c. */
#include "mask/mask.h"

bool maskvocab_init(MaskVocab *v, const Mem *mem, const Vocab *vocab)
{
    *v = (MaskVocab){.mem = mem, .width = vocab->width,
                     .nwords = WEIR_MASK_WORDS(vocab->width)};
    arena_init(&v->arena, mem, 0);
    TrieEntry *entries = mem_new(mem, (vocab->ntokens + 1) * sizeof *entries);
    uint32_t n = 0;
    if (!entries) return false;
    for (uint32_t id = 0; id < vocab->ntokens; id++)
        if (vocab_is_text(vocab, id))
            entries[n++] = (TrieEntry){vocab_bytes(vocab, id), id};
    bool ok = trie_build(&v->trie, &v->arena, mem, entries, n);
    mem_free(mem, entries, (vocab->ntokens + 1) * sizeof *entries);
    if (!ok) maskvocab_free(v);
    return ok;
}

void maskvocab_free(MaskVocab *v)
{
    if (!v->mem) return;
    arena_free(&v->arena);
    v->mem = NULL;
}

void maskrun_init(MaskRun *run, const Mem *mem, const MaskVocab *vocab,
                  StackHub *hub, const weir_limits *limits)
{
    *run = (MaskRun){.mem = mem, .vocab = vocab};
    stepper_init(&run->stepper, mem, hub, limits, true);
    walker_init(&run->walker, mem, &run->stepper);
}

void maskrun_free(MaskRun *run)
{
    if (!run->mem) return;
    walker_free(&run->walker);
    stepper_free(&run->stepper);
    run->mem = NULL;
}

typedef struct RowSink {
    const Trie *trie;
    uint32_t *row;
} RowSink;

static void row_set(uint32_t *row, uint32_t id)
{
    row[id / 32] |= 1u << (id % 32);
}

static bool row_reached(void *user, const TrieNode *node, uint32_t depth,
                        const ConfigSet *set)
{
    RowSink *sink = user;
    (void)depth;
    (void)set;
    uint32_t end = trie_own_end(sink->trie, node);
    for (uint32_t i = node->tok; i < end; i++)
        row_set(sink->row, sink->trie->ids[i]);
    return true;
}

/* ---- token edges ---- */

typedef struct TokenRow {
    MaskRun *run;
    uint32_t *row;
} TokenRow;

static void row_set_range(uint32_t *row, uint32_t lo, uint32_t end)
{
    for (uint32_t id = lo; id < end; id++) row_set(row, id);
}

/* Or-s a TOKENS set into the row, within the width. */
static void row_add_tokens(TokenRow *t, const TokenMove *move)
{
    const Ir *ir = move->network->ir;
    Node n = ir_node(ir, move->set);
    uint32_t width = t->run->vocab->width, next = 0;
    for (uint32_t i = 0; i < n.b; i++) {
        Range r = ir_node_ranges(ir, n)[i];
        uint32_t lo = MIN(r.lo, width);
        uint32_t end = r.hi < width ? r.hi + 1 : width;
        row_set_range(t->row, n.c ? next : lo, n.c ? lo : end);
        next = end;
    }
    if (n.c) row_set_range(t->row, next, width);
}

static void add_token_moves(void *user, Config c)
{
    TokenRow *t = user;
    if (!c.q->has_tokens) return;
    const TokenMoves *moves = state_tokens(c.q);
    if (!moves) {
        t->run->stepper.stacks.status = WEIR_NO_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < moves->count; i++)
        row_add_tokens(t, &moves->at[i]);
}

weir_status mask_compute(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    RowSink rows = {&run->vocab->trie, row};
    WalkSink sink = {row_reached, &rows};
    memset(row, 0, run->vocab->nwords * sizeof *row);
    stepper_clear(&run->stepper);
    walk_direct(&run->walker, &run->vocab->trie, TRIE_ROOT, set, &sink);
    stackuser_reset(&run->stepper.stacks);
    return stepper_status(&run->stepper);
}

weir_status mask_add_tokens(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    TokenRow tokens = {run, row};
    stepper_clear(&run->stepper);
    set_each_return(&run->stepper, set, add_token_moves, &tokens);
    return stepper_status(&run->stepper);
}
