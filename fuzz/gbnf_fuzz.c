/* gbnf_fuzz.c: any bytes as GBNF, in weir's own reading and in the dialect
 * llama.cpp, with a vocabulary whose tokens are the texts of an even length.
 * What holds is in syntax_kit.h; besides, what the dialect reads without its
 * limits weir reads too.
 */
#include "syntax/gbnf.h"

#include "fuzz/syntax_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t token(void *user, Span text)
{
    (void)user;
    return text.size % 2 ? GBNF_NO_TOKEN : (uint32_t)text.size;
}

static bool compile(Ir *ir, Span source)
{
    const GbnfOpts opts = {.token = token};
    return gbnf_compile(ir, source, &opts);
}

static bool compile_dialect(Ir *ir, Span source)
{
    const GbnfOpts opts = {.token = token, .is_llama_cpp = true};
    Ir plain;
    bool done = gbnf_compile(ir, source, &opts);
    ir_init(&plain, ir->mem, &ir->limits);
    compile(&plain, source);
    /* ids of more than 31 bits are read by the dialect alone */
    if (done && !ir_ok(&plain))
        check(plain.error.status == WEIR_SYNTAX &&
              strstr(plain.error.message, "token id"));
    ir_free(&plain);
    return done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_source(data, size, compile);
    check_source(data, size, compile_dialect);
    return 0;
}
