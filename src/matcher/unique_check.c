/* unique_check.c: whether heads that must be unique are many enough.
 *
 * A list counts its items, not what is left of their heads: if it could run out
 * of them, its items could not be had in the end. So the texts of a head are
 * counted, depth first, until there are ENOUGH; ways to spell one differently
 * (escapes, fractions, exponents) are left out. Where each beginning can go on
 * endlessly (State.is_open) nothing need be counted.
 * Cost: some 0.2 us for each byte of the texts.   Tests: unit/unique_test.c.
 */
#include "matcher/config.h"
#include "matcher/unique.h"

enum { ENOUGH = LIST_SUPPLY_LEAST, COUNT_STEPS = 100000, COUNT_DEPTH = 200 };

typedef struct CountLevel {
    ConfigSet set;
    uint32_t next; /* bytes tried */
} CountLevel;

static bool is_other_spelling(uint32_t byte)
{
    return byte == '\\' || byte == '.' || byte == 'e' || byte == 'E';
}

/* Texts of levels[0], as far as ENOUGH. Gives up counting as if there were. */
static uint32_t count_texts(Stepper *s, CountLevel *levels)
{
    uint32_t depth = 0, steps = 0, found = 0;
    while (found < ENOUGH && !stepper_status(s)) {
        CountLevel *l = &levels[depth], *below = l + 1;
        if (++steps > COUNT_STEPS) return ENOUGH;
        if (l->next == 256 || depth == COUNT_DEPTH) {
            if (!depth--) return found;
            continue;
        }
        uint32_t byte = l->next++;
        if (is_other_spelling(byte)) continue;
        set_step(s, &l->set, (uint8_t)byte, &below->set);
        if (set_is_empty(&below->set)) continue;
        found += set_is_complete(s, &below->set);
        below->next = 0;
        depth += below->set.list.count > 0;
    }
    return found;
}

static bool check_head(Stepper *s, CountLevel *levels, State *start,
                       weir_error *err)
{
    levels[0].next = 0;
    set_clear(&levels[0].set);
    set_add(s, &levels[0].set, (Config){.q = start});
    uint32_t found = count_texts(s, levels);
    if (stepper_status(s) == WEIR_NO_MEMORY) return diag_no_memory(err);
    if (stepper_status(s))
        return diag_fail(err, stepper_status(s), 0, 0,
                         "the texts of what must be unique cannot be counted");
    if (found >= ENOUGH) return true;
    return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "what must be unique in a list has %u texts only, so that "
                     "the list could run out of them",
                     found);
}

static bool check_all(Network *net, Stepper *s, CountLevel *levels,
                      weir_error *err)
{
    for (uint32_t i = 0; i < net->lowered.unique_heads.count; i++) {
        bool is_open;
        State *start =
            network_called(net, net->lowered.unique_heads.at[i], &is_open);
        if (!start) {
            *err = network_error(net);
            return false;
        }
        stepper_clear(s);
        if (!is_open && !check_head(s, levels, start, err)) return false;
    }
    return true;
}

bool unique_check(Network *net, const weir_limits *limits, weir_error *err)
{
    enum { LEVELS = COUNT_DEPTH + 2 };
    StackHub hub;
    Stepper s;
    if (!net->lowered.unique_heads.count) return true;
    CountLevel *levels = mem_zero(net->mem, LEVELS * sizeof *levels);
    if (!levels) return diag_no_memory(err);
    bool ok = stackhub_init(&hub, net->mem, 0) || diag_no_memory(err);
    if (ok) {
        stepper_init(&s, net->mem, &hub, limits, true);
        ok = check_all(net, &s, levels, err);
        stepper_free(&s);
        stackhub_free(&hub);
    }
    for (uint32_t i = 0; i < LEVELS; i++)
        vec_free(net->mem, &levels[i].set.list);
    mem_free(net->mem, levels, LEVELS * sizeof *levels);
    return ok;
}
