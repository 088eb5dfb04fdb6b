/* cli_stats.h: what the masks of one output took, for weir explain --stats. */
#ifndef TOOLS_WEIR_CLI_STATS_H
#define TOOLS_WEIR_CLI_STATS_H

#include <stdio.h>

#include "base/mem.h"
#include "weir/weir.h"

typedef struct OutputStats {
    uint32_t tokens, taken; /* of the text; those accepted */
    size_t nbytes;          /* of those accepted */
    bool is_whole;          /* the output may end there */
    weir_status error;      /* of the mask or token that failed */
    uint32_t states;        /* met first here */
    size_t memory;          /* bytes that the grammar has grown by */
    weir_matcher_stats masks;
    double mask_us, mask_most_us, accept_us; /* a token; the longest mask */
} OutputStats;

/* Reads the text, token by token, each after its mask, with a matcher of its
 * own. False: out of memory. */
bool stats_read(OutputStats *s, const Mem *mem, weir_vocab *vocab,
                weir_grammar *grammar, const char *text);
void stats_print_words(const OutputStats *s, FILE *out);
/* {"tokens":...} */
void stats_print_json(const OutputStats *s, FILE *out);

#endif
