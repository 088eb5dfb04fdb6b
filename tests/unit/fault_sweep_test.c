/* fault_sweep_test.c: every task again and again, with the 1st, 2nd, 3rd ...
 * allocation failing, until it succeeds: once with that call alone failing,
 * once with all later ones failing too.
 *
 * Makers (vocabulary, compile, union, cache ...): a failure is NULL with
 * NO_MEMORY, and nothing of it is held afterwards.
 * Calls on a matcher, each on objects that have never been used, so that lazy
 * parts are made in the call: either the call gives the answer that it gives
 * with memory, or it says NO_MEMORY; then the matcher is where it was, mask
 * and all, and the same call succeeds once memory is back.
 * Without WEIR_FULL=1 not every late allocation of the long tasks has its turn.
 * The answer with memory comes from other objects, made in the same way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"

/* ---- memory that fails ---- */

typedef struct Breaker {
    size_t at;          /* the call that fails, from 1; 0: none */
    bool only;          /* that one alone, else all later ones too */
    size_t calls, held; /* since it was set; bytes */
    bool fired;
} Breaker;

static Breaker breaker;

static void breaker_set(size_t at, bool only)
{
    breaker.at = at;
    breaker.only = only;
    breaker.calls = 0;
    breaker.fired = false;
}

static bool breaker_fails(void)
{
    size_t n = ++breaker.calls;
    bool fails =
        breaker.at && (breaker.only ? n == breaker.at : n >= breaker.at);
    breaker.fired |= fails;
    return fails;
}

static void *broken_allocate(void *user, size_t nbytes)
{
    (void)user;
    if (breaker_fails()) return NULL;
    breaker.held += nbytes;
    return malloc(nbytes ? nbytes : 1);
}

static void *broken_resize(void *user, void *p, size_t old, size_t nbytes)
{
    (void)user;
    if (breaker_fails()) return NULL;
    breaker.held += nbytes - old;
    return realloc(p, nbytes ? nbytes : 1);
}

static void broken_release(void *user, void *p, size_t nbytes)
{
    (void)user;
    breaker.held -= nbytes;
    free(p);
}

static const weir_env env = {sizeof env, broken_allocate, broken_resize,
                             broken_release, NULL};

/* ---- a vocabulary ---- */

static const struct {
    const char *text;
    uint32_t flags;
} token_list[] = {
    {"{", 0},      {"}", 0},    {"\"", 0},    {":", 0},    {",", 0},
    {"[", 0},      {"]", 0},    {"a", 0},     {"b", 0},    {"c", 0},
    {"x", 0},      {"1", 0},    {"2", 0},     {"+", 0},    {"*", 0},
    {"(", 0},      {")", 0},    {" ", 0},     {"\n", 0},   {"-", 0},
    {"true", 0},   {"null", 0}, {"{\"", 0},   {"\": ", 0}, {"ab", 0},
    {"abc", 0},    {"aaaa", 0}, {"\xC3", 0},  {"\xA9", 0}, {"t", 0},
    {"\"}", 0},    {"))", 0},   {"true}", 0}, {"rue", 0},  {".", 0},
    {"<tool>", 9}, {"</s>", 3}, {"", 4},      {"ca", 0},   {"x))", 0},
};
enum { TOKENS = sizeof token_list / sizeof *token_list, WORDS = 2, STOP = 36 };

static weir_vocab *vocab_with(const weir_vocab_opts *opts, weir_error *err)
{
    weir_token tokens[TOKENS];
    for (size_t i = 0; i < TOKENS; i++)
        tokens[i] =
            (weir_token){{token_list[i].text, strlen(token_list[i].text)},
                         token_list[i].flags};
    return weir_vocab_new(&env, tokens, TOKENS, opts, err);
}

static weir_vocab *vocab_new(weir_error *err)
{
    return vocab_with(NULL, err);
}

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

/* The longest token that `text` begins with. */
static uint32_t token_at(const char *text)
{
    uint32_t best = UINT32_MAX;
    size_t longest = 0;
    for (uint32_t id = 0; id < TOKENS; id++) {
        size_t size = strlen(token_list[id].text);
        if (token_list[id].flags || size <= longest ||
            strncmp(text, token_list[id].text, size) != 0)
            continue;
        longest = size;
        best = id;
    }
    assert_int_not_equal(best, UINT32_MAX);
    return best;
}

/* ---- scenes: a grammar and a place in its output ---- */

typedef struct Scene {
    const char *name;
    weir_source_kind kind;
    const char *source;
    const char *before; /* read before the call */
    const char *next;   /* what may follow */
    weir_termination termination;
} Scene;

