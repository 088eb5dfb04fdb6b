/* cli_report.c: how weir speaks to people.
 *
 * Source lines are shown with what does not print replaced, so a message
 * cannot drive the terminal, and cut to a window around the place when long.
 * Progress is a SIGALRM that writes a line each second: so one mechanism
 * serves for any call that takes long, whatever it does.
 * Tests: tests/cli/cli_test.py.
 */
#include "weir/cli_report.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"
#include "text/json.h"

/* ---- colours ---- */

static bool has_colour(FILE *out)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && !(term && !strcmp(term, "dumb")) &&
           isatty(fileno(out));
}

const char *colour(FILE *out, Colour wanted)
{
    static const char *const escape[] = {
        [COLOUR_NONE] = "\033[0m",    [COLOUR_BOLD] = "\033[1m",
        [COLOUR_RED] = "\033[1;31m",  [COLOUR_GREEN] = "\033[32m",
        [COLOUR_YELLOW] = "\033[33m",
    };
    return has_colour(out) ? escape[wanted] : "";
}

/* ---- errors ---- */

static void print_label(void)
{
    fprintf(stderr, "%serror:%s ", colour(stderr, COLOUR_RED),
            colour(stderr, COLOUR_NONE));
}

int report_failure(const char *format, ...)
{
    va_list list;
    progress_end();
    fflush(stdout);
    fputs("weir: ", stderr);
    print_label();
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return 2;
}

void report_hint(const char *text)
{
    fflush(stdout);
    fprintf(stderr, "weir: %shint:%s %s\n", colour(stderr, COLOUR_YELLOW),
            colour(stderr, COLOUR_NONE), text);
}

static void report_warning(const char *text, size_t size)
{
    fprintf(stderr, "weir: %swarning:%s %.*s\n", colour(stderr, COLOUR_YELLOW),
            colour(stderr, COLOUR_NONE), (int)MIN(size, 10000), text);
}

/* The line at `at`; moves it behind the line's end. */
static weir_bytes next_line(const char *text, size_t size, size_t *at)
{
    const char *begin = text + *at;
    const char *end = memchr(begin, '\n', size - *at);
    weir_bytes line = {begin, end ? (size_t)(end - begin) : size - *at};
    *at += line.size + 1;
    return line;
}

void report_warnings(const char *text, size_t size)
{
    fflush(stdout);
    for (size_t at = 0; at < size;) {
        weir_bytes line = next_line(text, size, &at);
        report_warning(line.data, line.size);
    }
}

void print_json_lines(FILE *out, const char *text, size_t size)
{
    fputs("[", out);
    for (size_t at = 0; at < size;) {
        if (at) fputs(",", out);
        weir_bytes line = next_line(text, size, &at);
        print_json_string(out, line.data, line.size);
    }
    fputs("]", out);
}

