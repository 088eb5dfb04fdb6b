/* near.c: names in messages.
 *
 * Method: the distance is Damerau's, restricted (a swap counts one, and what
 *        was swapped is not changed again). Only cells within two of the
 *        diagonal matter, so a pair costs five cells a byte.
 * Tests: unit/near_test.c
 */
#include "schema/near.h"

Quote quote(Span text)
{
    enum { ROOM = sizeof(Quote) - sizeof "\"...\"" };
    Quote q;
    size_t size = MIN(text.size, ROOM), at = 0;
    /* Not within a character. */
    while (size < text.size && size && (text.at[size] & 0xC0) == 0x80) size--;
    q.text[at++] = '"';
    for (size_t i = 0; i < size; i++)
        q.text[at++] = text.at[i] < 0x20 ? ' ' : (char)text.at[i];
    for (int i = 0; size < text.size && i < 3; i++) q.text[at++] = '.';
    q.text[at++] = '"';
    q.text[at] = 0;
    return q;
}

/* A row of the table: cell k is the distance of a's first i bytes from b's
 * first i + k - 2. */
typedef struct Row {
    unsigned cell[5];
} Row;

static bool swaps(Span a, Span b, size_t i, size_t j)
{
    return i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] &&
           a.at[i - 2] == b.at[j - 1];
}

static Row next_row(Span a, Span b, size_t i, const Row *before,
                    const Row *last)
{
    Row row;
    for (size_t k = 0; k < 5; k++) {
        row.cell[k] = NEAR_FAR;
        if (i + k < 2 || i + k - 2 > b.size) continue;
        size_t j = i + k - 2;
        unsigned best = k < 4 ? last->cell[k + 1] + 1 : NEAR_FAR; /* left out */
        if (k) best = MIN(best, row.cell[k - 1] + 1);             /* put in */
        if (j) {
            unsigned change = a.at[i - 1] != b.at[j - 1];
            best = MIN(best, last->cell[k] + change);
        }
        if (swaps(a, b, i, j)) best = MIN(best, before->cell[k] + 1);
        row.cell[k] = MIN(best, NEAR_FAR);
    }
    return row;
}

unsigned near_distance(Span a, Span b)
{
    if (a.size + 2 < b.size || b.size + 2 < a.size) return NEAR_FAR;
    Row before, last = {{NEAR_FAR, NEAR_FAR, 0, 1, 2}};
    before = last;
    if (b.size < 2) last.cell[4] = NEAR_FAR;
    if (b.size < 1) last.cell[3] = NEAR_FAR;
    for (size_t i = 1; i <= a.size; i++) {
        Row row = next_row(a, b, i, &before, &last);
        before = last;
        last = row;
    }
    return last.cell[b.size + 2 - a.size];
}

Quote near_member(const Json *json, JsonId object, Span name)
{
    enum { MOST = 1000 };
    Quote nearest = {""};
    unsigned least = NEAR_FAR, count = 0;
    if (json_kind(json, object) != JSON_OBJECT) return nearest;
    for (JsonIter it = json_iter(json, object);
         json_step(&it) && count++ < MOST;) {
        unsigned distance = near_distance(name, it.key);
        if (distance >= least || !near_is_meant(distance, name.size)) continue;
        least = distance;
        nearest = quote(it.key);
    }
    return nearest;
}
