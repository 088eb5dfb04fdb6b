/* judge.c: the engine's answers against the oracle's.
 *
 * In:     a case (grammar, vocabulary, steps).  Out: same, or what differs.
 * Holds:  at a position the oracle is asked once for every token; the matcher
 *         is asked for its mask, by copy and by pointer, for its flags, and
 *         made to accept every token, each taken back by rollback.
 * Shrink: greedy: one edit of the grammar, one step or one token less, as
 *         long as the case still differs in the same way; each trial starts
 *         from nothing.
 * Tests:  prop/masks_vs_oracle_test.c is its user.
 */
#include "oracle/judge.h"

#include <stdarg.h>
#include <time.h>

#include "api/grammar.h"

static Verdict differs(Why *why, const char *format, ...) PRINTF_LIKE(2, 3);

static Verdict differs(Why *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    return JUDGE_DIFFERS;
}

static bool is_limit(weir_status status)
{
    return status >= WEIR_LIMIT_BYTES && status <= WEIR_LIMIT_MEMORY;
}

/* ---- steps, vocabularies, grammars ---- */

bool step_add(OracleText *text, const OracleVocab *vocab, const Step *step)
{
    return step->id == UINT32_MAX
               ? oracle_add_bytes(text, span_of(step->bytes, step->size))
               : oracle_add_token(text, vocab, step->id);
}

weir_accept step_accept(weir_matcher *matcher, const Step *step)
{
    if (step->id != UINT32_MAX) return weir_matcher_accept(matcher, step->id);
    weir_bytes bytes = {(const char *)step->bytes, step->size};
    return weir_matcher_accept_bytes(matcher, bytes, NULL);
}

bool step_stops(const Case *c, const OracleText *text, const Step *step)
{
    OracleVocab vocab = oracle_vocab(&c->vocab);
    return step->id != UINT32_MAX &&
           vocab.tokens[step->id].flags & WEIR_TOKEN_STOP &&
           oracle_complete(&c->ir, c->ir.root, &vocab, text);
}

void judge_view(Case *c)
{
    c->vocab = c->made;
    for (uint32_t id = 0; c->nstops && id < c->vocab.count; id++)
        c->vocab.tokens[id].flags &= ~(uint32_t)WEIR_TOKEN_STOP;
    for (uint32_t i = 0; i < c->nstops; i++)
        if (c->stops[i] < c->vocab.count)
            c->vocab.tokens[c->stops[i]].flags |= WEIR_TOKEN_STOP;
}

weir_matcher *judge_matcher(const Case *c, weir_grammar *grammar)
{
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = c->termination,
                              .stop_ids = c->stops,
                              .stop_count = c->nstops};
    weir_matcher *matcher = weir_matcher_new(grammar, &opts, NULL);
    assert(matcher);
    return matcher;
}

weir_vocab *judge_vocab(const RandomVocab *vocab)
{
    weir_error err;
    weir_vocab *v =
        weir_vocab_new(NULL, vocab->tokens, vocab->count, NULL, &err);
    if (!v) fprintf(stderr, "vocabulary: %s\n", err.message);
    assert(v);
    return v;
}

weir_grammar *judge_grammar(weir_vocab *vocab, const Ir *ir, weir_error *err)
{
    Mem mem = mem_from_env(NULL);
    Ir copy;
    ir_copied(ir, &copy, &mem);
    return grammar_from_ir(vocab, &copy, err);
}

Verdict judge_compiled(const Ir *ir, const RandomVocab *vocab,
                       const weir_grammar *grammar, const weir_error *err,
                       Why *why)
{
    OracleText none = {0};
    OracleVocab tokens = oracle_vocab(vocab);
    bool has_sentence = oracle_prefix(ir, ir->root, &tokens, &none);
    if (grammar && !has_sentence)
        return differs(why, "the grammar is empty and was compiled");
    if (grammar) return JUDGE_SAME;
    if (is_limit(err->status)) return JUDGE_LIMIT;
    if (err->status == WEIR_UNSUPPORTED && random_has_unique(ir))
        return JUDGE_LIMIT; /* it cannot be part of left recursion */
    if (err->status == WEIR_EMPTY && !has_sentence) return JUDGE_SAME;
    return differs(why, "compile failed: %s: %s", weir_status_name(err->status),
                   err->message);
}

/* ---- one position ---- */

typedef struct Position {
    weir_matcher *matcher;
    const Case *c;
    OracleAnswer answer;
    const bool *allowed; /* by token, end of output included */
    bool is_end;         /* terminated without a stop token */
    Why *why;
} Position;

static bool row_bit(const int32_t *row, uint32_t id)
{
    return (uint32_t)row[id / 32] >> id % 32 & 1;
}

