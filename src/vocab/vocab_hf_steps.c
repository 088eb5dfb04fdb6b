/* vocab_hf_steps.c: what tokenizer.json does to a text before the model.
 *
 * In:    "normalizer" and "pre_tokenizer", perhaps Sequences of steps.
 * Out:   in the EncoderSpec: the normalisations it knows, how words are cut,
 *        and unknown_steps (or PRETOKEN_UNKNOWN) for anything else: encoding
 *        is then not exact, which the vocabulary says.
 * Tests: unit/vocab_test.c
 */
#include "vocab/vocab_build.h"
#include "vocab/vocab_coding.h"

enum { MAX_REGEXES = 8 };

typedef struct Steps {
    const Json *json;
    VocabBuild *b;
    Span regexes[MAX_REGEXES];
    uint32_t nregexes;
    bool unknown_words; /* a pre-tokenizer that has no kind */
    bool metaspace;     /* words begin at spaces */
} Steps;

static JsonId at(const Steps *s, JsonId step, const char *key)
{
    return json_get(s->json, step, key);
}

static bool says(const Steps *s, JsonId step, const char *key, const char *text)
{
    return json_is_string(s->json, at(s, step, key), text);
}

static Span text_at(const Steps *s, JsonId step, const char *key)
{
    return json_string(s->json, at(s, step, key));
}

static bool is_mark(Span text)
{
    return span_equal(text, CODING_SPACE_MARK);
}

/* ---- normalizer ------------------------------------------------------- */

static void read_replace(Steps *s, JsonId step)
{
    Span from = text_at(s, at(s, step, "pattern"), "String");
    if (span_equal(from, SPAN(" ")) && is_mark(text_at(s, step, "content")))
        s->b->spec.space_mark = true;
    else
        s->b->spec.unknown_steps = true;
}

static void read_normalizer(Steps *s, JsonId step)
{
    EncoderSpec *spec = &s->b->spec;
    if (says(s, step, "type", "Sequence")) return;
    if (says(s, step, "type", "Replace"))
        read_replace(s, step);
    else if (says(s, step, "type", "NFC"))
        spec->nfc = true;
    else if (says(s, step, "type", "Prepend") &&
             is_mark(text_at(s, step, "prepend")))
        spec->prepend = PREPEND_EACH;
    else
        spec->unknown_steps = true;
}

/* ---- pre_tokenizer ---------------------------------------------------- */

static void add_regex(Steps *s, Span regex)
{
    if (s->nregexes < MAX_REGEXES)
        s->regexes[s->nregexes++] = regex;
    else
        s->unknown_words = true;
}

static void read_split(Steps *s, JsonId step)
{
    JsonId pattern = at(s, step, "pattern");
    bool invert = json_bool(s->json, at(s, step, "invert"), false);
    Span regex = text_at(s, pattern, "Regex");
    if (says(s, pattern, "String", " ") && s->b->spec.space_mark)
        return; /* there are no spaces left */
    if (regex.at && (invert ? says(s, step, "behavior", "Removed")
                            : says(s, step, "behavior", "Isolated")))
        add_regex(s, regex);
    else
        s->unknown_words = true;
}

static void read_byte_level(Steps *s, JsonId step)
{
    EncoderSpec *spec = &s->b->spec;
    spec->byte_level = true;
    if (json_bool(s->json, at(s, step, "add_prefix_space"), true)) {
        if (s->nregexes) s->unknown_words = true; /* before each word */
        spec->prepend = PREPEND_EACH;
        spec->prepend_unless_space = true;
    }
    if (json_bool(s->json, at(s, step, "use_regex"), true))
        add_regex(s, SPAN(PRETOKEN_BYTE_LEVEL_REGEX));
}

static void read_metaspace(Steps *s, JsonId step)
{
    EncoderSpec *spec = &s->b->spec;
    bool add = json_bool(s->json, at(s, step, "add_prefix_space"), true);
    if (!is_mark(text_at(s, step, "replacement"))) spec->unknown_steps = true;
    spec->space_mark = true;
    spec->prepend_unless_space = true;
    spec->prepend = PREPEND_NEVER;
    if (says(s, step, "prepend_scheme", "first"))
        spec->prepend = PREPEND_FIRST;
    else if (add && !says(s, step, "prepend_scheme", "never"))
        spec->prepend = PREPEND_EACH;
    s->metaspace = json_bool(s->json, at(s, step, "split"), true);
}

static void read_pre_tokenizer(Steps *s, JsonId step)
{
    if (says(s, step, "type", "Sequence")) return;
    if (says(s, step, "type", "Split"))
        read_split(s, step);
    else if (says(s, step, "type", "ByteLevel"))
        read_byte_level(s, step);
    else if (says(s, step, "type", "Metaspace"))
        read_metaspace(s, step);
    else if (says(s, step, "type", "Digits") &&
             json_bool(s->json, at(s, step, "individual_digits"), false))
        add_regex(s, SPAN(PRETOKEN_DIGITS_REGEX));
    else
        s->unknown_words = true;
}

static PretokenKind kind_of_words(const Steps *s)
{
    if (s->unknown_words || (s->metaspace && s->nregexes))
        return PRETOKEN_UNKNOWN;
    if (s->metaspace) return PRETOKEN_METASPACE;
    if (!s->nregexes) return PRETOKEN_NONE;
    return pretoken_from_regexes(s->regexes, s->nregexes);
}

/* Calls `read` for each object with a "type" in the value, itself first. */
static void each_step(Steps *s, const char *key,
                      void (*read)(Steps *s, JsonId step))
{
    JsonId first = json_get(s->json, JSON_ROOT, key);
    JsonId end = json_end(s->json, first);
    for (JsonId id = first; id < end; id++)
        if (json_kind(s->json, at(s, id, "type")) == JSON_STRING) read(s, id);
}

void hf_describe_steps(VocabBuild *b, const Json *json)
{
    Steps s = {.json = json, .b = b};
    each_step(&s, "normalizer", read_normalizer);
    each_step(&s, "pre_tokenizer", read_pre_tokenizer);
    b->spec.pretoken = kind_of_words(&s);
    bool is_mark_ours = is_mark(b->mark);
    if (b->spec.space_mark && !is_mark_ours) b->spec.unknown_steps = true;
}
