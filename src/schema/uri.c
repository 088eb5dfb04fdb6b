/* uri.c: resolution and normal form of URI references.
 *
 * In:    a base and a reference, any bytes.  Out: the target, normal.
 * Method: RFC 3986, appendix B splits both; section 5.2.2 chooses the parts.
 *        Parts are written in normal form, and dot segments are taken out of
 *        the path where it stands. "%2E" is a dot by then, so it counts.
 * Differs from 5.2.4 where there is no slash at the start (urn:a/../b, or no
 *        base at all): such a path stays without one.
 * Cost:  linear in time and memory.
 * Tests: unit/uri_test.c
 */
#include "schema/uri.h"

/* Parts of a reference; at == NULL: not there, which is not the same as
 * empty. The fragment is left out. */
typedef struct Uri {
    Span scheme, authority, path, query;
} Uri;

void uri_text_free(UriText *text)
{
    vec_free(text->mem, &text->bytes);
}

static bool is_letter(uint8_t c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* ---- splitting -------------------------------------------------------- */

static size_t scheme_size(Span text)
{
    if (!text.size || !is_letter(text.at[0])) return 0;
    for (size_t i = 1; i < text.size; i++) {
        uint8_t c = text.at[i];
        if (c == ':') return i;
        if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.')
            return 0;
    }
    return 0;
}

static Span after(Span text, size_t count)
{
    return count ? span_of(text.at + count, text.size - count) : text;
}

/* Takes the bytes before the first of `ends` off the text. */
static Span take_until(Span *text, const char *ends)
{
    size_t i = 0;
    while (i < text->size && !(text->at[i] && strchr(ends, text->at[i]))) i++;
    Span taken = span_of(text->at, i);
    *text = after(*text, i);
    return taken;
}

static Uri uri_split(Span text)
{
    Uri uri = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    size_t scheme = scheme_size(text);
    if (scheme) {
        uri.scheme = span_of(text.at, scheme);
        text = after(text, scheme + 1);
    }
    if (span_starts(text, SPAN("//"))) {
        text = after(text, 2);
        uri.authority = take_until(&text, "/?#");
    }
    uri.path = take_until(&text, "?#");
    if (text.size && text.at[0] == '?') {
        text = after(text, 1);
        uri.query = take_until(&text, "#");
    }
    return uri;
}

Span uri_fragment(Span reference)
{
    const uint8_t *hash =
        reference.size ? memchr(reference.at, '#', reference.size) : NULL;
    if (!hash) return (Span){NULL, 0};
    return after(reference, (size_t)(hash + 1 - reference.at));
}

/* ---- normal form ------------------------------------------------------ */

static int hex_digit(uint8_t c)
{
    if (is_digit(c)) return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that stands at text[i], and how many bytes spell it. */
static uint8_t decode_at(Span text, size_t i, size_t *size)
{
    uint8_t c = text.at[i];
    *size = 1;
    if (c != '%' || text.size - i < 3) return c;
    int high = hex_digit(text.at[i + 1]), low = hex_digit(text.at[i + 2]);
    if (high < 0 || low < 0) return c;
    *size = 3;
    return (uint8_t)(high << 4 | low);
}

static bool is_unreserved(uint8_t c)
{
    return is_letter(c) || is_digit(c) || (c && strchr("-._~", c));
}

static bool is_reserved(uint8_t c)
{
    return c && strchr(":/?#[]@!$&'()*+,;=", c);
}

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* Room was made before: three bytes for each byte of the arguments. */
static void put(UriText *out, uint8_t c)
{
    assert(out->bytes.count < out->bytes.cap);
    out->bytes.at[out->bytes.count++] = c;
}

static void put_part(UriText *out, Span part, bool is_lower)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t size;
    for (size_t i = 0; i < part.size; i += size) {
        uint8_t c = decode_at(part, i, &size);
        if (is_unreserved(c) || (size == 1 && is_reserved(c))) {
            put(out, is_lower ? lower(c) : c);
        } else {
            put(out, '%');
            put(out, (uint8_t)digits[c >> 4]);
            put(out, (uint8_t)digits[c & 15]);
        }
    }
}

static void put_authority(UriText *out, Span authority)
{
    size_t host = authority.size;
    while (host && authority.at[host - 1] != '@') host--;
    put(out, '/');
    put(out, '/');
    put_part(out, span_of(authority.at, host), false);
    put_part(out, after(authority, host), true);
}

/* Section 5.2.4, in place; a segment here is one with the slash after it. */
static size_t remove_dots(uint8_t *path, size_t size)
{
    size_t root = size && path[0] == '/', out = root, next;
    for (size_t at = root; at < size; at = next) {
        const uint8_t *slash = memchr(path + at, '/', size - at);
        size_t end = slash ? (size_t)(slash - path) : size;
        next = slash ? end + 1 : size;
        Span name = span_of(path + at, end - at);
        if (span_equal(name, SPAN("."))) continue;
        if (!span_equal(name, SPAN(".."))) {
            memmove(path + out, path + at, next - at);
            out += next - at;
        } else if (out > root) {
            for (out--; out > root && path[out - 1] != '/';) out--;
        }
    }
    return out;
}

/* A path without dot segments: what of `folder` comes before its last slash,
 * and `path`. After an authority it begins with a slash. */
static void put_path(UriText *out, bool is_rooted, Span folder, Span path)
{
    uint32_t begin = out->bytes.count;
    size_t size = folder.size;
    while (size && folder.at[size - 1] != '/') size--;
    if (is_rooted && !size && (!path.size || path.at[0] != '/')) put(out, '/');
    put_part(out, span_of(folder.at, size), false);
    put_part(out, path, false);
    size = remove_dots(out->bytes.at + begin, out->bytes.count - begin);
    out->bytes.count = begin + (uint32_t)size;
}

/* ---- resolution ------------------------------------------------------- */

/* Section 5.2.2: the scheme, authority and query of the target go to `to`;
 * the result says whether its path is `to->path` after that of the base. */
static bool transform(Uri *to, const Uri *base, const Uri *ref)
{
    *to = *ref;
    if (ref->scheme.at) return false;
    to->scheme = base->scheme;
    if (ref->authority.at) return false;
    to->authority = base->authority;
    if (!ref->path.size) {
        to->path = base->path;
        if (!ref->query.at) to->query = base->query;
        return false;
    }
    return ref->path.at[0] != '/';
}

bool uri_resolve(UriText *out, Span base, Span reference)
{
    enum { SEPARATORS = 8 }; /* ":", "//", "/", "?" */
    Uri from = uri_split(base), ref = uri_split(reference), to;
    bool is_merged = transform(&to, &from, &ref);
    size_t most = size_mul(base.size + reference.size, 3);
    out->bytes.count = 0;
    if (most > UINT32_MAX / 4 ||
        !vec_reserve(out->mem, &out->bytes, most + SEPARATORS))
        return false;
    if (to.scheme.at) {
        put_part(out, to.scheme, true);
        put(out, ':');
    }
    if (to.authority.at) put_authority(out, to.authority);
    Span folder = is_merged ? from.path : (Span){NULL, 0};
    put_path(out, to.authority.at != NULL, folder, to.path);
    if (to.query.at) {
        put(out, '?');
        put_part(out, to.query, false);
    }
    return true;
}

bool uri_decode(UriText *out, Span text)
{
    out->bytes.count = 0;
    if (!vec_reserve(out->mem, &out->bytes, text.size)) return false;
    size_t size;
    for (size_t i = 0; i < text.size; i += size)
        put(out, decode_at(text, i, &size));
    return true;
}