static const Scene scenes[] = {
    {"json start", WEIR_JSON_VALUE, "", "", "{\"abc\": [true", 0},
    {"json string", WEIR_JSON_OBJECT, "", "{\"ab", "c\": {\"x\":-1}}", 0},
    {"json end", WEIR_JSON_OBJECT, "", "{\"a\":[1]", "}", 1},
    {"regex", WEIR_REGEX, "(?=.*1)(a|b|c|1|2){2,9}(,x)?", "ab", "c1", 0},
    {"left recursion", WEIR_EBNF,
     "root ::= root \"+\" t | t\nt ::= t \"*\" f | f\n"
     "f ::= \"(\" root \")\" | [ab]+ | \"-\" f",
     "(a+b", ")*-a+(ab", 0},
    {"ambiguous", WEIR_EBNF,
     "root ::= s+\ns ::= s s | \"(\" s \")\" | \"(\" s \"))\" | \"x\" | "
     "\"xx\" | (\"a\" | \"aa\" | \"ab\")*",
     "((x", "x))aaab", 0},
    {"counted", WEIR_EBNF,
     "root ::= (\"a\"{2,40} [bc]{0,3} | (\"a\"{3} | \"aa\")* \"c\"){1,9}",
     "aaaaa", "aaaabca", 0},
    {"token edges", WEIR_EBNF,
     "root ::= (\"a\" | Token(35, 7) | ExcludeToken(0, 1))* \"b\"", "ab",
     "abcb", 0},
    /* rules that nobody has met before the call */
    {"new rules", WEIR_EBNF,
     "root ::= \"a\" p \"b\" q | \"ab\" q\np ::= \"(\" p \")\" | \"x\" q\n"
     "q ::= \"[\" q \"]\" | r{2,5}\nr ::= \"{\" r \"}\" | [ac]",
     "a", "(xaa)b[ca]", 0},
    {"first complete", WEIR_EBNF,
     "root ::= \"a\" root \"b\" | \"x\" \"1\"? s\ns ::= \"c\"*", "aa", "xbb",
     WEIR_TERM_FIRST_COMPLETE},
    {"structural tag", WEIR_STRUCTURAL_TAG,
     "{\"format\": {\"type\": \"triggered_tags\", \"triggers\": [\"[\"], "
     "\"excludes\": [\"**\"], \"tags\": [{\"begin\": \"[a\", \"content\": "
     "{\"type\": \"json_schema\", \"json_schema\": {\"properties\": {\"ab\": "
     "{\"type\": \"integer\"}}}}, \"end\": [\"]\", \"<tool>\"]}, {\"begin\": "
     "\"[<tool>\", \"content\": {\"type\": \"json_schema\", \"style\": "
     "\"cohere_xml\", \"json_schema\": {}}, \"end\": \"\"}, {\"begin\": "
     "\"[b\", "
     "\"content\": {\"type\": \"any_text\"}, \"end\": [\"\", \"]\"]}]}}",
     "ca[a{\"", "ab\": 1}]c", 0},
    {"structural tag, others", WEIR_STRUCTURAL_TAG,
     "{\"format\": {\"type\": \"sequence\", \"elements\": [{\"type\": \"or\", "
     "\"elements\": [{\"type\": \"dispatch\", \"rules\": [[\"(\", {\"type\": "
     "\"regex\", \"pattern\": \"a+\"}], [\"-\", {\"type\": \"grammar\", "
     "\"grammar\": \"root ::= \\\"b\\\" | \\\"-\\\" root\"}]]}, {\"type\": "
     "\"token_dispatch\", \"rules\": [[\"<tool>\", {\"type\": \"any_tokens\", "
     "\"max_tokens\": 2}]]}, {\"type\": \"tags_with_separator\", "
     "\"separator\": "
     "\",\", \"tags\": [{\"begin\": \"\", \"content\": {\"type\": "
     "\"any_text\", "
     "\"max_chars\": 3, \"max_tokens\": 9}, \"end\": \"x\"}]}]}, {\"type\": "
     "\"const_string\", \"value\": \".\"}]}}",
     "c(a", "aab-b.", 0},
    {"bounded", WEIR_JSON_SCHEMA,
     "{\"type\": \"string\", \"maxLength\": 7, "
     "\"pattern\": \"^((a|bc|\\u00E9c)+-?)*$\"}",
     "\"aaa", "bc-a\"", 0},
};

typedef struct World {
    const Scene *scene;
    weir_vocab *vocab;
    weir_grammar *grammar;
    weir_matcher *matcher;
    uint32_t next[16]; /* scene->next as tokens */
    uint32_t nnext;
    char state[512]; /* exported after next[0] and some bytes */
    size_t state_size;
} World;

static void world_open(World *w, const Scene *scene)
{
    weir_error err;
    breaker_set(0, false);
    *w = (World){.scene = scene};
    w->vocab = vocab_new(&err);
    assert_non_null(w->vocab);
    w->grammar = weir_grammar_compile(w->vocab, scene->kind,
                                      bytes_of(scene->source), NULL, &err);
    if (!w->grammar) fail_msg("%s: %s", scene->name, err.message);
    weir_matcher_opts opts = {.size = sizeof opts,
                              .termination = scene->termination};
    w->matcher = weir_matcher_new(w->grammar, &opts, &err);
    assert_non_null(w->matcher);
    for (const char *at = scene->before; *at;) {
        uint32_t id = token_at(at);
        if (weir_matcher_accept(w->matcher, id) != WEIR_ACCEPTED)
            fail_msg("%s: \"%s\" refused", scene->name, at);
        at += strlen(token_list[id].text);
    }
    for (const char *at = scene->next; *at;) {
        uint32_t id = token_at(at);
        w->next[w->nnext++] = id;
        at += strlen(token_list[id].text);
    }
}

