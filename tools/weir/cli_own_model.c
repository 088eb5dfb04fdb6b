/* cli_own_model.c: the demonstration model within the program.
 *
 * The assembler puts the file, named by the build, among the constants: so the
 * program needs no other file where it is installed, and its pages are read
 * when the model is used.
 * Tests: tests/cli/own_model_cli_test.py.
 */
#include "weir/cli_own_model.h"

#ifdef __APPLE__
#define SECTION "__TEXT,__const"
#define SYMBOL(name) "_" #name
#else
#define SECTION ".rodata"
#define SYMBOL(name) #name
#endif
#define LABEL(name) ".globl " SYMBOL(name) "\n" SYMBOL(name) ":\n"

__asm__(".pushsection " SECTION "\n"
        ".balign 64\n" LABEL(
            own_model_begin) ".incbin \"" WEIR_OWN_MODEL
                             "\"\n" LABEL(own_model_end) ".byte 0\n"
                                                         ".popsection\n");

extern const char own_model_begin[], own_model_end[];

weir_bytes own_model(void)
{
    return (weir_bytes){own_model_begin,
                        (size_t)(own_model_end - own_model_begin)};
}
