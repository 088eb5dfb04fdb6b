/* weir.h: structured output for language models.
 *
 * A vocabulary says which bytes each token stands for; a grammar says which
 * texts are allowed; a matcher follows one output and says, before every
 * decoding step, which tokens may come next, as a bitmask.
 *
 *     weir_vocab *v = weir_vocab_load_file(NULL, "tokenizer.json", NULL, &e);
 *     weir_grammar *g = weir_grammar_compile(v, WEIR_JSON_OBJECT, source,
 *                                            NULL, &e);
 *     weir_matcher *m = weir_matcher_new(g, NULL, &e);
 *     while (!weir_matcher_is_terminated(m)) {
 *         if (weir_matcher_fill(m, row) == WEIR_FILL_APPLY)
 *             weir_apply_f32(logits, width, row, weir_vocab_width(v));
 *         weir_matcher_accept(m, sample(logits));
 *     }
 *
 * Ownership: every object made by _new, _load, _compile or _fork is released
 * by its _free, which accepts NULL. Vocabularies and grammars are immutable in
 * meaning, reference counted, and may be shared by threads; a grammar keeps its
 * vocabulary alive and a matcher its grammar. A matcher belongs to one thread
 * at a time. `weir_bytes` arguments are borrowed for the call.
 *
 * Option structs begin with `size`: set it to sizeof the struct. Zero in any
 * other field means the default; NULL in place of a struct means all defaults.
 */
#ifndef WEIR_H
#define WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define WEIR_API __declspec(dllexport)
#elif defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---------------------------------------------------------- */

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

/* "major.minor.patch" of the library that runs. Static. */
WEIR_API const char *weir_version(void);

/* ---- bytes, status, errors -------------------------------------------- */

/* A borrowed run of bytes; need not end in NUL. */
typedef struct weir_bytes {
    const char *data;
    size_t size;
} weir_bytes;

/* Numbers are fixed for ever. The list is the only place that names them. */
#define WEIR_STATUS_LIST(X)                                                   \
    X(OK, 0, "ok")                                                            \
    X(NO_MEMORY, 1, "out of memory")                                          \
    X(ARGUMENT, 2, "invalid argument")                                        \
    X(IO, 3, "cannot read the file")                                          \
    X(FORMAT, 4, "not a supported tokenizer file")                            \
    X(SYNTAX, 5, "syntax error")                                              \
    X(UNDEFINED, 6, "undefined name")                                         \
    X(UNSUPPORTED, 7, "not supported")                                        \
    X(EMPTY, 8, "the grammar allows no text at all")                          \
    X(LIMIT_BYTES, 9, "source size limit max_source reached")                 \
    X(LIMIT_DEPTH, 10, "nesting limit max_depth reached")                     \
    X(LIMIT_RULES, 11, "rule limit max_rules reached")                        \
    X(LIMIT_STATES, 12, "state limit max_states reached")                     \
    X(LIMIT_WORK, 13, "work limit max_work, max_step or max_configs reached") \
    X(LIMIT_MEMORY, 14, "memory limit max_memory reached")                    \
    X(ROLLBACK, 15, "rollback beyond the start")                              \
    X(STALE, 16, "made for another position")                                 \
    X(MISMATCH, 17, "saved for another grammar or vocabulary")

typedef enum weir_status {
#define X(name, number, text) WEIR_##name = number,
    WEIR_STATUS_LIST(X)
#undef X
} weir_status;

/* Name ("LIMIT_WORK") and text of a status; static, never NULL. */
WEIR_API const char *weir_status_name(weir_status status);
WEIR_API const char *weir_status_text(weir_status status);

/* Where and why something failed. Never allocated; always terminated. */
typedef struct weir_error {
    weir_status status;
    uint32_t begin, end; /* byte range in the source; begin <= end */
    char message[192];   /* what was found and what was expected */
    char pointer[128];   /* JSON pointer or rule name, or empty */
} weir_error;

/* Line and column (both from 1, column in bytes) of byte `offset`. */
WEIR_API void weir_line_column(weir_bytes source, uint32_t offset,
                               uint32_t *line, uint32_t *column);

/* ---- environment ------------------------------------------------------ */

/* Where memory comes from. All three functions or none; NULL env: malloc.
 * Borrowed: must outlive every object made with it. Called from any thread.
 * resize keeps min(old, size) bytes and may return NULL, leaving p valid. */
typedef struct weir_env {
    uint32_t size;
    void *(*allocate)(void *user, size_t nbytes);
    void *(*resize)(void *user, void *p, size_t old, size_t nbytes);
    void (*release)(void *user, void *p, size_t nbytes);
    void *user;
} weir_env;

/* Whose rules hold where systems differ. docs/gbnf.md says where. */
typedef enum weir_dialect {
    WEIR_DIALECT_DEFAULT = 0,  /* weir's own */
    WEIR_DIALECT_LLAMA_CPP = 1 /* what llama.cpp's grammars allow */
} weir_dialect;

/* ---- vocabulary ------------------------------------------------------- */

/* Token id <-> bytes. Immutable; threads may share it. */
typedef struct weir_vocab weir_vocab;

typedef enum weir_vocab_kind {
    WEIR_VOCAB_DETECT = 0,
    WEIR_VOCAB_HF_JSON = 1,       /* tokenizer.json */
    WEIR_VOCAB_GGUF = 2,          /* tokenizer.ggml.* of a model file */
    WEIR_VOCAB_SENTENCEPIECE = 3, /* .model, protobuf */
    WEIR_VOCAB_TIKTOKEN = 4,      /* base64 rank lines */
    WEIR_VOCAB_PLAIN = 5          /* made by weir_vocab_new */
} weir_vocab_kind;

/* How a token's stored text becomes bytes. */
typedef enum weir_vocab_coding {
    WEIR_CODING_DETECT = 0,
    WEIR_CODING_BYTE_LEVEL = 1,    /* GPT-2's 256 visible characters */
    WEIR_CODING_BYTE_FALLBACK = 2, /* U+2581 is a space, <0x0A> is a byte */
    WEIR_CODING_RAW = 3            /* the text itself */
} weir_vocab_coding;

typedef enum weir_token_flag {
    WEIR_TOKEN_CONTROL = 1, /* never reached by text */
    WEIR_TOKEN_STOP = 2,    /* ends generation */
    WEIR_TOKEN_HOLE = 4,    /* no entry in the file, or unused */
    WEIR_TOKEN_ADDED = 8    /* from the file's list of added tokens */
} weir_token_flag;

