/* row_maskbench.c: row maskbench: real schemas, each with texts that it allows
 * and texts that it forbids, after MaskBench (guidance-ai/jsonschemabench).
 *
 * In file order, each schema is compiled (no cache), its tests are run, each
 * once and by a fresh matcher, and it is freed. A schema passes when it
 * compiles, every valid text is accepted token by token with a stop token
 * allowed at the end, and every invalid one is refused somewhere.
 *
 *   ttfm  compile, JSON parser included, a matcher, and its first mask
 *   tbm   a mask filled into a row, and the accept of one token
 *
 * What the vocabulary's grammars share is warm, as in a server that has run
 * for a while: built-in JSON has read some of the texts before.
 * A valid text that only its order of members makes invalid is an order
 * refusal: so says the same schema compiled for any order, apart from times.
 * Memory is the most that is resident after some schema's tests, the grammar
 * still there, but for the samples kept here.
 */
#include "bench/bench.h"

#include "text/json.h"

enum { WARM_LINES = 256, REASON = 512 };

/* Worst last: a schema counts once, as the worst of its tests. */
typedef enum Verdict {
    PASSING,
    ORDER_REFUSAL,
    VALIDATION_ERROR,   /* a valid text is refused */
    INVALIDATION_ERROR, /* an invalid text is accepted */
    COMPILE_ERROR,
    VERDICTS
} Verdict;

static const char *const verdict_names[VERDICTS] = {
    "passing", "order_refusal", "validation_error", "invalidation_error",
    "compile_error"};

typedef VEC(float) Samples;

typedef struct MaskRow {
    const Bench *bench;
    weir_vocab *vocab;
    weir_grammar *json; /* built-in JSON, for warming up */
    int32_t *row;
    size_t row_size;
    Samples tbm, ttfm; /* microseconds */
    VEC(uint32_t) ids; /* of the test being run */
    uint32_t count[VERDICTS], schemas;
    size_t resident;
    Span file; /* of the schema being run: its name */
    FILE *list;
} MaskRow;

/* One schema with its tests. */
typedef struct Schema {
    MaskRow *r;
    const Json *line;
    weir_bytes text;
    weir_grammar *grammar;
    weir_grammar *any_order; /* made when a valid text is refused */
    Verdict verdict;
    char reason[REASON];
    double ttfm, tbm; /* microseconds; tbm: the longest of its tests */
} Schema;

/* ---- compiling ---- */

static weir_grammar *compile(const MaskRow *r, weir_bytes text, bool any_order,
                             weir_error *err)
{
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema = {.any_order = any_order}};
    return weir_grammar_compile(r->vocab, WEIR_JSON_SCHEMA, text, &opts, err);
}

/* Compiles and fills the first mask. */
static bool compile_timed(Schema *s)
{
    MaskRow *r = s->r;
    weir_error err = {.status = WEIR_OK};
    uint64_t begin = timer_now();
    s->grammar = compile(r, s->text, r->bench->any_order, &err);
    weir_matcher *m =
        s->grammar ? weir_matcher_new(s->grammar, NULL, &err) : NULL;
    if (m) weir_matcher_fill(m, r->row);
    s->ttfm = bench_us(r->bench, begin, timer_now());
    weir_matcher_free(m);
    if (m) return vec_push(&r->bench->mem, &r->ttfm, (float)s->ttfm);
    s->verdict = COMPILE_ERROR;
    snprintf(s->reason, REASON, "%s: %s%s%s", weir_status_name(err.status),
             err.message, *err.pointer ? " at " : "", err.pointer);
    return true;
}

/* ---- one test ---- */

static bool ids_read(MaskRow *r, const Json *json, JsonId ids)
{
    r->ids.count = 0;
    for (JsonIter it = json_iter(json, ids); json_step(&it);) {
        uint32_t id = UINT32_MAX; /* no number: a token that none allows */
        json_u32(json, it.value, &id);
        if (!vec_push(&r->bench->mem, &r->ids, id)) return false;
    }
    return true;
}

static bool has_bit(const int32_t *row, uint32_t width, uint32_t id)
{
    return id < width && (uint32_t)row[id / 32] >> id % 32 & 1;
}

static bool may_stop(const MaskRow *r, weir_matcher *m)
{
    uint32_t nstops, width = weir_vocab_width(r->vocab);
    const uint32_t *stops = weir_vocab_stops(r->vocab, &nstops);
    bool may = false;
    weir_matcher_fill(m, r->row);
    for (uint32_t i = 0; i < nstops; i++)
        may |= has_bit(r->row, width, stops[i]);
    return may && !weir_matcher_error(m);
}

