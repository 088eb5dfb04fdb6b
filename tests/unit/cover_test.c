/* cover_test.c: rows of tokens by their characters, each token judged alone.
 *
 * Random tokens of characters of all lengths, some cut off or ill formed, and
 * random sets of first bytes. A token belongs to the row of a set if it begins
 * some UTF-8 text all of whose characters begin with a byte of the set.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/objects.h"
#include "base/utf8.h"
#include "mask/cover.h"
#include "oracle/rng.h"

enum { TOKENS = 1500, MOST = 40 };

typedef struct Texts {
    char text[TOKENS][MOST];
    weir_token token[TOKENS];
} Texts;

static const char *const pieces[] = {
    "a",    "b",        " ",        "\"",           "\xC3\xA9",
    "\xC2", "\xC3",     "\xA9",     "\xE0\xA0\x80", "\xE0\xA0",
    "\xE4", "\xE4\xB8", "\xED\x9F", "\xED\xA0",     "\xF0\x9F\x98\x80",
    "\xF4", "\x8F",     "\xC1",     "\xE2\x80\xA8", "\xF1\x80\x80",
};

static void texts_make(Texts *t, Rng *rng)
{
    for (uint32_t i = 0; i < TOKENS; i++) {
        size_t size = 0;
        uint32_t plain = rng_chance(rng, 70) ? 4 : COUNT_OF(pieces);
        for (uint32_t n = 1 + rng_below(rng, i % 50 ? 4 : 9); n; n--) {
            const char *piece = pieces[rng_below(rng, plain)];
            memcpy(t->text[i] + size, piece, strlen(piece));
            size += strlen(piece);
        }
        t->token[i] = (weir_token){{t->text[i], size}, 0};
    }
}

/* True if the bytes are a character, or begin one. */
static bool begins_character(Span text)
{
    static const uint8_t ends[] = {0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF};
    uint8_t whole[8];
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        for (size_t more = 0; more <= 3; more++) {
            size_t pos = 0, size = text.size + more;
            memcpy(whole, text.at, text.size);
            whole[text.size] = ends[i];
            whole[text.size + 1] = whole[text.size + 2] = 0x80;
            if (utf8_decode(span_of(whole, size), &pos) != RUNE_BAD &&
                pos == size)
                return true;
        }
    return false;
}

/* Bytes that are no continuation. */
static uint32_t starts_of(Span text)
{
    uint32_t n = 0;
    for (size_t i = 0; i < text.size; i++) n += (text.at[i] & 0xC0) != 0x80;
    return n;
}

/* The characters of the text if all begin with a byte of the set; else 0. */
static uint32_t characters_of(Span text, const ByteSet *units)
{
    uint32_t n = 0;
    for (size_t pos = 0, size; pos < text.size; pos += size, n++) {
        Span rest = span_of(text.at + pos, text.size - pos);
        if (!byteset_has(units, rest.at[0])) return 0;
        size = 0;
        for (size_t s = 1; s <= MIN(rest.size, 4) && !size; s++) {
            size_t end = 0;
            if (utf8_decode(span_of(rest.at, s), &end) != RUNE_BAD && end == s)
                size = s;
        }
        if (size) continue;
        if (rest.size > 3 || !begins_character(rest)) return 0;
        size = rest.size;
    }
    return n;
}

/* Few or most of the first bytes that there are. */
static ByteSet random_units(Rng *rng)
{
    ByteSet units = {{0}};
    unsigned percent = 20 + 15 * rng_below(rng, 6);
    for (unsigned b = 0; b < 256; b++)
        if (rng_chance(rng, percent) && (b < 0x80 || b >= 0xC2))
            byteset_add(&units, (uint8_t)b);
    return units;
}

/* A node below which the cover's tokens are, and the bytes above it. */
typedef struct Below {
    uint32_t node;
    uint8_t prefix[MOST];
    size_t size;
} Below;

static Below random_below(const Trie *trie, Rng *rng)
{
    Below below = {.node = TRIE_ROOT};
    const TrieNode *n = &trie->nodes[TRIE_ROOT];
    while (n->nchildren && rng_chance(rng, 40)) {
        below.node = n->child + rng_below(rng, n->nchildren);
        n = &trie->nodes[below.node];
        below.prefix[below.size++] = n->byte;
    }
    return below;
}

static void check_row(const Texts *t, const Below *below, const ByteSet *units,
                      uint32_t most, const uint32_t *row)
{
    Span prefix = span_of(below->prefix, below->size);
    for (uint32_t id = 0; id < TOKENS; id++) {
        Span text = span_from(t->token[id].bytes);
        bool has = false;
        if (text.size > prefix.size && span_starts(text, prefix))
            has = characters_of(
                      span_of(text.at + prefix.size, text.size - prefix.size),
                      units) &&
                  starts_of(text) <= most;
        assert_int_equal(row[id / 32] >> id % 32 & 1, has);
    }
}

static void rows_are_exact(void **state)
{
    (void)state;
    static Texts texts;
    static uint32_t row[WEIR_MASK_WORDS(TOKENS)];
    Rng rng = {3};
    texts_make(&texts, &rng);
    weir_vocab *v = weir_vocab_new(NULL, texts.token, TOKENS, NULL, NULL);
    assert_non_null(v);
    CoverTable *covers = &v->masks.covers;
    for (int i = 0; i < 80; i++) {
        ByteSet units = random_units(&rng);
        Below below = random_below(covers->trie, &rng);
        const Cover *cover = cover_find(covers, below.node, &units);
        assert_non_null(cover);
        assert_ptr_equal(cover_find(covers, below.node, &units), cover);
        check_row(&texts, &below, &units, UINT32_MAX, cover->row);
        for (uint32_t most = 0; most < 12; most++) {
            const uint32_t *upto = cover_upto(covers, cover, most);
            assert_ptr_equal(cover_upto(covers, cover, most), upto);
            check_row(&texts, &below, &units, most, upto);
            cover_write(covers, cover, most, row);
            check_row(&texts, &below, &units, most, row);
        }
        for (uint32_t most = 12; most; most *= 2) { /* past all bits, too */
            cover_write(covers, cover, most, row);
            check_row(&texts, &below, &units, most, row);
        }
    }
    weir_vocab_free(v);
}

/* When the table is full, what is kept stays, and nothing more is. */
static void the_table_ends(void **state)
{
    (void)state;
    static Texts texts;
    Rng rng = {4};
    texts_make(&texts, &rng);
    weir_vocab *v = weir_vocab_new(NULL, texts.token, TOKENS, NULL, NULL);
    CoverTable *covers = &v->masks.covers;
    ByteSet units = random_units(&rng), others = random_units(&rng);
    const Cover *cover = cover_find(covers, TRIE_ROOT, &units);
    covers->arena.limit = covers->arena.total;
    while (arena_alloc(&covers->arena, 16)) {}
    assert_ptr_equal(cover_find(covers, TRIE_ROOT, &units), cover);
    assert_null(cover_find(covers, TRIE_ROOT, &others));
    assert_null(cover_upto(covers, cover, 2));
    assert_ptr_equal(cover_upto(covers, cover, MOST), cover->row);
    weir_vocab_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_exact),
        cmocka_unit_test(the_table_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
