/* settings_numbers.c: the fields that are one value, as a table.
 *
 * A row says which endpoints have the field, what it is, its bounds, and the
 * narrower ones of OpenAI and Anthropic, which profiles of other systems do
 * not have. Two names of one setting may not contradict each other.
 * Tests: unit/settings_test.c.
 */
#include "request/settings.h"

#include <math.h>

enum {
    ON_MOST = ON_LLAMA | ON_OLLAMA,
    ON_ALL = ON_MOST | ON_MESSAGES | ON_GENERATE
};

typedef enum ValueKind {
    VALUE_FLOAT,
    VALUE_INT,
    VALUE_LENGTH, /* of the output; negative: no limit */
    VALUE_SEED,   /* -1: random; of 64 bits both halves count */
    VALUE_FLAG,
    VALUE_UNLESS /* a flag that means the opposite */
} ValueKind;

typedef struct NumberRow {
    const char *name;
    unsigned endpoints;
    ValueKind kind;
    size_t at; /* in weir_settings_info */
    double least, most;
    double narrow_least, narrow_most; /* both 0: none */
    bool at_root;                     /* not in options or sampling_params */
} NumberRow;

#define SAMPLER(field) offsetof(weir_settings_info, sampler.field)
#define DECODE(field) offsetof(weir_settings_info, decode.field)
#define INFO(field) offsetof(weir_settings_info, field)
#define INT_BOUNDS -1, INT32_MAX
#define LENGTH_BOUNDS -2, INT32_MAX
#define FLAG 0, 1
static const NumberRow rows[] = {
    {"temperature", ON_V1, VALUE_FLOAT, SAMPLER(temperature), 0, 100, 0, 2, 0},
    {"temperature", ON_MESSAGES, VALUE_FLOAT, SAMPLER(temperature), 0, 100, 0,
     1, 0},
    {"temperature", ON_COMPLETION | ON_GENERATE | ON_OLLAMA, VALUE_FLOAT,
     SAMPLER(temperature), -1, 100, 0, 0, 0},
    {"dynatemp_range", ON_LLAMA, VALUE_FLOAT, SAMPLER(dynamic_range), 0, 100, 0,
     0, 0},
    {"dynatemp_exponent", ON_LLAMA, VALUE_FLOAT, SAMPLER(dynamic_exponent),
     -100, 100, 0, 0, 0},
    {"top_k", ON_ALL, VALUE_INT, SAMPLER(top_k), INT_BOUNDS, 0, 0, 0},
    {"top_p", ON_ALL, VALUE_FLOAT, SAMPLER(top_p), 0, 1, 0, 0, 0},
    {"min_p", ON_MOST | ON_GENERATE, VALUE_FLOAT, SAMPLER(min_p), 0, 1, 0, 0,
     0},
    {"typical_p", ON_MOST, VALUE_FLOAT, SAMPLER(typical_p), 0, 1, 0, 0, 0},
    {"top_n_sigma", ON_LLAMA, VALUE_FLOAT, SAMPLER(top_n_sigma), -1, 100, 0, 0,
     0},
    {"xtc_probability", ON_LLAMA, VALUE_FLOAT, SAMPLER(xtc_probability), 0, 1,
     0, 0, 0},
    {"xtc_threshold", ON_LLAMA, VALUE_FLOAT, SAMPLER(xtc_threshold), 0, 1, 0, 0,
     0},
    {"min_keep", ON_LLAMA, VALUE_INT, SAMPLER(min_keep), 0, INT32_MAX, 0, 0, 0},
    {"repeat_last_n", ON_MOST, VALUE_INT, SAMPLER(penalty_last_n), INT_BOUNDS,
     0, 0, 0},
    {"repeat_penalty", ON_MOST, VALUE_FLOAT, SAMPLER(repeat_penalty), 0.01, 100,
     0, 0, 0},
    {"repetition_penalty", ON_V1 | ON_GENERATE, VALUE_FLOAT,
     SAMPLER(repeat_penalty), 0.01, 100, 0, 0, 0},
    {"frequency_penalty", ON_MOST | ON_GENERATE, VALUE_FLOAT,
     SAMPLER(frequency_penalty), -100, 100, -2, 2, 0},
    {"presence_penalty", ON_MOST | ON_GENERATE, VALUE_FLOAT,
     SAMPLER(presence_penalty), -100, 100, -2, 2, 0},
    {"dry_multiplier", ON_LLAMA, VALUE_FLOAT, SAMPLER(dry_multiplier), 0, 100,
     0, 0, 0},
    {"dry_base", ON_LLAMA, VALUE_FLOAT, SAMPLER(dry_base), 0, 100, 0, 0, 0},
    {"dry_allowed_length", ON_LLAMA, VALUE_INT, SAMPLER(dry_allowed_length), 0,
     INT32_MAX, 0, 0, 0},
    {"dry_penalty_last_n", ON_LLAMA, VALUE_INT, SAMPLER(dry_last_n), INT_BOUNDS,
     0, 0, 0},
    {"mirostat", ON_MOST, VALUE_INT, SAMPLER(mirostat), 0, 2, 0, 0, 0},
    {"mirostat_tau", ON_MOST, VALUE_FLOAT, SAMPLER(mirostat_tau), 0, 100, 0, 0,
     0},
    {"mirostat_eta", ON_MOST, VALUE_FLOAT, SAMPLER(mirostat_eta), 0, 100, 0, 0,
     0},
    {"adaptive_target", ON_LLAMA, VALUE_FLOAT, SAMPLER(adaptive_target), -1, 1,
     0, 0, 0},
    {"adaptive_decay", ON_LLAMA, VALUE_FLOAT, SAMPLER(adaptive_decay), 0, 0.99,
     0, 0, 0},
    {"seed", ON_MOST, VALUE_SEED, SAMPLER(seed), -0x1p63, 0x1p63, 0, 0, 0},
    {"sampling_seed", ON_GENERATE, VALUE_SEED, SAMPLER(seed), -0x1p63, 0x1p63,
     0, 0, 0},
    {"max_tokens", ON_V1 | ON_MESSAGES, VALUE_LENGTH, DECODE(max_tokens),
     LENGTH_BOUNDS, 1, INT32_MAX, 0},
    {"max_completion_tokens", ON_CHAT, VALUE_LENGTH, DECODE(max_tokens),
     LENGTH_BOUNDS, 1, INT32_MAX, 0},
    {"max_output_tokens", ON_RESPONSES, VALUE_LENGTH, DECODE(max_tokens),
     LENGTH_BOUNDS, 1, INT32_MAX, 0},
    {"n_predict", ON_LLAMA, VALUE_LENGTH, DECODE(max_tokens), LENGTH_BOUNDS, 0,
     0, 0},
    {"max_new_tokens", ON_GENERATE, VALUE_LENGTH, DECODE(max_tokens),
     LENGTH_BOUNDS, 0, 0, 0},
    {"num_predict", ON_OLLAMA, VALUE_LENGTH, DECODE(max_tokens), LENGTH_BOUNDS,
     0, 0, 0},
    {"min_tokens", ON_V1, VALUE_INT, DECODE(min_tokens), 0, INT32_MAX, 0, 0, 0},
    {"min_new_tokens", ON_GENERATE, VALUE_INT, DECODE(min_tokens), 0, INT32_MAX,
     0, 0, 0},
    {"ignore_eos", ON_LLAMA | ON_GENERATE, VALUE_FLAG,
     DECODE(ignore_stop_tokens), FLAG, 0, 0, 0},
    {"include_stop_str_in_output", ON_V1, VALUE_FLAG, DECODE(keep_stop), FLAG,
     0, 0, 0},
    {"no_stop_trim", ON_GENERATE, VALUE_FLAG, DECODE(keep_stop), FLAG, 0, 0, 0},
    {"skip_special_tokens", ON_V1 | ON_GENERATE, VALUE_UNLESS,
     DECODE(with_special), FLAG, 0, 0, 0},
    {"n", ON_CHAT | ON_COMPLETIONS | ON_GENERATE, VALUE_INT, INFO(choices), 1,
     128, 0, 0, 0},
    {"logprobs", ON_CHAT | ON_OLLAMA, VALUE_FLAG, INFO(logprobs), FLAG, 0, 0,
     true},
    {"logprobs", ON_COMPLETIONS, VALUE_INT, INFO(top_logprobs), 0, 20, 0, 5,
     true},
    {"top_logprobs", ON_CHAT | ON_RESPONSES | ON_OLLAMA, VALUE_INT,
     INFO(top_logprobs), 0, 20, 0, 0, true},
    {"n_probs", ON_LLAMA, VALUE_INT, INFO(top_logprobs), 0, INT32_MAX, 0, 0, 0},
    {"post_sampling_probs", ON_LLAMA, VALUE_FLAG, INFO(after_chain), FLAG, 0, 0,
     0},
    {"return_logprob", ON_GENERATE, VALUE_FLAG, INFO(logprobs), FLAG, 0, 0,
     true},
    {"top_logprobs_num", ON_GENERATE, VALUE_INT, INFO(top_logprobs), 0, 20, 0,
     0, true},
};

