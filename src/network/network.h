/* network.h: a grammar as a recursive transition network of frame automata.
 *
 * A frame is one regular part of the grammar: a rule that was not inlined, or
 * a counted loop. Its automaton is a byte DFA made state by state as outputs
 * visit it. A state's edges consume bytes, call other frames, or consume a
 * token of a set.
 *
 *   plain frame    states are subsets of NFA positions
 *   counted frame  e{lo,hi}: a loop state, visited between the copies of e,
 *                  and the states inside e. The configuration carries the
 *                  number of copies read (the register); the loop state may
 *                  return iff lo <= register and go on iff register < hi.
 *   bounded frame  a counted frame of the texts of an automaton that have at
 *                  most hi characters: the register counts these, and every
 *                  state between two characters is a loop state.
 *   list frame     a LIST: the states between two items and inside their heads
 *                  and separators, for each set of kinds that may come. The
 *                  register is the tally of the items so far (list_frame.h);
 *                  at the end of an item the tally decides the state.
 *
 * In a counted frame need(q) is the least number of copies (or characters) to be
 * ended on the way from q to the frame's end, more(q) the least if another byte
 * is read first. A configuration is alive iff register + need(q) <= hi; moves
 * to others do not count. No move lessens that sum, and from every state there
 * is a way on which it stays the same: what is alive can be completed.
 *
 * What a byte does in a state, calls included, is one Step: the callee's first
 * byte is taken at once, with the return points to be pushed. Calls never
 * consume nothing, and no frame begins with itself, so that is finite. A call
 * whose return state has nothing left to do pushes nothing.
 *
 * A rule with options (budgets, temperature) pushes a marker below what it
 * pushes: a return point that returns at once, so that it changes no reading,
 * but says, as long as it is on the stack, that the rule is being read. Its
 * register is the deadline of a budget.
 *
 * Threads: states and steps are made under the network's lock and published
 * complete; readers take no lock. Pointers stay valid until network_free.
 */
#ifndef WEIR_NETWORK_NETWORK_H
#define WEIR_NETWORK_NETWORK_H

#include "base/thread.h"
#include "pass/lower.h"

typedef struct Network Network;
typedef struct Frame Frame;
typedef struct State State;

typedef struct ByteSet {
    uint64_t word[4];
} ByteSet;

static inline bool byteset_has(const ByteSet *set, uint8_t byte)
{
    return set->word[byte >> 6] >> (byte & 63) & 1;
}
static inline void byteset_add(ByteSet *set, uint8_t byte)
{
    set->word[byte >> 6] |= (uint64_t)1 << (byte & 63);
}
static inline bool byteset_is_empty(const ByteSet *set)
{
    return !(set->word[0] | set->word[1] | set->word[2] | set->word[3]);
}
static inline unsigned byteset_count(const ByteSet *set)
{
    return bit_count(set->word[0]) + bit_count(set->word[1]) +
           bit_count(set->word[2]) + bit_count(set->word[3]);
}
static inline ByteSet byteset_and(ByteSet a, const ByteSet *b)
{
    for (int i = 0; i < 4; i++) a.word[i] &= b->word[i];
    return a;
}
static inline ByteSet byteset_or(ByteSet a, const ByteSet *b)
{
    for (int i = 0; i < 4; i++) a.word[i] |= b->word[i];
    return a;
}
static inline ByteSet byteset_minus(ByteSet a, const ByteSet *b)
{
    for (int i = 0; i < 4; i++) a.word[i] &= ~b->word[i];
    return a;
}
static inline void byteset_add_range(ByteSet *set, uint8_t lo, uint8_t hi)
{
    unsigned w = lo >> 6, end = hi >> 6;
    uint64_t from = UINT64_MAX << (lo & 63);
    for (; w < end; w++, from = UINT64_MAX) set->word[w] |= from;
    set->word[w] |= from & UINT64_MAX >> (63 - (hi & 63));
}

/* A register after a move: `reg`, or the present one plus `reg`; for a marker
 * the tokens or characters so far plus `reg`. `counts`: an item of kind `reg`
 * ends, and the state is the one that the tally then leads to: the one given
 * only names the list. `begins`: a head that must be unique begins with this
 * byte. */
typedef struct RegOp {
    uint32_t reg;
    bool adds;
    bool is_deadline;
    bool counts;
    bool begins;
} RegOp;

/* A return point: on return go on at `state` with the register. */
typedef struct Push {
    State *state;
    RegOp op;
} Push;

/* One thing that a byte (or token) can do: push the return points, first one
 * deepest, and go on at `to`. `to` may be final: then return at once. */
typedef struct Move {
    State *to;
    RegOp op;
    uint32_t npush;
    const Push *push;
} Move;

typedef struct Step {
    uint32_t count;
    bool is_simple; /* one move that needs no more than op_value */
    Move at[];
} Step;

