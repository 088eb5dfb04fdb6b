/* loop_test.c: which characters a state loops over, with sets written by hand.
 *
 * A loop is shown as its units, then " | ", then its exits, as first bytes in
 * hexadecimal, ranges by "-"; after them what else is true of it.
 */
#include "unit/small_grammar.h"

#include "api/objects.h"
#include "mask/loop.h"

typedef struct LoopCase {
    const char *grammar, *after, *loop;
} LoopCase;

#define LEADS "c2-f4"
/* clang-format off */
static const LoopCase cases[] = {
    /* a string, and what may be in it besides */
    {"root ::= \"<\" [^\"\\\\]* \"\\\"\"", "<",
     "0-21 23-5b 5d-7f " LEADS " | 22"},
    {"root ::= \"<\" ([^\"\\\\] | \"\\\\\" [nt])* \"\\\"\"", "<a",
     "0-21 23-5b 5d-7f " LEADS " | 22 5c"},
    /* before the first character, and between groups of them */
    {"root ::= [a-z]+ (\"-\" [a-z0-9]+)* \".\"", "", "61-7a | 2d-2e"},
    {"root ::= [a-z]+ (\"-\" [a-z0-9]+)* \".\"", "a-", "30-39 61-7a | 2d-2e"},
    {"root ::= [a-z_] [a-z0-9_]* \".\"", "",
     "5f 61-7a then 30-39 5f 61-7a | 2e"},
    /* a name told from all others */
    {"root ::= \"on\" \"!\" | ([a-np-z] | \"o\" [a-mo-z]) [a-z]* \".\"", "",
     "61-6e 70-7a then 61-7a | 2e"},
    /* states that lead to one another are one loop */
    {"root ::= [a-z ]* \"foo\" [a-z ]* \".\"", "xf", "20 61-7a | 2e"},
    {"root ::= [a-z ]* \"foo\" [a-z ]* \".\"", "foo", "20 61-7a | 2e"},
    {"root ::= \"(\" ([a-m] [n-z])* \")\"", "(", "|"},
    /* lead bytes all of whose characters are read, and others */
    {"root ::= [^.\\u2028\\u0080]* \".\"", "x", "0-2d 2f-7f c3-e1 e3-f4 | 2e c2 e2"},
    {"root ::= [a-z\\u0100-\\u013F]* \".\"", "x", "61-7a c4 | 2e"},
    {"root ::= [a-z\\u0100-\\u013E]* \".\"", "x", "61-7a | 2e c4"},
    {"root ::= [a-z\\u0800-\\u0FFF]* \".\"", "x", "61-7a e0 | 2e"},
    {"root ::= [a-z\\uD000-\\uDFFF]* \".\"", "x", "61-7a ed | 2e"},
    {"root ::= [a-z\\U00010000-\\U0003FFFF]* \".\"", "x", "61-7a f0 | 2e"},
    {"root ::= [a-z\\U00100000-\\U0010FFFF]* \".\"", "x", "61-7a f4 | 2e"},
    /* within a character nothing is one */
    {"root ::= [^.]* \".\"", "x\xE4", "|"},
    /* a frame of its own that may end anywhere */
    {"root ::= Name \"(\"\nName ::= [a-z]+", "a", "61-7a | returns"},
    {"root ::= Name \"(\"\nName ::= [a-z]+", "", "|"}, /* by a call */
    /* copies: each character is one, or none ends */
    {"root ::= \"<\" [a-z]{3,700} \">\"", "<ab", "61-7a | returns counts"},
    {"root ::= \"<\" ([a-z]+ \";\"){3,700} \">\"", "<ab", "61-7a | 3b"},
    {"root ::= \"<\" ([a-z] | \"\\\\n\"){3,700} \">\"", "<ab",
     "61-7a | 5c returns counts"},
    {"root ::= \"<\" ([a-m] | [n-z] [a-m]){3,700} \">\"", "<ab",
     "61-6d | 6e-7a returns counts"},
    /* a state further each, as far as is looked; not into a final one */
    {"root ::= \"<\" [a-z]{30} \">\"", "<ab", "61-7a | upto 20"},
    {"root ::= \"<\" [a-z]{9} \">\"", "<a", "61-7a | 3e upto 8"},
    {"root ::= \"<\" [a-z]{3,9} \">\"", "<a", "61-7a | 3e upto 8"},
    {"root ::= \"<\" [a-z]{5} \">\"", "<ab", "61-7a | 3e upto 3"},
    {"root ::= \"<\" [a-z]{5} \">\"", "<abcd", "|"},
    {"root ::= \"<\" [a-z]{5} [x0]* \">\"", "<ab", "|"},
    {"root ::= Name \"(\"\nName ::= [a-z]{1,9}", "a", "61-7a | returns upto 7"},
    /* two states at each length: whether there was a digit */
    {"root ::= \"<\" Regex(\"(?=[a-z]*[0-9])[a-z0-9]{12}\") \">\"", "<a",
     "30-39 61-7a | upto 10"},
    /* too few to be of use */
    {"root ::= [a-g]* \".\"", "a", "|"},
};
/* clang-format on */

