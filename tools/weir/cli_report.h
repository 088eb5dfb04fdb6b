/* cli_report.h: messages for people: colours, errors with their place, JSON
 * strings, progress. */
#ifndef TOOLS_WEIR_CLI_REPORT_H
#define TOOLS_WEIR_CLI_REPORT_H

#include <stdio.h>

#include "base/mem.h"
#include "weir/weir.h"

typedef enum Colour {
    COLOUR_NONE,
    COLOUR_BOLD,
    COLOUR_RED,
    COLOUR_GREEN,
    COLOUR_YELLOW
} Colour;

/* The escape that begins a colour (COLOUR_NONE: ends it), or "": a terminal,
 * and NO_COLOR not set, and TERM not "dumb". Static. */
const char *colour(FILE *out, Colour wanted);

/* An error without a place. Returns 2. */
int report_failure(const char *format, ...) PRINTF_LIKE(1, 2);
/* A word of advice. */
void report_hint(const char *text);
/* What a grammar's maker should know, a line each. */
void report_warnings(const char *text, size_t size);
/* An error in `source`, called `name`: line, column, the line itself and a
 * caret. source.data NULL: no place. Returns 2. */
int report_error(const char *name, weir_bytes source, const weir_error *err);

/* Bytes as a JSON string; what is not UTF-8 becomes U+FFFD. */
void print_json_string(FILE *out, const void *data, size_t size);
/* Lines as an array of JSON strings. */
void print_json_lines(FILE *out, const char *text, size_t size);
/* Text that did not come from here, with what could drive a terminal put as
 * question marks. */
void print_safe(FILE *out, const char *text);
/* A number with commas: 128,256. */
typedef struct NumberText {
    char text[32];
} NumberText;
NumberText number_text(uint64_t n);
/* Bytes as people read them: 34.5 MB. */
NumberText size_text(uint64_t nbytes);

/* A clock, in milliseconds. */
double now_ms(void);

/* Until progress_end, every second after the first: "weir: loading T, 3 s" on
 * standard error, if that is a terminal. `what` must live until then. */
void progress_begin(const char *what);
/* A share of the work that is done, 0 to 100. */
void progress_set(uint64_t done, uint64_t total);
void progress_end(void);

#endif
