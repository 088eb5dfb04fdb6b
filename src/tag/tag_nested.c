/* tag_nested.c: what other languages say inside a structural tag: JSON Schema,
 * regular expressions, EBNF.
 *
 * Each is compiled by its own front end into the same Ir. What that reports is
 * about its own text; here ranges become ranges of the whole source, through
 * the escapes of the JSON string that a text stands in, and pointers begin with
 * that of the format.
 */
#include "syntax/ebnf.h"
#include "syntax/regex.h"
#include "tag/tag_format.h"

enum { POINTER_ROOM = 2048 };

/* ---- places ---- */

/* Code points of a JSON escape at raw[pos]: the bytes that it decodes to, and
 * those that spell it. */
static size_t escape_size(Span raw, size_t pos, size_t *spelled)
{
    unsigned code = 0;
    *spelled = 2;
    if (raw.at[pos + 1] != 'u') return 1;
    for (size_t i = pos + 2; i < pos + 6; i++) {
        uint8_t c = raw.at[i];
        code = code << 4 | (unsigned)(c <= '9' ? c - '0' : (c & 7) + 9);
    }
    bool is_pair = code >= 0xD800 && code < 0xE000;
    *spelled = is_pair ? 12 : 6;
    return is_pair ? 4 : code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
}

/* Where byte `wanted` of a string's characters stands in its spelling. */
static size_t spelled_at(Span raw, size_t wanted)
{
    size_t pos = 1; /* after the quote */
    for (size_t read = 0; read < wanted && pos + 1 < raw.size;) {
        size_t spelled = 1;
        read += raw.at[pos] == '\\' ? escape_size(raw, pos, &spelled) : 1;
        pos += spelled;
    }
    return pos;
}

/* What is nested: the range of the value, and whether it is in a string. */
typedef struct Nested {
    const At *at;
    Span raw;
    uint32_t begin;
    uint32_t warnings; /* the first of its own */
} Nested;

static Nested nested_begin(const Tags *t, const At *at)
{
    return (Nested){at, json_spelling(&t->json, at->id),
                    json_offset(&t->json, at->id), t->ir->warnings.count};
}

static uint32_t moved(const Nested *n, uint32_t offset)
{
    bool is_text = n->raw.at[0] == '"';
    return n->begin + (uint32_t)(is_text ? spelled_at(n->raw, offset) : offset);
}

/* The format's pointer and that of the error inside the schema. Errors in
 * other documents keep theirs; names of rules go to the message. */
static void move_pointer(Tags *t, const Nested *n)
{
    weir_error *err = &t->ir->error;
    char inner[sizeof err->pointer], text[POINTER_ROOM];
    Out out = {text, sizeof text, 0};
    bool is_text = n->raw.at[0] == '"';
    memcpy(inner, err->pointer, sizeof inner);
    if (is_text && *inner) {
        char message[sizeof err->message];
        memcpy(message, err->message, sizeof message);
        Out words = {err->message, sizeof err->message - 1, 0};
        out_text(&words, message);
        out_text(&words, ", in rule ");
        out_text(&words, inner);
        err->message[MIN(words.size, words.cap)] = 0;
    } else if (*inner && *inner != '#') {
        return;
    }
    tag_pointer(n->at, &out);
    if (!is_text && *inner) out_text(&out, inner + 1);
    diag_pointer(err, span_of(text, MIN(out.size, out.cap)));
}

/* Where a warning's own pointer begins: it ends in ", at #...". */
static size_t pointer_at(Span message)
{
    static const char mark[] = ", at #";
    size_t n = sizeof mark - 1;
    for (size_t i = message.size; i >= n; i--)
        if (!memcmp(message.at + i - n, mark, n)) return i - n;
    return message.size;
}

static void move_warning(Tags *t, const Nested *n, Warning *w)
{
    char text[POINTER_ROOM];
    Out out = {text, sizeof text, 0};
    size_t at = pointer_at(w->message), after = MIN(at + 6, w->message.size);
    out_bytes(&out, span_of(w->message.at, at));
    out_text(&out, ", at ");
    tag_pointer(n->at, &out);
    out_bytes(&out, span_of(w->message.at + after, w->message.size - after));
    Span message = span_of(text, MIN(out.size, out.cap));
    const void *copy = arena_copy(&t->ir->arena, message.at, message.size);
    if (!copy) {
        tag_no_memory(t);
        return;
    }
    w->message = span_of(copy, message.size);
    w->begin = moved(n, w->begin);
    w->end = moved(n, w->end);
}

