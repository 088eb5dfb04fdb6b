/* cli_schema.c: JSON Schemas for the commands.
 *
 * A folder of documents is read whole when it is given; the library parses
 * one only when a schema refers to it. Only its top is looked at here, for the
 * $id by which others know it.
 * Tests: tests/cli/schema_cli_test.py.
 */
#include "weir/cli_schema.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "text/json.h"
#include "weir/cli_report.h"

enum { FOLDER_DEPTH = 64 }; /* links may lead in circles */

/* ---- a folder of documents ---- */

void documents_init(Documents *d, const Mem *mem)
{
    *d = (Documents){.mem = mem};
    arena_init(&d->texts, mem, 0);
}

void documents_free(Documents *d)
{
    vec_free(d->mem, &d->list);
    arena_free(&d->texts);
}

static bool out_of_memory(void)
{
    report_failure("out of memory");
    return false;
}

static bool document_push(Documents *d, weir_bytes uri, weir_bytes text)
{
    return vec_push(d->mem, &d->list, (weir_document){uri, text}) ||
           out_of_memory();
}

/* The document under its own $id (draft 4: id), if it has one. */
static bool document_add_id(Documents *d, weir_bytes text)
{
    Json json;
    weir_error err = {.status = WEIR_OK};
    if (!json_parse(&json, d->mem, span_of(text.data, text.size), NULL, &err))
        return true; /* who refers to it will hear of that */
    Span id = json_string(&json, json_get(&json, JSON_ROOT, "$id"));
    if (!id.size) id = json_string(&json, json_get(&json, JSON_ROOT, "id"));
    bool ok = true;
    if (id.size) {
        char *copy = arena_zero(&d->texts, id.size + 1);
        if (copy) memcpy(copy, id.at, id.size);
        ok = copy ? document_push(d, (weir_bytes){copy, id.size}, text)
                  : out_of_memory();
    }
    json_free(&json);
    return ok;
}

/* The parts in a row, NUL after. */
static char *text_join(Documents *d, const char *a, const char *b,
                       const char *c)
{
    size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
    char *text = arena_alloc(&d->texts, na + nb + nc + 1);
    if (!text) return NULL;
    memcpy(text, a, na);
    memcpy(text + na, b, nb);
    memcpy(text + na + nb, c, nc + 1);
    return text;
}

static bool document_add(Documents *d, const char *path, const char *uri,
                         bool with_id)
{
    FileBytes file = {0};
    bool ok = input_read(d->mem, path, &file);
    if (ok) {
        weir_bytes text = {arena_copy(&d->texts, file.at, file.count),
                           file.count};
        if (file.count && !text.data)
            ok = out_of_memory();
        else
            ok = document_push(d, (weir_bytes){uri, strlen(uri)}, text) &&
                 (!with_id || document_add_id(d, text));
    }
    vec_free(d->mem, &file);
    return ok;
}

typedef VEC(char *) NameList;

static int name_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder, hidden ones left out, sorted. */
static bool folder_list(Documents *d, const char *folder, NameList *names)
{
    DIR *dir = opendir(folder);
    if (!dir) {
        report_failure("cannot read '%s': %s", folder, strerror(errno));
        return false;
    }
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(dir));) {
        if (*entry->d_name == '.') continue;
        char *name = text_join(d, entry->d_name, "", "");
        ok = (name && vec_push(d->mem, names, name)) || out_of_memory();
    }
    closedir(dir);
    if (names->count)
        qsort(names->at, names->count, sizeof *names->at, name_order);
    return ok;
}

static bool ends_in_json(const char *name)
{
    size_t n = strlen(name);
    return n >= 5 && !strcmp(name + n - 5, ".json");
}

