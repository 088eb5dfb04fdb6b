/* llama_convert.c: a conversion from its beginning to its end.
 * Tests: unit/convert_llama_test.c */
#include <stdio.h>

#include "convert/conversion_text.h"
#include "convert/llama.h"
#include "convert/llama_json.h"
#include "convert/machine_number.h"

static void put_list(Llama *c, const SpanList *list, const char *separator)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (i) scratch_text(&c->text, separator);
        scratch_add(&c->text, list->at[i]);
    }
}

/* All complaints in one message, at the place of the first. */
static bool refuse(Llama *c)
{
    size_t from = scratch_begin(&c->text);
    scratch_text(&c->text, "JSON schema conversion failed:\n");
    put_list(c, &c->complaints, "\n");
    Span all = scratch_view(&c->text, from);
    return diag_fail(c->err, c->first.status, c->first.begin, c->first.end,
                     "%.*s", (int)MIN(all.size, sizeof c->err->message),
                     (const char *)all.at);
}

static bool check_numbers(Llama *c)
{
    const Json *json = &c->doc.json;
    for (JsonId id = 0; id < json->nodes.count; id++) {
        if (json_kind(json, id) != JSON_NUMBER) continue;
        Span text = json_spelling(json, id);
        MachineNumber n = machine_number(text);
        if (n.is_whole || (n.value - n.value == 0)) continue;
        char message[128];
        snprintf(message, sizeof message,
                 "[json.exception.out_of_range.406] number overflow parsing "
                 "'%.*s'",
                 (int)MIN(text.size, 64), (const char *)text.at);
        return llama_stop(c, id, message);
    }
    return true;
}

static bool check_format(Llama *c)
{
    if (json_kind(&c->doc.json, JSON_ROOT) == JSON_OBJECT) return true;
    return diag_fail(c->err, WEIR_UNSUPPORTED, 0, 0,
                     "found a schema that is no object, expected an object: "
                     "llama-server takes no other for a format");
}

static bool convert(Llama *c, weir_chat chat)
{
    if (chat && !check_format(c)) return false;
    if (!check_numbers(c) || !llama_refs_find(c)) return false;
    llama_rule_of(c, SPAN("space"),
                  SPAN("| \" \" | \"\\n\"{1,2} [ \\t]{0,20}"));
    Span made = llama_visit(c, (LlamaSchema){JSON_ROOT, JSON_NONE},
                            chat ? LLAMA_CHAT_SCHEMA : SPAN(""));
    if (c->complaints.count && llama_ok(c)) return refuse(c);
    if (chat) llama_chat_rules(c, chat, made);
    llama_rules_write(c);
    return llama_ok(c);
}

static void put_warnings(Llama *c)
{
    if (!c->warnings.count) return;
    scratch_text(&c->text, "WARNING: JSON schema conversion was incomplete: ");
    put_list(c, &c->warnings, "; ");
    scratch_text(&c->text, "\n");
}

static bool run(Llama *c, weir_chat chat, ConversionText *out)
{
    bool ok = convert(c, chat);
    size_t text_size = scratch_begin(&c->text);
    if (ok) put_warnings(c);
    if (c->arena.failed && c->arena.hit_limit)
        diag_fail(c->err, WEIR_LIMIT_MEMORY, 0, 0,
                  "found more than %llu bytes of grammar (limit max_memory)",
                  (unsigned long long)c->limits->max_memory);
    else if (c->arena.failed)
        diag_no_memory(c->err);
    return llama_ok(c) && (conversion_text_give(&c->text, text_size, out) ||
                           diag_no_memory(c->err));
}

/* In llama.cpp's words, where it refuses the text too. */
static bool parse(Llama *c, Span schema)
{
    char message[512];
    Out out = {message, sizeof message, 0};
    weir_error ours = {0};
    if (doc_parse(&c->doc, c->mem, schema, c->limits, &ours)) return true;
    if (ours.status == WEIR_SYNTAX) llama_json_message(c->mem, schema, &out);
    if (!out.size) {
        *c->err = ours;
        return false;
    }
    return diag_fail(c->err, ours.status, ours.begin, ours.end, "%.*s",
                     (int)MIN(out.size, sizeof message), message);
}

bool convert_schema_llama(const Mem *mem, Span schema, weir_chat chat,
                          const weir_limits *limits, ConversionText *out,
                          weir_error *err)
{
    Llama c = {.mem = mem, .limits = limits, .err = err};
    *out = (ConversionText){0};
    if (!parse(&c, schema)) return false;
    arena_init(&c.arena, mem, limit_size(limits->max_memory));
    c.text.arena = &c.arena;
    bool ok = run(&c, chat, out);
    vec_free(mem, &c.rules);
    map_free(mem, &c.rule_index);
    vec_free(mem, &c.refs);
    map_free(mem, &c.ref_index);
    vec_free(mem, &c.complaints);
    vec_free(mem, &c.warnings);
    scratch_free(&c.text);
    arena_free(&c.arena);
    doc_free(&c.doc);
    return ok;
}
