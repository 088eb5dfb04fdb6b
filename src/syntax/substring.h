/* substring.h: any run of chunks of a text. */
#ifndef WEIR_SYNTAX_SUBSTRING_H
#define WEIR_SYNTAX_SUBSTRING_H

#include "syntax/ir.h"

/* The texts c[i] c[i+1] ... c[j-1], 0 <= i <= j <= count, the empty one among
 * them. Chunks are UTF-8 and may repeat and be empty. begin, end: where errors
 * point. Work: linear in the chunks when none is a prefix of another; else
 * what making that deterministic takes, bounded by the limit of states. */
NodeId substring_compile(Ir *ir, const Span *chunks, uint32_t count,
                         size_t begin, size_t end);

#endif
