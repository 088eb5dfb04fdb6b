/* idn_data.h: bidirectional and joining classes of code points in labels. */
#ifndef WEIR_TOOLS_FORMATS_IDN_DATA_H
#define WEIR_TOOLS_FORMATS_IDN_DATA_H

#include "text/unicode.h"

typedef enum IdnListId {
    IDN_BIDI_R,
    IDN_BIDI_AL,
    IDN_BIDI_AN,
    IDN_BIDI_EN,
    IDN_BIDI_NSM,
    IDN_BIDI_NEUTRAL, /* ES CS ET ON BN */
    IDN_BIDI_L,
    IDN_JOINING_BEFORE, /* L or D: joins what follows */
    IDN_JOINING_AFTER,  /* R or D: joins what precedes */
    IDN_JOINING_TRANSPARENT,
    IDN_VIRAMA, /* canonical combining class 9 */
    IDN_LISTS
} IdnListId;

typedef struct IdnList {
    const RuneRange *ranges;
    uint32_t count;
} IdnList;

extern const IdnList idn_lists[IDN_LISTS];

#endif
