/* config.h: sets of configurations, and what a byte does to them.
 *
 * A configuration (state, register, stacks) is one way to read the text so
 * far, up to the choice among its stacks. A set has at most one configuration
 * per (state, register, record), sorted; one nearly always, several when the
 * grammar is ambiguous. States that can only return are never kept: they return at
 * once. `ends`: the text so far is complete and this reading cannot go on.
 */
#ifndef WEIR_MATCHER_CONFIG_H
#define WEIR_MATCHER_CONFIG_H

#include "matcher/stack.h"
#include "matcher/unique.h"

typedef struct Config {
    State *q;
    const StackNode *stack;
    uint32_t reg;
    uint32_t record; /* of heads that must be unique (unique.h); 0: none */
} Config;

static inline bool config_same(const Config *a, const Config *b)
{
    return a->q == b->q && a->stack == b->stack && a->reg == b->reg &&
           a->record == b->record;
}

typedef struct ConfigSet {
    VEC(Config) list;
    bool ends;
    uint32_t nchars; /* characters begun so far; only with budgets */
} ConfigSet;

/* What stepping needs. One thread. With `unique`, set_step appends the byte to
 * the table's text if it can be read; without, records are to be 0. */
typedef struct Stepper {
    const Mem *mem;
    StackUser stacks;
    uint32_t max_configs;
    bool has_budgets;    /* some rule has max_tokens or max_chars */
    uint32_t ntokens;    /* taken so far; only with budgets */
    uint32_t nchars;     /* of the set being stepped */
    UniqueTable *unique; /* what must differ does; or NULL: it need not */
    uint64_t npassed;    /* ends of heads that were passed */
    VEC(Config) todo;    /* configurations still to be returned from */
    VEC(Config) pending; /* configurations still to be added */
} Stepper;

void stepper_init(Stepper *s, const Mem *mem, StackHub *hub,
                  const weir_limits *limits, bool to_scratch);
void stepper_free(Stepper *s);
/* OK, NO_MEMORY, or the limit reached; sticky until stepper_clear. */
static inline weir_status stepper_status(const Stepper *s)
{
    return s->stacks.status;
}
/* Begins a call: no error, no work done. */
static inline void stepper_clear(Stepper *s)
{
    s->stacks.status = WEIR_OK;
    s->stacks.work = 0;
}

/* What a byte does to one configuration when only one reading goes on. */
typedef enum ConfigNext {
    CONFIG_MOVED, /* *given is the configuration after the byte */
    CONFIG_DEAD,  /* the byte is refused */
    CONFIG_FORKS  /* several readings, or the end: use sets; *given stays */
} ConfigNext;
/* `cell`: what state_next says of the byte, an error included. */
ConfigNext config_next(Stepper *s, Config *given, uint8_t byte, uintptr_t cell);

/* c goes back to an entry of its stack. False: the head that ends there has
 * been there before, or failure. */
bool config_return(Stepper *s, Config *c, const StackEntry *e);

/* Adds a configuration, returning from states that are done. */
void set_add(Stepper *s, ConfigSet *set, Config config);
/* Adds what c becomes by a move of its state. */
void set_move(Stepper *s, Config c, const Move *m, ConfigSet *out);
/* *out = the set after `byte`; empty and without `ends`: refused. */
void set_step(Stepper *s, const ConfigSet *in, uint8_t byte, ConfigSet *out);
/* The same for records, without a look at what must follow: see unique_prune.
 */
void set_step_raw(Stepper *s, const ConfigSet *in, uint8_t byte,
                  ConfigSet *out);
/* *out = the set after token `id` by token edges alone. */
void set_step_token(Stepper *s, const ConfigSet *in, uint32_t id,
                    ConfigSet *out);
/* Adds all of `from` to `into`. */
void set_merge(Stepper *s, ConfigSet *into, const ConfigSet *from);
bool set_copy(const Mem *mem, ConfigSet *to, const ConfigSet *from);

static inline void set_clear(ConfigSet *set)
{
    set->list.count = 0;
    set->ends = false;
}
static inline bool set_is_empty(const ConfigSet *set)
{
    return !set->list.count && !set->ends;
}

/* True if the text so far is complete. */
bool set_is_complete(Stepper *s, const ConfigSet *set);
/* Bytes that may come next. */
void set_first(Stepper *s, const ConfigSet *set, ByteSet *first);
/* Whether every reading is within a character where no token may end. */
static inline bool set_is_held(const ConfigSet *set)
{
    bool any = set->ends || !set->list.count;
    for (uint32_t i = 0; !any && i < set->list.count; i++)
        any = !set->list.at[i].q->is_held;
    return !any;
}
/* True if some token edge may be taken. */
bool set_has_tokens(Stepper *s, const ConfigSet *set);
/* The only byte that can follow, where no token and no end can; or -1. */
int set_only_byte(Stepper *s, const ConfigSet *set);

/* Calls visit for every configuration of the set and every one reached by
 * returning from those that may; each once. True if the empty stack is among
 * what is reached. `visit` may be NULL. */
bool set_each_return(Stepper *s, const ConfigSet *set,
                     void (*visit)(void *user, Config config), void *user);

/* True if token `id` is in the TOKENS set of a move. */
bool token_move_takes(const TokenMove *move, uint32_t id);

#endif
