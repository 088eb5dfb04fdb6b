/* args.c: options by table.
 *
 * In: argv.   Out: an Args, or a message that names the nearest option.
 * Understood are --name VALUE, --name=VALUE, -xVALUE, -x VALUE and -- for the
 * end of the options. An option given twice takes its last value, but for
 * constraints; --choice collects. Rules between options (exactly one constraint) are cli_constraint's.
 * Tests: tests/cli/cli_test.py.
 */
#include "weir/args.h"

#include <stdarg.h>
#include <stdlib.h>

typedef enum OptionKind { OPT_FLAG, OPT_TEXT, OPT_LIST, OPT_NUMBER } OptionKind;

enum {
    TOKENIZER = 1 << CMD_TOKENIZER,
    CHECK = 1 << CMD_CHECK,
    MASK = 1 << CMD_MASK,
    SAMPLE = 1 << CMD_SAMPLE,
    GENERATE = 1 << CMD_GENERATE,
    EXPLAIN = 1 << CMD_EXPLAIN,
    CONVERT = 1 << CMD_CONVERT,
    CONFORMANCE = 1 << CMD_CONFORMANCE,
    RESOLVE = 1 << CMD_RESOLVE,
    TOOLS = 1 << CMD_TOOLS,
    SERVE = 1 << CMD_SERVE,
    ASKED = CHECK | MASK | SAMPLE | EXPLAIN,
    CONSTRAINED = ASKED | GENERATE,
    SOURCES = CONSTRAINED | CONVERT,
    SCHEMAS = SOURCES | CONFORMANCE,
    REQUESTS = ASKED | RESOLVE,
    MODELS = GENERATE | SERVE,
    EVERY = TOKENIZER | SCHEMAS | RESOLVE | TOOLS,
    ALL = EVERY | SERVE
};

typedef struct Option {
    const char *name; /* without its dashes */
    char letter;      /* or 0; a name of "" has just the letter */
    OptionKind kind;
    size_t at;     /* offset in Args */
    size_t has_at; /* numbers: offset of their `has` flag */
    unsigned commands;
    const char *value; /* what the help calls it */
    const char *help;
} Option;

enum { CONSTRAINTS = 10 }; /* the first rows: exactly one is given */

#define AT(field) offsetof(Args, field)
#define NUMBER(field) OPT_NUMBER, AT(field), AT(has_##field)
#define SAMPLING(name) OPT_TEXT, AT(sampling[SAMPLING_##name]), 0, GENERATE

