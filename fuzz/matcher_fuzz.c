/* matcher_fuzz.c: a matcher driven by any bytes.
 *
 * In:    two bytes that choose grammar, vocabulary and termination; then
 *        operations of two bytes each: what, and with what.
 * Holds: after every operation each bit of the mask is what the token alone
 *        says; a token is accepted iff its bit is set; a refused step changes
 *        nothing; a rollback comes to the mask of then, a copy and an import
 *        to the mask of now; what is forced is accepted, and nothing else is;
 *        validate, drafts and trees say what steps say; the way to the end
 *        leads there.
 */
#include "fuzz/matcher_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 200, OPS_MAX = 200, IDS = 4 };

typedef struct Drive {
    weir_matcher *m;
    int32_t row[KIT_WORDS];
    uint64_t seen[STEPS_MAX + 1]; /* mask hashes by number of steps */
    uint8_t first, second;        /* of the input */
} Drive;

static void note(Drive *d)
{
    uint64_t hash = kit_mask(d->m, d->row);
    d->seen[weir_matcher_steps(d->m)] = hash;
}

/* The matcher is where it was. */
static void unchanged(Drive *d, uint64_t generation)
{
    int32_t row[KIT_WORDS];
    must(weir_matcher_generation(d->m) == generation);
    must(kit_mask(d->m, row) == d->seen[weir_matcher_steps(d->m)]);
}

static weir_matcher *copy_of(Drive *d)
{
    weir_matcher *copy = weir_matcher_fork(d->m);
    must(copy != NULL);
    return copy;
}

/* The allowed id at place `arg`, going round; KIT_TOKENS: none. */
static uint32_t pick(const Drive *d, uint8_t arg)
{
    size_t count = weir_mask_count(d->row, KIT_TOKENS, NULL);
    size_t skip = count ? arg % count : 0;
    uint32_t id = 0;
    while (id < KIT_TOKENS && (!kit_bit(d->row, id) || skip--)) id++;
    return id;
}

/* ---- steps ---- */

static void take(Drive *d, uint32_t id)
{
    uint64_t generation = weir_matcher_generation(d->m);
    bool is_end = weir_matcher_is_terminated(d->m);
    bool allowed = id < KIT_TOKENS && kit_bit(d->row, id);
    weir_accept got = weir_matcher_accept(d->m, id);
    must(got == (is_end    ? WEIR_TERMINATED
                 : allowed ? WEIR_ACCEPTED
                           : WEIR_REFUSED));
    if (got == WEIR_ACCEPTED)
        note(d);
    else
        unchanged(d, generation);
}

static void op_allowed(Drive *d, uint8_t arg)
{
    take(d, pick(d, arg));
}

static void op_any(Drive *d, uint8_t arg)
{
    take(d, arg < 250 ? arg : 250u + (arg - 250u) * 16);
}

static void op_piece(Drive *d, uint8_t arg)
{
    take(d, 256u + arg % 72);
}

/* A byte as bytes; as a token it says the same, unless an edge has it. */
static void op_byte(Drive *d, uint8_t arg)
{
    char byte = (char)arg;
    uint64_t generation = weir_matcher_generation(d->m);
    size_t consumed;
    weir_accept got =
        weir_matcher_accept_bytes(d->m, (weir_bytes){&byte, 1}, &consumed);
    must(got <= WEIR_TERMINATED && consumed == (got == WEIR_ACCEPTED));
    bool has_tokens = d->first % COUNT_OF(kit_grammars) == 9;
    if (d->second % KIT_VOCABS == 0 && !has_tokens)
        must((got == WEIR_ACCEPTED) == kit_bit(d->row, arg));
    if (got == WEIR_ACCEPTED)
        note(d);
    else
        unchanged(d, generation);
}

/* ---- back ---- */

static void op_back(Drive *d, uint8_t arg)
{
    size_t steps = weir_matcher_steps(d->m), back = arg % (steps + 1);
    must(weir_matcher_rollback(d->m, back) == WEIR_OK);
    must(weir_matcher_steps(d->m) == steps - back);
    must(kit_mask(d->m, d->row) == d->seen[steps - back]);
}

