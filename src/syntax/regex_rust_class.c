/* regex_rust_class.c: bracketed classes as Rust's regular expressions have
 * them: they nest, have POSIX's names, and combine.
 *
 *     class    = "[" "^"? "-"* "]"? part (op part)* "]"
 *     part     = (character | range | escape | [:name:] | class)*
 *     op       = "&&" | "--" | "~~", all alike, from the left
 *
 * In:    the parser at '['.   Out: a CLASS node.
 * Method: open classes lie on an explicit stack, each with the part that is
 *        being read and the result of what stands to the left of it.
 * Case:  parts are closed under case before they are combined, a class before
 *        it is negated.
 * Tests: unit/regex_test.c, unit/lark_recorded_test.c
 */
#include "syntax/regex_parser.h"

typedef enum ClassOp {
    CLASS_NONE,
    CLASS_INTERSECT,
    CLASS_SUBTRACT,
    CLASS_DIFFER /* in one of the two */
} ClassOp;

typedef struct RustClass {
    size_t begin;
    bool is_negated;
    ClassOp op;
    RuneSet left, part;
} RustClass;

typedef struct RustReader {
    RegexParser *p;
    VEC(RustClass) open;
    RuneSet result; /* of the outermost class, once it is closed */
    bool is_closed;
} RustReader;

static RustClass *top(RustReader *r)
{
    assert(r->open.at && r->open.count);
    return &r->open.at[r->open.count - 1];
}

/* ---- [:name:] ---- */

typedef struct PosixClass {
    const char *name;
    RuneRange ranges[4];
    uint32_t count;
} PosixClass;

static const PosixClass posix_classes[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}, 3},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}, 2},
    {"ascii", {{0, 0x7F}}, 1},
    {"blank", {{'\t', '\t'}, {' ', ' '}}, 2},
    {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}, 2},
    {"digit", {{'0', '9'}}, 1},
    {"graph", {{'!', '~'}}, 1},
    {"lower", {{'a', 'z'}}, 1},
    {"print", {{' ', '~'}}, 1},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}, 4},
    {"space", {{'\t', '\r'}, {' ', ' '}}, 2},
    {"upper", {{'A', 'Z'}}, 1},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, 4},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}, 3},
};

/* The class whose name stands here, and moves past it; NULL: none does. */
static const PosixClass *take_posix(RegexParser *p, bool *is_negated)
{
    size_t begin = p->pos;
    if (!re_take(p, "[:")) return NULL;
    *is_negated = re_take(p, "^");
    for (size_t i = 0; i < COUNT_OF(posix_classes); i++) {
        size_t at = p->pos;
        if (re_take(p, posix_classes[i].name) && re_take(p, ":]"))
            return &posix_classes[i];
        p->pos = at;
    }
    p->pos = begin;
    return NULL;
}

/* ---- sets ---- */

static bool unite(RegexParser *p, RuneSet *set, const RuneSet *other)
{
    return re_charge(p->re, other->count) &&
           (runes_add_all(p->re->mem, set, other->at, other->count) ||
            re_no_memory(p->re));
}

static bool invert(RegexParser *p, RuneSet *set)
{
    return runes_invert(p->re->mem, set) || re_no_memory(p->re);
}

/* set and other, but what is in both. */
static bool differ(RegexParser *p, RuneSet *set, const RuneSet *other)
{
    const Mem *mem = p->re->mem;
    RuneSet both = {0};
    bool done = unite(p, &both, set);
    if (done) {
        runes_normalise(&both);
        done = (runes_intersect(mem, &both, other) || re_no_memory(p->re)) &&
               unite(p, set, other);
    }
    if (done) {
        runes_normalise(set);
        done = runes_subtract(mem, set, &both) || re_no_memory(p->re);
    }
    vec_free(mem, &both);
    return done;
}

static bool apply(RegexParser *p, ClassOp op, RuneSet *left,
                  const RuneSet *right)
{
    const Mem *mem = p->re->mem;
    switch (op) {
    case CLASS_NONE:
        return unite(p, left, right); /* left is empty */
    case CLASS_INTERSECT:
        return runes_intersect(mem, left, right) || re_no_memory(p->re);
    case CLASS_SUBTRACT:
        return runes_subtract(mem, left, right) || re_no_memory(p->re);
    case CLASS_DIFFER:
        return differ(p, left, right);
    }
    return false;
}

