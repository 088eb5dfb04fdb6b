/* llama_refs.c: what the references of a schema mean.
 *
 * The schema is walked in the order of its text; an object with $ref is a
 * reference, and what else it holds is not looked at: a reference that only
 * stands there is never found, and means null. Pointers into the schema are
 * taken apart at '/' and nothing in them is decoded. Documents elsewhere are
 * null.
 * Cost:  linear, but for the values that complaints show.
 * Tests: unit/convert_llama_test.c
 */
#include "convert/doc_write.h"
#include "convert/llama.h"

/* ---- the table ---- */

static uint64_t ref_hash(Span text)
{
    return hash_bytes(2, text.at, text.size);
}

LlamaRef *llama_ref_get(Llama *c, Span text)
{
    uint64_t hash = ref_hash(text);
    for (MapPos p = map_first(&c->ref_index, hash); p.value != MAP_NONE;
         p = map_next(&c->ref_index, hash, p))
        if (span_equal(c->refs.at[p.value].text, text))
            return &c->refs.at[p.value];
    LlamaRef ref = {text, JSON_NONE, false};
    if (!vec_push(c->mem, &c->refs, ref) ||
        !map_add(c->mem, &c->ref_index, hash, c->refs.count - 1)) {
        diag_no_memory(c->err);
        return NULL;
    }
    return &c->refs.at[c->refs.count - 1];
}

static bool is_known(const Llama *c, Span text)
{
    uint64_t hash = ref_hash(text);
    for (MapPos p = map_first(&c->ref_index, hash); p.value != MAP_NONE;
         p = map_next(&c->ref_index, hash, p))
        if (span_equal(c->refs.at[p.value].text, text)) return true;
    return false;
}

/* ---- pointers ---- */

/* The number that `token` begins with, after blanks and a sign: false if there
 * is none. SIZE_MAX for what no array has. */
static bool read_index(Span token, size_t *index)
{
    size_t i = 0, n = 0, digits = 0;
    while (i < token.size &&
           (token.at[i] == ' ' || (token.at[i] >= '\t' && token.at[i] <= '\r')))
        i++;
    bool minus = i < token.size && token.at[i] == '-';
    i += i < token.size && (minus || token.at[i] == '+');
    for (; i < token.size && token.at[i] >= '0' && token.at[i] <= '9'; i++) {
        digits++;
        n = n > UINT32_MAX ? n : n * 10 + (size_t)(token.at[i] - '0');
    }
    *index = (minus && n) || n > UINT32_MAX ? SIZE_MAX : n;
    return digits > 0;
}

static JsonId child(Llama *c, JsonId parent, Span token)
{
    size_t index;
    const Json *json = &c->doc.json;
    if (json_kind(json, parent) != JSON_ARRAY)
        return doc_get(&c->doc, parent, token);
    if (!read_index(token, &index)) return JSON_NONE;
    JsonIter it = json_iter(json, parent);
    for (size_t i = 0; llama_work(c, 1) && json_step(&it); i++)
        if (i == index) return it.value;
    return JSON_NONE;
}

static void complain_missing(Llama *c, JsonId at, Span ref, Span token,
                             JsonId parent)
{
    size_t from = scratch_begin(&c->text);
    scratch_text(&c->text, "Error resolving ref ");
    scratch_add(&c->text, ref);
    scratch_text(&c->text, ": ");
    scratch_add(&c->text, token);
    scratch_text(&c->text, " not in ");
    doc_write(&c->doc, parent, JSON_NONE, &c->text);
    llama_complain(c, WEIR_UNDEFINED, at, from);
}

static bool follow(Llama *c, JsonId at, Span ref, JsonId *target)
{
    size_t i = 0;
    while (i < ref.size && ref.at[i] != '#') i++;
    while (i < ref.size && ref.at[i] != '/') i++; /* before the first token */
    while (i < ref.size) {
        size_t from = ++i;
        while (i < ref.size && ref.at[i] != '/') i++;
        Span token = span_of(ref.at + from, i - from);
        JsonId found = child(c, *target, token);
        if (found == JSON_NONE) {
            complain_missing(c, at, ref, token, *target);
            return false;
        }
        *target = found;
    }
    return true;
}

/* ---- the walk ---- */

static void find_one(Llama *c, JsonId at)
{
    Span text;
    if (!llama_string(c, at, &text) || is_known(c, text)) return;
    bool is_far = span_starts(text, SPAN("https://"));
    JsonId target = is_far ? JSON_NONE : JSON_ROOT;
    if (!is_far && !span_starts(text, SPAN("#/"))) {
        size_t from = scratch_begin(&c->text);
        scratch_text(&c->text, "Unsupported ref: ");
        scratch_add(&c->text, text);
        llama_complain(c, WEIR_UNSUPPORTED, at, from);
    } else if (follow(c, at, text, &target)) {
        LlamaRef *ref = llama_ref_get(c, text);
        if (ref) ref->target = target;
    }
}

typedef VEC(DocIter) DocIterStack;

static void enter(Llama *c, JsonId id, DocIterStack *open)
{
    JsonId ref = doc_text_get(&c->doc, id, "$ref");
    if (ref != JSON_NONE)
        find_one(c, ref);
    else if (json_kind(&c->doc.json, id) >= JSON_ARRAY &&
             !vec_push(c->mem, open, doc_iter(&c->doc, id)))
        diag_no_memory(c->err);
}

bool llama_refs_find(Llama *c)
{
    DocIterStack open = {0};
    enter(c, JSON_ROOT, &open);
    while (open.count && llama_work(c, 1)) {
        DocIter *it = &open.at[open.count - 1];
        if (doc_step(it))
            enter(c, it->value, &open);
        else
            open.count--;
    }
    vec_free(c->mem, &open);
    return llama_ok(c);
}
