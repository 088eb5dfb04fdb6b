/* weir_main.c: the program weir: reads the arguments and calls a command.
 * Exit codes: 0 fine, 1 the answer is no, 2 wrong usage, constraint or file.
 * Tests: tests/cli/cli_test.py. */
#include <stdio.h>

#include "weir/args.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"
#include "weir/weir.h"

static int (*const run[CMD_COUNT])(const Args *args) = {
    [CMD_TOKENIZER] = cmd_tokenizer, [CMD_CHECK] = cmd_check,
    [CMD_MASK] = cmd_mask,           [CMD_SAMPLE] = cmd_sample,
    [CMD_GENERATE] = cmd_generate,   [CMD_EXPLAIN] = cmd_explain,
    [CMD_CONVERT] = cmd_convert,     [CMD_CONFORMANCE] = cmd_conformance,
    [CMD_RESOLVE] = cmd_resolve,     [CMD_TOOLS] = cmd_tools,
    [CMD_SERVE] = cmd_serve,
};

static int run_command(const Args *args)
{
    if (args->help) {
        help_print(stdout, args->command);
        return 0;
    }
    if (args->version) {
        printf("weir %s\n", weir_version());
        return 0;
    }
    return run[args->command](args);
}

int main(int argc, char **argv)
{
    Args args;
    Mem mem = mem_from_env(NULL);
    int status = args_parse(&args, &mem, argc, argv);
    if (!status) status = run_command(&args);
    args_free(&args);
    if ((fflush(stdout) || ferror(stdout)) && status != 2)
        status = report_failure("cannot write the output");
    return status;
}
