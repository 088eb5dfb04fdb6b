/* refusal_kit.h: what holds of every refusal of a request. */
#ifndef WEIR_FUZZ_REFUSAL_KIT_H
#define WEIR_FUZZ_REFUSAL_KIT_H

#include <stdlib.h>

#include "text/json.h"
#include "weir/weir.h"

static inline void must(bool claim)
{
    if (!claim) abort();
}

static inline void check_refusal(const weir_refusal *f)
{
    char body[8192];
    Json json;
    Mem mem = mem_from_env(NULL);
    size_t size = weir_refusal_body(f, body, sizeof body);
    must(f->http >= 400 && f->http < 600 && f->status && f->type && f->code);
    must(*f->message && f->begin <= f->end && size <= sizeof body);
    must(json_parse(&json, &mem, span_of(body, size), NULL, NULL));
    must(json_kind(&json, JSON_ROOT) == JSON_OBJECT);
    json_free(&json);
}

#endif