static const Option options[] = {
    {"json-value", 0, OPT_FLAG, AT(json_value), 0, CONSTRAINED, NULL,
     "any JSON value"},
    {"json-object", 0, OPT_FLAG, AT(json_object), 0, CONSTRAINED, NULL,
     "a JSON object"},
    {"regex", 0, OPT_TEXT, AT(regex), 0, CONSTRAINED, "R",
     "the whole output matches the regular expression"},
    {"choice", 0, OPT_LIST, AT(choices), 0, CONSTRAINED, "A",
     "one of these texts; repeat it for each"},
    {"ebnf", 0, OPT_TEXT, AT(ebnf), 0, CONSTRAINED, "FILE",
     "the EBNF grammar in FILE (- is standard input)"},
    {"gbnf", 0, OPT_TEXT, AT(gbnf), 0, CONSTRAINED, "FILE",
     "the GBNF grammar in FILE (- is standard input)"},
    {"lark", 0, OPT_TEXT, AT(lark), 0, CONSTRAINED, "FILE",
     "the Lark grammar in FILE (- is standard input)"},
    {"schema", 0, OPT_TEXT, AT(schema), 0, CONSTRAINED, "S",
     "JSON Schema: a file, - or the text '{...}' itself"},
    {"structural-tag", 0, OPT_TEXT, AT(structural_tag), 0, CONSTRAINED, "S",
     "a structural tag: a file, - or the text '{...}' itself"},
    {"request", 0, OPT_TEXT, AT(request), 0, ASKED, "FILE",
     "what the request to a server in FILE asks for"},
    {"root", 0, OPT_TEXT, AT(root), 0, SOURCES, "NAME",
     "first rule of the grammar; default: root, of Lark start"},
    {"named", 0, OPT_LIST, AT(named), 0, SOURCES, "NAME=FILE",
     "what @NAME is in Lark, by FILE's ending: .json .lark ..."},
    {"from", 0, OPT_TEXT, AT(from), 0, CONVERT, "L",
     "the language of FILE: schema, structural-tag, regex ..."},
    {"to", 0, OPT_TEXT, AT(to), 0, CONVERT, "L",
     "the language wanted: gbnf, ebnf, lark or regex"},
    {"dialect", 0, OPT_TEXT, AT(dialect), 0, SOURCES, "D",
     "whose rules hold for a GBNF grammar: llama.cpp"},
    {"any-repeat", 0, OPT_FLAG, AT(any_repeat), 0, CONSTRAINED, NULL,
     "no limits on repeats in the dialect llama.cpp"},
    {"whitespace", 0, OPT_TEXT, AT(whitespace), 0, SOURCES, "W",
     "blanks in JSON: any, compact, indent=N or regex=R"},
    {"max-whitespace", 0, NUMBER(max_whitespace), SOURCES, "N",
     "longest run of blanks in JSON; default: 128"},
    {"ignore-case", 'i', OPT_FLAG, AT(ignore_case), 0, SOURCES, NULL,
     "letters of the regular expression match both cases"},
    {"dot-all", 0, OPT_FLAG, AT(dot_all), 0, SOURCES, NULL,
     "'.' of the regular expression matches line ends too"},
    {"any-order", 0, OPT_FLAG, AT(any_order), 0, SOURCES | TOOLS, NULL,
     "members of a schema's objects in any order"},
    {"strict", 0, OPT_FLAG, AT(strict), 0, SOURCES, NULL,
     "objects have no members that the schema does not name"},
    {"lenient", 0, OPT_FLAG, AT(lenient), 0, SOURCES, NULL,
     "warn of what cannot be enforced, go on without it"},
    {"annotate-formats", 0, OPT_FLAG, AT(annotate_formats), 0, SOURCES, NULL,
     "the schema's formats enforce nothing"},
    {"integer-fraction", 0, OPT_FLAG, AT(integer_fraction), 0, SOURCES, NULL,
     "integers may be written 1.0"},
    {"any-escape", 0, OPT_FLAG, AT(any_escape), 0, SOURCES, NULL,
     "any character of a string may be written \\uXXXX"},
    {"unique-keys", 0, OPT_FLAG, AT(unique_keys), 0, SOURCES, NULL,
     "no key twice, also where the schema allows any object"},
    {"draft", 0, OPT_TEXT, AT(draft), 0, SCHEMAS, "D",
     "4, 6, 7, 2019-09 or 2020-12 for schemas without $schema"},
    {"schema-dir", 0, OPT_LIST, AT(schema_dirs), 0, SCHEMAS, "DIR",
     "documents that schemas may refer to; may repeat"},
    {"profile", 0, OPT_TEXT, AT(profile), 0, REQUESTS | SERVE, "P",
     "default, vllm, llama-server, ollama or mlx-bun"},
    {"endpoint", 0, OPT_TEXT, AT(endpoint), 0, REQUESTS, "E",
     "chat (default), completions, responses, messages ..."},
    {"failure", 0, OPT_TEXT, AT(failure), 0, REQUESTS, "F",
     "what cannot be enforced: refuse or degrade"},
    {"on-unsupported", 0, OPT_TEXT, AT(failure), 0, SERVE, "F",
     "what cannot be enforced: refuse or degrade"},
    {"grammar", 0, OPT_TEXT, AT(grammar_switch), 0, REQUESTS | SERVE, "S",
     "off: no constraint is enforced"},
    {"jump-forward", 0, OPT_TEXT, AT(jump_switch), 0, REQUESTS | MODELS, "S",
     "on: forced text is not sampled"},
    {"batch-grammar", 0, OPT_TEXT, AT(batch_switch), 0, REQUESTS | SERVE, "S",
     "off: requests with a constraint run alone"},
    {"chat", 0, OPT_TEXT, AT(chat), 0, CONVERT | REQUESTS, "C",
     "llama-server's: chatml, qwen3 or qwen3-no-think"},
    {"family", 0, OPT_TEXT, AT(family), 0, TOOLS | REQUESTS, "F",
     "how the model writes calls: qwen_3, llama, harmony ..."},
    {"tools", 0, OPT_TEXT, AT(tools), 0, TOOLS | GENERATE, "FILE",
     "the tools: a list, or a request that has one"},
    {"calls", 0, OPT_TEXT, AT(calls), 0, TOOLS | GENERATE, "C",
     "of tools: auto (default), required or none"},
    {"single", 0, OPT_FLAG, AT(single), 0, TOOLS | GENERATE, NULL,
     "one call of a tool at most"},
    {"answer", 0, OPT_TEXT, AT(answer), 0, TOOLS, "FILE",
     "tag: what text without calls obeys, a node as JSON"},
    {"reasoning", 0, OPT_TEXT, AT(reasoning), 0, TOOLS | REQUESTS | GENERATE,
     "R", "none (default), open: begun by the prompt, or may"},
    {"reasoning-tokens", 0, NUMBER(reasoning_tokens),
     TOOLS | REQUESTS | GENERATE, "N", "at most N tokens of reasoning"},
    {"remotes", 0, OPT_TEXT, AT(remotes), 0, CONFORMANCE, "DIR",
     "what tests find below http://localhost:1234/"},
    {"tokenizer", 0, OPT_TEXT, AT(tokenizer), 0,
     CHECK | MASK | SAMPLE | EXPLAIN | RESOLVE, "PATH", "the tokenizer file"},
    {"trigger-word", 0, OPT_LIST, AT(trigger_words), 0, CHECK | MASK, "W",
     "the output is free until W is in it; may repeat"},
    {"trigger-pattern", 0, OPT_LIST, AT(trigger_patterns), 0, CHECK | MASK, "P",
     "... until P, a regular expression, is found"},
    {"trigger-token", 0, OPT_LIST, AT(trigger_tokens), 0, CHECK | MASK, "T",
     "... until this token, an id or its text"},
    {"encode", 0, OPT_TEXT, AT(encode), 0, TOKENIZER, "TEXT",
     "print the token ids of TEXT"},
    {"decode", 0, OPT_TEXT, AT(decode), 0, TOKENIZER, "IDS",
     "print the text of the ids, separated by blanks or commas"},
    {"trim", 0, OPT_FLAG, AT(trim), 0, CHECK, NULL,
     "forgive one newline at the end of an input"},
    {"prefix", 0, OPT_TEXT, AT(prefix), 0, MASK, "TEXT",
     "the output so far; default: nothing"},
    {"ids", 0, OPT_FLAG, AT(ids), 0, MASK, NULL, "print all allowed ids"},
    {"stats", 0, OPT_TEXT, AT(stats), 0, EXPLAIN, "TEXT",
     "what the masks of TEXT take; wants --tokenizer"},
    {"openai-strict", 0, OPT_FLAG, AT(openai_strict), 0, EXPLAIN, NULL,
     "show what OpenAI's strict mode refuses in the schema"},
    {"", 'n', NUMBER(count), SAMPLE, "N", "how many outputs; default: 1"},
    {"seed", 0, NUMBER(seed), SAMPLE, "S",
     "start of the random numbers; default: 0"},
    {"model", 'm', OPT_TEXT, AT(model), 0, MODELS, "PATH",
     "the model, a GGUF file"},
    {"prompt", 'p', OPT_TEXT, AT(prompt), 0, GENERATE, "TEXT",
     "what the model is told (- is standard input)"},
    {"system", 0, OPT_TEXT, AT(system), 0, GENERATE, "TEXT",
     "what it is told before, as its system message"},
    {"chat-template", 0, OPT_TEXT, AT(chat_template), 0, MODELS, "F",
     "the chat format, if not the model's: chatml, none ..."},
    {"stream", 0, OPT_FLAG, AT(stream), 0, GENERATE, NULL,
     "print text as it comes; on a terminal by itself"},
    {"stats", 0, OPT_FLAG, AT(report), 0, GENERATE, NULL,
     "tell on standard error how long it took"},
    {"engine", 0, OPT_TEXT, AT(engine), 0, MODELS, "E",
     "what computes: llama (libllama) or builtin"},
    {"context", 0, NUMBER(context), GENERATE, "N",
     "most tokens of prompt and output; default: 4096"},
    {"ctx", 0, NUMBER(context), SERVE, "N",
     "most tokens of a prompt and its answer; default: 4096"},
    {"threads", 0, NUMBER(threads), MODELS, "N", "default: as many as may run"},
    {"gpu-layers", 0, NUMBER(gpu_layers), MODELS, "N",
     "layers that a GPU computes; default: all"},
    {"rpc", 0, OPT_TEXT, AT(rpc), 0, MODELS, "H:P,...",
     "machines that compute, too: llama.cpp's RPC servers"},
    {"temperature", 0, SAMPLING(TEMPERATURE), "T",
     "default: 0.8; 0: the likeliest token"},
    {"top-k", 0, SAMPLING(TOP_K), "K", "default: 40; 0: off"},
    {"top-p", 0, SAMPLING(TOP_P), "P", "default: 0.95; 1: off"},
    {"min-p", 0, SAMPLING(MIN_P), "P", "default: 0.05; 0: off"},
    {"typical-p", 0, SAMPLING(TYPICAL_P), "P", "default: 1, off"},
    {"top-n-sigma", 0, SAMPLING(TOP_N_SIGMA), "N", "default: -1, off"},
    {"xtc-probability", 0, SAMPLING(XTC_PROBABILITY), "P", "default: 0, off"},
    {"xtc-threshold", 0, SAMPLING(XTC_THRESHOLD), "P", "default: 0.1"},
    {"repeat-penalty", 0, SAMPLING(REPEAT_PENALTY), "X", "default: 1, off"},
    {"frequency-penalty", 0, SAMPLING(FREQUENCY_PENALTY), "X",
     "default: 0, off"},
    {"presence-penalty", 0, SAMPLING(PRESENCE_PENALTY), "X", "default: 0, off"},
    {"penalty-last-n", 0, SAMPLING(PENALTY_LAST_N), "N",
     "tokens that penalties see; default: 64; -1: all"},
    {"dry-multiplier", 0, SAMPLING(DRY_MULTIPLIER), "X", "default: 0, off"},
    {"mirostat", 0, SAMPLING(MIROSTAT), "V", "1 or 2; default: 0, off"},
    {"redraw", 0, OPT_FLAG, AT(redraw), 0, GENERATE, NULL,
     "draw freely, and again where that is refused"},
    {"stop", 0, OPT_LIST, AT(stops), 0, GENERATE, "TEXT",
     "a text that ends the output; may repeat"},
    {"seed", 0, NUMBER(seed), GENERATE, "S",
     "start of the random numbers; default: by the clock"},
    {"max-tokens", 0, NUMBER(max_tokens), SAMPLE | GENERATE, "M",
     "longest output; default: 256"},
    {"host", 0, OPT_TEXT, AT(host), 0, SERVE, "H",
     "where to listen; default: 127.0.0.1, this machine alone"},
    {"port", 0, NUMBER(port), SERVE, "N", "default: 8080; 0: any free one"},
    {"api-key", 0, OPT_TEXT, AT(api_key), 0, SERVE, "KEY",
     "asked of clients; default: that in WEIR_API_KEY, or none"},
    {"alias", 0, OPT_TEXT, AT(alias), 0, SERVE, "NAME",
     "what answers call the model; default: its file's name"},
    {"parallel", 0, NUMBER(parallel), SERVE, "N",
     "answers at once; default: 4"},
    {"queue", 0, NUMBER(waiting), SERVE, "N",
     "most requests that wait; default: 256"},
    {"speculate", 0, NUMBER(speculate), SERVE, "N",
     "tokens of a draft, at most 16; default: 0, none"},
    {"max-body", 0, NUMBER(max_body), SERVE, "N",
     "most bytes of a request; default: 16777216"},
    {"max-work", 0, NUMBER(max_work), SERVE, "N",
     "most steps to compile a constraint; default: 500000000"},
    {"timeout", 0, NUMBER(timeout), SERVE, "S",
     "seconds for a request to come in; default: 30"},
    {"drain", 0, NUMBER(drain), SERVE, "S",
     "seconds for what is in hand at the end; default: 30"},
    {"json", 0, OPT_FLAG, AT(json), 0, EVERY, NULL, "print JSON"},
    {"help", 'h', OPT_FLAG, AT(help), 0, ALL, NULL, "print this"},
    {"version", 0, OPT_FLAG, AT(version), 0, ALL, NULL, "print the version"},
};

