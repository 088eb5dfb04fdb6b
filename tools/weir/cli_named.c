/* cli_named.c: see cli_named.h. A file's ending says what language it is in.
 * Tests: tests/cli/lark_cli_test.py */
#include "weir/cli_named.h"

static const struct {
    const char *ending;
    weir_source_kind kind;
} endings[] = {{".json", WEIR_JSON_SCHEMA},
               {".lark", WEIR_LARK},
               {".ebnf", WEIR_EBNF},
               {".gbnf", WEIR_GBNF},
               {".regex", WEIR_REGEX}};

static weir_source_kind kind_of(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t n = strlen(endings[i].ending);
        if (size > n && !strcmp(path + size - n, endings[i].ending))
            return endings[i].kind;
    }
    return 0;
}

static int named_add(NamedGrammars *named, const Args *args, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return usage_error(args, "found --named '%s', expected NAME=FILE",
                           text);
    weir_source_kind kind = kind_of(equals + 1);
    if (!kind)
        return usage_error(args,
                           "found --named '%s', expected a file that ends in "
                           ".json, .lark, .ebnf, .gbnf or .regex",
                           text);
    FileBytes file = {0};
    bool done = input_read(args->mem, equals + 1, &file) &&
                vec_push(args->mem, &named->files, file);
    if (!done) {
        vec_free(args->mem, &file);
        return 2;
    }
    weir_named_grammar g = {
        {text, (size_t)(equals - text)}, kind, {file.at, file.count}};
    return vec_push(args->mem, &named->list, g) ? 0 : 2;
}

int named_read(NamedGrammars *named, const Args *args, weir_compile_opts *opts)
{
    for (uint32_t i = 0; i < args->named.count; i++)
        if (named_add(named, args, args->named.at[i])) return 2;
    opts->grammars = named->list.at;
    opts->grammar_count = named->list.count;
    return 0;
}

void named_free(NamedGrammars *named, const Mem *mem)
{
    for (uint32_t i = 0; i < named->files.count; i++)
        vec_free(mem, &named->files.at[i]);
    vec_free(mem, &named->files);
    vec_free(mem, &named->list);
}
