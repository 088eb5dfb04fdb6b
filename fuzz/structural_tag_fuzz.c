/* structural_tag_fuzz.c: any bytes as a structural tag, once without a
 * vocabulary and once with a small one.
 *
 * A tag that compiles does so again to the same rules; all rules are defined;
 * warnings and errors lie inside the source and say something. An error's
 * pointer leads, member by member, to something that is there, but for the
 * last member, which may be what is missing.
 */
#include "fuzz/syntax_kit.h"
#include "tag/tag.h"
#include "text/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a vocabulary ---- */

enum { WIDTH = 8 };
static const char *const names[] = {"a", "b", "<t>", "<|x|>", "</s>"};

static uint32_t find_token(void *user, Span text)
{
    (void)user;
    for (uint32_t i = 0; i < COUNT_OF(names); i++)
        if (span_equal(text, span_text(names[i]))) return i;
    return TAG_NO_TOKEN;
}

static bool with_vocab;

static bool compile(Ir *ir, Span source)
{
    static const uint32_t ids[] = {2, 3, 4};
    weir_schema_opts schema = {.lenient = true};
    weir_space space = {.kind = WEIR_SPACE_ANY};
    PrefixSet controls = {0};
    Markers markers = {&controls, ids};
    TagOpts opts = {.schema = &schema, .space = &space};
    if (with_vocab) {
        for (uint32_t i = 0; i < COUNT_OF(ids); i++)
            check(prefix_set_add(ir->mem, &controls, span_text(names[ids[i]])));
        opts = (TagOpts){.schema = &schema,
                         .space = &space,
                         .width = WIDTH,
                         .token = find_token,
                         .markers = &markers};
    }
    ir->borrows = with_vocab;
    tag_compile(ir, source, &opts);
    prefix_set_free(ir->mem, &controls);
    return ir_ok(ir);
}

/* ---- what holds ---- */

/* The member or item that a part of a pointer names. */
static JsonId step(const Json *json, JsonId at, const char *part, size_t size)
{
    uint64_t index = 0;
    if (json_kind(json, at) == JSON_OBJECT)
        return json_get_span(json, at, span_of(part, size));
    for (size_t i = 0; i < size; i++)
        index = index * 10 + (uint8_t)(part[i] - '0');
    JsonIter it = json_iter(json, at);
    while (json_step(&it))
        if (!index--) return it.value;
    return JSON_NONE;
}

/* Pointers into documents and long ones, which are cut, are left alone, and so
 * are names with escapes. */
static void check_pointer(const weir_error *error, const Mem *mem, Span source)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    const char *p = error->pointer;
    if (*p != '#' || strlen(p) > 100 || strpbrk(p, "~%.")) return;
    check(json_parse(&json, mem, source, NULL, &err));
    JsonId at = JSON_ROOT;
    for (p++; *p; p += strcspn(p, "/")) {
        p++;
        size_t n = strcspn(p, "/");
        at = step(&json, at, p, n);
        check(at != JSON_NONE || !p[n]);
    }
    json_free(&json);
}

static void check_tag(const Ir *ir, const Mem *mem, Span source)
{
    for (uint32_t i = 0; i < ir->warnings.count; i++) {
        Warning w = ir->warnings.at[i];
        check(w.begin <= w.end && w.end <= source.size && w.message.size);
    }
    if (!ir_ok(ir)) {
        check_error(&ir->error, source.size);
        check_pointer(&ir->error, mem, source);
        return;
    }
    check(ir->root < ir->rules.count);
    for (uint32_t i = 0; i < ir->rules.count; i++)
        check(ir->rules.at[i].is_defined &&
              ir->rules.at[i].body < ir->nodes.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const weir_limits limits = {
        .max_depth = 100, .max_states = 1000, .max_work = 300000};
    Mem mem = mem_from_env(NULL);
    Span source = span_of(data, size);
    for (int round = 0; round < 2; round++) {
        Ir first, second;
        with_vocab = round;
        ir_init(&first, &mem, &limits);
        ir_init(&second, &mem, &limits);
        bool done = compile(&first, source);
        check(done == compile(&second, source));
        check(first.error.status == second.error.status);
        check_tag(&first, &mem, source);
        if (done) check_same(&first, &second);
        ir_free(&first);
        ir_free(&second);
    }
    return 0;
}
