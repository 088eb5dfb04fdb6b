/* cmd_mask.c: weir mask: which tokens may come after a prefix.
 * Tests: tests/cli/cli_test.py, which finds the masks by brute force. */
#include "base/words.h"
#include "weir/cli_constraint.h"
#include "weir/cli_lazy.h"
#include "weir/cli_report.h"
#include "weir/cmd.h"

/* What is known about the position. */
typedef struct Position {
    const Args *args;
    const weir_vocab *vocab;
    weir_matcher *matcher; /* NULL: free, waiting for a trigger */
    const int32_t *mask;
    uint32_t width;
    size_t allowed;
    bool may_stop;
} Position;

static bool is_allowed(const Position *p, uint32_t id)
{
    return (uint32_t)p->mask[id / 32] >> (id % 32) & 1;
}

static void print_ids(const Position *p, const char *separator)
{
    bool any = false;
    for (uint32_t id = 0; id < p->width; id++) {
        if (!is_allowed(p, id)) continue;
        printf("%s%u", any ? separator : "", id);
        any = true;
    }
}

static void print_json(const Position *p)
{
    printf("{\"allowed\":%zu,\"fnv1a64\":\"%016llx\",\"stop\":%s,"
           "\"width\":%u",
           p->allowed, (unsigned long long)weir_mask_hash(p->mask, p->width),
           p->may_stop ? "true" : "false", p->width);
    if (lazy_is_asked(p->args))
        printf(",\"waiting\":%s", p->matcher ? "false" : "true");
    if (p->args->ids) {
        fputs(",\"ids\":[", stdout);
        print_ids(p, ",");
        fputs("]", stdout);
    }
    fputs("}\n", stdout);
}

static void print_token(const Position *p, uint32_t id)
{
    char text[160];
    weir_token token = weir_vocab_token(p->vocab, id);
    Out out = {text, sizeof text - 1, 0};
    words_text(&out, span_of(token.bytes.data, MIN(token.bytes.size, 36)));
    text[MIN(out.size, out.cap)] = 0;
    printf("  %8u %s\n", id, text);
}

/* Allowed tokens at even distances. */
static void print_some(const Position *p)
{
    enum { SHOWN = 10 };
    size_t seen = 0, shown = 0;
    printf("%s\n", p->allowed > SHOWN ? "some of them" : "these");
    for (uint32_t id = 0; id < p->width; id++) {
        if (!is_allowed(p, id)) continue;
        if (seen++ * SHOWN < shown * p->allowed) continue;
        print_token(p, id);
        shown++;
    }
}

static void print_words(const Position *p)
{
    char expected[1024] = "anything, until the trigger";
    if (p->matcher)
        weir_matcher_explain(p->matcher, UINT32_MAX, expected, sizeof expected);
    printf("allowed  %s of %s tokens\n", number_text(p->allowed).text,
           number_text(p->width).text);
    printf("hash     %016llx\n",
           (unsigned long long)weir_mask_hash(p->mask, p->width));
    printf("stop     %s\n", p->may_stop ? "yes" : "no");
    printf("next     %s\n", expected);
    if (p->args->ids) {
        fputs("ids      ", stdout);
        print_ids(p, " ");
        fputs("\n", stdout);
    } else if (p->allowed) {
        print_some(p);
    }
}

/* Exit code 1 after a message when the constraint refuses the prefix. */
static int take_prefix(weir_matcher *m, const char *prefix)
{
    char expected[1024], found[64];
    weir_bytes text = {prefix, strlen(prefix)};
    size_t pos;
    weir_accept answer = weir_matcher_accept_bytes(m, text, &pos);
    if (answer == WEIR_ACCEPTED) return 0;
    if (answer == WEIR_ACCEPT_ERROR)
        return report_failure("--prefix: %s",
                              weir_status_text(weir_matcher_error(m)));
    weir_matcher_accept_bytes(m, (weir_bytes){prefix, pos}, NULL);
    weir_matcher_explain(m, UINT32_MAX, expected, sizeof expected);
    Out out = {found, sizeof found - 1, 0};
    words_found(&out, span_of(prefix, text.size), pos);
    found[MIN(out.size, out.cap)] = 0;
    report_failure("--prefix is refused at byte %zu: found %s, expected %s",
                   pos, found, expected);
    return 1;
}

static void show(Position *p)
{
    p->allowed = weir_mask_count(p->mask, p->width, NULL);
    if (p->args->json)
        print_json(p);
    else
        print_words(p);
}

static Position position_of(const Args *args, const Session *session)
{
    return (Position){.args = args,
                      .vocab = session->vocab,
                      .width = weir_vocab_width(session->vocab)};
}

/* Behind `prefix`, or NULL. */
static int show_mask(const Args *args, const Session *session, weir_matcher *m,
                     const char *prefix)
{
    int status = prefix ? take_prefix(m, prefix) : 0;
    if (status) return status;
    Position p = position_of(args, session);
    p.matcher = m;
    p.may_stop = weir_matcher_is_completed(m);
    p.mask = weir_matcher_mask(m);
    if (!p.mask || weir_matcher_error(m))
        return report_failure("%s", weir_status_text(weir_matcher_error(m)));
    show(&p);
    return 0;
}

/* All tokens: the trigger is still to come. */
static int show_free(const Args *args, const Session *session, weir_lazy *lazy)
{
    Position p = position_of(args, session);
    size_t size = ((size_t)p.width + 31) / 32 * sizeof *p.mask;
    int32_t *row = mem_new(args->mem, size);
    if (!row) return report_failure("out of memory");
    memset(row, 0xFF, size); /* what weir_lazy_fill need not write */
    weir_lazy_fill(lazy, row);
    p.mask = row;
    p.may_stop = true;
    show(&p);
    mem_free(args->mem, row, size);
    return 0;
}

static int show_lazy(const Args *args, const Session *session)
{
    LazyText text;
    const char *prefix = args->prefix ? args->prefix : "";
    int status =
        lazy_read(&text, args, session, (weir_bytes){prefix, strlen(prefix)});
    if (status) return status;
    if (text.is_refused) {
        report_failure("--prefix is refused at byte %zu: a trigger, but what "
                       "it begins is not what the grammar begins with",
                       text.taken);
        status = 1;
    } else if (text.matcher) {
        status = show_mask(args, session, text.matcher, prefix + text.taken);
    } else {
        status = show_free(args, session, text.lazy);
    }
    lazy_free(&text);
    return status;
}

int cmd_mask(const Args *args)
{
    Session session;
    int status = session_open(&session, args);
    if (status) return status;
    status = lazy_is_asked(args)
                 ? show_lazy(args, &session)
                 : show_mask(args, &session, session.matcher, args->prefix);
    session_close(&session, args);
    return status;
}
