/* peer_talk.c: jobs in, answers out, a line each.
 *
 * Everything an answer says is printed as it is known; the array of steps is
 * as long as what was taken, and the step that was refused is not in it.
 */
#include "bench/peers/peer_talk.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "text/json.h"

typedef VEC(char) Text;

typedef struct Talk {
    const TalkEngine *engine;
    Mem mem;
    Text kind, source, root; /* of the job, NUL at the end */
    VEC(uint32_t) ids;       /* of the test */
    VEC(double) us;          /* by index in `ids` */
} Talk;

static bool read_text(const Mem *mem, const Json *json, const char *key,
                      Text *text)
{
    Span value = json_string(json, json_get(json, JSON_ROOT, key));
    if (!vec_reserve(mem, text, value.size + 1)) return false;
    if (value.size) memcpy(text->at, value.at, value.size);
    text->at[value.size] = '\0';
    text->count = (uint32_t)value.size;
    return true;
}

static bool read_ids(Talk *t, const Json *json, JsonId list)
{
    t->ids.count = t->us.count = 0;
    for (JsonIter it = json_iter(json, list); json_step(&it);) {
        uint32_t id = UINT32_MAX; /* no number: a token that none allows */
        json_u32(json, it.value, &id);
        if (!vec_push(&t->mem, &t->ids, id) || !vec_push(&t->mem, &t->us, 0.0))
            return false;
    }
    return true;
}

static void answer_error(const char *error)
{
    char text[1024];
    Out out = {text, sizeof text - 1, 0};
    json_write_string(&out, span_text(error));
    text[MIN(out.size, out.cap)] = '\0';
    printf("{\"error\":%s}\n", text);
}

static bool answer_test(Talk *t, void *grammar, const Json *json, JsonId list,
                        bool is_first)
{
    if (!read_ids(t, json, list)) return false;
    TalkTest test = {.us = t->us.at};
    t->engine->run(t->engine->user, grammar, t->ids.at, t->ids.count, &test);
    printf("%s{\"taken\":%u,\"may_stop\":%s,\"us\":[", is_first ? "" : ",",
           test.taken, test.may_stop ? "true" : "false");
    for (uint32_t i = 0; i < test.taken; i++)
        printf("%s%.3f", i ? "," : "", test.us[i]);
    printf("]}");
    return true;
}

static bool answer(Talk *t, const Json *json)
{
    const TalkEngine *e = t->engine;
    if (!read_text(&t->mem, json, "kind", &t->kind) ||
        !read_text(&t->mem, json, "source", &t->source) ||
        !read_text(&t->mem, json, "root", &t->root))
        return false;
    TalkJob job = {t->kind.at, t->source.at, t->root.at, t->source.count};
    double ttfm_us = 0;
    const char *error = NULL;
    void *grammar = e->compile(e->user, &job, &ttfm_us, &error);
    if (!grammar) {
        answer_error(error);
        return true;
    }
    printf("{\"ttfm_us\":%.3f,\"tests\":[", ttfm_us);
    bool ok = true, is_first = true;
    JsonId tests = json_get(json, JSON_ROOT, "tests");
    for (JsonIter it = json_iter(json, tests); ok && json_step(&it);) {
        ok = answer_test(t, grammar, json, it.value, is_first);
        is_first = false;
    }
    puts("]}");
    e->release(e->user, grammar);
    return ok;
}

static bool answer_line(Talk *t, const char *line, size_t size)
{
    Json json;
    weir_error err;
    if (!json_parse(&json, &t->mem, span_of(line, size), NULL, &err)) {
        fprintf(stderr, "peer: %s\n", err.message);
        return false;
    }
    bool ok = answer(t, &json);
    json_free(&json);
    fflush(stdout);
    return ok;
}

bool talk(const TalkEngine *engine)
{
    Talk t = {.engine = engine, .mem = mem_from_env(NULL)};
    char *line = NULL;
    size_t cap = 0;
    ssize_t size;
    bool ok = true;
    fflush(stdout);
    while (ok && (size = getline(&line, &cap, stdin)) > 0)
        ok = answer_line(&t, line, (size_t)size);
    free(line);
    vec_free(&t.mem, &t.kind);
    vec_free(&t.mem, &t.source);
    vec_free(&t.mem, &t.root);
    vec_free(&t.mem, &t.ids);
    vec_free(&t.mem, &t.us);
    return ok;
}
