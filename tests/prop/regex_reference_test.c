/* regex_reference_test.c: regular expressions against other engines.
 *
 * scripts/make-regex-cases.mjs (Node's RegExp) and
 * scripts/make-python-regex-cases.py (Python's re) write patterns, texts and verdicts to .cache/regex/; this test
 * has them made where they are missing and replays them: the Dfa of the whole
 * match and of the search, and the IR through the oracle of tests/oracle. What
 * Node refuses we must refuse; what it accepts we may refuse only for a
 * back-reference. Without Node or Python the tests are skipped. WEIR_QUICK: a
 * fifth of the patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "oracle/oracle.h"
#include "syntax/regex.h"

#define FIRST_LINE "# regex cases 1,"

typedef struct Subject {
    bool is_open;
    Mem mem;
    Arena arena;
    weir_error error;
    LangCtx ctx;
    const Dfa *whole, *search;
    Ir ir;
    RuleId root;
    char pattern[1024];
} Subject;

typedef struct Tally {
    unsigned patterns, texts, refused, references, oracle;
} Tally;

static int hex_digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Bytes of a word of hexadecimal digits, "-" for none. */
static Span from_hex(const char *hex, uint8_t *out)
{
    size_t n = 0;
    while (hex[0] != '-' && hex[0] > ' ') {
        out[n++] = (uint8_t)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
        hex += 2;
    }
    return span_of(out, n);
}

static void subject_close(Subject *s)
{
    if (!s->is_open) return;
    ir_free(&s->ir);
    arena_free(&s->arena);
    s->is_open = false;
}

static void build_dfas(Subject *s, Span pattern, RegexOpts opts)
{
    s->whole = regex_dfa(&s->ctx, pattern, &opts, NULL, NULL);
    opts.is_search = true;
    s->search = regex_dfa(&s->ctx, pattern, &opts, NULL, NULL);
}

static void build_ir(Subject *s, Span pattern, const RegexOpts *opts)
{
    s->root = ir_rule_new(&s->ir, SPAN("root"), 0);
    ir_rule_set(&s->ir, s->root, regex_compile(&s->ir, pattern, opts));
    s->ir.root = s->root;
}

/* A line "p DIALECT FLAGS HEX". */
static void subject_open(Subject *s, const char *line)
{
    uint8_t bytes[1024];
    RegexOpts opts = {.dialect = (RegexDialect)(line[2] - '0')};
    const char *flags = line + 4;
    const char *hex = strchr(flags, ' ') + 1;
    for (; *flags != ' '; flags++) {
        opts.ignore_case |= *flags == 'i';
        opts.dot_all |= *flags == 's';
        opts.multi_line |= *flags == 'm';
        opts.unicode_classes |= *flags == 'U';
    }
    Span pattern = from_hex(hex, bytes);
    memset(s, 0, sizeof *s);
    s->is_open = true;
    s->mem = mem_from_env(NULL);
    snprintf(s->pattern, sizeof s->pattern, "%.*s (line %.20s)",
             (int)pattern.size, (const char *)pattern.at, line);
    arena_init(&s->arena, &s->mem, 0);
    lang_init(&s->ctx, &s->mem, &s->arena, NULL, &s->error);
    ir_init(&s->ir, &s->mem, NULL);
    build_dfas(s, pattern, opts);
    build_ir(s, pattern, &opts);
}

static void check_refused(Subject *s, Tally *tally)
{
    tally->refused++;
    if (!s->error.status) fail_msg("pattern %s: expected an error", s->pattern);
    assert_int_equal(s->error.status, s->ir.error.status);
}

/* A line "t WHOLE SEARCH HEX". */
static void check_text(Subject *s, const char *line, Tally *tally)
{
    uint8_t bytes[256];
    if (s->error.status == WEIR_UNSUPPORTED) {
        tally->references++;
        return;
    }
    if (s->error.status)
        fail_msg("pattern %s: %s", s->pattern, s->error.message);
    Span text = from_hex(line + 6, bytes);
    bool whole = line[2] == '1', search = line[4] == '1';
    if (lang_matches(s->whole, text) != whole)
        fail_msg("pattern %s, text %.60s: expected whole %d", s->pattern,
                 line + 6, whole);
    if (line[4] != '-' && lang_matches(s->search, text) != search)
        fail_msg("pattern %s, text %.60s: expected search %d", s->pattern,
                 line + 6, search);
    tally->texts++;
    if (tally->texts % 5) return;
    OracleText word = {0};
    if (!oracle_add_bytes(&word, text)) return;
    tally->oracle++;
    if (oracle_complete(&s->ir, s->root, NULL, &word) != whole)
        fail_msg("pattern %s, text %.60s: expected %d of the IR", s->pattern,
                 line + 6, whole);
}

static void replay(FILE *file, Tally *tally)
{
    static char line[1 << 16];
    static Subject s;
    unsigned step = getenv("WEIR_QUICK") ? 5 : 1, number = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == 'p') {
            subject_close(&s);
            if (number++ % step) continue;
            subject_open(&s, line);
            tally->patterns++;
        }
        if (line[0] == 'e' && s.is_open) check_refused(&s, tally);
        if (line[0] == 't' && s.is_open) check_text(&s, line, tally);
    }
    subject_close(&s);
}

/* The file, if it is of this version. */
static FILE *open_cases(const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    if (fgets(line, sizeof line, file) &&
        !strncmp(line, FIRST_LINE, strlen(FIRST_LINE)))
        return file;
    fclose(file);
    return NULL;
}

static void replay_path(const char *path, const char *command)
{
    Tally tally = {0};
    FILE *file = open_cases(path);
    if (!file && !system(command)) file = open_cases(path);
    if (!file) {
        print_message("%s is missing and cannot be made: skipped\n", path);
        skip();
        return;
    }
    replay(file, &tally);
    fclose(file);
    print_message("%u patterns, %u refused, %u texts, %u of them also by the "
                  "oracle, %u with back-references\n",
                  tally.patterns, tally.refused, tally.texts, tally.oracle,
                  tally.references);
    assert_true(tally.texts > 1000);
}

static void as_node_reads_it(void **state)
{
    (void)state;
    replay_path(".cache/regex/node.cases",
                "node scripts/make-regex-cases.mjs >/dev/null 2>&1");
}

static void as_python_reads_it(void **state)
{
    (void)state;
    replay_path(".cache/regex/python.cases",
                "python3 scripts/make-python-regex-cases.py >/dev/null 2>&1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_node_reads_it),
        cmocka_unit_test(as_python_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
