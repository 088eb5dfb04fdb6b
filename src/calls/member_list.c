/* member_list.c: the names and member types of all tools, looked up by name.
 * Tests: unit/tool_parse_test.c.
 */
#include "calls/member_list.h"

#include "base/diag.h"

static Span keep_span(MemberList *list, Span text)
{
    const void *copy = arena_copy(&list->arena, text.at, text.size);
    list->failed |= !copy;
    return span_of(copy, copy ? text.size : 0);
}

static uint64_t hash_of(uint32_t tool, Span name)
{
    return hash_bytes(tool, name.at, name.size);
}

static uint32_t find_row(const MemberList *list, uint32_t tool, Span name)
{
    uint64_t hash = hash_of(tool, name);
    for (MapPos p = map_first(&list->index, hash); p.value != MAP_NONE;
         p = map_next(&list->index, hash, p)) {
        const MemberRow *row = &list->rows.at[p.value];
        if (row->tool == tool && span_equal(row->name, name)) return p.value;
    }
    return MAP_NONE;
}

/* ---- filling ---- */

typedef struct Filling {
    MemberList *list;
    const Mem *mem;
    uint32_t tool;
} Filling;

static void add_row(void *user, Span name, unsigned types)
{
    Filling *f = user;
    MemberList *list = f->list;
    if (find_row(list, f->tool, name) != MAP_NONE) return;
    MemberRow row = {f->tool, keep_span(list, name), types};
    uint32_t index = list->rows.count;
    if (list->failed || !vec_push(f->mem, &list->rows, row) ||
        !map_add(f->mem, &list->index, hash_of(f->tool, name), index))
        list->failed = true;
}

static bool read_schema(Filling *f, const weir_tool *tool, weir_error *err)
{
    return schema_member_types(f->mem,
                               span_of(tool->source.data, tool->source.size),
                               add_row, f, &f->list->others[f->tool], err);
}

static bool fill(MemberList *list, const Mem *mem, const weir_tool *tools,
                 size_t count, bool has_types, weir_error *err)
{
    list->tools = arena_array(&list->arena, Span, count);
    list->others = arena_array(&list->arena, unsigned, count);
    if (!list->tools || !list->others) return false;
    for (uint32_t i = 0; i < count; i++) {
        const weir_tool *t = &tools[i];
        Filling f = {list, mem, i};
        list->tools[i] = keep_span(list, span_of(t->name.data, t->name.size));
        list->others[i] = TYPE_ALL;
        list->count = i + 1;
        bool has_schema = t->kind == WEIR_JSON_SCHEMA && !t->any_input;
        if (has_types && has_schema && !read_schema(&f, t, err)) return false;
    }
    return !list->failed;
}

bool member_list_init(MemberList *list, const Mem *mem, const weir_tool *tools,
                      size_t count, bool has_types, weir_error *err)
{
    *list = (MemberList){.count = 0};
    arena_init(&list->arena, mem, 0);
    if (count >= UINT32_MAX)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0, "found too many tools");
    if (fill(list, mem, tools, count, has_types, err)) return true;
    return err->status ? false : diag_no_memory(err);
}

void member_list_free(MemberList *list, const Mem *mem)
{
    vec_free(mem, &list->rows);
    map_free(mem, &list->index);
    arena_free(&list->arena);
}

/* ---- looking up ---- */

uint32_t member_list_tool(const MemberList *list, Span name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (span_equal(list->tools[i], name)) return i;
    return UINT32_MAX;
}

unsigned member_list_types(const MemberList *list, uint32_t tool, Span name)
{
    if (tool == UINT32_MAX) return TYPE_ALL;
    uint32_t row = find_row(list, tool, name);
    return row == MAP_NONE ? list->others[tool] : list->rows.at[row].types;
}
