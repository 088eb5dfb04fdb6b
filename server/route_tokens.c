/* route_tokens.c: /tokenize, /detokenize, /grammar/check.
 *
 *   {"content":"..."} or {"prompt"}, "add_special", "parse_special",
 *   "with_pieces"                        -> {"tokens":[...],"count":N}
 *   {"tokens":[...]}                     -> {"content":"...","prompt"}
 *   any chat request                     -> {"valid","kind","from",...} or the
 *                                           refusal that it would get
 *
 * Tests: tests/server/serve_http_test.py. */
#include <stdio.h>

#include "server/wanted.h"

/* ---- tokenize ---- */

static void put_pieces(const Service *s, const ChatTokens *ids, JsonPut *out)
{
    for (uint32_t i = 0; i < ids->count; i++) {
        put_object(out, NULL);
        put_uint(out, "id", ids->at[i]);
        put_string(out, "piece", weir_vocab_token(s->vocab, ids->at[i]).bytes);
        put_end(out, '}');
    }
}

static void put_ids(const ChatTokens *ids, JsonPut *out)
{
    for (uint32_t i = 0; i < ids->count; i++) put_uint(out, NULL, ids->at[i]);
}

static bool encode(Service *s, Body *b, weir_bytes text, ChatTokens *ids)
{
    enum { MOST = 1 << 20 }; /* bytes: seconds, with some vocabularies */
    bool parse = true, begins = false;
    Place root = place_root();
    if (!body_flag(b, JSON_ROOT, &root, "parse_special", &parse) ||
        !body_flag(b, JSON_ROOT, &root, "add_special", &begins))
        return false;
    if (text.size > MOST)
        return body_refuse(b, JSON_NONE, &root, "invalid_value",
                           "found a text of %zu bytes, expected %d at most",
                           text.size, MOST);
    size_t n = weir_vocab_encode(s->vocab, text, parse, NULL, 0);
    if (n == SIZE_MAX || !vec_reserve(s->mem, ids, n + 1))
        return body_no_memory(b);
    if (begins && s->chat.begin != UINT32_MAX)
        ids->at[ids->count++] = s->chat.begin;
    if (n) weir_vocab_encode(s->vocab, text, parse, ids->at + ids->count, n);
    ids->count += (uint32_t)n;
    return true;
}

static bool tokenize(Service *s, Body *b, HttpCall *call)
{
    ChatTokens ids = {0};
    Place root = place_root();
    bool pieces = false;
    weir_bytes text, other;
    bool ok = body_text(b, JSON_ROOT, &root, "content", &text) &&
              body_text(b, JSON_ROOT, &root, "prompt", &other) &&
              body_flag(b, JSON_ROOT, &root, "with_pieces", &pieces);
    if (ok && !text.data && !other.data) {
        Place place = place_member(&root, "content");
        ok = body_refuse_kind(b, JSON_NONE, &place, "a string");
    }
    if (ok && encode(s, b, text.data ? text : other, &ids)) {
        JsonPut out = {.mem = s->mem};
        put_object(&out, NULL);
        put_array(&out, "tokens");
        if (pieces)
            put_pieces(s, &ids, &out);
        else
            put_ids(&ids, &out);
        put_end(&out, ']');
        put_uint(&out, "count", ids.count);
        put_end(&out, '}');
        http_answer(call, 200, "application/json", &out);
    } else {
        ok = false;
    }
    vec_free(s->mem, &ids);
    return ok;
}

/* ---- detokenize ---- */

static bool read_ids(Service *s, Body *b, ChatTokens *ids)
{
    Place root = place_root(), place = place_member(&root, "tokens");
    JsonId list = body_get(b, JSON_ROOT, "tokens");
    uint32_t id, index = 0, width = weir_vocab_width(s->vocab);
    if (json_kind(&b->json, list) != JSON_ARRAY)
        return body_refuse_kind(b, list, &place, "an array of tokens");
    for (JsonIter it = json_iter(&b->json, list); json_step(&it); index++) {
        if (!json_u32(&b->json, it.value, &id) || id >= width) {
            Place own = place_item(&place, index);
            return body_refuse(b, it.value, &own, "invalid_value",
                               "found no token of the model, expected 0 to %u",
                               width - 1);
        }
        if (!vec_push(s->mem, ids, id)) return body_no_memory(b);
    }
    return true;
}

static bool detokenize(Service *s, Body *b, HttpCall *call)
{
    ChatTokens ids = {0};
    bool ok = read_ids(s, b, &ids);
    if (ok) {
        size_t n =
            weir_vocab_decode(s->vocab, ids.at, ids.count, true, NULL, 0);
        char *text = mem_new(s->mem, n + 1);
        JsonPut out = {.mem = s->mem, .failed = !text};
        if (text) weir_vocab_decode(s->vocab, ids.at, ids.count, true, text, n);
        put_object(&out, NULL);
        put_string(&out, "content", (weir_bytes){text, text ? n : 0});
        put_end(&out, '}');
        mem_free(s->mem, text, n + 1);
        http_answer(call, 200, "application/json", &out);
    }
    vec_free(s->mem, &ids);
    return ok;
}

/* ---- grammar/check ---- */

static const char *kind_name(weir_source_kind kind)
{
    static const char *const names[] = {
        "none",   "json_value",  "json_object", "regex", "ebnf",
        "choice", "json_schema", "gbnf",        "lark",  "structural_tag"};
    return (size_t)kind < COUNT_OF(names) ? names[kind] : "";
}

static void put_warnings(const weir_grammar *g, JsonPut *out)
{
    enum { MOST = 4096 };
    char text[MOST];
    size_t n = g ? weir_grammar_print(g, WEIR_PRINT_WARNINGS, text, MOST) : 0;
    n = MIN(n, MOST);
    put_array(out, "warnings");
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && text[end] != '\n';) end++;
        if (end > at) put_string(out, NULL, (weir_bytes){text + at, end - at});
    }
    put_end(out, ']');
}

static void answer_check(HttpCall *call, const Wanted *w)
{
    weir_grammar_info g = {.size = sizeof g};
    const weir_constraint_info *info = &w->info;
    JsonPut out = {.mem = w->service->mem};
    if (w->grammar) weir_grammar_describe(w->grammar, &g);
    put_object(&out, NULL);
    put_bool(&out, "valid", !info->degraded);
    put_text(&out, "kind", kind_name(info->kind));
    put_text(&out, "from", info->from ? info->from : "");
    put_bool(&out, "degraded", info->degraded);
    put_string(&out, "warning", info->warning);
    put_uint(&out, "rules", g.rules);
    put_warnings(w->grammar, &out);
    put_end(&out, '}');
    http_answer(call, 200, "application/json", &out);
}

void route_check(void *user, HttpCall *call)
{
    Service *s = user;
    Wanted w;
    weir_refusal f;
    if (wanted_read_constraint(&w, s, WEIR_ENDPOINT_CHAT, http_body(call), &f))
        answer_check(call, &w);
    else
        http_refuse(call, &f);
    wanted_close(&w);
}

/* ---- both ---- */

static void with_body(Service *s, HttpCall *call,
                      bool (*run)(Service *, Body *, HttpCall *))
{
    Body b;
    weir_refusal f;
    if (!body_open(&b, s->mem, http_body(call), s->opts.profile,
                   http_route(call)->endpoint, &f) ||
        !run(s, &b, call))
        http_refuse(call, &f);
    body_close(&b);
}

void route_tokenize(void *user, HttpCall *call)
{
    with_body(user, call, tokenize);
}

void route_detokenize(void *user, HttpCall *call)
{
    with_body(user, call, detokenize);
}