/* Once the front end has run. */
static void nested_end(Tags *t, const Nested *n)
{
    weir_error *err = &t->ir->error;
    for (uint32_t i = n->warnings; i < t->ir->warnings.count; i++)
        move_warning(t, n, &t->ir->warnings.at[i]);
    if (ir_ok(t->ir) || err->status == WEIR_NO_MEMORY) return;
    bool is_here =
        !*err->pointer || *err->pointer == '#' || n->raw.at[0] == '"';
    if (is_here && err->end) {
        err->begin = moved(n, err->begin);
        err->end = moved(n, err->end);
    } else {
        err->begin = n->begin;
        err->end = n->begin + (uint32_t)n->raw.size;
    }
    move_pointer(t, n);
}

/* ---- JSON Schema ---- */

NodeId tag_schema(Tags *t, const At *at, const SchemaUse *given)
{
    SchemaUse use = *given;
    use.work = &t->work;
    use.is_warned = true;
    use.markers = t->opts->markers;
    if (!ir_ok(t->ir)) return NODE_NEVER_ID;
    if (!at) {
        schema_compile_part(t->ir, SPAN("true"), &use);
        return ir_ok(t->ir) ? ir_ref(t->ir, t->ir->root) : NODE_NEVER_ID;
    }
    JsonKind kind = at_kind(t, at);
    if (kind != JSON_OBJECT && kind != JSON_TRUE && kind != JSON_FALSE)
        return tag_wrong(t, at, "a JSON Schema: an object, true or false"),
               NODE_NEVER_ID;
    Nested n = nested_begin(t, at);
    schema_compile_part(t->ir, n.raw, &use);
    nested_end(t, &n);
    return ir_ok(t->ir) ? ir_ref(t->ir, t->ir->root) : NODE_NEVER_ID;
}

static bool read_style(Tags *t, const At *at, const ArgStyle **style)
{
    At member = at_member(t, at, "style");
    *style = NULL;
    if (at_absent(t, &member) || json_is_string(&t->json, member.id, "json"))
        return true;
    *style = arg_style_find(json_string(&t->json, member.id));
    return *style || tag_wrong(t, &member,
                               "a style: \"json\", \"qwen_xml\", "
                               "\"minimax_xml\", \"deepseek_xml\", "
                               "\"glm_xml\", \"cohere_xml\", "
                               "\"kimi_k3_xml\" or \"gemma\"");
}

NodeId tag_json_schema(Tags *t, const At *at, Scope scope)
{
    weir_schema_opts opts = *t->opts->schema;
    weir_space space = *t->opts->space;
    SchemaUse use = {.opts = &opts, .space = &space};
    At schema = at_member(t, at, "json_schema");
    bool has_run;
    uint32_t run;
    if (!read_style(t, at, &use.style) ||
        !tag_flag(t, at, "any_order", &opts.any_order) ||
        !tag_count(t, at, "max_whitespace_cnt", INT32_MAX, &has_run, &run))
        return NODE_NEVER_ID;
    if (has_run)
        space = (weir_space){.kind = WEIR_SPACE_ANY,
                             .max_run = run ? run : UINT32_MAX};
    return tag_closed(t, tag_schema(t, &schema, &use), scope);
}

NodeId tag_xml_parameter(Tags *t, const At *at, Scope scope)
{
    At schema = at_member(t, at, "json_schema");
    SchemaUse use = {.opts = t->opts->schema,
                     .space = t->opts->space,
                     .style = arg_style_find(SPAN("qwen_xml"))};
    return tag_closed(t, tag_schema(t, &schema, &use), scope);
}

/* ---- regular expressions, EBNF ---- */

NodeId tag_regex(Tags *t, const At *at, Scope scope)
{
    Span pattern;
    RegexOpts opts = {.dot_all = true, .work = &t->work};
    At member = at_member(t, at, "pattern");
    if (!tag_text(t, &member, &pattern)) return NODE_NEVER_ID;
    Nested n = nested_begin(t, &member);
    NodeId node = regex_compile(t->ir, pattern, &opts);
    nested_end(t, &n);
    return tag_closed(t, node, scope);
}

NodeId tag_grammar(Tags *t, const At *at, Scope scope)
{
    Span text;
    At member = at_member(t, at, "grammar");
    if (!tag_text(t, &member, &text)) return NODE_NEVER_ID;
    Nested n = nested_begin(t, &member);
    bool done = ebnf_compile(t->ir, text, NULL);
    nested_end(t, &n);
    return done ? tag_closed(t, ir_ref(t->ir, t->ir->root), scope)
                : NODE_NEVER_ID;
}
