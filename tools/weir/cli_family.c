/* cli_family.c: families of models, and chats, by name.
 * Tests: tests/cli/tools_cli_test.py, tests/cli/request_cli_test.py. */
#include "weir/cli_family.h"

#include "base/out.h"

int family_read(const Args *args, weir_family *family)
{
    const char *name = args->family ? args->family : "";
    *family = weir_family_find((weir_bytes){name, strlen(name)});
    if (*family) return 0;
    char names[512];
    Out out = {names, sizeof names - 1, 0};
    for (weir_family f = 1; weir_family_name(f); f++) {
        out_text(&out, f > 1 ? ", " : "");
        out_text(&out, weir_family_name(f));
    }
    names[MIN(out.size, out.cap)] = 0;
    return usage_error(args, "found --family '%s', expected one of %s", name,
                       names);
}

int word_read(const Args *args, const char *option, const char *value,
              const char *const words[3])
{
    if (!value) return 0;
    for (int i = 0; i < 3; i++)
        if (!strcmp(value, words[i])) return i;
    usage_error(args, "found %s '%s', expected %s, %s or %s", option, value,
                words[0], words[1], words[2]);
    return -1;
}

int reasoning_read(const Args *args, weir_reasoning *reasoning,
                   uint32_t *tokens)
{
    static const char *const words[] = {"none", "open", "may"};
    int where = word_read(args, "--reasoning", args->reasoning, words);
    if (where < 0) return 2;
    if (args->reasoning_tokens > UINT32_MAX)
        return usage_error(args, "--reasoning-tokens is too large");
    *reasoning = (weir_reasoning)where;
    *tokens = (uint32_t)args->reasoning_tokens;
    return 0;
}

int chat_read(const Args *args, weir_chat *chat)
{
    static const char *const words[] = {"chatml", "qwen3", "qwen3-no-think"};
    int which = word_read(args, "--chat", args->chat, words);
    if (which < 0) return 2;
    if (args->chat) *chat = (weir_chat)(WEIR_CHAT_CHATML + which);
    return 0;
}
