/* cases_schema_test.c: published cases about JSON Schemas. A test is named
 * after its case; docs/cases.md has them all.
 *
 * Those whose outcome is a list of texts are in tests/cases/
 * schema_published.txt, which says how it is written. The others are functions
 * here: what is refused and where, sizes, whole vocabularies, many sequences.
 */
#include "unit/cases_kit.h"

#include <stdlib.h>

#include "text/json.h"

static const char path[] = "tests/cases/schema_published.txt";

/* ---- schemas and vocabularies ---- */

static const char pieces[] =
    "\": |\", "
    "\"|{\"|\"}|\":|\",|[[|]]|\":\"|\",\"|\":[|\"},|\"]|null|true|false"
    "|   |\\u00|00|12";

/* A vocabulary that can spell the text: bytes, and some runs of them. */
static void begin(Kit *k, const char *texts)
{
    kit_begin(k, pieces, texts);
}

static void compile(Kit *k, const char *schema, const weir_compile_opts *given)
{
    weir_compile_opts opts = {.size = sizeof opts};
    if (given) opts = *given;
    kit_schema(k, schema, &opts);
}

/* The whole test of a schema: what it accepts and refuses; NULL at the end. */
typedef struct Texts {
    const char *accept[4], *refuse[4];
} Texts;

static void check_texts(const char *schema, const Texts *texts)
{
    Kit k;
    begin(&k, "{}[]\":,.\n _abcdefghijklmnopqrstuvwxyz0123456789-x\\n");
    compile(&k, schema, NULL);
    for (size_t i = 0; i < 4 && texts->accept[i]; i++)
        kit_accepts(&k, texts->accept[i]);
    for (size_t i = 0; i < 4 && texts->refuse[i]; i++)
        kit_refuses(&k, texts->refuse[i]);
    kit_end(&k);
}

/* A text being put together. */
typedef struct Text {
    char *at;
    size_t size, cap;
} Text;

static void PRINTF_LIKE(2, 3) text_add(Text *t, const char *format, ...)
{
    va_list list;
    if (t->cap - t->size < 256) {
        t->cap = t->cap * 2 + 1024;
        t->at = realloc(t->at, t->cap);
        assert_non_null(t->at);
    }
    va_start(list, format);
    int n = vsnprintf(t->at + t->size, t->cap - t->size, format, list);
    va_end(list);
    assert_in_range(n, 0, 255);
    t->size += (size_t)n;
}

/* {"type":"object","properties":{"p0":S,...}TAIL} with n properties. */
static char *flat_schema(char letter, uint32_t n, const char *schema,
                         const char *tail)
{
    Text t = {0};
    text_add(&t, "{\"type\":\"object\",\"properties\":{");
    for (uint32_t i = 0; i < n; i++)
        text_add(&t, "%s\"%c%u\":%s", i ? "," : "", letter, i, schema);
    text_add(&t, "}%s}", tail);
    return t.at;
}

static weir_grammar *compile_alone(const char *schema)
{
    weir_error err;
    weir_grammar *g = weir_grammar_compile(NULL, WEIR_JSON_SCHEMA,
                                           kit_bytes(schema), NULL, &err);
    if (!g) fail_msg("%s: %s", err.pointer, err.message);
    return g;
}

/* In pieces, since the work of one call has a limit. */
static bool accepts(weir_grammar *g, const char *text)
{
    enum { PIECE = 16384 };
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    bool ok = true;
    for (size_t n; ok && *text; text += n) {
        n = strnlen(text, PIECE);
        ok = weir_matcher_accept_bytes(m, (weir_bytes){text, n}, NULL) ==
             WEIR_ACCEPTED;
    }
    assert_int_equal(weir_matcher_error(m), WEIR_OK);
    ok = ok && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return ok;
}

static size_t memory_of(const weir_grammar *g)
{
    weir_grammar_info info = {.size = sizeof info};
    weir_grammar_describe(g, &info);
    return info.memory;
}

/* The memory of a schema's grammar after it has read the text. */
static size_t memory_after(const char *schema, const char *text)
{
    weir_grammar *g = compile_alone(schema);
    assert_true(accepts(g, text));
    size_t nbytes = memory_of(g);
    weir_grammar_free(g);
    return nbytes;
}

