/* masks_vs_oracle_test.c: exactness, by brute force. (Case memo-hash-pointer.)
 *
 * In random grammars over random small vocabularies random walks are taken.
 * At every position (a case) the engine's mask, the result of accepting each
 * token, the flags, and that of compiling an empty grammar are compared with
 * the oracle's word. Walks share grammar and caches; a difference is tried
 * again from nothing, made small and printed.
 *
 * WEIR_CASES (default 100,000; 2,000 when WEIR_QUICK), WEIR_SEED: the run.
 * WEIR_KEEP=1 goes on after a difference, to see them all. How often each kind
 * of node, counter and so on was met is printed, and in a full run held
 * against a minimum.
 */
#include "oracle/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { FULL_RUN = 100000, MET_LEAST = 1000 };

/* What a case can have in it; the node kinds come first. */
enum Met {
    MET_BIG_CLASS = NODE_KINDS, /* a REPEAT that counts beyond 8, of a class */
    MET_BIG_BYTES,
    MET_BIG_RULE,
    MET_BIG_OTHER,
    MET_OPEN,       /* {m,}, m > 1 */
    MET_EXACT,      /* {m,m}, m > 1 */
    MET_NEGATED,    /* TOKENS, negated */
    MET_GROUPS,     /* a LIST of several groups */
    MET_CONTIGUOUS, /* ... none of which may be skipped */
    MET_AT_LEAST,   /* a LIST with a counter that must be reached */
    MET_AT_MOST,    /* ... that must not be exceeded */
    MET_COUNTED,    /* ... that several kinds share */
    MET_NEED,       /* ... that another one asks for */
    MET_UNIQUE,     /* a LIST with heads that are unique strings */
    MET_VALUES,     /* ... unique values */
    MET_RECURSIVE,  /* a LIST with items that have it inside */
    MET_LEFT,       /* a rule whose body begins with itself */
    MET_NULL_LOOP,  /* a REPEAT of what may plainly be empty */
    MET_FRAME,
    MET_SHARED,
    MET_SPACE,
    MET_REGISTER, /* counted frames, made by the engine */
    MET_GUARD_LO, /* ... that may not return too early */
    MET_GUARD_HI, /* ... that may not go on for ever */
    MET_CALL,     /* calls in the network */
    MET_FORK,     /* a byte with more than one move */
    MET_STOPS,    /* a matcher with stops of its own */
    MET_COMPLETE,
    MET_MORE,     /* complete, and can continue */
    MET_SPLIT,    /* after a part of a character */
    MET_REPEATED, /* positions of a grammar that was walked before */
    MET_ALONE,    /* grammars without a sentence */
    MET_COUNT
};

static const char *const met_names[MET_COUNT] = {"NEVER",
                                                 "EMPTY",
                                                 "BYTES",
                                                 "CLASS",
                                                 "SEQ",
                                                 "ALT",
                                                 "REPEAT",
                                                 "RULE",
                                                 "REGULAR",
                                                 "TOKENS",
                                                 "LIST",
                                                 "BOUNDED",
                                                 "count of a class",
                                                 "count of bytes",
                                                 "count of a rule",
                                                 "count of others",
                                                 "{m,}",
                                                 "{m,m}",
                                                 "TOKENS negated",
                                                 "LIST in groups",
                                                 "LIST, contiguous",
                                                 "LIST, minimum",
                                                 "LIST, maximum",
                                                 "LIST, shared count",
                                                 "LIST, need",
                                                 "LIST, unique",
                                                 "LIST, unique values",
                                                 "LIST, recursive",
                                                 "left recursion",
                                                 "loop over empty",
                                                 "FRAME",
                                                 "SHARED",
                                                 "SPACE",
                                                 "register",
                                                 "guard of a minimum",
                                                 "guard of a maximum",
                                                 "call",
                                                 "fork",
                                                 "stops replaced",
                                                 "complete",
                                                 "complete, more",
                                                 "inside a character",
                                                 "warm grammar",
                                                 "empty grammar"};

typedef struct Run {
    Rng rng;
    uint64_t cases, grammars, limits, differing;
    uint64_t met[MET_COUNT];
    bool here[MET_COUNT]; /* in the grammar at hand */
    bool keep_going;
} Run;

