/* cmd_explain.c: weir explain: what a constraint became: rules, network,
 * sizes, warnings, memory.
 *
 * Frames make their states when an output first needs them, so the network is
 * shown after a walk: every byte after the empty output, then after each
 * output whose last byte made a state that was not there before, shortest
 * first, until nothing is new or WALK_STEPS bytes were tried. With --stats one
 * output is read before that, while the grammar is as it was compiled.
 * Tests: tests/cli/cli_test.py.
 */
#include "base/vec.h"
#include "weir/cli_constraint.h"
#include "weir/cli_report.h"
#include "weir/cli_stats.h"
#include "weir/cmd.h"

enum { WALK_STEPS = 200000, WALK_STATES = 2000 };

/* ---- the walk ---- */

typedef struct Walk {
    const Mem *mem;
    const weir_grammar *grammar;
    weir_matcher *matcher;
    VEC(char) text;      /* of all outputs to go on from */
    VEC(uint32_t) start; /* by output: where it begins; and the end */
    uint32_t states, steps;
    bool is_whole; /* nothing new is left */
} Walk;

static uint32_t states_now(const weir_grammar *g)
{
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(g, &info);
    return info.states;
}

/* Remembers output `from` with one more byte. False: no memory. */
static bool walk_push(Walk *w, uint32_t from, char byte)
{
    uint32_t begin = w->start.at[from], end = w->start.at[from + 1];
    if (!vec_reserve(w->mem, &w->text, w->text.count + (end - begin) + 1))
        return false;
    memcpy(w->text.at + w->text.count, w->text.at + begin, end - begin);
    w->text.count += end - begin;
    w->text.at[w->text.count++] = byte;
    return vec_push(w->mem, &w->start, w->text.count);
}

/* Tries each byte after output `i`. */
static bool walk_from(Walk *w, uint32_t i)
{
    uint32_t begin = w->start.at[i], end = w->start.at[i + 1];
    bool ok = true;
    weir_matcher_reset(w->matcher);
    if (end > begin)
        weir_matcher_accept_bytes(
            w->matcher, (weir_bytes){w->text.at + begin, end - begin}, NULL);
    for (unsigned b = 0; b < 256 && ok; b++) {
        char byte = (char)b;
        w->steps++;
        if (weir_matcher_accept_bytes(w->matcher, (weir_bytes){&byte, 1},
                                      NULL) != WEIR_ACCEPTED)
            continue;
        weir_matcher_rollback(w->matcher, 1);
        uint32_t states = states_now(w->grammar);
        if (states > w->states) ok = walk_push(w, i, byte);
        w->states = states;
    }
    return ok;
}

/* Makes the states that the network is shown with. */
static bool walk(Walk *w)
{
    bool ok = vec_push(w->mem, &w->start, 0) && vec_push(w->mem, &w->start, 0);
    progress_begin("walking the network");
    w->states = states_now(w->grammar);
    uint32_t i = 0;
    for (; ok && i + 1 < w->start.count && w->steps < WALK_STEPS &&
           w->states < WALK_STATES;
         i++)
        ok = walk_from(w, i);
    w->is_whole = i + 1 == w->start.count;
    progress_end();
    vec_free(w->mem, &w->text);
    vec_free(w->mem, &w->start);
    return ok;
}

/* ---- output ---- */

/* All that is shown. */
typedef struct Report {
    const Args *args;
    const weir_grammar *grammar;
    weir_grammar_info info;
    double compile_ms;
    bool is_whole;
    const SchemaSource *schema; /* of --schema */
    OutputStats stats;          /* of --stats */
} Report;

typedef void (*ShowText)(const char *text, size_t size);

/* Hands a print of the grammar to `show`. False: no memory. */
static bool print_part(const Report *r, weir_print_kind kind, ShowText show)
{
    size_t size = weir_grammar_print(r->grammar, kind, NULL, 0);
    char *text = mem_new(r->args->mem, size + 1);
    if (!text) return false;
    weir_grammar_print(r->grammar, kind, text, size);
    show(text, size);
    mem_free(r->args->mem, text, size + 1);
    return true;
}

static void show_raw(const char *text, size_t size)
{
    fwrite(text, 1, size, stdout);
}

static void show_json(const char *text, size_t size)
{
    print_json_string(stdout, text, size);
}

/* Lines, of which each ends in a newline. */
typedef struct Lines {
    char *at; /* NULL: out of memory */
    size_t size;
} Lines;

static uint32_t lines_count(const Lines *l)
{
    uint32_t n = 0;
    for (size_t i = 0; i < l->size; i++) n += l->at[i] == '\n';
    return n;
}

/* What compiling warned of (unless `kinds` are OpenAI's rules), and what is
 * found in a schema by looking at it. */