typedef struct weir_vocab_opts {
    uint32_t size;
    weir_vocab_kind kind;
    weir_vocab_coding coding;
    uint32_t width;           /* logits width; 0: the table's own size */
    const uint32_t *stop_ids; /* added to what the files say; borrowed */
    uint32_t stop_count;
    bool stop_replace;            /* stop_ids are the whole stop set */
    bool llama_cpp_stops;         /* also llama.cpp's list of end texts */
    weir_bytes tokenizer_config;  /* tokenizer_config.json, or empty */
    weir_bytes generation_config; /* generation_config.json, or empty */
    weir_dialect dialect;         /* LLAMA_CPP: ends are what the files name and
                             llama.cpp's list, other control tokens are text,
                             what begins with U+0000 is none */
} weir_vocab_opts;

/* Loads a tokenizer file of any supported kind. _file also reads
 * tokenizer_config.json and generation_config.json when they lie beside it.
 * Reads the file once; a Llama-3 file takes about 0.1 s. */
WEIR_API weir_vocab *weir_vocab_load_file(const weir_env *env, const char *path,
                                          const weir_vocab_opts *opts,
                                          weir_error *err);
WEIR_API weir_vocab *weir_vocab_load(const weir_env *env, weir_bytes file,
                                     const weir_vocab_opts *opts,
                                     weir_error *err);

/* A token as the caller knows it: its bytes and weir_token_flag bits. */
typedef struct weir_token {
    weir_bytes bytes;
    uint32_t flags;
} weir_token;

/* A vocabulary of the caller's own tokens, copied; id = index. */
WEIR_API weir_vocab *weir_vocab_new(const weir_env *env,
                                    const weir_token *tokens, uint32_t count,
                                    const weir_vocab_opts *opts,
                                    weir_error *err);
WEIR_API weir_vocab *weir_vocab_retain(weir_vocab *vocab);
WEIR_API void weir_vocab_free(weir_vocab *vocab);

/* Logits width: ids are [0, width). Ids without a token are never allowed. */
WEIR_API uint32_t weir_vocab_width(const weir_vocab *vocab);
/* Bytes and flags of a token; empty and HOLE for ids out of range.
 * A control token's bytes are its name. Borrowed from the vocabulary. */
WEIR_API weir_token weir_vocab_token(const weir_vocab *vocab, uint32_t id);
/* The lowest id whose name or bytes equal `text`, or UINT32_MAX. */
WEIR_API uint32_t weir_vocab_find(const weir_vocab *vocab, weir_bytes text);
/* Stop ids, ascending; borrowed. */
WEIR_API const uint32_t *weir_vocab_stops(const weir_vocab *vocab,
                                          uint32_t *count);

typedef struct weir_vocab_info {
    uint32_t size;
    weir_vocab_kind kind;
    weir_vocab_coding coding;
    uint32_t width, tokens, specials, stops;
    const char *pre_tokenizer; /* static name; "greedy" when unknown */
    bool encoder_exact;        /* false: greedy longest match */
    uint64_t hash;             /* of all bytes, flags and the width */
    size_t memory;             /* bytes held */
} weir_vocab_info;
/* Fills `info` up to info->size, which the caller sets. */
WEIR_API void weir_vocab_describe(const weir_vocab *vocab,
                                  weir_vocab_info *info);

/* Text -> ids, without begin or end tokens. Names of special tokens in the text
 * become those tokens iff parse_special; those of other added tokens always.
 * Writes at most `capacity` ids and returns the whole number needed, or
 * SIZE_MAX when out of memory. */
WEIR_API size_t weir_vocab_encode(const weir_vocab *vocab, weir_bytes text,
                                  bool parse_special, uint32_t *ids,
                                  size_t capacity);
/* The caller's own encoder in place of the built-in one; same contract. Set
 * before the vocabulary is shared. NULL restores the built-in one. */
typedef size_t (*weir_encode_fn)(void *user, weir_bytes text,
                                 bool parse_special, uint32_t *ids,
                                 size_t capacity);
WEIR_API void weir_vocab_set_encoder(weir_vocab *vocab, weir_encode_fn encode,
                                     void *user);
/* Ids -> bytes, control tokens by name iff `with_special`. Returns the bytes
 * needed, writes at most `capacity`. */
WEIR_API size_t weir_vocab_decode(const weir_vocab *vocab, const uint32_t *ids,
                                  size_t count, bool with_special, char *out,
                                  size_t capacity);

/* ---- grammar ---------------------------------------------------------- */

/* A compiled grammar. Immutable in meaning; threads may share it. */
typedef struct weir_grammar weir_grammar;

typedef enum weir_source_kind {
    WEIR_JSON_VALUE = 1,    /* any JSON value (RFC 8259); source ignored */
    WEIR_JSON_OBJECT = 2,   /* a JSON object; source ignored */
    WEIR_REGEX = 3,         /* the whole output matches the pattern */
    WEIR_EBNF = 4,          /* xgrammar's EBNF */
    WEIR_CHOICE = 5,        /* weir_grammar_choice */
    WEIR_JSON_SCHEMA = 6,   /* values that are valid against the schema */
    WEIR_GBNF = 7,          /* llama.cpp's grammar language */
    WEIR_LARK = 8,          /* Lark's grammar language, as llguidance has it */
    WEIR_STRUCTURAL_TAG = 9 /* free text with constrained spans, as JSON:
                               docs/structural-tag.md */
} weir_source_kind;

typedef enum weir_space_kind {
    WEIR_SPACE_ANY = 0,     /* blanks between JSON tokens, bounded runs */
    WEIR_SPACE_COMPACT = 1, /* no blanks at all */
    WEIR_SPACE_FIXED = 2,   /* one layout: separators and indent */
    WEIR_SPACE_REGEX = 3    /* each gap matches a pattern */
} weir_space_kind;

/* Where blanks may stand in generated JSON. */
typedef struct weir_space {
    weir_space_kind kind;
    uint32_t max_run;          /* ANY: most blanks in a row; 0 means 128, and
                                  UINT32_MAX means no blanks at all */
    uint32_t indent;           /* FIXED: blanks a level; 0: one line */
    weir_bytes item_separator; /* FIXED: empty means ", " (or "," if indent) */
    weir_bytes key_separator;  /* FIXED: empty means ": " */
    weir_bytes pattern;        /* REGEX */
} weir_space;

/* Limits; zero in a field means the default given. */
typedef struct weir_limits {
    uint32_t max_source;  /* bytes of source: 64 Mi */
    uint32_t max_depth;   /* nesting of a source: 10,000 */
    uint32_t max_rules;   /* 1,000,000 */
    uint32_t max_states;  /* states of one automaton, and of a grammar's as
                             outputs visit them: 500,000 */
    uint64_t max_work;    /* steps of compilation: 2e9 */
    uint64_t max_memory;  /* bytes, each of: a grammar's automata, what it keeps
                             to make masks fast (full is no error: masks are
                             made anew), the open rules of one output: 64 Mi */
    uint32_t max_configs; /* parallel readings of one matcher: 4,096 */
    uint64_t max_step;    /* work of one call on a matcher: 20e6, about 1 s;
                             what is remembered is no work */
} weir_limits;