typedef struct CommandRow {
    const char *name, *use, *help;
} CommandRow;
static const CommandRow commands[CMD_COUNT] = {
    [CMD_TOKENIZER] = {"tokenizer", "PATH [OPTION...]",
                       "Describes a tokenizer file, encodes, decodes."},
    [CMD_CHECK] = {"check", "CONSTRAINT [OPTION...] [FILE...]",
                   "Says whether each file, or standard input, obeys the "
                   "constraint."},
    [CMD_MASK] = {"mask", "CONSTRAINT --tokenizer PATH [OPTION...]",
                  "Shows which tokens may come next."},
    [CMD_SAMPLE] = {"sample", "CONSTRAINT --tokenizer PATH [OPTION...]",
                    "Prints random outputs that obey the constraint."},
    [CMD_GENERATE] = {"generate",
                      "[-m MODEL] -p PROMPT [CONSTRAINT] [OPTION...]",
                      "Lets a model write an output that obeys the "
                      "constraint."},
    [CMD_EXPLAIN] = {"explain", "CONSTRAINT [OPTION...]",
                     "Shows what the constraint became inside."},
    [CMD_CONVERT] = {"convert", "--from L --to L [OPTION...] FILE",
                     "Writes a grammar in another language."},
    [CMD_CONFORMANCE] = {"conformance", "DIR [OPTION...]",
                         "Runs a folder of tests in the form of the JSON "
                         "Schema Test Suite."},
    [CMD_RESOLVE] = {"resolve", "[OPTION...] REQUEST",
                     "Shows which constraint a request to a server asks "
                     "for."},
    [CMD_SERVE] = {"serve", "[-m MODEL] [OPTION...]",
                   "Serves a model over HTTP: OpenAI's, Ollama's and others' "
                   "endpoints."},
    [CMD_TOOLS] = {"tools", "tag|parse --family F [OPTION...] [FILE]",
                   "tag: a structural tag for calls of tools; parse: reads "
                   "the calls in FILE."},
};

