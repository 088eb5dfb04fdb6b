/* regex_parser.h: the state of the regular expression parser, shared by its
 * files: regex_parse.c (structure), regex_escape.c (backslash), regex_class.c
 * and regex_rust_class.c (brackets and sets). */
#ifndef WEIR_SYNTAX_REGEX_PARSER_H
#define WEIR_SYNTAX_REGEX_PARSER_H

#include "syntax/regex_ast.h"

typedef enum ReFlag {
    RE_IGNORE_CASE = 1,
    RE_DOT_ALL = 2,
    RE_MULTI_LINE = 4,
    RE_VERBOSE = 8 /* blanks and #... mean nothing outside classes */
} ReFlag;

typedef enum GroupKind { GROUP_PLAIN, GROUP_LOOK } GroupKind;

/* An open parenthesis. */
typedef struct ReFrame {
    uint32_t begin;                 /* its place */
    uint32_t outer_flags;           /* to restore at its end */
    uint32_t first_item, first_alt; /* in the parser's stacks */
    GroupKind kind;
    uint32_t look; /* LookFlag bits */
} ReFrame;

typedef struct RegexParser {
    Regex *re;
    Span text;
    size_t pos;
    /* dialect */
    bool is_unicode; /* \u{...}, \p{...}, simple case folding */
    bool is_strict;  /* no Annex B */
    bool is_extra;   /* Rust's and Python's spellings */
    bool has_sets;   /* v flag */
    bool unicode_classes;
    bool line_feed_only;
    bool rust_sets;
    uint32_t flags;      /* ReFlag bits, here */
    uint32_t captures;   /* groups in the pattern; RE_NONE: not counted yet */
    bool has_names;      /* one of them is named; valid once counted */
    ReId word[2];        /* operands of \b, without and with the flag i */
    VEC(ReFrame) frames; /* the outermost stands for the whole pattern */
    VEC(ReId) items;     /* parts of the open sequences */
    VEC(ReId) alts;      /* finished alternatives of the open groups */
} RegexParser;

/* The byte at pos + ahead, or 0 at the end (and for a NUL). */
static inline uint8_t re_peek(const RegexParser *p, size_t ahead)
{
    size_t at = p->pos + ahead;
    return at < p->text.size ? p->text.at[at] : 0;
}
static inline bool re_at_end(const RegexParser *p)
{
    return p->pos >= p->text.size;
}
/* Whether the pattern goes on with `text`; if so, moves past it. */
bool re_take(RegexParser *p, const char *text);
/* The next character of the pattern, which is not at its end; RUNE_BAD and an
 * error where it is not UTF-8. */
uint32_t re_next_rune(RegexParser *p);
/* Decimal digits; the number, capped at UINT32_MAX. */
uint32_t re_number(RegexParser *p);

/* ---- regex_escape.c ---- */

typedef enum EscapeKind {
    ESCAPE_RUNE, /* may be a lone surrogate, which no text has */
    ESCAPE_SET,
    ESCAPE_BOUNDARY, /* \b, or \B if negated */
    ESCAPE_START,
    ESCAPE_END
} EscapeKind;

typedef struct Escape {
    EscapeKind kind;
    bool is_negated;
    uint32_t rune;
    RuneSet set; /* the caller frees it */
} Escape;

/* Reads the escape at pos, a backslash. */
bool escape_read(RegexParser *p, bool in_class, Escape *escape);

/* ---- regex_class.c ---- */

/* The set of \d, \D, \w, \W, \s or \S, as the flags here have it. */
bool class_of_letter(RegexParser *p, char letter, RuneSet *set);
/* Adds everything that is equal to a member but for case. */
bool class_fold(RegexParser *p, RuneSet *set);
/* The node of a set, closed under case if the flags ask for it. */
ReId class_node(RegexParser *p, RuneSet *set);
/* What '.' matches; what '^' and '$' stop at with the m flag. */
ReId class_dot(RegexParser *p);
ReId class_line_end(RegexParser *p);
/* Reads the bracketed class at pos. */
ReId class_read(RegexParser *p);
/* Adds the member at pos, or the range that begins with it. */
bool class_members(RegexParser *p, RuneSet *set);

/* ---- regex_rust_class.c ---- */

ReId class_read_rust(RegexParser *p);

#endif
