/* bench_report.h: what a row found out: series of times and single figures,
 * printed as a table for people or as JSON. Names are borrowed. */
#ifndef WEIR_BENCH_REPORT_H
#define WEIR_BENCH_REPORT_H

#include <stdio.h>

#include "bench/bench_stats.h"

enum { REPORT_SERIES = 128, REPORT_FIGURES = 64 };

/* At most so many microseconds, or multiples of the row's floor; 0: no target.
 * Index: StatsFigure. */
typedef struct StatsTargets {
    double us[STATS_FIGURES], copies[STATS_FIGURES];
} StatsTargets;

/* Without a name, the series is the row itself; with a group it stands below
 * it: {"group":{"name":{...}}}. Series of a group are added in a row. */
typedef struct ReportSeries {
    const char *group, *name; /* or NULL */
    Stats us;
    const StatsTargets *targets; /* or NULL */
} ReportSeries;

/* JSON key: name_unit; in the table the name with blanks, then the unit. */
typedef struct ReportFigure {
    const char *name, *unit;
    double value;
    double most; /* target: at most this; < 0: none */
} ReportFigure;

typedef struct Report {
    const char *row, *about;
    double copy_ns;  /* one memcpy of a mask row */
    double floor_ns; /* what targets are multiples of; 0: copy_ns */
    bool copy_in_us; /* JSON: told as memcpy_us */
    uint32_t nseries, nfigures;
    ReportSeries series[REPORT_SERIES];
    ReportFigure figures[REPORT_FIGURES];
} Report;

void report_series(Report *r, ReportSeries series);
void report_figure(Report *r, const char *name, const char *unit, double value);
void report_figure_most(Report *r, const char *name, const char *unit,
                        double value, double most);

void report_print_table(const Report *r, FILE *out);
/* "row":{...} */
void report_print_json(const Report *r, FILE *out);

#endif
