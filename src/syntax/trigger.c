/* trigger.c: the pattern of a trigger -> instructions.
 *
 * Parsed to a tree of nodes, then written as the code of a backtracking matcher
 * (Pike's machine, trigger_search.c): order of alternatives and lazy marks are
 * kept, since they decide where groups lie. Nesting is capped by
 * TRIGGER_DEPTH, so both stages recurse; counted repeats are written out, up
 * to TRIGGER_CODE instructions.
 * Tests: unit/trigger_test.c.
 */
#include "syntax/trigger.h"

enum {
    TRIGGER_DEPTH = 100,
    TRIGGER_CODE = 20000,
    TRIGGER_VISITS = 400000, /* of nodes, where repeats are written out */
    MOST_REPEAT = 1000
};
#define NO_NODE UINT32_MAX
#define NO_MOST UINT32_MAX

typedef enum NodeOp {
    OP_SET,    /* n: index in sets */
    OP_SEQ,    /* kids in order */
    OP_ALT,    /* the same */
    OP_REPEAT, /* lo to hi times the kid */
    OP_GROUP,  /* n: its number */
    OP_START,
    OP_END,
    OP_WORD /* n: 1 if not */
} NodeOp;

typedef struct TreeNode {
    NodeOp op;
    uint32_t kid, next; /* first kid; sibling */
    uint32_t n, lo, hi;
    bool is_lazy;
} TreeNode;

typedef struct Parser {
    Trigger *t;
    Span text;
    size_t pos;
    weir_error *err;
    VEC(TreeNode) nodes;
    uint32_t visits;
} Parser;

/* ---- sets of bytes ---- */

static void set_range(TriggerSet *set, unsigned lo, unsigned hi)
{
    for (unsigned b = lo; b <= hi; b++)
        set->word[b / 64] |= (uint64_t)1 << b % 64;
}

static void set_invert(TriggerSet *set)
{
    for (int i = 0; i < 4; i++) set->word[i] = ~set->word[i];
}

static void set_join(TriggerSet *set, const TriggerSet *other)
{
    for (int i = 0; i < 4; i++) set->word[i] |= other->word[i];
}

/* \d \w \s and, in capitals, what they leave; false: another letter. */
static bool set_of_letter(uint8_t letter, TriggerSet *set)
{
    *set = (TriggerSet){{0}};
    switch (letter | 0x20) {
    case 'd':
        set_range(set, '0', '9');
        break;
    case 'w':
        set_range(set, '0', '9');
        set_range(set, 'A', 'Z');
        set_range(set, 'a', 'z');
        set_range(set, '_', '_');
        break;
    case 's':
        set_range(set, '\t', '\r');
        set_range(set, ' ', ' ');
        break;
    default:
        return false;
    }
    if (!(letter & 0x20)) set_invert(set);
    return true;
}

/* ---- parsing ---- */

static bool fail(Parser *p, size_t begin, const char *what)
{
    return diag_fail(p->err, WEIR_SYNTAX, begin, p->pos, "%s", what);
}

static bool refuse(Parser *p, size_t begin, const char *what)
{
    return diag_fail(p->err, WEIR_UNSUPPORTED, begin, p->pos,
                     "found %s, which triggers do not have", what);
}

static bool at_end(const Parser *p)
{
    return p->pos >= p->text.size;
}

static bool looking_at(const Parser *p, char c)
{
    return !at_end(p) && p->text.at[p->pos] == (uint8_t)c;
}

static bool node_add(Parser *p, TreeNode node, uint32_t *id)
{
    *id = p->nodes.count;
    node.next = NO_NODE;
    return vec_push(p->t->mem, &p->nodes, node) || diag_no_memory(p->err);
}

static bool set_add(Parser *p, const TriggerSet *set, uint32_t *id)
{
    TreeNode node = {.op = OP_SET, .kid = NO_NODE, .n = p->t->sets.count};
    if (!vec_push(p->t->mem, &p->t->sets, *set)) return diag_no_memory(p->err);
    return node_add(p, node, id);
}

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* \xHH and \uHHHH, of which only bytes can be. */
static bool read_hex(Parser *p, size_t begin, unsigned count, uint8_t *byte)
{
    unsigned value = 0;
    for (unsigned i = 0; i < count; i++, p->pos++) {
        int digit = at_end(p) ? -1 : hex_value(p->text.at[p->pos]);
        if (digit < 0) return fail(p, begin, "escape lacks hex digits");
        value = value << 4 | (unsigned)digit;
    }
    if (value > 0xFF)
        return refuse(p, begin, "an escape of more than one byte");
    *byte = (uint8_t)value;
    return true;
}

