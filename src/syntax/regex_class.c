/* regex_class.c: sets of runes in a regular expression: bracketed classes,
 * the sets of \d \w \s and '.', and their closure under case.
 *
 * In:    the parser at '['.   Out: a CLASS node.
 * Method: without the v flag a class is a flat list of runes, ranges and sets.
 *        With it classes nest and combine by && and --; open classes lie on an
 *        explicit stack, each with what it has so far. Rust's own classes are
 *        regex_rust_class.c's.
 * Case:  a rune is in the result if a rune of the same folding is in the set;
 *        negation comes after that (ECMA-262, CharacterSetMatcher).
 * Tests: unit/regex_test.c, prop/regex_reference_test.c
 */
#include "syntax/regex_parser.h"

#include "base/utf8.h"

/* ---- named sets ---- */

static const RuneRange digit_ranges[] = {{'0', '9'}};
static const RuneRange word_ranges[] = {
    {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
/* ECMA-262: WhiteSpace and LineTerminator, so U+FEFF too. */
static const RuneRange space_ranges[] = {
    {0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
    {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
static const RuneRange line_ranges[] = {
    {'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

static bool add_ranges(RegexParser *p, RuneSet *set, const RuneRange *ranges,
                       uint32_t count)
{
    return re_charge(p->re, count) &&
           (runes_add_all(p->re->mem, set, ranges, count) ||
            re_no_memory(p->re));
}

static bool add_property(RegexParser *p, RuneSet *set, const char *name)
{
    const RuneRange *ranges;
    uint32_t count;
    bool known = unicode_property(span_text(name), &ranges, &count);
    assert(known);
    return known && add_ranges(p, set, ranges, count);
}

/* The letters as Unicode's UTS 18 recommends. */
static bool add_unicode_letter(RegexParser *p, char lower, RuneSet *set)
{
    if (lower == 'd') return add_property(p, set, "Nd");
    if (lower == 's') return add_property(p, set, "White_Space");
    return add_property(p, set, "Alphabetic") && add_property(p, set, "M") &&
           add_property(p, set, "Nd") && add_property(p, set, "Pc") &&
           add_property(p, set, "Join_Control");
}

static bool add_letter(RegexParser *p, char lower, RuneSet *set)
{
    if (p->unicode_classes) return add_unicode_letter(p, lower, set);
    if (lower == 'd') return add_ranges(p, set, digit_ranges, 1);
    if (lower == 's')
        return add_ranges(p, set, space_ranges, COUNT_OF(space_ranges));
    /* WordCharacters: with iu also what folds to an ASCII letter. */
    bool folds = p->is_unicode && p->flags & RE_IGNORE_CASE;
    return add_ranges(p, set, word_ranges, COUNT_OF(word_ranges)) &&
           (!folds || class_fold(p, set));
}

bool class_of_letter(RegexParser *p, char letter, RuneSet *set)
{
    char lower = (char)(letter | 32);
    if (!add_letter(p, lower, set)) return false;
    runes_normalise(set);
    return letter == lower || runes_invert(p->re->mem, set) ||
           re_no_memory(p->re);
}

/* ---- case ---- */

static uint32_t orbit_of(const RegexParser *p, uint32_t rune, uint32_t *out)
{
    return p->is_unicode ? unicode_orbit(rune, out)
                         : unicode_upper_orbit(rune, out);
}

/* Adds to `more` what the orbits of the runes in [lo, hi] have and `set` has
 * not. */
static bool fold_range(RegexParser *p, const RuneSet *set, RuneSet *more,
                       uint32_t lo, uint32_t hi)
{
    uint32_t orbit[UNICODE_ORBIT_MAX];
    if (!re_charge(p->re, (hi - lo + 1) * 160ull)) return false;
    for (uint32_t rune = lo; rune <= hi; rune++) {
        uint32_t n = orbit_of(p, rune, orbit);
        for (uint32_t i = 0; i < n; i++) {
            if (orbit[i] == rune || unicode_in(set->at, set->count, orbit[i]))
                continue;
            if (!runes_add(p->re->mem, more, orbit[i], orbit[i]))
                return re_no_memory(p->re);
        }
    }
    return true;
}

bool class_fold(RegexParser *p, RuneSet *set)
{
    const RuneRange *cased;
    uint32_t count = p->is_unicode ? unicode_orbit_ranges(&cased)
                                   : unicode_upper_ranges(&cased);
    RuneSet more = {0};
    bool done = true;
    runes_normalise(set);
    for (uint32_t i = 0; done && i < set->count; i++) {
        RuneRange r = set->at[i];
        for (uint32_t k = unicode_first(cased, count, r.lo);
             done && k < count && cased[k].lo <= r.hi; k++)
            done = fold_range(p, set, &more, MAX(r.lo, cased[k].lo),
                              MIN(r.hi, cased[k].hi));
        done = done && re_charge(p->re, 8);
    }
    done = done && re_charge(p->re, more.count * 16ull) &&
           add_ranges(p, set, more.at, more.count);
    runes_normalise(set);
    vec_free(p->re->mem, &more);
    return done;
}

/* ---- nodes ---- */

/* Closes the set under case, then negates it. */
static ReId finish_class(RegexParser *p, RuneSet *set, bool is_negated)
{
    runes_normalise(set);
    if (p->flags & RE_IGNORE_CASE && !class_fold(p, set)) return RE_NONE;
    if (is_negated && !runes_invert(p->re->mem, set))
        return re_no_memory(p->re), RE_NONE;
    return re_class(p->re, set);
}

ReId class_node(RegexParser *p, RuneSet *set)
{
    return finish_class(p, set, false);
}

static ReId fixed_class(RegexParser *p, const RuneRange *ranges, uint32_t count,
                        bool is_negated)
{
    RuneSet set = {0};
    ReId node = RE_NONE;
    bool done = add_ranges(p, &set, ranges, count);
    if (done && is_negated && !runes_invert(p->re->mem, &set))
        done = re_no_memory(p->re);
    if (done) node = re_class(p->re, &set);
    vec_free(p->re->mem, &set);
    return node;
}

/* The line feed is the first of them. */
static uint32_t count_line_ranges(const RegexParser *p)
{
    return p->line_feed_only ? 1 : COUNT_OF(line_ranges);
}

ReId class_dot(RegexParser *p)
{
    uint32_t count = p->flags & RE_DOT_ALL ? 0 : count_line_ranges(p);
    return fixed_class(p, line_ranges, count, true);
}

ReId class_line_end(RegexParser *p)
{
    return fixed_class(p, line_ranges, count_line_ranges(p), false);
}

/* ---- members of a class ---- */

/* The next member: one rune, or a set (an empty one is a set too). */
typedef struct Member {
    bool is_set;
    uint32_t rune;
    RuneSet set;
    size_t begin;
} Member;

static bool member_read(RegexParser *p, Member *m)
{
    *m = (Member){.begin = p->pos};
    if (re_peek(p, 0) != '\\') {
        m->rune = re_next_rune(p);
        return m->rune != RUNE_BAD && re_charge(p->re, 4);
    }
    Escape e;
    bool done = escape_read(p, true, &e);
    m->is_set = e.kind == ESCAPE_SET;
    m->rune = e.rune;
    m->set = e.set;
    return done;
}

static bool member_add(RegexParser *p, RuneSet *set, const Member *m)
{
    if (m->is_set) return add_ranges(p, set, m->set.at, m->set.count);
    return runes_add(p->re->mem, set, m->rune, m->rune) || re_no_memory(p->re);
}

static bool range_add(RegexParser *p, RuneSet *set, const Member *from,
                      const Member *to)
{
    if (from->is_set || to->is_set) {
        if (p->is_strict)
            return re_fail(p->re, WEIR_SYNTAX, from->begin, p->pos,
                           "found a set at an end of a range, expected one "
                           "character");
        return member_add(p, set, from) && member_add(p, set, to) &&
               (runes_add(p->re->mem, set, '-', '-') || re_no_memory(p->re));
    }
    if (from->rune > to->rune)
        return re_fail(p->re, WEIR_SYNTAX, from->begin, p->pos,
                       "found a range from %s down to %s, expected it in "
                       "order",
                       diag_rune(from->rune).text, diag_rune(to->rune).text);
    return runes_add(p->re->mem, set, from->rune, to->rune) ||
           re_no_memory(p->re);
}

/* A member, or a range that begins with it. */
static bool members_add(RegexParser *p, RuneSet *set, bool *was_range)
{
    Member from = {0}, to = {0};
    bool done = member_read(p, &from);
    bool is_range = done && re_peek(p, 0) == '-' && re_peek(p, 1) != ']' &&
                    p->pos + 1 < p->text.size;
    bool has_minus = p->has_sets || p->rust_sets; /* -- is an operator */
    if (is_range && has_minus && re_peek(p, 1) == '-') is_range = false;
    *was_range = is_range;
    if (is_range) {
        p->pos++;
        done = member_read(p, &to) && range_add(p, set, &from, &to);
    } else if (done) {
        done = member_add(p, set, &from);
    }
    vec_free(p->re->mem, &from.set);
    vec_free(p->re->mem, &to.set);
    return done;
}

bool class_members(RegexParser *p, RuneSet *set)
{
    bool was_range;
    return members_add(p, set, &was_range);
}

static bool not_closed(RegexParser *p, size_t begin)
{
    return re_fail(p->re, WEIR_SYNTAX, begin, begin + 1,
                   "found '[' without ']', expected the end of the class");
}

/* Lenient readers may have meant POSIX's [[:alpha:]]. */
static void warn_posix(RegexParser *p, size_t begin)
{
    Span inside = span_of(p->text.at + begin, p->pos - begin);
    if (p->is_extra && inside.size > 4 && inside.at[1] == '[' &&
        inside.at[2] == ':' && inside.at[inside.size - 2] == ':')
        re_warn(p->re, begin, p->pos,
                "[:name:] is no class here, but these characters");
}

static ReId read_flat(RegexParser *p)
{
    size_t begin = p->pos++;
    bool is_negated = re_take(p, "^"), done = true, was_range;
    RuneSet set = {0};
    while (done && !re_at_end(p) && re_peek(p, 0) != ']')
        done = members_add(p, &set, &was_range);
    if (done && !re_take(p, "]")) done = not_closed(p, begin);
    if (done && p->is_extra && !set.count && p->pos == begin + 2)
        re_warn(p->re, begin, p->pos, "the class [] matches nothing");
    if (done) warn_posix(p, begin);
    ReId node = done ? finish_class(p, &set, is_negated) : RE_NONE;
    vec_free(p->re->mem, &set);
    return node;
}

/* ---- the v flag ---- */

typedef enum SetOp { OP_NONE, OP_UNITE, OP_INTERSECT, OP_SUBTRACT } SetOp;

/* A class that is open. */
typedef struct OpenClass {
    size_t begin;
    bool is_negated;
    SetOp op;
    uint32_t operands;
    RuneSet set; /* of the operands so far, closed under case */
} OpenClass;

typedef struct SetReader {
    RegexParser *p;
    VEC(OpenClass) open;
} SetReader;

static bool open_class(SetReader *r)
{
    RegexParser *p = r->p;
    OpenClass c = {.begin = p->pos++};
    c.is_negated = re_take(p, "^");
    if (r->open.count >= p->re->limits.max_depth)
        return re_fail(p->re, WEIR_LIMIT_DEPTH, c.begin, p->pos,
                       "found classes nested more than %u deep",
                       p->re->limits.max_depth);
    return vec_push(p->re->mem, &r->open, c) || re_no_memory(p->re);
}

/* Combines an operand with the innermost open class; frees it. */
static bool give_operand(SetReader *r, RuneSet *operand)
{
    RegexParser *p = r->p;
    const Mem *mem = p->re->mem;
    OpenClass *c = &r->open.at[r->open.count - 1];
    bool done = true;
    runes_normalise(operand);
    if (p->flags & RE_IGNORE_CASE) done = class_fold(p, operand);
    if (done && c->op == OP_INTERSECT)
        done = runes_intersect(mem, &c->set, operand) || re_no_memory(p->re);
    else if (done && c->op == OP_SUBTRACT)
        done = runes_subtract(mem, &c->set, operand) || re_no_memory(p->re);
    else if (done)
        done = add_ranges(p, &c->set, operand->at, operand->count);
    runes_normalise(&c->set);
    c->operands++;
    vec_free(mem, operand);
    return done;
}

/* The operator between the last operand and the next. */
static bool take_operator(SetReader *r)
{
    RegexParser *p = r->p;
    OpenClass *c = &r->open.at[r->open.count - 1];
    size_t begin = p->pos;
    SetOp op = OP_UNITE;
    if (re_peek(p, 0) == ']') return true;
    if (re_take(p, "&&"))
        op = OP_INTERSECT;
    else if (re_take(p, "--"))
        op = OP_SUBTRACT;
    bool is_wrong =
        (c->op != OP_NONE && c->op != op) ||
        (op != OP_UNITE && (re_peek(p, 0) == ']' || re_peek(p, 0) == '&'));
    if (is_wrong)
        return re_fail(p->re, WEIR_SYNTAX, begin, MAX(p->pos, begin + 1),
                       "found %s, expected operands joined by one operator",
                       diag_found(p->text, begin).text);
    c->op = op;
    return true;
}

static bool close_class(SetReader *r)
{
    RegexParser *p = r->p;
    OpenClass c = r->open.at[--r->open.count];
    p->pos++;
    if (c.is_negated && !runes_invert(p->re->mem, &c.set)) {
        vec_free(p->re->mem, &c.set);
        return re_no_memory(p->re);
    }
    if (r->open.count) return give_operand(r, &c.set) && take_operator(r);
    r->open.at[0].set = c.set; /* the result, for read_sets */
    return true;
}

/* Characters that stand for themselves only after a backslash. */
static bool is_reserved(const RegexParser *p)
{
    static const char doubled[] = "&!#$%*+,.:;<=>?@^`~";
    uint8_t c = re_peek(p, 0);
    if (c && strchr("()[]{}/-|", c)) return true;
    return c && c == re_peek(p, 1) && strchr(doubled, c);
}

static bool read_operand(SetReader *r)
{
    RegexParser *p = r->p;
    RuneSet operand = {0};
    size_t begin = p->pos;
    if (re_peek(p, 0) == '[') return open_class(r);
    if (is_reserved(p))
        return re_fail(p->re, WEIR_SYNTAX, begin, begin + 1,
                       "found %s, expected a backslash before it in a class "
                       "of the v flag",
                       diag_found(p->text, begin).text);
    if (re_peek(p, 0) == '\\' && re_peek(p, 1) == 'q')
        return re_fail(p->re, WEIR_UNSUPPORTED, begin, begin + 2,
                       "found strings in a class (\\q), expected single "
                       "characters");
    bool was_range, done = members_add(p, &operand, &was_range);
    /* A range is no operand of && and --: it would read as one of them. */
    if (done && was_range && r->open.at[r->open.count - 1].op <= OP_UNITE)
        r->open.at[r->open.count - 1].op = OP_UNITE;
    else if (done && was_range)
        done = re_fail(p->re, WEIR_SYNTAX, begin, p->pos,
                       "found a range, expected a class in brackets or one "
                       "character");
    if (!done) {
        vec_free(p->re->mem, &operand);
        return false;
    }
    return give_operand(r, &operand) && take_operator(r);
}

static ReId read_sets(RegexParser *p)
{
    SetReader r = {.p = p};
    size_t begin = p->pos;
    bool done = open_class(&r);
    while (done && r.open.count && !re_at_end(p)) {
        if (!re_charge(p->re, 4))
            done = false;
        else
            done = re_peek(p, 0) == ']' ? close_class(&r) : read_operand(&r);
    }
    if (done && r.open.count) done = not_closed(p, begin);
    assert(!done || r.open.at);
    ReId node = done ? re_class(p->re, &r.open.at[0].set) : RE_NONE;
    if (done) r.open.count = 1; /* close_class left the result there */
    for (uint32_t i = 0; i < r.open.count; i++)
        vec_free(p->re->mem, &r.open.at[i].set);
    vec_free(p->re->mem, &r.open);
    return node;
}

ReId class_read(RegexParser *p)
{
    if (p->rust_sets) return class_read_rust(p);
    return p->has_sets ? read_sets(p) : read_flat(p);
}
