/* finish.c: the least number of bytes to a complete output.
 *
 * A configuration costs what is left of its frame and of each frame below it:
 * length(q, stack) = rest(q) + least over the stack's entries of
 * length(ret, below), or rest(q) if the stack may be empty. Stacks are graphs
 * without cycles, kept by node; the walk over them uses an explicit stack.
 * Exact for what the network says.   Tests: unit/finish_test.c.
 */
#include "matcher/finish.h"

void finisher_init(Finisher *f, const Mem *mem)
{
    *f = (Finisher){.mem = mem};
    lengths_init(&f->lengths, mem);
}

void finisher_free(Finisher *f)
{
    if (!f->mem) return;
    lengths_free(&f->lengths);
    vec_free(f->mem, &f->stacks);
    vec_free(f->mem, &f->todo);
    map_free(f->mem, &f->index);
}

static uint64_t node_hash(const StackNode *node)
{
    return hash_mix(0, (uintptr_t)node);
}

/* The empty stack has length 0. False: not known yet. */
static bool stack_known(const Finisher *f, const StackNode *node,
                        uint32_t *length)
{
    *length = 0;
    if (!node) return true;
    uint64_t h = node_hash(node);
    for (MapPos p = map_first(&f->index, h); p.value != MAP_NONE;
         p = map_next(&f->index, h, p)) {
        if (f->stacks.at[p.value].node != node) continue;
        *length = f->stacks.at[p.value].length;
        return true;
    }
    return false;
}

static bool stack_learn(Finisher *f, const StackNode *node, uint32_t length)
{
    return vec_push(f->mem, &f->stacks, (StackLength){node, length}) &&
           map_add(f->mem, &f->index, node_hash(node), f->stacks.count - 1);
}

/* The length of a node, if those of all nodes below it are known; else these
 * are put on f->todo. */
static bool stack_try(Finisher *f, const StackNode *node, uint32_t *length,
                      bool *ok)
{
    bool all = true;
    *length = node->ends ? 0 : LENGTH_NONE;
    for (uint32_t i = 0; i < node->count && *ok; i++) {
        const StackEntry *e = &node->at[i];
        uint32_t below;
        if (stack_known(f, e->below, &below)) {
            uint32_t rest = lengths_state(&f->lengths, e->ret, e->reg);
            *length = MIN(*length, length_add(rest, below));
        } else {
            all = false;
            *ok = vec_push(f->mem, &f->todo, e->below);
        }
    }
    return all;
}

static uint32_t stack_length(Finisher *f, const StackNode *node)
{
    uint32_t length;
    bool ok = true;
    if (stack_known(f, node, &length)) return length;
    f->todo.count = 0;
    ok = vec_push(f->mem, &f->todo, node);
    while (ok && f->todo.count) {
        const StackNode *top = f->todo.at[f->todo.count - 1];
        if (stack_known(f, top, &length)) {
            f->todo.count--;
        } else if (stack_try(f, top, &length, &ok) && ok) {
            ok = stack_learn(f, top, length);
            f->todo.count--;
        }
    }
    if (!ok) f->lengths.failed = true;
    return ok ? length : LENGTH_NONE;
}

uint32_t finisher_length(Finisher *f, const ConfigSet *set)
{
    uint32_t length = set->ends ? 0 : LENGTH_NONE;
    for (uint32_t i = 0; i < set->list.count; i++) {
        const Config *c = &set->list.at[i];
        uint32_t rest = lengths_state(&f->lengths, c->q, c->reg);
        length = MIN(length, length_add(rest, stack_length(f, c->stack)));
    }
    return f->lengths.failed ? LENGTH_NONE : length;
}
