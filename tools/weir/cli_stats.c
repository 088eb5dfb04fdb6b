/* cli_stats.c: one output read for what it costs.
 *
 * The grammar is as it was compiled: so the first masks find out what tokens do
 * from its states, and later ones meet that again. Times are of this run and
 * this machine; counts are the same on all. docs/performance.md explains them.
 */
#include "weir/cli_stats.h"

#include "weir/cli_report.h"

static weir_grammar_info info_of(const weir_grammar *g)
{
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(g, &info);
    return info;
}

/* False: it is refused, or a limit is met. */
static bool step(OutputStats *s, weir_matcher *m, int32_t *row, uint32_t id)
{
    double begin = now_ms();
    weir_matcher_fill(m, row);
    double middle = now_ms();
    bool ok = weir_matcher_accept(m, id) == WEIR_ACCEPTED;
    double mask = (middle - begin) * 1e3;
    s->mask_us += mask;
    s->mask_most_us = MAX(s->mask_most_us, mask);
    s->accept_us += (now_ms() - middle) * 1e3;
    s->error = weir_matcher_error(m);
    return ok;
}

static void read_ids(OutputStats *s, const weir_vocab *vocab, weir_matcher *m,
                     int32_t *row, const uint32_t *ids)
{
    while (s->taken < s->tokens && step(s, m, row, ids[s->taken]))
        s->nbytes += weir_vocab_token(vocab, ids[s->taken++]).bytes.size;
    s->is_whole = s->taken == s->tokens && weir_matcher_is_completed(m);
    s->masks.size = sizeof s->masks;
    weir_matcher_describe(m, &s->masks);
    uint32_t steps = MAX(s->taken, 1);
    s->mask_us /= steps;
    s->accept_us /= steps;
}

bool stats_read(OutputStats *s, const Mem *mem, weir_vocab *vocab,
                weir_grammar *grammar, const char *text)
{
    weir_bytes bytes = {text, strlen(text)};
    weir_grammar_info before = info_of(grammar);
    *s = (OutputStats){.tokens = 0};
    size_t count = weir_vocab_encode(vocab, bytes, false, NULL, 0);
    if (count == SIZE_MAX) return false;
    size_t row_size = WEIR_MASK_WORDS((size_t)weir_vocab_width(vocab)) * 4;
    uint32_t *ids = mem_new(mem, count * sizeof *ids + 1);
    int32_t *row = mem_new(mem, row_size);
    weir_matcher *m = weir_matcher_new(grammar, NULL, NULL);
    bool ok = ids && row && m;
    if (ok) {
        weir_vocab_encode(vocab, bytes, false, ids, count);
        s->tokens = (uint32_t)count;
        read_ids(s, vocab, m, row, ids);
        weir_grammar_info after = info_of(grammar);
        s->states = after.states - before.states;
        s->memory = after.memory - MIN(before.memory, after.memory);
    }
    weir_matcher_free(m);
    mem_free(mem, row, row_size);
    mem_free(mem, ids, count * sizeof *ids + 1);
    return ok;
}

/* ---- output ---- */

static const char *outcome(const OutputStats *s)
{
    if (s->error) return weir_status_text(s->error);
    if (s->taken < s->tokens) return "the next one is refused";
    return s->is_whole ? "a whole output" : "not yet a whole output";
}

static void print_count(FILE *out, const char *name, uint64_t n)
{
    fprintf(out, "%-20s%12s\n", name, number_text(n).text);
}

static void print_us(FILE *out, const char *name, double us)
{
    fprintf(out, "%-20s%12.2f us\n", name, us);
}

void stats_print_words(const OutputStats *s, FILE *out)
{
    const weir_matcher_stats *m = &s->masks;
    print_count(out, "tokens read", s->taken);
    fprintf(out, "%-20s%12s of %s, %s\n", "", "", number_text(s->tokens).text,
            outcome(s));
    print_count(out, "bytes read", s->nbytes);
    print_count(out, "masks", m->masks);
    print_count(out, "  remembered", m->remembered);
    print_count(out, "  by every token", m->direct);
    print_count(out, "walks known", m->walks_known);
    print_count(out, "walks made", m->walks_made);
    print_count(out, "trie nodes walked", m->nodes);
    print_count(out, "states made", s->states);
    fprintf(out, "%-20s%12s\n", "memory grown by", size_text(s->memory).text);
    print_us(out, "a mask", s->mask_us);
    print_us(out, "  the longest", s->mask_most_us);
    print_us(out, "an accept", s->accept_us);
}

void stats_print_json(const OutputStats *s, FILE *out)
{
    const weir_matcher_stats *m = &s->masks;
    fprintf(out,
            "{\"tokens\":%u,\"taken\":%u,\"bytes\":%zu,\"is_whole\":%s,"
            "\"error\":\"%s\",\"masks\":%llu,\"remembered\":%llu,"
            "\"direct\":%llu,\"walks_known\":%llu,\"walks_made\":%llu,"
            "\"nodes\":%llu,\"states\":%u,\"memory\":%zu,\"mask_us\":%.3f,"
            "\"mask_most_us\":%.3f,\"accept_us\":%.3f}",
            s->tokens, s->taken, s->nbytes, s->is_whole ? "true" : "false",
            weir_status_name(s->error), (unsigned long long)m->masks,
            (unsigned long long)m->remembered, (unsigned long long)m->direct,
            (unsigned long long)m->walks_known,
            (unsigned long long)m->walks_made, (unsigned long long)m->nodes,
            s->states, s->memory, s->mask_us, s->mask_most_us, s->accept_us);
}