static void op_too_far(Drive *d, uint8_t arg)
{
    uint64_t generation = weir_matcher_generation(d->m);
    size_t steps = weir_matcher_steps(d->m);
    must(weir_matcher_rollback(d->m, steps + 1 + arg) == WEIR_ROLLBACK);
    must(weir_matcher_steps(d->m) == steps);
    unchanged(d, generation);
}

static void op_reset(Drive *d, uint8_t arg)
{
    if (arg % 4) return; /* seldom: it forgets so much */
    weir_matcher_reset(d->m);
    must(weir_matcher_steps(d->m) == 0);
    must(kit_mask(d->m, d->row) == d->seen[0]);
}

/* ---- copies ---- */

static void go_on_with(Drive *d, weir_matcher *m)
{
    int32_t row[KIT_WORDS];
    size_t steps = weir_matcher_steps(d->m);
    must(weir_matcher_steps(m) == steps);
    must(kit_mask(m, row) == d->seen[steps]);
    weir_matcher_free(d->m);
    d->m = m;
}

static void op_fork(Drive *d, uint8_t arg)
{
    weir_matcher *copy = copy_of(d);
    weir_matcher_accept(copy, pick(d, arg)); /* no concern of the first */
    unchanged(d, weir_matcher_generation(d->m));
    weir_matcher_free(copy);
    go_on_with(d, copy_of(d));
}

static void op_move(Drive *d, uint8_t arg)
{
    char state[8192];
    weir_matcher *far = kit_matcher(d->first, d->second);
    weir_matcher_accept(far, arg);
    size_t size = weir_matcher_export(d->m, state, sizeof state);
    must(size <= sizeof state);
    must(weir_matcher_import(far, (weir_bytes){state, size}) == WEIR_OK);
    go_on_with(d, far);
}

/* ---- questions ---- */

static void op_mask(Drive *d, uint8_t arg)
{
    for (int i = arg % 3; i >= 0; i--) {
        const int32_t *mask = weir_matcher_mask(d->m);
        must(mask && !memcmp(mask, d->row, sizeof d->row));
    }
}

/* A few tokens by one byte: allowed ones first, then perhaps any. */
static void make_ids(const Drive *d, uint8_t arg, uint32_t ids[IDS])
{
    weir_matcher *m = weir_matcher_fork(d->m);
    must(m != NULL);
    for (uint32_t i = 0; i < IDS; i++) {
        Drive at = {.m = m};
        kit_mask(m, at.row);
        ids[i] = arg >> i & 1 ? pick(&at, (uint8_t)(arg * 7u + i))
                              : (arg * 31u + i * 97u) % KIT_TOKENS;
        if (i == 0) ids[i] = pick(&at, arg);
        weir_matcher_accept(m, ids[i]);
    }
    weir_matcher_free(m);
}

static void op_drafts(Drive *d, uint8_t arg)
{
    uint32_t ids[IDS];
    int32_t rows[(IDS + 1) * KIT_WORDS], row[KIT_WORDS];
    uint64_t generation = weir_matcher_generation(d->m);
    make_ids(d, arg, ids);
    size_t n = weir_matcher_validate(d->m, ids, IDS);
    must(weir_matcher_fill_drafts(d->m, ids, IDS, rows, KIT_WORDS) == n);
    unchanged(d, generation);
    weir_matcher *m = copy_of(d);
    for (size_t i = 0; i <= IDS; i++) {
        if (i <= n)
            kit_mask(m, row);
        else
            memset(row, 0, sizeof row);
        must(!memcmp(rows + i * KIT_WORDS, row, sizeof row));
        if (i < IDS && i <= n)
            must((weir_matcher_accept(m, ids[i]) == WEIR_ACCEPTED) == (i < n));
    }
    weir_matcher_free(m);
}

/* Two branches from the present place: ids 0, 1 and 2, 3. */
static void op_tree(Drive *d, uint8_t arg)
{
    enum { NODES = IDS + 1 };
    static const uint32_t parents[NODES] = {0, 0, 1, 0, 3};
    uint32_t tokens[NODES] = {0};
    int32_t rows[NODES * KIT_WORDS], row[KIT_WORDS];
    uint64_t generation = weir_matcher_generation(d->m);
    make_ids(d, arg, tokens + 1);
    must(weir_matcher_fill_tree(d->m, tokens, parents, NODES, rows,
                                KIT_WORDS) == WEIR_OK);
    unchanged(d, generation);
    for (uint32_t i = 0; i < NODES; i++) {
        weir_matcher *m = copy_of(d);
        bool there = true;
        if (parents[i])
            there = weir_matcher_accept(m, tokens[parents[i]]) == WEIR_ACCEPTED;
        if (i) there &= weir_matcher_accept(m, tokens[i]) == WEIR_ACCEPTED;
        memset(row, 0, sizeof row);
        if (there) kit_mask(m, row);
        must(!memcmp(rows + i * KIT_WORDS, row, sizeof row));
        weir_matcher_free(m);
    }
}

