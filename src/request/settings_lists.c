/* settings_lists.c: the fields that are lists: stop texts, logit biases, DRY's
 * breakers, the order of the samplers.
 * Tests: unit/settings_test.c.
 */
#include "request/settings.h"

#include <math.h>

/* A breaker is looked for in each token of the vocabulary: some 5 ms. */
enum {
    STOPS_MOST = 1024,
    BREAKERS_MOST = 64,
    STOP_BYTES = 1024,
    BIAS_MOST = 1 << 20
};

typedef struct Place {
    JsonId at;
    char pointer[POINTER_ROOM];
} Place;

static Place member(SettingsReader *s, const char *name)
{
    Place p = {.at = json_get(&s->r.json, s->object, name)};
    pointer_join(p.pointer, s->pointer, name);
    return p;
}

static Place item(const Place *list, JsonId at, uint32_t index)
{
    Place p = {.at = at};
    pointer_index(p.pointer, list->pointer, index);
    return p;
}

static bool is_absent(SettingsReader *s, const Place *p)
{
    return json_absent(&s->r.json, p->at);
}

/* ---- texts ---- */

static bool keep(SettingsReader *s, Span text, weir_bytes *out)
{
    const char *copy = arena_copy(&s->s->arena, text.at, text.size);
    *out = (weir_bytes){copy, text.size};
    return copy || refuse_memory(s->r.refusal);
}

static bool add_text(SettingsReader *s, const Place *p, weir_bytes *list,
                     size_t *count)
{
    Span text = json_string(&s->r.json, p->at);
    if (json_kind(&s->r.json, p->at) != JSON_STRING)
        return refuse_kind(&s->r, p->at, p->pointer, "a string");
    if (!text.size && s->r.profile->takes_odd_numbers) return true;
    if (!text.size || text.size > STOP_BYTES)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found a text of %zu bytes, expected 1 to %d", text.size,
                      STOP_BYTES);
    return keep(s, text, &list[(*count)++]);
}

/* A string, if it may be one, or an array of strings. */
static bool read_texts(SettingsReader *s, const Place *p, size_t most,
                       bool takes_one, const weir_bytes **out, size_t *count)
{
    Json *json = &s->r.json;
    JsonKind kind = json_kind(json, p->at);
    bool is_one = kind == JSON_STRING && takes_one;
    if (kind != JSON_ARRAY && !is_one)
        return refuse_kind(&s->r, p->at, p->pointer,
                           takes_one ? "a string or an array of strings"
                                     : "an array of strings");
    size_t n = is_one ? 1 : json_count(json, p->at);
    if (n > most)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found %zu texts, expected at most %zu", n, most);
    weir_bytes *list = arena_array(&s->s->arena, weir_bytes, n);
    if (!list) return refuse_memory(s->r.refusal);
    *out = list;
    *count = 0;
    if (is_one) return add_text(s, p, list, count);
    uint32_t index = 0;
    for (JsonIter it = json_iter(json, p->at); json_step(&it); index++) {
        Place at = item(p, it.value, index);
        if (!add_text(s, &at, list, count)) return false;
    }
    return true;
}

static bool read_stops(SettingsReader *s)
{
    weir_decode_opts *o = &s->s->info.decode;
    bool is_messages = s->r.endpoint == WEIR_ENDPOINT_MESSAGES;
    Place p = member(s, is_messages ? "stop_sequences" : "stop");
    if (is_absent(s, &p)) return true;
    return read_texts(s, &p, STOPS_MOST, !is_messages, &o->stops,
                      &o->stop_count);
}

static bool read_breakers(SettingsReader *s)
{
    weir_sampler_opts *o = &s->s->info.sampler;
    Place p = member(s, "dry_sequence_breakers");
    if (is_absent(s, &p)) return true;
    return read_texts(s, &p, BREAKERS_MOST, false, &o->dry_breakers,
                      &o->dry_breaker_count);
}

/* ---- logit bias ---- */

typedef struct BiasList {
    weir_logit_bias *at;
    size_t count, cap;
} BiasList;

static bool add_bias(SettingsReader *s, const Place *p, BiasList *list,
                     uint64_t id, float bias)
{
    uint64_t width = s->vocab ? weir_vocab_width(s->vocab) : 4u << 20;
    if (id >= width)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found token id %llu, expected one below %llu",
                      (unsigned long long)id, (unsigned long long)width);
    if (list->count == BIAS_MOST)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found more than %d biases", BIAS_MOST);
    if (list->count == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        weir_logit_bias *at = arena_array(&s->s->arena, weir_logit_bias, cap);
        if (!at) return refuse_memory(s->r.refusal);
        if (list->count) memcpy(at, list->at, list->count * sizeof *at);
        list->at = at;
        list->cap = cap;
    }
    list->at[list->count++] = (weir_logit_bias){(uint32_t)id, bias};
    return true;
}

