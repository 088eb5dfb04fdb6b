/* row_gbnf.c: row gbnf: the masks of llama.cpp's recorded outputs.
 *
 * The records (gbnf_grammars.jsonl, gbnf_masks.jsonl) are of several
 * vocabularies: those count whose name is in the tokenizer's path. Each run has
 * a fresh vocabulary and fresh grammars, in the dialect llama.cpp, and goes
 * through all outputs in order: so of the steps of a state the first makes its
 * mask and the others find it. A step's time is that of its mask; over several
 * runs each counts with its least. Every mask is compared with the record.
 */
#include "bench/bench.h"
#include "bench/bench_lines.h"

static const StatsTargets mask_targets = {.us = {[STATS_P50] = 3}};

typedef struct GbnfText {
    char *text, *root; /* NUL at the end */
    char name[48];
    weir_grammar *grammar; /* of the present run */
    double compile_us;     /* the least */
} GbnfText;

typedef struct GbnfStep {
    uint32_t grammar, prev;
    bool is_first;
    uint64_t hash; /* of the mask */
} GbnfStep;

typedef struct GbnfRow {
    const Bench *bench;
    VEC(GbnfText) texts;
    VEC(GbnfStep) steps;
    weir_vocab *vocab;
    weir_matcher *matcher;
    int32_t *row;
    size_t row_size;
    uint32_t width;
    double *least; /* by step: microseconds */
    double copy_ns;
    uint32_t wrong; /* masks of the present run */
} GbnfRow;

/* ---- records ---- */

static char *copy_text(const Mem *mem, Span text)
{
    char *copy = mem_new(mem, text.size + 1);
    if (!copy) return NULL;
    if (text.size) memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    return copy;
}

static Span field(const Json *line, const char *key)
{
    return json_string(line, json_get(line, JSON_ROOT, key));
}

static bool add_grammar(void *user, const Json *line)
{
    GbnfRow *g = user;
    const Mem *mem = &g->bench->mem;
    Span name = field(line, "name");
    GbnfText t = {.text = copy_text(mem, field(line, "text")),
                  .root = copy_text(mem, field(line, "root"))};
    size_t size = MIN(name.size, sizeof t.name - 1);
    if (size) memcpy(t.name, name.at, size);
    return vec_push(mem, &g->texts, t) && t.text && t.root;
}

static bool add_step(void *user, const Json *line)
{
    GbnfRow *g = user;
    char vocab[32] = "", hash[24] = "";
    Span name = field(line, "grammar"), v = field(line, "vocab"),
         h = field(line, "fnv1a64");
    GbnfStep step = {.is_first = true};
    if (v.size) memcpy(vocab, v.at, MIN(v.size, sizeof vocab - 1));
    if (h.size) memcpy(hash, h.at, MIN(h.size, sizeof hash - 1));
    if (!strstr(g->bench->tokenizer, vocab)) return true;
    while (step.grammar < g->texts.count &&
           !span_equal(name, span_text(g->texts.at[step.grammar].name)))
        step.grammar++;
    if (step.grammar == g->texts.count) return true;
    step.is_first =
        !json_u32(line, json_get(line, JSON_ROOT, "prev"), &step.prev);
    step.hash = strtoull(hash, NULL, 16);
    return vec_push(&g->bench->mem, &g->steps, step);
}

static bool read_records(GbnfRow *g)
{
    static const char *const names[] = {"gbnf_grammars", "gbnf_masks"};
    weir_error err = {0};
    char path[4200];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.jsonl", g->bench->records, names[i]);
        if (!lines_each(&g->bench->mem, path, i ? add_step : add_grammar, g,
                        &err))
            return bench_fail("records", &err);
    }
    if (g->steps.count) return true;
    fprintf(stderr, "weir-bench: gbnf: no records for %s\n",
            g->bench->tokenizer);
    return false;
}

/* ---- one run ---- */

static void run_end(GbnfRow *g)
{
    weir_matcher_free(g->matcher);
    g->matcher = NULL;
    for (uint32_t i = 0; i < g->texts.count; i++) {
        weir_grammar_free(g->texts.at[i].grammar);
        g->texts.at[i].grammar = NULL;
    }
    weir_vocab_free(g->vocab);
    g->vocab = NULL;
}

