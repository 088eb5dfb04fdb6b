/* format_net.c: ipv4, ipv6, hostname, email, idn-email. */
#include "formats/address_patterns.h"
#include "formats/format_make.h"

const Dfa *make_ipv4(LangCtx *ctx)
{
    return pattern(ctx, IPV4);
}

const Dfa *make_ipv6(LangCtx *ctx)
{
    return pattern(ctx, IPV6);
}

/* RFC 1123, section 2.1: labels of at most 63 letters, digits and hyphens.
 * Labels that begin with xn-- are left out: whether one is an A-label takes
 * Punycode to say, which no automaton of tolerable size does. */
const Dfa *make_hostname(LangCtx *ctx)
{
#define LABEL "(?![Xx][Nn]--)[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
    return pattern(ctx, LABEL "(?:\\." LABEL ")*");
}

/* RFC 5321, section 4.1.2, Mailbox, and 4.1.3. "::" stands for two groups or
 * more there. Of address literals with a tag, only IPv6 is registered. */
#define SNUM "(?:25[0-5]|2[0-4]\\d|[01]?\\d{1,2})"
#define LITERAL4 "(?:" SNUM "\\.){3}" SNUM

/* `before` groups, "::", and with those at most six, or at most four and an
 * IPv4 address. */
static const Dfa *shortened(LangCtx *ctx, int before)
{
    const Dfa *head = pattern(ctx, "::"), *tail = lang_empty();
    if (before) head = patternf(ctx, H16 "(?::" H16 "){%d}::", before - 1);
    if (before < 6)
        tail = patternf(ctx, "(?:" H16 "(?::" H16 "){0,%d})?", 5 - before);
    if (before <= 4)
        tail = lang_unite(
            ctx, tail,
            patternf(ctx, "(?:" H16 ":){0,%d}" LITERAL4, 4 - before));
    return lang_concat(ctx, head, tail);
}

static const Dfa *address_literal(LangCtx *ctx)
{
    const Dfa *six =
        pattern(ctx, "(?:" H16 ":){6}(?:" H16 ":" H16 "|" LITERAL4 ")");
    for (int before = 0; before <= 6; before++)
        six = lang_unite(ctx, six, shortened(ctx, before));
    six = lang_concat(ctx, pattern(ctx, "[Ii][Pp][Vv]6:"), six);
    const Dfa *address = lang_unite(ctx, six, pattern(ctx, LITERAL4));
    return concat3(ctx, pattern(ctx, "\\["), address, pattern(ctx, "\\]"));
}

/* atext / more: code points beyond ASCII, as in a class. */
#define ATEXT "[0-9A-Za-z!#$%%&'*+\\-/=?^_`\\{|\\}~%s]"

static const Dfa *local_part(LangCtx *ctx, const char *more)
{
    return patternf(ctx,
                    ATEXT "+(?:\\." ATEXT "+)*"
                          "|\"(?:[ !#-\\[\\]-~%s]|\\\\[ -~])*\"",
                    more, more, more);
}

static const Dfa *mailbox(LangCtx *ctx, const Dfa *local, const Dfa *label)
{
    const Dfa *more = lang_concat(ctx, pattern(ctx, "\\."), label);
    const Dfa *domain = lang_concat(ctx, label, star(ctx, more));
    domain = lang_unite(ctx, domain, address_literal(ctx));
    return concat3(ctx, local, pattern(ctx, "@"), domain);
}

#define SUB_DOMAIN "[0-9A-Za-z](?:[0-9A-Za-z-]*[0-9A-Za-z])?"

const Dfa *make_email(LangCtx *ctx)
{
    return mailbox(ctx, local_part(ctx, ""), pattern(ctx, SUB_DOMAIN));
}

/* RFC 6531, section 3.3. */
const Dfa *make_idn_email(LangCtx *ctx)
{
    const Dfa *label =
        lang_unite(ctx, pattern(ctx, SUB_DOMAIN), make_u_label(ctx));
    return mailbox(ctx, local_part(ctx, "\\u0080-\\u{10FFFF}"), label);
}
