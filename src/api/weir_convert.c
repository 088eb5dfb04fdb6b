/* weir_convert.c: conversions as objects. Tests: unit/convert_test.c */
#include "api/objects.h"
#include "base/diag.h"
#include "convert/convert.h"

struct weir_conversion {
    Mem mem;
    ConversionText made;
};

static bool convert(weir_conversion *c, weir_source_kind from, Span source,
                    weir_source_kind to, const weir_compile_opts *opts,
                    weir_error *err)
{
    weir_limits limits = ir_limits(&opts->limits);
    if (source.size > limits.max_source)
        return diag_fail(err, WEIR_LIMIT_BYTES, 0, 0,
                         "found %zu bytes of source, expected at most %u "
                         "(limit max_source)",
                         source.size, limits.max_source);
    if (from == WEIR_JSON_SCHEMA && to == WEIR_GBNF &&
        opts->dialect == WEIR_DIALECT_LLAMA_CPP)
        return convert_schema_llama(&c->mem, source, &limits, &c->made, err);
    return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "found a conversion from source kind %d to %d in dialect "
                     "%d, expected a JSON schema to GBNF in that of llama.cpp",
                     (int)from, (int)to, (int)opts->dialect);
}

weir_conversion *weir_convert(const weir_env *env, weir_source_kind from,
                              weir_bytes source, weir_source_kind to,
                              const weir_compile_opts *opts, weir_error *err)
{
    weir_error local;
    Mem mem = mem_from_env(env);
    err = error_begin(err, &local);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err)) return NULL;
    weir_compile_opts o = compile_opts_read(opts);
    weir_conversion *c = mem_zero(&mem, sizeof *c);
    if (!c) {
        diag_no_memory(err);
        return NULL;
    }
    c->mem = mem;
    if (convert(c, from, span_from(source), to, &o, err)) return c;
    mem_free(&mem, c, sizeof *c);
    return NULL;
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
