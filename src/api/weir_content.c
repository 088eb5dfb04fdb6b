/* weir_content.c: the content of an output, whole or in pieces. The work is
 * done in sample/content_scan.c.
 * Tests: prop/content_prefixes_test.py, unit/content_test.c.
 */
#include "api/objects.h"
#include "base/diag.h"
#include "base/vec.h"
#include "sample/content_scan.h"

struct weir_content {
    Mem mem;
    weir_content_rule rule;
    ContentScan scan;
    VEC(uint8_t) value; /* given and held back by the last call */
    size_t given;       /* of them */
};

weir_content_rule weir_content_rule_of(weir_source_kind kind)
{
    bool is_json = kind == WEIR_JSON_VALUE || kind == WEIR_JSON_OBJECT ||
                   kind == WEIR_JSON_SCHEMA;
    return is_json ? WEIR_CONTENT_JSON : WEIR_CONTENT_TEXT;
}

/* ---- whole ---- */

weir_bytes weir_content_find(weir_content_rule rule, weir_bytes output)
{
    ContentScan scan;
    size_t begin = 0, size = 0;
    content_begin(&scan, rule);
    for (size_t i = 0; i < output.size; i++) {
        if (!content_byte(&scan, (uint8_t)output.data[i])) continue;
        if (!size++) begin = i;
    }
    if (!size) return (weir_bytes){"", 0};
    Span value = span_of(output.data + begin, size);
    return (weir_bytes){output.data + begin, size - content_held(&scan, value)};
}

weir_bytes weir_content_message(weir_content_rule rule, weir_bytes output)
{
    weir_bytes content = weir_content_find(rule, output);
    return content.size ? content : output;
}

/* ---- in pieces ---- */

weir_content *weir_content_new(const weir_env *env, weir_content_rule rule,
                               weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    if (rule != WEIR_CONTENT_TEXT && rule != WEIR_CONTENT_JSON) {
        diag_fail(err, WEIR_ARGUMENT, 0, 0, "found content rule %d", (int)rule);
        return NULL;
    }
    Mem mem = mem_from_env(env);
    weir_content *c = mem_zero(&mem, sizeof *c);
    if (!c) return diag_no_memory(err), NULL;
    c->mem = mem;
    c->rule = rule;
    weir_content_reset(c);
    return c;
}

void weir_content_free(weir_content *c)
{
    if (!c) return;
    Mem mem = c->mem;
    vec_free(&mem, &c->value);
    mem_free(&mem, c, sizeof *c);
}

void weir_content_reset(weir_content *c)
{
    content_begin(&c->scan, c->rule);
    c->value.count = 0;
    c->given = 0;
}

/* What was given goes; what was held back comes first. */
static void drop_given(weir_content *c)
{
    c->value.count -= (uint32_t)c->given;
    if (c->value.count)
        memmove(c->value.at, c->value.at + c->given, c->value.count);
    c->given = 0;
}

weir_status weir_content_push(weir_content *c, weir_bytes piece,
                              weir_bytes *more)
{
    if (!vec_reserve(&c->mem, &c->value, (size_t)c->value.count + piece.size))
        return WEIR_NO_MEMORY;
    drop_given(c);
    for (size_t i = 0; i < piece.size; i++)
        if (content_byte(&c->scan, (uint8_t)piece.data[i]))
            c->value.at[c->value.count++] = (uint8_t)piece.data[i];
    Span value = span_of(c->value.at, c->value.count);
    c->given = value.size - content_held(&c->scan, value);
    *more = (weir_bytes){c->given ? (const char *)c->value.at : "", c->given};
    return WEIR_OK;
}

bool weir_content_is_closed(const weir_content *c)
{
    return c->scan.state == CONTENT_CLOSED;
}
