/* cli_sampling.c: each option is a field of weir_sampler_opts; whether its
 * value is in range the sampler says.
 * Tests: tests/cli/generate_cli_test.py. */
#include "weir/cli_sampling.h"

#include <math.h>
#include <stdlib.h>

typedef enum FieldType { FIELD_REAL, FIELD_WHOLE } FieldType;

static const struct {
    const char *name;
    size_t at; /* float, or int32_t */
    FieldType type;
} fields[SAMPLING_COUNT] = {
#define FIELD(id, option, field, type) \
    [SAMPLING_##id] = {option, offsetof(weir_sampler_opts, field), FIELD_##type}
    FIELD(TEMPERATURE, "temperature", temperature, REAL),
    FIELD(TOP_K, "top-k", top_k, WHOLE),
    FIELD(TOP_P, "top-p", top_p, REAL),
    FIELD(MIN_P, "min-p", min_p, REAL),
    FIELD(TYPICAL_P, "typical-p", typical_p, REAL),
    FIELD(TOP_N_SIGMA, "top-n-sigma", top_n_sigma, REAL),
    FIELD(XTC_PROBABILITY, "xtc-probability", xtc_probability, REAL),
    FIELD(XTC_THRESHOLD, "xtc-threshold", xtc_threshold, REAL),
    FIELD(REPEAT_PENALTY, "repeat-penalty", repeat_penalty, REAL),
    FIELD(FREQUENCY_PENALTY, "frequency-penalty", frequency_penalty, REAL),
    FIELD(PRESENCE_PENALTY, "presence-penalty", presence_penalty, REAL),
    FIELD(PENALTY_LAST_N, "penalty-last-n", penalty_last_n, WHOLE),
    FIELD(DRY_MULTIPLIER, "dry-multiplier", dry_multiplier, REAL),
    FIELD(MIROSTAT, "mirostat", mirostat, WHOLE),
#undef FIELD
};

static int field_set(const Args *args, size_t i, weir_sampler_opts *opts)
{
    const char *text = args->sampling[i];
    char *end, *at = (char *)opts + fields[i].at;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return usage_error(args, "found --%s '%s', expected a number",
                           fields[i].name, text);
    if (fields[i].type == FIELD_REAL) {
        float real = (float)value;
        memcpy(at, &real, sizeof real);
        return 0;
    }
    if (value != floor(value) || fabs(value) > INT32_MAX)
        return usage_error(args, "found --%s '%s', expected a whole number",
                           fields[i].name, text);
    int32_t whole = (int32_t)value;
    memcpy(at, &whole, sizeof whole);
    return 0;
}

int sampling_read(const Args *args, weir_sampler_opts *opts)
{
    *opts = (weir_sampler_opts){.size = sizeof *opts};
    weir_sampler_defaults(opts);
    for (size_t i = 0; i < SAMPLING_COUNT; i++)
        if (args->sampling[i] && field_set(args, i, opts)) return 2;
    if (args->seed > UINT32_MAX)
        return usage_error(args, "found --seed above 4,294,967,295");
    if (args->has_seed) opts->seed = (uint32_t)args->seed;
    opts->redraw = args->redraw;
    return 0;
}
