/* answer_llama_settings.c: settings by llama-server's names, as a table.
 * Tests: server/answer_shapes_test.py.
 */
#include "server/answer_llama.h"

typedef enum SettingKind { SETS_FLOAT, SETS_INT, SETS_UINT } SettingKind;

typedef struct SettingRow {
    const char *name;
    SettingKind kind;
    size_t at; /* in weir_sampler_opts */
} SettingRow;

#define AT(field) offsetof(weir_sampler_opts, field)
static const SettingRow rows[] = {
    {"temperature", SETS_FLOAT, AT(temperature)},
    {"dynatemp_range", SETS_FLOAT, AT(dynamic_range)},
    {"dynatemp_exponent", SETS_FLOAT, AT(dynamic_exponent)},
    {"top_k", SETS_INT, AT(top_k)},
    {"top_p", SETS_FLOAT, AT(top_p)},
    {"min_p", SETS_FLOAT, AT(min_p)},
    {"top_n_sigma", SETS_FLOAT, AT(top_n_sigma)},
    {"xtc_probability", SETS_FLOAT, AT(xtc_probability)},
    {"xtc_threshold", SETS_FLOAT, AT(xtc_threshold)},
    {"typical_p", SETS_FLOAT, AT(typical_p)},
    {"repeat_last_n", SETS_INT, AT(penalty_last_n)},
    {"repeat_penalty", SETS_FLOAT, AT(repeat_penalty)},
    {"presence_penalty", SETS_FLOAT, AT(presence_penalty)},
    {"frequency_penalty", SETS_FLOAT, AT(frequency_penalty)},
    {"dry_multiplier", SETS_FLOAT, AT(dry_multiplier)},
    {"dry_base", SETS_FLOAT, AT(dry_base)},
    {"min_keep", SETS_UINT, AT(min_keep)},
};

static void put_numbers(const weir_sampler_opts *s, JsonPut *out)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const void *at = (const char *)s + rows[i].at;
        switch (rows[i].kind) {
        case SETS_FLOAT:
            put_number(out, rows[i].name, (double)*(const float *)at, 9);
            break;
        case SETS_INT:
            put_int(out, rows[i].name, *(const int32_t *)at);
            break;
        case SETS_UINT:
            put_uint(out, rows[i].name, *(const uint32_t *)at);
            break;
        }
    }
}

static void put_chain(const weir_sampler_opts *s, JsonPut *out)
{
    static const char *const names[WEIR_SAMPLER_KINDS + 1] = {
        NULL,    "penalties", "dry",   "top_n_sigma", "top_k",
        "typ_p", "top_p",     "min_p", "xtc",         "temperature"};
    put_array(out, "samplers");
    for (size_t i = 0; i < s->order_count; i++)
        put_text(out, NULL, names[s->order[i]]);
    for (int kind = 1; !s->order_count && kind <= WEIR_SAMPLER_KINDS; kind++)
        put_text(out, NULL, names[kind]);
    put_end(out, ']');
}

static void put_lists(const Answer *a, JsonPut *out)
{
    const weir_decode_opts *d = &a->settings.decode;
    const weir_sampler_opts *s = &a->settings.sampler;
    put_array(out, "stop");
    for (size_t i = 0; i < d->stop_count; i++)
        put_string(out, NULL, d->stops[i]);
    put_end(out, ']');
    put_array(out, "logit_bias");
    for (size_t i = 0; i < s->bias_count; i++) {
        put_object(out, NULL);
        put_number(out, "bias", (double)s->bias[i].bias, 9);
        put_uint(out, "token", s->bias[i].id);
        put_end(out, '}');
    }
    put_end(out, ']');
    put_chain(s, out);
}

void put_settings(const Answer *a, JsonPut *out)
{
    const weir_decode_opts *d = &a->settings.decode;
    int64_t length = d->max_tokens ? (int64_t)d->max_tokens : -1;
    put_object(out, "generation_settings");
    put_uint(out, "seed", a->opts.seed);
    put_numbers(&a->settings.sampler, out);
    put_lists(a, out);
    put_int(out, "max_tokens", length);
    put_int(out, "n_predict", length);
    put_uint(out, "n_ctx", a->opts.context_size);
    put_bool(out, "ignore_eos", d->ignore_stop_tokens);
    put_bool(out, "stream", a->fields.stream);
    put_uint(out, "n_probs",
             a->settings.logprobs ? a->settings.top_logprobs : 0);
    put_bool(out, "post_sampling_probs", a->settings.after_chain);
    put_string(out, "grammar",
               (weir_bytes){a->grammar.text.at, a->grammar.text.count});
    put_bool(out, "grammar_lazy", false);
    put_end(out, '}');
}
