/* tag_text.c: free text with tags → an expression.
 *
 * In:    tags with their bodies, ends, and excluded texts. Out: one node,
 *            free ((tag1 body1 | tag2 body2 | ...) free)* (end1 | ...)
 *        where `free` is a deterministic automaton over code points.
 * Method: a node of the trie (tag_trie.h) is open when no tag and no exclude
 * ends there; `free` runs over those that open nodes alone lead to. It is
 * exact in front of tag t, unless what was read before t may end in the
 * beginning of something that t would complete: tag "aba" after "ab", whose
 * "aba" began earlier. For such tags `free` may not end in the nodes from
 * which that happens: the same automaton with fewer accepting states, so that
 * the engine walks all of them in step.
 * Holds: of a node in free text the fail link is in free text too, and comes
 *        first; every state of `free` leads back to the root, which accepts.
 * Cost:  linear in the texts and the edges. Reading any code point that goes
 *        on with no tag leads to the root: one edge for all between two.
 * Tests: unit/tag_text_test.c.
 */
#include "syntax/tag_text.h"

#include "base/utf8.h"
#include "syntax/tag_trie.h"

#include <stdlib.h>

enum {
    EDGES_PER_STATE = 4, /* the limit of edges, by that of states */
    STEP_WORK = 32       /* what one step in the trie is charged */
};

/* Reading `rune` leads to a node other than the root. */
typedef struct Step {
    uint32_t rune, node;
} Step;

/* Tags are numbered, then ends. After free text that ends in `state`, `tag` may
 * not follow. */
typedef struct Ban {
    uint32_t tag, state;
} Ban;

/* What may follow free text. */
typedef struct Branches {
    VEC(NodeId) plain;  /* tag body, for tags without bans */
    VEC(NodeId) banned; /* free tag body, for the others */
} Branches;

typedef struct Text {
    Ir *ir;
    const TagText *in;
    TagTrie trie;
    VEC(uint32_t) node_state; /* by node, or TAG_NONE */
    VEC(uint32_t) state_node;
    VEC(Step) steps;                   /* by state, ascending runes */
    VEC(uint32_t) state_steps;         /* by state: its first; one more */
    VEC(uint32_t) first_tag, next_tag; /* tags by their first node, a list */
    uint32_t ntags;                    /* ends included */
    VEC(Ban) bans;
    VEC(uint8_t) accepts;
    VEC(DfaEdge) edges;
    VEC(uint32_t) edge_start;
    Branches more, last; /* what goes on with free text, and what does not */
    uint64_t work;       /* steps left */
} Text;

static bool no_memory(Text *t)
{
    return diag_no_memory(&t->ir->error);
}

static bool too_large(Text *t)
{
    return diag_fail(&t->ir->error, WEIR_LIMIT_STATES, t->in->begin, t->in->end,
                     "tags that need more than %u states",
                     t->ir->limits.max_states);
}

static bool trie_failed(Text *t)
{
    return t->trie.is_full ? too_large(t) : no_memory(t);
}

static bool is_end(const Text *t, uint32_t tag)
{
    return tag >= t->in->ntags;
}

static Span text_of(const Text *t, uint32_t tag)
{
    return is_end(t, tag) ? t->in->ends[tag - t->in->ntags] : t->in->tags[tag];
}

/* ---- the trie and its states ---- */

static bool bad_exclude(Text *t, uint32_t index)
{
    return diag_fail(&t->ir->error, WEIR_SYNTAX, t->in->begin, t->in->end,
                     "exclude %u is a prefix of a tag", index + 1);
}

static bool build_trie(Text *t)
{
    for (uint32_t i = 0; i < t->in->ntags; i++)
        tag_trie_add_tag(&t->trie, t->in->tags[i]);
    for (uint32_t i = 0; i < t->in->nends; i++)
        tag_trie_add_end(&t->trie, t->in->ends[i]);
    for (uint32_t i = 0; i < t->in->nexcludes; i++) {
        uint32_t node = tag_trie_add_exclude(&t->trie, t->in->excludes[i]);
        if (!tag_trie_ok(&t->trie)) break;
        if (t->trie.nodes.at[node].is_in_tag) return bad_exclude(t, i);
    }
    tag_trie_link(&t->trie);
    return tag_trie_ok(&t->trie) || trie_failed(t);
}

