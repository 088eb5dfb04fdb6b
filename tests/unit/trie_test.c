/* trie_test.c: token tries against a sorted list of the texts.
 *
 * Random sets (seed printed; WEIR_SEED repeats a run) of few and of many
 * tokens, with repeats, empty texts, zeros and wide nodes; each node must own
 * the run of ids whose texts begin with its path.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "oracle/rng.h"
#include "vocab/trie.h"

enum { MAX_TOKENS = 10000, MAX_SIZE = 20 };

typedef struct Tokens {
    uint8_t text[MAX_TOKENS][MAX_SIZE];
    TrieEntry at[MAX_TOKENS]; /* ids are not the places */
    uint32_t count;
} Tokens;

static uint32_t id_of(uint32_t place)
{
    return place * 3 + 7;
}

static void token_add(Tokens *t, const void *text, size_t size)
{
    assert_true(t->count < MAX_TOKENS && size <= MAX_SIZE);
    memcpy(t->text[t->count], text, size);
    t->at[t->count] =
        (TrieEntry){span_of(t->text[t->count], size), id_of(t->count)};
    t->count++;
}

static Span text_of(const Tokens *t, uint32_t id)
{
    return t->at[(id - 7) / 3].text;
}

/* `letters` different bytes; texts often continue an earlier one. */
static void random_tokens(Rng *rng, uint32_t count, uint32_t letters, Tokens *t)
{
    t->count = 0;
    while (t->count < count) {
        uint8_t text[MAX_SIZE];
        size_t size = 0, most = rng_below(rng, rng_chance(rng, 5) ? 18 : 7);
        if (t->count && rng_chance(rng, 60)) {
            Span old = t->at[rng_below(rng, t->count)].text;
            size = MIN(old.size, rng_below(rng, MAX_SIZE - 2));
            if (size) memcpy(text, old.at, size);
            most = MIN(size + 2, MAX_SIZE);
        }
        while (size < most) {
            uint32_t letter = rng_below(rng, letters);
            text[size++] = (uint8_t)(letters == 256 ? letter : letter * 37);
        }
        token_add(t, text, size);
    }
}

/* ---- judging ---- */

/* Ids in bytewise order of the texts; equal texts in the order given. */
static void check_order(const Trie *trie, const Tokens *t)
{
    static uint8_t seen[MAX_TOKENS];
    size_t longest = 0;
    memset(seen, 0, sizeof seen);
    assert_int_equal(trie->nids, t->count);
    for (uint32_t i = 0; i < trie->nids; i++) {
        uint32_t place = (trie->ids[i] - 7) / 3;
        assert_true(place < t->count && !seen[place]);
        seen[place] = 1;
        longest = MAX(longest, t->at[place].text.size);
        if (!i) continue;
        int order = span_compare(text_of(t, trie->ids[i - 1]),
                                 text_of(t, trie->ids[i]));
        assert_true(order < 0 || (!order && trie->ids[i - 1] < trie->ids[i]));
    }
    assert_int_equal(trie->depth, longest);
}

/* Children in byte order, found by their byte alone; runs nested. */
static void check_children(const Trie *trie, const TrieNode *n)
{
    uint32_t end = n->tok_end;
    bool has[256] = {false};
    assert_int_equal(trie_is_wide(n), n->nchildren > 6);
    assert_true(n->tok <= trie_own_end(trie, n));
    for (uint32_t i = n->nchildren; i-- > 0;) {
        const TrieNode *child = &trie->nodes[n->child + i];
        assert_int_equal(child->tok_end, end);
        assert_true(child->tok < child->tok_end);
        assert_true(i + 1 == n->nchildren || child->byte < child[1].byte);
        assert_int_equal(trie_child(trie, n, child->byte), n->child + i);
        has[child->byte] = true;
        end = child->tok;
    }
    assert_int_equal(trie_own_end(trie, n), end);
    for (unsigned b = 0; b < 256; b++) {
        if (!has[b]) assert_int_equal(trie_child(trie, n, (uint8_t)b), 0);
        if (trie_is_wide(n))
            assert_int_equal(trie_bytes(trie, n)[b >> 6] >> (b & 63) & 1,
                             has[b]);
    }
}

/* True if some text that begins with these bytes is UTF-8: what is cut off at
 * the end is completed in each way that can matter. */
