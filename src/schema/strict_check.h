/* strict_check.h: what OpenAI's structured outputs would refuse. */
#ifndef WEIR_SCHEMA_STRICT_CHECK_H
#define WEIR_SCHEMA_STRICT_CHECK_H

#include "schema/source.h"

/* A warning with its place for each thing in the main document that a request
 * with "strict": true would be refused for. None: it would be taken. */
void openai_strict_check(Sources *s);

#endif
