/* sharing.c: keys of shared rules, filing and finding.
 *
 * Key: the source bodies (before lowering, which is a function of them) of the
 * rules reachable from the rule, in order of discovery, every reference by its
 * place in that order. Equal keys mean equal frames.
 * Cost: linear in the closure, for each shared rule that the matching meets;
 * closures are small (the JSON rules).   Tests: unit/network_print_test.c.
 */
#include "network/sharing.h"

#include "network/adopt.h"
#include "network/frame.h"

typedef struct KeyBuild {
    const Ir *ir;
    const Mem *mem;
    VEC(uint8_t) text;
    VEC(RuleId) found;
    VEC(NodeId) todo; /* of one body, depth first */
    bool failed;
} KeyBuild;

static void key_put(KeyBuild *k, const void *data, size_t nbytes)
{
    if (k->failed || !vec_reserve(k->mem, &k->text, k->text.count + nbytes)) {
        k->failed = true;
        return;
    }
    if (nbytes) memcpy(k->text.at + k->text.count, data, nbytes);
    k->text.count += (uint32_t)nbytes;
}

static void key_word(KeyBuild *k, uint32_t word)
{
    key_put(k, &word, sizeof word);
}

static uint32_t key_rule(KeyBuild *k, RuleId rule)
{
    for (uint32_t i = 0; i < k->found.count; i++)
        if (k->found.at[i] == rule) return i;
    if (!vec_push(k->mem, &k->found, rule)) k->failed = true;
    return k->found.count - 1;
}

/* A borrowed rule is known by its part. */
static void key_ref(KeyBuild *k, RuleId rule)
{
    const Rule *r = &k->ir->rules.at[rule];
    bool is_borrowed = r->flags & RULE_BORROWED;
    key_word(k, is_borrowed ? UINT32_MAX : key_rule(k, rule));
    if (is_borrowed) key_word(k, r->part);
}

static void key_dfa(KeyBuild *k, const Dfa *d)
{
    uint32_t nedges = d->edge_start[d->nstates];
    key_word(k, d->nstates);
    key_put(k, d->edge_start, (d->nstates + 1) * sizeof *d->edge_start);
    key_put(k, d->edges, nedges * sizeof *d->edges);
    key_put(k, d->accepts, d->nstates);
}

static void key_bounded(KeyBuild *k, const BoundedSpec *spec)
{
    key_dfa(k, &spec->dfa);
    key_word(k, spec->hi);
    key_put(k, spec->ticks, spec->dfa.nstates);
}

static void key_push(KeyBuild *k, NodeId id)
{
    if (!vec_push(k->mem, &k->todo, id)) k->failed = true;
}

static void key_list(KeyBuild *k, const ListSpec *list)
{
    key_word(k, list->is_contiguous);
    key_word(k, list->nkinds);
    key_word(k, list->ncounters);
    key_word(k, list->nneeds);
    key_put(k, list->counters, list->ncounters * sizeof *list->counters);
    for (uint32_t i = 0; i < list->nneeds; i++) {
        const ListNeed *need = &list->needs[i];
        key_word(k, need->then);
        key_word(k, need->nwhen);
        key_put(k, need->when, need->nwhen * sizeof *need->when);
    }
    for (uint32_t i = list->nkinds; i-- > 0;) {
        const ListKind *kind = &list->kinds[i];
        key_word(k, kind->order);
        key_word(k, kind->unique);
        key_word(k, kind->ncounters);
        key_put(k, kind->counters, kind->ncounters * sizeof *kind->counters);
        key_push(k, kind->tail);
        key_push(k, kind->head);
    }
    key_push(k, list->separator);
}

static void key_node(KeyBuild *k, NodeId id)
{
    const Ir *ir = k->ir;
    Node n = ir_node(ir, id);
    key_word(k, n.kind);
    switch (n.kind) {
    case NODE_BYTES:
        key_word(k, n.b);
        key_put(k, ir->bytes.at + n.a, n.b);
        break;
    case NODE_CLASS:
    case NODE_TOKENS:
        key_word(k, n.b);
        key_word(k, n.c);
        key_put(k, ir->ranges.at + n.a, n.b * sizeof(Range));
        break;
    case NODE_SEQ:
    case NODE_ALT:
        key_word(k, n.b);
        for (uint32_t i = n.b; i-- > 0;) key_push(k, ir->kids.at[n.a + i]);
        break;
    case NODE_REPEAT:
        key_word(k, n.b);
        key_word(k, n.c);
        key_push(k, n.a);
        break;
    case NODE_RULE:
        key_ref(k, n.a);
        break;
    case NODE_LIST:
        key_list(k, ir_node_list(ir, n));
        break;
    case NODE_REGULAR:
        key_dfa(k, &ir->dfas.at[n.a]);
        break;
    case NODE_BOUNDED:
        key_bounded(k, ir_node_bounded(ir, n));
        break;
    default:
        break;
    }
}