/* Accept and the mask are to say the same of each token. */
static void tell_difference(const MaskRow *r, uint32_t id, weir_accept answer)
{
    fprintf(stderr, "weir-bench: %.*s: token %u: the mask says %s, accept %s\n",
            (int)r->file.size, (const char *)r->file.at, id,
            answer == WEIR_ACCEPTED ? "no" : "yes",
            answer == WEIR_ACCEPTED ? "yes" : "no");
}

/* Whether the tokens are a whole output. *taken: those accepted. `samples`:
 * NULL, or where the time of each step goes. */
static bool run_ids(MaskRow *r, weir_grammar *g, Samples *samples,
                    uint32_t *taken)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    bool ok = m != NULL;
    for (*taken = 0; ok && *taken < r->ids.count; *taken += ok) {
        uint32_t id = r->ids.at[*taken];
        uint64_t begin = timer_now();
        weir_matcher_fill(m, r->row);
        weir_accept answer = weir_matcher_accept(m, id);
        float us = (float)bench_us(r->bench, begin, timer_now());
        bool bit = has_bit(r->row, weir_vocab_width(r->vocab), id);
        ok = answer == WEIR_ACCEPTED && bit;
        if (samples && !vec_push(&r->bench->mem, samples, us)) ok = false;
        if ((answer == WEIR_ACCEPTED) != bit) tell_difference(r, id, answer);
    }
    ok = ok && may_stop(r, m);
    weir_matcher_free(m);
    return ok;
}

/* Whether only the order of its members makes the text invalid. */
static bool is_order(Schema *s)
{
    uint32_t taken;
    if (s->r->bench->any_order) return false;
    if (!s->any_order) s->any_order = compile(s->r, s->text, true, NULL);
    return s->any_order && run_ids(s->r, s->any_order, NULL, &taken);
}

/* The tokens just before `taken`, and the one there. */
static void put_tokens(const MaskRow *r, uint32_t taken, Out *out)
{
    enum { BEFORE = 8 };
    char text[256];
    uint32_t from = taken > BEFORE ? taken - BEFORE : 0;
    size_t n = weir_vocab_decode(r->vocab, r->ids.at + from, taken - from, true,
                                 text, sizeof text);
    out_text(out, "after ");
    out_quoted(out, span_of(text, MIN(n, sizeof text)));
    if (taken == r->ids.count) {
        out_text(out, " at the end");
        return;
    }
    n = weir_vocab_decode(r->vocab, r->ids.at + taken, 1, true, text,
                          sizeof text);
    out_text(out, " found ");
    out_quoted(out, span_of(text, MIN(n, sizeof text)));
}

static void run_test(Schema *s, JsonId test, uint32_t number)
{
    MaskRow *r = s->r;
    uint32_t taken;
    bool valid = json_bool(s->line, json_get(s->line, test, "valid"), false);
    uint32_t from = r->tbm.count;
    bool accepted = run_ids(r, s->grammar, &r->tbm, &taken);
    for (; from < r->tbm.count; from++) s->tbm = MAX(s->tbm, r->tbm.at[from]);
    if (accepted == valid) return;
    Verdict verdict = accepted      ? INVALIDATION_ERROR
                      : is_order(s) ? ORDER_REFUSAL
                                    : VALIDATION_ERROR;
    if (verdict <= s->verdict) return;
    Out out = {s->reason, REASON - 1, 0};
    s->verdict = verdict;
    out_format(&out, "test %u, token %u of %u", number, taken, r->ids.count);
    out_text(&out, accepted ? ": accepted, invalid" : ": refused ");
    if (!accepted) put_tokens(r, taken, &out);
    s->reason[MIN(out.size, out.cap)] = 0;
}

/* ---- one schema ---- */

static void list_line(const MaskRow *r, const Schema *s)
{
    if (!r->list) return;
    fprintf(r->list, "%.*s\t%s\t%s\t%.1f\t%.2f\n", (int)r->file.size,
            (const char *)r->file.at, verdict_names[s->verdict], s->reason,
            s->ttfm, s->tbm);
    fflush(r->list);
}

static void note_resident(MaskRow *r)
{
    size_t own = (r->tbm.count + r->ttfm.count) * sizeof(float);
    size_t now = bench_resident();
    if (now > own) r->resident = MAX(r->resident, now - own);
}

static bool run_schema(MaskRow *r, const Json *line)
{
    Span text = json_spelling(line, json_get(line, JSON_ROOT, "schema"));
    Schema s = {
        .r = r, .line = line, .text = {(const char *)text.at, text.size}};
    r->file = json_string(line, json_get(line, JSON_ROOT, "file"));
    bool ok = compile_timed(&s);
    uint32_t number = 0;
    JsonId tests = json_get(line, JSON_ROOT, "tests");
    for (JsonIter it = json_iter(line, tests);
         ok && s.verdict != COMPILE_ERROR && json_step(&it); number++) {
        ok = ids_read(r, line, json_get(line, it.value, "ids"));
        if (ok) run_test(&s, it.value, number);
    }
    note_resident(r);
    weir_grammar_free(s.grammar);
    weir_grammar_free(s.any_order);
    r->count[s.verdict]++;
    r->schemas++;
    list_line(r, &s);
    return ok;
}