static void world_export(World *w)
{
    weir_matcher *far = weir_matcher_fork(w->matcher);
    assert_non_null(far);
    weir_matcher_accept(far, w->next[0]);
    weir_matcher_accept_bytes(far, bytes_of("a"), NULL);
    w->state_size = weir_matcher_export(far, w->state, sizeof w->state);
    assert_in_range(w->state_size, 1, sizeof w->state);
    weir_matcher_free(far);
}

static void world_close(World *w)
{
    weir_matcher_free(w->matcher);
    weir_grammar_free(w->grammar);
    weir_vocab_free(w->vocab);
    assert_int_equal(breaker.held, 0);
}

/* ---- answers ---- */

typedef enum Said { SAID_ANSWER, SAID_NO_MEMORY } Said;

/* Everything that a call gave, mixed. */
typedef struct Answer {
    uint64_t hash;
} Answer;

static void answer_number(Answer *a, uint64_t n)
{
    a->hash = fnv1a(a->hash, &n, sizeof n);
}

static void answer_row(Answer *a, const int32_t *row)
{
    answer_number(a, weir_mask_hash(row, TOKENS));
}

/* Where the matcher is: mask, flags, number of steps. */
static void answer_place(Answer *a, weir_matcher *m)
{
    int32_t row[WORDS];
    answer_number(a, weir_matcher_fill(m, row));
    answer_row(a, row);
    answer_number(a, weir_matcher_steps(m));
    answer_number(a, weir_matcher_is_completed(m));
    answer_number(a, weir_matcher_can_continue(m));
    answer_number(a, weir_matcher_is_terminated(m));
}

/* NO_MEMORY was said, after a call that could not be finished. Another status
 * then makes another answer. */
static bool has_no_memory(const World *w)
{
    weir_status status = weir_matcher_error(w->matcher);
    if (breaker.fired && status && status != WEIR_NO_MEMORY)
        print_message("said: %s\n", weir_status_name(status));
    return breaker.fired && status == WEIR_NO_MEMORY;
}

/* ---- calls ---- */

static Said call_new(World *w, Answer *a)
{
    weir_error err;
    weir_matcher_opts opts = {
        .size = sizeof opts, .stop_ids = w->next, .stop_count = w->nnext};
    weir_matcher *m = weir_matcher_new(w->grammar, &opts, &err);
    if (!m) {
        assert_int_equal(err.status, WEIR_NO_MEMORY);
        return SAID_NO_MEMORY;
    }
    breaker_set(0, false);
    answer_place(a, m);
    weir_matcher_free(m);
    return SAID_ANSWER;
}

static Said call_accept(World *w, Answer *a)
{
    weir_accept got = weir_matcher_accept(w->matcher, w->next[0]);
    if (got == WEIR_ACCEPT_ERROR && has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, got);
    return SAID_ANSWER;
}

static Said call_accept_bytes(World *w, Answer *a)
{
    size_t consumed;
    weir_accept got = weir_matcher_accept_bytes(
        w->matcher, bytes_of(w->scene->next), &consumed);
    if (got == WEIR_ACCEPT_ERROR && has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, got);
    answer_number(a, consumed);
    return SAID_ANSWER;
}

/* A token that is refused must be so for want of memory too, or say so. */
static Said call_refused(World *w, Answer *a)
{
    weir_accept got = weir_matcher_accept(w->matcher, 34); /* "." */
    if (got == WEIR_ACCEPT_ERROR && has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, got);
    return SAID_ANSWER;
}

static Said call_fill(World *w, Answer *a)
{
    int32_t row[WORDS];
    weir_fill fill = weir_matcher_fill(w->matcher, row);
    if (fill == WEIR_FILL_ERROR && has_no_memory(w)) {
        uint32_t only = 0; /* fail closed: the stop token alone */
        assert_int_equal(weir_mask_count(row, TOKENS, &only), 1);
        assert_int_equal(only, STOP);
        return SAID_NO_MEMORY;
    }
    answer_number(a, fill);
    answer_row(a, row);
    return SAID_ANSWER;
}

static Said call_mask(World *w, Answer *a)
{
    const int32_t *mask = weir_matcher_mask(w->matcher);
    if (!mask) {
        assert_true(has_no_memory(w));
        return SAID_NO_MEMORY;
    }
    answer_row(a, mask);
    return SAID_ANSWER;
}

static Said call_mask_again(World *w, Answer *a)
{
    for (int i = 0; i < 4; i++) { /* met again, rows are kept */
        if (call_mask(w, a) == SAID_NO_MEMORY) return SAID_NO_MEMORY;
        int32_t row[WORDS];
        if (weir_matcher_fill(w->matcher, row) == WEIR_FILL_ERROR)
            return SAID_NO_MEMORY;
        answer_row(a, row);
    }
    return SAID_ANSWER;
}

static Said call_allows(World *w, Answer *a)
{
    for (uint32_t id = 0; id < TOKENS; id++) {
        bool allows = weir_matcher_allows(w->matcher, id);
        if (!allows && has_no_memory(w)) return SAID_NO_MEMORY;
        answer_number(a, allows);
    }
    return SAID_ANSWER;
}

