/* sampling_runs.c: the text form of sampler runs, and their logits. */
#include "oracle/sampling_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/port.h"

/* ---- grammars ---- */

static const char *const grammars[][2] = {
    {"json",
     "root ::= object\n"
     "object ::= \"{\" ws (pair (\",\" ws pair)*)? \"}\"\n"
     "pair ::= string \":\" ws value\n"
     "value ::= object | string | number | \"true\" | \"false\" | \"null\"\n"
     "string ::= \"\\\"\" [^\"\\\\\\x00-\\x1F]* \"\\\"\"\n"
     "number ::= \"-\"? [0-9]+\n"
     "ws ::= \" \"?\n"},
    {"words",
     "root ::= (\"the\" | \"name\" | \" a\" | [b-f]+) (\", \" root)?\n"},
    {"digits", "root ::= [0-9]+ \"\\n\"\n"},
    {"aab", "root ::= (\"aa\" | \"ab\" | \"a\")+ \"x:\"\n"},
};

/* ---- logits ---- */

static uint64_t mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static float flat(uint64_t h)
{
    return (float)((int32_t)(h >> 44) - (1 << 19)) / 65536.0f;
}

static float logit(LogitShape shape, uint64_t h)
{
    switch (shape) {
    case SHAPE_COARSE:
        return (float)((int32_t)(h >> 60) - 8) / 2.0f;
    case SHAPE_SHARP:
    case SHAPE_LOOP:
        return flat(h) / 2.0f + (h % 64 ? 0.0f : 8.0f);
    case SHAPE_LOW:
        return flat(h) - 40.0f;
    case SHAPE_WIDE:
        return flat(h) * 16.0f;
    default:
        return flat(h);
    }
}

void run_logits(const SamplingRun *run, uint32_t step, float *logits)
{
    if (run->shape == SHAPE_LOOP) step %= 7;
    uint64_t base = mix((uint64_t)run->logit_seed << 32 | step);
    for (uint32_t i = 0; i < run->width; i++)
        logits[i] = logit(run->shape, mix(base + i));
}

/* ---- words ---- */

typedef enum WordKind { WORD_U32, WORD_FLOAT } WordKind;
typedef struct WordRow {
    const char *name;
    WordKind kind;
    size_t at;
} WordRow;
#define OPT(field) offsetof(SamplingRun, opts.field)
static const WordRow words[] = {
    {"logits", WORD_U32, offsetof(SamplingRun, logit_seed)},
    {"width", WORD_U32, offsetof(SamplingRun, width)},
    {"steps", WORD_U32, offsetof(SamplingRun, steps)},
    {"seed", WORD_U32, OPT(seed)},
    {"temp", WORD_FLOAT, OPT(temperature)},
    {"dyn", WORD_FLOAT, OPT(dynamic_range)},
    {"dynexp", WORD_FLOAT, OPT(dynamic_exponent)},
    {"top_k", WORD_U32, OPT(top_k)},
    {"top_p", WORD_FLOAT, OPT(top_p)},
    {"min_p", WORD_FLOAT, OPT(min_p)},
    {"typ", WORD_FLOAT, OPT(typical_p)},
    {"sigma", WORD_FLOAT, OPT(top_n_sigma)},
    {"xtc", WORD_FLOAT, OPT(xtc_probability)},
    {"xtc_t", WORD_FLOAT, OPT(xtc_threshold)},
    {"keep", WORD_U32, OPT(min_keep)},
    {"last", WORD_U32, OPT(penalty_last_n)},
    {"rep", WORD_FLOAT, OPT(repeat_penalty)},
    {"freq", WORD_FLOAT, OPT(frequency_penalty)},
    {"pres", WORD_FLOAT, OPT(presence_penalty)},
    {"dry", WORD_FLOAT, OPT(dry_multiplier)},
    {"base", WORD_FLOAT, OPT(dry_base)},
    {"allowed", WORD_U32, OPT(dry_allowed_length)},
    {"dry_last", WORD_U32, OPT(dry_last_n)},
    {"miro", WORD_U32, OPT(mirostat)},
    {"tau", WORD_FLOAT, OPT(mirostat_tau)},
    {"eta", WORD_FLOAT, OPT(mirostat_eta)},
    {"aim", WORD_FLOAT, OPT(adaptive_target)},
    {"decay", WORD_FLOAT, OPT(adaptive_decay)},
};

static bool set_number(SamplingRun *run, const char *name, const char *value)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        void *at = (char *)run + words[i].at;
        char *end;
        if (strcmp(words[i].name, name) != 0) continue;
        if (words[i].kind == WORD_FLOAT) {
            *(float *)at = strtof(value, &end);
        } else {
            int64_t n = strtoll(value, &end, 10);
            *(uint32_t *)at = (uint32_t)n;
        }
        return end != value && !*end;
    }
    return false;
}