const char *command_name(CommandId command)
{
    return command < CMD_COUNT ? commands[command].name : "";
}

/* ---- messages ---- */

int usage_error(const Args *args, const char *format, ...)
{
    va_list list;
    const char *name = command_name(args->command);
    fputs("weir: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\nTry 'weir %s%s--help'.\n", name, *name ? " " : "");
    return 2;
}

/* Edits (insert, drop, change) that make a into b; words of up to 31. */
static unsigned edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 32 };
    unsigned row[LONGEST];
    size_t na = strlen(a), nb = strlen(b);
    if (na >= LONGEST || nb >= LONGEST) return UINT32_MAX;
    for (unsigned j = 0; j <= nb; j++) row[j] = j;
    for (size_t i = 0; i < na; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < nb; j++) {
            unsigned change = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = MIN(change, MIN(row[j], diagonal) + 1);
        }
    }
    return row[nb];
}

/* "; did you mean '--json'?" when that is plausible. */
static int unknown_option(const Args *args, const char *name)
{
    const char *best = NULL;
    unsigned best_distance = 3;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (!*options[i].name || !(options[i].commands & 1u << args->command))
            continue;
        unsigned d = edit_distance(name, options[i].name);
        if (d >= best_distance) continue;
        best = options[i].name;
        best_distance = d;
    }
    if (!best)
        return usage_error(args, "unknown option '--%s' of 'weir %s'", name,
                           command_name(args->command));
    return usage_error(args, "unknown option '--%s'; did you mean '--%s'?",
                       name, best);
}