typedef enum weir_draft {
    WEIR_DRAFT_DEFAULT = 0, /* 2020-12 */
    WEIR_DRAFT_4 = 4,
    WEIR_DRAFT_6 = 6,
    WEIR_DRAFT_7 = 7,
    WEIR_DRAFT_2019_09 = 8,
    WEIR_DRAFT_2020_12 = 9
} weir_draft;

/* A schema that others may refer to. Parsed when somebody does, or to find
 * its $id when the uri is empty. */
typedef struct weir_document {
    weir_bytes uri; /* absolute; empty: what its $id says */
    weir_bytes text;
} weir_document;

/* How a JSON Schema is read, and which spellings of valid values are
 * generated. docs/schema.md has the details. */
typedef struct weir_schema_opts {
    weir_draft draft;      /* of schemas without $schema */
    bool any_order;        /* members in any order, not the declared one */
    bool strict;           /* objects that do not speak of additional members
                              have none */
    bool lenient;          /* what cannot be enforced is a warning, not an
                              error */
    bool annotate_formats; /* `format` enforces nothing */
    bool integer_fraction; /* integers may be written 1.0 */
    bool any_escape;       /* any character of a constrained string may be
                              written \uXXXX */
    bool unique_keys;      /* no name twice below {} and true, either */
    const weir_document *documents;
    size_t document_count;
} weir_schema_opts;

/* A grammar that another may name. Compiled when it does. */
typedef struct weir_named_grammar {
    weir_bytes name;
    weir_source_kind kind; /* any but CHOICE */
    weir_bytes source;
} weir_named_grammar;

typedef struct weir_compile_opts {
    uint32_t size;
    weir_space space;
    weir_limits limits;
    const char *root;        /* EBNF, GBNF, LARK: entry rule; NULL: "root", of
                                LARK "start" */
    bool ignore_case;        /* REGEX */
    bool dot_all;            /* REGEX: '.' also matches line ends */
    weir_schema_opts schema; /* JSON_SCHEMA, and schemas in STRUCTURAL_TAG */
    weir_dialect dialect;    /* GBNF */
    bool any_repeat;         /* GBNF in a dialect: no limits on repeats */
    const weir_named_grammar *grammars; /* LARK: what @name is */
    size_t grammar_count;
} weir_compile_opts;

/* Compiles `source`. vocab may be NULL: such a grammar reads bytes only, and
 * what it says about tokens by id is left out, with a warning.
 * err: NULL, or always filled in. Returns NULL on error. */
WEIR_API weir_grammar *weir_grammar_compile(weir_vocab *vocab,
                                            weir_source_kind kind,
                                            weir_bytes source,
                                            const weir_compile_opts *opts,
                                            weir_error *err);
/* Exactly one of `choices`, any bytes. */
WEIR_API weir_grammar *weir_grammar_choice(weir_vocab *vocab,
                                           const weir_bytes *choices,
                                           size_t count,
                                           const weir_compile_opts *opts,
                                           weir_error *err);
/* One of the grammars; or all of them in a row. Same vocabulary for all. */
WEIR_API weir_grammar *weir_grammar_union(weir_grammar *const *grammars,
                                          size_t count, weir_error *err);
WEIR_API weir_grammar *weir_grammar_concat(weir_grammar *const *grammars,
                                           size_t count, weir_error *err);
WEIR_API weir_grammar *weir_grammar_retain(weir_grammar *grammar);
WEIR_API void weir_grammar_free(weir_grammar *grammar);
WEIR_API weir_vocab *weir_grammar_vocab(const weir_grammar *grammar);

typedef enum weir_print_kind {
    WEIR_PRINT_IR = 0,      /* rules after the front end */
    WEIR_PRINT_NETWORK = 1, /* frames as known so far */
    WEIR_PRINT_WARNINGS = 2 /* one a line */
} weir_print_kind;
/* Writes at most `capacity` bytes, returns the bytes needed. Warnings of a JSON
 * Schema are made when they are first asked for, here or by describe: then it
 * is read once more, in the time that compiling took. */
WEIR_API size_t weir_grammar_print(const weir_grammar *grammar,
                                   weir_print_kind kind, char *out,
                                   size_t capacity);

typedef struct weir_grammar_info {
    uint32_t size;
    uint32_t rules, frames, states, warnings;
    uint64_t hash; /* of the IR and the options */
    size_t memory; /* bytes held now, caches included */
} weir_grammar_info;
WEIR_API void weir_grammar_describe(const weir_grammar *grammar,
                                    weir_grammar_info *info);

/* What to look for in a schema; of several, the sum. */
typedef enum weir_schema_check_kind {
    WEIR_CHECK_MISTAKES = 1,     /* hardly ever meant: misspelt keywords, those
                                    of other drafts, values that cannot be */
    WEIR_CHECK_ADVICE = 2,       /* may be meant: what is loose or slow */
    WEIR_CHECK_OPENAI_STRICT = 4 /* what OpenAI refuses with strict: true */
} weir_schema_check_kind;
/* Looks at a JSON Schema without compiling it. Writes a line for each thing
 * found, "found ..., expected ..., at #/pointer", at most `capacity` bytes in
 * all, and returns the bytes needed: 0 for nothing found. SIZE_MAX: a keyword
 * is malformed, or a limit is met; err (NULL, or always filled in) tells.
 * opts: its schema options and limits count. */
WEIR_API size_t weir_schema_check(weir_bytes schema, uint32_t kinds,
                                  const weir_compile_opts *opts, char *out,
                                  size_t capacity, weir_error *err);

/* ---- conversion ------------------------------------------------------- */

/* A grammar's text made of another. Immutable; threads may share it. */
typedef struct weir_conversion weir_conversion;

/* Writes in the language `to`, GBNF, EBNF, LARK or REGEX, what `source` means in the language
 * `from`, any but CHOICE: read again it is the same language. UNSUPPORTED for
 * what `to` cannot say, such as names of members that must differ; schema.lenient
 * makes a warning of these. JSON_SCHEMA to GBNF in the dialect LLAMA_CPP is
 * llama.cpp's own conversion, byte for byte, with all that it leaves out.
 * docs/convert.md. opts: those of compiling. err: NULL, or always filled in.
 * Returns NULL on error. */
