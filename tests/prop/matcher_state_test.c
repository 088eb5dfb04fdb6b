/* matcher_state_test.c: rollback, fork, reset, export and import are what they
 * say, by replay.
 *
 * A few matchers of one random grammar are driven by random operations. Each
 * has a model: the list of steps that should be its history. After every
 * operation the matcher must look like a new matcher (of the same grammar, or
 * of one compiled for itself) that took these steps: same mask, same flags,
 * same number of steps. Questions (validate, drafts, trees, forced bytes) are
 * answered by replay too and must leave no trace; a generation must differ
 * where the position has changed, and never come back for another position.
 *
 * WEIR_SEED, WEIR_CASES (operations, default 60,000).
 */
#include "oracle/judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum {
    SLOTS = 3,
    STEPS_MAX = 40,
    SEEN_MAX = 512,
    WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX),
    DRAFTS_MAX = 8,
    OPS_PER_GRAMMAR = 60
};

typedef struct Model {
    Step steps[STEPS_MAX];
    uint32_t nsteps;
} Model;

/* A matcher, what it should be, and the generations it has had. */
typedef struct Slot {
    weir_matcher *matcher;
    Model model;
    struct {
        uint64_t generation;
        Model model;
    } seen[SEEN_MAX];
    uint32_t nseen;
} Slot;

typedef struct World {
    Rng rng;
    RandomVocab vocab;
    uint32_t nwords;
    weir_matcher_opts opts;
    weir_grammar *grammar, *other; /* the same, compiled twice */
    bool has_tokens;               /* the grammar has TOKENS nodes */
    Slot slots[SLOTS];
    const char *op; /* the last one, for messages */
    uint64_t seed;
} World;

static World world;
static Mem mem;

static void expect(World *w, bool holds, const char *what)
{
    if (!holds)
        fail_msg("seed %llu, after %s: %s", (unsigned long long)w->seed, w->op,
                 what);
}

/* ---- replay ---- */

static weir_matcher *fresh(World *w, const Model *model)
{
    weir_grammar *g = rng_chance(&w->rng, 50) ? w->grammar : w->other;
    weir_matcher *m = weir_matcher_new(g, &w->opts, NULL);
    assert_non_null(m);
    for (uint32_t i = 0; i < model->nsteps; i++)
        expect(w, step_accept(m, &model->steps[i]) == WEIR_ACCEPTED,
               "the history cannot be replayed");
    return m;
}

static void mask_of(World *w, weir_matcher *m, int32_t *row)
{
    memset(row, 0, WORDS * sizeof *row);
    weir_fill fill = weir_matcher_fill(m, row);
    expect(w, fill != WEIR_FILL_ERROR, weir_status_name(weir_matcher_error(m)));
}

static bool same_bits(World *w, const int32_t *a, const int32_t *b)
{
    return !memcmp(a, b, w->nwords * sizeof *a);
}

static bool no_bits(World *w, const int32_t *row)
{
    for (uint32_t i = 0; i < w->nwords; i++)
        if (row[i]) return false;
    return true;
}

static void check_slot(World *w, Slot *s)
{
    int32_t mine[WORDS], theirs[WORDS];
    weir_matcher *m = fresh(w, &s->model);
    mask_of(w, s->matcher, mine);
    mask_of(w, m, theirs);
    expect(w, same_bits(w, mine, theirs), "another mask than by replay");
    expect(w, weir_matcher_steps(s->matcher) == s->model.nsteps,
           "another number of steps");
    expect(w,
           weir_matcher_is_completed(s->matcher) ==
               weir_matcher_is_completed(m),
           "completed differs");
    expect(w,
           weir_matcher_can_continue(s->matcher) ==
               weir_matcher_can_continue(m),
           "can continue differs");
    expect(w,
           weir_matcher_is_terminated(s->matcher) ==
               weir_matcher_is_terminated(m),
           "terminated differs");
    weir_matcher_free(m);
}

/* ---- generations ---- */

