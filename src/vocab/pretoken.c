/* pretoken.c: the pre-tokenizers' regular expressions as scanners.
 *
 * In:    a stretch of text between added tokens, and the kind.
 * Out:   words, one call each.
 * Method: each scanner is its expression read by hand: the alternatives in
 *        their order, first match wins, and where an expression backtracks,
 *        the place it would fall back to is remembered on the way forward.
 *        The expressions stand above their scanners, in the spelling of
 *        tokenizer.json.
 * Holds: a scanner's result lies beyond its position; the words cover the
 *        text; look-ahead never leaves the stretch.
 * Cost:  linear; no allocation.
 * Tests: unit/pretoken_test.c, unit/encode_reference_test.c
 */
#include "vocab/pretoken.h"

#include "base/utf8.h"
#include "vocab/pretoken_class.h"

/* ---- parts the expressions share --------------------------------------- */

/* \s*[\r\n]+|\s+(?!\S)|\s+    or without its first alternative.
 * At a space. The first alternative gives back all that follows the run's last
 * line end; the second gives back one character before other text. */
static size_t scan_blank(Span text, size_t pos, bool has_lines)
{
    size_t end = pos, last = pos, next, line_end = pos;
    unsigned class;
    while ((class = pretoken_class(text, end, &next)) & CLASS_SPACE) {
        if (class & CLASS_LINE) line_end = next;
        last = end;
        end = next;
    }
    if (has_lines && line_end > pos) return line_end;
    return end < text.size && last > pos ? last : end;
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* 's|'t|'re|'ve|'m|'ll|'d    End of it, or pos. Under (?i:...) U+017F is an s
 * too, which is the only other character that folds to one of these. */
static size_t scan_contraction(Span text, size_t pos, bool folds)
{
    if (text.size - pos < 2 || text.at[pos] != '\'') return pos;
    uint8_t a = text.at[pos + 1];
    uint8_t b = text.size - pos > 2 ? text.at[pos + 2] : 0;
    if (folds && a == 0xC5 && b == 0xBF) return pos + 3;
    if (folds) a = lower(a), b = lower(b);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return pos + 2;
    if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') ||
        (a == 'l' && b == 'l'))
        return pos + 3;
    return pos;
}

/* ` ?[set]+`, and then [\r\n]* (and '/') if asked. End, or pos. */
static size_t scan_spaced(Span text, size_t pos, unsigned set)
{
    size_t begin = pos < text.size && text.at[pos] == ' ' ? pos + 1 : pos;
    size_t end = pretoken_run(text, begin, set, SIZE_MAX);
    return end > begin ? end : pos;
}

static size_t skip_lines(Span text, size_t pos, bool has_slash)
{
    while (pos < text.size && (text.at[pos] == '\r' || text.at[pos] == '\n' ||
                               (has_slash && text.at[pos] == '/')))
        pos++;
    return pos;
}

/* ---- GPT-2 -------------------------------------------------------------- */

/* 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static size_t scan_gpt2(Span text, size_t pos)
{
    static const unsigned sets[] = {CLASS_LETTER, CLASS_NUMBER, CLASS_OTHER};
    size_t end = scan_contraction(text, pos, false);
    for (size_t i = 0; end == pos && i < COUNT_OF(sets); i++)
        end = scan_spaced(text, pos, sets[i]);
    return end > pos ? end : scan_blank(text, pos, false);
}

/* \p{N} first; then GPT-2 on what is between, which digits end. */
static size_t scan_smollm(PretokenCursor *cursor)
{
    Span text = cursor->text;
    size_t next, pos = cursor->pos;
    size_t end = pretoken_run(text, pos, CLASS_NUMBER, 1);
    if (end > pos) return end;
    if (cursor->segment <= pos) {
        cursor->segment = pos;
        while (pretoken_class(text, cursor->segment, &next) & CLASS_NOT_NUMBER)
            cursor->segment = next;
    }
    return scan_gpt2(span_of(text.at, cursor->segment), pos);
}

/* ---- Llama-3, Qwen ------------------------------------------------------ */

typedef struct LlamaRule {
    unsigned letters; /* \p{L}, with or without \p{M} */
    size_t digits;    /* most in a word */
    bool joins_end;   /* |\s++$ before the last three: blanks at the end */
} LlamaRule;

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
 * | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * Qwen has \p{N}. Qwen3.5 has [\p{L}\p{M}]+ and [^\s\p{L}\p{M}\p{N}]+ too, but
 * its first class is as above, so that a mark may still be the prefix. */
