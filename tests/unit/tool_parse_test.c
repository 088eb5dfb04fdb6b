/* tool_parse_test.c: tests/cases/tool_parse.txt, each output read whole, byte
 * by byte, and split in two at every place: what is told is the same, and no
 * text ends inside a character; and what the interface promises besides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>

#include "unit/calls_kit.h"

/* ---- cases ---- */

enum { TOOLS_MAX = 8, TEXT_MAX = 1 << 16 };

typedef struct Case {
    unsigned line; /* where it begins */
    weir_family family;
    weir_reasoning reasoning;
    weir_calls calls;
    weir_tool tools[TOOLS_MAX];
    size_t tool_count;
    char text[TEXT_MAX], expected[TEXT_MAX];
    size_t size, expected_size;
    bool has_text;
} Case;

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static size_t by_ones(void *user, size_t left)
{
    (void)user;
    (void)left;
    return 1;
}

/* One piece of the length given, then all that is left. */
static size_t by_two(void *user, size_t left)
{
    size_t n = MIN(*(size_t *)user, left);
    *(size_t *)user = left;
    return n ? n : left;
}

static void check_told(const Case *c, const Told *t, const char *how)
{
    if (strcmp(t->lines, c->expected) != 0)
        fail_msg("line %u, %s:\n%s--- expected:\n%s", c->line, how, t->lines,
                 c->expected);
    if (t->split_rune) fail_msg("line %u, %s: split a character", c->line, how);
}

static void check_read(const Case *c, weir_tool_parser *p, PieceFn next,
                       void *user, const char *how)
{
    Told t;
    told_open(&t);
    assert_true(told_read(&t, p, span_of(c->text, c->size), next, user));
    check_told(c, &t, how);
    told_close(&t);
    weir_tool_parser_reset(p);
}

static void run_case(const Case *c)
{
    weir_error err;
    weir_tool_opts opts = {
        .size = sizeof opts, .calls = c->calls, .reasoning = c->reasoning};
    weir_tool_parser *p = weir_tool_parser_new(NULL, c->family, c->tools,
                                               c->tool_count, &opts, &err);
    if (!p) fail_msg("line %u: %s", c->line, err.message);
    check_read(c, p, NULL, NULL, "whole");
    check_read(c, p, by_ones, NULL, "byte by byte");
    for (size_t at = 1; at < c->size; at++) {
        char how[32];
        size_t first = at;
        snprintf(how, sizeof how, "split at %zu", at);
        check_read(c, p, by_two, &first, how);
    }
    weir_tool_parser_free(p);
}

static void add_line(char *text, size_t *size, const char *line, size_t n)
{
    assert_true(*size + n + 2 < TEXT_MAX);
    memcpy(text + *size, line, n);
    *size += n;
    text[*size] = 0;
}

static void read_family(Case *c, const char *words)
{
    char name[32], where[16] = "none", calls[16] = "";
    sscanf(words, "%31s %15s %15s", name, where, calls);
    c->family = weir_family_find(bytes_of(name));
    if (!c->family) fail_msg("line %u: no family %s", c->line, name);
    c->reasoning = !strcmp(where, "open")  ? WEIR_REASONING_OPEN
                   : !strcmp(where, "may") ? WEIR_REASONING_MAY
                                           : WEIR_REASONING_NONE;
    c->calls = strcmp(calls, "no-calls") ? WEIR_CALLS_AUTO : WEIR_CALLS_NONE;
}

static void read_tool(Case *c, char *words)
{
    char *schema = strchr(words, ' ');
    weir_tool *tool = &c->tools[c->tool_count++];
    assert_true(c->tool_count <= TOOLS_MAX);
    *tool = (weir_tool){.kind = WEIR_JSON_OBJECT};
    if (schema) {
        *schema++ = 0;
        tool->kind = WEIR_JSON_SCHEMA;
        tool->source = bytes_of(strdup(schema));
    }
    tool->name = bytes_of(strdup(words));
}

static void forget_tools(Case *c)
{
    for (size_t i = 0; i < c->tool_count; i++) {
        free((void *)(uintptr_t)c->tools[i].name.data);
        free((void *)(uintptr_t)c->tools[i].source.data);
    }
    c->tool_count = 0;
}

static void read_line(Case *c, char *line, size_t n)
{
    if (!strncmp(line, "family ", 7)) {
        forget_tools(c);
        read_family(c, line + 7);
    } else if (!strncmp(line, "tool ", 5)) {
        read_tool(c, line + 5);
    } else if (line[0] == '|') {
        if (c->has_text) add_line(c->text, &c->size, "\n", 1);
        c->has_text = true;
        add_line(c->text, &c->size, line + 1, n - 1);
    } else if (line[0] == '=') {
        add_line(c->expected, &c->expected_size, line + 2, n - 2);
        add_line(c->expected, &c->expected_size, "\n", 1);
    } else {
        fail_msg("line %u: what is %s", c->line, line);
    }
}

/* A case ends with an empty line; family and tools hold until the next. */
static void cases_in_file(void **state)
{
    (void)state;
    static Case c;
    static char line[TEXT_MAX];
    unsigned number = 0, cases = 0;
    FILE *file = fopen("tests/cases/tool_parse.txt", "r");
    assert_non_null(file);
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, file) != NULL;
        size_t n = more ? strcspn(line, "\n") : 0;
        line[n] = 0;
        number++;
        if (n && line[0] == '#') continue;
        if (n) {
            if (!c.has_text && !c.expected_size) c.line = number;
            read_line(&c, line, n);
        } else if (c.has_text || c.expected_size) {
            run_case(&c);
            cases++;
            c.size = c.expected_size = 0;
            c.text[0] = c.expected[0] = 0;
            c.has_text = false;
        }
    }
    fclose(file);
    forget_tools(&c);
    assert_in_range(cases, 40, 1000);
}

