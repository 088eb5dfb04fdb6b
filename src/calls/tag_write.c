/* tag_write.c: reasoning, text and calls put together, layout by layout.
 *
 *   FREE      reasoning, then  AUTO: text in which calls, or the section of
 *             all calls, are triggered; REQUIRED: beginning with a call
 *   BLOCKS    reasoning, text block, section of calls, tail
 *   MESSAGES  (reasoning or preamble, next)*, then the answer or calls
 *
 * With opts->answer there is no text around calls: they are the answer, or it
 * is what the node allows. Written twice by callers: to measure, and to keep.
 * Tests: unit/tool_tag_test.c, prop/tool_round_trip_test.c.
 */
#include "calls/tag_write.h"

static void put(TagWriter *w, const char *json)
{
    out_text(w->out, json);
}

static void put_string(TagWriter *w, const char *text)
{
    tag_write_string(w->out, text);
}

/* ---- nodes ---- */

static void put_const(TagWriter *w, const char *a, const char *b)
{
    put(w, "{\"type\":\"const_string\",\"value\":\"");
    tag_write_piece(w->out, span_text(a));
    tag_write_piece(w->out, span_text(b));
    put(w, "\"}");
}

static void put_excludes(TagWriter *w, const char *const *excludes)
{
    if (!excludes[0]) return;
    put(w, ",\"excludes\":[");
    for (unsigned i = 0; i < FAMILY_EXCLUDES && excludes[i]; i++) {
        if (i) put(w, ",");
        put_string(w, excludes[i]);
    }
    put(w, "]");
}

static void put_flag(TagWriter *w, const char *name, bool value)
{
    if (value) out_format(w->out, ",\"%s\":true", name);
}

/* ---- text ---- */

static bool has_answer(const TagWriter *w)
{
    return w->opts->answer.size > 0;
}

static bool has_calls(const TagWriter *w)
{
    return w->count && w->opts->calls != WEIR_CALLS_NONE;
}

/* Free text; without calls what would begin one is excluded, too. */
static void put_any_text(TagWriter *w)
{
    const Family *f = w->family;
    const char *excludes[FAMILY_EXCLUDES + 1] = {NULL};
    unsigned n = 0;
    while (n < FAMILY_EXCLUDES && f->excludes[n]) {
        excludes[n] = f->excludes[n];
        n++;
    }
    if (f->trigger && n < FAMILY_EXCLUDES) excludes[n] = f->trigger;
    put(w, "{\"type\":\"any_text\"");
    put_excludes(w, excludes);
    put(w, "}");
}

static void put_text(TagWriter *w)
{
    if (has_answer(w))
        out_bytes(w->out, span_of(w->opts->answer.data, w->opts->answer.size));
    else
        put_any_text(w);
}

/* The text in its block: after `begin`. */
static void put_block(TagWriter *w, const char *begin)
{
    const Family *f = w->family;
    put(w, "{\"type\":\"tag\",\"begin\":");
    put_string(w, begin);
    put(w, ",\"content\":");
    put_text(w);
    put(w, ",\"end\":");
    if (f->text_end[1]) {
        put(w, "[");
        put_string(w, f->text_end[0]);
        put(w, ",");
        put_string(w, f->text_end[1]);
        put(w, "]");
    } else {
        put_string(w, f->text_end[0]);
    }
    put(w, "}");
}

/* ---- calls ---- */

/* One call, or several with separators, and nothing else. */
static void put_list(TagWriter *w)
{
    put(w, "{\"type\":\"tags_with_separator\",\"tags\":[");
    tag_write_calls(w);
    put(w, "],\"separator\":");
    put_string(w, w->family->separator);
    put(w, ",\"at_least_one\":true");
    put_flag(w, "stop_after_first", w->opts->single);
    put(w, "}");
}

static void put_section(TagWriter *w)
{
    put(w, "{\"type\":\"tag\",\"begin\":");
    put_string(w, w->family->section);
    put(w, ",\"content\":");
    put_list(w);
    put(w, ",\"end\":");
    put_string(w, w->family->section_end);
    put(w, "}");
}

/* An answer that is calls alone. */
static void put_only_calls(TagWriter *w)
{
    const Family *f = w->family;
    if (!f->section) {
        put_list(w);
        return;
    }
    if (!f->before_section) {
        put_section(w);
        return;
    }
    put(w, "{\"type\":\"sequence\",\"elements\":[");
    put_const(w, f->before_section, "");
    put(w, ",");
    put_section(w);
    put(w, "]}");
}

/* ---- LAYOUT_FREE ---- */

static void put_free_answer(TagWriter *w)
{
    if (!w->family->text) {
        put_text(w);
        return;
    }
    put(w, "{\"type\":\"or\",\"elements\":[");
    put_block(w, w->family->text);
    put(w, ",");
    put_text(w);
    put(w, "]}");
}

/* A block of text is one more thing that may be triggered. Its text has no
 * calls in it. */
static void put_triggered(TagWriter *w, bool at_least_one)
{
    const Family *f = w->family;
    bool has_block = f->text && !at_least_one;
    put(w, "{\"type\":\"triggered_tags\",\"triggers\":[");
    put_string(w, f->trigger);
    if (has_block) {
        put(w, ",");
        put_string(w, f->text);
    }
    put(w, "],\"tags\":[");
    if (f->section)
        put_section(w);
    else
        tag_write_calls(w);
    if (has_block) {
        put(w, ",");
        put_block(w, f->text);
    }
    put(w, "]");
    put_flag(w, "at_least_one", at_least_one);
    put_flag(w, "stop_after_first", w->opts->single);
    put_excludes(w, f->excludes);
    put(w, "}");
}

