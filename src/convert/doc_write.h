/* doc_write.h: a value of a JSON text, written without blanks. */
#ifndef WEIR_CONVERT_DOC_WRITE_H
#define WEIR_CONVERT_DOC_WRITE_H

#include "convert/doc.h"
#include "convert/scratch.h"

/* Strings: escapes where JSON wants them, everything else as it is; numbers as
 * machine_number.h has them. `type`: stands for the value of the member `type`
 * if `id` is an object; JSON_NONE: its own does. */
void doc_write(const Doc *doc, JsonId id, JsonId type, Scratch *out);
void doc_write_string(Span text, Scratch *out);

#endif
