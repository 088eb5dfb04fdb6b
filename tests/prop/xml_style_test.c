/* xml_style_test.c: arguments in a style against the same arguments as JSON.
 *
 * For every schema, object and style below: the object, written in the style by
 * the few lines here, is accepted iff the object, written as JSON, is valid
 * against the schema (which other tests settle). So is the style's text with
 * other blanks; and what is broken in one place is refused wherever the break
 * shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/span.h"
#include "schema/member_types.h"
#include "text/json.h"
#include "weir/weir.h"

enum { ROOM = 4096 };

static const char *const schemas[] = {
    "{}",
    "true",
    "{\"type\":\"object\"}",
    "{\"properties\":{\"a\":{\"type\":\"string\"}}}",
    "{\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\"}}"
    ","
    "\"required\":[\"a\"],\"additionalProperties\":false}",
    "{\"properties\":{\"a\":{\"type\":[\"string\",\"null\"],\"maxLength\":2},"
    "\"b\":{\"type\":\"boolean\"}},\"additionalProperties\":false}",
    "{\"properties\":{\"a\":{\"enum\":[\"x\",\"yy\",1,null,true]}}}",
    "{\"properties\":{\"a\":{\"minLength\":2,\"pattern\":\"^y\"}}}",
    "{\"additionalProperties\":{\"type\":\"number\"}}",
    "{\"patternProperties\":{\"^a\":{\"type\":\"array\"}},"
    "\"additionalProperties\":{\"type\":\"string\"}}",
    "{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}"
    ","
    "\"minItems\":1,\"maxItems\":2}}}",
    "{\"properties\":{\"a\":{\"type\":\"array\",\"prefixItems\":[{\"type\":"
    "\"integer\"},{\"type\":\"string\"}],\"items\":false}}}",
    "{\"properties\":{\"a\":{\"type\":\"array\",\"contains\":{\"type\":"
    "\"integer\"}}}}",
    "{\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{\"b\":{"
    "\"type\":"
    "\"integer\"}},\"required\":[\"b\"]}}}",
    "{\"minProperties\":1,\"maxProperties\":2}",
    "{\"required\":[\"b\"]}",
    "{\"dependentRequired\":{\"a\":[\"b\"]}}",
    "{\"anyOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":{\"const\":\"x\"}}"
    "},"
    "{\"required\":[\"b\"]}]}",
    "{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
    "{\"properties\":{\"a\":{\"type\":\"string\",\"format\":\"date\"}}}",
    "{\"properties\":{\"a\":{\"not\":{\"type\":\"string\"}}}}",
    "{\"properties\":{\"a\":{\"type\":\"number\",\"minimum\":2}}}",
};

static const char *const objects[] = {
    "{}",
    "{\"a\":\"x\"}",
    "{\"a\":\"\"}",
    "{\"a\":\"yy\"}",
    "{\"a\":\"y\"}",
    "{\"a\":\"a<b>&\\\"c\\\\\\u00e9\"}",
    "{\"a\":\"2024-02-29\"}",
    "{\"a\":\"2023-02-29\"}",
    "{\"a\":1}",
    "{\"a\":2.5}",
    "{\"a\":null}",
    "{\"a\":true}",
    "{\"a\":false,\"b\":1}",
    "{\"a\":[]}",
    "{\"a\":[\"x\"]}",
    "{\"a\":[\"x\",\"y\"]}",
    "{\"a\":[\"x\",\"y\",\"z\"]}",
    "{\"a\":[1,\"x\"]}",
    "{\"a\":[1,\"x\",2]}",
    "{\"a\":[\"x\",[null,[]],{\"c\":true}]}",
    "{\"a\":{}}",
    "{\"a\":{\"b\":1}}",
    "{\"a\":{\"b\":\"x\",\"c\":{\"d\":[{}]}}}",
    "{\"a\":{\"a\":{\"a\":{}}}}",
    "{\"a\":\"x\",\"b\":2}",
    "{\"b\":2,\"a\":\"x\"}",
    "{\"b\":3}",
    "{\"b\":true}",
    "{\"c\":1}",
    "{\"c\":1,\"d\":2}",
    "{\"c\":1,\"d\":2,\"e\":3}",
    "{\"ab\":[],\"c\":\"x\"}",
    "{\"x-1.y\":\"\"}",
};

/* ---- writing ---- */

typedef enum Type { STRING, NUMBER, BOOLEAN, NIL, OBJECT, ARRAY } Type;

/* The styles, written down once more: what docs/structural-tag.md shows. */
typedef struct Style {
    const char *name, *member, *item; /* %s: name, type */
    const char *close;
    const char *types[6];
    bool is_nested, may_space; /* blanks before the value's own bracket */
} Style;

