/* cover.h: tokens made of certain characters, as rows kept by a vocabulary.
 *
 * Most of what a state that loops over characters reads are the tokens made of
 * them, whatever the grammar: the row is made once for each set of characters
 * (and for each node of the trie that much lies below: the root and, where
 * half of all tokens begin with a blank, the blank).
 * Where a counted frame limits how many, the tokens of at most n characters
 * are cut out of it, and that row is kept as well.
 */
#ifndef WEIR_MASK_COVER_H
#define WEIR_MASK_COVER_H

#include "base/shared_table.h"
#include "matcher/config.h"
#include "vocab/trie.h"
#include "vocab/vocab.h"

typedef struct Cover {
    SharedItem item;
    uint32_t node;       /* of the trie: tokens below it, by what is left */
    ByteSet units;       /* first bytes of the characters */
    const uint32_t *row; /* tokens of them; the last may be begun only */
    _Atomic(const uint32_t *) *upto; /* by most characters; NULL: not made */
} Cover;

typedef struct CoverTable {
    const Mem *mem;
    const Trie *trie; /* of all text tokens; borrowed */
    Arena arena;
    Lock lock;
    SharedTable table;
    uint32_t nwords;
    uint32_t longest; /* characters of a token */
    uint32_t nplanes;
    uint32_t *planes; /* the bits of each token's count of them: rows */
} CoverTable;

bool covers_init(CoverTable *covers, const Mem *mem, const Vocab *vocab,
                 const Trie *trie);
void covers_free(CoverTable *covers);
size_t covers_bytes(CoverTable *covers);

/* The tokens below a node, its own left out, whose rest is of such characters.
 * NULL: no more are kept, or no memory. */
const Cover *cover_find(CoverTable *covers, uint32_t node,
                        const ByteSet *units);
/* The row of the cover's tokens of at most `most` characters; NULL: no more
 * rows are kept, and cover_write says which they are. */
const uint32_t *cover_upto(CoverTable *covers, const Cover *cover,
                           uint32_t most);
void cover_write(const CoverTable *covers, const Cover *cover, uint32_t most,
                 uint32_t *row);

#endif
