/* schema_driver.c: verdicts on JSON Schemas and instances, for the scripts
 * that compare weir with other validators.
 *
 * Reads lines {"schema":S,"instances":[I,...],"draft":"7"} and prints one line
 * for each, of parts with tabs between them:
 *   ok 0110...      a digit an instance: 1 accepted, 0 refused, L limit
 *   STATUS POINTER MESSAGE    the schema does not compile
 * Instances are read as they are spelled. Members may come in any order.
 * --declared: only as declared. --strict, --lenient: those options.
 */
#include <stdio.h>
#include <stdlib.h>

#include "text/json.h"
#include "weir/weir.h"

typedef struct Driver {
    Mem mem;
    weir_schema_opts schema;
} Driver;

static char verdict(weir_grammar *g, Span text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    weir_bytes bytes = {(const char *)text.at, text.size};
    if (!m) return 'L';
    weir_accept answer = weir_matcher_accept_bytes(m, bytes, NULL);
    char c = answer == WEIR_ACCEPT_ERROR ? 'L' : '0';
    if (answer == WEIR_ACCEPTED && weir_matcher_is_completed(m)) c = '1';
    weir_matcher_free(m);
    return c;
}

static weir_draft draft_of(const Json *json)
{
    static const struct {
        const char *name;
        weir_draft draft;
    } names[] = {{"4", WEIR_DRAFT_4},
                 {"6", WEIR_DRAFT_6},
                 {"7", WEIR_DRAFT_7},
                 {"2019-09", WEIR_DRAFT_2019_09}};
    JsonId draft = json_get(json, JSON_ROOT, "draft");
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (json_is_string(json, draft, names[i].name)) return names[i].draft;
    return WEIR_DRAFT_DEFAULT;
}

static void judge_line(const Driver *d, const Json *json)
{
    weir_error err = {.status = WEIR_OK};
    Span schema = json_spelling(json, json_get(json, JSON_ROOT, "schema"));
    weir_compile_opts opts = {.size = sizeof opts, .schema = d->schema};
    opts.schema.draft = draft_of(json);
    weir_grammar *g = weir_grammar_compile(
        NULL, WEIR_JSON_SCHEMA,
        (weir_bytes){(const char *)schema.at, schema.size}, &opts, &err);
    if (!g) {
        printf("%s\t%s\t%s\n", weir_status_name(err.status),
               *err.pointer ? err.pointer : "-", err.message);
        return;
    }
    fputs("ok\t", stdout);
    JsonId list = json_get(json, JSON_ROOT, "instances");
    for (JsonIter it = json_iter(json, list); json_step(&it);)
        putchar(verdict(g, json_spelling(json, it.value)));
    putchar('\n');
    weir_grammar_free(g);
}

int main(int argc, char **argv)
{
    Driver d = {.mem = mem_from_env(NULL), .schema = {.any_order = true}};
    char *line = NULL;
    size_t cap = 0;
    ssize_t size;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--declared")) d.schema.any_order = false;
        if (!strcmp(argv[i], "--strict")) d.schema.strict = true;
        if (!strcmp(argv[i], "--lenient")) d.schema.lenient = true;
    }
    while ((size = getline(&line, &cap, stdin)) > 0) {
        Json json;
        weir_error err = {.status = WEIR_OK};
        if (json_parse(&json, &d.mem, span_of(line, (size_t)size), NULL,
                       &err)) {
            judge_line(&d, &json);
            json_free(&json);
        } else {
            printf("LINE\t-\t%s\n", err.message);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
