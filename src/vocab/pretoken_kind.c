/* pretoken_kind.c: recognising a pre-tokenizer by its regular expressions or
 * by its name in a GGUF file.
 *
 * Expressions are compared as text: files of one family share the spelling to
 * the letter, and a text that differs in one character may mean another thing.
 * Known variants of a spelling are rows of their own.
 * Tests: unit/pretoken_test.c
 */
#include "vocab/pretoken.h"

/* ---- names -------------------------------------------------------------- */

static const char *const kind_names[PRETOKEN_KINDS] = {
    [PRETOKEN_UNKNOWN] = "greedy",
    [PRETOKEN_NONE] = "none",
    [PRETOKEN_METASPACE] = "metaspace",
    [PRETOKEN_GPT2] = "gpt2",
    [PRETOKEN_SMOLLM] = "smollm",
    [PRETOKEN_LLAMA3] = "llama3",
    [PRETOKEN_QWEN2] = "qwen2",
    [PRETOKEN_QWEN35] = "qwen35",
    [PRETOKEN_O200K] = "o200k",
    [PRETOKEN_TEKKEN] = "tekken",
    [PRETOKEN_DEEPSEEK_V3] = "deepseek-v3",
    [PRETOKEN_CL100K] = "cl100k",
};

const char *pretoken_name(PretokenKind kind)
{
    return kind_names[kind < PRETOKEN_KINDS ? kind : PRETOKEN_UNKNOWN];
}

/* ---- GGUF --------------------------------------------------------------- */

typedef struct NameRow {
    const char *name;
    PretokenKind kind;
    bool ignores_merges;
} NameRow;

/* Names whose expressions in llama.cpp are those of the kind. */
static const NameRow name_rows[] = {
    {"gpt-2", PRETOKEN_GPT2, false},
    {"gpt2", PRETOKEN_GPT2, false},
    {"phi-2", PRETOKEN_GPT2, false},
    {"mpt", PRETOKEN_GPT2, false},
    {"olmo", PRETOKEN_GPT2, false},
    {"jais", PRETOKEN_GPT2, false},
    {"trillion", PRETOKEN_GPT2, false},
    {"granite-docling", PRETOKEN_GPT2, false},
    {"starcoder", PRETOKEN_SMOLLM, false},
    {"refact", PRETOKEN_SMOLLM, false},
    {"command-r", PRETOKEN_SMOLLM, false},
    {"smollm", PRETOKEN_SMOLLM, false},
    {"codeshell", PRETOKEN_SMOLLM, false},
    {"exaone", PRETOKEN_SMOLLM, false},
    {"minerva-7b", PRETOKEN_SMOLLM, false},
    {"llama3", PRETOKEN_LLAMA3, true},
    {"llama-v3", PRETOKEN_LLAMA3, true},
    {"llama-bpe", PRETOKEN_LLAMA3, true},
    {"falcon3", PRETOKEN_LLAMA3, true},
    {"falcon-h1", PRETOKEN_LLAMA3, true},
    {"pixtral", PRETOKEN_LLAMA3, true},
    {"dbrx", PRETOKEN_LLAMA3, false},
    {"smaug-bpe", PRETOKEN_LLAMA3, false},
    {"glm4", PRETOKEN_LLAMA3, false},
    {"chatglm-bpe", PRETOKEN_LLAMA3, false},
    {"qwen2", PRETOKEN_QWEN2, false},
    {"deepseek-r1-qwen", PRETOKEN_QWEN2, false},
    {"stablelm2", PRETOKEN_QWEN2, false},
    {"hunyuan", PRETOKEN_QWEN2, false},
    {"grok-2", PRETOKEN_QWEN2, false},
    {"qwen35", PRETOKEN_QWEN35, false},
    {"gpt-4o", PRETOKEN_O200K, false},
    {"llama4", PRETOKEN_O200K, false},
    {"tekken", PRETOKEN_TEKKEN, true},
    {"deepseek-v3", PRETOKEN_DEEPSEEK_V3, false},
    {"hunyuan-dense", PRETOKEN_DEEPSEEK_V3, false},
};

static const NameRow *name_row(Span name)
{
    for (size_t i = 0; i < COUNT_OF(name_rows); i++)
        if (span_equal(name, span_text(name_rows[i].name)))
            return &name_rows[i];
    return NULL;
}

PretokenKind pretoken_from_name(Span name)
{
    const NameRow *row = name_row(name);
    return row ? row->kind : PRETOKEN_UNKNOWN;
}

bool pretoken_name_ignores_merges(Span name)
{
    const NameRow *row = name_row(name);
    return row && row->ignores_merges;
}

/* ---- expressions -------------------------------------------------------- */

#define CONTRACTION "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define CASELESS_LIST \
    "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
#define LINES "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define SIGNS "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
#define WORDS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"
#define HEADS "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define TAILS "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define PREFIX "[^\\r\\n\\p{L}\\p{N}]?"

enum { MAX_EXPRESSIONS = 3 };

typedef struct RegexRow {
    const char *text[MAX_EXPRESSIONS]; /* NULL after the last */
    PretokenKind kind;
} RegexRow;

static const RegexRow regex_rows[] = {
    {{NULL}, PRETOKEN_NONE},
    {{PRETOKEN_BYTE_LEVEL_REGEX}, PRETOKEN_GPT2},
    {{PRETOKEN_DIGITS_REGEX, PRETOKEN_BYTE_LEVEL_REGEX}, PRETOKEN_SMOLLM},
    {{CONTRACTION WORDS "|\\p{N}{1,3}" SIGNS LINES}, PRETOKEN_LLAMA3},
    {{CASELESS_LIST WORDS "|\\p{N}{1,3}" SIGNS LINES}, PRETOKEN_LLAMA3},
    {{"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}"
      "| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},
     PRETOKEN_LLAMA3},
    {{CONTRACTION WORDS "|\\p{N}" SIGNS LINES}, PRETOKEN_QWEN2},
    {{CASELESS_LIST WORDS "|\\p{N}" SIGNS LINES}, PRETOKEN_QWEN2},
    {{CONTRACTION "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}"
                  "| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*" LINES},
     PRETOKEN_QWEN35},
    {{PREFIX HEADS "*" TAILS "+" CONTRACTION "?|" PREFIX HEADS "+" TAILS
                   "*" CONTRACTION
                   "?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" LINES},
     PRETOKEN_O200K},
    {{PREFIX HEADS "*" TAILS "+|" PREFIX HEADS "+" TAILS
                   "*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*" LINES},
     PRETOKEN_TEKKEN},
    {{"\\p{N}{1,3}",
      "[\xE4\xB8\x80-\xE9\xBE\xA5\xE3\x81\x80-\xE3\x82\x9F"
      "\xE3\x82\xA0-\xE3\x83\xBF]+",
      "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
      "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
      "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"},
     PRETOKEN_DEEPSEEK_V3},
};

static bool row_matches(const RegexRow *row, const Span *regexes, size_t count)
{
    for (size_t i = 0; i < MAX_EXPRESSIONS; i++) {
        if (!row->text[i]) return i == count;
        if (i == count || !span_equal(regexes[i], span_text(row->text[i])))
            return false;
    }
    return count == MAX_EXPRESSIONS;
}

PretokenKind pretoken_from_regexes(const Span *regexes, size_t count)
{
    for (size_t i = 0; i < COUNT_OF(regex_rows); i++)
        if (row_matches(&regex_rows[i], regexes, count))
            return regex_rows[i].kind;
    return PRETOKEN_UNKNOWN;
}
