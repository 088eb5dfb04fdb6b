/* network_test.c: frames, states, registers and steps of hand-made grammars.
 *
 * What a byte does is written by hand from network.h's equations, as
 *
 *     push FRAME[ reg] then FRAME[ loop][ return][ only][ reg]
 *
 * where FRAME is the expression that the frame was made for and reg `+n` or
 * `=n`, in counted frames alone.
 */
#include "unit/small_network.h"

#include <stdlib.h>

/* ---- moves as text ---- */

static void show_place(const State *q, RegOp op, Out *out)
{
    ir_print_node(q->frame->network->ir, q->frame->node, out);
    if (q->is_loop) out_text(out, " loop");
    if (q->accepts) out_text(out, " return");
    if (q->is_final) out_text(out, " only");
    if (q->frame->is_counted && (!op.adds || op.reg))
        out_format(out, op.adds ? " +%u" : " =%u", op.reg);
}

static void show_move(const Move *m, Out *out)
{
    if (out->size) out_text(out, " or ");
    for (uint32_t i = 0; i < m->npush; i++) {
        out_text(out, "push ");
        show_place(m->push[i].state, m->push[i].op, out);
        out_text(out, " then ");
    }
    show_place(m->to, m->op, out);
}

static void show_byte(State *q, uint8_t byte, Out *out)
{
    uintptr_t cell = state_next(q, byte);
    assert_true(cell);
    assert_true(state_next(q, byte) == cell);
    if (CELL_IS_STATE(cell)) {
        show_place(cell_state(cell), (RegOp){.adds = true}, out);
        return;
    }
    if (!cell_step(cell)->count) out_text(out, "nothing");
    for (uint32_t i = 0; i < cell_step(cell)->count; i++)
        show_move(&cell_step(cell)->at[i], out);
}

typedef struct StepCase {
    const char *grammar, *after;
    char byte;
    const char *moves;
} StepCase;

/* clang-format off */
#define NEST "root ::= \"<\" Item \">\"\nItem ::= \"a\" Item? \"b\""
#define TAIL "root ::= \"<\" Item\nItem ::= \"a\" Item | \"b\""
#define HELD "root ::= ([a-c] [0-9]){3,100} \".\""
#define CALLS "root ::= ([a-z]+ \",\"?){2,50}"
#define FORK "root ::= A \"x\" | B \"y\"\nA ::= \"a\"\nB ::= [ab]"
#define DEEP "root ::= A \"!\"\nA ::= B \"?\"\nB ::= \"b\" B \"c\" | \"d\""
static const StepCase steps[] = {
    /* bytes */
    {"root ::= \"ab\"", "", 'a', "root"},
    {"root ::= \"ab\"", "", 'b', "nothing"},
    {"root ::= \"ab\"", "a", 'b', "root return only"},
    {"root ::= \"ab\"?", "", 'a', "root"},
    {"root ::= [ab]+", "", 'a', "root return"},
    {"root ::= \"ab\" | \"ac\"", "", 'a', "root"},
    {"root ::= \"a\" | \"ac\"", "", 'a', "root return"},
    {"root ::= [^a]", "", '\xE2', "root"},
    {"root ::= [^a]", "\xE2\x82", '\xAC', "root return only"},
    /* calls: the callee's first byte is taken, the way back is pushed */
    {NEST, "<", 'a', "push root then Item"},
    {NEST, "<", '>', "nothing"},
    {NEST, "<a", 'a', "push Item then Item"},
    {NEST, "<a", 'b', "Item return only"},
    {NEST, "<ab", '>', "root return only"},
    {DEEP, "", 'b', "push root then push A then B"},
    /* a callee that ends at once pops what it has just pushed */
    {DEEP, "", 'd', "push root then A"},
    {DEEP, "d", '?', "A return only"},
    {DEEP, "b", 'd', "B"},
    /* tail calls push nothing */
    {TAIL, "<", 'a', "Item"},
    {TAIL, "<", 'b', "Item return only"},
    {TAIL, "<aa", 'a', "Item"},
    /* two readings */
    {FORK, "", 'a', "root or root"},
    {FORK, "", 'b', "root"},
    /* a counted frame that holds its operand */
    {HELD, "", 'a', "push root then ([a-c] [0-9]){3,100} =0"},
    {HELD, "a", '0', "([a-c] [0-9]){3,100} loop return +1"},
    {HELD, "a0", 'b', "([a-c] [0-9]){3,100}"},
    {HELD, "a0", '.', "nothing"},
    {"root ::= [a-z]{3,100}", "", 'q', "[a-z]{3,100} loop return =1"},
    {"root ::= [a-z]{0,100}", "", 'q', "[a-z]{1,100} loop return =1"},
    {"root ::= [a-z]{99}", "q", 'q', "[a-z]{99} loop return +1"},
    {"root ::= [a-z]{70,}", "q", 'q', "[a-z]{70,} loop return +1"},
    /* 64 positions are still written out as copies */
    {"root ::= [a-z]{64}", "q", 'q', "root"},
    {"root ::= [a-z]{2,}", "q", 'q', "root return"},
    /* one that calls it: an operand where a copy ends is not certain */
    {CALLS, "", 'a',
     "push ([a-z]+ \",\"?){2,50} loop return =1 then [a-z]+ \",\"? return"},
    {CALLS, "a", 'b', "[a-z]+ \",\"? return"},
    {CALLS, "a", ',', "[a-z]+ \",\"? return only"},
    {CALLS, "a,", 'b',
     "push ([a-z]+ \",\"?){2,50} loop return +1 then [a-z]+ \",\"? return"},
};
/* clang-format on */

