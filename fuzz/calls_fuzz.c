/* calls_fuzz.c: any bytes as the output of a model. The first byte says which
 * family ('a' the first), the second where reasoning begins and whether there
 * is a list of tools, the third how the text is split.
 *
 * Holds for every input: the same is told however the text is split, byte by
 * byte included; no text ends inside a character; calls are told one after the
 * other; arguments that are whole are JSON; a parser that is used again tells
 * the same.
 */
#include "text/json.h"
#include "unit/calls_kit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool claim)
{
    if (!claim) abort();
}

static const char schema[] =
    "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"},\"n\":{"
    "\"type\":\"integer\"},\"x\":{\"type\":[\"string\",\"number\",\"null\"]}},"
    "\"additionalProperties\":{\"type\":\"array\"}}";

static weir_tool_parser *open(uint8_t first, uint8_t second)
{
    weir_tool tools[] = {
        {.name = {"f", 1},
         .kind = WEIR_JSON_SCHEMA,
         .source = {schema, sizeof schema - 1}},
        {.name = {"get_weather", 11}, .kind = WEIR_JSON_OBJECT}};
    weir_tool_opts opts = {.size = sizeof opts,
                           .reasoning = (weir_reasoning)(second % 3)};
    weir_family family = (weir_family)(1 + (uint8_t)(first - 'a') % 20);
    return weir_tool_parser_new(NULL, family, tools, second & 8 ? 2 : 0, &opts,
                                NULL);
}

static size_t by_ones(void *user, size_t left)
{
    (void)user;
    (void)left;
    return 1;
}

/* Pieces of 1 to 8 bytes. */
static size_t by_chance(void *user, size_t left)
{
    uint32_t *state = user;
    *state = *state * 1664525u + 1013904223u;
    return MIN(1 + (*state >> 29), left);
}

/* Lines of what was told. */
static void check_lines(const Told *t)
{
    Json json;
    Mem mem = mem_from_env(NULL);
    Span args = {NULL, 0};
    bool in_call = false;
    for (const char *line = t->lines; *line;) {
        size_t n = strcspn(line, "\n");
        /* an argument text may have line ends of its own: the last line of it
         * comes before "end" */
        if (!strncmp(line, "call ", 5) && !in_call) in_call = true;
        if (!strncmp(line, "args ", 5) && in_call && !args.at)
            args = span_of(line + 5, 0);
        bool is_end = !strncmp(line, "end\n", 4);
        if (in_call && args.at && is_end) {
            args.size = (size_t)(line - (const char *)args.at) - 1;
            must(json_parse(&json, &mem, args, NULL, NULL));
            json_free(&json);
        }
        if (is_end || !strncmp(line, "broken\n", 7)) {
            in_call = false;
            args.at = NULL;
        }
        line += n + (line[n] == '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LONGEST = 1 << 14 };
    Told whole, ones, split;
    if (size < 3 || size > LONGEST) return 0;
    Span text = span_of(data + 3, size - 3);
    uint32_t seed = data[2];
    weir_tool_parser *p = open(data[0], data[1]);
    if (!p) return 0; /* no reasoning in that family */
    told_open(&whole);
    told_open(&ones);
    told_open(&split);
    must(told_read(&whole, p, text, NULL, NULL));
    weir_tool_parser_reset(p);
    must(told_read(&ones, p, text, by_ones, NULL));
    weir_tool_parser_reset(p);
    must(told_read(&split, p, text, by_chance, &seed));
    must(!strcmp(whole.lines, ones.lines) && !strcmp(whole.lines, split.lines));
    must(!whole.split_rune && !ones.split_rune && !split.split_rune);
    check_lines(&whole);
    told_close(&whole);
    told_close(&ones);
    told_close(&split);
    weir_tool_parser_free(p);
    return 0;
}
