/* weir_mask.c: masks of a matcher: into a row, by pointer, for drafts.
 *
 * The text tokens come from mask/; here stop tokens are put in: set iff the
 * output may end, and never by their text. After the end a mask has just them.
 */
#include "api/matcher.h"

static void row_put(uint32_t *row, uint32_t id, bool on)
{
    uint32_t bit = 1u << (id % 32);
    row[id / 32] = on ? row[id / 32] | bit : row[id / 32] & ~bit;
}

static uint32_t row_words(const weir_matcher *m)
{
    return m->grammar->vocab ? m->grammar->vocab->masks.nwords : 0;
}

static void row_stops(const weir_matcher *m, uint32_t *row, bool on)
{
    uint32_t width = m->grammar->vocab->vocab.width;
    for (uint32_t i = 0; i < m->nstops; i++)
        if (m->stops[i] < width) row_put(row, m->stops[i], on);
}

static bool row_is_full(const weir_matcher *m, const uint32_t *row)
{
    uint32_t width = m->grammar->vocab->vocab.width, words = row_words(m);
    for (uint32_t i = 0; i < words; i++) {
        uint32_t full = i + 1 < words || width % 32 == 0
                            ? UINT32_MAX
                            : (1u << (width % 32)) - 1;
        if (row[i] != full) return false;
    }
    return true;
}

/* Tokens that masks have in the dialect llama.cpp although they are not taken,
 * if any: the sets' own, or they are as good as all. */
static const Trie *matcher_named(const weir_matcher *m)
{
    const weir_grammar *g = m->grammar;
    if (!g->keeps_tokens || !g->ir.keeps_dead_ends) return NULL;
    return g->names_all ? &g->vocab->masks.main.trie : &g->named;
}

static MaskRun *matcher_run(weir_matcher *m)
{
    if (!m->has_run) {
        MaskCounts counts = m->run.counts; /* of a run that was given up */
        uint64_t nodes = m->run.walker.nodes;
        maskrun_init(&m->run, &m->grammar->mem, &m->grammar->vocab->masks,
                     &m->grammar->walks, &m->hub->stacks,
                     &m->grammar->ir.limits);
        m->run.stepper.has_budgets = m->grammar->has_budgets;
        m->run.min_chars = m->grammar->min_chars;
        m->run.has_held = m->grammar->has_held;
        m->run.has_tokens = m->grammar->keeps_tokens;
        m->run.named = matcher_named(m);
        m->run.has_values = m->grammar->has_unique_values;
        m->run.counts = counts;
        m->run.walker.nodes = nodes;
        m->has_run = true;
    }
    m->run.stepper.ntokens = m->track.stepper.ntokens;
    m->run.unique = m->track.unique;
    return &m->run;
}

static weir_fill fill_failed(weir_matcher *m, uint32_t *row, weir_status status)
{
    m->error = status;
    memset(row, 0, row_words(m) * sizeof *row);
    row_stops(m, row, true);
    return WEIR_FILL_ERROR;
}

weir_fill matcher_fill(weir_matcher *m, uint32_t *row)
{
    if (!m->grammar->vocab) {
        m->error = WEIR_ARGUMENT;
        return WEIR_FILL_ERROR;
    }
    bool failed = false;
    if (matcher_terminated(m, &failed)) {
        memset(row, 0, row_words(m) * sizeof *row);
        row_stops(m, row, true);
        return row_is_full(m, row) ? WEIR_FILL_ALL : WEIR_FILL_APPLY;
    }
    if (failed) return fill_failed(m, row, m->error);
    MaskRun *run = matcher_run(m);
    weir_status status = mask_fill(run, &m->hub->memo, &m->track.now, row);
    if (m->owns_stops) row_stops(m, row, false);
    bool lacks_tokens =
        m->grammar->has_tokens && (m->owns_stops || !m->grammar->keeps_tokens);
    if (!status && lacks_tokens)
        status = mask_add_tokens(run, &m->track.now, row);
    if (status) return fill_failed(m, row, status);
    if (matcher_completed(m, &failed)) row_stops(m, row, true);
    if (failed) return fill_failed(m, row, m->error);
    return row_is_full(m, row) ? WEIR_FILL_ALL : WEIR_FILL_APPLY;
}

/* Room for m->row. False: no memory. */
static bool row_room(weir_matcher *m)
{
    if (!m->row) m->row = mem_new(&m->mem, row_words(m) * sizeof *m->row);
    return m->row != NULL;
}

/* What the grammar does not remember the matcher does, so that it is not made
 * again by who asks next; without memory it is. */
static void row_keep(weir_matcher *m, const int32_t *row)
{
    m->row_generation = 0;
    if (!row_room(m)) return;
    memcpy(m->row, row, row_words(m) * sizeof *row);
    m->row_generation = m->generation;
}

weir_fill weir_matcher_fill(weir_matcher *m, int32_t *row)
{
    if (m->row_generation == m->generation) {
        memcpy(row, m->row, row_words(m) * sizeof *row);
        m->run.counts.masks += m->has_run;
        m->run.counts.remembered += m->has_run;
        return row_is_full(m, m->row) ? WEIR_FILL_ALL : WEIR_FILL_APPLY;
    }
    if (m->has_run) m->run.is_passing = false;
    weir_fill fill = matcher_fill(m, (uint32_t *)row);
    if (fill != WEIR_FILL_ERROR && m->has_run && m->run.is_passing)
        row_keep(m, row);
    return fill;
}

