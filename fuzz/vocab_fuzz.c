/* vocab_fuzz.c: the readers of tokenizer files on any bytes.
 *
 * Each input is read as the kind it looks like, and as each kind. What loads
 * is sound: offsets ascend, stop ids ascend and are flagged, a token is found
 * by its bytes, and ids of encoded bytes decode to some bytes. What does not
 * is reported within the input. */
#include <stdlib.h>

#include "vocab/vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim)
{
    if (!claim) abort();
}

static void check_vocab(const Vocab *v)
{
    uint32_t nstops = 0;
    must(v->ntokens <= v->width && v->start[0] == 0);
    for (uint32_t id = 0; id < v->ntokens; id++) {
        must(v->start[id] <= v->start[id + 1]);
        must(!(v->flags[id] & WEIR_TOKEN_HOLE) || !vocab_bytes(v, id).size);
        if (!(v->flags[id] & WEIR_TOKEN_STOP)) continue;
        must(v->flags[id] & WEIR_TOKEN_CONTROL);
        must(nstops < v->nstops && v->stops[nstops] == id);
        nstops++;
    }
    must(nstops == v->nstops && v->start[v->ntokens] <= v->nbytes);
    uint32_t last = v->ntokens ? v->ntokens - 1 : 0;
    if (v->ntokens && !(v->flags[last] & WEIR_TOKEN_HOLE))
        must(vocab_find(v, vocab_bytes(v, last)) <= last);
}

static void check_encode(const Vocab *v, Span text)
{
    enum { MOST = 64 };
    uint32_t ids[MOST * 4];
    text.size = MIN(text.size, MOST);
    size_t n = encoder_encode(v->encoder, text, true, ids, MOST * 4);
    must(n != SIZE_MAX);
    for (size_t i = 0; i < MIN(n, MOST * 4); i++) must(ids[i] < v->ntokens);
}

static void load_as(weir_vocab_kind kind, Span file)
{
    Mem mem = mem_from_env(NULL);
    weir_vocab_opts opts = {.kind = kind, .llama_cpp_stops = true};
    weir_error err = {0};
    Vocab v;
    if (!vocab_load(&v, &mem, file, &opts, &err)) {
        must(err.status && err.begin <= err.end && err.end <= file.size);
        return;
    }
    check_vocab(&v);
    check_encode(&v, file);
    vocab_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int kind = WEIR_VOCAB_DETECT; kind < WEIR_VOCAB_PLAIN; kind++)
        load_as((weir_vocab_kind)kind, span_of(data, size));
    return 0;
}
