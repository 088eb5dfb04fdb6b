/* network_print_test.c: the network as text, frames that grammars share, and
 * the limits of building. Texts and state numbers are worked out by hand: a
 * state is numbered when it is made, and a callee's start before its caller.
 */
#include "unit/small_network.h"

/* ---- sharing ---- */

typedef struct ShareCase {
    const char *grammar, *after;
    bool is_shared; /* the frame in which that leads */
} ShareCase;

/* clang-format off */
#define PUBLISHED "root ::= S_list | S_pair\n" \
                  "S_list ::= \"[\" S_list? \"]\"\n" \
                  "S_pair ::= \"(\" S_item \")\"\nS_item ::= \"i\""
static const ShareCase shares[] = {
    {"root ::= \"x\" S_list\nS_list ::= \"[\" S_list? \"]\"", "x[", true},
    /* names do not matter, what all rules reached say does */
    {"root ::= \"x\" S_rows\nS_rows ::= \"[\" S_rows? \"]\"", "x[", true},
    {"root ::= \"x\" S_list\nS_list ::= \"[\" S_list? \")\"", "x[", false},
    {"root ::= \"x\" S_list\nS_list ::= \"[\" S_list \"]\" | \"[]\"", "x[",
     false},
    {"root ::= S_pair\nS_pair ::= \"(\" S_i \")\"\nS_i ::= \"i\"", "(", true},
    {"root ::= S_pair\nS_pair ::= \"(\" S_i \")\"\nS_i ::= \"j\"", "(", false},
    /* without the flag */
    {"root ::= \"x\" List\nList ::= \"[\" List? \"]\"", "x[", false},
};
/* clang-format on */

static void equal_shared_rules_share_frames(void **state)
{
    (void)state;
    Net shared;
    net_open(&shared, PUBLISHED, NULL);
    for (size_t i = 0; i < COUNT_OF(shares); i++) {
        Net n;
        net_open(&n, shares[i].grammar, &shared.net);
        State *q = net_state(&n, shares[i].after);
        bool is_shared = q->frame->network == &shared.net;
        assert_int_equal(is_shared, shares[i].is_shared);
        net_close(&n);
    }
    net_close(&shared);
}

/* Two grammars meet the very same states. */
static void shared_states_are_learnt_once(void **state)
{
    (void)state;
    Net shared, a, b;
    uint32_t frames, made, now;
    size_t nbytes;
    net_open(&shared, PUBLISHED, NULL);
    net_open(&a, shares[0].grammar, &shared.net);
    net_open(&b, shares[1].grammar, &shared.net);
    State *q = net_state(&a, "x[[]");
    network_count(&shared.net, &frames, &made, &nbytes);
    assert_ptr_equal(net_state(&b, "x[[]"), q);
    network_count(&shared.net, &frames, &now, &nbytes);
    assert_int_equal(now, made);
    net_close(&a);
    net_close(&b);
    net_close(&shared);
}

/* ---- bounded languages ---- */

/* "x" a(ba)* ";", of at most four letters. */
static void bounded_frames_say_what_they_need(void **state)
{
    (void)state;
    Net n = {.mem = mem_from_env(NULL)};
    char text[1024];
    Out out = {text, sizeof text, 0};
    const Dfa dfa = {2, (const uint32_t[]){0, 1, 2},
                     (const DfaEdge[]){{'a', 'a', 1}, {'b', 'b', 0}},
                     (const uint8_t[]){0, 1}};
    ir_init(&n.ir, &n.mem, NULL);
    n.ir.root = ir_rule_new(&n.ir, SPAN("root"), 0);
    NodeId kids[] = {ir_bytes(&n.ir, SPAN("x")),
                     ir_regular_bounded(&n.ir, &dfa, NULL, 4),
                     ir_bytes(&n.ir, SPAN(";"))};
    ir_rule_set(&n.ir, n.ir.root, ir_seq(&n.ir, kids, 3));
    net_open_ir(&n, NULL);
    net_read(&n, "xaba");
    network_print(&n.net, &out);
    expect_out(&out, "frame 0 = root\n"
                     "  state 0\n"
                     "    'x' -> 2\n"
                     "  state 2\n"
                     "    call frame 1\n"
                     "    'a' -> push 4 then 3 =1\n"
                     "  state 4\n"
                     "frame 1 {1,4} = bounded(4; 0 [a]>1; 1! [b]>0)\n"
                     "  state 1 needs 1\n"
                     "    'a' -> 3 +1\n"
                     "  state 3 return\n"
                     "    'b' -> 1 +1\n");
    net_close(&n);
}

