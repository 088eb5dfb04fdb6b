/* random_tools.c: tools with random schemas. */
#include "oracle/tool_texts.h"

#define INTEGER "{\"type\":\"integer\"}"
#define DIGITS "{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"}"
#define SMALL "{\"type\":\"integer\",\"maximum\":5}"
#define SHORT "{\"type\":\"array\",\"maxItems\":1}"

static const char *const values[] = {
    "{\"type\":\"string\"}",
    "{\"type\":\"integer\",\"minimum\":-3,\"maximum\":12}",
    "{\"type\":\"number\"}",
    "{\"type\":\"boolean\"}",
    "{\"enum\":[\"a\",\"b c\",\"7\",null,7]}",
    "{\"type\":[\"string\",\"null\"]}",
    "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"maximum\":5}]}",
    "{\"type\":\"string\",\"pattern\":\"^[a-z0-9]{1,4}$\"}",
    "{\"type\":\"string\",\"minLength\":2,\"maxLength\":5}",
    "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"maxItems\":3}",
    "{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\"},\"n\":{"
    "\"type\":\"number\"}},\"required\":[\"k\"],\"additionalProperties\":"
    "false}",
    "{\"const\":\"x\\ny\"}",
    "{\"anyOf\":[" DIGITS "," SMALL "," SHORT "]}",
    "{}",
    "{\"$ref\":\"#/$defs/t\"}",
};

static void random_schema(Rng *rng, char *text)
{
    static const char *const names[] = {"a", "city", "x-y", "k\xC3\xB6ln",
                                        "q&\\\"<"};
    static const char closed[] = ",\"additionalProperties\":false";
    static const char more[] = ",\"additionalProperties\":" INTEGER;
    static const char *const rest[] = {"", closed, more};
    Out out = {text, TOOL_SCHEMA_MAX - 1, 0};
    bool is_first = true;
    out_text(&out, "{\"type\":\"object\",\"$defs\":{\"t\":{\"type\":\"array\","
                   "\"items\":{\"$ref\":\"#/$defs/t\"},\"maxItems\":2}},"
                   "\"properties\":{");
    uint32_t declared = rng_below(rng, 1u << COUNT_OF(names));
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        if (!(declared >> i & 1)) continue;
        if (!is_first) out_text(&out, ",");
        is_first = false;
        out_text(&out, "\"");
        out_text(&out, names[i]);
        out_text(&out, "\":");
        out_text(&out, values[rng_below(rng, COUNT_OF(values))]);
    }
    out_text(&out, "},\"required\":[");
    uint32_t required = declared & rng_below(rng, 1u << COUNT_OF(names));
    is_first = true;
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        if (!(required >> i & 1)) continue;
        out_text(&out, is_first ? "\"" : ",\"");
        is_first = false;
        out_text(&out, names[i]);
        out_text(&out, "\"");
    }
    out_text(&out, "]");
    out_text(&out, rest[rng_below(rng, COUNT_OF(rest))]);
    out_text(&out, "}");
    text[MIN(out.size, out.cap)] = 0;
}

void random_tools(Rng *rng, RandomTools *tools)
{
    static const char *const names[TOOLS_MOST] = {"get", "get_time",
                                                  "ns/t.o-ol"};
    tools->count = 1 + rng_below(rng, TOOLS_MOST);
    for (uint32_t i = 0; i < tools->count; i++) {
        weir_tool *t = &tools->list[i];
        *t = (weir_tool){.name = {names[i], strlen(names[i])},
                         .kind = WEIR_JSON_OBJECT};
        if (rng_chance(rng, 15)) continue;
        random_schema(rng, tools->schemas[i]);
        t->kind = WEIR_JSON_SCHEMA;
        t->source = (weir_bytes){tools->schemas[i], strlen(tools->schemas[i])};
        t->any_input = rng_chance(rng, 10);
    }
}
