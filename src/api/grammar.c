/* grammar.c: the life of a grammar: IR -> lowered rules -> network -> start.
 *
 * In:  an Ir with its root set, taken over.   Out: a counted, shared object.
 * The IR stays for printing, union and concat; the network borrows it.
 */
#include "api/grammar.h"

#include "api/objects.h"
#include "base/diag.h"
#include "base/utf8.h"
#include "mask/lax_mask.h"

/* An unshared grammar around `ir`, or NULL. */
static weir_grammar *grammar_new(weir_vocab *vocab, Ir *ir)
{
    Mem mem = *ir->arena.mem;
    weir_grammar *g = mem_zero(&mem, sizeof *g);
    if (!g) return NULL;
    g->mem = mem;
    atomic_init(&g->refs, 1);
    lock_init(&g->lock);
    g->vocab = vocab ? weir_vocab_retain(vocab) : NULL;
    g->ir = *ir;
    if (ir->mem == ir->arena.mem) g->ir.mem = &g->mem;
    g->ir.arena.mem = &g->mem;
    *ir = (Ir){0};
    arena_init(&g->named_arena, &g->mem, 0);
    arena_init(&g->late.arena, &g->mem, 0);
    return g;
}

/* In llama.cpp: no end, and with a whole character. */
static bool token_is_lax(const Vocab *vocab, uint32_t id)
{
    Span bytes = vocab_bytes(vocab, id);
    if (!vocab_is_text(vocab, id)) return false;
    unsigned size = utf8_lead_size(bytes.at[0]);
    return size && bytes.size >= size;
}

/* Names reach any token that exists; what a set leaves over, no stop token. */
static bool token_usable(const void *user, uint32_t id, bool by_default)
{
    const Vocab *vocab = user;
    if (vocab->dialect == WEIR_DIALECT_LLAMA_CPP)
        return token_is_lax(vocab, id);
    if (id >= vocab->ntokens || vocab->flags[id] & WEIR_TOKEN_HOLE)
        return false;
    return !by_default || !(vocab->flags[id] & WEIR_TOKEN_STOP);
}

static void find_held(weir_grammar *g)
{
    for (NodeId id = 0; id < g->ir.nodes.count; id++)
        g->has_held |= g->ir.nodes.at[id].kind == NODE_CLASS &&
                       g->ir.nodes.at[id].c & CLASS_WARY;
}

static void find_budgets(weir_grammar *g)
{
    g->min_chars = UINT32_MAX;
    for (RuleId r = 0; r < g->ir.rules.count; r++) {
        const RuleOptions *o = g->ir.rules.at[r].options;
        if (!o) continue;
        g->has_budgets |=
            (o->has & (RULE_HAS_MAX_TOKENS | RULE_HAS_MAX_CHARS)) != 0;
        if (o->has & RULE_HAS_MAX_CHARS)
            g->min_chars = MIN(g->min_chars, o->max_chars);
    }
}

/* Options act where a rule is called, so a root that has some gets a caller.
 */
static void root_call(Ir *ir)
{
    if (!ir_ok(ir) || !ir->rules.at[ir->root].options) return;
    RuleId caller = ir_rule_new(ir, SPAN("output"), 0);
    ir_rule_set(ir, caller, ir_ref(ir, ir->root));
    if (ir_ok(ir)) ir->root = caller;
}

static void find_unique(weir_grammar *g)
{
    for (uint32_t i = 0; i < g->ir.lists.count; i++)
        for (uint32_t k = 0; k < g->ir.lists.at[i].nkinds; k++) {
            ListUnique unique = g->ir.lists.at[i].kinds[k].unique;
            g->has_unique |= unique != LIST_REPEATABLE;
            g->has_unique_values |= unique == LIST_UNIQUE_VALUE;
        }
}

/* Lowers the IR, and moves all that there is of it to the grammar's memory. */
static bool grammar_lower(weir_grammar *g, Lowered *lowered)
{
    const Vocab *vocab = g->vocab ? &g->vocab->vocab : NULL;
    LowerTokens tokens = {vocab ? vocab->width : 0, token_usable, vocab};
    const Mem *scratch = g->ir.mem;
    if (!lower_run(&g->ir, vocab ? &tokens : NULL, lowered)) return false;
    if (!lower_settle(scratch, &g->mem, lowered)) {
        lower_free(scratch, lowered);
        return diag_no_memory(&g->ir.error);
    }
    if (ir_settle(&g->ir)) return true;
    lower_free(&g->mem, lowered);
    return false;
}

static bool grammar_fill(weir_grammar *g, weir_error *err)
{
    Lowered lowered;
    if (!grammar_lower(g, &lowered)) {
        *err = g->ir.error;
        return false;
    }
    g->is_nullable = lowered.is_nullable;
    g->has_tokens = lowered.has_tokens;
    find_held(g);
    find_budgets(g);
    Network *shared = g->vocab ? &g->vocab->shared : NULL;
    if (!network_init(&g->network, &g->ir, &lowered, shared, err)) return false;
    find_unique(g);
    g->keeps_tokens = g->has_tokens && !g->has_unique && !g->has_budgets;
    if (!unique_check(&g->network, &g->ir.limits, err)) return false;
    g->start.ends = g->is_nullable;
    if (g->network.lowered.body.at[g->ir.root] == NODE_NEVER_ID) return true;
    State *start = network_start(&g->network);
    if (!start) {
        *err = network_error(&g->network);
        return false;
    }
    Config c = {.q = start};
    return vec_push(&g->mem, &g->start.list, c) || diag_no_memory(err);
}

weir_grammar *grammar_from_ir(weir_vocab *vocab, Ir *ir, weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    root_call(ir);
    weir_grammar *g = ir_ok(ir) ? grammar_new(vocab, ir) : NULL;
    if (!g) {
        if (ir->error.status)
            *err = ir->error;
        else
            diag_no_memory(err);
        ir_free(ir);
        return NULL;
    }
    bool ok = grammar_fill(g, err);
    if (ok && vocab)
        ok = walkcache_init(&g->walks, &g->mem, &vocab->masks.cache,
                            limit_size(g->ir.limits.max_memory)) ||
             diag_no_memory(err);
    if (ok && vocab && g->ir.keeps_dead_ends)
        ok = lax_find_named(&g->mem, &vocab->vocab, &g->ir, &g->named_arena,
                            &g->named, &g->names_all) ||
             diag_no_memory(err);
    if (ok && !(g->hub = hub_new(&g->mem, &g->ir.limits)))
        ok = diag_no_memory(err);
    if (ok) return g;
    if (!err->status) diag_no_memory(err);
    weir_grammar_free(g);
    return NULL;
}

weir_grammar *weir_grammar_retain(weir_grammar *grammar)
{
    ref_take(&grammar->refs);
    return grammar;
}

void weir_grammar_free(weir_grammar *grammar)
{
    if (!grammar || !ref_drop(&grammar->refs)) return;
    Mem mem = grammar->mem;
    weir_vocab *vocab = grammar->vocab;
    hub_drop(grammar->hub);
    arena_free(&grammar->named_arena);
    late_free(grammar);
    vec_free(&grammar->mem, &grammar->start.list);
    walkcache_free(&grammar->walks);
    network_free(&grammar->network);
    ir_free(&grammar->ir);
    lock_free(&grammar->lock);
    mem_free(&mem, grammar, sizeof *grammar);
    weir_vocab_free(vocab);
}
