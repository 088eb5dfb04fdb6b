/* objects.h: what the public handles are made of. Only api/ sees this. */
#ifndef WEIR_API_OBJECTS_H
#define WEIR_API_OBJECTS_H

#include "base/thread.h"
#include "mask/mask.h"
#include "matcher/track.h"
#include "network/network.h"
#include "vocab/encode.h"
#include "vocab/vocab.h"

struct weir_vocab {
    RefCount refs;
    Mem mem;
    Vocab vocab;
    MaskVocab masks;
    Ir shared_ir; /* the JSON rules that all grammars share */
    Network shared;
    weir_encode_fn encode; /* the caller's, or NULL */
    void *encode_user;
};

/* Stacks and masks met so far; each matcher keeps its hub alive (hub.c). */
typedef struct Hub {
    RefCount refs;
    Mem mem;
    StackHub stacks;
    MaskMemo memo;
} Hub;

/* What is made of a grammar when somebody first asks for it
 * (grammar_late.c). */
typedef struct GrammarLate {
    uint64_t hash; /* of the IR; 0: not known yet */
    Span schema;   /* own copy, where not all warnings are the IR's; or NULL */
    weir_limits limits; /* to read it with */
    weir_schema_opts opts;
    weir_space_kind space;
    bool is_warned; /* `warnings` are known, in place of the IR's */
    VEC(Warning) warnings;
    Arena arena; /* their texts */
} GrammarLate;

struct weir_grammar {
    RefCount refs;
    Mem mem;
    weir_vocab *vocab; /* NULL: bytes only */
    Ir ir;
    Network network;
    bool is_nullable;
    GrammarLate late;
    ConfigSet start;
    WalkCache walks;   /* of states that are not shared; with a vocabulary */
    bool has_tokens;   /* some token edge somewhere */
    bool keeps_tokens; /* masks that are kept have what token edges allow */
    bool has_held;     /* some place where no token may end */
    bool names_all; /* dialect llama.cpp: token sets name as good as all; or */
    Trie named;     /* those that they name, in */
    Arena named_arena;
    bool has_budgets;       /* some rule with max_tokens or max_chars */
    bool has_unique;        /* some list with heads that must be unique */
    bool has_unique_values; /* ... as values */
    uint32_t min_chars;     /* the least max_chars; UINT32_MAX: none */
    Lock lock;              /* of `hub` and `late` */
    Hub *hub;               /* of matchers that begin now */
};

struct weir_matcher {
    Mem mem;
    weir_grammar *grammar;
    Hub *hub;
    Track track;
    MaskRun run;
    bool has_run;
    weir_termination termination;
    const Vocab *texts; /* the vocabulary, if each of its texts is taken as its
                           bytes, whether or not the output is complete */
    uint32_t *stops;    /* ascending; the vocabulary's or own */
    uint32_t nstops;
    bool owns_stops;
    uint64_t generation;
    weir_status error;       /* of the last failed call */
    uint64_t full_at;        /* generation at which no other hub helps; or 0 */
    uint32_t *row;           /* a mask that the grammar has no row of, or has
                                not remembered; NULL until needed */
    uint64_t row_generation; /* row is the mask of this position */
};

Hub *hub_new(const Mem *mem, const weir_limits *limits);
void hub_drop(Hub *hub);
/* The hub for a matcher that begins: a fresh one when the last has grown. */
Hub *hub_borrow(weir_grammar *g);

static inline Span span_from(weir_bytes bytes)
{
    return span_of(bytes.data, bytes.size);
}

/* Clears a caller's error, or gives a local one when it passed none. */
static inline weir_error *error_begin(weir_error *given, weir_error *local)
{
    weir_error *e = given ? given : local;
    memset(e, 0, sizeof *e);
    return e;
}

/* Options as this version has them: what an older caller's struct lacks is 0.
 * The caller has made sure that they are known. */
static inline weir_compile_opts compile_opts_read(
    const weir_compile_opts *given)
{
    weir_compile_opts o = {.size = sizeof o};
    if (given) memcpy(&o, given, MIN(given->size, sizeof o));
    return o;
}

/* Whether a struct longer than ours has zeros in what we don't know. */
bool opts_known(const void *given, uint32_t given_size, size_t our_size,
                weir_error *err);

#endif
