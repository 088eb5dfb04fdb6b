/* format_test.c: the languages of the formats.
 *
 * Three judges: cases written from the RFCs, here; recognisers of another kind
 * (calendar arithmetic, inet_pton, a URI cut by RFC 3986's appendix B, a
 * duration read unit by unit) on many texts; and the official test suite,
 * where it is found. What is known to differ from the suite is listed with its
 * reason; a difference that is gone must leave the list. That the tables are
 * what tools/formats makes is another test, format_tables_test. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "schema/format.h"
#include "text/json.h"
#include "unit/faulty_mem.h"

/* ---- a context ---- */

static struct World {
    Mem mem;
    Arena arena;
    weir_error error;
    LangCtx ctx;
    FormatCache cache;
} world;

static int open_world(void **state)
{
    (void)state;
    world.mem = mem_from_env(NULL);
    arena_init(&world.arena, &world.mem, 0);
    lang_init(&world.ctx, &world.mem, &world.arena, NULL, &world.error);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    arena_free(&world.arena);
    return 0;
}

static const Dfa *language(FormatKind kind)
{
    const Dfa *dfa = format_language(&world.ctx, &world.cache, kind);
    assert_true(lang_ok(&world.ctx));
    return dfa;
}

static uint32_t count_runes(Span text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.size; i++)
        count += ((uint8_t)text.at[i] & 0xC0) != 0x80;
    return count;
}

static bool is_valid(FormatKind kind, Span text)
{
    return lang_matches(language(kind), text) &&
           count_runes(text) <= format_max_length(kind);
}

static void expect(FormatKind kind, const char *text, bool valid)
{
    if (is_valid(kind, span_text(text)) != valid)
        fail_msg("%s: \"%s\" is %svalid", format_name(kind), text,
                 valid ? "" : "not ");
}

/* ---- names ---- */

