/* cli_blame.c: which part of a schema refuses a document.
 *
 * A compiled grammar knows what may come, not which keyword forbids the rest.
 * So the question is put as one of cause: the keyword is to blame without
 * which the schema would have taken the byte. Candidates are the keywords that
 * apply to the value at fault or to one around it, and the schemas that they
 * stand in, found by following the document's pointer through the schema; the
 * innermost values come first, and parts before the whole. For each the schema
 * is compiled without it, until one takes the byte.
 * Bounds: CANDIDATES, and TIME_MS of compiling.
 * Tests: tests/cli/schema_cli_test.py.
 */
#include "weir/cli_blame.h"

#include <stdlib.h>

#include "base/arena.h"
#include "text/json.h"
#include "weir/cli_report.h"

enum { CANDIDATES = 256, DEPTH = 48, TOKENS = 128, TIME_MS = 1000 };

/* A keyword, or a schema. */
typedef struct Candidate {
    JsonId id; /* the keyword's key, or the schema */
    bool is_keyword;
    uint32_t depth;   /* tokens of the document's pointer up to the value */
    uint32_t ordinal; /* in order of finding: parts before the whole */
    const char *pointer;
} Candidate;

typedef struct Search {
    const Refusal *r;
    const Mem *mem;
    Arena arena;
    Json json;
    Span token[TOKENS]; /* of the document's pointer */
    uint32_t ntokens;
    Candidate at[CANDIDATES];
    uint32_t count;
} Search;

/* How the value of a keyword holds schemas, and for which values. */
typedef enum Holds {
    HOLDS_NONE,
    HOLDS_SAME,      /* a schema for the value itself */
    HOLDS_SAME_LIST, /* an array of such */
    HOLDS_SAME_MAP,  /* an object of such */
    HOLDS_REF,       /* a reference to such */
    HOLDS_CHILD,     /* a schema for members or items */
    HOLDS_NAMED,     /* an object: for the member of that name */
    HOLDS_ANY_NAMED, /* an object: for some members */
    HOLDS_ITEMS      /* a schema for items, or an array by index */
} Holds;

static const struct {
    const char *name;
    Holds holds;
} keywords[] = {
    {"properties", HOLDS_NAMED},
    {"patternProperties", HOLDS_ANY_NAMED},
    {"additionalProperties", HOLDS_CHILD},
    {"unevaluatedProperties", HOLDS_CHILD},
    {"prefixItems", HOLDS_ITEMS},
    {"items", HOLDS_ITEMS},
    {"additionalItems", HOLDS_CHILD},
    {"unevaluatedItems", HOLDS_CHILD},
    {"contains", HOLDS_CHILD},
    {"allOf", HOLDS_SAME_LIST},
    {"anyOf", HOLDS_SAME_LIST},
    {"oneOf", HOLDS_SAME_LIST},
    {"not", HOLDS_SAME},
    {"then", HOLDS_SAME},
    {"else", HOLDS_SAME},
    {"if", HOLDS_SAME},
    {"dependentSchemas", HOLDS_SAME_MAP},
    {"dependencies", HOLDS_SAME_MAP},
    {"$ref", HOLDS_REF},
    {"$dynamicRef", HOLDS_REF},
    {"$recursiveRef", HOLDS_REF},
    {"type", HOLDS_NONE},
    {"enum", HOLDS_NONE},
    {"const", HOLDS_NONE},
    {"required", HOLDS_NONE},
    {"propertyNames", HOLDS_NONE},
    {"minProperties", HOLDS_NONE},
    {"maxProperties", HOLDS_NONE},
    {"dependentRequired", HOLDS_NONE},
    {"minContains", HOLDS_NONE},
    {"maxContains", HOLDS_NONE},
    {"minItems", HOLDS_NONE},
    {"maxItems", HOLDS_NONE},
    {"uniqueItems", HOLDS_NONE},
    {"minLength", HOLDS_NONE},
    {"maxLength", HOLDS_NONE},
    {"pattern", HOLDS_NONE},
    {"format", HOLDS_NONE},
    {"minimum", HOLDS_NONE},
    {"maximum", HOLDS_NONE},
    {"exclusiveMinimum", HOLDS_NONE},
    {"exclusiveMaximum", HOLDS_NONE},
    {"multipleOf", HOLDS_NONE},
};

/* ---- pointers ---- */