/* ---- cases in the file ---- */

enum { CASES_MOST = 128, LINE_MOST = 8192 };

typedef struct FileCase {
    char id[64];
    long at; /* of its first line after the name */
} FileCase;

static void read_options(char *words, weir_compile_opts *opts)
{
    char *blanks = strstr(words, "blanks ");
    if (blanks) {
        opts->space.kind = WEIR_SPACE_REGEX;
        opts->space.pattern = kit_bytes(blanks + 7);
        return;
    }
    opts->schema.any_escape = strstr(words, "any_escape") != NULL;
    opts->schema.any_order = strstr(words, "any_order") != NULL;
    if (strstr(words, "compact")) opts->space.kind = WEIR_SPACE_COMPACT;
}

/* Every byte of the case, for the vocabulary. */
static void read_letters(FILE *file, char *letters)
{
    bool seen[256] = {false};
    char line[LINE_MOST];
    size_t n = 0;
    for (unsigned b = 1; b < 0x20; b++) seen[b] = true;
    seen[0x7F] = true;
    while (fgets(line, sizeof line, file) && *line != '\n')
        for (char *c = line; *c; c++) seen[(uint8_t)*c] = true;
    for (unsigned b = 1; b < 256; b++)
        if (seen[b]) letters[n++] = (char)b;
    letters[n] = 0;
}

/* A text after accept! or refuse!. */
static void check_quoted(Kit *k, const char *quoted, bool want)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    assert_true(json_parse(&json, &k->mem, span_text(quoted), NULL, &err));
    Span text = json_string(&json, JSON_ROOT);
    kit_text(k, (weir_bytes){(const char *)text.at, text.size}, want);
    json_free(&json);
}

static const char *value_of(const char *line, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(line, word, n) && line[n] == ' ' ? line + n + 1 : NULL;
}

static void check_line(Kit *k, const char *line)
{
    const char *text;
    if ((text = value_of(line, "accept")))
        kit_accepts(k, text);
    else if ((text = value_of(line, "refuse")))
        kit_refuses(k, text);
    else if ((text = value_of(line, "accept!")))
        check_quoted(k, text, true);
    else if ((text = value_of(line, "refuse!")))
        check_quoted(k, text, false);
    else
        fail_msg("not understood: %s", line);
}

static void file_case(void **state)
{
    const FileCase *c = *state;
    char letters[256], line[LINE_MOST], options[256] = "";
    weir_compile_opts opts = {.size = sizeof opts};
    Kit k;
    unsigned texts = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, c->at, SEEK_SET);
    read_letters(file, letters);
    begin(&k, letters);
    fseek(file, c->at, SEEK_SET);
    while (fgets(line, sizeof line, file) && *line != '\n') {
        line[strcspn(line, "\n")] = 0;
        if (value_of(line, "options")) {
            snprintf(options, sizeof options, "%.200s", line);
            read_options(options, &opts);
        } else if (value_of(line, "schema")) {
            compile(&k, value_of(line, "schema"), &opts);
        } else {
            check_line(&k, line);
            texts++;
        }
    }
    assert_true(texts > 0);
    kit_end(&k);
    fclose(file);
}

static uint32_t find_cases(FileCase *cases)
{
    char line[LINE_MOST];
    uint32_t count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "case %63s", cases[count].id) != 1) continue;
        cases[count].at = ftell(file);
        if (++count == CASES_MOST) break;
    }
    if (file) fclose(file);
    return count;
}

/* ---- errors ---- */

static void check_error(const char *schema, weir_status status,
                        const char *pointer, const char *word)
{
    weir_error err;
    weir_grammar *g = weir_grammar_compile(NULL, WEIR_JSON_SCHEMA,
                                           kit_bytes(schema), NULL, &err);
    assert_null(g);
    assert_string_equal(weir_status_name(err.status), weir_status_name(status));
    if (pointer) assert_string_equal(err.pointer, pointer);
    if (!strstr(err.message, word))
        fail_msg("\"%s\" is not in \"%s\"", word, err.message);
}

