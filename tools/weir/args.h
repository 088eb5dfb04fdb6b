/* args.h: the command line of weir, read by one table.
 *
 * Every option is a row of the table in args.c: its name, what it takes, where
 * it goes in Args and which commands know it. The help texts are printed from
 * the same rows. Strings point into argv.
 */
#ifndef TOOLS_WEIR_ARGS_H
#define TOOLS_WEIR_ARGS_H

#include <stdio.h>

#include "base/mem.h"
#include "base/vec.h"

typedef enum CommandId {
    CMD_TOKENIZER,
    CMD_CHECK,
    CMD_MASK,
    CMD_SAMPLE,
    CMD_GENERATE,
    CMD_EXPLAIN,
    CMD_CONVERT,
    CMD_CONFORMANCE,
    CMD_RESOLVE,
    CMD_TOOLS,
    CMD_SERVE,
    CMD_COUNT
} CommandId;

typedef VEC(const char *) TextList;

/* Options of the sampler that are numbers; cli_sampling.c reads them. */
typedef enum SamplingArg {
    SAMPLING_TEMPERATURE,
    SAMPLING_TOP_K,
    SAMPLING_TOP_P,
    SAMPLING_MIN_P,
    SAMPLING_TYPICAL_P,
    SAMPLING_TOP_N_SIGMA,
    SAMPLING_XTC_PROBABILITY,
    SAMPLING_XTC_THRESHOLD,
    SAMPLING_REPEAT_PENALTY,
    SAMPLING_FREQUENCY_PENALTY,
    SAMPLING_PRESENCE_PENALTY,
    SAMPLING_PENALTY_LAST_N,
    SAMPLING_DRY_MULTIPLIER,
    SAMPLING_MIROSTAT,
    SAMPLING_COUNT
} SamplingArg;

typedef struct Args {
    const Mem *mem;
    CommandId command;
    /* the constraint */
    bool json_value, json_object;
    const char *regex, *ebnf, *gbnf, *lark, *schema, *structural_tag,
        *request;   /* or NULL */
    TextList named; /* NAME=FILE */
    TextList choices;
    const char *root, *whitespace, *dialect;
    bool any_repeat;
    const char *draft;
    TextList schema_dirs;
    bool any_order, strict, lenient, annotate_formats;
    bool integer_fraction, any_escape, unique_keys;
    uint64_t max_whitespace;
    bool has_max_whitespace, ignore_case, dot_all;
    /* of a request */
    const char *profile, *endpoint, *failure;
    /* of calls of tools */
    const char *family, *tools, *calls, *reasoning, *answer;
    uint64_t reasoning_tokens;
    bool has_reasoning_tokens, single;
    const char *grammar_switch, *jump_switch, *batch_switch;
    /* of a model */
    const char *model, *engine, *rpc, *chat_template, *prompt, *system;
    const char *sampling[SAMPLING_COUNT]; /* or NULL */
    TextList stops;
    uint64_t context, threads, gpu_layers;
    bool has_context, has_threads, has_gpu_layers;
    bool stream, report, redraw;
    /* of a server */
    const char *host, *api_key, *alias;
    uint64_t port, parallel, waiting, speculate, max_body, max_work, timeout,
        drain;
    bool has_port, has_parallel, has_waiting, has_speculate, has_max_body,
        has_max_work, has_timeout, has_drain;
    /* what to do with it */
    const char *from, *to; /* languages */
    const char *chat;
    TextList trigger_words, trigger_patterns, trigger_tokens;
    const char *tokenizer, *prefix, *stats, *encode, *decode, *remotes;
    uint64_t count, seed, max_tokens;
    bool has_count, has_seed, has_max_tokens;
    bool json, ids, trim, openai_strict;
    bool help, version;
    TextList files; /* the arguments that are no options */
} Args;

/* 0, or 2 after a message on standard error. */
int args_parse(Args *args, const Mem *mem, int argc, char **argv);
void args_free(Args *args);

/* The name of a command. */
const char *command_name(CommandId command);
/* Help on one command, or on the program for CMD_COUNT. */
void help_print(FILE *out, CommandId command);
/* A message about wrong usage with a hint at --help. Returns 2. */
int usage_error(const Args *args, const char *format, ...) PRINTF_LIKE(2, 3);

/* A whole number in decimal, at most `max`; false: text is none. */
bool number_parse(const char *text, uint64_t max, uint64_t *value);

#endif
