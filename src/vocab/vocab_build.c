/* vocab_build.c: from pieces to the table of a vocabulary.
 *
 * In:    pieces by id, configs and options.  Out: a Vocab's arrays.
 * Method: one pass over the ids in order codes each piece's text into one
 *        pool that is as large as all texts together (no coding grows), and
 *        is cut to size at the end.
 * Holds: ids stay below max_ids, which the size of the file bounds, and texts
 *        within VOCAB_MAX_TEXT, so a small hostile file cannot ask for much
 *        memory.
 *        Stop tokens are control tokens; holes have no bytes.
 * Tests: unit/vocab_test.c
 */
#include "vocab/vocab_build.h"

#include <float.h>

#include "vocab/vocab_coding.h"

/* Bytes of one token's text; of all texts together. */
#define VOCAB_MAX_TEXT ((size_t)1 << 20)
#define VOCAB_MAX_POOL ((size_t)1 << 31)

bool build_fail(VocabBuild *b, Span place, const char *found)
{
    size_t begin = 0, end = 0;
    if (place.at >= b->file.at && place.at < b->file.at + b->file.size) {
        begin = (size_t)(place.at - b->file.at);
        end = begin + place.size;
    }
    return diag_fail(b->err, WEIR_FORMAT, begin, end, "%s", found);
}

bool build_check_id(VocabBuild *b, uint64_t id, Span place)
{
    char found[96];
    Out out = {.at = found, .cap = sizeof found - 1};
    if (id < b->max_ids) return true;
    out_format(&out, "found token id %llu, expected less than %u",
               (unsigned long long)id, b->max_ids);
    found[MIN(out.size, out.cap)] = 0;
    return build_fail(b, place, found);
}

/* Makes pieces [count, id] holes. */
static bool grow_pieces(VocabBuild *b, uint32_t id)
{
    if (!vec_reserve(b->mem, &b->pieces, (size_t)id + 1))
        return diag_no_memory(b->err);
    for (; b->pieces.count <= id; b->pieces.count++)
        b->pieces.at[b->pieces.count] = (Piece){0};
    return true;
}

bool build_piece(VocabBuild *b, uint32_t id, Span text, PieceForm form,
                 unsigned flags)
{
    assert(id < b->max_ids);
    if (text.size > VOCAB_MAX_TEXT)
        return build_fail(b, text, "found a token of more than 1 MiB");
    if (id >= b->pieces.count && !grow_pieces(b, id)) return false;
    b->pieces.at[id] = (Piece){.at = text.at,
                               .size = (uint32_t)text.size,
                               .form = (uint8_t)form,
                               .flags = (uint8_t)flags,
                               .in_model = !(flags & WEIR_TOKEN_ADDED)};
    return true;
}

/* Scores of ids without one are as low as floats go. */
static bool grow_scores(VocabBuild *b, uint32_t count)
{
    if (!vec_reserve(b->mem, &b->scores, count)) return diag_no_memory(b->err);
    while (b->scores.count < count) b->scores.at[b->scores.count++] = -FLT_MAX;
    return true;
}

bool build_score(VocabBuild *b, uint32_t id, double score)
{
    if (id >= b->scores.count && !grow_scores(b, id + 1)) return false;
    if (!(score > -(double)FLT_MAX)) score = -(double)FLT_MAX; /* and NaN */
    b->scores.at[id] = (float)MIN(score, (double)FLT_MAX);
    return true;
}

bool build_added(VocabBuild *b, EncoderAdded added)
{
    if (!added.content.size) return true;
    return vec_push(b->mem, &b->added, added) || diag_no_memory(b->err);
}

bool build_stop(VocabBuild *b, uint32_t id)
{
    return vec_push(b->mem, &b->stops, id) || diag_no_memory(b->err);
}

uint32_t build_find(const VocabBuild *b, Span text)
{
    for (uint32_t id = 0; id < b->pieces.count; id++) {
        const Piece *p = &b->pieces.at[id];
        if (p->size == text.size && p->form != PIECE_NONE &&
            span_equal(piece_text(p), text))
            return id;
    }
    return VOCAB_NO_ID;
}

