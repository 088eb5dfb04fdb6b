/* direct.c: depth-first walk of a token trie with sets of configurations.
 *
 * One level a byte: its node, the set of configurations there, and the bytes
 * that both the set can take and the node has. A wide node's bytes come as a
 * bit set, so the two are intersected; a narrow node's children are looked at
 * one by one. Levels are kept between walks, so a warm walk allocates nothing.
 * Cost: one set_step a visited node.   Tests: prop/masks_vs_oracle_test.c.
 */
#include "mask/direct.h"

typedef struct WalkLevel {
    ConfigSet set;
    ByteSet takes;   /* bytes left to try */
    uint32_t node;
    uint32_t next;   /* narrow nodes: next child to look at */
} WalkLevel;

void walker_init(Walker *w, const Mem *mem, Stepper *stepper)
{
    *w = (Walker){.mem = mem, .stepper = stepper};
}

void walker_free(Walker *w)
{
    for (uint32_t i = 0; i < w->levels.cap && w->levels.at; i++)
        vec_free(w->mem, &w->levels.at[i].set.list);
    if (w->levels.at) vec_free(w->mem, &w->levels);
}

/* The level at `depth`, made if new; levels beyond `count` keep their sets. */
static WalkLevel *level_at(Walker *w, uint32_t depth)
{
    uint32_t before = w->levels.cap;
    if (!vec_reserve(w->mem, &w->levels, (size_t)depth + 1)) {
        w->stepper->stacks.status = WEIR_NO_MEMORY;
        return NULL;
    }
    for (uint32_t i = before; i < w->levels.cap; i++)
        w->levels.at[i] = (WalkLevel){0};
    return &w->levels.at[depth];
}

static void level_enter(Walker *w, const Trie *trie, WalkLevel *level,
                        uint32_t node)
{
    const TrieNode *n = &trie->nodes[node];
    level->node = node;
    level->next = 0;
    if (level->set.list.count == 1 && !level->set.list.at[0].q->accepts)
        level->takes = level->set.list.at[0].q->first;
    else
        set_first(w->stepper, &level->set, &level->takes);
    if (!n->is_wide) return;
    const uint64_t *has = trie_bytes(trie, n);
    for (int i = 0; i < 4; i++) level->takes.word[i] &= has[i];
}

/* The next child to try, or 0. */
static uint32_t level_next(const Trie *trie, WalkLevel *level)
{
    const TrieNode *n = &trie->nodes[level->node];
    if (!n->is_wide) {
        while (level->next < n->nchildren) {
            uint32_t child = n->child + level->next++;
            if (byteset_has(&level->takes, trie->nodes[child].byte))
                return child;
        }
        return 0;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint64_t word = level->takes.word[i];
        if (!word) continue;
        level->takes.word[i] = word & (word - 1);
        return trie_wide_child(trie, n, (uint8_t)(i * 64 + bit_lowest(word)));
    }
    return 0;
}

void walk_direct(Walker *w, const Trie *trie, uint32_t node,
                 const ConfigSet *set, const WalkSink *sink)
{
    uint32_t depth = 0;
    WalkLevel *level = level_at(w, trie->depth + 1);
    if (!level) return;
    level = &w->levels.at[0];
    if (!set_copy(w->mem, &level->set, set)) {
        w->stepper->stacks.status = WEIR_NO_MEMORY;
        return;
    }
    level_enter(w, trie, level, node);
    while (!stepper_status(w->stepper)) {
        uint32_t child = level_next(trie, &w->levels.at[depth]);
        if (!child) {
            if (!depth--) return;
            continue;
        }
        WalkLevel *from = &w->levels.at[depth], *to = from + 1;
        const TrieNode *n = &trie->nodes[child];
        set_step(w->stepper, &from->set, n->byte, &to->set);
        if (set_is_empty(&to->set)) continue;
        if (!sink->reached(sink->user, n, depth + 1, &to->set)) continue;
        if (!n->nchildren || !to->set.list.count) continue;
        depth++;
        level_enter(w, trie, to, child);
    }
}