/* Numbers the nodes of free text, breadth first: the root is state 0. */
static bool number_states(Text *t)
{
    const Mem *mem = t->ir->mem;
    uint32_t count = t->trie.nodes.count;
    if (!vec_reserve(mem, &t->node_state, count)) return no_memory(t);
    t->node_state.count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = t->trie.order.at[i];
        uint32_t parent = t->trie.nodes.at[node].parent;
        bool is_free = tag_trie_is_open(&t->trie, node) &&
                       (!node || t->node_state.at[parent] != TAG_NONE);
        t->node_state.at[node] = is_free ? t->state_node.count : TAG_NONE;
        if (is_free && !vec_push(mem, &t->state_node, node))
            return no_memory(t);
    }
    return true;
}

/* ---- steps ---- */

static int step_order(const void *x, const void *y)
{
    uint32_t a = ((const Step *)x)->rune, b = ((const Step *)y)->rune;
    return (a > b) - (a < b);
}

static bool push_step(Text *t, Step step)
{
    if (t->steps.count / EDGES_PER_STATE >= t->ir->limits.max_states)
        return too_large(t);
    return vec_push(t->ir->mem, &t->steps, step) || no_memory(t);
}

/* The children of a node, sorted, at the end of `steps`. */
static bool push_children(Text *t, uint32_t node)
{
    uint32_t start = t->steps.count;
    uint32_t child = t->trie.nodes.at[node].child;
    for (; child != TAG_NONE; child = t->trie.nodes.at[child].sibling)
        if (!push_step(t, (Step){t->trie.nodes.at[child].rune, child}))
            return false;
    if (t->steps.count > start)
        qsort(t->steps.at + start, t->steps.count - start, sizeof(Step),
              step_order);
    return true;
}

/* Those of the fail link that the node's own children leave. */
static bool push_inherited(Text *t, uint32_t node)
{
    uint32_t from = t->node_state.at[t->trie.nodes.at[node].fail];
    uint32_t i = t->state_steps.at[from], end = t->state_steps.at[from + 1];
    uint32_t start = t->steps.count, own = start;
    if (!push_children(t, node)) return false;
    uint32_t own_end = t->steps.count;
    for (; i < end; i++) {
        Step step = t->steps.at[i];
        while (own < own_end && t->steps.at[own].rune < step.rune) own++;
        bool is_own = own < own_end && t->steps.at[own].rune == step.rune;
        if (!is_own && !push_step(t, step)) return false;
    }
    if (t->steps.count > own_end && own_end > start)
        qsort(t->steps.at + start, t->steps.count - start, sizeof(Step),
              step_order);
    return true;
}

static bool find_steps(Text *t)
{
    for (uint32_t s = 0; s < t->state_node.count; s++) {
        if (!vec_push(t->ir->mem, &t->state_steps, t->steps.count))
            return no_memory(t);
        uint32_t node = t->state_node.at[s];
        bool done = s ? push_inherited(t, node) : push_children(t, node);
        if (!done) return false;
    }
    return vec_push(t->ir->mem, &t->state_steps, t->steps.count) ||
           no_memory(t);
}

/* ---- which tag may follow where ---- */

/* An exclude that ends inside the tag forbids it wherever it stands. */
static bool is_dead(const Text *t, uint32_t tag)
{
    uint32_t node = 0;
    bool dead = false;
    Span text = text_of(t, tag);
    for (size_t pos = 0; pos < text.size && !is_end(t, tag);) {
        node = tag_trie_step(&t->trie, node, utf8_decode(text, &pos));
        dead |= t->trie.nodes.at[node].is_excluded;
    }
    return dead;
}

/* Whether reading `tag` from `node` completes nothing that began before it.
 * Once the node is no longer than what was read of the tag, all that began
 * before is out of play. */
static bool may_follow(Text *t, uint32_t node, Span tag, bool is_end)
{
    uint32_t size = 0;
    for (size_t pos = 0; pos < tag.size && t->work;) {
        t->work -= MIN(t->work, STEP_WORK);
        node = tag_trie_step(&t->trie, node, utf8_decode(tag, &pos));
        const TagNode *n = &t->trie.nodes.at[node];
        size++;
        if (n->depth <= size) return true;
        if (n->tag_size > size || (n->is_excluded && !is_end)) return false;
    }
    return true;
}

static bool list_tags(Text *t)
{
    const Mem *mem = t->ir->mem;
    uint32_t nodes = t->trie.nodes.count;
    if (!vec_reserve(mem, &t->first_tag, nodes) ||
        !vec_reserve(mem, &t->next_tag, t->ntags))
        return no_memory(t);
    for (uint32_t i = 0; i < nodes; i++) t->first_tag.at[i] = TAG_NONE;
    for (uint32_t i = 0; i < t->ntags; i++) {
        size_t pos = 0;
        uint32_t rune = utf8_decode(text_of(t, i), &pos);
        uint32_t node = tag_trie_child(&t->trie, 0, rune);
        if (is_dead(t, i)) {
            ir_warn(t->ir, t->in->begin, t->in->end,
                    "tag %u holds an exclude and can never be written",
                    (unsigned)i + 1);
            continue;
        }
        t->next_tag.at[i] = t->first_tag.at[node];
        t->first_tag.at[node] = i;
    }
    return ir_ok(t->ir);
}

