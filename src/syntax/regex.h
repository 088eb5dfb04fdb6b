/* regex.h: regular expressions → IR, or → a Dfa.
 *
 * Patterns denote sets of texts, as in ECMA-262, and are matched exactly:
 * anchors, look-ahead, look-behind and \b anywhere, nested in any way. Groups
 * capture nothing; lazy marks change nothing. What is not a regular language,
 * back-references above all, is WEIR_UNSUPPORTED, with its place.
 * docs/regex.md lists the syntax and the differences between dialects.
 */
#ifndef WEIR_SYNTAX_REGEX_H
#define WEIR_SYNTAX_REGEX_H

#include "lang/lang.h"
#include "syntax/ir.h"

typedef enum RegexDialect {
    REGEX_LENIENT = 0, /* ECMA-262 with u; where that has an error, what Rust
                          and Python mean, else what Annex B means, else the
                          character itself, with a warning */
    REGEX_ECMA = 1,    /* ECMA-262 without flags, Annex B included; matches
                          code points, though, not UTF-16 units */
    REGEX_ECMA_UNICODE = 2, /* with the u flag */
    REGEX_ECMA_SETS = 3     /* with the v flag; no strings in classes */
} RegexDialect;

/* Numbers of code points; hi may be LANG_INF. */
typedef struct RegexLength {
    uint32_t lo, hi;
} RegexLength;

typedef struct RegexOpts {
    RegexDialect dialect;
    bool is_search;   /* the text contains a match; else it is one */
    bool ignore_case; /* flags i, s, m, as if before the pattern */
    bool dot_all;
    bool multi_line;
    bool is_verbose;      /* flag x, of Rust and Python */
    bool line_feed_only;  /* no other character ends a line */
    bool rust_sets;       /* classes nest and combine as in Rust: && -- ~~ */
    bool unicode_classes; /* \d \w \s \b ask Unicode, as in Rust and Python */
    uint32_t offset;      /* of the pattern in its source: added to places */
    uint64_t *work;       /* steps left, shared by several patterns; NULL: the
                             limits' max_work for this pattern alone */
    RegexLength *length;  /* regex_dfa: NULL, or bounds that texts are held to
                              apart from the pattern; those that it sets itself
                              are added. The result is exact for the texts that
                              keep them, and may hold others. */
} RegexOpts;

/* The pattern as an expression. opts: NULL means defaults. Without assertions
 * (but for outer anchors) it is made of plain nodes, counts kept as they are;
 * what assertions touch becomes a REGULAR node. Sets ir->error on failure;
 * warnings go to the Ir. */
NodeId regex_compile(Ir *ir, Span pattern, const RegexOpts *opts);

/* The pattern as a minimal Dfa. limits: of source and depth, NULL for the
 * defaults. warnings: NULL, or whose list they go to. opts->work is not used:
 * the context has its own. */
const Dfa *regex_dfa(LangCtx *ctx, Span pattern, const RegexOpts *opts,
                     const weir_limits *limits, Ir *warnings);

#endif
