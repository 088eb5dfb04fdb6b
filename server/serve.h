/* serve.h: the server, as the command line starts it. */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "base/mem.h"
#include "engine/chat.h"
#include "engine/engine.h"
#include "weir/weir.h"

typedef struct ServeOpts {
    const Mem *mem;
    Engine *engine;
    const ChatStyle *style; /* NULL: the model has no chat format */
    const char *name;       /* what answers call the model */
    const char *host;
    uint16_t port;       /* 0: any free one */
    const char *api_key; /* NULL: none */
    weir_profile profile;
    weir_failure failure;
    weir_switches switches;
    uint32_t parallel;  /* answers at once */
    uint32_t context;   /* most tokens of a prompt and its answer */
    uint32_t waiting;   /* most requests that wait */
    uint32_t speculate; /* tokens of a draft; 0: none */
    uint32_t max_body;  /* bytes of a request */
    uint32_t timeout;   /* seconds for a request to come in, and for a piece of
                           its answer to be taken */
    uint32_t drain;     /* seconds for what is in hand when a signal ends it */
    uint64_t max_work;  /* of compiling a constraint: see weir_limits */
    /* Told once where it listens. */
    void (*ready)(void *user, uint16_t port);
    void *user;
} ServeOpts;

/* Serves until SIGINT or SIGTERM comes, then what is in hand; a second signal
 * ends it at once. Other threads may not be there yet. False: it could not
 * begin; *err tells. */
bool serve_run(const ServeOpts *opts, weir_error *err);

#endif