static Verdict judge_flags(const Position *p)
{
    bool complete = weir_matcher_is_completed(p->matcher);
    bool more = weir_matcher_can_continue(p->matcher);
    bool end = weir_matcher_is_terminated(p->matcher);
    if (complete != p->answer.complete)
        return differs(p->why, "completed: oracle %d", p->answer.complete);
    if (more != p->answer.more && !p->is_end)
        return differs(p->why, "can continue: oracle %d", p->answer.more);
    if (end != p->is_end)
        return differs(p->why, "terminated: oracle %d", p->is_end);
    return JUDGE_SAME;
}

static Verdict judge_mask(const Position *p)
{
    int32_t row[WEIR_MASK_WORDS(RANDOM_TOKENS_MAX)];
    uint32_t count = p->c->vocab.count, nwords = WEIR_MASK_WORDS(count);
    bool all = true;
    memset(row, 0x55, sizeof row);
    weir_fill fill = weir_matcher_fill(p->matcher, row);
    if (fill == WEIR_FILL_ERROR) {
        weir_status status = weir_matcher_error(p->matcher);
        if (is_limit(status)) return JUDGE_LIMIT;
        return differs(p->why, "fill: %s", weir_status_name(status));
    }
    for (uint32_t id = 0; id < count; id++) {
        if (row_bit(row, id) != p->allowed[id])
            return differs(p->why, "bit of token %u: oracle %d, engine %d", id,
                           p->allowed[id], row_bit(row, id));
        if (weir_matcher_allows(p->matcher, id) != p->allowed[id]) {
            if (is_limit(weir_matcher_error(p->matcher))) return JUDGE_LIMIT;
            return differs(p->why, "allows token %u: oracle %d", id,
                           p->allowed[id]);
        }
        all &= p->allowed[id];
    }
    for (uint32_t id = count; id < nwords * 32; id++)
        if (row_bit(row, id)) return differs(p->why, "bit beyond the width");
    if ((fill == WEIR_FILL_ALL) != all)
        return differs(p->why, "fill says %s", all ? "apply" : "all");
    const int32_t *mask = weir_matcher_mask(p->matcher);
    if (!mask || memcmp(mask, row, nwords * sizeof *row))
        return differs(p->why, "the mask by pointer is another one");
    return JUDGE_SAME;
}

/* After a stop token: terminated, only stop tokens left, nothing accepted. */
static Verdict judge_stopped(const Position *p, uint32_t id)
{
    if (!weir_matcher_is_terminated(p->matcher))
        return differs(p->why, "not terminated by stop token %u", id);
    if (weir_matcher_accept(p->matcher, id) != WEIR_TERMINATED)
        return differs(p->why, "stop token %u accepted twice", id);
    return JUDGE_SAME;
}

static Verdict judge_accept(const Position *p, uint32_t id)
{
    size_t steps = weir_matcher_steps(p->matcher);
    uint64_t generation = weir_matcher_generation(p->matcher);
    weir_accept got = weir_matcher_accept(p->matcher, id);
    weir_accept want = p->is_end        ? WEIR_TERMINATED
                       : p->allowed[id] ? WEIR_ACCEPTED
                                        : WEIR_REFUSED;
    if (got == WEIR_ACCEPT_ERROR && is_limit(weir_matcher_error(p->matcher)))
        return JUDGE_LIMIT;
    if (got != want)
        return differs(p->why, "accept of token %u: %d, oracle %d", id, got,
                       want);
    if (got != WEIR_ACCEPTED) {
        if (weir_matcher_steps(p->matcher) != steps ||
            weir_matcher_generation(p->matcher) != generation)
            return differs(p->why, "token %u refused with effect", id);
        return JUDGE_SAME;
    }
    if (weir_matcher_steps(p->matcher) != steps + 1)
        return differs(p->why, "token %u accepted without a step", id);
    Verdict verdict = JUDGE_SAME;
    if (p->answer.complete && p->c->vocab.tokens[id].flags & WEIR_TOKEN_STOP)
        verdict = judge_stopped(p, id);
    if (weir_matcher_rollback(p->matcher, 1) != WEIR_OK)
        return differs(p->why, "token %u cannot be taken back", id);
    return verdict;
}

static bool ends_here(const Case *c, OracleAnswer a)
{
    if (c->termination == WEIR_TERM_STOP_TOKEN) return false;
    return a.complete &&
           (!a.more || c->termination == WEIR_TERM_FIRST_COMPLETE);
}

