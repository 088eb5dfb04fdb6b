/* history.c: tokens taken, and how often each is in the window.
 *
 * Holds: notes[id].count is the number of `id` among the last `window` of
 * taken; every id taken has a note.
 * Tests: unit/sampler_test.c.
 */
#include "sample/history.h"

void history_free(History *h, const Mem *mem)
{
    vec_free(mem, &h->taken);
    vec_free(mem, &h->notes);
    vec_free(mem, &h->repeats);
}

bool history_width(History *h, const Mem *mem, size_t width)
{
    uint32_t have = h->notes.count;
    if (width <= have) return true;
    if (width > HISTORY_MAX_IDS || !vec_reserve(mem, &h->notes, width))
        return false;
    memset(h->notes.at + have, 0, (width - have) * sizeof *h->notes.at);
    h->notes.count = (uint32_t)width;
    return true;
}

static void count(History *h, uint32_t id, uint32_t change)
{
    if (id != HISTORY_GAP) h->notes.at[id].count += change;
}

bool history_add(History *h, const Mem *mem, uint32_t id)
{
    if (id != HISTORY_GAP && !history_width(h, mem, (size_t)id + 1))
        return false;
    if (!vec_push(mem, &h->taken, id)) return false;
    if (!h->window) return true;
    count(h, id, 1);
    if (h->taken.count > h->window)
        count(h, history_last(h, h->window), UINT32_MAX);
    return true;
}

void history_remove(History *h)
{
    if (h->window) {
        count(h, history_last(h, 0), UINT32_MAX);
        if (h->taken.count > h->window) count(h, history_last(h, h->window), 1);
    }
    h->taken.count--;
}

void history_clear(History *h)
{
    while (h->taken.count) history_remove(h);
}

bool history_copy(History *to, const History *from, const Mem *mem)
{
    to->window = from->window;
    if (!history_width(to, mem, from->notes.count)) return false;
    for (uint32_t i = 0; i < from->taken.count; i++)
        if (!history_add(to, mem, from->taken.at[i])) return false;
    return true;
}
