/* regex_resolve.c: anchors that can only hold, or never, and the unanchored
 * form.
 *
 * In:    a parsed Regex.   Out: the same, where START and END at the outer
 *        borders are gone, and each node says what it asks of its context.
 * Method: bottom up, what can match nothing; top down, where a node stands: at
 *        the text's border, surely not, or either. START at the border is
 *        EMPTY, START behind a rune is NEVER. For a search "any text" is put
 *        before the pattern; it is passed down to where START undoes it:
 *            any text (^a|b)c  =  (a|any text b)c
 *        Bottom up again: which assertions are left.
 * Cost:  linear. Tests: unit/regex_test.c
 */
#include "syntax/regex_ast.h"

/* Where the left side of a node stands; the right side likewise. */
typedef enum Where { AT_BORDER, INSIDE, EITHER } Where;

typedef struct Place {
    uint8_t where[2]; /* Where, left and right */
    uint8_t wrap;     /* WrapFlag bits: "any text" is to be put there */
} Place;

typedef struct Resolver {
    Regex *re;
    Place *places; /* by node */
} Resolver;

/* ---- what nodes can match ---- */

static void note_list(Regex *re, ReNode *n)
{
    const ReId *kids = re->kids.at + n->a;
    bool is_seq = n->kind == RE_SEQ;
    n->is_nullable = is_seq;
    n->is_zero = true;
    for (uint32_t i = 0; i < n->b; i++) {
        const ReNode *kid = &re->nodes.at[kids[i]];
        n->is_zero &= kid->is_zero;
        n->is_nullable = is_seq ? n->is_nullable && kid->is_nullable
                                : n->is_nullable || kid->is_nullable;
        if (!is_seq) n->outer |= kid->outer;
    }
    if (!is_seq) return;
    n->outer = (re->nodes.at[kids[0]].outer & WRAP_LEFT) |
               (re->nodes.at[kids[n->b - 1]].outer & WRAP_RIGHT);
}

static void note_node(Regex *re, ReNode *n)
{
    switch (n->kind) {
    case RE_SEQ:
    case RE_ALT:
        note_list(re, n);
        break;
    case RE_REPEAT:
        n->is_zero = re->nodes.at[n->a].is_zero;
        n->is_nullable = !n->b || re->nodes.at[n->a].is_nullable;
        break;
    case RE_TEXT:
    case RE_CLASS:
    case RE_NEVER:
        break;
    default:
        n->is_zero = n->is_nullable = true;
        if (n->kind == RE_START) n->outer = WRAP_LEFT;
        if (n->kind == RE_END) n->outer = WRAP_RIGHT;
    }
}

/* ---- where nodes stand ---- */

/* The side, 0 or 1, as a WrapFlag. */
static uint8_t side_flag(int side)
{
    return side ? WRAP_RIGHT : WRAP_LEFT;
}

/* Puts "any text" at the sides of the node where it is wanted and cannot be
 * passed on. */
static void settle_wrap(Resolver *r, ReId id)
{
    ReNode *n = &r->re->nodes.at[id];
    Place *p = &r->places[id];
    for (int side = 0; side < 2; side++) {
        uint8_t flag = side_flag(side);
        bool is_list = n->kind == RE_SEQ || n->kind == RE_ALT;
        if (!(p->wrap & flag) || (is_list && n->outer & flag)) continue;
        n->wrap |= flag;
        p->wrap &= (uint8_t)~flag;
        p->where[side] = EITHER;
    }
}

static void place_alt(Resolver *r, ReId id)
{
    const ReNode *n = &r->re->nodes.at[id];
    for (uint32_t i = 0; i < n->b; i++)
        r->places[r->re->kids.at[n->a + i]] = r->places[id];
}

