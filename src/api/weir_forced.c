/* weir_forced.c: text that must come next (jump-forward).
 *
 * Bytes are forced while the output is not complete, no token edge is open and
 * exactly one byte can follow. As tokens they are what the encoder makes of
 * them, less the last ones: a tail of the forced text that some longer token
 * begins with could still be read as the start of that token, so everything
 * from the first such place on is left to the model.
 */
#include "api/matcher.h"

enum {
    FORCED_MAX = 4096, /* bytes looked ahead for tokens */
    RETOKEN_MAX = 4    /* tokens looked back at */
};

/* False: stopped by an error. */
static bool forced_once(weir_matcher *m, char *out, size_t capacity,
                        size_t *count)
{
    Track *t = &m->track;
    size_t n = 0;
    *count = 0;
    stepper_clear(&t->stepper);
    if (!set_copy(t->mem, &t->next, &t->now)) {
        m->error = WEIR_NO_MEMORY;
        return false;
    }
    while (n < capacity) {
        int byte = set_only_byte(&t->stepper, &t->next);
        if (byte < 0) break;
        set_step(&t->stepper, &t->next, (uint8_t)byte, &t->spare);
        ConfigSet swap = t->next;
        t->next = t->spare;
        t->spare = swap;
        if (stepper_status(&t->stepper)) break;
        out[n++] = (char)byte;
    }
    weir_status status = stepper_status(&t->stepper);
    if (status) m->error = status;
    stepper_clear(&t->stepper);
    track_drop_text(t);
    *count = n;
    return !status;
}

size_t weir_matcher_forced_bytes(weir_matcher *m, char *out, size_t capacity)
{
    size_t n;
    weir_status before = m->error;
    if (weir_matcher_is_terminated(m)) return 0;
    bool ok = forced_once(m, out, capacity, &n);
    for (int moves = 0; !ok && matcher_leave_hub(m, before, moves); moves++)
        ok = forced_once(m, out, capacity, &n);
    return n;
}

/* True if some token is longer than `tail` and begins with it. */
static bool token_begins(const Trie *trie, Span tail)
{
    const TrieNode *node = &trie->nodes[TRIE_ROOT];
    for (size_t i = 0; i < tail.size; i++) {
        uint32_t child = trie_child(trie, node, tail.at[i]);
        if (!child) return false;
        node = &trie->nodes[child];
    }
    return node->nchildren;
}

/* How many of the bytes no later text can change the reading of. */
static size_t settled_bytes(const weir_vocab *v, Span forced)
{
    for (size_t i = 0; i < forced.size; i++) {
        Span tail = span_of(forced.at + i, forced.size - i);
        if (tail.size < v->masks.main.trie.depth &&
            token_begins(&v->masks.main.trie, tail))
            return i;
    }
    return forced.size;
}

/* A text as tokens, and which of them stand whatever follows. */
typedef struct Retoken {
    weir_matcher *m;
    char text[FORCED_MAX];
    size_t nbytes;
    VEC(uint32_t) ids;
} Retoken;

/* The text stands behind a prompt or other output. */
static size_t encode_behind(const weir_vocab *v, weir_bytes text, uint32_t *ids,
                            size_t capacity)
{
    if (v->encode) return weir_vocab_encode(v, text, false, ids, capacity);
    return encoder_encode_behind(v->vocab.encoder, span_from(text), ids,
                                 capacity);
}

static bool retoken_encode(Retoken *r)
{
    weir_vocab *v = r->m->grammar->vocab;
    weir_bytes text = {r->text, r->nbytes};
    size_t need = encode_behind(v, text, NULL, 0);
    if (need == SIZE_MAX || need > r->nbytes ||
        !vec_reserve(&r->m->mem, &r->ids, need))
        return false;
    encode_behind(v, text, r->ids.at, need);
    size_t settled = settled_bytes(v, span_from(text)), pos = 0;
    for (r->ids.count = 0; r->ids.count < need; r->ids.count++) {
        pos += vocab_bytes(&v->vocab, r->ids.at[r->ids.count]).size;
        if (pos > settled) break;
    }
    return true;
}

