/* matcher_kit.h: the grammars and vocabularies that the fuzz targets of the
 * matcher choose from, by number. */
#ifndef WEIR_FUZZ_MATCHER_KIT_H
#define WEIR_FUZZ_MATCHER_KIT_H

#include <stdlib.h>

#include "base/port.h"
#include "weir/weir.h"

enum {
    KIT_TOKENS = 320,
    KIT_STOP = KIT_TOKENS - 1,
    KIT_VOCABS = 3,
    KIT_WORDS = WEIR_MASK_WORDS(KIT_TOKENS)
};

static inline void must(bool holds)
{
    if (!holds) abort();
}

static inline weir_bytes kit_text(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* ---- grammars ---- */

static const struct {
    weir_source_kind kind;
    const char *source;
} kit_grammars[] = {
    {WEIR_JSON_OBJECT, ""},
    {WEIR_JSON_VALUE, ""},
    {WEIR_REGEX, "(a|b){3,9}(c+|\\d{2})?"},
    {WEIR_REGEX, "(?=.*1)(?!.*cc)[a-c1]{2,12}"},
    {WEIR_REGEX, "\\p{L}{1,5}( \\p{Lu}[^\\x00-\\x7F]*)*"},
    {WEIR_REGEX, "[^\"]{0,40}\""},
    {WEIR_EBNF, "root ::= root \"+\" t | t\nt ::= t \"*\" f | f\n"
                "f ::= \"(\" root \")\" | [ab]+ | \"-\" f"},
    {WEIR_EBNF, "root ::= s+\ns ::= s s | \"(\" s \")\" | \"(\" s \"))\" | "
                "\"x\" | (\"a\" | \"aa\" | \"ab\")*"},
    {WEIR_EBNF, "root ::= (\"a\"{2,40} [bc]{0,3} | (\"aaa\" | \"aa\")* "
                "\"c\"){1,9}"},
    {WEIR_EBNF, "root ::= (\"a\" | Token(97, 256) | ExcludeToken(98, 99))* "
                "\"b\""},
    {WEIR_EBNF, "root ::= \"\" | \"a\" root \"b\" | \"c\" root \"d\" root"},
    {WEIR_EBNF, "root ::= head (\"{\" root \"}\" | \";\")\n"
                "head ::= [a-c]{1,3} (\", \" [a-c]{1,3}){0,4}"},
    {WEIR_EBNF, "root ::= \"true\" | \"null\" | \"\xC3\xA9t\xC3\xA9\" | "
                "\"abcabcabc\" root"},
    {WEIR_EBNF, "root ::= [\xF0\x9F\x98\x80-\xF0\x9F\x98\x82\xC3\xA9]{2} "
                "(\"a\" | [^a-z\\n])*"},
};

/* ---- vocabularies ---- */

static const char *const kit_pieces[] = {
    "{\"",
    "\"}",
    "\": ",
    "\", \"",
    "true",
    "null",
    "rue",
    "tru",
    "ab",
    "aa",
    "aaa",
    "aaaa",
    "abc",
    "cab",
    "bc",
    "ca",
    "))",
    "x))",
    "((x",
    "a)",
    "a+b",
    "*(",
    "+",
    "--",
    "-a",
    "\xC3\xA9",
    "t\xC3",
    "\xA9t",
    "\xF0\x9F",
    "\x98\x80",
    "\xF0\x9F\x98\x80",
    "\x98",
    " A",
    " \xC3\x84",
    "12",
    "1c",
    "c1",
    "\n\n",
    "  ",
    ", a",
    ", ",
    "{a",
    ";}",
    "};",
    "}}",
    "[[",
    "]]",
    "[1",
    "\\u",
    "00e9",
    "\\\"",
    "e+3",
    "1.5",
    "\"abcabc",
    "cabca",
    "\"\"",
};

/* 0: every byte, pieces, odd tokens. 1: the same without most bytes. 2: in
 * another order, each byte twice. */
static inline void kit_token_make(weir_token *token, uint32_t id, unsigned kind)
{
    static char bytes[256];
    uint32_t piece = id - 256;
    if (kind == 2 && id < 256) id = id / 2 + 0x20;
    *token = (weir_token){{NULL, 0}, WEIR_TOKEN_HOLE};
    if (id < 256) {
        bytes[id] = (char)id;
        bool is_left_out = kind == 1 && id % 3 == 0 && id != 'a';
        if (!is_left_out) *token = (weir_token){{&bytes[id], 1}, 0};
    } else if (piece < COUNT_OF(kit_pieces)) {
        *token = (weir_token){kit_text(kit_pieces[piece]), 0};
    }
}

static inline weir_vocab *kit_vocab(unsigned kind)
{
    static weir_vocab *made[KIT_VOCABS];
    weir_token tokens[KIT_TOKENS];
    if (made[kind]) return made[kind];
    for (uint32_t id = 0; id < KIT_TOKENS; id++)
        kit_token_make(&tokens[id], id, kind);
    tokens[KIT_STOP] =
        (weir_token){kit_text("</s>"), WEIR_TOKEN_STOP | WEIR_TOKEN_CONTROL};
    tokens[KIT_STOP - 1] = (weir_token){kit_text("abc"), WEIR_TOKEN_CONTROL};
    tokens[KIT_STOP - 2] = (weir_token){kit_text("true"), WEIR_TOKEN_STOP};
    made[kind] = weir_vocab_new(NULL, tokens, KIT_TOKENS, NULL, NULL);
    must(made[kind] != NULL);
    return made[kind];
}

/* A matcher by two bytes: which grammar; which vocabulary and termination.
 * Made anew each time, so that a failure depends on its input alone (but for
 * what a vocabulary has learnt about JSON). */
static inline weir_matcher *kit_matcher(uint8_t first, uint8_t second)
{
    size_t which = first % COUNT_OF(kit_grammars);
    weir_vocab *v = kit_vocab(second % KIT_VOCABS);
    weir_grammar *g =
        weir_grammar_compile(v, kit_grammars[which].kind,
                             kit_text(kit_grammars[which].source), NULL, NULL);
    must(g != NULL);
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = second / KIT_VOCABS % 3};
    weir_matcher *m = weir_matcher_new(g, &opts, NULL);
    must(m != NULL);
    weir_grammar_free(g);
    return m;
}

/* ---- masks ---- */

static inline bool kit_bit(const int32_t *row, uint32_t id)
{
    return (uint32_t)row[id / 32] >> id % 32 & 1;
}

/* The mask, which must be what each token alone says. */
static inline uint64_t kit_mask(weir_matcher *m, int32_t *row)
{
    must(weir_matcher_fill(m, row) != WEIR_FILL_ERROR);
    for (uint32_t id = 0; id < KIT_TOKENS; id++)
        must(kit_bit(row, id) == weir_matcher_allows(m, id));
    return weir_mask_hash(row, KIT_TOKENS);
}

#endif
