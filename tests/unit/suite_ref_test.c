/* suite_ref_test.c: references judged by the official test suite.
 *
 * A small validator, written for this test alone, follows references through
 * source.h and knows just enough keywords for the files of the suite that are
 * about references and identifiers. A reference that leads to a wrong place
 * makes some instance's verdict wrong. Skipped where ../shared is missing; the
 * groups about metaschemas also where .cache/validators is.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/keyword.h"
#include "text/decimal.h"
#include "unit/sources_kit.h"

#define SUITE "../shared/data/json-schema-test-suite/"
#define METASCHEMAS ".cache/validators/metaschemas/"

/* ---- files ---- */

enum { MAX_FILES = 200, MAX_PATH = 512 };

typedef struct Files {
    weir_document at[MAX_FILES];
    char *text[MAX_FILES], *uri[MAX_FILES];
    size_t count, metaschemas;
} Files;

static Files remotes;

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_int_equal(fread(text, 1, *size, file), *size);
    fclose(file);
    return text;
}

/* All JSON files below a folder; called by `uri` and their path there, or
 * left to their $id when uri is NULL. */
static void add_files(const char *folder, const char *uri)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        char path[MAX_PATH], name[MAX_PATH];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        snprintf(name, sizeof name, "%s%s", uri ? uri : "", entry->d_name);
        if (!strstr(entry->d_name, ".json")) {
            strcat(path, "/");
            strcat(name, "/");
            add_files(path, uri ? name : NULL);
            continue;
        }
        size_t i = remotes.count++, size = 0;
        assert_true(i < MAX_FILES);
        remotes.text[i] = read_file(path, &size);
        remotes.at[i].text = (weir_bytes){remotes.text[i], size};
        if (!uri) continue;
        remotes.uri[i] = malloc(strlen(name) + 1);
        strcpy(remotes.uri[i], name);
        remotes.at[i].uri = (weir_bytes){remotes.uri[i], strlen(name)};
    }
    if (dir) closedir(dir);
}

/* ---- the validator ---- */

typedef struct Judge {
    Sources *s;
    const Json *json; /* of the instance */
    bool is_lost;     /* a keyword it does not know, or no such reference */
    char why[80];
} Judge;

static bool judge(Judge *j, Place schema, uint32_t scope, JsonId value);

static bool is_equal(const Json *a, JsonId x, const Json *b, JsonId y)
{
    JsonKind kind = json_kind(a, x);
    if (kind != json_kind(b, y)) return false;
    if (kind == JSON_NUMBER)
        return decimal_double(json_spelling(a, x)) ==
               decimal_double(json_spelling(b, y));
    if (kind == JSON_STRING)
        return span_equal(json_string(a, x), json_string(b, y));
    if (kind != JSON_ARRAY && kind != JSON_OBJECT) return true;
    if (json_count(a, x) != json_count(b, y)) return false;
    JsonIter at = json_iter(a, x), bt = json_iter(b, y);
    while (json_step(&at)) {
        JsonId other = JSON_NONE;
        if (kind == JSON_OBJECT)
            other = json_get_span(b, y, at.key);
        else if (json_step(&bt))
            other = bt.value;
        if (!is_equal(a, at.value, b, other)) return false;
    }
    return true;
}

static bool is_whole(double number)
{
    if (number >= 0x1p53 || number <= -0x1p53) return true; /* all are */
    return number == (double)(int64_t)number;
}

static bool has_type(const Json *json, JsonId value, const Json *schema,
                     JsonId name)
{
    static const char *const names[] = {"",        "null",   "boolean",
                                        "boolean", "number", "string",
                                        "array",   "object"};
    JsonKind kind = json_kind(json, value);
    if (json_is_string(schema, name, names[kind])) return true;
    double number;
    return json_is_string(schema, name, "integer") &&
           json_double(json, value, &number) && is_whole(number);
}

static bool any_type(const Judge *j, JsonId value, const Json *schema,
                     JsonId types)
{
    if (json_kind(schema, types) == JSON_STRING)
        return has_type(j->json, value, schema, types);
    for (JsonIter it = json_iter(schema, types); json_step(&it);)
        if (has_type(j->json, value, schema, it.value)) return true;
    return false;
}