/* ---- the table -------------------------------------------------------- */

static size_t code_piece(const VocabBuild *b, const Piece *p, uint8_t *out)
{
    Span text = piece_text(p);
    weir_vocab_coding coding = b->vocab->coding;
    switch ((PieceForm)p->form) {
    case PIECE_NONE:
        return 0;
    case PIECE_SPACED:
        return coding_spaced(text, b->mark, out);
    case PIECE_BYTE:
        return coding_byte_fallback(text, (Span){0}, out);
    case PIECE_ESCAPED:
        return coding_escaped(text, out);
    case PIECE_LITERAL:
        break;
    case PIECE_CODED:
        if (coding == WEIR_CODING_BYTE_LEVEL)
            return coding_byte_level(text, out);
        if (coding == WEIR_CODING_BYTE_FALLBACK)
            return coding_byte_fallback(text, b->mark, out);
        break;
    }
    if (text.size) memcpy(out, text.at, text.size);
    return text.size;
}

static void code_pieces(VocabBuild *b)
{
    Vocab *v = b->vocab;
    size_t n = 0;
    for (uint32_t id = 0; id < v->ntokens; id++) {
        const Piece *p = &b->pieces.at[id];
        v->start[id] = (uint32_t)n;
        n += code_piece(b, p, v->bytes + n);
        v->flags[id] = p->form == PIECE_NONE ? WEIR_TOKEN_HOLE : p->flags;
    }
    v->start[v->ntokens] = (uint32_t)n;
}

static size_t texts_size(const VocabBuild *b)
{
    size_t size = 0;
    for (uint32_t id = 0; id < b->pieces.count; id++)
        size += b->pieces.at[id].size; /* at most 2^22 times 2^20 */
    return size;
}

/* llama.cpp matches control tokens by their names, and tokens that begin with
 * U+0000 by nothing. */
static void flag_llama_cpp(Vocab *v)
{
    for (uint32_t id = 0; id < v->ntokens; id++) {
        Span bytes = vocab_bytes(v, id);
        bool is_text =
            !(v->flags[id] & WEIR_TOKEN_STOP) && bytes.size && bytes.at[0];
        if (is_text)
            v->flags[id] &= (uint8_t)~WEIR_TOKEN_CONTROL;
        else if (bytes.size)
            v->flags[id] |= WEIR_TOKEN_CONTROL;
    }
}

static void flag_stops(Vocab *v)
{
    for (uint32_t i = 0; i < v->nstops; i++)
        v->flags[v->stops[i]] |= WEIR_TOKEN_STOP | WEIR_TOKEN_CONTROL;
    if (v->dialect == WEIR_DIALECT_LLAMA_CPP) flag_llama_cpp(v);
    for (uint32_t id = 0; id < v->ntokens; id++)
        v->nspecials += (v->flags[id] & WEIR_TOKEN_CONTROL) != 0;
}

static void hash_table(Vocab *v)
{
    uint64_t h = hash_mix(FNV_SEED, v->width);
    h = hash_bytes(h, v->bytes, v->start[v->ntokens]);
    h = hash_bytes(h, v->flags, v->ntokens);
    for (uint32_t id = 0; id < v->ntokens; id++)
        h = hash_mix(h, v->start[id + 1]);
    v->hash = h;
}

/* The width, and pieces for it: ids from the width on are dropped; a stop id
 * beyond the pieces becomes a hole of its own. */
static bool settle_width(VocabBuild *b)
{
    uint32_t width = b->opts.width ? b->opts.width : b->pieces.count;
    if (width > VOCAB_MAX_IDS)
        return diag_fail(b->err, WEIR_ARGUMENT, 0, 0,
                         "found a width of %u, expected at most %u", width,
                         VOCAB_MAX_IDS);
    b->vocab->width = width;
    b->pieces.count = MIN(b->pieces.count, width);
    return true;
}