/* ---- limits ---- */

static void expect_limit(const char *source, const weir_limits *limits,
                         const char *text, weir_status status)
{
    Mem mem = mem_from_env(NULL);
    Ir ir;
    Lowered lowered;
    Network net;
    weir_error err;
    small_ir(&ir, &mem, source, limits);
    assert_true(lower_run(&ir, NULL, &lowered));
    assert_true(network_init(&net, &ir, &lowered, NULL, &err));
    State *q = network_start(&net);
    for (; q && *text; text++) {
        uintptr_t cell = state_next(q, (uint8_t)*text);
        if (!cell) assert_int_equal(state_next(q, (uint8_t)*text), 0);
        assert_true(!cell || CELL_IS_STATE(cell));
        q = cell ? cell_state(cell) : NULL;
    }
    if (status) {
        assert_null(q);
        assert_int_equal(network_error(&net).status, status);
    } else {
        assert_non_null(q);
    }
    network_free(&net);
    ir_free(&ir);
}

static void states_are_limited(void **state)
{
    (void)state;
    weir_limits three = {.max_states = 3}, two = {.max_states = 2};
    expect_limit("root ::= \"abc\"", &three, "ab", WEIR_OK);
    expect_limit("root ::= \"abc\"", &two, "a", WEIR_OK);
    expect_limit("root ::= \"abc\"", &two, "ab", WEIR_LIMIT_STATES);
    /* 16 positions a state: entry, exit, and one between two bytes */
    expect_limit("root ::= \"0123456789abcdef0123456789abcde\"", &two, "",
                 WEIR_OK);
    expect_limit("root ::= \"0123456789abcdef0123456789abcdef\"", &two, "",
                 WEIR_LIMIT_STATES);
}

/* root and R0 to R1998 make 2,000 rules that begin with one another. */
static void left_depth_is_limited(void **state)
{
    (void)state;
    static char text[2100 * 24];
    for (unsigned n = 1999; n <= 2000; n++) {
        Out out = {text, sizeof text, 0};
        out_text(&out, "root ::= R0");
        for (unsigned i = 0; i + 1 < n; i++)
            out_format(&out, "\nR%u ::= R%u \"x\"", i, i + 1);
        out_format(&out, "\nR%u ::= \"r\"", n - 1);
        assert_true(out.size < out.cap);
        text[out.size] = 0;
        expect_limit(text, NULL, "", n < 2000 ? WEIR_OK : WEIR_LIMIT_DEPTH);
    }
}

/* ---- as text ---- */

/* Twice: printing makes nothing. */
static void expect_print(Net *n, const char *expected)
{
    char text[2048];
    for (int twice = 0; twice < 2; twice++) {
        Out out = {text, sizeof text, 0};
        network_print(&n->net, &out);
        expect_out(&out, expected);
    }
    char few[8];
    Out out = {few, sizeof few, 0};
    network_print(&n->net, &out);
    assert_int_equal(out.size, strlen(expected));
}

