/* substring.c: chunks of a text → the automaton of all its runs of chunks.
 *
 * In:    chunks. Out: one REGULAR node over code points.
 * Method: the suffix automaton of the row of chunks (Blumer et al. 1985),
 * whose letters are the distinct chunks: a state stands for runs that end at
 * the same places. Then each letter is spelled out. All edges into a state
 * have one letter, so a place inside a chunk is the state it leads to and how
 * many of its bytes were read. Where one chunk is a prefix of another, several
 * places are possible at once: a set of them is one state of the result.
 * Holds: sets are sorted; equal sets are one state. Every state accepts or
 *        leads to one that does, since every place leads to the chunk's end.
 * Cost:  suffix automaton linear; sets are charged to the limits of states.
 * Tests: unit/substring_test.c.
 */
#include "syntax/substring.h"

#include <stdlib.h>

#include "base/utf8.h"

#define NONE UINT32_MAX

enum { ITEMS_PER_STATE = 16 }; /* limit of places and edges, by states */

/* A state of the suffix automaton. */
typedef struct Run {
    uint32_t length, link;
    uint32_t letter; /* of the edges that lead here; NONE: the start */
    uint32_t arrow;  /* first edge out, or NONE */
} Run;

typedef struct Arrow {
    uint32_t from, letter, to, next;
} Arrow;

/* `read` bytes of the chunk that leads to `run`. */
typedef struct Place {
    uint32_t run, read;
} Place;

typedef struct Move {
    uint32_t rune;
    Place to;
} Move;

typedef struct Sub {
    Ir *ir;
    size_t begin, end;
    VEC(Span) letters; /* distinct chunks */
    Map letter_index;
    VEC(Run) runs;
    VEC(Arrow) arrows;
    Map arrow_index;         /* by run and letter */
    VEC(Place) places;       /* of all sets, one after another */
    VEC(uint32_t) set_start; /* by state; one more */
    Map set_index;
    VEC(Move) moves; /* scratch: out of one set */
    VEC(DfaEdge) edges;
    VEC(uint32_t) edge_start;
    VEC(uint8_t) accepts;
} Sub;

static bool no_memory(Sub *s)
{
    return diag_no_memory(&s->ir->error);
}

static bool too_large(Sub *s)
{
    return diag_fail(&s->ir->error, WEIR_LIMIT_STATES, s->begin, s->end,
                     "chunks that need more than %u states",
                     s->ir->limits.max_states);
}

/* ---- letters ---- */

static uint32_t letter_of(Sub *s, Span chunk)
{
    uint64_t h = hash_bytes(FNV_SEED, chunk.at, chunk.size);
    MapPos p = map_first(&s->letter_index, h);
    for (; p.value != MAP_NONE; p = map_next(&s->letter_index, h, p)) {
        assert(p.value < s->letters.count);
        if (span_equal(s->letters.at[p.value], chunk)) return p.value;
    }
    if (!vec_push(s->ir->mem, &s->letters, chunk) ||
        !map_add(s->ir->mem, &s->letter_index, h, s->letters.count - 1)) {
        no_memory(s);
        return NONE;
    }
    return s->letters.count - 1;
}

/* ---- suffix automaton ---- */

static uint32_t find_arrow(const Sub *s, uint32_t run, uint32_t letter)
{
    uint64_t h = hash_mix(run, letter);
    MapPos p = map_first(&s->arrow_index, h);
    for (; p.value != MAP_NONE; p = map_next(&s->arrow_index, h, p)) {
        Arrow a = s->arrows.at[p.value];
        if (a.from == run && a.letter == letter) return p.value;
    }
    return NONE;
}

static bool add_arrow(Sub *s, uint32_t from, uint32_t letter, uint32_t to)
{
    Arrow arrow = {from, letter, to, s->runs.at[from].arrow};
    if (!vec_push(s->ir->mem, &s->arrows, arrow) ||
        !map_add(s->ir->mem, &s->arrow_index, hash_mix(from, letter),
                 s->arrows.count - 1))
        return no_memory(s);
    s->runs.at[from].arrow = s->arrows.count - 1;
    return true;
}

static uint32_t add_run(Sub *s, uint32_t length, uint32_t letter)
{
    if (s->runs.count / 2 > s->ir->limits.max_states) {
        too_large(s);
        return NONE;
    }
    Run run = {length, NONE, letter, NONE};
    if (!vec_push(s->ir->mem, &s->runs, run)) {
        no_memory(s);
        return NONE;
    }
    return s->runs.count - 1;
}