/* Tags that begin with a step that goes on with what was read before. */
static bool ban_from(Text *t, uint32_t state, Step step)
{
    uint32_t first = tag_trie_child(&t->trie, 0, step.rune);
    uint32_t tag = first == TAG_NONE ? TAG_NONE : t->first_tag.at[first];
    for (; tag != TAG_NONE; tag = t->next_tag.at[tag]) {
        bool may = may_follow(t, t->state_node.at[state], text_of(t, tag),
                              is_end(t, tag));
        if (!t->work)
            return diag_fail(&t->ir->error, WEIR_LIMIT_WORK, t->in->begin,
                             t->in->end, "tags that overlap too often");
        if (may) continue;
        if (t->bans.count / EDGES_PER_STATE >= t->ir->limits.max_states)
            return too_large(t);
        if (!vec_push(t->ir->mem, &t->bans, (Ban){tag, state}))
            return no_memory(t);
    }
    return true;
}

static bool find_bans(Text *t)
{
    if (!list_tags(t)) return false;
    for (uint32_t s = 1; s < t->state_node.count; s++)
        for (uint32_t i = t->state_steps.at[s]; i < t->state_steps.at[s + 1];
             i++) {
            Step step = t->steps.at[i];
            if (t->trie.nodes.at[step.node].depth > 1 && !ban_from(t, s, step))
                return false;
        }
    return true;
}

/* ---- the automaton of free text ---- */

static bool push_edge(Text *t, uint32_t lo, uint32_t hi, uint32_t to)
{
    return lo > hi || vec_push(t->ir->mem, &t->edges, (DfaEdge){lo, hi, to}) ||
           no_memory(t);
}

/* [lo, hi] without surrogates, to the root. */
static bool push_rest(Text *t, uint32_t lo, uint32_t hi)
{
    return push_edge(t, lo, MIN(hi, 0xD7FF), 0) &&
           push_edge(t, MAX(lo, 0xE000), hi, 0);
}

static bool push_edges(Text *t, uint32_t state)
{
    uint32_t next = 0;
    for (uint32_t i = t->state_steps.at[state];
         i < t->state_steps.at[state + 1]; i++) {
        Step step = t->steps.at[i];
        uint32_t to = t->node_state.at[step.node];
        if (step.rune > next && !push_rest(t, next, step.rune - 1))
            return false;
        if (to != TAG_NONE && !push_edge(t, step.rune, step.rune, to))
            return false;
        next = step.rune + 1;
    }
    return push_rest(t, next, RUNE_MAX);
}

static bool build_edges(Text *t)
{
    const Mem *mem = t->ir->mem;
    for (uint32_t s = 0; s < t->state_node.count; s++)
        if (!vec_push(mem, &t->edge_start, t->edges.count) ||
            !vec_push(mem, &t->accepts, 1) || !push_edges(t, s))
            return no_memory(t);
    return vec_push(mem, &t->edge_start, t->edges.count) || no_memory(t);
}

static NodeId limited(Text *t, NodeId free)
{
    const RuleOptions *budget = t->in->budget;
    if (!budget || !(budget->has & RULE_HAS_MAX_TOKENS)) return free;
    RuleOptions tokens = {.has = RULE_HAS_MAX_TOKENS,
                          .max_tokens = budget->max_tokens};
    RuleId rule = ir_rule_new(t->ir, SPAN("free_text"), 0);
    ir_rule_set(t->ir, rule, free);
    ir_rule_options(t->ir, rule, &tokens);
    return ir_ref(t->ir, rule);
}

/* Free text that may end in the accepting states. */
static NodeId free_text(Text *t)
{
    Dfa dfa = {t->state_node.count, t->edge_start.at, t->edges.at,
               t->accepts.at};
    const RuleOptions *budget = t->in->budget;
    NodeId node = budget && budget->has & RULE_HAS_MAX_CHARS
                      ? ir_regular_bounded(t->ir, &dfa, NULL, budget->max_chars)
                      : ir_regular(t->ir, &dfa);
    return limited(t, node);
}

/* ---- the expression ---- */

