/* mask_run.c: runs over a file of sources with tests. */
#include "bench/mask_run.h"

#include "text/json.h"

enum { WARM_LINES = 256, REASON = 512 };

const char *const verdict_names[VERDICTS] = {
    "passing", "order_refusal", "validation_error", "invalidation_error",
    "compile_error"};

/* One source with its tests. */
typedef struct Source {
    MaskRun *r;
    const Json *line;
    weir_bytes text;
    weir_grammar *grammar;
    weir_grammar *any_order; /* made when a valid text is refused */
    Verdict verdict;
    char reason[REASON];
    float ttfm, tbm; /* microseconds; tbm: the longest of its tests */
} Source;

/* Notes a time; *least: the least of it so far. False: no memory. */
static bool times_note(MaskRun *r, Times *times, double us, float *least)
{
    uint32_t i = times->next++;
    *least = (float)us;
    if (r->is_first) return vec_push(&r->bench->mem, &times->least, *least);
    if (i >= times->least.count) {
        r->differs = true;
        return true;
    }
    *least = times->least.at[i] = MIN(times->least.at[i], *least);
    return true;
}

/* ---- compiling ---- */

static weir_grammar *compile(const MaskRun *r, weir_bytes text, bool any_order,
                             weir_error *err)
{
    weir_compile_opts opts = {.size = sizeof opts,
                              .schema = {.any_order = any_order}};
    return weir_grammar_compile(r->vocab, r->set->kind, text, &opts, err);
}

/* Compiles and fills the first mask. */
static bool compile_timed(Source *s)
{
    MaskRun *r = s->r;
    weir_error err = {.status = WEIR_OK};
    uint64_t begin = timer_now();
    s->grammar = compile(r, s->text, r->bench->any_order, &err);
    weir_matcher *m =
        s->grammar ? weir_matcher_new(s->grammar, NULL, &err) : NULL;
    if (m) weir_matcher_fill(m, r->row);
    double us = bench_us(r->bench, begin, timer_now());
    weir_matcher_free(m);
    if (m) return times_note(r, &r->ttfm, us, &s->ttfm);
    s->verdict = COMPILE_ERROR;
    s->ttfm = (float)us;
    snprintf(s->reason, REASON, "%s: %s%s%s", weir_status_name(err.status),
             err.message, *err.pointer ? " at " : "", err.pointer);
    return true;
}

/* ---- one test ---- */

static bool ids_of_list(MaskRun *r, const Json *json, JsonId list)
{
    for (JsonIter it = json_iter(json, list); json_step(&it);) {
        uint32_t id = UINT32_MAX; /* no number: a token that none allows */
        json_u32(json, it.value, &id);
        if (!vec_push(&r->bench->mem, &r->ids, id)) return false;
    }
    return true;
}

static bool encode(MaskRun *r, weir_bytes text)
{
    size_t count = weir_vocab_encode(r->vocab, text, false, NULL, 0);
    if (count == SIZE_MAX || !vec_reserve(&r->bench->mem, &r->ids, count))
        return false;
    weir_vocab_encode(r->vocab, text, false, r->ids.at, count);
    r->ids.count = (uint32_t)count;
    return true;
}

/* Drops the first tokens, which are `size` bytes. */
static void drop_bytes(MaskRun *r, size_t size)
{
    uint32_t n = 0;
    for (size_t pos = 0; n < r->ids.count && pos < size; n++)
        pos += weir_vocab_token(r->vocab, r->ids.at[n]).bytes.size;
    r->ids.count -= n;
    memmove(r->ids.at, r->ids.at + n, r->ids.count * sizeof *r->ids.at);
}

/* The ids of a text as they are within an output: an encoder that puts a blank
 * before what it encodes is given a line end first, which is dropped. */
static bool ids_of_text(MaskRun *r, Span text)
{
    char *line = mem_new(&r->bench->mem, text.size + 1);
    if (!line) return false;
    line[0] = '\n';
    if (text.size) memcpy(line + 1, text.at, text.size);
    bool ok = encode(r, (weir_bytes){line + 1, text.size});
    size_t spelt =
        weir_vocab_decode(r->vocab, r->ids.at, r->ids.count, false, NULL, 0);
    if (ok && spelt > text.size) {
        ok = encode(r, (weir_bytes){line, text.size + 1});
        drop_bytes(r, spelt - text.size + 1);
    }
    mem_free(&r->bench->mem, line, text.size + 1);
    return ok;
}

static bool ids_read(MaskRun *r, const Json *json, JsonId test)
{
    r->ids.count = 0;
    if (r->set->has_ids)
        return ids_of_list(r, json, json_get(json, test, "ids"));
    return ids_of_text(r, json_string(json, json_get(json, test, "text")));
}

