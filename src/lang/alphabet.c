/* alphabet.c: labels → classes, by partition refinement.
 *
 * In:    sets of code points.   Out: the coarsest partition of their union in
 *        which every set is a union of classes (minterms).
 * Method: cut the code points at all borders into spans; start with one class
 *        and let each label split every class that it cuts (Paige and Tarjan's
 *        refinement step). Cost: the sum over labels of their spans.
 * Holds: size[c] counts the spans of class c; class 0 is what no label has had
 *        so far; the number of any other emptied class is used again.
 * Tests: unit/lang_test.c
 */
#include "lang/alphabet.h"

#include "base/sort.h"
#include "base/utf8.h"

void alphabet_init(Alphabet *alphabet, LangCtx *ctx)
{
    *alphabet = (Alphabet){.ctx = ctx};
}

void alphabet_free(Alphabet *a)
{
    const Mem *mem = a->ctx->mem;
    vec_free(mem, &a->ranges);
    vec_free(mem, &a->label_ranges);
    map_free(mem, &a->label_index);
    vec_free(mem, &a->span_lo);
    vec_free(mem, &a->span_class);
    vec_free(mem, &a->label_classes);
    vec_free(mem, &a->classes);
    vec_free(mem, &a->class_spans);
    vec_free(mem, &a->spans);
}

/* The ranges of a label; the last label's end with the pool. */
static Span label_bytes(const Alphabet *a, uint32_t label)
{
    uint32_t from = a->label_ranges.at[label];
    uint32_t to = label + 1 < a->label_ranges.count
                      ? a->label_ranges.at[label + 1]
                      : a->ranges.count;
    return span_of(a->ranges.at + from, (to - from) * sizeof(RuneRange));
}

uint32_t alphabet_label(Alphabet *a, const RuneRange *ranges, uint32_t count)
{
    const Mem *mem = a->ctx->mem;
    Span key = span_of(ranges, count * sizeof *ranges);
    uint64_t hash = hash_bytes(0, key.at, key.size);
    if (!lang_charge(a->ctx, count + 1)) return 0;
    for (MapPos p = map_first(&a->label_index, hash); p.value != MAP_NONE;
         p = map_next(&a->label_index, hash, p))
        if (span_equal(key, label_bytes(a, p.value))) return p.value;
    uint32_t label = a->label_ranges.count;
    if (!vec_reserve(mem, &a->ranges, (size_t)a->ranges.count + count) ||
        !vec_push(mem, &a->label_ranges, a->ranges.count) ||
        !map_add(mem, &a->label_index, hash, label))
        return lang_no_memory(a->ctx), 0;
    memcpy(a->ranges.at + a->ranges.count, ranges, key.size);
    a->ranges.count += count;
    return label;
}

bool alphabet_is_any(const Alphabet *a, uint32_t label)
{
    static const RuneRange any[] = {{0, 0xD7FF}, {0xE000, RUNE_MAX}};
    return span_equal(label_bytes(a, label), span_of(any, sizeof any));
}

/* ---- spans ---- */

/* span_lo: all borders, once each. */
static bool cut_spans(Alphabet *a)
{
    const Mem *mem = a->ctx->mem;
    if (!vec_reserve(mem, &a->span_lo, (size_t)a->ranges.count * 2 + 1))
        return false;
    uint32_t *at = a->span_lo.at, n = 0, kept = 0;
    for (uint32_t i = 0; i < a->ranges.count; i++) {
        at[n++] = a->ranges.at[i].lo;
        at[n++] = a->ranges.at[i].hi + 1;
    }
    sort_numbers(at, n);
    for (uint32_t i = 0; i < n; i++)
        if (!i || at[i] != at[kept - 1]) at[kept++] = at[i];
    a->span_lo.count = kept;
    a->nspans = kept ? kept - 1 : 0;
    return true;
}

