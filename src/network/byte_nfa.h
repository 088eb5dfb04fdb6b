/* byte_nfa.h: one frame's expression as a byte NFA with calls (Thompson). */
#ifndef WEIR_NETWORK_BYTE_NFA_H
#define WEIR_NETWORK_BYTE_NFA_H

#include "pass/lower.h"

typedef enum NfaEdgeKind {
    NFA_EMPTY,  /* no input */
    NFA_BYTE,   /* one byte in [lo, hi] */
    NFA_CALL,   /* a text of the frame of `node` */
    NFA_TOKENS, /* a token of the TOKENS node `node` */
} NfaEdgeKind;

typedef struct NfaEdge {
    uint8_t kind; /* NfaEdgeKind */
    uint8_t lo, hi;
    NodeId node;
    uint32_t to;
} NfaEdge;

enum { NFA_WAY_EMPTY = 1, NFA_WAY_INPUT = 2 };
enum { NFA_ENTRY = 0, NFA_EXIT = 1 }; /* positions of every Nfa */
/* And of a list's: before a separator, before an item, after an item of kind k
 * at LIST_DONE + k, and after its head, if that is unique, at nfa_head. */
enum { LIST_AFTER = 2, LIST_ITEMS = 3, LIST_DONE = 4 };

/* Of a bounded language: characters to be ended until the exit, at least, and
 * whether what leads to a position ends one. */
typedef struct NfaBound {
    uint32_t need;
    bool ticks;
} NfaBound;

/* An automaton whose states are positions: state s of it at base + s, which
 * leads to `end` by an empty edge if it accepts. */
typedef struct NfaDfa {
    const Dfa *dfa;
    uint32_t base, end;
    uint32_t kind;            /* lists: it is in the head of this kind */
    struct SafeHeights *safe; /* safe_text.c; under the lock */
} NfaDfa;

/* Lifetime: the arena's. */
typedef struct Nfa {
    uint32_t npos;
    uint32_t *edge_start; /* by position, npos + 1 entries */
    NfaEdge *edges;
    uint8_t *ways;  /* by position: NFA_WAY_ bits of the edges that it has */
    uint32_t *mark; /* by position: scratch of the determiniser */
    uint32_t epoch;
    /* lists: by position, the kinds [kind.lo, kind.hi) whose items it is part
     * of; NULL: no list */
    Range *kind;
    uint32_t nkinds;
    Range *heads; /* lists: by kind, the positions inside a unique head that is
                     no call */
    NfaDfa *automata; /* lists: in order of their kinds */
    uint32_t nautomata;
    NfaBound *bound; /* by position, of bounded languages; NULL: none */
    uint8_t *held;   /* by position: within a character where no token may end
                        (lang/lax.h); NULL: none */
} Nfa;

/* The kind that ends at a position; UINT32_MAX: none. */
static inline uint32_t nfa_done(const Nfa *nfa, uint32_t pos)
{
    return nfa->kind && pos >= LIST_DONE && pos - LIST_DONE < nfa->nkinds
               ? pos - LIST_DONE
               : UINT32_MAX;
}

/* After the head of kind k, which is unique. */
static inline uint32_t nfa_head(const Nfa *nfa, uint32_t kind)
{
    return LIST_DONE + nfa->nkinds + kind;
}
static inline bool nfa_is_head(const Nfa *nfa, uint32_t pos)
{
    return nfa->kind && pos >= LIST_DONE + nfa->nkinds &&
           pos < LIST_DONE + 2 * nfa->nkinds;
}

/* How a REPEAT node is compiled. */
typedef enum RepeatForm {
    REPEAT_UNROLLED, /* copies, and a loop if unbounded */
    REPEAT_COUNTED   /* a call of a counted frame */
} RepeatForm;
RepeatForm repeat_form(const Lowered *lowered, Node repeat);

/* The expression `node`; a REPEAT at the top counts as one copy of its
 * operand if `one_copy`. Charges positions to max_states. NULL with *err, or
 * without one when it is the arena that has failed. */
Nfa *nfa_build(const Ir *ir, const Lowered *lowered, NodeId node, bool one_copy,
               Arena *arena, weir_error *err);

/* The LIST `node`, in the form of list_form.h: its separator leads from
 * LIST_AFTER to LIST_ITEMS, and an item from there to LIST_DONE + its kind.
 * Heads share the positions of the bytes with which they begin; tails are
 * calls, and so are heads that must be unique unless they are regular and have
 * a tail. The exit is reached by none. */
Nfa *nfa_build_list(const Ir *ir, const Lowered *lowered, NodeId node,
                    Arena *arena, weir_error *err);

/* The BOUNDED `node`, without its bound. No position is in the middle of a
 * character and at the end of one. */
Nfa *nfa_build_bounded(const Ir *ir, const Lowered *lowered, NodeId node,
                       Arena *arena, weir_error *err);

/* Positions, ascending. */
typedef VEC(uint32_t) PosSet;

/* Follows the empty edges, then keeps the positions that do something: those
 * with other edges, and the exit. False: no memory. */
bool nfa_close(Nfa *nfa, const Mem *mem, PosSet *set);
/* The closed set after `byte`; *like: the bytes around it, [lo, hi], that the
 * positions' edges do not tell from it. */
bool nfa_step(Nfa *nfa, const Mem *mem, const uint32_t *pos, uint32_t npos,
              uint8_t byte, PosSet *out, Range *like);

/* True if some edge calls or takes a token. */
bool nfa_has_calls(const Nfa *nfa);

/* True if no text of the expression is a proper prefix of another, found by
 * looking at no more than a few states; calls make it false. */
bool nfa_is_prefix_free(Nfa *nfa, const Mem *mem);

#endif
