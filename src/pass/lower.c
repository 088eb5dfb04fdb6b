/* lower.c: runs the passes in order.  Tests: unit/lower_test.c. */
#include "pass/lower.h"

#include "pass/inline.h"
#include "pass/leftrec.h"
#include "pass/nonempty.h"
#include "pass/tokens.h"

static bool lower_passes(Ir *ir, const Facts *facts, const TokenSets *sets,
                         Lowered *out)
{
    const Rule *root = &ir->rules.at[ir->root];
    if (!facts->productive[root->body])
        return diag_fail(&ir->error, WEIR_EMPTY, root->begin, root->end,
                         "the grammar allows no text at all: every way "
                         "through '%.*s' needs a rule that never ends",
                         (int)MIN(root->name.size, 60),
                         (const char *)root->name.at);
    return nonempty_run(ir, facts, sets, out) && leftrec_run(ir, out) &&
           inline_run(ir, out);
}

bool lower_run(Ir *ir, const LowerTokens *tokens, Lowered *out)
{
    Facts facts;
    *out = (Lowered){0};
    if (!ir_ok(ir)) return false;
    assert(ir->root < ir->rules.count);
    TokenSets sets = {0};
    bool ok =
        tokens_resolve(ir, tokens, &sets) && facts_find(ir, &sets, &facts);
    if (ok) {
        ok = lower_passes(ir, &facts, &sets, out);
        facts_free(ir->mem, &facts);
    }
    tokens_free(ir->mem, &sets);
    if (!ok) lower_free(ir->mem, out);
    return ok;
}

void lower_free(const Mem *mem, Lowered *lowered)
{
    vec_free(mem, &lowered->body);
    vec_free(mem, &lowered->size);
}