WEIR_API weir_conversion *weir_convert(const weir_env *env,
                                       weir_source_kind from, weir_bytes source,
                                       weir_source_kind to,
                                       const weir_compile_opts *opts,
                                       weir_error *err);
WEIR_API void weir_conversion_free(weir_conversion *conversion);

/* A template of chats, and how the prompt ends that it makes. */
typedef enum weir_chat {
    WEIR_CHAT_NONE = 0,
    WEIR_CHAT_CHATML = 1,        /* no reasoning */
    WEIR_CHAT_QWEN3 = 2,         /* the answer may begin with <think> */
    WEIR_CHAT_QWEN3_NO_THINK = 3 /* enable_thinking: false: the prompt ends with
                                    an empty block of it */
} weir_chat;
/* The GBNF of llama-server's JSON mode on its chat path, byte for byte: how the
 * prompt ends, reasoning if the template has it, then the value, alone or as a
 * block of Markdown. schema: an object; {} is that of any object. It is to be
 * compiled in the dialect LLAMA_CPP, and each matcher takes the prefill first.
 * opts: its limits count. err: NULL, or always filled in. NULL on error. */
WEIR_API weir_conversion *weir_convert_chat(const weir_env *env, weir_chat chat,
                                            weir_bytes schema,
                                            const weir_compile_opts *opts,
                                            weir_error *err);
/* What the prompt has of the output, for weir_matcher_accept_bytes before the
 * first mask; static, empty unless weir_convert_chat made the text. */
WEIR_API weir_bytes weir_conversion_prefill(const weir_conversion *conversion);
/* The text; borrowed from the conversion. */
WEIR_API weir_bytes weir_conversion_text(const weir_conversion *conversion);
/* What the text does not say of the source, one a line; borrowed. */
WEIR_API weir_bytes weir_conversion_warnings(const weir_conversion *conversion);

/* ---- compiler: a cache of grammars ------------------------------------ */

/* Compiles each (kind, source, options) once, also under threads; failures
 * are remembered too. Least recently used entries go when the cache is full. */
typedef struct weir_compiler weir_compiler;

typedef struct weir_compiler_opts {
    uint32_t size;
    uint64_t cache_bytes; /* 0: 64 Mi; UINT64_MAX: no cache */
} weir_compiler_opts;

WEIR_API weir_compiler *weir_compiler_new(weir_vocab *vocab,
                                          const weir_compiler_opts *opts,
                                          weir_error *err);
WEIR_API void weir_compiler_free(weir_compiler *compiler);
WEIR_API weir_grammar *weir_compiler_compile(weir_compiler *compiler,
                                             weir_source_kind kind,
                                             weir_bytes source,
                                             const weir_compile_opts *opts,
                                             weir_error *err);
WEIR_API void weir_compiler_clear(weir_compiler *compiler);

typedef struct weir_compiler_stats {
    uint32_t size;
    uint64_t hits, misses, entries, bytes;
} weir_compiler_stats;
WEIR_API void weir_compiler_describe(weir_compiler *compiler,
                                     weir_compiler_stats *stats);

/* ---- matcher ---------------------------------------------------------- */

/* One output being followed. One thread at a time. */
typedef struct weir_matcher weir_matcher;

/* When an output ends: asked after each step, so a token, or bytes taken
 * together, may run past a place where the output was complete. What has ended
 * takes nothing more: its mask has the stop tokens alone, every accept answers
 * WEIR_TERMINATED, and rollback opens it again. */
typedef enum weir_termination {
    WEIR_TERM_WHEN_FINAL = 0,    /* ends when complete and nothing can follow;
                                    before, stop tokens are allowed whenever
                                    the output is complete */
    WEIR_TERM_STOP_TOKEN = 1,    /* ends only by a stop token */
    WEIR_TERM_FIRST_COMPLETE = 2 /* ends after the first step with which the
                                    output is complete */
} weir_termination;

typedef struct weir_matcher_opts {
    uint32_t size;
    weir_termination termination;
    const uint32_t *stop_ids; /* in place of the vocabulary's; copied */
    uint32_t stop_count;
} weir_matcher_opts;

WEIR_API weir_matcher *weir_matcher_new(weir_grammar *grammar,
                                        const weir_matcher_opts *opts,
                                        weir_error *err);
WEIR_API void weir_matcher_free(weir_matcher *matcher);
/* An independent copy, history included; NULL when out of memory. */
WEIR_API weir_matcher *weir_matcher_fork(const weir_matcher *matcher);
/* Back to the start, history forgotten. */
WEIR_API void weir_matcher_reset(weir_matcher *matcher);

typedef enum weir_accept {
    WEIR_ACCEPTED = 0,
    WEIR_REFUSED = 1,     /* state unchanged */
    WEIR_TERMINATED = 2,  /* already finished; state unchanged */
    WEIR_STALE_MASK = 3,  /* accept_at: another position; state unchanged */
    WEIR_ACCEPT_ERROR = 4 /* see weir_matcher_error; state unchanged */
} weir_accept;

/* Takes one token, one step of history. A token is accepted iff its bit is
 * set in the mask of this position; but for the dialect llama.cpp, whose masks
 * have some more (docs/gbnf.md). */
WEIR_API weir_accept weir_matcher_accept(weir_matcher *matcher, uint32_t id);
/* The same, if `generation` is that of this position. */
WEIR_API weir_accept weir_matcher_accept_at(weir_matcher *matcher, uint32_t id,
                                            uint64_t generation);
/* Takes bytes as one step of history, whole or not at all. `consumed`: NULL,
 * or the bytes that could be read. */
WEIR_API weir_accept weir_matcher_accept_bytes(weir_matcher *matcher,
                                               weir_bytes bytes,
                                               size_t *consumed);
/* Takes back the last `steps` steps; more than there are: ROLLBACK error and
 * no change. */
WEIR_API weir_status weir_matcher_rollback(weir_matcher *matcher, size_t steps);
/* Steps taken since the start. */
WEIR_API size_t weir_matcher_steps(const weir_matcher *matcher);
/* Changes with every accept, rollback and reset; equal means same position. */
WEIR_API uint64_t weir_matcher_generation(const weir_matcher *matcher);

WEIR_API bool weir_matcher_is_completed(const weir_matcher *matcher);
WEIR_API bool weir_matcher_can_continue(const weir_matcher *matcher);
WEIR_API bool weir_matcher_is_terminated(const weir_matcher *matcher);
/* Whether at least half of the printable ASCII characters may come next. */
WEIR_API bool weir_matcher_is_free_text(const weir_matcher *matcher);
/* The temperature that the innermost rule being read asks for (EBNF option
 * temperature; of several readings the highest), or `otherwise`. */
