/* cmd_conformance.c: weir conformance: runs a folder of tests in the form of
 * the JSON Schema Test Suite.
 *
 * A file is an array of groups {"description","schema","tests"}, a test is
 * {"description","data","valid"}. The suite speaks of values, a grammar of
 * texts: an instance counts as accepted when the grammar takes its text as it
 * stands in the file, or its compact spelling (cli_respell.h); so an invalid
 * one must be refused in both. Any order of members, and 1.0 for integers.
 * `format` asserts in optional/format* and in format-assertion files; in all
 * others it is an annotation, as the suite has it. A schema without any valid
 * value does not compile, and refuses every instance rightly.
 * The draft of a file is told by the folders that it lies in.
 * Tests: tests/cli/schema_cli_test.py, tests/cli/conformance_test.py.
 */
#include <sys/stat.h>

#include "text/json.h"
#include "weir/cli_report.h"
#include "weir/cli_respell.h"
#include "weir/cli_schema.h"
#include "weir/cmd.h"

enum { SHOWN = 60 }; /* bytes of an instance in a message */

typedef enum Outcome {
    OUTCOME_PASS,
    OUTCOME_FALSE_NEGATIVE, /* valid, refused */
    OUTCOME_FALSE_POSITIVE, /* invalid, accepted */
    OUTCOME_COMPILE_ERROR,
    OUTCOMES
} Outcome;

static const char *const outcome_names[OUTCOMES] = {
    "pass", "false_negative", "false_positive", "compile_error"};

typedef struct Suite {
    const Args *args;
    Documents files;   /* the tests */
    Documents remotes; /* what schemas may refer to */
    uint64_t count[OUTCOMES];
    FileBytes spelling;
    bool is_out_of_memory;
} Suite;

/* A group of tests of one schema. */
typedef struct Group {
    Suite *suite;
    const char *file, *path; /* below the folder; as it was opened */
    Span name;
    weir_matcher *matcher; /* NULL: */
    bool allows_nothing;   /* the schema has no valid value; else: */
    weir_error error;      /* why it does not compile */
} Group;

/* ---- one test ---- */

static void print_failure(const Group *g, Span test, Outcome outcome,
                          const char *reason)
{
    FILE *out = g->suite->args->json ? stderr : stdout;
    fprintf(out, "%s: %.*s: %.*s: %s: ", g->file, (int)g->name.size,
            (const char *)g->name.at, (int)test.size, (const char *)test.at,
            outcome_names[outcome]);
    print_safe(out, reason);
    fputc('\n', out);
}

/* Whether the text is a whole output; `reason`: why not. */
static bool is_accepted(weir_matcher *m, Span text, char *reason, size_t size)
{
    size_t pos = 0;
    weir_matcher_reset(m);
    weir_bytes bytes = {(const char *)text.at, text.size};
    weir_accept answer = weir_matcher_accept_bytes(m, bytes, &pos);
    if (answer == WEIR_ACCEPT_ERROR) {
        snprintf(reason, size, "%s", weir_status_text(weir_matcher_error(m)));
        return false;
    }
    if (answer == WEIR_ACCEPTED && weir_matcher_is_completed(m)) return true;
    if (answer != WEIR_ACCEPTED)
        weir_matcher_accept_bytes(m, (weir_bytes){bytes.data, pos}, NULL);
    int n = snprintf(reason, size, "refused at byte %zu of %.*s%s, expected ",
                     pos, (int)MIN(text.size, SHOWN), bytes.data,
                     text.size > SHOWN ? "..." : "");
    if (n > 0 && (size_t)n < size)
        weir_matcher_explain(m, UINT32_MAX, reason + n, size - (size_t)n);
    return false;
}

