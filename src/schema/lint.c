/* lint.c: the walk that warns, and members that are no keywords.
 *
 * In:    the documents.  Out: warnings, in the order of the text.
 * Method: each schema's keywords are laid out by KeywordId, and rules look at
 *        that table (lint_rules.c). What is no keyword of the draft is one of
 *        another draft, one of a related dialect, near to one, or unknown.
 * Cost:  linear; an unknown member is compared with all names of the table.
 * Tests: unit/lint_test.c
 */
#include "schema/lint.h"

#include <stdio.h>

#include "schema/keyword_check.h"
#include "schema/lint_parts.h"
#include "schema/near.h"
#include "schema/source_parts.h"
#include "schema/subschema.h"

/* ---- strangers -------------------------------------------------------- */

/* Keywords of other drafts and dialects, and what to write instead. */
typedef struct Instead {
    const char *name;
    unsigned drafts; /* in which it is none */
    const char *instead;
} Instead;

static const Instead known[] = {
    {"$id", IN_4, "id"},
    {"id", FROM_6, "$id"},
    {"const", IN_4, "an enum of one value"},
    {"dependencies", FROM_2019, "dependentRequired or dependentSchemas"},
    {"dependentRequired", UNTIL_7, "dependencies"},
    {"dependentSchemas", UNTIL_7, "dependencies"},
    {"prefixItems", UNTIL_2019, "a list in items"},
    {"additionalItems", IN_2020, "items beside prefixItems"},
    {"$recursiveRef", IN_2020, "$dynamicRef"},
    {"$recursiveAnchor", IN_2020, "$dynamicAnchor"},
    {"$anchor", UNTIL_7, "$id with \"#\" and the name"},
    /* draft 3 */
    {"divisibleBy", IN_ALL, "multipleOf"},
    {"disallow", IN_ALL, "not"},
    {"extends", IN_ALL, "allOf"},
    /* OpenAPI 3.0 */
    {"nullable", IN_ALL, "\"null\" among the types"},
};

static const Instead *find_instead(Span name, weir_draft draft)
{
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i].drafts & draft_bit(draft) &&
            span_equal(name, span_text(known[i].name)))
            return &known[i];
    return NULL;
}

/* Names that are somebody's own on purpose: "x-...", "_...", "//..." */
static bool is_own(Span name)
{
    return span_starts(name, SPAN("x-")) ||
           (name.size && strchr("_/@#", name.at[0]));
}

/* The draft's keyword that was perhaps meant, or KEYWORD_NONE. */
static KeywordId nearest_keyword(Span name, weir_draft draft)
{
    KeywordId nearest = KEYWORD_NONE;
    unsigned least = NEAR_FAR;
    if (is_own(name)) return KEYWORD_NONE;
    for (unsigned id = 1; id < KEYWORD_COUNT; id++) {
        if (!keyword_in((KeywordId)id, draft)) continue;
        const Keyword *k = &keyword_table[id];
        unsigned distance = near_distance(name, span_of(k->name, k->size));
        if (distance >= least || !near_is_meant(distance, k->size)) continue;
        least = distance;
        nearest = (KeywordId)id;
    }
    return nearest;
}

/* Without effect in any draft; $defs and definitions are found by pointers. */
static bool is_harmless(KeywordId id)
{
    return id == KEYWORD_DEFS || id == KEYWORD_COMMENT ||
           id == KEYWORD_EXAMPLES || id == KEYWORD_DEPRECATED ||
           id == KEYWORD_READ_ONLY || id == KEYWORD_WRITE_ONLY;
}

static void warn_member(Lint *l, const JsonIter *member, LintKinds kind,
                        const char *found, const char *instead)
{
    Place at = {l->place.doc, member->value};
    if (!lint_wants(l, kind)) return;
    place_warn(l->s, at, NULL, "found %s, which %s ignores%s%s", found,
               draft_name(l->draft), instead[0] ? ", expected " : "", instead);
}

