/* tool_outputs.c: drawn token by token from the masks, and then ended by the
 * shortest way. */
#include "oracle/tool_outputs.h"

/* Those with a * are control tokens. */
static const char *const pieces[] = {"*<|tool_calls_section_begin|>",
                                     "*<|tool_calls_section_end|>",
                                     "*<|tool_call_begin|>",
                                     "*<|tool_call_end|>",
                                     "*<|tool_call_argument_begin|>",
                                     "*<|open|>",
                                     "*<|close|>",
                                     "*<|sep|>",
                                     "*<|channel|>",
                                     "*<|message|>",
                                     "*<|end|>",
                                     "*<|return|>",
                                     "*<|start|>",
                                     "*<|call|>",
                                     "*[TOOL_CALLS]",
                                     "*[ARGS]",
                                     "*[CALL_ID]",
                                     "*[THINK]",
                                     "*[/THINK]",
                                     "*<|START_THINKING|>",
                                     "*<|END_THINKING|>",
                                     "*<|START_TEXT|>",
                                     "*<|END_TEXT|>",
                                     "*<|tool_call>",
                                     "*<tool_call|>",
                                     "*<|\"|>",
                                     "*<|channel>",
                                     "*<channel|>",
                                     "<｜tool▁calls▁begin｜>",
                                     "<｜tool▁call▁begin｜>",
                                     "<｜tool▁call▁end｜>",
                                     "<｜tool▁calls▁end｜>",
                                     "<tool_call>",
                                     "</tool_call>",
                                     "</think>",
                                     "<think>",
                                     "\n\n",
                                     "<tool_call>\n<function=",
                                     "{\"name\": ",
                                     "\": \"",
                                     "</parameter>",
                                     "</parameter>\n",
                                     "<arg_key>",
                                     "</arg_value>",
                                     "<minimax:tool_call>",
                                     "<｜DSML｜function_calls>\n",
                                     "<｜DSML｜tool_calls>\n",
                                     "</｜DSML｜",
                                     "<cofl:tool_calls>",
                                     "</cofl:value>",
                                     "assistant",
                                     "commentary",
                                     "final",
                                     "true",
                                     "null",
                                     "12",
                                     "\"}",
                                     "é",
                                     "<|",
                                     "|>"};
enum { BYTES = 256, TOKENS = BYTES + COUNT_OF(pieces) + 1, STOP = TOKENS - 1 };

weir_vocab *tool_vocab_new(void)
{
    static uint8_t bytes[BYTES];
    static weir_token tokens[TOKENS];
    for (unsigned i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)i;
        tokens[i] = (weir_token){{(const char *)bytes + i, 1}, 0};
    }
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        bool is_control = *pieces[i] == '*';
        const char *text = pieces[i] + is_control;
        tokens[BYTES + i] = (weir_token){{text, strlen(text)},
                                         is_control ? WEIR_TOKEN_CONTROL : 0};
    }
    tokens[STOP] =
        (weir_token){{"</s>", 4}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    return weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL);
}

/* ---- random outputs of a grammar ---- */

/* Whether the token would end the output, which the sampler does in its own
 * way. */
static bool is_end(const weir_vocab *vocab, uint32_t id)
{
    return weir_vocab_token(vocab, id).flags & WEIR_TOKEN_STOP;
}

static uint32_t draw(Rng *rng, weir_matcher *m, const weir_vocab *vocab)
{
    int32_t row[WEIR_MASK_WORDS(TOKENS)];
    uint32_t ids[TOKENS], small = 0, count = 0;
    if (weir_matcher_fill(m, row) == WEIR_FILL_ERROR) abort();
    for (uint32_t id = 0; id < STOP; id++)
        if ((uint32_t)row[id / 32] >> id % 32 & 1 && !is_end(vocab, id))
            ids[count++] = id;
    while (small < count && ids[small] < BYTES) small++;
    if (!count) return STOP;
    if (small < count && rng_chance(rng, 30))
        return ids[small + rng_below(rng, count - small)];
    return ids[rng_below(rng, count)];
}

bool tool_output_sample(Rng *rng, weir_grammar *g, uint32_t steps,
                        ToolText *text)
{
    enum { MOST = 4096 };
    static uint32_t ids[MOST];
    size_t n = 0, end = 0;
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    while (n < steps && !weir_matcher_is_terminated(m)) {
        if (weir_matcher_is_completed(m) && rng_chance(rng, 5)) break;
        ids[n] = draw(rng, m, weir_grammar_vocab(g));
        if (ids[n] == STOP) break;
        if (weir_matcher_accept(m, ids[n]) != WEIR_ACCEPTED) abort();
        n++;
    }
    if (!weir_matcher_is_completed(m))
        end = weir_matcher_finish_tokens(m, ids + n, MOST - n);
    bool ends = end <= MOST - n;
    if (ends) {
        tool_text_begin(text);
        text->out.size = weir_vocab_decode(weir_grammar_vocab(g), ids, n + end,
                                           true, text->at, sizeof text->at - 1);
        ends = text->out.size < sizeof text->at;
        text->at[ends ? text->out.size : 0] = 0;
    }
    weir_matcher_free(m);
    return ends;
}