static Said call_flags(World *w, Answer *a)
{
    bool completed = weir_matcher_is_completed(w->matcher);
    bool is_free = weir_matcher_is_free_text(w->matcher);
    bool terminated = weir_matcher_is_terminated(w->matcher);
    if (breaker.fired) return SAID_NO_MEMORY; /* they have no way to say so */
    answer_number(a, completed);
    answer_number(a, is_free);
    answer_number(a, terminated);
    return SAID_ANSWER;
}

static Said call_fork(World *w, Answer *a)
{
    weir_matcher *m = weir_matcher_fork(w->matcher);
    if (!m) return SAID_NO_MEMORY;
    breaker_set(0, false);
    answer_place(a, m);
    answer_number(a, weir_matcher_accept(m, w->next[0]));
    answer_place(a, m);
    assert_int_equal(weir_matcher_rollback(m, weir_matcher_steps(m)), WEIR_OK);
    answer_place(a, m);
    weir_matcher_free(m);
    return SAID_ANSWER;
}

static Said call_validate(World *w, Answer *a)
{
    size_t n = weir_matcher_validate(w->matcher, w->next, w->nnext);
    if (n < w->nnext && has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, n);
    return SAID_ANSWER;
}

static Said call_drafts(World *w, Answer *a)
{
    int32_t rows[17 * WORDS];
    size_t n =
        weir_matcher_fill_drafts(w->matcher, w->next, w->nnext, rows, WORDS);
    if (has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, n);
    for (uint32_t i = 0; i <= w->nnext; i++) answer_row(a, rows + i * WORDS);
    return SAID_ANSWER;
}

static Said call_tree(World *w, Answer *a)
{
    enum { NODES = 6 };
    int32_t rows[NODES * WORDS];
    uint32_t second = w->nnext > 1 ? w->next[1] : 0;
    uint32_t third = w->nnext > 2 ? w->next[2] : 0;
    uint32_t tokens[NODES] = {0, w->next[0], 7, second, 10, third};
    static const uint32_t parents[NODES] = {0, 0, 0, 1, 1, 3};
    weir_status status =
        weir_matcher_fill_tree(w->matcher, tokens, parents, NODES, rows, WORDS);
    if (status == WEIR_NO_MEMORY && breaker.fired) return SAID_NO_MEMORY;
    answer_number(a, status);
    for (uint32_t i = 0; i < NODES; i++) answer_row(a, rows + i * WORDS);
    return SAID_ANSWER;
}

static Said call_forced_bytes(World *w, Answer *a)
{
    char out[64];
    size_t n = weir_matcher_forced_bytes(w->matcher, out, sizeof out);
    if (has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, n);
    a->hash = fnv1a(a->hash, out, n);
    return SAID_ANSWER;
}

static Said call_forced_tokens(World *w, Answer *a)
{
    uint32_t ids[16];
    size_t n = weir_matcher_forced_tokens(w->matcher, ids, 16);
    if (has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, n);
    a->hash = fnv1a(a->hash, ids, n * sizeof *ids);
    return SAID_ANSWER;
}

static Said call_forced_retoken(World *w, Answer *a)
{
    uint32_t ids[16];
    size_t rollback;
    size_t n = weir_matcher_forced_retoken(w->matcher, ids, 16, &rollback);
    if (has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, n);
    answer_number(a, rollback);
    a->hash = fnv1a(a->hash, ids, n * sizeof *ids);
    return SAID_ANSWER;
}

static Said call_finish(World *w, Answer *a)
{
    uint32_t ids[64];
    size_t n = weir_matcher_finish_tokens(w->matcher, ids, 64);
    if (n == SIZE_MAX && breaker.fired) return SAID_NO_MEMORY;
    answer_number(a, n);
    assert_true(n <= 64);
    a->hash = fnv1a(a->hash, ids, n * sizeof *ids);
    return SAID_ANSWER;
}

static Said call_explain(World *w, Answer *a)
{
    char text[1024];
    for (uint32_t id = 0; id < TOKENS; id += 3)
        weir_matcher_explain(w->matcher, id, text, sizeof text);
    size_t n = weir_matcher_explain(w->matcher, UINT32_MAX, text, sizeof text);
    assert_true(memchr(text, 0, sizeof text) != NULL);
    if (breaker.fired) return SAID_NO_MEMORY; /* words may be missing */
    a->hash = fnv1a(a->hash, text, n);
    return SAID_ANSWER;
}

static Said call_import(World *w, Answer *a)
{
    weir_bytes state = {w->state, w->state_size};
    weir_status status = weir_matcher_import(w->matcher, state);
    if (status == WEIR_NO_MEMORY && breaker.fired) return SAID_NO_MEMORY;
    answer_number(a, status);
    return SAID_ANSWER;
}