/* Takes the part into what stands to the left. */
static bool end_part(RustReader *r)
{
    RegexParser *p = r->p;
    RustClass *c = top(r);
    runes_normalise(&c->part);
    if (p->flags & RE_IGNORE_CASE && !class_fold(p, &c->part)) return false;
    bool done = re_charge(p->re, c->left.count + c->part.count + 1ull) &&
                apply(p, c->op, &c->left, &c->part);
    runes_normalise(&c->left);
    c->part.count = 0;
    return done;
}

/* ---- reading ---- */

static bool add_rune(RustReader *r, uint32_t rune)
{
    return runes_add(r->p->re->mem, &top(r)->part, rune, rune) ||
           re_no_memory(r->p->re);
}

static bool open_class(RustReader *r)
{
    RegexParser *p = r->p;
    RustClass c = {.begin = p->pos++};
    c.is_negated = re_take(p, "^");
    if (r->open.count >= p->re->limits.max_depth)
        return re_fail(p->re, WEIR_LIMIT_DEPTH, c.begin, p->pos,
                       "found classes nested more than %u deep",
                       p->re->limits.max_depth);
    if (!vec_push(p->re->mem, &r->open, c)) return re_no_memory(p->re);
    while (re_take(p, "-"))
        if (!add_rune(r, '-')) return false;
    if (top(r)->part.count || !re_take(p, "]")) return true;
    return add_rune(r, ']');
}

static bool read_posix(RustReader *r, const PosixClass *class, bool is_negated)
{
    RegexParser *p = r->p;
    RuneSet set = {0};
    bool done = runes_add_all(p->re->mem, &set, class->ranges, class->count) ||
                re_no_memory(p->re);
    runes_normalise(&set);
    if (done && p->flags & RE_IGNORE_CASE) done = class_fold(p, &set);
    if (done && is_negated) done = invert(p, &set);
    done = done && unite(p, &top(r)->part, &set);
    vec_free(p->re->mem, &set);
    return done;
}

/* What the innermost class has is part of the one around it. */
static bool close_class(RustReader *r)
{
    RegexParser *p = r->p;
    p->pos++;
    bool done =
        end_part(r) && (!top(r)->is_negated || invert(p, &top(r)->left));
    RustClass c = *top(r);
    r->open.count--;
    vec_free(p->re->mem, &c.part);
    r->is_closed = !r->open.count;
    if (r->is_closed) {
        r->result = c.left;
        return done;
    }
    done = done && unite(p, &top(r)->part, &c.left);
    vec_free(p->re->mem, &c.left);
    return done;
}

static bool take_operator(RustReader *r, ClassOp *op)
{
    if (re_take(r->p, "&&"))
        *op = CLASS_INTERSECT;
    else if (re_take(r->p, "--"))
        *op = CLASS_SUBTRACT;
    else if (re_take(r->p, "~~"))
        *op = CLASS_DIFFER;
    else
        return false;
    return true;
}

static bool read_next(RustReader *r)
{
    RegexParser *p = r->p;
    ClassOp op;
    bool is_negated = false;
    if (re_peek(p, 0) == ']') return close_class(r);
    const PosixClass *class = take_posix(p, &is_negated);
    if (class) return read_posix(r, class, is_negated);
    if (re_peek(p, 0) == '[') return open_class(r);
    if (!take_operator(r, &op)) return class_members(p, &top(r)->part);
    if (!end_part(r)) return false;
    top(r)->op = op;
    return true;
}

ReId class_read_rust(RegexParser *p)
{
    RustReader r = {.p = p};
    size_t begin = p->pos;
    bool done = open_class(&r);
    while (done && !r.is_closed && !re_at_end(p))
        done = re_charge(p->re, 4) && read_next(&r);
    if (done && !r.is_closed)
        done = re_fail(p->re, WEIR_SYNTAX, begin, begin + 1,
                       "found '[' without ']', expected the end of the class");
    ReId node = done ? re_class(p->re, &r.result) : RE_NONE;
    for (uint32_t i = 0; i < r.open.count; i++) {
        vec_free(p->re->mem, &r.open.at[i].left);
        vec_free(p->re->mem, &r.open.at[i].part);
    }
    vec_free(p->re->mem, &r.open);
    vec_free(p->re->mem, &r.result);
    return node;
}
