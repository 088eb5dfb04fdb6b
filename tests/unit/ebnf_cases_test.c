/* ebnf_cases_test.c: whole texts that xgrammar accepts and refuses, recorded
 * in tests/cases/ebnf_recorded.txt, read by weir's front end and the oracle.
 * Each line is a word, then texts in C's notation.
 */
#include "oracle/oracle.h"
#include "syntax/ebnf.h"
#include "unit/recorded_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static const char path[] = "tests/cases/ebnf_recorded.txt";

static Mem mem;

typedef struct Run {
    Ir ir;
    bool has_grammar;
    char source[1024];
    unsigned grammars, verdicts, line;
} Run;

static void compile(Run *run, const char *at)
{
    size_t size;
    if (run->has_grammar) ir_free(&run->ir);
    run->has_grammar = true;
    assert_true(next_text(&at, run->source, &size));
    ir_init(&run->ir, &mem, NULL);
    if (!ebnf_compile(&run->ir, span_of(run->source, size), NULL))
        fail_msg("line %u: %s", run->line, run->ir.error.message);
    run->grammars++;
}

static void judge(Run *run, const char *at, bool verdict)
{
    char text[1024];
    size_t size;
    while (next_text(&at, text, &size)) {
        OracleText t = {0};
        assert_true(oracle_add_bytes(&t, span_of(text, size)));
        if (oracle_complete(&run->ir, run->ir.root, NULL, &t) != verdict)
            fail_msg("line %u: \"%s\" should be %d by\n%s", run->line, text,
                     verdict, run->source);
        run->verdicts++;
    }
}

static void recorded(void **state)
{
    (void)state;
    static Run run;
    static char line[4096];
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    mem = mem_from_env(NULL);
    while (fgets(line, sizeof line, file)) {
        run.line++;
        if (!strncmp(line, "grammar ", 8)) compile(&run, line + 8);
        if (!strncmp(line, "accept ", 7)) judge(&run, line + 7, true);
        if (!strncmp(line, "refuse ", 7)) judge(&run, line + 7, false);
    }
    fclose(file);
    if (run.has_grammar) ir_free(&run.ir);
    assert_int_equal(run.grammars, 326);
    assert_int_equal(run.verdicts, 2741);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
