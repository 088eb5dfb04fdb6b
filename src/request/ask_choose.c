/* ask_choose.c: of what the fields of a request ask for, the one constraint
 * that holds, by the profile's rule for conflicts.
 * Tests: unit/request_rows_test.c.
 */
#include "request/request.h"

static const Ask *refuse_both(Resolver *r, const Ask *a, const Ask *b)
{
    char first[POINTER_ROOM + 8];
    pointer_dotted(a->pointer, first, sizeof first);
    refuse(r, b->at, b->pointer, "conflicting_parameters",
           "found a second constraint besides %s, expected one", first);
    return NULL;
}

/* What vLLM counts as one kind: all schemas are. */
static bool is_same_kind(const Ask *a, const Ask *b)
{
    bool a_json = a->kind <= WEIR_JSON_OBJECT || a->kind == WEIR_JSON_SCHEMA;
    bool b_json = b->kind <= WEIR_JSON_OBJECT || b->kind == WEIR_JSON_SCHEMA;
    if (a->is_bare || b->is_bare) return a->is_bare && b->is_bare;
    return (a_json && b_json) || a->kind == b->kind;
}

/* Whether `winner` silently takes the place of `loser` in this profile. */
static bool replaces(const Resolver *r, const Ask *winner, const Ask *loser)
{
    bool is_format = winner->field == FIELD_RESPONSE_FORMAT;
    switch (r->profile->conflict) {
    case CONFLICT_FIRST:
        return winner->field < loser->field ||
               (winner->field == loser->field && winner < loser);
    case CONFLICT_REPLACE:
        return is_format && is_same_kind(winner, loser);
    case CONFLICT_LLAMA:
        /* on its own completion endpoint the grammar wins; a bare json_object
           leaves a schema of the top level as it is */
        if (winner->field == FIELD_GRAMMAR)
            return loser->field == FIELD_JSON_SCHEMA &&
                   r->endpoint == WEIR_ENDPOINT_COMPLETION;
        if (winner->field == FIELD_JSON_SCHEMA) return loser->is_bare;
        return is_format && loser->field == FIELD_JSON_SCHEMA &&
               !winner->is_bare;
    case CONFLICT_REFUSE:
        break;
    }
    return false;
}

const Ask *ask_choose(Resolver *r)
{
    const Ask *best = NULL;
    for (unsigned i = 0; i < r->count; i++) {
        const Ask *a = &r->asks[i];
        if (!best || replaces(r, a, best))
            best = a;
        else if (!replaces(r, best, a))
            return refuse_both(r, best, a);
    }
    return best;
}
