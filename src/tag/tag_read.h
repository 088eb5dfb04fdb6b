/* tag_read.h: the members of a structural tag's JSON, checked as they are
 * read. Every reader reports what it finds wrong, with range and pointer, and
 * returns false then. */
#ifndef WEIR_TAG_TAG_READ_H
#define WEIR_TAG_TAG_READ_H

#include "base/arena.h"
#include "syntax/ir.h"
#include "tag/tag.h"
#include "text/json.h"

typedef struct Tags {
    Ir *ir;
    const TagOpts *opts;
    Span source;
    Json json;
    Arena arena;   /* scratch of the call */
    uint64_t work; /* steps left for schemas and patterns together */
} Tags;

/* A value and the way to it: the links live on the C stack. */
typedef struct At {
    const struct At *up; /* NULL: the root */
    const char *key;     /* in an object; NULL: item `index` of an array */
    uint32_t index;
    JsonId id; /* JSON_NONE: there is no such member */
    uint32_t depth;
} At;

typedef struct TextList {
    Span *at;
    uint32_t count;
} TextList;

At at_member(const Tags *t, const At *up, const char *key);
At at_item(const At *up, JsonId id, uint32_t index);
static inline JsonKind at_kind(const Tags *t, const At *at)
{
    return json_kind(&t->json, at->id);
}
/* Neither there nor null. */
static inline bool at_absent(const Tags *t, const At *at)
{
    return at_kind(t, at) <= JSON_NULL;
}

bool tag_fail(Tags *t, const At *at, weir_status status, const char *format,
              ...) PRINTF_LIKE(4, 5);
/* found the kind that stands there, expected `wanted` */
bool tag_wrong(Tags *t, const At *at, const char *wanted);
/* Gives the error, if it has no pointer yet, that of `at` and its range. */
void tag_place(Tags *t, const At *at);
void tag_warn(Tags *t, const At *at, const char *format, ...) PRINTF_LIKE(3, 4);
/* Writes "#/format/content". */
void tag_pointer(const At *at, Out *out);
bool tag_no_memory(Tags *t);

bool tag_text(Tags *t, const At *at, Span *text);
/* A text that is not empty. */
bool tag_word(Tags *t, const At *at, Span *text);
/* The member, if there is one. */
bool tag_flag(Tags *t, const At *up, const char *key, bool *value);
/* A whole number from 0 to `max`; *has: it is there and not null. */
bool tag_count(Tags *t, const At *up, const char *key, uint32_t max, bool *has,
               uint32_t *value);
/* The member's strings, none of them empty; `least`: how many are needed. A
 * member that is not there has none. */
bool tag_words(Tags *t, const At *up, const char *key, uint32_t least,
               TextList *list);
/* The member is an array; *count of its items. */
bool tag_array(Tags *t, const At *up, const char *key, uint32_t least, At *at,
               uint32_t *count);

#endif
