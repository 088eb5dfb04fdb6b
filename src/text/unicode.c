/* unicode.c: look-ups in the generated Unicode tables.
 *
 * In:    a code point, or a property name as written in \p{...}.
 * Out:   a category, a static list of ranges, a case folding, its orbit.
 * Method: categories by a three-level table; names by a linear search of some
 *        500 rows, once per escape of a pattern; case mappings as runs of
 *        equal distance, found by bisection; an orbit is the target of the
 *        mapping and every run's source of that target.
 * Holds: mappings are idempotent and orbits have at most four members (the
 *        generator refuses data where this is not so).
 * Cost:  category 3 reads; mapping 8 steps; orbit one pass over the runs
 *        (about 200), so sets are closed by visiting unicode_orbit_ranges.
 * Tests: unit/unicode_test.c; scripts/check-unicode-tables.mjs compares every
 *        code point with Node's regular expressions.
 */
#include "text/unicode.h"

#include "base/utf8.h"
#include "text/unicode_tables.h"

const char *unicode_version(void)
{
    return unicode_data_version;
}

UnicodeCategory unicode_category(uint32_t rune)
{
    if (rune > RUNE_MAX) return UNICODE_CN;
    size_t middle = unicode_category_top[rune >> 10] * 32u + (rune >> 5) % 32;
    size_t leaf = unicode_category_middle[middle] * 32u + rune % 32;
    return (UnicodeCategory)unicode_category_leaf[leaf];
}

/* ---- names ------------------------------------------------------------ */

/* The three tables of names, and what may stand before '=' for each. */
typedef struct NameTable {
    const UnicodeName *rows;
    const uint32_t *count;
    bool is_extended;
    bool is_alone; /* may be named without a prefix */
    const char *prefixes[2];
} NameTable;

static const NameTable name_tables[] = {
    {unicode_category_names,
     &unicode_category_name_count,
     false,
     true,
     {"gc", "General_Category"}},
    {unicode_script_names,
     &unicode_script_name_count,
     false,
     true,
     {"sc", "Script"}},
    {unicode_script_names,
     &unicode_script_name_count,
     true,
     false,
     {"scx", "Script_Extensions"}},
    {unicode_binary_names,
     &unicode_binary_name_count,
     false,
     true,
     {NULL, NULL}},
};

