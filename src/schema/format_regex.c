/* format_regex.c: regular languages below and above that of format "regex".
 *
 * Beside other keywords on strings the rule of emit_regex.c is of no use: sets
 * are computed with automata. So there the expressions whose groups are nested
 * at most NESTED deep, assertions not in groups, stand for all of them; and for
 * the complement those texts that are surely none.
 * Source: ECMA-262, Annex B not included, section 22.2.1 (Patterns).
 * Tests:  unit/schema_test.c.
 */
#include "schema/set.h"
#include "syntax/regex.h"

enum { NESTED = 2 };

static const Dfa *language(Sets *s, const char *pattern)
{
    return regex_dfa(&s->lang, span_text(pattern), NULL, &s->ir->limits, NULL);
}

/* Ranges of a class, in the right order. */
static const Dfa *ranges(Sets *s)
{
    static const char spans[][2] = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
    const Dfa *all = lang_none(), *dash = lang_text(&s->lang, SPAN("-"));
    for (uint32_t i = 0; i < COUNT_OF(spans); i++)
        for (uint32_t c = (uint8_t)spans[i][0]; c <= (uint8_t)spans[i][1];
             c++) {
            RuneRange low = {c, c}, high = {c, (uint8_t)spans[i][1]};
            const Dfa *range =
                lang_concat(&s->lang, lang_class(&s->lang, &low, 1), dash);
            range =
                lang_concat(&s->lang, range, lang_class(&s->lang, &high, 1));
            all = lang_unite(&s->lang, all, range);
        }
    return all;
}

#define CODES                                                  \
    "c[A-Za-z]|x[0-9A-Fa-f]{2}|u[0-9A-CEFa-cef][0-9A-Fa-f]{3}" \
    "|u[Dd][0-7][0-9A-Fa-f]{2}|u\\{0{0,8}[0-9A-Fa-f]{1,5}\\}"

static const Dfa *class(Sets *s)
{
    const Dfa *open = language(s, "\\[\\^?");
    const Dfa *one = language(s, "[^\\x00-\\x1f\\\\\\[\\]^-]|"
                                 "\\\\(?:[\\^$.*+?()[\\]{}|/\\\\-]|"
                                 "[dDwWsStnvfrb]|0|" CODES ")");
    const Dfa *item = lang_unite(&s->lang, one, ranges(s));
    item = lang_repeat(&s->lang, item, 0, LANG_INF);
    item = lang_concat(&s->lang, open, item);
    return lang_concat(&s->lang, item, lang_text(&s->lang, SPAN("]")));
}

static const Dfa *between(Sets *s, const char *open, const Dfa *inside)
{
    const Dfa *all = lang_concat(&s->lang, language(s, open), inside);
    return lang_concat(&s->lang, all, lang_text(&s->lang, SPAN(")")));
}

const Dfa *format_regex_few(Sets *s)
{
    LangCtx *lang = &s->lang;
    const Dfa *marks = language(s, "[\\^$|]|\\\\[bB]");
    const Dfa *atom = language(s, "[^\\x00-\\x1f\\\\\\^$*+?()[\\]{}|]|"
                                  "\\\\(?:[\\^$.*+?()[\\]{}|/\\\\]|"
                                  "[dDwWsStnvfr]|" CODES ")");
    const Dfa *count = language(s, "(?:(?:[*+?]|\\{(?:0|[1-9][0-9]{0,5}),?\\}|"
                                   "\\{0,(?:0|[1-9][0-9]{0,5})\\})[?]?)?");
    atom = lang_unite(lang, atom, class(s));
    const Dfa *body = lang_concat(lang, atom, count);
    body = lang_repeat(lang, lang_unite(lang, body, marks), 0, LANG_INF);
    const Dfa *look = NULL;
    for (uint32_t i = 0; i < NESTED; i++) {
        look = between(s, "\\(\\?<?[=!]", body);
        const Dfa *group = between(s, "\\((?:\\?:)?", body);
        const Dfa *term = lang_unite(lang, atom, group);
        term = lang_unite(lang, lang_concat(lang, term, count), marks);
        body = lang_repeat(lang, term, 0, LANG_INF);
    }
    return lang_repeat(lang, lang_unite(lang, body, look), 0, LANG_INF);
}

const Dfa *format_regex_most(Sets *s)
{
    return language(s, "(?![*+?)])(?:(?:[^\\\\]|\\\\[^])*(?:[^\\\\(\\[]|"
                       "\\\\[^]))?");
}
