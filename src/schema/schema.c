/* schema.c: the stages of a schema's compilation, in order. */
#include "schema/schema.h"

void schema_compile(Ir *ir, Span source, const weir_schema_opts *opts,
                    const weir_space *space)
{
    (void)source;
    (void)opts;
    (void)space;
    diag_fail(&ir->error, WEIR_UNSUPPORTED, 0, 0, "not there yet");
}
