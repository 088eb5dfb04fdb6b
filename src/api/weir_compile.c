/* weir_compile.c: from a source to a grammar: picks the front end, runs the
 * stages, prints and describes the result. */
#include "api/grammar.h"
#include "api/language_hint.h"
#include "api/nested_grammar.h"
#include "api/objects.h"
#include "base/blocks.h"
#include "base/diag.h"
#include "base/out.h"
#include "schema/schema.h"
#include "syntax/choice.h"
#include "syntax/ebnf.h"
#include "syntax/gbnf.h"
#include "syntax/ir_import.h"
#include "syntax/json_grammar.h"
#include "syntax/lark.h"
#include "syntax/regex.h"
#include "tag/tag.h"

static const Mem *mem_of(weir_vocab *vocab, Mem *local)
{
    if (vocab) return &vocab->mem;
    *local = mem_from_env(NULL);
    return local;
}

static void compile_json(Ir *ir, bool is_object, const weir_space *space)
{
    JsonRules json;
    json_rules_init(&json, ir, space);
    ir->root =
        is_object ? json_object_rule(&json, 0) : json_value_rule(&json, 0);
}

static void compile_regex(Ir *ir, Span pattern, const weir_compile_opts *opts)
{
    RegexOpts regex = {.ignore_case = opts->ignore_case,
                       .dot_all = opts->dot_all};
    ir->root = ir_rule_new(ir, SPAN("root"), 0);
    NodeId body = regex_compile(ir, pattern, &regex);
    ir_rule_set(ir, ir->root, body);
}

/* The token that a text is spelled by, for <text> in GBNF. */
static uint32_t single_token(void *user, Span text)
{
    uint32_t ids[2];
    weir_bytes bytes = {(const char *)text.at, text.size};
    size_t count = weir_vocab_encode(user, bytes, true, ids, COUNT_OF(ids));
    return count == 1 ? ids[0] : GBNF_NO_TOKEN;
}

static void compile_gbnf(Ir *ir, weir_vocab *vocab, Span source,
                         const weir_compile_opts *opts)
{
    GbnfOpts gbnf = {.root = opts->root,
                     .is_llama_cpp = opts->dialect == WEIR_DIALECT_LLAMA_CPP,
                     .any_repeat = opts->any_repeat,
                     .token = vocab ? single_token : NULL,
                     .user = vocab};
    if (gbnf.is_llama_cpp && vocab &&
        vocab->vocab.dialect != WEIR_DIALECT_LLAMA_CPP)
        diag_fail(&ir->error, WEIR_ARGUMENT, 0, 0,
                  "found a vocabulary that was not loaded for the dialect "
                  "llama.cpp");
    gbnf_compile(ir, source, &gbnf);
}

/* ---- structural tags ---- */

static uint32_t named_token(void *user, Span text)
{
    const weir_vocab *vocab = user;
    return vocab_find(&vocab->vocab, text);
}

/* Control tokens: their names, and their ids in the same order. */
typedef struct Controls {
    PrefixSet names;
    VEC(uint32_t) ids;
} Controls;

static bool find_controls(const Mem *mem, const Vocab *v, Controls *controls)
{
    for (uint32_t id = 0; id < v->ntokens; id++) {
        unsigned kind = v->flags[id] & (WEIR_TOKEN_CONTROL | WEIR_TOKEN_HOLE);
        Span name = vocab_bytes(v, id);
        if (kind == WEIR_TOKEN_CONTROL && name.size &&
            (!prefix_set_add(mem, &controls->names, name) ||
             !vec_push(mem, &controls->ids, id)))
            return false;
    }
    return true;
}

static void compile_tag(Ir *ir, const Nesting *nesting, Span source)
{
    Controls controls = {0};
    Markers markers;
    weir_vocab *vocab = nesting->vocab;
    TagOpts tag = {.schema = &nesting->opts->schema,
                   .space = &nesting->opts->space};
    if (vocab && !find_controls(ir->mem, &vocab->vocab, &controls))
        diag_no_memory(&ir->error);
    if (vocab) {
        tag.width = vocab->vocab.width;
        tag.token = named_token;
        tag.user = vocab;
        markers = (Markers){&controls.names, controls.ids.at};
        tag.markers = &markers;
    }
    ir->borrows = vocab && !nesting->outer;
    tag_compile(ir, source, &tag);
    prefix_set_free(ir->mem, &controls.names);
    vec_free(ir->mem, &controls.ids);
}