/* Nothing but the first forced byte may come next, and all can be read. */
static void op_forced(Drive *d, uint8_t arg)
{
    char text[64];
    uint64_t generation = weir_matcher_generation(d->m);
    size_t n = weir_matcher_forced_bytes(d->m, text, arg % 64);
    weir_vocab *v = kit_vocab(d->second % KIT_VOCABS);
    for (uint32_t id = 0; n && id < KIT_TOKENS; id++)
        if (kit_bit(d->row, id))
            must(weir_vocab_token(v, id).bytes.data[0] == text[0]);
    unchanged(d, generation);
    weir_matcher *m = copy_of(d);
    must(!n || weir_matcher_accept_bytes(m, (weir_bytes){text, n}, NULL) ==
                   WEIR_ACCEPTED);
    weir_matcher_free(m);
}

static void op_forced_tokens(Drive *d, uint8_t arg)
{
    uint32_t ids[16];
    size_t rollback = 0;
    uint64_t generation = weir_matcher_generation(d->m);
    size_t n = arg % 2
                   ? weir_matcher_forced_retoken(d->m, ids, arg % 16, &rollback)
                   : weir_matcher_forced_tokens(d->m, ids, arg % 16);
    must(n <= arg % 16u && rollback <= weir_matcher_steps(d->m));
    unchanged(d, generation);
    weir_matcher *m = copy_of(d);
    must(weir_matcher_rollback(m, rollback) == WEIR_OK);
    for (size_t i = 0; i < n; i++)
        must(weir_matcher_accept(m, ids[i]) == WEIR_ACCEPTED);
    weir_matcher_free(m);
}

static void op_finish(Drive *d, uint8_t arg)
{
    enum { ROOM = 512 };
    uint32_t ids[ROOM];
    uint64_t generation = weir_matcher_generation(d->m);
    size_t n = weir_matcher_finish_tokens(d->m, ids, arg ? ROOM : 0);
    unchanged(d, generation);
    if (n > ROOM || !arg) return;
    weir_matcher *m = copy_of(d);
    for (size_t i = 0; i < n; i++)
        must(weir_matcher_accept(m, ids[i]) == WEIR_ACCEPTED);
    must(weir_matcher_is_completed(m));
    weir_matcher_free(m);
}

static void op_explain(Drive *d, uint8_t arg)
{
    char text[300];
    uint32_t id = arg < 8 ? UINT32_MAX : arg < 200 ? arg : arg + 64u;
    uint64_t generation = weir_matcher_generation(d->m);
    size_t need = weir_matcher_explain(d->m, id, text, sizeof text);
    must(need && strlen(text) == (need < sizeof text ? need : 299));
    must(weir_matcher_explain(d->m, id, NULL, 0) == need);
    unchanged(d, generation);
}

/* ---- driving ---- */

typedef void (*Op)(Drive *d, uint8_t arg);

static const Op ops[] = {
    op_allowed, op_allowed, op_allowed,       op_any,    op_piece,   op_byte,
    op_byte,    op_back,    op_too_far,       op_reset,  op_fork,    op_move,
    op_mask,    op_drafts,  op_tree,          op_forced, op_explain, op_finish,
    op_allowed, op_byte,    op_forced_tokens,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    Drive d = {.first = data[0], .second = data[1]};
    d.m = kit_matcher(d.first, d.second);
    note(&d);
    for (size_t i = 2; i + 1 < size && i < 2 * OPS_MAX; i += 2)
        if (weir_matcher_steps(d.m) < STEPS_MAX)
            ops[data[i] % COUNT_OF(ops)](&d, data[i + 1]);
    weir_matcher_free(d.m);
    return 0;
}