static Mem mem;
static Case the_case;

/* ---- what the grammar at hand has ---- */

static bool is_plainly_nullable(const Ir *ir, NodeId id)
{
    Node n = ir_node(ir, id);
    return id == NODE_EMPTY_ID || (n.kind == NODE_REPEAT && !n.b) ||
           (n.kind == NODE_ALT && ir_node_kids(ir, n)[0] == NODE_EMPTY_ID);
}

static void note_repeat(Run *run, const Ir *ir, Node n)
{
    NodeKind body = ir_node(ir, n.a).kind;
    run->here[MET_OPEN] |= n.c == REPEAT_INF && n.b > 1;
    run->here[MET_EXACT] |= n.c == n.b && n.b > 1;
    run->here[MET_NULL_LOOP] |= is_plainly_nullable(ir, n.a);
    if (n.b <= 8 && (n.c <= 8 || n.c == REPEAT_INF)) return;
    run->here[body == NODE_CLASS   ? MET_BIG_CLASS
              : body == NODE_BYTES ? MET_BIG_BYTES
              : body == NODE_RULE  ? MET_BIG_RULE
                                   : MET_BIG_OTHER] = true;
}

static uint32_t count_users(const ListSpec *list, uint32_t counter)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->nkinds; i++)
        for (uint32_t j = 0; j < list->kinds[i].ncounters; j++)
            n += list->kinds[i].counters[j] == counter;
    return n;
}

static void note_list(Run *run, const ListSpec *list)
{
    for (uint32_t i = 1; i < list->nkinds; i++)
        run->here[MET_GROUPS] |= list->kinds[i].order != list->kinds[0].order;
    run->here[MET_CONTIGUOUS] |= list->is_contiguous && run->here[MET_GROUPS];
    for (uint32_t c = 0; c < list->ncounters; c++) {
        uint32_t nusers = count_users(list, c);
        run->here[MET_AT_LEAST] |= nusers && list->counters[c].lo;
        run->here[MET_AT_MOST] |= nusers && list->counters[c].hi != REPEAT_INF;
        run->here[MET_COUNTED] |= nusers > 1;
    }
    run->here[MET_NEED] |= list->nneeds > 0;
    for (uint32_t i = 0; i < list->nkinds; i++) {
        ListUnique unique = list->kinds[i].unique;
        run->here[MET_UNIQUE] |= unique == LIST_UNIQUE_STRING;
        run->here[MET_VALUES] |= unique == LIST_UNIQUE_VALUE;
    }
}

/* Whether a node that the items of a list refer to reaches the list. */
static bool reaches(const Ir *ir, NodeId from, NodeId list, uint8_t *seen)
{
    Node n = ir_node(ir, from);
    if (from == list) return true;
    if (seen[from]) return false;
    seen[from] = 1;
    bool yes = false;
    if (n.kind == NODE_RULE)
        yes = reaches(ir, ir->rules.at[n.a].body, list, seen);
    if (n.kind == NODE_REPEAT) yes = reaches(ir, n.a, list, seen);
    for (uint32_t i = 0; (n.kind == NODE_SEQ || n.kind == NODE_ALT) && i < n.b;
         i++)
        yes |= reaches(ir, ir_node_kids(ir, n)[i], list, seen);
    for (uint32_t i = 0; n.kind == NODE_LIST && i < ir_node_list(ir, n)->nkinds;
         i++) {
        const ListKind *kind = &ir_node_list(ir, n)->kinds[i];
        yes |= reaches(ir, kind->head, list, seen);
        yes |= reaches(ir, kind->tail, list, seen);
    }
    return yes;
}

static bool is_recursive(const Ir *ir, NodeId list)
{
    static uint8_t seen[4096];
    memset(seen, 0, sizeof seen);
    const ListSpec *spec = ir_node_list(ir, ir_node(ir, list));
    bool yes = false;
    for (uint32_t i = 0; i < spec->nkinds; i++) {
        yes |= reaches(ir, spec->kinds[i].head, list, seen);
        yes |= reaches(ir, spec->kinds[i].tail, list, seen);
    }
    return yes;
}

