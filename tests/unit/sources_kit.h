/* sources_kit.h: a schema and its documents opened for a test. */
#ifndef WEIR_TESTS_SOURCES_KIT_H
#define WEIR_TESTS_SOURCES_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "schema/pointer.h"
#include "schema/source.h"

typedef struct Kit {
    Mem mem;
    Ir ir;
    Sources *s;
} Kit;

static inline void kit_open_opts(Kit *kit, const char *schema,
                                 const weir_schema_opts *opts)
{
    kit->mem = mem_from_env(NULL);
    ir_init(&kit->ir, &kit->mem, NULL);
    kit->s = sources_new(&kit->ir, span_text(schema), opts);
    assert_int_equal(kit->s == NULL, !ir_ok(&kit->ir));
}

static inline void kit_open(Kit *kit, const char *schema)
{
    kit_open_opts(kit, schema, NULL);
    if (!kit->s) fail_msg("%s: %s", schema, kit->ir.error.message);
}

static inline void kit_close(Kit *kit)
{
    sources_free(kit->s);
    ir_free(&kit->ir);
}

/* The place that a plain pointer ("/a/0") means in the main document. */
static inline Place kit_place(Kit *kit, const char *pointer)
{
    PointerIndex index = {0};
    PointerEnd end;
    const Json *json = place_json(kit->s, sources_root());
    if (!pointer_follow(&index, json, JSON_ROOT, span_text(pointer), &end))
        fail_msg("no %s", pointer);
    pointer_index_free(&kit->mem, &index);
    return (Place){0, end.at};
}

static inline const char *span_chars(Span span)
{
    static char text[4][512];
    static unsigned turn;
    char *out = text[turn++ % 4];
    snprintf(out, sizeof text[0], "%.*s", (int)span.size,
             (const char *)span.at);
    return out;
}

static inline void assert_pointer(Kit *kit, Place place, const char *expected)
{
    assert_string_equal(span_chars(place_pointer(kit->s, place)), expected);
}

/* Whether some warning has the text in it. */
static inline bool kit_warns(const Kit *kit, const char *text)
{
    for (uint32_t i = 0; i < kit->ir.warnings.count; i++)
        if (strstr(span_chars(kit->ir.warnings.at[i].message), text))
            return true;
    return false;
}

#endif
