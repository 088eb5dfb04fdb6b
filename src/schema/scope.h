/* scope.h: sets of (name, resource), where each name leads: what $dynamicRef
 * needs to know of the way taken. Equal sets have equal numbers; 0 is the
 * empty one. */
#ifndef WEIR_SCHEMA_SCOPE_H
#define WEIR_SCHEMA_SCOPE_H

#include "base/hash.h"
#include "base/vec.h"

typedef struct ScopePair {
    uint32_t name, resource;
} ScopePair;

typedef struct ScopeRange {
    uint32_t begin, count; /* in `pairs`, sorted by name */
} ScopeRange;

typedef struct Scopes {
    const Mem *mem;
    VEC(ScopePair) pairs;
    VEC(ScopeRange) ranges; /* by scope */
    Map index;
    bool failed;    /* no memory */
    bool hit_limit; /* more than SCOPE_MAX_PAIRS in all */
} Scopes;
#define SCOPE_MAX_PAIRS (4u << 20)

void scopes_init(Scopes *scopes, const Mem *mem);
void scopes_free(Scopes *scopes);

#define SCOPE_NOTHING UINT32_MAX
/* Where the name leads in a scope, or SCOPE_NOTHING. */
uint32_t scope_find(const Scopes *scopes, uint32_t scope, uint32_t name);
/* The scope with `resource` for each of `names` that it does not have yet.
 * After a failure: some scope. */
uint32_t scope_add(Scopes *scopes, uint32_t scope, const uint32_t *names,
                   uint32_t count, uint32_t resource);

#endif
