/* weir_state.c: a matcher's state as bytes, and back.
 *
 * The state is what was taken in: replaying it gives the same configurations
 * on any machine, and rollback goes on working. Layout, integers little
 * endian, n a LEB128 number:
 *
 *     "WEIR" 1 | grammar hash u64 | vocabulary hash u64 | n steps |
 *     steps: n token + 1, or 0 n size bytes | FNV-1a 64 of all before
 *
 * Replay costs what accepting cost: about 0.1 us a token.
 */
#include "api/grammar.h"
#include "api/matcher.h"
#include "base/hash.h"
#include "base/out.h"

static const uint8_t magic[5] = {'W', 'E', 'I', 'R', 1};

static void put_u64(Out *out, uint64_t value)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
    out_bytes(out, span_of(bytes, sizeof bytes));
}

static void put_number(Out *out, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)(value & 0x7F);
        value >>= 7;
        if (value) byte |= 0x80;
        out_bytes(out, span_of(&byte, 1));
    } while (value);
}

static uint64_t vocab_hash_of(const weir_grammar *g)
{
    return g->vocab ? g->vocab->vocab.hash : 0;
}

static void put_steps(Out *out, const Track *t)
{
    put_number(out, track_steps(t));
    for (uint32_t i = 1; i < t->steps.count; i++) {
        uint32_t token = t->steps.at[i].token;
        put_number(out, token == TRACK_BYTES ? 0 : (uint64_t)token + 1);
        if (token != TRACK_BYTES) continue;
        Span text = track_text(t, i);
        put_number(out, text.size);
        out_bytes(out, text);
    }
}

size_t weir_matcher_export(const weir_matcher *m, void *buffer, size_t capacity)
{
    Out out = {buffer, capacity, 0};
    out_bytes(&out, span_of(magic, sizeof magic));
    put_u64(&out, grammar_hash(m->grammar));
    put_u64(&out, vocab_hash_of(m->grammar));
    put_steps(&out, &m->track);
    if (out.size <= capacity)
        put_u64(&out, fnv1a(FNV_SEED, buffer, out.size));
    else
        out.size += 8;
    return out.size;
}

/* ---- reading ---- */

typedef struct In {
    Span rest;
    bool failed;
} In;

static uint64_t get_number(In *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && in->rest.size; shift += 7) {
        uint8_t byte = *in->rest.at;
        in->rest = span_of(in->rest.at + 1, in->rest.size - 1);
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80)) return value;
    }
    in->failed = true;
    return 0;
}

static Span get_bytes(In *in, uint64_t size)
{
    if (size > in->rest.size) {
        in->failed = true;
        return (Span){0};
    }
    Span taken = span_of(in->rest.at, (size_t)size);
    in->rest = span_of(in->rest.at + size, in->rest.size - (size_t)size);
    return taken;
}

static uint64_t read_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static bool get_step(weir_matcher *m, In *in)
{
    uint64_t token = get_number(in);
    if (in->failed || token > UINT32_MAX) return false;
    if (token)
        return weir_matcher_accept(m, (uint32_t)(token - 1)) == WEIR_ACCEPTED;
    Span text = get_bytes(in, get_number(in));
    weir_bytes bytes = {(const char *)text.at, text.size};
    return !in->failed &&
           weir_matcher_accept_bytes(m, bytes, NULL) == WEIR_ACCEPTED;
}

static weir_status check_header(const weir_matcher *m, Span state)
{
    enum { HEAD = sizeof magic + 16, TAIL = 8 };
    if (state.size < HEAD + TAIL ||
        memcmp(state.at, magic, sizeof magic) != 0 ||
        fnv1a(FNV_SEED, state.at, state.size - TAIL) !=
            read_u64(state.at + state.size - TAIL))
        return WEIR_FORMAT;
    if (read_u64(state.at + sizeof magic) != grammar_hash(m->grammar) ||
        read_u64(state.at + sizeof magic + 8) != vocab_hash_of(m->grammar))
        return WEIR_MISMATCH;
    return WEIR_OK;
}

/* Replays into a fresh matcher and takes over its track. */
weir_status weir_matcher_import(weir_matcher *m, weir_bytes state)
{
    Span all = span_from(state);
    weir_status status = check_header(m, all);
    if (status) return status;
    weir_matcher_opts opts = matcher_opts(m);
    ref_take(&m->hub->refs);
    weir_matcher *fresh = matcher_start(m->grammar, m->hub, &opts);
    if (!fresh) return WEIR_NO_MEMORY;
    size_t head = sizeof magic + 16;
    In in = {span_of(all.at + head, all.size - head - 8), false};
    uint64_t steps = get_number(&in);
    bool ok = !in.failed;
    for (uint64_t i = 0; ok && i < steps; i++) ok = get_step(fresh, &in);
    if (ok && !in.rest.size) {
        Track swap = m->track;
        m->track = fresh->track;
        fresh->track = swap;
        Hub *hub = fresh->hub; /* where the track's stacks are */
        ref_take(&hub->refs);
        matcher_set_hub(m, hub);
        m->error = WEIR_OK;
        m->generation++;
    } else {
        status = fresh->error ? fresh->error : WEIR_FORMAT;
    }
    weir_matcher_free(fresh);
    return status;
}
