/* tag_write.h: a list of tools → the structural tag of a family, as JSON. */
#ifndef WEIR_CALLS_TAG_WRITE_H
#define WEIR_CALLS_TAG_WRITE_H

#include "base/mem.h"
#include "base/out.h"
#include "calls/family.h"

typedef struct TagWriter {
    Out *out;
    const Family *family;
    const char *family_name;
    const weir_tool *tools;
    size_t count;
    const weir_tool_opts *opts;
} TagWriter;

/* Whether the family can say it; reports what it cannot. */
bool tag_check(const TagWriter *w, const Mem *mem, weir_error *err);
/* Writes what has been checked. */
void tag_write(TagWriter *w);

/* tag_call.c: the tags of all tools' calls, separated by commas. */
void tag_write_calls(TagWriter *w);
/* "text" of which '"', '\\' and line ends are escaped; no quotes around it. */
void tag_write_piece(Out *out, Span text);
/* The same with quotes. */
void tag_write_string(Out *out, const char *text);

#endif
