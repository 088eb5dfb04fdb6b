/* structural_tag_test.c: structural tags and what they accept, from
 * tests/cases/structural_tag.txt.
 *
 * A line of the file is a word and what it says:
 *     tag JSON       compiled; with the tokens of the last line `tokens`
 *     + JSON string  a whole output    - JSON string   none
 *     ids + 1 2 3    the same by tokens
 *     warning TEXT   compiling said that
 *     error STATUS POINTER `what is named` TEXT
 *     tokens A B C   their texts, _ for a blank; <A> is a control token, <A>! a
 *                    stop token
 * Texts are read whole, byte by byte, and, with tokens, by the longest ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/span.h"
#include "text/json.h"
#include "weir/weir.h"

static const char path[] = "tests/cases/structural_tag.txt";

enum { LINE = 8192, TOKENS = 64, IDS = 64 };

typedef struct Run {
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_error error;
    char source[LINE];
    unsigned line, tags, verdicts;
} Run;

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* ---- tokens ---- */

static void read_tokens(Run *run, char *rest)
{
    weir_token tokens[TOKENS + 1] = {{.flags = 0}};
    weir_error err;
    uint32_t n = 0;
    weir_vocab_free(run->vocab);
    run->vocab = NULL;
    for (char *word = strtok(rest, " "); word; word = strtok(NULL, " ")) {
        size_t size = strlen(word);
        assert_true(n < TOKENS);
        bool stops = size > 2 && word[size - 1] == '!';
        bool is_control = stops || (size > 2 && word[size - 1] == '>');
        if (stops) size--;
        for (char *p = word; *p; p++)
            if (*p == '_') *p = ' ';
        tokens[n].bytes = (weir_bytes){word, size};
        tokens[n].flags = (is_control ? WEIR_TOKEN_CONTROL : 0u) |
                          (stops ? WEIR_TOKEN_STOP : 0u);
        n++;
    }
    if (n) run->vocab = weir_vocab_new(NULL, tokens, n, NULL, &err);
    assert_int_equal(run->vocab != NULL, n > 0);
}

static weir_matcher *matcher_of(const Run *run)
{
    weir_error err;
    if (!run->grammar)
        fail_msg("line %u: %s, at %s", run->line, run->error.message,
                 run->error.pointer);
    weir_matcher *m = weir_matcher_new(run->grammar, NULL, &err);
    assert_non_null(m);
    return m;
}

