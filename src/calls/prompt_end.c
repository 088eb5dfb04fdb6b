/* prompt_end.c: where an output begins, by the end of the prompt before it.
 *
 * A chat template ends in marks of the family: it opens the reasoning, or opens
 * and closes it, or opens the text of the answer, or leaves all to the model.
 * The mark that ends last decides.
 * Cost:  a look at each byte for each of at most five marks.
 * Tests: unit/tool_tag_test.c.
 */
#include "base/port.h"
#include "calls/family.h"

/* Where the last occurrence of the mark ends; 0: there is none. */
static size_t last_end(Span text, const char *mark)
{
    Span m = span_text(mark ? mark : "");
    for (size_t end = text.size; m.size && end >= m.size; end--)
        if (!memcmp(text.at + end - m.size, m.at, m.size)) return end;
    return 0;
}

weir_reasoning family_reasoning(const Family *f, Span prompt_end)
{
    const char *const answers[] = {f->think_end, f->text, f->preamble};
    size_t open = last_end(prompt_end, f->think), answer = 0;
    if (!f->think) return WEIR_REASONING_NONE;
    for (size_t i = 0; i < COUNT_OF(answers); i++)
        answer = MAX(answer, last_end(prompt_end, answers[i]));
    if (!open && !answer) return WEIR_REASONING_MAY;
    return open > answer ? WEIR_REASONING_OPEN : WEIR_REASONING_NONE;
}
