/* cli_constraint.c: what all commands with a constraint share: checking that
 * the options fit together, reading sources, compiling, showing errors.
 * Tests: tests/cli/cli_test.py.
 */
#include "weir/cli_constraint.h"

#include "weir/cli_input.h"
#include "weir/cli_named.h"
#include "weir/cli_report.h"
#include "weir/cli_schema.h"

/* ---- which options go together ---- */

/* Whether blanks can be told where to stand. */
static bool has_space(const Args *args)
{
    return args->json_value || args->json_object || args->schema ||
           args->structural_tag;
}

static int count_constraints(const Args *args)
{
    return args->json_value + args->json_object + (args->regex != NULL) +
           (args->ebnf != NULL) + (args->gbnf != NULL) + (args->lark != NULL) +
           (args->schema != NULL) + (args->structural_tag != NULL) +
           (args->request != NULL) + (args->choices.count != 0);
}

int validate_companions(const Args *args)
{
    static const char space[] =
        "--json-value, --json-object, --schema or --structural-tag";
    static const char schemas[] = "--schema or --structural-tag";
    bool is_schema = args->schema != NULL, is_request = args->request != NULL;
    bool has_schema = is_schema || args->structural_tag != NULL;
    bool is_convert = args->command == CMD_CONVERT; /* --from X for --X */
    const char *before = is_convert ? "--from " : "";
    size_t cut = is_convert ? 2 : 0;
    const struct {
        const char *name, *wanted;
        bool is_given, is_right;
    } rules[] = {
        {"--root", "--ebnf, --gbnf or --lark", args->root != NULL,
         args->ebnf != NULL || args->gbnf != NULL || args->lark != NULL},
        {"--named", "--lark", args->named.count != 0, args->lark != NULL},
        {"--dialect", "--gbnf", args->dialect != NULL,
         args->gbnf != NULL || args->command == CMD_CONVERT},
        {"--any-repeat", "--dialect", args->any_repeat, args->dialect != NULL},
        {"--ignore-case", "--regex", args->ignore_case, args->regex != NULL},
        {"--dot-all", "--regex", args->dot_all, args->regex != NULL},
        {"--whitespace", space, args->whitespace != NULL, has_space(args)},
        {"--max-whitespace", space, args->has_max_whitespace, has_space(args)},
        {"--any-order", schemas, args->any_order, has_schema},
        {"--strict", schemas, args->strict, has_schema},
        {"--lenient", schemas, args->lenient, has_schema},
        {"--annotate-formats", schemas, args->annotate_formats, has_schema},
        {"--integer-fraction", schemas, args->integer_fraction, has_schema},
        {"--any-escape", schemas, args->any_escape, has_schema},
        {"--unique-keys", schemas, args->unique_keys, has_schema},
        {"--openai-strict", "--schema", args->openai_strict, is_schema},
        {"--draft", schemas, args->draft != NULL, has_schema},
        {"--schema-dir", schemas, args->schema_dirs.count != 0, has_schema},
        {"--profile", "--request", args->profile != NULL, is_request},
        {"--endpoint", "--request", args->endpoint != NULL, is_request},
        {"--failure", "--request", args->failure != NULL, is_request},
        {"--grammar", "--request", args->grammar_switch != NULL, is_request},
        {"--jump-forward", "--request", args->jump_switch != NULL,
         is_request || args->command == CMD_GENERATE},
        {"--batch-grammar", "--request", args->batch_switch != NULL,
         is_request},
        {"--chat", "--request", args->chat != NULL,
         is_request || args->command == CMD_CONVERT},
    };
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (rules[i].is_given && !rules[i].is_right)
            return usage_error(args, "found %s, which goes with %s%s only",
                               rules[i].name, before, rules[i].wanted + cut);
    return 0;
}

static int validate_stdin(const Args *args)
{
    unsigned uses =
        (args->ebnf && !strcmp(args->ebnf, "-")) ||
        (args->gbnf && !strcmp(args->gbnf, "-")) ||
        (args->lark && !strcmp(args->lark, "-")) ||
        (args->schema && !strcmp(args->schema, "-")) ||
        (args->structural_tag && !strcmp(args->structural_tag, "-")) ||
        (args->request && !strcmp(args->request, "-"));
    uses += args->prompt && !strcmp(args->prompt, "-");
    for (uint32_t i = 0; i < args->files.count; i++)
        uses += !strcmp(args->files.at[i], "-");
    if (args->command == CMD_CHECK && !args->files.count) uses++;
    return uses < 2 ? 0 : usage_error(args, "standard input is wanted twice");
}

