/* vocab_merges.c: merge lists, told by texts, as ids.
 *
 * In:    lines (left, right) in rank order.  Out: for each line whose result
 *        is a piece of the model: the result's id and the bytes of its left
 *        part. Lines with a part that is no piece stay in: no symbol ever is
 *        that part, so they never apply.
 * Method: an index of the pieces by text. Lists name their results nearly in
 *        the order of the ids, since both come from training; so ids near the
 *        newest result are tried first. The index is made when that has failed
 *        FEW_JUMPS times: for most files never.
 * Cost:  some ten nanoseconds a line; a pass over the pieces for each of the
 *        first jumps and for the index.
 * Tests: unit/vocab_test.c, unit/vocab_real_test.c
 */
#include "vocab/vocab_build.h"
#include "vocab/vocab_coding.h"

enum { FEW_JUMPS = 8 };

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
        if (!map_add(b->mem, &b->by_text, h, id)) return diag_no_memory(b->err);
    }
    return true;
}

/* Whether the piece's text is left and right in a row. Parts are short: a
 * loop beats two calls. */
static bool is_joined(const Piece *p, Span left, Span right)
{
    if (p->size != left.size + right.size) return false;
    const uint8_t *at = p->at;
    for (size_t i = 0; i < left.size; i++)
        if (*at++ != left.at[i]) return false;
    for (size_t i = 0; i < right.size; i++)
        if (*at++ != right.at[i]) return false;
    return true;
}

static bool find_near(VocabBuild *b, Span left, Span right)
{
    uint32_t last = b->last_merge;
    for (uint32_t id = last; id <= last + 1 && id < b->vocab->ntokens; id++)
        if (b->pieces.at[id].in_model &&
            is_joined(&b->pieces.at[id], left, right)) {
            b->last_merge = id;
            return true;
        }
    return false;
}

static bool find_by_text(VocabBuild *b, Span left, Span right)
{
    uint64_t h = hash_texts(left, right);
    for (MapPos p = map_first(&b->by_text, h); p.value != MAP_NONE;
         p = map_next(&b->by_text, h, p))
        if (is_joined(&b->pieces.at[p.value], left, right)) {
            b->last_merge = p.value;
            return true;
        }
    return false;
}

static bool find_anywhere(VocabBuild *b, Span left, Span right)
{
    for (uint32_t id = 0; id < b->vocab->ntokens; id++)
        if (b->pieces.at[id].in_model &&
            is_joined(&b->pieces.at[id], left, right)) {
            b->last_merge = id;
            return true;
        }
    return false;
}

/* Finds the result, as b->last_merge. The first few jumps are searched for. */
static bool find_result(VocabBuild *b, Span left, Span right)
{
    if (find_near(b, left, right)) return true;
    if (b->merge_jumps == FEW_JUMPS) return find_by_text(b, left, right);
    b->merge_jumps++;
    return find_anywhere(b, left, right);
}

bool build_merge(VocabBuild *b, Span left, Span right)
{
    if (!left.size || !right.size) return true;
    if (b->merge_jumps == FEW_JUMPS && !b->by_text.cap && !index_pieces(b))
        return false;
    if (!find_result(b, left, right)) return true;
    uint32_t id = b->last_merge;
    uint32_t nbytes = b->vocab->start[id + 1] - b->vocab->start[id];
    size_t nleft = left.size; /* where each byte of the text stands for one */
    if (nbytes != left.size + right.size)
        nleft = coding_size(b->vocab->coding, b->mark, left);
    if (nleft >= nbytes) return true;
    return vec_push(b->mem, &b->merges, (EncoderMerge){id, (uint32_t)nleft}) ||
           diag_no_memory(b->err);
}