/* What a token does in a state; `set` is a TOKENS node of the network's IR. */
typedef struct TokenMove {
    const Network *network;
    NodeId set;
    Move move;
} TokenMove;

typedef struct TokenMoves {
    uint32_t count;
    TokenMove at[];
} TokenMoves;

/* What the calls of a state come to before anything is read: each callee's
 * start, with the return points to push. */
typedef struct Entries {
    uint32_t count;
    Move at[];
} Entries;

/* A call edge: read a text of `callee`, then go on at `ret`. */
typedef struct Call {
    Frame *callee;
    const uint32_t *target; /* NFA positions after it; closed in lists only */
    uint32_t ntargets;
    State *ret;         /* NULL until needed; under the lock */
    uint32_t ends_item; /* of this kind, in place of targets; or NO_KIND */
    bool is_head;       /* of an item that must be unique: `ret` is_head */
} Call;

#define NO_KIND UINT32_MAX

/* An entry of State.next: 0 unknown; a State with the low bit set: the only
 * move is there, register kept, nothing pushed, not final, no loop state, not
 * behind a unique head, alive if it is made at all; else a Step. */
typedef atomic_uintptr_t NextCell;

struct State {
    Frame *frame;
    uint32_t id;        /* in its network, in order of making */
    bool accepts;       /* may return (a loop state: if the register allows) */
    bool is_loop;       /* of a counted frame, between copies or characters */
    bool is_final;      /* nothing to do but return */
    bool has_tokens;    /* some token edge, calls included */
    bool is_held;       /* within a character where no token may end */
    bool is_marker;     /* of a rule with options: never stepped from */
    bool by_chars;      /* marker: the deadline counts characters */
    bool is_open;       /* head: however it has begun, there are endless ways to
                           go on with it */
    bool is_head;       /* the end of a head that must be unique and is a call:
                           no state to be in, but one to go on from at `then` */
    bool in_head;       /* inside a head that must be unique and is no call */
    bool is_watched;    /* ... that is not open */
    bool ends_head;     /* just behind a head that must be unique */
    uint32_t head_kind; /* head: of this kind of its list */
    State *then;        /* head: NULL where the item ends with it */
    uint32_t nfirst;    /* how many bytes have a move */
    ByteSet first;      /* these */
    ByteSet local;      /* those with a move that is no call's */
    const uint8_t *map; /* byte -> index in next */
    uint32_t nnext;
    uint32_t npos;
    const uint32_t *pos;         /* sorted NFA positions that do something */
    const struct KindSet *kinds; /* lists: which of theirs may come; or NULL */
    uint32_t need, more;         /* of counted frames; see above */
    uint32_t ncalls;
    Call *calls;
    _Atomic(TokenMoves *) tokens;         /* NULL: not made yet */
    _Atomic(Entries *) entries;           /* the same */
    _Atomic(const struct KeyHome *) home; /* key_home.h; NULL: not known yet */
    _Atomic(const struct Loop *) loop;    /* mask/loop.h; the same */
    _Atomic(State *) twin;                /* twin.h; the same */
    NextCell next[];
};

struct Frame {
    Network *network;
    uint32_t id;
    NodeId node; /* the RULE, REPEAT or other node it was made for */
    bool is_counted;
    bool is_bounded;    /* counts characters; then lo is 1 */
    bool is_regular;    /* no calls, no token edges: one state at a time */
    uint32_t lo, hi;    /* counted frames: hi may be REPEAT_INF */
    uint32_t most_need; /* bounded frames: of any state */
    Frame *twin;        /* counted frames: the vocabulary's; NULL: none */
    struct Nfa *nfa;
    bool has_unique;        /* a list, some of whose heads must be unique */
    atomic_bool is_closed;  /* ... and are not open (State.is_open), as far as
                               is known: one that has been begun is */
    struct ListFrame *list; /* NULL: none */
    uint8_t class_of[256];  /* bytes no state of the frame tells apart */
    uint32_t nclasses;
    State *start;               /* NULL until needed; under the lock */
    const RuleOptions *options; /* of the rule; NULL: none that act */
    State *markers[2];          /* of the options; NULL: none */
    uint32_t budgets[2];        /* their deadlines; UINT32_MAX: never */
};

