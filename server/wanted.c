/* wanted.c: from the text of a request to all that its answer takes.
 *
 *   text ─► conversation ─► where the output begins ─► constraint ─► grammar
 *     │                                                    │
 *     ├─► settings                         tools, system message ─► prompts
 *
 * A model that reasons does so before a constraint, if that can be said behind
 * reasoning; of GBNF and the like, which cannot, the answer begins at once,
 * unless the request asks for reasoning.
 * A few compile at once (Gate), the others wait; what has no constraint does
 * not. Grammars come from the compiler's cache.
 * Tests: tests/server/serve_chat_test.py, serve_refusal_test.py.
 */
#include "server/wanted.h"

static bool is_ollama(weir_endpoint endpoint)
{
    return endpoint == WEIR_ENDPOINT_OLLAMA_CHAT ||
           endpoint == WEIR_ENDPOINT_OLLAMA_GENERATE;
}

/* ---- the constraint ---- */

/* llama-server's own grammar, where the prompt ends as its does. */
static weir_chat chat_of(const Service *s, weir_endpoint endpoint, bool direct)
{
    const ChatStyle *style = s->opts.style;
    if (s->opts.profile != WEIR_PROFILE_LLAMA_SERVER || !style ||
        endpoint != WEIR_ENDPOINT_CHAT)
        return WEIR_CHAT_NONE;
    if (style == chat_find("qwen_3"))
        return direct ? WEIR_CHAT_QWEN3_NO_THINK : WEIR_CHAT_QWEN3;
    bool is_chatml =
        style == chat_find("chatml") || style == chat_find("qwen_2_5");
    return is_chatml ? WEIR_CHAT_CHATML : WEIR_CHAT_NONE;
}

static bool resolve(Wanted *w, weir_bytes request, bool direct,
                    weir_refusal *refusal)
{
    Service *s = w->service;
    weir_request_opts opts = service_request_opts(s, w->endpoint);
    w->family = conversation_family(&w->conversation);
    w->reasoning = conversation_start(&w->conversation, direct);
    opts.family = w->family;
    opts.reasoning = w->reasoning;
    opts.chat = chat_of(s, w->endpoint, direct);
    if (w->reasoning) opts.reasoning_tokens = w->conversation.thinking_tokens;
    w->constraint =
        is_ollama(w->endpoint)
            ? weir_constraint_from_ollama(NULL, request, &opts, refusal)
            : weir_constraint_from_openai(NULL, request, &opts, refusal);
    return w->constraint;
}

/* False: refused. *direct tells whether the answer begins at once. */
static bool resolve_best(Wanted *w, weir_bytes request, bool *direct,
                         weir_refusal *refusal)
{
    Thinking thinking = w->conversation.thinking;
    *direct = thinking == THINKING_OFF;
    if (resolve(w, request, *direct, refusal)) return true;
    bool may_change = thinking == THINKING_UNSAID && w->reasoning &&
                      !strcmp(refusal->code, "not_supported");
    *direct = true;
    return may_change && resolve(w, request, true, refusal);
}

/* Choices are a list, which has no text for the cache; calls that no family
 * says how to write are refused by the constraint's own compiling. */
static bool wants_own(const Wanted *w)
{
    bool has_calls = w->info.tool_mode == WEIR_TOOLS_AUTO ||
                     w->info.tool_mode == WEIR_TOOLS_REQUIRED;
    return w->info.kind == WEIR_CHOICE || (has_calls && !w->family);
}

/* A rule of GBNF that is defined twice is an error of the profile, which the
 * constraint's own compiling alone knows. */
static bool check_twice(Wanted *w, weir_refusal *refusal)
{
    bool is_strict = w->service->opts.profile == WEIR_PROFILE_DEFAULT;
    if (w->info.kind != WEIR_GBNF || !is_strict) return true;
    weir_grammar_free(weir_constraint_compile(w->constraint, NULL, refusal));
    return !refusal->http;
}

static bool compile_source(Wanted *w, weir_refusal *refusal)
{
    Service *s = w->service;
    weir_error err;
    if (wants_own(w)) {
        w->grammar = weir_constraint_compile(w->constraint, s->vocab, refusal);
        return !refusal->http;
    }
    w->grammar = weir_compiler_compile(s->compiler, w->info.kind,
                                       w->info.source, w->info.opts, &err);
    if (w->grammar) return check_twice(w, refusal);
    return weir_constraint_fail(w->constraint, &err, refusal);
}

/* Each tool is looked at by itself when something is wrong with them all. */
static bool check_tools(const Wanted *w, weir_refusal *refusal)
{
    enum { MOST = 1024 };
    Body body = {.refusal = refusal};
    Place root = place_root(), place = place_member(&root, "tools");
    return w->info.tool_count <= MOST ||
           body_refuse(&body, JSON_NONE, &place, "invalid_value",
                       "found %zu tools, expected at most %d",
                       w->info.tool_count, MOST);
}

static bool compile(Wanted *w, weir_refusal *refusal)
{
    if (!check_tools(w, refusal)) return false;
    if (!w->info.kind && !wants_own(w)) return true;
    gate_enter(&w->service->compiling);
    bool ok = compile_source(w, refusal);
    gate_leave(&w->service->compiling);
    weir_constraint_describe(w->constraint, &w->info);
    return ok;
}