void lint_stranger(Lint *l, const JsonIter *member)
{
    Quote name = quote(member->key);
    KeywordId other = keyword_find(member->key);
    const Instead *rule = find_instead(member->key, l->draft);
    char found[sizeof(Quote) + 24];
    snprintf(found, sizeof found, "the keyword %s", name.text);
    if (other == KEYWORD_OLD_ID &&
        json_kind(l->json, member->value) != JSON_STRING)
        rule = NULL; /* people's own */
    if (keyword_in(other, l->draft)) {
        if (lint_wants(l, LINT_MISTAKES))
            place_warn(l->s, (Place){l->place.doc, member->value}, NULL,
                       "found %s, of a vocabulary that the metaschema leaves "
                       "out",
                       found);
    } else if (rule) {
        warn_member(l, member, LINT_MISTAKES, found, rule->instead);
    } else if (other != KEYWORD_NONE) {
        if (!is_harmless(other))
            warn_member(l, member, LINT_MISTAKES, found, "");
    } else {
        KeywordId nearest = nearest_keyword(member->key, l->draft);
        snprintf(found, sizeof found, "the unknown keyword %s", name.text);
        if (nearest != KEYWORD_NONE && !is_harmless(nearest))
            warn_member(l, member, LINT_MISTAKES, found,
                        quote(span_text(lint_name(nearest))).text);
        else if (!is_own(member->key))
            warn_member(l, member, LINT_ADVICE, found, "");
    }
}

/* ---- schemas ---------------------------------------------------------- */

/* Whether $ref hides what stands beside it, as in older drafts. */
static bool is_hidden_by_ref(const Lint *l)
{
    return draft_bit(l->draft) & UNTIL_7 &&
           json_get(l->json, l->place.id, "$ref") != JSON_NONE;
}

/* A member of a schema whose $ref hides the others. */
static void lint_hidden(Lint *l, KeywordId id)
{
    const Keyword *k = &keyword_table[id];
    bool asserts = k->on || id == KEYWORD_TYPE || id == KEYWORD_ENUM ||
                   id == KEYWORD_CONST || id == KEYWORD_NOT ||
                   id == KEYWORD_IF || k->value == TAKES_SCHEMA_LIST;
    if (asserts && lint_wants(l, LINT_MISTAKES))
        place_warn(l->s, l->place, k->name,
                   "found the keyword beside $ref, which hides it in %s, "
                   "expected both in an allOf",
                   draft_name(l->draft));
}

static void lint_keyword(Lint *l, KeywordId id, JsonId value)
{
    if (!lint_has(l, id))
        l->present[l->count++] = (uint8_t)id;
    else if (lint_wants(l, LINT_MISTAKES))
        place_warn(l->s, l->place, lint_name(id),
                   "found the keyword twice, expected it once; the last one "
                   "counts");
    l->at[id] = value;
}

static void lint_schema(Lint *l)
{
    bool is_hidden = is_hidden_by_ref(l);
    while (l->count) l->at[l->present[--l->count]] = JSON_NONE;
    for (JsonIter it = json_iter(l->json, l->place.id); json_step(&it);) {
        KeywordId id = place_keyword(l->s, l->place, it.key_id);
        if (id == KEYWORD_NONE) {
            lint_stranger(l, &it);
        } else if (is_hidden && id != KEYWORD_REF) {
            lint_hidden(l, id);
        } else {
            keyword_check_member(l->s, l->place, id, it.value);
            lint_keyword(l, id, it.value);
        }
    }
    if (!is_hidden && sources_ok(l->s)) lint_rules(l);
}

void schema_lint(Sources *s, unsigned kinds)
{
    Place root = sources_root();
    Lint l = {.s = s, .kinds = kinds, .json = place_json(s, root)};
    SchemaWalk walk;
    for (unsigned id = 0; id < KEYWORD_COUNT; id++) l.at[id] = JSON_NONE;
    schema_walk_begin(&walk, l.json, root.id, place_draft(s, root));
    while (sources_ok(s) && schema_walk_next(&walk)) {
        l.place = (Place){root.doc, walk.schema};
        l.draft = place_draft(s, l.place);
        l.via = walk.via;
        schema_walk_set_draft(&walk, l.draft);
        lint_schema(&l);
    }
    if (walk.failed || l.index.failed) sources_no_memory(s);
    schema_walk_end(&walk);
    pointer_index_free(l.json->mem, &l.index);
}
