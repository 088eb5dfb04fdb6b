/* packed_tally.c: values of a tally as bits and a list.
 *
 * Cost:  linear in the values and the words.   Tests: unit/list_test.c.
 */
#include "network/packed_tally.h"

/* The words of the values that are 1; how many there are of these. */
static uint32_t find_ones(const Tally *t, PackedTally *p)
{
    uint32_t nones = 0, last = 0;
    for (uint32_t i = 0; i < t->nvalues; i++) {
        if (t->values[i].value != 1) continue;
        if (!nones++) p->first = t->values[i].counter / 64;
        last = t->values[i].counter / 64;
    }
    p->nwords = nones ? last - p->first + 1 : 0;
    return nones;
}

bool tally_pack(Arena *arena, const Tally *t, PackedTally *out)
{
    PackedTally p = {
        .is_start = t->is_start, .group = t->group, .nvalues = t->nvalues};
    uint32_t nones = find_ones(t, &p);
    if (nones <= p.nwords) nones = p.nwords = 0;
    uint64_t *ones = arena_zero(arena, p.nwords * sizeof *ones);
    ListValue *others = arena_array(arena, ListValue, t->nvalues - nones);
    if (!ones || !others) return false;
    for (uint32_t i = 0; i < t->nvalues; i++) {
        ListValue v = t->values[i];
        if (nones && v.value == 1)
            ones[v.counter / 64 - p.first] |= (uint64_t)1 << v.counter % 64;
        else
            others[p.nothers++] = v;
    }
    p.ones = ones;
    p.others = others;
    *out = p;
    return true;
}

Tally tally_unpack(const PackedTally *p, ListValue *values)
{
    uint32_t n = 0, other = 0;
    for (uint32_t w = 0; w < p->nwords; w++)
        for (uint64_t bits = p->ones[w]; bits; bits &= bits - 1) {
            uint32_t c = 64 * (p->first + w) + bit_lowest(bits);
            while (other < p->nothers && p->others[other].counter < c)
                values[n++] = p->others[other++];
            values[n++] = (ListValue){c, 1};
        }
    while (other < p->nothers) values[n++] = p->others[other++];
    assert(n == p->nvalues);
    return (Tally){p->is_start, p->group, n, values};
}

static bool has_bit(const PackedTally *p, uint32_t counter)
{
    uint32_t w = counter / 64 - p->first;
    return counter / 64 >= p->first && w < p->nwords &&
           p->ones[w] >> counter % 64 & 1;
}

bool tally_is(const PackedTally *p, const Tally *t)
{
    uint32_t other = 0;
    if (p->is_start != t->is_start || p->group != t->group ||
        p->nvalues != t->nvalues)
        return false;
    for (uint32_t i = 0; i < t->nvalues; i++) {
        ListValue v = t->values[i];
        if (v.value == 1 && has_bit(p, v.counter)) continue;
        if (other == p->nothers || p->others[other].counter != v.counter ||
            p->others[other].value != v.value)
            return false;
        other++;
    }
    return true;
}
