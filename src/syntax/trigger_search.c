/* trigger_search.c: searching for a trigger's pattern.
 *
 * Two ways to run the same code. The scan goes on as text comes and only says
 * whether there is a match: its state is the set of instructions reached. Once
 * there is one, the find reads the whole text with groups, by Pike's machine:
 * threads in the order in which a backtracking matcher would try them, so the
 * first that matches has the groups that such a matcher finds.
 * Tests: unit/trigger_test.c.
 */
#include "syntax/trigger.h"

static bool is_word(Span text, size_t pos)
{
    if (pos >= text.size) return false;
    uint8_t c = text.at[pos];
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '_';
}

/* Whether an assertion holds at a place. */
static bool holds(TriggerInst inst, Span text, size_t pos)
{
    if (inst.op == TRIGGER_START) return pos == 0;
    if (inst.op == TRIGGER_END) return pos == text.size;
    bool is_border = (pos && is_word(text, pos - 1)) != is_word(text, pos);
    return is_border != (inst.x != 0);
}

static bool set_has(const Trigger *t, uint32_t set, uint8_t byte)
{
    return t->sets.at[set].word[byte / 64] >> byte % 64 & 1;
}

static void next_epoch(Trigger *t)
{
    if (++t->epoch) return;
    memset(t->mark, 0, t->code.count * sizeof *t->mark);
    t->epoch = 1;
}

/* ---- the scan ---- */

/* Adds to `now` the sets that can be reached from instruction `from` without
 * reading; *matches: and the end of the pattern. */
static bool follow(Trigger *t, uint32_t from, Span text, size_t pos,
                   bool *matches)
{
    t->stack.count = 0;
    if (!vec_push(t->mem, &t->stack, from)) return false;
    while (t->stack.count) {
        uint32_t at = t->stack.at[--t->stack.count];
        TriggerInst inst = t->code.at[at];
        bool ok = true;
        if (t->mark[at] == t->epoch) continue;
        t->mark[at] = t->epoch;
        if (inst.op == TRIGGER_SET)
            ok = vec_push(t->mem, &t->now, at);
        else if (inst.op == TRIGGER_MATCH)
            *matches = true;
        else if (inst.op == TRIGGER_SPLIT)
            ok = vec_push(t->mem, &t->stack, inst.y) &&
                 vec_push(t->mem, &t->stack, inst.x);
        else if (inst.op == TRIGGER_JUMP)
            ok = vec_push(t->mem, &t->stack, inst.x);
        else if (inst.op == TRIGGER_SAVE || holds(inst, text, pos))
            ok = vec_push(t->mem, &t->stack, at + 1);
        if (!ok) return false;
    }
    return true;
}

/* Into `now` what can be read at pos, by a match that began before or begins
 * here. */
static bool reach(Trigger *t, const TriggerScan *scan, Span text, size_t pos,
                  bool *matches)
{
    next_epoch(t);
    t->now.count = 0;
    for (uint32_t i = 0; i < scan->at.count; i++)
        if (!follow(t, scan->at.at[i], text, pos, matches)) return false;
    return follow(t, 0, text, pos, matches);
}

bool trigger_scan(Trigger *t, TriggerScan *scan, Span text, bool *found)
{
    while (scan->pos < text.size && !scan->has_match) {
        uint8_t byte = text.at[scan->pos];
        if (!reach(t, scan, text, scan->pos, &scan->has_match)) return false;
        scan->at.count = 0;
        for (uint32_t i = 0; i < t->now.count; i++) {
            uint32_t at = t->now.at[i];
            if (set_has(t, t->code.at[at].x, byte) &&
                !vec_push(t->mem, &scan->at, at + 1))
                return false;
        }
        scan->pos++;
    }
    *found = scan->has_match;
    return *found || reach(t, scan, text, text.size, found);
}

void trigger_scan_free(Trigger *t, TriggerScan *scan)
{
    if (t->mem) vec_free(t->mem, &scan->at);
}

/* ---- the find ---- */

/* Threads in order, each with the borders of its groups. */
typedef struct Threads {
    VEC(uint32_t) at;
    VEC(size_t) borders; /* nborders each */
} Threads;

typedef struct Find {
    Trigger *t;
    Span text;
    bool whole; /* only matches of the whole text */
    uint32_t nborders;
    Threads now, next;
    VEC(size_t) mine, best; /* borders of one thread; of the match */
    /* instructions to follow, or borders to put back: at | RESTORE, value */
    VEC(size_t) stack;
    bool has_match;
} Find;
#define RESTORE ((size_t)1 << 31)
#define NO_PLACE SIZE_MAX

static bool push(Find *f, size_t value)
{
    return vec_push(f->t->mem, &f->stack, value);
}

static bool thread_add(Find *f, Threads *to, uint32_t at)
{
    const Mem *mem = f->t->mem;
    size_t count = (size_t)to->borders.count + f->nborders;
    if (!vec_push(mem, &to->at, at) || !vec_reserve(mem, &to->borders, count))
        return false;
    memcpy(to->borders.at + to->borders.count, f->mine.at,
           f->nborders * sizeof(size_t));
    to->borders.count = (uint32_t)count;
    return true;
}