static void compile_lark(Ir *ir, Nesting *nesting, Span source)
{
    LarkOpts lark = {.root = nesting->outer ? NULL : nesting->opts->root,
                     .nested = nested_hooks(nesting)};
    lark_compile(ir, source, &lark);
}

/* ---- all kinds ---- */

static bool check_size(Ir *ir, Span source)
{
    return source.size <= ir->limits.max_source ||
           diag_fail(&ir->error, WEIR_LIMIT_BYTES, 0, 0,
                     "found %zu bytes of source, expected at most %u (limit "
                     "max_source)",
                     source.size, ir->limits.max_source);
}

void grammar_read_nested(Ir *ir, Nesting *nesting, weir_source_kind kind,
                         Span source)
{
    const weir_compile_opts *opts = nesting->opts;
    weir_vocab *vocab = nesting->vocab;
    if (!check_size(ir, source)) return;
    switch (kind) {
    case WEIR_JSON_VALUE:
    case WEIR_JSON_OBJECT:
        compile_json(ir, kind == WEIR_JSON_OBJECT, &opts->space);
        return;
    case WEIR_REGEX:
        compile_regex(ir, source, opts);
        return;
    case WEIR_EBNF:
        ebnf_compile(ir, source, opts->root);
        language_hint(ir, kind, source);
        return;
    case WEIR_GBNF:
        compile_gbnf(ir, vocab, source, opts);
        language_hint(ir, kind, source);
        return;
    case WEIR_JSON_SCHEMA:
        ir->borrows = vocab && !nesting->outer;
        schema_compile_warned(ir, source, &opts->schema, &opts->space);
        return;
    case WEIR_STRUCTURAL_TAG:
        compile_tag(ir, nesting, source);
        return;
    case WEIR_LARK:
        compile_lark(ir, nesting, source);
        language_hint(ir, kind, source);
        return;
    case WEIR_CHOICE:
        break;
    }
    diag_fail(&ir->error, WEIR_ARGUMENT, 0, 0,
              "found source kind %d, expected one that a text has", (int)kind);
}

void grammar_read(Ir *ir, weir_vocab *vocab, weir_source_kind kind, Span source,
                  const weir_compile_opts *opts)
{
    uint64_t left = ir->limits.max_source;
    Nesting nesting = {.vocab = vocab, .opts = opts, .left = &left};
    grammar_read_nested(ir, &nesting, kind, source);
    vec_free(ir->mem, &nesting.named);
}

/* Bytes that most compilations of schemas need. */
enum { SCRATCH = 32 << 10 };

/* A compilation: an IR that is empty at first, and the memory it grows in. */
typedef struct Compile {
    Ir ir;
    Mem local;
    Blocks blocks;
    weir_compile_opts opts;
} Compile;

/* Reads the options. False: *err tells why, and there is nothing to end. */
static bool compile_begin(Compile *c, weir_vocab *vocab,
                          const weir_compile_opts *given, weir_error *err)
{
    if (given && !opts_known(given, given->size, sizeof *given, err))
        return false;
    const Mem *mem = mem_of(vocab, &c->local);
    c->opts = compile_opts_read(given);
    blocks_init(&c->blocks, mem, SCRATCH);
    ir_init_within(&c->ir, &c->blocks.mem, mem, &c->opts.limits);
    return true;
}

/* A grammar of the IR, or NULL with the error. */
static weir_grammar *compile_end(Compile *c, weir_vocab *vocab, weir_error *err)
{
    weir_grammar *g = grammar_from_ir(vocab, &c->ir, err);
    blocks_free(&c->blocks);
    return g;
}

/* Whether a schema could be read again later: all that it needs is its text.
 */
static bool schema_is_own(const weir_compile_opts *o)
{
    return !o->schema.document_count && (o->space.kind == WEIR_SPACE_ANY ||
                                         o->space.kind == WEIR_SPACE_COMPACT);
}