static Said call_batch(World *w, Answer *a)
{
    int32_t rows[2 * WORDS];
    weir_fill fills[2];
    weir_accept accepts[2];
    weir_matcher *both[2] = {w->matcher, NULL};
    uint32_t ids[2] = {w->next[0], 0};
    assert_int_equal(weir_batch_fill(NULL, both, 2, NULL, rows, WORDS, fills),
                     WEIR_OK);
    if (fills[0] == WEIR_FILL_ERROR && has_no_memory(w)) return SAID_NO_MEMORY;
    answer_number(a, fills[0]);
    answer_row(a, rows);
    answer_row(a, rows + WORDS);
    assert_int_equal(weir_batch_accept(NULL, both, ids, 2, accepts), WEIR_OK);
    if (accepts[0] == WEIR_ACCEPT_ERROR && has_no_memory(w))
        return SAID_NO_MEMORY;
    answer_number(a, accepts[0]);
    return SAID_ANSWER;
}

/* No step back and no start needs memory. */
static Said call_back(World *w, Answer *a)
{
    size_t steps = weir_matcher_steps(w->matcher);
    assert_int_equal(weir_matcher_rollback(w->matcher, steps / 2), WEIR_OK);
    assert_int_equal(weir_matcher_steps(w->matcher), steps - steps / 2);
    weir_matcher_reset(w->matcher);
    assert_int_equal(weir_matcher_steps(w->matcher), 0);
    assert_false(breaker.fired);
    answer_number(a, steps);
    return SAID_ANSWER;
}

typedef struct Call {
    const char *name;
    Said (*run)(World *w, Answer *a);
    bool moves; /* where the matcher is afterwards is a part of the answer */
} Call;

static const Call calls[] = {
    {"new", call_new, false},
    {"accept", call_accept, true},
    {"accept_bytes", call_accept_bytes, true},
    {"accept, refused", call_refused, true},
    {"fill", call_fill, false},
    {"mask", call_mask, false},
    {"mask again", call_mask_again, false},
    {"allows", call_allows, false},
    {"flags", call_flags, false},
    {"fork", call_fork, false},
    {"validate", call_validate, false},
    {"fill_drafts", call_drafts, false},
    {"fill_tree", call_tree, false},
    {"forced_bytes", call_forced_bytes, false},
    {"forced_tokens", call_forced_tokens, false},
    {"forced_retoken", call_forced_retoken, false},
    {"finish_tokens", call_finish, false},
    {"explain", call_explain, false},
    {"import", call_import, true},
    {"batch", call_batch, true},
    {"rollback and reset", call_back, true},
};

/* What the call gives with memory. */
static Answer answer_of(const Call *call, const Scene *scene, Answer *before)
{
    World w;
    Answer a = {FNV_SEED};
    *before = a;
    world_open(&w, scene);
    if (call->run == call_import) world_export(&w);
    assert_int_equal(call->run(&w, &a), SAID_ANSWER);
    if (call->moves) answer_place(&a, w.matcher);
    world_close(&w);
    world_open(&w, scene);
    answer_place(before, w.matcher);
    world_close(&w);
    return a;
}

/* What was wrong: printed once a call and scene, counted always. */
static size_t faults;

static void fault(const char *scene, const char *call, const char *what)
{
    static const char *last_scene, *last_call;
    faults++;
    if (scene == last_scene && call == last_call) return;
    print_message("%s, %s, allocation %zu%s: %s\n", scene, call, breaker.at,
                  breaker.only ? " alone" : " and later", what);
    last_scene = scene;
    last_call = call;
}

/* WEIR_FULL=1: every one; else fewer and fewer of the later ones. */
static size_t next_failure(size_t at)
{
    enum { ALL = 100 };
    const char *full = getenv("WEIR_FULL");
    if (full && *full && strcmp(full, "0") != 0) return at + 1;
    return at < ALL ? at + 1 : at + at / 25;
}

/* One failure. False when the call no longer meets it. */
static bool sweep_once(const Call *call, const Scene *scene, Answer want,
                       Answer before)
{
    World w;
    size_t at = breaker.at;
    bool only = breaker.only;
    Answer got = {FNV_SEED}, place = {FNV_SEED}, again = {FNV_SEED};
    world_open(&w, scene);
    if (call->run == call_import) world_export(&w);
    uint64_t generation = weir_matcher_generation(w.matcher);
    breaker_set(at, only);
    Said said = call->run(&w, &got);
    bool fired = breaker.fired;
    uint64_t generation_after = weir_matcher_generation(w.matcher);
    breaker_set(0, false);
    if (said == SAID_ANSWER && call->moves) answer_place(&got, w.matcher);
    const char *what = NULL;
    if (said == SAID_ANSWER && got.hash != want.hash) what = "another answer";
    if (said == SAID_NO_MEMORY && call->run != call_batch) {
        answer_place(&place, w.matcher);
        if (place.hash != before.hash || generation != generation_after)
            what = "the matcher has moved";
        else if (call->run(&w, &again) != SAID_ANSWER)
            what = "no memory afterwards";
        if (call->moves && !what) answer_place(&again, w.matcher);
        if (!what && again.hash != want.hash)
            what = "another answer afterwards";
    }
    breaker_set(at, only);
    if (what) fault(scene->name, call->name, what);
    breaker_set(0, false);
    world_close(&w);
    breaker_set(at, only);
    return fired;
}