static bool reserve_table(VocabBuild *b, size_t pool)
{
    Vocab *v = b->vocab;
    v->ntokens = b->pieces.count;
    v->nstops = b->stops.count;
    v->start = mem_new(b->mem, ((size_t)v->ntokens + 1) * sizeof *v->start);
    v->flags = mem_new(b->mem, MAX(v->ntokens, 1));
    v->bytes = mem_new(b->mem, MAX(pool, 1));
    v->stops = mem_new(b->mem, MAX(v->nstops, 1) * sizeof *v->stops);
    v->nbytes = MAX(pool, 1);
    return (v->start && v->flags && v->bytes && v->stops) ||
           diag_no_memory(b->err);
}

static bool cut_pool(VocabBuild *b)
{
    Vocab *v = b->vocab;
    size_t used = MAX(v->start[v->ntokens], 1);
    if (used == v->nbytes) return true;
    uint8_t *cut = v->mem.resize(v->mem.user, v->bytes, v->nbytes, used);
    if (!cut) return diag_no_memory(b->err);
    v->bytes = cut;
    v->nbytes = used;
    return true;
}

bool build_table(VocabBuild *b)
{
    Vocab *v = b->vocab;
    if (!build_configs(b) || !settle_width(b) || !build_stops(b)) return false;
    uint32_t last = b->stops.count ? b->stops.at[b->stops.count - 1] : 0;
    if (b->stops.count && last >= b->pieces.count && !grow_pieces(b, last))
        return false;
    size_t pool = texts_size(b);
    if (pool > VOCAB_MAX_POOL)
        return diag_fail(b->err, WEIR_FORMAT, 0, 0,
                         "found tokens of more than 2 GiB in all");
    if (!reserve_table(b, pool)) return false;
    code_pieces(b);
    if (v->nstops) memcpy(v->stops, b->stops.at, v->nstops * sizeof *v->stops);
    flag_stops(v);
    hash_table(v);
    return cut_pool(b);
}

/* ---- the encoder ------------------------------------------------------ */

/* Finds the <0xNN> tokens. Returns whether there are any. */
static bool find_byte_ids(VocabBuild *b)
{
    bool any = false;
    memset(b->byte_ids, 0xFF, sizeof b->byte_ids);
    for (uint32_t id = b->vocab->ntokens; id-- > 0;) {
        const Piece *p = &b->pieces.at[id];
        bool coded = p->form == PIECE_CODED &&
                     b->vocab->coding == WEIR_CODING_BYTE_FALLBACK;
        if (p->form != PIECE_BYTE && !coded) continue;
        int byte = coding_byte_name(piece_text(p));
        if (byte < 0) continue;
        b->byte_ids[byte] = id;
        any = true;
    }
    return any;
}

/* Added tokens beyond the width are none. */
static void drop_added(VocabBuild *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->added.count; i++)
        if (b->added.at[i].id < b->vocab->ntokens)
            b->added.at[kept++] = b->added.at[i];
    b->added.count = kept;
}

bool build_encoder(VocabBuild *b)
{
    Vocab *v = b->vocab;
    EncoderSpec *spec = &b->spec;
    drop_added(b);
    if (!b->scores.count &&
        (spec->model == ENCODER_BPE_SCORE || spec->model == ENCODER_UNIGRAM))
        spec->model = ENCODER_GREEDY;
    if (b->scores.count && !grow_scores(b, v->ntokens)) return false;
    spec->byte_ids = find_byte_ids(b) ? b->byte_ids : NULL;
    if (!spec->byte_ids) spec->byte_fallback = false;
    if (spec->unk >= v->ntokens) spec->unk = ENCODER_NONE;
    spec->merges = b->merges.at;
    spec->merge_count = b->merges.count;
    spec->scores = b->scores.at;
    spec->added = b->added.at;
    spec->added_count = b->added.count;
    EncoderTokens tokens = {v->start, v->bytes, v->ntokens};
    v->encoder = encoder_new(&v->mem, tokens, spec, b->err);
    return v->encoder != NULL;
}
