/* source_test.c: documents, drafts, identifiers, and where references lead.
 * Expected places are worked out by hand from the core specifications. */
#include <stdio.h>
#include <stdlib.h>

#include "unit/faulty_mem.h"
#include "unit/sources_kit.h"

#define D4 "\"$schema\":\"http://json-schema.org/draft-04/schema#\","
#define D6 "\"$schema\":\"http://json-schema.org/draft-06/schema#\","
#define D7 "\"$schema\":\"http://json-schema.org/draft-07/schema#\","
#define D19 "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
#define D20 "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","

/* `ref` at `at` leads to `to`; or fails with a status, and `to` is in the
 * message. */
typedef struct Case {
    const char *schema, *at, *ref, *to;
    weir_status status;
} Case;

static void run(const Case *c)
{
    Kit kit;
    kit_open(&kit, c->schema);
    Place to = {0, 0};
    uint32_t scope = 0;
    bool ok = place_ref(kit.s, kit_place(&kit, c->at), 0, span_text(c->ref),
                        &to, &scope);
    weir_error err = kit.ir.error;
    if (err.status != c->status)
        fail_msg("%s: %s: %u, %s", c->schema, c->ref, err.status, err.message);
    assert_int_equal(ok, !c->status);
    if (ok)
        assert_pointer(&kit, to, c->to);
    else if (!strstr(err.message, c->to))
        fail_msg("%s: %s: %s", c->schema, c->ref, err.message);
    kit_close(&kit);
}

#define RUN(cases) \
    for (size_t i = 0; i < COUNT_OF(cases); i++) run(&(cases)[i])

static void pointers(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"$defs\":{\"a\":{},\"b/c\":{},\"d~e\":{},\"f%g\":{},\"h i\":true,"
        "\"\":{\"\":{}},\"\xC3\xA9\":{},\"n\":1},"
        "\"allOf\":[{},false,{\"enum\":[{}]}],\"x\":{\"y\":[{}]}}";
    static const Case cases[] = {
        {schema, "", "", "#", 0},
        {schema, "", "#", "#", 0},
        {schema, "/allOf/0", "#", "#", 0},
        {schema, "", "#/$defs/a", "#/$defs/a", 0},
        {schema, "", "#/%24defs/%61", "#/$defs/a", 0},
        {schema, "", "#/$defs/b~1c", "#/$defs/b~1c", 0},
        {schema, "", "#%2F$defs%2Fb~1c", "#/$defs/b~1c", 0},
        {schema, "", "#/$defs/d~0e", "#/$defs/d~0e", 0},
        {schema, "", "#/$defs/f%25g", "#/$defs/f%25g", 0},
        {schema, "", "#/$defs/f%g", "#/$defs/f%25g", 0},
        {schema, "", "#/$defs/h%20i", "#/$defs/h%20i", 0},
        {schema, "", "#/$defs/h i", "#/$defs/h%20i", 0},
        {schema, "", "#/$defs//", "#/$defs//", 0},
        {schema, "", "#/$defs/\xC3\xA9", "#/$defs/\xC3\xA9", 0},
        {schema, "", "#/$defs/%C3%A9", "#/$defs/\xC3\xA9", 0},
        {schema, "", "#/allOf/1", "#/allOf/1", 0},
        {schema, "", "#/allOf/2/enum/0", "#/allOf/2/enum/0", 0},
        {schema, "", "#/x/y/0", "#/x/y/0", 0},
        {schema, "", "#/$defs", "#/$defs", 0},
        {schema, "", "#/$defs/z", "found no \"z\" in \"#/$defs\"",
         WEIR_UNDEFINED},
        {schema, "", "#/$def/a", "expected perhaps \"$defs\"", WEIR_UNDEFINED},
        {schema, "", "#/$defs/d~e", "found no \"d~e\"", WEIR_UNDEFINED},
        {schema, "", "#/$defs/d~", "found no \"d~\"", WEIR_UNDEFINED},
        {schema, "", "#/allOf/3", "found no \"3\"", WEIR_UNDEFINED},
        {schema, "", "#/allOf/01", "found no \"01\"", WEIR_UNDEFINED},
        {schema, "", "#/allOf/-", "found no \"-\"", WEIR_UNDEFINED},
        {schema, "", "#/allOf/", "found no \"\"", WEIR_UNDEFINED},
        {schema, "", "#/allOf/4294967296", "found no", WEIR_UNDEFINED},
        {schema, "", "#/$defs/h i/", "found no \"\"", WEIR_UNDEFINED},
        {schema, "", "#/$defs/n", "a number", WEIR_SYNTAX},
        {schema, "", "#/allOf", "an array", WEIR_SYNTAX},
    };
    RUN(cases);
}

static void identifiers(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"$id\":\"http://a/b/main.json\",\"$defs\":{"
        "\"p\":{\"$id\":\"p.json\",\"$anchor\":\"x\",\"items\":{"
        "\"$anchor\":\"y\"},\"$defs\":{\"q\":{\"$id\":\"/q/\",\"not\":{"
        "\"$id\":\"r\"}}}},"
        "\"s\":{\"$id\":\"urn:s\",\"$defs\":{\"t\":{}}},"
        "\"x\":{\"$anchor\":\"x\"},\"last\":{}}}";
    static const Case cases[] = {
        {schema, "", "main.json", "#", 0},
        {schema, "", "http://a/b/main.json#", "#", 0},
        {schema, "", "HTTP://A/b/c/../m%61in.json", "#", 0},
        {schema, "", "p.json", "#/$defs/p", 0},
        {schema, "", "http://a/b/p.json#", "#/$defs/p", 0},
        {schema, "", "#x", "#/$defs/x", 0},
        {schema, "", "#%78", "#/$defs/x", 0},
        {schema, "", "p.json#x", "#/$defs/p", 0},
        {schema, "", "p.json#y", "#/$defs/p/items", 0},
        {schema, "/$defs/p", "#x", "#/$defs/p", 0},
        {schema, "/$defs/p/items", "#", "#/$defs/p", 0},
        {schema, "/$defs/p/items", "#/items", "#/$defs/p/items", 0},
        {schema, "/$defs/p", "#/$defs/q", "#/$defs/p/$defs/q", 0},
        {schema, "", "/q/", "#/$defs/p/$defs/q", 0},
        {schema, "", "/q/r", "#/$defs/p/$defs/q/not", 0},
        {schema, "/$defs/p/$defs/q", "r", "#/$defs/p/$defs/q/not", 0},
        {schema, "/$defs/p/$defs/q/not", ".", "#/$defs/p/$defs/q", 0},
        {schema, "", "urn:s#/$defs/t", "#/$defs/s/$defs/t", 0},
        {schema, "/$defs/s", "#/$defs/t", "#/$defs/s/$defs/t", 0},
        {schema, "/$defs/s/$defs/t", "#", "#/$defs/s", 0},
        {schema, "/$defs/last", "#/$defs/last", "#/$defs/last", 0},
        {schema, "", "#/$defs/p/items", "#/$defs/p/items", 0},
        {schema, "", "#y", "unknown anchor \"y\"", WEIR_UNDEFINED},
        {schema, "/$defs/p", "#/$defs/x", "found no \"x\"", WEIR_UNDEFINED},
        {schema, "", "r", "found a reference to \"http://a/b/r\"",
         WEIR_UNSUPPORTED},
        {schema, "", "http://a/B/main.json", "http://a/B/main.json",
         WEIR_UNSUPPORTED},
    };
    RUN(cases);
}

