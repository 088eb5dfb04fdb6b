/* conversation_fuzz.c: any bytes as a request with a conversation or a prompt.
 * The first says the endpoint (from 1, chat), the second the chat format: c
 * chatml, q qwen_3, m mistral_v11, h harmony, g gemma, any other none.
 *
 * Either there are prompts or there is a refusal with a body that is JSON and
 * small. All ids are tokens. In ChatML the control tokens are those of the
 * messages, whatever is written in them. The same request says the same.
 */
#include "fuzz/refusal_kit.h"
#include "server/conversation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES = 256, IM_START = BYTES, IM_END, TOKENS };

static weir_vocab *make_vocab(void)
{
    static char bytes[BYTES];
    weir_token tokens[TOKENS];
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = (char)i;
        tokens[i] = (weir_token){{&bytes[i], 1}, 0};
    }
    tokens[IM_START] = (weir_token){{"<|im_start|>", 12}, WEIR_TOKEN_CONTROL};
    tokens[IM_END] =
        (weir_token){{"<|im_end|>", 10}, WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    return weir_vocab_new(NULL, tokens, TOKENS, NULL, NULL);
}

static const ChatStyle *style_of(uint8_t letter)
{
    return letter == 'c'   ? chat_find("chatml")
           : letter == 'q' ? chat_find("qwen_3")
           : letter == 'm' ? chat_find("mistral_v11")
           : letter == 'h' ? chat_find("harmony")
           : letter == 'g' ? chat_find("gemma")
                           : NULL;
}

static uint64_t hash_of(const ChatTokens *ids)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint32_t i = 0; i < ids->count; i++)
        hash = (hash ^ ids->at[i]) * 0x100000001B3u;
    return hash;
}

/* A start and an end for each message, a start for the answer; behind one that
 * goes on neither. */
static void check_marks(const Conversation *c, const ChatTokens *ids)
{
    size_t starts = 0, ends = 0;
    size_t n = c->messages.count + (c->system.count > 0);
    for (uint32_t i = 0; i < ids->count; i++) {
        starts += ids->at[i] == IM_START;
        ends += ids->at[i] == IM_END;
    }
    must(starts == n + !c->continues && ends == n - c->continues);
}

static uint64_t check(const Mem *mem, const ChatModel *model,
                      weir_endpoint endpoint, weir_bytes request)
{
    static const weir_constraint_info none = {.size = sizeof none};
    Conversation c;
    weir_refusal refusal;
    uint64_t hash = 0;
    bool ok = conversation_read(&c, mem, model, endpoint, WEIR_PROFILE_DEFAULT,
                                request, &refusal);
    if (ok && !c.is_load) {
        conversation_start(&c, false);
        ok = conversation_encode(&c, &none, false, &refusal);
        must(!ok || c.prompts.count);
    }
    for (uint32_t i = 0; ok && i < c.prompts.count; i++) {
        const ChatTokens *ids = &c.prompts.at[i].ids;
        must(ids->count);
        for (uint32_t k = 0; k < ids->count; k++) must(ids->at[k] < TOKENS);
        if (!c.is_raw && model->style == chat_find("chatml"))
            check_marks(&c, ids);
        hash = hash * 31 + hash_of(ids);
    }
    if (!ok) check_refusal(&refusal);
    conversation_close(&c);
    return ok ? hash : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static weir_vocab *vocab;
    Mem mem = mem_from_env(NULL);
    if (size < 2 || data[0] < '1' || data[0] > '8') return 0;
    if (!vocab) vocab = make_vocab();
    ChatModel model = {
        .style = style_of(data[1]), .vocab = vocab, .begin = UINT32_MAX};
    weir_endpoint endpoint = (weir_endpoint)(data[0] - '0');
    weir_bytes request = {(const char *)data + 2, size - 2};
    uint64_t first = check(&mem, &model, endpoint, request);
    must(check(&mem, &model, endpoint, request) == first);
    return 0;
}