/* Gives the kids of a SEQ their places on one side, from that side on. */
static void place_side(Resolver *r, ReId id, int side)
{
    const ReNode *n = &r->re->nodes.at[id];
    const ReId *kids = r->re->kids.at + n->a;
    ReKind anchor = side ? RE_END : RE_START;
    Where where = (Where)r->places[id].where[side];
    for (uint32_t i = 0; i < n->b; i++) {
        ReId kid = kids[side ? n->b - 1 - i : i];
        const ReNode *k = &r->re->nodes.at[kid];
        bool is_wrapped = !i && r->places[id].wrap & side_flag(side);
        r->places[kid].where[side] = (uint8_t)where;
        if (is_wrapped) {
            r->places[kid].wrap |= side_flag(side);
            where = k->kind == anchor ? AT_BORDER : EITHER;
        }
        if (!k->is_nullable)
            where = INSIDE;
        else if (!k->is_zero && where == AT_BORDER)
            where = EITHER;
    }
}

static void place_repeat(Resolver *r, ReId id)
{
    const ReNode *n = &r->re->nodes.at[id];
    Place *kid = &r->places[n->a];
    kid->wrap = 0;
    for (int side = 0; side < 2; side++) {
        Where where = (Where)r->places[id].where[side];
        bool is_one = n->c == 1 || r->re->nodes.at[n->a].is_zero;
        kid->where[side] =
            (uint8_t)(where == AT_BORDER && !is_one ? EITHER : where);
    }
}

/* The body of a look-ahead begins where the node stands and ends anywhere. */
static void place_look(Resolver *r, ReId id)
{
    const ReNode *n = &r->re->nodes.at[id];
    int side = n->b & LOOK_BEHIND ? 1 : 0;
    Place *body = &r->places[n->a];
    body->wrap = 0;
    body->where[side] = r->places[id].where[side];
    body->where[1 - side] = EITHER;
}

static void resolve_anchor(Resolver *r, ReId id)
{
    ReNode *n = &r->re->nodes.at[id];
    Place *p = &r->places[id];
    int side = n->kind == RE_END;
    if (p->wrap & side_flag(side)) {
        p->wrap &= (uint8_t)~side_flag(side);
        n->kind = RE_EMPTY;
    } else if (p->where[side] == AT_BORDER) {
        n->kind = RE_EMPTY;
    } else if (p->where[side] == INSIDE) {
        n->kind = RE_NEVER;
    }
}

static void place_kids(Resolver *r, ReId id)
{
    ReKind kind = r->re->nodes.at[id].kind;
    if (kind == RE_START || kind == RE_END) resolve_anchor(r, id);
    settle_wrap(r, id);
    if (kind == RE_ALT) place_alt(r, id);
    if (kind == RE_REPEAT) place_repeat(r, id);
    if (kind == RE_LOOK) place_look(r, id);
    if (kind != RE_SEQ) return;
    place_side(r, id, 0);
    place_side(r, id, 1);
}

/* ---- what is left ---- */

static void note_looks(Regex *re, ReNode *n)
{
    n->looks = 0;
    switch (n->kind) {
    case RE_SEQ:
    case RE_ALT:
        for (uint32_t i = 0; i < n->b; i++)
            n->looks |= re->nodes.at[re->kids.at[n->a + i]].looks;
        break;
    case RE_REPEAT:
        n->looks = re->nodes.at[n->a].looks;
        break;
    case RE_LOOK:
        n->looks = re->nodes.at[n->a].looks |
                   (n->b & LOOK_BEHIND ? WRAP_LEFT : WRAP_RIGHT);
        break;
    case RE_START:
        n->looks = WRAP_LEFT;
        break;
    case RE_END:
        n->looks = WRAP_RIGHT;
        break;
    default:
        break;
    }
}

bool re_resolve(Regex *re, bool is_search)
{
    uint32_t n = re->nodes.count;
    size_t nbytes = n * sizeof(Place);
    Resolver r = {re, mem_zero(re->mem, nbytes)};
    if (!r.places) return re_no_memory(re);
    for (uint32_t i = 0; i < n; i++) note_node(re, &re->nodes.at[i]);
    Place *root = &r.places[re->root];
    root->wrap = is_search ? WRAP_LEFT | WRAP_RIGHT : 0;
    for (uint32_t i = n; i-- > 0;) place_kids(&r, i);
    for (uint32_t i = 0; i < n; i++) note_looks(re, &re->nodes.at[i]);
    mem_free(re->mem, r.places, nbytes);
    return re_charge(re, n * 4ull);
}