static void identifiers_of_older_drafts(void **state)
{
    (void)state;
    static const char four[] =
        "{" D4 "\"id\":\"http://a/x#\",\"definitions\":{"
        "\"a\":{\"id\":\"#foo\",\"$id\":\"no\"},\"b\":{\"id\":\"b/\","
        "\"items\":[{},{\"id\":\"c#bar\"}]},\"r\":{\"id\":\"hidden\","
        "\"$ref\":\"#\",\"not\":{\"id\":\"seen\"}}},"
        "\"properties\":{\"id\":{\"id\":\"p\"}}}";
    static const char seven[] =
        "{" D7 "\"$id\":\"http://a/x\",\"definitions\":{"
        "\"a\":{\"$id\":\"#foo\",\"id\":\"no\",\"$anchor\":\"no\"},"
        "\"b\":{\"$id\":\"b/\",\"items\":[{},{\"$id\":\"c#bar\"}]},"
        "\"r\":{\"$id\":\"hidden\",\"$ref\":\"#\"}},"
        "\"$defs\":{\"d\":{\"$id\":\"d\"}}}";
    static const Case cases[] = {
        {four, "", "x", "#", 0},
        {four, "", "#foo", "#/definitions/a", 0},
        {four, "", "b/", "#/definitions/b", 0},
        {four, "", "b/c", "#/definitions/b/items/1", 0},
        {four, "", "b/c#bar", "#/definitions/b/items/1", 0},
        {four, "/definitions/b/items/1", "#bar", "#/definitions/b/items/1", 0},
        {four, "", "p", "#/properties/id", 0},
        {four, "", "seen", "#/definitions/r/not", 0},
        {four, "", "no", "http://a/no", WEIR_UNSUPPORTED},
        {four, "", "hidden", "http://a/hidden", WEIR_UNSUPPORTED},
        {four, "", "#bar", "\"bar\"", WEIR_UNDEFINED},
        {seven, "", "#foo", "#/definitions/a", 0},
        {seven, "", "b/c#bar", "#/definitions/b/items/1", 0},
        {seven, "", "#/$defs/d", "#/$defs/d", 0},
        {seven, "", "no", "http://a/no", WEIR_UNSUPPORTED},
        {seven, "", "#no", "\"no\"", WEIR_UNDEFINED},
        {seven, "", "hidden", "http://a/hidden", WEIR_UNSUPPORTED},
        {seven, "", "d", "http://a/d", WEIR_UNSUPPORTED},
        /* 2019-09: no hiding, $anchor, $defs and definitions */
        {"{" D19 "\"definitions\":{\"r\":{\"$id\":\"h:i\",\"$ref\":\"#\"}}}",
         "", "h:i", "#/definitions/r", 0},
        {"{" D19 "\"items\":[{\"$anchor\":\"a\"}],\"$defs\":{\"d\":{"
         "\"$dynamicAnchor\":\"d\"}}}",
         "", "#a", "#/items/0", 0},
        {"{" D19 "\"$defs\":{\"d\":{\"$dynamicAnchor\":\"d\"}}}", "", "#d",
         "\"d\"", WEIR_UNDEFINED},
        {"{" D20 "\"items\":[{\"$anchor\":\"a\"}]}", "", "#a", "\"a\"",
         WEIR_UNDEFINED},
        {"{" D20 "\"$defs\":{\"d\":{\"$dynamicAnchor\":\"d\"}}}", "", "#d",
         "#/$defs/d", 0},
        {"{" D6 "\"if\":{\"$id\":\"a:b\"},\"contains\":{\"$id\":\"c:d\"}}", "",
         "c:d", "#/contains", 0},
        {"{" D6 "\"if\":{\"$id\":\"a:b\"}}", "", "a:b", "a:b",
         WEIR_UNSUPPORTED},
        {"{" D7 "\"if\":{\"$id\":\"a:b\"}}", "", "a:b", "#/if", 0},
        {"{" D7 "\"dependencies\":{\"x\":[\"$id\"],\"y\":{\"$id\":\"a:b\"}}}",
         "", "a:b", "#/dependencies/y", 0},
    };
    RUN(cases);
}

/* An "$id" is one only where a schema is. */
static void no_identifiers(void **state)
{
    (void)state;
    static const char *const places[] = {
        "\"enum\":[%s]",       "\"const\":%s",
        "\"default\":%s",      "\"examples\":[%s]",
        "\"unknown\":%s",      "\"unknown\":{\"properties\":{\"a\":%s}}",
        "\"properties\":[%s]", "\"not\":[%s]",
        "\"allOf\":%s",        "\"dependencies\":{\"a\":%s}",
        "\"required\":[%s]",   "\"$comment\":%s",
    };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        char schema[256], inner[200];
        snprintf(inner, sizeof inner, places[i],
                 "{\"$id\":\"a:b\",\"$anchor\":\"c\"}");
        snprintf(schema, sizeof schema, "{%s}", inner);
        run(&(Case){schema, "", "a:b", "a:b", WEIR_UNSUPPORTED});
        run(&(Case){schema, "", "#c", "\"c\"", WEIR_UNDEFINED});
    }
    /* A property of that name, and an $id that is no string. */
    run(&(Case){"{\"properties\":{\"$id\":{\"$anchor\":\"c\"}}}", "", "#c",
                "#/properties/$id", 0});
    run(&(Case){"{\"not\":{\"$id\":{\"$anchor\":\"c\"}}}", "", "#c", "\"c\"",
                WEIR_UNDEFINED});
}

