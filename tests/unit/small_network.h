/* small_network.h: a network of small_grammar.h's rules, and texts to read in
 * it. Tokens 0 to 15 exist; they have no text. */
#ifndef WEIR_TESTS_SMALL_NETWORK_H
#define WEIR_TESTS_SMALL_NETWORK_H

#include "matcher/config.h"
#include "unit/small_grammar.h"

typedef struct Net {
    Mem mem;
    Ir ir;
    Network net;
    StackHub hub;
    Stepper stepper;
    ConfigSet set, next;
} Net;

static inline bool any_token(const void *user, uint32_t id, bool by_default)
{
    (void)user, (void)by_default;
    return id < 16;
}

/* Of n->ir, made with n->mem. */
static inline void net_open_ir(Net *n, Network *shared)
{
    const LowerTokens sixteen = {16, any_token, NULL};
    Lowered lowered;
    weir_error err;
    assert_true(lower_run(&n->ir, &sixteen, &lowered));
    assert_true(network_init(&n->net, &n->ir, &lowered, shared, &err));
    assert_true(stackhub_init(&n->hub, &n->mem, 0));
    stepper_init(&n->stepper, &n->mem, &n->hub, &n->ir.limits, false);
}

static inline void net_open(Net *n, const char *source, Network *shared)
{
    *n = (Net){.mem = mem_from_env(NULL)};
    small_ir(&n->ir, &n->mem, source, NULL);
    net_open_ir(n, shared);
}

static inline void net_close(Net *n)
{
    vec_free(&n->mem, &n->set.list);
    vec_free(&n->mem, &n->next.list);
    stepper_free(&n->stepper);
    stackhub_free(&n->hub);
    network_free(&n->net);
    ir_free(&n->ir);
}

/* n->set = the configurations after `text`. */
static inline void net_read(Net *n, const char *text)
{
    State *start = network_start(&n->net);
    assert_non_null(start);
    set_clear(&n->set);
    set_add(&n->stepper, &n->set, (Config){.q = start});
    for (; *text; text++) {
        set_step(&n->stepper, &n->set, (uint8_t)*text, &n->next);
        assert_false(set_is_empty(&n->next));
        ConfigSet swap = n->set;
        n->set = n->next;
        n->next = swap;
    }
    assert_int_equal(stepper_status(&n->stepper), WEIR_OK);
}

/* The state of the one configuration after `text`. */
static inline State *net_state(Net *n, const char *text)
{
    net_read(n, text);
    assert_int_equal(n->set.list.count, 1);
    return n->set.list.at[0].q;
}

static inline void expect_out(Out *out, const char *expected)
{
    assert_true(out->size < out->cap);
    out->at[out->size] = 0;
    assert_string_equal(out->at, expected);
}

#endif
