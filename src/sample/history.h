/* history.h: the tokens that penalties look at, and notes by token. */
#ifndef WEIR_SAMPLE_HISTORY_H
#define WEIR_SAMPLE_HISTORY_H

#include "base/mem.h"
#include "base/vec.h"

/* Stands in the history for a token that the penalties shall not see. */
#define HISTORY_GAP UINT32_MAX
/* Ids are below; the vocabularies' limit. */
#define HISTORY_MAX_IDS (4u << 20)

/* About one token. Marks are those of history_touch. */
typedef struct Note {
    uint32_t count;  /* in the window of the penalties */
    uint32_t mark;   /* the number of the walk that has been here */
    uint32_t repeat; /* DRY: the longest repeat that it would extend */
} Note;

typedef struct History {
    VEC(uint32_t) taken;
    uint32_t window; /* tokens counted, from the end */
    VEC(Note) notes; /* by id */
    uint32_t walk;
    VEC(uint32_t) repeats; /* DRY's, by place in its window */
} History;

void history_free(History *h, const Mem *mem);
/* Room for notes on ids below `width`. False: out of memory. */
bool history_width(History *h, const Mem *mem, size_t width);
/* Takes a token or a gap. False: out of memory, or the id is too large. */
bool history_add(History *h, const Mem *mem, uint32_t id);
/* Takes back one. */
void history_remove(History *h);
void history_clear(History *h);
bool history_copy(History *to, const History *from, const Mem *mem);

/* Begins a walk over tokens that visits each id once. */
static inline void history_walk(History *h)
{
    h->walk++;
}
/* Whether the walk meets the id for the first time. */
static inline bool history_touch(History *h, uint32_t id)
{
    if (id == HISTORY_GAP || h->notes.at[id].mark == h->walk) return false;
    h->notes.at[id].mark = h->walk;
    return true;
}
/* The i-th from the end, i from 0. */
static inline uint32_t history_last(const History *h, size_t i)
{
    return h->taken.at[h->taken.count - 1 - i];
}

#endif