/* The escape of one byte; pos is at its letter. */
static bool read_escaped(Parser *p, size_t begin, uint8_t *byte)
{
    static const char letters[] = "nrtfv0", values[] = "\n\r\t\f\v";
    if (at_end(p)) return fail(p, begin, "backslash at the end");
    uint8_t c = p->text.at[p->pos++];
    const char *at = c ? strchr(letters, c) : NULL;
    if (c == 'x') return read_hex(p, begin, 2, byte);
    if (c == 'u') return read_hex(p, begin, 4, byte);
    if (at) {
        *byte = (uint8_t)values[at - letters]; /* 0: the NUL at the end */
        return true;
    }
    if (c == 'c' && !at_end(p)) {
        *byte = p->text.at[p->pos++] & 0x1F;
        return true;
    }
    if ((c >= '1' && c <= '9') || hex_value(c) >= 0 || (c | 0x20) == 'k')
        return refuse(p, begin, "an escape");
    *byte = c;
    return true;
}

/* One member of a class into *lo, or a whole set. */
static bool read_member(Parser *p, TriggerSet *set, int *lo)
{
    size_t begin = p->pos;
    TriggerSet some;
    uint8_t byte = p->text.at[p->pos++];
    *lo = byte;
    if (byte == '[' &&
        (looking_at(p, ':') || looking_at(p, '.') || looking_at(p, '=')))
        return refuse(p, begin, "a named class");
    if (byte != '\\') return true;
    if (!at_end(p) && set_of_letter(p->text.at[p->pos], &some)) {
        p->pos++;
        set_join(set, &some);
        *lo = -1;
        return true;
    }
    if (looking_at(p, 'b')) {
        p->pos++;
        *lo = '\b';
        return true;
    }
    if (!read_escaped(p, begin, &byte)) return false;
    *lo = byte;
    return true;
}

static bool read_class(Parser *p, uint32_t *id)
{
    size_t begin = p->pos++;
    TriggerSet set = {{0}};
    bool negated = looking_at(p, '^');
    if (negated) p->pos++;
    while (!looking_at(p, ']')) {
        int lo, hi;
        if (at_end(p)) return fail(p, begin, "class without ']'");
        if (!read_member(p, &set, &lo)) return false;
        hi = lo;
        bool is_range = lo >= 0 && looking_at(p, '-') &&
                        p->pos + 1 < p->text.size &&
                        p->text.at[p->pos + 1] != ']';
        if (is_range) {
            p->pos++;
            if (!read_member(p, &set, &hi)) return false;
            if (hi < lo) return fail(p, begin, "range that runs backwards");
        }
        if (lo >= 0) set_range(&set, (unsigned)lo, (unsigned)hi);
    }
    p->pos++;
    if (negated) set_invert(&set);
    return set_add(p, &set, id);
}

static bool read_escape(Parser *p, uint32_t *id)
{
    size_t begin = p->pos++;
    TriggerSet set = {{0}};
    uint8_t byte = 0, letter = at_end(p) ? 0 : p->text.at[p->pos];
    if (letter == 'b' || letter == 'B') {
        p->pos++;
        return node_add(p, (TreeNode){.op = OP_WORD, .n = letter == 'B'}, id);
    }
    if (set_of_letter(letter, &set)) {
        p->pos++;
    } else {
        if (!read_escaped(p, begin, &byte)) return false;
        set_range(&set, byte, byte);
    }
    return set_add(p, &set, id);
}

static bool read_choice(Parser *p, unsigned depth, uint32_t *id);

static bool read_group(Parser *p, unsigned depth, uint32_t *id)
{
    size_t begin = p->pos++;
    uint32_t number = 0, kid;
    if (depth == TRIGGER_DEPTH)
        return diag_fail(p->err, WEIR_LIMIT_DEPTH, begin, p->pos,
                         "more than %d groups inside each other",
                         TRIGGER_DEPTH);
    if (looking_at(p, '?')) {
        p->pos++;
        bool is_plain = looking_at(p, ':');
        if (!at_end(p)) p->pos++;
        if (!is_plain) return refuse(p, begin, "a group with '?'");
    } else {
        number = p->t->ngroups++;
    }
    if (!read_choice(p, depth + 1, &kid)) return false;
    if (!looking_at(p, ')')) {
        p->pos = begin + 1;
        return fail(p, begin, "group that is not closed, expected ')'");
    }
    p->pos++;
    *id = kid;
    return !number ||
           node_add(p, (TreeNode){.op = OP_GROUP, .kid = kid, .n = number}, id);
}