/* ohdearquant/lattice#321 */
static void max_less_than_min(void **state)
{
    (void)state;
    check_error("{\"type\":\"array\",\"minItems\":3,\"maxItems\":1}",
                WEIR_EMPTY, NULL, "Items");
}

/* dottxt-ai/outlines-core#180 */
static void wrong_required(void **state)
{
    (void)state;
    check_error("{\"type\":\"object\",\"properties\":{\"tags\":{\"type\":"
                "\"array\",\"required\":true,\"items\":{\"type\":\"string\"}"
                "}}}",
                WEIR_SYNTAX, "#/properties/tags/required", "array");
}

/* vllm-project/vllm#57725: the library's part; the server's comes with it. */
static void wrong_enum(void **state)
{
    (void)state;
    check_error("{\"enum\":{\"a\":1}}", WEIR_SYNTAX, "#/enum", "array");
}

static void missing_ref(void **state)
{
    (void)state;
    check_error("{\"$ref\":\"#/$defs/nope\"}", WEIR_UNDEFINED, "#/$ref",
                "$defs");
}

/* vllm-project/vllm#57788: cycles of one, two and three references. */
static void ref_cycles(void **state)
{
    (void)state;
    check_error("{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"$ref\":"
                "\"#/$defs/n\"}}}",
                WEIR_UNSUPPORTED, "#/$defs/n", "refers to itself");
    check_error("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":"
                "\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}}}",
                WEIR_UNSUPPORTED, NULL, "refers to itself");
    check_error("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":"
                "\"#/$defs/b\"},\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/c\"}]},"
                "\"c\":{\"$ref\":\"#/$defs/a\"}}}",
                WEIR_UNSUPPORTED, NULL, "refers to itself");
}

static void ref_required_self(void **state)
{
    (void)state;
    check_error("{\"type\":\"object\",\"properties\":{\"next\":{\"$ref\":"
                "\"#\"}},\"required\":[\"next\"]}",
                WEIR_EMPTY, NULL, "");
    check_error("{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":"
                "\"#/$defs/b\"}},\"required\":[\"a\"],\"$defs\":{\"b\":{"
                "\"type\":\"array\",\"items\":{\"$ref\":\"#\"},\"minItems\":1}"
                "}}",
                WEIR_EMPTY, NULL, "");
}

/* ---- sizes ---- */

/* mlc-ai/xgrammar#852: the length is a count, not a chain of states. Times of
 * masks are the benchmark's. */
static void max_length(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"body\":{\"type\":\"string\","
        "\"maxLength\":%s}},\"required\":[\"body\"]}";
    char few[256], many[256];
    snprintf(few, sizeof few, schema, "100");
    snprintf(many, sizeof many, schema, "100000");
    size_t small = memory_after(few, "{\"body\":\"hello\"}");
    size_t large = memory_after(many, "{\"body\":\"hello\"}");
    assert_in_range(large, 0, small + small / 4);
    check_texts(many, &(Texts){{"{\"body\":\"\"}", "{\"body\":\"hello\"}"},
                               {"{\"body\":1}"}});
    Text text = {0};
    weir_grammar *g = compile_alone(many);
    text_add(&text, "{\"body\":\"");
    for (unsigned i = 0; i < 100000; i++) text_add(&text, "x");
    size_t size = text.size;
    text_add(&text, "\"}");
    assert_true(accepts(g, text.at));
    text.size = size;
    text_add(&text, "x\"}");
    assert_false(accepts(g, text.at));
    weir_grammar_free(g);
    free(text.at);
}

/* mlc-ai/xgrammar#339 */
static void nested_lists(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"array\",\"minItems\":5,\"maxItems\":10,\"items\":{"
        "\"type\":\"array\",\"minItems\":5,\"maxItems\":10,\"items\":{"
        "\"type\":\"string\"}}}";
#define FIVE(x) x "," x "," x "," x "," x
#define FOUR(x) x "," x "," x "," x
    static const char good[] = "[" FIVE("[" FIVE("\"a\"") "]") "]";
    check_texts(schema, &(Texts){{good},
                                 {"[" FOUR("[" FIVE("\"a\"") "]") "]",
                                  "[" FIVE("[" FOUR("\"a\"") "]") "]", "[]"}});
    assert_in_range(memory_after(schema, good), 0, 1 << 20);
#undef FIVE
#undef FOUR
}

