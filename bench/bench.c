/* bench.c: what the rows of the benchmark share. */
#include "bench/bench.h"

#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

bool bench_fail(const char *what, const weir_error *err)
{
    fprintf(stderr, "weir-bench: %s: %s\n", what,
            err ? err->message : "out of memory");
    return false;
}

weir_vocab *bench_vocab(const Bench *bench)
{
    weir_error err;
    weir_vocab *v = weir_vocab_load_file(NULL, bench->tokenizer, NULL, &err);
    if (!v) bench_fail("vocabulary", &err);
    return v;
}

weir_grammar *bench_json(weir_vocab *vocab)
{
    weir_error err;
    weir_grammar *g = weir_grammar_compile(vocab, WEIR_JSON_VALUE,
                                           (weir_bytes){0}, NULL, &err);
    if (!g) bench_fail("grammar", &err);
    return g;
}

size_t bench_resident(void)
{
    unsigned long long pages, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%llu %llu", &pages, &resident) != 2) resident = 0;
    fclose(f);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

void bench_trim(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