/* ---- one field ---- */

typedef struct Found {
    const NumberRow *row;
    JsonId at;
    char pointer[POINTER_ROOM];
} Found;

static bool refuse_bounds(SettingsReader *s, const Found *f, double least,
                          double most)
{
    Span spelling = json_spelling(&s->r.json, f->at);
    return refuse(&s->r, f->at, f->pointer, "invalid_value",
                  "found %.*s, expected %.15g to %.15g",
                  (int)MIN(spelling.size, 24), (const char *)spelling.at, least,
                  most);
}

/* The value within the bounds of the row. */
static bool number_of(SettingsReader *s, const Found *f, double *value)
{
    const NumberRow *row = f->row;
    bool is_narrow = !s->r.profile->takes_odd_numbers &&
                     (row->narrow_least < 0 || row->narrow_most > 0);
    double least = is_narrow ? row->narrow_least : row->least;
    double most = is_narrow ? row->narrow_most : row->most;
    bool is_float = row->kind == VALUE_FLOAT;
    if (!json_double(&s->r.json, f->at, value))
        return refuse_kind(&s->r, f->at, f->pointer,
                           is_float ? "a number" : "a whole number");
    if (!is_float && *value != floor(*value))
        return refuse(&s->r, f->at, f->pointer, "invalid_type",
                      "found a fraction, expected a whole number");
    return (*value >= least && *value <= most) ||
           refuse_bounds(s, f, least, most);
}