/* ---- what the interface promises ---- */

/* A call is told before it has ended, its arguments as they come. */
static void tells_early(void **state)
{
    (void)state;
    const weir_tool_event *e;
    size_t n;
    weir_tool_parser *p =
        weir_tool_parser_new(NULL, WEIR_FAMILY_QWEN_3, NULL, 0, NULL, NULL);
    assert_int_equal(weir_tool_parse(p, bytes_of("Hi <tool"), &e, &n), WEIR_OK);
    assert_int_equal(n, 1);
    assert_int_equal(e[0].kind, WEIR_TOOL_CONTENT);
    assert_int_equal(e[0].text.size, 2); /* the blank may be layout */
    weir_tool_parse(p, bytes_of("_call>\n{\"name\": \"f\", \"argum"), &e, &n);
    assert_int_equal(n, 0);
    weir_tool_parse(p, bytes_of("ents\": {\"a\": \"\xC3"), &e, &n);
    assert_int_equal(n, 2);
    assert_int_equal(e[0].kind, WEIR_TOOL_CALL);
    assert_memory_equal(e[0].text.data, "f", 1);
    assert_int_equal(e[1].kind, WEIR_TOOL_ARGUMENTS);
    assert_int_equal(e[1].text.size, 7); /* without the half of a character */
    weir_tool_parse(p, bytes_of("\xA9\"}"), &e, &n);
    assert_int_equal(n, 1);
    assert_int_equal(e[0].text.size, 4);
    weir_tool_parse(p, bytes_of("}"), &e, &n);
    assert_int_equal(n, 1);
    assert_int_equal(e[0].kind, WEIR_TOOL_CALL_END);
    assert_true(e[0].complete);
    assert_int_equal(weir_tool_parse_end(p, &e, &n), WEIR_OK);
    assert_int_equal(n, 0);
    assert_int_equal(weir_tool_parse(p, bytes_of("x"), &e, &n), WEIR_ARGUMENT);
    weir_tool_parser_free(p);
}

/* Strings that are known to be strings are told as they come, too. */
static void tells_strings_early(void **state)
{
    (void)state;
    const weir_tool_event *e;
    size_t n;
    weir_tool tool = {.name = bytes_of("f"),
                      .kind = WEIR_JSON_SCHEMA,
                      .source = bytes_of("{\"properties\":{\"a\":{\"type\":"
                                         "\"string\"}}}")};
    weir_tool_parser *p =
        weir_tool_parser_new(NULL, WEIR_FAMILY_QWEN_3_5, &tool, 1, NULL, NULL);
    weir_tool_parse(
        p, bytes_of("<tool_call>\n<function=f>\n<parameter=a>\nlong"), &e, &n);
    assert_int_equal(n, 2);
    assert_int_equal(e[1].text.size, 10);
    assert_memory_equal(e[1].text.data, "{\"a\":\"long", 10);
    weir_tool_parser_free(p);
}

/* Long runs of whatever marks and calls begin with take linear time: else this
 * would take hours. */
static void long_runs(void **state)
{
    (void)state;
    enum { LONG = 1 << 17 };
    static const char *const parts[] = {
        " ",
        "\n",
        "<",
        "[",
        "{",
        "\"",
        "<tool_call>",
        "<tool_call>\n",
        "{\"name\": ",
        "<tool_call>{\"arguments\":",
        "<|channel|>commentary to=functions.a ",
        " to=functions.aaaaaaaaaaaaaaaaaaaaaa ",
        "[TOOL_CALLS]aaaaaaaaaaaaaaaaaaaa",
        "<tool_call>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "<|open|>call tool=\""};
    static char text[LONG + 1];
    for (weir_family f = 1; weir_family_name(f); f++)
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            const weir_tool_event *e;
            size_t n, size = strlen(parts[i]), total = 0;
            weir_tool_parser *p =
                weir_tool_parser_new(NULL, f, NULL, 0, NULL, NULL);
            for (size_t at = 0; at < LONG; at++) text[at] = parts[i][at % size];
            text[LONG] = 'x';
            assert_int_equal(
                weir_tool_parse(p, (weir_bytes){text, sizeof text}, &e, &n),
                WEIR_OK);
            total += n;
            assert_int_equal(weir_tool_parse_end(p, &e, &n), WEIR_OK);
            assert_true(total + n > 0);
            weir_tool_parser_free(p);
        }
}

static void wrong_arguments(void **state)
{
    (void)state;
    weir_error err;
    weir_tool_opts opts = {.size = sizeof opts,
                           .reasoning = WEIR_REASONING_MAY};
    assert_null(weir_tool_parser_new(NULL, 0, NULL, 0, NULL, &err));
    assert_int_equal(err.status, WEIR_ARGUMENT);
    assert_null(
        weir_tool_parser_new(NULL, WEIR_FAMILY_LLAMA, NULL, 0, &opts, &err));
    assert_int_equal(err.status, WEIR_UNSUPPORTED);
    weir_tool tool = {.name = bytes_of("f"),
                      .kind = WEIR_JSON_SCHEMA,
                      .source = bytes_of("{\"type\":")};
    assert_null(
        weir_tool_parser_new(NULL, WEIR_FAMILY_GLM_4_7, &tool, 1, NULL, &err));
    assert_int_equal(err.status, WEIR_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_in_file),       cmocka_unit_test(tells_early),
        cmocka_unit_test(tells_strings_early), cmocka_unit_test(long_runs),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