/* dottxt-ai/outlines#658 */
static void length_bounds(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
        "\"maxLength\":60},\"b\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"string\",\"maxLength\":20},\"maxItems\":5},\"c\":{\"type\":"
        "\"string\",\"maxLength\":200},\"d\":{\"type\":\"array\",\"items\":{"
        "\"type\":\"string\",\"maxLength\":100},\"maxItems\":5},\"e\":{"
        "\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":20},"
        "\"maxItems\":15},\"f\":{\"type\":\"array\",\"items\":{\"type\":"
        "\"string\",\"maxLength\":30},\"maxItems\":15}},\"required\":[\"a\","
        "\"b\",\"c\",\"d\",\"e\",\"f\"]}";
    static const char rest[] = ",\"c\":\"\",\"d\":[],\"e\":[],\"f\":[]}";
    weir_grammar *g = compile_alone(schema);
    static const char *const runes[] = {"x", "\xC3\xA9"};
    for (uint32_t n = 59; n <= 61; n++)
        for (size_t r = 0; r < COUNT_OF(runes); r++) {
            Text t = {0};
            text_add(&t, "{\"a\":\"");
            for (uint32_t i = 0; i < n; i++) text_add(&t, "%s", runes[r]);
            text_add(&t, "\",\"b\":[]%s", rest);
            assert_int_equal(accepts(g, t.at), n <= 60);
            free(t.at);
        }
    for (uint32_t n = 4; n <= 6; n++) {
        Text t = {0};
        text_add(&t, "{\"a\":\"\",\"b\":[");
        for (uint32_t i = 0; i < n; i++)
            text_add(&t, "%s\"%u\"", i ? "," : "", i);
        text_add(&t, "]%s", rest);
        assert_int_equal(accepts(g, t.at), n <= 5);
        free(t.at);
    }
    assert_in_range(memory_of(g), 0, 50 << 20);
    weir_grammar_free(g);
}

/* Ten times the properties take at most some twelve times the memory. */
static void check_linear(char letter, uint32_t n, const char *schema,
                         const char *tail, const char *text)
{
    char *few = flat_schema(letter, n / 10, schema, tail);
    char *many = flat_schema(letter, n, schema, tail);
    size_t small = memory_after(few, text), large = memory_after(many, text);
    assert_in_range(large, 0, 12 * small);
    free(few);
    free(many);
}

/* dottxt-ai/outlines#1428 */
static void nullable_members(void **state)
{
    (void)state;
    static const char member[] =
        "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"default\":"
        "null}";
    char *schema = flat_schema('p', 40, member, "");
    check_texts(schema, &(Texts){{"{}", "{\"p0\":null,\"p39\":\"x\"}"},
                                 {"{\"p0\":1}", "{\"p3\":[]}"}});
    free(schema);
    check_linear('p', 400, member, "", "{\"p0\":null,\"p39\":\"x\"}");
}

/* ggml-org/llama.cpp#28522 */
static void many_optionals(void **state)
{
    (void)state;
    static const char number[] = "{\"type\":\"number\"}";
    static const char tail[] =
        ",\"required\":[\"n0\"],\"additionalProperties\":false";
    char *schema = flat_schema('n', 48, number, tail);
    check_texts(schema,
                &(Texts){{"{\"n0\":1}", "{\"n0\":1,\"n5\":2,\"n47\":3}"},
                         {"{\"n1\":2}", "{\"n0\":1,\"n48\":1}",
                          "{\"n0\":1 \"n1\":2}"}});
    weir_grammar *one = compile_alone(schema);
    weir_grammar *pair[] = {one, one};
    weir_grammar *two = weir_grammar_concat(pair, 2, NULL);
    assert_non_null(two);
    assert_true(accepts(two, "{\"n0\":1}{\"n0\":1,\"n5\":2}"));
    assert_false(accepts(two, "{\"n0\":1}"));
    assert_false(accepts(two, "{\"n0\":1}{\"n5\":2}"));
    weir_grammar_free(two);
    weir_grammar_free(one);
    free(schema);
    check_linear('n', 480, number, tail, "{\"n0\":1,\"n5\":2,\"n47\":3}");
}