static int validate_constraint(const Args *args)
{
    int given = count_constraints(args);
    bool may_be_free = args->command == CMD_GENERATE;
    if (given != 1 && !(may_be_free && !given))
        return usage_error(args,
                           "found %s, expected one of --json-value, "
                           "--json-object, --regex, --choice, --ebnf, --gbnf, "
                           "--lark, --schema, --structural-tag and "
                           "--request",
                           given ? "several constraints" : "no constraint");
    int status = validate_companions(args);
    return status ? status : validate_stdin(args);
}

static int validate(const Args *args)
{
    bool wants_tokenizer =
        args->command == CMD_MASK || args->command == CMD_SAMPLE;
    int status = validate_constraint(args);
    if (status) return status;
    bool has_trigger = args->trigger_words.count ||
                       args->trigger_patterns.count ||
                       args->trigger_tokens.count;
    if ((wants_tokenizer || has_trigger) && !args->tokenizer)
        return usage_error(args, "expected --tokenizer PATH%s",
                           has_trigger ? ": triggers are found by tokens" : "");
    if (has_trigger && args->request)
        return usage_error(args, "found a trigger, which goes with any "
                                 "constraint but --request");
    if (args->command != CMD_CHECK && args->files.count)
        return usage_error(args, "found '%s', expected no more arguments",
                           args->files.at[0]);
    return 0;
}

/* ---- blanks ---- */

/* The text after `key`= in `text`, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    size_t n = strlen(key);
    return !strncmp(text, key, n) && text[n] == '=' ? text + n + 1 : NULL;
}

static int space_kind(const Args *args, weir_space *space)
{
    const char *w = args->whitespace, *value;
    uint64_t indent;
    if (!w || !strcmp(w, "any")) {
        space->kind = WEIR_SPACE_ANY;
    } else if (!strcmp(w, "compact")) {
        space->kind = WEIR_SPACE_COMPACT;
    } else if ((value = value_of(w, "indent")) &&
               number_parse(value, 1000, &indent)) {
        space->kind = WEIR_SPACE_FIXED;
        space->indent = (uint32_t)indent;
    } else if ((value = value_of(w, "regex"))) {
        space->kind = WEIR_SPACE_REGEX;
        space->pattern = (weir_bytes){value, strlen(value)};
    } else {
        return usage_error(args,
                           "found --whitespace '%s', expected any, compact, "
                           "indent=N (up to 1000) or regex=R",
                           w);
    }
    return 0;
}

static int space_read(const Args *args, weir_space *space)
{
    int status = space_kind(args, space);
    if (status || !args->has_max_whitespace) return status;
    if (space->kind != WEIR_SPACE_ANY)
        return usage_error(args, "found --max-whitespace, which goes with "
                                 "--whitespace any only");
    if (args->max_whitespace >= UINT32_MAX)
        return usage_error(args,
                           "found --max-whitespace %s, expected less "
                           "than 4,294,967,295",
                           number_text(args->max_whitespace).text);
    /* in the library 0 is the default, the largest number is none */
    space->max_run =
        args->max_whitespace ? (uint32_t)args->max_whitespace : UINT32_MAX;
    return 0;
}

static int dialect_read(const Args *args, weir_dialect *dialect)
{
    if (!args->dialect) return 0;
    if (strcmp(args->dialect, "llama.cpp"))
        return usage_error(args, "found --dialect '%s', expected llama.cpp",
                           args->dialect);
    *dialect = WEIR_DIALECT_LLAMA_CPP;
    return 0;
}

int source_opts_read(const Args *args, weir_compile_opts *opts)
{
    *opts = (weir_compile_opts){.size = sizeof *opts,
                                .root = args->root,
                                .ignore_case = args->ignore_case,
                                .dot_all = args->dot_all,
                                .any_repeat = args->any_repeat};
    return space_read(args, &opts->space) || dialect_read(args, &opts->dialect)
               ? 2
               : 0;
}

/* ---- compiling ---- */

