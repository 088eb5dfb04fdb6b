/* opener.h: the marks and calls of a family as templates, tried side by side
 * from one place of a text on, byte by byte. */
#ifndef WEIR_CALLS_OPENER_H
#define WEIR_CALLS_OPENER_H

#include "calls/arg_style.h"
#include "calls/family.h"

typedef enum OpenerKind {
    OPENS_THOUGHTS,
    ENDS_THOUGHTS,
    OPENS_BLOCK,
    ENDS_BLOCK,
    OPENS_SECTION,
    ENDS_SECTION,
    OPENS_CALL,
    IS_LAYOUT, /* separators, tails: nobody is told */
} OpenerKind;

/* Where in an output something may stand: a set. */
enum { PLACE_TEXT = 1, PLACE_BLOCK = 2, PLACE_THOUGHTS = 4, PLACE_SECTION = 8 };

typedef struct Opener {
    OpenerKind kind;
    unsigned places;
    const char *form; /* a template of family.h */
} Opener;

enum { OPENERS_MAX = 20 };

typedef struct Openers {
    Opener list[OPENERS_MAX];
    unsigned count;
} Openers;

/* calls: those of calls, and of the section around them, too. */
void openers_of(Openers *openers, const Family *family, bool thinks,
                bool calls);

typedef enum TryResult {
    TRY_MORE,   /* the byte fits; there is more to come */
    TRY_DONE,   /* the byte is the last one */
    TRY_BEFORE, /* it was all there before the byte */
    TRY_DEAD
} TryResult;

/* One template being tried. Offsets count from where it began. */
typedef struct Try {
    const ArgStyle *style; /* of the arguments; NULL: JSON */
    const char *rest;      /* of the template, after `part` */
    Part part;
    size_t at;    /* of the part's text */
    bool is_past; /* a name, or number, that blanks have ended */
    size_t name, name_end, id, id_end;
    size_t word_end;    /* of the last name or number */
    size_t args;        /* where the arguments begin */
    size_t open, close; /* bytes matched of what may stand there */
    bool no_open, no_close;
} Try;

void try_begin(Try *t, const char *form, const char *style);
TryResult try_step(Try *t, uint8_t byte, size_t pos);
/* Whether nothing is missing at the end of the text. */
bool try_is_whole(const Try *t);

#endif
