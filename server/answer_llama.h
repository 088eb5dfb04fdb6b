/* answer_llama.h: what llama-server tells of how an answer was drawn. */
#ifndef WEIR_SERVER_ANSWER_LLAMA_H
#define WEIR_SERVER_ANSWER_LLAMA_H

#include "server/answer_state.h"

/* generation_settings, the effective grammar among them. */
void put_settings(const Answer *a, JsonPut *out);

#endif
