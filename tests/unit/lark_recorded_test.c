/* lark_recorded_test.c: whole texts that llguidance accepts and refuses, and
 * grammars that it refuses, recorded in tests/cases/lark_recorded.txt by
 * scripts/make-lark-cases.py, which says what each word means.
 */
#include "weir/weir.h"
#include "unit/recorded_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = "tests/cases/lark_recorded.txt";

typedef struct Run {
    weir_grammar *grammar;
    char source[4096];
    unsigned grammars, verdicts, alone, line;
} Run;

static weir_grammar *compile(Run *run, const char *at, weir_error *err)
{
    size_t size;
    assert_true(next_text(&at, run->source, &size));
    weir_bytes source = {run->source, size};
    return weir_grammar_compile(NULL, WEIR_LARK, source, NULL, err);
}

static void begin(Run *run, const char *at)
{
    weir_error err;
    weir_grammar_free(run->grammar);
    run->grammar = compile(run, at, &err);
    if (!run->grammar) fail_msg("line %u: %s", run->line, err.message);
    run->grammars++;
}

static void judge_grammar(Run *run, const char *at, bool is_taken)
{
    weir_error err;
    weir_grammar *g = compile(run, at, &err);
    if (!g == is_taken)
        fail_msg("line %u: should be %s: %s\n%s", run->line,
                 is_taken ? "taken" : "refused", run->source, err.message);
    weir_grammar_free(g);
    run->alone++;
}

static void judge(Run *run, const char *at, bool verdict)
{
    char text[1024];
    size_t size;
    weir_matcher *m = weir_matcher_new(run->grammar, NULL, NULL);
    assert_non_null(m);
    while (next_text(&at, text, &size)) {
        weir_matcher_reset(m);
        weir_bytes bytes = {text, size};
        bool is_accepted = (!size || weir_matcher_accept_bytes(
                                         m, bytes, NULL) == WEIR_ACCEPTED) &&
                           weir_matcher_is_completed(m);
        if (is_accepted != verdict)
            fail_msg("line %u: \"%s\" should be %s by\n%s", run->line, text,
                     verdict ? "accepted" : "refused", run->source);
        run->verdicts++;
    }
    weir_matcher_free(m);
}

static const char *after_word(const char *line)
{
    while (*line != '"') line++;
    return line;
}

static bool begins(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

static void read_line(Run *run, const char *line)
{
    if (begins(line, "grammar ")) begin(run, line + 8);
    if (begins(line, "accept ")) judge(run, line + 7, true);
    if (begins(line, "refuse ")) judge(run, line + 7, false);
    if (begins(line, "looser ")) judge(run, after_word(line), true);
    if (begins(line, "invalid ")) judge_grammar(run, line + 8, false);
    if (begins(line, "taken ")) judge_grammar(run, line + 6, true);
    if (begins(line, "strict ")) judge_grammar(run, line + 7, false);
}

static void recorded(void **state)
{
    (void)state;
    static Run run;
    static char line[8192];
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, file)) {
        run.line++;
        read_line(&run, line);
    }
    fclose(file);
    weir_grammar_free(run.grammar);
    assert_int_equal(run.grammars, 142);
    assert_int_equal(run.verdicts, 603);
    assert_int_equal(run.alone, 104);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