WEIR_API double weir_matcher_temperature(const weir_matcher *matcher,
                                         double otherwise);

/* What an occurrence of a rule with EBNF option capture has read: bytes
 * [begin, end) of the output, control tokens counted by their names. */
typedef struct weir_capture {
    weir_bytes name; /* borrowed from the grammar */
    size_t begin, end;
} weir_capture;
/* The captures finished so far, in the order of their ends. Writes at most
 * `capacity`, returns how many there are; SIZE_MAX: see weir_matcher_error.
 * Reads the whole output again: about 0.1 us a byte. */
WEIR_API size_t weir_matcher_captures(weir_matcher *matcher, weir_capture *out,
                                      size_t capacity);
/* OK, or the limit that this matcher has run into. */
WEIR_API weir_status weir_matcher_error(const weir_matcher *matcher);

/* Words of a mask row: int32, bit j % 32 of word j / 32 is token j. */
#define WEIR_MASK_WORDS(width) (((width) + 31u) / 32u)

typedef enum weir_fill {
    WEIR_FILL_ALL = 0,   /* every bit is 1: nothing to apply */
    WEIR_FILL_APPLY = 1, /* some bit is 0 */
    WEIR_FILL_ERROR = 2  /* see weir_matcher_error; only stop bits are 1 */
} weir_fill;

/* Writes the mask of this position, WEIR_MASK_WORDS(width) words. After the
 * end: only stop tokens. About 1 us. */
WEIR_API weir_fill weir_matcher_fill(weir_matcher *matcher, int32_t *row);
/* The same mask without a copy: immutable, valid until the next call on this
 * matcher. NULL on failure: see weir_matcher_error. */
WEIR_API const int32_t *weir_matcher_mask(weir_matcher *matcher);
/* Whether the token is allowed here; same as its bit, cheaper for one. */
WEIR_API bool weir_matcher_allows(weir_matcher *matcher, uint32_t id);

/* How many of the tokens could be accepted in a row; state unchanged. */
WEIR_API size_t weir_matcher_validate(weir_matcher *matcher,
                                      const uint32_t *ids, size_t count);
/* Masks for speculative decoding: row i is the mask after the first i drafts,
 * for i in [0, count]. Rows after the first refused draft allow nothing.
 * `stride`: words from row to row. Returns the number of accepted drafts. */
WEIR_API size_t weir_matcher_fill_drafts(weir_matcher *matcher,
                                         const uint32_t *drafts, size_t count,
                                         int32_t *rows, size_t stride);
/* A tree of drafts: node 0 is the present position; node i > 0 is token
 * tokens[i] after node parents[i] < i. Row i is the mask at node i; rows of
 * nodes that cannot be reached allow nothing. State unchanged. */
WEIR_API weir_status weir_matcher_fill_tree(weir_matcher *matcher,
                                            const uint32_t *tokens,
                                            const uint32_t *parents,
                                            size_t count, int32_t *rows,
                                            size_t stride);

/* Bytes that must come next, whatever the model says: at most `capacity` are
 * written, their number returned. Stops where the output may end. */
WEIR_API size_t weir_matcher_forced_bytes(weir_matcher *matcher, char *out,
                                          size_t capacity);
/* The forced bytes as the tokens that the encoder would choose behind other
 * text (without a space before them), cut before the first one that text to
 * come could change. */
WEIR_API size_t weir_matcher_forced_tokens(weir_matcher *matcher, uint32_t *ids,
                                           size_t capacity);
/* The same, together with the last tokens taken, which the encoder may join
 * with the forced text: after rollback(*rollback) accept the ids returned.
 * With *rollback 0 that is weir_matcher_forced_tokens. */
WEIR_API size_t weir_matcher_forced_retoken(weir_matcher *matcher,
                                            uint32_t *ids, size_t capacity,
                                            size_t *rollback);
/* The shortest way to end the output, as tokens, without a stop token: for a
 * caller whose tokens run out. At most `capacity` are written; returns the
 * number needed, or SIZE_MAX when the vocabulary cannot spell it, it is longer
 * than 64 KiB, or memory is out. State unchanged. */
WEIR_API size_t weir_matcher_finish_tokens(weir_matcher *matcher, uint32_t *ids,
                                           size_t capacity);

/* The state as bytes that weir_matcher_import of the same grammar and
 * vocabulary takes, on any machine. Returns the bytes needed. */
WEIR_API size_t weir_matcher_export(const weir_matcher *matcher, void *out,
                                    size_t capacity);
/* Replaces the state. On error the matcher is unchanged. */
WEIR_API weir_status weir_matcher_import(weir_matcher *matcher,
                                         weir_bytes state);

/* In words: what may come here (id UINT32_MAX), or why token `id` is allowed
 * or refused. Returns the bytes needed, terminator not counted. */
WEIR_API size_t weir_matcher_explain(weir_matcher *matcher, uint32_t id,
                                     char *out, size_t capacity);

/* What a matcher's masks took, since it was made; copies begin at 0. */
typedef struct weir_matcher_stats {
    uint32_t size;
    uint64_t masks;      /* asked for, but for those by pointer that are kept */
    uint64_t remembered; /* met before: found by its place */
    uint64_t direct;     /* made by reading every token */
    uint64_t walks_known; /* what tokens do from a state: known */
    uint64_t walks_made;  /* ... found out, for a state met first here */
    uint64_t nodes;       /* of tries of tokens, looked at for all that */
} weir_matcher_stats;
/* Fills `stats` up to stats->size, which the caller sets. */
WEIR_API void weir_matcher_describe(const weir_matcher *matcher,
                                    weir_matcher_stats *stats);

/* ---- lazy grammars ---------------------------------------------------- */

/* An output that is free until a trigger, and from there on obeys a grammar,
 * as llama.cpp's lazy grammars do: docs/gbnf.md. One thread at a time. */
typedef struct weir_lazy weir_lazy;

/* The earliest of the words; else the first pattern that is found; or one of
 * the tokens. Patterns are ECMAScript's, on bytes; the grammar's part begins
 * with the first group that is not empty, else with the match. Without any,
 * the output is free for ever. */
typedef struct weir_lazy_opts {
    uint32_t size;
    const weir_bytes *words;    /* borrowed for the call, like all below */
    const weir_bytes *patterns; /* an error's place is in its pattern */
    const uint32_t *tokens;
    size_t word_count, pattern_count, token_count;
    weir_matcher_opts matcher; /* its size 0: defaults */
} weir_lazy_opts;

WEIR_API weir_lazy *weir_lazy_new(weir_grammar *grammar,
                                  const weir_lazy_opts *opts, weir_error *err);
