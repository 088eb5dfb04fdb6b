/* network_print.c: the network as text, for people and goldens.
 *
 * One paragraph a frame: its expression, then each state known so far with
 * its edges: byte ranges to a state, calls, token sets, `return`.
 * Docs: docs/network.md.   Tests: unit/network_print_test.c.
 */
#include "network/list_frame.h"

static void print_byte(Out *out, unsigned byte)
{
    if (byte > 0x20 && byte < 0x7F && byte != '\'' && byte != '\\')
        out_format(out, "'%c'", (char)byte);
    else
        out_format(out, "%02x", byte);
}

static void print_frame_name(Network *net, const Frame *f, Out *out)
{
    if (f->network != net) out_text(out, "shared ");
    out_format(out, "frame %u", f->id);
}

/* A state, and what becomes of the register of its counted frame; of a marker,
 * the budget. After an item of a list, its kind. */
static void print_place(const Network *net, const State *q, RegOp op, Out *out)
{
    if (op.counts) {
        out_format(out, "item %u", op.reg);
        return;
    }
    if (q->frame->network != net) out_text(out, "shared ");
    out_format(out, "%u", q->id);
    if (op.is_deadline && op.reg != UINT32_MAX)
        out_format(out, " within %u", op.reg);
    if (!q->frame->is_counted || (op.adds && !op.reg)) return;
    out_format(out, op.adds ? " +%u" : " =%u", op.reg);
}

static void print_move(const Network *net, const Move *m, Out *out)
{
    for (uint32_t k = 0; k < m->npush; k++) {
        out_text(out, "push ");
        print_place(net, m->push[k].state, m->push[k].op, out);
        out_text(out, " then ");
    }
    print_place(net, m->to, m->op, out);
}

static void print_target(const Network *net, uintptr_t cell, Out *out)
{
    if (CELL_IS_STATE(cell)) {
        print_place(net, cell_state(cell), (RegOp){.adds = true}, out);
        return;
    }
    const Step *step = cell_step(cell);
    for (uint32_t i = 0; i < step->count; i++) {
        if (i) out_text(out, " or ");
        print_move(net, &step->at[i], out);
    }
}

/* Which kinds of items a state of a list is about, unless it is all. */
static void print_kinds(const State *q, Out *out)
{
    uint32_t n = q->frame->list ? q->frame->list->nkinds : 0, shown = 0;
    for (uint32_t k = 0; q->kinds && k < n; k++)
        shown += kindset_has(q->kinds, k);
    if (!q->kinds || shown == n) return;
    const char *between = " of items ";
    for (uint32_t k = 0; k < n; k++) {
        if (!kindset_has(q->kinds, k)) continue;
        out_format(out, "%s%u", between, k);
        between = ",";
    }
}

/* Runs of bytes with one known, living cell. */
static void print_bytes(const Network *net, State *q, Out *out)
{
    for (unsigned lo = 0; lo < 256;) {
        uintptr_t cell =
            atomic_load_explicit(&q->next[q->map[lo]], memory_order_acquire);
        unsigned hi = lo;
        while (hi < 255 && q->map[hi + 1] == q->map[lo]) hi++;
        if (cell && cell != (uintptr_t)&step_dead) {
            out_text(out, "    ");
            print_byte(out, lo);
            if (hi > lo) {
                out_text(out, "-");
                print_byte(out, hi);
            }
            out_text(out, " -> ");
            print_target(net, cell, out);
            out_text(out, "\n");
        }
        lo = hi + 1;
    }
}

static void print_tokens(const Network *net, State *q, Out *out)
{
    const TokenMoves *moves =
        atomic_load_explicit(&q->tokens, memory_order_acquire);
    for (uint32_t i = 0; moves && i < moves->count; i++) {
        const TokenMove *m = &moves->at[i];
        out_text(out, "    ");
        ir_print_node(m->network->ir, m->set, out);
        out_text(out, " -> ");
        print_move(net, &m->move, out);
        out_text(out, "\n");
    }
}

static void print_state(Network *net, State *q, Out *out)
{
    bool is_bounded = q->frame->is_bounded;
    out_format(out, "  state %u%s%s%s", q->id, q->is_marker ? " marker" : "",
               q->is_head ? " head" : "",
               q->is_loop && !is_bounded ? " loop" : "");
    if (is_bounded && q->need) out_format(out, " needs %u", q->need);
    out_format(out, "%s%s", q->accepts ? " return" : "",
               q->is_final ? " only" : "");
    print_kinds(q, out);
    out_text(out, "\n");
    for (uint32_t i = 0; i < q->ncalls; i++) {
        out_text(out, "    call ");
        print_frame_name(net, q->calls[i].callee, out);
        out_text(out, "\n");
    }
    print_bytes(net, q, out);
    print_tokens(net, q, out);
}

void network_print(Network *net, Out *out)
{
    lock_take(&net->lock);
    for (uint32_t i = 0; i < net->frames.count; i++) {
        Frame *f = net->frames.at[i];
        print_frame_name(net, f, out);
        if (f->is_counted) {
            out_format(out, " {%u,", f->lo);
            if (f->hi != REPEAT_INF) out_format(out, "%u", f->hi);
            out_text(out, "}");
        }
        out_text(out, " = ");
        ir_print_node(net->ir, net->frame_nodes.at[i], out);
        out_text(out, "\n");
        for (uint32_t s = 0; f->network == net && s < net->states.count; s++)
            if (net->states.at[s]->frame == f)
                print_state(net, net->states.at[s], out);
    }
    lock_give(&net->lock);
}
