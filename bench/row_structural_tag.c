/* row_structural_tag.c: row structural-tag: masks of an output that is free text
 * with calls of tools in it.
 *
 * The tag has eight tools behind one trigger, with schemas of nested objects;
 * the output is some paragraphs, each followed by a call, encoded by the
 * vocabulary. Each run has a fresh vocabulary and grammar; a step is a mask,
 * taken by pointer and filled into a row, and over several runs each counts
 * with its least time. Steps whose token begins in free text are told apart
 * from those of calls. What is asked for: while the text is free the mask is
 * handed out without a copy, and is the same rows again and again.
 */
#include "base/out.h"
#include "base/vec.h"
#include "bench/bench.h"

enum { TOOLS = 8, ROUNDS = 24, ROOM = 1 << 16, MAX_ROWS = 64 };

static const char code_text[] =
    "    for (int i = 0; i < n; i++) {\n        sum += row[i] * weight[i];\n"
    "    }\n\nThat loop is where the time goes. I will measure it now.\n";

static const char *const paragraphs[] = {
    "The harbour was quiet when the first boats came in, and nobody on the "
    "pier had yet looked at the sky. If a < b and b < c, she wrote, then the "
    "rest follows; but it is not certain that it does, so let me look it up. ",
    "Un caf\xC3\xA9, s'il vous pla\xC3\xAEt - that much he remembered. There "
    "were 1,204 items on the list, most of them paid; for the others we need "
    "the address of the customer, which <b>must</b> be found first.\n\n",
    code_text};

/* %d stands for the tool's number. */
static const char call_text[] =
    "<function=tool_%d>{\"city\": \"Reykjav\xC3\xADk\", \"when\": {\"from\": "
    "\"2024-05-01\", \"days\": 12}, \"tags\": [\"a\", \"long one\"], "
    "\"unit\": \"C\"}</function>";
static const char tool_text[] =
    "{\"begin\":\"<function=tool_%d>\",\"content\":{\"type\":\"json_schema\","
    "\"json_schema\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":"
    "\"string\",\"maxLength\":40},\"when\":{\"type\":\"object\",\"properties\":"
    "{\"from\":{\"type\":\"string\",\"format\":\"date\"},\"days\":{\"type\":"
    "\"integer\",\"minimum\":1,\"maximum\":31}},\"required\":[\"from\"]},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"unit\":{"
    "\"enum\":[\"C\",\"F\"]}},\"required\":[\"city\"],"
    "\"additionalProperties\":false}},\"end\":\"</function>\"}";

typedef struct TagRow {
    const Bench *bench;
    char source[ROOM], text[ROOM];
    size_t source_size, text_size;
    VEC(size_t) free_end, call_end; /* by round: offsets in the text */
    VEC(uint32_t) ids;
    VEC(bool) is_free;      /* by step */
    VEC(double) fill, hand; /* by step: the least times, microseconds */
    int32_t *row;
    size_t row_size;
    double copy_ns, compile_us;
    const int32_t *seen[MAX_ROWS]; /* rows handed out in free text, last run */
    uint32_t nseen, wrong;
} TagRow;

/* ---- the tag and the output ---- */

/* The text, with the number in place of "%d". */
static void put_numbered(Out *out, const char *text, int number)
{
    const char *mark = strstr(text, "%d");
    out_bytes(out, span_of(text, (size_t)(mark - text)));
    out_format(out, "%d", number);
    out_text(out, mark + 2);
}

static void write_source(TagRow *r)
{
    Out out = {r->source, sizeof r->source, 0};
    out_text(&out, "{\"format\":{\"type\":\"triggered_tags\",\"triggers\":["
                   "\"<function=\"],\"tags\":[");
    for (int i = 0; i < TOOLS; i++) {
        if (i) out_text(&out, ",");
        put_numbered(&out, tool_text, i);
    }
    out_text(&out, "]}}");
    r->source_size = out.size;
}

static bool write_text(TagRow *r)
{
    Out out = {r->text, sizeof r->text, 0};
    bool ok = true;
    for (int i = 0; ok && i < ROUNDS; i++) {
        out_text(&out, paragraphs[(size_t)i % COUNT_OF(paragraphs)]);
        ok = vec_push(&r->bench->mem, &r->free_end, out.size);
        put_numbered(&out, call_text, i % TOOLS);
        ok = ok && vec_push(&r->bench->mem, &r->call_end, out.size);
    }
    r->text_size = out.size;
    return ok && out.size <= out.cap;
}

/* Whether what begins at the offset begins in free text. */
static bool is_free_at(const TagRow *r, size_t offset)
{
    uint32_t i = 0;
    while (i < r->call_end.count && r->call_end.at[i] <= offset) i++;
    return i == r->call_end.count || offset < r->free_end.at[i];
}