static void calls_on_a_matcher(void **state)
{
    (void)state;
    size_t runs = 0;
    faults = 0;
    for (size_t i = 0; i < COUNT_OF(scenes); i++)
        for (size_t j = 0; j < COUNT_OF(calls); j++)
            for (int only = 0; only < 2; only++) {
                Answer before;
                Answer want = answer_of(&calls[j], &scenes[i], &before);
                for (size_t at = 1;; at = next_failure(at), runs++) {
                    breaker_set(at, only);
                    if (!sweep_once(&calls[j], &scenes[i], want, before)) break;
                }
            }
    print_message("%zu failures of memory\n", runs);
    assert_int_equal(faults, 0);
}

/* ---- makers ---- */

/* What a maker may use; made with memory. */
typedef struct Tools {
    weir_vocab *vocab;
    weir_grammar *parts[3];
    weir_compiler *compiler;
} Tools;

static weir_grammar *compile(Tools *t, weir_source_kind kind,
                             const char *source, const weir_compile_opts *opts,
                             weir_error *err)
{
    return weir_grammar_compile(t->vocab, kind, bytes_of(source), opts, err);
}

static bool grammar_done(weir_grammar *g)
{
    weir_grammar_free(g);
    return g != NULL;
}

static bool make_vocab(Tools *t, weir_error *err)
{
    (void)t;
    weir_vocab *v = vocab_new(err);
    weir_vocab_free(v);
    return v != NULL;
}

static const char tokenizer[] =
    "{\"added_tokens\": [{\"id\": 0, \"content\": \"<unk>\", \"special\": "
    "true}, {\"id\": 6, \"content\": \"<end>\", \"special\": false}], "
    "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false, "
    "\"use_regex\": true}, \"decoder\": {\"type\": \"ByteLevel\"}, \"model\": "
    "{\"type\": \"BPE\", \"vocab\": {\"<unk>\": 0, \"a\": 1, \"b\": 2, \"c\": "
    "3, \"ab\": 4, \"\u0120a\": 5}, \"merges\": [\"a b\"]}}";

static bool make_vocab_file(Tools *t, weir_error *err)
{
    (void)t;
    weir_vocab *v = weir_vocab_load(&env, bytes_of(tokenizer), NULL, err);
    weir_vocab_free(v);
    return v != NULL;
}

/* Tests run in the source folder. */
static bool make_vocab_path(Tools *t, weir_error *err)
{
    (void)t;
    const char *path = "fuzz/seeds/vocab/byte_level.json";
    weir_vocab *v = weir_vocab_load_file(&env, path, NULL, err);
    weir_vocab_free(v);
    return v != NULL;
}

static bool make_json(Tools *t, weir_error *err)
{
    return grammar_done(compile(t, WEIR_JSON_VALUE, "", NULL, err));
}

static bool make_json_layout(Tools *t, weir_error *err)
{
    weir_compile_opts opts = {.size = sizeof opts};
    opts.space.kind = WEIR_SPACE_FIXED;
    opts.space.indent = 2;
    return grammar_done(compile(t, WEIR_JSON_OBJECT, "", &opts, err));
}

static bool make_json_pattern(Tools *t, weir_error *err)
{
    weir_compile_opts opts = {.size = sizeof opts};
    opts.space.kind = WEIR_SPACE_REGEX;
    opts.space.pattern = bytes_of("( |\\n){0,3}");
    return grammar_done(compile(t, WEIR_JSON_OBJECT, "", &opts, err));
}

static bool make_regex(Tools *t, weir_error *err)
{
    const char *pattern = "(a|bc)*[^a-c\\d]{2,9}\\p{Lu}?(x|y|zz){1,300}";
    return grammar_done(compile(t, WEIR_REGEX, pattern, NULL, err));
}

static bool make_regex_assertions(Tools *t, weir_error *err)
{
    const char *pattern = "(?=.*\\d)(?!ab)[a-z\\d]+\\b(?<!x)( \\w+)?$";
    weir_compile_opts opts = {.size = sizeof opts, .ignore_case = true};
    return grammar_done(compile(t, WEIR_REGEX, pattern, &opts, err));
}

static bool make_ebnf(Tools *t, weir_error *err)
{
    return grammar_done(compile(t, WEIR_EBNF, scenes[5].source, NULL, err));
}

static bool make_ebnf_left(Tools *t, weir_error *err)
{
    const char *text =
        "# indirect, hidden behind what may be empty\n"
        "root ::= a | none root \"!\"\na ::= b \"x\" | \"c\"{2,5}\n"
        "b ::= a \"y\" | none\nnone ::= \"\" | \" \"*\n";
    return grammar_done(compile(t, WEIR_EBNF, text, NULL, err));
}

static bool make_ebnf_tokens(Tools *t, weir_error *err)
{
    return grammar_done(compile(t, WEIR_EBNF, scenes[7].source, NULL, err));
}

static bool make_ebnf_tags(Tools *t, weir_error *err)
{
    const char *text = "root ::= TagDispatch((\"<a>\", x), (\"<ab>\", x), "
                       "loop_after_dispatch=true)\nx ::= [0-9]+ \"</a>\"\n";
    return grammar_done(compile(t, WEIR_EBNF, text, NULL, err));
}

