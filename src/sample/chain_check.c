/* chain_check.c: which options a chain takes: a table of ranges.
 * Tests: unit/sampler_test.c.
 */
#include "base/diag.h"
#include "sample/chain.h"

#include <float.h>
#include <math.h>

typedef struct FloatRow {
    const char *name;
    size_t at;
    float least, most;
} FloatRow;

typedef struct IntRow {
    const char *name;
    size_t at;
    int64_t least, most;
} IntRow;

#define AT(field) offsetof(weir_sampler_opts, field)
#define FLOAT(field, least, most)      \
    {                                  \
#field, AT(field), least, most \
    }
#define BIG FLT_MAX
static const FloatRow floats[] = {
    FLOAT(temperature, -BIG, BIG),
    FLOAT(dynamic_range, 0, BIG),
    FLOAT(dynamic_exponent, -BIG, BIG),
    FLOAT(top_p, 0, BIG),
    FLOAT(min_p, 0, 1),
    FLOAT(typical_p, 0, BIG),
    FLOAT(top_n_sigma, -BIG, BIG),
    FLOAT(xtc_probability, 0, 1),
    FLOAT(xtc_threshold, 0, BIG),
    FLOAT(repeat_penalty, 1e-30f, BIG),
    FLOAT(frequency_penalty, -BIG, BIG),
    FLOAT(presence_penalty, -BIG, BIG),
    FLOAT(dry_multiplier, 0, BIG),
    FLOAT(dry_base, -BIG, BIG),
    FLOAT(mirostat_tau, 0, BIG),
    FLOAT(mirostat_eta, 0, BIG),
    FLOAT(adaptive_target, -BIG, 1),
    FLOAT(adaptive_decay, 0, 0.99f),
};
#undef FLOAT
static const IntRow ints[] = {
    {"penalty_last_n", AT(penalty_last_n), -1, INT32_MAX},
    {"dry_last_n", AT(dry_last_n), -1, INT32_MAX},
    {"dry_allowed_length", AT(dry_allowed_length), 0, INT32_MAX},
    {"mirostat", AT(mirostat), 0, 2},
};
#undef AT

static bool check_numbers(const weir_sampler_opts *o, weir_error *err)
{
    const char *base = (const char *)o;
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        float value;
        memcpy(&value, base + floats[i].at, sizeof value);
        if (value >= floats[i].least && value <= floats[i].most) continue;
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %s %g, expected %g to %g", floats[i].name,
                         (double)value, (double)floats[i].least,
                         (double)floats[i].most);
    }
    for (size_t i = 0; i < COUNT_OF(ints); i++) {
        int32_t value;
        memcpy(&value, base + ints[i].at, sizeof value);
        if (value >= ints[i].least && value <= ints[i].most) continue;
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found %s %d, expected %d to %d", ints[i].name, value,
                         (int)ints[i].least, (int)ints[i].most);
    }
    return true;
}

static bool check_lists(const weir_sampler_opts *o, weir_error *err)
{
    unsigned seen = 0;
    for (size_t i = 0; i < o->bias_count; i++)
        if (isnan(o->bias[i].bias) || o->bias[i].id >= HISTORY_MAX_IDS)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found bias %g of id %u, expected a number, and "
                             "an id below %u",
                             (double)o->bias[i].bias, o->bias[i].id,
                             HISTORY_MAX_IDS);
    for (size_t i = 0; i < o->order_count; i++) {
        unsigned kind = o->order[i];
        if (kind < 1 || kind > WEIR_SAMPLER_KINDS)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found sampler %u in order, expected 1 to %d",
                             kind, WEIR_SAMPLER_KINDS);
        if (seen >> kind & 1)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found sampler %u twice in order", kind);
        seen |= 1u << kind;
    }
    return true;
}

bool chain_check(const weir_sampler_opts *o, weir_error *err)
{
    return check_numbers(o, err) && check_lists(o, err);
}
