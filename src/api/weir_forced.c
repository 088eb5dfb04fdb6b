/* weir_forced.c: text that must come next (jump-forward).
 *
 * Bytes are forced while the output is not complete, no token edge is open and
 * exactly one byte can follow. As tokens they are what the encoder makes of
 * them, less the last ones: a tail of the forced text that some longer token
 * begins with could still be read as the start of that token, so everything
 * from the first such place on is left to the model.
 */
#include "api/matcher.h"

enum { FORCED_MAX = 4096 }; /* bytes looked ahead for tokens */

/* The only byte that can follow track.next, or -1. */
static int forced_byte(Track *t)
{
    ByteSet first;
    unsigned count = 0;
    int only = -1;
    if (set_is_complete(&t->stepper, &t->next) ||
        set_has_tokens(&t->stepper, &t->next))
        return -1;
    set_first(&t->stepper, &t->next, &first);
    for (int i = 0; i < 4; i++) {
        count += bit_count(first.word[i]);
        if (first.word[i]) only = i * 64 + (int)bit_lowest(first.word[i]);
    }
    return count == 1 ? only : -1;
}

size_t weir_matcher_forced_bytes(weir_matcher *m, char *out, size_t capacity)
{
    Track *t = &m->track;
    size_t n = 0;
    if (weir_matcher_is_terminated(m)) return 0;
    stepper_clear(&t->stepper);
    if (!set_copy(t->mem, &t->next, &t->now)) {
        m->error = WEIR_NO_MEMORY;
        return 0;
    }
    while (n < capacity) {
        int byte = forced_byte(t);
        if (byte < 0) break;
        set_step(&t->stepper, &t->next, (uint8_t)byte, &t->spare);
        ConfigSet swap = t->next;
        t->next = t->spare;
        t->spare = swap;
        if (stepper_status(&t->stepper)) break;
        out[n++] = (char)byte;
    }
    if (stepper_status(&t->stepper)) m->error = stepper_status(&t->stepper);
    stepper_clear(&t->stepper);
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

size_t weir_matcher_forced_tokens(weir_matcher *m, uint32_t *ids,
                                  size_t capacity)
{
    char text[FORCED_MAX];
    weir_vocab *v = m->grammar->vocab;
    if (!v) return 0;
    size_t nbytes = weir_matcher_forced_bytes(m, text, sizeof text);
    weir_bytes forced = {text, nbytes};
    size_t settled = settled_bytes(v, span_from(forced));
    size_t need = weir_vocab_encode(v, forced, false, NULL, 0);
    if (!settled || need == SIZE_MAX || !need) return 0;
    uint32_t *all = mem_new(&m->mem, need * sizeof *all);
    if (!all) return 0;
    need = weir_vocab_encode(v, forced, false, all, need);
    size_t taken = 0, pos = 0;
    while (taken < MIN(need, capacity)) {
        size_t end = pos + vocab_bytes(&v->vocab, all[taken]).size;
        if (end > settled) break;
        ids[taken] = all[taken];
        taken++;
        pos = end;
    }
    mem_free(&m->mem, all, need * sizeof *all);
    return weir_matcher_validate(m, ids, taken);
}