struct Network {
    const Mem *mem;
    Arena arena; /* frames, states, steps */
    Lock lock;
    Ir *ir; /* borrowed; read only */
    Lowered lowered;
    Network *shared;         /* the vocabulary's, or NULL; outlives this one */
    weir_error error;        /* of the last failure; under the lock */
    NodeId root;             /* the RULE node of the root */
    Map frame_index;         /* node -> frames.at */
    VEC(Frame *) frames;     /* own ones and shared ones */
    VEC(NodeId) frame_nodes; /* by frame: its node here */
    Map state_index;         /* (frame, positions) -> states.at */
    VEC(State *) states;
    VEC(struct ListFrame *) lists;
    Map map_index; /* first set -> maps.at */
    VEC(uint8_t *) maps;
    Map shared_index; /* key of a shared rule -> keys.at; shared network */
    VEC(struct SharedRule *) keys;
    VEC(struct Adopted *) adopted;  /* shared network; adopt.h */
    bool is_adopted;                /* it is one of these */
    uint32_t depth;                 /* of the making in progress */
    VEC(struct MoveList *) scratch; /* what no making uses now */
};

/* Takes over `lowered` (also on failure). `shared`: frames of rules that are
 * marked RULE_SHARED are taken from there when it has them. */
bool network_init(Network *net, Ir *ir, Lowered *lowered, Network *shared,
                  weir_error *err);
void network_free(Network *net);

/* The root's start state, or NULL with the network's error. */
State *network_start(Network *net);
/* The start of the frame of a node that is called, or NULL with the network's
 * error; *is_open: as of a head's state. */
State *network_called(Network *net, NodeId node, bool *is_open);
/* A copy of the last error; asked after a failure only. */
weir_error network_error(Network *net);

/* Makes and returns the cell of `byte`; 0 on error. Any thread. */
uintptr_t state_next_make(State *q, uint8_t byte);
/* The token edges, or NULL on error. Any thread. */
const TokenMoves *state_tokens(State *q);
/* A copy of `nbytes` bytes that lives as long as the network, or NULL: no room.
 * Any thread. */
const void *network_keep(Network *net, const void *data, size_t nbytes);
/* The entries of a state with calls, or NULL on error. Any thread. */
const Entries *state_entries(State *q);

static inline uintptr_t state_next(State *q, uint8_t byte)
{
    uintptr_t cell =
        atomic_load_explicit(&q->next[q->map[byte]], memory_order_acquire);
    return LIKELY(cell) ? cell : state_next_make(q, byte);
}

#define CELL_IS_STATE(cell) ((cell)&1)
static inline State *cell_state(uintptr_t cell)
{
    return (State *)(cell - 1);
}
static inline const Step *cell_step(uintptr_t cell)
{
    return (const Step *)cell;
}

/* Whether a configuration may return here; whether it can do nothing else. */
static inline bool state_accepts(const State *q, uint32_t reg)
{
    return q->accepts && (!q->is_loop || reg >= q->frame->lo);
}
static inline bool state_is_done(const State *q, uint32_t reg)
{
    return q->is_final || (q->is_loop && q->more > q->frame->hi - reg);
}
/* False: what follows has no room left. */
static inline bool state_is_alive(const State *q, uint32_t reg)
{
    return !q->need || q->need <= q->frame->hi - reg;
}

/* True if all that can follow at q with register b can follow with register a:
 * further below the maximum, and past the minimum or equally far from it. */
static inline bool reg_covers(const State *q, uint32_t a, uint32_t b)
{
    const Frame *f = q->frame;
    return f->hi == REPEAT_INF ? a >= b : a == b || (f->lo <= a && a < b);
}

/* True if all that op does is op_value, whatever the register was. */
static inline bool op_is_plain(RegOp op, const State *to)
{
    return !op.is_deadline && !op.counts && !op.begins &&
           to->frame->hi != REPEAT_INF;
}
static inline uint32_t op_value(RegOp op, uint32_t reg)
{
    return op.adds ? reg + op.reg : op.reg;
}

/* The register at `to`: counting stops where it makes no more difference. */
static inline uint32_t reg_apply(RegOp op, uint32_t reg, const State *to)
{
    uint32_t next = op_value(op, reg);
    if (to->frame->hi == REPEAT_INF && next > to->frame->lo)
        next = to->frame->lo;
    return next;
}

/* Where a move or a push leads, and with which register. */
typedef struct Landing {
    State *state; /* NULL: the network's error says why */
    uint32_t reg;
} Landing;

/* After an item of `kind` in the list of `q`; after a head whose end is `head`,
 * whether it is unique or not. Any thread. */
Landing list_land(const State *q, uint32_t reg, uint32_t kind);
Landing list_land_head(State *head, uint32_t reg);

/* Without a thought for what must be unique. */
static inline Landing op_land(RegOp op, uint32_t reg, State *to)
{
    if (UNLIKELY(op.counts)) return list_land(to, reg, op.reg);
    if (UNLIKELY(op.begins)) return list_land_head(to, op.adds ? reg : op.reg);
    return (Landing){to, reg_apply(op, reg, to)};
}

/* All frames and states made so far, as text. docs/network.md explains it. */
void network_print(Network *net, Out *out);
/* Frames, states and bytes now. */
void network_count(Network *net, uint32_t *frames, uint32_t *states,
                   size_t *nbytes);

#endif