static bool accepts_ids(const Run *run, const uint32_t *ids, uint32_t count)
{
    weir_matcher *m = matcher_of(run);
    uint32_t n = 0;
    while (n < count && weir_matcher_allows(m, ids[n]) &&
           weir_matcher_accept(m, ids[n]) == WEIR_ACCEPTED)
        n++;
    bool whole = n == count && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

static void check_ids(Run *run, char *rest)
{
    uint32_t ids[IDS], n = 0;
    bool wanted = *rest == '+';
    for (char *word = strtok(rest + 1, " "); word; word = strtok(NULL, " "))
        ids[n++] = (uint32_t)strtoul(word, NULL, 10);
    if (accepts_ids(run, ids, n) != wanted)
        fail_msg("line %u: expected it %s", run->line,
                 wanted ? "accepted" : "refused");
    run->verdicts++;
}

/* ---- texts ---- */

static bool by_bytes(const Run *run, Span text, size_t piece)
{
    weir_matcher *m = matcher_of(run);
    size_t pos = 0;
    while (pos < text.size) {
        size_t n = MIN(piece, text.size - pos);
        weir_bytes bytes = {(const char *)text.at + pos, n};
        if (weir_matcher_accept_bytes(m, bytes, NULL) != WEIR_ACCEPTED) break;
        pos += n;
    }
    bool whole = pos == text.size && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

/* The longest text token at each place; `wanted` if there is none. */
static bool by_tokens(const Run *run, Span text, bool wanted)
{
    uint32_t ids[LINE], n = 0, width = weir_vocab_width(run->vocab);
    for (size_t pos = 0; pos < text.size;) {
        size_t longest = 0;
        for (uint32_t id = 0; id < width; id++) {
            weir_token token = weir_vocab_token(run->vocab, id);
            Span rest = span_of(text.at + pos, text.size - pos);
            if (token.flags || token.bytes.size <= longest ||
                !span_starts(rest, span_of(token.bytes.data, token.bytes.size)))
                continue;
            longest = token.bytes.size;
            ids[n] = id;
        }
        if (!longest) return wanted;
        pos += longest;
        n++;
    }
    return accepts_ids(run, ids, n);
}

static void check_text(Run *run, const char *spelled, bool wanted)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    Mem mem = mem_from_env(NULL);
    if (!json_parse(&json, &mem, span_text(spelled), NULL, &err))
        fail_msg("line %u: %s", run->line, err.message);
    Span text = json_string(&json, JSON_ROOT);
    bool whole = by_bytes(run, text, SIZE_MAX);
    if (whole != wanted)
        fail_msg("line %u: %s is %s", run->line, spelled,
                 whole ? "accepted" : "refused");
    assert_int_equal(by_bytes(run, text, 1), wanted);
    if (run->vocab) assert_int_equal(by_tokens(run, text, wanted), wanted);
    json_free(&json);
    run->verdicts++;
}

/* ---- errors and warnings ---- */

static char *next_word(char **rest)
{
    char *word = *rest, *end = strchr(word, ' ');
    *rest = end ? end + 1 : word + strlen(word);
    if (end) *end = 0;
    return word;
}

/* STATUS POINTER `named` message */
static void check_error(Run *run, char *rest)
{
    const weir_error *e = &run->error;
    char *status = next_word(&rest), *pointer = next_word(&rest);
    if (run->grammar) fail_msg("line %u: it compiles", run->line);
    if (strcmp(weir_status_name(e->status), status) ||
        strcmp(e->pointer, pointer))
        fail_msg("line %u: %s at %s: %s", run->line,
                 weir_status_name(e->status), e->pointer, e->message);
    assert_int_equal(*rest, '`');
    char *end = strchr(rest + 1, '`');
    assert_non_null(end);
    *end = 0;
    Span found = span_of(run->source + e->begin, e->end - e->begin);
    if (!span_equal(found, span_text(rest + 1)))
        fail_msg("line %u: the place is \"%.*s\"", run->line, (int)found.size,
                 (const char *)found.at);
    if (strcmp(e->message, end + 2))
        fail_msg("line %u: the message is \"%s\"", run->line, e->message);
    run->verdicts++;
}

static void check_warning(const Run *run, const char *wanted)
{
    char text[1024];
    assert_non_null(run->grammar);
    size_t size = weir_grammar_print(run->grammar, WEIR_PRINT_WARNINGS, text,
                                     sizeof text - 1);
    text[MIN(size, sizeof text - 1)] = 0;
    if (!strstr(text, wanted))
        fail_msg("line %u: the warnings are \"%s\"", run->line, text);
}

/* ---- the file ---- */

static void compile(Run *run, const char *source)
{
    weir_grammar_free(run->grammar);
    snprintf(run->source, sizeof run->source, "%s", source);
    run->grammar =
        weir_grammar_compile(run->vocab, WEIR_STRUCTURAL_TAG,
                             bytes_of(run->source), NULL, &run->error);
    run->tags++;
}

static void run_line(Run *run, char *line)
{
    char *rest = line, *word = next_word(&rest);
    if (!*word || *word == '#') return;
    if (!strcmp(word, "tag"))
        compile(run, rest);
    else if (!strcmp(word, "+") || !strcmp(word, "-"))
        check_text(run, rest, *word == '+');
    else if (!strcmp(word, "ids"))
        check_ids(run, rest);
    else if (!strcmp(word, "tokens"))
        read_tokens(run, rest);
    else if (!strcmp(word, "error"))
        check_error(run, rest);
    else if (!strcmp(word, "warning"))
        check_warning(run, rest);
    else
        fail_msg("line %u: found %s", run->line, word);
}

static void all_lines(void **state)
{
    (void)state;
    static Run run;
    static char line[LINE];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        run.line++;
        line[strcspn(line, "\n")] = 0;
        run_line(&run, line);
    }
    fclose(file);
    weir_grammar_free(run.grammar);
    weir_vocab_free(run.vocab);
    print_message("%u tags, %u verdicts\n", run.tags, run.verdicts);
    assert_true(run.tags > 40 && run.verdicts > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
