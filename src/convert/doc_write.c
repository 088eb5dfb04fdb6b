/* doc_write.c: see doc_write.h.
 *
 * Method: the open containers are a stack of iterators; nothing recurses.
 * Cost:   linear in what is written.
 * Tests:  unit/convert_test.c, unit/convert_llama_test.c
 */
#include "convert/doc_write.h"

#include <stdio.h>

#include "convert/machine_number.h"

static void write_byte(uint8_t c, Scratch *out)
{
    static const char letters[] = "\"\\bfnrt";
    static const char meaning[] = "\"\\\b\f\n\r\t";
    const char *found = memchr(meaning, c, sizeof meaning - 1);
    char text[8];
    if (found)
        snprintf(text, sizeof text, "\\%c", letters[found - meaning]);
    else
        snprintf(text, sizeof text, "\\u%04x", c);
    scratch_text(out, text);
}

void doc_write_string(Span text, Scratch *out)
{
    scratch_text(out, "\"");
    size_t plain = 0; /* what is not written yet begins here */
    for (size_t i = 0; i <= text.size; i++) {
        bool is_end = i == text.size;
        uint8_t c = is_end ? 0 : text.at[i];
        if (!is_end && c >= 0x20 && c != '"' && c != '\\') continue;
        if (i > plain) scratch_add(out, span_of(text.at + plain, i - plain));
        if (!is_end) write_byte(c, out);
        plain = i + 1;
    }
    scratch_text(out, "\"");
}

typedef struct Writer {
    const Doc *doc;
    Scratch *out;
    VEC(DocIter) open;
} Writer;

static void write_begin(Writer *w, JsonId id)
{
    const Json *json = &w->doc->json;
    JsonKind kind = json_kind(json, id);
    if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
        scratch_text(w->out, kind == JSON_OBJECT ? "{" : "[");
        if (!vec_push(json->mem, &w->open, doc_iter(w->doc, id)))
            w->out->arena->failed = true;
    } else if (kind == JSON_STRING) {
        doc_write_string(json_string(json, id), w->out);
    } else if (kind == JSON_NUMBER) {
        machine_number_write(machine_number(json_spelling(json, id)), w->out);
    } else {
        scratch_add(w->out, kind ? json_spelling(json, id) : SPAN("null"));
    }
}

void doc_write(const Doc *doc, JsonId id, JsonId type, Scratch *out)
{
    Writer w = {.doc = doc, .out = out};
    write_begin(&w, id);
    while (w.open.count && !out->arena->failed) {
        DocIter *it = &w.open.at[w.open.count - 1];
        if (!doc_step(it)) {
            scratch_text(out, it->json.is_object ? "}" : "]");
            w.open.count--;
            continue;
        }
        if (it->position) scratch_text(out, ",");
        if (it->json.is_object) {
            doc_write_string(it->name, out);
            scratch_text(out, ":");
        }
        bool is_retyped = type != JSON_NONE && it->id == id &&
                          span_equal(it->name, SPAN("type"));
        write_begin(&w, is_retyped ? type : it->value);
    }
    vec_free(doc->json.mem, &w.open);
}