WEIR_API void weir_lazy_free(weir_lazy *lazy);
/* An independent copy, history included; NULL when out of memory. */
WEIR_API weir_lazy *weir_lazy_fork(const weir_lazy *lazy);
/* Back to the start: waiting again, history forgotten. */
WEIR_API void weir_lazy_reset(weir_lazy *lazy);
/* Takes one token. While waiting any is taken, stop tokens too: what they end
 * is for the caller to say. With the token that completes a trigger the
 * grammar takes what has come since the trigger's begin; when it cannot,
 * REFUSED, and the state is unchanged. */
WEIR_API weir_accept weir_lazy_accept(weir_lazy *lazy, uint32_t id);
/* Writes the mask: all ones while waiting. */
WEIR_API weir_fill weir_lazy_fill(weir_lazy *lazy, int32_t *row);
/* Takes back the last `steps` tokens, the trigger's too. Takes a search of all
 * the text when it ends before the trigger. */
WEIR_API weir_status weir_lazy_rollback(weir_lazy *lazy, size_t steps);
/* Tokens taken since the start. */
WEIR_API size_t weir_lazy_steps(const weir_lazy *lazy);
/* The matcher behind it, for everything else: NULL while waiting, so that a
 * batch writes ones. Borrowed; not to be moved past weir_lazy. */
WEIR_API weir_matcher *weir_lazy_matcher(weir_lazy *lazy);

/* ---- batches ---------------------------------------------------------- */

/* Threads that fill masks. NULL wherever a pool is taken: this thread.
 * `threads` counts the calling one; 0: one a processor; at most 1,024. */
typedef struct weir_pool weir_pool;
WEIR_API weir_pool *weir_pool_new(uint32_t threads, weir_error *err);
/* A pool that runs on the caller's threads: run(user, task, arg, n) must call
 * task(arg, i) once for each i < n, on any threads, and return when done. */
typedef void (*weir_task_fn)(void *arg, size_t index);
typedef void (*weir_run_fn)(void *user, weir_task_fn task, void *arg,
                            size_t count);
WEIR_API weir_pool *weir_pool_custom(weir_run_fn run, void *user,
                                     weir_error *err);
WEIR_API void weir_pool_free(weir_pool *pool);

/* Fills row indices[i] (i when NULL) of `rows` from matchers[i]; a NULL
 * matcher's row becomes all ones. results: NULL, or one weir_fill each.
 * Matchers must be distinct. Same rows as one by one. */
WEIR_API weir_status weir_batch_fill(weir_pool *pool,
                                     weir_matcher *const *matchers,
                                     size_t count, const uint32_t *indices,
                                     int32_t *rows, size_t stride,
                                     weir_fill *results);
WEIR_API weir_status weir_batch_accept(weir_pool *pool,
                                       weir_matcher *const *matchers,
                                       const uint32_t *ids, size_t count,
                                       weir_accept *results);
WEIR_API weir_status weir_batch_rollback(weir_pool *pool,
                                         weir_matcher *const *matchers,
                                         const size_t *steps, size_t count,
                                         weir_status *results);

/* ---- logits ----------------------------------------------------------- */

typedef enum weir_float {
    WEIR_F32 = 0,
    WEIR_F16 = 1,
    WEIR_BF16 = 2
} weir_float;

/* Sets logits[j] to minus infinity where bit j is 0 and for all j in
 * [mask_width, logits_width). Kernels: AVX-512, AVX2, NEON, or scalar. */
WEIR_API void weir_apply_f32(float *logits, size_t logits_width,
                             const int32_t *mask, size_t mask_width);
WEIR_API void weir_apply(void *logits, weir_float type, size_t logits_width,
                         const int32_t *mask, size_t mask_width);
/* Rows indices[i] (i when NULL) of both, i < count; strides in elements and
 * in words. */
WEIR_API void weir_apply_rows(void *logits, weir_float type,
                              size_t logits_width, size_t logits_stride,
                              const int32_t *masks, size_t mask_width,
                              size_t mask_stride, const uint32_t *indices,
                              size_t count);

/* Number of ones among the first `width` bits; the only one's index in
 * `single` (may be NULL) if there is just one. */
WEIR_API size_t weir_mask_count(const int32_t *mask, size_t width,
                                uint32_t *single);
/* FNV-1a 64 over the allowed ids, ascending, as little-endian u32. */
WEIR_API uint64_t weir_mask_hash(const int32_t *mask, size_t width);

/* ---- tool calls ------------------------------------------------------- */

/* How models write calls of tools, reasoning and text around them differs from
 * family to family: docs/tools.md has the table. It is read in both
 * directions: weir_tool_tag makes of a list of tools the structural tag that
 * constrains a model's output, weir_tool_parse reads the calls out of it.
 * Numbers are fixed for ever. */
#define WEIR_FAMILY_LIST(X)                                                  \
    X(LLAMA, 1, "llama")                                                     \
    X(QWEN_3, 2, "qwen_3")                                                   \
    X(QWEN_3_5, 3, "qwen_3_5")                                               \
    X(QWEN_3_CODER, 4, "qwen_3_coder")                                       \
    X(EXAONE, 5, "exaone")                                                   \
    X(KIMI, 6, "kimi")                                                       \
    X(KIMI_K3, 7, "kimi_k3")                                                 \
    X(DEEPSEEK_R1, 8, "deepseek_r1")                                         \
    X(DEEPSEEK_V3_1, 9, "deepseek_v3_1")                                     \
    X(DEEPSEEK_V3_2, 10, "deepseek_v3_2")                                    \
    X(DEEPSEEK_V4, 11, "deepseek_v4")                                        \
    X(MINIMAX, 12, "minimax")                                                \
    X(GLM_4_7, 13, "glm_4_7")                                                \
    X(COHERE, 14, "cohere")                                                  \
    X(HARMONY, 15, "harmony")                                                \
    X(HERMES, 16, "hermes")                                                  \
    X(MISTRAL, 17, "mistral")         /* from version 13 of its tokenizer */ \
    X(MISTRAL_V11, 18, "mistral_v11") /* version 11 */                       \
    X(MISTRAL_V7, 19, "mistral_v7")   /* versions 1 to 7 */                  \
    X(GEMMA_4, 20, "gemma_4")

typedef enum weir_family {
    WEIR_FAMILY_NONE = 0,
#define X(name, number, text) WEIR_FAMILY_##name = number,
    WEIR_FAMILY_LIST(X)
#undef X
} weir_family;

/* "qwen_3"; static, NULL for no such number. And back: NONE for no such
 * name. */
WEIR_API const char *weir_family_name(weir_family family);
WEIR_API weir_family weir_family_find(weir_bytes name);