static bool same_model(const Model *a, const Model *b)
{
    return a->nsteps == b->nsteps &&
           !memcmp(a->steps, b->steps, a->nsteps * sizeof *a->steps);
}

/* A generation that was met before means the position of then. */
static void note_generation(World *w, Slot *s)
{
    uint64_t now = weir_matcher_generation(s->matcher);
    for (uint32_t i = 0; i < s->nseen; i++)
        if (s->seen[i].generation == now) {
            expect(w, same_model(&s->seen[i].model, &s->model),
                   "a generation came back for another position");
            return;
        }
    if (s->nseen == SEEN_MAX) return;
    s->seen[s->nseen].generation = now;
    s->seen[s->nseen++].model = s->model;
}

static void expect_moved(World *w, const Slot *s, uint64_t before, bool moved)
{
    bool differs = weir_matcher_generation(s->matcher) != before;
    expect(w, differs == moved,
           moved ? "moved, but the generation did not"
                 : "did not move, but the generation did");
}

/* ---- operations ---- */

static uint32_t random_token(World *w, weir_matcher *m)
{
    int32_t row[WORDS];
    uint32_t ids[RANDOM_TOKENS_MAX], n = 0;
    if (rng_chance(&w->rng, 20)) return rng_below(&w->rng, w->vocab.count + 2);
    mask_of(w, m, row);
    for (uint32_t id = 0; id < w->vocab.count; id++)
        if ((uint32_t)row[id / 32] >> id % 32 & 1) ids[n++] = id;
    return n ? ids[rng_below(&w->rng, n)] : rng_below(&w->rng, w->vocab.count);
}

static bool bit_of(World *w, weir_matcher *m, uint32_t id)
{
    int32_t row[WORDS];
    mask_of(w, m, row);
    return id < w->vocab.count && ((uint32_t)row[id / 32] >> id % 32 & 1);
}

static void took(World *w, Slot *s, const Step *step, weir_accept got,
                 uint64_t before)
{
    expect_moved(w, s, before, got == WEIR_ACCEPTED);
    if (got == WEIR_ACCEPTED) s->model.steps[s->model.nsteps++] = *step;
}

static void op_accept(World *w, Slot *s)
{
    Step step = {.id = random_token(w, s->matcher)};
    uint64_t before = weir_matcher_generation(s->matcher);
    bool allowed = bit_of(w, s->matcher, step.id);
    bool is_end = weir_matcher_is_terminated(s->matcher);
    weir_accept got = weir_matcher_accept(s->matcher, step.id);
    expect(w,
           got == (is_end    ? WEIR_TERMINATED
                   : allowed ? WEIR_ACCEPTED
                             : WEIR_REFUSED),
           "accept is not what the mask says");
    took(w, s, &step, got, before);
}

static void op_accept_at(World *w, Slot *s)
{
    Step step = {.id = random_token(w, s->matcher)};
    uint64_t now = weir_matcher_generation(s->matcher), at = now;
    if (rng_chance(&w->rng, 40))
        at = s->nseen ? s->seen[rng_below(&w->rng, s->nseen)].generation : 0;
    weir_accept got = weir_matcher_accept_at(s->matcher, step.id, at);
    expect(w, (got == WEIR_STALE_MASK) == (at != now), "stale or not");
    took(w, s, &step, got, now);
}

static void op_accept_bytes(World *w, Slot *s)
{
    uint32_t id = random_token(w, s->matcher);
    if (id >= w->vocab.count) return;
    weir_token t = w->vocab.tokens[id];
    if (t.bytes.size > RANDOM_BYTES_MAX || !t.bytes.size) return;
    Step step = {.id = UINT32_MAX};
    step.size = 1 + rng_below(&w->rng, (uint32_t)t.bytes.size);
    memcpy(step.bytes, t.bytes.data, step.size);
    uint64_t before = weir_matcher_generation(s->matcher);
    size_t consumed = 99;
    weir_accept got = weir_matcher_accept_bytes(
        s->matcher, (weir_bytes){(char *)step.bytes, step.size}, &consumed);
    expect(w,
           got == WEIR_ACCEPTED ? consumed == step.size : consumed < step.size,
           "consumed more or less than it should");
    took(w, s, &step, got, before);
}