static bool read_atom(Parser *p, unsigned depth, uint32_t *id)
{
    size_t begin = p->pos;
    TriggerSet set = {{0}};
    uint8_t c = p->text.at[p->pos];
    switch (c) {
    case '(':
        return read_group(p, depth, id);
    case '[':
        return read_class(p, id);
    case '\\':
        return read_escape(p, id);
    case '*':
    case '+':
    case '?':
    case '{':
        p->pos++;
        return fail(p, begin, "repeat of nothing");
    case '^':
    case '$':
        p->pos++;
        return node_add(p, (TreeNode){.op = c == '^' ? OP_START : OP_END}, id);
    case '.':
        set_range(&set, '\n', '\n');
        set_range(&set, '\r', '\r');
        set_invert(&set);
        break;
    default:
        set_range(&set, c, c);
    }
    p->pos++;
    return set_add(p, &set, id);
}

static bool read_count(Parser *p, size_t begin, uint32_t *count)
{
    size_t from = p->pos;
    *count = 0;
    while (!at_end(p) && p->text.at[p->pos] >= '0' &&
           p->text.at[p->pos] <= '9') {
        *count = *count * 10 + (uint32_t)(p->text.at[p->pos++] - '0');
        *count = *count > MOST_REPEAT ? MOST_REPEAT + 1 : *count;
    }
    if (p->pos == from) return fail(p, begin, "repeat without a number");
    if (*count <= MOST_REPEAT) return true;
    return refuse(p, begin, "more than 1,000 repetitions");
}

static bool read_braces(Parser *p, uint32_t *lo, uint32_t *hi)
{
    size_t begin = p->pos++;
    if (!read_count(p, begin, lo)) return false;
    *hi = *lo;
    if (looking_at(p, ',')) {
        p->pos++;
        *hi = NO_MOST;
        if (!looking_at(p, '}') && !read_count(p, begin, hi)) return false;
    }
    if (!looking_at(p, '}')) return fail(p, begin, "repeat without '}'");
    if (*hi < *lo) return fail(p, begin, "repeat that runs backwards");
    return true;
}

/* The operator at pos, if there is one, around node *id. */
static bool read_repeat(Parser *p, uint32_t *id)
{
    TreeNode node = {.op = OP_REPEAT, .kid = *id, .hi = NO_MOST};
    if (at_end(p)) return true;
    switch (p->text.at[p->pos]) {
    case '*':
        break;
    case '+':
        node.lo = 1;
        break;
    case '?':
        node.hi = 1;
        break;
    case '{':
        if (!read_braces(p, &node.lo, &node.hi)) return false;
        break;
    default:
        return true;
    }
    p->pos++;
    node.is_lazy = looking_at(p, '?');
    p->pos += node.is_lazy;
    return node_add(p, node, id);
}

/* A list node over kids that are chained as they come. */
static bool list_add(Parser *p, uint32_t list, uint32_t *last, uint32_t kid)
{
    uint32_t *to =
        *last == NO_NODE ? &p->nodes.at[list].kid : &p->nodes.at[*last].next;
    *to = *last = kid;
    return true;
}

static bool read_sequence(Parser *p, unsigned depth, uint32_t *id)
{
    uint32_t last = NO_NODE, kid = NO_NODE;
    if (!node_add(p, (TreeNode){.op = OP_SEQ, .kid = NO_NODE}, id))
        return false;
    while (!at_end(p) && !looking_at(p, '|') && !looking_at(p, ')'))
        if (!read_atom(p, depth, &kid) || !read_repeat(p, &kid) ||
            !list_add(p, *id, &last, kid))
            return false;
    return true;
}

static bool read_choice(Parser *p, unsigned depth, uint32_t *id)
{
    uint32_t last = NO_NODE, kid = NO_NODE;
    if (!node_add(p, (TreeNode){.op = OP_ALT, .kid = NO_NODE}, id))
        return false;
    if (!read_sequence(p, depth, &kid)) return false;
    list_add(p, *id, &last, kid);
    while (looking_at(p, '|')) {
        p->pos++;
        if (!read_sequence(p, depth, &kid)) return false;
        list_add(p, *id, &last, kid);
    }
    return true;
}

/* ---- code ---- */

static bool too_long(Parser *p)
{
    return diag_fail(p->err, WEIR_LIMIT_STATES, 0, p->text.size,
                     "pattern of more than %d instructions", TRIGGER_CODE);
}

static bool emit(Parser *p, TriggerOp op, uint32_t x, uint32_t y)
{
    if (p->t->code.count >= TRIGGER_CODE) return too_long(p);
    return vec_push(p->t->mem, &p->t->code, (TriggerInst){op, x, y}) ||
           diag_no_memory(p->err);
}

static bool emit_node(Parser *p, uint32_t id);

/* A split at `at`: into what follows it, and to `out`. */
static void set_split(Parser *p, uint32_t at, uint32_t out, bool is_lazy)
{
    TriggerInst *split = &p->t->code.at[at];
    split->x = is_lazy ? out : at + 1;
    split->y = is_lazy ? at + 1 : out;
}