static void bytes_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        const StepCase *c = &steps[i];
        Net n;
        char text[512];
        Out out = {text, sizeof text, 0};
        net_open(&n, c->grammar, NULL);
        show_byte(net_state(&n, c->after), (uint8_t)c->byte, &out);
        expect_out(&out, c->moves);
        net_close(&n);
    }
}

/* ---- states ---- */

/* U+00E9 to U+00FF is C3 A9-BF: borders at A9, C0, C3 and C4. */
static void classes_are_runs_between_borders(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= [\\u00e9-\\u00ff]", NULL);
    State *q = net_state(&n, "");
    static const struct {
        uint8_t lo, hi;
    } runs[] = {
        {0, 0xA8}, {0xA9, 0xBF}, {0xC0, 0xC2}, {0xC3, 0xC3}, {0xC4, 0xFF}};
    assert_int_equal(q->nnext, COUNT_OF(runs));
    for (unsigned i = 0; i < COUNT_OF(runs); i++)
        for (unsigned b = runs[i].lo; b <= runs[i].hi; b++) {
            assert_int_equal(q->map[b], i);
            assert_int_equal(byteset_has(&q->first, (uint8_t)b), i == 3);
        }
    net_close(&n);
}

static void calls_rank_the_bytes_taken(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= A Token(1)\nA ::= \"x\" A | \"y\"", NULL);
    State *q = net_state(&n, "");
    assert_int_equal(q->nnext, 3);
    assert_int_equal(q->map['w'], 0);
    assert_int_equal(q->map['x'], 1);
    assert_int_equal(q->map['y'], 2);
    net_close(&n);
}

/* One byte more than can be ranked beside cell 0, which no byte needs then. */
static void calls_take_all_bytes(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    Ir ir;
    Lowered lowered;
    Network net;
    weir_error err;
    NodeId byte[256];
    ir_init(&ir, &mem, NULL);
    RuleId any = ir_rule_new(&ir, SPAN("any"), RULE_FRAME);
    ir.root = ir_rule_new(&ir, SPAN("root"), 0);
    for (unsigned b = 0; b < 256; b++)
        byte[b] = ir_bytes(&ir, span_of(&(uint8_t){(uint8_t)b}, 1));
    ir_rule_set(&ir, any, ir_alt(&ir, byte, 256));
    ir_rule_set(&ir, ir.root, ir_seq2(&ir, ir_ref(&ir, any), byte['!']));
    assert_true(lower_run(&ir, NULL, &lowered));
    assert_true(network_init(&net, &ir, &lowered, NULL, &err));
    State *q = network_start(&net);
    assert_int_equal(q->ncalls, 1);
    assert_int_equal(q->nnext, 256);
    for (unsigned b = 0; b < 256; b++) {
        char text[64];
        Out out = {text, sizeof text, 0};
        assert_true(byteset_has(&q->first, (uint8_t)b));
        show_byte(q, (uint8_t)b, &out);
        expect_out(&out, "root");
    }
    network_free(&net);
    ir_free(&ir);
}

static void equal_subsets_are_one_state(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= (\"ab\" | \"ba\")+ \"!\"", NULL);
    State *after = net_state(&n, "ab");
    assert_ptr_equal(net_state(&n, "abab"), after);
    assert_ptr_equal(net_state(&n, "baba"), net_state(&n, "ba"));
    /* not the start: nothing was read there yet, so "!" cannot come */
    assert_ptr_not_equal(after, net_state(&n, ""));
    uint32_t frames, made, now;
    size_t nbytes;
    network_count(&n.net, &frames, &made, &nbytes);
    net_state(&n, "abbaabba");
    network_count(&n.net, &frames, &now, &nbytes);
    assert_int_equal(frames, 1);
    assert_int_equal(now, made);
    net_close(&n);
}

