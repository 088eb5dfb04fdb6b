/* syntax_kit.h: what holds for every grammar text that a fuzz target reads.
 *
 * An error lies inside the source and says something; a grammar that compiles
 * does so again to the same text and the same hash; what is printed does not
 * depend on the room for it; every rule is defined; warnings lie inside the
 * source. Limits are small, so that no input is slow.
 */
#ifndef WEIR_FUZZ_SYNTAX_KIT_H
#define WEIR_FUZZ_SYNTAX_KIT_H

#include <stdlib.h>

#include "syntax/ir.h"

static inline void check(bool holds)
{
    if (!holds) abort();
}

static inline void check_error(const weir_error *error, size_t size)
{
    check(error->status > WEIR_OK && error->status <= WEIR_LIMIT_MEMORY);
    check(error->begin <= error->end && error->end <= size);
    check(error->message[0] && strlen(error->message) < 192);
    check(strlen(error->pointer) < sizeof error->pointer);
}

static inline void check_rules(const Ir *ir, size_t size)
{
    check(ir->root < ir->rules.count);
    for (uint32_t i = 0; i < ir->rules.count; i++) {
        Rule rule = ir->rules.at[i];
        check(rule.is_defined && rule.body < ir->nodes.count);
        check(rule.begin < rule.end && rule.end <= size);
    }
    for (uint32_t i = 0; i < ir->warnings.count; i++) {
        Warning w = ir->warnings.at[i];
        check(w.begin <= w.end && w.end <= size && w.message.size);
    }
}

/* The printed rules, which the caller frees; its size is the whole. */
static inline Out print(const Ir *ir)
{
    Out out = {0};
    ir_print(ir, &out);
    Out full = {malloc(out.size + 1), out.size, 0};
    check(full.at != NULL);
    ir_print(ir, &full);
    check(full.size == out.size);
    return full;
}

static inline void check_same(const Ir *a, const Ir *b)
{
    Out x = print(a), y = print(b);
    check(x.size == y.size && !memcmp(x.at, y.at, x.size));
    check(ir_hash(a) == ir_hash(b));
    free(x.at);
    free(y.at);
}

/* Reads one source twice by `compile`. */
static inline void check_source(const uint8_t *data, size_t size,
                                bool (*compile)(Ir *ir, Span source))
{
    const weir_limits limits = {
        .max_depth = 100, .max_states = 1000, .max_work = 300000};
    Mem mem = mem_from_env(NULL);
    Ir first, second;
    ir_init(&first, &mem, &limits);
    ir_init(&second, &mem, &limits);
    bool done = compile(&first, span_of(data, size));
    check(done == compile(&second, span_of(data, size)));
    check(done == ir_ok(&first));
    check(first.error.status == second.error.status);
    if (done)
        check_rules(&first, size);
    else
        check_error(&first.error, size);
    if (done) check_same(&first, &second);
    ir_free(&first);
    ir_free(&second);
}

#endif
