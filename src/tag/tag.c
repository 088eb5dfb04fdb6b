/* tag.c: the whole of a structural tag.
 *
 * In:    JSON, {"format": ...} or the older {"structures": ..., "triggers":
 *        ...}. Out: the Ir's root.
 * Cost:  linear in the source, but for what is nested in it.
 * Tests: unit/structural_tag_test.c, prop/structural_tag_vs_oracle_test.c,
 *        fuzz/structural_tag_fuzz.c.
 */
#include "tag/tag.h"

#include "tag/tag_format.h"

static bool check_type(Tags *t, const At *root)
{
    At type = at_member(t, root, "type");
    if (at_absent(t, &type)) return true;
    return json_is_string(&t->json, type.id, "structural_tag") ||
           tag_wrong(t, &type, "\"structural_tag\"");
}

static NodeId compile(Tags *t)
{
    At root = {.id = JSON_ROOT};
    if (at_kind(t, &root) != JSON_OBJECT) {
        tag_wrong(t, &root, "an object");
        return NODE_NEVER_ID;
    }
    At format = at_member(t, &root, "format");
    At structures = at_member(t, &root, "structures");
    bool is_old = at_absent(t, &format) && !at_absent(t, &structures);
    const char *known = is_old ? "type structures triggers" : "type format";
    if (!check_type(t, &root) ||
        !tag_known_members(t, &root, "a structural tag", known))
        return NODE_NEVER_ID;
    return is_old ? tag_structures(t, &root)
                  : tag_format(t, &format, (Scope){NULL, false});
}

void tag_compile(Ir *ir, Span source, const TagOpts *opts)
{
    Tags t = {
        .ir = ir, .opts = opts, .source = source, .work = ir->limits.max_work};
    JsonLimits limits = {.max_bytes = ir->limits.max_source,
                         .max_depth = ir->limits.max_depth};
    if (!ir_ok(ir)) return;
    RuleId root = ir_rule_new(ir, SPAN("root"), 0);
    arena_init(&t.arena, ir->mem, 0);
    if (json_parse(&t.json, ir->mem, source, &limits, &ir->error)) {
        NodeId body = compile(&t);
        json_free(&t.json);
        ir_rule_set(ir, root, body);
        ir->root = root;
    }
    arena_free(&t.arena);
}
