/* cli_place.c: where in a JSON document a reader is.
 *
 * The bytes are those that a constraint has accepted, so they begin a JSON
 * text and only strings, brackets, commas and colons need be looked at. Keys
 * are kept as they are spelled and decoded when a pointer is printed.
 * Memory: the nesting and the keys of the open objects.
 * Tests: tests/cli/schema_cli_test.py.
 */
#include "weir/cli_place.h"

#include "text/json.h"

void place_free(JsonPlace *p)
{
    vec_free(p->mem, &p->levels);
    vec_free(p->mem, &p->keys);
}

static PlaceLevel *innermost(const JsonPlace *p)
{
    return p->levels.count ? &p->levels.at[p->levels.count - 1] : NULL;
}

static void open_level(JsonPlace *p, bool is_object)
{
    PlaceLevel level = {
        .is_object = is_object, .is_value = !is_object, .key = p->keys.count};
    p->is_lost |= !vec_push(p->mem, &p->levels, level);
    p->is_started = false;
}

static void close_level(JsonPlace *p)
{
    PlaceLevel *level = innermost(p);
    if (!level) return;
    p->keys.count = level->key;
    p->levels.count--;
    p->is_started = true;
}

static void next_member(JsonPlace *p)
{
    PlaceLevel *level = innermost(p);
    p->is_started = false;
    if (!level) return;
    level->index++;
    level->is_value = !level->is_object;
    p->keys.count = level->key;
}

static void begin_string(JsonPlace *p)
{
    const PlaceLevel *level = innermost(p);
    p->in_string = p->is_started = true;
    p->is_key = level && !level->is_value;
}

static void read_in_string(JsonPlace *p, uint8_t byte)
{
    bool ends = byte == '"' && !p->in_escape;
    if (p->is_key && !ends)
        p->is_lost |= !vec_push(p->mem, &p->keys, (char)byte);
    p->in_escape = byte == '\\' && !p->in_escape;
    if (ends) p->in_string = false;
}

static void read_outside(JsonPlace *p, uint8_t byte)
{
    switch (byte) {
    case '{':
    case '[':
        open_level(p, byte == '{');
        break;
    case '}':
    case ']':
        close_level(p);
        break;
    case ',':
        next_member(p);
        break;
    case ':':
        p->is_started = false;
        if (innermost(p)) innermost(p)->is_value = true;
        break;
    case '"':
        begin_string(p);
        break;
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        break;
    default:
        p->is_started = true;
    }
}

void json_place_read(JsonPlace *p, Span bytes)
{
    for (size_t i = 0; i < bytes.size && !p->is_lost; i++)
        if (p->in_string)
            read_in_string(p, bytes.at[i]);
        else
            read_outside(p, bytes.at[i]);
}

/* A key with its escapes decoded, and those of a pointer put in. */
static void print_key(const JsonPlace *p, uint32_t begin, uint32_t end,
                      Out *out)
{
    FileBytes quoted = {0};
    Json json;
    weir_error err = {.status = WEIR_OK};
    bool ok = vec_push(p->mem, &quoted, '"');
    for (uint32_t i = begin; ok && i < end; i++)
        ok = vec_push(p->mem, &quoted, p->keys.at[i]);
    ok =
        ok && vec_push(p->mem, &quoted, '"') &&
        json_parse(&json, p->mem, span_of(quoted.at, quoted.count), NULL, &err);
    if (ok) {
        Span key = json_string(&json, JSON_ROOT);
        for (size_t i = 0; i < key.size; i++)
            if (key.at[i] == '~' || key.at[i] == '/')
                out_text(out, key.at[i] == '~' ? "~0" : "~1");
            else
                out_bytes(out, span_of(key.at + i, 1));
        json_free(&json);
    }
    vec_free(p->mem, &quoted);
}

void place_print(const JsonPlace *p, bool outer, Out *out)
{
    uint32_t n = p->levels.count;
    if (n && (outer || !p->levels.at[n - 1].is_value)) n--;
    for (uint32_t i = 0; i < n; i++) {
        const PlaceLevel *level = &p->levels.at[i];
        bool is_last = i + 1 == p->levels.count;
        out_text(out, "/");
        if (!level->is_object)
            out_format(out, "%llu", (unsigned long long)level->index);
        else
            print_key(p, level->key,
                      is_last ? p->keys.count : p->levels.at[i + 1].key, out);
    }
}