static bool run_begin(GbnfRow *g)
{
    weir_error err = {0};
    weir_vocab_opts opts = {.size = sizeof opts,
                            .dialect = WEIR_DIALECT_LLAMA_CPP};
    run_end(g);
    g->wrong = 0;
    g->vocab = weir_vocab_load_file(NULL, g->bench->tokenizer, &opts, &err);
    if (!g->vocab) return bench_fail("vocabulary", &err);
    g->width = weir_vocab_width(g->vocab);
    g->row_size = WEIR_MASK_WORDS((size_t)g->width) * sizeof *g->row;
    if (!g->row) g->row = mem_zero(&g->bench->mem, g->row_size);
    return g->row || bench_fail("gbnf", NULL);
}

static bool compile(GbnfRow *g, GbnfText *t)
{
    weir_error err = {0};
    weir_compile_opts opts = {.size = sizeof opts,
                              .root = t->root,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_bytes source = {t->text, strlen(t->text)};
    uint64_t begin = timer_now();
    t->grammar = weir_grammar_compile(g->vocab, WEIR_GBNF, source, &opts, &err);
    double us = bench_us(g->bench, begin, timer_now());
    t->compile_us = t->compile_us > 0 ? MIN(t->compile_us, us) : us;
    return t->grammar || bench_fail(t->name, &err);
}

static bool begin_output(GbnfRow *g, GbnfText *t)
{
    weir_error err = {0};
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = WEIR_TERM_STOP_TOKEN};
    if (!t->grammar && !compile(g, t)) return false;
    weir_matcher_free(g->matcher);
    g->matcher = weir_matcher_new(t->grammar, &opts, &err);
    return g->matcher || bench_fail("matcher", &err);
}

static bool run_step(GbnfRow *g, uint32_t i, bool is_first_run)
{
    const GbnfStep *s = &g->steps.at[i];
    if (s->is_first && !begin_output(g, &g->texts.at[s->grammar])) return false;
    if (!s->is_first && weir_matcher_accept(g->matcher, s->prev)) g->wrong++;
    uint64_t begin = timer_now();
    weir_matcher_fill(g->matcher, g->row);
    double us = bench_us(g->bench, begin, timer_now());
    g->least[i] = is_first_run ? us : MIN(g->least[i], us);
    if (weir_mask_hash(g->row, g->width) != s->hash) g->wrong++;
    return true;
}

static bool run_all(GbnfRow *g, bool is_first_run)
{
    if (!run_begin(g)) return false;
    for (uint32_t i = 0; i < g->steps.count; i++)
        if (!run_step(g, i, is_first_run)) return false;
    double copy_ns = bench_copy_ns(g->bench, g->width);
    g->copy_ns = is_first_run ? copy_ns : MIN(g->copy_ns, copy_ns);
    return true;
}

/* ---- the row ---- */

static void gbnf_report(GbnfRow *g, Report *report, double *compile_us)
{
    uint32_t compiled = 0;
    for (uint32_t i = 0; i < g->texts.count; i++)
        if (g->texts.at[i].grammar)
            compile_us[compiled++] = g->texts.at[i].compile_us;
    report->copy_ns = g->copy_ns;
    Stats us = stats_of(g->least, g->steps.count);
    report_series(report, (ReportSeries){.us = us, .targets = &mask_targets});
    report_series(report, (ReportSeries){.name = "compile",
                                         .us = stats_of(compile_us, compiled)});
    report_figure(report, "grammars", "", compiled);
    report_figure(report, "masks", "", g->steps.count);
    report_figure(report, "runs", "", g->bench->runs);
    report_figure_most(report, "wrong", "", g->wrong, 0);
}

static void gbnf_free_row(GbnfRow *g)
{
    const Mem *mem = &g->bench->mem;
    run_end(g);
    for (uint32_t i = 0; i < g->texts.count; i++) {
        GbnfText *t = &g->texts.at[i];
        if (t->text) mem_free(mem, t->text, strlen(t->text) + 1);
        if (t->root) mem_free(mem, t->root, strlen(t->root) + 1);
    }
    mem_free(mem, g->row, g->row_size);
    mem_free(mem, g->least, g->steps.count * sizeof *g->least);
    vec_free(mem, &g->texts);
    vec_free(mem, &g->steps);
}

bool row_gbnf(const Bench *bench, Report *report)
{
    GbnfRow g = {.bench = bench};
    double compile_us[128];
    bool ok = read_records(&g);
    g.least = mem_zero(&bench->mem, size_mul(g.steps.count, sizeof *g.least));
    ok = ok && (g.least || bench_fail("gbnf", NULL)) &&
         g.texts.count <= COUNT_OF(compile_us);
    for (uint32_t run = 0; ok && run < bench->runs; run++)
        ok = run_all(&g, run == 0);
    if (ok) gbnf_report(&g, report, compile_us);
    ok = ok && !g.wrong;
    gbnf_free_row(&g);
    return ok;
}