/* A number; false means never. */
static bool bias_value(SettingsReader *s, const Place *p, float *bias)
{
    double value, most = s->r.profile->takes_odd_numbers ? 1e6 : 100;
    if (json_kind(&s->r.json, p->at) == JSON_FALSE) {
        *bias = -INFINITY;
        return true;
    }
    if (!json_double(&s->r.json, p->at, &value))
        return refuse_kind(&s->r, p->at, p->pointer, "a number, or false");
    *bias = (float)value;
    return (value >= -most && value <= most) ||
           refuse(&s->r, p->at, p->pointer, "invalid_value",
                  "found %g, expected %g to %g", value, -most, most);
}

/* Each token of a text. */
static bool add_text_bias(SettingsReader *s, const Place *p, BiasList *list,
                          Span text, float bias)
{
    enum { TOKENS_MOST = 256 };
    uint32_t ids[TOKENS_MOST];
    weir_bytes bytes = {(const char *)text.at, text.size};
    if (!s->vocab)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found %s, expected a token id", quoted(text).text);
    size_t n = weir_vocab_encode(s->vocab, bytes, false, ids, TOKENS_MOST);
    if (n == SIZE_MAX) return refuse_memory(s->r.refusal);
    if (n > TOKENS_MOST)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found a text of %zu tokens, expected at most %d", n,
                      TOKENS_MOST);
    for (size_t i = 0; i < n; i++)
        if (!add_bias(s, p, list, ids[i], bias)) return false;
    return true;
}

/* A key of digits; one that is too large is larger than all ids. */
static bool key_id(Span key, uint64_t *id)
{
    *id = 0;
    for (size_t i = 0; i < key.size; i++) {
        if (key.at[i] < '0' || key.at[i] > '9') return false;
        *id = MIN(10 * *id + (uint64_t)(key.at[i] - '0'), UINT32_MAX);
    }
    return key.size > 0;
}

/* {"50256": -100} */
static bool read_bias_map(SettingsReader *s, const Place *p, BiasList *list)
{
    for (JsonIter it = json_iter(&s->r.json, p->at); json_step(&it);) {
        Place at = {.at = it.value};
        uint64_t id = 0;
        float bias = 0;
        memcpy(at.pointer, p->pointer, sizeof at.pointer);
        if (!bias_value(s, &at, &bias)) return false;
        at.at = it.key_id;
        if (key_id(it.key, &id) ? !add_bias(s, &at, list, id, bias)
                                : !add_text_bias(s, &at, list, it.key, bias))
            return false;
    }
    return true;
}

/* [50256, -100], or ["text", false] */
static bool read_bias_pair(SettingsReader *s, const Place *p, BiasList *list)
{
    Json *json = &s->r.json;
    JsonIter it = json_iter(json, p->at);
    uint64_t id = 0;
    float bias = 0;
    if (json_kind(json, p->at) != JSON_ARRAY || json_count(json, p->at) != 2)
        return refuse(&s->r, p->at, p->pointer, "invalid_type",
                      "expected [token id or text, number or false]");
    json_step(&it);
    Place first = item(p, it.value, 0);
    json_step(&it);
    Place second = item(p, it.value, 1);
    if (!bias_value(s, &second, &bias)) return false;
    if (json_kind(json, first.at) == JSON_STRING)
        return add_text_bias(s, &first, list, json_string(json, first.at),
                             bias);
    if (!json_u64(json, first.at, &id))
        return refuse_kind(&s->r, first.at, first.pointer,
                           "a token id, or a text");
    return add_bias(s, &first, list, id, bias);
}

static bool read_bias(SettingsReader *s)
{
    weir_sampler_opts *o = &s->s->info.sampler;
    BiasList list = {0};
    Place p = member(s, "logit_bias");
    JsonKind kind = json_kind(&s->r.json, p.at);
    uint32_t index = 0;
    if (is_absent(s, &p)) return true;
    if (kind != JSON_OBJECT && kind != JSON_ARRAY)
        return refuse_kind(&s->r, p.at, p.pointer, "an object");
    if (kind == JSON_OBJECT && !read_bias_map(s, &p, &list)) return false;
    if (kind == JSON_ARRAY)
        for (JsonIter it = json_iter(&s->r.json, p.at); json_step(&it);) {
            Place at = item(&p, it.value, index++);
            if (!read_bias_pair(s, &at, &list)) return false;
        }
    o->bias = list.at;
    o->bias_count = list.count;
    return true;
}

/* ---- the order ---- */

