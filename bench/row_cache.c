/* row_cache.c: rows about the compiler's cache.
 *
 * cache-hit   schemas compiled again: the time until the grammar is there
 * cache-cap   10,000 schemas, all different, through one compiler of 64 MB,
 *             each with its first mask and the tokens of one output: resident
 *             memory stays below the cap and what the vocabulary holds
 *
 * The second half of the 10,000 are the first ones with a comment in them,
 * which makes another text of the same meaning.
 */
#include "bench/bench.h"
#include "bench/bench_lines.h"

enum { EVERY = 16, TRIES = 7, SCHEMAS = 10000 };
#define CAP_BYTES (64u << 20)

/* What is held, asked of the allocator; one thread. */
typedef struct Counted {
    size_t held;
} Counted;

static void *counted_allocate(void *user, size_t nbytes)
{
    ((Counted *)user)->held += nbytes;
    return malloc(nbytes ? nbytes : 1);
}

static void *counted_resize(void *user, void *p, size_t old, size_t nbytes)
{
    void *q = realloc(p, nbytes ? nbytes : 1);
    if (q) ((Counted *)user)->held += nbytes - old;
    return q;
}

static void counted_release(void *user, void *p, size_t nbytes)
{
    ((Counted *)user)->held -= nbytes;
    free(p);
}

typedef struct CacheRow {
    const Bench *bench;
    Counted counted;
    weir_env env;
    weir_vocab *vocab;
    weir_compiler *compiler;
    int32_t *row;
    size_t row_size;
    VEC(double) us;
    VEC(char) text;
    uint32_t line, schemas, failed;
    bool is_second; /* time round */
    size_t resident_before, resident_most;
    size_t held_most;  /* bytes in use */
    size_t cache_most; /* by the cache's own count */
} CacheRow;

static bool cache_begin(CacheRow *c, const Bench *bench, uint64_t cache_bytes)
{
    weir_error err = {0};
    weir_compiler_opts opts = {.size = sizeof opts, .cache_bytes = cache_bytes};
    *c = (CacheRow){.bench = bench};
    c->env = (weir_env){sizeof c->env, counted_allocate, counted_resize,
                        counted_release, &c->counted};
    c->vocab = weir_vocab_load_file(&c->env, bench->tokenizer, NULL, &err);
    if (!c->vocab) return bench_fail("vocabulary", &err);
    c->row_size =
        WEIR_MASK_WORDS((size_t)weir_vocab_width(c->vocab)) * sizeof *c->row;
    c->row = mem_zero(&bench->mem, c->row_size);
    c->compiler = weir_compiler_new(c->vocab, &opts, &err);
    if (!c->compiler) return bench_fail("compiler", &err);
    return c->row || bench_fail("cache", NULL);
}

static void cache_end(CacheRow *c)
{
    const Mem *mem = &c->bench->mem;
    weir_compiler_free(c->compiler);
    weir_vocab_free(c->vocab);
    mem_free(mem, c->row, c->row_size);
    vec_free(mem, &c->us);
    vec_free(mem, &c->text);
}

static weir_bytes schema_of(const Json *line)
{
    Span text = json_spelling(line, json_get(line, JSON_ROOT, "schema"));
    return (weir_bytes){(const char *)text.at, text.size};
}

static weir_grammar *compile(CacheRow *c, weir_bytes schema)
{
    return weir_compiler_compile(c->compiler, WEIR_JSON_SCHEMA, schema, NULL,
                                 NULL);
}

/* ---- cache-hit ---- */

static bool hit_line(void *user, const Json *line)
{
    CacheRow *c = user;
    if (c->line++ % EVERY) return true;
    weir_bytes schema = schema_of(line);
    weir_grammar_free(compile(c, schema));
    double least = 0;
    for (int i = 0; i < TRIES; i++) {
        uint64_t begin = timer_now();
        weir_grammar *g = compile(c, schema);
        double us = bench_us(c->bench, begin, timer_now());
        weir_grammar_free(g);
        least = i ? MIN(least, us) : us;
        c->failed += !i && !g;
    }
    return vec_push(&c->bench->mem, &c->us, least);
}

static const StatsTargets hit_targets = {.us = {[STATS_P50] = 5}};

