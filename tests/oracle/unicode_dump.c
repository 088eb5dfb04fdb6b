/* unicode_dump.c: prints what src/text/unicode.c says, for
 * scripts/check-unicode-tables.mjs to compare. One request a line on standard
 * input, one line of numbers as the answer:
 *
 *     property NAME   lo hi lo hi ..., or "unknown"
 *     category        the category number of every code point, as runs
 *                     "number end-of-run"
 *     fold, upper     "rune target" of every rune that is mapped
 *     orbits, upper_orbits   "rune target count members" of the orbit ranges
 */
#include <stdio.h>

#include "base/utf8.h"
#include "text/unicode.h"

static void dump_property(const char *name)
{
    const RuneRange *ranges;
    uint32_t count;
    if (!unicode_property(span_text(name), &ranges, &count)) {
        puts("unknown");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        printf("%u %u ", (unsigned)ranges[i].lo, (unsigned)ranges[i].hi);
    putchar('\n');
}

static void dump_categories(void)
{
    for (uint32_t r = 0; r <= RUNE_MAX; r++)
        if (r == RUNE_MAX || unicode_category(r) != unicode_category(r + 1))
            printf("%u %u ", (unsigned)unicode_category(r), (unsigned)r);
    putchar('\n');
}

static void dump_map(uint32_t (*map)(uint32_t))
{
    for (uint32_t r = 0; r <= RUNE_MAX; r++)
        if (map(r) != r) printf("%u %u ", (unsigned)r, (unsigned)map(r));
    putchar('\n');
}

static void dump_orbits(uint32_t (*list)(const RuneRange **),
                        uint32_t (*orbit)(uint32_t, uint32_t *))
{
    const RuneRange *ranges;
    uint32_t count = list(&ranges), out[UNICODE_ORBIT_MAX];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t r = ranges[i].lo; r <= ranges[i].hi; r++) {
            uint32_t n = orbit(r, out);
            printf("%u %u ", (unsigned)r, (unsigned)n);
            for (uint32_t j = 0; j < n; j++) printf("%u ", (unsigned)out[j]);
        }
    putchar('\n');
}

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "property ", 9)) dump_property(line + 9);
        if (!strcmp(line, "category")) dump_categories();
        if (!strcmp(line, "fold")) dump_map(unicode_fold);
        if (!strcmp(line, "upper")) dump_map(unicode_upper);
        if (!strcmp(line, "orbits"))
            dump_orbits(unicode_orbit_ranges, unicode_orbit);
        if (!strcmp(line, "upper_orbits"))
            dump_orbits(unicode_upper_ranges, unicode_upper_orbit);
    }
    return 0;
}
