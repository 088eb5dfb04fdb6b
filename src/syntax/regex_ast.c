/* regex_ast.c: building the nodes of a regular expression.
 *
 * In:    calls of the parser.   Out: nodes, children first.
 * Equal range lists are stored once, so that a pattern full of \p{L} stays
 * small; nodes are charged to the work left and limited in number.
 * Tests: unit/regex_test.c
 */
#include "syntax/regex_ast.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

enum { MAX_WARNINGS = 50, ITEMS_PER_STATE = 16 };

void re_init(Regex *re, const Mem *mem, const weir_limits *limits,
             weir_error *error)
{
    *re = (Regex){.mem = mem,
                  .error = error,
                  .limits = *limits,
                  .work = limits->max_work,
                  .root = RE_NONE};
}

void re_free(Regex *re)
{
    vec_free(re->mem, &re->nodes);
    vec_free(re->mem, &re->kids);
    vec_free(re->mem, &re->bytes);
    vec_free(re->mem, &re->ranges);
    vec_free(re->mem, &re->slices);
    map_free(re->mem, &re->slice_index);
    vec_free(re->mem, &re->warnings);
}

/* ---- reports ---- */

bool re_fail(Regex *re, weir_status status, size_t begin, size_t end,
             const char *format, ...)
{
    char text[sizeof re->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return diag_fail(re->error, status, re->offset + begin, re->offset + end,
                     "%s", text);
}

bool re_no_memory(Regex *re)
{
    return diag_no_memory(re->error);
}

bool re_charge(Regex *re, uint64_t steps)
{
    if (!re_ok(re)) return false;
    if (re->work >= steps) return re->work -= steps, true;
    re->work = 0;
    return re_fail(re, WEIR_LIMIT_WORK, 0, 0,
                   "found a pattern that takes more steps to read than the "
                   "limit max_work allows");
}

void re_warn(Regex *re, size_t begin, size_t end, const char *format, ...)
{
    ReWarning w = {
        re->offset + (uint32_t)begin, re->offset + (uint32_t)end, {0}};
    if (!re_ok(re) || re->nwarnings++ >= MAX_WARNINGS) return;
    va_list args;
    va_start(args, format);
    vsnprintf(w.text, sizeof w.text, format, args);
    va_end(args);
    if (!vec_push(re->mem, &re->warnings, w)) re_no_memory(re);
}

/* ---- nodes ---- */

static ReId push_node(Regex *re, ReNode node)
{
    if (!re_charge(re, 8)) return RE_NONE;
    if (re->nodes.count / ITEMS_PER_STATE >= re->limits.max_states) {
        re_fail(re, WEIR_LIMIT_STATES, 0, 0,
                "found a pattern of more parts than the limit max_states "
                "allows");
        return RE_NONE;
    }
    if (!vec_push(re->mem, &re->nodes, node)) return re_no_memory(re), RE_NONE;
    return re->nodes.count - 1;
}

ReId re_leaf(Regex *re, ReKind kind)
{
    return push_node(re, (ReNode){.kind = kind});
}

ReId re_text(Regex *re, uint32_t rune)
{
    uint8_t text[4];
    unsigned n = utf8_encode(rune, text);
    if (!n) return re_leaf(re, RE_NEVER);
    uint32_t at = re->bytes.count;
    for (unsigned i = 0; i < n; i++)
        if (!vec_push(re->mem, &re->bytes, text[i]))
            return re_no_memory(re), RE_NONE;
    return push_node(re, (ReNode){.kind = RE_TEXT, .a = at, .b = n});
}

static ReSlice slice_find(const Regex *re, const RuneSet *set, uint64_t hash)
{
    Span key = span_of(set->at, set->count * sizeof *set->at);
    for (MapPos p = map_first(&re->slice_index, hash); p.value != MAP_NONE;
         p = map_next(&re->slice_index, hash, p)) {
        ReSlice s = re->slices.at[p.value];
        Span known =
            span_of(re->ranges.at + s.first, s.count * sizeof *re->ranges.at);
        if (span_equal(key, known)) return s;
    }
    return (ReSlice){0, 0};
}

static ReSlice slice_add(Regex *re, const RuneSet *set, uint64_t hash)
{
    ReSlice s = {re->ranges.count, set->count};
    size_t need = (size_t)s.first + s.count;
    if (need / ITEMS_PER_STATE >= re->limits.max_states) {
        re_fail(re, WEIR_LIMIT_STATES, 0, 0,
                "found classes of more ranges than the limit max_states "
                "allows");
        return s;
    }
    if (!vec_reserve(re->mem, &re->ranges, need) ||
        !vec_push(re->mem, &re->slices, s) ||
        !map_add(re->mem, &re->slice_index, hash, re->slices.count - 1))
        return re_no_memory(re), s;
    memcpy(re->ranges.at + s.first, set->at, s.count * sizeof *set->at);
    re->ranges.count += s.count;
    return s;
}

ReId re_class(Regex *re, const RuneSet *set)
{
    if (!re_charge(re, set->count)) return RE_NONE;
    if (!set->count) return re_leaf(re, RE_NEVER);
    uint64_t hash = hash_bytes(0, set->at, set->count * sizeof *set->at);
    ReSlice s = slice_find(re, set, hash);
    if (!s.count) s = slice_add(re, set, hash);
    if (!re_ok(re)) return RE_NONE;
    return push_node(re,
                     (ReNode){.kind = RE_CLASS, .a = s.first, .b = s.count});
}

ReId re_list(Regex *re, ReKind kind, const ReId *kids, uint32_t count)
{
    if (!re_charge(re, count)) return RE_NONE;
    if (!count) return re_leaf(re, kind == RE_SEQ ? RE_EMPTY : RE_NEVER);
    if (count == 1) return kids[0];
    uint32_t at = re->kids.count;
    if (!vec_reserve(re->mem, &re->kids, (size_t)at + count))
        return re_no_memory(re), RE_NONE;
    memcpy(re->kids.at + at, kids, count * sizeof *kids);
    re->kids.count += count;
    return push_node(re, (ReNode){.kind = kind, .a = at, .b = count});
}

ReId re_repeat(Regex *re, ReId node, uint32_t lo, uint32_t hi)
{
    if (!re_ok(re)) return RE_NONE;
    if (!hi) return re_leaf(re, RE_EMPTY);
    if (lo == 1 && hi == 1) return node;
    return push_node(re,
                     (ReNode){.kind = RE_REPEAT, .a = node, .b = lo, .c = hi});
}

ReId re_look(Regex *re, ReId body, uint32_t flags)
{
    if (!re_ok(re)) return RE_NONE;
    return push_node(re, (ReNode){.kind = RE_LOOK, .a = body, .b = flags});
}