Verdict judge_position(weir_matcher *matcher, const Case *c,
                       const OracleText *text, bool *allowed, Why *why)
{
    OracleVocab vocab = oracle_vocab(&c->vocab);
    Position p = {matcher, c, {0}, allowed, false, why};
    p.answer = oracle_ask(&c->ir, c->ir.root, &vocab, text);
    p.is_end = ends_here(c, p.answer);
    oracle_mask(&c->ir, c->ir.root, &vocab, text, allowed);
    for (uint32_t id = 0; p.is_end && id < vocab.count; id++)
        if (!(vocab.tokens[id].flags & WEIR_TOKEN_STOP)) allowed[id] = false;
    Verdict verdict = judge_flags(&p);
    if (verdict == JUDGE_SAME) verdict = judge_mask(&p);
    for (uint32_t id = 0; id < vocab.count && verdict == JUDGE_SAME; id++)
        verdict = judge_accept(&p, id);
    if (verdict == JUDGE_SAME) verdict = judge_flags(&p);
    if (verdict == JUDGE_SAME) verdict = judge_mask(&p);
    return verdict;
}

/* ---- one case ---- */

/* Every position on the way is judged too: a smaller case fails early. */
static Verdict judge_steps(weir_matcher *matcher, const Case *c, Why *why)
{
    bool allowed[RANDOM_TOKENS_MAX];
    OracleVocab vocab = oracle_vocab(&c->vocab);
    OracleText text = {0};
    for (uint32_t i = 0;; i++) {
        Verdict v = judge_position(matcher, c, &text, allowed, why);
        if (v != JUDGE_SAME || i == c->nsteps) return v;
        OracleText next = text;
        if (step_stops(c, &text, &c->steps[i]) ||
            !step_add(&next, &vocab, &c->steps[i]))
            return JUDGE_SAME;
        bool want = oracle_prefix(&c->ir, c->ir.root, &vocab, &next);
        weir_accept got = step_accept(matcher, &c->steps[i]);
        if (got == WEIR_ACCEPT_ERROR) return JUDGE_LIMIT;
        if ((got == WEIR_ACCEPTED) != want && got != WEIR_TERMINATED)
            return differs(why, "step %u accepted %d, oracle %d", i, got, want);
        if (got == WEIR_ACCEPTED) text = next;
    }
}

Verdict judge_case(const Case *c, Why *why)
{
    weir_error err;
    weir_vocab *vocab = judge_vocab(&c->made);
    weir_grammar *grammar = judge_grammar(vocab, &c->ir, &err);
    Verdict v = judge_compiled(&c->ir, &c->made, grammar, &err, why);
    if (v == JUDGE_SAME && grammar) {
        weir_matcher *matcher = judge_matcher(c, grammar);
        v = judge_steps(matcher, c, why);
        weir_matcher_free(matcher);
    }
    weir_grammar_free(grammar);
    weir_vocab_free(vocab);
    return v;
}

/* ---- shrinking ---- */

/* Shrinking stops where it is after this much processor time. */
enum { SHRINK_SECONDS = 60 };
static clock_t shrink_end;

static bool still_differs(Case *trial, Case *best, Why *why)
{
    Why other;
    if (clock() > shrink_end) return false;
    if (judge_case(trial, &other) != JUDGE_DIFFERS) return false;
    if (strncmp(other.text, why->text, strcspn(why->text, "0123456789:")))
        return false; /* another fault */
    *best = *trial;
    *why = other;
    return true;
}

static bool shrink_steps(Case *c, Why *why)
{
    static Case trial;
    bool any = false;
    for (uint32_t i = c->nsteps; i-- > 0;) {
        trial = *c;
        memmove(trial.steps + i, trial.steps + i + 1,
                (c->nsteps - i - 1) * sizeof(Step));
        trial.nsteps--;
        any |= still_differs(&trial, c, why);
    }
    return any;
}

/* The vocabulary's stops again, if that is enough. */
static void shrink_stops(Case *c, Why *why)
{
    static Case trial;
    trial = *c;
    trial.nstops = 0;
    judge_view(&trial);
    if (c->nstops) still_differs(&trial, c, why);
}

/* A token becomes a hole, so that the others keep their ids. */
static bool shrink_tokens(Case *c, Why *why)
{
    static Case trial;
    bool any = false;
    for (uint32_t id = c->made.count; id-- > 0;) {
        bool is_last = id + 1 == c->made.count, is_used = false;
        if (c->made.tokens[id].flags & WEIR_TOKEN_HOLE && !is_last) continue;
        for (uint32_t i = 0; i < c->nsteps; i++)
            is_used |= c->steps[i].id == id;
        for (uint32_t i = 0; i < c->nstops; i++) is_used |= c->stops[i] == id;
        if (is_used) continue;
        trial = *c;
        trial.made.tokens[id] = (weir_token){{NULL, 0}, WEIR_TOKEN_HOLE};
        if (is_last && id) trial.made.count--;
        judge_view(&trial);
        any |= still_differs(&trial, c, why);
    }
    return any;
}

