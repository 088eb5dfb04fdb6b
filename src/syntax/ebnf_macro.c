/* ebnf_macro.c: Name(argument, ..., name=value, ...) in EBNF.
 *
 * In:    the words of a call. Out: a node.
 * Method: arguments are read into a list (a tuple is a run of parts), then the
 * macro's function checks what it got. Values: a string, a decimal number,
 * true or false, the name of a rule, or a tuple of these; a tuple may end in
 * a comma. Named arguments come last, each once.
 * Cost:  linear, but for what the macros build.
 * Tests: unit/ebnf_macro_test.c.
 */
#include "lang/lang.h"
#include "syntax/ebnf_parse.h"
#include "syntax/regex.h"
#include "syntax/substring.h"
#include "syntax/tag_text.h"

#include <stdlib.h>

typedef enum ArgKind {
    ARG_NONE,
    ARG_TEXT,
    ARG_NUMBER,
    ARG_BOOL,
    ARG_RULE,
    ARG_TUPLE
} ArgKind;

static const char *const kind_names[] = {
    [ARG_TEXT] = "a string",        [ARG_NUMBER] = "a number",
    [ARG_BOOL] = "true or false",   [ARG_RULE] = "the name of a rule",
    [ARG_TUPLE] = "a tuple, (...)",
};

typedef struct Arg {
    ArgKind kind;
    EbnfWord word;         /* where it stands; a tuple: both parentheses */
    EbnfWord name;         /* of a named one; else empty */
    uint32_t value;        /* a number, or 1 for true */
    uint32_t first, count; /* of a text in Call.text, a tuple in Call.parts */
} Arg;

/* One call. Lifetime: until the macro's node is made. */
typedef struct Call {
    Ebnf *e;
    Ir *ir;
    EbnfWord macro;
    VEC(Arg) args; /* positional ones first */
    uint32_t npositional;
    VEC(Arg) parts;
    EbnfBytes text;
} Call;

static bool no_memory(Call *c)
{
    return diag_no_memory(&c->ir->error);
}

static bool fail(Call *c, EbnfWord at, const char *message)
{
    return diag_fail(&c->ir->error, WEIR_SYNTAX, at.begin, at.end, "%s",
                     message);
}

static bool wrong_kind(Call *c, const Arg *arg, const char *expected)
{
    Span text = ebnf_text(&c->e->lex, arg->word);
    return diag_fail(&c->ir->error, WEIR_SYNTAX, arg->word.begin, arg->word.end,
                     "found %s, expected %s", diag_shown(text).text, expected);
}

static Span arg_text(const Call *c, const Arg *arg)
{
    Span text = span_of(vec_from(&c->text, arg->first), arg->count);
    assert(text.at || !text.size);
    return text;
}

/* ---- reading ---- */

static bool read_text(Call *c, Arg *arg)
{
    arg->kind = ARG_TEXT;
    arg->first = c->text.count;
    if (!ebnf_string(&c->e->lex, arg->word, c->ir->mem, &c->text)) return false;
    arg->count = c->text.count - arg->first;
    return true;
}

static void read_word(Call *c, Arg *arg)
{
    Span text = ebnf_text(&c->e->lex, arg->word);
    arg->value = span_equal(text, SPAN("true"));
    bool is_bool = arg->value || span_equal(text, SPAN("false"));
    arg->kind = is_bool ? ARG_BOOL : ARG_RULE;
}

/* The present word as a value; moves past it. Not a tuple. */
static bool read_scalar(Call *c, Arg *arg)
{
    bool done = true;
    arg->word = c->e->lex.word;
    switch (arg->word.kind) {
    case EBNF_STRING:
        done = read_text(c, arg);
        break;
    case EBNF_NUMBER:
        arg->kind = ARG_NUMBER;
        done = ebnf_number(c->e, arg->word, EBNF_MAX_TOKEN_ID, &arg->value);
        break;
    case EBNF_NAME:
        read_word(c, arg);
        break;
    default:
        return ebnf_unexpected(
            c->e, "a string, number, true, false, the name of a rule, or a "
                  "tuple");
    }
    if (done) ebnf_lex_next(&c->e->lex);
    return done;
}

