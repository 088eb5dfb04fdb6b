/* llama_json.h: what llama.cpp says of a text that is no JSON. */
#ifndef WEIR_CONVERT_LLAMA_JSON_H
#define WEIR_CONVERT_LLAMA_JSON_H

#include "base/mem.h"
#include "base/out.h"

/* Writes the message; nothing if the text is JSON to llama.cpp, or memory is
 * out. */
void llama_json_message(const Mem *mem, Span text, Out *out);

#endif
