/* tool_outputs.h: random outputs of grammars over a vocabulary that has the
 * marks of the families as tokens. */
#ifndef WEIR_TESTS_TOOL_OUTPUTS_H
#define WEIR_TESTS_TOOL_OUTPUTS_H

#include "oracle/tool_texts.h"

/* The 256 bytes; texts that begin things, some of them control tokens; a stop
 * token. */
weir_vocab *tool_vocab_new(void);
/* Writes an output of the grammar, free for `steps` tokens; false: it did not
 * end within bounds. The vocabulary is the grammar's. */
bool tool_output_sample(Rng *rng, weir_grammar *g, uint32_t steps,
                        ToolText *text);

#endif
