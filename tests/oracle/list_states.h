/* list_states.h: everything that can have been counted in a list, one by one:
 * groups and counters as they are, without any thought. */
#ifndef WEIR_TESTS_LIST_STATES_H
#define WEIR_TESTS_LIST_STATES_H

#include "syntax/ir.h"

enum { LIST_STATES_MAX = 4096, LIST_KINDS_MAX = 12, LIST_COUNTERS_MAX = 4 };

/* State 0: no item yet. */
typedef struct ListState {
    uint32_t group, value[LIST_COUNTERS_MAX];
    bool ends;                     /* counters and needs are satisfied */
    uint16_t next[LIST_KINDS_MAX]; /* after an item of a kind; 0: not allowed */
} ListState;

typedef struct ListStates {
    uint32_t count, cap;
    ListState *at;
} ListStates;

void list_states_make(ListStates *states, const ListSpec *list);
void list_states_free(ListStates *states);

/* live[s]: some items of usable kinds lead from s to an end. */
void list_states_live(const ListStates *states, const ListSpec *list,
                      const bool *usable, bool can_go_on, bool *live);

#endif