/* The span that begins at `lo`, which is a border. */
static uint32_t span_at(const Alphabet *a, uint32_t lo)
{
    uint32_t from = 0, to = a->nspans;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (a->span_lo.at[middle] <= lo)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* ---- refinement ---- */

typedef struct Split {
    Alphabet *alphabet;
    uint32_t *size;  /* by class: spans in it */
    uint32_t *moved; /* by class: where the present label moves its spans */
    VEC(uint32_t) touched; /* classes with moved[] set */
    VEC(uint32_t) unused;  /* emptied classes */
    uint32_t nclasses;
} Split;

static bool split_span(Split *s, uint32_t span)
{
    const Mem *mem = s->alphabet->ctx->mem;
    uint32_t *of = &s->alphabet->span_class.at[span], old = *of;
    if (s->moved[old] == CLASS_NONE) {
        uint32_t fresh =
            s->unused.count ? s->unused.at[--s->unused.count] : s->nclasses++;
        s->moved[old] = fresh;
        s->size[fresh] = 0;
        if (!vec_push(mem, &s->touched, old)) return false;
    }
    *of = s->moved[old];
    s->size[old]--;
    s->size[*of]++;
    return true;
}

/* Splits every class into what is inside the label and what is not. */
static bool split_by(Split *s, uint32_t label)
{
    Alphabet *a = s->alphabet;
    Span bytes = label_bytes(a, label);
    uint32_t from = a->label_ranges.at[label];
    uint32_t to = from + (uint32_t)(bytes.size / sizeof(RuneRange));
    for (uint32_t i = from; i < to; i++) {
        RuneRange r = a->ranges.at[i];
        uint32_t first = span_at(a, r.lo), span = first;
        for (; span < a->nspans && a->span_lo.at[span] <= r.hi; span++)
            if (!split_span(s, span)) return lang_no_memory(a->ctx);
        if (!lang_charge(a->ctx, span - first + 4)) return false;
    }
    for (uint32_t i = 0; i < s->touched.count; i++) {
        uint32_t old = s->touched.at[i];
        s->moved[old] = CLASS_NONE;
        if (old && !s->size[old] && !vec_push(a->ctx->mem, &s->unused, old))
            return lang_no_memory(a->ctx);
    }
    s->touched.count = 0;
    return true;
}

/* Class numbers in the order of their first span; class 0 is what no label
 * has. */
static void renumber(Split *s)
{
    Alphabet *a = s->alphabet;
    for (uint32_t i = 0; i < s->nclasses; i++) s->moved[i] = CLASS_NONE;
    for (uint32_t i = 0; i < a->nspans; i++) {
        uint32_t *of = &a->span_class.at[i];
        if (*of && s->moved[*of] == CLASS_NONE) s->moved[*of] = a->nclasses++;
        *of = s->moved[*of];
    }
}

static bool refine(Alphabet *a)
{
    const Mem *mem = a->ctx->mem;
    /* Live classes never outnumber spans, and one label may move all of
     * them, each into a fresh one. */
    size_t nbytes = ((size_t)a->nspans * 2 + 2) * sizeof(uint32_t);
    Split s = {.alphabet = a, .nclasses = 1};
    s.size = mem_zero(mem, nbytes);
    s.moved = mem_zero(mem, nbytes);
    bool done = s.size && s.moved &&
                vec_reserve(mem, &a->span_class, (size_t)a->nspans + 1);
    if (!done) lang_no_memory(a->ctx);
    if (done) {
        memset(s.moved, 0xFF, nbytes);
        memset(a->span_class.at, 0, a->nspans * sizeof(uint32_t));
        s.size[0] = a->span_class.count = a->nspans;
    }
    for (uint32_t l = 0; done && l < alphabet_labels(a); l++)
        done = split_by(&s, l);
    if (done) renumber(&s);
    mem_free(mem, s.size, nbytes);
    mem_free(mem, s.moved, nbytes);
    vec_free(mem, &s.touched);
    vec_free(mem, &s.unused);
    return done;
}

/* ---- tables ---- */

/* spans by class, by counting. */
static bool list_spans(Alphabet *a)
{
    const Mem *mem = a->ctx->mem;
    size_t n = (size_t)a->nclasses + 2;
    if (!vec_reserve(mem, &a->class_spans, n) ||
        !vec_reserve(mem, &a->spans, (size_t)a->nspans + 1))
        return lang_no_memory(a->ctx);
    uint32_t *start = a->class_spans.at;
    memset(start, 0, n * sizeof *start);
    for (uint32_t i = 0; i < a->nspans; i++)
        if (a->span_class.at[i] != CLASS_NONE) start[a->span_class.at[i] + 2]++;
    for (uint32_t c = 2; c < n; c++) start[c] += start[c - 1];
    for (uint32_t i = 0; i < a->nspans; i++)
        if (a->span_class.at[i] != CLASS_NONE)
            a->spans.at[start[a->span_class.at[i] + 1]++] = i;
    a->class_spans.count = a->nclasses + 1;
    a->spans.count = start[a->nclasses];
    return true;
}

/* Appends the classes of one label; a class whose first span is in the label
 * is wholly in it. */
static bool list_label(Alphabet *a, uint32_t label)
{
    Span bytes = label_bytes(a, label);
    uint32_t from = a->label_ranges.at[label];
    uint32_t to = from + (uint32_t)(bytes.size / sizeof(RuneRange));
    uint32_t start = a->classes.count;
    if (!vec_push(a->ctx->mem, &a->label_classes, start)) return false;
    for (uint32_t i = from; i < to; i++) {
        RuneRange r = a->ranges.at[i];
        uint32_t span = span_at(a, r.lo);
        for (; span < a->nspans && a->span_lo.at[span] <= r.hi; span++) {
            uint32_t c = a->span_class.at[span];
            if (a->spans.at[a->class_spans.at[c]] == span &&
                !vec_push(a->ctx->mem, &a->classes, c))
                return false;
        }
    }
    return true; /* ascending: classes are numbered by first span */
}

bool alphabet_close(Alphabet *a)
{
    if (!lang_ok(a->ctx) || !lang_charge(a->ctx, a->ranges.count)) return false;
    if (!cut_spans(a)) return lang_no_memory(a->ctx);
    if (!refine(a) || !list_spans(a)) return false;
    for (uint32_t l = 0; l < alphabet_labels(a); l++)
        if (!list_label(a, l)) return lang_no_memory(a->ctx);
    if (!vec_push(a->ctx->mem, &a->label_classes, a->classes.count))
        return lang_no_memory(a->ctx);
    return true;
}
