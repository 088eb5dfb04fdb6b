/* regex_ast.h: a parsed regular expression: nodes in an array, children before
 * parents.
 *
 *   NEVER              no text             EMPTY    the empty text
 *   TEXT a b           bytes [a, a + b)    CLASS a b   ranges [a, a + b)
 *   SEQ a b, ALT a b   kids [a, a + b)     REPEAT a {b,c}   node a
 *   START, END         the text's borders
 *   LOOK a b           node a matches ahead of here; b: LookFlag bits
 *
 * A node has one parent, but for the operands of \b, which hold no START and
 * no END. Lifetime: call.
 */
#ifndef WEIR_SYNTAX_REGEX_AST_H
#define WEIR_SYNTAX_REGEX_AST_H

#include "lang/runes.h"
#include "syntax/regex.h"

typedef uint32_t ReId;
#define RE_NONE UINT32_MAX

typedef enum ReKind {
    RE_NEVER,
    RE_EMPTY,
    RE_TEXT,
    RE_CLASS,
    RE_SEQ,
    RE_ALT,
    RE_REPEAT,
    RE_START,
    RE_END,
    RE_LOOK
} ReKind;

typedef enum LookFlag { LOOK_BEHIND = 1, LOOK_NEGATED = 2 } LookFlag;

/* What ReNode.wrap says: any text may stand before, or after, the node. */
typedef enum WrapFlag { WRAP_LEFT = 1, WRAP_RIGHT = 2 } WrapFlag;

typedef struct ReNode {
    ReKind kind;
    uint32_t a, b, c;
    uint8_t wrap;     /* set by re_resolve, like those below */
    uint8_t looks;    /* WrapFlag bits: assertions inside that ask about
                            what stands before, or after */
    bool is_nullable; /* may match no text; conservative: may say so of a
                            node that does not */
    bool is_zero;     /* never matches any other text */
    uint8_t outer;    /* WrapFlag bits: an anchor at that outer border */
} ReNode;

typedef struct ReWarning {
    uint32_t begin, end;
    char text[112];
} ReWarning;

typedef struct ReSlice {
    uint32_t first, count;
} ReSlice;

typedef struct Regex {
    const Mem *mem;
    weir_error *error;
    weir_limits limits; /* no zeros */
    uint64_t work;      /* steps left */
    uint32_t offset;    /* added to the places of errors and warnings */
    VEC(ReNode) nodes;
    VEC(ReId) kids;
    VEC(uint8_t) bytes;
    RuneSet ranges;
    VEC(ReSlice) slices; /* lists of ranges that exist, to share them */
    Map slice_index;
    VEC(ReWarning) warnings; /* the first few */
    uint32_t nwarnings;
    ReId root;
} Regex;

static inline bool re_ok(const Regex *re)
{
    return !re->error->status;
}

void re_init(Regex *re, const Mem *mem, const weir_limits *limits,
             weir_error *error);
void re_free(Regex *re);

/* Reports an error at pattern bytes [begin, end); false. */
bool re_fail(Regex *re, weir_status status, size_t begin, size_t end,
             const char *format, ...) PRINTF_LIKE(5, 6);
bool re_no_memory(Regex *re);
bool re_charge(Regex *re, uint64_t steps);
void re_warn(Regex *re, size_t begin, size_t end, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* -- builders: RE_NONE after an error -- */

ReId re_leaf(Regex *re, ReKind kind);
ReId re_text(Regex *re, uint32_t rune);
/* A set in normal form; copied, and the copy shared with equal ones. */
ReId re_class(Regex *re, const RuneSet *set);
/* SEQ or ALT; none and one kid are simplified. */
ReId re_list(Regex *re, ReKind kind, const ReId *kids, uint32_t count);
ReId re_repeat(Regex *re, ReId node, uint32_t lo, uint32_t hi);
ReId re_look(Regex *re, ReId body, uint32_t flags);

/* -- stages -- */

/* pattern → nodes and root. (regex_parse.c) */
bool regex_parse(Regex *re, Span pattern, const RegexOpts *opts);
/* Outer anchors, and what is known of every node. (regex_resolve.c) */
bool re_resolve(Regex *re, bool is_search);
/* What the pattern says about the length of texts, out of it: see
 * RegexOpts.length. (regex_length.c) */
bool re_take_length(Regex *re, RegexLength *length);

#endif
