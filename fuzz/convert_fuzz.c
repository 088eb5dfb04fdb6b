/* convert_fuzz.c: any bytes as a JSON Schema for llama.cpp's conversion.
 *
 * It ends within small limits, gives the same twice, reports inside the source,
 * and what it makes can be given to the GBNF reader. */
#include "convert/convert.h"
#include "syntax/gbnf.h"

#include "fuzz/syntax_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_grammar(const Mem *mem, const weir_limits *limits, Span text)
{
    const GbnfOpts opts = {.is_llama_cpp = true};
    Ir ir;
    ir_init(&ir, mem, limits);
    if (gbnf_compile(&ir, text, &opts)) check_rules(&ir, text.size);
    ir_free(&ir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const weir_limits small = {.max_depth = 100,
                               .max_states = 1000,
                               .max_work = 300000,
                               .max_memory = 1 << 20};
    Mem mem = mem_from_env(NULL);
    weir_limits limits = ir_limits(&small);
    ConversionText first, again;
    weir_error err = {0}, err_again = {0};
    Span schema = span_of(data, size);
    weir_chat chat = (weir_chat)(size % 3); /* bare in every third input */
    bool done = convert_schema_llama(&mem, schema, chat, &limits, &first, &err);
    check(done == convert_schema_llama(&mem, schema, chat, &limits, &again,
                                       &err_again));
    if (done) {
        size_t all = first.text_size + first.warnings_size;
        check(first.text_size == again.text_size &&
              first.warnings_size == again.warnings_size &&
              !memcmp(first.at, again.at, all));
        read_grammar(&mem, &limits, span_of(first.at, first.text_size));
    } else {
        check_error(&err, size);
        check(!strcmp(err.message, err_again.message));
    }
    conversion_text_free(&mem, &first);
    conversion_text_free(&mem, &again);
    return 0;
}