/* pointer/token, or NULL. */
static const char *pointer_add(Search *s, const char *pointer, Span token)
{
    size_t n = strlen(pointer);
    char *text = arena_alloc(&s->arena, n + 2 * token.size + 2), *p;
    if (!text) return NULL;
    memcpy(text, pointer, n);
    p = text + n;
    *p++ = '/';
    for (size_t i = 0; i < token.size; i++) {
        uint8_t c = token.at[i];
        bool is_special = c == '~' || c == '/';
        *p++ = is_special ? '~' : (char)c;
        if (is_special) *p++ = c == '/' ? '1' : '0';
    }
    *p = 0;
    return text;
}

static const char *pointer_index(Search *s, const char *pointer, uint32_t i)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", i);
    return pointer_add(s, pointer, span_text(digits));
}

/* The next token of a JSON pointer that begins with a slash; decoded. */
static Span token_next(Search *s, const char **pointer)
{
    const char *p = *pointer + 1;
    size_t n = strcspn(p, "/");
    char *text = arena_zero(&s->arena, n + 1), *to = text;
    *pointer = p + n;
    for (size_t i = 0; text && i < n; i++) {
        bool is_escape = p[i] == '~' && i + 1 < n;
        *to++ = !is_escape ? p[i] : p[i + 1] == '1' ? '/' : '~';
        i += is_escape;
    }
    return span_of(text, text ? (size_t)(to - text) : 0);
}

static JsonId item_at(const Json *json, JsonId array, Span index)
{
    uint64_t wanted, i = 0;
    char digits[24];
    if (!index.size || index.size >= sizeof digits) return JSON_NONE;
    memcpy(digits, index.at, index.size);
    digits[index.size] = 0;
    if (!number_parse(digits, UINT64_MAX, &wanted)) return JSON_NONE;
    for (JsonIter it = json_iter(json, array); json_step(&it); i++)
        if (i == wanted) return it.value;
    return JSON_NONE;
}

/* The schema that "#/..." leads to, or JSON_NONE. */
static JsonId follow(Search *s, const char *pointer)
{
    JsonId id = JSON_ROOT;
    if (*pointer++ != '#') return JSON_NONE;
    while (*pointer == '/' && id != JSON_NONE) {
        Span token = token_next(s, &pointer);
        id = json_kind(&s->json, id) == JSON_ARRAY
                 ? item_at(&s->json, id, token)
                 : json_get_span(&s->json, id, token);
    }
    return *pointer ? JSON_NONE : id;
}

/* ---- candidates ---- */

static void walk(Search *s, JsonId schema, uint32_t depth, const char *pointer,
                 uint32_t level);

static void add(Search *s, JsonId id, bool is_keyword, uint32_t depth,
                const char *pointer)
{
    if (s->count == CANDIDATES || !pointer) return;
    s->at[s->count] = (Candidate){id, is_keyword, depth, s->count, pointer};
    s->count++;
}

static void walk_all(Search *s, JsonId list, uint32_t depth,
                     const char *pointer, uint32_t level)
{
    uint32_t i = 0;
    for (JsonIter it = json_iter(&s->json, list); json_step(&it); i++)
        walk(s, it.value, depth,
             it.is_object ? pointer_add(s, pointer, it.key)
                          : pointer_index(s, pointer, i),
             level);
}

static void walk_ref(Search *s, JsonId ref, uint32_t depth, uint32_t level)
{
    Span text = json_string(&s->json, ref);
    char *pointer = arena_zero(&s->arena, text.size + 1);
    if (!pointer) return;
    if (text.size) memcpy(pointer, text.at, text.size);
    walk(s, follow(s, pointer), depth, pointer, level);
}

/* The schemas for the member or item on the way to the value. */
static void walk_child(Search *s, Holds holds, JsonId value, uint32_t depth,
                       const char *pointer, uint32_t level)
{
    Span token = s->token[depth];
    bool is_array = json_kind(&s->json, value) == JSON_ARRAY;
    if (holds == HOLDS_ANY_NAMED)
        walk_all(s, value, depth + 1, pointer, level);
    else if (holds == HOLDS_NAMED)
        walk(s, json_get_span(&s->json, value, token), depth + 1,
             pointer_add(s, pointer, token), level);
    else if (is_array)
        walk(s, item_at(&s->json, value, token), depth + 1,
             pointer_add(s, pointer, token), level);
    else
        walk(s, value, depth + 1, pointer, level);
}