static bool begins_with(const Ir *ir, NodeId id, RuleId rule)
{
    Node n = ir_node(ir, id);
    if (n.kind == NODE_RULE) return n.a == rule;
    if (n.kind == NODE_SEQ)
        return begins_with(ir, ir_node_kids(ir, n)[0], rule);
    bool yes = false;
    for (uint32_t i = 0; n.kind == NODE_ALT && i < n.b; i++)
        yes |= begins_with(ir, ir_node_kids(ir, n)[i], rule);
    return yes;
}

static void note_grammar(Run *run, const Ir *ir)
{
    static uint8_t nodes[4096], rules[64];
    memset(run->here, 0, sizeof run->here);
    assert(ir->nodes.count <= sizeof nodes && ir->rules.count <= sizeof rules);
    ir_reached(ir, nodes, rules);
    for (NodeId id = 0; id < ir->nodes.count; id++) {
        Node n = ir_node(ir, id);
        if (!nodes[id]) continue;
        run->here[n.kind] = true;
        run->here[MET_NEGATED] |= n.kind == NODE_TOKENS && n.c;
        if (n.kind == NODE_REPEAT) note_repeat(run, ir, n);
        if (n.kind == NODE_LIST) {
            note_list(run, ir_node_list(ir, n));
            run->here[MET_RECURSIVE] |= is_recursive(ir, id);
        }
    }
    for (RuleId r = 0; r < ir->rules.count; r++) {
        Rule rule = ir->rules.at[r];
        if (!rules[r]) continue;
        run->here[MET_LEFT] |= begins_with(ir, rule.body, r);
        run->here[MET_FRAME] |= (rule.flags & RULE_FRAME) != 0;
        run->here[MET_SHARED] |= (rule.flags & RULE_SHARED) != 0;
        run->here[MET_SPACE] |= (rule.flags & RULE_SPACE) != 0;
    }
}

/* Whether the last byte belongs to a character that is not all there. */
static bool is_inside_character(const OracleText *text)
{
    uint32_t i = text->size, seen = 0;
    while (i-- > 0 && seen < 4) {
        int b = text->byte[i];
        seen++;
        if (b < 0x80) return false;
        if (b < 0xC0) continue;
        return seen < (b < 0xE0 ? 2u : b < 0xF0 ? 3u : 4u);
    }
    return false;
}

static void note_case(Run *run, const OracleText *text, bool is_warm)
{
    OracleVocab vocab = oracle_vocab(&the_case.vocab);
    OracleAnswer a = oracle_ask(&the_case.ir, the_case.ir.root, &vocab, text);
    run->here[MET_COMPLETE] = a.complete;
    run->here[MET_MORE] = a.complete && a.more;
    run->here[MET_SPLIT] = is_inside_character(text);
    run->here[MET_REPEATED] = is_warm;
    run->cases++;
    for (int i = 0; i < MET_COUNT; i++) run->met[i] += run->here[i];
}

/* Ranges "{lo,hi}" of the counted frames in a printed network. */
static void note_guards(Run *run, const char *text)
{
    for (const char *at = text; (at = strstr(at, " {"));) {
        unsigned lo, hi;
        int n = sscanf(at, " {%u,%u}", &lo, &hi);
        run->here[MET_GUARD_LO] |= n >= 1 && lo > 0;
        run->here[MET_GUARD_HI] |= n == 2;
        at += 2;
    }
}

/* What the engine made of the grammar in `ncases` cases. */
static void note_network(Run *run, const weir_grammar *grammar, uint64_t ncases)
{
    static char text[1 << 17];
    size_t n =
        weir_grammar_print(grammar, WEIR_PRINT_NETWORK, text, sizeof text - 1);
    text[MIN(n, sizeof text - 1)] = 0;
    memset(run->here, 0, sizeof run->here);
    run->here[MET_REGISTER] = strstr(text, " loop") != NULL;
    run->here[MET_CALL] = strstr(text, "    call ") != NULL;
    run->here[MET_FORK] = strstr(text, " or ") != NULL;
    note_guards(run, text);
    for (int i = MET_REGISTER; i <= MET_FORK; i++)
        run->met[i] += run->here[i] * ncases;
}