static void test_names(void **state)
{
    (void)state;
    for (int kind = 1; kind < FORMAT_KINDS; kind++) {
        const char *name = format_name((FormatKind)kind);
        assert_int_equal(format_find(span_text(name)), kind);
        bool is_regular = kind != FORMAT_REGEX;
        assert_int_equal(language((FormatKind)kind) != NULL, is_regular);
    }
    const char *unknown[] = {"", "Date", "date ", "datetime", "color", "uri_"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        assert_int_equal(format_find(span_text(unknown[i])), FORMAT_UNKNOWN);
    assert_null(language(FORMAT_UNKNOWN));
}

/* ---- cases from the RFCs ---- */

typedef struct Case {
    FormatKind kind;
    const char *valid[12], *invalid[16];
} Case;

static const Case cases[] = {
    {FORMAT_DATE_TIME,
     /* examples of RFC 3339, section 5.8 */
     {"1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00",
      "1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00",
      "1937-01-01T12:00:27.87+00:20", "2024-02-29t00:00:00z",
      "2017-01-01T05:44:60+05:45", "2016-12-31T23:59:60.999-00:00"},
     {"1985-04-12 23:20:50Z", "1985-04-12T23:20Z", "1985-04-12T23:20:50",
      "2023-02-29T00:00:00Z", "1985-04-12T23:20:50.Z", "85-04-12T23:20:50Z",
      "2017-01-01T05:44:60+05:30", "1985-04-12T24:00:00Z",
      "1985-04-12T23:20:50+24:00", "1985-04-12T23:20:50+0100",
      "1990-12-31T23:59:60+01:00", "1985-04-12T23:20:50,5Z", ""}},
    {FORMAT_TIME,
     {"00:00:00Z", "23:59:59.000000001+23:59", "23:59:60z", "00:59:60+01:00"},
     {"00:00:00", "23:60:00Z", "00:58:60+01:00", "23:59:61Z", "1:00:00Z",
      "00:00:00+1:00", "00:00:00 Z", "T00:00:00Z"}},
    {FORMAT_DATE,
     {"0000-02-29", "9999-12-31", "2000-02-29"},
     {"1900-02-29", "2001-00-01", "2001-01-00", "2001-01", "2001-1-01",
      "2001-01-01 ", "-001-01-01", "2001-13-01"}},
    {FORMAT_DURATION,
     {"P1Y", "P1Y2M3DT4H5M6S", "PT1M", "P1M", "P3W", "P1DT1S", "p1yt1h", "PT0S",
      "P007D"},
     {"P", "PT", "P1", "P1YT", "P1Y1D", "PT1H1S", "P1W1D", "P1DT", "1D", "P1S",
      "P1.5D", "PT1,5S", "P1D1M", "P-1D", "PW"}},
    {FORMAT_UUID,
     /* the example, and the nil and max identifiers, of RFC 9562 */
     {"f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
      "00000000-0000-0000-0000-000000000000",
      "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"},
     {"f81d4fae7dec11d0a76500a0c91e6bf6",
      "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}",
      "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
      "g81d4fae-7dec-11d0-a765-"
      "00a0c91e6bf6",
      "f81d4fae-7dec-11d0-a765-00a0c91e6bf60"}},
    {FORMAT_IPV4,
     {"0.0.0.0", "255.255.255.255", "1.20.100.249"},
     {"256.1.1.1", "1.1.1.1.1", "1.1.1", "01.1.1.1", "1.1.1.", "1..1.1",
      "0x1.1.1.1", "1.1.1.1 "}},
    {FORMAT_IPV6,
     /* RFC 4291, section 2.2 */
     {"ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "2001:DB8::8:800:200C:417A",
      "FF01::101", "::1", "::", "0:0:0:0:0:0:13.1.68.3", "::FFFF:129.144.52.38",
      "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8"},
     {"1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1",
      "1:", ":::", "1:2:3:4:5:6:7::8", "12345::", "::1.2.3", "::1.2.3.4:1",
      "1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "fe80::1%eth0", "[::1]", "::01.2.3.4",
      "2001:DB8:0:0:8:800:200C:417G"}},
    {FORMAT_EMAIL,
     {"user@example.com", "a.b+c@x", "!#$%&'*+-/=?^_`{|}~@a--b.c", "\"\"@x",
      "\"a\\\"b@ c\"@x.y", "u@[192.0.2.1]", "u@[IPv6:2001:db8::1]",
      "u@[ipv6:::ffff:192.0.2.1]", "u@[IPv6:1:2:3:4:5:6:7:8]",
      "u@[IPv6:1:2:3:4:5:6::]", "u@[001.2.3.4]", "0@0"},
     {"user", "@x", "user@", ".a@x", "a.@x", "a..b@x", "a b@x", "a@-x", "a@x-",
      "a@x..y", "\"a\"b@x", "a@[IPv6:1:2:3:4:5:6:7::]", "a@[1.2.3.256]",
      "a@[x:y]", "a@x.", "\xC3\xA9@x"}},
    {FORMAT_IDN_EMAIL,
     {"user@example.com", "\xC3\xA9@\xC3\xA9.fr", "\"\xE4\xB8\xAD\"@x",
      "a@\xD7\x90\xD7\x91.com", "a@xn--x"},
     {"a@\xC3\xA9-", "a@-\xC3\xA9", "a@\xCC\x81x", "a@\xC3\x89", "\xC3\xA9",
      "a@\xE2\x82\xAC.com", "a@\xD7\x90z", "\"\\\xC3\xA9\"@x"}},
    {FORMAT_HOSTNAME,
     {"a", "3com.com", "A-1.b", "ab--cd.e", "xn-a", "axn--b", "1.2.3.4"},
     {"", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "xn--", "xn--a.b",
      "a.XN--b", "a.-b", "a-.b", "a b", "\xC3\xA9"}},
    {FORMAT_URI,
     /* RFC 3986, section 1.1.2 */
     {"ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?o?o",
      "mailto:John.Doe@example.com", "telnet://192.0.2.16:80/",
      "a:", "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "a://",
      "a:/", "http://u:p@h:?q/?#f/?", "x+-.1://[v1.:]", "a:%41//b", "a:b:c@d"},
     {"", "a", "//a", "1:", ":a", "a://[::1", "a://::1", "a:%4", "a:%4g",
      "a: b", "a:#b#c", "a:[", "a://b:c", "a://a@b@c", "a:\xC3\xA9",
      "a://[v.a]"}},
    {FORMAT_URI_REFERENCE,
     /* RFC 3986, section 5.4 */
     {"g:h", "./g", "/g", "//g", "?y", "g?y#s", ";x", "", "../../g",
      "g;x=1/../y", "./a:b", "a/b:c"},
     {"1:b", ":", "%", "a b", "##", "\\", "//[", "[", "\"", "a|b", "//a:b"}},
    {FORMAT_IRI,
     {"http://r\xC3\xA9sum\xC3\xA9.example.org", "a:\xF0\x90\x8C\x80",
      "a:?\xEE\x80\x80", "http://\xC3\xA9@\xC3\xA9/\xC3\xA9#\xC3\xA9"},
     /* private use in a path, right-to-left mark, a noncharacter */
     {"a:\xEE\x80\x80", "a:\xE2\x80\x8F", "a:\xF0\x9F\xBF\xBE",
      "\xC3\xA9:", "a:#\xEE\x80\x80", "a: ", "a:<>", "http://[\xC3\xA9]"}},
    {FORMAT_IRI_REFERENCE,
     {"\xC3\xA9", "", "//\xC3\xA9", "?\xEE\x80\x80", "\xC3\xA9/a:b"},
     {"\xC3\xA9:b", "\xEE\x80\x80", "a\\b", "\xE2\x80\xAE"}},
    {FORMAT_URI_TEMPLATE,
     /* RFC 6570, section 1.2 */
     {"{var}", "{+path}/here", "X{#hello,x}", "map?{x,y}", "{.x,y}",
      "{/var:1,var}", "{;x,y,empty}", "{?x*}", "{&keys*}", "a.{b.c_1}",
      "{%41b:9999}", "\xC3\xA9'{x}"},
     {"{", "}", "{}", "{x", "{x:0}", "{x:12345}", "{x**}", "{x:1*}", "{x.}",
      "{.}", "{=x}", "{x,}", "a<b", "%", "a\"b", "{x y}"}},
    {FORMAT_JSON_POINTER,
     /* RFC 6901, section 5 */
     {"", "/foo", "/foo/0", "/", "/a~1b", "/c%d", "/e^f", "/k\"l", "/ ",
      "/m~0n", "//", "/\xC3\xA9\n"},
     {"a", "#/a", "/~", "/~2", "/a~", "~0", " /"}},
    {FORMAT_RELATIVE_JSON_POINTER,
     {"0", "1/0", "2/highly/nested/objects", "0#", "10#", "0/"},
     {"", "/a", "-1", "01", "00", "0##", "1a", "0#/a", "0/~", "+1"}},
    {FORMAT_IDN_HOSTNAME,
     {"a",
      "b\xC3\xBC"
      "cher.example",
      "\xE4\xBE\x8B\xE3\x80\x82jp", "\xD7\x90\xD7\x91.com", "\xD8\xA7\xD9\xA1",
      "l\xC2\xB7l", "A-1.\xC3\xA9", "\xE0\xA4\x95\xE0\xA5\x8D\xE2\x80\x8D",
      "3.\xC3\xA9", "\xE3\x82\xA2\xE3\x83\xBB"},
     /* upper case; symbol; mark first; hyphens; bidi: digits in front, a left-
      * to-right label that begins with a digit beside a right-to-left one */
     {"\xC3\x89", "\xE2\x82\xAC", "\xCC\x81x", "-\xC3\xA9", "\xC3\xA9-",
      "ab--\xC3\xA9", "xn--a", "1\xD7\x90", "1.\xD7\x90", "\xD7\x90z",
      "l\xC2\xB7m", "\xE2\x80\x8D", "\xE3\x83\xBB", "\xD8\xA7\xD9\xA1\xDB\xB1",
      "a\xE3\x80\x82", "ab--cd"}},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const Case *c = &cases[i];
        for (size_t k = 0; k < COUNT_OF(c->valid) && c->valid[k]; k++)
            expect(c->kind, c->valid[k], true);
        for (size_t k = 0; k < COUNT_OF(c->invalid) && c->invalid[k]; k++)
            expect(c->kind, c->invalid[k], false);
    }
}

