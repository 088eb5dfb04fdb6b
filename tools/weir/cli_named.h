/* cli_named.h: --named NAME=FILE: grammars that a Lark grammar names. */
#ifndef TOOLS_WEIR_CLI_NAMED_H
#define TOOLS_WEIR_CLI_NAMED_H

#include "weir/args.h"
#include "weir/cli_input.h"
#include "weir/weir.h"

typedef struct NamedGrammars {
    VEC(weir_named_grammar) list;
    VEC(FileBytes) files; /* by list */
} NamedGrammars;

/* Reads the files and puts them into the options. 0, or 2 after a message. */
int named_read(NamedGrammars *named, const Args *args, weir_compile_opts *opts);
void named_free(NamedGrammars *named, const Mem *mem);

#endif
