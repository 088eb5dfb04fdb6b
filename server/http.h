/* http.h: requests over HTTP/1.1, by libmicrohttpd, with limits.
 *
 *     Http *http = http_open(&opts, &err);     it listens now
 *     ...                                      handlers run
 *     http_drain(http, 30000);                 no more connections
 *     http_close(http);
 *
 * Each connection has a thread of its own, and the handler of a route runs on
 * it: it may wait. What is wrong before a handler is asked (path, method, key,
 * content type, size) is answered here, in the form that clients of the route
 * know. Clients that are slow to send or to take, or say nothing, are cut off.
 */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "server/json_put.h"

typedef struct Http Http;
typedef struct HttpCall HttpCall; /* one request and its answer */

typedef struct HttpRoute {
    const char *path, *method; /* "GET", for HEAD too, or "POST" */
    weir_endpoint endpoint;    /* whose form errors have */
    bool is_open;              /* no key is asked for */
    /* Answers the call by one of the functions below, once. */
    void (*handle)(void *user, HttpCall *call);
} HttpRoute;

/* All is borrowed. */
typedef struct HttpOpts {
    const Mem *mem;
    const char *host;
    uint16_t port;        /* 0: any free one */
    const char *api_key;  /* NULL: none is asked for */
    weir_profile profile; /* whose form errors have */
    size_t max_body;      /* bytes of a request */
    size_t max_bodies;    /* bytes of all that are in hand together */
    uint32_t connections; /* at once; more wait to be taken */
    uint32_t read_ms;     /* for a request to come in, and for the next one to
                             begin; a byte of the body has 1/64 ms more */
    uint32_t write_ms;    /* for a piece of an answer to be taken, likewise */
    const HttpRoute *routes;
    size_t route_count;
    void *user;
} HttpOpts;

Http *http_open(const HttpOpts *opts, weir_error *err);
/* The port that it listens at. */
uint16_t http_port(const Http *http);
/* Takes no connections any more, and waits until no call is in hand, `ms` at
 * most. Idle connections are closed. False: some calls are left. */
bool http_drain(Http *http, uint32_t ms);
/* Cuts what is left. All handlers have returned afterwards. Accepts NULL. */
void http_close(Http *http);

/* ---- a call, on its thread ---- */

const HttpRoute *http_route(const HttpCall *call);
/* Borrowed until the call's end. */
weir_bytes http_body(const HttpCall *call);
/* Waits until the file descriptor `wake` can be read, `ms` at most (-1: for
 * ever). False: the client has left. */
bool http_wait(HttpCall *call, int wake, int ms);

/* A header of the answer, before that is given. */
void http_put_header(HttpCall *call, const char *name, const char *value);
/* The whole answer. The text is taken, and `body` empty afterwards; one that
 * has failed is 503. */
void http_answer(HttpCall *call, int status, const char *type, JsonPut *body);
/* The same, of a text that lives as long as the server. */
void http_answer_static(HttpCall *call, const char *type, weir_bytes text);
/* What weir_refusal_body says, with the status of the refusal; 503 says when to
 * come again. */
void http_refuse(HttpCall *call, const weir_refusal *refusal);

/* An answer that comes in pieces. */
typedef struct HttpStream {
    void *user;
    /* Waits for more and writes at most `capacity` bytes; 0: that was all;
     * below 0: it cannot go on, and the connection is cut. */
    ptrdiff_t (*pull)(void *user, HttpCall *call, char *out, size_t capacity);
    void (*end)(void *user); /* once, whatever happened */
} HttpStream;
/* False: out of memory, and `end` is not called; the call is to be refused. */
bool http_stream(HttpCall *call, const char *type, const HttpStream *stream);

/* Fills in a refusal of the call. code: static. The message is cut when long. */
void http_fail(const HttpCall *call, weir_refusal *refusal, int status,
               const char *code, const char *format, ...) PRINTF_LIKE(5, 6);

#endif
