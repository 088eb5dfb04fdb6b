/* content_fuzz.c: any bytes as an output; the first byte says the rule and how
 * the rest is cut into pieces.
 *
 * The content is a part of the output, and of one that is UTF-8 as far as it
 * goes it is UTF-8; that of a prefix is a prefix of it; a stream gives the same
 * for any pieces.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "weir/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim)
{
    if (!claim) abort();
}

static bool begins(weir_bytes text, weir_bytes prefix)
{
    return span_starts(span_of(text.data, text.size),
                       span_of(prefix.data, prefix.size));
}

/* But for a character that the end cuts. */
static bool is_utf8(weir_bytes text)
{
    Span all = span_of(text.data, text.size);
    return utf8_check(all) + utf8_unfinished(all) == all.size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    weir_content_rule rule = (weir_content_rule)(data[0] & 1);
    size_t step = 1 + (data[0] >> 1) % 16, given = 0;
    weir_bytes all = {(const char *)data + 1, size - 1};
    weir_bytes whole = weir_content_find(rule, all), more;
    weir_bytes message = weir_content_message(rule, all);
    must(message.size == (whole.size ? whole.size : all.size));
    must(!whole.size || (whole.data >= all.data &&
                         whole.data + whole.size <= all.data + all.size));
    if (is_utf8(all))
        must(utf8_check(span_of(whole.data, whole.size)) == whole.size);
    weir_content *c = weir_content_new(NULL, rule, NULL);
    for (size_t at = 0; c && at < all.size; at += step) {
        size_t n = MIN(step, all.size - at);
        weir_bytes piece = {all.data + at, n}, prefix = {all.data, at + n};
        must(weir_content_push(c, piece, &more) == WEIR_OK);
        must(given + more.size <= whole.size);
        must(!more.size || !memcmp(whole.data + given, more.data, more.size));
        given += more.size;
        weir_bytes found = weir_content_find(rule, prefix);
        if (size < 512) must(found.size == given && begins(whole, found));
    }
    must(given == whole.size);
    weir_content_free(c);
    return 0;
}
