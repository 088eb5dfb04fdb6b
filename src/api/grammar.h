/* grammar.h: grammars from IR, for the api room and for tests. */
#ifndef WEIR_API_GRAMMAR_H
#define WEIR_API_GRAMMAR_H

#include "syntax/ir.h"
#include "weir/weir.h"

/* Compiles an IR whose root is set. The Ir's contents are taken over, also on
 * failure; `ir` is left empty. vocab may be NULL. */
weir_grammar *grammar_from_ir(weir_vocab *vocab, Ir *ir, weir_error *err);

/* For a grammar that was made without the warnings of lint.h: what they are to
 * be made of when they are asked for. The opts' documents and space have no
 * texts. False: no memory. */
bool grammar_keep_schema(weir_grammar *g, Span schema,
                         const weir_compile_opts *opts);
/* The IR with all its warnings, or without those of lint.h when memory is out:
 * to be read only, while the grammar lives. Any thread; the first call may take
 * as long as compiling did. */
Ir grammar_warned(weir_grammar *g);
/* The hash of the IR; 0 when memory is out. Any thread. */
uint64_t grammar_hash(weir_grammar *g);
/* Bytes held now, caches included. Any thread. */
size_t grammar_memory(weir_grammar *g);
void late_free(weir_grammar *g);

/* Reads a source of any kind but CHOICE into an IR that is empty. vocab: NULL,
 * or the one that GBNF's tokens by their text are looked up in. Failures are
 * the IR's. */
void grammar_read(Ir *ir, weir_vocab *vocab, weir_source_kind kind, Span source,
                  const weir_compile_opts *opts);

#endif
