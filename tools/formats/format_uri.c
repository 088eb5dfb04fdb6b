/* format_uri.c: uri, uri-reference (RFC 3986, appendix A), iri, iri-reference
 * (RFC 3987, section 2.2), uri-template (RFC 6570). */
#include <stdio.h>

#include "formats/address_patterns.h"
#include "formats/format_make.h"

#define PERCENT "%[0-9A-Fa-f]{2}"
/* unreserved / sub-delims, inside a class. */
#define PLAIN "0-9A-Za-z\\-._~!$&'()*+,;="

/* RFC 3987: iprivate; ucschar; and that without the bidirectional formatting
 * characters that section 4.1 forbids. */
#define PRIVATE "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}"
#define UCS "\\u00A0-\\uD7FF" UCS_FROM_F900
#define UCS_UNFORMATTED \
    "\\u00A0-\\u200D\\u2010-\\u2029\\u202F-\\uD7FF" UCS_FROM_F900
#define UCS_FROM_F900                                                 \
    "\\uF900-\\uFDCF\\uFDF0-\\uFFEF"                                  \
    "\\u{10000}-\\u{1FFFD}\\u{20000}-\\u{2FFFD}\\u{30000}-\\u{3FFFD}" \
    "\\u{40000}-\\u{4FFFD}\\u{50000}-\\u{5FFFD}\\u{60000}-\\u{6FFFD}" \
    "\\u{70000}-\\u{7FFFD}\\u{80000}-\\u{8FFFD}\\u{90000}-\\u{9FFFD}" \
    "\\u{A0000}-\\u{AFFFD}\\u{B0000}-\\u{BFFFD}\\u{C0000}-\\u{CFFFD}" \
    "\\u{D0000}-\\u{DFFFD}\\u{E1000}-\\u{EFFFD}"

/* ---- uri, iri: `ucs` is empty or UCS_UNFORMATTED, `private` or PRIVATE ---- */

/* A character of a part that may also have those of `more`. */
static const Dfa *chars(LangCtx *ctx, const char *more, const char *ucs)
{
    return patternf(ctx, "[" PLAIN "%s%s]|%s", more, ucs, PERCENT);
}

static const Dfa *optional(LangCtx *ctx, const Dfa *a)
{
    return lang_unite(ctx, a, lang_empty());
}

/* "//" authority */
static const Dfa *authority(LangCtx *ctx, const char *ucs)
{
    const Dfa *user = star(ctx, chars(ctx, ":", ucs));
    user = optional(ctx, lang_concat(ctx, user, pattern(ctx, "@")));
    const Dfa *host = star(ctx, chars(ctx, "", ucs));
    host = lang_unite(
        ctx, host,
        pattern(ctx, "\\[(?:" IPV6 "|[Vv][0-9A-Fa-f]+\\.[" PLAIN ":]+)\\]"));
    return lang_concat(ctx, pattern(ctx, "//"),
                       concat3(ctx, user, host, pattern(ctx, "(?::\\d*)?")));
}

/* After the scheme, or, if relative, without one: paths of which the first
 * segment, when nothing stands before it, has no colon. */
static const Dfa *hierarchy(LangCtx *ctx, const char *ucs, bool is_relative)
{
    const Dfa *pchar = chars(ctx, ":@", ucs);
    const Dfa *slash = pattern(ctx, "/");
    const Dfa *more = star(ctx, lang_concat(ctx, slash, star(ctx, pchar)));
    const Dfa *first = is_relative ? chars(ctx, "@", ucs) : pchar;
    const Dfa *rootless =
        lang_concat(ctx, lang_repeat(ctx, first, 1, LANG_INF), more);
    const Dfa *segment = lang_repeat(ctx, pchar, 1, LANG_INF);
    const Dfa *absolute =
        lang_concat(ctx, slash, optional(ctx, lang_concat(ctx, segment, more)));
    const Dfa *path = lang_unite(ctx, optional(ctx, rootless), absolute);
    return lang_unite(ctx, path, lang_concat(ctx, authority(ctx, ucs), more));
}

/* [ "?" query ] [ "#" fragment ] */
static const Dfa *ending(LangCtx *ctx, const char *ucs, const char *private)
{
    char query[1024];
    snprintf(query, sizeof query, "%s%s", ucs, private);
    const Dfa *q = star(ctx, chars(ctx, ":@/?", query));
    const Dfa *f = star(ctx, chars(ctx, ":@/?", ucs));
    return lang_concat(ctx,
                       optional(ctx, lang_concat(ctx, pattern(ctx, "\\?"), q)),
                       optional(ctx, lang_concat(ctx, pattern(ctx, "#"), f)));
}

static const Dfa *absolute(LangCtx *ctx, const char *ucs, const char *private)
{
    return concat3(ctx, pattern(ctx, "[A-Za-z][0-9A-Za-z+\\-.]*:"),
                   hierarchy(ctx, ucs, false), ending(ctx, ucs, private));
}

static const Dfa *reference(LangCtx *ctx, const char *ucs, const char *private)
{
    return lang_unite(
        ctx, absolute(ctx, ucs, private),
        lang_concat(ctx, hierarchy(ctx, ucs, true), ending(ctx, ucs, private)));
}

const Dfa *make_uri(LangCtx *ctx)
{
    return absolute(ctx, "", "");
}

const Dfa *make_uri_reference(LangCtx *ctx)
{
    return reference(ctx, "", "");
}

const Dfa *make_iri(LangCtx *ctx)
{
    return absolute(ctx, UCS_UNFORMATTED, PRIVATE);
}

const Dfa *make_iri_reference(LangCtx *ctx)
{
    return reference(ctx, UCS_UNFORMATTED, PRIVATE);
}

/* ---- uri-template ---- */

/* The operators that RFC 6570 keeps for later (= , ! @ |) are of no level, so
 * not taken. Its erratum 6937 adds the apostrophe to the literals. */
const Dfa *make_uri_template(LangCtx *ctx)
{
#define LITERAL "(?:[!#-$&-;=?-\\[\\]_a-z~" UCS PRIVATE "]|" PERCENT ")"
#define VARCHAR "(?:[0-9A-Za-z_]|" PERCENT ")"
#define VARSPEC VARCHAR "(?:\\.?" VARCHAR ")*(?::[1-9]\\d{0,3}|\\*)?"
    return pattern(ctx, "(?:" LITERAL "|\\{[+#./;?&]?" VARSPEC "(?:," VARSPEC
                        ")*\\})*");
}