/* A pointer makes its place a schema, whose identifiers count. */
static void places_that_pointers_make(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit,
             "{\"x\":{\"a\":{\"$id\":\"http://h/a\",\"items\":{\"$anchor\":"
             "\"i\"},\"y\":{\"$ref\":\"#i\"},\"z\":{\"$id\":\"b\"}}},"
             "\"w\":{\"$anchor\":\"w\"}}");
    Place to;
    uint32_t scope;
    Place root = sources_root();
    assert_true(place_ref(kit.s, root, 0, SPAN("#/x/a"), &to, &scope));
    assert_pointer(&kit, to, "#/x/a");
    assert_true(place_ref(kit.s, root, 0, SPAN("http://h/a#i"), &to, &scope));
    assert_pointer(&kit, to, "#/x/a/items");
    Place inner = kit_place(&kit, "/x/a/y");
    assert_true(place_ref(kit.s, inner, 0, SPAN("#i"), &to, &scope));
    assert_true(place_ref(kit.s, inner, 0, SPAN("#/z"), &to, &scope));
    assert_pointer(&kit, to, "#/x/a/z");
    assert_true(place_ref(kit.s, root, 0, SPAN("http://h/b"), &to, &scope));
    assert_pointer(&kit, to, "#/x/a/z");
    assert_true(place_ref(kit.s, root, 0, SPAN("#/w"), &to, &scope));
    assert_true(place_ref(kit.s, root, 0, SPAN("#w"), &to, &scope));
    assert_pointer(&kit, to, "#/w");
    kit_close(&kit);
}

static void assert_draft(Kit *kit, const char *pointer, weir_draft draft)
{
    assert_int_equal(place_draft(kit->s, kit_place(kit, pointer)), draft);
}

static void drafts(void **state)
{
    (void)state;
    static const struct {
        const char *uri;
        weir_draft draft;
    } known[] = {
        {"http://json-schema.org/draft-04/schema#", WEIR_DRAFT_4},
        {"http://json-schema.org/draft-04/schema", WEIR_DRAFT_4},
        {"http://json-schema.org/draft-04/hyper-schema#", WEIR_DRAFT_4},
        {"http://json-schema.org/draft-06/schema#", WEIR_DRAFT_6},
        {"http://json-schema.org/draft-07/schema#", WEIR_DRAFT_7},
        {"https://json-schema.org/draft-07/schema#", WEIR_DRAFT_7},
        {"HTTP://JSON-Schema.org/draft-07/schema", WEIR_DRAFT_7},
        {"https://json-schema.org/draft/2019-09/schema", WEIR_DRAFT_2019_09},
        {"https://json-schema.org/draft/2020-12/schema#", WEIR_DRAFT_2020_12},
    };
    Kit kit;
    char schema[160];
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        snprintf(schema, sizeof schema, "{\"$schema\":\"%s\"}", known[i].uri);
        kit_open(&kit, schema);
        assert_draft(&kit, "", known[i].draft);
        assert_int_equal(kit.ir.warnings.count, 0);
        kit_close(&kit);
    }
    static const char *const unknown[] = {
        "http://json-schema.org/draft-03/schema#",
        "http://json-schema.org/schema", "http://example.com/draft-07/schema",
        "http://json-schema.org/draft-07/links", ""};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        weir_schema_opts opts = {.draft = WEIR_DRAFT_6};
        snprintf(schema, sizeof schema, "{\"$schema\":\"%s\"}", unknown[i]);
        kit_open_opts(&kit, schema, &opts);
        assert_draft(&kit, "", WEIR_DRAFT_6);
        assert_int_equal(kit.ir.warnings.count, 1);
        assert_true(kit_warns(&kit, "unknown draft"));
        assert_true(kit_warns(&kit, "#/$schema"));
        kit_close(&kit);
    }
    kit_open(&kit, "true");
    assert_draft(&kit, "", WEIR_DRAFT_2020_12);
    kit_close(&kit);
}

/* $schema counts where a resource begins, and nowhere else. */
static void drafts_of_resources(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit, "{" D20 "\"$defs\":{"
                   "\"a\":{" D4 "\"id\":\"x:a\",\"not\":{\"id\":\"x:n\"}},"
                   "\"b\":{" D7 "\"not\":{}},"
                   "\"c\":{\"$id\":\"x:c\",\"$defs\":{\"d\":{" D19
                   "\"$id\":\"x:d\",\"items\":[{}]}}},"
                   "\"e\":{" D4 "\"$id\":\"x:e\"}}}");
    assert_draft(&kit, "", WEIR_DRAFT_2020_12);
    assert_draft(&kit, "/$defs", WEIR_DRAFT_2020_12);
    assert_draft(&kit, "/$defs/a", WEIR_DRAFT_4);
    assert_draft(&kit, "/$defs/a/not", WEIR_DRAFT_4);
    assert_draft(&kit, "/$defs/b", WEIR_DRAFT_2020_12);
    assert_draft(&kit, "/$defs/b/not", WEIR_DRAFT_2020_12);
    assert_draft(&kit, "/$defs/c", WEIR_DRAFT_2020_12);
    assert_draft(&kit, "/$defs/c/$defs/d", WEIR_DRAFT_2019_09);
    assert_draft(&kit, "/$defs/c/$defs/d/items/0", WEIR_DRAFT_2019_09);
    assert_draft(&kit, "/$defs/e", WEIR_DRAFT_2020_12);
    Place to;
    uint32_t scope;
    assert_true(place_ref(kit.s, sources_root(), 0, SPAN("x:n"), &to, &scope));
    assert_pointer(&kit, to, "#/$defs/a/not");
    kit_close(&kit);
}