/* Labels of 63 letters, and 253 in all. */
static void test_hostname_lengths(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 70; size++) {
        char text[80];
        memset(text, 'a', size);
        text[size] = 0;
        expect(FORMAT_HOSTNAME, text, size <= 63);
        memcpy(text + size, ".b", 3);
        expect(FORMAT_HOSTNAME, text, size <= 63);
    }
    for (size_t size = 240; size <= 260; size++) {
        char text[264];
        for (size_t i = 0; i < size; i++) text[i] = i % 50 == 49 ? '.' : 'a';
        text[size - 1] = 'a';
        text[size] = 0;
        expect(FORMAT_HOSTNAME, text, size <= 253);
        expect(FORMAT_IDN_HOSTNAME, text, size <= 253);
    }
}

/* ---- other recognisers ---- */

static bool is_date(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1) return false;
    return day <= days[month - 1] + (month == 2 && is_leap);
}

static void judge_date(int year, int month, int day)
{
    char text[40];
    snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
    expect(FORMAT_DATE, text, is_date(year, month, day));
}

/* All years around the end of February; all days of some years. */
static void test_calendar(void **state)
{
    (void)state;
    for (int year = 0; year <= 9999; year++) {
        for (int day = 28; day <= 30; day++) judge_date(year, 2, day);
        for (int n = 0; year % 1111 == 4 && n < 10000; n++)
            judge_date(year, n / 100, n % 100);
    }
}

