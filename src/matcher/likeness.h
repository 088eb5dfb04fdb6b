/* likeness.h: whether a text in the making can come to mean what an earlier
 * head means: that one's meaning, and how far it has been written again.
 *
 * Members of objects may come in any order, blanks where JSON has them, strings
 * and numbers in any spelling.
 */
#ifndef WEIR_MATCHER_LIKENESS_H
#define WEIR_MATCHER_LIKENESS_H

#include "base/unescape.h"
#include "network/network.h"

typedef enum Like {
    LIKE_NOT,  /* it cannot any more */
    LIKE_MORE, /* it may */
    LIKE_WHOLE /* it does: with this byte; or, if it ends with a number or a
                  word, before it */
} Like;

enum { LIKE_DEPTH = 12, LIKE_MEMBERS = 64, LIKE_NUMBER = 48 };

/* A container that is open: what of the earlier one is left. */
typedef struct LikeLevel {
    uint32_t at;   /* its first item, in the meaning */
    uint64_t left; /* objects: members that have not been written */
    bool is_object;
} LikeLevel;

typedef struct Likeness {
    Span meaning;
    uint32_t pos;     /* of the value that is next or in hand */
    uint8_t state;    /* LikeState, likeness.c */
    uint8_t depth;    /* levels */
    bool is_string;   /* of a list that compares strings */
    uint8_t nnumber;  /* bytes of the number in hand */
    uint32_t at, end; /* of the string in hand: what is left of it */
    uint64_t keys;    /* members that the key in hand may be the name of */
    Unescape unescape;
    char number[LIKE_NUMBER];
    LikeLevel level[LIKE_DEPTH];
} Likeness;

/* Nothing has been written yet; `meaning` (meaning.h) is borrowed. */
void like_begin(Likeness *l, ListUnique kind, Span meaning);
/* Takes a byte of the text. After LIKE_NOT and LIKE_WHOLE no more. */
Like like_byte(Likeness *l, uint8_t byte);
/* Takes all of a text; LIKE_MORE while it has not ended. */
Like like_text(Likeness *l, Span text);
/* Bytes that like_byte may take, and perhaps others: how many are in `bytes`,
 * which has room for one more than LIKE_FIRST; more than that: any byte. */
enum { LIKE_FIRST = 26 };
unsigned like_first(const Likeness *l, uint8_t *bytes);
/* False in a number that is written otherwise than with the earlier one's
 * digits: an exponent would still have to make it that. */
bool like_is_near(const Likeness *l);
/* True if more of a string has been written than its quote; of other heads,
 * anything. */
bool like_has_begun(const Likeness *l);
/* The byte with which the text must end; 0: it may be another. */
uint8_t like_last(const Likeness *l);
/* A hash of what like_byte depends on, the meaning aside. */
uint64_t like_hash(uint64_t h, const Likeness *l);
/* True in containers that are too deep or have too many members: whatever is
 * written, nothing is known of it. */
bool like_is_vague(const Likeness *l);
#endif