static bool set_shape(SamplingRun *run, const char *value)
{
    static const char *const names[] = {"flat", "coarse", "sharp",
                                        "low",  "wide",   "loop"};
    for (int i = 0; i < SHAPES; i++) {
        if (strcmp(names[i], value) != 0) continue;
        run->shape = (LogitShape)i;
        return true;
    }
    return false;
}

static bool set_grammar(SamplingRun *run, const char *value)
{
    for (size_t i = 0; i < COUNT_OF(grammars); i++)
        if (!strcmp(grammars[i][0], value)) run->grammar = grammars[i][1];
    return run->grammar;
}

/* "1,2,3", or "id:value,id:value". */
static bool set_list(SamplingRun *run, const char *value, bool is_bias)
{
    size_t n = 0;
    for (char *end = NULL; n < RUN_LIST; n++, value = end + 1) {
        uint32_t id = (uint32_t)strtoul(value, &end, 10);
        if (end == value) return false;
        run->prompt[n] = is_bias ? run->prompt[n] : id;
        if (is_bias) {
            if (*end != ':') return false;
            run->bias[n] = (weir_logit_bias){id, strtof(end + 1, &end)};
        }
        if (*end == ',') continue;
        *(is_bias ? &run->opts.bias_count : &run->prompt_count) = n + 1;
        return !*end;
    }
    return false;
}

/* Samplers by llama.cpp's letters. */
static bool set_order(SamplingRun *run, const char *value)
{
    static const char letters[] = "?edskypmxt";
    size_t n = strlen(value);
    if (n > WEIR_SAMPLER_KINDS) return false;
    for (size_t i = 0; i < n; i++) {
        const char *at = strchr(letters + 1, value[i]);
        if (!at) return false;
        run->order[i] = (weir_sampler_kind)(at - letters);
    }
    run->opts.order_count = n;
    return true;
}

/* Texts with commas between, _ for a blank, \n for a line end; - for none. */
static bool set_breakers(SamplingRun *run, const char *value)
{
    size_t n = 0;
    char *to = run->texts;
    if (strlen(value) >= sizeof run->texts) return false;
    run->breakers[0].data = to;
    if (!strcmp(value, "-")) value = "";
    for (; *value; value++) {
        if (*value == ',') {
            run->breakers[++n].data = to;
            continue;
        }
        char c = *value == '_' ? ' ' : *value;
        if (c == '\\' && value[1] == 'n') c = '\n', value++;
        *to++ = c;
        run->breakers[n].size++;
    }
    run->opts.dry_breaker_count = to == run->texts ? 0 : n + 1;
    return true;
}

static bool set_word(SamplingRun *run, char *word)
{
    char *value = strchr(word, '=');
    if (!strcmp(word, "llama")) {
        run->opts.temperature = 0.8f;
        run->opts.top_k = 40;
        run->opts.top_p = 0.95f;
        run->opts.min_p = 0.05f;
        return true;
    }
    if (!value) return false;
    *value++ = 0;
    if (!strcmp(word, "shape")) return set_shape(run, value);
    if (!strcmp(word, "grammar")) return set_grammar(run, value);
    if (!strcmp(word, "prompt")) return set_list(run, value, false);
    if (!strcmp(word, "bias")) return set_list(run, value, true);
    if (!strcmp(word, "order")) return set_order(run, value);
    if (!strcmp(word, "breakers")) return set_breakers(run, value);
    return set_number(run, word, value);
}

bool run_parse(SamplingRun *run, const char *line, char wrong[64])
{
    char copy[1024];
    *run = (SamplingRun){.width = 338,
                         .steps = 40,
                         .opts = {.size = sizeof run->opts,
                                  .seed = 42,
                                  .temperature = 1,
                                  .dynamic_exponent = 1,
                                  .top_p = 1,
                                  .typical_p = 1,
                                  .top_n_sigma = -1,
                                  .xtc_threshold = 0.1f,
                                  .penalty_last_n = 64,
                                  .repeat_penalty = 1,
                                  .dry_base = 1.75f,
                                  .dry_allowed_length = 2,
                                  .dry_last_n = 64,
                                  .mirostat_tau = 5,
                                  .mirostat_eta = 0.1f,
                                  .adaptive_target = -1,
                                  .adaptive_decay = 0.9f}};
    run->opts.bias = run->bias;
    run->opts.order = run->order;
    run->opts.dry_breakers = run->breakers;
    run->opts.redraw = true;
    set_breakers(run, "\\n,:,\",*");
    snprintf(copy, sizeof copy, "%s", line + 4);
    char *rest = copy, *word = strtok_r(copy, " \n", &rest);
    snprintf(run->name, sizeof run->name, "%s", word ? word : "");
    while ((word = strtok_r(NULL, " \n", &rest))) {
        snprintf(wrong, 64, "%s", word);
        if (!set_word(run, word)) return false;
    }
    return run->steps <= RUN_STEPS;
}