/* "#/..." in a resource of an older draft, where only the document has it. */
static void pointers_past_an_id(void **state)
{
    (void)state;
    static const char old[] =
        "{" D4 "\"definitions\":{\"a\":{\"id\":\"x:a\",\"definitions\":{"
        "\"b\":{}}},\"b\":{}}}";
    static const char now[] =
        "{\"definitions\":{\"a\":{\"$id\":\"x:a\",\"definitions\":{"
        "\"b\":{}}},\"b\":{}}}";
    static const Case cases[] = {
        {old, "/definitions/a", "#/definitions/b",
         "#/definitions/a/definitions/b", 0},
        {old, "/definitions/a", "#/definitions/a/definitions/b",
         "#/definitions/a/definitions/b", 0},
        {old, "/definitions/a", "x:a#/definitions/a/definitions/b",
         "found no \"a\"", WEIR_UNDEFINED},
        {old, "/definitions/a", "#/definitions/c", "found no \"c\"",
         WEIR_UNDEFINED},
        {now, "/definitions/a", "#/definitions/a/definitions/b",
         "found no \"a\"", WEIR_UNDEFINED},
    };
    RUN(cases);
    Kit kit;
    Place to;
    uint32_t scope;
    kit_open(&kit, old);
    Place a = kit_place(&kit, "/definitions/a");
    assert_true(place_ref(kit.s, a, 0, SPAN("#/definitions/b"), &to, &scope));
    assert_int_equal(kit.ir.warnings.count, 0);
    assert_true(place_ref(kit.s, a, 0, SPAN("#/definitions/a"), &to, &scope));
    assert_true(kit_warns(&kit, "whose $id is \"x:a\""));
    kit_close(&kit);
}

/* ---- documents ---- */

static weir_document document(const char *uri, const char *text)
{
    return (weir_document){{uri, strlen(uri)}, {text, strlen(text)}};
}

static void assert_leads(Kit *kit, Place from, const char *ref, const char *to)
{
    Place place;
    uint32_t scope;
    if (!place_ref(kit->s, from, 0, span_text(ref), &place, &scope))
        fail_msg("%s: %s", ref, kit->ir.error.message);
    assert_pointer(kit, place, to);
}

static void documents(void **state)
{
    (void)state;
    const weir_document given[] = {
        document("http://h/one.json", "{\"$defs\":{\"a\":{\"$ref\":\"two#x\"},"
                                      "\"e\":{\"$id\":\"http://e/e\"}}}"),
        document("http://h/two", "{\"$anchor\":\"x\"}"),
        document("", "{\"$id\":\"http://i/named\",\"not\":{}}"),
        document("", "{" D4 "\"id\":\"http://i/four\",\"items\":[{}]}"),
        document("http://h/alias", "{\"$id\":\"http://h/real/name\","
                                   "\"not\":{\"$ref\":\"near\"}}"),
        document("http://h/one.json", "{\"this\":\"is never read\""),
        document("http://h/broken", "{\"a\":}"),
        document("rel.json", "true"),
    };
    weir_schema_opts opts = {.draft = WEIR_DRAFT_7,
                             .documents = given,
                             .document_count = COUNT_OF(given)};
    Kit kit;
    Place to, root = sources_root();
    uint32_t scope;
    kit_open_opts(&kit, "{\"$id\":\"http://h/main\"}", &opts);
    assert_true(
        place_ref(kit.s, root, 0, SPAN("one.json#/$defs/a"), &to, &scope));
    assert_pointer(&kit, to, "http://h/one.json#/$defs/a");
    assert_int_equal(place_draft(kit.s, to), WEIR_DRAFT_7);
    kit_close(&kit);

    opts.draft = 0;
    kit_open_opts(&kit, "{\"$id\":\"http://h/main\"}", &opts);
    assert_true(
        place_ref(kit.s, root, 0, SPAN("one.json#/$defs/a"), &to, &scope));
    assert_leads(&kit, to, "two#x", "http://h/two#");
    assert_leads(&kit, to, "main", "#");
    assert_leads(&kit, root, "http://e/e", "http://h/one.json#/$defs/e");
    assert_leads(&kit, root, "http://i/named", "http://i/named#");
    assert_leads(&kit, root, "http://i/named#/not", "http://i/named#/not");
    assert_leads(&kit, root, "http://i/four#/items/0",
                 "http://i/four#/items/0");
    assert_leads(&kit, root, "alias#/not", "http://h/alias#/not");
    assert_leads(&kit, root, "http://h/real/name", "http://h/alias#");
    assert_false(place_ref(kit.s, root, 0, SPAN("broken"), &to, &scope));
    assert_int_equal(kit.ir.error.status, WEIR_SYNTAX);
    assert_non_null(strstr(kit.ir.error.message, "http://h/broken"));
    assert_non_null(strstr(kit.ir.error.message, "at byte 5"));
    assert_string_equal(kit.ir.error.pointer, "#/$ref");
    kit_close(&kit);

    kit_open_opts(&kit, "{}", &opts); /* no base */
    assert_leads(&kit, root, "./rel.json", "rel.json#");
    assert_false(place_ref(kit.s, root, 0, SPAN("main"), &to, &scope));
    assert_int_equal(kit.ir.error.status, WEIR_UNSUPPORTED);
    kit_close(&kit);
}

/* Embedded resources of a document that nothing named so far. */
static void resources_of_unread_documents(void **state)
{
    (void)state;
    const weir_document given[] = {
        document("http://h/broken", "{"),
        document("http://h/one", "{\"$defs\":{\"e\":{\"$id\":\"in\"}}}"),
    };
    weir_schema_opts opts = {.documents = given,
                             .document_count = COUNT_OF(given)};
    Kit kit;
    kit_open_opts(&kit, "{}", &opts);
    assert_leads(&kit, sources_root(), "http://h/in", "http://h/one#/$defs/e");
    kit_close(&kit);
}

