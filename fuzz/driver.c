/* driver.c: runs a fuzz target without libFuzzer, as an ordinary test.
 *
 * In:    files or folders of seeds; options -n mutations a seed (200), -s seed
 *        of the random numbers (1), -v to name every input before it runs,
 *        -o FILE to write it there before it runs.
 * Out:   exit code 0 when the target returned from every input. A failure is
 *        the target's own abort or a sanitizer's report: run again with -o
 *        FILE, and FILE holds the input; the order never changes.
 * Method: each seed is run as it is, then as mutated copies: flipped bits,
 *        odd values, cut, doubled and moved pieces, pieces of other seeds.
 *        Every input lies in a block of its exact size, so that the address
 *        sanitizer sees one byte too far. Seeds run in order of their names.
 * Cost:  a large seed gets fewer mutations: MAX_WORK bytes for each seed.
 * Tests: every fuzz target is run by it.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_SEED = 1 << 24, /* bytes of one file */
    MAX_WORK = 1 << 24, /* bytes run for one seed's mutations */
    MAX_STEPS = 6,      /* changes in one mutation */
    MAX_PIECE = 64,     /* bytes moved by one change */
    MAX_PATH = 4096
};

typedef struct Input {
    char *name;
    uint8_t *at;
    size_t size;
} Input;

typedef struct Driver {
    Input *seeds;
    size_t count, cap;
    uint64_t random;
    unsigned long mutations, ran;
    const char *kept; /* where each input is written, or NULL */
    bool verbose;
} Driver;

static void *must(void *p)
{
    if (p) return p;
    fprintf(stderr, "driver: out of memory\n");
    exit(2);
}

/* splitmix64 */
static uint64_t next_random(Driver *d)
{
    uint64_t z = d->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In [0, n); 0 when n is 0. */
static size_t below(Driver *d, size_t n)
{
    return n ? (size_t)(next_random(d) % n) : 0;
}

/* ---- seeds ------------------------------------------------------------ */

/* Takes the seed's bytes, copies its name. */
static void add_seed(Driver *d, Input seed)
{
    if (d->count == d->cap) {
        d->cap = d->cap ? d->cap * 2 : 16;
        d->seeds = must(realloc(d->seeds, d->cap * sizeof *d->seeds));
    }
    size_t length = strlen(seed.name) + 1;
    d->seeds[d->count] = seed;
    d->seeds[d->count].name = must(malloc(length));
    memcpy(d->seeds[d->count++].name, seed.name, length);
}

static bool read_file(Driver *d, char *path, off_t length)
{
    if (length < 0 || length > MAX_SEED) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t size = (size_t)length;
    uint8_t *at = must(malloc(size ? size : 1));
    bool whole = fread(at, 1, size, file) == size;
    fclose(file);
    if (whole)
        add_seed(d, (Input){path, at, size});
    else
        free(at);
    return whole;
}

static bool read_path(Driver *d, char *path);

static bool read_folder(Driver *d, const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return false;
    bool all = true;
    for (struct dirent *e; (e = readdir(dir));) {
        char inner[MAX_PATH];
        if (e->d_name[0] == '.') continue;
        int n = snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        all &= n > 0 && n < MAX_PATH && read_path(d, inner);
    }
    closedir(dir);
    return all;
}

static bool read_path(Driver *d, char *path)
{
    struct stat info;
    bool ok = !stat(path, &info) &&
              (S_ISDIR(info.st_mode) ? read_folder(d, path)
                                     : read_file(d, path, info.st_size));
    if (!ok) fprintf(stderr, "driver: cannot read %s\n", path);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Input *)a)->name, ((const Input *)b)->name);
}

/* ---- mutations -------------------------------------------------------- */

/* A text under change; room for MAX_STEPS insertions of MAX_PIECE bytes. */
typedef struct Draft {
    uint8_t *at;
    size_t size;
} Draft;

static void draft_insert(Draft *t, size_t pos, const uint8_t *piece, size_t n)
{
    uint8_t copy[MAX_PIECE];
    memcpy(copy, piece, n);
    memmove(t->at + pos + n, t->at + pos, t->size - pos);
    memcpy(t->at + pos, copy, n);
    t->size += n;
}

static void draft_remove(Draft *t, size_t pos, size_t n)
{
    memmove(t->at + pos, t->at + pos + n, t->size - pos - n);
    t->size -= n;
}

/* A piece of `text`: where it begins, and how long it may be. */
static size_t piece_of(Driver *d, const uint8_t *text, size_t size,
                       const uint8_t **piece)
{
    size_t pos = below(d, size), most = size - pos;
    *piece = text + pos;
    return most ? 1 + below(d, most < MAX_PIECE ? most : MAX_PIECE) : 0;
}