static int unknown_command(const Args *args, const char *name)
{
    const char *best = NULL;
    unsigned best_distance = 3;
    for (size_t i = 0; i < CMD_COUNT; i++) {
        unsigned d = edit_distance(name, commands[i].name);
        if (d >= best_distance) continue;
        best = commands[i].name;
        best_distance = d;
    }
    if (!best) return usage_error(args, "unknown command '%s'", name);
    return usage_error(args, "unknown command '%s'; did you mean '%s'?", name,
                       best);
}

/* ---- options ---- */

bool number_parse(const char *text, uint64_t max, uint64_t *value)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > (UINT64_MAX - digit) / 10) return false;
        n = n * 10 + digit;
    }
    if (p == text || *p || n > max) return false;
    *value = n;
    return true;
}

/* What messages call an option. */
static const char *option_name(const Option *o)
{
    return *o->name ? o->name : "n";
}

static int option_set(Args *args, const Option *o, const char *value)
{
    void *field = (char *)args + o->at;
    switch (o->kind) {
    case OPT_FLAG:
        *(bool *)field = true;
        break;
    case OPT_TEXT:
        if (*(const char **)field && o < options + CONSTRAINTS)
            return usage_error(args, "--%s is given twice", o->name);
        *(const char **)field = value;
        break;
    case OPT_LIST: {
        TextList *list = field;
        if (!vec_push(args->mem, list, value))
            return usage_error(args, "out of memory");
        break;
    }
    case OPT_NUMBER:
        if (!number_parse(value, UINT64_MAX, field))
            return usage_error(args,
                               "found '%s', expected a whole number "
                               "for %s%s",
                               value, *o->name ? "--" : "-", option_name(o));
        *((bool *)args + o->has_at) = true;
        break;
    }
    return 0;
}