/* The ids that the matcher can take now, in order. */
static size_t retoken_give(Retoken *r, size_t skip, uint32_t *ids,
                           size_t capacity)
{
    size_t n = r->ids.count > skip ? r->ids.count - skip : 0;
    n = MIN(n, capacity);
    if (n) memcpy(ids, r->ids.at + skip, n * sizeof *ids);
    return n;
}

size_t weir_matcher_forced_tokens(weir_matcher *m, uint32_t *ids,
                                  size_t capacity)
{
    Retoken r = {.m = m};
    size_t n = 0;
    if (!m->grammar->vocab) return 0;
    r.nbytes = weir_matcher_forced_bytes(m, r.text, sizeof r.text);
    if (r.nbytes && retoken_encode(&r)) n = retoken_give(&r, 0, ids, capacity);
    vec_free(&m->mem, &r.ids);
    return weir_matcher_validate(m, ids, n);
}

/* Puts the text of the last tokens taken, at most RETOKEN_MAX text tokens,
 * before the forced text; returns how many. */
static size_t retoken_history(Retoken *r, uint32_t *taken)
{
    const Track *t = &r->m->track;
    const Vocab *vocab = &r->m->grammar->vocab->vocab;
    size_t n = 0, nbytes = 0;
    while (n < RETOKEN_MAX && n < track_steps(t)) {
        uint32_t id = t->steps.at[t->steps.count - 1 - n].token;
        if (id == TRACK_BYTES || !vocab_is_text(vocab, id)) break;
        Span bytes = vocab_bytes(vocab, id);
        if (nbytes + bytes.size + r->nbytes > sizeof r->text) break;
        nbytes += bytes.size;
        taken[n++] = id;
    }
    memmove(r->text + nbytes, r->text, r->nbytes);
    size_t pos = 0;
    for (size_t i = n; i-- > 0;) {
        Span bytes = vocab_bytes(vocab, taken[i]);
        memcpy(r->text + pos, bytes.at, bytes.size);
        pos += bytes.size;
    }
    r->nbytes += nbytes;
    return n;
}

static size_t ids_bytes(const weir_matcher *m, const uint32_t *ids, size_t n)
{
    size_t nbytes = 0;
    for (size_t i = 0; i < n; i++)
        nbytes += vocab_bytes(&m->grammar->vocab->vocab, ids[i]).size;
    return nbytes;
}

/* How many of the ids could be accepted after rollback(steps): a token taken
 * by a token edge cannot be read as text, nor can a stop token. */
static size_t retoken_taken(weir_matcher *m, size_t steps, const uint32_t *ids,
                            size_t n)
{
    if (!steps || !n) return weir_matcher_validate(m, ids, n);
    weir_matcher *trial = weir_matcher_fork(m);
    if (!trial) return 0;
    weir_matcher_rollback(trial, steps);
    n = weir_matcher_validate(trial, ids, n);
    weir_matcher_free(trial);
    return n;
}

size_t weir_matcher_forced_retoken(weir_matcher *m, uint32_t *ids,
                                   size_t capacity, size_t *rollback)
{
    Retoken r = {.m = m};
    uint32_t taken[RETOKEN_MAX]; /* newest first */
    size_t n = 0;
    *rollback = 0;
    if (!m->grammar->vocab) return 0;
    r.nbytes = weir_matcher_forced_bytes(m, r.text, sizeof r.text);
    size_t before = r.nbytes ? retoken_history(&r, taken) : 0, same = 0;
    if (r.nbytes && retoken_encode(&r)) {
        while (same < before && same < r.ids.count &&
               r.ids.at[same] == taken[before - 1 - same])
            same++;
        n = retoken_give(&r, same, ids, capacity);
    }
    vec_free(&m->mem, &r.ids);
    size_t old = before - same;
    n = retoken_taken(m, old, ids, n);
    /* something new must come of it, and all that was read be read again */
    if (!n || ids_bytes(m, ids, n) <= ids_bytes(m, taken, old))
        return weir_matcher_forced_tokens(m, ids, capacity);
    *rollback = old;
    return n;
}