/* A $schema that is a document: its own $schema counts. */
static void metaschemas(void **state)
{
    (void)state;
    const weir_document given[] = {
        document("http://m/own", "{\"$schema\":\"http://m/other\"}"),
        document("", "{\"$id\":\"http://m/other\"," D19 "\"not\":{}}"),
        document("http://m/loop", "{\"$schema\":\"http://m/loop\"}"),
        document("http://m/none", "{}"),
    };
    weir_schema_opts opts = {.documents = given,
                             .document_count = COUNT_OF(given)};
    Kit kit;
    kit_open_opts(&kit, "{\"$schema\":\"http://m/own#\"}", &opts);
    assert_draft(&kit, "", WEIR_DRAFT_2019_09);
    assert_int_equal(kit.ir.warnings.count, 0);
    kit_close(&kit);
    kit_open_opts(&kit, "{\"$schema\":\"http://m/loop\"}", &opts);
    assert_draft(&kit, "", WEIR_DRAFT_2020_12);
    assert_true(kit_warns(&kit, "unknown draft"));
    kit_close(&kit);
    kit_open_opts(&kit, "{\"$schema\":\"http://m/none\"}", &opts);
    assert_true(kit_warns(&kit, "unknown draft"));
    kit_close(&kit);
}

/* A metaschema's $vocabulary says which keywords are in force. */
static void vocabularies(void **state)
{
    (void)state;
#define VOCABULARY "\"https://json-schema.org/draft/2020-12/vocab/"
    const weir_document given[] = {
        document("x:some", "{" D20 "\"$vocabulary\":{" VOCABULARY
                           "core\":true," VOCABULARY "applicator\":false,"
                           "\"x:own\":false}}"),
        document("x:by", "{\"$schema\":\"x:some\",\"$vocabulary\":{" VOCABULARY
                         "validation\":true}}"),
        document("x:old", "{" D19 "\"$vocabulary\":{\"https://json-schema.org/"
                          "draft/2019-09/vocab/applicator\":true}}"),
        document("x:own", "{" D20 "\"$vocabulary\":{\"x:mine\":true}}"),
    };
    static const struct {
        const char *schema, *name;
        KeywordId keyword;
    } rows[] = {
        {"{\"$schema\":\"x:some\"}", "properties", KEYWORD_PROPERTIES},
        {"{\"$schema\":\"x:some\"}", "$ref", KEYWORD_REF},
        {"{\"$schema\":\"x:some\"}", "minimum", KEYWORD_NONE},
        {"{\"$schema\":\"x:some\"}", "unevaluatedItems", KEYWORD_NONE},
        {"{\"$schema\":\"x:some\"}", "format", KEYWORD_NONE},
        {"{\"$schema\":\"x:some\"}", "title", KEYWORD_NONE},
        {"{\"$schema\":\"x:by\"}", "properties", KEYWORD_NONE},
        {"{\"$schema\":\"x:by\"}", "minimum", KEYWORD_MINIMUM},
        {"{\"$schema\":\"x:old\"}", "unevaluatedItems",
         KEYWORD_UNEVALUATED_ITEMS},
        {"{\"$schema\":\"x:old\"}", "prefixItems", KEYWORD_NONE},
        {"{\"$schema\":\"x:old\"}", "type", KEYWORD_NONE},
        {"{" D20 "\"not\":{}}", "format", KEYWORD_FORMAT},
        {"{" D20 "\"not\":{}}", "dependencies", KEYWORD_NONE},
    };
    weir_schema_opts opts = {.documents = given,
                             .document_count = COUNT_OF(given)};
    Kit kit;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char schema[256];
        snprintf(schema, sizeof schema, "%.*s,\"%s\":{}}",
                 (int)strlen(rows[i].schema) - 1, rows[i].schema, rows[i].name);
        kit_open_opts(&kit, schema, &opts);
        const Json *json = place_json(kit.s, sources_root());
        JsonId value = json_get(json, JSON_ROOT, rows[i].name);
        for (int time = 0; time < 2; time++)
            assert_int_equal(place_keyword(kit.s, sources_root(), value - 1),
                             rows[i].keyword);
        assert_int_equal(kit.ir.warnings.count, 0);
        kit_close(&kit);
    }
    kit_open_opts(&kit, "{\"$schema\":\"x:own\"}", &opts);
    assert_null(kit.s);
    assert_int_equal(kit.ir.error.status, WEIR_UNSUPPORTED);
    assert_string_equal(kit.ir.error.pointer, "#/$schema");
    kit_close(&kit);
    opts.lenient = true;
    kit_open_opts(&kit, "{\"$schema\":\"x:own\"}", &opts);
    assert_true(kit_warns(&kit, "needs the vocabulary \"x:mine\""));
    kit_close(&kit);
}

/* ---- names that occur twice ---- */

static void equal_names(void **state)
{
    (void)state;
    Kit kit;
    Place to, root = sources_root();
    uint32_t scope;
    static const char *const different[] = {
        "{\"$defs\":{\"a\":{\"$id\":\"x:y\"},\"b\":{\"$id\":\"x:y\",\"not\":"
        "{}}}}",
        "{\"$defs\":{\"a\":{\"$anchor\":\"y\"},\"b\":{\"$dynamicAnchor\":"
        "\"y\"}}}"};
    static const char *const refs[] = {"x:y", "#y"};
    for (int i = 0; i < 2; i++) {
        kit_open(&kit, different[i]);
        assert_true(kit_warns(&kit, "earlier schema"));
        assert_true(kit_warns(&kit, "#/$defs/b"));
        assert_false(
            place_ref(kit.s, root, 0, span_text(refs[i]), &to, &scope));
        assert_int_equal(kit.ir.error.status, WEIR_UNDEFINED);
        assert_non_null(strstr(kit.ir.error.message, "different schemas"));
        kit_close(&kit);
    }
    kit_open(&kit, "{\"$defs\":{\"a\":{\"$id\":\"x:y\"},\"b\":{\"$id\":"
                   "\"x:y\"}}}");
    assert_true(kit_warns(&kit, "earlier schema"));
    assert_leads(&kit, root, "x:y", "#/$defs/a");
    kit_close(&kit);
    /* One schema with both anchors of a name; an $id that says nothing new. */
    kit_open(&kit, "{\"$id\":\"x:m\",\"$defs\":{\"a\":{\"$anchor\":\"y\","
                   "\"$dynamicAnchor\":\"y\"},\"b\":{\"$id\":\"x:m\","
                   "\"$ref\":\"#y\"}}}");
    assert_int_equal(kit.ir.warnings.count, 0);
    assert_leads(&kit, kit_place(&kit, "/$defs/b"), "#y", "#/$defs/a");
    kit_close(&kit);
    /* Since 2019-09 an $id has no fragment. */
    kit_open(&kit, "{\"$defs\":{\"a\":{\"$id\":\"#y\"}}}");
    assert_true(kit_warns(&kit, "read as $anchor"));
    assert_leads(&kit, root, "#y", "#/$defs/a");
    kit_close(&kit);
}