/* Where an output begins. */
typedef enum weir_reasoning {
    WEIR_REASONING_NONE = 0, /* in the answer: there is no reasoning */
    WEIR_REASONING_OPEN = 1, /* in the reasoning: the prompt has opened it */
    WEIR_REASONING_MAY = 2   /* the model opens it, or does not reason */
} weir_reasoning;
/* Where an output begins, by the end of its prompt: what the chat template puts
 * after the last message, and what the answer is to begin with; marks in a
 * message before would be taken for the model's. The last mark of the family
 * counts; without one the model may reason. NONE for families that do not. */
WEIR_API weir_reasoning weir_family_reasoning(weir_family family,
                                              weir_bytes prompt_end);

typedef struct weir_tool {
    weir_bytes name, description;
    weir_source_kind kind; /* of its input: JSON_SCHEMA; JSON_OBJECT when there
                              is no schema; REGEX, LARK or 0, any text, of a
                              custom tool */
    weir_bytes source;
    bool strict;      /* a request says strict: true */
    const char *from; /* of a request: JSON pointer of the source, else of the
                         tool */
    bool any_input;   /* any object will do, whatever the source says (a request
                       says strict: false) */
} weir_tool;

typedef enum weir_calls {
    WEIR_CALLS_AUTO = 0,     /* text, with calls in it or not */
    WEIR_CALLS_REQUIRED = 1, /* a call at least */
    WEIR_CALLS_NONE = 2      /* text without any */
} weir_calls;

typedef struct weir_tool_opts {
    uint32_t size;
    weir_calls calls;
    bool single; /* one call at most: no parallel ones */
    weir_reasoning reasoning;
    uint32_t reasoning_tokens; /* most tokens of it; 0: no limit */
    bool any_order;            /* members of arguments in any order */
    weir_bytes answer; /* what text without calls obeys: a node of a structural
                          tag, as JSON; empty: any text. With it an answer is
                          either calls or such a text */
} weir_tool_opts;

/* The structural tag (version 2, JSON) that outputs of the family obey, for
 * weir_grammar_compile. Names of tools have letters, digits, _ . / - and what
 * is no ASCII, 256 bytes at most. Writes at most `capacity` bytes and returns
 * the bytes needed; SIZE_MAX for an error: what the family cannot say is
 * UNSUPPORTED; err (NULL, or always filled in) tells which tool. */
WEIR_API size_t weir_tool_tag(weir_family family, const weir_tool *tools,
                              size_t count, const weir_tool_opts *opts,
                              char *out, size_t capacity, weir_error *err);

/* Reads one output of the family, as it comes. One thread at a time. */
typedef struct weir_tool_parser weir_tool_parser;

/* tools: those that may be called; copied. Where arguments do not tell strings
 * from other values (docs/tools.md), the schemas do; where calls are not told
 * from text, the names do. Of opts `reasoning` counts, and `calls`: with NONE
 * what looks like a call is text. */
WEIR_API weir_tool_parser *weir_tool_parser_new(
    const weir_env *env, weir_family family, const weir_tool *tools,
    size_t count, const weir_tool_opts *opts, weir_error *err);
WEIR_API void weir_tool_parser_free(weir_tool_parser *parser);
/* Back to the start, for another output. */
WEIR_API void weir_tool_parser_reset(weir_tool_parser *parser);

typedef enum weir_tool_event_kind {
    WEIR_TOOL_REASONING = 1, /* more reasoning: text */
    WEIR_TOOL_CONTENT = 2,   /* more text of the answer: text */
    WEIR_TOOL_CALL = 3,      /* a call begins: text is the tool's name, id what
                                the model calls it, or empty */
    WEIR_TOOL_ARGUMENTS = 4, /* more of its arguments, JSON: text */
    WEIR_TOOL_CALL_END = 5   /* no more; `complete`: they are whole */
} weir_tool_event_kind;

typedef struct weir_tool_event {
    weir_tool_event_kind kind;
    uint32_t call; /* which call of the output, from 0 */
    bool complete;
    weir_bytes text, id; /* borrowed until the next call on the parser */
} weir_tool_event;

/* Takes the next piece of the output, split anywhere: text, or the bytes of a
 * token (a control token's name). Returns what is settled by it, in order;
 * texts never end inside a UTF-8 character. All that has been returned is the
 * same for every split. OK; NO_MEMORY: then only reset and free are left;
 * ARGUMENT after the end. */
WEIR_API weir_status weir_tool_parse(weir_tool_parser *parser, weir_bytes piece,
                                     const weir_tool_event **events,
                                     size_t *count);
/* The output has ended: what was held back. */
WEIR_API weir_status weir_tool_parse_end(weir_tool_parser *parser,
                                         const weir_tool_event **events,
                                         size_t *count);

/* ---- requests --------------------------------------------------------- */

/* From the text of a request to a server to the constraint that it asks for.
 * Where systems differ a profile decides: docs/request.md has all fields, and
 * the table of profiles. */
typedef enum weir_profile {
    WEIR_PROFILE_DEFAULT = 0, /* weir's own: in doubt an error */
    WEIR_PROFILE_VLLM = 1,
    WEIR_PROFILE_LLAMA_SERVER = 2,
    WEIR_PROFILE_OLLAMA = 3,
    WEIR_PROFILE_MLX_BUN = 4
} weir_profile;

typedef enum weir_endpoint {
    WEIR_ENDPOINT_DEFAULT = 0,        /* CHAT, or OLLAMA_CHAT of _from_ollama */
    WEIR_ENDPOINT_CHAT = 1,           /* /v1/chat/completions */
    WEIR_ENDPOINT_COMPLETIONS = 2,    /* /v1/completions */
    WEIR_ENDPOINT_RESPONSES = 3,      /* /v1/responses */
    WEIR_ENDPOINT_MESSAGES = 4,       /* /v1/messages, Anthropic's */
    WEIR_ENDPOINT_COMPLETION = 5,     /* /completion, llama-server's */
    WEIR_ENDPOINT_GENERATE = 6,       /* /generate, SGLang's */
    WEIR_ENDPOINT_OLLAMA_CHAT = 7,    /* /api/chat */
    WEIR_ENDPOINT_OLLAMA_GENERATE = 8 /* /api/generate */
} weir_endpoint;

/* "llama-server", "ollama-chat"; static, NULL for no such number. */
WEIR_API const char *weir_profile_name(weir_profile profile);
WEIR_API const char *weir_endpoint_name(weir_endpoint endpoint);