/* k->text becomes the key of `rule`. */
static bool key_build(KeyBuild *k, RuleId rule)
{
    k->text.count = k->found.count = 0;
    key_rule(k, rule);
    for (uint32_t i = 0; i < k->found.count && !k->failed; i++) {
        key_push(k, k->ir->rules.at[k->found.at[i]].body);
        while (k->todo.count && !k->failed)
            key_node(k, k->todo.at[--k->todo.count]);
    }
    return !k->failed;
}

static void key_free(KeyBuild *k)
{
    vec_free(k->mem, &k->text);
    vec_free(k->mem, &k->found);
    vec_free(k->mem, &k->todo);
}

static bool publish_one(Network *net, KeyBuild *k, NodeId id)
{
    if (net->lowered.body.at[ir_node(net->ir, id).a] == NODE_NEVER_ID)
        return true;
    SharedRule *rule = arena_new(&net->arena, SharedRule);
    if (!rule) return network_no_memory(net);
    rule->key = span_of(arena_copy(&net->arena, k->text.at, k->text.count),
                        k->text.count);
    rule->part = net->ir->rules.at[ir_node(net->ir, id).a].part;
    rule->frame = frame_of(net, id);
    if (!rule->frame) return false;
    uint64_t h = hash_bytes(0, k->text.at, k->text.count);
    if (!rule->key.at || !vec_push(net->mem, &net->keys, rule) ||
        !map_add(net->mem, &net->shared_index, h, net->keys.count - 1))
        return network_no_memory(net);
    return true;
}

bool sharing_publish(Network *net)
{
    KeyBuild k = {.ir = net->ir, .mem = net->mem};
    bool ok = true;
    for (NodeId id = 0; ok && id < net->ir->nodes.count; id++) {
        Node n = net->ir->nodes.at[id];
        if (n.kind != NODE_RULE) continue;
        if (!(net->ir->rules.at[n.a].flags & RULE_SHARED)) continue;
        ok = key_build(&k, n.a) ? publish_one(net, &k, id)
                                : network_no_memory(net);
    }
    key_free(&k);
    return ok;
}

Frame *sharing_part(const Network *shared, JsonPart part)
{
    for (uint32_t i = 0; i < shared->keys.count; i++)
        if (shared->keys.at[i]->part == part) return shared->keys.at[i]->frame;
    return NULL;
}

static Frame *find(const Network *shared, Span key)
{
    uint64_t h = hash_bytes(0, key.at, key.size);
    for (MapPos p = map_first(&shared->shared_index, h); p.value != MAP_NONE;
         p = map_next(&shared->shared_index, h, p)) {
        SharedRule *rule = shared->keys.at[p.value];
        if (span_equal(rule->key, key)) return rule->frame;
    }
    return NULL;
}

bool sharing_find(Network *net, NodeId node, Frame **frame)
{
    Node n = ir_node(net->ir, node);
    *frame = NULL;
    if (!net->shared || n.kind != NODE_RULE) return true;
    Rule rule = net->ir->rules.at[n.a];
    if (!(rule.flags & RULE_SHARED)) return true;
    if (rule.flags & RULE_BORROWED) {
        *frame = sharing_part(net->shared, rule.part);
        assert(*frame); /* it has all parts */
        return true;
    }
    KeyBuild k = {.ir = net->ir, .mem = net->mem};
    bool ok = key_build(&k, n.a);
    Span key = span_of(k.text.at, k.text.count);
    if (ok) *frame = find(net->shared, key);
    if (ok && !*frame) *frame = adopt_rule(net->shared, net->ir, n.a, key);
    key_free(&k);
    return ok || network_no_memory(net);
}
