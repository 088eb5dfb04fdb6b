/* request_rows_test.c: tests/cases/request_*.txt: requests and what they come
 * to, each from its raw text.
 *
 *   # a comment
 *   PROFILES ENDPOINT REQUEST        profiles: a list with commas, or "all"
 *   = FACT                           one or more: all there is to say
 *
 * Facts: "KIND [POINTER [SOURCE]]" first, or "HTTP CODE [POINTER]"; then what
 * differs from the profile's own: name, strict, closed, space, tools.
 * The constraint is compiled, too; "awaits" says that there is no compiler yet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/out.h"
#include "request/profile.h"
#include "text/json.h"

enum { LINE = 4096, FACTS = 4096 };

/* ---- facts ---- */

static const char *kind_name(weir_source_kind kind)
{
    static const char *const names[] = {
        "none",   "json_value",  "json_object", "regex", "ebnf",
        "choice", "json_schema", "gbnf",        "lark",  "structural_tag"};
    return names[kind];
}

static void put_bytes(Out *out, weir_bytes text)
{
    out_bytes(out, span_of(text.data, text.size));
}

static void put_source(Out *out, const weir_constraint_info *info)
{
    out_format(out, "%s", kind_name(info->kind));
    if (!info->kind) {
        out_text(out, "\n");
        return;
    }
    out_format(out, " %s", info->from);
    if (info->source.size) out_text(out, " ");
    put_bytes(out, info->source);
    for (size_t i = 0; i < info->choice_count; i++) {
        out_text(out, i ? "," : " ");
        json_write_string(
            out, span_of(info->choices[i].data, info->choices[i].size));
    }
    out_text(out, "\n");
}

static void put_options(Out *out, const weir_constraint_info *info,
                        const Profile *p)
{
    const weir_space *space = &info->opts->space;
    bool is_own = space->kind == WEIR_SPACE_REGEX && p->space &&
                  span_equal(span_text(p->space),
                             span_of(space->pattern.data, space->pattern.size));
    bool is_named =
        info->name.size &&
        !(info->name.size == 8 && !memcmp(info->name.data, "response", 8));
    if (is_named) {
        out_text(out, "name ");
        put_bytes(out, info->name);
        out_text(out, "\n");
    }
    if (info->strict) out_text(out, "strict\n");
    if (info->opts->schema.strict && p->closed != CLOSED_ALWAYS)
        out_text(out, "closed\n");
    if (space->kind == WEIR_SPACE_FIXED)
        out_format(out, "space fixed %u\n", space->indent);
    if (space->kind == WEIR_SPACE_REGEX && !is_own) {
        out_text(out, "space regex ");
        put_bytes(out, space->pattern);
        out_text(out, "\n");
    }
}

static void put_tools(Out *out, const weir_constraint_info *info)
{
    static const char *const modes[] = {"none",     "free", "auto",
                                        "required", "list", "arguments"};
    if (!info->tool_mode) return;
    out_format(out, "tools %s%s", modes[info->tool_mode],
               info->parallel ? "" : " serial");
    for (size_t i = 0; i < info->tool_count; i++) {
        const weir_tool *t = &info->tools[i];
        out_text(out, " ");
        put_bytes(out, t->name);
        out_format(out, "(%s%s)", kind_name(t->kind), t->strict ? "!" : "");
    }
    out_text(out, "\n");
}

static void put_refusal(Out *out, const weir_refusal *f)
{
    out_format(out, "%d %s", f->http, f->code);
    if (*f->pointer) {
        out_text(out, " ");
        out_text(out, f->pointer);
    }
    out_text(out, "\n");
    assert_true(f->begin <= f->end);
    assert_true(*f->message);
}

/* ---- one case ---- */

typedef struct Case {
    const char *file;
    unsigned line;
    char profiles[80], endpoint[32], request[LINE], facts[FACTS];
} Case;

static unsigned find_name(const char *name, const char *(*name_at)(unsigned))
{
    for (unsigned i = 0; name_at(i); i++)
        if (!strcmp(name_at(i), name)) return i;
    fail_msg("no such name: %s", name);
    return 0;
}

static const char *profile_name(unsigned i)
{
    return weir_profile_name((weir_profile)i);
}

