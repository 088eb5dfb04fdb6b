/* texts.c: a list of texts as a language.
 *
 * In:    texts in any order.   Out: the minimal Dfa of those that are UTF-8.
 * Method: in sorted order, so that the states of the text in hand are the only
 *        ones that may still get edges; what the next text does not go through
 *        is closed, last state first, and a closed state that equals an earlier
 *        one is that one (J. Daciuk et al., Incremental Construction of Minimal
 *        Acyclic Finite-State Automata, Computational Linguistics 26, 2000).
 * Cost:  sorting, and linear in the code points.
 * Tests: unit/lang_test.c
 */
#include "lang/texts.h"

#include "base/utf8.h"

#include <stdlib.h>

void texts_free(Texts *t)
{
    const Mem *mem = t->ctx->mem;
    vec_free(mem, &t->open);
    vec_free(mem, &t->stack);
    closed_free(&t->closed);
}

/* ---- closing ---- */

/* Closes the open states below `depth`; *state: the last one closed. */
static bool close_below(Texts *t, uint32_t depth, uint32_t *state)
{
    while (t->open.count > depth) {
        OpenState open = t->open.at[--t->open.count];
        if (!closed_add(&t->closed, open.accepts, t->stack.at + open.first,
                        t->stack.count - open.first, state))
            return false;
        t->stack.count = open.first;
        if (t->open.count) t->stack.at[t->stack.count - 1].to = *state;
    }
    return true;
}

/* ---- reading ---- */

static bool open_state(Texts *t)
{
    OpenState fresh = {t->stack.count, false};
    return vec_push(t->ctx->mem, &t->open, fresh) || lang_no_memory(t->ctx);
}

/* Code points that two texts, both UTF-8, begin with; their bytes in *size. */
static uint32_t common_runes(Span a, Span b, size_t *size)
{
    uint32_t count = 0;
    size_t n = 0, end = 0;
    while (n < a.size && n < b.size && a.at[n] == b.at[n]) {
        n++;
        bool is_border = n == a.size || (a.at[n] & 0xC0) != 0x80;
        if (is_border) count++, end = n;
    }
    *size = end;
    return count;
}

static bool add_text(Texts *t, Span text, Span before)
{
    size_t pos;
    uint32_t state, shared = common_runes(text, before, &pos);
    if (!close_below(t, shared + 1, &state)) return false;
    while (pos < text.size) {
        uint32_t rune = utf8_decode(text, &pos);
        if (!lang_charge(t->ctx, 8)) return false;
        if (!vec_push(t->ctx->mem, &t->stack, (DfaEdge){rune, rune, 0}))
            return lang_no_memory(t->ctx);
        if (!open_state(t)) return false;
    }
    t->open.at[t->open.count - 1].accepts = true;
    return true;
}

/* Room for a state a byte, most often enough for all: so nothing grows. */
static bool reserve(Texts *t, const Span *texts, uint32_t count)
{
    enum { MOST = 4096 };
    const Mem *mem = t->ctx->mem;
    size_t longest = 0, all = 1;
    for (uint32_t i = 0; i < count; i++) {
        longest = MAX(longest, MIN(texts[i].size, MOST));
        all = MIN(all + texts[i].size, MOST);
    }
    return (vec_reserve(mem, &t->open, longest + 1) &&
            vec_reserve(mem, &t->stack, longest + 1) &&
            vec_reserve(mem, &t->closed.states, all) &&
            vec_reserve(mem, &t->closed.edges, all) &&
            map_reserve(mem, &t->closed.index, (uint32_t)all)) ||
           lang_no_memory(t->ctx);
}

static bool read_sorted(Texts *t, const Span *sorted, uint32_t count)
{
    Span before = {0};
    bool any = false;
    if (!reserve(t, sorted, count) || !open_state(t)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (utf8_check(sorted[i]) != sorted[i].size) continue;
        if (!add_text(t, sorted[i], before)) return false;
        before = sorted[i];
        any = true;
    }
    return any && close_below(t, 0, &t->root);
}

static int span_order(const void *x, const void *y)
{
    return span_compare(*(const Span *)x, *(const Span *)y);
}

bool texts_read(Texts *t, LangCtx *ctx, const Span *texts, uint32_t count)
{
    *t = (Texts){.ctx = ctx, .closed = {.ctx = ctx}};
    if (!count || !lang_charge(ctx, count * 16ull)) return false;
    size_t nbytes = size_mul(count, sizeof *texts);
    Span *sorted = mem_new(ctx->mem, nbytes);
    if (!sorted) return lang_no_memory(ctx);
    memcpy(sorted, texts, nbytes);
    qsort(sorted, count, sizeof *sorted, span_order);
    bool done = read_sorted(t, sorted, count);
    mem_free(ctx->mem, sorted, nbytes);
    return done;
}

const Dfa *lang_texts(LangCtx *ctx, const Span *texts, uint32_t count)
{
    Texts t;
    const Dfa *out = lang_none();
    if (texts_read(&t, ctx, texts, count))
        out = closed_write(&t.closed, t.root);
    texts_free(&t);
    return out;
}

const Dfa *lang_text(LangCtx *ctx, Span text)
{
    return lang_texts(ctx, &text, 1);
}
