/* cover.c: rows of tokens by their characters.
 *
 * A new row is a walk of the trie that takes whole subtrees where all that is
 * below is wanted, or begins with all tokens and drops whole subtrees: some
 * 0.1 ms. Counts of characters are kept as planes of
 * bits, so that "at most n" is a comparison of all tokens at once: 3 us.
 * Tests: unit/cover_test.c.
 */
#include "mask/cover.h"

#include "mask/loop.h"

enum { COVERS_LIMIT = 8 << 20 }; /* bytes */

/* ---- counts ---- */

static uint32_t count_units(Span text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.size; i++) n += (text.at[i] & 0xC0) != 0x80;
    return n;
}

static void planes_fill(CoverTable *covers, const Vocab *vocab)
{
    for (uint32_t id = 0; id < vocab->ntokens; id++) {
        if (!vocab_is_text(vocab, id)) continue;
        uint32_t *plane = covers->planes + id / 32;
        for (uint32_t n = count_units(vocab_bytes(vocab, id)); n; n >>= 1) {
            *plane |= (n & 1) << (id % 32);
            plane += covers->nwords;
        }
    }
}

bool covers_init(CoverTable *covers, const Mem *mem, const Vocab *vocab,
                 const Trie *trie)
{
    *covers = (CoverTable){.mem = mem, .trie = trie};
    covers->nwords = WEIR_MASK_WORDS(vocab->width);
    arena_init(&covers->arena, mem, COVERS_LIMIT);
    covers->longest = trie->depth; /* bytes, hence no fewer */
    while (covers->longest >> covers->nplanes) covers->nplanes++;
    size_t nbytes = (size_t)covers->nplanes * covers->nwords * sizeof(uint32_t);
    covers->planes = mem_zero(mem, nbytes + 1);
    if (!covers->planes || !shared_init(&covers->table, &covers->arena)) {
        mem_free(mem, covers->planes, nbytes + 1);
        arena_free(&covers->arena);
        covers->mem = NULL;
        return false;
    }
    lock_init(&covers->lock);
    planes_fill(covers, vocab);
    return true;
}

void covers_free(CoverTable *covers)
{
    if (!covers->mem) return;
    size_t nbytes = (size_t)covers->nplanes * covers->nwords * sizeof(uint32_t);
    mem_free(covers->mem, covers->planes, nbytes + 1);
    arena_free(&covers->arena);
    lock_free(&covers->lock);
    covers->mem = NULL;
}

size_t covers_bytes(CoverTable *covers)
{
    lock_take(&covers->lock);
    size_t total = covers->arena.total +
                   (size_t)covers->nplanes * covers->nwords * sizeof(uint32_t);
    lock_give(&covers->lock);
    return total;
}

/* ---- rows ---- */

/* A node whose children are looked at, and where in a character it stands. */
typedef struct CoverLevel {
    uint32_t node, next;
    uint8_t left, lo, hi; /* continuation bytes wanted, the next in [lo, hi] */
} CoverLevel;

static void row_take(uint32_t *row, const Trie *trie, uint32_t from,
                     uint32_t to)
{
    for (uint32_t p = from; p < to; p++)
        row[trie->ids[p] / 32] |= 1u << (trie->ids[p] % 32);
}

static void row_clear(uint32_t *row, const Trie *trie, uint32_t from,
                      uint32_t to)
{
    for (uint32_t p = from; p < to; p++)
        row[trie->ids[p] / 32] &= ~(1u << (trie->ids[p] % 32));
}

/* Where the child's byte leads in the character; false: not wanted. */
static bool cover_step(const CoverLevel *at, const ByteSet *units, uint8_t byte,
                       CoverLevel *to)
{
    to->lo = 0x80;
    to->hi = 0xBF;
    if (at->left) {
        to->left = (uint8_t)(at->left - 1);
        return byte >= at->lo && byte <= at->hi;
    }
    to->left = (uint8_t)rest_of(byte);
    if (byte == 0xE0) to->lo = 0xA0;
    if (byte == 0xED) to->hi = 0x9F;
    if (byte == 0xF0) to->lo = 0x90;
    if (byte == 0xF4) to->hi = 0x8F;
    return byteset_has(units, byte);
}

/* A row in the making. levels: one for each byte of the longest text, and one
 * more. */
typedef struct CoverWalk {
    const Trie *trie;
    const ByteSet *units;
    uint64_t unwanted; /* groups of all other bytes */
    CoverLevel *levels;
    uint32_t *row;
    bool clears; /* the row has all, and loses what is not wanted */
} CoverWalk;

/* A child of level `at`; true: the walk goes on below it, at `to`. */
static bool cover_child(const CoverWalk *w, const CoverLevel *at,
                        const TrieNode *child, CoverLevel *to)
{
    bool wanted = cover_step(at, w->units, child->byte, to);
    bool all = wanted && !to->left && !(child->below & w->unwanted);
    if (w->clears) {
        if (!wanted) row_clear(w->row, w->trie, child->tok, child->tok_end);
    } else if (wanted) {
        uint32_t end = all ? child->tok_end : trie_own_end(w->trie, child);
        row_take(w->row, w->trie, child->tok, end);
    }
    return wanted && !all;
}