static void walk_keyword(Search *s, Holds holds, JsonId value, uint32_t depth,
                         const char *pointer, uint32_t level)
{
    switch (holds) {
    case HOLDS_NONE:
        return;
    case HOLDS_SAME:
        walk(s, value, depth, pointer, level);
        return;
    case HOLDS_SAME_LIST:
    case HOLDS_SAME_MAP:
        walk_all(s, value, depth, pointer, level);
        return;
    case HOLDS_REF:
        walk_ref(s, value, depth, level);
        return;
    default:
        if (depth < s->ntokens)
            walk_child(s, holds, value, depth, pointer, level);
    }
}

/* Adds what applies to the value and to those around it, parts first. */
static void walk(Search *s, JsonId schema, uint32_t depth, const char *pointer,
                 uint32_t level)
{
    JsonKind kind = json_kind(&s->json, schema);
    if (!pointer || level == DEPTH || s->count == CANDIDATES) return;
    for (JsonIter it = json_iter(&s->json, schema); json_step(&it);)
        for (size_t k = 0; kind == JSON_OBJECT && k < COUNT_OF(keywords); k++) {
            if (!span_equal(it.key, span_text(keywords[k].name))) continue;
            const char *below = pointer_add(s, pointer, it.key);
            if (!below) return;
            walk_keyword(s, keywords[k].holds, it.value, depth, below,
                         level + 1);
            add(s, it.key_id, true, depth, below);
        }
    if (kind == JSON_OBJECT || kind == JSON_FALSE)
        add(s, schema, false, depth, pointer);
}

/* Innermost values first. */
static int candidate_order(const void *x, const void *y)
{
    const Candidate *a = x, *b = y;
    if (a->depth != b->depth) return a->depth < b->depth ? 1 : -1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* ---- trying ---- */

static bool goes_on(const Refusal *r, weir_bytes schema, bool any_order)
{
    weir_compile_opts opts = *r->opts;
    opts.schema.any_order |= any_order;
    weir_grammar *g =
        weir_grammar_compile(NULL, WEIR_JSON_SCHEMA, schema, &opts, NULL);
    weir_matcher *m = g ? weir_matcher_new(g, NULL, NULL) : NULL;
    bool ok = m &&
              weir_matcher_accept_bytes(m, r->text, NULL) == WEIR_ACCEPTED &&
              (!r->is_incomplete || weir_matcher_is_completed(m));
    weir_matcher_free(m);
    weir_grammar_free(g);
    return ok;
}

/* Whether the schema goes on without the candidate: a keyword gets a name that
 * means nothing, a schema becomes true. */
static bool is_to_blame(const Search *s, const Candidate *c)
{
    weir_bytes from = s->r->schema;
    JsonNode node = s->json.nodes.at[c->id];
    const char *instead = c->is_keyword ? "\"-\"" : "true";
    size_t n = strlen(instead), size = from.size + n;
    char *text = mem_new(s->mem, size);
    if (!text) return false;
    memcpy(text, from.data, node.begin);
    memcpy(text + node.begin, instead, n);
    memcpy(text + node.begin + n, from.data + node.end, from.size - node.end);
    weir_bytes without = {text, from.size - (node.end - node.begin) + n};
    bool ok = goes_on(s->r, without, false);
    mem_free(s->mem, text, size);
    return ok;
}

static void try_all(Search *s, Blame *blame)
{
    double start = now_ms();
    qsort(s->at, s->count, sizeof *s->at, candidate_order);
    for (uint32_t i = 0; i < s->count && now_ms() - start < TIME_MS; i++) {
        const Candidate *c = &s->at[i];
        if (!is_to_blame(s, c)) continue;
        snprintf(blame->pointer, sizeof blame->pointer, "%s", c->pointer);
        return;
    }
}

void blame_find(const Mem *mem, const Refusal *refusal, Blame *blame)
{
    static Search s; /* large; the program has one thread */
    weir_error err = {.status = WEIR_OK};
    const char *pointer = refusal->instance;
    *blame = (Blame){.is_order = false};
    if (!refusal->opts->schema.any_order &&
        goes_on(refusal, refusal->schema, true)) {
        blame->is_order = true;
        return;
    }
    s = (Search){.r = refusal, .mem = mem};
    Span text = span_of(refusal->schema.data, refusal->schema.size);
    if (!json_parse(&s.json, mem, text, NULL, &err)) return;
    arena_init(&s.arena, mem, 0);
    while (*pointer == '/' && s.ntokens < TOKENS)
        s.token[s.ntokens++] = token_next(&s, &pointer);
    if (!*pointer) walk(&s, JSON_ROOT, 0, "#", 0);
    try_all(&s, blame);
    arena_free(&s.arena);
    json_free(&s.json);
}