/* anthropics/claude-code#55539 */
static void optional_doubling(void **state)
{
    (void)state;
    static const char string[] = "{\"type\":\"string\"}";
    static const char tail[] = ",\"additionalProperties\":false";
    char *schema = flat_schema('o', 30, string, tail);
    check_texts(schema, &(Texts){{"{}", "{\"o0\":\"\",\"o29\":\"x\"}",
                                  "{\"o7\":\"a\",\"o8\":\"b\"}"},
                                 {"{\"o30\":\"\"}",
                                  "{\"o8\":\"b\" \"o9\":\"\"}", "{\"o1\":1}"}});
    free(schema);
    check_linear('o', 1000, string, tail, "{\"o7\":\"a\",\"o8\":\"b\"}");
}

/* mlc-ai/xgrammar#702 */
static void flat_50k(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    uint32_t n = MANY;
    Text tail = {0}, text = {0};
    text_add(&tail, ",\"additionalProperties\":false,\"required\":[");
    text_add(&text, "{");
    for (uint32_t i = 0; i < n; i++) {
        const char *comma = i ? "," : "";
        text_add(&tail, "%s\"f%u\"", comma, i);
        text_add(&text, "%s\"f%u\":%u", comma, i, i);
    }
    text_add(&tail, "]");
    Text schema = {0};
    text_add(&schema, "{\"type\":\"object\",\"properties\":{");
    for (uint32_t i = 0; i < n; i++)
        text_add(&schema, "%s\"f%u\":{\"type\":\"integer\"}", i ? "," : "", i);
    text_add(&schema, "}");
    schema.at = realloc(schema.at, schema.size + tail.size + 2);
    assert_non_null(schema.at);
    sprintf(schema.at + schema.size, "%s}", tail.at);
    weir_grammar *g = compile_alone(schema.at);
    text_add(&text, "}");
    assert_true(accepts(g, text.at));
    assert_false(accepts(g, "{\"f0\":0}"));
    assert_false(accepts(g, "{}"));
    assert_in_range(memory_of(g), 0, 30u << 20);
    weir_grammar_free(g);
    free(schema.at);
    free(tail.at);
    free(text.at);
}

/* ---- tokens and sequences ---- */

/* guidance-ai/llguidance#366: one layout, and tokens that merge its blanks
 * with quotes. What a mask allows is accepted, wherever one goes. */
static void merged_separators(void **state)
{
    (void)state;
    Kit k;
    weir_compile_opts opts = {.size = sizeof opts,
                              .space = {.kind = WEIR_SPACE_FIXED}};
    begin(&k, "{}\":, title\\xyz");
    compile(&k,
            "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":"
            "\"string\",\"minLength\":1}},\"required\":[\"title\"],"
            "\"additionalProperties\":false}",
            &opts);
    kit_accepts(&k, "{\"title\": \"x\"}");
    kit_refuses(&k, "{\"title\":\"x\"}");
    kit_refuses(&k, "{\"title\": \"\"}");
    weir_matcher *m = kit_matcher(&k);
    kit_read(&k, m, "{\"title");
    uint32_t ids[8];
    size_t n = weir_matcher_forced_tokens(m, ids, 8);
    for (size_t i = 0; i < MIN(n, 8); i++)
        assert_int_equal(weir_matcher_accept(m, ids[i]), WEIR_ACCEPTED);
    weir_matcher_free(m);
    kit_end(&k);
}

/* noamgat/lm-format-enforcer#94 */
static void tool_calls(void **state)
{
    (void)state;
    check_texts(
        "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
        "\"tool_name\":{\"type\":\"string\"},\"parameters\":{\"type\":"
        "\"object\"}},\"required\":[\"tool_name\",\"parameters\"],"
        "\"additionalProperties\":false}}",
        &(Texts){
            {"[{\"tool_name\":\"search\",\"parameters\":{\"q\":\"x\"}}]", "[]"},
            {"[{\":\":\"x\"}]", "[{\"tool_name\":\"s\"}]",
             "[{\"tool_name\":\":\",\"parameters\":[]}]"}});
}

