/* source_draft.c: which draft and vocabularies a $schema stands for.
 *
 * In:    the URI of a metaschema.
 * Out:   a draft, and the vocabularies of it that are not in force.
 * Method: the drafts' own metaschemas are known by name. Another one may be
 *        among the documents: then its own $schema says the draft, up to
 *        MAX_METASCHEMAS in a row, and the first $vocabulary on the way what
 *        is in force. A vocabulary that must be known and is not is an error,
 *        or lenient a warning.
 * Tests: unit/source_test.c
 */
#include "schema/near.h"
#include "schema/source_parts.h"

enum { MAX_METASCHEMAS = 8 };

/* Takes a prefix off the text, if it is there. */
static bool takes(Span *text, Span prefix)
{
    if (!span_starts(*text, prefix)) return false;
    *text = span_of(text->at + prefix.size, text->size - prefix.size);
    return true;
}

static const struct {
    const char *folder;
    weir_draft draft;
} drafts[] = {
    {"draft/2020-12/", WEIR_DRAFT_2020_12},
    {"draft/2019-09/", WEIR_DRAFT_2019_09},
    {"draft-07/", WEIR_DRAFT_7},
    {"draft-06/", WEIR_DRAFT_6},
    {"draft-04/", WEIR_DRAFT_4},
};

/* Takes the site and folder of a draft off a URI; DEFAULT if it is none's. */
static weir_draft takes_draft(Span *uri)
{
    if (!takes(uri, SPAN("http://json-schema.org/")) &&
        !takes(uri, SPAN("https://json-schema.org/")))
        return WEIR_DRAFT_DEFAULT;
    for (size_t i = 0; i < COUNT_OF(drafts); i++)
        if (takes(uri, span_text(drafts[i].folder))) return drafts[i].draft;
    return WEIR_DRAFT_DEFAULT;
}

/* The draft whose metaschema (or hyper-schema) a normal URI names. */
static weir_draft known_draft(Span uri)
{
    weir_draft draft = takes_draft(&uri);
    takes(&uri, SPAN("hyper-"));
    return span_equal(uri, SPAN("schema")) ? draft : WEIR_DRAFT_DEFAULT;
}

/* ---- vocabularies ----------------------------------------------------- */

/* What a vocabulary's URI stands for; false: unknown. */
static bool read_vocabulary(Span uri, unsigned *set)
{
    static const struct {
        const char *name;
        unsigned set;
    } known[] = {
        {"core", 0},
        {"applicator", VOCABULARY_APPLICATOR},
        {"unevaluated", VOCABULARY_UNEVALUATED},
        {"validation", VOCABULARY_VALIDATION},
        {"format", VOCABULARY_FORMAT},
        {"format-annotation", VOCABULARY_FORMAT},
        {"format-assertion", VOCABULARY_FORMAT},
        {"content", VOCABULARY_CONTENT},
        {"meta-data", VOCABULARY_META_DATA},
    };
    weir_draft draft = takes_draft(&uri);
    if (!draft || !takes(&uri, SPAN("vocab/"))) return false;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (!span_equal(uri, span_text(known[i].name))) continue;
        *set |= known[i].set;
        /* In 2019-09 the two are one. */
        if (draft == WEIR_DRAFT_2019_09 && i == 1)
            *set |= VOCABULARY_UNEVALUATED;
        return true;
    }
    return false;
}

static void report_vocabulary(Sources *s, Place at, Span name)
{
    static const char text[] =
        "found a metaschema that needs the vocabulary %s, which is unknown";
    if (s->is_lenient)
        place_warn(s, at, "$schema", text, quote(name).text);
    else
        place_fail(s, at, "$schema", WEIR_UNSUPPORTED, text, quote(name).text);
}

/* What the $vocabulary of a metaschema leaves out. */
static unsigned read_vocabularies(Sources *s, Place at, const Json *json,
                                  JsonId list)
{
    unsigned set = 0;
    for (JsonIter it = json_iter(json, list); json_step(&it);)
        if (!read_vocabulary(it.key, &set) && json_bool(json, it.value, false))
            report_vocabulary(s, at, it.key);
    return VOCABULARY_ALL & ~set;
}

/* ---- metaschemas ------------------------------------------------------ */

/* The metaschema with this URI, if it is among the documents. */
static const Json *find_metaschema(Sources *s, Span uri)
{
    /* Naming the documents writes to s->uri. */
    if (!sources_keep(s, &uri)) return NULL;
    uint32_t doc = document_find(s, uri);
    if (doc == INDEX_NONE || !document_parse(s, doc)) return NULL;
    return &s->documents.at[doc].json;
}

Dialect dialect_of(Sources *s, Place at, Span uri)
{
    Dialect d = {WEIR_DRAFT_DEFAULT, 0};
    bool has_list = false;
    for (int i = 0; i < MAX_METASCHEMAS; i++) {
        if (!uri_resolve(&s->uri, (Span){NULL, 0}, uri)) {
            sources_no_memory(s);
            break;
        }
        d.draft = known_draft(uri_span(&s->uri));
        if (d.draft) return d;
        const Json *json = find_metaschema(s, uri_span(&s->uri));
        if (!json) break;
        JsonId list = json_get(json, JSON_ROOT, "$vocabulary");
        if (!has_list && json_kind(json, list) == JSON_OBJECT) {
            d.off = read_vocabularies(s, at, json, list);
            has_list = true;
        }
        uri = json_string(json, json_get(json, JSON_ROOT, "$schema"));
        if (!uri.size) break;
    }
    return (Dialect){WEIR_DRAFT_DEFAULT, 0};
}
