/* weir_status.c: version, status names, places in a source, option checks. */
#include "api/objects.h"
#include "base/diag.h"

#define STR_(x) #x
#define STR(x) STR_(x)

const char *weir_version(void)
{
    return STR(WEIR_VERSION_MAJOR) "." STR(WEIR_VERSION_MINOR) "." STR(
        WEIR_VERSION_PATCH);
}

const char *weir_status_name(weir_status status)
{
    switch (status) {
#define X(name, number, text) \
    case WEIR_##name:         \
        return #name;
        WEIR_STATUS_LIST(X)
#undef X
    }
    return "UNKNOWN";
}

const char *weir_status_text(weir_status status)
{
    switch (status) {
#define X(name, number, text) \
    case WEIR_##name:         \
        return text;
        WEIR_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

void weir_line_column(weir_bytes source, uint32_t offset, uint32_t *line,
                      uint32_t *column)
{
    size_t end = MIN(source.size, (size_t)offset), start = 0;
    *line = 1;
    for (size_t i = 0; i < end; i++)
        if (source.data[i] == '\n') {
            start = i + 1;
            ++*line;
        }
    *column = (uint32_t)(end - start) + 1;
}

bool opts_known(const void *given, uint32_t given_size, size_t our_size,
                weir_error *err)
{
    const uint8_t *bytes = given;
    if (given_size < sizeof(uint32_t))
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found an option struct whose size is not set");
    for (size_t i = our_size; i < given_size; i++)
        if (bytes[i])
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "found an option that this version lacks");
    return true;
}
