/* cli_respell.h: another spelling of the same JSON value. */
#ifndef TOOLS_WEIR_CLI_RESPELL_H
#define TOOLS_WEIR_CLI_RESPELL_H

#include "base/span.h"
#include "weir/cli_input.h"

/* The value without blanks between its tokens, with no escape that is not
 * needed, and with numbers of up to some hundred digits written out, put in
 * place of what is in `out`. Members keep their order. `text` is well-formed
 * JSON. False: out of memory. */
bool respell(const Mem *mem, Span text, FileBytes *out);

#endif
