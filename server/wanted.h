/* wanted.h: a request, read: its constraint, its settings, its prompts.
 *
 * Everything that can be wrong with a request is found here, on the thread of
 * its connection, before the scheduler hears of it.
 */
#ifndef SERVER_WANTED_H
#define SERVER_WANTED_H

#include "server/service.h"

typedef struct Wanted {
    Service *service; /* borrowed */
    weir_endpoint endpoint;
    Conversation conversation;
    weir_constraint *constraint;
    weir_constraint_info info;
    weir_grammar *grammar; /* NULL: free text */
    weir_settings *settings;
    weir_settings_info how;
    weir_family family;
    weir_reasoning reasoning;
    weir_bytes prefill; /* what the matcher takes first */
    weir_bytes *texts;  /* of the prompts, to be told again; or NULL */
} Wanted;

/* `request` is borrowed until wanted_close, which follows in any case. False:
 * the refusal tells. A request that only loads the model (conversation.is_load)
 * has nothing but its conversation. */
bool wanted_read(Wanted *w, Service *s, weir_endpoint endpoint,
                 weir_bytes request, weir_refusal *refusal);
/* The constraint alone, of a request that need not say anything else. */
bool wanted_read_constraint(Wanted *w, Service *s, weir_endpoint endpoint,
                            weir_bytes request, weir_refusal *refusal);
void wanted_close(Wanted *w);

#endif