static bool has_bit(const int32_t *row, uint32_t width, uint32_t id)
{
    return id < width && (uint32_t)row[id / 32] >> id % 32 & 1;
}

static bool may_stop(const MaskRun *r, weir_matcher *m)
{
    uint32_t nstops, width = weir_vocab_width(r->vocab);
    const uint32_t *stops = weir_vocab_stops(r->vocab, &nstops);
    bool may = false;
    weir_matcher_fill(m, r->row);
    for (uint32_t i = 0; i < nstops; i++)
        may |= has_bit(r->row, width, stops[i]);
    return may && !weir_matcher_error(m);
}

/* Accept and the mask are to say the same of each token, unless the mask could
 * not be made. */
static void tell_difference(const MaskRun *r, uint32_t id, weir_accept answer,
                            weir_status mask)
{
    fprintf(stderr, "weir-bench: %.*s: token %u: the mask says %s, accept %s\n",
            (int)r->file.size, (const char *)r->file.at, id,
            mask                      ? weir_status_name(mask)
            : answer == WEIR_ACCEPTED ? "no"
                                      : "yes",
            answer == WEIR_ACCEPTED ? "yes" : "no");
}

/* Whether the tokens are a whole output. *taken: those accepted. `longest`:
 * NULL, or the longest of the steps, all of which are noted. */
static bool run_ids(MaskRun *r, weir_grammar *g, float *longest,
                    uint32_t *taken)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    bool ok = m != NULL;
    for (*taken = 0; ok && *taken < r->ids.count; *taken += ok) {
        float least;
        uint32_t id = r->ids.at[*taken];
        uint64_t begin = timer_now();
        weir_matcher_fill(m, r->row);
        weir_accept answer = weir_matcher_accept(m, id);
        double us = bench_us(r->bench, begin, timer_now());
        bool bit = has_bit(r->row, weir_vocab_width(r->vocab), id);
        weir_status mask = bit ? WEIR_OK : weir_matcher_error(m);
        ok = answer == WEIR_ACCEPTED && bit;
        if ((answer == WEIR_ACCEPTED) != bit)
            tell_difference(r, id, answer, mask);
        if (!longest) continue;
        if (!times_note(r, &r->tbm, us, &least)) ok = false;
        *longest = MAX(*longest, least);
    }
    ok = ok && may_stop(r, m);
    weir_matcher_free(m);
    return ok;
}

/* Whether only the order of its members makes the text invalid. */
static bool is_order(Source *s)
{
    uint32_t taken;
    if (s->r->bench->any_order || s->r->set->kind != WEIR_JSON_SCHEMA)
        return false;
    if (!s->any_order) s->any_order = compile(s->r, s->text, true, NULL);
    return s->any_order && run_ids(s->r, s->any_order, NULL, &taken);
}

/* The tokens just before `taken`, and the one there. */
static void put_tokens(const MaskRun *r, uint32_t taken, Out *out)
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

static void run_test(Source *s, JsonId test, uint32_t number)
{
    MaskRun *r = s->r;
    uint32_t taken;
    bool valid = json_bool(s->line, json_get(s->line, test, "valid"), false);
    bool accepted = run_ids(r, s->grammar, &s->tbm, &taken);
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

/* ---- one source ---- */

static void list_line(const MaskRun *r, const Source *s)
{
    if (!r->list || !r->is_last) return;
    fprintf(r->list, "%.*s\t%s\t%s\t%.1f\t%.2f\n", (int)r->file.size,
            (const char *)r->file.at, verdict_names[s->verdict], s->reason,
            (double)s->ttfm, (double)s->tbm);
    fflush(r->list);
}

static void note_resident(MaskRun *r)
{
    size_t own = (r->tbm.least.count + r->ttfm.least.count) * sizeof(float);
    size_t now = r->is_first ? bench_resident() : 0;
    if (now > own) r->resident = MAX(r->resident, now - own);
}

static Span source_text(const MaskRun *r, const Json *line)
{
    if (r->set->kind == WEIR_JSON_SCHEMA)
        return json_spelling(line, json_get(line, JSON_ROOT, "schema"));
    return json_string(line, json_get(line, JSON_ROOT, "source"));
}

static bool run_source(MaskRun *r, const Json *line)
{
    Span text = source_text(r, line);
    Source s = {
        .r = r, .line = line, .text = {(const char *)text.at, text.size}};
    r->file = json_string(line, json_get(line, JSON_ROOT, "file"));
    bool ok = compile_timed(&s);
    uint32_t number = 0;
    JsonId tests = json_get(line, JSON_ROOT, "tests");
    for (JsonIter it = json_iter(line, tests);
         ok && s.verdict != COMPILE_ERROR && json_step(&it); number++) {
        ok = ids_read(r, line, it.value);
        if (ok) run_test(&s, it.value, number);
    }
    note_resident(r);
    weir_grammar_free(s.grammar);
    weir_grammar_free(s.any_order);
    r->count[s.verdict]++;
    r->sources++;
    list_line(r, &s);
    return ok;
}

/* Built-in JSON reads the valid texts of a line. */
static bool warm_line(MaskRun *r, const Json *line)
{
    uint32_t taken;
    weir_grammar *json = bench_json(r->vocab);
    bool ok = json != NULL;
    JsonId tests = json_get(line, JSON_ROOT, "tests");
    for (JsonIter it = json_iter(line, tests); ok && json_step(&it);) {
        if (!json_bool(line, json_get(line, it.value, "valid"), false))
            continue;
        ok = ids_read(r, line, it.value);
        if (ok) run_ids(r, json, NULL, &taken);
    }
    weir_grammar_free(json);
    return ok;
}

/* ---- the file ---- */

typedef bool LineTask(MaskRun *r, const Json *line);

static bool run_line(MaskRun *r, LineTask *task, const char *text, size_t size)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    if (!json_parse(&json, &r->bench->mem, span_of(text, size), NULL, &err))
        return bench_fail("cases", &err);
    bool ok = task(r, &json);
    json_free(&json);
    return ok || bench_fail("cases", NULL);
}

