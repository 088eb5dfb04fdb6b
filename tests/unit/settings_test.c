/* settings_test.c: how requests want their answers drawn: each line of
 * tests/cases/settings.txt through the raw text; every settings object makes a
 * sampler and a decoder. And failing allocations.
 */
#include "unit/decoder_kit.h"
#include "unit/faulty_mem.h"

#define CASES "tests/cases/settings.txt"

/* ---- fields by name ---- */

typedef enum FieldKind {
    FIELD_FLOAT,
    FIELD_INT,
    FIELD_UINT,
    FIELD_BOOL,
    FIELD_SIZE
} FieldKind;
typedef struct Field {
    const char *name;
    FieldKind kind;
    size_t at;
} Field;
#define AT(field) offsetof(weir_settings_info, field)
#define S(name, kind)                 \
    {                                 \
#name, kind, AT(sampler.name) \
    }
static const Field fields[] = {
    S(seed, FIELD_UINT),
    S(temperature, FIELD_FLOAT),
    S(dynamic_range, FIELD_FLOAT),
    S(dynamic_exponent, FIELD_FLOAT),
    S(top_k, FIELD_INT),
    S(top_p, FIELD_FLOAT),
    S(min_p, FIELD_FLOAT),
    S(typical_p, FIELD_FLOAT),
    S(top_n_sigma, FIELD_FLOAT),
    S(xtc_probability, FIELD_FLOAT),
    S(xtc_threshold, FIELD_FLOAT),
    S(min_keep, FIELD_UINT),
    S(penalty_last_n, FIELD_INT),
    S(repeat_penalty, FIELD_FLOAT),
    S(frequency_penalty, FIELD_FLOAT),
    S(presence_penalty, FIELD_FLOAT),
    S(dry_multiplier, FIELD_FLOAT),
    S(dry_base, FIELD_FLOAT),
    S(dry_allowed_length, FIELD_INT),
    S(dry_last_n, FIELD_INT),
    {"breakers", FIELD_SIZE, AT(sampler.dry_breaker_count)},
    S(mirostat, FIELD_UINT),
    S(mirostat_tau, FIELD_FLOAT),
    S(mirostat_eta, FIELD_FLOAT),
    S(adaptive_target, FIELD_FLOAT),
    S(adaptive_decay, FIELD_FLOAT),
    {"biases", FIELD_SIZE, AT(sampler.bias_count)},
    S(redraw, FIELD_BOOL),
    {"max_tokens", FIELD_UINT, AT(decode.max_tokens)},
    {"min_tokens", FIELD_UINT, AT(decode.min_tokens)},
    {"noted", FIELD_UINT, AT(decode.logprobs)}, /* a weir_logprob_list */
    {"noted_top", FIELD_UINT, AT(decode.top_logprobs)},
    {"stops", FIELD_SIZE, AT(decode.stop_count)},
    {"keep_stop", FIELD_BOOL, AT(decode.keep_stop)},
    {"ignore_stop_tokens", FIELD_BOOL, AT(decode.ignore_stop_tokens)},
    {"with_special", FIELD_BOOL, AT(decode.with_special)},
    {"choices", FIELD_UINT, AT(choices)},
    {"logprobs", FIELD_BOOL, AT(logprobs)},
    {"after_chain", FIELD_BOOL, AT(after_chain)},
    {"top_logprobs", FIELD_UINT, AT(top_logprobs)},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void print_field(const weir_settings_info *info, const Field *f,
                        char *out, size_t size)
{
    const char *at = (const char *)info + f->at;
    switch (f->kind) {
    case FIELD_FLOAT:
        snprintf(out, size, "%.7g", (double)*(const float *)at);
        break;
    case FIELD_INT:
        snprintf(out, size, "%d", *(const int32_t *)at);
        break;
    case FIELD_UINT:
        snprintf(out, size, "%u", *(const uint32_t *)at);
        break;
    case FIELD_BOOL:
        snprintf(out, size, "%d", *(const bool *)at);
        break;
    case FIELD_SIZE:
        snprintf(out, size, "%zu", *(const size_t *)at);
        break;
    }
}

/* Lists: the last stop text, biases, the order's numbers in one. */
static bool print_list(const weir_settings_info *info, const char *name,
                       char *out, size_t size)
{
    const weir_sampler_opts *s = &info->sampler;
    const weir_decode_opts *d = &info->decode;
    int n = 0;
    out[0] = 0;
    if (!strcmp(name, "stop") && d->stop_count)
        snprintf(out, size, "%.*s", (int)d->stops[d->stop_count - 1].size,
                 d->stops[d->stop_count - 1].data);
    else if (!strcmp(name, "bias"))
        for (size_t i = 0; i < s->bias_count; i++)
            n += snprintf(out + n, size - (size_t)n, "%s%u:%g", i ? "," : "",
                          s->bias[i].id, (double)s->bias[i].bias);
    else if (!strcmp(name, "order"))
        for (size_t i = 0; i < s->order_count; i++)
            n += snprintf(out + n, size - (size_t)n, "%u", s->order[i]);
    else
        return false;
    return true;
}

/* ---- cases ---- */

static weir_request_opts read_opts(const char *profile, const char *endpoint)
{
    weir_request_opts o = {.size = sizeof o, .profile = (weir_profile)99};
    for (int i = 0; weir_profile_name((weir_profile)i); i++)
        if (!strcmp(profile, weir_profile_name((weir_profile)i)))
            o.profile = (weir_profile)i;
    for (int i = 0; weir_endpoint_name((weir_endpoint)i); i++)
        if (!strcmp(endpoint, weir_endpoint_name((weir_endpoint)i)))
            o.endpoint = (weir_endpoint)i;
    return o;
}

/* What can be asked for can be done. */
static void check_usable(const weir_settings_info *info)
{
    weir_error err = {.status = WEIR_OK};
    weir_sampler *s = weir_sampler_new(NULL, kit_vocab, &info->sampler, &err);
    if (!s) fail_msg("%s", err.message);
    weir_decoder_free(kit_decoder(s, NULL, &info->decode));
    weir_sampler_free(s);
}

/* False: no field has the name. */
static bool print_any(const weir_settings_info *info, const char *name,
                      char *out, size_t size)
{
    for (size_t i = 0; i < FIELDS; i++) {
        if (strcmp(name, fields[i].name) != 0) continue;
        print_field(info, &fields[i], out, size);
        return true;
    }
    return print_list(info, name, out, size);
}

static void check_field(const weir_settings_info *info, const char *line)
{
    char name[64], found[128] = "", want[128] = "";
    sscanf(line, "= %63s %127[^\n]", name, want);
    if (!print_any(info, name, found, sizeof found))
        fail_msg("no field is called %s", name);
    if (strcmp(found, want) != 0)
        fail_msg("%s: found %s, expected %s", name, found, want);
}

static void check_refusal(const weir_refusal *f, const char *line)
{
    char code[64], pointer[128], message[256] = "", body[8192];
    sscanf(line, "! %63s %127s %255[^\n]", code, pointer, message);
    if (!strcmp(pointer, "-")) pointer[0] = 0;
    assert_int_equal(f->http, 400);
    assert_string_equal(f->code, code);
    assert_string_equal(f->pointer, pointer);
    if (!strstr(f->message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, f->message);
    assert_true(weir_refusal_body(f, body, sizeof body) < sizeof body);
}

static void check_case(const char *request, const char *first, FILE *file,
                       char *line, int size)
{
    char profile[32], endpoint[32];
    int at = 0;
    weir_refusal f;
    weir_settings_info info = {.size = sizeof info};
    sscanf(request, "%31s %31s %n", profile, endpoint, &at);
    weir_request_opts opts = read_opts(profile, endpoint);
    weir_bytes text = {request + at, strlen(request) - (size_t)at - 1};
    weir_settings *s =
        weir_settings_from_request(NULL, kit_vocab, text, &opts, &f);
    if (*first == '!') {
        if (s) fail_msg("taken: %s", request);
        check_refusal(&f, first);
        assert_non_null(fgets(line, size, file));
        return;
    }
    if (!s) fail_msg("%s%s", request, f.message);
    weir_settings_describe(s, &info);
    check_usable(&info);
    do check_field(&info, line);
    while (fgets(line, size, file) && *line == '=');
    weir_settings_free(s);
}

static void cases(void **state)
{
    (void)state;
    static char line[4096], request[4096];
    FILE *file = fopen(CASES, "r");
    int count = 0;
    assert_non_null(file);
    bool more = fgets(line, sizeof line, file);
    while (more && !feof(file)) {
        if (*line == '#' || *line == '\n') {
            more = fgets(line, sizeof line, file);
            continue;
        }
        memcpy(request, line, sizeof line);
        assert_non_null(fgets(line, sizeof line, file));
        check_case(request, line, file, line, sizeof line);
        count++;
    }
    fclose(file);
    assert_true(count > 90);
}

/* Without a vocabulary ids are bounded, and texts have no tokens. */
static void no_vocabulary(void **state)
{
    (void)state;
    weir_refusal f;
    weir_settings *s = weir_settings_from_request(
        NULL, NULL, kit_bytes("{\"logit_bias\":{\"200000\":1}}"), NULL, &f);
    assert_non_null(s);
    weir_settings_free(s);
    assert_null(weir_settings_from_request(
        NULL, NULL, kit_bytes("{\"logit_bias\":{\"ab\":1}}"), NULL, &f));
    assert_string_equal(f.pointer, "/logit_bias");
    assert_null(weir_settings_from_request(
        NULL, NULL, kit_bytes("{\"logit_bias\":{\"4194304\":1}}"), NULL, &f));
    weir_request_opts o = {.size = sizeof o, .profile = (weir_profile)9};
    assert_null(
        weir_settings_from_request(NULL, NULL, kit_bytes("{}"), &o, &f));
    assert_int_equal(f.http, 500);
    weir_settings_free(NULL);
}

static bool work(const Mem *mem, weir_error *err)
{
    weir_env env = {sizeof env, mem->allocate, mem->resize, mem->release,
                    mem->user};
    weir_refusal f;
    weir_settings *s = weir_settings_from_request(
        &env, NULL,
        kit_bytes("{\"stop\":[\"a\",\"b\\n\"],\"logit_bias\":[[1,2]],"
                  "\"samplers\":[\"dry\"],\"dry_sequence_breakers\":[\"x\"]}"),
        NULL, &f);
    if (!s) {
        assert_int_equal(f.http, 503);
        err->status = f.status;
    }
    weir_settings_free(s);
    return s;
}

static void memory_out(void **state)
{
    (void)state;
    faulty_sweep(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases),
        cmocka_unit_test(no_vocabulary),
        cmocka_unit_test(memory_out),
    };
    return cmocka_run_group_tests(tests, kit_set_up, kit_tear_down);
}
