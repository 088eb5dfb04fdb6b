/* encode_nfc_tables.h: the generated tables of encode_nfc_tables.c. All are
 * ascending. Hangul syllables are not in them: they follow by arithmetic. */
#ifndef WEIR_VOCAB_ENCODE_NFC_TABLES_H
#define WEIR_VOCAB_ENCODE_NFC_TABLES_H

#include <stdint.h>

typedef struct NfcTriple {
    uint32_t a, b, c;
} NfcTriple;

typedef struct NfcRange {
    uint32_t lo, hi;
} NfcRange;

/* Character a is b followed by c (0: b alone), one step. */
extern const NfcTriple nfc_splits[];
extern const uint32_t nfc_splits_count;
/* a followed by b composes to c. */
extern const NfcTriple nfc_pairs[];
extern const uint32_t nfc_pairs_count;
/* Characters a to b have combining class c; all others have 0. */
extern const NfcTriple nfc_classes[];
extern const uint32_t nfc_classes_count;
/* Characters that text in NFC form may not have, or only in some places. */
extern const NfcRange nfc_checks[];
extern const uint32_t nfc_checks_count;

#endif
