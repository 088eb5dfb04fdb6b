/* convert.h: one grammar language's text made of another's. */
#ifndef WEIR_CONVERT_CONVERT_H
#define WEIR_CONVERT_CONVERT_H

#include "base/mem.h"
#include "base/span.h"
#include "syntax/ir.h"

/* One block of the Mem given: the text, then the warnings. */
typedef struct ConversionText {
    uint8_t *at; /* NULL: empty */
    size_t text_size;
    size_t warnings_size; /* one a line */
} ConversionText;

/* JSON Schema -> GBNF as llama.cpp has it; of a chat, as its server does. False
 * after a report; `out` is empty then. limits: no zeros. */
bool convert_schema_llama(const Mem *mem, Span schema, weir_chat chat,
                          const weir_limits *limits, ConversionText *out,
                          weir_error *err);
/* How the prompt of a chat ends; static. */
Span chat_prefill(weir_chat chat);
/* A grammar as GBNF, EBNF, LARK or REGEX. `ir` is changed. is_lenient: see
 * ir_plain.h. */
bool convert_ir(Ir *ir, weir_source_kind to, bool is_lenient,
                ConversionText *out, weir_error *err);
void conversion_text_free(const Mem *mem, ConversionText *out);

#endif
