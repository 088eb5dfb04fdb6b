/* gbnf_leftrec.c: the left recursion that llama.cpp refuses.
 *
 * llama.cpp turns groups and repeats into rules of their own, and refuses a
 * grammar in which a symbol leads to itself: through the first element of an
 * alternative, and through the next ones as long as those before are symbols
 * with an alternative that has no elements. So it misses rules that are empty
 * through others, which its matching copes with; what it finds depends on the
 * symbols that it makes:
 *
 *     ( ... )     S, with the group's alternatives
 *     e{m,}       e ... e S,  S ::= e S |
 *     e{m,n}      e ... e S,  S ::= e S1 |  and so on: one S stands for all
 *
 * Of each alternative only the symbols that it begins with are kept.
 * Cost: linear in what is kept, which max_states bounds.
 */
#include "syntax/gbnf_parse.h"

bool gbnf_helper(Gbnf *g, uint32_t *symbol)
{
    GbnfSymbol helper = {.begin = (uint32_t)g->pos,
                         .end = (uint32_t)g->pos + 1,
                         .rule = g->symbols.at[g->present].rule,
                         .is_helper = true,
                         .first_lead = GBNF_NONE};
    *symbol = g->symbols.count;
    g->made++;
    return vec_push(g->ir->mem, &g->symbols, helper) ||
           diag_no_memory(&g->ir->error);
}

void gbnf_leads_reset(Gbnf *g, uint32_t symbol)
{
    g->symbols.at[symbol].first_lead = GBNF_NONE;
    g->symbols.at[symbol].has_empty = false;
}

bool gbnf_leads_add(Gbnf *g, uint32_t symbol, const uint32_t *leads,
                    uint32_t count, bool is_empty)
{
    Ir *ir = g->ir;
    GbnfSymbol *s = &g->symbols.at[symbol];
    GbnfLead lead = {g->leads.count, count, s->first_lead};
    s->has_empty |= is_empty;
    if (!g->opts.is_llama_cpp || !count) return true;
    if ((uint64_t)g->leads.count + count > ir->limits.max_states)
        return diag_fail(&ir->error, WEIR_LIMIT_STATES, g->pos, g->pos,
                         "more than %u symbols that alternatives begin with "
                         "(limit max_states)",
                         ir->limits.max_states);
    for (uint32_t i = 0; i < count; i++)
        if (!vec_push(ir->mem, &g->leads, leads[i]))
            return diag_no_memory(&ir->error);
    s->first_lead = g->lead_list.count;
    return vec_push(ir->mem, &g->lead_list, lead) || diag_no_memory(&ir->error);
}

bool gbnf_leads_item(Gbnf *g)
{
    GbnfGroup *group = gbnf_group(g);
    const GbnfItem *last = &group->last;
    g->open_leads.count = last->before;
    group->is_blocked = last->was_blocked;
    if (group->is_blocked) return true;
    group->is_blocked = last->has_text;
    for (uint32_t i = 0; i < g->run.count; i++)
        if (!vec_push(g->ir->mem, &g->open_leads, g->run.at[i]))
            return diag_no_memory(&g->ir->error);
    return true;
}

/* ---- the search ---- */

/* A symbol being looked at: where in its alternatives. */
typedef struct Frame {
    uint32_t symbol, lead, index;
} Frame;

typedef struct Search {
    Gbnf *g;
    uint8_t *state; /* by symbol: 0 new, 1 on the way, 2 done */
    VEC(Frame) way;
} Search;

static bool visit(Search *s, uint32_t symbol)
{
    Frame frame = {symbol, s->g->symbols.at[symbol].first_lead, 0};
    s->state[symbol] = 1;
    return vec_push(s->g->ir->mem, &s->way, frame) ||
           diag_no_memory(&s->g->ir->error);
}

/* The symbol that the frame leads to next, or GBNF_NONE. */
static uint32_t next_symbol(const Gbnf *g, Frame *f)
{
    while (f->lead != GBNF_NONE) {
        GbnfLead lead = g->lead_list.at[f->lead];
        const uint32_t *leads = vec_from(&g->leads, lead.first);
        bool goes_on =
            !f->index || g->symbols.at[leads[f->index - 1]].has_empty;
        if (f->index < lead.count && goes_on) return leads[f->index++];
        f->lead = lead.next;
        f->index = 0;
    }
    return GBNF_NONE;
}

static bool fail_recursive(Gbnf *g, uint32_t symbol)
{
    GbnfSymbol s = g->symbols.at[symbol];
    Rule rule = g->ir->rules.at[s.rule];
    if (s.is_helper)
        diag_fail(&g->ir->error, WEIR_UNSUPPORTED, s.begin, s.end,
                  "found a group or repeat that begins with itself, or "
                  "repeats what may be empty: the dialect llama.cpp has no "
                  "left recursion");
    else
        diag_fail(&g->ir->error, WEIR_UNSUPPORTED, rule.begin, rule.end,
                  "rule \"%.*s\" begins with itself: the dialect llama.cpp "
                  "has no left recursion",
                  (int)MIN(rule.name.size, 60), (const char *)rule.name.at);
    return diag_pointer(&g->ir->error, rule.name);
}

static bool search_from(Search *s, uint32_t start)
{
    if (!visit(s, start)) return false;
    while (s->way.count) {
        Frame *f = &s->way.at[s->way.count - 1];
        uint32_t next = next_symbol(s->g, f);
        if (next == GBNF_NONE) {
            s->state[f->symbol] = 2;
            s->way.count--;
        } else if (s->state[next] == 1) {
            return fail_recursive(s->g, next);
        } else if (!s->state[next] && !visit(s, next)) {
            return false;
        }
    }
    return true;
}

bool gbnf_leads_check(Gbnf *g)
{
    const Mem *mem = g->ir->mem;
    uint32_t count = g->symbols.count;
    Search s = {.g = g, .state = mem_zero(mem, count)};
    if (!s.state) return diag_no_memory(&g->ir->error);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        if (!s.state[i]) ok = search_from(&s, i);
    vec_free(mem, &s.way);
    mem_free(mem, s.state, count);
    return ok;
}
