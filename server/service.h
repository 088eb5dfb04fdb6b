/* service.h: what all routes of a server share. */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "base/thread.h"
#include "server/conversation.h"
#include "server/http.h"
#include "server/scheduler.h"
#include "server/serve.h"

/* Lets some in at once; others wait. */
typedef struct Gate {
    Lock lock;
    pthread_cond_t opens;
    uint32_t room;
} Gate;

typedef struct Service {
    ServeOpts opts;
    const Mem *mem;
    const EngineInfo *info;
    weir_vocab *vocab; /* the engine's */
    ChatModel chat;
    weir_compiler *compiler;
    Scheduler *scheduler;
    Http *http;
    Gate compiling;
    int64_t started; /* seconds since 1970 */
    atomic_uint_least64_t next_id;
    /* requests by what became of them, for counters */
    atomic_uint_least64_t answered, refused, left;
} Service;

void gate_open(Gate *gate, uint32_t room);
void gate_enter(Gate *gate);
void gate_leave(Gate *gate);
void gate_close(Gate *gate);

/* A number that does not come twice, and is not to be guessed. */
uint64_t service_id(Service *s);
/* How requests of the endpoint are read, as far as the server alone says. */
weir_request_opts service_request_opts(const Service *s,
                                       weir_endpoint endpoint);
/* Most tokens of a prompt and its answer. */
uint32_t service_context(const Service *s);

/* The table of routes (routes.c). */
extern const HttpRoute service_routes[];
extern const size_t service_route_count;

/* Handlers; user: the Service. */
void route_turn(void *user, HttpCall *call); /* endpoints that generate */
void route_page(void *user, HttpCall *call); /* route_page.c */
void route_health(void *user, HttpCall *call);
void route_models(void *user, HttpCall *call);
void route_props(void *user, HttpCall *call);
void route_metrics(void *user, HttpCall *call);
void route_tokenize(void *user, HttpCall *call);
void route_detokenize(void *user, HttpCall *call);
void route_check(void *user, HttpCall *call);
void route_tags(void *user, HttpCall *call);
void route_show(void *user, HttpCall *call);
void route_version(void *user, HttpCall *call);

/* The effective settings of the grammar, as a member "grammar". */
void service_put_grammar(const Service *s, JsonPut *out);

#endif
