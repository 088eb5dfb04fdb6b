/* bench_slowest.c: picks the slowest steps by repeated selection (few are
 * asked for), and shows each with the text around it. */
#include "bench/bench_slowest.h"

#include "base/out.h"

enum { CONTEXT = 24, LINE = 256 }; /* tokens before; bytes shown */

/* The slowest step at or after (limit, from) in the order slow to fast, index
 * ascending; UINT32_MAX: no more. */
static uint32_t next_slowest(const double *us, uint32_t count, double limit,
                             uint32_t from)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (us[i] > limit || (!(us[i] < limit) && i < from)) continue;
        if (best == UINT32_MAX || us[i] > us[best]) best = i;
    }
    return best;
}

static const BenchTest *test_of(const BenchCases *cases, uint32_t step)
{
    uint32_t lo = 0, hi = cases->tests.count;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (cases->tests.at[mid].ids <= step)
            lo = mid;
        else
            hi = mid;
    }
    return &cases->tests.at[lo];
}

static void print_quoted(FILE *out, const char *bytes, size_t size)
{
    char text[LINE];
    Out quoted = {text, sizeof text, 0};
    out_quoted(&quoted, span_of(bytes, size));
    fwrite(text, 1, MIN(quoted.size, sizeof text), out);
}

static void print_step(const BenchCases *cases, const weir_vocab *vocab,
                       uint32_t step, double us, FILE *out)
{
    char before[LINE / 4];
    const BenchTest *t = test_of(cases, step);
    uint32_t from = step - MIN(CONTEXT, step - t->ids);
    const uint32_t *ids = cases->ids.at + from;
    /* Most recent text: drop tokens from the front until it fits. */
    uint32_t count = step - from;
    while (weir_vocab_decode(vocab, ids, count, true, NULL, 0) > sizeof before)
        ids++, count--;
    size_t size =
        weir_vocab_decode(vocab, ids, count, true, before, sizeof before);
    weir_bytes token = weir_vocab_token(vocab, cases->ids.at[step]).bytes;
    fprintf(out, "%10.1f us  %s, test %u, step %u: ", us, cases_name(cases, t),
            t->number, step - t->ids);
    print_quoted(out, before, size);
    fputs(" then ", out);
    print_quoted(out, token.data, token.size);
    fputc('\n', out);
}

void slowest_print(const BenchCases *cases, const weir_vocab *vocab,
                   const double *us, uint32_t most, FILE *out)
{
    double limit = 1e300;
    uint32_t from = 0;
    while (most--) {
        uint32_t i = next_slowest(us, cases->ids.count, limit, from);
        if (i == UINT32_MAX) return;
        print_step(cases, vocab, i, us[i], out);
        limit = us[i];
        from = i + 1;
    }
}