/* ---- walks ---- */

/* Reports; a difference that a fresh grammar shows too is made small first. */
static void report(Run *run, const Why *warm, uint64_t seed)
{
    static Case kept;
    Why why = *warm;
    run->differing++;
    fprintf(stderr, "\n==== seed %llu\n", (unsigned long long)seed);
    kept = the_case;
    judge_print(&the_case, &why, stderr);
    fprintf(stderr, "-- made small:\n");
    ir_copied(&kept.ir, &the_case.ir, &mem);
    if (judge_case(&the_case, &why) == JUDGE_DIFFERS)
        judge_shrink(&the_case, &why);
    else
        fprintf(stderr, "(only on a grammar that was used before)\n");
    judge_print(&the_case, &why, stderr);
    ir_free(&the_case.ir);
    the_case = kept;
    if (!run->keep_going) fail_msg("engine and oracle differ: %s", why.text);
}

/* The next step: an allowed token, at times its first bytes only. */
static bool random_step(Rng *rng, const bool *allowed, Step *step)
{
    uint32_t ids[RANDOM_TOKENS_MAX], n = 0;
    for (uint32_t id = 0; id < the_case.vocab.count; id++)
        if (allowed[id]) ids[n++] = id;
    if (!n) return false;
    *step = (Step){.id = ids[rng_below(rng, n)]};
    weir_token token = the_case.vocab.tokens[step->id];
    if (!oracle_by_text(token) || !rng_chance(rng, 12)) return true;
    /* The token may be allowed by its number alone: the bytes are a try. */
    step->id = UINT32_MAX;
    step->size = 1 + rng_below(rng, (uint32_t)token.bytes.size);
    memcpy(step->bytes, token.bytes.data, step->size);
    return true;
}

/* One step of matcher and text. False ends the walk. */
static bool advance(Run *run, weir_matcher *matcher, OracleText *text,
                    const Step *step, Why *why)
{
    OracleVocab vocab = oracle_vocab(&the_case.vocab);
    OracleText next = *text;
    if (step_stops(&the_case, text, step)) return false;
    if (!step_add(&next, &vocab, step)) return false;
    /* the oracle must be able to read any token more */
    if (next.size + RANDOM_BYTES_MAX > ORACLE_MAX) return false;
    bool want = oracle_prefix(&the_case.ir, the_case.ir.root, &vocab, &next);
    weir_accept got = step_accept(matcher, step);
    if (got == WEIR_TERMINATED) return false;
    if (got == WEIR_ACCEPT_ERROR) {
        run->limits++;
        return false;
    }
    the_case.steps[the_case.nsteps++] = *step;
    if ((got == WEIR_ACCEPTED) != want) {
        snprintf(why->text, sizeof why->text, "step: accept %d, oracle %d", got,
                 want);
        return false;
    }
    if (got == WEIR_ACCEPTED) *text = next;
    return true;
}

/* Now and then other stops than the vocabulary's. A negated set leaves those
 * of the vocabulary out, whatever the matcher's are: no such grammars. */
static void random_stops(Run *run)
{
    bool others = rng_chance(&run->rng, 20) && !run->here[MET_NEGATED];
    the_case.nstops = 0;
    for (int i = 0; others && i < CASE_STOPS; i++) {
        uint32_t id = rng_below(&run->rng, the_case.made.count);
        if (!(the_case.made.tokens[id].flags & WEIR_TOKEN_HOLE))
            the_case.stops[the_case.nstops++] = id;
    }
    run->here[MET_STOPS] = the_case.nstops > 0;
    judge_view(&the_case);
}