static void cover_walk(const CoverWalk *w, uint32_t root)
{
    uint32_t depth = 0;
    w->levels[0] = (CoverLevel){.node = root};
    for (;;) {
        CoverLevel *at = &w->levels[depth], *to = at + 1;
        const TrieNode *node = &w->trie->nodes[at->node];
        if (at->next == node->nchildren) {
            if (!depth--) return;
            continue;
        }
        to->node = node->child + at->next++;
        to->next = 0;
        depth += cover_child(w, at, &w->trie->nodes[to->node], to);
    }
}

/* row = all tokens below the node: at the root those with a character. */
static void row_all(const CoverTable *covers, uint32_t node, uint32_t *row)
{
    const Trie *trie = covers->trie;
    const TrieNode *n = &trie->nodes[node];
    if (node != TRIE_ROOT) {
        row_take(row, trie, trie_own_end(trie, n), n->tok_end);
        return;
    }
    for (uint32_t p = 0; p < covers->nplanes; p++)
        for (uint32_t w = 0; w < covers->nwords; w++)
            row[w] |= covers->planes[p * covers->nwords + w];
}

static bool cover_fill(const CoverTable *covers, uint32_t node,
                       const ByteSet *units, uint32_t *row)
{
    enum { MOST = 100 }; /* first bytes, of 179 that there are */
    size_t nbytes = (covers->trie->depth + 2) * sizeof(CoverLevel);
    CoverWalk w = {.trie = covers->trie,
                   .units = units,
                   .levels = mem_new(covers->mem, nbytes),
                   .row = row,
                   .clears = byteset_count(units) >= MOST};
    ByteSet others;
    for (int i = 0; i < 4; i++) others.word[i] = ~units->word[i];
    w.unwanted = groups_of(&others);
    if (!w.levels) return false;
    if (w.clears) row_all(covers, node, row);
    cover_walk(&w, node);
    mem_free(covers->mem, w.levels, nbytes);
    return true;
}

static Cover *cover_new(CoverTable *covers, uint32_t node, const ByteSet *units,
                        uint64_t hash)
{
    Cover *cover = arena_new(&covers->arena, Cover);
    uint32_t *row =
        arena_zero(&covers->arena, covers->nwords * sizeof(uint32_t));
    _Atomic(const uint32_t *) *upto =
        arena_zero(&covers->arena, (covers->longest + 1) * sizeof *upto);
    if (!cover || !row || !upto || !cover_fill(covers, node, units, row))
        return NULL;
    for (uint32_t n = 0; n <= covers->longest; n++) atomic_init(&upto[n], NULL);
    cover->item.hash = hash;
    cover->node = node;
    cover->units = *units;
    cover->row = row;
    cover->upto = upto;
    return cover;
}

static const Cover *cover_known(CoverTable *covers, uint32_t node,
                                const ByteSet *units, uint64_t hash)
{
    for (SharedPos p = shared_first(&covers->table, hash); p.item;
         p = shared_next(hash, p)) {
        const Cover *cover = (const Cover *)(const void *)p.item;
        if (cover->node == node && !memcmp(&cover->units, units, sizeof *units))
            return cover;
    }
    return NULL;
}

const Cover *cover_find(CoverTable *covers, uint32_t node, const ByteSet *units)
{
    uint64_t hash = hash_bytes(node, units, sizeof *units);
    const Cover *known = cover_known(covers, node, units, hash);
    if (known) return known;
    lock_take(&covers->lock);
    known = cover_known(covers, node, units, hash);
    if (!known && !covers->arena.hit_limit) {
        Cover *made = cover_new(covers, node, units, hash);
        if (made && shared_add(&covers->table, &covers->arena, &made->item))
            known = made;
    }
    lock_give(&covers->lock);
    return known;
}

/* By a comparison of the planes from the highest bit down, in blocks that stay
 * in the nearest cache. */
void cover_write(const CoverTable *covers, const Cover *cover, uint32_t most,
                 uint32_t *row)
{
    enum { BLOCK = 64 };
    uint32_t less[BLOCK], same[BLOCK];
    most = MIN(most, covers->longest);
    for (uint32_t w = 0; w < covers->nwords; w += BLOCK) {
        uint32_t n = MIN(covers->nwords - w, (uint32_t)BLOCK);
        memset(less, 0, sizeof less);
        memset(same, 0xFF, sizeof same);
        for (uint32_t p = covers->nplanes; p-- > 0;) {
            const uint32_t *plane = covers->planes + p * covers->nwords + w;
            uint32_t bit = most >> p & 1 ? UINT32_MAX : 0;
            for (uint32_t i = 0; i < n; i++) {
                less[i] |= same[i] & bit & ~plane[i];
                same[i] &= ~(plane[i] ^ bit);
            }
        }
        for (uint32_t i = 0; i < n; i++)
            row[w + i] = cover->row[w + i] & (less[i] | same[i]);
    }
}

const uint32_t *cover_upto(CoverTable *covers, const Cover *cover,
                           uint32_t most)
{
    if (most >= covers->longest) return cover->row;
    _Atomic(const uint32_t *) *slot = &cover->upto[most];
    const uint32_t *known = atomic_load_explicit(slot, memory_order_acquire);
    if (known) return known;
    lock_take(&covers->lock);
    known = atomic_load_explicit(slot, memory_order_relaxed);
    uint32_t *made = NULL;
    if (!known && !covers->arena.hit_limit)
        made = arena_alloc(&covers->arena, covers->nwords * sizeof *made);
    if (made) {
        cover_write(covers, cover, most, made);
        atomic_store_explicit(slot, made, memory_order_release);
        known = made;
    }
    lock_give(&covers->lock);
    return known;
}