/* The parts of a tuple, whose "(" is present; moves past its ")". */
static bool read_tuple(Call *c, Arg *arg)
{
    EbnfLexer *lex = &c->e->lex;
    *arg = (Arg){.kind = ARG_TUPLE,
                 .word = lex->word,
                 .name = arg->name,
                 .first = c->parts.count};
    ebnf_lex_next(lex);
    while (!ebnf_is_mark(lex, ')')) {
        Arg part = {0};
        if (ebnf_is_mark(lex, '('))
            return ebnf_unexpected(c->e, "no tuple inside a tuple");
        if (!read_scalar(c, &part)) return false;
        if (!vec_push(c->ir->mem, &c->parts, part)) return no_memory(c);
        if (ebnf_is_mark(lex, ','))
            ebnf_lex_next(lex);
        else if (!ebnf_is_mark(lex, ')'))
            return ebnf_unexpected(c->e, "',' or ')'");
    }
    arg->count = c->parts.count - arg->first;
    arg->word.end = lex->word.end;
    ebnf_lex_next(lex);
    return true;
}

static bool read_value(Call *c, Arg *arg)
{
    return ebnf_is_mark(&c->e->lex, '(') ? read_tuple(c, arg)
                                         : read_scalar(c, arg);
}

/* A value, or name=value. */
static bool read_arg(Call *c, Arg *arg)
{
    *arg = (Arg){0};
    if (!read_value(c, arg)) return false;
    if (!ebnf_is_mark(&c->e->lex, '=')) return true;
    if (arg->word.kind != EBNF_NAME) return ebnf_unexpected(c->e, "',' or ')'");
    arg->name = arg->word;
    ebnf_lex_next(&c->e->lex);
    return read_value(c, arg);
}

static bool push_arg(Call *c, Arg arg)
{
    bool is_named = arg.name.end;
    if (!is_named && c->npositional < c->args.count)
        return fail(c, arg.word,
                    "found a value after a named one, expected a name first");
    c->npositional += !is_named;
    return vec_push(c->ir->mem, &c->args, arg) || no_memory(c);
}

/* Leaves the closing parenthesis present. */
static bool read_call(Call *c)
{
    EbnfLexer *lex = &c->e->lex;
    ebnf_lex_next(lex);
    if (!ebnf_is_mark(lex, '('))
        return ebnf_unexpected(c->e, "'(' after the name of a macro");
    ebnf_lex_next(lex);
    if (ebnf_is_mark(lex, ')')) return true;
    for (;;) {
        Arg arg;
        if (!read_arg(c, &arg) || !push_arg(c, arg)) return false;
        if (ebnf_is_mark(lex, ')')) return true;
        if (!ebnf_is_mark(lex, ',')) return ebnf_unexpected(c->e, "',' or ')'");
        ebnf_lex_next(lex);
    }
}

/* ---- checking ---- */

typedef struct Named {
    const char *name;
    ArgKind kind;
    const Arg *arg; /* NULL: not given */
} Named;

/* Finds the named arguments of a macro, which may have no others. */
static bool find_named(Call *c, Named *named, uint32_t count)
{
    for (uint32_t i = c->npositional; i < c->args.count; i++) {
        const Arg *arg = &c->args.at[i];
        Span name = ebnf_text(&c->e->lex, arg->name);
        uint32_t k = 0;
        while (k < count && !span_equal(name, span_text(named[k].name))) k++;
        if (k == count)
            return diag_fail(&c->ir->error, WEIR_SYNTAX, arg->name.begin,
                             arg->name.end, "argument %s is not known",
                             diag_shown(name).text);
        if (named[k].arg) return fail(c, arg->name, "argument given twice");
        if (arg->kind != named[k].kind)
            return wrong_kind(c, arg, kind_names[named[k].kind]);
        named[k].arg = arg;
    }
    return true;
}

/* All positional arguments, or all parts of a tuple, are of one kind. */
static bool are_all(Call *c, const Arg *args, uint32_t count, ArgKind kind)
{
    for (uint32_t i = 0; i < count; i++)
        if (args[i].kind != kind)
            return wrong_kind(c, &args[i], kind_names[kind]);
    return true;
}