typedef struct ArgReader {
    Args *args;
    int argc, next;
    char **argv;
} ArgReader;

/* Sets the option; its value stands in the same argument or is the next. */
static int option_take(ArgReader *r, const Option *o, const char *value)
{
    const char *dashes = *o->name ? "--" : "-";
    if (o->kind == OPT_FLAG && value)
        return usage_error(r->args, "%s%s takes no value", dashes,
                           option_name(o));
    if (o->kind != OPT_FLAG && !value) {
        if (r->next >= r->argc)
            return usage_error(r->args, "%s%s wants a value: %s", dashes,
                               option_name(o), o->value);
        value = r->argv[r->next++];
    }
    return option_set(r->args, o, value);
}

/* The option of the command with the name of `size` characters. */
static const Option *option_find(CommandId command, const char *name,
                                 size_t size)
{
    for (size_t i = 0; i < COUNT_OF(options); i++)
        if (size && strlen(options[i].name) == size &&
            !memcmp(options[i].name, name, size) &&
            options[i].commands & 1u << command)
            return &options[i];
    return NULL;
}

static int long_option(ArgReader *r, char *name)
{
    char *equal = strchr(name, '=');
    size_t size = equal ? (size_t)(equal - name) : strlen(name);
    const Option *o = option_find(r->args->command, name, size);
    if (o) return option_take(r, o, equal ? equal + 1 : NULL);
    name[size] = 0;
    return unknown_option(r->args, name);
}

static int short_options(ArgReader *r, const char *letters)
{
    int status = 0;
    while (!status && *letters) {
        const Option *o = NULL;
        for (size_t i = 0; i < COUNT_OF(options) && !o; i++)
            if (options[i].letter == *letters &&
                options[i].commands & 1u << r->args->command)
                o = &options[i];
        if (!o) return usage_error(r->args, "unknown option '-%c'", *letters);
        letters++;
        bool has_value = o->kind != OPT_FLAG && *letters;
        status = option_take(r, o, has_value ? letters : NULL);
        if (has_value) break;
    }
    return status;
}

