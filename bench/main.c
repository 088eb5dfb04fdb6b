/* main.c: weir-bench ROW... : measures the named rows and prints them.
 *
 * Times hold for the machine and the moment; what can be compared are figures
 * of one run, and first of all their ratio to the memcpy of a mask that is
 * printed beside each row.   Exit: 0; 1 a row failed; 2 usage.
 */
#include "bench/bench_child.h"

typedef struct RowEntry {
    const char *name, *about;
    BenchRow *run;
} RowEntry;

static const RowEntry rows[] = {
    {"memcpy", "one mask row copied between two hot buffers", row_memcpy},
    {"json", "any JSON over the cases' valid tests, a step: fill + accept",
     row_json},
    {"vocab-load", "reading the tokenizer file", row_vocab_load},
    {"apply-f32", "a mask put on 128,256 logits", row_apply},
    {"sample", "a token drawn from 128,256 logits, by chain and mask",
     row_sample},
    {"batch", "1 to 1,024 matchers of any JSON, time a row", row_batch},
    {"cold", "the first mask of a process", row_cold},
    {"cache-hit", "a schema that the compiler knows", row_cache_hit},
    {"cache-cap", "10,000 schemas through a cache of 64 MB", row_cache_cap},
    {"growth", "steps as outputs, bounds, enums and objects grow", row_growth},
    {"maskbench", "the cases' schemas and all their tests", row_maskbench},
    {"gemma3", "a sixteenth of the schemas, Gemma-3's vocabulary", row_vocab},
    {"qwen3", "a sixteenth of the schemas, Qwen3's vocabulary", row_vocab},
    {"gpt4o", "a sixteenth of the schemas, GPT-4o's vocabulary", row_vocab},
    {"llama2", "a sixteenth of the schemas, Llama-2's vocabulary", row_vocab},
    {"regex", "bench/grammars/regex.jsonl and its texts", row_front},
    {"ebnf", "bench/grammars/ebnf.jsonl and its texts", row_front},
    {"gbnf", "llama.cpp's recorded outputs, a step: the mask", row_gbnf},
    {"structural-tag", "free text with calls of tools, a step: the mask",
     row_structural_tag},
    {"serve", "answers of a model with a constraint and without", row_serve},
};

enum { ROWS = COUNT_OF(rows), RUNS_DEFAULT = 3, RUNS_MOST = 1000 };

typedef struct Args {
    Bench bench;
    const RowEntry *wanted[ROWS];
    uint32_t nwanted, nprinted;
    const char *save; /* where the JSON goes besides, or NULL */
    FILE *saved;
    ChildTask *child; /* to run in place of rows, or NULL */
    bool json, help;
    char vocabs[4000], tokenizer[4096];
} Args;

static void usage(FILE *out)
{
    fputs("usage: weir-bench ROW... [--tokenizer FILE] [--cases FILE] "
          "[--runs N] [--slowest N]\n"
          "       [--any-order] [--list FILE] [--json]\n\nrows:\n",
          out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "  %-12s%s\n", rows[i].name, rows[i].about);
    fputs(
        "\n"
        "  --tokenizer FILE  default: llama3/tokenizer.json in "
        "$WEIR_VOCAB_DIR or .cache/vocab\n"
        "  --cases FILE      token ids of outputs; default: "
        "../shared/data/maskbench-dev.jsonl\n"
        "  --records DIR     row gbnf; default: ../shared/data/llamacpp\n"
        "  --grammars DIR    rows regex, ebnf; default: bench/grammars\n"
        "  --model FILE      row serve: a GGUF file; --engine KIND: builtin or "
        "llama, the default;\n"
        "                    --threads N: of the engine\n"
        "  --runs N          each step's least time of N runs; default: 3; row "
        "serve: "
        "N pairs,\n                    1, or 5 and more\n"
        "  --slowest N       list the N slowest steps on stderr\n"
        "  --any-order       schemas: members come in any order\n"
        "  --list FILE       rows with sources: writes a line for each: file, "
        "verdict, reason,\n                    ttfm and longest tbm in "
        "microseconds, by tabs\n"
        "  --save FILE       writes to FILE what --json would print\n"
        "  --json            one object keyed by row, times in "
        "microseconds\n",
        out);
}

/* ---- arguments ---- */

static bool usage_fail(const char *what, const char *arg)
{
    fprintf(stderr, "weir-bench: %s '%s'\n", what, arg);
    return false;
}