static Outcome run_instance(Group *g, Span data, bool valid, char *reason,
                            size_t size)
{
    Suite *s = g->suite;
    if (!g->matcher && !g->allows_nothing) {
        snprintf(reason, size, "%s%s%s", g->error.message,
                 *g->error.pointer ? " at " : "", g->error.pointer);
        return OUTCOME_COMPILE_ERROR;
    }
    if (!respell(s->args->mem, data, &s->spelling)) s->is_out_of_memory = true;
    Span compact = span_of(s->spelling.at, s->spelling.count);
    bool accepted =
        g->matcher && (is_accepted(g->matcher, data, reason, size) ||
                       is_accepted(g->matcher, compact, reason, size));
    if (accepted == valid) return OUTCOME_PASS;
    if (!g->matcher) snprintf(reason, size, "%s", g->error.message);
    if (accepted)
        snprintf(reason, size, "accepted %.*s%s", (int)MIN(compact.size, SHOWN),
                 s->spelling.at, compact.size > SHOWN ? "..." : "");
    return accepted ? OUTCOME_FALSE_POSITIVE : OUTCOME_FALSE_NEGATIVE;
}

static void run_test(Group *g, const Json *json, JsonId test)
{
    char reason[512];
    Span data = json_spelling(json, json_get(json, test, "data"));
    bool valid = json_bool(json, json_get(json, test, "valid"), false);
    Outcome outcome = run_instance(g, data, valid, reason, sizeof reason);
    g->suite->count[outcome]++;
    if (outcome == OUTCOME_PASS) return;
    print_failure(g, json_string(json, json_get(json, test, "description")),
                  outcome, reason);
}

/* ---- one group ---- */

static bool asserts_format(const char *path)
{
    return strstr(path, "optional/format") || strstr(path, "format-assertion");
}

static weir_grammar *group_compile(Group *g, Span schema, weir_draft draft)
{
    const Suite *s = g->suite;
    weir_compile_opts opts = {
        .size = sizeof opts,
        .schema = {.draft = draft,
                   .any_order = true,
                   .integer_fraction = true,
                   .annotate_formats = !asserts_format(g->path),
                   .documents = s->remotes.list.at,
                   .document_count = s->remotes.list.count}};
    return weir_grammar_compile(
        NULL, WEIR_JSON_SCHEMA,
        (weir_bytes){(const char *)schema.at, schema.size}, &opts, &g->error);
}

static void run_group(Group g, const Json *json, JsonId group, weir_draft draft)
{
    Suite *s = g.suite;
    g.name = json_string(json, json_get(json, group, "description"));
    Span schema = json_spelling(json, json_get(json, group, "schema"));
    weir_grammar *grammar = group_compile(&g, schema, draft);
    g.allows_nothing = !grammar && g.error.status == WEIR_EMPTY;
    if (grammar) {
        g.matcher = weir_matcher_new(grammar, NULL, &g.error);
        if (!g.matcher) s->is_out_of_memory = true;
    }
    JsonId tests = json_get(json, group, "tests");
    for (JsonIter it = json_iter(json, tests); json_step(&it);)
        run_test(&g, json, it.value);
    weir_matcher_free(g.matcher);
    weir_grammar_free(grammar);
}

/* ---- files ---- */

/* The last part of the path that is the name of a draft; false: there is one,
 * but the library does not know it. */
static bool draft_of(const char *path, weir_draft *draft, bool *is_told)
{
    bool is_known = true;
    *is_told = false;
    for (const char *p = path; p; p = strchr(p, '/')) {
        p += *p == '/';
        size_t n = strcspn(p, "/");
        char part[16];
        if (n >= sizeof part || strncmp(p, "draft", 5) || !p[n]) continue;
        memcpy(part, p, n);
        part[n] = 0;
        *is_told = true;
        is_known = draft_parse(part, draft);
    }
    return is_known;
}