static bool make_tag_of(Tools *t, const char *scene, weir_error *err)
{
    size_t i = 0;
    while (strcmp(scenes[i].name, scene) != 0) i++;
    return grammar_done(
        compile(t, WEIR_STRUCTURAL_TAG, scenes[i].source, NULL, err));
}

static bool make_tag(Tools *t, weir_error *err)
{
    return make_tag_of(t, "structural tag", err);
}

static bool make_tag_others(Tools *t, weir_error *err)
{
    return make_tag_of(t, "structural tag, others", err);
}

static bool make_gbnf(Tools *t, weir_error *err)
{
    const char *text = "root ::= (a | \"b\"{2,3})* [^x-z\\n] <[3]> .\n"
                       "a ::= root? \"a\"\na ::= \"c\" root\n";
    return grammar_done(compile(t, WEIR_GBNF, text, NULL, err));
}

static bool make_lark(Tools *t, weir_error *err)
{
    const char *text =
        "%import common.INT\n%ignore \" \"\n"
        "start: a b? INT <[3]> %regex {\"substring_words\": \"x yz\"}\n"
        "a[capture, suffix=\";\"]: A | \"k\"i\n"
        "b: \"(\" start? \")\" | /[a-c]/~2..3\nA: /[a-z]*/ & ~/a(bc)*/\n";
    return grammar_done(compile(t, WEIR_LARK, text, NULL, err));
}

static bool make_lark_rivals(Tools *t, weir_error *err)
{
    const char *text = "start: (f | g)* TEXT\nTEXT: /(.|\\n)*/\n"
                       "f: h \"=f\"\ng: h \"=g\" | i \"b<c\"\n"
                       "h[lazy]: TEXT \"<\"\ni[stop=\"b\"]: /[ab]*/\n";
    return grammar_done(compile(t, WEIR_LARK, text, NULL, err));
}

/* Parts in other languages, by name too, and a rule with a parameter. */
static bool make_lark_parts(Tools *t, weir_error *err)
{
    const char *text = "start: p::0 | %json {\"type\": \"integer\"} @g @g\n"
                       "p::_: \"a\" p::incr([0:2]) %if lt([0:2], 3) | @g\n";
    const weir_named_grammar named = {
        bytes_of("g"), WEIR_LARK,
        bytes_of("start: \"g\" %lark {\nstart: \"x\"\n}\n")};
    weir_compile_opts opts = {
        .size = sizeof opts, .grammars = &named, .grammar_count = 1};
    return grammar_done(compile(t, WEIR_LARK, text, &opts, err));
}

/* A vocabulary, a grammar and masks of the dialect. */
static bool make_gbnf_dialect(Tools *t, weir_error *err)
{
    const char *text = "root ::= [^\xC3\xA9x] ((\"a\" | b)* | !<[3]>) [z-a]\n"
                       "b ::= (b2 \"x\"{1,4})+ \"b\"\nb2 ::= \"c\"?\n";
    weir_vocab_opts dialect = {.size = sizeof dialect,
                               .dialect = WEIR_DIALECT_LLAMA_CPP};
    weir_compile_opts opts = {.size = sizeof opts,
                              .dialect = WEIR_DIALECT_LLAMA_CPP};
    Tools own = *t;
    bool done = false;
    own.vocab = vocab_with(&dialect, err);
    weir_grammar *g =
        own.vocab ? compile(&own, WEIR_GBNF, text, &opts, err) : NULL;
    weir_matcher *m = g ? weir_matcher_new(g, NULL, err) : NULL;
    if (m) {
        int32_t row[WEIR_MASK_WORDS(1024)];
        done =
            weir_matcher_fill(m, row) != WEIR_FILL_ERROR &&
            weir_matcher_accept(m, weir_vocab_find(own.vocab, bytes_of("b"))) ==
                WEIR_ACCEPTED &&
            weir_matcher_fill(m, row) != WEIR_FILL_ERROR;
        if (!done) err->status = weir_matcher_error(m);
    }
    weir_matcher_free(m);
    weir_grammar_free(g);
    weir_vocab_free(own.vocab);
    return done;
}

static bool make_lazy(Tools *t, weir_error *err)
{
    const weir_bytes words[] = {bytes_of("never"), bytes_of("{\"")};
    const weir_bytes patterns[] = {bytes_of("(x*)[^a-c]{2,3}|\\bno$")};
    const uint32_t tokens[] = {3, 4};
    weir_lazy_opts opts = {.size = sizeof opts,
                           .words = words,
                           .word_count = 2,
                           .patterns = patterns,
                           .pattern_count = 1,
                           .tokens = tokens,
                           .token_count = 2};
    weir_lazy *l = weir_lazy_new(t->parts[0], &opts, err), *copy = NULL;
    bool done = l != NULL;
    static const char *const texts[] = {"a", "b", "{", "\""};
    for (size_t i = 0; done && i < COUNT_OF(texts); i++) {
        uint32_t id = weir_vocab_find(t->vocab, bytes_of(texts[i]));
        done = weir_lazy_accept(l, id) == WEIR_ACCEPTED;
    }
    done = done && (copy = weir_lazy_fork(l)) && !weir_lazy_rollback(copy, 3) &&
           weir_lazy_steps(copy) == 1;
    if (l && !done) err->status = WEIR_NO_MEMORY; /* told by the answers */
    weir_lazy_free(copy);
    weir_lazy_free(l);
    return done;
}