static weir_grammar *compile_choice(const Args *args, weir_vocab *vocab,
                                    const weir_compile_opts *opts,
                                    weir_error *err)
{
    size_t n = args->choices.count;
    weir_bytes *list = mem_new(args->mem, size_mul(n, sizeof *list));
    if (!list) {
        err->status = WEIR_NO_MEMORY;
        snprintf(err->message, sizeof err->message, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        list[i] =
            (weir_bytes){args->choices.at[i], strlen(args->choices.at[i])};
    weir_grammar *g = weir_grammar_choice(vocab, list, n, opts, err);
    mem_free(args->mem, list, n * sizeof *list);
    return g;
}

/* A source with the name that errors give it. */
typedef struct Source {
    weir_source_kind kind;
    const char *name;
    weir_bytes text;
} Source;

/* Whether it is the blanks' pattern that cannot be compiled. */
static bool is_space_error(weir_vocab *vocab, const weir_compile_opts *opts)
{
    if (!opts->space.pattern.data) return false;
    weir_grammar *g = weir_grammar_compile(vocab, WEIR_JSON_VALUE,
                                           (weir_bytes){NULL, 0}, opts, NULL);
    weir_grammar_free(g);
    return !g;
}

/* Where an error is that is not in the main schema. */
static Source other_document(const weir_schema_opts *opts, const char *pointer)
{
    Source source = {WEIR_JSON_SCHEMA, "--schema-dir", {NULL, 0}};
    const weir_document *d = document_at(opts, pointer);
    if (d) source = (Source){WEIR_JSON_SCHEMA, d->uri.data, d->text};
    return source;
}

static weir_grammar *compile_source(const Args *args, weir_vocab *vocab,
                                    Source source,
                                    const weir_compile_opts *opts)
{
    weir_error err = {.status = WEIR_OK};
    progress_begin("compiling");
    weir_grammar *g =
        source.kind == WEIR_CHOICE
            ? compile_choice(args, vocab, opts, &err)
            : weir_grammar_compile(vocab, source.kind, source.text, opts, &err);
    progress_end();
    if (g) return g;
    if (is_space_error(vocab, opts))
        source = (Source){source.kind, "--whitespace", opts->space.pattern};
    bool has_schema =
        source.kind == WEIR_JSON_SCHEMA || source.kind == WEIR_STRUCTURAL_TAG;
    if (has_schema && *err.pointer && *err.pointer != '#')
        source = other_document(&opts->schema, err.pointer);
    report_error(source.name, source.text, &err);
    return NULL;
}

static weir_grammar *compile_file(const Args *args, weir_vocab *vocab,
                                  weir_source_kind kind, const char *path,
                                  const weir_compile_opts *opts)
{
    FileBytes text = {0};
    weir_grammar *g = NULL;
    if (input_read(args->mem, path, &text)) {
        Source source = {kind, input_name(path), {text.at, text.count}};
        g = compile_source(args, vocab, source, opts);
    }
    vec_free(args->mem, &text);
    return g;
}

static weir_grammar *compile_lark(const Args *args, weir_vocab *vocab,
                                  const weir_compile_opts *opts)
{
    NamedGrammars named = {0};
    weir_compile_opts all = *opts;
    weir_grammar *g = NULL;
    if (!named_read(&named, args, &all))
        g = compile_file(args, vocab, WEIR_LARK, args->lark, &all);
    named_free(&named, args->mem);
    return g;
}

/* --schema, or --structural-tag, which has schemas in it. */
static weir_grammar *compile_schema(const Args *args, weir_vocab *vocab,
                                    const weir_compile_opts *opts,
                                    SchemaSource *schema)
{
    if (schema_read(schema, args, opts)) return NULL;
    Source source = {args->schema ? WEIR_JSON_SCHEMA : WEIR_STRUCTURAL_TAG,
                     schema->name, schema->text};
    return compile_source(args, vocab, source, &schema->opts);
}

/* Any text, for requests that ask for nothing or are not to be enforced. */
static weir_grammar *compile_any(weir_vocab *vocab)
{
    weir_compile_opts opts = {.size = sizeof opts, .dot_all = true};
    return weir_grammar_compile(vocab, WEIR_REGEX, (weir_bytes){".*", 2}, &opts,
                                NULL);
}

static weir_grammar *compile_request(const Args *args, weir_vocab *vocab,
                                     Session *s)
{
    RequestFile *r = &s->request;
    weir_constraint_info info = {.size = sizeof info};
    weir_grammar *g = r->constraint ? request_compile(r, vocab) : NULL;
    if (r->refusal.http) {
        request_report(r, input_name(args->request));
        return NULL;
    }
    weir_constraint_describe(r->constraint, &info);
    if (info.degraded) report_warnings(info.warning.data, info.warning.size);
    if (info.kind == WEIR_JSON_SCHEMA) {
        s->schema.text = info.source;
        s->schema.opts = *info.opts;
    }
    s->termination = info.termination;
    s->prefill = info.prefill;
    return g ? g : compile_any(vocab);
}

static weir_grammar *compile(const Args *args, weir_vocab *vocab, Session *s)
{
    SchemaSource *schema = &s->schema;
    if (args->request) return compile_request(args, vocab, s);
    weir_compile_opts opts;
    if (source_opts_read(args, &opts)) return NULL;
    if (args->ebnf)
        return compile_file(args, vocab, WEIR_EBNF, args->ebnf, &opts);
    if (args->gbnf)
        return compile_file(args, vocab, WEIR_GBNF, args->gbnf, &opts);
    if (args->lark) return compile_lark(args, vocab, &opts);
    if (args->schema || args->structural_tag)
        return compile_schema(args, vocab, &opts, schema);
    Source source = {WEIR_CHOICE, "--choice", {NULL, 0}};
    if (args->regex)
        source =
            (Source){WEIR_REGEX, "--regex", {args->regex, strlen(args->regex)}};
    if (args->json_value)
        source = (Source){WEIR_JSON_VALUE, "--json-value", {NULL, 0}};
    if (args->json_object)
        source = (Source){WEIR_JSON_OBJECT, "--json-object", {NULL, 0}};
    return compile_source(args, vocab, source, &opts);
}

void constraint_print(const Args *args, FILE *out)
{
    if (args->json_value) fputs("--json-value", out);
    if (args->json_object) fputs("--json-object", out);
    if (args->regex) fprintf(out, "--regex %s", args->regex);
    if (args->ebnf) fprintf(out, "--ebnf %s", args->ebnf);
    if (args->gbnf) fprintf(out, "--gbnf %s", args->gbnf);
    if (args->lark) fprintf(out, "--lark %s", args->lark);
    if (args->schema) fprintf(out, "--schema %s", args->schema);
    if (args->structural_tag)
        fprintf(out, "--structural-tag %s", args->structural_tag);
    if (args->request) fprintf(out, "--request %s", args->request);
    if (args->choices.count)
        fprintf(out, "--choice, %s texts",
                number_text(args->choices.count).text);
}

/* What --lenient gave up, or what in a GBNF or Lark grammar may surprise; weir explain has the warnings in its report. */
static void report_grammar_warnings(const Mem *mem, const weir_grammar *g)
{
    size_t size = weir_grammar_print(g, WEIR_PRINT_WARNINGS, NULL, 0);
    char *text = mem_new(mem, size + 1);
    if (!text) return;
    weir_grammar_print(g, WEIR_PRINT_WARNINGS, text, size);
    report_warnings(text, size);
    mem_free(mem, text, size + 1);
}

weir_vocab *tokenizer_load(const char *path, weir_dialect dialect)
{
    weir_vocab_opts opts = {.size = sizeof opts, .dialect = dialect};
    weir_error err = {.status = WEIR_OK};
    progress_begin("loading the tokenizer");
    weir_vocab *v = weir_vocab_load_file(NULL, path, &opts, &err);
    progress_end();
    if (v) return v;
    if (err.status == WEIR_IO)
        report_failure("%s", err.message);
    else if (err.end)
        report_failure("%s: at byte %u: %s", path, err.begin, err.message);
    else
        report_failure("%s: %s", path, err.message);
    return NULL;
}

/* What the constraint is compiled for. A request tells whose vocabulary. */
static int vocab_read(Session *s, const Args *args)
{
    weir_dialect dialect = WEIR_DIALECT_DEFAULT;
    if (dialect_read(args, &dialect)) return 2;
    if (args->request) {
        if (request_read(&s->request, args, args->request)) return 2;
        dialect = request_dialect(&s->request);
    }
    if (args->tokenizer) s->vocab = tokenizer_load(args->tokenizer, dialect);
    return args->tokenizer && !s->vocab ? 2 : 0;
}

/* What comes after the vocabulary. */
static int session_compile(Session *s, const Args *args)
{
    double start = now_ms();
    s->grammar = compile(args, s->vocab, s);
    s->compile_ms = now_ms() - start;
    if (s->grammar) {
        bool has_warnings = args->lenient || args->gbnf || args->lark ||
                            args->request || args->structural_tag;
        if (has_warnings && args->command != CMD_EXPLAIN)
            report_grammar_warnings(args->mem, s->grammar);
        weir_matcher_opts opts = {.size = sizeof opts};
        /* a text is checked in pieces, which no token ends */
        if (args->command != CMD_CHECK) opts.termination = s->termination;
        s->matcher = weir_matcher_new(s->grammar, &opts, NULL);
        if (s->matcher) {
            session_restart(s);
            return 0;
        }
        report_failure("out of memory");
    }
    session_close(s, args);
    return 2;
}

int session_open(Session *s, const Args *args)
{
    *s = (Session){.vocab = NULL};
    if (validate(args)) return 2;
    if (!vocab_read(s, args)) return session_compile(s, args);
    session_close(s, args);
    return 2;
}

int session_check(const Args *args, weir_dialect *dialect)
{
    *dialect = WEIR_DIALECT_DEFAULT;
    return validate(args) || dialect_read(args, dialect) ? 2 : 0;
}

int session_open_with(Session *s, const Args *args, weir_vocab *vocab)
{
    *s = (Session){.vocab = weir_vocab_retain(vocab)};
    return count_constraints(args) ? session_compile(s, args) : 0;
}

void session_restart(const Session *s)
{
    weir_matcher_reset(s->matcher);
    if (s->prefill.size)
        weir_matcher_accept_bytes(s->matcher, s->prefill, NULL);
}

void session_close(Session *s, const Args *args)
{
    schema_free(&s->schema, args->mem);
    request_free(&s->request, args);
    weir_matcher_free(s->matcher);
    weir_grammar_free(s->grammar);
    weir_vocab_free(s->vocab);
}
