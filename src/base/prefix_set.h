/* prefix_set.h: texts, and which of them another text begins with. */
#ifndef WEIR_BASE_PREFIX_SET_H
#define WEIR_BASE_PREFIX_SET_H

#include "base/hash.h"
#include "base/span.h"
#include "base/vec.h"

#define PREFIX_NONE UINT32_MAX

/* Empty when zeroed. The texts are borrowed. */
typedef struct PrefixSet {
    VEC(Span) texts;
    Map index;
    size_t longest; /* bytes of the longest text */
} PrefixSet;

/* Adds a text, whose number is that of texts before it. Texts may be equal.
 * False: memory is out. */
bool prefix_set_add(const Mem *mem, PrefixSet *set, Span text);
void prefix_set_free(const Mem *mem, PrefixSet *set);
/* The first of the longest texts, none of them empty, that `text` begins with,
 * or PREFIX_NONE; *count: of how many texts it does. Cost: the longest text. */
uint32_t prefix_set_find(const PrefixSet *set, Span text, uint32_t *count);

#endif
