/* format_idn.c: idn-hostname: labels of internationalised domain names (IDNA2008).
 *
 * Code points and contexts: RFC 5892. Hyphens and marks: RFC 5891, section
 * 4.2.3. Writing direction: RFC 5893, section 2. Each rule is a language of
 * its own; a label is their intersection.
 *
 * Not asked for: that a label is in normal form C; that the A-label of a label
 * that is not ASCII has at most 63 characters, which takes Punycode to say.
 */
#include "formats/format_make.h"
#include "formats/idn_data.h"

/* ---- sets of code points ---- */

static const Dfa *ranges(LangCtx *ctx, IdnListId id)
{
    return lang_class(ctx, idn_lists[id].ranges, idn_lists[id].count);
}

static const Dfa *either(LangCtx *ctx, const Dfa *a, const Dfa *b)
{
    return lang_unite(ctx, a, b);
}

/* RFC 5892, section 2: LetterDigits; Unstable, which are the code points that
 * NFKC_Casefold changes, and IgnorableProperties; IgnorableBlocks and
 * OldHangulJamo. */
#define LETTERS_DIGITS "[\\p{Ll}\\p{Lu}\\p{Lo}\\p{Nd}\\p{Lm}\\p{Mn}\\p{Mc}]"
#define UNSTABLE                                                         \
    "\\p{Changes_When_NFKC_Casefolded}\\p{Default_Ignorable_Code_Point}" \
    "\\p{White_Space}\\p{Noncharacter_Code_Point}"
#define BLOCKS                             \
    "\\u20D0-\\u20FF\\u{1D100}-\\u{1D24F}" \
    "\\u1100-\\u11FF\\uA960-\\uA97C\\uD7B0-\\uD7FB"

/* What is PVALID by section 3, but for the exceptions made below. */
static const Dfa *derived_valid(LangCtx *ctx)
{
    const Dfa *valid = pattern(ctx, LETTERS_DIGITS);
    valid = lang_subtract(ctx, valid, pattern(ctx, "[" UNSTABLE BLOCKS "]"));
    return either(ctx, valid, pattern(ctx, "[a-z0-9\\-]"));
}

/* PVALID, CONTEXTJ and CONTEXTO. */
static const Dfa *label_chars(LangCtx *ctx)
{
    const Dfa *disallowed =
        pattern(ctx, "[\\u0640\\u07FA\\u302E\\u302F\\u3031-\\u3035\\u303B]");
    const Dfa *exceptions = pattern(
        ctx, "[\\u00DF\\u03C2\\u06FD\\u06FE\\u0F0B\\u3007"
             "\\u00B7\\u0375\\u05F3\\u05F4\\u30FB\\u0660-\\u0669\\u06F0-\\u06F9"
             "\\u200C\\u200D]");
    return either(ctx, lang_subtract(ctx, derived_valid(ctx), disallowed),
                  exceptions);
}

/* ---- languages by what stands next to what ---- */

static const Dfa *contains(LangCtx *ctx, const Dfa *a)
{
    return concat3(ctx, lang_all(), a, lang_all());
}

static const Dfa *begins(LangCtx *ctx, const Dfa *a)
{
    return lang_concat(ctx, a, lang_all());
}

static const Dfa *ends(LangCtx *ctx, const Dfa *a)
{
    return lang_concat(ctx, lang_all(), a);
}

/* Wherever `set` occurs, what precedes it is in `before`. */
static const Dfa *only_after(LangCtx *ctx, const Dfa *set, const Dfa *before)
{
    const Dfa *others = lang_complement(ctx, before);
    return lang_complement(ctx, concat3(ctx, others, set, lang_all()));
}

static const Dfa *only_before(LangCtx *ctx, const Dfa *set, const Dfa *after)
{
    const Dfa *others = lang_complement(ctx, after);
    return lang_complement(ctx, concat3(ctx, lang_all(), set, others));
}

/* ---- rules ---- */

/* RFC 5892, appendices A.1 and A.2. */
static const Dfa *rule_joiners(LangCtx *ctx)
{
    const Dfa *transparent = star(ctx, ranges(ctx, IDN_JOINING_TRANSPARENT));
    const Dfa *virama = ends(ctx, ranges(ctx, IDN_VIRAMA));
    const Dfa *no_virama = lang_complement(ctx, virama);
    const Dfa *joined = ends(
        ctx, lang_concat(ctx, ranges(ctx, IDN_JOINING_BEFORE), transparent));
    const Dfa *joins = begins(
        ctx, lang_concat(ctx, transparent, ranges(ctx, IDN_JOINING_AFTER)));
    const Dfa *non_joiner = pattern(ctx, "\\u200C");
    const Dfa *bad =
        concat3(ctx, no_virama, non_joiner, lang_complement(ctx, joins));
    bad = lang_complement(ctx, bad);
    const Dfa *out = only_after(ctx, pattern(ctx, "\\u200D"), virama);
    out = lang_intersect(ctx, out, bad);
    return lang_intersect(
        ctx, out, only_after(ctx, non_joiner, either(ctx, virama, joined)));
}

