/* route_model.c: what the server says of itself and its model: /health,
 * /v1/models, /props, and Ollama's /api/tags, /api/show, /api/version.
 * Tests: tests/server/serve_http_test.py. */
#include <stdio.h>

#include "server/service.h"

static void answer(HttpCall *call, JsonPut *out)
{
    http_answer(call, 200, "application/json", out);
}

static JsonPut begin(const Service *s)
{
    JsonPut out = {.mem = s->mem};
    put_object(&out, NULL);
    return out;
}

static const char *chat_name(const Service *s)
{
    for (size_t i = 0; s->opts.style && chat_style_name(i); i++)
        if (chat_find(chat_style_name(i)) == s->opts.style)
            return chat_style_name(i);
    return NULL;
}

void route_health(void *user, HttpCall *call)
{
    JsonPut out = begin(user);
    put_text(&out, "status", "ok");
    put_end(&out, '}');
    answer(call, &out);
}

void route_models(void *user, HttpCall *call)
{
    const Service *s = user;
    JsonPut out = begin(s);
    put_text(&out, "object", "list");
    put_array(&out, "data");
    put_object(&out, NULL);
    put_text(&out, "id", s->opts.name);
    put_text(&out, "object", "model");
    put_int(&out, "created", s->started);
    put_text(&out, "owned_by", "weir");
    put_uint(&out, "max_model_len", service_context(s));
    put_object(&out, "meta");
    put_uint(&out, "n_vocab", s->info->width);
    put_uint(&out, "n_ctx_train", s->info->trained);
    put_end(&out, '}');
    put_end(&out, '}');
    put_end(&out, ']');
    put_end(&out, '}');
    answer(call, &out);
}

/* ---- /props ---- */

void service_put_grammar(const Service *s, JsonPut *out)
{
    const weir_switches *w = &s->opts.switches;
    const char *failure = s->opts.failure == WEIR_FAILURE_DEGRADE  ? "degrade"
                          : s->opts.failure == WEIR_FAILURE_REFUSE ? "refuse"
                                                                   : "profile";
    put_object(out, "grammar");
    put_bool(out, "enabled", !w->grammar_off);
    put_text(out, "profile", weir_profile_name(s->opts.profile));
    put_text(out, "on_unsupported", failure);
    put_bool(out, "jump_forward", w->jump_forward);
    put_bool(out, "batch", !w->batch_grammar_off);
    put_uint(out, "speculate", s->opts.speculate);
    put_uint(out, "max_work", s->opts.max_work);
    put_end(out, '}');
}

void route_props(void *user, HttpCall *call)
{
    const Service *s = user;
    JsonPut out = begin(s);
    put_text(&out, "model_alias", s->opts.name);
    put_text(&out, "model", s->info->name);
    put_text(&out, "engine", s->info->kind);
    put_text(&out, "library", s->info->library);
    put_format(&out, "build_info", "weir %s", weir_version());
    put_uint(&out, "total_slots", s->opts.parallel);
    put_uint(&out, "waiting", s->opts.waiting);
    put_uint(&out, "n_ctx", service_context(s));
    put_uint(&out, "max_body", s->opts.max_body);
    put_text(&out, "chat_format", chat_name(s));
    put_text(&out, "chat_template", s->info->chat_template);
    put_object(&out, "default_generation_settings");
    put_uint(&out, "n_ctx", service_context(s));
    put_end(&out, '}');
    service_put_grammar(s, &out);
    put_end(&out, '}');
    answer(call, &out);
}

/* ---- Ollama ---- */

static void put_details(const Service *s, JsonPut *out)
{
    put_object(out, "details");
    put_text(out, "format", "gguf");
    put_text(out, "family", chat_name(s) ? chat_name(s) : "");
    put_array(out, "families");
    put_end(out, ']');
    put_text(out, "parameter_size", "");
    put_text(out, "quantization_level", "");
    put_text(out, "parent_model", "");
    put_end(out, '}');
}

void route_tags(void *user, HttpCall *call)
{
    const Service *s = user;
    JsonPut out = begin(s);
    put_array(&out, "models");
    put_object(&out, NULL);
    put_text(&out, "name", s->opts.name);
    put_text(&out, "model", s->opts.name);
    put_date(&out, "modified_at", (time_t)s->started);
    put_uint(&out, "size", 0);
    put_text(&out, "digest", "");
    put_details(s, &out);
    put_end(&out, '}');
    put_end(&out, ']');
    put_end(&out, '}');
    answer(call, &out);
}

static void put_capabilities(const Service *s, JsonPut *out)
{
    const ChatStyle *style = s->opts.style;
    put_array(out, "capabilities");
    put_text(out, NULL, "completion");
    if (style && chat_tools(style)) put_text(out, NULL, "tools");
    if (style && chat_reasoning(style)) put_text(out, NULL, "thinking");
    put_end(out, ']');
}

void route_show(void *user, HttpCall *call)
{
    const Service *s = user;
    JsonPut out = begin(s);
    const char *own = s->info->chat_template;
    put_text(&out, "license", "");
    put_text(&out, "modelfile", "");
    put_text(&out, "parameters", "");
    put_text(&out, "template", own ? own : "");
    put_details(s, &out);
    put_object(&out, "model_info");
    put_text(&out, "general.name", s->info->name);
    put_uint(&out, "general.context_length", service_context(s));
    put_uint(&out, "general.vocab_size", s->info->width);
    put_end(&out, '}');
    put_capabilities(s, &out);
    put_date(&out, "modified_at", (time_t)s->started);
    put_end(&out, '}');
    answer(call, &out);
}

void route_version(void *user, HttpCall *call)
{
    JsonPut out = begin(user);
    put_text(&out, "version", weir_version());
    put_end(&out, '}');
    answer(call, &out);
}
