/* bench_report.c: tables and JSON of what was measured.
 *
 * In the table a series is a line of figures, in milliseconds when they are
 * large; below it the same as multiples of the memcpy of a mask and, where
 * there are some, its targets with a mark at those that were missed.
 */
#include "bench/bench_report.h"

enum { LABEL = 18, COLUMN = 9 };

static const char *const headings[STATS_FIGURES] = {
    "avg", "p50", "p75", "p90", "p95", "p99", "p99.9", "max"};

void report_series(Report *r, ReportSeries series)
{
    assert(r->nseries < REPORT_SERIES);
    r->series[r->nseries++] = series;
}

void report_figure_most(Report *r, const char *name, const char *unit,
                        double value, double most)
{
    assert(r->nfigures < REPORT_FIGURES);
    r->figures[r->nfigures++] = (ReportFigure){name, unit, value, most};
}

void report_figure(Report *r, const char *name, const char *unit, double value)
{
    report_figure_most(r, name, unit, value, -1);
}

/* ---- table ---- */

/* Three digits that matter. */
static int digits_of(double value)
{
    return value < 10 ? 2 : value < 100 ? 1 : 0;
}

static void print_number(FILE *out, double value)
{
    fprintf(out, "%*.*f", COLUMN, digits_of(value), value);
}

static void print_line(FILE *out, const char *label, const double *at,
                       double factor)
{
    fprintf(out, "  %-*s", LABEL, label);
    for (int i = 0; i < STATS_FIGURES; i++) print_number(out, at[i] * factor);
    fputc('\n', out);
}

static double target_us(const Report *r, const StatsTargets *t, int figure)
{
    double floor_ns = r->floor_ns > 0 ? r->floor_ns : r->copy_ns;
    if (t->copies[figure] > 0) return t->copies[figure] * floor_ns * 1e-3;
    return t->us[figure];
}

static void print_targets(FILE *out, const Report *r, const ReportSeries *s,
                          double factor)
{
    const Stats *us = &s->us;
    fprintf(out, "  %-*s", LABEL, "  target, at most");
    for (int i = 0; i < STATS_FIGURES; i++) {
        double most = target_us(r, s->targets, i);
        char text[32] = "";
        if (most > 0)
            snprintf(text, sizeof text, "%s%.*f", us->at[i] > most ? "!" : "",
                     digits_of(most * factor), most * factor);
        fprintf(out, "%*s", COLUMN, text);
    }
    fputc('\n', out);
}

static void print_series(FILE *out, const Report *r, const ReportSeries *s)
{
    enum { LARGE_US = 10000 };
    bool is_large = s->us.at[STATS_P50] >= LARGE_US;
    char label[64];
    snprintf(label, sizeof label, "%s%s%s, %s", s->group ? s->group : "",
             s->group ? " " : "", s->name ? s->name : "time",
             is_large ? "ms" : "us");
    double factor = is_large ? 1e-3 : 1;
    print_line(out, label, s->us.at, factor);
    if (!is_large && r->copy_ns > 0)
        print_line(out, "  x memcpy", s->us.at, 1e3 / r->copy_ns);
    if (s->targets) print_targets(out, r, s, factor);
}

static void print_figure(FILE *out, const ReportFigure *f)
{
    char label[64];
    snprintf(label, sizeof label, "%s", f->name);
    for (char *c = label; *c; c++)
        if (*c == '_') *c = ' ';
    bool is_whole = f->value >= 1000 || f->value == (double)(long long)f->value;
    fprintf(out, "  %-*s%*.*f %s", 2 * LABEL, label, COLUMN + 4,
            is_whole ? 0 : digits_of(f->value), f->value, f->unit);
    if (f->most >= 0)
        fprintf(out, "   (target, at most: %s%.*f)",
                f->value > f->most ? "!" : "",
                f->most == (double)(long long)f->most ? 0 : 2, f->most);
    fputc('\n', out);
}

void report_print_table(const Report *r, FILE *out)
{
    fprintf(out, "%s: %s\n", r->row, r->about);
    if (r->nseries) {
        fprintf(out, "  %-*s", LABEL, "");
        for (int i = 0; i < STATS_FIGURES; i++)
            fprintf(out, "%*s", COLUMN, headings[i]);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < r->nseries; i++)
        print_series(out, r, &r->series[i]);
    for (uint32_t i = 0; i < r->nfigures; i++)
        print_figure(out, &r->figures[i]);
    if (r->copy_ns > 0)
        print_figure(out, &(ReportFigure){"memcpy_of_a_mask_in_this_run", "ns",
                                          r->copy_ns, -1});
    if (r->floor_ns > 0)
        print_figure(out, &(ReportFigure){"floor_of_the_targets", "ns",
                                          r->floor_ns, -1});
    fputc('\n', out);
}

/* ---- JSON ---- */

static void json_stats(const Stats *us, FILE *out)
{
    for (int i = 0; i < STATS_FIGURES; i++)
        fprintf(out, "%s\"%s\":%.4f", i ? "," : "", stats_keys[i], us->at[i]);
}

/* Series are in order of their groups, so that a group is opened once. */
static void json_series(const Report *r, FILE *out)
{
    for (uint32_t i = 0; i < r->nseries; i++) {
        const ReportSeries *s = &r->series[i];
        const char *before = i ? s[-1].group : NULL;
        const char *after = i + 1 < r->nseries ? s[1].group : NULL;
        if (s->group && s->group != before) fprintf(out, "\"%s\":{", s->group);
        if (s->name) fprintf(out, "\"%s\":{", s->name);
        json_stats(&s->us, out);
        if (s->name) fputc('}', out);
        if (s->group && s->group != after) fputc('}', out);
        fputc(',', out);
    }
}

void report_print_json(const Report *r, FILE *out)
{
    fprintf(out, "\"%s\":{", r->row);
    json_series(r, out);
    for (uint32_t i = 0; i < r->nfigures; i++) {
        const ReportFigure *f = &r->figures[i];
        fprintf(out, "\"%s%s%s\":%.10g,", f->name, *f->unit ? "_" : "", f->unit,
                f->value);
    }
    if (r->copy_in_us)
        fprintf(out, "\"memcpy_us\":%.5f}", r->copy_ns * 1e-3);
    else
        fprintf(out, "\"memcpy_ns\":%.2f}", r->copy_ns);
}