/* ---- what the output goes on behind ---- */

static bool check_prefill(Wanted *w)
{
    weir_error err;
    Place root = place_root(), place = place_member(&root, "messages");
    weir_matcher *m = weir_matcher_new(w->grammar, NULL, &err);
    size_t taken = 0;
    weir_accept got =
        m ? weir_matcher_accept_bytes(m, w->prefill, &taken) : WEIR_ACCEPTED;
    weir_matcher_free(m);
    return got == WEIR_ACCEPTED || /* the scheduler tells of memory */
           body_refuse(&w->conversation.body, JSON_NONE, &place,
                       "invalid_value",
                       "the answer that is to go on does not obey the "
                       "constraint from byte %zu on",
                       taken);
}

/* A constraint is met by the whole answer, so the matcher takes first what is
 * there. */
static bool read_prefill(Wanted *w)
{
    weir_bytes before = conversation_continued(&w->conversation);
    w->prefill = w->info.prefill;
    if (!w->grammar || !before.size) return true;
    w->prefill = before;
    return check_prefill(w);
}

/* ---- prompts that are told again ---- */

static bool tells_prompts(weir_endpoint endpoint)
{
    return endpoint == WEIR_ENDPOINT_COMPLETIONS ||
           endpoint == WEIR_ENDPOINT_COMPLETION;
}

static size_t decode(const Service *s, const Prompt *p, char *out, size_t room)
{
    return weir_vocab_decode(s->vocab, p->ids.at, p->ids.count, true, out,
                             room);
}

static bool keep_texts(Wanted *w)
{
    const Service *s = w->service;
    Conversation *c = &w->conversation;
    size_t size = 0, at = 0;
    if (!tells_prompts(w->endpoint)) return true;
    for (uint32_t i = 0; i < c->prompts.count; i++)
        if (!c->prompts.at[i].text.data)
            size += decode(s, &c->prompts.at[i], NULL, 0);
    w->texts = arena_array(&c->arena, weir_bytes, c->prompts.count);
    char *pool = arena_alloc(&c->arena, size);
    if (!w->texts || !pool) return body_no_memory(&c->body);
    for (uint32_t i = 0; i < c->prompts.count; i++) {
        const Prompt *p = &c->prompts.at[i];
        w->texts[i] = p->text;
        if (p->text.data) continue;
        size_t n = decode(s, p, pool + at, size - at);
        w->texts[i] = (weir_bytes){pool + at, n};
        at += n;
    }
    return true;
}

/* ---- all of it ---- */

static bool check_choices(Wanted *w)
{
    enum { MOST = 1024 };
    Place root = place_root(), place = place_member(&root, "n");
    uint64_t all = (uint64_t)w->conversation.prompts.count * w->how.choices;
    return all <= MOST ||
           body_refuse(&w->conversation.body, JSON_NONE, &place,
                       "invalid_value",
                       "found %llu answers to all prompts, expected at most "
                       "%d",
                       (unsigned long long)all, MOST);
}

static bool read_settings(Wanted *w, weir_bytes request, weir_refusal *refusal)
{
    Service *s = w->service;
    weir_request_opts opts = service_request_opts(s, w->endpoint);
    w->settings =
        weir_settings_from_request(NULL, s->vocab, request, &opts, refusal);
    if (!w->settings) return false;
    w->how.size = sizeof w->how;
    weir_settings_describe(w->settings, &w->how);
    if (w->how.sampler.seed == WEIR_SEED_RANDOM)
        w->how.sampler.seed = (uint32_t)(service_id(s) >> 33);
    w->how.decode.with_special = w->family; /* its marks may be such */
    return true;
}

bool wanted_read(Wanted *w, Service *s, weir_endpoint endpoint,
                 weir_bytes request, weir_refusal *refusal)
{
    bool direct;
    *w = (Wanted){.service = s, .endpoint = endpoint};
    w->info.size = sizeof w->info;
    if (!conversation_read(&w->conversation, s->mem, &s->chat, endpoint,
                           s->opts.profile, request, refusal))
        return false;
    if (w->conversation.is_load) return true;
    if (!resolve_best(w, request, &direct, refusal)) return false;
    weir_constraint_describe(w->constraint, &w->info);
    if (!read_settings(w, request, refusal) || !compile(w, refusal))
        return false;
    w->how.decode.jump_forward = w->info.jump_forward;
    return conversation_encode(&w->conversation, &w->info, direct, refusal) &&
           check_choices(w) && read_prefill(w) && keep_texts(w);
}

bool wanted_read_constraint(Wanted *w, Service *s, weir_endpoint endpoint,
                            weir_bytes request, weir_refusal *refusal)
{
    *w = (Wanted){.service = s, .endpoint = endpoint};
    w->info.size = sizeof w->info;
    w->conversation = (Conversation){.mem = s->mem, .chat = &s->chat};
    arena_init(&w->conversation.arena, s->mem, 0);
    if (!resolve(w, request, true, refusal)) return false;
    weir_constraint_describe(w->constraint, &w->info);
    return compile(w, refusal);
}

void wanted_close(Wanted *w)
{
    weir_grammar_free(w->grammar);
    weir_settings_free(w->settings);
    weir_constraint_free(w->constraint);
    conversation_close(&w->conversation);
}
