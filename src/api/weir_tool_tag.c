/* weir_tool_tag.c: families: names, where their outputs begin, and the tags of
 * their calls. The work is
 * done in calls/.
 * Tests: unit/tool_tag_test.c.
 */
#include "api/objects.h"
#include "base/diag.h"
#include "calls/tag_write.h"

const char *weir_family_name(weir_family family)
{
    static const char *const names[] = {"none",
#define X(name, number, text) [number] = text,
                                        WEIR_FAMILY_LIST(X)
#undef X
    };
    return (size_t)family < COUNT_OF(names) ? names[family] : NULL;
}

weir_family weir_family_find(weir_bytes name)
{
    const char *text;
    for (weir_family f = 1; (text = weir_family_name(f)) != NULL; f++)
        if (span_equal(span_from(name), span_text(text))) return f;
    return WEIR_FAMILY_NONE;
}

weir_reasoning weir_family_reasoning(weir_family family, weir_bytes prompt_end)
{
    const Family *f = family_at(family);
    return f ? family_reasoning(f, span_from(prompt_end)) : WEIR_REASONING_NONE;
}

size_t weir_tool_tag(weir_family family, const weir_tool *tools, size_t count,
                     const weir_tool_opts *opts, char *text, size_t capacity,
                     weir_error *err)
{
    weir_error local;
    Mem mem = mem_from_env(NULL);
    Out out = {text, capacity, 0};
    weir_tool_opts o = {.size = sizeof o};
    err = error_begin(err, &local);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err))
        return SIZE_MAX;
    if (opts) memcpy(&o, opts, MIN(opts->size, sizeof o));
    TagWriter w = {
        &out, family_at(family), weir_family_name(family), tools, count, &o};
    if (!w.family) {
        diag_fail(err, WEIR_ARGUMENT, 0, 0, "found no such family");
        return SIZE_MAX;
    }
    if (!tag_check(&w, &mem, err)) return SIZE_MAX;
    tag_write(&w);
    return out.size;
}