static bool any_equal(const Judge *j, JsonId value, const Json *schema,
                      JsonId list)
{
    for (JsonIter it = json_iter(schema, list); json_step(&it);)
        if (is_equal(j->json, value, schema, it.value)) return true;
    return false;
}

static bool has_all(const Judge *j, JsonId value, const Json *schema,
                    JsonId names)
{
    if (json_kind(j->json, value) != JSON_OBJECT) return true;
    for (JsonIter it = json_iter(schema, names); json_step(&it);)
        if (json_get_span(j->json, value, json_string(schema, it.value)) ==
            JSON_NONE)
            return false;
    return true;
}

/* A subschema of the one in hand. */
static bool judge_sub(Judge *j, Place at, JsonId sub, uint32_t scope,
                      JsonId value)
{
    Place place = {at.doc, sub};
    return judge(j, place, place_enter(j->s, scope, place), value);
}

/* How many schemas of a list allow the value. */
static unsigned count_valid(Judge *j, Place at, JsonId list, uint32_t scope,
                            JsonId value, unsigned *all)
{
    unsigned count = *all = 0;
    const Json *json = place_json(j->s, at);
    for (JsonIter it = json_iter(json, list); json_step(&it); ++*all)
        count += judge_sub(j, at, it.value, scope, value);
    return count;
}

static bool judge_members(Judge *j, Place at, uint32_t scope, JsonId value)
{
    const Json *json = place_json(j->s, at);
    JsonId properties = json_get(json, at.id, "properties");
    JsonId others = json_get(json, at.id, "additionalProperties");
    if (json_kind(j->json, value) != JSON_OBJECT) return true;
    for (JsonIter it = json_iter(j->json, value); json_step(&it);) {
        JsonId sub = json_get_span(json, properties, it.key);
        if (sub == JSON_NONE) sub = others;
        if (sub != JSON_NONE && !judge_sub(j, at, sub, scope, it.value))
            return false;
    }
    return true;
}

static bool judge_items(Judge *j, Place at, uint32_t scope, JsonId value)
{
    const Json *json = place_json(j->s, at);
    bool is_new = place_draft(j->s, at) == WEIR_DRAFT_2020_12;
    JsonId items = json_get(json, at.id, "items"), list = JSON_NONE;
    if (is_new) list = json_get(json, at.id, "prefixItems");
    if (json_kind(json, items) == JSON_ARRAY) {
        list = items;
        items = json_get(json, at.id, "additionalItems");
    }
    if (json_kind(j->json, value) != JSON_ARRAY) return true;
    JsonIter first = json_iter(json, list);
    for (JsonIter it = json_iter(j->json, value); json_step(&it);) {
        JsonId sub = json_step(&first) ? first.value : items;
        if (sub != JSON_NONE && !judge_sub(j, at, sub, scope, it.value))
            return false;
    }
    return true;
}

static bool judge_reference(Judge *j, Place at, KeywordId keyword, JsonId text,
                            uint32_t scope, JsonId value)
{
    Place to;
    uint32_t to_scope;
    Span ref = json_string(place_json(j->s, at), text);
    bool ok = keyword == KEYWORD_REF
                  ? place_ref(j->s, at, scope, ref, &to, &to_scope)
                  : place_dynamic_ref(j->s, at, scope, ref, &to, &to_scope);
    if (ok) return judge(j, to, to_scope, value);
    if (!j->is_lost) snprintf(j->why, sizeof j->why, "%s", span_chars(ref));
    j->is_lost = true;
    return false;
}

static double number_of(const Json *json, JsonId id)
{
    double number = 0;
    json_double(json, id, &number);
    return number;
}

/* The length of a string, or of a container. */
static double size_of(const Json *json, JsonId value)
{
    return json_kind(json, value) == JSON_STRING
               ? (double)json_string(json, value).size
               : (double)json_count(json, value);
}

static bool is_kind(const Judge *j, JsonId value, JsonKind kind)
{
    return json_kind(j->json, value) == kind;
}

