/* cli_lazy.c: triggers from the command line, and the text in front of one.
 * Tests: tests/cli/lazy_cli_test.py.
 */
#include "weir/cli_lazy.h"

#include "weir/cli_report.h"

bool lazy_is_asked(const Args *args)
{
    return args->trigger_words.count || args->trigger_patterns.count ||
           args->trigger_tokens.count;
}

static weir_bytes text_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* What weir_lazy_new is given. */
typedef struct Triggers {
    VEC(weir_bytes) words, patterns;
    VEC(uint32_t) tokens;
} Triggers;

static void triggers_free(Triggers *t, const Mem *mem)
{
    vec_free(mem, &t->words);
    vec_free(mem, &t->patterns);
    vec_free(mem, &t->tokens);
}

/* An id, or a text that is one token. */
static int read_token(const Args *args, const weir_vocab *vocab,
                      const char *text, uint32_t *id)
{
    uint64_t number;
    uint32_t width = weir_vocab_width(vocab);
    if (number_parse(text, UINT32_MAX, &number)) {
        *id = (uint32_t)number;
        if (*id < width) return 0;
        return usage_error(args,
                           "found --trigger-token %s, expected less than %s",
                           text, number_text(width).text);
    }
    *id = weir_vocab_find(vocab, text_of(text));
    if (*id != UINT32_MAX) return 0;
    return usage_error(args,
                       "found --trigger-token '%s', expected an id, or the "
                       "text of one token",
                       text);
}

static int out_of_memory(void)
{
    return report_failure("out of memory");
}

static int read_triggers(Triggers *t, const Args *args, const weir_vocab *vocab)
{
    for (uint32_t i = 0; i < args->trigger_words.count; i++)
        if (!vec_push(args->mem, &t->words, text_of(args->trigger_words.at[i])))
            return out_of_memory();
    for (uint32_t i = 0; i < args->trigger_patterns.count; i++)
        if (!vec_push(args->mem, &t->patterns,
                      text_of(args->trigger_patterns.at[i])))
            return out_of_memory();
    for (uint32_t i = 0; i < args->trigger_tokens.count; i++) {
        uint32_t id;
        int status = read_token(args, vocab, args->trigger_tokens.at[i], &id);
        if (status) return status;
        if (!vec_push(args->mem, &t->tokens, id)) return out_of_memory();
    }
    return 0;
}

static int lazy_open(LazyText *out, const Args *args, const Session *session)
{
    Triggers t = {0};
    weir_error err;
    int status = read_triggers(&t, args, session->vocab);
    if (!status) {
        weir_lazy_opts opts = {.size = sizeof opts,
                               .words = t.words.at,
                               .word_count = t.words.count,
                               .patterns = t.patterns.at,
                               .pattern_count = t.patterns.count,
                               .tokens = t.tokens.at,
                               .token_count = t.tokens.count};
        out->lazy = weir_lazy_new(session->grammar, &opts, &err);
        if (!out->lazy)
            status = report_failure("--trigger-pattern: %s, at byte %u",
                                    err.message, err.begin);
    }
    triggers_free(&t, args->mem);
    return status;
}

/* Takes tokens until the trigger's. */
static int take_tokens(LazyText *out, const weir_vocab *vocab,
                       const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count && !out->matcher && !out->is_refused; i++) {
        switch (weir_lazy_accept(out->lazy, ids[i])) {
        case WEIR_ACCEPTED:
            out->taken += weir_vocab_token(vocab, ids[i]).bytes.size;
            out->matcher = weir_lazy_matcher(out->lazy);
            break;
        case WEIR_ACCEPT_ERROR:
            return out_of_memory();
        default:
            out->is_refused = true;
        }
    }
    return 0;
}

int lazy_read(LazyText *out, const Args *args, const Session *session,
              weir_bytes text)
{
    *out = (LazyText){0};
    int status = lazy_open(out, args, session);
    if (status) return status;
    size_t count = weir_vocab_encode(session->vocab, text, true, NULL, 0);
    uint32_t *ids = count == SIZE_MAX
                        ? NULL
                        : mem_new(args->mem, size_mul(count + 1, sizeof *ids));
    if (!ids) {
        lazy_free(out);
        return out_of_memory();
    }
    weir_vocab_encode(session->vocab, text, true, ids, count);
    status = take_tokens(out, session->vocab, ids, count);
    mem_free(args->mem, ids, (count + 1) * sizeof *ids);
    if (status) lazy_free(out);
    return status;
}

void lazy_free(LazyText *lazy)
{
    weir_lazy_free(lazy->lazy);
    lazy->lazy = NULL;
}
