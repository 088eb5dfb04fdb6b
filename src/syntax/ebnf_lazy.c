/* ebnf_lazy.c: lazy rules → their shortest texts.
 *
 * In:    rules whose bodies are known. Out: the body of each lazy rule is a
 *        REGULAR node: the texts of the rule that do not go on from a shorter
 *        one. So a lazy rule ends at the first place where it may.
 * Method: the body is worked out as a language (node_lang.h), in which other
 * lazy rules are cut already; then cut (lang_shortest). What is no regular
 * language cannot be lazy: rules that lead back to themselves, and tokens. A
 * rule with options would lose them and is refused.
 * Cost:  what the automata take, charged to the limits. No recursion.
 * Tests: unit/ebnf_test.c.
 */
#include "syntax/ebnf_parse.h"
#include "syntax/node_lang.h"

typedef struct Lazy {
    Ebnf *e;
    Ir *ir;
    NodeLang lang;
    VEC(Dfa) cuts; /* by lazy rule, in order; their arrays: the arena's */
} Lazy;

static bool refuse(Lazy *z, EbnfRule rule)
{
    return diag_fail(&z->ir->error, WEIR_UNSUPPORTED, rule.begin, rule.end,
                     "lazy rule that %s, expected a regular body", z->lang.why);
}

/* By index in the source's rules; other rules are not lazy. */
static bool is_lazy(const Lazy *z, RuleId rule)
{
    uint32_t index = rule - z->e->first;
    return index < z->e->rules.count && z->e->rules.at[index].is_lazy;
}

static const Dfa *rule_language(void *user, RuleId rule, const Dfa *body)
{
    Lazy *z = user;
    return is_lazy(z, rule) ? lang_shortest(&z->lang.lang, body) : body;
}

static bool cut_rule(Lazy *z, uint32_t index)
{
    EbnfRule rule = z->e->rules.at[index];
    z->lang.lang.begin = rule.begin;
    z->lang.lang.end = rule.end;
    const Dfa *cut = node_lang_rule(&z->lang, z->e->first + index);
    if (!cut && z->lang.why) return refuse(z, rule);
    return cut && ir_ok(z->ir) &&
           (vec_push(z->ir->mem, &z->cuts, *cut) ||
            diag_no_memory(&z->ir->error));
}

/* Bodies are replaced last of all: languages are those of the old ones. */
static void replace_bodies(Lazy *z)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < z->e->rules.count && ir_ok(z->ir); i++)
        if (z->e->rules.at[i].is_lazy)
            ir_rule_set(z->ir, z->e->first + i,
                        ir_regular(z->ir, &z->cuts.at[done++]));
}

static void cut_all(Lazy *z)
{
    for (uint32_t i = 0; i < z->e->rules.count && ir_ok(z->ir); i++)
        if (z->e->rules.at[i].is_lazy && !cut_rule(z, i))
            diag_pointer(&z->ir->error, z->ir->rules.at[z->e->first + i].name);
    replace_bodies(z);
}

static bool has_lazy(const Ebnf *e)
{
    uint32_t i = 0;
    while (i < e->rules.count && !e->rules.at[i].is_lazy) i++;
    return i < e->rules.count;
}

void ebnf_cut_lazy(Ebnf *e)
{
    Ir *ir = e->ir;
    if (!has_lazy(e)) return;
    Lazy z = {.e = e, .ir = ir};
    node_lang_init(&z.lang, ir);
    z.lang.rule = rule_language;
    z.lang.user = &z;
    cut_all(&z);
    vec_free(ir->mem, &z.cuts);
    node_lang_free(&z.lang);
}
