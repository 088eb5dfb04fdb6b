/* encode_bpe.c: byte-pair encoding of one word.
 *
 * In:    a word; the merge list, or ranks by id.   Out: ids.
 * Method: of all neighbours that may merge, the pair of lowest rank merges
 *        first, among equals the leftmost, until none may. Symbols are ranges
 *        of the word, so whether a pair merges is: do its bytes make a token,
 *        and does the list know that token cut at this place. Short words scan
 *        their symbols for the lowest rank each time; long ones keep a heap
 *        of (rank, place). An entry whose rank is no longer that of its symbol
 *        is stale and passed over.
 * Holds: rank of a symbol is that of it and its right neighbour, NONE at the
 *        end and beside a fixed symbol.
 * Cost:  one look-up a pair that comes up; n^2 / 2 comparisons below
 *        SHORT_WORD symbols, n log n above.
 * Tests: unit/encode_test.c, unit/encode_reference_test.c
 */
#include <float.h>

#include "base/diag.h"
#include "vocab/encode_parts.h"

enum { SHORT_WORD = 48 };

/* ---- building ----------------------------------------------------------- */

static bool merges_check(const Encoder *encoder, const EncoderSpec *spec,
                         weir_error *err)
{
    const uint32_t *start = encoder->tokens.start;
    for (uint32_t i = 0; i < spec->merge_count; i++) {
        EncoderMerge m = spec->merges[i];
        if (m.id >= encoder->tokens.count)
            return diag_fail(err, WEIR_FORMAT, 0, 0,
                             "found merge %u of token %u, expected an id "
                             "below %u",
                             i, m.id, encoder->tokens.count);
        if (!m.left || m.left >= start[m.id + 1] - start[m.id])
            return diag_fail(err, WEIR_FORMAT, 0, 0,
                             "found merge %u that cuts token %u at byte %u, "
                             "expected a place within it",
                             i, m.id, m.left);
    }
    return true;
}

/* Counting sort by result id; of equal lines the last counts, so it comes
 * first. */
bool merges_build(Encoder *encoder, const EncoderSpec *spec, weir_error *err)
{
    MergeTable *table = &encoder->merges;
    uint32_t ids = encoder->tokens.count, n = spec->merge_count;
    if (!merges_check(encoder, spec, err)) return false;
    table->start =
        mem_zero(&encoder->mem, ((size_t)ids + 1) * sizeof *table->start);
    table->entry =
        mem_new(&encoder->mem, size_mul(MAX(n, 1), sizeof *table->entry));
    table->count = MAX(n, 1);
    if (!table->start || !table->entry) return diag_no_memory(err);
    encoder->memory += ((size_t)ids + 1) * sizeof *table->start +
                       (size_t)table->count * sizeof *table->entry;
    for (uint32_t i = 0; i < n; i++) table->start[spec->merges[i].id]++;
    for (uint32_t id = 0, sum = 0; id <= ids; id++)
        table->start[id] = sum += table->start[id];
    for (uint32_t i = 0; i < n; i++) {
        EncoderMerge m = spec->merges[i];
        table->entry[--table->start[m.id]] = (MergeEntry){i, m.left};
    }
    return true;
}

/* Floats as numbers whose order is the reverse: the highest score is lowest.
 * Equal scores stay equal. */
static uint32_t rank_of(float score)
{
    uint32_t bits;
    if (!(score >= -FLT_MAX)) score = -FLT_MAX; /* not a number */
    if (score == 0) score = 0;                  /* no -0 */
    memcpy(&bits, &score, sizeof bits);
    return bits >> 31 ? bits : ~bits & 0x7FFFFFFF;
}

bool ranks_build(Encoder *encoder, const float *scores)
{
    size_t nbytes = size_mul(MAX(encoder->tokens.count, 1), sizeof(uint32_t));
    encoder->rank = mem_new(&encoder->mem, nbytes);
    if (!encoder->rank) return false;
    encoder->memory += nbytes;
    for (uint32_t id = 0; id < encoder->tokens.count; id++)
        encoder->rank[id] = rank_of(scores[id]);
    return true;
}

/* ---- pairs -------------------------------------------------------------- */

static uint32_t rank_cut(const Encoder *encoder, uint32_t id, uint32_t left)
{
    const MergeTable *table = &encoder->merges;
    for (uint32_t i = table->start[id]; i < table->start[id + 1]; i++)
        if (table->entry[i].left == left) return table->entry[i].rank;
    return ENCODER_NONE;
}

/* Sets when, and into what, `left` merges with `right`. */
static void pair_update(const Encoder *encoder, Span word, Symbol *left,
                        const Symbol *right)
{
    left->rank = ENCODER_NONE;
    if (left->is_fixed || right->is_fixed) return;
    Span joined = span_of(word.at + left->begin, right->end - left->begin);
    uint32_t id = left->joined = token_find(encoder, joined);
    if (id == ENCODER_NONE) return;
    switch (encoder->spec.model) {
    case ENCODER_BPE_MERGES:
        left->rank = rank_cut(encoder, id, left->end - left->begin);
        break;
    case ENCODER_BPE_SCORE:
        left->rank = encoder->rank[id];
        break;
    default:
        left->rank = id;
        break;
    }
}

