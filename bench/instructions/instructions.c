/* instructions.c: weir-instructions WORKLOAD: work of a fixed size, whose
 * instructions scripts/check-instructions counts.
 *
 * What a workload needs is made first; what counts is done within work(), and
 * twice: states that the first time has made are what the second one meets.
 * The vocabulary is made of what stands in the sample texts, so that nothing
 * is read from a file.   Exit: 0; 1 an answer was wrong; 2 usage.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/port.h"
#include "weir/weir.h"

/* ---- samples ---- */

static const char document[] =
    "{\"id\": 4711, \"name\": \"Grace Hopper\", \"active\": true,\n"
    " \"email\": \"grace@example.org\", \"joined\": \"1944-07-02\",\n"
    " \"tags\": [\"compiler\", \"navy\", \"\\u00e9lan\", \"caf\xc3\xa9\"],\n"
    " \"address\": {\"street\": \"1 Harbour Way\", \"city\": \"Arlington\",\n"
    "  \"zip\": \"22201\", \"geo\": [38.88, -77.09]},\n"
    " \"history\": [{\"year\": 1952, \"event\": \"A-0\", \"notes\": null},\n"
    "  {\"year\": 1959, \"event\": \"COBOL\", \"notes\": \"with others\"}]}";

static const char schema[] =
    "{\"type\": \"object\", \"properties\": {"
    "\"id\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 99999},"
    "\"name\": {\"type\": \"string\", \"minLength\": 1, \"maxLength\": 80},"
    "\"active\": {\"type\": \"boolean\"},"
    "\"email\": {\"type\": \"string\", \"format\": \"email\"},"
    "\"joined\": {\"type\": \"string\", \"format\": \"date\"},"
    "\"tags\": {\"type\": \"array\", \"items\": {\"type\": \"string\"},"
    " \"maxItems\": 10},"
    "\"address\": {\"$ref\": \"#/$defs/address\"},"
    "\"history\": {\"type\": \"array\", \"items\": {\"type\": \"object\","
    " \"properties\": {\"year\": {\"type\": \"integer\"},"
    "  \"event\": {\"enum\": [\"A-0\", \"COBOL\", \"UNIVAC\"]},"
    "  \"notes\": {\"type\": [\"string\", \"null\"]}},"
    " \"required\": [\"year\", \"event\"]}}},"
    "\"required\": [\"id\", \"name\"],"
    "\"$defs\": {\"address\": {\"type\": \"object\", \"properties\": {"
    " \"street\": {\"type\": \"string\"}, \"city\": {\"type\": \"string\"},"
    " \"zip\": {\"type\": \"string\", \"pattern\": \"^[0-9]{5}$\"},"
    " \"geo\": {\"type\": \"array\", \"items\": {\"type\": \"number\"}}},"
    "\"additionalProperties\": false}}}";

static const char program[] =
    "root ::= (statement \"\\n\")+\n"
    "statement ::= name \" = \" sum \";\" | \"print(\" sum \");\"\n"
    "sum ::= product ((\" + \" | \" - \") product)*\n"
    "product ::= atom ((\" * \" | \" / \") atom)*\n"
    "atom ::= number | name | \"(\" sum \")\"\n"
    "name ::= [a-z_] [a-z0-9_]*\n"
    "number ::= [0-9]+ (\".\" [0-9]+)?\n";

static const char statements[] = "total = (price + tax) * 1.19;\n"
                                 "share = total / (n_people - 1);\n"
                                 "print(share * 12 + rest_of_it);\n";

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* ---- the vocabulary ---- */

enum { LONGEST = 6, MOST_TOKENS = 8192 };

static int token_order(const void *x, const void *y)
{
    const weir_token *a = x, *b = y;
    int order =
        memcmp(a->bytes.data, b->bytes.data,
               a->bytes.size < b->bytes.size ? a->bytes.size : b->bytes.size);
    if (order) return order;
    return (a->bytes.size > b->bytes.size) - (a->bytes.size < b->bytes.size);
}

/* All pieces of 2 to LONGEST bytes; returns how many. */
static uint32_t add_pieces(const char *text, weir_token *tokens, uint32_t n)
{
    size_t size = strlen(text);
    for (size_t at = 0; at < size; at++)
        for (size_t length = 2; length <= LONGEST; length++)
            if (at + length <= size && n < MOST_TOKENS)
                tokens[n++] = (weir_token){{text + at, length}, 0};
    return n;
}

static weir_token all_tokens[MOST_TOKENS];
static uint32_t token_count;

