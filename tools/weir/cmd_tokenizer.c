/* cmd_tokenizer.c: weir tokenizer: what a tokenizer file holds; text to ids
 * and back.   Tests: tests/cli/cli_test.py. */
#include "base/vec.h"
#include "base/words.h"
#include "weir/cli_constraint.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

/* By number: for people, for JSON. */
static const char *const kind_names[][2] = {
    [WEIR_VOCAB_DETECT] = {"unknown", "unknown"},
    [WEIR_VOCAB_HF_JSON] = {"Hugging Face tokenizer.json", "hf_json"},
    [WEIR_VOCAB_GGUF] = {"GGUF", "gguf"},
    [WEIR_VOCAB_SENTENCEPIECE] = {"SentencePiece model", "sentencepiece"},
    [WEIR_VOCAB_TIKTOKEN] = {"tiktoken ranks", "tiktoken"},
    [WEIR_VOCAB_PLAIN] = {"plain", "plain"},
};
static const char *const coding_names[][2] = {
    [WEIR_CODING_DETECT] = {"unknown", "unknown"},
    [WEIR_CODING_BYTE_LEVEL] = {"byte level", "byte_level"},
    [WEIR_CODING_BYTE_FALLBACK] = {"byte fallback", "byte_fallback"},
    [WEIR_CODING_RAW] = {"raw", "raw"},
};

static bool is_special(const weir_vocab *v, uint32_t id)
{
    return weir_vocab_token(v, id).flags & WEIR_TOKEN_CONTROL;
}

/* ---- description ---- */

static void print_name(const weir_vocab *v, uint32_t id)
{
    char text[200];
    weir_token token = weir_vocab_token(v, id);
    Out out = {text, sizeof text - 1, 0};
    words_text(&out, span_of(token.bytes.data, MIN(token.bytes.size, 48)));
    text[MIN(out.size, out.cap)] = 0;
    printf("%u %s", id, text);
}

static void print_specials(const weir_vocab *v, const weir_vocab_info *info)
{
    enum { SHOWN = 4 };
    uint32_t shown = 0;
    printf("specials       %s", number_text(info->specials).text);
    for (uint32_t id = 0; id < info->width && shown < SHOWN; id++) {
        if (!is_special(v, id)) continue;
        fputs(shown++ ? ", " : ": ", stdout);
        print_name(v, id);
    }
    puts(info->specials > SHOWN ? ", ..." : "");
}

static void print_stops(const weir_vocab *v)
{
    uint32_t count;
    const uint32_t *stops = weir_vocab_stops(v, &count);
    fputs("stops          ", stdout);
    if (!count) fputs("none", stdout);
    for (uint32_t i = 0; i < count; i++) {
        if (i) fputs(", ", stdout);
        print_name(v, stops[i]);
    }
    puts("");
}

static void print_words(const weir_vocab *v, const weir_vocab_info *info,
                        double ms)
{
    printf("kind           %s\n", kind_names[info->kind][0]);
    printf("coding         %s\n", coding_names[info->coding][0]);
    printf("tokens         %s\n", number_text(info->tokens).text);
    printf("width          %s\n", number_text(info->width).text);
    print_specials(v, info);
    print_stops(v);
    printf("pre-tokenizer  %s%s\n", info->pre_tokenizer,
           info->encoder_exact ? "" : " (encodes by longest match only)");
    printf("hash           %016llx\n", (unsigned long long)info->hash);
    printf("memory         %s\n", size_text(info->memory).text);
    printf("loaded in      %.0f ms\n", ms);
}

static void print_json_tokens(const weir_vocab *v, uint32_t width)
{
    bool any = false;
    for (uint32_t id = 0; id < width; id++) {
        if (!is_special(v, id)) continue;
        weir_token token = weir_vocab_token(v, id);
        printf("%s{\"id\":%u,\"text\":", any ? "," : "", id);
        print_json_string(stdout, token.bytes.data, token.bytes.size);
        fputs("}", stdout);
        any = true;
    }
}

static void print_json_ids(const uint32_t *ids, size_t count)
{
    fputs("[", stdout);
    for (size_t i = 0; i < count; i++) printf("%s%u", i ? "," : "", ids[i]);
    fputs("]", stdout);
}

