/* weir_convert.c: conversions as objects. Tests: unit/convert_test.c */
#include "api/grammar.h"
#include "api/objects.h"
#include "base/diag.h"
#include "convert/convert.h"

struct weir_conversion {
    Mem mem;
    weir_chat chat;
    ConversionText made;
};

static bool convert_llama(weir_conversion *c, Span schema,
                          const weir_compile_opts *opts, weir_error *err)
{
    weir_limits limits = ir_limits(&opts->limits);
    if (schema.size > limits.max_source)
        return diag_fail(err, WEIR_LIMIT_BYTES, 0, 0,
                         "found %zu bytes of source, expected at most %u "
                         "(limit max_source)",
                         schema.size, limits.max_source);
    return convert_schema_llama(&c->mem, schema, c->chat, &limits, &c->made,
                                err);
}

static bool convert_rules(weir_conversion *c, weir_source_kind from,
                          Span source, weir_source_kind to,
                          const weir_compile_opts *opts, weir_error *err)
{
    Ir ir;
    ir_init(&ir, &c->mem, &opts->limits);
    grammar_read(&ir, NULL, from, source, opts);
    bool done = convert_ir(&ir, to, opts->schema.lenient, &c->made, err);
    ir_free(&ir);
    return done;
}

static bool convert(weir_conversion *c, weir_source_kind from, Span source,
                    weir_source_kind to, const weir_compile_opts *opts,
                    weir_error *err)
{
    bool is_llama = opts->dialect == WEIR_DIALECT_LLAMA_CPP;
    if (from == WEIR_JSON_SCHEMA && to == WEIR_GBNF && is_llama)
        return convert_llama(c, source, opts, err);
    if (is_llama)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "found the dialect llama.cpp, expected it with a "
                         "JSON Schema that is converted to GBNF");
    if (to != WEIR_GBNF && to != WEIR_EBNF && to != WEIR_LARK &&
        to != WEIR_REGEX)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "found kind %d to convert to, expected GBNF, EBNF, "
                         "LARK or REGEX",
                         (int)to);
    return convert_rules(c, from, source, to, opts, err);
}

/* NULL after a report. */
static weir_conversion *conversion_new(const weir_env *env,
                                       const weir_compile_opts *opts,
                                       weir_error *err)
{
    Mem mem = mem_from_env(env);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err)) return NULL;
    weir_conversion *c = mem_zero(&mem, sizeof *c);
    if (c)
        c->mem = mem;
    else
        diag_no_memory(err);
    return c;
}

/* The conversion if it was made, else it is freed. */
static weir_conversion *conversion_end(weir_conversion *c, bool is_made)
{
    if (is_made) return c;
    weir_conversion_free(c);
    return NULL;
}

weir_conversion *weir_convert(const weir_env *env, weir_source_kind from,
                              weir_bytes source, weir_source_kind to,
                              const weir_compile_opts *opts, weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    weir_conversion *c = conversion_new(env, opts, err);
    if (!c) return NULL;
    weir_compile_opts o = compile_opts_read(opts);
    return conversion_end(c, convert(c, from, span_from(source), to, &o, err));
}

weir_conversion *weir_convert_chat(const weir_env *env, weir_chat chat,
                                   weir_bytes schema,
                                   const weir_compile_opts *opts,
                                   weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    weir_conversion *c = conversion_new(env, opts, err);
    if (!c) return NULL;
    weir_compile_opts o = compile_opts_read(opts);
    c->chat = chat;
    if (!chat_prefill(chat).size)
        return conversion_end(
            c, diag_fail(err, WEIR_ARGUMENT, 0, 0, "found an unknown chat"));
    return conversion_end(c, convert_llama(c, span_from(schema), &o, err));
}

void weir_conversion_free(weir_conversion *conversion)
{
    if (!conversion) return;
    Mem mem = conversion->mem;
    conversion_text_free(&mem, &conversion->made);
    mem_free(&mem, conversion, sizeof *conversion);
}

weir_bytes weir_conversion_text(const weir_conversion *conversion)
{
    const ConversionText *made = &conversion->made;
    return (weir_bytes){(const char *)made->at, made->text_size};
}

weir_bytes weir_conversion_warnings(const weir_conversion *conversion)
{
    const ConversionText *made = &conversion->made;
    return (weir_bytes){(const char *)made->at + made->text_size,
                        made->warnings_size};
}

weir_bytes weir_conversion_prefill(const weir_conversion *conversion)
{
    Span text = chat_prefill(conversion->chat);
    return (weir_bytes){(const char *)text.at, text.size};
}
