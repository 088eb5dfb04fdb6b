/* family.h: how the models of a family write reasoning, text and calls. One
 * table for both directions: structural tags are made of it (tag_write.h), and
 * calls are read back by it (parse.h). docs/tools.md shows it in words.
 *
 * A call is a template:
 *
 *     $F  the tool's name
 *     $A  the arguments, in the family's style
 *     $O  {"name": "$F", "arguments": $A}; read in any order
 *     $N  a number      $I  an id of nine letters or digits
 *     $[ ... $]  what lies between is the call's id
 *
 * Blanks in literal text are written as they stand; any blanks, or none, are
 * read there.
 */
#ifndef WEIR_CALLS_FAMILY_H
#define WEIR_CALLS_FAMILY_H

#include "base/span.h"
#include "weir/weir.h"

enum { FAMILY_CALLS = 4, FAMILY_EXCLUDES = 8 };

typedef enum Layout {
    LAYOUT_FREE,    /* calls stand in the text */
    LAYOUT_BLOCKS,  /* a block of text, then a block of calls, then `tail` */
    LAYOUT_MESSAGES /* reasoning, text and calls are messages, with `next`
                       between two */
} Layout;

typedef struct Family {
    Layout layout;
    /* Reasoning; think NULL: the models have none. */
    const char *think, *think_end, *after_think;
    const char *think_excludes[FAMILY_EXCLUDES];
    /* What the text of an answer may stand in (LAYOUT_FREE), or does. */
    const char *text, *text_end[2];
    const char *preamble; /* LAYOUT_MESSAGES: opens text before calls */
    const char *next, *tail;
    /* What all calls of an answer stand in together, or NULL. */
    const char *before_section, *section, *section_end;
    const char *section_read; /* NULL: as it is written */
    const char *trigger;      /* in free text: a call, or the section, begins */
    const char *separator;
    const char *calls[FAMILY_CALLS]; /* templates; NULL at the end */
    uint32_t written;                /* the first few are written, all read */
    const char *style; /* of the arguments: "json", or one of arg_style.h */
    const char *excludes[FAMILY_EXCLUDES]; /* not in free text */
    bool is_bare; /* a call begins as text may, too: it is one only if there is
                     a tool of that name */
} Family;

/* NULL for no such number. */
const Family *family_at(weir_family family);
/* prompt_end.c: where an output begins after a prompt that ends so. */
weir_reasoning family_reasoning(const Family *family, Span prompt_end);

/* One piece of a template. */
typedef enum PartKind {
    PART_END,
    PART_TEXT,
    PART_NAME,
    PART_NUMBER,
    PART_ID,
    PART_ID_BEGIN,
    PART_ID_END,
    PART_ARGS,
    PART_OBJECT
} PartKind;

typedef struct Part {
    PartKind kind;
    Span text; /* PART_TEXT */
} Part;

/* The next part of a template; moves *at past it. */
Part template_next(const char **at);

/* Whether a tool's name can be written and read: letters, digits, _ . / - and
 * whatever is no ASCII. */
static inline bool name_has(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
           c == '/' || c >= 0x80;
}
static inline bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
enum { NAME_MAX_BYTES = 256 };

#endif
