/* lark_lex.h: the words of a Lark grammar's text. */
#ifndef WEIR_SYNTAX_LARK_LEX_H
#define WEIR_SYNTAX_LARK_LEX_H

#include "syntax/ir.h"

typedef enum LarkWordKind {
    LARK_END,
    LARK_LINE,      /* one line end or more, comments and blanks between */
    LARK_RULE,      /* a name whose first letter is small; or _ alone */
    LARK_TERMINAL,  /* one whose first letter is a capital */
    LARK_STRING,    /* "...", perhaps with an i behind it */
    LARK_REGEX,     /* /.../ with its flags */
    LARK_NUMBER,    /* digits, perhaps with a sign, a fraction, an exponent;
                       or 0x and hex digits */
    LARK_DIRECTIVE, /* %name */
    LARK_TOKEN,     /* <...> */
    LARK_GRAMMAR,   /* @name */
    LARK_MARK,      /* : :: | ( ) [ ] { } , . .. -> ~ = + * ? & ! */
    LARK_BAD        /* an error was reported */
} LarkWordKind;

typedef struct LarkWord {
    LarkWordKind kind;
    uint32_t begin, end;
} LarkWord;

typedef struct LarkLexer {
    Span source;
    weir_error *error;
    size_t pos;    /* behind the present word */
    LarkWord word; /* the present one */
} LarkLexer;

/* Errors go to `error`. The present word is the first. */
void lark_lex_init(LarkLexer *lex, Span source, weir_error *error);
void lark_lex_next(LarkLexer *lex);
/* Moves to the first word at or after `pos`. */
void lark_lex_jump(LarkLexer *lex, size_t pos);
/* The word after the present one, which stays present. */
LarkWord lark_lex_peek(const LarkLexer *lex);

static inline Span lark_text(const LarkLexer *lex, LarkWord word)
{
    return span_of(lex->source.at + word.begin, word.end - word.begin);
}
static inline bool lark_word_is(const LarkLexer *lex, LarkWord word,
                                const char *mark)
{
    return word.kind == LARK_MARK &&
           span_equal(lark_text(lex, word), span_text(mark));
}
static inline bool lark_is(const LarkLexer *lex, const char *mark)
{
    return lark_word_is(lex, lex->word, mark);
}

/* Where the JSON value that begins after blanks at `pos` ends, as far as
 * brackets and quotes tell; 0 after a report. *begin: where it begins. */
size_t lark_json_end(const LarkLexer *lex, size_t pos, size_t *begin);
/* The same of a grammar in braces. */
size_t lark_nested_end(const LarkLexer *lex, size_t pos, size_t *begin);

typedef VEC(uint8_t) LarkBytes;

/* The bytes of a string word, appended, and whether it ignores case. False
 * after a report. */
bool lark_string(const LarkLexer *lex, LarkWord word, const Mem *mem,
                 LarkBytes *bytes, bool *ignore_case);

#endif
