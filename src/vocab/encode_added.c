/* encode_added.c: finding added tokens in text.
 *
 * In:    the added tokens of a spec; text.   Out: matches, left to right.
 * Method: leftmost, longest. Names are sorted; at each byte that begins one,
 *        the range of names that agree with the text so far is narrowed byte
 *        by byte. What the reference does with flags is kept: a match that is
 *        refused (special and not asked for, or within a word) still uses up
 *        its bytes.
 * Cost:  one table read a byte elsewhere; at a name's first byte, its matching
 *        bytes times log(names).
 * Tests: unit/encode_test.c
 */
#include "text/unicode.h"
#include "base/utf8.h"
#include "vocab/encode_parts.h"
#include "vocab/pretoken_class.h"

/* ---- building ----------------------------------------------------------- */

static bool is_wanted(const EncoderAdded *added, bool is_normalized)
{
    return added->content.size && added->content.size <= ENCODER_MAX_NAME &&
           added->normalized == is_normalized;
}

static void sift(AddedItem *item, uint32_t root, uint32_t count)
{
    AddedItem moved = item[root];
    for (uint32_t kid; (kid = root * 2 + 1) < count; root = kid) {
        if (kid + 1 < count &&
            span_compare(item[kid].name, item[kid + 1].name) < 0)
            kid++;
        if (span_compare(moved.name, item[kid].name) >= 0) break;
        item[root] = item[kid];
    }
    item[root] = moved;
}

/* Heap sort: in place, and no worse on hostile input. */
static void sort_items(AddedItem *item, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) sift(item, i, count);
    for (uint32_t n = count; n-- > 1;) {
        AddedItem top = item[0];
        item[0] = item[n];
        item[n] = top;
        sift(item, 0, n);
    }
}

static void index_items(AddedSet *set)
{
    uint32_t i = 0;
    for (unsigned byte = 0; byte < 257; byte++) {
        while (i < set->count && set->item[i].name.at[0] < byte) i++;
        set->first[byte] = i;
    }
}

static void copy_item(AddedSet *set, const EncoderAdded *from)
{
    uint8_t *name = set->bytes + set->nbytes;
    memcpy(name, from->content.at, from->content.size);
    set->nbytes += from->content.size;
    set->item[set->count++] = (AddedItem){
        .name = span_of(name, from->content.size),
        .id = from->id,
        .special = from->special,
        .lstrip = from->lstrip,
        .rstrip = from->rstrip,
        .single_word = from->single_word,
    };
}

bool added_build(const Mem *mem, AddedSet *set, const EncoderAdded *added,
                 uint32_t count, bool is_normalized, size_t *memory)
{
    uint32_t wanted = 0;
    size_t nbytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_wanted(&added[i], is_normalized)) continue;
        nbytes += added[i].content.size;
        wanted++;
    }
    if (!wanted) return true;
    set->item = mem_new(mem, size_mul(wanted, sizeof *set->item));
    set->bytes = mem_new(mem, nbytes);
    if (!set->item || !set->bytes) {
        mem_free(mem, set->item, wanted * sizeof *set->item);
        mem_free(mem, set->bytes, nbytes);
        *set = (AddedSet){0};
        return false;
    }
    *memory += nbytes + wanted * sizeof *set->item;
    for (uint32_t i = 0; i < count; i++)
        if (is_wanted(&added[i], is_normalized)) copy_item(set, &added[i]);
    sort_items(set->item, set->count);
    index_items(set);
    return true;
}

void added_free(const Mem *mem, AddedSet *set)
{
    mem_free(mem, set->item, set->count * sizeof *set->item);
    mem_free(mem, set->bytes, set->nbytes);
}

/* ---- finding ------------------------------------------------------------ */

/* The first item in [lo, hi) whose byte `at` is not below `byte`; all have one
 * there. */
static uint32_t lower_bound(const AddedSet *set, uint32_t lo, uint32_t hi,
                            size_t at, unsigned byte)
{
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (set->item[middle].name.at[at] < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The longest name that begins at text[pos], or NULL. */
static const AddedItem *longest_at(const AddedSet *set, Span text, size_t pos)
{
    const AddedItem *best = NULL;
    uint32_t lo = set->first[text.at[pos]];
    uint32_t hi = set->first[text.at[pos] + 1u];
    for (size_t n = 1; lo < hi; n++) {
        /* Items in [lo, hi) agree with the text in n bytes; short ones first. */
        if (set->item[lo].name.size == n) best = &set->item[lo];
        while (lo < hi && set->item[lo].name.size == n) lo++;
        if (pos + n >= text.size) break;
        unsigned byte = text.at[pos + n];
        lo = lower_bound(set, lo, hi, n, byte);
        hi = lower_bound(set, lo, hi, n, byte + 1);
    }
    return best;
}

/* Where the character that ends at `end` begins. */
static size_t rune_before(Span text, size_t end)
{
    size_t begin = end - 1;
    while (begin > 0 && end - begin < 4 && (text.at[begin] & 0xC0) == 0x80)
        begin--;
    size_t next = begin;
    utf8_decode(text, &next);
    return next == end ? begin : end - 1;
}

static bool is_blank_at(const AddedSet *set, Span text, size_t pos)
{
    size_t next;
    if (pos >= text.size || (set->keeps_spaces && text.at[pos] == ' '))
        return false;
    return pretoken_class(text, pos, &next) & CLASS_SPACE;
}

/* \w of the reference's expression: Alphabetic, marks, decimal digits,
 * connecting punctuation, joiners. */
static bool is_word_at(Span text, size_t pos)
{
    const RuneRange *ranges;
    uint32_t count;
    uint32_t rune = utf8_decode(text, &pos);
    if (rune == RUNE_BAD) return false;
    UnicodeCategory category = unicode_category(rune);
    if (rune == 0x200C || rune == 0x200D || category == UNICODE_ND ||
        category == UNICODE_PC ||
        (category >= UNICODE_MN && category <= UNICODE_ME))
        return true;
    return unicode_property(SPAN("Alphabetic"), &ranges, &count) &&
           unicode_in(ranges, count, rune);
}

static bool is_within_word(Span text, size_t begin, size_t end)
{
    return (begin > 0 && is_word_at(text, rune_before(text, begin))) ||
           (end < text.size && is_word_at(text, end));
}

static void strip_blanks(const AddedSet *set, Span text, size_t floor,
                         AddedMatch *match)
{
    while (match->item->lstrip && match->begin > floor &&
           is_blank_at(set, text, rune_before(text, match->begin)))
        match->begin = rune_before(text, match->begin);
    while (match->item->rstrip && is_blank_at(set, text, match->end))
        pretoken_class(text, match->end, &match->end);
}

/* floor: text before it belongs to earlier matches. */
bool added_next(const AddedSet *set, Span text, size_t from, size_t floor,
                bool parse_special, AddedMatch *match)
{
    for (size_t pos = from; set->count && pos < text.size; pos++) {
        uint8_t byte = text.at[pos];
        if (set->first[byte] == set->first[byte + 1u]) continue;
        const AddedItem *item = longest_at(set, text, pos);
        if (!item) continue;
        size_t end = pos + item->name.size;
        if ((item->special && !parse_special) ||
            (item->single_word && is_within_word(text, pos, end))) {
            pos = end - 1;
            continue;
        }
        *match = (AddedMatch){item, pos, end, end};
        strip_blanks(set, text, floor, match);
        return true;
    }
    return false;
}