/* ollama/ollama#10805: blanks in the schema's text mean nothing. */
static void minified_schema(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}",
        "{\n  \"type\": \"object\",\n  \"properties\": { \"a\": { \"type\": "
        "\"integer\" } }\n}"};
    uint64_t hash[2];
    for (size_t i = 0; i < 2; i++) {
        weir_grammar *g = compile_alone(schemas[i]);
        weir_grammar_info info = {.size = sizeof info};
        weir_grammar_describe(g, &info);
        hash[i] = info.hash;
        weir_grammar_free(g);
        check_texts(schemas[i], &(Texts){{"{}", "{\"a\":1}", "{\"b\":[]}"},
                                         {"{\"a\":\"x\"}", "[]"}});
    }
    assert_true(hash[0] == hash[1]);
}

/* vllm-project/vllm#38696: a model that writes blanks whenever it may does
 * come to the end. */
static void whitespace_runaway(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"route\":{\"type\":\"string\","
        "\"enum\":[\"a\",\"b\"]},\"why\":{\"type\":\"string\"}},\"required\":["
        "\"route\",\"why\"],\"additionalProperties\":false}";
    check_texts(schema,
                &(Texts){{"{\"route\":\"a\",\"why\":\"\"}",
                          "{ \"route\": \"a\",\n \"why\": \"x  \\n  y\" }"},
                         {NULL}});
    weir_grammar *g = compile_alone(schema);
    Text long_blank = {0}, long_string = {0};
    text_add(&long_blank, "{\"route\":\"a\",");
    text_add(&long_string, "{\"route\":\"a\",\"why\":\"");
    for (unsigned i = 0; i < 100; i++) {
        text_add(&long_blank, "  \n");
        text_add(&long_string, "   ");
    }
    text_add(&long_blank, "\"why\":\"\"}");
    text_add(&long_string, "\"}");
    assert_false(accepts(g, long_blank.at));
    assert_true(accepts(g, long_string.at));
    /* blanks first, in structure and in the string's first 100 characters */
    static const char order[] = " \n\"{}:,aroutewhyb";
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    unsigned steps = 0;
    while (!weir_matcher_is_completed(m)) {
        assert_true(++steps < 2000);
        const char *c = order + (steps > 1000);
        for (; *c; c++)
            if (weir_matcher_accept_bytes(m, (weir_bytes){c, 1}, NULL) ==
                WEIR_ACCEPTED)
                break;
        assert_true(*c != 0);
    }
    weir_matcher_free(m);
    weir_grammar_free(g);
    free(long_blank.at);
    free(long_string.at);
}

/* guidance-ai/llguidance#287: by default escapes are allowed; an option that
 * forbids \u is not there. */
static void escape_policy(void **state)
{
    (void)state;
    Kit k;
    begin(&k, "\"\\u0041e9an\xC3\xA9");
    compile(&k, "{\"type\":\"string\"}", NULL);
    kit_accepts(&k, "\"\xC3\xA9\"");
    kit_accepts(&k, "\"a\\n\"");
    kit_accepts(&k, "\"\\u00e9\"");
    kit_accepts(&k, "\"\\u0041\"");
    kit_end(&k);
}

/* theroyallab/tabbyAPI#431: the library's part. */
static void prefill(void **state)
{
    (void)state;
    static const char start[] = "{\"a\": 1, \"b\": \"";
    weir_grammar *g = compile_alone(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
        "\"b\":{\"type\":\"string\"}},\"required\":[\"a\",\"b\"]}");
    weir_matcher *m = weir_matcher_new(g, NULL, NULL);
    assert_non_null(m);
    assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes(start), NULL),
                     WEIR_ACCEPTED);
    assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes("x"), NULL),
                     WEIR_ACCEPTED);
    assert_false(weir_matcher_is_completed(m));
    assert_int_equal(weir_matcher_accept_bytes(m, kit_bytes("\"}"), NULL),
                     WEIR_ACCEPTED);
    assert_true(weir_matcher_is_completed(m));
    weir_matcher_reset(m);
    assert_int_equal(
        weir_matcher_accept_bytes(m, kit_bytes("{\"a\": \"x\", "), NULL),
        WEIR_REFUSED);
    weir_matcher_free(m);
    weir_grammar_free(g);
}

