/* sampler.h: what a sampler is made of, for the api files that use one. */
#ifndef WEIR_API_SAMPLER_H
#define WEIR_API_SAMPLER_H

#include "sample/chain.h"

struct weir_sampler {
    Mem mem;
    Chain chain;
    int32_t *row; /* of a matcher; NULL until needed */
    size_t row_words;
};

#endif