static const Style styles[] = {
    {"qwen_xml",
     "<parameter=%s>",
     "",
     "</parameter>",
     {"", "", "", "", "", ""},
     false,
     false},
    {"minimax_xml",
     "<parameter name=\"%s\">",
     "",
     "</parameter>",
     {"", "", "", "", "", ""},
     false,
     false},
    {"deepseek_xml",
     "<｜DSML｜parameter name=\"%s\" string=\"%s\">",
     "",
     "</｜DSML｜parameter>",
     {"true", "false", "false", "false", "false", "false"},
     false,
     false},
    {"glm_xml",
     "<arg_key>%s</arg_key><arg_value>",
     "",
     "</arg_value>",
     {"", "", "", "", "", ""},
     false,
     false},
    {"cohere_xml",
     "<cofl:value name=\"%s\" type=\"%s\">",
     "<cofl:value type=\"%s\">",
     "</cofl:value>",
     {"raw", "json", "json", "json", "dict", "list"},
     true,
     false},
    {"kimi_k3_xml",
     "<|open|>argument key=\"%s\" type=\"%s\"<|sep|>",
     "",
     "<|close|>argument<|sep|>",
     {"string", "number", "boolean", "null", "object", "array"},
     false,
     false},
};

static Type type_of(JsonKind kind)
{
    switch (kind) {
    case JSON_STRING:
        return STRING;
    case JSON_NUMBER:
        return NUMBER;
    case JSON_OBJECT:
        return OBJECT;
    case JSON_ARRAY:
        return ARRAY;
    case JSON_NULL:
        return NIL;
    default:
        return BOOLEAN;
    }
}

/* What is written in place of a bar: blanks that may stand there. */
static void put(Out *out, const char *text, const char *blank)
{
    for (; *text; text++)
        out_text(out, *text == '|' && blank ? blank : (const char[]){*text, 0});
}

static void write_members(Out *out, const Json *json, JsonId id, const Style *s,
                          const char *blank);

static void write_value(Out *out, const Json *json, JsonId id, const Style *s,
                        const char *blank)
{
    JsonKind kind = json_kind(json, id);
    bool nests = s->is_nested && (kind == JSON_OBJECT || kind == JSON_ARRAY);
    if (kind == JSON_STRING) {
        out_bytes(out, json_string(json, id));
    } else if (nests) {
        write_members(out, json, id, s, blank);
    } else {
        out_text(out, blank);
        out_bytes(out, json_spelling(json, id));
        out_text(out, blank);
    }
    out_text(out, s->close);
}

static void write_members(Out *out, const Json *json, JsonId id, const Style *s,
                          const char *blank)
{
    bool any = json_count(json, id) > 0;
    for (JsonIter it = json_iter(json, id); json_step(&it);) {
        char open[256], name[64];
        const char *type = s->types[type_of(json_kind(json, it.value))];
        out_text(out, blank);
        snprintf(name, sizeof name, "%.*s", (int)it.key.size,
                 (const char *)it.key.at);
        if (it.is_object)
            snprintf(open, sizeof open, s->member, name, type);
        else
            snprintf(open, sizeof open, s->item, type);
        put(out, open, NULL);
        write_value(out, json, it.value, s, blank);
    }
    if (any) out_text(out, blank);
}

/* ---- reading ---- */

static bool accepts(weir_grammar *g, Span text)
{
    weir_error err;
    weir_matcher *m = weir_matcher_new(g, NULL, &err);
    weir_bytes bytes = {(const char *)text.at, text.size};
    assert_non_null(m);
    bool whole = weir_matcher_accept_bytes(m, bytes, NULL) == WEIR_ACCEPTED &&
                 weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return whole;
}

static weir_grammar *compile(weir_source_kind kind, const char *source)
{
    weir_error err;
    weir_compile_opts opts = {.size = sizeof opts, .schema.any_order = true};
    weir_grammar *g = weir_grammar_compile(
        NULL, kind, (weir_bytes){source, strlen(source)}, &opts, &err);
    if (!g) fail_msg("%s: %s", source, err.message);
    return g;
}

static weir_grammar *styled(const char *schema, const Style *s)
{
    char source[ROOM];
    snprintf(source, sizeof source,
             "{\"format\":{\"type\":\"json_schema\",\"style\":\"%s\","
             "\"json_schema\":%s}}",
             s->name, schema);
    return compile(WEIR_STRUCTURAL_TAG, source);
}

/* The types that members may have, by the schema. */
typedef struct Types {
    Span names[8];
    unsigned types[8], count, others;
} Types;

