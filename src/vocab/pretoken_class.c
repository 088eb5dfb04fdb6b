/* pretoken_class.c: classes of characters for the pre-tokenizers.
 *
 * In:    UTF-8 text and a position.   Out: class bits, ends of runs.
 * ASCII is a table; all else goes through the general category.
 * Tests: unit/pretoken_test.c, unit/encode_reference_test.c
 */
#include "vocab/pretoken_class.h"

#include "base/utf8.h"
#include "text/unicode.h"

/* By UnicodeCategory. */
static const uint16_t category_class[] = {
    [UNICODE_CN] = CLASS_REST,     [UNICODE_CC] = CLASS_REST,
    [UNICODE_CF] = CLASS_REST,     [UNICODE_CO] = CLASS_REST,
    [UNICODE_CS] = CLASS_REST,     [UNICODE_LU] = CLASS_UPPER,
    [UNICODE_LL] = CLASS_LOWER,    [UNICODE_LT] = CLASS_UPPER,
    [UNICODE_LM] = CLASS_CASELESS, [UNICODE_LO] = CLASS_CASELESS,
    [UNICODE_MN] = CLASS_MARK,     [UNICODE_MC] = CLASS_MARK,
    [UNICODE_ME] = CLASS_MARK,     [UNICODE_ND] = CLASS_NUMBER,
    [UNICODE_NL] = CLASS_NUMBER,   [UNICODE_NO] = CLASS_NUMBER,
    [UNICODE_PC] = CLASS_PUNCT,    [UNICODE_PD] = CLASS_PUNCT,
    [UNICODE_PS] = CLASS_PUNCT,    [UNICODE_PE] = CLASS_PUNCT,
    [UNICODE_PI] = CLASS_PUNCT,    [UNICODE_PF] = CLASS_PUNCT,
    [UNICODE_PO] = CLASS_PUNCT,    [UNICODE_SM] = CLASS_SYMBOL,
    [UNICODE_SC] = CLASS_SYMBOL,   [UNICODE_SK] = CLASS_SYMBOL,
    [UNICODE_SO] = CLASS_SYMBOL,   [UNICODE_ZS] = CLASS_SPACE,
    [UNICODE_ZL] = CLASS_SPACE,    [UNICODE_ZP] = CLASS_SPACE,
};

#define REST CLASS_REST
#define SPAC CLASS_SPACE
#define LINE (CLASS_SPACE | CLASS_LINE)
#define PUNC CLASS_PUNCT
#define SYMB CLASS_SYMBOL
#define UPPR CLASS_UPPER
#define LOWR CLASS_LOWER
#define NUMB CLASS_NUMBER
static const uint16_t ascii_class[128] = {
    REST, REST, REST, REST, REST, REST, REST, REST, /* 00 */
    REST, SPAC, LINE, SPAC, SPAC, LINE, REST, REST,
    REST, REST, REST, REST, REST, REST, REST, REST, /* 10 */
    REST, REST, REST, REST, REST, REST, REST, REST,
    SPAC, PUNC, PUNC, PUNC, SYMB, PUNC, PUNC, PUNC, /*  !"#$%&' */
    PUNC, PUNC, PUNC, SYMB, PUNC, PUNC, PUNC, PUNC, /* ()*+,-./ */
    NUMB, NUMB, NUMB, NUMB, NUMB, NUMB, NUMB, NUMB, /* 01234567 */
    NUMB, NUMB, PUNC, PUNC, SYMB, SYMB, SYMB, PUNC, /* 89:;<=>? */
    PUNC, UPPR, UPPR, UPPR, UPPR, UPPR, UPPR, UPPR, /* @ABCDEFG */
    UPPR, UPPR, UPPR, UPPR, UPPR, UPPR, UPPR, UPPR,
    UPPR, UPPR, UPPR, UPPR, UPPR, UPPR, UPPR, UPPR,
    UPPR, UPPR, UPPR, PUNC, PUNC, PUNC, SYMB, PUNC, /* XYZ[\]^_ */
    SYMB, LOWR, LOWR, LOWR, LOWR, LOWR, LOWR, LOWR, /* `abcdefg */
    LOWR, LOWR, LOWR, LOWR, LOWR, LOWR, LOWR, LOWR,
    LOWR, LOWR, LOWR, LOWR, LOWR, LOWR, LOWR, LOWR,
    LOWR, LOWR, LOWR, PUNC, SYMB, PUNC, SYMB, REST, /* xyz{|}~ 7F */
};

unsigned pretoken_class(Span text, size_t pos, size_t *next)
{
    *next = pos;
    if (pos >= text.size) return 0;
    if (text.at[pos] < 0x80) {
        *next = pos + 1;
        return ascii_class[text.at[pos]];
    }
    uint32_t rune = utf8_decode(text, next);
    if (rune == RUNE_BAD) rune = 0xFFFD;
    if (rune == 0x85) return CLASS_SPACE; /* the one control above ASCII */
    return category_class[unicode_category(rune)];
}

size_t pretoken_run(Span text, size_t pos, unsigned set, size_t most)
{
    size_t next;
    while (most-- && pretoken_class(text, pos, &next) & set) pos = next;
    return pos;
}
