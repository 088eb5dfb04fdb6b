/* marker.c: texts cut where names of control tokens begin: leftmost, the
 * longest name, as tokenizers split. Cost: that of a look-up a byte.
 * Tests: unit/structural_tag_test.c.
 */
#include "syntax/marker.h"

/* plain, name, plain, name, ... plain; the plain parts may be empty. */
typedef struct Cuts {
    Span plain[MARKER_MAX_NAMES + 1], name[MARKER_MAX_NAMES];
    Range id[MARKER_MAX_NAMES];
    uint32_t names;
} Cuts;

/* Where the next name begins at `pos` or later, or the end. */
static size_t next_name(const Markers *m, Span text, size_t pos,
                        uint32_t *found)
{
    uint32_t count;
    for (; pos < text.size; pos++) {
        Span rest = span_of(text.at + pos, text.size - pos);
        *found = prefix_set_find(m->names, rest, &count);
        if (*found != PREFIX_NONE) break;
    }
    return pos;
}

static bool cut(Ir *ir, const Markers *m, Span text, Cuts *c)
{
    size_t pos = 0;
    c->names = 0;
    for (;;) {
        uint32_t found = PREFIX_NONE;
        size_t end = m ? next_name(m, text, pos, &found) : text.size;
        c->plain[c->names] = span_of(text.at + pos, end - pos);
        if (end == text.size) return true;
        if (c->names == MARKER_MAX_NAMES)
            return diag_fail(&ir->error, WEIR_LIMIT_WORK, 0, 0,
                             "found more than %u names of control tokens in "
                             "one text",
                             MARKER_MAX_NAMES);
        size_t size = m->names->texts.at[found].size;
        c->name[c->names] = span_of(text.at + end, size);
        c->id[c->names++] = (Range){m->ids[found], m->ids[found]};
        pos = end + size;
    }
}

/* From plain part i on, each name as a name or as its token. */
static NodeId from_part(Ir *ir, const Cuts *c, uint32_t i)
{
    NodeId parts[2 * MARKER_MAX_NAMES + 1];
    uint32_t n = 0;
    for (; i < c->names; i++) {
        parts[n++] = ir_bytes(ir, c->plain[i]);
        parts[n++] = ir_alt2(ir, ir_bytes(ir, c->name[i]),
                             ir_tokens(ir, &c->id[i], 1, false));
    }
    parts[n++] = ir_bytes(ir, c->plain[i]);
    return ir_seq(ir, parts, n);
}

NodeId marker_node(Ir *ir, const Markers *markers, Span text)
{
    Cuts c;
    return ir_ok(ir) && cut(ir, markers, text, &c) ? from_part(ir, &c, 0)
                                                   : NODE_NEVER_ID;
}

NodeId marker_tokens(Ir *ir, const Markers *markers, Span text, size_t limit)
{
    Cuts c;
    NodeId ways[MARKER_MAX_NAMES];
    uint32_t n = 0;
    if (!ir_ok(ir) || !cut(ir, markers, text, &c)) return NODE_NEVER_ID;
    for (; n < c.names && c.name[n].at < text.at + limit; n++) {
        Span before = span_of(text.at, (size_t)(c.name[n].at - text.at));
        ways[n] =
            IR_SEQ(ir, ir_bytes(ir, before), ir_tokens(ir, &c.id[n], 1, false),
                   from_part(ir, &c, n + 1));
    }
    return ir_alt(ir, ways, n);
}