/* 64 bits to 32, so that small seeds stay what they are. A double has not all
 * bits of a large one: they are read from its spelling. */
static uint32_t seed_of(SettingsReader *s, const Found *f, double value)
{
    uint64_t bits = 0;
    if (value < 0) bits = (uint64_t)(int64_t)value;
    if (value < 0 && value >= -1) return WEIR_SEED_RANDOM;
    if (value >= 0 && !json_u64(&s->r.json, f->at, &bits))
        bits = (uint64_t)value;
    return (uint32_t)(bits ^ bits >> 32);
}

static bool read_number(SettingsReader *s, const Found *f)
{
    void *at = (char *)&s->s->info + f->row->at;
    double value;
    if (!number_of(s, f, &value)) return false;
    if (f->row->kind == VALUE_FLOAT) {
        *(float *)at = (float)value;
    } else if (f->row->kind == VALUE_SEED) {
        *(uint32_t *)at = seed_of(s, f, value);
    } else if (f->row->kind == VALUE_LENGTH) {
        if (value == 0) return refuse_bounds(s, f, 1, f->row->most);
        *(uint32_t *)at = value < 0 ? 0 : (uint32_t)value;
    } else {
        *(int32_t *)at = (int32_t)value;
    }
    return true;
}

static bool read_flag_row(SettingsReader *s, const Found *f)
{
    JsonKind kind = json_kind(&s->r.json, f->at);
    bool *at = (bool *)((char *)&s->s->info + f->row->at);
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return refuse_kind(&s->r, f->at, f->pointer, "true or false");
    *at = (kind == JSON_TRUE) != (f->row->kind == VALUE_UNLESS);
    return true;
}

/* A field that was read before as the same setting must have said the same. */
static bool check_twice(SettingsReader *s, const Found *before, size_t count,
                        const Found *f)
{
    const Json *json = &s->r.json;
    for (size_t i = 0; i < count; i++) {
        double a, b;
        if (before[i].row->at != f->row->at) continue;
        if (json_double(json, before[i].at, &a) &&
            json_double(json, f->at, &b) && a == b)
            continue;
        if (span_equal(json_spelling(json, before[i].at),
                       json_spelling(json, f->at)))
            continue;
        return refuse(&s->r, f->at, f->pointer, "conflicting_parameters",
                      "found another value than in %s", before[i].row->name);
    }
    return true;
}

/* Whether the field is there; then where. */
static bool find(SettingsReader *s, const NumberRow *row, Found *f)
{
    JsonId object = row->at_root ? JSON_ROOT : s->object;
    if (!(row->endpoints & 1u << s->r.endpoint)) return false;
    f->row = row;
    f->at = json_get(&s->r.json, object, row->name);
    if (json_absent(&s->r.json, f->at)) return false;
    pointer_join(f->pointer, row->at_root ? "" : s->pointer, row->name);
    return true;
}

/* No more tokens may be asked for than may come. */
static bool check_lengths(SettingsReader *s, const Found *found, size_t count)
{
    const weir_decode_opts *d = &s->s->info.decode;
    if (!d->max_tokens || d->min_tokens <= d->max_tokens) return true;
    for (size_t i = 0; i < count; i++)
        if (found[i].row->at == DECODE(min_tokens))
            return refuse(&s->r, found[i].at, found[i].pointer, "invalid_value",
                          "found %u, expected at most %u, the most tokens",
                          d->min_tokens, d->max_tokens);
    return true;
}

bool settings_numbers(SettingsReader *s)
{
    Found found[COUNT_OF(rows)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Found *f = &found[count];
        if (!find(s, &rows[i], f)) continue;
        bool is_flag = f->row->kind >= VALUE_FLAG;
        if (!(is_flag ? read_flag_row(s, f) : read_number(s, f))) return false;
        if (!check_twice(s, found, count, f)) return false;
        count++;
        /* of completions: a number, and 0 asks for the drawn tokens' own */
        if (f->row->at == INFO(top_logprobs) && f->row->at_root &&
            s->r.endpoint == WEIR_ENDPOINT_COMPLETIONS)
            s->s->info.logprobs = true;
    }
    return check_lengths(s, found, count);
}