/* vllm-project/vllm#52620: sixteen sequences, each with drafts of which some
 * are wrong, one step of each after the other. */
static void concurrent_drafts(void **state)
{
    (void)state;
    enum { SEQUENCES = 16, WORDS = WEIR_MASK_WORDS(RANDOM_TOKENS_MAX) };
    static const char text[] =
        "{\"status\":\"ok\",\"items\":[1,2,3],\"request_id\":7}";
    Kit k;
    weir_matcher *m[SEQUENCES];
    size_t at[SEQUENCES] = {0};
    begin(&k, "{}[]\":,statuokniemrq_d0123456789 ");
    compile(&k,
            "{\"type\":\"object\",\"properties\":{\"status\":{\"type\":"
            "\"string\",\"enum\":[\"ok\"]},\"items\":{\"type\":\"array\","
            "\"items\":{\"type\":\"integer\"},\"minItems\":3,\"maxItems\":3},"
            "\"request_id\":{\"type\":\"integer\"}},\"required\":[\"status\","
            "\"items\",\"request_id\"],\"additionalProperties\":false}",
            NULL);
    kit_accepts(&k, text);
    kit_refuses(&k, "{\"status\":\"ok\",\"items\":[1,2],\"request_id\":7}");
    kit_refuses(&k, "{\"status\":\"no\",\"items\":[1,2,3],\"request_id\":7}");
    for (size_t i = 0; i < SEQUENCES; i++) m[i] = kit_matcher(&k);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < SEQUENCES; i++) {
            if (at[i] == strlen(text)) continue;
            more = true;
            weir_bytes rest = {text + at[i], strlen(text) - at[i]};
            uint32_t good = kit_pick(&k, rest, KIT_RANDOM);
            uint32_t drafts[] = {good, kit_find(&k, "]]")};
            int32_t rows[3 * WORDS];
            assert_int_equal(
                weir_matcher_fill_drafts(m[i], drafts, 2, rows, WORDS), 1);
            assert_int_equal(weir_matcher_validate(m[i], drafts, 2), 1);
            assert_int_equal(weir_matcher_accept(m[i], good), WEIR_ACCEPTED);
            at[i] += k.c.vocab.tokens[good].bytes.size;
        }
    }
    for (size_t i = 0; i < SEQUENCES; i++) {
        assert_true(weir_matcher_is_completed(m[i]));
        weir_matcher_free(m[i]);
    }
    kit_end(&k);
}

int main(void)
{
    static FileCase cases[CASES_MOST];
    static struct CMUnitTest tests[CASES_MOST + 32] = {
        CASE("max-less-than-min-items", max_less_than_min),
        CASE("schema-meta-errors-silent", wrong_required),
        CASE("schema-error-enum-object", wrong_enum),
        CASE("schema-error-ref-missing", missing_ref),
        CASE("ref-cycle-no-base", ref_cycles),
        CASE("ref-required-self", ref_required_self),
        CASE("maxlength-mask-slow", max_length),
        CASE("nested-bounded-lists-slow", nested_lists),
        CASE("oom-length-bounds", length_bounds),
        CASE("nested-nullable-anyof-schema", nullable_members),
        CASE("parallel-tools-many-optionals", many_optionals),
        CASE("optional-doubling", optional_doubling),
        CASE("flat-50k-properties", flat_50k),
        CASE("separator-merged-token", merged_separators),
        CASE("array-of-tool-calls-partial-token", tool_calls),
        CASE("minified-schema", minified_schema),
        CASE("whitespace-runaway-midobject", whitespace_runaway),
        CASE("escape-policy-no-u", escape_policy),
        CASE("prefill-continue", prefill),
        CASE("spec-ngram-concurrent-500", concurrent_drafts),
    };
    enum { OWN = 20 };
    uint32_t count = find_cases(cases);
    if (count < 50) return 1; /* the file is not there */
    for (uint32_t i = 0; i < count; i++)
        tests[OWN + i] =
            (struct CMUnitTest){cases[i].id, file_case, NULL, NULL, &cases[i]};
    return _cmocka_run_group_tests("cases", tests, OWN + count, NULL, NULL);
}
