/* cli_input.c: opening and reading inputs, "-" being standard input.
 * Tests: tests/cli/cli_test.py. */
#include "weir/cli_input.h"

#include <errno.h>
#include <sys/stat.h>

#include "weir/cli_report.h"

static bool is_stdin(const char *path)
{
    return !strcmp(path, "-");
}

const char *input_name(const char *path)
{
    return is_stdin(path) ? "standard input" : path;
}

FILE *input_open(const char *path)
{
    struct stat info;
    FILE *file = is_stdin(path) ? stdin : fopen(path, "rb");
    if (!file) {
        report_failure("cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    if (!fstat(fileno(file), &info) && S_ISDIR(info.st_mode)) {
        report_failure("cannot read '%s': it is a folder", path);
        input_close(file);
        return NULL;
    }
    return file;
}

void input_close(FILE *file)
{
    if (file && file != stdin) fclose(file);
}

bool input_read(const Mem *mem, const char *path, FileBytes *bytes)
{
    enum { CHUNK = 1 << 16 };
    FILE *file = input_open(path);
    if (!file) return false;
    bool ok = true;
    size_t got = 1;
    while (ok && got) {
        ok = vec_reserve(mem, bytes, (size_t)bytes->count + CHUNK);
        if (!ok) break;
        got = fread(bytes->at + bytes->count, 1, CHUNK, file);
        bytes->count += (uint32_t)got;
    }
    if (!ok)
        report_failure("cannot read '%s': out of memory", input_name(path));
    else if (ferror(file))
        ok = (report_failure("cannot read '%s': %s", input_name(path),
                             strerror(errno)),
              false);
    input_close(file);
    return ok;
}