static bool emit_repeat(Parser *p, TreeNode n)
{
    VEC(uint32_t) splits = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < n.lo; i++) ok = emit_node(p, n.kid);
    if (n.hi == NO_MOST) {
        uint32_t first = p->t->code.count;
        ok = ok && emit(p, TRIGGER_SPLIT, 0, 0) && emit_node(p, n.kid) &&
             emit(p, TRIGGER_JUMP, first, 0);
        if (ok) set_split(p, first, p->t->code.count, n.is_lazy);
        return ok;
    }
    for (uint32_t i = n.lo; ok && i < n.hi; i++) {
        ok = vec_push(p->t->mem, &splits, p->t->code.count) ||
             diag_no_memory(p->err);
        ok = ok && emit(p, TRIGGER_SPLIT, 0, 0) && emit_node(p, n.kid);
    }
    for (uint32_t i = 0; ok && i < splits.count; i++)
        set_split(p, splits.at[i], p->t->code.count, n.is_lazy);
    vec_free(p->t->mem, &splits);
    return ok;
}

static bool emit_choice(Parser *p, TreeNode n)
{
    VEC(uint32_t) jumps = {0};
    bool ok = true;
    for (uint32_t kid = n.kid; ok && kid != NO_NODE;
         kid = p->nodes.at[kid].next) {
        bool is_last = p->nodes.at[kid].next == NO_NODE;
        uint32_t split = p->t->code.count;
        ok = (is_last || emit(p, TRIGGER_SPLIT, 0, 0)) && emit_node(p, kid);
        if (is_last || !ok) break;
        ok = vec_push(p->t->mem, &jumps, p->t->code.count) ||
             diag_no_memory(p->err);
        ok = ok && emit(p, TRIGGER_JUMP, 0, 0);
        if (ok) set_split(p, split, p->t->code.count, false);
    }
    for (uint32_t i = 0; ok && i < jumps.count; i++)
        p->t->code.at[jumps.at[i]].x = p->t->code.count;
    vec_free(p->t->mem, &jumps);
    return ok;
}

static bool emit_node(Parser *p, uint32_t id)
{
    TreeNode n = p->nodes.at[id];
    bool ok = true;
    if (++p->visits > TRIGGER_VISITS) return too_long(p);
    switch (n.op) {
    case OP_SET:
        return emit(p, TRIGGER_SET, n.n, 0);
    case OP_SEQ:
        for (uint32_t kid = n.kid; ok && kid != NO_NODE;
             kid = p->nodes.at[kid].next)
            ok = emit_node(p, kid);
        return ok;
    case OP_ALT:
        return emit_choice(p, n);
    case OP_REPEAT:
        return emit_repeat(p, n);
    case OP_GROUP:
        return emit(p, TRIGGER_SAVE, 2 * n.n, 0) && emit_node(p, n.kid) &&
               emit(p, TRIGGER_SAVE, 2 * n.n + 1, 0);
    case OP_START:
        return emit(p, TRIGGER_START, 0, 0);
    case OP_END:
        return emit(p, TRIGGER_END, 0, 0);
    case OP_WORD:
        return emit(p, TRIGGER_WORD, n.n, 0);
    }
    return ok;
}

static bool compile(Parser *p)
{
    uint32_t root;
    if (!read_choice(p, 0, &root)) return false;
    if (!at_end(p)) {
        p->pos++;
        return fail(p, p->pos - 1, "')' without a group");
    }
    return emit(p, TRIGGER_SAVE, 0, 0) && emit_node(p, root) &&
           emit(p, TRIGGER_SAVE, 1, 0) && emit(p, TRIGGER_MATCH, 0, 0);
}

bool trigger_compile(Trigger *t, const Mem *mem, Span pattern, weir_error *err)
{
    *t = (Trigger){.mem = mem, .ngroups = 1};
    Parser p = {.t = t, .text = pattern, .err = err};
    bool ok = compile(&p);
    vec_free(mem, &p.nodes);
    if (!ok) return false;
    t->is_anchored = pattern.size > 1 && pattern.at[0] == '^' &&
                     pattern.at[pattern.size - 1] == '$';
    t->mark = mem_zero(mem, t->code.count * sizeof *t->mark);
    return t->mark || diag_no_memory(err);
}

void trigger_free(Trigger *t)
{
    if (!t->mem) return;
    mem_free(t->mem, t->mark, t->mark ? t->code.count * sizeof *t->mark : 0);
    vec_free(t->mem, &t->code);
    vec_free(t->mem, &t->sets);
    vec_free(t->mem, &t->stack);
    vec_free(t->mem, &t->now);
    vec_free(t->mem, &t->next);
    t->mem = NULL;
}