/* Built-in JSON reads the valid texts of a line. */
static bool warm_line(MaskRow *r, const Json *line)
{
    uint32_t taken;
    JsonId tests = json_get(line, JSON_ROOT, "tests");
    for (JsonIter it = json_iter(line, tests); json_step(&it);) {
        if (!json_bool(line, json_get(line, it.value, "valid"), false))
            continue;
        if (!ids_read(r, line, json_get(line, it.value, "ids"))) return false;
        run_ids(r, r->json, NULL, &taken);
    }
    return true;
}

/* ---- the file ---- */

typedef bool LineTask(MaskRow *r, const Json *line);

static bool run_line(MaskRow *r, LineTask *task, const char *text, size_t size)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    if (!json_parse(&json, &r->bench->mem, span_of(text, size), NULL, &err))
        return bench_fail("cases", &err);
    bool ok = task(r, &json);
    json_free(&json);
    return ok || bench_fail("maskbench", NULL);
}

/* Up to `most` lines, one in memory at a time. */
static bool run_lines(MaskRow *r, LineTask *task, uint32_t most)
{
    char *text = NULL;
    size_t cap = 0;
    ssize_t size;
    bool ok = true;
    FILE *file = fopen(r->bench->cases, "rb");
    if (!file) {
        fprintf(stderr, "weir-bench: cannot read '%s'\n", r->bench->cases);
        return false;
    }
    while (ok && most-- && (size = getline(&text, &cap, file)) > 0)
        if (size > 1) ok = run_line(r, task, text, (size_t)size);
    free(text);
    fclose(file);
    return ok;
}

/* ---- the row ---- */

static bool mask_begin(MaskRow *r)
{
    const Bench *b = r->bench;
    r->vocab = bench_vocab(b);
    r->json = r->vocab ? bench_json(r->vocab) : NULL;
    if (!r->json) return false;
    r->row_size =
        WEIR_MASK_WORDS((size_t)weir_vocab_width(r->vocab)) * sizeof *r->row;
    r->row = mem_zero(&b->mem, r->row_size);
    if (!r->row) return bench_fail("maskbench", NULL);
    if (b->list && !(r->list = fopen(b->list, "w"))) {
        fprintf(stderr, "weir-bench: cannot write '%s'\n", b->list);
        return false;
    }
    return true;
}

static bool mask_end(MaskRow *r)
{
    const Mem *mem = &r->bench->mem;
    bool ok = !r->list || !fclose(r->list);
    weir_grammar_free(r->json);
    weir_vocab_free(r->vocab);
    mem_free(mem, r->row, r->row_size);
    vec_free(mem, &r->tbm);
    vec_free(mem, &r->ttfm);
    vec_free(mem, &r->ids);
    return ok;
}

static bool series_add(const MaskRow *r, Report *report, const char *name,
                       const Samples *samples)
{
    const Mem *mem = &r->bench->mem;
    size_t size = size_mul(samples->count + 1, sizeof(double));
    double *us = mem_new(mem, size);
    if (!us) return bench_fail("maskbench", NULL);
    for (uint32_t i = 0; i < samples->count; i++) us[i] = samples->at[i];
    report_series(report, (ReportSeries){.name = name,
                                         .us = stats_of(us, samples->count)});
    mem_free(mem, us, size);
    return true;
}

static bool mask_report(const MaskRow *r, Report *report)
{
    report_figure(report, "schemas", "", r->schemas);
    for (int i = 0; i < VERDICTS; i++)
        report_figure(report, verdict_names[i], "", r->count[i]);
    report_figure(report, "masks", "", r->tbm.count);
    report->copy_ns = bench_copy_ns(r->bench, weir_vocab_width(r->vocab));
    report->copy_in_us = true;
    report_figure(report, "rss", "mb", (double)r->resident / 1e6);
    return series_add(r, report, "tbm_us", &r->tbm) &&
           series_add(r, report, "ttfm_us", &r->ttfm);
}

bool row_maskbench(const Bench *bench, Report *report)
{
    MaskRow r = {.bench = bench};
    bool ok = mask_begin(&r) && run_lines(&r, warm_line, WARM_LINES) &&
              run_lines(&r, run_schema, UINT32_MAX) && mask_report(&r, report);
    if (!mask_end(&r)) ok = bench_fail("list", NULL);
    return ok;
}
