/* format_write.c: builds every format and writes the tables.
 *
 * In:    nothing.   Out: src/schema/format_tables.c on standard output; with
 *        --check FILE nothing, and exit code 1 if FILE is something else;
 *        with --list one line a format: its size and the time it took.
 * A table holds the minimal automaton, or, where that is large, the same over
 * classes of code points. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/format_make.h"
#include "lang/graph.h"
#include "schema/format.h"
#include "schema/format_tables.h"
#include "syntax/regex.h"

static FormatMaker *const makers[FORMAT_KINDS] = {
    [FORMAT_DATE_TIME] = make_date_time,
    [FORMAT_DATE] = make_date,
    [FORMAT_TIME] = make_time,
    [FORMAT_DURATION] = make_duration,
    [FORMAT_EMAIL] = make_email,
    [FORMAT_IDN_EMAIL] = make_idn_email,
    [FORMAT_HOSTNAME] = make_hostname,
    [FORMAT_IDN_HOSTNAME] = make_idn_hostname,
    [FORMAT_IPV4] = make_ipv4,
    [FORMAT_IPV6] = make_ipv6,
    [FORMAT_URI] = make_uri,
    [FORMAT_URI_REFERENCE] = make_uri_reference,
    [FORMAT_IRI] = make_iri,
    [FORMAT_IRI_REFERENCE] = make_iri_reference,
    [FORMAT_URI_TEMPLATE] = make_uri_template,
    [FORMAT_UUID] = make_uuid,
    [FORMAT_JSON_POINTER] = make_json_pointer,
    [FORMAT_RELATIVE_JSON_POINTER] = make_relative_json_pointer,
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "weir-formats: %s: %s\n", what, why);
    exit(2);
}

/* ---- patterns ---- */

const Dfa *pattern(LangCtx *ctx, const char *regex)
{
    RegexOpts opts = {.dialect = REGEX_ECMA_UNICODE};
    const Dfa *dfa = regex_dfa(ctx, span_text(regex), &opts, NULL, NULL);
    if (!lang_ok(ctx)) stop(regex, ctx->error->message);
    return dfa;
}

const Dfa *patternf(LangCtx *ctx, const char *format, ...)
{
    char regex[4096];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(regex, sizeof regex, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof regex) stop(format, "too long");
    return pattern(ctx, regex);
}

/* ---- text ---- */

enum { LINE = 80 };

typedef struct Writer {
    const Mem *mem;
    VEC(char) text;
    size_t line; /* where the present one begins */
} Writer;

static void put(Writer *w, const char *format, ...) PRINTF_LIKE(2, 3);
static void put(Writer *w, const char *format, ...)
{
    char piece[256];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    for (int i = 0; i < size && i < (int)sizeof piece; i++) {
        if (!vec_push(w->mem, &w->text, piece[i])) stop("text", "no memory");
        if (piece[i] == '\n') w->line = w->text.count;
    }
}

/* One of many items of an array. */
static void put_item(Writer *w, const char *item)
{
    size_t size = strlen(item);
    if (w->text.count == w->line)
        put(w, "    %s,", item);
    else if (w->text.count - w->line + size + 2 <= LINE)
        put(w, " %s,", item);
    else
        put(w, "\n    %s,", item);
}

static void put_number(Writer *w, uint32_t number)
{
    char item[16];
    snprintf(item, sizeof item, "%u", number);
    put_item(w, item);
}

/* The name as a C identifier; static. */
static const char *identifier(FormatKind kind)
{
    static char text[64];
    snprintf(text, sizeof text, "%s", format_name(kind));
    for (char *c = text; *c; c++)
        if (*c == '-') *c = '_';
    return text;
}

static void begin_array(Writer *w, const char *type, const char *field,
                        FormatKind kind)
{
    put(w, "\nstatic const %s %s_%s[] = {\n", type, identifier(kind), field);
}

static void end_array(Writer *w)
{
    put(w, "\n};\n");
}

/* ---- automata as they are ---- */

static void put_accepts(Writer *w, const Dfa *dfa, FormatKind kind)
{
    begin_array(w, "uint8_t", "accepts", kind);
    for (uint32_t s = 0; s < dfa->nstates; s++) put_number(w, dfa->accepts[s]);
    end_array(w);
}

static void put_plain(Writer *w, const Dfa *dfa, FormatKind kind)
{
    begin_array(w, "uint32_t", "edge_start", kind);
    for (uint32_t s = 0; s <= dfa->nstates; s++)
        put_number(w, dfa->edge_start[s]);
    end_array(w);
    begin_array(w, "DfaEdge", "edges", kind);
    for (uint32_t e = 0; e < dfa->edge_start[dfa->nstates]; e++) {
        char item[48];
        DfaEdge x = dfa->edges[e];
        snprintf(item, sizeof item, "{%u, %u, %u}", x.lo, x.hi, x.to);
        put_item(w, item);
    }
    end_array(w);
}

/* ---- automata over classes ---- */

/* What no label has gets the class after the last. */
static void put_spans(Writer *w, const Alphabet *a, FormatKind kind)
{
    begin_array(w, "uint32_t", "spans", kind);
    for (uint32_t i = 0; i <= a->nspans; i++) {
        uint32_t class = i < a->nspans ? a->span_class.at[i] : CLASS_NONE;
        if (class == CLASS_NONE) class = a->nclasses;
        put_number(w, a->span_lo.at[i] << FORMAT_CLASS_BITS | class);
    }
    end_array(w);
}

static void put_class_edges(Writer *w, const GraphView *view, FormatKind kind)
{
    begin_array(w, "uint16_t", "state_edges", kind);
    for (uint32_t s = 0; s <= view->dfa->nstates; s++)
        put_number(w, view->state_edges.at[s]);
    end_array(w);
    begin_array(w, "uint32_t", "class_edges", kind);
    for (uint32_t e = 0; e < view->edges.count; e++)
        put_number(w, view->edges.at[e].to << FORMAT_CLASS_BITS |
                          view->edges.at[e].class);
    end_array(w);
}