static void op_rollback(World *w, Slot *s)
{
    uint64_t before = weir_matcher_generation(s->matcher);
    size_t k = rng_below(&w->rng, s->model.nsteps + 2);
    weir_status got = weir_matcher_rollback(s->matcher, k);
    if (k > s->model.nsteps) {
        expect(w, got == WEIR_ROLLBACK, "went back beyond the start");
        expect_moved(w, s, before, false);
        return;
    }
    expect(w, got == WEIR_OK, "rollback fails");
    s->model.nsteps -= (uint32_t)k;
    if (k) expect_moved(w, s, before, true);
}

static void op_reset(World *w, Slot *s)
{
    uint64_t before = weir_matcher_generation(s->matcher);
    weir_matcher_reset(s->matcher);
    if (s->model.nsteps) expect_moved(w, s, before, true);
    s->model.nsteps = 0;
}

/* Another slot becomes a copy. */
static void op_fork(World *w, Slot *s)
{
    Slot *to = &w->slots[rng_below(&w->rng, SLOTS)];
    if (to == s) return;
    weir_matcher *m = weir_matcher_fork(s->matcher);
    assert_non_null(m);
    weir_matcher_free(to->matcher);
    *to = *s;
    to->matcher = m;
    note_generation(w, to);
    check_slot(w, to);
}

/* Into another slot, or one of the grammar compiled apart. */
static void op_import(World *w, Slot *s)
{
    static char state[1 << 16];
    Slot *to = &w->slots[rng_below(&w->rng, SLOTS)];
    size_t size = weir_matcher_export(s->matcher, NULL, 0);
    assert_in_range(size, 1, sizeof state);
    assert_int_equal(weir_matcher_export(s->matcher, state, size), size);
    if (rng_chance(&w->rng, 30) && to != s) {
        weir_matcher_free(to->matcher);
        to->matcher = weir_matcher_new(w->other, &w->opts, NULL);
        to->model.nsteps = to->nseen = 0;
        note_generation(w, to);
    }
    if (rng_chance(&w->rng, 20)) { /* cut: refused, without effect */
        size_t cut = rng_below(&w->rng, (uint32_t)size);
        expect(w,
               weir_matcher_import(to->matcher, (weir_bytes){state, cut}) !=
                   WEIR_OK,
               "half a state was taken");
        check_slot(w, to);
        return;
    }
    expect(w,
           weir_matcher_import(to->matcher, (weir_bytes){state, size}) ==
               WEIR_OK,
           "import fails");
    to->model = s->model;
    note_generation(w, to);
    check_slot(w, to);
}

/* ---- questions ---- */

/* Takes `step` on a replayed matcher; the mask afterwards, or none. */
static bool replay_takes(weir_matcher *m, uint32_t id)
{
    return weir_matcher_accept(m, id) == WEIR_ACCEPTED;
}

/* Draft tokens that have a chance: each is drawn after the one before. */
static void draw_drafts(World *w, const Slot *s, uint32_t *ids, uint32_t n)
{
    weir_matcher *m = fresh(w, &s->model);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = random_token(w, m);
        weir_matcher_accept(m, ids[i]);
    }
    weir_matcher_free(m);
}

static void op_validate(World *w, Slot *s)
{
    uint32_t ids[DRAFTS_MAX];
    size_t want = 0, n = rng_below(&w->rng, DRAFTS_MAX);
    draw_drafts(w, s, ids, (uint32_t)n);
    weir_matcher *m = fresh(w, &s->model);
    while (want < n && replay_takes(m, ids[want])) want++;
    weir_matcher_free(m);
    uint64_t before = weir_matcher_generation(s->matcher);
    expect(w, weir_matcher_validate(s->matcher, ids, n) == want,
           "another number of valid tokens");
    expect_moved(w, s, before, false);
}