/* The loop state stands between copies only, whatever its positions. */
static void loop_state_is_no_twin(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= (\"a\"* \"b\"){3,100}", NULL);
    net_read(&n, "b");
    State *loop = n.set.list.at[0].q;
    assert_true(loop->is_loop);
    State *inside = net_state(&n, "ba");
    assert_false(inside->is_loop);
    assert_false(inside->accepts);
    assert_ptr_equal(net_state(&n, "baa"), inside);
    assert_ptr_equal(net_state(&n, "baab"), loop);
    net_close(&n);
}

/* ---- registers ---- */

typedef struct RegCase {
    const char *grammar;
    uint32_t reg; /* with which the loop state is asked */
    bool accepts, done;
    uint32_t after; /* after one more copy */
} RegCase;

enum { NOT_ASKED = 1000 };

static const RegCase registers[] = {
    {"root ::= [a-z]{3,100}", 1, false, false, 2},
    {"root ::= [a-z]{3,100}", 3, true, false, 4},
    {"root ::= [a-z]{3,100}", 99, true, false, 100},
    {"root ::= [a-z]{3,100}", 100, true, true, NOT_ASKED},
    /* no maximum: the minimum reached, counting stops */
    {"root ::= [a-z]{80,}", 79, false, false, 80},
    {"root ::= [a-z]{80,}", 80, true, false, 80},
    /* no copy at all is the root's affair: one is the least */
    {"root ::= [a-z]{0,100}", 0, false, false, 1},
};

static void registers_count_and_stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(registers); i++) {
        const RegCase *c = &registers[i];
        Net n;
        net_open(&n, c->grammar, NULL);
        State *q = net_state(&n, "a");
        assert_true(q->is_loop);
        assert_int_equal(state_accepts(q, c->reg), c->accepts);
        assert_int_equal(state_is_done(q, c->reg), c->done);
        if (c->after != NOT_ASKED)
            assert_int_equal(
                reg_apply((RegOp){.reg = 1, .adds = true}, c->reg, q),
                c->after);
        assert_int_equal(reg_apply((RegOp){.reg = c->reg}, 7, q), c->reg);
        net_close(&n);
    }
}

/* ---- token edges ---- */

typedef struct TokenCase {
    const char *grammar, *after, *moves;
} TokenCase;

/* clang-format off */
static const TokenCase tokens[] = {
    {"root ::= \"a\" Token(5)", "", ""},
    {"root ::= \"a\" Token(5)", "a", "tokens(5): root return only"},
    {"root ::= Token(5, 3, 4) \"a\"", "", "tokens(3-5): root"},
    /* one set: one move; two sets: two, although both have 5 */
    {"root ::= Token(5) \"a\" | Token(5) \"b\"", "", "tokens(5): root"},
    {"root ::= Token(5) \"ab\" | Token(5, 6) \"b\"", "",
     "tokens(5): root, tokens(5-6): root"},
    /* through calls */
    {"root ::= A \"x\"\nA ::= Token(5) A | Token(6)", "",
     "tokens(5): push root then A, tokens(6): root"},
    {"root ::= A\nA ::= Token(5) A | Token(6)", "",
     "tokens(5): A, tokens(6): A return only"},
    /* in counted frames */
    {"root ::= ([a-c] Token(1)){3,100}", "a",
     "tokens(1): [a-c] tokens(1) return only"},
};
/* clang-format on */

static int set_order(const void *x, const void *y)
{
    const TokenMove *a = x, *b = y;
    const Ir *ir = a->network->ir;
    return ir_order(ir, a->set, b->set);
}

static void tokens_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(tokens); i++) {
        Net n;
        char text[512];
        TokenMove sorted[4];
        Out out = {text, sizeof text, 0};
        net_open(&n, tokens[i].grammar, NULL);
        State *q = net_state(&n, tokens[i].after);
        const TokenMoves *moves = state_tokens(q);
        assert_int_equal(q->has_tokens, moves->count > 0);
        assert_true(moves->count <= COUNT_OF(sorted));
        memcpy(sorted, moves->at, moves->count * sizeof *sorted);
        qsort(sorted, moves->count, sizeof *sorted, set_order);
        for (uint32_t k = 0; k < moves->count; k++) {
            Out move = {text + out.size, sizeof text - out.size, 0};
            if (k) out_text(&move, ", ");
            ir_print_node(&n.ir, sorted[k].set, &move);
            out_text(&move, ": ");
            out.size += move.size;
            move = (Out){text + out.size, sizeof text - out.size, 0};
            show_move(&sorted[k].move, &move);
            out.size += move.size;
        }
        expect_out(&out, tokens[i].moves);
        net_close(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_move),
        cmocka_unit_test(classes_are_runs_between_borders),
        cmocka_unit_test(calls_rank_the_bytes_taken),
        cmocka_unit_test(calls_take_all_bytes),
        cmocka_unit_test(equal_subsets_are_one_state),
        cmocka_unit_test(loop_state_is_no_twin),
        cmocka_unit_test(registers_count_and_stop),
        cmocka_unit_test(tokens_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