/* ---- dynamic references ---- */

typedef struct Step {
    const char *how; /* "ref", "dynamic", "recursive", "enter" */
    const char *text, *to;
} Step;

/* From the root, by steps, each beginning where the last one led. */
static void run_steps(const char *schema, const Step *steps, size_t count)
{
    Kit kit;
    kit_open(&kit, schema);
    Place place = sources_root();
    uint32_t scope = sources_root_scope(kit.s);
    for (size_t i = 0; i < count; i++) {
        Span text = span_text(steps[i].text);
        bool ok = true;
        if (steps[i].how[0] == 'e') {
            place = kit_place(&kit, steps[i].text);
            scope = place_enter(kit.s, scope, place);
        } else if (!strcmp(steps[i].how, "ref")) {
            ok = place_ref(kit.s, place, scope, text, &place, &scope);
        } else if (steps[i].how[0] == 'd') {
            ok = place_dynamic_ref(kit.s, place, scope, text, &place, &scope);
        } else {
            ok = place_recursive_ref(kit.s, place, scope, &place, &scope);
        }
        if (!ok) fail_msg("step %zu: %s", i, kit.ir.error.message);
        assert_pointer(&kit, place, steps[i].to);
    }
    kit_close(&kit);
}

#define STEPS(schema, ...)                         \
    run_steps(schema, (const Step[]){__VA_ARGS__}, \
              sizeof(const Step[]){__VA_ARGS__} / sizeof(Step))

static void dynamic_references(void **state)
{
    (void)state;
    /* A list whose item type the one who uses it decides. */
    static const char list[] =
        "{\"$id\":\"http://h/root\",\"$ref\":\"list\",\"$defs\":{"
        "\"foo\":{\"$dynamicAnchor\":\"items\",\"type\":\"string\"},"
        "\"list\":{\"$id\":\"list\",\"items\":{\"$dynamicRef\":\"#items\"},"
        "\"$defs\":{\"items\":{\"$dynamicAnchor\":\"items\"},"
        "\"plain\":{\"$anchor\":\"plain\"}}}}}";
    STEPS(list, {"ref", "list", "#/$defs/list"},
          {"enter", "/$defs/list/items", "#/$defs/list/items"},
          {"dynamic", "#items", "#/$defs/foo"});
    STEPS(list, {"ref", "list", "#/$defs/list"},
          {"ref", "#items", "#/$defs/list/$defs/items"});
    /* By pointer, and to an $anchor, it is a $ref. */
    STEPS(list, {"ref", "list", "#/$defs/list"},
          {"dynamic", "#/$defs/items", "#/$defs/list/$defs/items"});
    STEPS(list, {"ref", "list", "#/$defs/list"},
          {"dynamic", "#plain", "#/$defs/list/$defs/plain"});
    STEPS(list, {"dynamic", "list#items", "#/$defs/foo"});
    /* The outermost that has the name; those on the way need not have it. */
    static const char chain[] =
        "{\"$id\":\"http://h/base\",\"$ref\":\"first#/$defs/stuff\",\"$defs\":{"
        "\"first\":{\"$id\":\"first\",\"$defs\":{\"stuff\":{\"$ref\":"
        "\"second#/$defs/stuff\"},\"length\":{}}},"
        "\"second\":{\"$id\":\"second\",\"$defs\":{\"stuff\":{\"$ref\":"
        "\"third#/$defs/stuff\"},\"length\":{\"$dynamicAnchor\":\"length\"}}},"
        "\"third\":{\"$id\":\"third\",\"$defs\":{\"stuff\":{\"$dynamicRef\":"
        "\"#length\"},\"length\":{\"$dynamicAnchor\":\"length\"}}}}}";
    STEPS(chain, {"ref", "first#/$defs/stuff", "#/$defs/first/$defs/stuff"},
          {"ref", "second#/$defs/stuff", "#/$defs/second/$defs/stuff"},
          {"ref", "third#/$defs/stuff", "#/$defs/third/$defs/stuff"},
          {"dynamic", "#length", "#/$defs/second/$defs/length"});
    /* Past the resources around the target, which were not entered. */
    STEPS(chain, {"ref", "third", "#/$defs/third"},
          {"dynamic", "#length", "#/$defs/third/$defs/length"});
    /* Scopes follow the way taken, not the text. */
    STEPS(chain, {"ref", "second", "#/$defs/second"}, {"ref", "base", "#"},
          {"ref", "third", "#/$defs/third"},
          {"dynamic", "#length", "#/$defs/second/$defs/length"});
}

static void recursive_references(void **state)
{
    (void)state;
    static const char tree[] =
        "{" D19 "\"$id\":\"http://h/strict\",\"$recursiveAnchor\":true,"
        "\"$ref\":\"tree\",\"$defs\":{\"tree\":{\"$id\":\"tree\","
        "\"$recursiveAnchor\":true,\"items\":{\"$recursiveRef\":\"#\"}},"
        "\"no\":{\"$id\":\"no\",\"$recursiveAnchor\":false,\"not\":{"
        "\"$recursiveAnchor\":true,\"$recursiveRef\":\"#\"}}}}";
    STEPS(tree, {"ref", "tree", "#/$defs/tree"},
          {"enter", "/$defs/tree/items", "#/$defs/tree/items"},
          {"recursive", "#", "#"});
    STEPS(tree, {"ref", "no", "#/$defs/no"},
          {"enter", "/$defs/no/not", "#/$defs/no/not"},
          {"recursive", "#", "#/$defs/no"});
    static const char alone[] =
        "{" D19 "\"$id\":\"http://h/plain\",\"$defs\":{\"tree\":{\"$id\":"
        "\"tree\",\"$recursiveAnchor\":true,\"items\":{}}}}";
    STEPS(alone, {"ref", "tree", "#/$defs/tree"},
          {"enter", "/$defs/tree/items", "#/$defs/tree/items"},
          {"recursive", "#", "#/$defs/tree"});
}