static void prints_calls(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= \"<\" Item \">\"\nItem ::= \"a\" Item? \"b\"", NULL);
    net_read(&n, "<aabb>");
    expect_print(&n, "frame 0 = root\n"
                     "  state 0\n"
                     "    '<' -> 2\n"
                     "  state 2\n"
                     "    call frame 1\n"
                     "    'a' -> push 4 then 3\n"
                     "  state 4\n"
                     "    '>' -> 7\n"
                     "  state 7 return only\n"
                     "frame 1 = Item\n"
                     "  state 1\n"
                     "    'a' -> 3\n"
                     "  state 3\n"
                     "    call frame 1\n"
                     "    'a' -> push 5 then 3\n"
                     "    'b' -> 6\n"
                     "  state 5\n"
                     "    'b' -> 6\n"
                     "  state 6 return only\n");
    net_close(&n);
}

static void prints_registers(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= [a-z]{3,100}", NULL);
    net_read(&n, "ab");
    expect_print(&n, "frame 0 = root\n"
                     "  state 1\n"
                     "    call frame 1\n"
                     "    'a' -> 0 =1\n"
                     "  state 2 return only\n"
                     "frame 1 {3,100} = [a-z]{3,100}\n"
                     "  state 0 loop return\n"
                     "    'a'-'z' -> 0 +1\n");
    net_close(&n);
}

static void prints_tokens(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= \"!\" Token(7) | ([a-z]+ \",\"?){2,50}", NULL);
    net_read(&n, "a,");
    assert_non_null(state_tokens(net_state(&n, "!")));
    expect_print(&n, "frame 0 = root\n"
                     "  state 2\n"
                     "    call frame 1\n"
                     "    '!' -> 6\n"
                     "    'a' -> push 1 =1 then 3\n"
                     "  state 4 return only\n"
                     "  state 6\n"
                     "    tokens(7) -> 4\n"
                     "frame 1 {2,50} = ([a-z]+ \",\"?){2,50}\n"
                     "  state 1 loop return\n"
                     "    call frame 2\n"
                     "    'a' -> push 1 +1 then 3\n"
                     "frame 2 = [a-z]+ \",\"?\n"
                     "  state 0\n"
                     "    'a'-'z' -> 3\n"
                     "  state 3 return\n"
                     "    ',' -> 5\n"
                     "  state 5 return only\n");
    net_close(&n);
}

static void prints_shared(void **state)
{
    (void)state;
    Net shared, n;
    net_open(&shared, "root ::= S_list\nS_list ::= \"[\" S_list? \"]\"", NULL);
    net_open(&n, shares[1].grammar, &shared.net);
    net_read(&n, "x[");
    /* frames stand in the order in which the reading meets them */
    expect_print(&n, "frame 0 = root\n"
                     "  state 0\n"
                     "    'x' -> 1\n"
                     "  state 1\n"
                     "    call shared frame 0\n"
                     "    '[' -> shared 1\n"
                     "  state 2 return only\n"
                     "shared frame 0 = S_rows\n");
    net_close(&n);
    net_close(&shared);
}

/* A rule with a budget leaves a marker on the stack. */
static void prints_markers(void **state)
{
    (void)state;
    Net n;
    net_open(&n, "root ::= a \"x\"\na[max_tokens=3] ::= [a-z]+", NULL);
    net_read(&n, "b");
    expect_print(&n, "frame 0 = root\n"
                     "  state 1\n"
                     "    call frame 1\n"
                     "    'b' -> push 3 then push 4 within 3 then 2\n"
                     "  state 3\n"
                     "frame 1 = a\n"
                     "  state 0\n"
                     "    'a'-'z' -> 2\n"
                     "  state 2 return\n"
                     "  state 4 marker return only\n");
    net_close(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounded_frames_say_what_they_need),
        cmocka_unit_test(equal_shared_rules_share_frames),
        cmocka_unit_test(shared_states_are_learnt_once),
        cmocka_unit_test(states_are_limited),
        cmocka_unit_test(left_depth_is_limited),
        cmocka_unit_test(prints_calls),
        cmocka_unit_test(prints_registers),
        cmocka_unit_test(prints_tokens),
        cmocka_unit_test(prints_shared),
        cmocka_unit_test(prints_markers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
