/* lang.h: the algebra of regular languages over code points.
 *
 * Every value is a minimal, trimmed Dfa whose states are numbered in one fixed
 * way, so equal languages are equal arrays. Strings are strings of Unicode
 * scalar values: complements never hold a surrogate.
 *
 * A LangCtx carries memory, the arena of results, a budget and the sticky
 * first error. Once the error is set every operation does nothing and returns
 * the empty language; test lang_ok() before a result leaves a stage. An
 * operation that would need more than `max_states` states, or more work than
 * is left, ends in WEIR_LIMIT_STATES or WEIR_LIMIT_WORK.
 *
 *     LangCtx c;
 *     lang_init(&c, mem, &arena, &limits, &error);
 *     const Dfa *word = lang_repeat(&c, letter, 1, LANG_INF);
 *     const Dfa *key = lang_subtract(&c, word, lang_text(&c, SPAN("id")));
 *     if (!lang_ok(&c)) return false;
 */
#ifndef WEIR_LANG_LANG_H
#define WEIR_LANG_LANG_H

#include "base/diag.h"
#include "base/out.h"
#include "lang/dfa.h"
#include "lang/runes.h"

#define LANG_INF UINT32_MAX

typedef struct LangCtx {
    const Mem *mem;      /* scratch */
    Arena *arena;        /* results */
    weir_error *error;   /* sticky */
    uint32_t max_states; /* of any one automaton, nondeterministic or not */
    uint64_t work;       /* steps left, for all operations together */
    uint32_t begin, end; /* byte range that errors name */
} LangCtx;

/* limits: NULL, or a zero field, means the default (500,000 states, 2e9
 * steps). arena and error outlive the context. */
void lang_init(LangCtx *ctx, const Mem *mem, Arena *arena,
               const weir_limits *limits, weir_error *error);
static inline bool lang_ok(const LangCtx *ctx)
{
    return !ctx->error->status;
}

/* -- languages from nothing -- */

const Dfa *lang_none(void);  /* no string */
const Dfa *lang_empty(void); /* the empty string alone */
const Dfa *lang_any(void);   /* one code point */
const Dfa *lang_all(void);   /* every string */
/* One code point of the ranges, which may overlap and be in any order. */
const Dfa *lang_class(LangCtx *ctx, const RuneRange *ranges, uint32_t count);
/* Exactly these texts; what is not UTF-8 is nobody's text and left out. */
const Dfa *lang_text(LangCtx *ctx, Span text);
const Dfa *lang_texts(LangCtx *ctx, const Span *texts, uint32_t count);
/* Strings of lo to hi code points; hi may be LANG_INF. */
const Dfa *lang_length(LangCtx *ctx, uint32_t lo, uint32_t hi);

/* -- operations -- */

const Dfa *lang_unite(LangCtx *ctx, const Dfa *a, const Dfa *b);
const Dfa *lang_intersect(LangCtx *ctx, const Dfa *a, const Dfa *b);
const Dfa *lang_subtract(LangCtx *ctx, const Dfa *a, const Dfa *b);
const Dfa *lang_complement(LangCtx *ctx, const Dfa *a);
const Dfa *lang_concat(LangCtx *ctx, const Dfa *a, const Dfa *b);
/* lo to hi times in a row; hi may be LANG_INF. */
const Dfa *lang_repeat(LangCtx *ctx, const Dfa *a, uint32_t lo, uint32_t hi);
const Dfa *lang_reverse(LangCtx *ctx, const Dfa *a);
/* The strings of `a` no proper prefix of which is in `a`. */
const Dfa *lang_shortest(LangCtx *ctx, const Dfa *a);
/* All prefixes of the strings of `a`, themselves among them. */
const Dfa *lang_prefixes(LangCtx *ctx, const Dfa *a);

/* -- questions -- */

static inline bool lang_is_none(const Dfa *a)
{
    return !a->nstates;
}
bool lang_is_all(const Dfa *a);
/* Whether every beginning of a string is that of endlessly many. */
bool lang_is_open(const Dfa *a);
bool lang_equal(const Dfa *a, const Dfa *b);
/* Whether every string of `a` is in `b`; false after an error. */
bool lang_is_subset(LangCtx *ctx, const Dfa *a, const Dfa *b);
bool lang_is_disjoint(LangCtx *ctx, const Dfa *a, const Dfa *b);
uint64_t lang_hash(const Dfa *a);

/* Sizes of a language. Of the empty one: shortest LANG_INF, the rest 0. */
typedef struct LangSize {
    bool is_finite;
    uint32_t shortest, longest; /* code points; longest may be LANG_INF */
    uint64_t count;             /* strings; UINT64_MAX: that many or more */
} LangSize;
LangSize lang_size(LangCtx *ctx, const Dfa *a);

/* -- strings -- */

/* Next state, or LANG_INF. */
uint32_t lang_step(const Dfa *a, uint32_t state, uint32_t rune);
/* Whether the text, if it is UTF-8 at all, is in the language. */
bool lang_matches(const Dfa *a, Span text);
/* A shortest string, of plain characters where there is a choice; lives in
 * the arena. False for the empty language or after an error. */
bool lang_example(LangCtx *ctx, const Dfa *a, Span *text);
/* The first strings, shorter ones first, then in code point order: at most
 * `max`, which the array holds; returns how many. */
uint32_t lang_list(LangCtx *ctx, const Dfa *a, Span *texts, uint32_t max);

/* States one a line: "0: a-z>1 U+00E9>1", "1*: ..." where strings may end. */
void lang_print(const Dfa *a, Out *out);

/* -- for the operations themselves -- */

enum { LANG_STEP_COST = 3 };
/* The errors of the next two, unless there is one. Both return false. */
bool lang_spent(LangCtx *ctx);
bool lang_full(LangCtx *ctx);

/* Takes `steps` from the budget; false, and an error, when it is spent. */
static inline bool lang_charge(LangCtx *ctx, uint64_t steps)
{
    if (!lang_ok(ctx) || ctx->work / LANG_STEP_COST < steps)
        return lang_spent(ctx);
    ctx->work -= steps * LANG_STEP_COST;
    return true;
}
/* Whether an automaton may have `nstates` states; false sets the error. */
static inline bool lang_room(LangCtx *ctx, uint64_t nstates)
{
    return (lang_ok(ctx) && nstates <= ctx->max_states) || lang_full(ctx);
}
bool lang_no_memory(LangCtx *ctx);

#endif