/* ---- short words -------------------------------------------------------- */

static uint32_t lowest(const Symbol *symbol, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (symbol[i].rank < symbol[best].rank) best = i;
    return best;
}

static uint32_t merge_short(const Encoder *encoder, Span word, Symbol *symbol,
                            uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        pair_update(encoder, word, &symbol[i], &symbol[i + 1]);
    while (count > 1) {
        uint32_t i = lowest(symbol, count - 1);
        if (symbol[i].rank == ENCODER_NONE) break;
        symbol[i].end = symbol[i + 1].end;
        symbol[i].id = symbol[i].joined;
        symbol[i].rank = ENCODER_NONE;
        count--;
        memmove(&symbol[i + 1], &symbol[i + 2],
                (count - i - 1) * sizeof *symbol);
        if (i + 1 < count)
            pair_update(encoder, word, &symbol[i], &symbol[i + 1]);
        if (i) pair_update(encoder, word, &symbol[i - 1], &symbol[i]);
    }
    return count;
}

/* ---- long words --------------------------------------------------------- */

/* An entry is rank above place, so that lower numbers merge earlier. Four
 * children a node: half the levels, and children share a cache line. */
static uint64_t entry_of(uint32_t rank, uint32_t at)
{
    return (uint64_t)rank << 32 | at;
}

static void heap_push(EncodeRun *run, uint64_t entry)
{
    if (!vec_push(&run->encoder->mem, &run->heap, entry)) {
        run->failed = true;
        return;
    }
    uint64_t *heap = run->heap.at;
    uint32_t i = run->heap.count - 1;
    for (; i && entry < heap[(i - 1) / 4]; i = (i - 1) / 4)
        heap[i] = heap[(i - 1) / 4];
    heap[i] = entry;
}

static uint32_t lowest_child(const uint64_t *heap, uint32_t count, uint32_t kid)
{
    uint32_t best = kid, end = MIN(kid + 4, count);
    for (uint32_t i = kid + 1; i < end; i++)
        if (heap[i] < heap[best]) best = i;
    return best;
}

static uint64_t heap_pop(EncodeRun *run)
{
    uint64_t *heap = run->heap.at, top = heap[0];
    uint64_t moved = heap[--run->heap.count];
    uint32_t count = run->heap.count, i = 0;
    for (uint32_t kid; (kid = i * 4 + 1) < count; i = kid) {
        kid = lowest_child(heap, count, kid);
        if (heap[kid] >= moved) break;
        heap[i] = heap[kid];
    }
    if (count) heap[i] = moved;
    return top;
}

static void pair_push(EncodeRun *run, Span word, uint32_t at)
{
    Symbol *left = &run->symbols.at[at];
    pair_update(run->encoder, word, left, &run->symbols.at[left->next]);
    if (left->rank != ENCODER_NONE) heap_push(run, entry_of(left->rank, at));
}

/* Takes the right neighbour in; it stays behind as an empty symbol. */
static void merge_at(EncodeRun *run, Span word, uint32_t at)
{
    Symbol *symbol = run->symbols.at, *left = &symbol[at];
    Symbol *right = &symbol[left->next];
    left->end = right->end;
    left->id = left->joined;
    left->next = right->next;
    left->rank = right->rank = ENCODER_NONE;
    right->end = right->begin;
    if (left->next != ENCODER_NONE) {
        symbol[left->next].prev = at;
        pair_push(run, word, at);
    }
    if (left->prev != ENCODER_NONE) pair_push(run, word, left->prev);
}

static void merge_long(EncodeRun *run, Span word)
{
    uint32_t count = run->symbols.count;
    run->heap.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        run->symbols.at[i].prev = i ? i - 1 : ENCODER_NONE;
        run->symbols.at[i].next = i + 1 < count ? i + 1 : ENCODER_NONE;
    }
    for (uint32_t i = 0; i + 1 < count; i++) pair_push(run, word, i);
    while (run->heap.count && !run->failed) {
        uint64_t entry = heap_pop(run);
        uint32_t at = (uint32_t)entry;
        if (run->symbols.at[at].rank == entry >> 32) merge_at(run, word, at);
    }
}

/* ---- words -------------------------------------------------------------- */

void bpe_word(EncodeRun *run, Span word)
{
    const Encoder *encoder = run->encoder;
    if (encoder->spec.ignore_merges) {
        uint32_t id = token_find(encoder, word);
        if (id != ENCODER_NONE) {
            run_emit(run, id);
            return;
        }
    }
    word = symbols_make(run, word);
    if (run->failed) return;
    uint32_t count = run->symbols.count;
    if (count <= SHORT_WORD)
        count = merge_short(encoder, word, run->symbols.at, count);
    else
        merge_long(run, word);
    for (uint32_t i = 0; i < count && !run->failed; i++)
        if (run->symbols.at[i].end > run->symbols.at[i].begin)
            run_emit(run, run->symbols.at[i].id);
}