static void show_set(const ByteSet *set, Out *out)
{
    for (unsigned b = 0; b < 256; b++) {
        unsigned end = b;
        if (!byteset_has(set, (uint8_t)b)) continue;
        while (end < 255 && byteset_has(set, (uint8_t)(end + 1))) end++;
        out_format(out, end > b ? "%x-%x " : "%x ", b, end);
        b = end;
    }
}

static void check_case(const LoopCase *c)
{
    Mem mem = mem_from_env(NULL);
    LoopTable *table = NULL;
    weir_grammar *g = small_grammar(NULL, &mem, c->grammar, NULL);
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    char text[200];
    Out out = {text, sizeof text, 0};
    assert_int_equal(weir_matcher_accept_bytes(m, small_bytes(c->after), NULL),
                     WEIR_ACCEPTED);
    assert_int_equal(m->track.now.list.count, 1);
    const Loop *loop = loop_of(&table, &mem, m->track.now.list.at[0].q);
    assert_ptr_equal(loop_of(&table, &mem, m->track.now.list.at[0].q), loop);
    if (loop->is_any) show_set(&loop->first, &out);
    if (loop->is_any && memcmp(&loop->first, &loop->units, sizeof(ByteSet))) {
        out_text(&out, "then ");
        show_set(&loop->units, &out);
    }
    out_text(&out, "|");
    if (loop->is_any) {
        out_text(&out, " ");
        show_set(&loop->exits, &out);
    }
    if (loop->may_return) out_text(&out, "returns ");
    if (loop->counts && loop->is_any) out_text(&out, "counts ");
    if (loop->is_any && loop->height != ANY_HEIGHT)
        out_format(&out, "upto %u ", loop->height);
    assert_true(out.size < sizeof text);
    text[out.size - (text[out.size - 1] == ' ')] = 0;
    if (strcmp(text, c->loop))
        fail_msg("%s after '%s':\n  %s, expected\n  %s", c->grammar, c->after,
                 text, c->loop);
    loops_free(table, &mem);
    weir_matcher_free(m);
    weir_grammar_free(g);
}

static void loops_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) check_case(&cases[i]);
}

/* A group counts as in when all its bytes are units, as out when one exits. */
static void groups_of_bytes(void **state)
{
    (void)state;
    Mem mem = mem_from_env(NULL);
    LoopTable *table = NULL;
    weir_grammar *g = small_grammar(
        NULL, &mem, "root ::= [A-Fa-y\\u0080-\\u00FF]* ([z.] | [\\u4e00])",
        NULL);
    const Loop *loop = loop_of(&table, &mem, g->start.list.at[0].q);
    for (unsigned b = 0; b < 256; b++) {
        uint64_t group = (uint64_t)1 << trie_group[b];
        bool in = (b >= 'A' && b <= 'F') || (b >= 'a' && b <= 'f') ||
                  b == 0xC2 || b == 0xC3;
        bool out =
            b == '.' || (b >= 'g' && b <= 'z') || (b >= 0xE4 && b <= 0xE9);
        assert_int_equal((loop->in & group) != 0, in);
        assert_int_equal((loop->out & group) != 0, out);
        assert_int_equal((loop->other & group) != 0, out); /* what q takes */
    }
    loops_free(table, &mem);
    weir_grammar_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_by_hand),
        cmocka_unit_test(groups_of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
