/* unique_check.c: whether heads that must be unique are many enough.
 *
 * A list counts its items, not what is left of their heads: if it could run out
 * of them, its items could not be had in the end. So the texts of a head are
 * counted, depth first, until there are ENOUGH that differ by what they mean;
 * ways to spell one differently (fractions, exponents, blanks) are left out. Where each beginning can go on endlessly (State.is_open) nothing need be
 * counted.
 * Cost: some 0.2 us for each byte of the texts.   Tests: unit/unique_test.c.
 */
#include "matcher/meaning.h"
#include "matcher/unique_answers.h"

enum { ENOUGH = LIST_SUPPLY_LEAST, COUNT_STEPS = 100000, COUNT_DEPTH = 200 };

typedef struct CountLevel {
    ConfigSet set;
    ByteSet first;
    uint32_t next; /* bytes tried */
} CountLevel;

typedef struct Count {
    Stepper *s;
    CountLevel *levels;
    UniqueAnswers found; /* hashes of meanings */
    MeaningBytes meaning;
} Count;

/* Of a number: a fraction or exponent, which may make it another or not. */
static bool is_other_spelling(const Count *c, uint32_t depth, uint8_t byte)
{
    uint32_t last = depth ? c->levels[depth - 1].next - 1 : 0;
    bool is_mark = byte == '.' || byte == 'e' || byte == 'E';
    return is_mark && last >= '0' && last <= '9';
}

/* The text of the bytes tried last, up to this level's. */
static void count_text(Count *c, uint32_t depth)
{
    const Mem *mem = c->s->mem;
    uint8_t text[COUNT_DEPTH + 1];
    for (uint32_t i = 0; i <= depth; i++)
        text[i] = (uint8_t)(c->levels[i].next - 1);
    c->meaning.count = 0;
    if (!meaning_value(mem, span_of(text, depth + 1), &c->meaning)) {
        c->s->stacks.status = WEIR_NO_MEMORY;
        return;
    }
    Span meaning = span_of(c->meaning.at, c->meaning.count);
    unique_answer_keep(&c->found, mem, unique_hash(LIST_UNIQUE_VALUE, meaning),
                       true);
}

/* Goes on with a level's set. */
static void count_begin(Count *c, uint32_t depth)
{
    c->levels[depth].next = 0;
    unique_search_bytes(c->s, &c->levels[depth].set, &c->levels[depth].first);
}

/* Texts of levels[0], as far as ENOUGH. Gives up counting, after many steps or
 * in long texts, as if there were. */
static uint32_t count_texts(Count *c)
{
    uint32_t depth = 0, steps = 0;
    count_begin(c, 0);
    while (c->found.at.count < ENOUGH && !stepper_status(c->s)) {
        CountLevel *l = &c->levels[depth], *below = l + 1;
        if (++steps > COUNT_STEPS || depth == COUNT_DEPTH) return ENOUGH;
        if (l->next == 256) {
            if (!depth--) break;
            continue;
        }
        uint8_t byte = (uint8_t)l->next++;
        if (!byteset_has(&l->first, byte)) continue;
        if (is_other_spelling(c, depth, byte)) continue;
        set_step(c->s, &l->set, byte, &below->set);
        if (set_is_empty(&below->set)) continue;
        if (set_is_complete(c->s, &below->set)) count_text(c, depth);
        if (!below->set.list.count) continue;
        count_begin(c, ++depth);
    }
    return c->found.at.count;
}

static bool check_head(Stepper *s, CountLevel *levels, State *start,
                       weir_error *err)
{
    Count count = {.s = s, .levels = levels};
    set_clear(&levels[0].set);
    set_add(s, &levels[0].set, (Config){.q = start});
    uint32_t found = count_texts(&count);
    unique_answers_free(&count.found, s->mem);
    vec_free(s->mem, &count.meaning);
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
