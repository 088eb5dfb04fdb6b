/* ebnf_fuzz.c: any bytes as EBNF. What holds is in syntax_kit.h. */
#include "syntax/ebnf.h"

#include "fuzz/syntax_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool compile(Ir *ir, Span source)
{
    return ebnf_compile(ir, source, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_source(data, size, compile);
    return 0;
}
