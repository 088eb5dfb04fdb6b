/* cmd_sample.c: weir sample: random outputs that obey the constraint.
 *
 * Each step takes one of the allowed tokens, all alike, but where the output
 * may end it does so one time in STOP_ONE_IN. After a number of steps drawn
 * for each output, the shortest way to the end is taken; earlier if the limit
 * would not leave room for it. So every output is complete, unless even the
 * shortest does not fit or the vocabulary cannot spell it.
 * Tests: tests/cli/cli_test.py.
 */
#include <unistd.h>

#include "base/vec.h"
#include "weir/cli_constraint.h"
#include "weir/cli_random.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

/* FREE_SHARE: the part of max_tokens that may be drawn freely is 1 in that. */
enum { STOP_ONE_IN = 4, FREE_SHARE = 4 };

typedef VEC(uint32_t) IdList;

typedef struct Sampler {
    const Args *args;
    const Session *session;
    const weir_vocab *vocab;
    weir_matcher *matcher;
    Random random;
    IdList output, ending;
    bool is_out_of_memory;
} Sampler;

/* ---- one token ---- */

/* The index-th one of the mask. */
static uint32_t nth_allowed(const int32_t *mask, uint64_t index)
{
    for (uint32_t word = 0;; word++) {
        uint64_t bits = (uint32_t)mask[word];
        unsigned n = bit_count(bits);
        if (index >= n) {
            index -= n;
            continue;
        }
        for (; index; index--) bits &= bits - 1;
        return word * 32 + bit_lowest(bits);
    }
}

static bool is_stop(const Sampler *s, uint32_t id)
{
    return weir_vocab_token(s->vocab, id).flags & WEIR_TOKEN_STOP;
}

/* One allowed token, all alike, stop tokens left out; UINT32_MAX: none. */
static uint32_t draw(Sampler *s)
{
    uint32_t nstops, width = weir_vocab_width(s->vocab);
    const uint32_t *stops = weir_vocab_stops(s->vocab, &nstops);
    const int32_t *mask = weir_matcher_mask(s->matcher);
    size_t allowed = mask ? weir_mask_count(mask, width, NULL) : 0;
    size_t stopping = 0;
    for (uint32_t i = 0; i < nstops && mask; i++)
        stopping += (uint32_t)mask[stops[i] / 32] >> (stops[i] % 32) & 1;
    if (stopping >= allowed) return UINT32_MAX;
    uint32_t id;
    do id = nth_allowed(mask, random_below(&s->random, allowed));
    while (is_stop(s, id));
    return id;
}

static bool take(Sampler *s, uint32_t id)
{
    if (weir_matcher_accept(s->matcher, id) != WEIR_ACCEPTED) return false;
    if (vec_push(s->args->mem, &s->output, id)) return true;
    s->is_out_of_memory = true;
    return false;
}

static void take_back(Sampler *s)
{
    weir_matcher_rollback(s->matcher, 1);
    s->output.count--;
}

/* ---- one output ---- */

/* Whether the shortest way to the end, put in s->ending, fits. */
static bool ending_fits(Sampler *s)
{
    size_t n =
        weir_matcher_finish_tokens(s->matcher, s->ending.at, s->ending.cap);
    if (n == SIZE_MAX || s->output.count + n > s->args->max_tokens)
        return false;
    if (n > s->ending.cap) {
        if (!vec_reserve(s->args->mem, &s->ending, n)) return false;
        n = weir_matcher_finish_tokens(s->matcher, s->ending.at, s->ending.cap);
        if (n > s->ending.cap) return false;
    }
    s->ending.count = (uint32_t)n;
    return true;
}

static bool take_ending(Sampler *s)
{
    for (uint32_t i = 0; i < s->ending.count; i++)
        if (!take(s, s->ending.at[i])) break;
    return weir_matcher_is_completed(s->matcher);
}

/* Draws up to `nfree` tokens. True when the output is complete and shall end
 * here. s->ending is kept ready, if one fits. */
static bool draw_freely(Sampler *s, uint64_t nfree, bool *fits)
{
    *fits = ending_fits(s);
    while (s->output.count < nfree && !weir_matcher_is_terminated(s->matcher)) {
        bool may_stop = weir_matcher_is_completed(s->matcher);
        if (may_stop && !random_below(&s->random, STOP_ONE_IN)) return true;
        uint32_t id = draw(s);
        if (id == UINT32_MAX || !take(s, id)) return may_stop;
        if (ending_fits(s)) {
            *fits = true;
        } else if (*fits) { /* one token too many: as before */
            take_back(s);
            *fits = ending_fits(s);
            return false;
        }
    }
    return weir_matcher_is_terminated(s->matcher);
}

/* True if s->output is complete. */
static bool sample_one(Sampler *s)
{
    uint64_t most = s->args->max_tokens;
    uint64_t nfree = 1 + random_below(&s->random, MAX(most / FREE_SHARE, 1));
    bool fits;
    session_restart(s->session);
    s->output.count = 0;
    bool done = draw_freely(s, MIN(nfree, most), &fits);
    if (!done && fits) return take_ending(s);
    while (!weir_matcher_is_completed(s->matcher) && s->output.count < most) {
        uint32_t id = draw(s); /* luck may help */
        if (id == UINT32_MAX || !take(s, id)) break;
    }
    return weir_matcher_is_completed(s->matcher);
}

/* ---- the command ---- */

static bool print_output(const Sampler *s)
{
    const IdList *ids = &s->output;
    size_t size =
        weir_vocab_decode(s->vocab, ids->at, ids->count, true, NULL, 0);
    char *text = mem_new(s->args->mem, size + 1);
    if (!text) return false;
    weir_vocab_decode(s->vocab, ids->at, ids->count, true, text, size);
    if (s->args->json)
        print_json_string(stdout, text, size);
    else
        fwrite(text, 1, size, stdout);
    fputc('\n', stdout);
    mem_free(s->args->mem, text, size + 1);
    return true;
}

/* Exit code 1 when some outputs could not be completed. */
static int sample_all(Sampler *s)
{
    const Args *args = s->args;
    uint64_t incomplete = 0;
    for (uint64_t i = 0; i < args->count; i++) {
        progress_set(i, args->count);
        bool is_complete = sample_one(s);
        weir_status status = weir_matcher_error(s->matcher);
        if (!is_complete && status)
            return report_failure("%s", weir_status_text(status));
        if (is_complete && !print_output(s)) s->is_out_of_memory = true;
        if (s->is_out_of_memory) return report_failure("out of memory");
        incomplete += !is_complete;
    }
    if (!incomplete) return 0;
    report_failure("%s of %s outputs incomplete after %s tokens, left out",
                   number_text(incomplete).text, number_text(args->count).text,
                   number_text(args->max_tokens).text);
    return 1;
}

int cmd_sample(const Args *args)
{
    Session session;
    int status = session_open(&session, args);
    if (status) return status;
    Sampler s = {.args = args,
                 .session = &session,
                 .vocab = session.vocab,
                 .matcher = session.matcher,
                 .random = {args->seed}};
    if (!isatty(STDOUT_FILENO)) progress_begin("sampling");
    status = sample_all(&s);
    progress_end();
    vec_free(args->mem, &s.output);
    vec_free(args->mem, &s.ending);
    session_close(&session, args);
    return status;
}
