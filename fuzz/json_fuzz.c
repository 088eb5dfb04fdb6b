/* json_fuzz.c: the JSON reader and writer on any bytes.
 *
 * A text that parses has well nested nodes within it; each of its strings,
 * written and read again, is itself; and what was read again node by node has
 * the same shape. A text that does not is reported within its bounds. */
#include <stdlib.h>

#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim)
{
    if (!claim) abort();
}

static void check_string(const Json *json, JsonId id)
{
    Mem mem = mem_from_env(NULL);
    Span text = json_string(json, id);
    Out measured = {.at = NULL, .cap = 0};
    json_write_string(&measured, text);
    char *spelling = malloc(measured.size);
    Out out = {.at = spelling, .cap = measured.size};
    Json again;
    must(spelling);
    json_write_string(&out, text);
    must(json_parse(&again, &mem, span_of(spelling, out.size), NULL, NULL));
    must(span_equal(json_string(&again, JSON_ROOT), text));
    json_free(&again);
    free(spelling);
}

static void check_node(const Json *json, JsonId id)
{
    JsonNode node = json->nodes.at[id];
    JsonKind kind = json_kind(json, id);
    uint64_t whole;
    double value = 0;
    must(node.begin < node.end && node.end <= json->text.size);
    must(kind != JSON_MISSING);
    if (kind == JSON_STRING) check_string(json, id);
    if (kind == JSON_NUMBER) must(json_double(json, id, &value));
    if (json_u64(json, id, &whole))
        must(kind == JSON_NUMBER && value == (double)whole);
    uint32_t end = node.begin;
    for (JsonIter it = json_iter(json, id); json_step(&it);) {
        JsonNode inner = json->nodes.at[it.value];
        must(inner.begin > end && inner.end < node.end);
        must(json_end(json, it.value) <= json_end(json, id));
        end = inner.end;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Mem mem = mem_from_env(NULL);
    JsonLimits limits = {.max_depth = 200};
    weir_error err = {0};
    Json json;
    if (!json_parse(&json, &mem, span_of(data, size), &limits, &err)) {
        must(err.status && err.begin <= err.end && err.end <= size);
        return 0;
    }
    must(json_end(&json, JSON_ROOT) == json.nodes.count);
    for (JsonId id = 0; id < json.nodes.count; id++) check_node(&json, id);
    json_free(&json);
    return 0;
}
