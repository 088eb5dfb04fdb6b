/* weir_compiler.c: a cache of compiled grammars for one vocabulary.
 *
 * Key: kind, source and every option that has a meaning, as bytes. Whoever
 * asks first compiles, outside the lock; others with the same key wait for the
 * result (single flight). Failures are kept like grammars, but for a lack of
 * memory, which may pass. Entries are held in order of use; when their bytes
 * pass the limit the oldest go, unless someone still waits for them; one that
 * alone passes it is not kept, and drives no other out.
 * Grammars grow while outputs are read with them, so bytes are counted anew: of
 * one that is asked for again, and with each compilation of those asked for
 * last and, in turns, of all others. What they grow by before that has a
 * sixteenth of the limit.
 * Tests: unit/compiler_test.c, prop/threads_test.c.
 */
#include "api/grammar.h"
#include "api/objects.h"
#include "base/diag.h"

#define DEFAULT_CACHE ((uint64_t)64 << 20)
enum {
    RECOUNT = 16, /* entries, with each compilation, twice */
    BUCKETS = 64  /* at first */
};

typedef struct Entry Entry;
struct Entry {
    Entry *newer, *older;
    Entry *next; /* of the same bucket */
    uint64_t hash;
    Span key;              /* owned */
    weir_grammar *grammar; /* NULL while compiling and after a failure */
    weir_error error;
    bool is_done;
    uint32_t waiting;
    size_t nbytes;
};

struct weir_compiler {
    Mem mem;
    weir_vocab *vocab;
    uint64_t max_bytes;
    Lock lock; /* of everything below */
    pthread_cond_t done;
    Entry *newest, *oldest;
    Entry **buckets;   /* by hash */
    uint32_t nbuckets; /* a power of two */
    Entry *hand;       /* the next one to be counted in its turn; or NULL */
    uint64_t hits, misses, entries, bytes;
};

weir_compiler *weir_compiler_new(weir_vocab *vocab,
                                 const weir_compiler_opts *given,
                                 weir_error *err)
{
    weir_error local;
    weir_compiler_opts opts = {.size = sizeof opts};
    err = error_begin(err, &local);
    if (given && !opts_known(given, given->size, sizeof opts, err)) return NULL;
    if (given) memcpy(&opts, given, MIN(given->size, sizeof opts));
    weir_compiler *c = mem_zero(&vocab->mem, sizeof *c);
    if (!c) return diag_no_memory(err), NULL;
    c->mem = vocab->mem;
    c->nbuckets = BUCKETS;
    c->buckets = mem_zero(&c->mem, BUCKETS * sizeof *c->buckets);
    if (!c->buckets) {
        mem_free(&vocab->mem, c, sizeof *c);
        return diag_no_memory(err), NULL;
    }
    c->vocab = weir_vocab_retain(vocab);
    c->max_bytes = opts.cache_bytes ? opts.cache_bytes : DEFAULT_CACHE;
    if (opts.cache_bytes == UINT64_MAX) c->max_bytes = 0;
    lock_init(&c->lock);
    pthread_cond_init(&c->done, NULL);
    return c;
}

/* ---- keys ---- */

typedef struct Key {
    const Mem *mem;
    VEC(uint8_t) text;
    bool failed;
} Key;

static void key_put(Key *key, const void *data, size_t nbytes)
{
    if (key->failed ||
        !vec_reserve(key->mem, &key->text, key->text.count + nbytes)) {
        key->failed = true;
        return;
    }
    if (nbytes) memcpy(key->text.at + key->text.count, data, nbytes);
    key->text.count += (uint32_t)nbytes;
}

static void key_number(Key *key, uint64_t n)
{
    key_put(key, &n, sizeof n);
}

/* Length first, so that two texts in a row cannot be read another way. */
static void key_text(Key *key, const char *data, size_t nbytes)
{
    key_number(key, nbytes);
    key_put(key, data, nbytes);
}

static void key_schema(Key *key, const weir_schema_opts *s)
{
    const bool flags[] = {
        s->any_order,        s->strict,     s->lenient,    s->annotate_formats,
        s->integer_fraction, s->any_escape, s->unique_keys};
    key_put(key, flags, sizeof flags);
    key_number(key, s->document_count);
    for (size_t i = 0; i < s->document_count; i++) {
        key_text(key, s->documents[i].uri.data, s->documents[i].uri.size);
        key_text(key, s->documents[i].text.data, s->documents[i].text.size);
    }
}

