/* member_list.h: what the members of the tools' arguments may be: for styles
 * that write strings like other values. */
#ifndef WEIR_CALLS_MEMBER_LIST_H
#define WEIR_CALLS_MEMBER_LIST_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "schema/member_types.h"

typedef struct MemberRow {
    uint32_t tool;
    Span name;
    unsigned types; /* TYPE_ bits */
} MemberRow;

/* Texts live in the arena. */
typedef struct MemberList {
    Arena arena;
    Span *tools;      /* names */
    unsigned *others; /* types of members that have no row */
    uint32_t count;
    VEC(MemberRow) rows;
    Map index;   /* of rows */
    bool failed; /* out of memory */
} MemberList;

/* Reads the schemas if `has_types`. False: *err tells. */
bool member_list_init(MemberList *list, const Mem *mem, const weir_tool *tools,
                      size_t count, bool has_types, weir_error *err);
void member_list_free(MemberList *list, const Mem *mem);
/* Index of the tool, or UINT32_MAX. */
uint32_t member_list_tool(const MemberList *list, Span name);
/* All types for a tool that is not known. */
unsigned member_list_types(const MemberList *list, uint32_t tool, Span name);

#endif