static void print_json(const weir_vocab *v, const weir_vocab_info *info,
                       double ms)
{
    uint32_t nstops;
    const uint32_t *stops = weir_vocab_stops(v, &nstops);
    printf("{\"kind\":\"%s\",\"coding\":\"%s\",\"tokens\":%u,\"width\":%u,"
           "\"specials\":[",
           kind_names[info->kind][1], coding_names[info->coding][1],
           info->tokens, info->width);
    print_json_tokens(v, info->width);
    fputs("],\"stops\":", stdout);
    print_json_ids(stops, nstops);
    printf(",\"pre_tokenizer\":\"%s\",\"encoder_exact\":%s,"
           "\"hash\":\"%016llx\",\"memory\":%zu,\"load_ms\":%.1f}\n",
           info->pre_tokenizer, info->encoder_exact ? "true" : "false",
           (unsigned long long)info->hash, info->memory, ms);
}

/* ---- text and ids ---- */

static int encode(const Args *args, const weir_vocab *v)
{
    weir_bytes text = {args->encode, strlen(args->encode)};
    size_t count = weir_vocab_encode(v, text, true, NULL, 0);
    uint32_t *ids = count == SIZE_MAX
                        ? NULL
                        : mem_new(args->mem, (count + 1) * sizeof *ids);
    if (!ids) return report_failure("out of memory");
    weir_vocab_encode(v, text, true, ids, count);
    if (args->json) print_json_ids(ids, count);
    for (size_t i = 0; i < count && !args->json; i++)
        printf("%s%u", i ? " " : "", ids[i]);
    puts("");
    mem_free(args->mem, ids, (count + 1) * sizeof *ids);
    return 0;
}

typedef VEC(uint32_t) IdList;

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '[' ||
           c == ']';
}

/* Ids separated by blanks or commas; a JSON array will do. */
static int ids_parse(const Args *args, uint32_t width, IdList *ids)
{
    const char *p = args->decode;
    for (;;) {
        char word[24];
        size_t n = 0;
        uint64_t id;
        while (is_separator(*p)) p++;
        if (!*p) return 0;
        while (*p && !is_separator(*p) && n < sizeof word - 1) word[n++] = *p++;
        word[n] = 0;
        if (!width || !number_parse(word, width - 1, &id))
            return usage_error(args,
                               "found '%s' in --decode, expected a "
                               "token id below %u",
                               word, width);
        if (!vec_push(args->mem, ids, (uint32_t)id))
            return report_failure("out of memory");
    }
}

static int print_decoded(const Args *args, const weir_vocab *v,
                         const IdList *ids)
{
    size_t size = weir_vocab_decode(v, ids->at, ids->count, true, NULL, 0);
    char *text = mem_new(args->mem, size + 1);
    if (!text) return report_failure("out of memory");
    weir_vocab_decode(v, ids->at, ids->count, true, text, size);
    if (args->json)
        print_json_string(stdout, text, size);
    else
        fwrite(text, 1, size, stdout);
    puts("");
    mem_free(args->mem, text, size + 1);
    return 0;
}

static int decode(const Args *args, const weir_vocab *v)
{
    IdList ids = {0};
    int status = ids_parse(args, weir_vocab_width(v), &ids);
    if (!status) status = print_decoded(args, v, &ids);
    vec_free(args->mem, &ids);
    return status;
}

/* ---- the command ---- */

static int describe(const Args *args, const weir_vocab *v, double ms)
{
    weir_vocab_info info = {.size = sizeof info};
    weir_vocab_describe(v, &info);
    if (args->json)
        print_json(v, &info, ms);
    else
        print_words(v, &info, ms);
    return 0;
}

int cmd_tokenizer(const Args *args)
{
    if (args->files.count != 1)
        return usage_error(args, args->files.count ? "found several paths, "
                                                     "expected one"
                                                   : "expected a PATH");
    if (args->encode && args->decode)
        return usage_error(args, "found --encode and --decode, expected one");
    double start = now_ms();
    weir_vocab *v = tokenizer_load(args->files.at[0], WEIR_DIALECT_DEFAULT);
    double ms = now_ms() - start;
    if (!v) return 2;
    int status = args->encode   ? encode(args, v)
                 : args->decode ? decode(args, v)
                                : describe(args, v, ms);
    weir_vocab_free(v);
    return status;
}
