/* format_tables.h: the form of the generated tables; only for format.c and the
 * program that writes them (tools/formats).
 *
 * Small automata are there as they are. In the others code points are cut into
 * spans; each has a class, and edges are labelled with classes. */
#ifndef WEIR_SCHEMA_FORMAT_TABLES_H
#define WEIR_SCHEMA_FORMAT_TABLES_H

#include "schema/format.h"

/* Classes are numbers up to FORMAT_CLASSES; the largest one that is there may
 * stand for what no edge has. */
enum { FORMAT_CLASS_BITS = 8, FORMAT_CLASSES = 255 };

typedef struct FormatTable {
    uint16_t nstates, nspans;
    uint32_t nedges;             /* of the Dfa */
    const uint32_t *spans;       /* first code point and class; ascending, with
                                    the end of the last one behind it */
    const uint16_t *state_edges; /* by state, nstates + 1 entries */
    const uint32_t *class_edges; /* target and class */
    const uint8_t *accepts;      /* by state */
} FormatTable;

/* Zeros for what is in the other array, or no regular language. */
extern const Dfa format_dfas[FORMAT_KINDS];
extern const FormatTable format_tables[FORMAT_KINDS];

#endif
