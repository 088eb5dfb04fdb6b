/* encode_nfc.c: Unicode normalisation form C (UAX #15).
 *
 * In:    text.   Out: its NFC form, in run->normal, behind a space.
 * Method: decompose fully, put marks in canonical order, compose. A rune is
 *        kept as one word: its combining class above its 21 bits. Bytes that
 *        are not UTF-8 stand as BROKEN + byte: starters that nothing composes
 *        with. nfc_is_needed answers for nearly all text without any of this.
 * Cost:  linear; a long run of marks is sorted by counting.
 * Tests: unit/encode_test.c, unit/encode_reference_test.c (Qwen3)
 */
#include "base/utf8.h"
#include "vocab/encode_nfc_tables.h"
#include "vocab/encode_parts.h"

enum { BROKEN = 0x110000, RUNE_BITS = 21, RUNE_MASK = (1 << RUNE_BITS) - 1 };
enum { FIRST_CHECKED = 0x300, SHORT_RUN = 16 };

/* Hangul: syllable = S + (lead * V_COUNT + vowel) * T_COUNT + tail. */
enum { L = 0x1100, V = 0x1161, T = 0x11A7, S = 0xAC00 };
enum { L_COUNT = 19, V_COUNT = 21, T_COUNT = 28, S_COUNT = 11172 };

/* ---- tables ------------------------------------------------------------- */

/* The last row whose `a` is not above the rune, or NULL. */
static const NfcTriple *find_row(const NfcTriple *row, uint32_t count,
                                 uint32_t rune)
{
    uint32_t lo = 0, hi = count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (row[middle].a <= rune)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo ? &row[lo - 1] : NULL;
}

static uint32_t class_of(uint32_t rune)
{
    if (rune < FIRST_CHECKED) return 0;
    const NfcTriple *row = find_row(nfc_classes, nfc_classes_count, rune);
    return row && rune <= row->b ? row->c : 0;
}

static bool is_checked(uint32_t rune)
{
    uint32_t lo = 0, hi = nfc_checks_count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (rune < nfc_checks[middle].lo)
            hi = middle;
        else if (rune > nfc_checks[middle].hi)
            lo = middle + 1;
        else
            return true;
    }
    return false;
}

bool nfc_is_needed(Span text)
{
    for (size_t pos = 0; pos < text.size;) {
        if (text.at[pos] < 0xCC) { /* below U+0300, or broken */
            pos++;
            continue;
        }
        uint32_t rune = utf8_decode(text, &pos);
        if (rune != RUNE_BAD && is_checked(rune)) return true;
    }
    return false;
}

/* ---- decomposing -------------------------------------------------------- */

static void put(EncodeRun *run, uint32_t rune)
{
    uint32_t word = class_of(rune) << RUNE_BITS | rune;
    if (!vec_push(&run->encoder->mem, &run->runes, word)) run->failed = true;
}

static void put_hangul(EncodeRun *run, uint32_t index)
{
    put(run, L + index / (V_COUNT * T_COUNT));
    put(run, V + index / T_COUNT % V_COUNT);
    if (index % T_COUNT) put(run, T + index % T_COUNT);
}

/* Only the first part of a split may split again. */
static void decompose(EncodeRun *run, uint32_t rune)
{
    uint32_t tails[8], ntails = 0;
    if (rune >= S && rune < S + S_COUNT) {
        put_hangul(run, rune - S);
        return;
    }
    while (rune >= 0xC0 && ntails < COUNT_OF(tails)) {
        const NfcTriple *row = find_row(nfc_splits, nfc_splits_count, rune);
        if (!row || row->a != rune) break;
        if (row->c) tails[ntails++] = row->c;
        rune = row->b;
    }
    put(run, rune);
    while (ntails) put(run, tails[--ntails]);
}

/* ---- canonical order ---------------------------------------------------- */

static void sort_short(uint32_t *word, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = word[i], j = i;
        for (; j && word[j - 1] >> RUNE_BITS > moved >> RUNE_BITS; j--)
            word[j] = word[j - 1];
        word[j] = moved;
    }
}