static int command_take(Args *args, const char *name)
{
    for (size_t i = 0; i < CMD_COUNT; i++)
        if (!strcmp(name, commands[i].name)) {
            args->command = (CommandId)i;
            return 0;
        }
    if (!strcmp(name, "help")) {
        args->help = true;
        return 0;
    }
    return unknown_command(args, name);
}

static int parse_command(ArgReader *r)
{
    Args *args = r->args;
    while (r->next < r->argc && args->command == CMD_COUNT) {
        char *arg = r->argv[r->next++];
        int status = 0;
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h"))
            args->help = true;
        else if (!strcmp(arg, "--version"))
            args->version = true;
        else if (*arg == '-')
            status = usage_error(args, "found '%s', expected a command", arg);
        else
            status = command_take(args, arg);
        if (status) return status;
    }
    if (args->command < CMD_COUNT || args->help || args->version) return 0;
    return usage_error(args, "expected a command");
}

int args_parse(Args *args, const Mem *mem, int argc, char **argv)
{
    *args =
        (Args){.mem = mem, .command = CMD_COUNT, .count = 1, .max_tokens = 256};
    ArgReader r = {args, argc, 1, argv};
    int status = parse_command(&r);
    bool more_options = true;
    while (!status && r.next < argc && args->command < CMD_COUNT) {
        char *arg = argv[r.next++];
        if (!more_options || *arg != '-' || !arg[1]) {
            if (!vec_push(mem, &args->files, arg))
                status = usage_error(args, "out of memory");
        } else if (!strcmp(arg, "--")) {
            more_options = false;
        } else {
            status = arg[1] == '-' ? long_option(&r, arg + 2)
                                   : short_options(&r, arg + 1);
        }
    }
    return status;
}

void args_free(Args *args)
{
    vec_free(args->mem, &args->choices);
    vec_free(args->mem, &args->schema_dirs);
    vec_free(args->mem, &args->named);
    vec_free(args->mem, &args->stops);
    vec_free(args->mem, &args->trigger_words);
    vec_free(args->mem, &args->trigger_patterns);
    vec_free(args->mem, &args->trigger_tokens);
    vec_free(args->mem, &args->files);
}

/* ---- help ---- */

static void help_option(FILE *out, const Option *o)
{
    char left[40];
    int n = 0;
    if (*o->name && o->letter)
        n = snprintf(left, sizeof left, "-%c, --%s", o->letter, o->name);
    else if (*o->name)
        n = snprintf(left, sizeof left, "--%s", o->name);
    else
        n = snprintf(left, sizeof left, "-%c", o->letter);
    if (o->value) snprintf(left + n, sizeof left - (size_t)n, " %s", o->value);
    fprintf(out, "  %-20s %s\n", left, o->help);
}

static void help_command(FILE *out, CommandId command)
{
    fprintf(out, "Usage: weir %s %s\n%s\n", commands[command].name,
            commands[command].use, commands[command].help);
    unsigned bit = 1u << command;
    bool is_constrained = bit & CONSTRAINED;
    if (is_constrained) fputs("\nConstraint, one of:\n", out);
    for (size_t i = 0; is_constrained && i < CONSTRAINTS; i++)
        if (options[i].commands & bit) help_option(out, &options[i]);
    fputs("\nOptions:\n", out);
    for (size_t i = CONSTRAINTS; i < COUNT_OF(options); i++)
        if (options[i].commands & bit) help_option(out, &options[i]);
}

void help_print(FILE *out, CommandId command)
{
    if (command < CMD_COUNT) {
        help_command(out, command);
        return;
    }
    fputs("Usage: weir COMMAND [OPTION...]\n"
          "Makes the output of a language model obey a format.\n\n"
          "Commands:\n",
          out);
    for (size_t i = 0; i < CMD_COUNT; i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].help);
    fputs("\n'weir COMMAND --help' lists the options of a command.\n"
          "'weir --version' prints the version. man weir tells more.\n",
          out);
}
