/* http_parts.h: what the files of http share: connections, and calls. */
#ifndef SERVER_HTTP_PARTS_H
#define SERVER_HTTP_PARTS_H

#include "base/thread.h"
#include "server/http.h"

struct MHD_Connection;
struct MHD_Daemon;
struct MHD_Response;

/* A socket that listens, or -1 after a report (http_listen.c). */
int http_listen(const char *host, uint16_t port, weir_error *err);
/* Whether a name or address means this machine alone. */
bool http_is_loopback(const char *host, size_t size);

/* ---- connections, and until when they may take (http_watch.c) ---- */

typedef struct Conn {
    struct Conn *next, **link; /* in the list; link: what points to it */
    int fd;
    bool is_busy;      /* a call is in hand */
    uint64_t until_ms; /* then it is cut off; 0: never */
} Conn;

typedef struct Watch {
    Lock lock;
    pthread_t thread;
    Conn *first;
    uint32_t busy; /* how many are */
    bool ends;     /* the thread is to end */
} Watch;

uint64_t watch_now(void); /* of a clock that only goes forward */
bool watch_start(Watch *watch);
/* After the last connection. */
void watch_stop(Watch *watch);
void watch_add(Watch *watch, Conn *conn, uint64_t until_ms);
void watch_remove(Watch *watch, Conn *conn);
/* From now on, until `ms` from now; 0: for ever. */
void watch_set(Watch *watch, Conn *conn, bool is_busy, uint64_t ms);
uint32_t watch_busy(Watch *watch);
/* Cuts off those that are idle, or all. */
void watch_cut(Watch *watch, bool all);

/* ---- calls ---- */

struct Http {
    HttpOpts opts;
    int listener;
    uint16_t port;
    bool is_local; /* only this machine can reach it */
    struct MHD_Daemon *daemon;
    Watch watch;
    atomic_size_t bodies; /* bytes held */
    atomic_bool is_draining;
};

struct HttpCall {
    Http *http;
    struct MHD_Connection *connection;
    Conn *conn;
    const HttpRoute *route; /* NULL: none */
    weir_endpoint endpoint;
    weir_refusal refusal; /* found before the handler; http 0: none */
    VEC(char) body;
    uint64_t received; /* bytes of the body, those that were dropped too */
    uint64_t began_ms; /* when its head was there */
    struct MHD_Response *response;
    int status;
    JsonPut answer; /* holds the text of the response */
    HttpStream stream;
    bool has_stream;
    struct {
        const char *name;
        char value[1024];
    } headers[4];
    uint32_t header_count;
};

/* What is wrong with the head of a request: path, method, host, key, type and
 * length (http_check.c). */
void http_check(HttpCall *call, const char *path, const char *method);

#endif