static const Arg *parts_of(const Call *c, const Arg *tuple)
{
    return vec_from(&c->parts, tuple->first);
}

/* ---- Regex ---- */

/* Everything that a JSON string may hold as it is. */
static const Dfa *json_text(LangCtx *ctx)
{
    const RuneRange plain[] = {{0x20, 0x21}, {0x23, 0x5B}, {0x5D, 0x10FFFF}};
    const Dfa *one = lang_class(ctx, plain, COUNT_OF(plain));
    return lang_repeat(ctx, one, 0, LANG_INF);
}

static NodeId json_regex(Call *c, Span pattern, const RegexOpts *opts)
{
    Ir *ir = c->ir;
    Arena arena;
    LangCtx ctx;
    arena_init(&arena, ir->mem, 0);
    lang_init(&ctx, ir->mem, &arena, &ir->limits, &ir->error);
    ctx.begin = c->macro.begin;
    ctx.end = c->macro.end;
    const Dfa *all = regex_dfa(&ctx, pattern, opts, &ir->limits, ir);
    NodeId node = ir_regular(ir, lang_intersect(&ctx, all, json_text(&ctx)));
    arena_free(&arena);
    return node;
}

static bool read_flags(Call *c, const Arg *arg, RegexOpts *opts)
{
    Span flags = arg_text(c, arg);
    opts->dot_all = false;
    opts->line_feed_only = true;
    for (size_t i = 0; i < flags.size; i++) {
        opts->ignore_case |= flags.at[i] == 'i';
        opts->dot_all |= flags.at[i] == 's';
        if (!memchr("isu", flags.at[i], 3))
            return wrong_kind(c, arg, "flags out of i, s and u");
    }
    return true;
}

/* An error in a pattern that is spelled with escapes points at all of it. */
static void place_error(Call *c, const Arg *pattern, size_t warnings)
{
    Span text = ebnf_text(&c->e->lex, pattern->word);
    if (!memchr(text.at, '\\', text.size)) return;
    if (!ir_ok(c->ir)) {
        c->ir->error.begin = pattern->word.begin;
        c->ir->error.end = pattern->word.end;
    }
    for (size_t i = warnings; i < c->ir->warnings.count; i++) {
        c->ir->warnings.at[i].begin = pattern->word.begin;
        c->ir->warnings.at[i].end = pattern->word.end;
    }
}

static NodeId macro_regex(Call *c)
{
    Named named[] = {{"json_string", ARG_BOOL, NULL},
                     {"flags", ARG_TEXT, NULL}};
    RegexOpts opts = {.dot_all = true};
    if (!find_named(c, named, COUNT_OF(named)) ||
        !are_all(c, c->args.at, c->npositional, ARG_TEXT))
        return NODE_NEVER_ID;
    if (c->npositional != 1)
        return fail(c, c->macro, "Regex takes one pattern");
    if (named[1].arg && !read_flags(c, named[1].arg, &opts))
        return NODE_NEVER_ID;
    const Arg *pattern = &c->args.at[0];
    opts.offset = pattern->word.begin + 1;
    uint32_t warnings = c->ir->warnings.count;
    bool is_json = named[0].arg && named[0].arg->value;
    Span text = arg_text(c, pattern);
    NodeId node = is_json ? json_regex(c, text, &opts)
                          : regex_compile(c->ir, text, &opts);
    place_error(c, pattern, warnings);
    return node;
}

/* ---- Substring ---- */

static NodeId macro_substring(Call *c)
{
    if (!find_named(c, NULL, 0) ||
        !are_all(c, c->args.at, c->npositional, ARG_TEXT))
        return NODE_NEVER_ID;
    size_t nbytes = (c->args.count + 1) * sizeof(Span);
    Span *chunks = mem_new(c->ir->mem, nbytes);
    if (!chunks) return no_memory(c);
    for (uint32_t i = 0; i < c->args.count; i++)
        chunks[i] = arg_text(c, &c->args.at[i]);
    NodeId node = substring_compile(c->ir, chunks, c->args.count,
                                    c->macro.begin, c->macro.end);
    mem_free(c->ir->mem, chunks, nbytes);
    return node;
}

