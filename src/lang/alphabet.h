/* alphabet.h: the few classes of code points that a set of automata can tell
 * apart. Edges are labelled with code point sets; two code points that lie in
 * the same labels are one class. Automata are then built over class numbers.
 *
 *     label ids from alphabet_label ─► alphabet_close ─► classes of a label
 *
 * A span is a maximal run of code points between label borders; a class is a
 * set of spans. Classes are numbered by their lowest code point; code points
 * in no label belong to no class. Lifetime: call.
 */
#ifndef WEIR_LANG_ALPHABET_H
#define WEIR_LANG_ALPHABET_H

#include "base/hash.h"
#include "lang/lang.h"

#define CLASS_NONE UINT32_MAX

typedef struct Alphabet {
    LangCtx *ctx;
    RuneSet ranges;             /* of all labels */
    VEC(uint32_t) label_ranges; /* by label: its first range */
    Map label_index;
    /* after alphabet_close */
    uint32_t nclasses, nspans;
    VEC(uint32_t) span_lo;       /* by span, and where the last one ends */
    VEC(uint32_t) span_class;    /* by span: class or CLASS_NONE */
    VEC(uint32_t) label_classes; /* by label: its first entry in classes */
    VEC(uint32_t) classes;       /* ascending within a label */
    VEC(uint32_t) class_spans;   /* by class: its first entry in spans */
    VEC(uint32_t) spans;
} Alphabet;

void alphabet_init(Alphabet *alphabet, LangCtx *ctx);
void alphabet_free(Alphabet *alphabet);
/* The label of a set of code points in normal form (runes.h); equal sets get
 * equal labels. `count` > 0. */
uint32_t alphabet_label(Alphabet *alphabet, const RuneRange *ranges,
                        uint32_t count);
bool alphabet_close(Alphabet *alphabet);
/* Whether the label is the set of all code points. */
bool alphabet_is_any(const Alphabet *alphabet, uint32_t label);

static inline uint32_t alphabet_labels(const Alphabet *alphabet)
{
    return alphabet->label_ranges.count;
}
/* Classes of a label: alphabet_classes(a, l)[0 .. alphabet_nclasses(a, l)). */
static inline const uint32_t *alphabet_classes(const Alphabet *a, uint32_t l)
{
    return a->classes.at + a->label_classes.at[l];
}
static inline uint32_t alphabet_nclasses(const Alphabet *a, uint32_t l)
{
    return a->label_classes.at[l + 1] - a->label_classes.at[l];
}

#endif