static void walk(Run *run, weir_grammar *grammar, uint64_t seed, bool is_warm)
{
    static const uint8_t longest[] = {4, 12, 12, 12, 12, 12, 12, 48};
    bool allowed[RANDOM_TOKENS_MAX];
    Why why = {""};
    OracleText text = {0};
    the_case.termination = (weir_termination)rng_below(&run->rng, 3);
    random_stops(run);
    weir_matcher *matcher = judge_matcher(&the_case, grammar);
    uint32_t most = longest[rng_below(&run->rng, COUNT_OF(longest))];
    the_case.nsteps = 0;
    for (;;) {
        Step step;
        Verdict v = judge_position(matcher, &the_case, &text, allowed, &why);
        run->limits += v == JUDGE_LIMIT;
        if (v != JUDGE_SAME) break;
        note_case(run, &text, is_warm);
        if (text.size >= most || the_case.nsteps == CASE_STEPS) break;
        if (!random_step(&run->rng, allowed, &step)) break;
        if (!advance(run, matcher, &text, &step, &why)) break;
    }
    weir_matcher_free(matcher);
    if (*why.text) report(run, &why, seed);
}

static void one_grammar(Run *run, weir_vocab *vocab, uint64_t seed)
{
    Why why = {""};
    weir_error err;
    weir_grammar *grammar = judge_grammar(vocab, &the_case.ir, &err);
    the_case.nsteps = the_case.nstops = 0;
    Verdict v =
        judge_compiled(&the_case.ir, &the_case.made, grammar, &err, &why);
    run->grammars++;
    run->limits += v == JUDGE_LIMIT;
    if (v == JUDGE_DIFFERS) report(run, &why, seed);
    note_grammar(run, &the_case.ir);
    if (v == JUDGE_SAME && !grammar) {
        run->here[MET_ALONE] = true;
        for (int i = 0; i < MET_COUNT; i++) run->met[i] += run->here[i];
    }
    uint64_t before = run->cases;
    for (int i = 0; v == JUDGE_SAME && grammar && i < 3; i++)
        walk(run, grammar, seed, i > 0);
    if (grammar) note_network(run, grammar, run->cases - before);
    weir_grammar_free(grammar);
}

/* One vocabulary and a few grammars, most with the same shared rules. */
static void one_round(Run *run, uint64_t seed)
{
    Alphabet alphabet;
    run->rng = (Rng){seed};
    random_alphabet(&run->rng, &alphabet);
    random_vocab(&run->rng, &alphabet, &the_case.made);
    weir_vocab *vocab = judge_vocab(&the_case.made);
    RandomSeeds seeds = {0, rng_next(&run->rng)};
    for (int i = 0; i < 3; i++) {
        seeds.own = rng_next(&run->rng);
        if (i == 2) seeds.shared = rng_next(&run->rng);
        ir_init(&the_case.ir, &mem, NULL);
        random_grammar(seeds, &alphabet, the_case.made.count, &the_case.ir);
        the_case.ir.limits.max_step = 1000000; /* a twentieth of a second */
        assert_true(ir_ok(&the_case.ir));
        one_grammar(run, vocab, seed);
        ir_free(&the_case.ir);
    }
    weir_vocab_free(vocab);
}

/* Rounds that have found something, by seed: tried first, also by short runs.
 * 20242014: a list whose heads loop over calls. */
static const uint64_t found_by[] = {20242014};

static void every_mask_is_exact(void **state)
{
    static Run run;
    (void)state;
    uint64_t seed = env_number("WEIR_SEED", 20240608);
    uint64_t ncases = case_count(FULL_RUN, 2000);
    run.keep_going = env_number("WEIR_KEEP", 0) != 0;
    mem = mem_from_env(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < COUNT_OF(found_by); i++)
        one_round(&run, found_by[i]);
    for (uint64_t i = 0; run.cases < ncases; i++) one_round(&run, seed + i);
    printf("%llu cases, %llu grammars, %llu met a limit, %llu differ\n",
           (unsigned long long)run.cases, (unsigned long long)run.grammars,
           (unsigned long long)run.limits, (unsigned long long)run.differing);
    for (int i = 0; i < MET_COUNT; i++)
        printf("%10llu  %s\n", (unsigned long long)run.met[i], met_names[i]);
    assert_int_equal(run.differing, 0);
    assert_true(run.limits * 100 <= run.grammars);
    for (int i = 0; ncases >= FULL_RUN && i < MET_COUNT; i++)
        if (run.met[i] < MET_LEAST)
            fail_msg("%s met %llu times only", met_names[i],
                     (unsigned long long)run.met[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mask_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