/* ---- Token, ExcludeToken ---- */

/* The numbers among `args`, as ranges in the scratch of the front end. */
static bool push_ids(Call *c, const Arg *args, uint32_t count)
{
    if (!are_all(c, args, count, ARG_NUMBER)) return false;
    for (uint32_t i = 0; i < count; i++) {
        Range id = {args[i].value, args[i].value};
        if (!vec_push(c->ir->mem, &c->e->ranges, id)) return no_memory(c);
    }
    return true;
}

static NodeId token_set(Call *c, bool negated)
{
    c->e->ranges.count = 0;
    if (!find_named(c, NULL, 0) || !push_ids(c, c->args.at, c->npositional))
        return NODE_NEVER_ID;
    if (!c->npositional) return fail(c, c->macro, "no token id is given");
    return ir_tokens(c->ir, c->e->ranges.at, c->e->ranges.count, negated);
}

static NodeId macro_token(Call *c)
{
    return token_set(c, false);
}

static NodeId macro_exclude_token(Call *c)
{
    return token_set(c, true);
}

/* ---- TagDispatch, TokenTagDispatch ---- */

/* (tag, rule) */
static bool check_pair(Call *c, const Arg *arg, ArgKind tag)
{
    if (arg->kind != ARG_TUPLE) return wrong_kind(c, arg, "(tag, rule)");
    const Arg *parts = parts_of(c, arg);
    if (arg->count != 2) return wrong_kind(c, arg, "(tag, rule)");
    return are_all(c, parts, 1, tag) && are_all(c, parts + 1, 1, ARG_RULE);
}

typedef struct Dispatch {
    bool is_loop;
    const Arg *excludes; /* parts */
    uint32_t nexcludes;
} Dispatch;

static bool read_dispatch(Call *c, ArgKind tag, Dispatch *d)
{
    Named named[] = {{"loop_after_dispatch", ARG_BOOL, NULL},
                     {"excludes", ARG_TUPLE, NULL}};
    if (!find_named(c, named, COUNT_OF(named))) return false;
    for (uint32_t i = 0; i < c->npositional; i++)
        if (!check_pair(c, &c->args.at[i], tag)) return false;
    *d = (Dispatch){.is_loop = !named[0].arg || named[0].arg->value};
    if (!named[1].arg) return true;
    d->excludes = parts_of(c, named[1].arg);
    d->nexcludes = named[1].arg->count;
    return are_all(c, d->excludes, d->nexcludes, tag);
}

static bool check_texts(Call *c, const Arg *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!args[i].count) return wrong_kind(c, &args[i], "a longer text");
    return true;
}

static NodeId dispatch_texts(Call *c, const Dispatch *d, Span *texts,
                             NodeId *bodies)
{
    TagText in = {.tags = texts,
                  .bodies = bodies,
                  .ntags = c->npositional,
                  .excludes = texts + c->npositional,
                  .nexcludes = d->nexcludes,
                  .nloop = d->is_loop ? c->npositional : 0,
                  .is_open = true,
                  .begin = c->macro.begin,
                  .end = c->macro.end};
    for (uint32_t i = 0; i < in.ntags; i++) {
        const Arg *pair = parts_of(c, &c->args.at[i]);
        if (!check_texts(c, pair, 1)) return NODE_NEVER_ID;
        texts[i] = arg_text(c, pair);
        bodies[i] = ebnf_reference(c->e, pair[1].word);
    }
    if (!check_texts(c, d->excludes, d->nexcludes)) return NODE_NEVER_ID;
    for (uint32_t i = 0; i < in.nexcludes; i++)
        texts[in.ntags + i] = arg_text(c, &d->excludes[i]);
    return tag_text_compile(c->ir, &in);
}

static NodeId macro_tag_dispatch(Call *c)
{
    Dispatch d;
    if (!read_dispatch(c, ARG_TEXT, &d)) return NODE_NEVER_ID;
    const Mem *mem = c->ir->mem;
    size_t ntexts = (size_t)c->npositional + d.nexcludes + 1;
    Span *texts = mem_new(mem, size_mul(ntexts, sizeof(Span)));
    NodeId *bodies = mem_new(mem, size_mul(ntexts, sizeof(NodeId)));
    NodeId node = NODE_NEVER_ID;
    if (texts && bodies)
        node = dispatch_texts(c, &d, texts, bodies);
    else
        no_memory(c);
    mem_free(mem, texts, size_mul(ntexts, sizeof(Span)));
    mem_free(mem, bodies, size_mul(ntexts, sizeof(NodeId)));
    return node;
}