/* Up to `most` lines, one in memory at a time. */
static bool run_lines(MaskRun *r, LineTask *task, uint32_t most)
{
    char *text = NULL;
    size_t cap = 0;
    ssize_t size;
    bool ok = true;
    FILE *file = fopen(r->set->cases, "rb");
    if (!file) {
        fprintf(stderr, "weir-bench: cannot read '%s'\n", r->set->cases);
        return false;
    }
    for (uint32_t i = 0;
         ok && i < most && (size = getline(&text, &cap, file)) > 0; i++)
        if (size > 1 && i % r->set->every == 0)
            ok = run_line(r, task, text, (size_t)size);
    free(text);
    fclose(file);
    return ok;
}

/* ---- a run ---- */

static bool run_begin(MaskRun *r, uint32_t number)
{
    weir_error err;
    r->is_first = !number;
    r->is_last = number + 1 == r->bench->runs;
    r->tbm.next = r->ttfm.next = r->sources = 0;
    memset(r->count, 0, sizeof r->count);
    weir_vocab_free(r->vocab);
    r->vocab = weir_vocab_load_file(NULL, r->set->tokenizer, NULL, &err);
    if (!r->vocab) return bench_fail("vocabulary", &err);
    r->row_size =
        WEIR_MASK_WORDS((size_t)weir_vocab_width(r->vocab)) * sizeof *r->row;
    if (!r->row) r->row = mem_zero(&r->bench->mem, r->row_size);
    return r->row || bench_fail("mask row", NULL);
}

/* The steps of a run are those of the first one. */
static bool run_end(MaskRun *r)
{
    double copy_ns = bench_copy_ns(r->bench, weir_vocab_width(r->vocab));
    r->copy_ns = r->is_first ? copy_ns : MIN(r->copy_ns, copy_ns);
    r->differs |= r->tbm.next != r->tbm.least.count ||
                  r->ttfm.next != r->ttfm.least.count;
    if (r->differs)
        fprintf(stderr,
                "weir-bench: %s: a run had other steps than the first\n",
                r->set->cases);
    return !r->differs;
}

static bool open_list(MaskRun *r)
{
    const char *path = r->bench->list;
    if (!path || (r->list = fopen(path, "w"))) return true;
    fprintf(stderr, "weir-bench: cannot write '%s'\n", path);
    return false;
}

bool mask_run(MaskRun *r, const Bench *bench, const MaskSet *set)
{
    *r = (MaskRun){.bench = bench, .set = set};
    bool is_schema = set->kind == WEIR_JSON_SCHEMA, ok = open_list(r);
    for (uint32_t i = 0; ok && i < bench->runs; i++)
        ok = run_begin(r, i) &&
             (!is_schema || run_lines(r, warm_line, WARM_LINES)) &&
             run_lines(r, run_source, UINT32_MAX) && run_end(r);
    if (r->list && fclose(r->list)) ok = bench_fail("list", NULL);
    return ok;
}

void mask_run_free(MaskRun *r)
{
    const Mem *mem = &r->bench->mem;
    weir_vocab_free(r->vocab);
    mem_free(mem, r->row, r->row_size);
    vec_free(mem, &r->tbm.least);
    vec_free(mem, &r->ttfm.least);
    vec_free(mem, &r->ids);
}