/* What happens to a request whose constraint cannot be enforced. */
typedef enum weir_failure {
    WEIR_FAILURE_PROFILE =
        0, /* as the profile has it: refuse, but for mlx-bun */
    WEIR_FAILURE_REFUSE = 1,
    WEIR_FAILURE_DEGRADE = 2 /* goes on without, and says so */
} weir_failure;

/* What a server's operator has switched. */
typedef struct weir_switches {
    uint32_t size;
    bool grammar_off;       /* no constraint is enforced: refuse or degrade */
    bool jump_forward;      /* forced text is not sampled */
    bool batch_grammar_off; /* rows with a constraint run alone */
    bool lane_debug;        /* log the lane of each request */
} weir_switches;
/* Sets one by the name of its flag ("grammar", "jump-forward",
 * "batch-grammar", "lane-debug": on or off) or of its environment variable
 * (WEIR_GRAMMAR, WEIR_GRAMMAR_JUMP, WEIR_GRAMMAR_BATCH, WEIR_LANE_DEBUG: 0 or
 * 1). ARGUMENT for any other name or value. */
WEIR_API weir_status weir_switches_set(weir_switches *switches,
                                       const char *name, const char *value,
                                       weir_error *err);

typedef struct weir_request_opts {
    uint32_t size;
    weir_profile profile;
    weir_endpoint endpoint;
    weir_failure failure;
    weir_switches switches;    /* its size may be 0 */
    uint32_t max_bytes;        /* of the request: 16 Mi */
    uint32_t max_depth;        /* nesting of the request: 1,000 */
    weir_limits limits;        /* of the constraint's compilation */
    weir_family family;        /* of the model: how it writes calls; NONE: not
                                 known, and calls are not supported */
    weir_reasoning reasoning;  /* where its output begins; wants a family */
    uint32_t reasoning_tokens; /* most tokens of it; 0: no limit */
    weir_chat chat; /* in the profile LLAMA_SERVER: JSON and schemas on CHAT are
                       that server's own grammar (weir_convert_chat), but for
                       what a family makes a tag of */
} weir_request_opts;

/* A request that is refused: what the server answers. All strings are part of
 * the struct or static. */
typedef struct weir_refusal {
    int http;            /* status, such as 400; 0: nothing is refused */
    weir_status status;  /* what kind of error it is */
    uint32_t begin, end; /* byte range in the request; 0, 0: not known */
    const char *type;    /* OpenAI's error type: "invalid_request_error" */
    const char *code;    /* OpenAI's error code: "invalid_json_schema" */
    char param[128];     /* OpenAI's param: "tools[0].function.strict" */
    char pointer[256];   /* JSON pointer of what is wrong; or empty */
    char message[512];
    weir_profile profile;
    weir_endpoint endpoint;
} weir_refusal;
/* The body of the answer, in the form that clients of the endpoint and the
 * profile know; less than 8 KiB. Writes at most `capacity` bytes, returns the
 * bytes needed. */
WEIR_API size_t weir_refusal_body(const weir_refusal *refusal, char *out,
                                  size_t capacity);

/* The constraint of one request. Not to be shared by threads while it is
 * compiled. */
typedef struct weir_constraint weir_constraint;

/* Reads the raw text of a request; _from_openai for all endpoints but
 * Ollama's own. The text is borrowed for the call. Nothing is compiled yet.
 * NULL: *refusal, which may not be NULL, tells. */
WEIR_API weir_constraint *weir_constraint_from_openai(
    const weir_env *env, weir_bytes request, const weir_request_opts *opts,
    weir_refusal *refusal);
WEIR_API weir_constraint *weir_constraint_from_ollama(
    const weir_env *env, weir_bytes request, const weir_request_opts *opts,
    weir_refusal *refusal);
WEIR_API void weir_constraint_free(weir_constraint *constraint);

/* What the calls of a request's tools must obey. */
typedef enum weir_tool_mode {
    WEIR_TOOLS_NONE = 0,     /* there are no tools, or they may not be called */
    WEIR_TOOLS_FREE = 1,     /* may be called; nothing is enforced */
    WEIR_TOOLS_AUTO = 2,     /* the text may have calls in it */
    WEIR_TOOLS_REQUIRED = 3, /* ... must have one at least */
    WEIR_TOOLS_LIST = 4,     /* the text is a JSON array of calls: see source */
    WEIR_TOOLS_ARGUMENTS = 5 /* the text is the arguments of the only tool */
} weir_tool_mode;

typedef struct weir_constraint_info {
    uint32_t size;
    weir_source_kind kind; /* what the text obeys; 0: it is free */
    weir_bytes source;     /* as the request spells it; of calls, or of what
                              follows reasoning, a structural tag made of it;
                              of a chat the grammar made of it */
    const weir_bytes *choices;
    size_t choice_count;
    const weir_compile_opts *opts; /* for weir_grammar_compile and others */
    weir_bytes name, description;  /* of a schema; name: "response" if none */
    bool strict;                   /* the request says strict: true */
    const char *from;              /* JSON pointer of the source; or empty */
    weir_tool_mode tool_mode;
    bool parallel;          /* several calls in one answer */
    const weir_tool *tools; /* those that may be called */
    size_t tool_count;
    weir_termination termination; /* for weir_matcher_opts */
    bool redraw;                  /* draw first, mask when that is refused;
                                     else mask first */
    bool jump_forward;            /* forced text need not be sampled */
    bool batched;                 /* may share a batch */
    bool degraded;                /* not enforced: no matcher */
    weir_bytes system_message;    /* to put before the messages; or empty */
    weir_bytes warning;           /* value of the header Warning, ASCII */
    weir_bytes prefill; /* what the prompt has of the output: for each matcher
                           before its first mask; static, or empty */
} weir_constraint_info;
/* Fills `info` up to info->size, which the caller sets. All is borrowed from
 * the constraint, until it is compiled or freed. */
WEIR_API void weir_constraint_describe(const weir_constraint *constraint,
                                       weir_constraint_info *info);

/* The grammar of the constraint. NULL with refusal->http 0: there is nothing
 * to enforce, or no more (see degraded). NULL else: what to answer. Calls of
 * tools (AUTO, REQUIRED) are UNSUPPORTED when the options name no family.
 * vocab: as in weir_grammar_compile. */
WEIR_API weir_grammar *weir_constraint_compile(weir_constraint *constraint,
                                               weir_vocab *vocab,
                                               weir_refusal *refusal);
/* For those who compile kind, source and opts by other means (weir_compiler):
 * what an error in that means. True: the constraint is a degraded one now;
 * false: *refusal tells what to answer. */
WEIR_API bool weir_constraint_fail(weir_constraint *constraint,
                                   const weir_error *error,
                                   weir_refusal *refusal);

#ifdef __cplusplus
}
#endif
#endif
