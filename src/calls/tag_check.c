/* tag_check.c: what a family cannot say, found before anything is written.
 * Tests: unit/tool_tag_test.c.
 */
#include "base/diag.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "calls/tag_write.h"
#include "text/json.h"

static Span name_of(const weir_tool *tool)
{
    return span_of(tool->name.data, tool->name.size);
}

/* The name, cut, for messages. */
typedef struct Shown {
    char text[64];
} Shown;

static Shown shown(Span name)
{
    Shown s;
    Out out = {s.text, sizeof s.text - 1, 0};
    out_quoted(&out, span_of(name.at, MIN(name.size, 24)));
    s.text[MIN(out.size, out.cap)] = 0;
    return s;
}

static bool check_name(Span name, weir_error *err)
{
    if (!name.size || name.size > NAME_MAX_BYTES)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "found a name of %zu bytes, expected 1 to %u",
                         name.size, (unsigned)NAME_MAX_BYTES);
    for (size_t i = 0; i < name.size; i++)
        if (!name_has(name.at[i]))
            return diag_fail(err, WEIR_UNSUPPORTED, i, i + 1,
                             "found %s in the name %s, expected letters, "
                             "digits, _ . / or -",
                             diag_byte(name.at[i]).text, shown(name).text);
    size_t bad = utf8_check(name);
    return bad == name.size ||
           diag_fail(err, WEIR_UNSUPPORTED, bad, bad + 1,
                     "found a name that is no UTF-8: %s", shown(name).text);
}

static bool check_json(Span text, const Mem *mem, const char *what,
                       weir_error *err)
{
    Json json;
    weir_error inner = {.status = WEIR_OK};
    if (!json_parse(&json, mem, text, NULL, &inner))
        return inner.status == WEIR_NO_MEMORY
                   ? diag_no_memory(err)
                   : diag_fail(err, inner.status, inner.begin, inner.end,
                               "%s: %.120s", what, inner.message);
    JsonKind kind = json_kind(&json, JSON_ROOT);
    json_free(&json);
    return kind == JSON_OBJECT || kind == JSON_TRUE || kind == JSON_FALSE ||
           diag_fail(err, WEIR_SYNTAX, 0, 0, "%s: found %s, expected an object",
                     what, json_kind_name(kind));
}

static bool check_tool(const TagWriter *w, const weir_tool *tool,
                       const Mem *mem, weir_error *err)
{
    char what[96];
    Out out = {what, sizeof what - 1, 0};
    if (!check_name(name_of(tool), err)) return false;
    if (tool->kind != WEIR_JSON_SCHEMA && tool->kind != WEIR_JSON_OBJECT)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "found the custom tool %s, expected a function: calls "
                         "of the family %s have JSON",
                         shown(name_of(tool)).text, w->family_name);
    out_text(&out, "tool ");
    out_text(&out, shown(name_of(tool)).text);
    what[MIN(out.size, out.cap)] = 0;
    return tool->kind != WEIR_JSON_SCHEMA ||
           check_json(span_of(tool->source.data, tool->source.size), mem, what,
                      err);
}

/* Names are told apart. */
static bool check_twice(const TagWriter *w, const Mem *mem, weir_error *err)
{
    Map map = {0};
    bool ok = true;
    for (size_t i = 0; i < w->count && ok; i++) {
        Span name = name_of(&w->tools[i]);
        uint64_t hash = hash_bytes(0, name.at, name.size);
        for (MapPos p = map_first(&map, hash); p.value != MAP_NONE && ok;
             p = map_next(&map, hash, p))
            if (span_equal(name_of(&w->tools[p.value]), name))
                ok = diag_fail(err, WEIR_ARGUMENT, 0, 0,
                               "found two tools called %s", shown(name).text);
        if (ok && !map_add(mem, &map, hash, (uint32_t)i))
            ok = diag_no_memory(err);
    }
    map_free(mem, &map);
    return ok;
}

static bool check_opts(const TagWriter *w, const Mem *mem, weir_error *err)
{
    const weir_tool_opts *o = w->opts;
    if (o->calls > WEIR_CALLS_NONE || o->reasoning > WEIR_REASONING_MAY)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0, "found an unknown option");
    if (o->reasoning && !w->family->think)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "the family %s has no reasoning", w->family_name);
    if (o->calls == WEIR_CALLS_REQUIRED && !w->count)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found no tools, expected one: a call is required");
    return !o->answer.size ||
           check_json(span_of(o->answer.data, o->answer.size), mem, "answer",
                      err);
}

bool tag_check(const TagWriter *w, const Mem *mem, weir_error *err)
{
    if (!check_opts(w, mem, err)) return false;
    for (size_t i = 0; i < w->count; i++)
        if (!check_tool(w, &w->tools[i], mem, err)) return false;
    return check_twice(w, mem, err);
}