/* A copy of `run` for the runs of `length` and shorter. */
static uint32_t split_run(Sub *s, uint32_t run, uint32_t length)
{
    uint32_t copy = add_run(s, length, s->runs.at[run].letter);
    if (copy == NONE) return NONE;
    s->runs.at[copy].link = s->runs.at[run].link;
    uint32_t a = s->runs.at[run].arrow;
    for (; a != NONE; a = s->arrows.at[a].next) {
        Arrow arrow = s->arrows.at[a];
        if (!add_arrow(s, copy, arrow.letter, arrow.to)) return NONE;
    }
    return copy;
}

/* Where the new run's shorter ends lead: `from` has an edge by `letter`. */
static uint32_t link_target(Sub *s, uint32_t from, uint32_t letter)
{
    uint32_t to = s->arrows.at[find_arrow(s, from, letter)].to;
    uint32_t length = s->runs.at[from].length + 1;
    if (s->runs.at[to].length == length) return to;
    uint32_t copy = split_run(s, to, length);
    if (copy == NONE) return NONE;
    s->runs.at[to].link = copy;
    for (; from != NONE; from = s->runs.at[from].link) {
        uint32_t a = find_arrow(s, from, letter);
        if (a == NONE || s->arrows.at[a].to != to) break;
        s->arrows.at[a].to = copy;
    }
    return copy;
}

/* The run of all chunks so far, `last`, and one more. */
static uint32_t append(Sub *s, uint32_t last, uint32_t letter)
{
    uint32_t run = add_run(s, s->runs.at[last].length + 1, letter);
    if (run == NONE) return NONE;
    uint32_t from = last;
    for (; from != NONE && find_arrow(s, from, letter) == NONE;
         from = s->runs.at[from].link)
        if (!add_arrow(s, from, letter, run)) return NONE;
    uint32_t link = from == NONE ? 0 : link_target(s, from, letter);
    s->runs.at[run].link = link;
    return link == NONE ? NONE : run;
}

static bool build_runs(Sub *s, const Span *chunks, uint32_t count)
{
    uint32_t last = add_run(s, 0, NONE);
    for (uint32_t i = 0; i < count && last != NONE; i++) {
        if (!chunks[i].size) continue;
        uint32_t letter = letter_of(s, chunks[i]);
        last = letter == NONE ? NONE : append(s, last, letter);
    }
    return last != NONE;
}

/* ---- sets of places ---- */

static Span set_of(const Sub *s, uint32_t state)
{
    assert(state + 1 < s->set_start.count);
    uint32_t start = s->set_start.at[state];
    uint32_t count = s->set_start.at[state + 1] - start;
    return span_of(s->places.at + start, count * sizeof(Place));
}

static bool is_whole(const Sub *s, Place p)
{
    uint32_t letter = s->runs.at[p.run].letter;
    assert(letter == NONE || letter < s->letters.count);
    return letter == NONE || p.read == s->letters.at[letter].size;
}

/* The state of the set that was pushed last, new or not. */
static uint32_t close_set(Sub *s)
{
    const Mem *mem = s->ir->mem;
    uint32_t state = s->accepts.count, start = s->set_start.at[state];
    if (!vec_push(mem, &s->set_start, s->places.count)) {
        no_memory(s);
        return 0;
    }
    Span set = set_of(s, state);
    uint64_t h = hash_bytes(FNV_SEED, set.at, set.size);
    MapPos p = map_first(&s->set_index, h);
    while (p.value != MAP_NONE && !span_equal(set_of(s, p.value), set))
        p = map_next(&s->set_index, h, p);
    if (p.value != MAP_NONE) {
        s->places.count = start;
        s->set_start.count--;
        return p.value;
    }
    uint8_t accepts = 0;
    for (uint32_t i = start; i < s->places.count; i++)
        accepts |= is_whole(s, s->places.at[i]);
    if (state >= s->ir->limits.max_states)
        too_large(s);
    else if (!vec_push(mem, &s->accepts, accepts) ||
             !map_add(mem, &s->set_index, h, state))
        no_memory(s);
    return state;
}

static bool push_place(Sub *s, Place place)
{
    if (s->places.count / ITEMS_PER_STATE > s->ir->limits.max_states)
        return too_large(s);
    return vec_push(s->ir->mem, &s->places, place) || no_memory(s);
}