static int ban_order(const void *x, const void *y)
{
    const Ban *a = x, *b = y;
    if (a->tag != b->tag) return a->tag < b->tag ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

static NodeId tag_body(Text *t, uint32_t tag)
{
    if (is_end(t, tag)) return t->in->closings[tag - t->in->ntags];
    return ir_seq2(t->ir, ir_bytes(t->ir, t->in->tags[tag]),
                   t->in->bodies[tag]);
}

static Branches *branches_of(Text *t, uint32_t tag)
{
    return tag < t->in->nloop ? &t->more : &t->last;
}

/* `free` without the states that are banned for the tag, then the tag. */
static bool push_banned(Text *t, uint32_t tag, uint32_t first, uint32_t count)
{
    uint64_t banned = (uint64_t)t->more.banned.count + t->last.banned.count;
    if ((banned + 2) * t->edges.count / EDGES_PER_STATE >
        t->ir->limits.max_states)
        return too_large(t);
    for (uint32_t i = 0; i < count; i++)
        t->accepts.at[t->bans.at[first + i].state] = 0;
    NodeId node = ir_seq2(t->ir, free_text(t), tag_body(t, tag));
    for (uint32_t i = 0; i < count; i++)
        t->accepts.at[t->bans.at[first + i].state] = 1;
    return vec_push(t->ir->mem, &branches_of(t, tag)->banned, node) ||
           no_memory(t);
}

static bool push_plain(Text *t, Branches *to, NodeId node)
{
    return vec_push(t->ir->mem, &to->plain, node) || no_memory(t);
}

static bool sort_tags(Text *t)
{
    uint32_t ban = 0;
    if (t->bans.count) qsort(t->bans.at, t->bans.count, sizeof(Ban), ban_order);
    for (uint32_t i = 0; i < t->ntags; i++) {
        uint32_t first = ban;
        while (ban < t->bans.count && t->bans.at[ban].tag == i) ban++;
        if (is_dead(t, i)) continue;
        bool done = ban > first
                        ? push_banned(t, i, first, ban - first)
                        : push_plain(t, branches_of(t, i), tag_body(t, i));
        if (!done) return false;
    }
    return push_plain(t, &t->more, t->in->other_more) &&
           push_plain(t, &t->last, t->in->other_last) && ir_ok(t->ir);
}

/* free (more free)* last, where one copy of `free` at a time is alive; with
 * bans (free more | banned)* (free last | banned). */
static NodeId combine(Text *t)
{
    Ir *ir = t->ir;
    const Branches *m = &t->more, *l = &t->last;
    NodeId free = free_text(t);
    NodeId more = ir_alt(ir, m->plain.at, m->plain.count);
    NodeId last = ir_alt(ir, l->plain.at, l->plain.count);
    if (t->in->is_open) last = ir_optional(ir, last);
    if (!m->banned.count && !l->banned.count) {
        more = ir_repeat(ir, ir_seq2(ir, more, free), 0, REPEAT_INF);
        return IR_SEQ(ir, free, more, last);
    }
    more = ir_alt2(ir, ir_alt(ir, m->banned.at, m->banned.count),
                   ir_seq2(ir, free, more));
    last = ir_alt2(ir, ir_alt(ir, l->banned.at, l->banned.count),
                   ir_seq2(ir, free, last));
    return ir_seq2(ir, ir_repeat(ir, more, 0, REPEAT_INF), last);
}

static void branches_free(const Mem *mem, Branches *b)
{
    vec_free(mem, &b->plain);
    vec_free(mem, &b->banned);
}

static NodeId compile(Text *t)
{
    bool done = build_trie(t) && number_states(t) && find_steps(t) &&
                find_bans(t) && build_edges(t) && sort_tags(t);
    return done ? combine(t) : NODE_NEVER_ID;
}

NodeId tag_text_compile(Ir *ir, const TagText *tags)
{
    if (!ir_ok(ir)) return NODE_NEVER_ID;
    Text t = {.ir = ir,
              .in = tags,
              .ntags = tags->ntags + tags->nends,
              .work = ir->limits.max_work};
    tag_trie_init(&t.trie, ir->mem, ir->limits.max_states);
    NodeId node = compile(&t);
    tag_trie_free(&t.trie);
    vec_free(ir->mem, &t.node_state);
    vec_free(ir->mem, &t.state_node);
    vec_free(ir->mem, &t.steps);
    vec_free(ir->mem, &t.state_steps);
    vec_free(ir->mem, &t.first_tag);
    vec_free(ir->mem, &t.next_tag);
    vec_free(ir->mem, &t.bans);
    vec_free(ir->mem, &t.accepts);
    vec_free(ir->mem, &t.edges);
    vec_free(ir->mem, &t.edge_start);
    branches_free(ir->mem, &t.more);
    branches_free(ir->mem, &t.last);
    return node;
}
