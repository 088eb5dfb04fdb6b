/* encode_unigram.c: the split of a word with the best sum of scores.
 *
 * In:    a word; scores by id.   Out: ids.
 * Method: Viterbi's, over character borders: the best way to each border is a
 *        best way to an earlier one and a token between. A character without
 *        a token may be passed at the lowest score less 10 (SentencePiece);
 *        it becomes byte tokens or unk, neighbouring unks one. Among equals
 *        the way whose last token is longest wins, as in the reference.
 * Cost:  at most ENCODER_MAX_TRIED look-ups a character.
 * Tests: unit/encode_test.c
 */
#include <float.h>

#include "base/utf8.h"
#include "vocab/encode_parts.h"

#define UNK_PENALTY 10.0f

bool unigram_build(Encoder *encoder, const float *scores)
{
    uint32_t count = encoder->tokens.count;
    size_t nbytes = size_mul(MAX(count, 1), sizeof *scores);
    encoder->scores = mem_new(&encoder->mem, nbytes);
    if (!encoder->scores) return false;
    encoder->memory += nbytes;
    float least = 0;
    for (uint32_t id = 0; id < count; id++) {
        encoder->scores[id] = scores[id];
        if (scores[id] < least && scores[id] > -FLT_MAX) least = scores[id];
    }
    encoder->unk_score = least - UNK_PENALTY;
    if (encoder->map.longest > ENCODER_MAX_TRIED) encoder->is_exact = false;
    return true;
}

static void step_try(Step *step, double score, uint32_t from, uint32_t id)
{
    if (step->from == ENCODER_NONE || score > step->score)
        *step = (Step){score, from, id};
}

static double sum(const Encoder *encoder, double before, float score)
{
    if (encoder->spec.single_sums) return (float)before + score;
    return before + (double)score;
}

/* All tokens that begin at `from`, where the character ends at `next`. */
static void steps_from(EncodeRun *run, Span word, uint32_t from, uint32_t next)
{
    const Encoder *encoder = run->encoder;
    Step *step = run->steps.at;
    size_t most =
        MIN(MIN(word.size - from, encoder->map.longest), ENCODER_MAX_TRIED);
    bool has_one = false;
    for (uint32_t size = 1; size <= most; size++) {
        uint32_t id = token_find(encoder, span_of(word.at + from, size));
        if (id == ENCODER_NONE) continue;
        step_try(&step[from + size],
                 sum(encoder, step[from].score, encoder->scores[id]), from, id);
        if (from + size == next) has_one = true;
    }
    if (!has_one)
        step_try(&step[next],
                 sum(encoder, step[from].score, encoder->unk_score), from,
                 ENCODER_NONE);
}

static void emit_unknown(EncodeRun *run, Span bytes, bool is_after_unk)
{
    const Encoder *encoder = run->encoder;
    bool has_bytes = encoder->spec.byte_fallback;
    for (size_t i = 0; i < bytes.size; i++)
        if (encoder->byte_ids[bytes.at[i]] == ENCODER_NONE) has_bytes = false;
    if (!has_bytes) {
        if (!is_after_unk && encoder->spec.unk != ENCODER_NONE)
            run_emit(run, encoder->spec.unk);
        return;
    }
    for (size_t i = 0; i < bytes.size; i++)
        run_emit(run, encoder->byte_ids[bytes.at[i]]);
}

/* The way back from the end, turned round within the steps: the step at a
 * border then says where its token ends. */
static void emit_way(EncodeRun *run, Span word)
{
    Step *step = run->steps.at;
    uint32_t to = (uint32_t)word.size, id = step[to].id, end = ENCODER_NONE;
    while (to) {
        uint32_t from = step[to].from, before = step[from].id;
        step[to].from = end;
        step[from].id = id;
        end = to;
        to = from;
        id = before;
    }
    step[0].from = end;
    bool is_after_unk = false;
    for (uint32_t at = 0; at < word.size; at = step[at].from) {
        if (step[at].id != ENCODER_NONE) {
            run_emit(run, step[at].id);
            is_after_unk = false;
            continue;
        }
        Span bytes = span_of(word.at + at, step[at].from - at);
        emit_unknown(run, bytes, is_after_unk);
        is_after_unk = true;
    }
}

void unigram_word(EncodeRun *run, Span word)
{
    if (!vec_reserve(&run->encoder->mem, &run->steps, word.size + 1)) {
        run->failed = true;
        return;
    }
    Step *step = run->steps.at;
    for (size_t i = 0; i <= word.size; i++)
        step[i] = (Step){0, ENCODER_NONE, ENCODER_NONE};
    for (size_t pos = 0; pos < word.size;) {
        size_t next = pos;
        utf8_decode(word, &next);
        if (!pos || step[pos].from != ENCODER_NONE)
            steps_from(run, word, (uint32_t)pos, (uint32_t)next);
        pos = next;
    }
    emit_way(run, word);
}