static void tokens_make(void)
{
    static char single[256];
    weir_token *t = all_tokens;
    uint32_t n = 0, kept = 1;
    for (int i = 0; i < 256; i++) {
        single[i] = (char)i;
        t[n++] = (weir_token){{&single[i], 1}, 0};
    }
    n = add_pieces(document, t, n);
    n = add_pieces(statements, t, n);
    qsort(t, n, sizeof *t, token_order);
    for (uint32_t i = 1; i < n; i++)
        if (token_order(&t[i], &t[kept - 1]) != 0) t[kept++] = t[i];
    t[kept++] =
        (weir_token){bytes_of("<end>"), WEIR_TOKEN_CONTROL | WEIR_TOKEN_STOP};
    token_count = kept;
}

static weir_vocab *vocab_make(void)
{
    return weir_vocab_new(NULL, all_tokens, token_count, NULL, NULL);
}

/* ---- workloads ---- */

static weir_vocab *vocab;
static weir_grammar *grammar;
static uint32_t ids[4096], id_count;
static int32_t row[MOST_TOKENS / 32];
static const char *text;

static bool begin(weir_source_kind kind, const char *source, const char *sample)
{
    text = sample;
    vocab = vocab_make();
    if (!vocab) return false;
    id_count = (uint32_t)weir_vocab_encode(vocab, bytes_of(sample), false, ids,
                                           COUNT_OF(ids));
    grammar = weir_grammar_compile(vocab, kind, bytes_of(source), NULL, NULL);
    return grammar && id_count && id_count <= COUNT_OF(ids);
}

static bool begin_json(void)
{
    return begin(WEIR_JSON_VALUE, "", document);
}

static bool begin_schema(void)
{
    return begin(WEIR_JSON_SCHEMA, schema, document);
}

static bool begin_program(void)
{
    return begin(WEIR_EBNF, program, statements);
}

static bool read_vocab(void)
{
    weir_vocab *v = vocab_make();
    bool ok = v != NULL;
    weir_vocab_free(v);
    return ok;
}

/* A schema compiled, and its first mask. */
static bool compile_schema(void)
{
    weir_grammar *g = weir_grammar_compile(vocab, WEIR_JSON_SCHEMA,
                                           bytes_of(schema), NULL, NULL);
    weir_matcher *m = g ? weir_matcher_new(g, NULL, NULL) : NULL;
    bool ok = m && weir_matcher_fill(m, row) == WEIR_FILL_APPLY;
    weir_matcher_free(m);
    weir_grammar_free(g);
    return ok;
}

/* A mask for each token of the sample, and the token taken. */
static bool fill_masks(void)
{
    weir_matcher *m = weir_matcher_new(grammar, NULL, NULL);
    bool ok = m != NULL;
    for (uint32_t i = 0; ok && i < id_count; i++) {
        weir_matcher_fill(m, row);
        ok = (uint32_t)row[ids[i] / 32] >> ids[i] % 32 & 1 &&
             weir_matcher_accept(m, ids[i]) == WEIR_ACCEPTED;
    }
    ok = ok && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return ok;
}

static bool take_bytes(void)
{
    weir_matcher *m = weir_matcher_new(grammar, NULL, NULL);
    bool ok = m != NULL;
    for (size_t i = 0; ok && text[i]; i++)
        ok = weir_matcher_accept_bytes(m, (weir_bytes){text + i, 1}, NULL) ==
             WEIR_ACCEPTED;
    ok = ok && weir_matcher_is_completed(m);
    weir_matcher_free(m);
    return ok;
}

static bool begin_vocab(void)
{
    return (vocab = vocab_make()) != NULL;
}

static const struct {
    const char *name;
    bool (*begin)(void);
    bool (*run)(void);
} workloads[] = {
    {"vocab", begin_vocab, read_vocab},
    {"compile", begin_vocab, compile_schema},
    {"masks-json", begin_json, fill_masks},
    {"masks-schema", begin_schema, fill_masks},
    {"masks-ebnf", begin_program, fill_masks},
    {"bytes", begin_schema, take_bytes},
};

/* The instructions within are counted; see scripts/check-instructions. */
bool work(bool (*run)(void));
__attribute__((noinline)) bool work(bool (*run)(void))
{
    bool first = run();
    return run() && first;
}

int main(int argc, char **argv)
{
    tokens_make();
    for (size_t i = 0; argc == 2 && i < COUNT_OF(workloads); i++) {
        if (strcmp(argv[1], workloads[i].name) != 0) continue;
        bool ok = workloads[i].begin() && work(workloads[i].run);
        weir_grammar_free(grammar);
        weir_vocab_free(vocab);
        if (!ok) fprintf(stderr, "weir-instructions: a wrong answer\n");
        return ok ? 0 : 1;
    }
    fprintf(stderr, "usage: weir-instructions WORKLOAD, one of:");
    for (size_t i = 0; i < COUNT_OF(workloads); i++)
        fprintf(stderr, " %s", workloads[i].name);
    fprintf(stderr, "\n");
    return 2;
}
