/* request_kit.h: what the tests of requests share. */
#ifndef WEIR_TESTS_REQUEST_KIT_H
#define WEIR_TESTS_REQUEST_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "weir/weir.h"

static inline weir_bytes request_bytes(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static inline weir_constraint *request_open(const char *text,
                                            const weir_request_opts *opts,
                                            weir_refusal *refusal)
{
    bool is_ollama = opts && opts->endpoint >= WEIR_ENDPOINT_OLLAMA_CHAT;
    return is_ollama ? weir_constraint_from_ollama(NULL, request_bytes(text),
                                                   opts, refusal)
                     : weir_constraint_from_openai(NULL, request_bytes(text),
                                                   opts, refusal);
}

static inline weir_request_opts request_opts(weir_profile profile,
                                             weir_endpoint endpoint)
{
    return (weir_request_opts){.size = sizeof(weir_request_opts),
                               .profile = profile,
                               .endpoint = endpoint};
}

static inline weir_constraint_info request_info(const weir_constraint *c)
{
    weir_constraint_info info = {.size = sizeof info};
    weir_constraint_describe(c, &info);
    return info;
}

static inline void assert_text(weir_bytes text, const char *expected)
{
    if (text.size != strlen(expected) ||
        (text.size && memcmp(text.data, expected, text.size) != 0))
        fail_msg("found \"%.*s\", expected \"%s\"", (int)text.size,
                 text.size ? text.data : "", expected);
}

/* Whether the text has the part in it. */
static inline bool text_has(weir_bytes text, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.size; i++)
        if (!memcmp(text.data + i, part, n)) return true;
    return false;
}

/* Resolves and compiles: the request must be refused. */
static inline weir_refusal request_refused(const char *text,
                                           const weir_request_opts *opts)
{
    weir_refusal refusal;
    weir_constraint *c = request_open(text, opts, &refusal);
    if (c) {
        weir_grammar *g = weir_constraint_compile(c, NULL, &refusal);
        assert_null(g);
        weir_constraint_free(c);
    }
    if (!refusal.http) fail_msg("not refused: %s", text);
    return refusal;
}

/* Resolves: the request must not be refused. */
static inline weir_constraint *request_taken(const char *text,
                                             const weir_request_opts *opts)
{
    weir_refusal refusal;
    weir_constraint *c = request_open(text, opts, &refusal);
    if (!c) fail_msg("%s: %s", text, refusal.message);
    assert_int_equal(refusal.http, 0);
    return c;
}

/* The grammar of a request without a vocabulary. */
static inline weir_grammar *request_grammar(const char *text,
                                            const weir_request_opts *opts)
{
    weir_refusal refusal;
    weir_constraint *c = request_taken(text, opts);
    weir_grammar *g = weir_constraint_compile(c, NULL, &refusal);
    if (!g) fail_msg("%s: %s", text, refusal.message);
    weir_constraint_free(c);
    return g;
}

static inline bool grammar_takes(weir_grammar *g, const char *text)
{
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    bool takes = weir_matcher_accept_bytes(m, request_bytes(text), NULL) ==
                     WEIR_ACCEPTED &&
                 weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return takes;
}

/* Whether an output obeys what a request asks for. */
static inline bool request_allows(const char *text,
                                  const weir_request_opts *opts,
                                  const char *output)
{
    weir_grammar *g = request_grammar(text, opts);
    bool takes = grammar_takes(g, output);
    weir_grammar_free(g);
    return takes;
}

#endif
