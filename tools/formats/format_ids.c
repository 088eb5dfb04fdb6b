/* format_ids.c: uuid (RFC 4122), json-pointer (RFC 6901), relative-json-pointer. */
#include "formats/format_make.h"

const Dfa *make_uuid(LangCtx *ctx)
{
    return pattern(ctx, "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");
}

#define POINTER "(?:/(?:[^~/]|~[01])*)*"

const Dfa *make_json_pointer(LangCtx *ctx)
{
    return pattern(ctx, POINTER);
}

const Dfa *make_relative_json_pointer(LangCtx *ctx)
{
    return pattern(ctx, "(?:0|[1-9]\\d*)(?:#|" POINTER ")");
}
