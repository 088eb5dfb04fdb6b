/* regex_fuzz.c: any bytes as a regular expression.
 *
 * In:    a byte of options (bits: 0-1 dialect, 2 case, 3 dot-all, 4 lines,
 *        5 Unicode classes), then a pattern.
 * Holds: both ways to compile it agree on whether it is one; an error names a
 *        place in the pattern and prints whole; a Dfa is well formed, its
 *        example and its listed texts match, its double complement is itself;
 *        what matches as a whole is found by a search. Limits are small, so
 *        that every input is quick.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "syntax/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const weir_limits small = {.max_source = 1 << 16,
                                  .max_depth = 100,
                                  .max_states = 800,
                                  .max_work = 2000000};
enum { OFFSET = 1000 };

static void must(bool holds)
{
    if (!holds) abort();
}

static bool is_limit(weir_status status)
{
    return status >= WEIR_LIMIT_BYTES && status <= WEIR_LIMIT_MEMORY;
}

static void check_error(const weir_error *e, size_t size)
{
    must(e->begin <= e->end && e->end <= OFFSET + size + 1);
    must(!e->begin || e->begin >= OFFSET);
    must(e->message[0] && memchr(e->message, 0, sizeof e->message));
    must(utf8_check(span_text(e->message)) == strlen(e->message));
}

static void check_edges(const Dfa *a)
{
    for (uint32_t s = 0; s < a->nstates; s++)
        for (uint32_t e = a->edge_start[s]; e < a->edge_start[s + 1]; e++) {
            DfaEdge x = a->edges[e];
            must(x.lo <= x.hi && x.hi <= RUNE_MAX && x.to < a->nstates);
            must(x.hi < 0xD800 || x.lo > 0xDFFF);
            must(e == a->edge_start[s] || a->edges[e - 1].hi < x.lo);
        }
}

static void check_language(LangCtx *c, const Dfa *a)
{
    Span texts[5];
    check_edges(a);
    bool has_example = lang_example(c, a, &texts[0]);
    if (has_example) must(lang_matches(a, texts[0]));
    must(has_example == (a->nstates > 0) || !lang_ok(c));
    uint32_t n = lang_list(c, a, texts, COUNT_OF(texts));
    for (uint32_t i = 0; i < n; i++) must(lang_matches(a, texts[i]));
    const Dfa *back = lang_complement(c, lang_complement(c, a));
    if (lang_ok(c)) must(lang_equal(a, back));
}

static weir_error compile_ir(const Mem *mem, Span pattern, RegexOpts opts)
{
    Ir ir;
    ir_init(&ir, mem, &small);
    NodeId node = regex_compile(&ir, pattern, &opts);
    weir_error error = ir.error;
    must(!error.status || node == NODE_NEVER_ID);
    ir_free(&ir);
    return error;
}

static void check_dfas(LangCtx *c, Span pattern, RegexOpts opts,
                       weir_error expected)
{
    const Dfa *whole = regex_dfa(c, pattern, &opts, &small, NULL);
    if (!is_limit(c->error->status) && !is_limit(expected.status))
        must(c->error->status == expected.status);
    if (!lang_ok(c)) return;
    check_language(c, whole);
    opts.is_search = true;
    const Dfa *found = regex_dfa(c, pattern, &opts, &small, NULL);
    bool is_part = lang_is_subset(c, whole, found);
    must(is_part || !lang_ok(c));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    Span pattern = span_of(data + 1, size - 1);
    RegexOpts opts = {.dialect = (RegexDialect)(data[0] & 3),
                      .ignore_case = data[0] & 4,
                      .dot_all = data[0] & 8,
                      .multi_line = data[0] & 16,
                      .unicode_classes = data[0] & 32,
                      .offset = OFFSET};
    Mem mem = mem_from_env(NULL);
    Arena arena;
    LangCtx c;
    weir_error error = {0}, expected = compile_ir(&mem, pattern, opts);
    arena_init(&arena, &mem, 0);
    lang_init(&c, &mem, &arena, &small, &error);
    check_dfas(&c, pattern, opts, expected);
    if (error.status) check_error(&error, pattern.size);
    if (expected.status) check_error(&expected, pattern.size);
    arena_free(&arena);
    return 0;
}