static uint32_t bits_of(uint32_t number)
{
    uint32_t n = 0;
    for (; number; number /= 2) n++;
    return n;
}

static uint32_t list_weight(const ListSpec *list)
{
    uint32_t weight = 2 * list->nkinds + list->nneeds;
    for (uint32_t i = 0; i < list->ncounters; i++)
        weight += bits_of(list->counters[i].lo) +
                  (list->counters[i].hi != REPEAT_INF);
    return weight;
}

/* What an edit must lower, so that shrinking ends. */
static uint32_t weight_of(const Ir *ir)
{
    uint32_t weight =
        ir->nodes.count + ir->bytes.count + ir->kids.count + ir->ranges.count;
    for (NodeId id = 0; id < ir->nodes.count; id++) {
        Node n = ir_node(ir, id);
        if (n.kind == NODE_REPEAT) weight += bits_of(n.b) + bits_of(n.c);
        if (n.kind == NODE_LIST) weight += list_weight(ir_node_list(ir, n));
    }
    for (RuleId r = 0; r < ir->rules.count; r++)
        weight += 1 + ir->rules.at[r].flags;
    return weight;
}

static bool try_edit(Case *c, Why *why, Edit edit)
{
    static Case trial;
    static Mem mem;
    mem = mem_from_env(NULL);
    trial = *c;
    ir_edited(&c->ir, &trial.ir, &mem, edit, true);
    bool smaller = weight_of(&trial.ir) < weight_of(&c->ir);
    Ir old = c->ir;
    if (smaller && still_differs(&trial, c, why)) {
        ir_free(&old);
        return true;
    }
    ir_free(&trial.ir);
    return false;
}

static bool shrink_grammar(Case *c, Why *why)
{
    bool any = try_edit(c, why, (Edit){EDIT_NONE, 0, 0}) && false;
    for (EditKind kind = EDIT_NEVER; kind < EDIT_KINDS; kind++) {
        uint32_t node = 0, arg = 0;
        while (node < c->ir.nodes.count) {
            if (arg >= edit_choices(&c->ir, kind, node)) {
                node++;
                arg = 0;
            } else if (try_edit(c, why, (Edit){kind, node, arg})) {
                any = true; /* the same place again, in the new grammar */
            } else {
                arg++;
            }
        }
    }
    return any;
}

void judge_shrink(Case *c, Why *why)
{
    bool any = true;
    shrink_end = clock() + SHRINK_SECONDS * CLOCKS_PER_SEC;
    for (int round = 0; any && round < 20; round++) {
        shrink_stops(c, why);
        any = shrink_steps(c, why);
        any |= shrink_grammar(c, why);
        any |= shrink_tokens(c, why);
    }
}

/* ---- printing ---- */

static void print_bytes(FILE *out, const void *bytes, size_t size)
{
    char text[256];
    Out o = {text, sizeof text, 0};
    out_quoted(&o, span_of(bytes, size));
    fprintf(out, "%.*s", (int)MIN(o.size, sizeof text), text);
}

static void print_vocab(FILE *out, const RandomVocab *vocab)
{
    for (uint32_t id = 0; id < vocab->count; id++) {
        weir_token t = vocab->tokens[id];
        if (t.flags & WEIR_TOKEN_HOLE) continue;
        fprintf(out, "  %u ", id);
        print_bytes(out, t.bytes.data, t.bytes.size);
        if (t.flags & WEIR_TOKEN_CONTROL) fprintf(out, " control");
        if (t.flags & WEIR_TOKEN_STOP) fprintf(out, " stop");
        fprintf(out, "\n");
    }
}

void judge_print(const Case *c, const Why *why, FILE *out)
{
    static char text[1 << 16];
    Out o = {text, sizeof text, 0};
    ir_print(&c->ir, &o);
    fprintf(out, "grammar\n%.*stermination %d\nvocabulary of %u\n",
            (int)MIN(o.size, sizeof text), text, c->termination,
            c->vocab.count);
    print_vocab(out, &c->made);
    for (uint32_t i = 0; i < c->nstops; i++)
        fprintf(out, "%s %u", i ? "" : "stops", c->stops[i]);
    if (c->nstops) fprintf(out, "\n");
    fprintf(out, "prefix");
    for (uint32_t i = 0; i < c->nsteps; i++) {
        const Step *s = &c->steps[i];
        if (s->id == UINT32_MAX) {
            fprintf(out, " ");
            print_bytes(out, s->bytes, s->size);
        } else {
            fprintf(out, " %u", s->id);
        }
    }
    fprintf(out, "\ndiffers: %s\n", why->text);
}
