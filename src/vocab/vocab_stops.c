/* vocab_stops.c: which tokens end generation.
 *
 * The stop set is the union of
 *   1. what the files name: eos_token (tokenizer_config.json), eos_token_id
 *      (generation_config.json), tokenizer.ggml.eos/eot/eom_token_id (GGUF),
 *      the end piece of a SentencePiece model;
 *   2. control tokens whose text is a known end text;
 *   3. the caller's ids; with stop_replace these alone.
 *
 * gpt-oss ends a message that is not its last with <|end|>: where control
 * tokens <|return|> and <|call|> exist, <|end|> is taken out again unless the
 * caller names it. It stays where it stands without them (Phi-3).
 *
 * With llama_cpp_stops the set also has what llama.cpp takes for ends: tokens
 * of any kind with one of its texts, and the fill-in-the-middle tokens for
 * padding, repositories and file separators; and its two exceptions then
 * remove tokens wherever they came from, the caller excepted.
 * In the dialect llama.cpp that list stands in place of 2.
 * Tests: unit/vocab_test.c
 */
#include "vocab/vocab_build.h"

/* Control tokens with these texts end generation. */
static const char *const known_ends[] = {
    "</s>",
    "<eos>",
    "<EOS>",
    "[EOS]",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|eom|>",
    "<|eos|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|calls|>",
    "<|flush|>",
    "<end_of_turn>",
    "<turn|>",
    "<|tool_response>",
    "<end_of_utterance>",
    "<|endofturn|>",
    "[|endofturn|]",
    "<|END_OF_TURN_TOKEN|>",
    "[e~[",
    "<\xEF\xBD\x9C\x65nd\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"};

/* llama.cpp's: tokens of any kind. */
static const char *const llama_ends[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "[e~[",
    "<\xEF\xBD\x9C\x65nd\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"};

/* Fill-in-the-middle tokens that llama.cpp counts as ends: the first token
 * with one of a row's texts. */
static const char *const llama_fim[3][5] = {
    {"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"},
    {"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"},
    {"<|file_sep|>"}};

static bool text_in(Span text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] && span_equal(text, span_text(list[i]))) return true;
    return false;
}

/* The token with this text, if it exists; only a control token iff asked. */
static uint32_t find_text(const VocabBuild *b, const char *text, bool control)
{
    uint32_t id = build_find(b, span_text(text));
    if (id == VOCAB_NO_ID) return id;
    bool is_control = b->pieces.at[id].flags & WEIR_TOKEN_CONTROL;
    return is_control || !control ? id : VOCAB_NO_ID;
}

static bool has_both(const VocabBuild *b, const char *one, const char *other,
                     bool control)
{
    return find_text(b, one, control) != VOCAB_NO_ID &&
           find_text(b, other, control) != VOCAB_NO_ID;
}

/* Whether <|end|> only ends messages in this vocabulary. */
static bool is_harmony(const VocabBuild *b, bool control)
{
    return has_both(b, "<|return|>", "<|call|>", control);
}

static void remove_text(VocabBuild *b, const char *text)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->stops.count; i++) {
        uint32_t id = b->stops.at[i];
        if (id >= b->pieces.count ||
            !span_equal(piece_text(&b->pieces.at[id]), span_text(text)))
            b->stops.at[kept++] = id;
    }
    b->stops.count = kept;
}

static bool add_known(VocabBuild *b)
{
    for (uint32_t id = 0; id < b->pieces.count; id++) {
        const Piece *p = &b->pieces.at[id];
        if (p->form != PIECE_NONE && (p->flags & WEIR_TOKEN_CONTROL) &&
            text_in(piece_text(p), known_ends, COUNT_OF(known_ends)) &&
            !build_stop(b, id))
            return false;
    }
    if (is_harmony(b, true)) remove_text(b, "<|end|>");
    return true;
}

static bool add_llama(VocabBuild *b)
{
    bool taken[3];
    for (size_t i = 0; i < 3; i++) {
        taken[i] = b->fim_ids[i] != VOCAB_NO_ID;
        if (taken[i] && !build_stop(b, b->fim_ids[i])) return false;
    }
    for (uint32_t id = 0; id < b->pieces.count; id++) {
        const Piece *p = &b->pieces.at[id];
        if (p->form == PIECE_NONE || p->size < 4) continue;
        if (*p->at != '<' && *p->at != '[' && *p->at != '_') continue;
        Span text = piece_text(p);
        bool ends = text_in(text, llama_ends, COUNT_OF(llama_ends));
        for (size_t i = 0; i < 3; i++) {
            if (taken[i] || !text_in(text, llama_fim[i], 5)) continue;
            taken[i] = ends = true;
        }
        if (ends && !build_stop(b, id)) return false;
    }
    if (is_harmony(b, false) || has_both(b, "<|return|>", "<|calls|>", false) ||
        has_both(b, "<|call|>", "<|flush|>", false))
        remove_text(b, "<|end|>");
    if (find_text(b, "<|tool_response>", false) != VOCAB_NO_ID)
        remove_text(b, "</s>");
    return true;
}

static bool add_callers(VocabBuild *b)
{
    for (uint32_t i = 0; i < b->opts.stop_count; i++) {
        uint32_t id = b->opts.stop_ids[i];
        if (id >= b->vocab->width)
            return diag_fail(b->err, WEIR_ARGUMENT, 0, 0,
                             "found stop id %u, expected less than the width "
                             "of %u",
                             id, b->vocab->width);
        if (!build_stop(b, id)) return false;
    }
    return true;
}

/* Ascending, once each, below the width: through a bit set. */
static bool sort_stops(VocabBuild *b)
{
    uint32_t width = b->vocab->width, kept = 0;
    uint64_t *seen = mem_zero(b->mem, (width / 64 + 1) * sizeof *seen);
    if (!seen) return diag_no_memory(b->err);
    for (uint32_t i = 0; i < b->stops.count; i++) {
        uint32_t id = b->stops.at[i];
        if (id < width) seen[id / 64] |= (uint64_t)1 << id % 64;
    }
    for (uint32_t word = 0; word <= width / 64; word++)
        for (uint64_t bits = seen[word]; bits; bits &= bits - 1)
            b->stops.at[kept++] = word * 64 + bit_lowest(bits);
    b->stops.count = kept;
    mem_free(b->mem, seen, (width / 64 + 1) * sizeof *seen);
    return true;
}

bool build_stops(VocabBuild *b)
{
    if (b->opts.stop_replace) {
        b->stops.count = 0;
    } else {
        bool only_llama = b->opts.dialect == WEIR_DIALECT_LLAMA_CPP;
        if (!only_llama && !add_known(b)) return false;
        if (b->opts.llama_cpp_stops && !add_llama(b)) return false;
    }
    return add_callers(b) && sort_stops(b);
}
