/* emit.h: sets of JSON values → rules of the IR, for the files that do it:
 * emit.c, emit_object.c, emit_array.c, emit_style.c.
 *
 * A rule for each set that is met (and depth, where the layout tells depths
 * apart), but for those that are a few words; a list of what is still to do
 * keeps the C stack flat. */
#ifndef WEIR_SCHEMA_EMIT_H
#define WEIR_SCHEMA_EMIT_H

#include "calls/arg_style.h"
#include "schema/schema.h"
#include "schema/set.h"
#include "syntax/json_grammar.h"

/* How the values of a rule are written. */
typedef enum EmitMode {
    EMIT_JSON,
    EMIT_MEMBERS, /* objects, as the members of an ArgStyle */
    EMIT_ITEMS,   /* arrays, as its items */
    EMIT_BRACED   /* as in JSON, but for names and strings */
} EmitMode;

typedef struct EmitJob {
    SetId set;
    uint32_t depth;
    EmitMode mode;
    RuleId rule;
    uint32_t from; /* the job that asked for it first; the root: itself */
} EmitJob;

typedef struct Emit {
    Sets *s;
    Ir *ir;
    JsonRules json;
    VEC(EmitJob) jobs; /* the first `done` of them are done */
    uint32_t done;
    Map index; /* (set, depth, mode) -> jobs.at */
    /* of a style; NULL: JSON alone */
    const ArgStyle *style;
    const Markers *markers;      /* in its marks */
    EmitMode mode;               /* of what is being written */
    SetId types[1 << ARG_TYPES]; /* values of some types; NONE: not made yet */
    const Dfa *looks[1 << ARG_TYPES]; /* what looks like them; the same */
    NodeId gap;                       /* between two pieces */
    const Dfa *names; /* those that can be written as they are */
    /* RULE_NONE: not made yet */
    RuleId regex[2], formats[FORMAT_KINDS];
} Emit;

/* Sets ir->root to the rule of `root` and makes all rules that it needs. With
 * a style: of its objects. */
void emit_run(Sets *s, SetId root, const SchemaUse *use);
/* In the modes of JSON and of braces. */
static inline bool emit_is_braced(const Emit *e)
{
    return e->mode == EMIT_JSON || e->mode == EMIT_BRACED;
}
/* The rule for a set, written in that mode. */
NodeId emit_rule(Emit *e, SetId set, uint32_t depth, EmitMode mode);

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
/* What is known of how many strings there are of a piece, or values of a form,
 * for a list where they must differ: emit_supply.c. */
ListSupply piece_supply(Sets *s, StringPiece piece);
ListSupply form_supply(Sets *s, const Form *form);
/* Regular expressions as JSON strings: emit_regex.c. */
NodeId emit_regex(Emit *e, bool may_be_empty);
/* One exact text as a JSON string. */
NodeId emit_text(Emit *e, Span text);

/* ---- what depends on the mode: emit_style.c ---- */

/* Makes ready for a style; `root`: a set, of which its objects are left. */
SetId emit_style_begin(Emit *e, SetId root);
/* A string between quotes of the style. */
NodeId emit_quoted_string(Emit *e, StringPiece piece);
/* What begins a member of that name, or of the names of a language, up to
 * its value. */
NodeId emit_name(Emit *e, Span name);
NodeId emit_names(Emit *e, const Dfa *names);
/* The names of the language that can be written at all. */
const Dfa *emit_possible_names(Emit *e, const Dfa *names);
/* The rest of a member; an item. */
NodeId emit_member_value(Emit *e, SetId value, uint32_t depth);
NodeId emit_item(Emit *e, SetId value, uint32_t depth);
/* Between two items or members, after what ends one. */
NodeId emit_comma(Emit *e, uint32_t depth);
/* After each. */
NodeId emit_after(Emit *e);
NodeId emit_container(Emit *e, uint32_t depth, const char *brackets,
                      NodeId items, bool may_be_hollow);

#endif