/* A second 60 is 23:59:60 in UTC, at an offset of whole quarters. */
static void test_leap_seconds(void **state)
{
    (void)state;
    for (int local = 0; local < 1440; local++)
        for (int offset = -1439; offset <= 1439; offset++) {
            if (offset % 5) continue;
            int ahead = offset < 0 ? -offset : offset;
            bool is_last = (local - offset + 2880) % 1440 == 1439;
            char text[40] = "2016-12-31T";
            snprintf(text + 11, sizeof text - 11, "%02d:%02d:60%c%02d:%02d",
                     local / 60, local % 60, offset < 0 ? '-' : '+', ahead / 60,
                     ahead % 60);
            expect(FORMAT_TIME, text + 11, is_last && offset % 15 == 0);
            expect(FORMAT_DATE_TIME, text, is_last && offset % 15 == 0);
        }
}

/* Any two digits in each place of a time, one or two places at once. */
static void test_clock(void **state)
{
    (void)state;
    static const int most[] = {23, 59, 59, 23, 59};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            for (int n = 0; n < 10000; n++) {
                int at[5] = {12, 34, 56, 7, 0};
                at[i] = n / 100;
                at[k] = n % 100;
                bool valid = at[i] <= most[i] && at[k] <= most[k];
                if (at[2] == 60) continue;
                char text[40];
                snprintf(text, sizeof text, "%02d:%02d:%02d%s%02d:%02d", at[0],
                         at[1], at[2], n % 7 ? "+" : ".90125-", at[3], at[4]);
                expect(FORMAT_TIME, text, valid);
            }
}

/* Every character in every place. */
static void test_uuid(void **state)
{
    (void)state;
    for (int place = 0; place < 36; place++)
        for (int c = 1; c < 128; c++) {
            char text[] = "01234567-89ab-cdef-ABCD-EF0123456789";
            bool is_hyphen = text[place] == '-';
            text[place] = (char)c;
            bool is_digit = strchr("0123456789abcdefABCDEF", c) != NULL;
            expect(FORMAT_UUID, text, is_hyphen ? c == '-' : is_digit);
        }
}

/* Reads units of `units` in order, without a gap; false if there are none, or
 * something else comes. */
static bool read_units(const char **at, const char *units)
{
    const char *next = NULL;
    while (**at == '1') {
        while (**at == '1') ++*at;
        const char *unit = **at ? strchr(units, **at) : NULL;
        if (!unit || (next && unit != next)) return false;
        next = unit + 1;
        ++*at;
    }
    return next != NULL;
}

static bool is_duration(const char *text)
{
    if (*text++ != 'P') return false;
    const char *weeks = text;
    if (read_units(&weeks, "W") && !*weeks) return true;
    if (*text != 'T' && !read_units(&text, "YMD")) return false;
    if (!*text) return true;
    return *text++ == 'T' && read_units(&text, "HMS") && !*text;
}

/* Calls `judge` for every text of at most `longest` of the letters. */
static void each_text(const char *letters, size_t longest,
                      void (*judge)(const char *text))
{
    char text[16] = "";
    size_t index[16] = {0}, size = 0, count = strlen(letters);
    assert_true(longest < sizeof text);
    for (;;) {
        judge(text);
        if (size < longest) {
            index[size] = 0;
        } else {
            while (size && index[size - 1] + 1 == count) size--;
            if (!size) return;
            index[--size]++;
        }
        text[size] = letters[index[size]];
        text[++size] = 0;
    }
}

static void judge_duration(const char *text)
{
    char whole[16] = "P";
    strcat(whole, text);
    expect(FORMAT_DURATION, whole, is_duration(whole));
}

static void test_durations(void **state)
{
    (void)state;
    each_text("1YMDWTHS", 6, judge_duration);
}

