/* route_metrics.c: /metrics, as Prometheus reads it.
 *
 * Counters are since the start; what is "now" is a gauge. Times are seconds.
 * Tests: tests/server/serve_http_test.py. */
#include <stdarg.h>
#include <stdio.h>

#include "server/service.h"

static void line(JsonPut *out, const char *format, ...) PRINTF_LIKE(2, 3);
static void line(JsonPut *out, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_literal(out, text);
    put_literal(out, "\n");
}

typedef struct Metric {
    const char *name, *type, *help;
    double value;
} Metric;

static void put(JsonPut *out, const Metric *m)
{
    line(out, "# HELP weir_%s %s", m->name, m->help);
    line(out, "# TYPE weir_%s %s", m->name, m->type);
    line(out, "weir_%s %.15g", m->name, m->value);
}

/* How long masks took: each bucket has those before it, too. */
static void put_mask_times(JsonPut *out, const SchedulerStats *stats)
{
    uint64_t sum = 0;
    line(out, "# HELP weir_mask_seconds processor time of a mask");
    line(out, "# TYPE weir_mask_seconds histogram");
    for (size_t i = 0; i <= MASK_BOUNDS; i++) {
        sum += stats->mask_times[i];
        if (i < MASK_BOUNDS)
            line(out, "weir_mask_seconds_bucket{le=\"%g\"} %llu",
                 (double)scheduler_mask_bounds[i] / 1e9,
                 (unsigned long long)sum);
        else
            line(out, "weir_mask_seconds_bucket{le=\"+Inf\"} %llu",
                 (unsigned long long)sum);
    }
    line(out, "weir_mask_seconds_sum %.9g", (double)stats->mask_ns / 1e9);
    line(out, "weir_mask_seconds_count %llu", (unsigned long long)sum);
}

static double seconds(uint64_t nanoseconds)
{
    return (double)nanoseconds / 1e9;
}

void route_metrics(void *user, HttpCall *call)
{
    Service *s = user;
    SchedulerStats now;
    weir_compiler_stats cache = {.size = sizeof cache};
    JsonPut out = {.mem = s->mem};
    scheduler_stats(s->scheduler, &now);
    weir_compiler_describe(s->compiler, &cache);
    const Metric metrics[] = {
        {"requests_total", "counter", "requests that were begun to be answered",
         (double)atomic_load(&s->answered)},
        {"requests_refused_total", "counter", "requests that were refused",
         (double)atomic_load(&s->refused)},
        {"clients_left_total", "counter", "clients that left before the end",
         (double)atomic_load(&s->left)},
        {"answers_total", "counter", "answers that have ended",
         (double)now.answers},
        {"answers_cancelled_total", "counter", "answers that were cancelled",
         (double)now.cancelled},
        {"answers_failed_total", "counter", "answers that ended in an error",
         (double)now.failed},
        {"queue_refused_total", "counter", "jobs refused as too many waited",
         (double)now.refused},
        {"prompt_tokens_total", "counter", "tokens of prompts",
         (double)now.prompt_tokens},
        {"prompt_tokens_cached_total", "counter",
         "tokens of prompts that had been computed before",
         (double)now.cached_tokens},
        {"tokens_total", "counter", "tokens of answers",
         (double)now.output_tokens},
        {"tokens_forced_total", "counter",
         "tokens of answers that were not drawn", (double)now.forced_tokens},
        {"tokens_drafted_total", "counter", "tokens of drafts",
         (double)now.drafted_tokens},
        {"tokens_accepted_total", "counter", "tokens of drafts that came true",
         (double)now.accepted_tokens},
        {"decodes_total", "counter", "passes through the model",
         (double)now.decodes},
        {"decode_seconds_total", "counter", "time in the model",
         seconds(now.decode_ns)},
        {"mask_wait_seconds_total", "counter",
         "time that the model has waited for masks", seconds(now.mask_wait_ns)},
        {"masks_late_total", "counter",
         "masks that were not there in time, of answers whose masks are slow",
         (double)now.late_masks},
        {"grammar_cache_hits_total", "counter",
         "constraints that had been compiled before", (double)cache.hits},
        {"grammar_cache_misses_total", "counter",
         "constraints that were compiled", (double)cache.misses},
        {"grammar_cache_entries", "gauge", "constraints in the cache",
         (double)cache.entries},
        {"grammar_cache_bytes", "gauge", "memory of the cache",
         (double)cache.bytes},
        {"rows", "gauge", "answers that are being written",
         (double)now.running},
        {"queue", "gauge", "answers that wait for a row", (double)now.waiting},
        {"cells", "gauge", "tokens in the model's cache", (double)now.cells},
    };
    for (size_t i = 0; i < COUNT_OF(metrics); i++) put(&out, &metrics[i]);
    put_mask_times(&out, &now);
    http_answer(call, 200, "text/plain; version=0.0.4; charset=utf-8", &out);
}
