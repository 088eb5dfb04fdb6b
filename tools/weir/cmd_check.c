/* cmd_check.c: weir check: does each input obey the constraint?
 *
 * Inputs are streamed: a piece at a time goes to the matcher, cut where a
 * character begins, so that a refused byte and the character that it is part
 * of are always in one piece. The last bytes are held back until the end is
 * seen; --trim forgives a newline there that the constraint does not take.
 * The position is that of the refused byte; the words are about its character.
 * With a schema, the value that is being read there is told by its pointer
 * (cli_place.h), and the keyword that refuses by its own (cli_blame.h).
 * Tests: tests/cli/cli_test.py.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "base/words.h"
#include "weir/cli_blame.h"
#include "weir/cli_constraint.h"
#include "weir/cli_input.h"
#include "weir/cli_lazy.h"
#include "weir/cli_place.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

enum { PIECE = 1 << 16, HELD_BACK = 4, EXPECTED_BYTES = 1024 };
enum { POINTER_BYTES = 512, TEXT_KEPT = 16 << 20 };

typedef enum VerdictKind {
    VERDICT_ACCEPTED,
    VERDICT_REFUSED,
    VERDICT_INCOMPLETE,
    VERDICT_FAILED /* a message has been printed */
} VerdictKind;

typedef struct Verdict {
    VerdictKind kind;
    uint64_t byte, line, column; /* of what is refused, or of the end */
    char found[64];
    char expected[EXPECTED_BYTES];
    char instance[POINTER_BYTES]; /* with a schema: pointer to the value */
    Blame blame;
} Verdict;

typedef struct Check {
    const Args *args;
    const Session *session;
    weir_matcher *matcher;
    const char *path;
    /* with a schema: */
    JsonPlace place;
    FileBytes text;                  /* what has been accepted */
    bool is_kept;                    /* all of it is in `text` */
    uint64_t byte, line, line_start; /* of what has been accepted */
    bool would_trim;                 /* refused is but the newline at the end */
    Verdict verdict;
} Check;

/* Of --schema, or of a request. What is in front of a trigger is no value. */
static bool has_schema(const Check *c)
{
    return c->session->schema.text.data != NULL && !lazy_is_asked(c->args);
}

/* ---- one piece ---- */

static void keep(Check *c, Span bytes)
{
    c->is_kept &=
        (size_t)c->text.count + bytes.size < TEXT_KEPT &&
        vec_reserve(c->args->mem, &c->text, c->text.count + bytes.size);
    if (!c->is_kept || !bytes.size) return;
    memcpy(c->text.at + c->text.count, bytes.at, bytes.size);
    c->text.count += (uint32_t)bytes.size;
}

/* Goes on behind accepted bytes. */
static void pass_by(Check *c, Span bytes)
{
    if (has_schema(c)) {
        json_place_read(&c->place, bytes);
        keep(c, bytes);
    }
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.at[i] == '\n') {
            c->line++;
            c->line_start = c->byte + i + 1;
        }
    c->byte += bytes.size;
}

/* Whether the value that has been read may end here. */
static bool value_may_end(weir_matcher *m)
{
    static const char ends[] = ",]} \n";
    bool may = weir_matcher_is_completed(m);
    for (size_t i = 0; !may && ends[i]; i++) {
        weir_bytes byte = {&ends[i], 1};
        may = weir_matcher_accept_bytes(m, byte, NULL) == WEIR_ACCEPTED;
        if (may) weir_matcher_rollback(m, 1);
    }
    return may;
}

/* The value at fault: the one being read, or when that is complete and what
 * comes after it is refused, the one around it. */
static void put_instance(Check *c, uint8_t found)
{
    const JsonPlace *p = &c->place;
    Out out = {c->verdict.instance, POINTER_BYTES - 1, 0};
    bool closes = !found || strchr(",]} \t\n\r", found);
    bool outer = closes && !p->in_string &&
                 (p->is_started ? value_may_end(c->matcher) : found == ']');
    place_print(p, outer, &out);
    c->verdict.instance[MIN(out.size, out.cap)] = 0;
}

/* What is at fault, in the document and in the schema. `found`: NULL at the
 * end of the document. */
static void put_fault(Check *c, const uint8_t *found)
{
    if (!has_schema(c)) return;
    put_instance(c, found ? *found : 0);
    if (found) keep(c, span_of(found, 1));
    const SchemaSource *schema = &c->session->schema;
    Refusal r = {.schema = schema->text,
                 .opts = &schema->opts,
                 .text = {c->text.at, c->text.count},
                 .is_incomplete = !found,
                 .instance = c->verdict.instance};
    if (c->is_kept) blame_find(c->args->mem, &r, &c->verdict.blame);
}

static void put_place(Check *c)
{
    c->verdict.byte = c->byte;
    c->verdict.line = c->line;
    c->verdict.column = c->byte - c->line_start + 1;
}

static void put_expected(Check *c)
{
    weir_matcher_explain(c->matcher, UINT32_MAX, c->verdict.expected,
                         sizeof c->verdict.expected);
}