static bool parse_count(const char *text, uint32_t *count)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*end || end == text || n < 1 || n > RUNS_MOST)
        return usage_fail("expected a number from 1 to 1000, found", text);
    *count = (uint32_t)n;
    return true;
}

static bool parse_row(Args *a, const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name)) continue;
        if (a->nwanted == ROWS) return usage_fail("too many rows at", name);
        a->wanted[a->nwanted++] = &rows[i];
        return true;
    }
    return usage_fail("unknown row", name);
}

/* `value`: the next argument or NULL; *used is set when it was taken. */
static bool parse_option(Args *a, const char *arg, const char *value,
                         bool *used)
{
    *used = false;
    if (!strcmp(arg, "--json")) return a->json = true;
    if (!strcmp(arg, "--help")) return a->help = true;
    if ((a->child = child_task(arg)) != NULL) return true;
    if (!strcmp(arg, "--any-order")) return a->bench.any_order = true;
    *used = true;
    if (!value) return usage_fail("unknown option or no value after", arg);
    const struct {
        const char *name;
        const char **to;
    } paths[] = {{"--tokenizer", &a->bench.tokenizer},
                 {"--cases", &a->bench.cases},
                 {"--records", &a->bench.records},
                 {"--grammars", &a->bench.grammars},
                 {"--list", &a->bench.list},
                 {"--model", &a->bench.model},
                 {"--engine", &a->bench.engine},
                 {"--save", &a->save}};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        if (strcmp(arg, paths[i].name)) continue;
        *paths[i].to = value;
        return true;
    }
    if (!strcmp(arg, "--runs")) return parse_count(value, &a->bench.runs);
    if (!strcmp(arg, "--threads")) return parse_count(value, &a->bench.threads);
    if (!strcmp(arg, "--slowest")) return parse_count(value, &a->bench.slowest);
    return usage_fail("unknown option", arg);
}

static bool parse_args(Args *a, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool used = false;
        bool ok = argv[i][0] == '-'
                      ? parse_option(a, argv[i], argv[i + 1], &used)
                      : parse_row(a, argv[i]);
        if (!ok) return false;
        i += used;
    }
    if (a->help || a->child || a->nwanted) return true;
    usage(stderr);
    return false;
}

static void default_paths(Args *a)
{
    const char *dir = getenv("WEIR_VOCAB_DIR");
    snprintf(a->vocabs, sizeof a->vocabs, "%s",
             dir && *dir ? dir : ".cache/vocab");
    snprintf(a->tokenizer, sizeof a->tokenizer, "%s/llama3/tokenizer.json",
             a->vocabs);
    a->bench.vocabs = a->vocabs;
    a->bench.tokenizer = a->tokenizer;
    a->bench.grammars = "bench/grammars";
    a->bench.cases = "../shared/data/maskbench-dev.jsonl";
    a->bench.records = "../shared/data/llamacpp";
    a->bench.runs = RUNS_DEFAULT;
}

/* ---- running ---- */

static bool run_row(Args *a, const RowEntry *row)
{
    Report report = {.row = row->name, .about = row->about};
    bool ok = row->run(&a->bench, &report);
    if (!ok && !report.nseries) return false;
    FILE *json = a->json ? stdout : a->saved;
    if (!a->json) report_print_table(&report, stdout);
    if (json) {
        if (a->nprinted++) putc(',', json);
        report_print_json(&report, json);
        fflush(json);
    }
    fflush(stdout);
    return ok;
}

int main(int argc, char **argv)
{
    static Args a;
    default_paths(&a);
    if (!parse_args(&a, argc, argv)) return 2;
    if (a.help) {
        usage(stdout);
        return 0;
    }
    a.bench.mem = mem_from_env(NULL);
    a.bench.timer = timer_calibrate();
    if (a.child) return a.child(&a.bench) ? 0 : 1;
    if (!a.json && a.save && !(a.saved = fopen(a.save, "w"))) {
        fprintf(stderr, "weir-bench: cannot write '%s'\n", a.save);
        return 1;
    }
    FILE *json = a.json ? stdout : a.saved;
    bool ok = true;
    if (json) putc('{', json);
    for (uint32_t i = 0; i < a.nwanted; i++) ok &= run_row(&a, a.wanted[i]);
    if (json) fputs("}\n", json);
    if (a.saved && fclose(a.saved)) ok = false;
    return ok ? 0 : 1;
}