static uint32_t random_next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* An address with something wrong now and then. */
static void random_address(uint32_t *seed, char *text, size_t room)
{
    static const char *const pieces[] = {
        "1",         "ab", "FFFF", "0",     "12345", "::",  ":",
        ":",         ":2", ":33:", "4:5:6", "a:b:c", "g",   "1.2.3.4",
        "255.1.0.9", ".",  "256",  "01",    "10.9",  ":7:8"};
    *text = 0;
    uint32_t count = 1 + random_next(seed) % 9;
    for (uint32_t i = 0; i < count; i++) {
        const char *piece = pieces[random_next(seed) % COUNT_OF(pieces)];
        if (strlen(text) + strlen(piece) < room) strcat(text, piece);
    }
}

static void test_addresses(void **state)
{
    (void)state;
    uint32_t seed = 1, valid = 0;
    for (int i = 0; i < 500000; i++) {
        char text[64];
        uint8_t bytes[16];
        random_address(&seed, text, sizeof text);
        bool is_six = inet_pton(AF_INET6, text, bytes) == 1;
        valid += is_six;
        expect(FORMAT_IPV6, text, is_six);
        expect(FORMAT_IPV4, text, inet_pton(AF_INET, text, bytes) == 1);
    }
    assert_true(valid > 5000);
}

/* ---- URIs ---- */

static bool all_of(const char *at, const char *end, const char *more)
{
    static const char plain[] = "ab1.-!";
    for (; at < end; at++) {
        if (*at == '%') {
            if (end - at < 3 || !strchr("ab1", at[1]) || !strchr("ab1", at[2]))
                return false;
            at += 2;
        } else if (!strchr(plain, *at) && !strchr(more, *at)) {
            return false;
        }
    }
    return true;
}

static bool is_host(const char *at, const char *end)
{
    char address[16] = "";
    uint8_t bytes[16];
    if (at == end || *at != '[') return all_of(at, end, "");
    if (end[-1] != ']' || end - at < 2) return false;
    memcpy(address, at + 1, (size_t)(end - at - 2));
    return inet_pton(AF_INET6, address, bytes) == 1;
}

static bool is_authority(const char *at, const char *end)
{
    const char *user = memchr(at, '@', (size_t)(end - at));
    if (user && !all_of(at, user, ":")) return false;
    if (user) at = user + 1;
    const char *port = end;
    while (port > at && port[-1] == '1') port--;
    if (port > at && port[-1] == ':' && is_host(at, port - 1)) return true;
    return is_host(at, end);
}

/* Cuts by appendix B; then each part has its characters. */
static bool is_reference(const char *text, bool *has_scheme)
{
    const char *at = text, *end = text + strcspn(text, "#");
    if (*end && !all_of(end + 1, end + strlen(end), ":@/?")) return false;
    const char *path_end = text + strcspn(text, "?#");
    if (path_end < end && !all_of(path_end + 1, end, ":@/?")) return false;
    const char *colon = text + strcspn(text, ":/?#");
    *has_scheme = *colon == ':';
    if (*has_scheme) {
        if (!strchr("ab", *text) || colon == text) return false;
        for (; at < colon; at++)
            if (!strchr("ab1.-", *at)) return false;
        at++;
    }
    if (at[0] == '/' && at[1] == '/') {
        const char *slash = at + 2 + strcspn(at + 2, "/?#");
        if (!is_authority(at + 2, slash)) return false;
        at = slash;
    }
    return all_of(at, path_end, ":@/");
}

static void judge_uri(const char *text)
{
    bool has_scheme;
    bool valid = is_reference(text, &has_scheme);
    expect(FORMAT_URI_REFERENCE, text, valid);
    expect(FORMAT_IRI_REFERENCE, text, valid);
    expect(FORMAT_URI, text, valid && has_scheme);
    expect(FORMAT_IRI, text, valid && has_scheme);
}

static void judge_authority(const char *text)
{
    char whole[24] = "a://";
    judge_uri(strcat(whole, text));
}

static void test_uris(void **state)
{
    (void)state;
    each_text("a1:/?#@[%!^", 5, judge_uri);
    each_text("1:@[]/%a", 6, judge_authority);
}

/* RFC 3987, section 2.2, but for section 4.1's formatting characters. */
static bool is_ucs(uint32_t rune)
{
    if (rune == 0x200E || rune == 0x200F || (rune >= 0x202A && rune <= 0x202E))
        return false;
    if (rune < 0x10000)
        return (rune >= 0xA0 && rune <= 0xD7FF) ||
               (rune >= 0xF900 && rune <= 0xFDCF) ||
               (rune >= 0xFDF0 && rune <= 0xFFEF);
    bool is_private = rune >= 0xF0000 || (rune >= 0xE0000 && rune < 0xE1000);
    return !is_private && (rune & 0xFFFF) <= 0xFFFD;
}

