/* chat.c: a conversation by the row of its format.
 *
 * Marks come from the table, everything else from outside: its bytes are noted
 * as contents, so that a user who writes <|im_end|> ends nothing.
 * Tests: tests/engine/chat_test.c, against what the models' own templates say.
 */
#include "engine/chat.h"

#include <time.h>

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

weir_family chat_family(const ChatStyle *style)
{
    return style->family;
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
    add(out, text.data, text.size);
    if (out->no_memory || !text.size) return;
    assert(out->contents.at || (!out->contents.cap && !out->contents.count));
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

static bool check_calls(const ChatStyle *style, const ChatInput *input,
                        weir_error *err)
{
    for (size_t i = 0; i < input->count; i++) {
        const ChatMessage *m = &input->messages[i];
        bool has_calls = m->role == CHAT_ASSISTANT && m->call_count;
        if ((has_calls && !style->calls) ||
            (m->role == CHAT_TOOL && !style->results))
            return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                             "the chat format %s has no place for earlier "
                             "calls of tools and their results",
                             style->name);
    }
    return true;
}

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
    return check_calls(style, input, err);
}

static const ChatMessage *system_of(const ChatInput *input)
{
    bool has = input->count && input->messages[0].role == CHAT_SYSTEM;
    return has ? &input->messages[0] : NULL;
}

/* A conversation as it is written, and which of its messages are special;
 * input->count: none. */
typedef struct Render {
    ChatText *out;
    const ChatStyle *style;
    const ChatInput *input;
    size_t first_user, last_user;
    size_t last_answer; /* without calls */
    bool goes_on;       /* behind the last message */
} Render;

static Render render_of(ChatText *out, const ChatStyle *style,
                        const ChatInput *input)
{
    size_t n = input->count;
    Render r = {out, style, input, n, n, n, false};
    for (size_t i = 0; i < n; i++) {
        const ChatMessage *m = &input->messages[i];
        if (m->role == CHAT_USER) r.last_user = i;
        if (m->role == CHAT_USER && r.first_user == n) r.first_user = i;
        if (m->role == CHAT_ASSISTANT && !m->call_count) r.last_answer = i;
    }
    r.goes_on = input->continues && n && r.last_answer == n - 1;
    return r;
}

static bool is_place(const Render *r, ChatPlace place, size_t i)
{
    return (place == PLACE_FIRST_USER && i == r->first_user) ||
           (place == PLACE_LAST_USER && i == r->last_user);
}

/* What stands around a message, unless calls are in it or its results. */
static void plain_message(const Render *r, size_t i)
{
    ChatText *out = r->out;
    const ChatStyle *style = r->style;
    const ChatInput *input = r->input;
    const ChatMessage *m = &input->messages[i], *system = system_of(input);
    const ChatForm *form = &style->roles[m->role];
    bool has_tools = input->tool_count && is_place(r, style->tools_place, i);
    bool goes_on = r->goes_on && i == input->count - 1;
    if (has_tools && style->tools_place == PLACE_LAST_USER)
        style->tools(out, input);
    chat_put(out, form->before);
    if (system && is_place(r, style->system, i)) {
        chat_content(out, system->content, false);
        chat_put(out, "\n\n");
    }
    if (has_tools && style->tools_place == PLACE_FIRST_USER)
        style->tools(out, input);
    chat_content(out, m->content, style->trims && !goes_on);
    if (!goes_on) chat_put(out, form->after);
}

/* Writes message i, and the results that follow if it is one; returns the
 * number of the next. */
static size_t message(const Render *r, size_t i)
{
    const ChatInput *input = r->input;
    const ChatMessage *m = &input->messages[i];
    size_t end = i + 1;
    if (m->role == CHAT_TOOL) {
        while (end < input->count && input->messages[end].role == CHAT_TOOL)
            end++;
        r->style->results(r->out, m, end - i);
    } else if (m->role == CHAT_ASSISTANT && m->call_count) {
        bool is_answered = r->last_answer < input->count && r->last_answer > i;
        r->style->calls(r->out, r->style, m, is_answered);
    } else {
        plain_message(r, i);
    }
    return end;
}

void chat_today(ChatInput *input)
{
    time_t now = time(NULL);
    struct tm tm = {.tm_year = 0};
    localtime_r(&now, &tm);
    input->year = tm.tm_year + 1900;
    input->month = tm.tm_mon + 1;
    input->day = tm.tm_mday;
}

bool chat_render(const ChatStyle *style, const ChatInput *input, ChatText *out,
                 weir_error *err)
{
    const ChatMessage *system = system_of(input);
    *err = (weir_error){.status = WEIR_OK};
    if (!check(style, input, err)) return false;
    Render r = render_of(out, style, input);
    if (style->head)
        style->head(out, style, input,
                    system ? system->content : (weir_bytes){NULL, 0});
    bool is_written = style->head || style->system != PLACE_OWN;
    for (size_t i = system && is_written; i < input->count;) i = message(&r, i);
    if (!r.goes_on)
        chat_put(out,
                 input->direct && style->direct ? style->direct : style->open);
    return out->no_memory ? diag_no_memory(err) : true;
}
