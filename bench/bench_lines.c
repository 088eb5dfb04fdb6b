/* bench_lines.c: reading files of JSON lines. */
#include "bench/bench_lines.h"

#include <stdio.h>

#include "base/diag.h"

typedef VEC(uint8_t) Text;

static bool text_read(Text *text, const Mem *mem, const char *path)
{
    enum { CHUNK = 1 << 20 };
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    bool ok = true;
    while (ok && !feof(f)) {
        ok = vec_reserve(mem, text, (size_t)text->count + CHUNK);
        if (!ok) break;
        text->count += (uint32_t)fread(text->at + text->count, 1, CHUNK, f);
        ok = !ferror(f);
    }
    fclose(f);
    return ok;
}

static bool each(const Mem *mem, Span text,
                 bool (*use)(void *user, const Json *line), void *user,
                 weir_error *err)
{
    for (size_t pos = 0; pos < text.size;) {
        const uint8_t *from = text.at + pos;
        const uint8_t *end = memchr(from, '\n', text.size - pos);
        size_t size = end ? (size_t)(end - from) : text.size - pos;
        pos += size + 1;
        Json json;
        if (!size) continue;
        if (!json_parse(&json, mem, span_of(from, size), NULL, err))
            return false;
        bool ok = use(user, &json);
        json_free(&json);
        if (!ok) return diag_no_memory(err);
    }
    return true;
}

bool lines_each(const Mem *mem, const char *path,
                bool (*use)(void *user, const Json *line), void *user,
                weir_error *err)
{
    Text text = {0};
    bool ok = text_read(&text, mem, path) ||
              diag_fail(err, WEIR_IO, 0, 0, "cannot read '%.150s'", path);
    ok = ok && each(mem, span_of(text.at, text.count), use, user, err);
    vec_free(mem, &text);
    return ok;
}
