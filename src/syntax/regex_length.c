/* regex_length.c: what a pattern says about the length of whole texts, taken out
 * of it.
 *
 * In:    a resolved Regex, and bounds that texts keep anyway.   Out: narrower
 *        bounds, and a Regex that matches what it did among the texts that
 *        keep them.
 * Method: at the text's start, (?=C{lo,hi}$), with C a class, is (?=C*$) and a
 *        range of lengths; and so is C{lo,hi} that reads the rest of the text.
 *        Texts of at most hi characters have no room for more than hi / n
 *        copies of what has n or more: a maximum from there on says nothing.
 *        So ^(?=.{1,255}$)(.{1,63}\.){1,127}[a-z]+$ needs no state for each
 *        number of characters, nor for each number of labels.
 * Cost:  linear. Tests: unit/regex_test.c
 */
#include "syntax/regex_ast.h"

/* Up to here states are cheaper than a counter beside them. */
enum { FEW = 32 };

/* ---- ranges of lengths ---- */

static bool is_row_of_class(const Regex *re, const ReNode *n)
{
    return n->kind == RE_REPEAT && !n->wrap &&
           re->nodes.at[n->a].kind == RE_CLASS;
}

static void take_range(ReNode *row, RegexLength *length)
{
    uint32_t most = row->c == REPEAT_INF ? row->b : row->c;
    if (most <= FEW) return;
    length->lo = MAX(length->lo, row->b);
    if (row->c != REPEAT_INF) length->hi = MIN(length->hi, row->c);
    row->b = 0;
    row->c = REPEAT_INF;
}

/* The one kid of a SEQ that reads something, from `first` to before `past`. */
static ReNode *only_kid(Regex *re, const ReNode *seq, uint32_t first,
                        uint32_t past)
{
    ReNode *only = NULL;
    for (uint32_t i = first; i < past; i++) {
        ReNode *kid = &re->nodes.at[re->kids.at[seq->a + i]];
        if (kid->is_zero) continue;
        if (only) return NULL;
        only = kid;
    }
    return only;
}

/* (?=C{lo,hi}$) where the text starts. */
static void take_look(Regex *re, const ReNode *look, RegexLength *length)
{
    const ReNode *body = &re->nodes.at[look->a];
    if (look->b || body->kind != RE_SEQ || body->wrap) return;
    if (re->nodes.at[re->kids.at[body->a + body->b - 1]].kind != RE_END) return;
    ReNode *row = only_kid(re, body, 0, body->b - 1);
    if (row && is_row_of_class(re, row)) take_range(row, length);
}

static void take_lengths(Regex *re, RegexLength *length)
{
    const ReNode *root = &re->nodes.at[re->root];
    if (root->kind != RE_SEQ || root->wrap & WRAP_LEFT) return;
    for (uint32_t i = 0; i < root->b; i++) {
        const ReNode *kid = &re->nodes.at[re->kids.at[root->a + i]];
        if (kid->kind == RE_LOOK) take_look(re, kid, length);
        if (kid->is_zero) continue;
        ReNode *row = only_kid(re, root, i, root->b);
        if (row && !(root->wrap & WRAP_RIGHT) && is_row_of_class(re, row))
            take_range(row, length);
        return;
    }
}

/* ---- maxima that say nothing ---- */

static uint32_t runes_of(const Regex *re, const ReNode *text)
{
    uint32_t runes = 0;
    for (uint32_t i = 0; i < text->b; i++)
        runes += (re->bytes.at[text->a + i] & 0xC0) != 0x80;
    return runes;
}

/* Characters that a node reads at least, from those of its kids. */
static uint64_t least_of(const Regex *re, const ReNode *n,
                         const uint32_t *least)
{
    uint64_t sum = 0;
    switch (n->kind) {
    case RE_CLASS:
        return 1;
    case RE_TEXT:
        return runes_of(re, n);
    case RE_SEQ:
        for (uint32_t i = 0; i < n->b; i++) sum += least[re->kids.at[n->a + i]];
        return sum;
    case RE_ALT:
        sum = LANG_INF;
        for (uint32_t i = 0; i < n->b; i++)
            sum = MIN(sum, least[re->kids.at[n->a + i]]);
        return sum;
    case RE_REPEAT:
        return (uint64_t)least[n->a] * n->b;
    default:
        return 0;
    }
}

static bool drop_maxima(Regex *re, uint32_t hi)
{
    size_t nbytes = re->nodes.count * sizeof(uint32_t);
    uint32_t *least = mem_new(re->mem, nbytes);
    if (!least) return re_no_memory(re);
    for (ReId id = 0; id < re->nodes.count; id++) {
        ReNode *n = &re->nodes.at[id];
        least[id] = (uint32_t)MIN(least_of(re, n, least), LANG_INF);
        if (n->kind == RE_REPEAT && n->c != REPEAT_INF && n->c - n->b > FEW &&
            (n->c + 1ull) * least[n->a] > hi)
            n->c = REPEAT_INF;
    }
    mem_free(re->mem, least, nbytes);
    return re_charge(re, re->nodes.count + (uint64_t)re->kids.count);
}

bool re_take_length(Regex *re, RegexLength *length)
{
    take_lengths(re, length);
    return length->hi == LANG_INF || drop_maxima(re, length->hi);
}
