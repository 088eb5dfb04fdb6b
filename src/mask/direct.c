/* direct.c: depth-first walk of a token trie with sets of configurations.
 *
 * One level a byte: its children left to try and the set of configurations
 * there. Levels are kept between walks, so a warm walk allocates nothing.
 * Cost: one set_step a visited node.   Tests: prop/masks_vs_oracle_test.c.
 */
#include "mask/direct.h"

typedef struct WalkLevel {
    ConfigSet set;
    ChildCursor children;
} WalkLevel;

void walker_init(Walker *w, const Mem *mem, Stepper *stepper)
{
    *w = (Walker){.mem = mem, .stepper = stepper};
}

void walker_free(Walker *w)
{
    for (uint32_t i = 0; i < w->levels.count; i++) {
        vec_free(w->mem, &w->levels.at[i]->set.list);
        mem_free(w->mem, w->levels.at[i], sizeof(WalkLevel));
    }
    vec_free(w->mem, &w->levels);
}

static bool fail_memory(Walker *w)
{
    if (!w->stepper->stacks.status) w->stepper->stacks.status = WEIR_NO_MEMORY;
    return false;
}

/* Levels [0, count) exist; they stay where they are when more are made. */
static bool levels_reserve(Walker *w, uint32_t count)
{
    while (w->levels.count < count) {
        WalkLevel *level = mem_zero(w->mem, sizeof *level);
        if (!level) return fail_memory(w);
        if (!vec_push(w->mem, &w->levels, level)) {
            mem_free(w->mem, level, sizeof *level);
            return fail_memory(w);
        }
    }
    return true;
}

static void level_enter(Walker *w, const Trie *trie, WalkLevel *level,
                        uint32_t node, const ByteSet *only)
{
    ByteSet takes;
    if (level->set.list.count == 1 && !level->set.list.at[0].q->accepts)
        takes = level->set.list.at[0].q->first;
    else
        set_first(w->stepper, &level->set, &takes);
    for (int i = 0; only && i < 4; i++) takes.word[i] &= only->word[i];
    children_begin(&level->children, trie, node, &takes);
}

/* A single reading that goes on within its frame, the usual case, is a look at
 * a table. False: it is not so. */
static bool step_alone(Walker *w, const ConfigSet *from, uint8_t byte,
                       ConfigSet *to)
{
    if (from->list.count != 1 || w->stepper->has_budgets || w->stepper->unique)
        return false;
    Config c = from->list.at[0];
    if (c.q->accepts) return false;
    uintptr_t cell = state_next(c.q, byte);
    if (!CELL_IS_STATE(cell)) return false;
    if (!vec_reserve(w->mem, &to->list, 1)) return false;
    c.q = cell_state(cell);
    to->list.at[0] = c;
    to->list.count = 1;
    to->ends = false;
    return true;
}

/* Tries `child` from the level at `depth`; true: a level further is entered.
 */
static bool descend(Walker *w, const Trie *trie, uint32_t base, uint32_t depth,
                    uint32_t child, const WalkSink *sink)
{
    if (!levels_reserve(w, base + depth + 2)) return false;
    WalkLevel *from = w->levels.at[base + depth];
    WalkLevel *to = w->levels.at[base + depth + 1];
    const TrieNode *n = &trie->nodes[child];
    w->nodes++;
    if (sink->matters && !sink->matters(sink->user, n, depth + 1, &from->set))
        return false;
    if (w->stepper->unique) w->stepper->unique->text.count = w->text + depth;
    if (!step_alone(w, &from->set, n->byte, &to->set))
        set_step(w->stepper, &from->set, n->byte, &to->set);
    if (set_is_empty(&to->set) || stepper_status(w->stepper)) return false;
    w->top = base + depth + 2;
    if (!sink->reached(sink->user, n, depth + 1, &to->set)) return false;
    if (!n->nchildren || !to->set.list.count) return false;
    level_enter(w, trie, to, child, NULL);
    return true;
}

void walk_direct(Walker *w, const Trie *trie, uint32_t node,
                 const ConfigSet *set, const ByteSet *only,
                 const WalkSink *sink)
{
    uint32_t base = w->top, depth = 0;
    if (!levels_reserve(w, base + 1)) return;
    WalkLevel *first = w->levels.at[base];
    if (!set_copy(w->mem, &first->set, set)) {
        fail_memory(w);
        return;
    }
    level_enter(w, trie, first, node, only);
    while (!stepper_status(w->stepper)) {
        ChildCursor *children = &w->levels.at[base + depth]->children;
        uint32_t child = children_next(children, trie);
        if (child)
            depth += descend(w, trie, base, depth, child, sink);
        else if (!depth--)
            break;
    }
    w->top = base;
}
