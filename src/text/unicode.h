/* unicode.h: what Unicode says of a code point: general category, properties
 * by the names regular expressions use, and case folding. All data is constant
 * (unicode_tables.c, generated); nothing allocates; any thread may call. */
#ifndef WEIR_TEXT_UNICODE_H
#define WEIR_TEXT_UNICODE_H

#include "base/span.h"

/* Code points lo to hi, both included. Lists of ranges are ascending and
 * neither overlap nor touch. */
typedef struct RuneRange {
    uint32_t lo, hi;
} RuneRange;

/* "16.0.0": the version of the data. Static. */
const char *unicode_version(void);

/* The 30 general categories; the names are Unicode's, in upper case. */
typedef enum UnicodeCategory {
    UNICODE_CN,
    UNICODE_CC,
    UNICODE_CF,
    UNICODE_CO,
    UNICODE_CS, /* other */
    UNICODE_LU,
    UNICODE_LL,
    UNICODE_LT,
    UNICODE_LM,
    UNICODE_LO, /* letter */
    UNICODE_MN,
    UNICODE_MC,
    UNICODE_ME, /* mark */
    UNICODE_ND,
    UNICODE_NL,
    UNICODE_NO, /* number */
    UNICODE_PC,
    UNICODE_PD,
    UNICODE_PS,
    UNICODE_PE, /* punctuation */
    UNICODE_PI,
    UNICODE_PF,
    UNICODE_PO,
    UNICODE_SM,
    UNICODE_SC,
    UNICODE_SK,
    UNICODE_SO, /* symbol */
    UNICODE_ZS,
    UNICODE_ZL,
    UNICODE_ZP /* separator */
} UnicodeCategory;

/* Category of any number; UNICODE_CN above U+10FFFF. Three table reads. */
UnicodeCategory unicode_category(uint32_t rune);

/* The code points of the property `name`, as written between the braces of
 * \p{...}, in ECMAScript's exact spelling:
 *   L  Lu  Letter  Uppercase_Letter  gc=L  General_Category=Letter
 *   Script=Greek  sc=Grek  Script_Extensions=Greek  scx=Grek
 *   Alphabetic  Alpha  White_Space  ID_Start  Emoji  ASCII  Any  ...
 * and, as in other dialects, a script alone: Greek, Grek. Properties of
 * strings (RGI_Emoji) are not known. False, and outputs untouched, for an
 * unknown name. The ranges are static; surrogates are in them where Unicode
 * says so (Any, Cs, C). */
bool unicode_property(Span name, const RuneRange **ranges, uint32_t *count);
/* The same, but case, '_', '-' and blanks do not matter (UAX44-LM3): as Rust,
 * Python's regex module and Perl read names. */
bool unicode_property_loose(Span name, const RuneRange **ranges,
                            uint32_t *count);

/* The index of the first range that does not end before `rune`, or count. */
uint32_t unicode_first(const RuneRange *ranges, uint32_t count, uint32_t rune);
bool unicode_in(const RuneRange *ranges, uint32_t count, uint32_t rune);

/* Simple case folding (CaseFolding.txt, status C and S): how ECMAScript's iu
 * and iv flags, Rust and Python compare. The rune itself where none applies. */
uint32_t unicode_fold(uint32_t rune);
/* All code points with the same folding as `rune`, itself among them,
 * ascending; returns how many. */
#define UNICODE_ORBIT_MAX 4
uint32_t unicode_orbit(uint32_t rune, uint32_t out[UNICODE_ORBIT_MAX]);
/* The code points whose orbit has other members: to close a set under
 * folding, visit only these. */
uint32_t unicode_orbit_ranges(const RuneRange **ranges);

/* The same three for ECMAScript's i flag without u (Canonicalize: upper case,
 * where it is one UTF-16 unit; never from above U+007F into ASCII). */
uint32_t unicode_upper(uint32_t rune);
uint32_t unicode_upper_orbit(uint32_t rune, uint32_t out[UNICODE_ORBIT_MAX]);
uint32_t unicode_upper_ranges(const RuneRange **ranges);

#endif
