/* vocab_merges.c: merge lists, told by texts, as ids.
 *
 * In:    lines (left, right) in rank order.  Out: for each line whose two
 *        parts and result are pieces of the model: the result's id and the
 *        bytes of the left part.
 * Method: an index of the pieces by text. Lists name their results nearly in
 *        the order of the ids, since both come from training; so the newest
 *        result and the id after it are tried before the index.
 * Cost:  one pass over the pieces at the first line; then two or three look-
 *        ups a line.
 * Tests: unit/vocab_test.c
 */
#include "vocab/vocab_build.h"

/* Of two texts in a row. */
static uint64_t hash_texts(Span left, Span right)
{
    uint64_t h = fnv1a(FNV_SEED, left.at, left.size);
    return hash_mix(fnv1a(h, right.at, right.size), left.size + right.size);
}

static bool index_pieces(VocabBuild *b)
{
    if (!map_reserve(b->mem, &b->by_text, b->vocab->ntokens))
        return diag_no_memory(b->err);
    for (uint32_t id = 0; id < b->vocab->ntokens; id++) {
        const Piece *p = &b->pieces.at[id];
        if (p->form == PIECE_NONE || !p->in_model) continue;
        uint64_t h = hash_texts(piece_text(p), (Span){NULL, 0});
        if (!map_add(b->mem, &b->by_text, h, id))
            return diag_no_memory(b->err);
    }
    return true;
}

/* Whether the piece's text is left and right in a row. */
static bool is_joined(const Piece *p, Span left, Span right)
{
    return p->size == left.size + right.size &&
           !memcmp(p->at, left.at, left.size) &&
           !memcmp(p->at + left.size, right.at, right.size);
}

static uint32_t find_joined(const VocabBuild *b, Span left, Span right)
{
    uint64_t h = hash_texts(left, right);
    for (MapPos p = map_first(&b->by_text, h); p.value != MAP_NONE;
         p = map_next(&b->by_text, h, p))
        if (is_joined(&b->pieces.at[p.value], left, right)) return p.value;
    return VOCAB_NO_ID;
}

static uint32_t find_result(const VocabBuild *b, Span left, Span right)
{
    for (uint32_t id = b->last_merge; id <= b->last_merge + 1; id++)
        if (id < b->vocab->ntokens && b->pieces.at[id].in_model &&
            is_joined(&b->pieces.at[id], left, right))
            return id;
    return find_joined(b, left, right);
}

static uint32_t bytes_of(const VocabBuild *b, uint32_t id)
{
    return b->vocab->start[id + 1] - b->vocab->start[id];
}

bool build_merge(VocabBuild *b, Span left, Span right)
{
    const Span none = SPAN("");
    if (!b->by_text.cap && !index_pieces(b)) return false;
    if (!left.size || !right.size) return true;
    uint32_t id = find_result(b, left, right);
    if (id == VOCAB_NO_ID) return true;
    uint32_t first = find_joined(b, left, none);
    uint32_t second = find_joined(b, right, none);
    if (first == VOCAB_NO_ID || second == VOCAB_NO_ID) return true;
    uint32_t nleft = bytes_of(b, first);
    if (nleft + bytes_of(b, second) != bytes_of(b, id)) return true;
    b->last_merge = id;
    return vec_push(b->mem, &b->merges, (EncoderMerge){id, nleft}) ||
           diag_no_memory(b->err);
}