static void key_options(Key *key, const weir_compile_opts *o)
{
    const weir_space *s = &o->space;
    const weir_limits *l = &o->limits;
    const uint64_t numbers[] = {
        s->kind,       s->max_run,      s->indent,     l->max_source,
        l->max_depth,  l->max_rules,    l->max_states, l->max_work,
        l->max_memory, l->max_configs,  l->max_step,   o->ignore_case,
        o->dot_all,    o->schema.draft, o->dialect,    o->any_repeat,
    };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) key_number(key, numbers[i]);
    key_text(key, s->item_separator.data, s->item_separator.size);
    key_text(key, s->key_separator.data, s->key_separator.size);
    key_text(key, s->pattern.data, s->pattern.size);
    key_text(key, o->root, o->root ? strlen(o->root) : 0);
    key_schema(key, &o->schema);
    key_number(key, o->grammar_count);
    for (size_t i = 0; i < o->grammar_count; i++) {
        const weir_named_grammar *g = &o->grammars[i];
        key_text(key, g->name.data, g->name.size);
        key_number(key, g->kind);
        key_text(key, g->source.data, g->source.size);
    }
}

static bool key_make(Key *key, weir_source_kind kind, weir_bytes source,
                     const weir_compile_opts *given)
{
    weir_compile_opts o = {0};
    if (given) memcpy(&o, given, MIN(given->size, sizeof o));
    key_number(key, kind);
    key_options(key, &o);
    key_text(key, source.data, source.size);
    return !key->failed;
}

/* ---- entries, under the lock ---- */

static void entry_unlink(weir_compiler *c, Entry *e)
{
    if (c->hand == e) c->hand = e->older;
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    e->newer = e->older = NULL;
}

static void entry_link(weir_compiler *c, Entry *e)
{
    e->older = c->newest;
    if (c->newest) c->newest->newer = e;
    c->newest = e;
    if (!c->oldest) c->oldest = e;
}

/* Such an answer is for those who wait for it, not for later. */
static bool lacks_memory(const Entry *e)
{
    return e->error.status == WEIR_NO_MEMORY;
}

static Entry **bucket_of(weir_compiler *c, uint64_t hash)
{
    return &c->buckets[hash & (c->nbuckets - 1)];
}

static Entry *entry_find(weir_compiler *c, uint64_t hash, Span key)
{
    for (Entry *e = *bucket_of(c, hash); e; e = e->next)
        if (e->hash == hash && !lacks_memory(e) && span_equal(e->key, key))
            return e;
    return NULL;
}

/* Twice the buckets; without memory chains are longer. */
static void buckets_grow(weir_compiler *c)
{
    size_t count = (size_t)c->nbuckets * 2;
    Entry **fresh = mem_zero(&c->mem, count * sizeof *fresh);
    if (!fresh) return;
    mem_free(&c->mem, c->buckets, c->nbuckets * sizeof *c->buckets);
    c->buckets = fresh;
    c->nbuckets = (uint32_t)count;
    for (Entry *e = c->newest; e; e = e->older) {
        Entry **bucket = bucket_of(c, e->hash);
        e->next = *bucket;
        *bucket = e;
    }
}

static void bucket_add(weir_compiler *c, Entry *e)
{
    if (c->entries >= c->nbuckets) buckets_grow(c);
    Entry **bucket = bucket_of(c, e->hash);
    e->next = *bucket;
    *bucket = e;
}

static void bucket_remove(weir_compiler *c, const Entry *e)
{
    Entry **at = bucket_of(c, e->hash);
    while (*at != e) at = &(*at)->next;
    *at = e->next;
}

static Entry *entry_new(weir_compiler *c, uint64_t hash, const Key *key)
{
    Entry *e = mem_zero(&c->mem, sizeof *e);
    uint8_t *text = mem_new(&c->mem, key->text.count);
    if (!e || !text) {
        mem_free(&c->mem, e, sizeof *e);
        mem_free(&c->mem, text, key->text.count);
        return NULL;
    }
    memcpy(text, key->text.at, key->text.count);
    e->key = span_of(text, key->text.count);
    e->hash = hash;
    bucket_add(c, e);
    entry_link(c, e);
    c->entries++;
    return e;
}

static void entry_drop(weir_compiler *c, Entry *e)
{
    entry_unlink(c, e);
    bucket_remove(c, e);
    c->bytes -= e->nbytes;
    c->entries--;
    weir_grammar_free(e->grammar);
    mem_free(&c->mem, (void *)(uintptr_t)e->key.at, e->key.size);
    mem_free(&c->mem, e, sizeof *e);
}

static size_t entry_bytes(const Entry *e)
{
    size_t grammar = e->grammar ? grammar_memory(e->grammar) : 0;
    return sizeof *e + e->key.size + grammar;
}

static void entry_recount(weir_compiler *c, Entry *e)
{
    if (!e->is_done) return;
    c->bytes -= e->nbytes;
    e->nbytes = entry_bytes(e);
    c->bytes += e->nbytes;
}

