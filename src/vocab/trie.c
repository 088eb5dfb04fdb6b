/* trie.c: building byte tries level by level from sorted texts.
 *
 * A node at depth d owns a run of the sorted entries with a common prefix of d
 * bytes; its children are the runs of equal byte d. Counting comes first, so
 * the arrays are exact. Cost: sorting, then one look at each (entry, byte).
 * Sorting: by the first eight bytes as a number, then by the rest.
 * Tests: unit/trie_test.c.
 */
#include "vocab/trie.h"

#include <stdlib.h>

/* Each punctuation mark, blank and 0 is a group of its own, since grammars
 * give them meaning; letters go by whether they are hexadecimal; lead bytes by
 * their blocks of characters. What begins no character of UTF-8 (80 to C1) is
 * group TRIE_BROKEN_GROUP.
 *
 * clang-format off */
const uint8_t trie_group[256] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  2,  3,  3,  4,  5,  5,  5,  5,  5,
    5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  6,  7,  8,  9,  10, 11,
    12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 23, 23, 23, 23, 23, 23, 23,
    23, 24, 25, 26, 27, 28, 29, 30, 31, 31, 31, 31, 31, 31, 32, 32, 32, 32, 32,
    32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 33, 34, 35, 36,
    37, 38, 39, 39, 39, 39, 39, 39, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 40, 40, 40, 40, 40, 41, 42, 43, 44, 45, 46, 46, 46, 46, 46,
    46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46,
    46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46,
    46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 46,
    46, 46, 46, 46, 47, 48, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 49, 50,
    50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 51, 52, 53, 54,
    55, 55, 55, 55, 55, 55, 56, 56, 56, 57, 58, 59, 60, 61, 61, 61, 61, 62, 62,
    62, 62, 62, 62, 62, 62, 62, 62, 62,
};
/* clang-format on */

typedef struct SortKey {
    uint64_t head; /* first eight bytes, big endian, padded with zeros */
    Span text;
    uint32_t source; /* index of the entry */
} SortKey;

static uint64_t head_of(Span text)
{
    uint64_t head = 0;
    for (size_t i = 0; i < 8; i++)
        head = head << 8 | (i < text.size ? text.at[i] : 0);
    return head;
}

static int key_order(const void *x, const void *y)
{
    const SortKey *a = x, *b = y;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    int c = span_compare(a->text, b->text);
    return c ? c : (a->source > b->source) - (a->source < b->source);
}

enum { BUCKETS = 65537, MANY_KEYS = 8192 };

/* Sorts by the first two bytes: `start` becomes the end of each bucket. */
static void distribute(const SortKey *from, SortKey *to, uint32_t count,
                       uint32_t *start)
{
    for (uint32_t i = 0; i < count; i++) start[(from[i].head >> 48) + 1]++;
    for (uint32_t b = 1; b < BUCKETS; b++) start[b] += start[b - 1];
    for (uint32_t i = 0; i < count; i++)
        to[start[from[i].head >> 48]++] = from[i];
}

/* Distribution, then qsort of each small run: three times faster than one
 * qsort of 128,000 tokens. */
static bool keys_sort_many(const Mem *mem, SortKey *keys, uint32_t count)
{
    uint32_t *start = mem_zero(mem, BUCKETS * sizeof *start);
    SortKey *copy = mem_new(mem, size_mul(count, sizeof *copy));
    bool ok = start && copy;
    if (ok) {
        memcpy(copy, keys, count * sizeof *copy);
        distribute(copy, keys, count, start);
        for (uint32_t b = 0, from = 0; b + 1 < BUCKETS; b++) {
            uint32_t to = start[b];
            if (to - from > 1)
                qsort(keys + from, to - from, sizeof *keys, key_order);
            from = to;
        }
    }
    mem_free(mem, start, BUCKETS * sizeof *start);
    mem_free(mem, copy, size_mul(count, sizeof *copy));
    return ok;
}

static bool keys_sort(const Mem *mem, SortKey *keys, uint32_t count)
{
    if (count >= MANY_KEYS) return keys_sort_many(mem, keys, count);
    if (count) qsort(keys, count, sizeof *keys, key_order);
    return true;
}

/* Writes the children of a node at `depth` with the entries [lo, hi); their
 * number. */
