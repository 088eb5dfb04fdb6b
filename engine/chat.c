/* chat.c: a conversation by the row of its format.
 *
 * Marks come from the table, everything else from outside: its bytes are noted
 * as contents, so that a user who writes <|im_end|> ends nothing.
 * Tests: tests/engine/chat_test.c, against what the models' own templates say.
 */
#include "engine/chat.h"

#include "base/diag.h"
#include "engine/chat_style.h"

/* ---- rows ---- */

const ChatStyle *chat_find(const char *name)
{
    for (size_t i = 0; i < chat_style_count; i++)
        if (!strcmp(chat_styles[i].name, name)) return &chat_styles[i];
    return NULL;
}

static bool is_meant(const ChatStyle *style, const char *text)
{
    for (size_t i = 0; i < COUNT_OF(style->marks) && style->marks[i]; i++)
        if (!strstr(text, style->marks[i])) return false;
    return !style->absent || !strstr(text, style->absent);
}

const ChatStyle *chat_recognise(const char *model_template)
{
    for (size_t i = 0; i < chat_style_count; i++)
        if (is_meant(&chat_styles[i], model_template)) return &chat_styles[i];
    return NULL;
}

const char *chat_style_name(size_t i)
{
    return i < chat_style_count ? chat_styles[i].name : NULL;
}

weir_family chat_tools(const ChatStyle *style)
{
    return style->tools ? style->family : WEIR_FAMILY_NONE;
}

weir_reasoning chat_reasoning(const ChatStyle *style)
{
    return style->reasoning;
}

/* ---- parts of a text ---- */

static void add(ChatText *out, const char *data, size_t size)
{
    if (out->no_memory || !size) return;
    if (!vec_reserve(out->mem, &out->text, out->text.count + size)) {
        out->no_memory = true;
        return;
    }
    memcpy(out->text.at + out->text.count, data, size);
    out->text.count += (uint32_t)size;
}

void chat_put(ChatText *out, const char *text)
{
    add(out, text, strlen(text));
}

/* The blanks of Python's str.strip that ASCII has. */
static bool is_blank(char c)
{
    return (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= ' ');
}

void chat_content(ChatText *out, weir_bytes text, bool trims)
{
    while (trims && text.size && is_blank(*text.data)) {
        text.data++;
        text.size--;
    }
    while (trims && text.size && is_blank(text.data[text.size - 1]))
        text.size--;
    uint32_t begin = out->text.count;
    assert(!out->contents.count || out->contents.at);
    add(out, text.data, text.size);
    if (out->no_memory || !text.size) return;
    ChatSpan *last =
        out->contents.count ? &out->contents.at[out->contents.count - 1] : NULL;
    if (last && last->end == begin)
        last->end = out->text.count;
    else if (!vec_push(out->mem, &out->contents,
                       (ChatSpan){begin, out->text.count}))
        out->no_memory = true;
}

void chat_free(ChatText *text)
{
    vec_free(text->mem, &text->text);
    vec_free(text->mem, &text->contents);
}

bool chat_raw(ChatText *out, weir_bytes text)
{
    add(out, text.data, text.size);
    return !out->no_memory;
}

/* ---- a conversation ---- */

static bool check(const ChatStyle *style, const ChatInput *input,
                  weir_error *err)
{
    bool has_user = false;
    for (size_t i = 0; i < input->count; i++) {
        ChatRole role = input->messages[i].role;
        has_user = has_user || role == CHAT_USER;
        if (role == CHAT_SYSTEM && i)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "a system message that is not the first");
    }
    if (!has_user)
        return diag_fail(err, WEIR_ARGUMENT, 0, 0, "no message of the user");
    if (input->tool_count && !style->tools)
        return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                         "the chat format %s has no place for tools",
                         style->name);
    return true;
}

static const ChatMessage *system_of(const ChatInput *input)
{
    bool has = input->count && input->messages[0].role == CHAT_SYSTEM;
    return has ? &input->messages[0] : NULL;
}

/* Which message is the user's first, or last. */
static size_t user_at(const ChatInput *input, bool is_last)
{
    size_t found = input->count;
    for (size_t i = 0; i < input->count; i++) {
        bool is_user = input->messages[i].role == CHAT_USER;
        if (is_user && (is_last || found == input->count)) found = i;
    }
    return found;
}

static bool is_place(ChatPlace place, const ChatInput *input, size_t i)
{
    return (place == PLACE_FIRST_USER && i == user_at(input, false)) ||
           (place == PLACE_LAST_USER && i == user_at(input, true));
}

static void message(ChatText *out, const ChatStyle *style,
                    const ChatInput *input, size_t i)
{
    const ChatMessage *m = &input->messages[i], *system = system_of(input);
    const ChatForm *form = &style->roles[m->role];
    bool has_tools =
        input->tool_count && is_place(style->tools_place, input, i);
    if (has_tools && style->tools_place == PLACE_LAST_USER)
        style->tools(out, input);
    chat_put(out, form->before);
    if (system && is_place(style->system, input, i)) {
        chat_content(out, system->content, false);
        chat_put(out, "\n\n");
    }
    if (has_tools && style->tools_place == PLACE_FIRST_USER)
        style->tools(out, input);
    chat_content(out, m->content, style->trims);
    chat_put(out, form->after);
}

bool chat_render(const ChatStyle *style, const ChatInput *input, ChatText *out,
                 weir_error *err)
{
    const ChatMessage *system = system_of(input);
    *err = (weir_error){.status = WEIR_OK};
    if (!check(style, input, err)) return false;
    if (style->head)
        style->head(out, style, input,
                    system ? system->content : (weir_bytes){NULL, 0});
    bool is_written = style->head || style->system != PLACE_OWN;
    for (size_t i = system && is_written; i < input->count; i++)
        message(out, style, input, i);
    chat_put(out, input->direct && style->direct ? style->direct : style->open);
    return out->no_memory ? diag_no_memory(err) : true;
}