static bool is_private_use(uint32_t rune)
{
    if (rune < 0x10000) return rune >= 0xE000 && rune <= 0xF8FF;
    return rune >= 0xF0000 && (rune & 0xFFFF) <= 0xFFFD;
}

/* Each code point in each part. */
static void test_iri_characters(void **state)
{
    (void)state;
    static const char *const parts[] = {"a:?",    "a:",  "a:#", "a://",
                                        "a://b@", "a:/", "a:b/"};
    for (uint32_t rune = 0x80; rune <= RUNE_MAX; rune++) {
        uint8_t bytes[5] = {0};
        if (!utf8_encode(rune, bytes)) continue;
        bool ucs = is_ucs(rune);
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            char text[16];
            snprintf(text, sizeof text, "%s%s", parts[i], (char *)bytes);
            expect(FORMAT_IRI, text, ucs || (!i && is_private_use(rune)));
            expect(FORMAT_IRI_REFERENCE, text + 2,
                   ucs || (!i && is_private_use(rune)));
        }
    }
}

/* ---- host names ---- */

static bool is_label(const char *at, size_t size)
{
    bool is_ace = size >= 4 && strchr("xX", at[0]) && strchr("nN", at[1]) &&
                  at[2] == '-' && at[3] == '-';
    return size && size <= 63 && at[0] != '-' && at[size - 1] != '-' && !is_ace;
}

static bool is_hostname(const char *text)
{
    if (strlen(text) > 253) return false;
    for (;; text++) {
        size_t size = strcspn(text, ".");
        if (!is_label(text, size)) return false;
        text += size;
        if (!*text) return true;
    }
}

static void test_hostnames(void **state)
{
    (void)state;
    static const char letters[] = "xXnN-aZ09-xn";
    uint32_t seed = 2, valid = 0;
    for (int i = 0; i < 200000; i++) {
        char text[300];
        size_t size = random_next(&seed) % (i % 2 ? 280 : 12), label = 0;
        size_t longest = 50 + random_next(&seed) % 15;
        for (size_t k = 0; k < size; k++) {
            bool is_end = label == longest || random_next(&seed) % 200 == 0;
            text[k] = is_end ? '.' : letters[random_next(&seed) % 12];
            label = is_end ? 0 : label + 1;
        }
        text[size] = 0;
        valid += is_hostname(text);
        expect(FORMAT_HOSTNAME, text, is_hostname(text));
    }
    assert_true(valid > 20000);
}

/* ---- the official suite ---- */

typedef struct Known {
    const char *format, *test; /* by its description */
} Known;

/* Whether a label that begins with xn-- is valid takes a Punycode decoder to
 * say, so that the language has none of them. */
static const Known a_labels[] = {
    {"hostname", "a valid host name (example.test in Hangul)"},
    {"hostname", "Exceptions that are PVALID, left-to-right chars"},
    {"hostname", "Exceptions that are PVALID, right-to-left chars"},
    {"hostname", "MIDDLE DOT with surrounding 'l's"},
    {"hostname", "Greek KERAIA followed by Greek"},
    {"hostname", "Hebrew GERESH preceded by Hebrew"},
    {"hostname", "Hebrew GERSHAYIM preceded by Hebrew"},
    {"hostname", "KATAKANA MIDDLE DOT with Hiragana"},
    {"hostname", "KATAKANA MIDDLE DOT with Katakana"},
    {"hostname", "KATAKANA MIDDLE DOT with Han"},
    {"hostname",
     "Arabic-Indic digits not mixed with Extended Arabic-Indic digits"},
    {"hostname",
     "Extended Arabic-Indic digits not mixed with Arabic-Indic digits"},
    {"hostname", "ZERO WIDTH JOINER preceded by Virama"},
    {"hostname", "ZERO WIDTH NON-JOINER preceded by Virama"},
    {"hostname",
     "ZERO WIDTH NON-JOINER not preceded by Virama but matches regexp"},
    {"idn-hostname", "valid Chinese Punycode"},
};

/* The length of a label's A-label takes Punycode to say, too. Counting the
 * code points alone would take a million edges. */
static const Known long_labels[] = {
    {"idn-hostname", "a single label of 64 characters is too long"},
    {"idn-hostname",
     "a U-label whose A-label form is longer than 63 octets is invalid"},
};