/* The start of the character with text[pos] in it, or pos. */
static size_t character_start(Span text, size_t pos)
{
    size_t at = pos;
    while (at && pos - at < 3 && (text.at[at] & 0xC0) == 0x80) at--;
    size_t end = at;
    return utf8_decode(text, &end) != RUNE_BAD && end > pos ? at : pos;
}

static void refuse(Check *c, Span text, size_t pos)
{
    size_t start = character_start(text, pos);
    Out found = {c->verdict.found, sizeof c->verdict.found - 1, 0};
    c->verdict.kind = VERDICT_REFUSED;
    weir_matcher_accept_bytes(c->matcher,
                              (weir_bytes){(const char *)text.at, start}, NULL);
    put_expected(c);
    words_found(&found, text, start);
    found.at[MIN(found.size, found.cap)] = 0;
    pass_by(c, span_of(text.at, pos));
    put_place(c);
    put_fault(c, &text.at[pos]);
}

/* Takes text[0, size); `text` also has the bytes after it that are known.
 * False when the verdict is there. */
static bool take(Check *c, Span text, size_t size)
{
    size_t consumed;
    weir_bytes bytes = {(const char *)text.at, size};
    if (!size) return true;
    switch (weir_matcher_accept_bytes(c->matcher, bytes, &consumed)) {
    case WEIR_ACCEPTED:
        pass_by(c, span_of(text.at, size));
        return true;
    case WEIR_REFUSED:
    case WEIR_TERMINATED:
        refuse(c, text, consumed);
        return false;
    default:
        report_failure("%s: %s", input_name(c->path),
                       weir_status_text(weir_matcher_error(c->matcher)));
        c->verdict.kind = VERDICT_FAILED;
        return false;
    }
}

/* ---- the whole ---- */

/* The size of a newline at the end of the text. */
static size_t newline_size(Span text)
{
    if (!text.size || text.at[text.size - 1] != '\n') return 0;
    return text.size > 1 && text.at[text.size - 2] == '\r' ? 2 : 1;
}

static void finish(Check *c)
{
    if (weir_matcher_is_completed(c->matcher)) {
        c->verdict.kind = VERDICT_ACCEPTED;
        return;
    }
    c->verdict.kind = VERDICT_INCOMPLETE;
    put_expected(c);
    put_place(c);
    put_fault(c, NULL);
}

/* The last bytes. A trailing newline that makes a complete output is read as
 * it is; else the output may be complete without it. */
static void take_last(Check *c, Span text, bool trim)
{
    size_t newline = trim ? newline_size(text) : 0;
    size_t body = text.size - newline;
    uint64_t end = c->byte + body - (trim ? 0 : newline_size(text));
    if (!take(c, text, body)) {
        c->would_trim =
            c->verdict.byte == end && weir_matcher_is_completed(c->matcher);
        return;
    }
    bool is_complete = weir_matcher_is_completed(c->matcher);
    if (take(c, span_of(text.at + body, newline), newline)) finish(c);
    if (is_complete && newline && c->verdict.kind != VERDICT_FAILED)
        c->verdict.kind = VERDICT_ACCEPTED;
}

/* Where to cut what has been read, so that a character is whole. */
static size_t cut_at(Span text)
{
    if (text.size <= HELD_BACK) return 0;
    size_t cut = text.size - HELD_BACK;
    while (cut && text.size - cut < HELD_BACK + 3 &&
           (text.at[cut] & 0xC0) == 0x80)
        cut--;
    return cut;
}

static void read_failed(Check *c)
{
    report_failure("cannot read '%s'", input_name(c->path));
    c->verdict.kind = VERDICT_FAILED;
}

static void read_stream(Check *c, FILE *file, bool trim)
{
    uint8_t buffer[PIECE];
    size_t size = 0;
    uint64_t total = 0;
    if (!fseek(file, 0, SEEK_END)) {
        long end = ftell(file);
        total = end > 0 ? (uint64_t)end : 0;
        rewind(file);
    }
    for (;;) {
        size_t got = fread(buffer + size, 1, sizeof buffer - size, file);
        size += got;
        if (!got) break;
        Span text = span_of(buffer, size);
        size_t cut = cut_at(text);
        if (!take(c, text, cut)) return;
        memmove(buffer, buffer + cut, size - cut);
        size -= cut;
        progress_set(c->byte, total);
    }
    if (ferror(file))
        read_failed(c);
    else
        take_last(c, span_of(buffer, size), trim);
}

static void check_stream(Check *c)
{
    FILE *file = input_open(c->path);
    c->verdict.kind = VERDICT_FAILED;
    if (!file) return;
    c->verdict.kind = VERDICT_ACCEPTED;
    read_stream(c, file, c->args->trim);
    input_close(file);
}

/* ---- free until a trigger ---- */

static void refuse_trigger(Check *c, Span text, size_t at)
{
    Out found = {c->verdict.found, sizeof c->verdict.found - 1, 0};
    c->verdict.kind = VERDICT_REFUSED;
    put_expected(c);
    words_found(&found, text, at);
    found.at[MIN(found.size, found.cap)] = 0;
    pass_by(c, span_of(text.at, at));
    put_place(c);
}