/* 0, or 2 after a message. */
static int run_file(Suite *s, const weir_document *file, weir_draft wanted,
                    const char *folder)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    char path[4096];
    bool is_told;
    weir_draft draft = wanted;
    int n = snprintf(path, sizeof path, "%s/%s", folder, file->uri.data);
    if (n < 0 || (size_t)n >= sizeof path)
        return report_failure("found a path of more than %zu bytes",
                              sizeof path - 1);
    if (!draft_of(path, &draft, &is_told)) return 0;
    if (is_told && wanted && draft != wanted) return 0;
    Span text = span_of(file->text.data, file->text.size);
    if (!json_parse(&json, s->args->mem, text, NULL, &err))
        return report_error(path, file->text, &err);
    int status = 0;
    if (json_kind(&json, JSON_ROOT) != JSON_ARRAY)
        status =
            report_failure("%s: found %s, expected an array of groups "
                           "of tests",
                           path, json_kind_name(json_kind(&json, JSON_ROOT)));
    for (JsonIter it = json_iter(&json, JSON_ROOT); !status && json_step(&it);)
        run_group((Group){.suite = s, .file = file->uri.data, .path = path},
                  &json, it.value, draft);
    json_free(&json);
    return status;
}

static bool is_folder(const char *folder, const char *name, char *path,
                      size_t size)
{
    struct stat info;
    int n = snprintf(path, size, "%s/%s", folder, name);
    return n > 0 && (size_t)n < size && !stat(path, &info) &&
           S_ISDIR(info.st_mode);
}

static int run_files(Suite *s, const char *folder, weir_draft draft)
{
    int status = 0;
    progress_begin("running the tests");
    for (uint32_t i = 0; i < s->files.list.count && !status; i++) {
        progress_set(i, s->files.list.count);
        status = run_file(s, &s->files.list.at[i], draft, folder);
        if (s->is_out_of_memory) status = report_failure("out of memory");
    }
    progress_end();
    return status;
}

/* ---- the command ---- */

static int print_summary(const Suite *s)
{
    uint64_t tests = 0;
    const uint64_t *n = s->count;
    for (int i = 0; i < OUTCOMES; i++) tests += n[i];
    if (s->args->json) {
        printf("{\"tests\":%llu", (unsigned long long)tests);
        for (int i = 0; i < OUTCOMES; i++)
            printf(",\"%s\":%llu", outcome_names[i], (unsigned long long)n[i]);
        fputs("}\n", stdout);
    } else {
        printf("%s of %s tests pass", number_text(n[OUTCOME_PASS]).text,
               number_text(tests).text);
        for (int i = OUTCOME_FALSE_NEGATIVE; i < OUTCOMES; i++)
            printf(", %s %s", outcome_names[i], number_text(n[i]).text);
        fputs("\n", stdout);
    }
    return n[OUTCOME_PASS] < tests;
}

/* The tests and the documents. `folder`: where the tests are. */
static bool suite_load(Suite *s, const char **folder, char *tests,
                       char *remotes, size_t size)
{
    static const char base[] = "http://localhost:1234/";
    const Args *args = s->args;
    const char *given = args->remotes;
    *folder = args->files.at[0];
    if (is_folder(*folder, "tests", tests, size)) { /* the suite's own root */
        if (!given && is_folder(*folder, "remotes", remotes, size))
            given = remotes;
        *folder = tests;
    }
    bool ok = documents_add(&s->files, *folder, "");
    if (given) ok = ok && documents_add(&s->remotes, given, base);
    for (uint32_t i = 0; i < args->schema_dirs.count; i++)
        ok = ok && documents_add(&s->remotes, args->schema_dirs.at[i], "");
    return ok;
}

int cmd_conformance(const Args *args)
{
    char tests[4096], remotes[4096];
    const char *folder;
    weir_draft draft = WEIR_DRAFT_DEFAULT;
    if (args->files.count != 1)
        return usage_error(args, args->files.count
                                     ? "found several folders, expected one"
                                     : "expected a folder of tests");
    if (args->draft && !draft_parse(args->draft, &draft))
        return draft_error(args);
    Suite s = {.args = args};
    documents_init(&s.files, args->mem);
    documents_init(&s.remotes, args->mem);
    bool ok = suite_load(&s, &folder, tests, remotes, sizeof tests);
    int status = ok ? run_files(&s, folder, draft) : 2;
    if (!status) status = print_summary(&s);
    vec_free(args->mem, &s.spelling);
    documents_free(&s.files);
    documents_free(&s.remotes);
    return status;
}