/* The grammar's own row for this position, if it has one that is right as it
 * is: no stop tokens of the matcher's own and no token edges to put in. The
 * hub, and so the matcher, keeps it alive. */
static const uint32_t *kept_row(weir_matcher *m)
{
    bool failed = false;
    bool lacks_tokens = m->grammar->has_tokens && !m->grammar->keeps_tokens;
    if (lacks_tokens || m->owns_stops || matcher_terminated(m, &failed))
        return NULL;
    bool ends = matcher_completed(m, &failed);
    if (failed) return NULL;
    MaskStops stops = {m->stops, m->nstops, m->grammar->vocab->vocab.width};
    return mask_row(matcher_run(m), &m->hub->memo, &m->track.now,
                    ends ? &stops : NULL);
}

const int32_t *weir_matcher_mask(weir_matcher *m)
{
    if (!row_words(m)) return NULL;
    const uint32_t *kept = kept_row(m);
    if (kept) return (const int32_t *)kept;
    if (!row_room(m)) {
        m->error = WEIR_NO_MEMORY;
        return NULL;
    }
    if (m->row_generation == m->generation) return (const int32_t *)m->row;
    m->row_generation = 0;
    if (matcher_fill(m, m->row) == WEIR_FILL_ERROR) return NULL;
    m->row_generation = m->generation;
    return (const int32_t *)m->row;
}

/* ---- drafts ---- */

size_t weir_matcher_fill_drafts(weir_matcher *m, const uint32_t *drafts,
                                size_t count, int32_t *rows, size_t stride)
{
    size_t taken = 0, words = row_words(m);
    uint64_t generation = m->generation;
    m->error = WEIR_OK;
    weir_matcher_fill(m, rows);
    while (taken < count &&
           weir_matcher_accept(m, drafts[taken]) == WEIR_ACCEPTED) {
        taken++;
        weir_matcher_fill(m, rows + taken * stride);
    }
    for (size_t i = taken + 1; i <= count; i++)
        memset(rows + i * stride, 0, words * sizeof *rows);
    matcher_back(m, taken, generation);
    return taken;
}

typedef struct TreeWalk {
    weir_matcher *m;
    const uint32_t *tokens, *parents;
    VEC(uint32_t) path; /* nodes accepted now, root left out */
    VEC(uint32_t) want; /* nodes on the way to the next one */
} TreeWalk;

/* Nodes from below the root to `node`, into w->want. False: no memory. */
static bool tree_path(TreeWalk *w, uint32_t node)
{
    w->want.count = 0;
    for (uint32_t n = node; n; n = w->parents[n])
        if (!vec_push(&w->m->mem, &w->want, n)) return false;
    for (uint32_t i = 0, j = w->want.count; i + 1 < j; i++) {
        uint32_t swap = w->want.at[i];
        w->want.at[i] = w->want.at[--j];
        w->want.at[j] = swap;
    }
    return true;
}

/* Moves the matcher to the node at the end of w->want. 1: there, 0: it cannot
 * be reached, -1: see m->error. */
static int tree_go(TreeWalk *w)
{
    uint32_t same = 0;
    while (same < w->path.count && same < w->want.count &&
           w->path.at[same] == w->want.at[same])
        same++;
    weir_matcher_rollback(w->m, w->path.count - same);
    w->path.count = same;
    for (; same < w->want.count; same++) {
        uint32_t node = w->want.at[same];
        weir_accept answer = weir_matcher_accept(w->m, w->tokens[node]);
        if (answer == WEIR_ACCEPT_ERROR) return -1;
        if (answer != WEIR_ACCEPTED) return 0;
        if (!vec_push(&w->m->mem, &w->path, node)) {
            weir_matcher_rollback(w->m, 1);
            w->m->error = WEIR_NO_MEMORY;
            return -1;
        }
    }
    return 1;
}

static int tree_node(TreeWalk *w, uint32_t node)
{
    if (tree_path(w, node)) return tree_go(w);
    w->m->error = WEIR_NO_MEMORY;
    return -1;
}

weir_status weir_matcher_fill_tree(weir_matcher *m, const uint32_t *tokens,
                                   const uint32_t *parents, size_t count,
                                   int32_t *rows, size_t stride)
{
    TreeWalk w = {.m = m, .tokens = tokens, .parents = parents};
    uint64_t generation = m->generation;
    weir_status status = WEIR_OK;
    for (size_t i = 1; i < count; i++)
        if (parents[i] >= i) return WEIR_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        int32_t *row = rows + i * stride;
        int there = status ? -1 : tree_node(&w, (uint32_t)i);
        if (there > 0 && weir_matcher_fill(m, row) == WEIR_FILL_ERROR)
            there = -1;
        if (there < 0 && !status) status = m->error;
        if (there <= 0) memset(row, 0, row_words(m) * sizeof *row);
    }
    matcher_back(m, w.path.count, generation);
    vec_free(&m->mem, &w.path);
    vec_free(&m->mem, &w.want);
    return status;
}

void weir_matcher_describe(const weir_matcher *m, weir_matcher_stats *stats)
{
    const MaskCounts *c = &m->run.counts;
    weir_matcher_stats all = {
        .size = stats->size,
        .masks = c->masks,
        .remembered = c->remembered,
        .direct = c->direct,
        .walks_known = c->walks_known,
        .walks_made = c->walks_made,
        .nodes = c->nodes + m->run.walker.nodes,
    };
    memcpy(stats, &all, MIN(stats->size, sizeof all));
}