/* ---- moves ---- */

/* Reads one character of the chunk that leads to `run`. */
static bool push_move(Sub *s, uint32_t run, uint32_t read)
{
    size_t pos = read;
    uint32_t rune = utf8_decode(s->letters.at[s->runs.at[run].letter], &pos);
    Move move = {rune, {run, (uint32_t)pos}};
    return vec_push(s->ir->mem, &s->moves, move) || no_memory(s);
}

static bool push_moves(Sub *s, Place place)
{
    if (!is_whole(s, place)) return push_move(s, place.run, place.read);
    uint32_t a = s->runs.at[place.run].arrow;
    for (; a != NONE; a = s->arrows.at[a].next)
        if (!push_move(s, s->arrows.at[a].to, 0)) return false;
    return true;
}

static int move_order(const void *x, const void *y)
{
    const Move *a = x, *b = y;
    if (a->rune != b->rune) return a->rune < b->rune ? -1 : 1;
    if (a->to.run != b->to.run) return a->to.run < b->to.run ? -1 : 1;
    return (a->to.read > b->to.read) - (a->to.read < b->to.read);
}

static bool same_place(Place a, Place b)
{
    return a.run == b.run && a.read == b.read;
}

/* One edge for the moves from `i` on that read the same character; returns
 * where those of the next begin. */
static uint32_t push_edge(Sub *s, uint32_t i)
{
    uint32_t rune = s->moves.at[i].rune, first = i;
    for (; i < s->moves.count && s->moves.at[i].rune == rune; i++) {
        if (i > first && same_place(s->moves.at[i].to, s->moves.at[i - 1].to))
            continue;
        if (!push_place(s, s->moves.at[i].to)) break;
    }
    uint32_t to = ir_ok(s->ir) ? close_set(s) : 0;
    if (s->edges.count / ITEMS_PER_STATE > s->ir->limits.max_states)
        too_large(s);
    else if (!vec_push(s->ir->mem, &s->edges, (DfaEdge){rune, rune, to}))
        no_memory(s);
    return i;
}

static bool build_state(Sub *s, uint32_t state)
{
    s->moves.count = 0;
    if (!vec_push(s->ir->mem, &s->edge_start, s->edges.count))
        return no_memory(s);
    for (uint32_t i = s->set_start.at[state]; i < s->set_start.at[state + 1];
         i++)
        if (!push_moves(s, s->places.at[i])) return false;
    if (s->moves.count)
        qsort(s->moves.at, s->moves.count, sizeof(Move), move_order);
    for (uint32_t i = 0; i < s->moves.count && ir_ok(s->ir);)
        i = push_edge(s, i);
    return ir_ok(s->ir);
}

static NodeId build(Sub *s, const Span *chunks, uint32_t count)
{
    if (!build_runs(s, chunks, count)) return NODE_NEVER_ID;
    if (!vec_push(s->ir->mem, &s->set_start, 0))
        return no_memory(s), NODE_NEVER_ID;
    if (push_place(s, (Place){0, 0})) close_set(s);
    for (uint32_t i = 0; i < s->accepts.count && ir_ok(s->ir); i++)
        build_state(s, i);
    if (!vec_push(s->ir->mem, &s->edge_start, s->edges.count)) no_memory(s);
    if (!ir_ok(s->ir)) return NODE_NEVER_ID;
    Dfa dfa = {s->accepts.count, s->edge_start.at, s->edges.at, s->accepts.at};
    return ir_regular(s->ir, &dfa);
}

NodeId substring_compile(Ir *ir, const Span *chunks, uint32_t count,
                         size_t begin, size_t end)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    const Mem *mem = ir->mem;
    Sub s = {.ir = ir, .begin = begin, .end = end};
    NodeId node = build(&s, chunks, count);
    vec_free(mem, &s.letters);
    map_free(mem, &s.letter_index);
    vec_free(mem, &s.runs);
    vec_free(mem, &s.arrows);
    map_free(mem, &s.arrow_index);
    vec_free(mem, &s.places);
    vec_free(mem, &s.set_start);
    map_free(mem, &s.set_index);
    vec_free(mem, &s.moves);
    vec_free(mem, &s.edges);
    vec_free(mem, &s.edge_start);
    vec_free(mem, &s.accepts);
    return node;
}
