/* cmd_convert.c: weir convert: a grammar's text in another language.
 * Tests: tests/cli/convert_cli_test.py. */
#include "weir/cli_constraint.h"
#include "weir/cli_input.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

static const struct {
    const char *name;
    weir_source_kind kind;
} languages[] = {{"schema", WEIR_JSON_SCHEMA}, {"gbnf", WEIR_GBNF}};

/* 0 after a message. */
static weir_source_kind language_read(const Args *args, const char *option,
                                      const char *name)
{
    for (size_t i = 0; name && i < COUNT_OF(languages); i++)
        if (!strcmp(name, languages[i].name)) return languages[i].kind;
    usage_error(args, "found %s '%s', expected schema or gbnf", option,
                name ? name : "");
    return 0;
}

static void print_json(const weir_conversion *c)
{
    weir_bytes text = weir_conversion_text(c);
    weir_bytes warnings = weir_conversion_warnings(c);
    fputs("{\"text\":", stdout);
    print_json_string(stdout, text.data, text.size);
    fputs(",\"warnings\":", stdout);
    print_json_lines(stdout, warnings.data, warnings.size);
    puts("}");
}

static void print_text(const weir_conversion *c)
{
    weir_bytes text = weir_conversion_text(c);
    weir_bytes warnings = weir_conversion_warnings(c);
    report_warnings(warnings.data, warnings.size);
    fwrite(text.data, 1, text.size, stdout);
}

static int convert(const Args *args, weir_source_kind from, weir_source_kind to,
                   const weir_compile_opts *opts)
{
    FileBytes file = {0};
    weir_error err = {.status = WEIR_OK};
    const char *path = args->files.at[0];
    int status = 2;
    if (input_read(args->mem, path, &file)) {
        weir_bytes source = {file.at, file.count};
        weir_conversion *c = weir_convert(NULL, from, source, to, opts, &err);
        status = c ? 0 : report_error(input_name(path), source, &err);
        if (c) (args->json ? print_json : print_text)(c);
        weir_conversion_free(c);
    }
    vec_free(args->mem, &file);
    return status;
}

int cmd_convert(const Args *args)
{
    weir_compile_opts opts = {.size = sizeof opts};
    weir_source_kind to, from = language_read(args, "--from", args->from);
    if (!from || !(to = language_read(args, "--to", args->to)) ||
        dialect_read(args, &opts.dialect))
        return 2;
    if (args->files.count != 1)
        return usage_error(args, args->files.count ? "found several files, "
                                                     "expected one"
                                                   : "expected a FILE");
    return convert(args, from, to, &opts);
}