/* Leaves the warnings until somebody asks for them. */
static weir_grammar *compile_schema(weir_vocab *vocab, Compile *c, Span source,
                                    weir_error *err)
{
    const weir_compile_opts *o = &c->opts;
    c->ir.borrows = vocab != NULL;
    if (check_size(&c->ir, source))
        schema_compile(&c->ir, source, &o->schema, &o->space);
    weir_grammar *g = compile_end(c, vocab, err);
    if (!g || grammar_keep_schema(g, source, o)) return g;
    diag_no_memory(err);
    weir_grammar_free(g);
    return NULL;
}

weir_grammar *weir_grammar_compile(weir_vocab *vocab, weir_source_kind kind,
                                   weir_bytes source,
                                   const weir_compile_opts *opts,
                                   weir_error *err)
{
    weir_error local;
    Compile c;
    err = error_begin(err, &local);
    if (!compile_begin(&c, vocab, opts, err)) return NULL;
    if (kind == WEIR_JSON_SCHEMA && schema_is_own(&c.opts))
        return compile_schema(vocab, &c, span_from(source), err);
    grammar_read(&c.ir, vocab, kind, span_from(source), &c.opts);
    return compile_end(&c, vocab, err);
}

weir_grammar *weir_grammar_choice(weir_vocab *vocab, const weir_bytes *choices,
                                  size_t count, const weir_compile_opts *opts,
                                  weir_error *err)
{
    weir_error local;
    Compile c;
    Ir *ir = &c.ir;
    err = error_begin(err, &local);
    if (!compile_begin(&c, vocab, opts, err)) return NULL;
    Span *spans = mem_new(ir->mem, size_mul(count + 1, sizeof *spans));
    if (spans) {
        for (size_t i = 0; i < count; i++) spans[i] = span_from(choices[i]);
        ir->root = ir_rule_new(ir, SPAN("root"), 0);
        ir_rule_set(ir, ir->root, choice_compile(ir, spans, count));
    } else {
        diag_no_memory(&ir->error);
    }
    mem_free(ir->mem, spans, size_mul(count + 1, sizeof *spans));
    return compile_end(&c, vocab, err);
}

/* ---- looking ---- */

weir_vocab *weir_grammar_vocab(const weir_grammar *grammar)
{
    return grammar->vocab;
}

/* With definitions of the rules that are the vocabulary's. */
static void print_rules(const weir_grammar *g, Out *out)
{
    Ir whole;
    if (!g->ir.borrows) {
        ir_print(&g->ir, out);
        return;
    }
    weir_limits limits = g->ir.limits;
    limits.max_rules = UINT32_MAX;
    ir_init(&whole, &g->mem, &limits);
    whole.root = ir_import(&whole, &g->ir);
    if (ir_ok(&whole)) ir_print(&whole, out);
    ir_free(&whole);
}

static void print_warnings(const Ir *ir, Out *out)
{
    for (uint32_t i = 0; i < ir->warnings.count; i++) {
        out_bytes(out, ir->warnings.at[i].message);
        out_text(out, "\n");
    }
}

size_t weir_grammar_print(const weir_grammar *grammar, weir_print_kind kind,
                          char *text, size_t capacity)
{
    Out out = {text, capacity, 0};
    Ir warned;
    switch (kind) {
    case WEIR_PRINT_IR:
        print_rules(grammar, &out);
        break;
    case WEIR_PRINT_NETWORK:
        network_print((Network *)&grammar->network, &out);
        break;
    case WEIR_PRINT_WARNINGS:
        warned = grammar_warned((weir_grammar *)grammar);
        print_warnings(&warned, &out);
        break;
    }
    return out.size;
}

void weir_grammar_describe(const weir_grammar *grammar, weir_grammar_info *info)
{
    weir_grammar *g =
        (weir_grammar *)grammar; /* what is made late is its own */
    size_t network;
    weir_grammar_info all = {.size = info->size,
                             .rules = g->ir.rules.count,
                             .warnings = grammar_warned(g).warnings.count,
                             .hash = grammar_hash(g)};
    network_count(&g->network, &all.frames, &all.states, &network);
    all.memory = grammar_memory(g);
    memcpy(info, &all, MIN(info->size, sizeof all));
}
