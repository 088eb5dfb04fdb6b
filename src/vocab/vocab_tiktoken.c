/* vocab_tiktoken.c: tiktoken's rank files.
 *
 * In:    lines "base64 rank", the bytes of token `rank`. Raw bytes, so no
 *        coding.  Out: a vocabulary whose encoder merges by rank.
 * The file has neither the special tokens nor the pattern that cuts words;
 * for the known files (told by the number of ranks and the last token) both
 * are added here. Others get special tokens from a tokenizer_config.json only,
 * and greedy encoding.
 * Tests: unit/vocab_files_test.c
 */
#include "text/base64.h"
#include "vocab/vocab_build.h"

typedef struct RankLine {
    Span text; /* base 64 */
    Span rank;
} RankLine;

static Span next_line(Span file, size_t *pos)
{
    const uint8_t *at = file.at + *pos;
    size_t left = file.size - *pos;
    const uint8_t *stop = memchr(at, '\n', left);
    size_t size = stop ? (size_t)(stop - at) : left;
    *pos += size + (stop != NULL);
    if (size && at[size - 1] == '\r') size--;
    return span_of(at, size);
}

/* Splits at the only space. */
static bool split_line(Span line, RankLine *out)
{
    const uint8_t *space = line.size ? memchr(line.at, ' ', line.size) : NULL;
    if (!space) return false;
    out->text = span_of(line.at, (size_t)(space - line.at));
    out->rank = span_of(space + 1, line.size - out->text.size - 1);
    if (!out->rank.size || out->rank.size > 9) return false;
    for (size_t i = 0; i < out->rank.size; i++)
        if (out->rank.at[i] < '0' || out->rank.at[i] > '9') return false;
    return true;
}

static uint32_t rank_of(Span digits)
{
    uint32_t rank = 0;
    for (size_t i = 0; i < digits.size; i++)
        rank = rank * 10 + (uint32_t)(digits.at[i] - '0');
    return rank;
}

bool vocab_is_tiktoken(Span file)
{
    uint8_t bytes[384];
    size_t pos = 0, bad;
    RankLine line;
    return split_line(next_line(file, &pos), &line) && line.text.size &&
           line.text.size <= 512 &&
           base64_decode(line.text, bytes, &bad) != BASE64_BAD;
}

/* ---- the known files -------------------------------------------------- */

typedef struct NamedId {
    uint32_t id;
    const char *name;
} NamedId;

typedef struct KnownFile {
    uint32_t nranks;
    const char *last; /* the last token */
    PretokenKind pretoken;
    uint32_t reserved_end; /* ids from nranks on are reserved names; or 0 */
    NamedId named[6];
} KnownFile;

static const KnownFile known_files[] = {
    {100256,
     " Conveyor",
     PRETOKEN_LLAMA3,
     0, /* cl100k_base */
     {{100257, "<|endoftext|>"},
      {100258, "<|fim_prefix|>"},
      {100259, "<|fim_middle|>"},
      {100260, "<|fim_suffix|>"},
      {100276, "<|endofprompt|>"}}},
    {128000,
     "\xE9\x94\xA6",
     PRETOKEN_LLAMA3,
     128256, /* Llama-3 */
     {{128000, "<|begin_of_text|>"},
      {128001, "<|end_of_text|>"},
      {128006, "<|start_header_id|>"},
      {128007, "<|end_header_id|>"},
      {128009, "<|eot_id|>"}}},
    {151643,
     "\xE2\xBD\x97",
     PRETOKEN_QWEN2,
     0, /* Qwen */
     {{151643, "<|endoftext|>"},
      {151644, "<|im_start|>"},
      {151645, "<|im_end|>"}}},
    {199998,
     " cocos",
     PRETOKEN_O200K,
     0, /* o200k_base */
     {{199999, "<|endoftext|>"}, {200018, "<|endofprompt|>"}}}};

static const KnownFile *find_known(const VocabBuild *b)
{
    uint32_t n = b->pieces.count;
    for (size_t i = 0; i < COUNT_OF(known_files); i++)
        if (known_files[i].nranks == n &&
            span_equal(piece_text(&b->pieces.at[n - 1]),
                       span_text(known_files[i].last)))
            return &known_files[i];
    return NULL;
}

static bool add_special(VocabBuild *b, uint32_t id, Span name)
{
    return build_piece(b, id, name, PIECE_LITERAL,
                       WEIR_TOKEN_ADDED | WEIR_TOKEN_CONTROL) &&
           build_added(
               b, (EncoderAdded){.content = name, .id = id, .special = true});
}

static bool add_reserved(VocabBuild *b, uint32_t id, uint32_t number)
{
    char name[48];
    Out out = {.at = name, .cap = sizeof name};
    out_format(&out, "<|reserved_special_token_%u|>", number);
    char *copy = arena_copy(&b->scratch, name, out.size);
    return copy ? add_special(b, id, span_of(copy, out.size))
                : diag_no_memory(b->err);
}

/* Reserved names are numbered without the ids that have names of their own. */
static bool add_known_specials(VocabBuild *b, const KnownFile *known)
{
    const NamedId *named = known->named;
    uint32_t number = 0;
    for (uint32_t id = known->nranks; id < known->reserved_end; id++) {
        if (named->name && id == named->id)
            named++;
        else if (!add_reserved(b, id, number++))
            return false;
    }
    for (named = known->named; named->name; named++)
        if (!add_special(b, named->id, span_text(named->name))) return false;
    return true;
}

/* ---- reading ---------------------------------------------------------- */

static bool read_line(VocabBuild *b, Span text, uint8_t **out)
{
    RankLine line;
    size_t bad;
    if (!split_line(text, &line))
        return build_fail(b, text,
                          "found a line that is not base 64, a "
                          "space and a rank");
    uint32_t rank = rank_of(line.rank);
    if (!build_check_id(b, rank, line.rank)) return false;
    size_t size = base64_decode(line.text, *out, &bad);
    if (size == BASE64_BAD)
        return build_fail(b, span_of(line.text.at + bad, bad < line.text.size),
                          "found no padded base 64, expected a token's bytes");
    if (rank < b->pieces.count && b->pieces.at[rank].form != PIECE_NONE)
        return build_fail(b, line.rank, "found a rank that was there before");
    Span bytes = span_of(*out, size);
    *out += size;
    return build_piece(b, rank, bytes, PIECE_LITERAL, 0);
}

static bool read_lines(VocabBuild *b)
{
    uint8_t *out = arena_alloc(&b->scratch, BASE64_ROOM(b->file.size) + 1);
    if (!out) return diag_no_memory(b->err);
    for (size_t pos = 0; pos < b->file.size;) {
        Span line = next_line(b->file, &pos);
        if (line.size && !read_line(b, line, &out)) return false;
    }
    if (b->pieces.count) return true;
    return build_fail(b, b->file, "found no ranks");
}

bool vocab_read_tiktoken(VocabBuild *b)
{
    if (!read_lines(b)) return false;
    if (!b->vocab->coding) b->vocab->coding = WEIR_CODING_RAW;
    b->spec.model = ENCODER_BPE_RANK;
    b->spec.byte_level = true;
    const KnownFile *known = find_known(b);
    if (known) {
        b->spec.pretoken = known->pretoken;
        if (!add_known_specials(b, known)) return false;
    }
    return build_table(b) && build_encoder(b);
}
