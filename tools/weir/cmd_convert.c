/* cmd_convert.c: weir convert: a grammar's text in another language.
 * Tests: tests/cli/convert_cli_test.py. */
#include "weir/cli_constraint.h"
#include "weir/cli_family.h"
#include "weir/cli_input.h"
#include "weir/cli_named.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

/* What is converted, and how. */
typedef struct Source {
    weir_source_kind from, to;
    const char *name; /* what messages call it */
    weir_bytes text;
    weir_compile_opts opts;
    weir_chat chat;
} Source;

static const struct {
    const char *name;
    weir_source_kind kind;
} languages[] = {
    {"gbnf", WEIR_GBNF},          {"ebnf", WEIR_EBNF},
    {"lark", WEIR_LARK},          {"regex", WEIR_REGEX},
    {"schema", WEIR_JSON_SCHEMA}, {"structural-tag", WEIR_STRUCTURAL_TAG}};
enum { WRITTEN = 4 }; /* the first ones */

/* One of the first `count` languages; 0 after a message. */
static weir_source_kind language_read(const Args *args, const char *option,
                                      const char *name, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (!strcmp(name, languages[i].name)) return languages[i].kind;
    usage_error(args, "found %s '%s', expected %s", option, name ? name : "",
                count == WRITTEN ? "gbnf, ebnf, lark or regex"
                                 : "schema, structural-tag, regex, ebnf, "
                                   "gbnf or lark");
    return 0;
}

static void print_json(const weir_conversion *c)
{
    weir_bytes text = weir_conversion_text(c);
    weir_bytes warnings = weir_conversion_warnings(c);
    weir_bytes prefill = weir_conversion_prefill(c);
    fputs("{\"text\":", stdout);
    print_json_string(stdout, text.data, text.size);
    if (prefill.size) {
        fputs(",\"prefill\":", stdout);
        print_json_string(stdout, prefill.data, prefill.size);
    }
    fputs(",\"warnings\":", stdout);
    print_json_lines(stdout, warnings.data, warnings.size);
    puts("}");
}

/* A pattern has no line end of its own. */
static void print_text(const weir_conversion *c, const Source *s)
{
    weir_bytes text = weir_conversion_text(c);
    weir_bytes warnings = weir_conversion_warnings(c);
    report_warnings(warnings.data, warnings.size);
    fwrite(text.data, 1, text.size, stdout);
    if (s->to == WEIR_REGEX) putchar('\n');
}

static int convert(const Args *args, const Source *s)
{
    weir_error err = {.status = WEIR_OK};
    weir_conversion *c =
        s->chat ? weir_convert_chat(NULL, s->chat, s->text, &s->opts, &err)
                : weir_convert(NULL, s->from, s->text, s->to, &s->opts, &err);
    if (!c) return report_error(s->name, s->text, &err);
    if (args->json)
        print_json(c);
    else
        print_text(c, s);
    weir_conversion_free(c);
    return 0;
}

static int convert_schema(const Args *args, Source *s)
{
    SchemaSource schema = {0};
    int status = schema_read(&schema, args, &s->opts);
    if (!status) {
        s->name = schema.name;
        s->text = schema.text;
        s->opts = schema.opts;
        status = convert(args, s);
    }
    schema_free(&schema, args->mem);
    return status;
}

/* A newline at the end of a file is no part of a regular expression. */
static int convert_file(const Args *args, const char *path, Source *s)
{
    FileBytes file = {0};
    int status = 2;
    if (input_read(args->mem, path, &file)) {
        s->name = input_name(path);
        s->text = (weir_bytes){file.at, file.count};
        if (s->from == WEIR_REGEX && file.count &&
            file.at[file.count - 1] == '\n')
            s->text.size--;
        status = convert(args, s);
    }
    vec_free(args->mem, &file);
    return status;
}

static int convert_lark(const Args *args, const char *path, Source *s)
{
    NamedGrammars named = {0};
    int status = named_read(&named, args, &s->opts);
    if (!status) status = convert_file(args, path, s);
    named_free(&named, args->mem);
    return status;
}

int cmd_convert(const Args *args)
{
    Args as = *args; /* as if FILE were the constraint */
    Source s = {0};
    if (args->files.count != 1)
        return usage_error(args, args->files.count ? "found several files, "
                                                     "expected one"
                                                   : "expected a FILE");
    s.from = language_read(args, "--from", args->from, COUNT_OF(languages));
    if (!s.from) return 2;
    s.to = language_read(args, "--to", args->to, WRITTEN);
    if (!s.to || chat_read(args, &s.chat)) return 2;
    bool is_chat = s.from == WEIR_JSON_SCHEMA && s.to == WEIR_GBNF &&
                   args->dialect != NULL;
    if (s.chat && !is_chat)
        return usage_error(args, "found --chat, which goes with --from schema "
                                 "--to gbnf --dialect llama.cpp only");
    const char *path = args->files.at[0];
    const char **field = s.from == WEIR_JSON_SCHEMA      ? &as.schema
                         : s.from == WEIR_STRUCTURAL_TAG ? &as.structural_tag
                         : s.from == WEIR_REGEX          ? &as.regex
                         : s.from == WEIR_EBNF           ? &as.ebnf
                         : s.from == WEIR_LARK           ? &as.lark
                                                         : &as.gbnf;
    *field = path;
    if (validate_companions(&as) || source_opts_read(&as, &s.opts)) return 2;
    if (as.schema || as.structural_tag) return convert_schema(&as, &s);
    return (as.lark ? convert_lark : convert_file)(&as, path, &s);
}