static bool begins_utf8(Span text)
{
    static const uint8_t ends[] = {0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF};
    uint8_t whole[MAX_SIZE + 3];
    if (utf8_check(text) == text.size) return true;
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        memcpy(whole, text.at, text.size);
        whole[text.size] = ends[i];
        whole[text.size + 1] = whole[text.size + 2] = 0x80;
        for (size_t more = 1; more <= 3; more++)
            if (utf8_check(span_of(whole, text.size + more)) ==
                text.size + more)
                return true;
    }
    return false;
}

/* Groups of the bytes after the prefix, and whether all are read as UTF-8. */
static void check_below(const Trie *trie, const Tokens *t, const TrieNode *n,
                        uint32_t depth)
{
    uint64_t groups = 0;
    uint32_t height = 0;
    for (uint32_t p = n->tok; p < n->tok_end; p++) {
        Span text = text_of(t, trie->ids[p]);
        uint32_t begun = 0;
        for (size_t i = depth; i < text.size; i++) {
            begun += text.at[i] < 0x80 || text.at[i] >= 0xC0;
            if (text.at[i] < 0x80 || text.at[i] >= 0xC2)
                groups |= (uint64_t)1 << trie_group[text.at[i]];
        }
        height = MAX(height, begun);
        if (!begins_utf8(span_of(text.at + depth, text.size - depth)))
            groups |= TRIE_BROKEN;
    }
    assert_int_equal(n->below, groups);
    assert_int_equal(n->height, height);
}

/* Each node once, with its path: its run is what begins with the path, its
 * own ids what equals it. */
static uint32_t check_node(const Trie *trie, const Tokens *t, uint32_t at,
                           uint8_t *path, uint32_t depth)
{
    const TrieNode *n = &trie->nodes[at];
    uint32_t nodes = 1, own_end = trie_own_end(trie, n);
    Span prefix = span_of(path, depth);
    assert_true(at < trie->nnodes);
    for (uint32_t p = n->tok; p < n->tok_end; p++) {
        Span text = text_of(t, trie->ids[p]);
        assert_true(span_starts(text, prefix));
        assert_int_equal(text.size == depth, p < own_end);
    }
    if (n->tok)
        assert_false(depth &&
                     span_starts(text_of(t, trie->ids[n->tok - 1]), prefix));
    if (n->tok_end < trie->nids)
        assert_false(span_starts(text_of(t, trie->ids[n->tok_end]), prefix));
    check_children(trie, n);
    check_below(trie, t, n, depth);
    for (uint32_t i = 0; i < n->nchildren; i++) {
        assert_true(depth < MAX_SIZE);
        path[depth] = trie->nodes[n->child + i].byte;
        nodes += check_node(trie, t, n->child + i, path, depth + 1);
    }
    return nodes;
}

/* Different prefixes, the empty one included: from the sorted ids. */
static uint32_t count_prefixes(const Trie *trie, const Tokens *t)
{
    uint32_t count = 1;
    Span before = {NULL, 0};
    for (uint32_t i = 0; i < trie->nids; i++) {
        Span text = text_of(t, trie->ids[i]);
        size_t common = 0;
        while (common < MIN(before.size, text.size) &&
               before.at[common] == text.at[common])
            common++;
        count += (uint32_t)(text.size - common);
        before = text;
    }
    return count;
}

/* Walks down the token's bytes. */
static void check_found(const Trie *trie, const Tokens *t, uint32_t place)
{
    Span text = t->at[place].text;
    const TrieNode *n = &trie->nodes[TRIE_ROOT];
    for (size_t i = 0; i < text.size; i++) {
        uint32_t child = trie_child(trie, n, text.at[i]);
        assert_true(child);
        if (trie_is_wide(n))
            assert_int_equal(trie_wide_child(trie, n, text.at[i]), child);
        n = &trie->nodes[child];
    }
    bool found = false;
    for (uint32_t p = n->tok; p < trie_own_end(trie, n); p++)
        found |= trie->ids[p] == id_of(place);
    assert_true(found);
}

static void check_whole(const Trie *trie, const Tokens *t)
{
    uint8_t path[MAX_SIZE];
    check_order(trie, t);
    assert_int_equal(check_node(trie, t, TRIE_ROOT, path, 0),
                     count_prefixes(trie, t));
    for (uint32_t i = 0; i < t->count; i++) check_found(trie, t, i);
}

static void check_trie(const Tokens *t)
{
    Mem mem = mem_from_env(NULL);
    Arena arena;
    Trie trie;
    arena_init(&arena, &mem, 0);
    assert_true(trie_build(&trie, &arena, &mem, t->at, t->count));
    check_whole(&trie, t);
    arena_free(&arena);
}