typedef struct SamplerName {
    const char *name;
    char letter;
    weir_sampler_kind kind; /* 0: adaptive-p, which comes last in any order */
} SamplerName;
static const SamplerName sampler_names[] = {
    {"penalties", 'e', WEIR_SAMPLER_PENALTIES},
    {"dry", 'd', WEIR_SAMPLER_DRY},
    {"top_n_sigma", 's', WEIR_SAMPLER_TOP_N_SIGMA},
    {"top-n-sigma", 0, WEIR_SAMPLER_TOP_N_SIGMA},
    {"top_k", 'k', WEIR_SAMPLER_TOP_K},
    {"top-k", 0, WEIR_SAMPLER_TOP_K},
    {"typ_p", 'y', WEIR_SAMPLER_TYPICAL},
    {"typical_p", 0, WEIR_SAMPLER_TYPICAL},
    {"typical-p", 0, WEIR_SAMPLER_TYPICAL},
    {"typical", 0, WEIR_SAMPLER_TYPICAL},
    {"typ-p", 0, WEIR_SAMPLER_TYPICAL},
    {"typ", 0, WEIR_SAMPLER_TYPICAL},
    {"top_p", 'p', WEIR_SAMPLER_TOP_P},
    {"top-p", 0, WEIR_SAMPLER_TOP_P},
    {"nucleus", 0, WEIR_SAMPLER_TOP_P},
    {"min_p", 'm', WEIR_SAMPLER_MIN_P},
    {"min-p", 0, WEIR_SAMPLER_MIN_P},
    {"xtc", 'x', WEIR_SAMPLER_XTC},
    {"temperature", 't', WEIR_SAMPLER_TEMPERATURE},
    {"temp", 0, WEIR_SAMPLER_TEMPERATURE},
    {"adaptive_p", 'a', (weir_sampler_kind)0},
    {"adaptive-p", 0, (weir_sampler_kind)0},
};

/* By name, or by a single letter; NULL: none of them. */
static const SamplerName *sampler_of(Span text, bool by_letter)
{
    for (size_t i = 0; i < COUNT_OF(sampler_names); i++) {
        const SamplerName *n = &sampler_names[i];
        if (by_letter ? (char)*text.at == n->letter
                      : span_equal(text, span_text(n->name)))
            return n;
    }
    return NULL;
}

typedef struct Order {
    weir_sampler_kind *at;
    unsigned seen; /* bits of kinds */
} Order;

static bool add_sampler(SettingsReader *s, const Place *p, Span text,
                        bool by_letter, Order *order)
{
    weir_sampler_opts *o = &s->s->info.sampler;
    const SamplerName *name = sampler_of(text, by_letter);
    if (!name)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found sampler %s, expected one of penalties, dry, "
                      "top_n_sigma, top_k, typ_p, top_p, min_p, xtc, "
                      "temperature, adaptive_p",
                      quoted(text).text);
    if (order->seen >> name->kind & 1)
        return refuse(&s->r, p->at, p->pointer, "invalid_value",
                      "found sampler %s twice", quoted(text).text);
    order->seen |= 1u << name->kind;
    if (name->kind) order->at[o->order_count++] = name->kind;
    return true;
}

static bool read_letters(SettingsReader *s, const Place *p, Order *order)
{
    Span text = json_string(&s->r.json, p->at);
    for (size_t i = 0; i < text.size; i++)
        if (!add_sampler(s, p, span_of(text.at + i, 1), true, order))
            return false;
    return true;
}

static bool read_names(SettingsReader *s, const Place *p, Order *order)
{
    Json *json = &s->r.json;
    uint32_t index = 0;
    if (json_kind(json, p->at) != JSON_ARRAY)
        return refuse_kind(&s->r, p->at, p->pointer, "an array of strings");
    for (JsonIter it = json_iter(json, p->at); json_step(&it);) {
        Place at = item(p, it.value, index++);
        if (json_kind(json, at.at) != JSON_STRING)
            return refuse_kind(&s->r, at.at, at.pointer, "a string");
        if (!add_sampler(s, &at, json_string(json, at.at), false, order))
            return false;
    }
    return true;
}

/* An array of names, or a text of letters; when empty the draw alone. */
static bool read_order(SettingsReader *s)
{
    weir_sampler_opts *o = &s->s->info.sampler;
    Order order = {.seen = 0};
    Place p = member(s, "samplers");
    bool is_here = !is_absent(s, &p);
    if (is_here) {
        order.at =
            arena_array(&s->s->arena, weir_sampler_kind, WEIR_SAMPLER_KINDS);
        if (!order.at) return refuse_memory(s->r.refusal);
        o->order = order.at;
        if (!(json_kind(&s->r.json, p.at) == JSON_STRING
                  ? read_letters(s, &p, &order)
                  : read_names(s, &p, &order)))
            return false;
    }
    if (!(order.seen & 1)) o->adaptive_target = -1; /* it must be named */
    if (!is_here || o->order_count) return true;
    order.at[o->order_count++] = WEIR_SAMPLER_TEMPERATURE;
    o->temperature = 1;
    o->dynamic_range = 0;
    return true;
}

bool settings_lists(SettingsReader *s)
{
    bool is_llama = s->r.endpoint <= WEIR_ENDPOINT_RESPONSES ||
                    s->r.endpoint == WEIR_ENDPOINT_COMPLETION;
    if (!read_stops(s) || !read_bias(s)) return false;
    return !is_llama || (read_breakers(s) && read_order(s));
}