static void scopes(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit, "{\"$defs\":{"
                   "\"a\":{\"$id\":\"x:a\",\"$dynamicAnchor\":\"m\"},"
                   "\"b\":{\"$id\":\"x:b\",\"$dynamicAnchor\":\"n\"},"
                   "\"c\":{\"$id\":\"x:c\",\"$dynamicAnchor\":\"m\"},"
                   "\"d\":{\"$id\":\"x:d\"}}}");
    Place a = kit_place(&kit, "/$defs/a"), b = kit_place(&kit, "/$defs/b"),
          c = kit_place(&kit, "/$defs/c"), d = kit_place(&kit, "/$defs/d");
    assert_int_equal(sources_root_scope(kit.s), 0);
    uint32_t in_a = place_enter(kit.s, 0, a), in_b = place_enter(kit.s, 0, b);
    uint32_t in_c = place_enter(kit.s, 0, c);
    assert_int_not_equal(in_a, 0);
    assert_int_not_equal(in_a, in_c);
    assert_int_not_equal(in_a, in_b);
    assert_int_equal(place_enter(kit.s, 0, d), 0);
    assert_int_equal(place_enter(kit.s, in_a, a), in_a);
    assert_int_equal(place_enter(kit.s, in_a, c), in_a);
    assert_int_equal(place_enter(kit.s, in_a, d), in_a);
    assert_int_equal(place_enter(kit.s, in_a, b), place_enter(kit.s, in_b, a));
    assert_int_not_equal(place_enter(kit.s, in_a, b),
                         place_enter(kit.s, in_b, c));
    kit_close(&kit);
}

/* ---- reports ---- */

static void assert_same(Kit *kit, const char *place, const char *first)
{
    assert_pointer(kit, place_same(kit->s, kit_place(kit, place)), first);
}

static void schemas_that_say_the_same(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit,
             "{\"properties\":{"
             "\"a\":{\"type\":\"object\",\"title\":\"A\",\"properties\":"
             "{\"title\":{\"$comment\":\"x\",\"enum\":[1,\"u\"]}}},"
             "\"b\":{ \"type\" : \"object\", \"properties\":"
             "{\"title\":{\"enum\":[1,\"\\u0075\"]}}},"
             "\"c\":{\"properties\":{\"title\":{\"enum\":[1,\"u\"]}},"
             "\"type\":\"object\"},"
             "\"d\":{\"type\":\"object\",\"properties\":{}},"
             "\"e\":{\"const\":{\"title\":\"x\"}},"
             "\"f\":{\"const\":{\"title\":\"y\"}},"
             "\"g\":{\"enum\":[\"1\",\"u\"]},\"h\":{\"enum\":[1.0,\"u\"]}}}");
    assert_same(&kit, "/properties/b", "#/properties/a");
    assert_same(&kit, "/properties/b/properties/title",
                "#/properties/a/properties/title");
    assert_same(&kit, "/properties/c/properties/title",
                "#/properties/a/properties/title");
    const char *others[] = {"a", "c", "d", "e", "f", "g", "h"};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        char place[32], first[40];
        snprintf(place, sizeof place, "/properties/%s", others[i]);
        snprintf(first, sizeof first, "#%s", place);
        assert_same(&kit, place, first);
    }
    kit_close(&kit);
    /* the same text refers to another schema in another resource */
    kit_open(&kit, "{\"$id\":\"http://a/\",\"items\":{\"$ref\":\"#\"},"
                   "\"$defs\":{\"x\":{\"$id\":\"b\",\"items\":"
                   "{\"$ref\":\"#\"}}}}");
    assert_same(&kit, "/$defs/x/items", "#/$defs/x/items");
    kit_close(&kit);
}

static void errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        weir_status status;
        uint32_t begin, end;
        const char *message;
    } rows[] = {
        {"", WEIR_SYNTAX, 0, 0, "found end of input"},
        {"{\"a\":}", WEIR_SYNTAX, 5, 6, "found '}'"},
        {" 12", WEIR_SYNTAX, 1, 3, "found a number, expected a schema"},
        {"null", WEIR_SYNTAX, 0, 4, "found null, expected a schema"},
        {"[{}]", WEIR_SYNTAX, 0, 4, "found an array, expected a schema"},
    };
    Kit kit;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        kit_open_opts(&kit, rows[i].text, NULL);
        assert_null(kit.s);
        assert_int_equal(kit.ir.error.status, rows[i].status);
        assert_int_equal(kit.ir.error.begin, rows[i].begin);
        assert_int_equal(kit.ir.error.end, rows[i].end);
        assert_non_null(strstr(kit.ir.error.message, rows[i].message));
        kit_close(&kit);
    }
    static const char schema[] = "{\"allOf\":[{},{\"$ref\":\"#/no\"}]}";
    Place to;
    uint32_t scope;
    kit_open(&kit, schema);
    assert_false(place_ref(kit.s, kit_place(&kit, "/allOf/1"), 0, SPAN("#/no"),
                           &to, &scope));
    assert_int_equal(kit.ir.error.begin, 21);
    assert_int_equal(kit.ir.error.end, 27);
    assert_string_equal(kit.ir.error.pointer, "#/allOf/1/$ref");
    /* The first report stays, and nothing is found any more. */
    assert_false(place_ref(kit.s, sources_root(), 0, SPAN("#"), &to, &scope));
    place_fail(kit.s, sources_root(), NULL, WEIR_SYNTAX, "another");
    assert_int_equal(kit.ir.error.status, WEIR_UNDEFINED);
    kit_close(&kit);
}

static void limits(void **state)
{
    (void)state;
    weir_limits limits = {.max_depth = 3};
    Mem mem = mem_from_env(NULL);
    Ir ir;
    ir_init(&ir, &mem, &limits);
    assert_null(sources_new(&ir, SPAN("{\"a\":[{\"b\":[]}]}"), NULL));
    assert_int_equal(ir.error.status, WEIR_LIMIT_DEPTH);
    ir_free(&ir);
    limits = (weir_limits){.max_source = 4};
    ir_init(&ir, &mem, &limits);
    assert_null(sources_new(&ir, SPAN("{    }"), NULL));
    assert_int_equal(ir.error.status, WEIR_LIMIT_BYTES);
    ir_free(&ir);
    limits = (weir_limits){.max_work = 2};
    ir_init(&ir, &mem, &limits);
    assert_null(sources_new(&ir, SPAN("{\"not\":{\"$id\":\"a:b\"}}"), NULL));
    assert_int_equal(ir.error.status, WEIR_LIMIT_WORK);
    ir_free(&ir);
}