static void sort_long(EncodeRun *run, uint32_t *word, uint32_t count)
{
    uint32_t begin[257] = {0};
    if (!vec_reserve(&run->encoder->mem, &run->sorted, count)) {
        run->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) begin[(word[i] >> RUNE_BITS) + 1]++;
    for (unsigned c = 1; c < 257; c++) begin[c] += begin[c - 1];
    for (uint32_t i = 0; i < count; i++)
        run->sorted.at[begin[word[i] >> RUNE_BITS]++] = word[i];
    memcpy(word, run->sorted.at, count * sizeof *word);
}

/* Stable, by class, within each run of marks. */
static void sort_marks(EncodeRun *run)
{
    uint32_t *word = run->runes.at, count = run->runes.count;
    for (uint32_t i = 0, end; i < count; i = end + 1) {
        for (end = i; end < count && word[end] >> RUNE_BITS;) end++;
        if (end - i > SHORT_RUN)
            sort_long(run, word + i, end - i);
        else
            sort_short(word + i, end - i);
    }
}

/* ---- composing ---------------------------------------------------------- */

static uint32_t compose_hangul(uint32_t a, uint32_t b)
{
    if (a >= L && a < L + L_COUNT && b >= V && b < V + V_COUNT)
        return S + ((a - L) * V_COUNT + (b - V)) * T_COUNT;
    bool is_open = a >= S && a < S + S_COUNT && (a - S) % T_COUNT == 0;
    return is_open && b > T && b < T + T_COUNT ? a + (b - T) : 0;
}

/* The character that a followed by b composes to, or 0. */
static uint32_t compose(uint32_t a, uint32_t b)
{
    const NfcTriple *row = find_row(nfc_pairs, nfc_pairs_count, a);
    for (; row && row->a == a; row = row > nfc_pairs ? row - 1 : NULL)
        if (row->b == b) return row->c;
    return compose_hangul(a, b);
}

/* In place. A rune composes with the last starter unless one of its class or
 * higher, or a starter, stands between. */
static void compose_all(EncodeRun *run)
{
    uint32_t *word = run->runes.at, out = 0, starter = ENCODER_NONE, last = 0;
    for (uint32_t i = 0; i < run->runes.count; i++) {
        uint32_t rune = word[i] & RUNE_MASK, class = word[i] >> RUNE_BITS;
        bool is_near = starter != ENCODER_NONE &&
                       (out == starter + 1 || (last && last < class));
        uint32_t joined = is_near ? compose(word[starter], rune) : 0;
        if (joined) {
            word[starter] = joined;
            continue;
        }
        if (!class) starter = out;
        last = class;
        word[out++] = word[i];
    }
    run->runes.count = out;
}

/* ---- text --------------------------------------------------------------- */

static uint32_t put_rune(uint8_t *at, uint32_t rune)
{
    if (rune < BROKEN) return utf8_encode(rune, at);
    *at = (uint8_t)(rune - BROKEN);
    return 1;
}

static void put_text(EncodeRun *run)
{
    ByteVec *to = &run->normal;
    size_t most = (size_t)run->runes.count * 4 + 1;
    to->count = 0;
    if (!vec_reserve(&run->encoder->mem, to, most)) {
        run->failed = true;
        return;
    }
    to->at[to->count++] = ' ';
    for (uint32_t i = 0; i < run->runes.count; i++)
        to->count += put_rune(to->at + to->count, run->runes.at[i] & RUNE_MASK);
}

uint8_t *nfc_spaced(EncodeRun *run, Span text)
{
    run->runes.count = 0;
    for (size_t pos = 0; pos < text.size && !run->failed;) {
        uint8_t byte = text.at[pos];
        uint32_t rune = utf8_decode(text, &pos);
        if (rune == RUNE_BAD)
            put(run, BROKEN + byte);
        else
            decompose(run, rune);
    }
    if (!run->failed) sort_marks(run);
    if (!run->failed) compose_all(run);
    if (!run->failed) put_text(run);
    return run->failed ? NULL : run->normal.at + 1;
}