static const char *endpoint_name(unsigned i)
{
    return weir_endpoint_name((weir_endpoint)i);
}

static weir_constraint *resolve(const Case *c, weir_profile profile,
                                weir_refusal *refusal)
{
    weir_request_opts opts = {
        .size = sizeof opts,
        .profile = profile,
        .endpoint = (weir_endpoint)find_name(c->endpoint, endpoint_name)};
    weir_bytes text = {c->request, strlen(c->request)};
    return opts.endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT
               ? weir_constraint_from_ollama(NULL, text, &opts, refusal)
               : weir_constraint_from_openai(NULL, text, &opts, refusal);
}

static void put_facts(Out *out, const Case *c, weir_profile profile)
{
    weir_refusal refusal;
    weir_constraint_info info = {.size = sizeof info};
    weir_constraint *constraint = resolve(c, profile, &refusal);
    if (!constraint) {
        put_refusal(out, &refusal);
        return;
    }
    weir_constraint_describe(constraint, &info);
    Out described = *out;
    put_source(&described, &info);
    put_options(&described, &info, profile_at(profile));
    put_tools(&described, &info);
    weir_grammar *g = weir_constraint_compile(constraint, NULL, &refusal);
    weir_constraint_describe(constraint, &info);
    bool awaits = info.tool_mode == WEIR_TOOLS_AUTO ||
                  info.tool_mode == WEIR_TOOLS_REQUIRED;
    if (refusal.http && !awaits) {
        put_refusal(out, &refusal);
    } else if (info.degraded) {
        out_text(out, "degraded\n");
    } else {
        assert_int_equal(awaits, refusal.status == WEIR_UNSUPPORTED);
        assert_int_equal(g != NULL, info.kind && !awaits);
        if (awaits) out_text(&described, "awaits\n");
        *out = described;
    }
    weir_grammar_free(g);
    weir_constraint_free(constraint);
}

static unsigned failures;

static void check_profile(const Case *c, weir_profile profile)
{
    char text[FACTS];
    Out out = {text, sizeof text - 1, 0};
    put_facts(&out, c, profile);
    assert_true(out.size < sizeof text);
    text[out.size] = 0;
    if (!strcmp(text, c->facts)) return;
    print_error("%s:%u: %s: %s\nexpected:\n%sfound:\n%s", c->file, c->line,
                weir_profile_name(profile), c->request, c->facts, text);
    failures++;
}

static void check_case(Case *c)
{
    bool is_all = !strcmp(c->profiles, "all");
    for (unsigned i = 0; is_all && profile_name(i); i++)
        check_profile(c, (weir_profile)i);
    if (is_all) return;
    for (char *name = strtok(c->profiles, ","); name; name = strtok(NULL, ","))
        check_profile(c, (weir_profile)find_name(name, profile_name));
}

/* ---- files ---- */

static void run_file(const char *path)
{
    char line[LINE];
    Case c = {.file = path};
    FILE *file = fopen(path, "r");
    unsigned number = 0, cases = 0;
    assert_non_null(file);
    failures = 0;
    while (fgets(line, sizeof line, file)) {
        number++;
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "= ", 2)) {
            strcat(strcat(c.facts, line + 2), "\n");
            assert_true(strlen(c.facts) < FACTS / 2);
            continue;
        }
        if (*c.facts) check_case(&c);
        *c.facts = 0;
        if (!*line || *line == '#') continue;
        c.line = number;
        cases++;
        int n = sscanf(line, "%79s %31s %4095[^\n]", c.profiles, c.endpoint,
                       c.request);
        assert_int_equal(n, 3);
    }
    if (*c.facts) check_case(&c);
    fclose(file);
    assert_true(cases > 10);
    assert_int_equal(failures, 0);
}

static void fields(void **state)
{
    (void)state;
    run_file("tests/cases/request_fields.txt");
}

static void conflicts(void **state)
{
    (void)state;
    run_file("tests/cases/request_conflicts.txt");
}

static void tools(void **state)
{
    (void)state;
    run_file("tests/cases/request_tools.txt");
}

static void checklist(void **state)
{
    (void)state;
    run_file("tests/cases/request_checklist.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checklist),
        cmocka_unit_test(fields),
        cmocka_unit_test(conflicts),
        cmocka_unit_test(tools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