static void too_many_warnings(void **state)
{
    (void)state;
    Kit kit;
    kit_open(&kit, "{}");
    for (int i = 0; i < 1500; i++)
        place_warn(kit.s, sources_root(), "a/b", "number %d", i);
    assert_int_equal(kit.ir.warnings.count, 1001);
    assert_true(kit_warns(&kit, "number 999, at #/a~1b"));
    assert_true(kit_warns(&kit, "rest is left out"));
    kit_close(&kit);
}

/* 10,000 definitions, each with an $id, an anchor and a reference. */
static void many_definitions(void **state)
{
    (void)state;
    enum { COUNT = 10000, ROOM = COUNT * 120 };
    char *text = malloc(ROOM), ref[40];
    size_t n = 0;
    n += (size_t)snprintf(text, ROOM, "{\"$id\":\"x:/\",\"$defs\":{");
    for (int i = 0; i < COUNT; i++)
        n += (size_t)snprintf(text + n, ROOM - n,
                              "%s\"d%d\":{\"$id\":\"i%d\",\"not\":{"
                              "\"$anchor\":\"a\"}}",
                              i ? "," : "", i, i);
    snprintf(text + n, ROOM - n, "}}");
    Kit kit;
    kit_open(&kit, text);
    for (int i = 0; i < COUNT; i++) {
        Place to, root = sources_root();
        uint32_t scope;
        snprintf(ref, sizeof ref, "i%d#a", i);
        assert_true(place_ref(kit.s, root, 0, span_text(ref), &to, &scope));
        assert_int_equal(to.id, 10 + 8 * i);
        snprintf(ref, sizeof ref, "#/$defs/d%d/not", i);
        assert_true(place_ref(kit.s, root, 0, span_text(ref), &to, &scope));
        assert_int_equal(to.id, 10 + 8 * i);
    }
    kit_close(&kit);
    free(text);
}

/* As deep as JSON may be, each level a resource. */
static void deep_resources(void **state)
{
    (void)state;
    enum { DEPTH = 9999, ROOM = DEPTH * 32 };
    char *text = malloc(ROOM), ref[40];
    size_t n = 0;
    for (int i = 0; i < DEPTH; i++)
        n += (size_t)snprintf(text + n, ROOM - n,
                              "{\"$id\":\"i%d\",\"not\":", i);
    n += (size_t)snprintf(text + n, ROOM - n, "{}");
    memset(text + n, '}', DEPTH);
    text[n + DEPTH] = 0;
    Kit kit;
    kit_open(&kit, text);
    for (int i = 0; i < DEPTH; i++) {
        Place to, root = sources_root();
        uint32_t scope;
        snprintf(ref, sizeof ref, "i%d#/not", i);
        assert_true(place_ref(kit.s, root, 0, span_text(ref), &to, &scope));
        assert_int_equal(to.id, 4 * (i + 1)); /* {, $id, its value, not */
    }
    kit_close(&kit);
    free(text);
}

static bool open_and_follow(const Mem *mem, weir_error *err)
{
    const weir_document given[] = {
        document("http://h/d", "{\"$defs\":{\"x\":{\"$anchor\":\"y\"}}}"),
        document("", "{\"$id\":\"http://h/e\"}")};
    weir_schema_opts opts = {.documents = given, .document_count = 2};
    static const char schema[] =
        "{\"$id\":\"http://h/m\",\"$dynamicAnchor\":\"a\",\"$defs\":{"
        "\"1\":{},\"2\":{},\"3\":{},\"4\":{},\"5\":{},\"6\":{},\"7\":{},"
        "\"8\":{},\"9\":{},\"10\":{},\"11\":{},\"12\":{},\"13\":{},\"14\":{},"
        "\"15\":{},\"16\":{},\"17\":{\"$id\":\"n\",\"$dynamicAnchor\":\"a\"},"
        "\"1/8\":{\"x\":{\"$anchor\":\"z\"}}}}";
    Ir ir;
    ir_init(&ir, mem, NULL);
    Sources *s = sources_new(&ir, span_text(schema), &opts);
    Place at = sources_root(), to;
    bool ok = s != NULL;
    uint32_t scope = ok ? sources_root_scope(s) : 0;
    ok = ok && place_ref(s, at, scope, SPAN("n"), &to, &scope) &&
         place_dynamic_ref(s, to, scope, SPAN("#a"), &to, &scope) &&
         place_ref(s, at, scope, SPAN("#/$defs/1~18/x"), &to, &scope) &&
         place_ref(s, at, scope, SPAN("#z"), &to, &scope) &&
         place_ref(s, at, scope, SPAN("%64#y"), &to, &scope) &&
         place_ref(s, at, scope, SPAN("e"), &to, &scope);
    if (ok) ok = place_pointer(s, to).size > 0;
    *err = ir.error;
    sources_free(s);
    ir_free(&ir);
    return ok;
}

static void lack_of_memory(void **state)
{
    (void)state;
    faulty_sweep(open_and_follow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers),
        cmocka_unit_test(identifiers),
        cmocka_unit_test(identifiers_of_older_drafts),
        cmocka_unit_test(no_identifiers),
        cmocka_unit_test(places_that_pointers_make),
        cmocka_unit_test(drafts),
        cmocka_unit_test(drafts_of_resources),
        cmocka_unit_test(pointers_past_an_id),
        cmocka_unit_test(documents),
        cmocka_unit_test(resources_of_unread_documents),
        cmocka_unit_test(metaschemas),
        cmocka_unit_test(vocabularies),
        cmocka_unit_test(equal_names),
        cmocka_unit_test(dynamic_references),
        cmocka_unit_test(recursive_references),
        cmocka_unit_test(scopes),
        cmocka_unit_test(schemas_that_say_the_same),
        cmocka_unit_test(errors),
        cmocka_unit_test(limits),
        cmocka_unit_test(too_many_warnings),
        cmocka_unit_test(many_definitions),
        cmocka_unit_test(deep_resources),
        cmocka_unit_test(lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