static Lines lines_read(const Report *r, uint32_t kinds)
{
    const SchemaSource *s = r->schema;
    bool is_strict = kinds == WEIR_CHECK_OPENAI_STRICT;
    size_t own = is_strict ? 0
                           : weir_grammar_print(r->grammar, WEIR_PRINT_WARNINGS,
                                                NULL, 0);
    size_t found = r->args->schema ? weir_schema_check(s->text, kinds, &s->opts,
                                                       NULL, 0, NULL)
                                   : 0;
    if (found == SIZE_MAX) found = 0; /* compiling would have failed */
    Lines l = {mem_new(r->args->mem, own + found + 1), own + found};
    if (!l.at) return l;
    if (own) weir_grammar_print(r->grammar, WEIR_PRINT_WARNINGS, l.at, own);
    if (found)
        weir_schema_check(s->text, kinds, &s->opts, l.at + own, found, NULL);
    return l;
}

static void lines_free(const Report *r, Lines *l)
{
    mem_free(r->args->mem, l->at, l->size + 1);
}

static void print_title(const char *title)
{
    printf("\n%s%s%s\n", colour(stdout, COLOUR_BOLD), title,
           colour(stdout, COLOUR_NONE));
}

static bool print_words(const Report *r, const Lines *warnings,
                        const Lines *strict)
{
    const weir_grammar_info *info = &r->info;
    fputs("constraint  ", stdout);
    constraint_print(r->args, stdout);
    printf("\nrules       %s\n", number_text(info->rules).text);
    printf("frames      %s\n", number_text(info->frames).text);
    printf("states      %s%s\n", number_text(info->states).text,
           r->is_whole ? "" : " so far; more are made when needed");
    printf("warnings    %s\n", number_text(lines_count(warnings)).text);
    printf("memory      %s\n", size_text(info->memory).text);
    printf("hash        %016llx\n", (unsigned long long)info->hash);
    printf("compiled in %.2f ms\n", r->compile_ms);
    if (warnings->size) print_title("Warnings");
    show_raw(warnings->at, warnings->size);
    if (r->args->openai_strict) {
        print_title("What OpenAI's strict mode refuses");
        if (!strict->size) puts("nothing");
        show_raw(strict->at, strict->size);
    }
    if (r->args->stats) {
        print_title("What the masks of the text took");
        stats_print_words(&r->stats, stdout);
    }
    print_title("Rules");
    bool ok = print_part(r, WEIR_PRINT_IR, show_raw);
    print_title("Network");
    return ok && print_part(r, WEIR_PRINT_NETWORK, show_raw);
}

static bool print_json(const Report *r, const Lines *warnings,
                       const Lines *strict)
{
    const weir_grammar_info *info = &r->info;
    printf("{\"rules\":%u,\"frames\":%u,\"states\":%u,\"is_whole\":%s,"
           "\"memory\":%zu,\"hash\":\"%016llx\",\"compile_ms\":%.3f,"
           "\"warnings\":",
           info->rules, info->frames, info->states,
           r->is_whole ? "true" : "false", info->memory,
           (unsigned long long)info->hash, r->compile_ms);
    print_json_lines(stdout, warnings->at, warnings->size);
    if (r->args->openai_strict) {
        fputs(",\"openai_strict\":", stdout);
        print_json_lines(stdout, strict->at, strict->size);
    }
    if (r->args->stats) {
        fputs(",\"stats\":", stdout);
        stats_print_json(&r->stats, stdout);
    }
    fputs(",\"ir\":", stdout);
    bool ok = print_part(r, WEIR_PRINT_IR, show_json);
    fputs(",\"network\":", stdout);
    ok = ok && print_part(r, WEIR_PRINT_NETWORK, show_json);
    fputs("}\n", stdout);
    return ok;
}

/* ---- the command ---- */

static int explain(const Args *args, const Session *session)
{
    Walk w = {.mem = args->mem,
              .grammar = session->grammar,
              .matcher = session->matcher};
    Report r = {.args = args,
                .grammar = session->grammar,
                .compile_ms = session->compile_ms,
                .schema = &session->schema};
    bool ok = !args->stats || stats_read(&r.stats, args->mem, session->vocab,
                                         session->grammar, args->stats);
    ok = ok && walk(&w);
    r.is_whole = w.is_whole;
    r.info.size = sizeof r.info;
    weir_grammar_describe(session->grammar, &r.info);
    Lines warnings = lines_read(&r, WEIR_CHECK_MISTAKES | WEIR_CHECK_ADVICE);
    Lines strict = lines_read(&r, WEIR_CHECK_OPENAI_STRICT);
    ok = ok && warnings.at && strict.at &&
         (args->json ? print_json(&r, &warnings, &strict)
                     : print_words(&r, &warnings, &strict));
    lines_free(&r, &warnings);
    lines_free(&r, &strict);
    return ok ? 0 : report_failure("out of memory");
}

int cmd_explain(const Args *args)
{
    Session session;
    if (args->stats && !args->tokenizer)
        return usage_error(args, "--stats wants --tokenizer");
    int status = session_open(&session, args);
    if (status) return status;
    status = explain(args, &session);
    session_close(&session, args);
    return status;
}
