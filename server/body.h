/* body.h: the members of a request, and refusals that say where.
 *
 * A place is both: the JSON pointer of a value ("/messages/0/content") and the
 * form that OpenAI's param has of it ("messages[0].content"). Of several
 * faults the first is told.
 */
#ifndef SERVER_BODY_H
#define SERVER_BODY_H

#include "base/arena.h"
#include "text/json.h"
#include "weir/weir.h"

typedef struct Body {
    Json json;
    weir_refusal *refusal; /* borrowed */
} Body;

typedef struct Place {
    char pointer[96], param[96]; /* cut when longer */
} Place;

/* Reads the text of a request, which is borrowed. Once it is open, whom the
 * refusal is for is set. False: it is no JSON object, or memory is out.
 * body_close in any case. */
bool body_open(Body *f, const Mem *mem, weir_bytes text, weir_profile profile,
               weir_endpoint endpoint, weir_refusal *refusal);
void body_close(Body *f);

static inline Place place_root(void)
{
    return (Place){"", ""};
}
Place place_member(const Place *at, const char *name);
Place place_item(const Place *at, uint32_t index);

/* "found ..., expected ...". Always false. `code`: OpenAI's, static. */
bool body_refuse(Body *f, JsonId at, const Place *place, const char *code,
                 const char *format, ...) PRINTF_LIKE(5, 6);
bool body_refuse_kind(Body *f, JsonId at, const Place *place,
                      const char *expected);
bool body_no_memory(Body *f);

/* A member; JSON_NONE when it is absent, or null. */
JsonId body_get(const Body *f, JsonId object, const char *name);
/* One that is a string, empty when absent; one that is true or false, as it
 * was when absent. False after a refusal. */
bool body_text(Body *f, JsonId object, const Place *place, const char *name,
               weir_bytes *text);
bool body_flag(Body *f, JsonId object, const Place *place, const char *name,
               bool *flag);

static inline weir_bytes bytes_of(Span span)
{
    return (weir_bytes){(const char *)span.at, span.size};
}

#endif