static uint32_t split(const SortKey *keys, uint32_t lo, uint32_t hi,
                      uint32_t depth, TrieNode *out)
{
    uint32_t n = 0;
    while (lo < hi && keys[lo].text.size == depth) lo++;
    while (lo < hi) {
        uint8_t byte = keys[lo].text.at[depth];
        uint32_t from = lo;
        while (lo < hi && keys[lo].text.at[depth] == byte) lo++;
        out[n++] = (TrieNode){.tok = from, .tok_end = lo, .byte = byte};
    }
    return n;
}

void trie_wide_fill(Trie *t, uint32_t first, uint32_t n)
{
    uint64_t *set = (uint64_t *)(void *)&t->nodes[first - 2];
    memset(set, 0, 2 * sizeof(TrieNode));
    for (uint32_t i = 0; i < n; i++) {
        uint8_t byte = t->nodes[first + i].byte;
        set[byte >> 6] |= (uint64_t)1 << (byte & 63);
    }
}

/* Fills the children of nodes[at]. Slots are known to suffice, with two to
 * spare, where children are put until it is known whether they are many. */
static void expand(Trie *t, const SortKey *keys, uint32_t at, uint32_t depth)
{
    TrieNode *node = &t->nodes[at], *made = &t->nodes[t->nnodes + 2];
    uint32_t n = split(keys, node->tok, node->tok_end, depth, made);
    if (!n) return;
    node->nchildren = (uint16_t)n;
    node->child = t->nnodes + (trie_is_wide(node) ? 2 : 0);
    if (trie_is_wide(node))
        trie_wide_fill(t, node->child, n);
    else
        memmove(made - 2, made, n * sizeof *made);
    t->nnodes = node->child + n;
}

/* Slots: one a node, a node being a new prefix in the sorted order; two more
 * for each wide node, which is no more than one in TRIE_NARROW + 1. */
static uint32_t count_slots(const SortKey *keys, uint32_t count)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < count; i++) {
        Span a = i ? keys[i - 1].text : (Span){0}, b = keys[i].text;
        size_t common = 0, most = MIN(a.size, b.size);
        while (common < most && a.at[common] == b.at[common]) common++;
        n += b.size - common;
    }
    n += 2 * (n / (TRIE_NARROW + 1)) + 2;
    return n > UINT32_MAX / 2 ? 0 : (uint32_t)n;
}

/* queue: one slot a node, in order of making; the number of nodes. */
static uint32_t levels_build(Trie *t, const SortKey *keys, uint32_t count,
                             uint32_t *queue)
{
    uint32_t head = 0, level_end = 1, tail = 1;
    t->nodes[TRIE_ROOT] = (TrieNode){.tok_end = count};
    t->nnodes = 1;
    queue[0] = TRIE_ROOT;
    for (uint32_t depth = 0; head < tail; depth++) {
        t->depth = depth;
        for (; head < level_end; head++) {
            expand(t, keys, queue[head], depth);
            const TrieNode *node = &t->nodes[queue[head]];
            for (uint32_t i = 0; i < node->nchildren; i++)
                queue[tail++] = node->child + i;
        }
        level_end = tail;
    }
    return tail;
}

/* ---- what is below ---- */

/* Where a reader of UTF-8 stands. */
enum {
    AT_START,
    LEFT_1,
    LEFT_2,
    LEFT_3,
    AFTER_E0,
    AFTER_ED,
    AFTER_F0,
    AFTER_F4
};

static unsigned lead_to(uint8_t lead)
{
    if (lead < 0xE0) return LEFT_1;
    if (lead < 0xF0)
        return lead == 0xE0 ? AFTER_E0 : lead == 0xED ? AFTER_ED : LEFT_2;
    return lead == 0xF0 ? AFTER_F0 : lead == 0xF4 ? AFTER_F4 : LEFT_3;
}

/* From the places where reading a child's rest breaks to the ones where
 * reading its byte and its rest does: sets of the above. */