static size_t scan_llama(Span text, size_t pos, LlamaRule rule)
{
    size_t next, end = scan_contraction(text, pos, true);
    if (end > pos) return end;
    unsigned class = pretoken_class(text, pos, &next);
    if (!(class & (CLASS_LETTER | CLASS_NUMBER | CLASS_LINE))) {
        end = pretoken_run(text, next, rule.letters, SIZE_MAX);
        if (end > next) return end;
    }
    if (class & rule.letters)
        return pretoken_run(text, pos, rule.letters, SIZE_MAX);
    if (class & CLASS_NUMBER)
        return pretoken_run(text, pos, CLASS_NUMBER, rule.digits);
    end = scan_spaced(text, pos, CLASS_OTHER & ~rule.letters);
    if (end > pos) return skip_lines(text, end, false);
    if (rule.joins_end &&
        pretoken_run(text, pos, CLASS_SPACE, SIZE_MAX) == text.size)
        return text.size;
    return scan_blank(text, pos, true);
}

/* ---- o200k -------------------------------------------------------------- */

typedef struct O200kRule {
    bool has_contractions;
    size_t digits;
} O200kRule;

enum {
    HEADS = CLASS_UPPER | CLASS_CASELESS | CLASS_MARK,
    TAILS = CLASS_LOWER | CLASS_CASELESS | CLASS_MARK
};

/* [heads]*[tails]+    The heads give back as little as lets one tail match.
 * End, or pos. */
static size_t scan_tailed(Span text, size_t pos)
{
    size_t next, end = pos, fallback = pos;
    unsigned class;
    while ((class = pretoken_class(text, end, &next)) & HEADS) {
        if (class & TAILS) fallback = next;
        end = next;
    }
    size_t tailed = pretoken_run(text, end, TAILS, SIZE_MAX);
    return tailed > end ? tailed : fallback;
}

/* [^\r\n\p{L}\p{N}]?[heads]*[tails]+|[^\r\n\p{L}\p{N}]?[heads]+[tails]*
 * In each the prefix is tried first with, then without. When the first fails
 * both ways there is no tail near, and the second is a run of heads. */
static size_t scan_cased(Span text, size_t pos)
{
    size_t next, end;
    unsigned class = pretoken_class(text, pos, &next);
    bool has_prefix = !(class & (CLASS_LETTER | CLASS_NUMBER | CLASS_LINE));
    if (has_prefix && (end = scan_tailed(text, next)) > next) return end;
    if ((end = scan_tailed(text, pos)) > pos) return end;
    if (has_prefix) {
        end = pretoken_run(text, next, HEADS, SIZE_MAX);
        return end > next ? end : pos;
    }
    return pretoken_run(text, pos, HEADS, SIZE_MAX);
}

/* The above, each with (?i:'s|'t|'re|'ve|'m|'ll|'d)? at its end,
 * |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * heads: \p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}   tails: \p{Ll}\p{Lm}\p{Lo}\p{M}
 * Tekken has no contractions and \p{N}. */
static size_t scan_o200k(Span text, size_t pos, O200kRule rule)
{
    size_t end = scan_cased(text, pos);
    if (end > pos)
        return rule.has_contractions ? scan_contraction(text, end, true) : end;
    end = pretoken_run(text, pos, CLASS_NUMBER, rule.digits);
    if (end > pos) return end;
    end = scan_spaced(text, pos, CLASS_OTHER);
    if (end > pos) return skip_lines(text, end, true);
    return scan_blank(text, pos, true);
}

/* ---- DeepSeek-V3 -------------------------------------------------------- */

/* Three expressions, each on the pieces that the former ones left:
 *     \p{N}{1,3}
 *     [U+4E00-U+9FA5 U+3040-U+309F U+30A0-U+30FF]+
 *     [!-/:-~ without letters][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
 *     | ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 * The third finds nothing in digits, but cuts CJK pieces (U+30FB is \p{P}). */
static bool is_cjk(Span text, size_t pos)
{
    if (pos >= text.size || text.at[pos] < 0xE3 || text.at[pos] > 0xE9)
        return false;
    uint32_t rune = utf8_decode(text, &pos);
    return (rune >= 0x4E00 && rune <= 0x9FA5) ||
           (rune >= 0x3040 && rune <= 0x30FF);
}

/* End of the piece at pos that the third expression sees: CJK characters
 * only, or neither these nor digits. */
