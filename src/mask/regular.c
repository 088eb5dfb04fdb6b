/* regular.c: the walk of a frame without calls.
 *
 * It follows one automaton state down the trie, depth first; at a state that
 * may return, everything below the node leaves as well. In a counted frame the
 * limits are ignored and the copies counted instead, with those that the state
 * at the end still needs.
 *
 * Pruning, by the loop of the state. At a node with much below it, a state
 * that loops begins a cover: as long as its units are read the cover has the
 * tokens, and a subtree is left alone unless something below is an exit of the
 * loop (or can follow it). Elsewhere a subtree is taken whole if all below it
 * is units of the state's loop.
 * Cost: 10 to 20 ns a visited node, of 270,000 for a vocabulary of 128,000
 * tokens; some thousands for a string, whose only exits are quote and escape.
 * Tests: prop/masks_vs_oracle_test.c, unit/walk_test.c.
 */
#include "mask/walk.h"

enum {
    COVER_PART = 8 /* a cover is for an eighth of the tokens or more */
};

/* ---- covers ---- */

/* Characters above a node that is `depth` bytes below the root. */
static uint32_t count_above(const WalkBuild *b, const TrieNode *node,
                            uint32_t depth)
{
    Span text = vocab_bytes(b->vocab, b->key.trie->trie.ids[node->tok]);
    uint32_t n = 0;
    assert(depth <= text.size);
    for (uint32_t i = 0; i < depth; i++) n += (text.at[i] & 0xC0) != 0x80;
    return n;
}

/* True if enough is below the node. */
static bool has_part(const MaskTrie *x, const TrieNode *node)
{
    return (uint64_t)(node->tok_end - node->tok) * COVER_PART >= x->trie.nids;
}

const Cover *cover_for(CoverTable *covers, const MaskTrie *x, uint32_t node,
                       const ByteSet *units)
{
    return has_part(x, &x->trie.nodes[node]) ? cover_find(covers, node, units)
                                             : NULL;
}

/* A row of its own, of tokens that begin with one of `first`. */
static bool own_row(WalkBuild *b, CoverUse *use, const TrieNode *node)
{
    const Trie *trie = &b->key.trie->trie;
    use->own = mem_new(b->mem, b->covers->nwords * sizeof *use->own);
    if (!use->own) {
        b->no_memory = true;
        return false;
    }
    cover_write(b->covers, use->cover.cover, use->cover.most, use->own);
    for (uint32_t i = 0; i < node->nchildren; i++) {
        const TrieNode *child = &trie->nodes[node->child + i];
        if (byteset_has(&use->first, child->byte)) continue;
        for (uint32_t p = child->tok; p < child->tok_end; p++)
            use->own[trie->ids[p] / 32] &= ~(1u << (trie->ids[p] % 32));
    }
    use->cover.row = use->own;
    use->cover.cover = NULL;
    return true;
}

/* Few tokens are long: so that the vocabulary need not keep a row for each
 * number of characters, a cover takes fewer of these than it could. */
static uint32_t cover_step_down(uint32_t most)
{
    enum { EACH = 16 };
    uint32_t step = EACH;
    while (step <= most / 2) step *= 2;
    return MIN(most, step);
}

/* The row, where not all that the units make is in it: by their number, or
 * since a text does not begin with each (`is_even`: it does). False: none. */
static bool cover_cut(WalkBuild *b, CoverUse *use, const TrieNode *node,
                      bool is_even)
{
    const Cover *cover = use->cover.cover;
    const uint32_t *kept =
        is_even ? cover_upto(b->covers, cover, use->cover.most) : NULL;
    if (!kept) return !use->cover.counts && own_row(b, use, node);
    use->cover.row = kept;
    return true;
}

bool cover_begin(WalkBuild *b, CoverPath *path, uint32_t node, uint32_t depth,
                 State *q, uint32_t rise)
{
    const MaskTrie *x = b->key.trie;
    const TrieNode *n = &x->trie.nodes[node];
    *path = (CoverPath){.use = NULL};
    if (x->skip || b->nuses == WALK_COVERS || !has_part(x, n)) return false;
    const Loop *loop = loop_of(b->loops, b->mem, q);
    if (!loop->is_any || (loop->may_return && !b->key.follow)) return false;
    /* what is counted must be characters on the whole way */
    if (loop->counts && !(b->has_rise && count_above(b, n, depth) == rise))
        return false;
    const Cover *cover = cover_for(b->covers, x, node, &loop->units);
    if (!cover) return false;
    CoverUse *use = &b->uses[b->nuses];
    *use = (CoverUse){.first = loop->first, .units = loop->units};
    use->cover = (WalkCover){.row = cover->row,
                             .cover = cover,
                             .counts = loop->counts,
                             .most = b->covers->longest,
                             .rise = loop->need};
    if (!loop->counts) use->cover.rise += rise;
    use->out = loop->out;
    use->other = loop->other;
    use->is_capped = loop->is_capped;
    if (loop->may_return) use->out |= b->follow_groups;
    bool is_even = !memcmp(&use->first, &use->units, sizeof use->first);
    uint32_t height = loop->height;
    if (height != ANY_HEIGHT) {
        uint32_t above = count_above(b, n, depth);
        use->cover.most = cover_step_down(above + height);
        if (use->cover.most <= above) return false;
        height = MIN(use->cover.most - above, ANY_HEIGHT - 1);
    }
    if (!cover_cut(b, use, n, is_even)) return false;
    b->nuses++;
    *path = (CoverPath){use, 0, (uint8_t)height, false};
    return true;
}

/* ---- the walk ---- */

