/* bench_lines.h: files of JSON values, one a line. */
#ifndef WEIR_BENCH_LINES_H
#define WEIR_BENCH_LINES_H

#include "text/json.h"
#include "weir/weir.h"

/* Calls use(user, line) for each line of a file that is not empty; the line is
 * gone afterwards. False: the file cannot be read, a line is no JSON, or `use`
 * has returned false: out of memory. */
bool lines_each(const Mem *mem, const char *path,
                bool (*use)(void *user, const Json *line), void *user,
                weir_error *err);

#endif