static uint8_t ascii_lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static bool is_ignored(uint8_t c)
{
    return c == '_' || c == '-' || c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next byte that counts, in lower case; 0 at the end. */
static uint8_t loose_next(Span text, size_t *pos)
{
    while (*pos < text.size && is_ignored(text.at[*pos])) ++*pos;
    return *pos < text.size ? ascii_lower(text.at[(*pos)++]) : 0;
}

static bool loose_equal(Span a, Span b)
{
    size_t i = 0, j = 0;
    for (;;) {
        uint8_t c = loose_next(a, &i), d = loose_next(b, &j);
        if (c != d) return false;
        if (!c) return i == a.size && j == b.size;
    }
}

typedef bool (*NameEqual)(Span a, Span b);

static const UnicodeName *name_find(const NameTable *table, Span name,
                                    NameEqual equal)
{
    for (uint32_t i = 0; i < *table->count; i++)
        if (equal(name, span_text(table->rows[i].name))) return &table->rows[i];
    return NULL;
}

static bool name_has_prefix(const NameTable *table, Span prefix,
                            NameEqual equal)
{
    for (size_t i = 0; i < COUNT_OF(table->prefixes); i++)
        if (table->prefixes[i] && equal(prefix, span_text(table->prefixes[i])))
            return true;
    return false;
}

static bool property_find(Span name, NameEqual equal, const RuneRange **ranges,
                          uint32_t *count)
{
    const uint8_t *sign = name.size ? memchr(name.at, '=', name.size) : NULL;
    size_t before = sign ? (size_t)(sign - name.at) : 0;
    Span prefix = span_of(name.at, before);
    Span value = sign ? span_of(sign + 1, name.size - before - 1) : name;
    for (size_t i = 0; i < COUNT_OF(name_tables); i++) {
        const NameTable *table = &name_tables[i];
        if (sign ? !name_has_prefix(table, prefix, equal) : !table->is_alone)
            continue;
        const UnicodeName *row = name_find(table, value, equal);
        if (!row) continue;
        uint16_t list = table->is_extended ? row->extended : row->list;
        *ranges = unicode_ranges + unicode_lists[list].first;
        *count = unicode_lists[list].count;
        return true;
    }
    return false;
}

bool unicode_property(Span name, const RuneRange **ranges, uint32_t *count)
{
    return property_find(name, span_equal, ranges, count);
}

bool unicode_property_loose(Span name, const RuneRange **ranges,
                            uint32_t *count)
{
    if (property_find(name, loose_equal, ranges, count)) return true;
    /* Perl and Rust also read isGreek. */
    if (name.size < 3 || ascii_lower(name.at[0]) != 'i' ||
        ascii_lower(name.at[1]) != 's')
        return false;
    return property_find(span_of(name.at + 2, name.size - 2), loose_equal,
                         ranges, count);
}

uint32_t unicode_first(const RuneRange *ranges, uint32_t count, uint32_t rune)
{
    uint32_t lo = 0, hi = count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ranges[mid].hi < rune)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool unicode_in(const RuneRange *ranges, uint32_t count, uint32_t rune)
{
    uint32_t i = unicode_first(ranges, count, rune);
    return i < count && ranges[i].lo <= rune;
}

/* ---- case ------------------------------------------------------------- */

typedef struct RunTable {
    const UnicodeRun *runs;
    uint32_t count;
} RunTable;

static bool run_has(const UnicodeRun *run, uint32_t rune)
{
    return run->lo <= rune && rune <= run->hi &&
           (rune - run->lo) % run->stride == 0;
}

static uint32_t run_target(const UnicodeRun *run, uint32_t rune)
{
    return (uint32_t)((int32_t)rune + run->delta);
}

static uint32_t case_map(RunTable table, uint32_t rune)
{
    uint32_t lo = 0, hi = table.count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (table.runs[mid].hi < rune)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == table.count || !run_has(&table.runs[lo], rune)) return rune;
    return run_target(&table.runs[lo], rune);
}

/* Inserts into a short ascending list. */
static void orbit_add(uint32_t *out, uint32_t *count, uint32_t rune)
{
    assert(*count < UNICODE_ORBIT_MAX);
    uint32_t i = (*count)++;
    for (; i > 0 && out[i - 1] > rune; i--) out[i] = out[i - 1];
    out[i] = rune;
}

static uint32_t case_orbit(RunTable table, uint32_t rune, uint32_t *out)
{
    uint32_t target = case_map(table, rune), count = 0;
    orbit_add(out, &count, target);
    for (uint32_t i = 0; i < table.count; i++) {
        const UnicodeRun *run = &table.runs[i];
        int64_t source = (int64_t)target - run->delta;
        if (source >= 0 && source <= RUNE_MAX && run_has(run, (uint32_t)source))
            orbit_add(out, &count, (uint32_t)source);
    }
    return count;
}

static uint32_t case_ranges(uint32_t list, const RuneRange **ranges)
{
    *ranges = unicode_ranges + unicode_lists[list].first;
    return unicode_lists[list].count;
}

static RunTable fold_table(void)
{
    return (RunTable){unicode_fold_runs, unicode_fold_run_count};
}

static RunTable upper_table(void)
{
    return (RunTable){unicode_upper_runs, unicode_upper_run_count};
}

uint32_t unicode_fold(uint32_t rune)
{
    return case_map(fold_table(), rune);
}

uint32_t unicode_orbit(uint32_t rune, uint32_t out[UNICODE_ORBIT_MAX])
{
    return case_orbit(fold_table(), rune, out);
}

uint32_t unicode_orbit_ranges(const RuneRange **ranges)
{
    return case_ranges(unicode_fold_list, ranges);
}

uint32_t unicode_upper(uint32_t rune)
{
    return case_map(upper_table(), rune);
}

uint32_t unicode_upper_orbit(uint32_t rune, uint32_t out[UNICODE_ORBIT_MAX])
{
    return case_orbit(upper_table(), rune, out);
}

uint32_t unicode_upper_ranges(const RuneRange **ranges)
{
    return case_ranges(unicode_upper_list, ranges);
}
