/* emit.h: sets of JSON values → rules of the IR, for the files that do it:
 * emit.c, emit_object.c, emit_array.c.
 *
 * A rule for each set that is met (and depth, where the layout tells depths
 * apart), but for those that are a few words; a list of what is still to do
 * keeps the C stack flat. */
#ifndef WEIR_SCHEMA_EMIT_H
#define WEIR_SCHEMA_EMIT_H

#include "schema/set.h"
#include "syntax/json_grammar.h"

typedef struct EmitJob {
    SetId set;
    uint32_t depth;
    RuleId rule;
    uint32_t from; /* the job that asked for it first; the root: itself */
} EmitJob;

typedef struct Emit {
    Sets *s;
    Ir *ir;
    JsonRules json;
    VEC(EmitJob) jobs; /* the first `done` of them are done */
    uint32_t done;
    Map index; /* (set, depth) -> jobs.at */
    /* RULE_NONE: not made yet */
    RuleId integer, regex[2], formats[FORMAT_KINDS];
} Emit;

/* Sets ir->root to the rule of `root` and makes all rules that it needs. */
void emit_run(Sets *s, SetId root, const weir_space *space);

/* The values of a set, `depth` containers down: a reference, or a few words,
 * or NEVER. */
NodeId emit_value(Emit *e, SetId set, uint32_t depth);
/* How values that do not count are written: those of `value` outside `counted`;
 * or, where no count has a most and they have items or members, so that telling
 * them apart is dear, all of `value`: then some count less than they could,
 * which no count minds. */
SetId emit_others(Sets *s, SetId value, SetId counted, uint32_t most);
NodeId emit_array(Emit *e, const ArrayShape *a, uint32_t depth);
NodeId emit_object(Emit *e, const ObjectShape *o, uint32_t depth);
/* Strings of one piece, with their quotes. */
NodeId emit_string(Emit *e, StringPiece piece);
/* How many strings there are of a piece, for a list where they must differ. */
ListSupply piece_supply(Sets *s, StringPiece piece);
/* Regular expressions as JSON strings: emit_regex.c. */
NodeId emit_regex(Emit *e, bool may_be_empty);
/* One exact text as a JSON string. */
NodeId emit_text(Emit *e, Span text);

#endif
