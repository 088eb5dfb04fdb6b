/* recorded_kit.h: the texts of a line of a file of recorded verdicts: in double
 * quotes, with the escapes \n, \xHH and of any other character itself. */
#ifndef WEIR_TESTS_RECORDED_KIT_H
#define WEIR_TESTS_RECORDED_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline char unescape(const char **at)
{
    unsigned byte;
    char c = *(*at)++;
    if (c != '\\') return c;
    c = *(*at)++;
    if (c == 'n') return '\n';
    if (c != 'x') return c;
    assert_int_equal(sscanf(*at, "%2x", &byte), 1);
    *at += 2;
    return (char)byte;
}

/* The next text of a line; false, and an empty one, at its end. */
static inline bool next_text(const char **at, char *text, size_t *size)
{
    *size = 0;
    while (**at == ' ') ++*at;
    if (**at != '"') return false;
    for (++*at; **at != '"'; ++*size) {
        assert_true(**at && **at != '\n');
        text[*size] = unescape(at);
    }
    text[*size] = 0;
    ++*at;
    return true;
}

#endif