static void put_free(TagWriter *w)
{
    bool must = w->opts->calls == WEIR_CALLS_REQUIRED;
    if (!has_calls(w)) {
        put_free_answer(w);
    } else if (must && (has_answer(w) || w->family->section)) {
        put_only_calls(w);
    } else if (!has_answer(w)) {
        put_triggered(w, must);
    } else {
        put(w, "{\"type\":\"or\",\"elements\":[");
        put_only_calls(w);
        put(w, ",");
        put_free_answer(w);
        put(w, "]}");
    }
}

/* ---- LAYOUT_BLOCKS ---- */

/* Without reasoning the prompt has opened the block of text. */
static const char *block_begin(const TagWriter *w)
{
    bool is_open = w->opts->reasoning == WEIR_REASONING_NONE;
    return is_open ? "" : w->family->text;
}

/* No text, then calls. */
static void put_empty_block(TagWriter *w)
{
    put(w, "{\"type\":\"sequence\",\"elements\":[");
    put_const(w, block_begin(w), w->family->text_end[0]);
    put(w, ",");
    put_section(w);
    put(w, "]}");
}

static void put_blocks(TagWriter *w)
{
    bool must = w->opts->calls == WEIR_CALLS_REQUIRED;
    put(w, "{\"type\":\"sequence\",\"elements\":[");
    if (has_calls(w) && has_answer(w)) {
        if (!must) put(w, "{\"type\":\"or\",\"elements\":[");
        put_empty_block(w);
        if (!must) {
            put(w, ",");
            put_block(w, block_begin(w));
            put(w, "]}");
        }
    } else {
        put_block(w, block_begin(w));
        if (has_calls(w)) {
            put(w, must ? "," : ",{\"type\":\"optional\",\"content\":");
            put_section(w);
            if (!must) put(w, "}");
        }
    }
    put(w, ",");
    put_const(w, w->family->tail, "");
    put(w, "]}");
}

/* ---- reasoning ---- */

static void put_thoughts(TagWriter *w, const char *begin)
{
    const Family *f = w->family;
    put(w, "{\"type\":\"tag\",\"begin\":");
    put_string(w, begin);
    put(w, ",\"content\":{\"type\":\"any_text\"");
    put_excludes(w, f->think_excludes);
    if (w->opts->reasoning_tokens)
        out_format(w->out, ",\"max_tokens\":%u", w->opts->reasoning_tokens);
    put(w, "},\"end\":");
    put_string(w, f->think_end);
    put(w, "}");
}

/* Reasoning and what follows it, and a comma. */
static void put_reasoning(TagWriter *w, const char *after)
{
    bool may = w->opts->reasoning == WEIR_REASONING_MAY;
    if (may)
        put(w, "{\"type\":\"optional\",\"content\":{\"type\":\"sequence\","
               "\"elements\":[");
    put_thoughts(w, may ? w->family->think : "");
    if (*after) {
        put(w, ",");
        put_const(w, after, "");
    }
    put(w, may ? "]}}," : ",");
}

/* ---- LAYOUT_MESSAGES ---- */

/* Messages in front of the last one: reasoning, and text before calls. */
static void put_earlier(TagWriter *w)
{
    bool thinks = w->opts->reasoning != WEIR_REASONING_NONE;
    bool talks = has_calls(w) && !has_answer(w);
    if (!thinks && !talks) return;
    put(w, "{\"type\":\"star\",\"content\":{\"type\":\"sequence\","
           "\"elements\":[{\"type\":\"or\",\"elements\":[");
    if (thinks) put_thoughts(w, w->family->think);
    if (talks) {
        if (thinks) put(w, ",");
        put(w, "{\"type\":\"tag\",\"begin\":");
        put_string(w, w->family->preamble);
        put(w, ",\"content\":{\"type\":\"any_text\"},\"end\":");
        put_string(w, w->family->text_end[0]);
        put(w, "}");
    }
    put(w, "]},");
    put_const(w, w->family->next, "");
    put(w, "]}},");
}

static void put_messages(TagWriter *w)
{
    bool must = w->opts->calls == WEIR_CALLS_REQUIRED;
    put(w, "{\"type\":\"sequence\",\"elements\":[");
    if (w->opts->reasoning == WEIR_REASONING_OPEN)
        put_reasoning(w, w->family->next);
    put_earlier(w);
    if (!has_calls(w)) {
        put_block(w, w->family->text);
    } else if (must) {
        put_list(w);
    } else {
        put(w, "{\"type\":\"or\",\"elements\":[");
        put_block(w, w->family->text);
        put(w, ",");
        put_list(w);
        put(w, "]}");
    }
    put(w, "]}");
}

/* ---- all of it ---- */

static void put_format(TagWriter *w)
{
    bool thinks = w->opts->reasoning != WEIR_REASONING_NONE;
    if (w->family->layout == LAYOUT_MESSAGES) {
        put_messages(w);
        return;
    }
    if (thinks) {
        put(w, "{\"type\":\"sequence\",\"elements\":[");
        put_reasoning(w, w->family->after_think);
    }
    if (w->family->layout == LAYOUT_BLOCKS)
        put_blocks(w);
    else
        put_free(w);
    if (thinks) put(w, "]}");
}

void tag_write(TagWriter *w)
{
    put(w, "{\"type\":\"structural_tag\",\"format\":");
    put_format(w);
    put(w, "}");
}