static int id_order(const void *x, const void *y)
{
    uint32_t a = ((const Range *)x)->lo, b = ((const Range *)y)->lo;
    return (a > b) - (a < b);
}

/* Excludes are in the scratch ranges. */
static bool check_triggers(Call *c)
{
    EbnfRanges *ids = &c->e->ranges;
    if (!ids->count) return true;
    qsort(ids->at, ids->count, sizeof *ids->at, id_order);
    for (uint32_t i = 0; i < c->npositional; i++) {
        const Arg *id = parts_of(c, &c->args.at[i]);
        Range key = {id->value, id->value};
        if (bsearch(&key, ids->at, ids->count, sizeof key, id_order))
            return wrong_kind(c, id, "a token that is not excluded");
    }
    return true;
}

/* The tokens that begin a body, each with its body. */
static bool push_branches(Call *c)
{
    for (uint32_t i = 0; i < c->npositional; i++) {
        const Arg *pair = parts_of(c, &c->args.at[i]);
        Range id = {pair->value, pair->value};
        NodeId token = ir_tokens(c->ir, &id, 1, false);
        NodeId branch =
            ir_seq2(c->ir, token, ebnf_reference(c->e, pair[1].word));
        if (!vec_push(c->ir->mem, &c->e->alts, branch)) return no_memory(c);
        if (!vec_push(c->ir->mem, &c->e->ranges, id)) return no_memory(c);
    }
    return ir_ok(c->ir);
}

/* free ((id body | ...) free)*, where free is any other tokens. */
static NodeId macro_token_tag_dispatch(Call *c)
{
    Dispatch d;
    Ir *ir = c->ir;
    uint32_t alts = c->e->alts.count;
    c->e->ranges.count = 0;
    if (!read_dispatch(c, ARG_NUMBER, &d) ||
        !push_ids(c, d.excludes, d.nexcludes) || !check_triggers(c) ||
        !push_branches(c))
        return NODE_NEVER_ID;
    NodeId other = ir_tokens(ir, c->e->ranges.at, c->e->ranges.count, true);
    NodeId free = ir_repeat(ir, other, 0, REPEAT_INF);
    NodeId body =
        ir_alt(ir, vec_from(&c->e->alts, alts), c->e->alts.count - alts);
    c->e->alts.count = alts;
    if (!d.is_loop) return ir_seq2(ir, free, ir_optional(ir, body));
    body = ir_seq2(ir, body, free);
    return ir_seq2(ir, free, ir_repeat(ir, body, 0, REPEAT_INF));
}

/* ---- all ---- */

static const struct {
    const char *name;
    NodeId (*compile)(Call *call);
} macros[] = {
    {"Regex", macro_regex},
    {"Substring", macro_substring},
    {"Token", macro_token},
    {"ExcludeToken", macro_exclude_token},
    {"TagDispatch", macro_tag_dispatch},
    {"TokenTagDispatch", macro_token_tag_dispatch},
};

static size_t macro_index(Span name)
{
    size_t i = 0;
    while (i < COUNT_OF(macros) && !span_equal(name, span_text(macros[i].name)))
        i++;
    return i;
}

bool ebnf_is_macro(Span name)
{
    return macro_index(name) < COUNT_OF(macros);
}

NodeId ebnf_macro(Ebnf *e)
{
    Call c = {.e = e, .ir = e->ir, .macro = e->lex.word};
    size_t macro = macro_index(ebnf_text(&e->lex, c.macro));
    NodeId node = NODE_NEVER_ID;
    if (read_call(&c)) {
        c.macro.end = e->lex.word.end;
        node = macros[macro].compile(&c);
    }
    vec_free(e->ir->mem, &c.args);
    vec_free(e->ir->mem, &c.parts);
    vec_free(e->ir->mem, &c.text);
    return node;
}