/* The entries used last, and the next ones in turn. */
static void cache_recount(weir_compiler *c)
{
    Entry *e = c->newest;
    for (int i = 0; i < RECOUNT && e; i++, e = e->older) entry_recount(c, e);
    if (!c->hand) c->hand = e;
    for (int i = 0; i < RECOUNT && c->hand; i++) {
        entry_recount(c, c->hand);
        c->hand = c->hand->older;
    }
}

/* Drops the entry just used if it is worth nothing or larger than the whole
 * cache, then the oldest ones that nobody waits for until the rest fits. */
static void cache_trim(weir_compiler *c, Entry *used)
{
    uint64_t room = c->max_bytes - c->max_bytes / 16;
    bool is_useless = lacks_memory(used) || used->nbytes > room;
    if (is_useless && used->waiting) return; /* the last who waits drops it */
    if (is_useless) entry_drop(c, used);
    for (Entry *e = c->oldest, *next; e && c->bytes > room; e = next) {
        next = e->newer;
        if (e->is_done && !e->waiting) entry_drop(c, e);
    }
}

/* The result as the caller gets it. */
static weir_grammar *entry_take(Entry *e, weir_error *err)
{
    *err = e->error;
    return e->grammar ? weir_grammar_retain(e->grammar) : NULL;
}

/* Waits for another thread's compilation. */
static weir_grammar *entry_await(weir_compiler *c, Entry *e, weir_error *err)
{
    e->waiting++;
    while (!e->is_done) pthread_cond_wait(&c->done, &c->lock);
    e->waiting--;
    entry_unlink(c, e);
    entry_link(c, e);
    weir_grammar *g = entry_take(e, err);
    entry_recount(c, e);
    cache_trim(c, e);
    return g;
}

static weir_grammar *entry_finish(weir_compiler *c, Entry *e,
                                  weir_grammar *made, weir_error *err)
{
    e->grammar = made;
    e->error = *err;
    e->is_done = true;
    cache_recount(c); /* this one is the newest, or soon asked for */
    entry_recount(c, e);
    weir_grammar *g = entry_take(e, err);
    pthread_cond_broadcast(&c->done);
    cache_trim(c, e);
    return g;
}

static weir_grammar *compile_keyed(weir_compiler *c, const Key *key,
                                   weir_source_kind kind, weir_bytes source,
                                   const weir_compile_opts *opts,
                                   weir_error *err)
{
    Span text = span_of(key->text.at, key->text.count);
    uint64_t hash = hash_bytes(0, text.at, text.size);
    lock_take(&c->lock);
    Entry *e = entry_find(c, hash, text);
    weir_grammar *g = NULL;
    if (e) {
        c->hits++;
        g = entry_await(c, e, err);
    } else if (!(e = entry_new(c, hash, key))) {
        diag_no_memory(err);
    } else {
        c->misses++;
        lock_give(&c->lock);
        weir_grammar *made =
            weir_grammar_compile(c->vocab, kind, source, opts, err);
        lock_take(&c->lock);
        g = entry_finish(c, e, made, err);
    }
    lock_give(&c->lock);
    return g;
}

weir_grammar *weir_compiler_compile(weir_compiler *c, weir_source_kind kind,
                                    weir_bytes source,
                                    const weir_compile_opts *opts,
                                    weir_error *err)
{
    weir_error local;
    err = error_begin(err, &local);
    if (opts && !opts_known(opts, opts->size, sizeof *opts, err)) return NULL;
    Key key = {.mem = &c->mem};
    weir_grammar *g = NULL;
    if (key_make(&key, kind, source, opts))
        g = compile_keyed(c, &key, kind, source, opts, err);
    else
        diag_no_memory(err);
    vec_free(&c->mem, &key.text);
    return g;
}

void weir_compiler_clear(weir_compiler *c)
{
    lock_take(&c->lock);
    for (Entry *e = c->oldest, *next; e; e = next) {
        next = e->newer;
        if (e->is_done && !e->waiting) entry_drop(c, e);
    }
    lock_give(&c->lock);
}

void weir_compiler_free(weir_compiler *c)
{
    if (!c) return;
    Mem mem = c->mem;
    weir_vocab *vocab = c->vocab;
    weir_compiler_clear(c); /* nobody waits any more: all of it */
    lock_free(&c->lock);
    pthread_cond_destroy(&c->done);
    mem_free(&mem, c->buckets, c->nbuckets * sizeof *c->buckets);
    mem_free(&mem, c, sizeof *c);
    weir_vocab_free(vocab);
}

void weir_compiler_describe(weir_compiler *c, weir_compiler_stats *stats)
{
    lock_take(&c->lock);
    weir_compiler_stats all = {
        .size = stats->size,
        .hits = c->hits,
        .misses = c->misses,
        .entries = c->entries,
        .bytes = c->bytes,
    };
    lock_give(&c->lock);
    memcpy(stats, &all, MIN(stats->size, sizeof all));
}
