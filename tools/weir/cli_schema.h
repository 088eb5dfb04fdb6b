/* cli_schema.h: JSON Schemas for the commands: their options, and the
 * documents below a folder, which schemas may refer to. */
#ifndef TOOLS_WEIR_CLI_SCHEMA_H
#define TOOLS_WEIR_CLI_SCHEMA_H

#include "base/arena.h"
#include "weir/args.h"
#include "weir/cli_input.h"
#include "weir/weir.h"

/* Documents, with their texts and names. */
typedef struct Documents {
    const Mem *mem;
    Arena texts;
    VEC(weir_document) list;
} Documents;

void documents_init(Documents *d, const Mem *mem);
void documents_free(Documents *d);
/* Adds every *.json below the folder, in the order of their paths: as `base`
 * with the path below the folder after it and, if `base` is empty, also as
 * what the document's own $id says. False after a message. */
bool documents_add(Documents *d, const char *folder, const char *base);
/* The document that a pointer with its URI in front leads to, or NULL. URIs of
 * `documents_add` end in NUL. */
const weir_document *document_at(const weir_schema_opts *opts,
                                 const char *pointer);

/* "7", "draft7", "2020-12" ...; false: text is none. */
bool draft_parse(const char *text, weir_draft *draft);
/* The message that --draft is none. Returns 2. */
int draft_error(const Args *args);

/* A schema, or a structural tag, with all that compiling it needs. */
typedef struct SchemaSource {
    FileBytes file;
    Documents documents;
    const char *name; /* what messages call it */
    weir_bytes text;
    weir_compile_opts opts;
} SchemaSource;

/* The text of --schema or --structural-tag: what it is itself when it begins
 * with a brace, else that of the file; the options of a schema added to `opts`;
 * the documents of --schema-dir. 0, or 2 after a message; to be freed in any
 * case. */
int schema_read(SchemaSource *s, const Args *args,
                const weir_compile_opts *opts);
void schema_free(SchemaSource *s, const Mem *mem);

#endif