static void op_drafts(World *w, Slot *s)
{
    uint32_t ids[DRAFTS_MAX];
    int32_t rows[DRAFTS_MAX + 1][WORDS], row[WORDS];
    size_t n = rng_below(&w->rng, DRAFTS_MAX);
    draw_drafts(w, s, ids, (uint32_t)n);
    memset(rows, 0x5A, sizeof rows);
    uint64_t before = weir_matcher_generation(s->matcher);
    size_t taken = weir_matcher_fill_drafts(s->matcher, ids, n, rows[0], WORDS);
    expect_moved(w, s, before, false);
    weir_matcher *m = fresh(w, &s->model);
    bool alive = true;
    size_t want = 0;
    for (size_t i = 0; i <= n; i++) {
        mask_of(w, m, row);
        expect(w, alive ? same_bits(w, rows[i], row) : no_bits(w, rows[i]),
               "another draft row than by replay");
        if (i < n && alive) alive = replay_takes(m, ids[i]);
        want += i < n && alive;
    }
    expect(w, taken == want, "another number of drafts");
    weir_matcher_free(m);
}

/* A node's path from the root, replayed. */
static weir_matcher *replay_node(World *w, const Slot *s, const uint32_t *ids,
                                 const uint32_t *parents, uint32_t node)
{
    if (!node) return fresh(w, &s->model);
    weir_matcher *m = replay_node(w, s, ids, parents, parents[node]);
    if (m && !replay_takes(m, ids[node])) {
        weir_matcher_free(m);
        return NULL;
    }
    return m;
}

static void op_tree(World *w, Slot *s)
{
    uint32_t ids[DRAFTS_MAX] = {0}, parents[DRAFTS_MAX] = {0};
    int32_t rows[DRAFTS_MAX][WORDS], row[WORDS];
    uint32_t n = 1 + rng_below(&w->rng, DRAFTS_MAX);
    for (uint32_t i = 1; i < n; i++) {
        parents[i] = rng_below(&w->rng, i);
        weir_matcher *m = replay_node(w, s, ids, parents, parents[i]);
        ids[i] = m ? random_token(w, m) : 0;
        weir_matcher_free(m);
    }
    memset(rows, 0x5A, sizeof rows);
    uint64_t before = weir_matcher_generation(s->matcher);
    expect(w,
           weir_matcher_fill_tree(s->matcher, ids, parents, n, rows[0],
                                  WORDS) == WEIR_OK,
           "the tree fails");
    expect_moved(w, s, before, false);
    for (uint32_t i = 0; i < n; i++) {
        weir_matcher *m = replay_node(w, s, ids, parents, i);
        if (m) mask_of(w, m, row);
        expect(w, m ? same_bits(w, rows[i], row) : no_bits(w, rows[i]),
               "another tree row than by replay");
        weir_matcher_free(m);
    }
}

/* How many of the 256 bytes can be taken; the last of them in *only. */
static int count_bytes(weir_matcher *m, char *only)
{
    int n = 0;
    for (int b = 0; b < 256; b++) {
        char byte = (char)b;
        if (weir_matcher_accept_bytes(m, (weir_bytes){&byte, 1}, NULL) !=
            WEIR_ACCEPTED)
            continue;
        weir_matcher_rollback(m, 1);
        *only = byte;
        n++;
    }
    return n;
}

/* Each forced byte is the only one that can come, where nothing may end. */
static void op_forced(World *w, Slot *s)
{
    char forced[12], only = 0;
    uint64_t before = weir_matcher_generation(s->matcher);
    size_t n = weir_matcher_forced_bytes(s->matcher, forced, sizeof forced);
    expect_moved(w, s, before, false);
    expect(w, n <= sizeof forced, "more forced bytes than fit");
    weir_matcher *m = fresh(w, &s->model);
    for (size_t i = 0; i < n; i++) {
        expect(w,
               !weir_matcher_is_completed(m) && count_bytes(m, &only) == 1 &&
                   only == forced[i],
               "a byte that is not forced");
        weir_matcher_accept_bytes(m, (weir_bytes){&forced[i], 1}, NULL);
    }
    bool is_open = n < sizeof forced && !weir_matcher_is_completed(m);
    if (is_open && !w->has_tokens)
        expect(w, count_bytes(m, &only) != 1, "a forced byte is missing");
    weir_matcher_free(m);
}