/* What an instruction that reads nothing leads to; f->mine are the borders. */
static bool find_step(Find *f, uint32_t at, size_t pos)
{
    TriggerInst inst = f->t->code.at[at];
    switch (inst.op) {
    case TRIGGER_JUMP:
        return push(f, inst.x);
    case TRIGGER_SPLIT:
        return push(f, inst.y) && push(f, inst.x);
    case TRIGGER_SAVE: {
        size_t before = f->mine.at[inst.x];
        f->mine.at[inst.x] = pos;
        return push(f, before) && push(f, inst.x | RESTORE) && push(f, at + 1);
    }
    case TRIGGER_START:
    case TRIGGER_END:
    case TRIGGER_WORD:
        return !holds(inst, f->text, pos) || push(f, at + 1);
    case TRIGGER_SET:
    case TRIGGER_MATCH:
        break;
    }
    return true;
}

/* Adds the threads that begin at `from`, in order. */
static bool find_follow(Find *f, Threads *to, uint32_t from, size_t pos)
{
    Trigger *t = f->t;
    f->stack.count = 0;
    if (!push(f, from)) return false;
    while (f->stack.count) {
        size_t top = f->stack.at[--f->stack.count];
        if (top & RESTORE) {
            f->mine.at[top & ~RESTORE] = f->stack.at[--f->stack.count];
            continue;
        }
        uint32_t at = (uint32_t)top;
        if (t->mark[at] == t->epoch) continue;
        t->mark[at] = t->epoch;
        TriggerOp op = t->code.at[at].op;
        bool reads = op == TRIGGER_SET || op == TRIGGER_MATCH;
        if (!(reads ? thread_add(f, to, at) : find_step(f, at, pos)))
            return false;
    }
    return true;
}

/* Runs the threads at pos: those that read its byte go to `next`, and one that
 * matches ends all that come after it. */
static bool find_byte(Find *f, size_t pos)
{
    next_epoch(f->t);
    f->next.at.count = f->next.borders.count = 0;
    for (uint32_t i = 0; i < f->now.at.count; i++) {
        uint32_t at = f->now.at.at[i];
        TriggerInst inst = f->t->code.at[at];
        memcpy(f->mine.at, f->now.borders.at + (size_t)i * f->nborders,
               f->nborders * sizeof(size_t));
        if (inst.op == TRIGGER_MATCH) {
            if (f->whole && pos < f->text.size) continue;
            memcpy(f->best.at, f->mine.at, f->nborders * sizeof(size_t));
            f->has_match = true;
            break;
        }
        if (pos < f->text.size && set_has(f->t, inst.x, f->text.at[pos]) &&
            !find_follow(f, &f->next, at + 1, pos + 1))
            return false;
    }
    return true;
}

/* A thread for a match that begins at pos, after all others. */
static bool find_begin(Find *f, Threads *to, size_t pos)
{
    if (f->has_match || (f->whole && pos)) return true;
    for (uint32_t i = 0; i < f->nborders; i++) f->mine.at[i] = NO_PLACE;
    return find_follow(f, to, 0, pos);
}

static bool find_run(Find *f)
{
    next_epoch(f->t);
    if (!find_begin(f, &f->now, 0)) return false;
    for (size_t pos = 0; pos <= f->text.size; pos++) {
        if (!find_byte(f, pos)) return false;
        if (pos < f->text.size && !find_begin(f, &f->next, pos + 1))
            return false;
        Threads swap = f->now;
        f->now = f->next;
        f->next = swap;
        if (f->has_match && !f->now.at.count) break;
    }
    return true;
}

static size_t first_group(const Find *f)
{
    for (uint32_t g = 1; g < f->t->ngroups; g++) {
        size_t begin = f->best.at[2 * g], end = f->best.at[2 * g + 1];
        if (begin != NO_PLACE && end != NO_PLACE && begin < end) return begin;
    }
    return f->best.at[0];
}

static bool find(Trigger *t, Span text, bool whole, bool *found, size_t *start)
{
    Find f = {.t = t, .text = text, .whole = whole, .nborders = 2 * t->ngroups};
    bool ok = vec_reserve(t->mem, &f.mine, f.nborders) &&
              vec_reserve(t->mem, &f.best, f.nborders) && find_run(&f);
    *found = f.has_match;
    if (ok && f.has_match) *start = first_group(&f);
    vec_free(t->mem, &f.mine);
    vec_free(t->mem, &f.best);
    vec_free(t->mem, &f.stack);
    vec_free(t->mem, &f.now.at);
    vec_free(t->mem, &f.now.borders);
    vec_free(t->mem, &f.next.at);
    vec_free(t->mem, &f.next.borders);
    return ok;
}

bool trigger_find(Trigger *t, Span text, size_t *start)
{
    bool found = false;
    *start = text.size;
    if (t->is_anchored && !find(t, text, true, &found, start)) return false;
    return found || find(t, text, false, &found, start);
}