static bool is_known(const Known *list, size_t count, const char *format,
                     Span test)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].format, format) &&
            span_equal(test, span_text(list[i].test)))
            return true;
    return false;
}

#define SUITE "../shared/data/json-schema-test-suite/tests"

static struct Tally {
    size_t judged, missed, wrong;
} tally;

static void judge_test(const Json *json, JsonId test, FormatKind kind)
{
    JsonId data = json_get(json, test, "data");
    Span title = json_string(json, json_get(json, test, "description"));
    bool valid = json_bool(json, json_get(json, test, "valid"), false);
    const char *format = format_name(kind);
    tally.judged++;
    if (json_kind(json, data) != JSON_STRING || kind == FORMAT_UNKNOWN) {
        assert_true(valid); /* a format says nothing of it */
        return;
    }
    bool says = is_valid(kind, json_string(json, data));
    bool misses = is_known(a_labels, COUNT_OF(a_labels), format, title);
    bool errs = is_known(long_labels, COUNT_OF(long_labels), format, title);
    if (says != (misses ? false : errs ? true : valid))
        fail_msg("%s: %.*s: %s", format, (int)title.size,
                 (const char *)title.at,
                 misses || errs ? "no longer an exception"
                 : valid        ? "refused"
                                : "taken");
    tally.missed += valid && !says;
    tally.wrong += says && !valid;
}

static void judge_file(const Json *json)
{
    for (JsonIter group = json_iter(json, JSON_ROOT); json_step(&group);) {
        JsonId schema = json_get(json, group.value, "schema");
        Span name = json_string(json, json_get(json, schema, "format"));
        FormatKind kind = format_find(name);
        if (kind == FORMAT_REGEX) continue;
        JsonId tests = json_get(json, group.value, "tests");
        for (JsonIter test = json_iter(json, tests); json_step(&test);)
            judge_test(json, test.value, kind);
    }
}

