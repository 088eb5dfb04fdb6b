/* hub.c: the stacks and masks that the matchers of a grammar share.
 *
 * A hub only grows. When the grammar's has grown past a share of the limits, a
 * matcher that begins gets a fresh one, and the old one goes with its last
 * matcher. When a step finds no room for its stacks, the matcher takes the
 * stacks of its own history along to another hub and the step is made again:
 * first to the grammar's present hub, then to one for itself. So whether a step
 * can be made depends on what this output needs, not on what others have met.
 * Cost of a move: the stacks of the history, some 20 ns each.
 * Tests: unit/limits_test.c.
 */
#include "api/matcher.h"

Hub *hub_new(const Mem *mem, const weir_limits *limits)
{
    Hub *hub = mem_zero(mem, sizeof *hub);
    if (!hub) return NULL;
    hub->mem = *mem;
    atomic_init(&hub->refs, 1);
    size_t nbytes = limit_size(limits->max_memory);
    if (stackhub_init(&hub->stacks, &hub->mem, nbytes) &&
        maskmemo_init(&hub->memo, &hub->mem, nbytes / 4))
        return hub;
    hub_drop(hub);
    return NULL;
}

void hub_drop(Hub *hub)
{
    if (!hub || !ref_drop(&hub->refs)) return;
    Mem mem = hub->mem;
    maskmemo_free(&hub->memo);
    stackhub_free(&hub->stacks);
    mem_free(&mem, hub, sizeof *hub);
}

static bool hub_has_grown(Hub *hub, const weir_limits *limits)
{
    return stackhub_bytes(&hub->stacks) > limits->max_memory / 2 ||
           maskmemo_bytes(&hub->memo) > limits->max_memory / 5 ||
           stackhub_is_full(&hub->stacks);
}

Hub *hub_borrow(weir_grammar *g)
{
    lock_take(&g->lock);
    if (hub_has_grown(g->hub, &g->ir.limits)) {
        Hub *fresh = hub_new(&g->mem, &g->ir.limits);
        if (fresh) {
            hub_drop(g->hub);
            g->hub = fresh;
        }
    }
    Hub *hub = g->hub;
    ref_take(&hub->refs);
    lock_give(&g->lock);
    return hub;
}

void matcher_set_hub(weir_matcher *m, Hub *hub)
{
    if (m->has_run) maskrun_free(&m->run);
    m->has_run = false;
    hub_drop(m->hub);
    m->hub = hub;
}

bool matcher_leave_hub(weir_matcher *m, weir_status before, int moves)
{
    enum { MOVES = 2 };
    weir_grammar *g = m->grammar;
    if (m->error != WEIR_LIMIT_MEMORY || m->full_at == m->generation ||
        !stackhub_is_full(&m->hub->stacks))
        return false;
    Hub *next = moves == 0      ? hub_borrow(g)
                : moves < MOVES ? hub_new(&g->mem, &g->ir.limits)
                                : NULL;
    if (next && next != m->hub && !track_move(&m->track, &next->stacks)) {
        matcher_set_hub(m, next);
        m->error = before;
        return true;
    }
    hub_drop(next);
    if (moves == 0) return matcher_leave_hub(m, before, 1);
    m->full_at = m->generation;
    return false;
}