static uint8_t broken_from(uint8_t byte, uint8_t rest)
{
    unsigned at = 0, all = 0xFF;
    if (byte < 0x80) return (uint8_t)(all - 1 + (rest & 1));
    if (byte >= 0xC0) {
        bool is_lead = byte >= 0xC2 && byte <= 0xF4;
        return (uint8_t)(all - 1 + (!is_lead || rest >> lead_to(byte) & 1));
    }
    unsigned one = rest >> LEFT_1 & 1, two = rest >> LEFT_2 & 1;
    at |= 1u << AT_START | (rest & 1u) << LEFT_1 | one << LEFT_2;
    at |= two << LEFT_3;
    at |= (byte < 0xA0 ? 1u : one) << AFTER_E0;
    at |= (byte > 0x9F ? 1u : one) << AFTER_ED;
    at |= (byte < 0x90 ? 1u : two) << AFTER_F0;
    at |= (byte > 0x8F ? 1u : two) << AFTER_F4;
    return (uint8_t)at;
}

static uint64_t group_bit(uint8_t byte)
{
    return byte >= 0x80 && byte < 0xC0 ? 0 : (uint64_t)1 << trie_group[byte];
}

/* nodes: the trie's, parents first; broken: by slot. */
static void below_fill(Trie *t, const uint32_t *nodes, uint32_t count,
                       uint8_t *broken)
{
    while (count--) {
        TrieNode *node = &t->nodes[nodes[count]];
        uint8_t breaks = 0;
        for (uint32_t i = 0; i < node->nchildren; i++) {
            const TrieNode *child = &t->nodes[node->child + i];
            breaks |= broken_from(child->byte, broken[node->child + i]);
            node->below |= (child->below & ~TRIE_BROKEN) |
                           (group_bit(child->byte) & ~TRIE_BROKEN);
            unsigned height =
                child->height + ((child->byte & 0xC0) != 0x80 ? 1u : 0u);
            node->height = (uint8_t)MIN(MAX(node->height, height), 255);
        }
        if (breaks & 1) node->below |= TRIE_BROKEN;
        broken[nodes[count]] = breaks;
    }
}

static bool trie_fill(Trie *t, Arena *arena, const Mem *mem,
                      const SortKey *keys, const TrieEntry *entries,
                      uint32_t count)
{
    uint32_t slots = count_slots(keys, count);
    if (!slots) return false;
    uint32_t *queue = mem_new(mem, size_mul(slots, sizeof *queue));
    t->nodes = arena_array(arena, TrieNode, slots);
    t->ids = arena_array(arena, uint32_t, count + 1);
    uint8_t *broken = mem_new(mem, slots);
    bool ok = queue && t->nodes && t->ids && broken;
    if (ok) {
        below_fill(t, queue, levels_build(t, keys, count, queue), broken);
        for (uint32_t i = 0; i < count; i++)
            t->ids[i] = entries[keys[i].source].id;
    }
    mem_free(mem, queue, size_mul(slots, sizeof *queue));
    mem_free(mem, broken, slots);
    return ok;
}

bool trie_build(Trie *trie, Arena *arena, const Mem *mem,
                const TrieEntry *entries, uint32_t count)
{
    *trie = (Trie){.nids = count};
    SortKey *keys = mem_new(mem, size_mul(count + 1, sizeof *keys));
    if (!keys) return false;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (SortKey){head_of(entries[i].text), entries[i].text, i};
    bool ok = keys_sort(mem, keys, count) &&
              trie_fill(trie, arena, mem, keys, entries, count);
    mem_free(mem, keys, size_mul(count + 1, sizeof *keys));
    return ok;
}

bool trie_copy_to(Trie *to, const Trie *from, Arena *arena)
{
    *to = *from;
    to->nodes =
        arena_copy(arena, from->nodes, from->nnodes * sizeof *from->nodes);
    to->ids = arena_copy(arena, from->ids, from->nids * sizeof *from->ids);
    return to->nodes && to->ids;
}

uint32_t trie_child(const Trie *trie, const TrieNode *node, uint8_t byte)
{
    if (trie_is_wide(node)) {
        const uint64_t *set = trie_bytes(trie, node);
        bool has = set[byte >> 6] >> (byte & 63) & 1;
        return has ? trie_wide_child(trie, node, byte) : 0;
    }
    for (uint32_t i = 0; i < node->nchildren; i++)
        if (trie->nodes[node->child + i].byte == byte) return node->child + i;
    return 0;
}
