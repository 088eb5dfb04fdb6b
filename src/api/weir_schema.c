/* weir_schema.c: schemas looked at, not compiled. */
#include "api/objects.h"
#include "base/diag.h"
#include "base/out.h"
#include "schema/lint.h"
#include "schema/source.h"
#include "schema/strict_check.h"

/* The warnings of an Ir, one a line. */
static size_t write_lines(const Ir *ir, char *text, size_t capacity)
{
    Out out = {text, capacity, 0};
    for (uint32_t i = 0; i < ir->warnings.count; i++) {
        out_bytes(&out, ir->warnings.at[i].message);
        out_text(&out, "\n");
    }
    return out.size;
}

static void check(Ir *ir, Span schema, uint32_t kinds,
                  const weir_schema_opts *opts)
{
    Sources *s = sources_new(ir, schema, opts);
    if (!s) return;
    schema_lint(s, (kinds & WEIR_CHECK_MISTAKES ? LINT_MISTAKES : 0u) |
                       (kinds & WEIR_CHECK_ADVICE ? LINT_ADVICE : 0u));
    if (kinds & WEIR_CHECK_OPENAI_STRICT && ir_ok(ir)) openai_strict_check(s);
    sources_free(s);
}

size_t weir_schema_check(weir_bytes schema, uint32_t kinds,
                         const weir_compile_opts *opts, char *out,
                         size_t capacity, weir_error *err)
{
    weir_error local;
    Mem mem = mem_from_env(NULL);
    Ir ir;
    err = error_begin(err, &local);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err))
        return SIZE_MAX;
    weir_compile_opts o = compile_opts_read(opts);
    ir_init(&ir, &mem, &o.limits);
    check(&ir, span_from(schema), kinds, &o.schema);
    *err = ir.error;
    size_t size = ir_ok(&ir) ? write_lines(&ir, out, capacity) : SIZE_MAX;
    ir_free(&ir);
    return size;
}