static void found(void *user, Span name, unsigned types)
{
    static char room[64 * ROOM]; /* of names, all that are ever told */
    static size_t used;
    Types *t = user;
    assert_true(t->count < COUNT_OF(t->names));
    assert_true(used + name.size < sizeof room);
    memcpy(room + used, name.at, name.size);
    t->names[t->count] = span_of(room + used, name.size);
    t->types[t->count++] = types;
    used += name.size;
}

/* Whether the member may have a value of that type. */
static bool may_be(const Types *t, Span name, JsonKind kind)
{
    static const unsigned bits[] = {
        [JSON_NULL] = TYPE_NULL,     [JSON_FALSE] = TYPE_BOOLEAN,
        [JSON_TRUE] = TYPE_BOOLEAN,  [JSON_NUMBER] = TYPE_NUMBER,
        [JSON_STRING] = TYPE_STRING, [JSON_ARRAY] = TYPE_ARRAY,
        [JSON_OBJECT] = TYPE_OBJECT};
    for (unsigned i = 0; i < t->count; i++)
        if (span_equal(t->names[i], name)) return t->types[i] & bits[kind];
    return t->others & bits[kind];
}

/* The object with those of its values, by bits, that are no strings as strings
 * of their spelling: as far as they do not read as what they are. */
static bool is_valid_with(weir_grammar *valid, const Json *json,
                          const Types *types, unsigned bits)
{
    char text[ROOM];
    Out out = {text, sizeof text, 0};
    out_text(&out, "{");
    for (JsonIter it = json_iter(json, JSON_ROOT); json_step(&it); bits /= 2) {
        if (out.size > 1) out_text(&out, ",");
        json_write_string(&out, it.key);
        out_text(&out, ":");
        JsonKind kind = json_kind(json, it.value);
        bool is_other = kind != JSON_STRING && bits & 1;
        if (is_other && may_be(types, it.key, kind)) return false;
        if (!is_other)
            out_bytes(&out, json_spelling(json, it.value));
        else
            json_write_string(&out, json_spelling(json, it.value));
    }
    out_text(&out, "}");
    return accepts(valid, span_of(text, out.size));
}

/* Where a style writes no types, a string may look like another value. */
static bool is_valid(weir_grammar *valid, const Json *json, const Types *types,
                     const Style *s)
{
    unsigned ways = *s->types[STRING] ? 1 : 1u << json_count(json, JSON_ROOT);
    for (unsigned bits = 0; bits < ways; bits++)
        if (is_valid_with(valid, json, types, bits)) return true;
    return false;
}

static unsigned checked, accepted;

static void check(weir_grammar *valid, weir_grammar *style, const Json *json,
                  const Types *types, const Style *s)
{
    static const char *const blanks[] = {"", "\n", " \n\t"};
    bool wanted = is_valid(valid, json, types, s);
    bool is_plain = accepts(valid, json->text);
    for (size_t i = 0; i < COUNT_OF(blanks); i++) {
        char text[ROOM];
        /* what is read as a string has its blanks, too */
        if (*blanks[i] && !is_plain && !*s->types[STRING]) continue;
        Out out = {text, sizeof text, 0};
        write_members(&out, json, JSON_ROOT, s, blanks[i]);
        assert_true(out.size < sizeof text);
        if (accepts(style, span_of(text, out.size)) != wanted)
            fail_msg("%s: expected %d of \"%.*s\" (%.*s)", s->name, wanted,
                     (int)out.size, text, (int)json->text.size,
                     (const char *)json->text.at);
        checked++;
        accepted += wanted;
        /* nothing is a whole text without its last character, nor with one
           more */
        if (out.size && !*blanks[i])
            assert_false(accepts(style, span_of(text, out.size - 1)));
        text[out.size] = 'x';
        assert_false(accepts(style, span_of(text, out.size + 1)));
    }
}

static void same_as_json(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        weir_grammar *valid = compile(WEIR_JSON_SCHEMA, schemas[i]);
        Types types = {.count = 0};
        assert_true(schema_member_types(&mem, span_text(schemas[i]), found,
                                        &types, &types.others, NULL));
        for (size_t k = 0; k < COUNT_OF(styles); k++) {
            weir_grammar *style = styled(schemas[i], &styles[k]);
            for (size_t o = 0; o < COUNT_OF(objects); o++) {
                Json json;
                weir_error err = {.status = WEIR_OK};
                assert_true(
                    json_parse(&json, &mem, span_text(objects[o]), NULL, &err));
                check(valid, style, &json, &types, &styles[k]);
                json_free(&json);
            }
            weir_grammar_free(style);
        }
        weir_grammar_free(valid);
    }
    print_message("%u texts, %u of them valid\n", checked, accepted);
    assert_true(accepted > 5000 && checked - accepted > 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