/* ---- sets ---- */

static Tokens tokens; /* 400 KB */

static void random_sets(void **state)
{
    (void)state;
    static const uint32_t letters[] = {1, 2, 3, 7, 40, 256};
    Rng rng = {env_number("WEIR_SEED", 11)};
    printf("seed %llu\n", (unsigned long long)rng.state);
    for (unsigned i = 0; i < 300; i++) {
        uint32_t count = rng_below(&rng, i % 10 ? 40 : 1500);
        random_tokens(&rng, count, letters[i % COUNT_OF(letters)], &tokens);
        check_trie(&tokens);
    }
}

/* Characters of all lengths, some cut off or ill formed. */
static void characters(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "a",    "\"",   "\xC3\xA9", "\xE0\xA0\x80", "\xED\x9F\xBF",
        "\xE4", "\xA9", "\xC1",     "\xE2\x80\xA8", "\xF0\x9F\x98\x80",
        "\xF4", "\x8F", "\xED\xA0", "\xE0\x9F",     "\xF1\x80\x80\x80",
        "\xF0", "\x90", "\xF8",     "\xED",         "\xF4\x90\x80\x80",
    };
    Rng rng = {21};
    for (unsigned i = 0; i < 300; i++) {
        tokens.count = 0;
        while (tokens.count < 60) {
            char text[MAX_SIZE];
            size_t size = 0;
            for (uint32_t n = 1 + rng_below(&rng, 4); n; n--) {
                const char *piece =
                    pieces[rng_below(&rng, (uint32_t)COUNT_OF(pieces))];
                memcpy(text + size, piece, strlen(piece));
                size += strlen(piece);
            }
            token_add(&tokens, text, size);
        }
        check_trie(&tokens);
    }
}

/* ---- merging ---- */

enum { PARTS = 6 };

typedef struct Merging {
    Mem mem;
    Arena arena;
    Trie tries[2];
    TriePart parts[PARTS];
    uint32_t depth[PARTS]; /* bytes above the part's node */
    uint32_t *rest[PARTS]; /* by place: which of the rests */
    Tokens rests;
} Merging;

/* A node below the root, as likely a shallow one as a deep one. */
static void random_part(Merging *m, Rng *rng, uint32_t part)
{
    const Trie *trie = &m->tries[rng_below(rng, 2)];
    uint32_t node = TRIE_ROOT, depth = 0;
    while (trie->nodes[node].nchildren && rng_chance(rng, 50)) {
        const TrieNode *n = &trie->nodes[node];
        node = n->child + rng_below(rng, n->nchildren);
        depth++;
    }
    m->parts[part] = (TriePart){trie, node};
    m->depth[part] = depth;
}

/* All rests of the parts; those that begin with a byte of the given oddness,
 * if any is. */
static void list_rests(Merging *m, uint32_t count, const uint8_t *odd,
                       const Tokens *from)
{
    m->rests.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Trie *trie = m->parts[i].trie;
        const TrieNode *n = &trie->nodes[m->parts[i].node];
        for (uint32_t p = n->tok; p < n->tok_end; p++) {
            Span text = text_of(&from[trie == &m->tries[1]], trie->ids[p]);
            if (text.size == m->depth[i]) continue;
            const uint8_t *rest = text.at + m->depth[i];
            if (odd && *rest % 2 != *odd) continue;
            m->rest[i][p] = m->rests.count;
            token_add(&m->rests, rest, text.size - m->depth[i]);
        }
    }
}

/* Names the ids after the rests, having seen that they are the sources'. */
static void name_rests(const Merging *m, TrieMerge *merge)
{
    Trie *t = &merge->trie;
    assert_int_equal(t->nids, m->rests.count);
    for (uint32_t i = 0; i < t->nids; i++) {
        uint32_t part = merge->part[i], place = merge->place[i];
        assert_int_equal(t->ids[i], m->parts[part].trie->ids[place]);
        t->ids[i] = id_of(m->rest[part][place]);
    }
}