typedef struct Op {
    void (*run)(World *w, Slot *s);
    const char *name;
    uint32_t share;
} Op;

static const Op ops[] = {
    {op_accept, "accept", 40},
    {op_accept_at, "accept_at", 8},
    {op_accept_bytes, "accept_bytes", 10},
    {op_rollback, "rollback", 8},
    {op_reset, "reset", 2},
    {op_fork, "fork", 6},
    {op_import, "import", 6},
    {op_validate, "validate", 5},
    {op_drafts, "fill_drafts", 5},
    {op_tree, "fill_tree", 5},
    {op_forced, "forced_bytes", 5},
};

static const Op *random_op(World *w)
{
    uint32_t pick = rng_below(&w->rng, 100);
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        if (pick < ops[i].share) return &ops[i];
        pick -= ops[i].share;
    }
    return &ops[0];
}

/* ---- worlds ---- */

static void drive(World *w)
{
    for (int i = 0; i < SLOTS; i++) {
        w->slots[i].matcher = weir_matcher_new(w->grammar, &w->opts, NULL);
        assert_non_null(w->slots[i].matcher);
        w->slots[i].model.nsteps = w->slots[i].nseen = 0;
        note_generation(w, &w->slots[i]);
    }
    for (int i = 0; i < OPS_PER_GRAMMAR; i++) {
        Slot *s = &w->slots[rng_below(&w->rng, SLOTS)];
        const Op *op = random_op(w);
        if (s->model.nsteps == STEPS_MAX) op = &ops[4];
        w->op = op->name;
        op->run(w, s);
        note_generation(w, s);
        check_slot(w, s);
    }
    for (int i = 0; i < SLOTS; i++) weir_matcher_free(w->slots[i].matcher);
}

/* True if the seed gives a grammar with a sentence. */
static bool one_world(World *w, uint64_t seed)
{
    Alphabet alphabet;
    Ir ir;
    w->rng = (Rng){seed};
    w->seed = seed;
    random_alphabet(&w->rng, &alphabet);
    random_vocab(&w->rng, &alphabet, &w->vocab);
    w->nwords = WEIR_MASK_WORDS(w->vocab.count);
    w->opts = (weir_matcher_opts){.size = sizeof w->opts};
    w->opts.termination = (weir_termination)rng_below(&w->rng, 3);
    /* Limits are other tests' matter: ambiguous lists whose items must differ
     * can need more work than a call may do. */
    weir_limits limits = {.max_step = 4000000000};
    ir_init(&ir, &mem, &limits);
    RandomSeeds seeds = {rng_next(&w->rng), rng_next(&w->rng)};
    random_grammar(seeds, &alphabet, w->vocab.count, &ir);
    w->has_tokens = false;
    for (NodeId id = 0; id < ir.nodes.count; id++)
        w->has_tokens |= ir_node(&ir, id).kind == NODE_TOKENS;
    weir_vocab *vocab = judge_vocab(&w->vocab);
    w->grammar = judge_grammar(vocab, &ir, NULL);
    w->other = judge_grammar(vocab, &ir, NULL);
    bool exists = w->grammar && w->other;
    if (exists) drive(w);
    weir_grammar_free(w->grammar);
    weir_grammar_free(w->other);
    weir_vocab_free(vocab);
    ir_free(&ir);
    return exists;
}

static void operations_agree_with_replay(void **state)
{
    (void)state;
    uint64_t seed = env_number("WEIR_SEED", 20240609);
    uint64_t nops = case_count(60000, 4000);
    uint64_t done = 0, i = 0;
    mem = mem_from_env(NULL);
    for (; done < nops; i++)
        if (one_world(&world, seed + i)) done += OPS_PER_GRAMMAR;
    printf("seed %llu, %llu operations, %llu grammars\n",
           (unsigned long long)seed, (unsigned long long)done,
           (unsigned long long)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_agree_with_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
