/* trigger.h: patterns that are searched for in what has been generated, and
 * where their groups lie: the triggers of lazy grammars.
 *
 * The syntax is ECMAScript's as llama.cpp's C++ library reads it: of bytes, so
 * one character of a class is each of its bytes. No back-references, no
 * look-ahead: those are WEIR_UNSUPPORTED.
 */
#ifndef WEIR_SYNTAX_TRIGGER_H
#define WEIR_SYNTAX_TRIGGER_H

#include "base/diag.h"
#include "base/mem.h"
#include "base/vec.h"

typedef enum TriggerOp {
    TRIGGER_SET,   /* one byte of sets[x] */
    TRIGGER_SPLIT, /* x, or else y */
    TRIGGER_JUMP,  /* x */
    TRIGGER_SAVE, /* this place is border x: 2g begins group g, 2g + 1 ends it */
    TRIGGER_START, /* only at the beginning */
    TRIGGER_END,   /* only at the end */
    TRIGGER_WORD,  /* only where a word begins or ends; x: only where not */
    TRIGGER_MATCH
} TriggerOp;

typedef struct TriggerInst {
    TriggerOp op;
    uint32_t x, y;
} TriggerInst;

typedef struct TriggerSet {
    uint64_t word[4];
} TriggerSet;

/* A compiled pattern. One thread: it has the scratch of its searches. */
typedef struct Trigger {
    const Mem *mem;
    VEC(TriggerInst) code;
    VEC(TriggerSet) sets;
    uint32_t ngroups; /* the whole is group 0 */
    bool is_anchored; /* written ^...$: a match of the whole comes first */
    uint32_t *mark;   /* by instruction: epoch of the last visit */
    uint32_t epoch;
    VEC(uint32_t) stack, now, next; /* scratch */
} Trigger;

/* False with *err; trigger_free is right in any case. */
bool trigger_compile(Trigger *t, const Mem *mem, Span pattern, weir_error *err);
void trigger_free(Trigger *t);

/* A search that goes on as text comes. All 0 at the beginning. */
typedef struct TriggerScan {
    VEC(uint32_t) at; /* instructions reached, not followed yet */
    size_t pos;       /* bytes read */
    bool has_match;   /* that did not have to end at the end */
} TriggerScan;

/* Reads text[scan->pos, size). *found: there is a match in text. Cost: a look
 * at each byte for each place in the pattern where one may be. False: no
 * memory. */
bool trigger_scan(Trigger *t, TriggerScan *scan, Span text, bool *found);
void trigger_scan_free(Trigger *t, TriggerScan *scan);

/* The match in `text`, which has one: *start is where its first group begins
 * that is not empty, else where it begins. Reads the text from the start. */
bool trigger_find(Trigger *t, Span text, size_t *start);

#endif
