/* unicode_tables.h: the form of the generated tables; only for unicode.c. */
#ifndef WEIR_TEXT_UNICODE_TABLES_H
#define WEIR_TEXT_UNICODE_TABLES_H

#include "text/unicode.h"

/* A list is a slice of unicode_ranges; equal lists are one. */
typedef struct UnicodeList {
    uint16_t first, count;
} UnicodeList;

/* One spelling of a name, sorted by it. `extended` differs from `list` only
 * for scripts: their Script_Extensions. */
typedef struct UnicodeName {
    char name[30];
    uint16_t list, extended;
} UnicodeName;

/* lo, lo + stride, ..., hi are mapped to themselves + delta. Runs ascend and
 * do not overlap. */
typedef struct UnicodeRun {
    uint32_t lo, hi;
    int32_t delta;
    uint32_t stride; /* 1 or 2 */
} UnicodeRun;

extern const char unicode_data_version[];
extern const RuneRange unicode_ranges[];
extern const UnicodeList unicode_lists[];

extern const UnicodeName unicode_category_names[];
extern const uint32_t unicode_category_name_count;
extern const UnicodeName unicode_script_names[];
extern const uint32_t unicode_script_name_count;
extern const UnicodeName unicode_binary_names[];
extern const uint32_t unicode_binary_name_count;

/* category of r = leaf[middle[top[r / 1024] * 32 + r / 32 % 32] * 32 + r % 32],
 * an enum UnicodeCategory. */
extern const uint8_t unicode_category_top[];
extern const uint16_t unicode_category_middle[];
extern const uint8_t unicode_category_leaf[];

extern const UnicodeRun unicode_fold_runs[];
extern const uint32_t unicode_fold_run_count;
extern const UnicodeRun unicode_upper_runs[];
extern const uint32_t unicode_upper_run_count;
/* Lists of the code points with an orbit of more than one. */
extern const uint32_t unicode_fold_list, unicode_upper_list;

#endif
