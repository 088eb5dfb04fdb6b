/* unique.h: heads of list items that must differ from one another.
 *
 * Where a grammar has such lists, a matcher keeps the text of its output, and
 * a configuration's register in their frames may be the number of a record: the
 * tally, which heads the list has had, and where the head in hand began. At the
 * end of a head its text is looked for among those before; a reading that
 * repeats one is dropped.
 *
 * Records belong to the matcher that made them; stacks with such registers are
 * shared with others as any numbers are, and mean something to it alone.
 * Masks are made without records (unique_plain), then what is too much is taken
 * out (mask/refine.h).
 */
#ifndef WEIR_MATCHER_UNIQUE_H
#define WEIR_MATCHER_UNIQUE_H

#include "matcher/stack.h"

struct Stepper;
struct Config;
struct ConfigSet;

#define UNIQUE_NONE UINT32_MAX
#define UNIQUE_RECORD ((uint32_t)1 << 31) /* in a register: not a tally */

/* A head and those before it. */
typedef struct UniqueHead {
    uint32_t before;   /* UNIQUE_NONE: the first */
    uint32_t at, size; /* in the table's bytes: its meaning */
    uint64_t hash;
} UniqueHead;

typedef struct UniqueRecord {
    uint32_t tally;
    uint32_t head;  /* the last one of the list; or UNIQUE_NONE */
    uint32_t begin; /* of the head in hand; or UNIQUE_NONE */
} UniqueRecord;

typedef struct UniqueTable {
    const Mem *mem;
    VEC(uint8_t) text; /* of the output, and of what is being tried */
    VEC(UniqueRecord) records;
    VEC(UniqueHead) heads;
    VEC(uint8_t) bytes;
    VEC(uint8_t) scratch; /* the meaning of the head in hand */
} UniqueTable;

/* Where a table stood, to go back to. */
typedef struct UniqueMark {
    uint32_t text, records, heads, bytes;
} UniqueMark;

void unique_free(UniqueTable *u);
bool unique_copy(UniqueTable *to, const UniqueTable *from);
UniqueMark unique_mark(const UniqueTable *u);
void unique_back(UniqueTable *u, UniqueMark mark);

/* What the JSON value `text` means: equal values, equal bytes (UNIQUE_VALUE);
 * the decoded string (UNIQUE_STRING). False: no memory. */
bool unique_meaning(UniqueTable *u, ListUnique kind, Span text);

/* Where a move leads with register `reg`: op_land for registers that may be
 * records. Status in the stepper on failure. */
Landing unique_land(struct Stepper *s, RegOp op, uint32_t reg, State *to);
/* A configuration at the end of a head goes on behind it; false: the head has
 * been there before, or failure. */
bool unique_pass(struct Stepper *s, struct Config *c);

/* False with *err: some head that must be unique has so few texts that a list
 * could run out of them, or what it has cannot be found out. */
bool unique_check(Network *net, const weir_limits *limits, weir_error *err);

/* Drops configurations after a byte whose head in hand cannot be ended any more
 * other than as an earlier one was; the byte too when none is left. */
void unique_prune(struct Stepper *s, struct ConfigSet *set);

/* The configurations without records, as masks want them. */
void unique_plain(struct Stepper *s, const UniqueTable *u,
                  const struct ConfigSet *set, struct ConfigSet *out);

/* The head in hand of a register that is a record, as far as it is written. */
Span unique_text(const UniqueTable *u, uint32_t reg);

/* Strings that some list of a grammar has as `taken`. */
typedef struct UniqueTaken {
    VEC(Span) texts; /* the IR's */
    Map index;
} UniqueTaken;
bool unique_taken_init(UniqueTaken *taken, const Mem *mem, const Ir *ir);
void unique_taken_free(UniqueTaken *taken, const Mem *mem);
/* Whether a decoded string is a head of any list so far, or taken. */
bool unique_is_known(const UniqueTable *u, const UniqueTaken *taken,
                     Span string);

/* Calls visit for every head that the list of `head` must not have again. */
void unique_each(const UniqueTable *u, const State *head, uint32_t reg,
                 void (*visit)(void *user, Span meaning), void *user);

#endif
