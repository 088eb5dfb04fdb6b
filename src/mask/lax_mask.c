/* lax_mask.c: the tokens whose bits depend on where they end.
 *
 * Whether a piece may end within a character is no matter of texts, so walks
 * and memos know nothing of it: the few tokens that do end so (about 1,000 of
 * 128,000) are a trie of their own, which is walked with the readings
 * themselves. What is found is kept with the mask.
 * Cost: a visit of those tries as far as they can be read, for each new mask
 * of a grammar that has held places, or token sets in the dialect.
 * Tests: unit/gbnf_recorded_test.c
 */
#include "mask/lax_mask.h"

#include "base/utf8.h"

typedef VEC(TrieEntry) TokenEntries;

/* ---- tokens that end within a character ---- */

static bool ends_open(Span bytes)
{
    size_t pos = 0;
    while (pos < bytes.size) {
        unsigned size = utf8_lead_size(bytes.at[pos]);
        pos += MAX(size, 1);
    }
    return pos > bytes.size;
}

bool lax_find_open(const Mem *mem, const Vocab *vocab, Arena *arena, Trie *open)
{
    TokenEntries entries = {0};
    bool ok = true;
    for (uint32_t id = 0; ok && id < vocab->ntokens; id++) {
        TrieEntry entry = {vocab_bytes(vocab, id), id};
        if (vocab_is_text(vocab, id) && ends_open(entry.text))
            ok = vec_push(mem, &entries, entry);
    }
    ok = ok && trie_build(open, arena, mem, entries.at, entries.count);
    vec_free(mem, &entries);
    return ok;
}

typedef struct OpenRow {
    const Trie *trie;
    uint32_t *row;
} OpenRow;

static bool open_node(void *user, const TrieNode *node, uint32_t depth,
                      const ConfigSet *set)
{
    const OpenRow *to = user;
    const Trie *trie = to->trie;
    uint32_t end = trie_own_end(trie, node);
    (void)depth;
    for (uint32_t p = node->tok; p < end && !set_is_held(set); p++)
        to->row[trie->ids[p] / 32] |= 1u << (trie->ids[p] % 32);
    return true;
}

void lax_fix_open(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    const Trie *open = &run->vocab->open;
    OpenRow to = {open, row};
    WalkSink sink = {NULL, open_node, &to};
    for (uint32_t p = 0; p < open->nids; p++)
        row[open->ids[p] / 32] &= ~(1u << (open->ids[p] % 32));
    walk_direct(&run->walker, open, TRIE_ROOT, set, NULL, &sink);
}

/* ---- tokens of a set after some text ---- */

enum { MOST_NAMED = 1024 };

/* Ids that the sets name, as often as they do; those of sets that are not
 * resolved, too. */
static uint64_t count_named(const Vocab *vocab, const Ir *ir)
{
    uint64_t count = 0;
    for (NodeId id = 0; id < ir->nodes.count; id++) {
        Node n = ir_node(ir, id);
        if (n.kind != NODE_TOKENS || n.c) continue;
        const Range *r = ir_node_ranges(ir, n);
        for (uint32_t i = 0; i < n.b; i++)
            if (r[i].lo < vocab->ntokens) count += r[i].hi - r[i].lo + 1u;
    }
    return count;
}

static bool add_named(const Mem *mem, const Vocab *vocab, const Ir *ir, Node n,
                      TokenEntries *entries)
{
    const Range *r = ir_node_ranges(ir, n);
    for (uint32_t i = 0; i < n.b; i++)
        for (uint32_t id = r[i].lo; id <= r[i].hi && id < vocab->ntokens; id++)
            if (vocab_is_text(vocab, id) &&
                !vec_push(mem, entries,
                          (TrieEntry){vocab_bytes(vocab, id), id}))
                return false;
    return true;
}

bool lax_find_named(const Mem *mem, const Vocab *vocab, const Ir *ir,
                    Arena *arena, Trie *named, bool *is_all)
{
    TokenEntries entries = {0};
    bool ok = true;
    *is_all = count_named(vocab, ir) > MOST_NAMED;
    if (*is_all) return true;
    for (NodeId id = 0; ok && id < ir->nodes.count; id++) {
        Node n = ir_node(ir, id);
        if (n.kind == NODE_TOKENS && !n.c)
            ok = add_named(mem, vocab, ir, n, &entries);
    }
    ok = ok && trie_build(named, arena, mem, entries.at, entries.count);
    vec_free(mem, &entries);
    return ok;
}

typedef struct Loose {
    MaskRun *run;
    uint32_t *row;
    const TrieNode *node;
    uint32_t depth;
} Loose;

static bool ranges_have(const Range *r, uint32_t count, uint32_t id)
{
    uint32_t lo = 0;
    while (count) {
        uint32_t half = count / 2;
        if (r[lo + half].hi < id) {
            lo += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return r[lo].lo <= id && id <= r[lo].hi;
}

/* Ids of the set below the node. */
static void add_below(Loose *l, const Ir *ir, Node set)
{
    const Trie *trie = l->run->named;
    const Range *ranges = ir_node_ranges(ir, set);
    uint32_t last = set.b - 1;
    for (uint32_t p = trie_own_end(trie, l->node); p < l->node->tok_end; p++) {
        uint32_t id = trie->ids[p];
        Span bytes = vocab_bytes(l->run->vocab->vocab, id);
        assert(bytes.at && l->depth < bytes.size);
        unsigned size = utf8_lead_size(bytes.at[l->depth]);
        bool is_whole = size && bytes.size - l->depth >= size;
        if (is_whole && id <= ranges[last].hi && ranges_have(ranges, set.b, id))
            l->row[id / 32] |= 1u << (id % 32);
    }
}

static void loose_config(void *user, Config c)
{
    Loose *l = user;
    if (!c.q->has_tokens) return;
    const TokenMoves *moves = state_tokens(c.q);
    if (!moves) {
        l->run->stepper.stacks.status =
            network_error(c.q->frame->network).status;
        return;
    }
    for (uint32_t i = 0; i < moves->count; i++) {
        const Ir *ir = moves->at[i].network->ir;
        add_below(l, ir, ir_node(ir, moves->at[i].set));
    }
}

static bool loose_node(void *user, const TrieNode *node, uint32_t depth,
                       const ConfigSet *set)
{
    Loose *l = user;
    l->node = node;
    l->depth = depth;
    if (node->nchildren)
        set_each_return(&l->run->stepper, set, loose_config, l);
    return true;
}

void lax_add_loose(MaskRun *run, const ConfigSet *set, uint32_t *row)
{
    Loose loose = {.run = run, .row = row};
    WalkSink sink = {NULL, loose_node, &loose};
    walk_direct(&run->walker, run->named, TRIE_ROOT, set, NULL, &sink);
}
