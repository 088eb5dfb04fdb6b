/* grammar.h: grammars from IR, for the api room and for tests. */
#ifndef WEIR_API_GRAMMAR_H
#define WEIR_API_GRAMMAR_H

#include "syntax/ir.h"
#include "weir/weir.h"

/* Compiles an IR whose root is set. The Ir's contents are taken over, also on
 * failure; `ir` is left empty. vocab may be NULL. */
weir_grammar *grammar_from_ir(weir_vocab *vocab, Ir *ir, weir_error *err);

/* Reads a source of any kind but CHOICE into an IR that is empty. vocab: NULL,
 * or the one that GBNF's tokens by their text are looked up in. Failures are
 * the IR's. */
void grammar_read(Ir *ir, weir_vocab *vocab, weir_source_kind kind, Span source,
                  const weir_compile_opts *opts);

#endif
