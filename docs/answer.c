/* answer.c: a whole answer: the text of a chat request in, the body of an
 * OpenAI-shaped response out. What is an engine's own is in two functions here:
 * prompt_of stands for the chat template, forward for the model.
 *
 *     cc answer.c -lweir -o answer
 *     ./answer tokenizer.json qwen_3 <request.json
 *
 * The family (docs/tools.md) may be left out: then calls are not supported.
 * tests/cli/answer_test.py runs this program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/content.h>
#include <weir/decode.h>
#include <weir/weir.h>

/* ---- the engine's ---- */

typedef struct Engine {
    weir_vocab *vocab;
    weir_family family;
    float *logits; /* weir_vocab_width(vocab) of them */
    uint64_t state;
} Engine;

/* The rendered prompt as tokens. */
static size_t prompt_of(const Engine *e, const char *prompt, uint32_t *ids,
                        size_t capacity)
{
    weir_bytes text = {prompt, strlen(prompt)};
    size_t n = weir_vocab_encode(e->vocab, text, true, ids, capacity);
    return n <= capacity ? n : 0;
}

/* The logits after these tokens: here a model that knows nothing. */
static const float *forward(Engine *e, const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) e->state = e->state * 31 + ids[i];
    for (uint32_t i = 0; i < weir_vocab_width(e->vocab); i++) {
        uint64_t hash = (e->state + i) * 0x9E3779B97F4A7C15u;
        e->logits[i] = (float)(hash >> 40) / (1 << 21);
    }
    return e->logits;
}

/* ---- the message, in pieces that are escaped for JSON ---- */

typedef struct Text {
    char at[1 << 16]; /* an engine's would grow; what is beyond is dropped */
    size_t size;
} Text;

static void add(Text *t, const char *text, size_t size)
{
    if (size > sizeof t->at - t->size) size = sizeof t->at - t->size;
    memcpy(t->at + t->size, text, size);
    t->size += size;
}

/* The size of the UTF-8 sequence at the start; 0: there is none. */
static size_t sequence(const char *text, size_t size)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = *c < 0x80   ? 1
               : *c < 0xC2 ? 0
               : *c < 0xE0 ? 2
               : *c < 0xF0 ? 3
                           : 4;
    if (*c > 0xF4 || n > size) return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80) return 0;
    if (n > 2 && ((*c == 0xE0 && c[1] < 0xA0) || (*c == 0xED && c[1] > 0x9F) ||
                  (*c == 0xF0 && c[1] < 0x90) || (*c == 0xF4 && c[1] > 0x8F)))
        return 0;
    return n;
}

/* Where nothing constrains it a model may write bytes that are no UTF-8. */
static void add_escaped(Text *t, weir_bytes text)
{
    for (size_t i = 0, n; i < text.size; i += n ? n : 1) {
        char escape[8];
        unsigned c = (unsigned char)text.data[i];
        n = sequence(text.data + i, text.size - i);
        if (n && c >= 0x20 && c != '"' && c != '\\') {
            add(t, text.data + i, n);
            continue;
        }
        snprintf(escape, sizeof escape, "\\u%04x", n ? c : 0xFFFDu);
        add(t, escape, 6);
    }
}

typedef struct Message {
    Text reasoning, content, calls;
} Message;

static void add_events(Message *m, const weir_tool_event *e, size_t count)
{
    for (; count; count--, e++) {
        char head[96];
        switch (e->kind) {
        case WEIR_TOOL_REASONING:
            add_escaped(&m->reasoning, e->text);
            break;
        case WEIR_TOOL_CONTENT:
            add_escaped(&m->content, e->text);
            break;
        case WEIR_TOOL_CALL:
            add(&m->calls, head,
                (size_t)snprintf(head, sizeof head,
                                 "%s{\"id\":\"call_%u\",\"type\":\"function\","
                                 "\"function\":{\"name\":\"",
                                 e->call ? "," : "", e->call));
            add_escaped(&m->calls, e->text);
            add(&m->calls, "\",\"arguments\":\"", 15);
            break;
        case WEIR_TOOL_ARGUMENTS:
            add_escaped(&m->calls, e->text);
            break;
        case WEIR_TOOL_CALL_END:
            add(&m->calls, "\"}}", 3);
            break;
        }
    }
}

static void print_response(const Message *m, const weir_decoded *last,
                           size_t prompt, size_t completion)
{
    const char *reason = weir_finish_reason(last->finish);
    printf("{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,"
           "\"message\":{\"role\":\"assistant\",\"content\":\"%.*s\"",
           (int)m->content.size, m->content.at);
    if (m->reasoning.size)
        printf(",\"reasoning_content\":\"%.*s\"", (int)m->reasoning.size,
               m->reasoning.at);
    if (m->calls.size)
        printf(",\"tool_calls\":[%.*s]", (int)m->calls.size, m->calls.at);
    if (m->calls.size && !strcmp(reason, "stop")) reason = "tool_calls";
    printf("},\"finish_reason\":\"%s\"}],\"usage\":{\"prompt_tokens\":%zu,"
           "\"completion_tokens\":%zu},\"weir\":{\"completed\":%s}}\n",
           reason, prompt, completion, last->completed ? "true" : "false");
}

/* ---- the answer ---- */