static void change_byte(Driver *d, Draft *t, unsigned how)
{
    static const uint8_t odd[] = {0,    1,    '\t', '\n', ' ',  '"',  '\\',
                                  '{',  '}',  '[',  ']',  '(',  ')',  '*',
                                  '0',  '9',  0x7F, 0x80, 0xBF, 0xC0, 0xE2,
                                  0xED, 0xEF, 0xF4, 0xF5, 0xFE, 0xFF};
    if (!t->size) return;
    uint8_t *byte = &t->at[below(d, t->size)];
    if (how == 0)
        *byte ^= (uint8_t)(1u << below(d, 8));
    else if (how == 1)
        *byte = odd[below(d, sizeof odd)];
    else
        *byte = (uint8_t)next_random(d);
}

static void change(Driver *d, Draft *t)
{
    const uint8_t *piece;
    size_t n, pos = below(d, t->size + 1);
    unsigned how = (unsigned)below(d, 8);
    switch (how) {
    case 3:
        n = piece_of(d, t->at, t->size, &piece);
        draft_remove(t, (size_t)(piece - t->at), n);
        break;
    case 4:
        t->size = pos;
        break;
    case 5:
    case 6:
        n = piece_of(d, t->at, t->size, &piece);
        draft_insert(t, pos, piece, n);
        break;
    case 7: {
        const Input *other = &d->seeds[below(d, d->count)];
        n = piece_of(d, other->at, other->size, &piece);
        draft_insert(t, pos, piece, n);
        break;
    }
    default:
        change_byte(d, t, how);
        break;
    }
}

/* ---- running ---------------------------------------------------------- */

static void keep_input(const char *path, const uint8_t *at, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(at, 1, size, file) == size;
    if (file) ok &= !fclose(file);
    if (ok) return;
    fprintf(stderr, "driver: cannot write %s\n", path);
    exit(2);
}

/* The exact-size copy is what lets a sanitizer see an overrun. */
static void run(Driver *d, const char *name, unsigned long number,
                const uint8_t *at, size_t size)
{
    uint8_t *exact = must(malloc(size ? size : 1));
    memcpy(exact, at, size);
    if (d->verbose) {
        fprintf(stderr, "%s mutation %lu: %zu bytes\n", name, number, size);
        fflush(stderr);
    }
    if (d->kept) keep_input(d->kept, at, size);
    LLVMFuzzerTestOneInput(size ? exact : exact + 1, size);
    free(exact);
    d->ran++;
}

static void run_mutations(Driver *d, const Input *seed)
{
    size_t room = seed->size + (size_t)MAX_STEPS * MAX_PIECE;
    uint8_t *space = must(malloc(room));
    unsigned long fit = (unsigned long)(MAX_WORK / room) + 1;
    unsigned long count = d->mutations < fit ? d->mutations : fit;
    for (unsigned long i = 1; i <= count; i++) {
        Draft draft = {space, seed->size};
        memcpy(space, seed->at, seed->size);
        for (size_t n = 1 + below(d, MAX_STEPS); n > 0; n--) change(d, &draft);
        run(d, seed->name, i, draft.at, draft.size);
    }
    free(space);
}

static bool read_arguments(Driver *d, int argc, char **argv)
{
    bool ok = true;
    for (int i = 1; i < argc; i++) {
        bool last = i + 1 == argc;
        if (!strcmp(argv[i], "-v"))
            d->verbose = true;
        else if (!strcmp(argv[i], "-n") && !last)
            d->mutations = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-o") && !last)
            d->kept = argv[++i];
        else if (!strcmp(argv[i], "-s") && !last)
            d->random = strtoull(argv[++i], NULL, 10);
        else
            ok &= read_path(d, argv[i]);
    }
    return ok;
}

int main(int argc, char **argv)
{
    Driver d = {.mutations = 200, .random = 1};
    if (!read_arguments(&d, argc, argv)) return 2;
    printf("seed %llu, %zu files\n", (unsigned long long)d.random, d.count);
    fflush(stdout);
    char none[] = "";
    add_seed(&d, (Input){none, must(malloc(1)), 0});
    qsort(d.seeds, d.count, sizeof *d.seeds, by_name);
    for (size_t i = 0; i < d.count; i++)
        run(&d, d.seeds[i].name, 0, d.seeds[i].at, d.seeds[i].size);
    for (size_t i = 0; i < d.count; i++) run_mutations(&d, &d.seeds[i]);
    for (size_t i = 0; i < d.count; i++) {
        free(d.seeds[i].name);
        free(d.seeds[i].at);
    }
    free(d.seeds);
    printf("ran %lu inputs\n", d.ran);
    return 0;
}