static size_t piece_end(Span text, size_t pos)
{
    size_t next;
    bool starts_cjk = is_cjk(text, pos);
    while (pretoken_class(text, pos, &next) & CLASS_NOT_NUMBER &&
           is_cjk(text, pos) == starts_cjk)
        pos = next;
    return pos;
}

static bool is_ascii(Span text, size_t pos, unsigned set)
{
    size_t next;
    return pos < text.size && text.at[pos] < 0x80 &&
           pretoken_class(text, pos, &next) & set;
}

/* The third expression; pos where it does not match. */
static size_t match_deepseek(Span text, size_t pos)
{
    enum { WORD = CLASS_LETTER | CLASS_MARK };
    enum { SIGN = CLASS_PUNCT | CLASS_SYMBOL };
    size_t next, end = pos + 1;
    if (is_ascii(text, pos, SIGN)) {
        while (is_ascii(text, end, CLASS_LETTER)) end++;
        if (end > pos + 1) return end;
    }
    unsigned class = pretoken_class(text, pos, &next);
    if (!(class & (CLASS_LETTER | SIGN | CLASS_LINE))) {
        end = pretoken_run(text, next, WORD, SIZE_MAX);
        if (end > next) return end;
    }
    if (class & WORD) return pretoken_run(text, pos, WORD, SIZE_MAX);
    end = scan_spaced(text, pos, SIGN);
    if (end > pos) return skip_lines(text, end, false);
    return class & CLASS_SPACE ? scan_blank(text, pos, true) : pos;
}

/* What no expression matches is a word up to the next match. */
static size_t scan_deepseek(PretokenCursor *cursor)
{
    size_t pos = cursor->pos, next;
    size_t end = pretoken_run(cursor->text, pos, CLASS_NUMBER, 3);
    if (end > pos) return end;
    if (cursor->segment <= pos) cursor->segment = piece_end(cursor->text, pos);
    Span text = {cursor->text.at, cursor->segment};
    end = match_deepseek(text, pos);
    if (end > pos) return end;
    do {
        pretoken_class(text, pos, &next);
        pos = next;
    } while (pos < text.size && match_deepseek(text, pos) == pos);
    return pos;
}

/* ---- all kinds ---------------------------------------------------------- */

/* A word begins at each space (HF: Metaspace, MergedWithNext). */
static size_t scan_metaspace(Span text, size_t pos)
{
    const uint8_t *space = memchr(text.at + pos + 1, ' ', text.size - pos - 1);
    return space ? (size_t)(space - text.at) : text.size;
}

static size_t scan(PretokenCursor *cursor)
{
    Span text = cursor->text;
    size_t pos = cursor->pos;
    switch (cursor->kind) {
    case PRETOKEN_METASPACE:
        return scan_metaspace(text, pos);
    case PRETOKEN_GPT2:
        return scan_gpt2(text, pos);
    case PRETOKEN_SMOLLM:
        return scan_smollm(cursor);
    case PRETOKEN_LLAMA3:
        return scan_llama(text, pos, (LlamaRule){CLASS_LETTER, 3, false});
    case PRETOKEN_CL100K:
        return scan_llama(text, pos, (LlamaRule){CLASS_LETTER, 3, true});
    case PRETOKEN_QWEN2:
        return scan_llama(text, pos, (LlamaRule){CLASS_LETTER, 1, false});
    case PRETOKEN_QWEN35:
        return scan_llama(text, pos,
                          (LlamaRule){CLASS_LETTER | CLASS_MARK, 1, false});
    case PRETOKEN_O200K:
        return scan_o200k(text, pos, (O200kRule){true, 3});
    case PRETOKEN_TEKKEN:
        return scan_o200k(text, pos, (O200kRule){false, 1});
    case PRETOKEN_DEEPSEEK_V3:
        return scan_deepseek(cursor);
    case PRETOKEN_UNKNOWN:
    case PRETOKEN_NONE:
    case PRETOKEN_KINDS:
        break;
    }
    return text.size;
}

PretokenCursor pretoken_start(PretokenKind kind, Span text)
{
    return (PretokenCursor){.kind = kind, .text = text};
}

Span pretoken_next(PretokenCursor *cursor)
{
    size_t begin = cursor->pos;
    if (begin >= cursor->text.size) return (Span){NULL, 0};
    cursor->pos = scan(cursor);
    assert(cursor->pos > begin && cursor->pos <= cursor->text.size);
    return span_of(cursor->text.at + begin, cursor->pos - begin);
}