/* False if there is no such file. */
static bool judge_path(const char *path)
{
    enum { ROOM = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char *text = malloc(ROOM);
    size_t size = fread(text, 1, ROOM, file);
    assert_true(size < ROOM && feof(file));
    fclose(file);
    Json json;
    weir_error error;
    assert_true(
        json_parse(&json, &world.mem, span_of(text, size), NULL, &error));
    judge_file(&json);
    json_free(&json);
    free(text);
    return true;
}

static void judge_draft(const char *draft)
{
    size_t nfiles = 0;
    memset(&tally, 0, sizeof tally);
    for (int kind = 0; kind < FORMAT_KINDS; kind++) {
        const char *name = kind ? format_name((FormatKind)kind) : "unknown";
        char path[512];
        snprintf(path, sizeof path, SUITE "/%s/optional/format/%s.json", draft,
                 name);
        nfiles += judge_path(path);
    }
    if (!nfiles) {
        print_message("%s: no test suite\n", draft);
        skip();
    }
    print_message("%s: %zu files, %zu tests: %zu valid ones refused, %zu "
                  "invalid ones taken\n",
                  draft, nfiles, tally.judged, tally.missed, tally.wrong);
    assert_int_equal(tally.missed, COUNT_OF(a_labels));
    assert_int_equal(tally.wrong, COUNT_OF(long_labels));
    assert_true(tally.missed + tally.wrong < tally.judged / 20);
}

static void test_suite_2020(void **state)
{
    (void)state;
    judge_draft("draft2020-12");
}

static void test_suite_7(void **state)
{
    (void)state;
    judge_draft("draft7");
}

/* ---- the tables ---- */

/* What two complements make is in the one form of its language. */
static void test_form(void **state)
{
    (void)state;
    for (int kind = 1; kind < FORMAT_REGEX; kind++) {
        const Dfa *dfa = language((FormatKind)kind);
        const Dfa *others = lang_complement(&world.ctx, dfa);
        assert_true(lang_equal(lang_complement(&world.ctx, others), dfa));
        assert_true(lang_ok(&world.ctx));
    }
}

static void test_inclusions(void **state)
{
    (void)state;
    const FormatKind pairs[][2] = {
        {FORMAT_URI, FORMAT_URI_REFERENCE},
        {FORMAT_IRI, FORMAT_IRI_REFERENCE},
        {FORMAT_URI, FORMAT_IRI},
        {FORMAT_URI_REFERENCE, FORMAT_IRI_REFERENCE},
        {FORMAT_EMAIL, FORMAT_IDN_EMAIL},
        {FORMAT_IPV4, FORMAT_HOSTNAME},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const Dfa *a = language(pairs[i][0]), *b = language(pairs[i][1]);
        assert_true(lang_is_subset(&world.ctx, a, b));
        assert_false(lang_is_subset(&world.ctx, b, a));
    }
}

/* One code point of lo to hi; or a text. */
static const Dfa *range(uint32_t lo, uint32_t hi)
{
    return lang_class(&world.ctx, &(RuneRange){lo, hi}, 1);
}

static const Dfa *text(const char *text)
{
    return lang_text(&world.ctx, span_text(text));
}

static void expect_equal(const Dfa *a, const Dfa *b)
{
    assert_true(lang_ok(&world.ctx));
    assert_true(lang_equal(a, b));
}

/* How formats are made of each other. */
static void test_relations(void **state)
{
    (void)state;
    LangCtx *ctx = &world.ctx;
    const Dfa *ascii = lang_repeat(ctx, range(0, 0x7F), 0, LANG_INF);
    const FormatKind wide[][2] = {{FORMAT_URI, FORMAT_IRI},
                                  {FORMAT_URI_REFERENCE, FORMAT_IRI_REFERENCE},
                                  {FORMAT_EMAIL, FORMAT_IDN_EMAIL}};
    for (size_t i = 0; i < COUNT_OF(wide); i++)
        expect_equal(lang_intersect(ctx, language(wide[i][1]), ascii),
                     language(wide[i][0]));
    const Dfa *t = lang_unite(ctx, text("T"), text("t"));
    const Dfa *date = lang_concat(ctx, language(FORMAT_DATE), t);
    expect_equal(lang_concat(ctx, date, language(FORMAT_TIME)),
                 language(FORMAT_DATE_TIME));
    /* what a URI reference in brackets is, up to the first letter v */
    const Dfa *letter = lang_subtract(
        ctx, range(0, 0x7F),
        lang_unite(ctx, range(']', ']'),
                   lang_unite(ctx, range('v', 'v'), range('V', 'V'))));
    const Dfa *inside = lang_repeat(ctx, letter, 0, LANG_INF);
    const Dfa *host = lang_concat(ctx, text("//["), inside);
    host = lang_intersect(ctx, lang_concat(ctx, host, text("]")),
                          language(FORMAT_URI_REFERENCE));
    const Dfa *six = lang_concat(ctx, text("//["), language(FORMAT_IPV6));
    expect_equal(host, lang_concat(ctx, six, text("]")));
}

/* A language is limited, charged for and refused like any other automaton. */
static void test_limits(void **state)
{
    (void)state;
    for (int kind = 1; kind < FORMAT_REGEX; kind++) {
        weir_limits limits = {.max_states =
                                  language((FormatKind)kind)->nstates};
        for (int less = 0; less <= 1; less++) {
            struct World w = {.mem = world.mem};
            limits.max_states -= (uint32_t)less;
            arena_init(&w.arena, &w.mem, 0);
            lang_init(&w.ctx, &w.mem, &w.arena, &limits, &w.error);
            format_language(&w.ctx, &w.cache, (FormatKind)kind);
            assert_int_equal(w.error.status,
                             less ? WEIR_LIMIT_STATES : WEIR_OK);
            assert_int_equal(w.cache.at[kind] == NULL, less);
            arena_free(&w.arena);
        }
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    bool done = false;
    for (size_t left = 0; !done; left++) {
        Faulty faulty = {.left = left};
        struct World w = {.mem = faulty_mem(&faulty)};
        arena_init(&w.arena, &w.mem, 0);
        lang_init(&w.ctx, &w.mem, &w.arena, NULL, &w.error);
        const Dfa *dfa = format_language(&w.ctx, &w.cache, FORMAT_IDN_HOSTNAME);
        done = lang_ok(&w.ctx);
        if (!done) assert_int_equal(w.error.status, WEIR_NO_MEMORY);
        assert_int_equal(dfa->nstates != 0, done);
        assert_int_equal(w.cache.at[FORMAT_IDN_HOSTNAME] != NULL, done);
        arena_free(&w.arena);
        assert_int_equal(faulty.held, 0);
        assert_true(left < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_hostname_lengths),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_leap_seconds),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_uuid),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_uris),
        cmocka_unit_test(test_iri_characters),
        cmocka_unit_test(test_hostnames),
        cmocka_unit_test(test_suite_2020),
        cmocka_unit_test(test_suite_7),
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_inclusions),
        cmocka_unit_test(test_relations),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