/* Columns of a terminal that a character takes; roughly. */
static unsigned rune_columns(uint32_t rune)
{
    static const uint32_t wide[][2] = {
        {0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
        {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD},
    };
    if (rune >= 0x300 && rune <= 0x36F) return 0;
    for (size_t i = 0; i < COUNT_OF(wide); i++)
        if (rune >= wide[i][0] && rune <= wide[i][1]) return 2;
    return 1;
}

static bool rune_is_safe(uint32_t rune)
{
    return rune != RUNE_BAD && rune >= 0x20 && !(rune >= 0x7F && rune < 0xA0) &&
           !(rune >= 0x200B && rune <= 0x200F) &&
           !(rune >= 0x2028 && rune <= 0x202E) &&
           !(rune >= 0x2060 && rune <= 0x206F) && rune != 0xFEFF;
}

/* Prints one character of a line if there is an `out`; its columns. */
static unsigned print_rune(Span line, size_t *pos, FILE *out)
{
    size_t at = *pos;
    uint32_t rune = utf8_decode(line, pos);
    if (!rune_is_safe(rune)) {
        if (out) fputc(rune == '\t' ? ' ' : '?', out);
        return 1;
    }
    if (out) fwrite(line.at + at, 1, *pos - at, out);
    return rune_columns(rune);
}

void print_safe(FILE *out, const char *text)
{
    Span line = span_text(text);
    for (size_t pos = 0; pos < line.size;) print_rune(line, &pos, out);
}

typedef struct Window {
    Span line;         /* of the source, without its end */
    size_t begin, end; /* bytes shown */
} Window;

/* The line around `offset`, and the part of it that fits. */
static Window window_at(Span source, size_t offset)
{
    enum { WHOLE = 96, BEFORE = 48, AFTER = 40 };
    size_t begin = MIN(offset, source.size), end = begin;
    while (begin && source.at[begin - 1] != '\n') begin--;
    while (end < source.size && source.at[end] != '\n') end++;
    if (end > begin && source.at[end - 1] == '\r' && end > offset) end--;
    Window w = {span_of(source.at + begin, end - begin), 0, end - begin};
    size_t at = offset - begin;
    if (w.line.size <= WHOLE) return w;
    if (at > BEFORE) w.begin = at - BEFORE;
    if (w.line.size - MIN(at, w.line.size) > AFTER) w.end = at + AFTER;
    while (w.begin && (w.line.at[w.begin] & 0xC0) == 0x80) w.begin--;
    while (w.end < w.line.size && (w.line.at[w.end] & 0xC0) == 0x80) w.end++;
    return w;
}

/* The line with a caret under `offset` and tildes up to `end`. */
static void print_place(Span source, const weir_error *err, uint32_t line)
{
    size_t offset = MIN(err->begin, source.size);
    Window w = window_at(source, offset);
    size_t line_begin = (size_t)(w.line.at - source.at);
    size_t at = offset - line_begin, pos = w.begin;
    size_t end = MIN(err->end - line_begin, w.end);
    unsigned before = 0, under = 0;
    int margin = fprintf(stderr, "%5u | ", (unsigned)line);
    if (w.begin) before = (unsigned)fprintf(stderr, "...");
    while (pos < w.end) {
        size_t start = pos;
        unsigned columns = print_rune(w.line, &pos, stderr);
        if (start < at)
            before += columns;
        else if (start < end)
            under += columns;
    }
    fprintf(stderr, "%s\n%*s| %*s", w.end < w.line.size ? "..." : "",
            margin - 2, "", (int)before, "");
    fprintf(stderr, "%s^", colour(stderr, COLOUR_RED));
    for (; under > 1; under--) fputc('~', stderr);
    fprintf(stderr, "%s\n", colour(stderr, COLOUR_NONE));
}

int report_error(const char *name, weir_bytes source, const weir_error *err)
{
    uint32_t line = 1, column = 1;
    Span text = span_of(source.data, source.size);
    progress_end();
    fflush(stdout);
    fprintf(stderr, "%s%s", colour(stderr, COLOUR_BOLD), name);
    if (source.data) {
        weir_line_column(source, err->begin, &line, &column);
        fprintf(stderr, ":%u:%u", line, column);
    }
    fprintf(stderr, ":%s ", colour(stderr, COLOUR_NONE));
    print_label();
    fputs(err->message, stderr);
    if (*err->pointer)
        fprintf(stderr, " (%s %s)", strchr(err->pointer, '#') ? "at" : "in",
                err->pointer);
    fputc('\n', stderr);
    if (source.data) print_place(text, err, line);
    return 2;
}

/* ---- values ---- */

void print_json_string(FILE *out, const void *data, size_t size)
{
    enum { PIECE = 4096 };
    char text[PIECE * 6 + 2];
    const uint8_t *at = data;
    fputc('"', out);
    while (size) { /* pieces end between characters */
        size_t n = MIN(size, PIECE), cut = n;
        while (n < size && cut > n - 4 && (at[cut] & 0xC0) == 0x80) cut--;
        Out piece = {text, sizeof text, 0};
        json_write_string(&piece, span_of(at, cut));
        fwrite(text + 1, 1, piece.size - 2, out);
        at += cut;
        size -= cut;
    }
    fputc('"', out);
}

NumberText number_text(uint64_t n)
{
    NumberText t;
    char *p = t.text + sizeof t.text;
    *--p = 0;
    unsigned digits = 0;
    do {
        if (digits && digits % 3 == 0) *--p = ',';
        *--p = (char)('0' + n % 10);
        n /= 10;
        digits++;
    } while (n);
    memmove(t.text, p, strlen(p) + 1);
    return t;
}

NumberText size_text(uint64_t nbytes)
{
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    NumberText t;
    double value = (double)nbytes;
    size_t u = 0;
    while (value >= 1000 && u + 1 < COUNT_OF(unit)) {
        value /= 1000;
        u++;
    }
    snprintf(t.text, sizeof t.text, u ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return t;
}

/* ---- time ---- */

double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static const char *volatile progress_what;
static volatile sig_atomic_t progress_seconds, progress_percent;

/* Only calls that a signal handler may make. */
static void progress_tick(int signal_number)
{
    char line[128];
    size_t n = 0;
    (void)signal_number;
    if (!progress_what) return;
    unsigned seconds = (unsigned)++progress_seconds;
    unsigned percent = (unsigned)progress_percent;
    const char *parts[] = {"\r\033[Kweir: ", progress_what, ", "};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        for (const char *p = parts[i]; *p && n < 96; p++) line[n++] = *p;
    unsigned value = percent ? percent : seconds;
    char digits[12];
    size_t ndigits = 0;
    do digits[ndigits++] = (char)('0' + value % 10);
    while (value /= 10);
    while (ndigits) line[n++] = digits[--ndigits];
    for (const char *p = percent ? " %" : " s"; *p; p++) line[n++] = *p;
    ssize_t written = write(STDERR_FILENO, line, n);
    (void)written; /* nothing could be done about it */
    alarm(1);
}

void progress_begin(const char *what)
{
    if (!isatty(STDERR_FILENO)) return;
    struct sigaction action = {.sa_handler = progress_tick,
                               .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    progress_seconds = progress_percent = 0;
    progress_what = what;
    if (!sigaction(SIGALRM, &action, NULL)) alarm(1);
}

void progress_set(uint64_t done, uint64_t total)
{
    if (total) progress_percent = (int)((double)done / (double)total * 100);
}

void progress_end(void)
{
    if (!progress_what) return;
    alarm(0);
    if (progress_seconds) fputs("\r\033[K", stderr);
    progress_what = NULL;
    fflush(stderr);
}