static bool judge_keyword(Judge *j, Place at, KeywordId keyword, JsonId arg,
                          uint32_t scope, JsonId value)
{
    const Json *json = place_json(j->s, at);
    double bound = number_of(json, arg);
    unsigned all, count;
    bool is_if;
    switch (keyword) {
    case KEYWORD_REF:
    case KEYWORD_DYNAMIC_REF:
        return judge_reference(j, at, keyword, arg, scope, value);
    case KEYWORD_TYPE:
        return any_type(j, value, json, arg);
    case KEYWORD_ENUM:
        return any_equal(j, value, json, arg);
    case KEYWORD_CONST:
        return is_equal(j->json, value, json, arg);
    case KEYWORD_REQUIRED:
        return has_all(j, value, json, arg);
    case KEYWORD_DEPENDENT_REQUIRED:
        if (!is_kind(j, value, JSON_OBJECT)) return true;
        for (JsonIter it = json_iter(json, arg); json_step(&it);)
            if (json_get_span(j->json, value, it.key) != JSON_NONE &&
                !has_all(j, value, json, it.value))
                return false;
        return true;
    case KEYWORD_PROPERTIES:
    case KEYWORD_ADDITIONAL_PROPERTIES:
        return judge_members(j, at, scope, value);
    case KEYWORD_ITEMS:
    case KEYWORD_PREFIX_ITEMS:
    case KEYWORD_ADDITIONAL_ITEMS:
        return judge_items(j, at, scope, value);
    case KEYWORD_ALL_OF:
        count = count_valid(j, at, arg, scope, value, &all);
        return count == all;
    case KEYWORD_ANY_OF:
        return count_valid(j, at, arg, scope, value, &all) > 0;
    case KEYWORD_ONE_OF:
        return count_valid(j, at, arg, scope, value, &all) == 1;
    case KEYWORD_NOT:
        return !judge_sub(j, at, arg, scope, value);
    case KEYWORD_IF:
        is_if = judge_sub(j, at, arg, scope, value);
        arg = json_get(json, at.id, is_if ? "then" : "else");
        return arg == JSON_NONE || judge_sub(j, at, arg, scope, value);
    case KEYWORD_MAX_ITEMS:
        return !is_kind(j, value, JSON_ARRAY) ||
               size_of(j->json, value) <= bound;
    case KEYWORD_MIN_ITEMS:
        return !is_kind(j, value, JSON_ARRAY) ||
               size_of(j->json, value) >= bound;
    case KEYWORD_MAX_LENGTH:
        return !is_kind(j, value, JSON_STRING) ||
               size_of(j->json, value) <= bound;
    case KEYWORD_MIN_LENGTH:
        return !is_kind(j, value, JSON_STRING) ||
               size_of(j->json, value) >= bound;
    case KEYWORD_MAXIMUM:
        return !is_kind(j, value, JSON_NUMBER) ||
               number_of(j->json, value) <= bound;
    case KEYWORD_MINIMUM:
        return !is_kind(j, value, JSON_NUMBER) ||
               number_of(j->json, value) >= bound;
    case KEYWORD_UNEVALUATED_ITEMS:
    case KEYWORD_UNEVALUATED_PROPERTIES:
    case KEYWORD_CONTAINS:
    case KEYWORD_DEPENDENT_SCHEMAS:
        if (!j->is_lost)
            snprintf(j->why, sizeof j->why, "%s", keyword_table[keyword].name);
        j->is_lost = true;
        return false;
    default:
        return true; /* annotations, and what the files have in metaschemas */
    }
}

static bool judge(Judge *j, Place schema, uint32_t scope, JsonId value)
{
    const Json *json = place_json(j->s, schema);
    JsonKind kind = json_kind(json, schema.id);
    if (kind != JSON_OBJECT) return kind == JSON_TRUE;
    weir_draft draft = place_draft(j->s, schema);
    JsonId ref = json_get(json, schema.id, "$ref");
    bool is_hidden = ref != JSON_NONE && draft_bit(draft) & UNTIL_7;
    if (is_hidden)
        return judge_reference(j, schema, KEYWORD_REF, ref, scope, value);
    bool ok = true;
    for (JsonIter it = json_iter(json, schema.id); json_step(&it);) {
        KeywordId keyword = place_keyword(j->s, schema, it.key_id);
        ok = judge_keyword(j, schema, keyword, it.value, scope, value) && ok;
    }
    return ok;
}

/* ---- the suite ---- */

typedef struct Count {
    unsigned judged, lost;
} Count;