static bool folder_add(Documents *d, const char *folder, const char *uri,
                       bool with_id, int depth)
{
    NameList names = {0};
    bool ok = folder_list(d, folder, &names);
    for (uint32_t i = 0; ok && i < names.count; i++) {
        struct stat info;
        const char *path = text_join(d, folder, "/", names.at[i]);
        const char *below = text_join(d, uri, names.at[i], "");
        if (!path || !below) {
            ok = out_of_memory();
        } else if (stat(path, &info)) {
            continue; /* a link to nothing */
        } else if (S_ISDIR(info.st_mode)) {
            below = text_join(d, below, "/", "");
            ok = !below ? out_of_memory()
                        : depth >= FOLDER_DEPTH ||
                              folder_add(d, path, below, with_id, depth + 1);
        } else if (ends_in_json(names.at[i])) {
            ok = document_add(d, path, below, with_id);
        }
    }
    vec_free(d->mem, &names);
    return ok;
}

bool documents_add(Documents *d, const char *folder, const char *base)
{
    return folder_add(d, folder, base, !*base, 0);
}

const weir_document *document_at(const weir_schema_opts *opts,
                                 const char *pointer)
{
    const weir_document *best = NULL;
    for (size_t i = 0; i < opts->document_count; i++) {
        const weir_document *d = &opts->documents[i];
        size_t n = d->uri.size;
        if (n && !strncmp(d->uri.data, pointer, n) &&
            (pointer[n] == '#' || !pointer[n]) && (!best || n > best->uri.size))
            best = d;
    }
    return best;
}

/* ---- options ---- */

bool draft_parse(const char *text, weir_draft *draft)
{
    static const struct {
        const char *name;
        weir_draft draft;
    } drafts[] = {{"4", WEIR_DRAFT_4},
                  {"6", WEIR_DRAFT_6},
                  {"7", WEIR_DRAFT_7},
                  {"2019-09", WEIR_DRAFT_2019_09},
                  {"2020-12", WEIR_DRAFT_2020_12}};
    if (!strncmp(text, "draft", 5)) text += 5;
    for (size_t i = 0; i < COUNT_OF(drafts); i++)
        if (!strcmp(text, drafts[i].name)) {
            *draft = drafts[i].draft;
            return true;
        }
    return false;
}

int draft_error(const Args *args)
{
    return usage_error(args,
                       "found --draft '%s', expected 4, 6, 7, 2019-09 or "
                       "2020-12",
                       args->draft);
}

static int text_read(SchemaSource *s, const Args *args)
{
    const char *given = args->schema ? args->schema : args->structural_tag;
    const char *start = given + strspn(given, " \t\r\n");
    s->name = args->schema ? "--schema" : "--structural-tag";
    s->text = (weir_bytes){given, strlen(given)};
    if (*start == '{') return 0;
    s->name = input_name(given);
    if (!input_read(args->mem, given, &s->file)) return 2;
    s->text = (weir_bytes){s->file.at, s->file.count};
    return 0;
}

int schema_read(SchemaSource *s, const Args *args,
                const weir_compile_opts *opts)
{
    documents_init(&s->documents, args->mem);
    s->opts = *opts;
    weir_schema_opts *schema = &s->opts.schema;
    *schema = (weir_schema_opts){.any_order = args->any_order,
                                 .strict = args->strict,
                                 .lenient = args->lenient,
                                 .annotate_formats = args->annotate_formats,
                                 .integer_fraction = args->integer_fraction,
                                 .any_escape = args->any_escape,
                                 .unique_keys = args->unique_keys};
    if (args->draft && !draft_parse(args->draft, &schema->draft))
        return draft_error(args);
    for (uint32_t i = 0; i < args->schema_dirs.count; i++)
        if (!documents_add(&s->documents, args->schema_dirs.at[i], ""))
            return 2;
    schema->documents = s->documents.list.at;
    schema->document_count = s->documents.list.count;
    return text_read(s, args);
}

void schema_free(SchemaSource *s, const Mem *mem)
{
    vec_free(mem, &s->file);
    if (s->documents.mem) documents_free(&s->documents);
}