static bool make_choice(Tools *t, weir_error *err)
{
    const weir_bytes list[] = {
        bytes_of("abc"), bytes_of("ab"),       bytes_of(""),
        bytes_of("b\n"), bytes_of("\xC3\xA9"), bytes_of("bcccccccccccccccc")};
    return grammar_done(
        weir_grammar_choice(t->vocab, list, COUNT_OF(list), NULL, err));
}

static bool make_union(Tools *t, weir_error *err)
{
    return grammar_done(weir_grammar_union(t->parts, 3, err));
}

static bool make_concat(Tools *t, weir_error *err)
{
    return grammar_done(weir_grammar_concat(t->parts, 3, err));
}

static bool make_compiler(Tools *t, weir_error *err)
{
    weir_compiler *c = weir_compiler_new(t->vocab, NULL, err);
    if (!c) return false;
    bool done = true;
    for (int i = 0; i < 3 && done; i++)
        done = grammar_done(weir_compiler_compile(
            c, WEIR_EBNF, bytes_of(scenes[4 + i % 2].source), NULL, err));
    weir_compiler_free(c);
    return done;
}

/* The cache lives on: what failed in it is compiled when asked again. */
static bool make_cached(Tools *t, weir_error *err)
{
    weir_grammar *g = weir_compiler_compile(
        t->compiler, WEIR_EBNF, bytes_of(scenes[6].source), NULL, err);
    weir_compiler_clear(t->compiler);
    return grammar_done(g);
}

typedef struct Maker {
    const char *name;
    bool (*make)(Tools *t, weir_error *err);
} Maker;

static const Maker makers[] = {
    {"vocabulary", make_vocab},
    {"vocabulary from a file", make_vocab_file},
    {"vocabulary from a path", make_vocab_path},
    {"JSON", make_json},
    {"JSON, indented", make_json_layout},
    {"JSON, blanks by pattern", make_json_pattern},
    {"regex", make_regex},
    {"regex with assertions", make_regex_assertions},
    {"EBNF", make_ebnf},
    {"EBNF, left recursion", make_ebnf_left},
    {"EBNF, tokens", make_ebnf_tokens},
    {"EBNF, tags", make_ebnf_tags},
    {"structural tag", make_tag},
    {"structural tag, others", make_tag_others},
    {"GBNF", make_gbnf},
    {"GBNF of llama.cpp", make_gbnf_dialect},
    {"Lark", make_lark},
    {"Lark, what ends early", make_lark_rivals},
    {"Lark, parts", make_lark_parts},
    {"lazy", make_lazy},
    {"choice", make_choice},
    {"union", make_union},
    {"concat", make_concat},
    {"compiler", make_compiler},
    {"cached", make_cached},
};

static void tools_open(Tools *t)
{
    weir_error err;
    breaker_set(0, false);
    t->vocab = vocab_new(&err);
    assert_non_null(t->vocab);
    for (int i = 0; i < 3; i++) {
        const Scene *s = &scenes[i == 0 ? 1 : i + 3];
        t->parts[i] = compile(t, s->kind, s->source, NULL, &err);
        assert_non_null(t->parts[i]);
    }
    t->compiler = weir_compiler_new(t->vocab, NULL, &err);
    assert_non_null(t->compiler);
}

static void tools_close(Tools *t)
{
    breaker_set(0, false);
    for (int i = 0; i < 3; i++) weir_grammar_free(t->parts[i]);
    weir_compiler_free(t->compiler);
    weir_vocab_free(t->vocab);
    assert_int_equal(breaker.held, 0);
}

/* False when the maker no longer meets the failure. */
static bool make_once(const Maker *maker, Tools *t, size_t at, bool only)
{
    weir_error err = {.status = WEIR_OK};
    size_t held = breaker.held;
    breaker_set(at, only);
    bool done = maker->make(t, &err);
    bool fired = breaker.fired;
    const char *what = NULL;
    if (!done && err.status != WEIR_NO_MEMORY)
        what = err.status ? err.message : "failed without a status";
    if (!done && !fired) what = "failed with memory";
    if (breaker.held != held) what = "bytes leak";
    if (what) fault("made", maker->name, what);
    breaker_set(0, false);
    return fired;
}

static void makers_fail_cleanly(void **state)
{
    (void)state;
    Tools t;
    size_t runs = 0;
    faults = 0;
    for (size_t i = 0; i < COUNT_OF(makers); i++)
        for (int only = 0; only < 2; only++) {
            tools_open(&t);
            for (size_t at = 1; make_once(&makers[i], &t, at, only);
                 at = next_failure(at))
                runs++;
            tools_close(&t);
        }
    print_message("%zu failures of memory\n", runs);
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makers_fail_cleanly),
        cmocka_unit_test(calls_on_a_matcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