static void run_group(const Json *json, JsonId group, weir_draft draft,
                      Count *count)
{
    weir_schema_opts opts = {.draft = draft,
                             .documents = remotes.at,
                             .document_count = remotes.count};
    const char *name =
        span_chars(json_string(json, json_get(json, group, "description")));
    Span schema = json_spelling(json, json_get(json, group, "schema"));
    Kit kit;
    kit.mem = mem_from_env(NULL);
    JsonId tests = json_get(json, group, "tests");
    for (JsonIter it = json_iter(json, tests); json_step(&it);) {
        ir_init(&kit.ir, &kit.mem, NULL);
        kit.s = sources_new(&kit.ir, schema, &opts);
        if (!kit.s) fail_msg("%s: %s", name, kit.ir.error.message);
        Judge j = {.s = kit.s, .json = json};
        bool valid = judge(&j, sources_root(), sources_root_scope(kit.s),
                           json_get(json, it.value, "data"));
        bool expected =
            json_bool(json, json_get(json, it.value, "valid"), false);
        if (j.is_lost) {
            bool is_meta = strstr(j.why, "json-schema.org");
            if (!strstr(j.why, "unevaluated") &&
                !(is_meta && !remotes.metaschemas))
                fail_msg("%s: %s: %s", name, j.why, kit.ir.error.message);
            count->lost += !is_meta;
        } else {
            if (valid != expected)
                fail_msg("%s: %s: found %s", name,
                         span_chars(json_string(
                             json, json_get(json, it.value, "description"))),
                         valid ? "valid" : "invalid");
            count->judged++;
        }
        kit_close(&kit);
    }
}

static void run_file(const char *folder, const char *name, weir_draft draft,
                     Count *count)
{
    char path[MAX_PATH];
    snprintf(path, sizeof path, SUITE "tests/%s/%s.json", folder, name);
    size_t size = 0;
    char *text = read_file(path, &size);
    if (!text) fail_msg("no %s", path);
    Mem mem = mem_from_env(NULL);
    Json json;
    weir_error err = {0};
    assert_true(json_parse(&json, &mem, span_of(text, size), NULL, &err));
    for (JsonIter it = json_iter(&json, JSON_ROOT); json_step(&it);)
        run_group(&json, it.value, draft, count);
    json_free(&json);
    free(text);
}

static void draft_7(void **state)
{
    (void)state;
    static const char *const files[] = {
        "ref",
        "refRemote",
        "definitions",
        "infinite-loop-detection",
        "optional/unknownKeyword",
        "optional/id",
        "optional/cross-draft",
    };
    Count count = {0, 0};
    for (size_t i = 0; i < COUNT_OF(files); i++)
        run_file("draft7", files[i], WEIR_DRAFT_7, &count);
    print_message("draft 7: %u instances judged\n", count.judged);
    assert_int_equal(count.judged, remotes.metaschemas ? 117 : 113);
    assert_int_equal(count.lost, 0);
}

static void draft_2020_12(void **state)
{
    (void)state;
    static const char *const files[] = {
        "ref",
        "refRemote",
        "defs",
        "anchor",
        "dynamicRef",
        "infinite-loop-detection",
        "vocabulary",
        "optional/unknownKeyword",
        "optional/id",
        "optional/anchor",
        "optional/dynamicRef",
        "optional/refOfUnknownKeyword",
        "optional/cross-draft",
    };
    Count count = {0, 0};
    for (size_t i = 0; i < COUNT_OF(files); i++)
        run_file("draft2020-12", files[i], WEIR_DRAFT_2020_12, &count);
    print_message("draft 2020-12: %u instances judged, %u need unevaluated\n",
                  count.judged, count.lost);
    assert_int_equal(count.judged, remotes.metaschemas ? 191 : 187);
    assert_int_equal(count.lost, 3);
}

int main(void)
{
    add_files(SUITE "remotes/", "http://localhost:1234/");
    if (!remotes.count) {
        print_message("skipped: no " SUITE "\n");
        return 77;
    }
    size_t count = remotes.count;
    add_files(METASCHEMAS, NULL);
    remotes.metaschemas = remotes.count - count;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draft_7),
        cmocka_unit_test(draft_2020_12),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (size_t i = 0; i < remotes.count; i++) {
        free(remotes.text[i]);
        free(remotes.uri[i]);
    }
    return failed;
}
