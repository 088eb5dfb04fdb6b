/* ebnf_lex.h: the words of EBNF text. A word says where it stands; what a
 * string or class means is worked out only when asked for. */
#ifndef WEIR_SYNTAX_EBNF_LEX_H
#define WEIR_SYNTAX_EBNF_LEX_H

#include "syntax/ir.h"

typedef enum EbnfKind {
    EBNF_END,
    EBNF_NAME,
    EBNF_STRING,
    EBNF_CLASS,
    EBNF_NUMBER, /* decimal digits */
    EBNF_ASSIGN, /* ::= */
    EBNF_LOOK,   /* (= */
    EBNF_MARK,   /* one of | ( ) { } , = * + ? */
    EBNF_BAD     /* an error was reported */
} EbnfKind;

typedef struct EbnfWord {
    EbnfKind kind;
    uint32_t begin, end;
    bool begins_line; /* nothing but blanks before it */
} EbnfWord;

typedef struct EbnfLexer {
    Span source;
    weir_error *error;
    size_t pos;
    bool at_line_start;
    EbnfWord word; /* the present one */
} EbnfLexer;

/* Errors go to `error`. The present word is the first. */
void ebnf_lex_init(EbnfLexer *lex, Span source, weir_error *error);
/* Moves to the next word. */
void ebnf_lex_next(EbnfLexer *lex);

static inline Span ebnf_text(const EbnfLexer *lex, EbnfWord word)
{
    return span_of(lex->source.at + word.begin, word.end - word.begin);
}
static inline bool ebnf_is_mark(const EbnfLexer *lex, char mark)
{
    return lex->word.kind == EBNF_MARK &&
           lex->source.at[lex->word.begin] == (uint8_t)mark;
}

/* Where blanks, line ends and comments from `pos` on end. */
size_t ebnf_skip_blanks(Span source, size_t pos);
/* Whether "::=" stands at `pos`. */
bool ebnf_is_assign(Span source, size_t pos);

/* The present name begins a rule: blanks, perhaps options in brackets on the
 * same line, and "::=" follow it. Says where the options stand, brackets
 * included (empty: none), and where the body begins. */
typedef struct EbnfHead {
    uint32_t options, options_end, body;
} EbnfHead;
bool ebnf_head(const EbnfLexer *lex, EbnfHead *head);
/* Moves to the first word at or after `pos`. */
void ebnf_lex_jump(EbnfLexer *lex, size_t pos);

typedef VEC(uint8_t) EbnfBytes;
typedef VEC(Range) EbnfRanges;

/* The bytes of a string word, appended. False after a report. */
bool ebnf_string(const EbnfLexer *lex, EbnfWord word, const Mem *mem,
                 EbnfBytes *bytes);
/* The ranges of a class word, appended, and whether it is negated. */
bool ebnf_class(const EbnfLexer *lex, EbnfWord word, const Mem *mem,
                EbnfRanges *ranges, bool *negated);

#endif