static bool encode(TagRow *r, weir_vocab *v)
{
    weir_bytes text = {r->text, r->text_size};
    const Mem *mem = &r->bench->mem;
    size_t count = weir_vocab_encode(v, text, false, NULL, 0), pos = 0;
    bool ok = count < SIZE_MAX && vec_reserve(mem, &r->ids, count);
    if (!ok) return false;
    r->ids.count =
        (uint32_t)weir_vocab_encode(v, text, false, r->ids.at, count);
    for (uint32_t i = 0; ok && i < r->ids.count; i++) {
        ok = vec_push(mem, &r->is_free, is_free_at(r, pos)) &&
             vec_push(mem, &r->fill, 0) && vec_push(mem, &r->hand, 0);
        pos += weir_vocab_token(v, r->ids.at[i]).bytes.size;
    }
    r->row_size = WEIR_MASK_WORDS((size_t)weir_vocab_width(v)) * sizeof *r->row;
    r->row = mem_zero(mem, r->row_size);
    return ok && r->row && pos == r->text_size;
}

/* ---- one run ---- */

static void see(TagRow *r, const int32_t *mask)
{
    for (uint32_t i = 0; i < r->nseen; i++)
        if (r->seen[i] == mask) return;
    if (r->nseen < MAX_ROWS) r->seen[r->nseen++] = mask;
}

static void step(TagRow *r, weir_matcher *m, uint32_t i, bool is_first)
{
    uint64_t begin = timer_now();
    const int32_t *mask = weir_matcher_mask(m);
    double hand = bench_us(r->bench, begin, timer_now());
    begin = timer_now();
    weir_matcher_fill(m, r->row);
    double fill = bench_us(r->bench, begin, timer_now());
    r->hand.at[i] = is_first ? hand : MIN(r->hand.at[i], hand);
    r->fill.at[i] = is_first ? fill : MIN(r->fill.at[i], fill);
    if (r->is_free.at[i]) see(r, mask);
    if (!mask || memcmp(mask, r->row, r->row_size) ||
        weir_matcher_accept(m, r->ids.at[i]) != WEIR_ACCEPTED)
        r->wrong++;
}

static bool run_once(TagRow *r, bool is_first)
{
    weir_error err = {0};
    weir_vocab *v = bench_vocab(r->bench);
    if (!v || (is_first && !encode(r, v))) return weir_vocab_free(v), false;
    uint64_t begin = timer_now();
    weir_grammar *g = weir_grammar_compile(
        v, WEIR_STRUCTURAL_TAG, (weir_bytes){r->source, r->source_size}, NULL,
        &err);
    double us = bench_us(r->bench, begin, timer_now());
    weir_matcher *m = g ? weir_matcher_new(g, NULL, &err) : NULL;
    r->compile_us = is_first ? us : MIN(r->compile_us, us);
    r->wrong = r->nseen = 0;
    for (uint32_t i = 0; m && i < r->ids.count; i++) step(r, m, i, is_first);
    bool ok = m && weir_matcher_is_completed(m);
    double copy_ns = bench_copy_ns(r->bench, weir_vocab_width(v));
    r->copy_ns = is_first ? copy_ns : MIN(r->copy_ns, copy_ns);
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(v);
    return ok || bench_fail("structural tag", &err);
}

/* ---- the row ---- */

/* The times of the steps that are free, or those that are not. */
static Stats stats_where(const TagRow *r, const double *us, bool is_free,
                         double *scratch)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->ids.count; i++)
        if (r->is_free.at[i] == is_free) scratch[n++] = us[i];
    return stats_of(scratch, n);
}

static bool tag_report(const TagRow *r, Report *report)
{
    static const StatsTargets free_targets = {.copies = {[STATS_P50] = 2}};
    size_t nbytes = r->ids.count * sizeof(double);
    double *scratch = mem_new(&r->bench->mem, nbytes);
    if (!scratch) return bench_fail("structural tag", NULL);
    report->copy_ns = r->copy_ns;
    report_series(
        report, (ReportSeries){.name = "free: fill",
                               .us = stats_where(r, r->fill.at, true, scratch),
                               .targets = &free_targets});
    report_series(report, (ReportSeries){
                              .name = "free: pointer",
                              .us = stats_where(r, r->hand.at, true, scratch)});
    report_series(report, (ReportSeries){.name = "call: pointer",
                                         .us = stats_where(r, r->hand.at, false,
                                                           scratch)});
    mem_free(&r->bench->mem, scratch, nbytes);
    report_figure(report, "steps", "", r->ids.count);
    report_figure_most(report, "rows_while_free", "", r->nseen, MAX_ROWS - 1);
    report_figure(report, "compile", "us", r->compile_us);
    report_figure(report, "runs", "", r->bench->runs);
    report_figure_most(report, "wrong", "", r->wrong, 0);
    return !r->wrong;
}

static void row_free(TagRow *r)
{
    const Mem *mem = &r->bench->mem;
    vec_free(mem, &r->free_end);
    vec_free(mem, &r->call_end);
    vec_free(mem, &r->ids);
    vec_free(mem, &r->is_free);
    vec_free(mem, &r->fill);
    vec_free(mem, &r->hand);
    mem_free(mem, r->row, r->row_size);
}

bool row_structural_tag(const Bench *bench, Report *report)
{
    static TagRow r;
    r = (TagRow){.bench = bench};
    write_source(&r);
    bool ok = write_text(&r) || bench_fail("structural tag", NULL);
    for (uint32_t run = 0; ok && run < bench->runs; run++)
        ok = run_once(&r, run == 0);
    ok = ok && tag_report(&r, report);
    row_free(&r);
    return ok;
}