/* All that is made for one request. */
typedef struct Work {
    weir_constraint *constraint;
    weir_constraint_info info;
    weir_settings *settings;
    weir_settings_info wanted;
    weir_grammar *grammar; /* NULL: free text */
    weir_matcher *matcher;
    weir_sampler *sampler;
    weir_decoder *decoder;
    weir_tool_parser *parser;
} Work;

/* Everything that can be wrong with a request is found here. */
static bool admit(const Engine *e, weir_bytes request, const char *prompt,
                  Work *w, weir_refusal *refusal)
{
    weir_bytes end = {prompt, strlen(prompt)};
    weir_request_opts opts = {.size = sizeof opts, .family = e->family};
    opts.reasoning = weir_family_reasoning(e->family, end);
    w->constraint = weir_constraint_from_openai(NULL, request, &opts, refusal);
    if (!w->constraint) return false;
    w->grammar = weir_constraint_compile(w->constraint, e->vocab, refusal);
    if (refusal->http) return false;
    w->info.size = sizeof w->info;
    weir_constraint_describe(w->constraint, &w->info);
    w->settings =
        weir_settings_from_request(NULL, e->vocab, request, &opts, refusal);
    if (!w->settings) return false;
    w->wanted.size = sizeof w->wanted;
    weir_settings_describe(w->settings, &w->wanted);
    weir_tool_opts reads = {.size = sizeof reads, .reasoning = opts.reasoning};
    if (e->family)
        w->parser = weir_tool_parser_new(NULL, e->family, w->info.tools,
                                         w->info.tool_count, &reads, NULL);
    return true;
}

static bool begin(const Engine *e, Work *w, const uint32_t *prompt, size_t n)
{
    weir_matcher_opts ends = {.size = sizeof ends,
                              .termination = w->info.termination};
    w->wanted.decode.jump_forward = w->info.jump_forward;
    w->wanted.decode.with_special = w->parser; /* its marks may be such */
    if (w->grammar) w->matcher = weir_matcher_new(w->grammar, &ends, NULL);
    w->sampler = weir_sampler_new(NULL, e->vocab, &w->wanted.sampler, NULL);
    if (!w->sampler || (w->grammar && !w->matcher)) return false;
    w->decoder = weir_decoder_new(e->vocab, w->sampler, w->matcher,
                                  &w->wanted.decode, NULL);
    return w->decoder && weir_decoder_prompt(w->decoder, prompt, n);
}

/* What is in `m` after each step can be sent at once. */
static void run(Engine *e, Work *w, const uint32_t *prompt, size_t n,
                Message *m, weir_decoded *out)
{
    const weir_tool_event *events;
    size_t count;
    *out = (weir_decoded){.tokens = prompt, .token_count = n};
    do {
        const float *logits = forward(e, out->tokens, out->token_count);
        weir_decoder_step(w->decoder, logits, weir_vocab_width(e->vocab), out);
        if (w->parser &&
            weir_tool_parse(w->parser, out->text, &events, &count) == WEIR_OK)
            add_events(m, events, count);
    } while (!out->finish);
    if (w->parser && weir_tool_parse_end(w->parser, &events, &count) == WEIR_OK)
        add_events(m, events, count);
    if (!w->parser) /* weir_content_push gives it piece by piece */
        add_escaped(&m->content,
                    weir_content_message(weir_content_rule_of(w->info.kind),
                                         weir_decoder_text(w->decoder)));
}

static void release(Work *w)
{
    weir_tool_parser_free(w->parser);
    weir_decoder_free(w->decoder);
    weir_sampler_free(w->sampler);
    weir_matcher_free(w->matcher);
    weir_grammar_free(w->grammar);
    weir_settings_free(w->settings);
    weir_constraint_free(w->constraint);
}

/* 0, or 1 for a request that was refused. */
static int answer(Engine *e, weir_bytes request)
{
    static const char prompt[] = "<|im_start|>assistant\n";
    static Message message;
    uint32_t ids[64];
    size_t n = prompt_of(e, prompt, ids, 64), taken = 0;
    char body[8192];
    Work work = {.constraint = NULL};
    weir_refusal refusal;
    weir_decoded last = {.finish = WEIR_FINISH_ERROR};
    bool ok = admit(e, request, prompt, &work, &refusal);
    if (!ok) {
        size_t size = weir_refusal_body(&refusal, body, sizeof body);
        printf("%.*s\n", (int)size, body); /* with status refusal.http */
    } else {
        if (begin(e, &work, ids, n)) run(e, &work, ids, n, &message, &last);
        if (work.decoder) weir_decoder_tokens(work.decoder, &taken);
        print_response(&message, &last, n, taken);
    }
    release(&work);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    static char request[1 << 20];
    size_t size = fread(request, 1, sizeof request, stdin);
    Engine e = {.family = WEIR_FAMILY_NONE};
    if (argc > 2)
        e.family = weir_family_find((weir_bytes){argv[2], strlen(argv[2])});
    if (argc > 1) e.vocab = weir_vocab_load_file(NULL, argv[1], NULL, NULL);
    if (!e.vocab) return fputs("expected a tokenizer file\n", stderr), 2;
    e.logits = malloc(weir_vocab_width(e.vocab) * sizeof *e.logits);
    int status = e.logits ? answer(&e, (weir_bytes){request, size}) : 2;
    free(e.logits);
    weir_vocab_free(e.vocab);
    return status;
}