static void put_classes(Writer *w, LangCtx *ctx, const Dfa *dfa,
                        FormatKind kind)
{
    Alphabet alphabet;
    GraphView view = {0};
    alphabet_init(&alphabet, ctx);
    if (!graph_view_open(&view, dfa, &alphabet) || !alphabet_close(&alphabet) ||
        !graph_view_close(&view, &alphabet) || !lang_ok(ctx))
        stop(format_name(kind), ctx->error->message);
    if (alphabet.nclasses > FORMAT_CLASSES || view.edges.count > UINT16_MAX)
        stop(format_name(kind), "too large for a table");
    put_spans(w, &alphabet, kind);
    put_class_edges(w, &view, kind);
    graph_view_free(&view, ctx->mem);
    alphabet_free(&alphabet);
}

/* ---- all ---- */

/* Dfas with more edges are written over classes. */
enum { MOST_PLAIN_EDGES = 4096 };

static bool is_plain(const Dfa *dfa)
{
    return dfa && dfa->edge_start[dfa->nstates] <= MOST_PLAIN_EDGES;
}

static void put_index(Writer *w, const Dfa *const *dfas)
{
    put(w, "\nconst Dfa format_dfas[FORMAT_KINDS] = {\n");
    for (int kind = 0; kind < FORMAT_KINDS; kind++) {
        if (!is_plain(dfas[kind])) continue;
        const char *name = identifier((FormatKind)kind);
        put(w, "    [%d] = {%u, %s_edge_start,\n", kind, dfas[kind]->nstates,
            name);
        put(w, "         %s_edges, %s_accepts},\n", name, name);
    }
    put(w, "};\n\nconst FormatTable format_tables[FORMAT_KINDS] = {\n");
    for (int kind = 0; kind < FORMAT_KINDS; kind++) {
        const Dfa *d = dfas[kind];
        if (!d || is_plain(d)) continue;
        const char *name = identifier((FormatKind)kind);
        put(w, "    [%d] = {%u, COUNT_OF(%s_spans) - 1, %u, %s_spans,\n", kind,
            d->nstates, name, d->edge_start[d->nstates], name);
        put(w, "         %s_state_edges, %s_class_edges, %s_accepts},\n", name,
            name, name);
    }
    put(w, "};\n");
}

static void put_all(Writer *w, LangCtx *ctx)
{
    const Dfa *dfas[FORMAT_KINDS] = {NULL};
    put(w,
        "/* format_tables.c: generated by weir-formats (tools/formats) with "
        "the "
        "data\n * of Unicode %s. */\n#include \"schema/format_tables.h\"\n",
        unicode_version());
    for (int i = 0; i < FORMAT_KINDS; i++) {
        FormatKind kind = (FormatKind)i;
        if (!makers[kind]) continue;
        dfas[kind] = makers[kind](ctx);
        put(w, "\n/* ---- %s ---- */\n", format_name(kind));
        if (is_plain(dfas[kind]))
            put_plain(w, dfas[kind], kind);
        else
            put_classes(w, ctx, dfas[kind], kind);
        put_accepts(w, dfas[kind], kind);
    }
    put_index(w, dfas);
}

/* ---- what is asked for ---- */

static int check(const Writer *w, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) stop(path, "cannot be read");
    int byte = 0;
    size_t pos = 0;
    while ((byte = getc(file)) != EOF && pos < w->text.count &&
           byte == (uint8_t)w->text.at[pos])
        pos++;
    fclose(file);
    if (byte == EOF && pos == w->text.count) return 0;
    fprintf(stderr, "weir-formats: %s differs at byte %zu\n", path, pos);
    return 1;
}

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Time to take a format from its table: least of several. */
static double time_taken(const Mem *mem, FormatKind kind)
{
    double least = 1e9;
    for (int i = 0; i < 20; i++) {
        Arena arena;
        LangCtx ctx;
        FormatCache cache = {{0}};
        weir_error error = {.status = WEIR_OK};
        arena_init(&arena, mem, 0);
        lang_init(&ctx, mem, &arena, NULL, &error);
        double begin = microseconds();
        format_language(&ctx, &cache, kind);
        least = MIN(least, microseconds() - begin);
        arena_free(&arena);
    }
    return least;
}

static void list(LangCtx *ctx)
{
    for (int kind = 0; kind < FORMAT_KINDS; kind++) {
        if (!makers[kind]) continue;
        double begin = microseconds();
        const Dfa *dfa = makers[kind](ctx);
        printf("%-22s %5u states %7u edges, made in %7.0f us, taken in "
               "%6.1f us\n",
               format_name((FormatKind)kind), dfa->nstates,
               dfa->edge_start[dfa->nstates], microseconds() - begin,
               time_taken(ctx->mem, (FormatKind)kind));
    }
}

int main(int argc, char **argv)
{
    Mem mem = mem_from_env(NULL);
    Arena arena;
    LangCtx ctx;
    weir_error error = {.status = WEIR_OK};
    int code = 0;
    arena_init(&arena, &mem, 0);
    lang_init(&ctx, &mem, &arena, NULL, &error);
    ctx.work = UINT64_MAX;
    Writer w = {.mem = &mem};
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        list(&ctx);
    } else {
        put_all(&w, &ctx);
        if (argc == 3 && !strcmp(argv[1], "--check"))
            code = check(&w, argv[2]);
        else
            fwrite(w.text.at, 1, w.text.count, stdout);
    }
    vec_free(&mem, &w.text);
    arena_free(&arena);
    return code;
}
