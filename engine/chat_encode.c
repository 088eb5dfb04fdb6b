/* chat_encode.c: from the text of a conversation to tokens.
 *
 * Outside of contents a control token's name is that token; the longest of
 * several. What lies between two of them is encoded as one text, whatever it
 * is made of, but without control tokens in it: so the tokens are those of the
 * whole text, unless somebody has written such a name into a content.
 * Tests: tests/engine/chat_test.c.
 */
#include "engine/chat.h"

enum { LONGEST_NAME = 64, KNOWN = 32 };

/* A text that may be a control token's name, and what it is: looking that up
 * takes a search of the vocabulary, and the same few marks come all the time. */
typedef struct KnownName {
    const char *at;
    uint32_t size, id;
} KnownName;

typedef struct Encoder {
    const ChatText *text;
    const weir_vocab *vocab;
    ChatTokens *ids;
    KnownName known[KNOWN];
    uint32_t count; /* of all that were ever kept; the oldest one goes */
} Encoder;

/* The control token of that name; UINT32_MAX: none. */
static uint32_t control_find(Encoder *e, const char *at, uint32_t size)
{
    for (uint32_t i = 0; i < MIN(e->count, (uint32_t)KNOWN); i++)
        if (e->known[i].size == size && !memcmp(e->known[i].at, at, size))
            return e->known[i].id;
    uint32_t id = weir_vocab_find(e->vocab, (weir_bytes){at, size});
    bool is_control = id != UINT32_MAX &&
                      weir_vocab_token(e->vocab, id).flags & WEIR_TOKEN_CONTROL;
    if (!is_control) id = UINT32_MAX;
    e->known[e->count++ % KNOWN] = (KnownName){at, size, id};
    return id;
}

/* The longest control token whose name stands at text[pos], before `end`;
 * UINT32_MAX: none. Names end in one of three characters. */
static uint32_t control_at(Encoder *e, uint32_t pos, uint32_t end,
                           uint32_t *size)
{
    const char *text = e->text->text.at;
    uint32_t most = MIN(end - pos, LONGEST_NAME);
    if (text[pos] != '<' && text[pos] != '[') return UINT32_MAX;
    for (uint32_t n = most; n > 1; n--) {
        char last = text[pos + n - 1];
        if (last != '>' && last != ']') continue;
        uint32_t id = control_find(e, text + pos, n);
        if (id == UINT32_MAX) continue;
        *size = n;
        return id;
    }
    return UINT32_MAX;
}

static bool encode_run(const Encoder *e, uint32_t begin, uint32_t end)
{
    weir_bytes run = {e->text->text.at + begin, end - begin};
    if (!run.size) return true;
    size_t n = weir_vocab_encode(e->vocab, run, false, NULL, 0);
    if (n == SIZE_MAX ||
        !vec_reserve(e->text->mem, e->ids, (size_t)e->ids->count + n))
        return false;
    weir_vocab_encode(e->vocab, run, false, e->ids->at + e->ids->count, n);
    e->ids->count += (uint32_t)n;
    return true;
}

bool chat_encode(const ChatText *text, const weir_vocab *vocab, ChatTokens *ids)
{
    Encoder e = {.text = text, .vocab = vocab, .ids = ids};
    uint32_t begin = 0, pos = 0, span = 0, size;
    while (pos < text->text.count) {
        bool has_span = span < text->contents.count;
        if (has_span && pos == text->contents.at[span].begin) {
            pos = text->contents.at[span++].end;
            continue;
        }
        uint32_t end =
            has_span ? text->contents.at[span].begin : text->text.count;
        uint32_t id = control_at(&e, pos, end, &size);
        if (id == UINT32_MAX) {
            pos++;
            continue;
        }
        if (!encode_run(&e, begin, pos) || !vec_push(text->mem, ids, id))
            return false;
        begin = pos += size;
    }
    return encode_run(&e, begin, pos);
}