static void check_merge(Merging *m, uint32_t count, const uint8_t *odd,
                        const Tokens *from)
{
    TrieMerge merge;
    Trie sorted;
    list_rests(m, count, odd, from);
    uint64_t half = 0x5555555555555555u << (odd ? *odd : 0);
    uint64_t wanted[4] = {half, half, half, half};
    assert_true(
        trie_merge(&merge, &m->mem, m->parts, count, odd ? wanted : NULL));
    name_rests(m, &merge);
    assert_true(
        trie_build(&sorted, &m->arena, &m->mem, m->rests.at, m->rests.count));
    uint64_t *below = &merge.trie.nodes[TRIE_ROOT].below;
    uint64_t exact = sorted.nodes[TRIE_ROOT].below;
    if (odd) { /* what is below the root may be more than is wanted */
        assert_int_equal(exact & ~*below, 0);
        *below = exact;
        assert_true(merge.trie.nodes[TRIE_ROOT].height >=
                    sorted.nodes[TRIE_ROOT].height);
        merge.trie.nodes[TRIE_ROOT].height = sorted.nodes[TRIE_ROOT].height;
    }
    check_whole(&merge.trie, &m->rests);
    trie_merge_free(&merge);
}

static void merges(void **state)
{
    (void)state;
    static Tokens from[2];
    static Merging m;
    static uint32_t rest[PARTS][1000];
    Rng rng = {31};
    m.mem = mem_from_env(NULL);
    for (uint32_t i = 0; i < PARTS; i++) m.rest[i] = rest[i];
    for (unsigned round = 0; round < 400; round++) {
        arena_init(&m.arena, &m.mem, 0);
        for (int i = 0; i < 2; i++) {
            random_tokens(&rng, 1 + rng_below(&rng, 300), round % 3 ? 5 : 256,
                          &from[i]);
            assert_true(trie_build(&m.tries[i], &m.arena, &m.mem, from[i].at,
                                   from[i].count));
        }
        uint32_t count = 1 + rng_below(&rng, PARTS);
        for (uint32_t i = 0; i < count; i++) random_part(&m, &rng, i);
        uint8_t odd = round % 2;
        check_merge(&m, count, round % 5 ? NULL : &odd, from);
        arena_free(&m.arena);
    }
}

/* ---- more sets ---- */

/* Groups are runs of bytes, in order. */
static void groups_in_order(void **state)
{
    (void)state;
    assert_int_equal(trie_group[0], 0);
    for (unsigned b = 1; b < 256; b++)
        assert_in_range(trie_group[b] - trie_group[b - 1], 0, 1);
    assert_int_equal(trie_group[255], TRIE_GROUPS - 1);
    assert_int_equal(trie_group[0x80], TRIE_BROKEN_GROUP);
    assert_int_equal(trie_group[0xC1], TRIE_BROKEN_GROUP);
    assert_int_equal(trie_group[0x7F], TRIE_BROKEN_GROUP - 1);
    assert_int_equal(trie_group[0xC2], TRIE_BROKEN_GROUP + 1);
}

/* From 8,192 on tokens are sorted by distribution first. */
static void large_sets(void **state)
{
    (void)state;
    Rng rng = {5};
    for (uint32_t count = 8191; count <= 8192; count++)
        for (uint32_t letters = 3; letters <= 256; letters += 253) {
            random_tokens(&rng, count, letters, &tokens);
            check_trie(&tokens);
        }
}

static void small_sets(void **state)
{
    (void)state;
    tokens.count = 0;
    check_trie(&tokens); /* none at all */
    token_add(&tokens, "", 0);
    check_trie(&tokens);
    token_add(&tokens, "", 0);
    token_add(&tokens, "\0", 1);
    token_add(&tokens, "\0\0", 2);
    check_trie(&tokens);
    /* alike in their first eight bytes, padded with zeros or not */
    token_add(&tokens, "\0\0\0\0\0\0\0\0", 8);
    token_add(&tokens, "\0\0\0\0\0\0\0\0\0", 9);
    token_add(&tokens, "abcdefgh", 8);
    token_add(&tokens, "abcdefghi", 9);
    token_add(&tokens, "abcdefg", 7);
    token_add(&tokens, "abcdefgh", 8);
    check_trie(&tokens);
}

/* Six children are narrow, seven wide, 256 all there are. */
static void widths(void **state)
{
    (void)state;
    for (uint32_t n = 0; n <= 256; n += n < 9 ? 1 : 13) {
        tokens.count = 0;
        for (uint32_t b = 0; b < n; b++) {
            uint8_t text[2] = {'x', (uint8_t)(255 - b)};
            token_add(&tokens, text, 2);
        }
        check_trie(&tokens);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sets), cmocka_unit_test(characters),
        cmocka_unit_test(merges),      cmocka_unit_test(groups_in_order),
        cmocka_unit_test(large_sets),  cmocka_unit_test(small_sets),
        cmocka_unit_test(widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
