/* trigger_fuzz.c: a pattern, a zero byte, and a text in which it is searched.
 *
 * Holds for every input: an error lies inside the pattern and says something;
 * a scan finds the same in pieces of any size, and what it finds begins inside
 * the text.
 */
#include "syntax/trigger.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) abort();
}

/* Whether there is a match in the text, read in pieces. */
static bool scan(Trigger *t, Span text, size_t piece)
{
    TriggerScan s = {{0}, 0, false};
    size_t end = 0;
    bool found = false;
    while (end < text.size) {
        end = MIN(end + piece, text.size);
        check(trigger_scan(t, &s, span_of(text.at, end), &found));
    }
    if (!text.size) check(trigger_scan(t, &s, text, &found));
    trigger_scan_free(t, &s);
    return found;
}

static void search(Trigger *t, Span text)
{
    size_t start;
    bool found = scan(t, text, text.size + 1);
    for (size_t piece = 1; piece < 4; piece++)
        check(scan(t, text, piece) == found);
    check(trigger_find(t, text, &start));
    check(start <= text.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Mem mem = mem_from_env(NULL);
    Trigger t;
    weir_error err = {.status = WEIR_OK};
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t n = end ? (size_t)(end - data) : size;
    Span text = end ? span_of(end + 1, MIN(size - n - 1, 200)) : (Span){0};
    if (trigger_compile(&t, &mem, span_of(data, n), &err))
        search(&t, text);
    else
        check(err.status > WEIR_OK && err.begin <= err.end && err.end <= n &&
              err.message[0]);
    trigger_free(&t);
    return 0;
}