typedef struct RegularLevel {
    ChildCursor children;
    State *q;
    uint32_t rise; /* copies complete */
    CoverPath path;
} RegularLevel;

typedef struct Regular {
    WalkBuild *b;
    RegularLevel *levels;
    weir_status status;
} Regular;

/* Where a byte leads in a frame without calls. False: nowhere. */
static bool regular_step(State *q, uint32_t rise, uint8_t byte, State **to,
                         uint32_t *to_rise, weir_status *status)
{
    uintptr_t cell = state_next(q, byte);
    if (!cell) {
        *status = network_error(q->frame->network).status;
        return false;
    }
    *to_rise = rise;
    if (CELL_IS_STATE(cell)) {
        *to = cell_state(cell);
        return true;
    }
    const Step *step = cell_step(cell);
    if (!step->count) return false;
    assert(step->count == 1 && !step->at[0].npush);
    *to = step->at[0].to;
    *to_rise += step->at[0].op.reg;
    return true;
}

/* The node of level `at` was reached. */
static void regular_reached(WalkBuild *b, const TrieNode *node, uint32_t depth,
                            const RegularLevel *at)
{
    const MaskTrie *x = b->key.trie;
    if (!at->path.use)
        walkbuild_inside(b, x, node->tok, trie_own_end(&x->trie, node),
                         at->rise + at->q->need);
    if (at->q->accepts) walkbuild_exit(b, x, node, depth, at->rise, RISE_ANY);
}

/* Places below a node, `depth` bytes above which were read, all inside: each
 * by its own number of copies, one a character. */
static void take_counted(WalkBuild *b, uint32_t from, uint32_t to,
                         uint32_t depth, uint32_t rise)
{
    const MaskTrie *x = b->key.trie;
    for (uint32_t p = from; p < to; p++) {
        Span text = vocab_bytes(b->vocab, x->trie.ids[p]);
        uint32_t n = 0;
        for (size_t i = depth + (x->skip ? x->skip[p] : 0); i < text.size; i++)
            n += (text.at[i] & 0xC0) != 0x80;
        walkbuild_inside(b, x, p, p + 1, rise + n);
    }
}

/* Takes all below the node if it is made of units of the state's loop. What
 * leaves on the way does not matter then, unless a register decides what is
 * inside and what leaves. */
static bool take_subtree(WalkBuild *b, const TrieNode *node, uint32_t depth,
                         const RegularLevel *at)
{
    uint32_t from = trie_own_end(&b->key.trie->trie, node);
    const Loop *loop = loop_for(b->loops, b->mem, at->q, node->tok_end - from);
    if (!loop || !loop_takes(loop, node)) return false;
    if (loop->may_return && loop->counts && node->below & b->follow_groups)
        return false;
    if (loop->counts)
        take_counted(b, from, node->tok_end, depth, at->rise + loop->need);
    else
        walkbuild_inside(b, b->key.trie, from, node->tok_end,
                         at->rise + loop->need);
    return true;
}

/* Takes all below a node that is higher than its path's cover, if the state has
 * come to read more in the meantime. What the cover has of it is taken twice. */
static bool take_above(WalkBuild *b, const TrieNode *node, uint32_t depth,
                       const RegularLevel *at)
{
    const CoverPath *path = &at->path;
    return path->height != ANY_HEIGHT && node->height > path->height &&
           !(node->below & path->use->out) && take_subtree(b, node, depth, at);
}

/* True if the walk goes on below the child of level `at`. */
static bool goes_below(WalkBuild *b, uint32_t child, uint32_t depth,
                       RegularLevel *at)
{
    const TrieNode *node = &b->key.trie->trie.nodes[child];
    if (!node->nchildren || at->q->is_final) return false;
    if (at->path.use) return !take_above(b, node, depth, at);
    if (!cover_begin(b, &at->path, child, depth, at->q, at->rise))
        return !take_subtree(b, node, depth, at);
    return path_matters(at->path, node) || node->below & at->path.use->other;
}

static void regular_run(Regular *r)
{
    WalkBuild *b = r->b;
    const Trie *trie = &b->key.trie->trie;
    uint32_t depth = 0;
    const ByteSet *first = &b->key.q->first;
    children_begin(&r->levels[0].children, trie, b->key.node, first);
    while (!r->status && !b->leaks && !b->no_memory) {
        RegularLevel *level = &r->levels[depth], *below = level + 1;
        uint32_t child = children_next(&level->children, trie);
        if (!child) {
            if (!depth--) return;
            continue;
        }
        const TrieNode *n = &trie->nodes[child];
        b->nodes++;
        uint32_t at = b->depth + depth + 1;
        below->path = cover_step(level->path, n->byte);
        if (!path_matters(below->path, n)) continue;
        if (!regular_step(level->q, level->rise, n->byte, &below->q,
                          &below->rise, &r->status))
            continue;
        regular_reached(b, n, at, below);
        if (!goes_below(b, child, at, below)) continue;
        children_begin(&below->children, trie, child, &below->q->first);
        depth++;
    }
}

void walk_regular(WalkBuild *b, weir_status *status)
{
    size_t nbytes = (b->key.trie->trie.depth + 2) * sizeof(RegularLevel);
    Regular r = {.b = b, .levels = mem_new(b->mem, nbytes)};
    if (r.levels) {
        r.levels[0] = (RegularLevel){.q = b->key.q};
        cover_begin(b, &r.levels[0].path, b->key.node, b->depth, b->key.q, 0);
        regular_run(&r);
    }
    *status = r.status;
    b->no_memory |= !r.levels;
    mem_free(b->mem, r.levels, nbytes);
}