bool row_cache_hit(const Bench *bench, Report *report)
{
    CacheRow c;
    weir_error err = {0};
    weir_compiler_stats stats = {.size = sizeof stats};
    bool ok = cache_begin(&c, bench, 0);
    if (ok && !lines_each(&bench->mem, bench->cases, hit_line, &c, &err))
        ok = bench_fail("cases", &err);
    if (ok) {
        weir_compiler_describe(c.compiler, &stats);
        report_series(report,
                      (ReportSeries){.us = stats_of(c.us.at, c.us.count),
                                     .targets = &hit_targets});
        report_figure(report, "schemas", "", c.us.count);
        report_figure(report, "not_compiled", "", c.failed);
        report_figure(report, "hits", "", (double)stats.hits);
        report_figure(report, "misses", "", (double)stats.misses);
        report->copy_ns = bench_copy_ns(bench, weir_vocab_width(c.vocab));
    }
    cache_end(&c);
    return ok;
}

/* ---- cache-cap ---- */

/* The schema, or the same with a comment as its first member. */
static bool other_text(CacheRow *c, weir_bytes schema)
{
    static const char comment[] = "\"$comment\":\"again\",";
    const char *brace = memchr(schema.data, '{', schema.size);
    size_t size = schema.size + sizeof comment;
    c->text.count = 0;
    if (!vec_reserve(&c->bench->mem, &c->text, size)) return false;
    if (!c->is_second || !brace || schema.size < 3) {
        memcpy(c->text.at, schema.data, schema.size);
        c->text.count = (uint32_t)schema.size;
        return true;
    }
    size_t head = (size_t)(brace - schema.data) + 1;
    memcpy(c->text.at, schema.data, head);
    memcpy(c->text.at + head, comment, sizeof comment - 1);
    memcpy(c->text.at + head + sizeof comment - 1, brace + 1,
           schema.size - head);
    c->text.count = (uint32_t)(size - 1);
    return true;
}

/* The first output: its masks, and its tokens as far as they go. */
static void run_output(CacheRow *c, weir_grammar *g, const Json *line)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    JsonId test = json_iter(line, json_get(line, JSON_ROOT, "tests")).next;
    uint32_t id;
    if (m) weir_matcher_fill(m, c->row);
    for (JsonIter it = json_iter(line, json_get(line, test, "ids"));
         m && json_step(&it) && json_u32(line, it.value, &id);) {
        weir_matcher_fill(m, c->row);
        if (weir_matcher_accept(m, id) != WEIR_ACCEPTED) break;
    }
    weir_matcher_free(m);
}

static bool cap_line(void *user, const Json *line)
{
    CacheRow *c = user;
    weir_compiler_stats stats = {.size = sizeof stats};
    if (!c->resident_before) { /* the file is in memory now */
        bench_trim();
        c->resident_before = bench_resident();
    }
    if (c->schemas == SCHEMAS) return true;
    if (!other_text(c, schema_of(line))) return false;
    weir_grammar *g = compile(c, (weir_bytes){c->text.at, c->text.count});
    c->schemas++;
    c->failed += !g;
    if (g) run_output(c, g, line);
    weir_grammar_free(g);
    weir_compiler_describe(c->compiler, &stats);
    c->cache_most = MAX(c->cache_most, (size_t)stats.bytes);
    c->held_most = MAX(c->held_most, c->counted.held);
    c->resident_most = MAX(c->resident_most, bench_resident());
    return true;
}

static double mib(size_t nbytes)
{
    return (double)nbytes / 1048576;
}

static void cap_report(CacheRow *c, Report *report)
{
    weir_compiler_stats stats = {.size = sizeof stats};
    weir_compiler_describe(c->compiler, &stats);
    weir_compiler_clear(c->compiler);
    size_t vocab = c->counted.held; /* with what all grammars share */
    size_t resident =
        c->resident_most - MIN(c->resident_before, c->resident_most);
    report_figure(report, "schemas", "", c->schemas);
    report_figure(report, "not_compiled", "", c->failed);
    report_figure(report, "misses", "", (double)stats.misses);
    report_figure(report, "entries", "", (double)stats.entries);
    report_figure(report, "vocabulary_holds", "mib", mib(vocab));
    report_figure_most(report, "cache_counts", "mib", mib(c->cache_most),
                       mib(CAP_BYTES));
    report_figure_most(report, "held_at_most", "mib", mib(c->held_most),
                       mib(CAP_BYTES + vocab));
    report_figure(report, "resident_growth", "mib", mib(resident));
    report->copy_ns = bench_copy_ns(c->bench, weir_vocab_width(c->vocab));
}

bool row_cache_cap(const Bench *bench, Report *report)
{
    CacheRow c;
    weir_error err = {0};
    bool ok = cache_begin(&c, bench, CAP_BYTES);
    for (int round = 0; ok && round < 2; round++) {
        c.is_second = round;
        if (!lines_each(&bench->mem, bench->cases, cap_line, &c, &err))
            ok = bench_fail("cases", &err);
    }
    if (ok) cap_report(&c, report);
    cache_end(&c);
    return ok;
}