/* Appendices A.3 to A.9. */
static const Dfa *rule_contexts(LangCtx *ctx)
{
    const Dfa *dot = pattern(ctx, "\\u00B7"), *l = pattern(ctx, "l");
    const Dfa *out = lang_intersect(ctx, only_after(ctx, dot, ends(ctx, l)),
                                    only_before(ctx, dot, begins(ctx, l)));
    out = lang_intersect(
        ctx, out,
        only_before(ctx, pattern(ctx, "\\u0375"),
                    begins(ctx, pattern(ctx, "\\p{Script=Greek}"))));
    out = lang_intersect(
        ctx, out,
        only_after(ctx, pattern(ctx, "[\\u05F3\\u05F4]"),
                   ends(ctx, pattern(ctx, "\\p{Script=Hebrew}"))));
    const Dfa *japanese = contains(
        ctx,
        pattern(ctx,
                "[\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]"));
    const Dfa *no_dot =
        lang_complement(ctx, contains(ctx, pattern(ctx, "\\u30FB")));
    out = lang_intersect(ctx, out, either(ctx, no_dot, japanese));
    const Dfa *arabic = contains(ctx, pattern(ctx, "[\\u0660-\\u0669]"));
    const Dfa *extended = contains(ctx, pattern(ctx, "[\\u06F0-\\u06F9]"));
    return lang_subtract(ctx, out, lang_intersect(ctx, arabic, extended));
}

/* ---- labels and names ---- */

static const Dfa *rtl_chars(LangCtx *ctx)
{
    const Dfa *letters =
        either(ctx, ranges(ctx, IDN_BIDI_R), ranges(ctx, IDN_BIDI_AL));
    return either(ctx, letters, ranges(ctx, IDN_BIDI_AN));
}

static const Dfa *has_no_rtl(LangCtx *ctx)
{
    return lang_complement(ctx, contains(ctx, rtl_chars(ctx)));
}

/* The Bidi rule for a label without right-to-left characters: conditions 1, 5
 * and 6. */
static const Dfa *bidi_ltr(LangCtx *ctx)
{
    const Dfa *letter = ranges(ctx, IDN_BIDI_L);
    const Dfa *last = either(ctx, letter, ranges(ctx, IDN_BIDI_EN));
    last = lang_concat(ctx, last, star(ctx, ranges(ctx, IDN_BIDI_NSM)));
    const Dfa *out = lang_intersect(ctx, begins(ctx, letter), ends(ctx, last));
    return lang_intersect(ctx, out, has_no_rtl(ctx));
}

/* And with such: conditions 1 to 4. */
static const Dfa *bidi_rtl(LangCtx *ctx)
{
    const Dfa *letter =
        either(ctx, ranges(ctx, IDN_BIDI_R), ranges(ctx, IDN_BIDI_AL));
    const Dfa *european = ranges(ctx, IDN_BIDI_EN);
    const Dfa *arabic = ranges(ctx, IDN_BIDI_AN);
    const Dfa *last = either(ctx, either(ctx, letter, european), arabic);
    last = lang_concat(ctx, last, star(ctx, ranges(ctx, IDN_BIDI_NSM)));
    const Dfa *mixed =
        lang_intersect(ctx, contains(ctx, european), contains(ctx, arabic));
    const Dfa *bad = either(ctx, mixed, contains(ctx, ranges(ctx, IDN_BIDI_L)));
    const Dfa *out = lang_intersect(ctx, begins(ctx, letter), ends(ctx, last));
    return lang_subtract(ctx, out, bad);
}

/* By the rules of a label that is not ASCII, whatever its direction. */
static const Dfa *undirected_label(LangCtx *ctx)
{
    const Dfa *out = lang_repeat(ctx, label_chars(ctx), 1, LANG_INF);
    const Dfa *misplaced = pattern(ctx, "[^]{2}--[^]*|-[^]*|[^]*-|\\p{M}[^]*");
    out = lang_subtract(ctx, out, misplaced);
    out = lang_intersect(ctx, out, rule_contexts(ctx));
    return lang_intersect(ctx, out, rule_joiners(ctx));
}

const Dfa *make_u_label(LangCtx *ctx)
{
    const Dfa *directed = either(ctx, has_no_rtl(ctx), bidi_rtl(ctx));
    return lang_intersect(ctx, undirected_label(ctx), directed);
}

/* a (dot a)* */
static const Dfa *dotted(LangCtx *ctx, const Dfa *a, const Dfa *dot)
{
    return lang_concat(ctx, a, star(ctx, lang_concat(ctx, dot, a)));
}

/* If some label has right-to-left characters, all obey the Bidi rule. */
const Dfa *make_idn_hostname(LangCtx *ctx)
{
    const Dfa *ascii =
        pattern(ctx, "(?![^]{2}--)[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?");
    const Dfa *label = either(ctx, ascii, undirected_label(ctx));
    const Dfa *dot = pattern(ctx, "[.\\u3002\\uFF0E\\uFF61]");
    const Dfa *neutral = lang_intersect(ctx, label, has_no_rtl(ctx));
    const Dfa *rtl = lang_intersect(ctx, label, bidi_rtl(ctx));
    const Dfa *ltr = lang_intersect(ctx, label, bidi_ltr(ctx));
    const Dfa *obedient = dotted(ctx, either(ctx, ltr, rtl), dot);
    return either(ctx, dotted(ctx, neutral, dot), obedient);
}