/* What the trigger's token has of the constraint has been taken with it. */
static void check_lazy(Check *c)
{
    LazyText lazy;
    FileBytes file = {0};
    c->verdict.kind = VERDICT_FAILED;
    if (input_read(c->args->mem, c->path, &file) &&
        !lazy_read(&lazy, c->args, c->session,
                   (weir_bytes){file.at, file.count})) {
        Span text = span_of(file.at, file.count);
        c->verdict.kind = VERDICT_ACCEPTED;
        if (lazy.is_refused) {
            refuse_trigger(c, text, lazy.taken);
        } else if (lazy.matcher) {
            c->matcher = lazy.matcher;
            pass_by(c, span_of(text.at, lazy.taken));
            take_last(c, span_of(text.at + lazy.taken, text.size - lazy.taken),
                      c->args->trim);
        }
        lazy_free(&lazy);
    }
    vec_free(c->args->mem, &file);
}

/* ---- output ---- */

static void print_schema_words(const Verdict *v)
{
    fputs(*v->instance ? ", in the value at " : ", in the whole value", stdout);
    print_safe(stdout, v->instance);
    if (v->blame.is_order) fputs("; in any order it could go on", stdout);
    if (!*v->blame.pointer) return;
    fputs(", by ", stdout);
    print_safe(stdout, v->blame.pointer);
}

static void print_words(const Check *c, bool with_name)
{
    const Verdict *v = &c->verdict;
    bool good = v->kind == VERDICT_ACCEPTED;
    if (with_name) printf("%s: ", c->path);
    fputs(colour(stdout, good ? COLOUR_GREEN : COLOUR_RED), stdout);
    switch (v->kind) {
    case VERDICT_ACCEPTED:
        printf("accepted%s\n", colour(stdout, COLOUR_NONE));
        break;
    case VERDICT_REFUSED:
        printf("refused%s at byte %llu (line %llu, column %llu): found %s, "
               "expected %s",
               colour(stdout, COLOUR_NONE), (unsigned long long)v->byte,
               (unsigned long long)v->line, (unsigned long long)v->column,
               v->found, v->expected);
        break;
    case VERDICT_INCOMPLETE:
        printf("incomplete%s: expected %s", colour(stdout, COLOUR_NONE),
               v->expected);
        break;
    case VERDICT_FAILED:
        break;
    }
    if (!good && has_schema(c)) print_schema_words(v);
    if (!good) fputs("\n", stdout);
}

static void print_field(const char *name, const char *value)
{
    printf(",\"%s\":", name);
    print_json_string(stdout, value, strlen(value));
}

static void print_paths(const Verdict *v)
{
    print_field("instance_path", v->instance);
    print_field("schema_path", v->blame.pointer);
}

static void print_json(const Check *c)
{
    static const char *const names[] = {"accepted", "refused", "incomplete"};
    const Verdict *v = &c->verdict;
    fputs("{\"file\":", stdout);
    print_json_string(stdout, c->path, strlen(c->path));
    printf(",\"result\":\"%s\"", names[v->kind]);
    if (v->kind != VERDICT_ACCEPTED)
        printf(",\"byte\":%llu,\"line\":%llu,\"column\":%llu",
               (unsigned long long)v->byte, (unsigned long long)v->line,
               (unsigned long long)v->column);
    if (v->kind == VERDICT_REFUSED) print_field("found", v->found);
    if (v->kind != VERDICT_ACCEPTED) print_field("expected", v->expected);
    if (v->kind != VERDICT_ACCEPTED && has_schema(c)) print_paths(v);
    fputs("}\n", stdout);
}

/* The exit code that this input asks for. */
static int check_file(const Args *args, const Session *session,
                      const char *path)
{
    weir_matcher *matcher = session->matcher;
    Check c = {.args = args,
               .session = session,
               .matcher = matcher,
               .path = path,
               .line = 1,
               .is_kept = true};
    session_restart(session);
    c.place.mem = args->mem;
    progress_begin("checking");
    if (lazy_is_asked(args))
        check_lazy(&c);
    else
        check_stream(&c);
    progress_end();
    place_free(&c.place);
    vec_free(args->mem, &c.text);
    if (c.verdict.kind == VERDICT_FAILED) return 2;
    if (args->json)
        print_json(&c);
    else
        print_words(&c, args->files.count > 1);
    if (c.would_trim && !args->json)
        report_hint("--trim forgives the newline at the end");
    return c.verdict.kind != VERDICT_ACCEPTED;
}

int cmd_check(const Args *args)
{
    Session session;
    int status = session_open(&session, args);
    if (status) return status;
    if (!args->files.count) status = check_file(args, &session, "-");
    for (uint32_t i = 0; i < args->files.count; i++) {
        int code = check_file(args, &session, args->files.at[i]);
        status = MAX(status, code);
    }
    session_close(&session, args);
    return status;
}
