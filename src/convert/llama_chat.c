/* llama_chat.c: the rules that llama-server puts around a schema on its chat
 * path, where it makes the grammar of its parser of answers.
 *
 *     root = how the prompt ends, reasoning if the model has it, blanks,
 *            the value alone or as a block of Markdown
 *
 * The rules json-... are that parser's own reading of JSON; nothing uses them,
 * but they are part of the text.
 * Tests: unit/convert_chat_test.c
 */
#include <stdio.h>

#include "convert/llama.h"

#define BEGIN "<|im_start|>assistant\n"

Span chat_prefill(weir_chat chat)
{
    switch (chat) {
    case WEIR_CHAT_NONE:
        break;
    case WEIR_CHAT_CHATML:
    case WEIR_CHAT_QWEN3:
        return SPAN(BEGIN);
    case WEIR_CHAT_QWEN3_NO_THINK:
        return SPAN(BEGIN "<think>\n\n</think>\n\n");
    }
    return SPAN("");
}

typedef struct ChatRule {
    const char *name, *body;
} ChatRule;

static const ChatRule json_rules[] = {
    {"json-array",
     "\"[\" space (\"]\" | json-value (space \",\" space json-value)* "
     "space \"]\")"},
    {"json-bool", "\"true\" | \"false\""},
    {"json-null", "\"null\""},
    {"json-number", "\"-\"? (\"0\" | [1-9] [0-9]*) (\".\" [0-9]+)? "
                    "((\"e\" | \"E\") [+-]? [0-9]+)?"},
    {"json-object",
     "\"{\" space (\"}\" | json-string space \":\" space json-value "
     "(space \",\" space json-string space \":\" space json-value)* "
     "space \"}\")"},
    {"json-string", "\"\\\"\" ( [^\"\\\\] | \"\\\\\" ( [\"\\\\/ bfnrt] | "
                    "\"u\" [0-9a-fA-F]{4} ) )* \"\\\"\""},
    {"json-value", "json-object | json-array | json-string | json-number | "
                   "json-bool | json-null"},
};

/* Any text without </think>: a rule for each part of the mark that has been
 * read. A text may end in any of them. */
#define UNTIL "until-13"
static void put_until(Llama *c)
{
    static const char mark[] = "</think>";
    enum { LAST = sizeof mark - 2 };
    for (unsigned i = 0; i <= LAST; i++) {
        char name[16], on[32] = "", others[8] = "<";
        char at = mark[i];
        snprintf(name, sizeof name, i ? UNTIL "-%02u" : UNTIL, i);
        if (i && i < LAST)
            snprintf(on, sizeof on, "| [%c] " UNTIL "-%02u ", at, i + 1);
        if (i) /* in the order of their codes */
            snprintf(others, sizeof others, at < '<' ? "%c<" : "<%c", at);
        size_t from = scratch_begin(&c->text);
        scratch_text(&c->text, "| [<] " UNTIL "-01 ");
        scratch_text(&c->text, on);
        scratch_text(&c->text, "| [^");
        scratch_text(&c->text, others);
        scratch_text(&c->text, "] " UNTIL);
        llama_rule(c, span_text(name), from);
    }
}

static void put_root(Llama *c, bool thinks)
{
    size_t from = scratch_begin(&c->text);
    llama_literal(c, SPAN(BEGIN));
    scratch_text(&c->text, " space ");
    if (thinks)
        scratch_text(&c->text, "(\"<think>\" \"\\n\"? " UNTIL
                               " \"\\n\"? \"</think>\" \"\\n\"? \"\\n\"?)? ");
    scratch_text(&c->text, "space (\"```json\" space response-format space "
                           "\"```\" | space response-format space)");
    llama_rule(c, SPAN("root"), from);
}

void llama_chat_rules(Llama *c, weir_chat chat, Span schema)
{
    bool thinks = chat != WEIR_CHAT_CHATML;
    for (size_t i = 0; i < COUNT_OF(json_rules); i++)
        llama_rule_of(c, span_text(json_rules[i].name),
                      span_text(json_rules[i].body));
    llama_rule_of(c, SPAN("response-format"), schema);
    if (thinks) put_until(c);
    put_root(c, thinks);
}
