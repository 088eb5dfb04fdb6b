/* next.c: from the bytes that may come next to the characters.
 *
 * A walk over the UTF-8 trie: each byte that may come is stepped over, and
 * whatever the last byte of a character may be makes ranges. The bytes are
 * tried in order, so the ranges come in order too. Cost: at most 21,000 steps,
 * times the configurations; cut short after NEXT_WORK of them.
 * Tests: unit/explain_test.c, with characters counted by hand.
 */
#include "matcher/next.h"

#include "base/utf8.h"

enum { NEXT_WORK = 1000000, LEVELS = 3 };

typedef struct NextWalk {
    NextRunes *out;
    Stepper *s;
    uint32_t work;
    ConfigSet sets[LEVELS]; /* after 1, 2, 3 bytes of a character */
} NextWalk;

static void add_range(NextWalk *w, uint32_t lo, uint32_t hi)
{
    NextRunes *out = w->out;
    Range *last =
        out->runes.count ? &out->runes.at[out->runes.count - 1] : NULL;
    if (last && last->hi + 1 == lo)
        last->hi = hi;
    else if (!vec_push(w->s->mem, &out->runes, (Range){lo, hi}))
        out->is_cut = true;
}

/* The continuation bytes in [lo, hi] of `first` as the last six bits. */
static bool add_last(NextWalk *w, const ByteSet *first, uint32_t rune,
                     uint8_t lo, uint8_t hi)
{
    bool any = false;
    for (unsigned b = lo; b <= hi; b++) {
        if (!byteset_has(first, (uint8_t)b)) continue;
        unsigned end = b;
        while (end < hi && byteset_has(first, (uint8_t)(end + 1))) end++;
        add_range(w, rune << 6 | (b & 0x3F), rune << 6 | (end & 0x3F));
        b = end;
        any = true;
    }
    return any;
}

/* The second byte's bounds: no overlong form, no surrogate, no rune too
 * large. */
static void second_bounds(uint8_t lead, uint8_t *lo, uint8_t *hi)
{
    *lo = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *hi = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
}

static bool step_to(NextWalk *w, const ConfigSet *from, uint8_t byte,
                    unsigned level)
{
    w->work += 1 + from->list.count;
    if (w->work > NEXT_WORK || stepper_status(w->s)) {
        w->out->is_cut = true;
        return false;
    }
    set_step(w->s, from, byte, &w->sets[level]);
    return !stepper_status(w->s);
}

/* Characters with `level` bytes read, `left` still to come, the next of them
 * in [lo, hi]. True if there are any. */
static bool walk_rest(NextWalk *w, unsigned level, unsigned left, uint32_t rune,
                      uint8_t lo, uint8_t hi)
{
    ByteSet first;
    bool any = false;
    const ConfigSet *set = &w->sets[level - 1];
    set_first(w->s, set, &first);
    if (left == 1) return add_last(w, &first, rune, lo, hi);
    for (unsigned b = lo; b <= hi; b++)
        if (byteset_has(&first, (uint8_t)b) &&
            step_to(w, set, (uint8_t)b, level))
            any |= walk_rest(w, level + 1, left - 1, rune << 6 | (b & 0x3F),
                             0x80, 0xBF);
    return any;
}

static void walk_lead(NextWalk *w, const ConfigSet *set, uint8_t lead)
{
    unsigned left = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    uint8_t lo, hi;
    second_bounds(lead, &lo, &hi);
    bool any = lead >= 0xC2 && lead <= 0xF4 && step_to(w, set, lead, 0) &&
               walk_rest(w, 1, left, lead & (0x3Fu >> left), lo, hi);
    if (!any && !w->out->is_cut) byteset_add(&w->out->bytes, lead);
}

void next_runes(NextRunes *next, Stepper *s, const ConfigSet *set)
{
    NextWalk w = {.out = next, .s = s};
    ByteSet first;
    *next = (NextRunes){.is_cut = false};
    set_first(s, set, &first);
    for (unsigned b = 0; b < 256 && !next->is_cut; b++) {
        if (!byteset_has(&first, (uint8_t)b)) continue;
        if (b < 0x80)
            add_range(&w, b, b);
        else
            walk_lead(&w, set, (uint8_t)b);
    }
    if (stepper_status(s)) next->is_cut = true;
    for (unsigned i = 0; i < LEVELS; i++) vec_free(s->mem, &w.sets[i].list);
}

uint32_t next_count(const NextRunes *next)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < next->runes.count; i++)
        n += next->runes.at[i].hi - next->runes.at[i].lo + 1;
    return n;
}
