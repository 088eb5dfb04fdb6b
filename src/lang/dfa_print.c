/* dfa_print.c: a Dfa as text, one state a line, for people and tests:
 *
 *     0: a-z>1 U+00E9>1
 *     1*: a-z>1
 *
 * A star marks a state where strings may end. No state: "none". Code points
 * from '!' to '~' are printed as themselves. Tests: unit/lang_test.c
 */
#include "lang/lang.h"

static void print_rune(Out *out, uint32_t rune)
{
    if (rune > 0x20 && rune < 0x7F)
        out_format(out, "%c", (char)rune);
    else
        out_format(out, "U+%04X", (unsigned)rune);
}

static void print_edge(Out *out, DfaEdge e)
{
    out_text(out, " ");
    print_rune(out, e.lo);
    if (e.hi > e.lo) {
        out_text(out, "-");
        print_rune(out, e.hi);
    }
    out_format(out, ">%u", e.to);
}

void lang_print(const Dfa *a, Out *out)
{
    if (!a->nstates) out_text(out, "none\n");
    for (uint32_t s = 0; s < a->nstates; s++) {
        out_format(out, "%u%s:", s, a->accepts[s] ? "*" : "");
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++)
            print_edge(out, a->edges[e]);
        out_text(out, "\n");
    }
}
