/* http.c: calls from their first byte to their last, on libmicrohttpd.
 *
 * libmicrohttpd asks for a call several times: when its head is there, with
 * each piece of its body, and when that is whole. What http_check.c finds wrong
 * is told at the end, so that the client has sent all and reads the answer; of
 * a body that is too large MOST_DROPPED times over the limit are read and
 * dropped for that, then the connection is cut.
 *
 * A thread for each connection, so handlers and pull may wait; a client that
 * leaves meanwhile shows at its socket (http_wait). Times are http_watch.c's:
 * libmicrohttpd's own count the waiting of handlers, too.
 * Tests: tests/server/serve_http_test.py, serve_fault_test.py.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include "server/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "server/http_parts.h"

#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

enum {
    MOST_DROPPED = 4,
    BYTES_MS = 64, /* of a body or an answer, in a millisecond at least */
    HEAD_ROOM = 32 * 1024, /* for the head of a request, and to read into */
    PIECE = 16 * 1024      /* of a stream */
};

/* ---- answers ---- */

void http_fail(const HttpCall *call, weir_refusal *refusal, int status,
               const char *code, const char *format, ...)
{
    weir_refusal *f = refusal;
    va_list args;
    *f = (weir_refusal){.http = status,
                        .status = WEIR_ARGUMENT,
                        .code = code,
                        .profile = call->http->opts.profile,
                        .endpoint = call->endpoint};
    f->type = status == 401   ? "authentication_error"
              : status == 403 ? "permission_error"
              : status == 404 ? "not_found_error"
              : status == 503 ? "overloaded_error"
              : status >= 500 ? "server_error"
                              : "invalid_request_error";
    va_start(args, format);
    vsnprintf(f->message, sizeof f->message, format, args);
    va_end(args);
}

void http_put_header(HttpCall *call, const char *name, const char *value)
{
    if (call->header_count == COUNT_OF(call->headers)) return;
    call->headers[call->header_count].name = name;
    snprintf(call->headers[call->header_count].value,
             sizeof call->headers[0].value, "%s", value);
    call->header_count++;
}

/* Takes the response; NULL: it could not be made. */
static void give(HttpCall *call, int status, const char *type,
                 struct MHD_Response *response)
{
    assert(!call->response);
    if (!response) return;
    bool ok = MHD_add_response_header(response, "Content-Type", type);
    for (uint32_t i = 0; i < call->header_count; i++)
        ok = MHD_add_response_header(response, call->headers[i].name,
                                     call->headers[i].value) &&
             ok;
    if (atomic_load(&call->http->is_draining))
        MHD_add_response_header(response, "Connection", "close");
    if (ok) {
        call->response = response;
        call->status = status;
        return;
    }
    MHD_destroy_response(response);
}

void http_answer(HttpCall *call, int status, const char *type, JsonPut *body)
{
    weir_refusal f;
    if (body->failed) {
        put_free(body);
        http_fail(call, &f, 503, "out_of_memory", "out of memory");
        http_refuse(call, &f);
        return;
    }
    put_free(&call->answer);
    call->answer = *body;
    *body = (JsonPut){.mem = body->mem};
    give(call, status, type,
         MHD_create_response_from_buffer(call->answer.text.count,
                                         call->answer.text.at,
                                         MHD_RESPMEM_PERSISTENT));
}

void http_answer_static(HttpCall *call, const char *type, weir_bytes text)
{
    void *data = (void *)(uintptr_t)text.data; /* it is only read */
    give(call, 200, type,
         MHD_create_response_from_buffer(text.size, data,
                                         MHD_RESPMEM_PERSISTENT));
}

void http_refuse(HttpCall *call, const weir_refusal *refusal)
{
    char body[8192];
    size_t size = weir_refusal_body(refusal, body, sizeof body);
    if (refusal->http == 503) http_put_header(call, "Retry-After", "1");
    give(call, refusal->http, "application/json",
         MHD_create_response_from_buffer(MIN(size, sizeof body), body,
                                         MHD_RESPMEM_MUST_COPY));
}

/* ---- streams ---- */

static void set_time(HttpCall *call, uint64_t ms)
{
    watch_set(&call->http->watch, call->conn, true, ms);
}

static ssize_t pull(void *user, uint64_t pos, char *out, size_t capacity)
{
    HttpCall *call = user;
    (void)pos;
    set_time(call, 0);
    ptrdiff_t n =
        call->stream.pull(call->stream.user, call, out, MIN(capacity, PIECE));
    set_time(call, call->http->opts.write_ms + PIECE / BYTES_MS);
    return n > 0    ? (ssize_t)n
           : n == 0 ? MHD_CONTENT_READER_END_OF_STREAM
                    : MHD_CONTENT_READER_END_WITH_ERROR;
}

bool http_stream(HttpCall *call, const char *type, const HttpStream *stream)
{
    http_put_header(call, "Cache-Control", "no-cache");
    give(call, 200, type,
         MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, pull, call,
                                           NULL));
    if (!call->response) return false;
    call->stream = *stream;
    call->has_stream = true;
    return true;
}

bool http_wait(HttpCall *call, int wake, int ms)
{
    struct pollfd fds[2] = {{.fd = call->conn->fd, .events = POLLRDHUP},
                            {.fd = wake, .events = POLLIN}};
    while (poll(fds, 2, ms) < 0)
        if (errno != EINTR) return false;
    return !(fds[0].revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

/* ---- calls ---- */

const HttpRoute *http_route(const HttpCall *call)
{
    return call->route;
}

weir_bytes http_body(const HttpCall *call)
{
    return (weir_bytes){call->body.at, call->body.count};
}

static HttpCall *call_new(Http *http, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    Conn *conn = info ? info->socket_context : NULL;
    HttpCall *call = conn ? mem_zero(http->opts.mem, sizeof *call) : NULL;
    if (!call) return NULL;
    call->http = http;
    call->connection = connection;
    call->conn = conn;
    call->answer.mem = http->opts.mem;
    call->began_ms = watch_now();
    return call;
}

static void drop_body(HttpCall *call)
{
    atomic_fetch_sub(&call->http->bodies, vec_bytes(&call->body));
    vec_free(call->http->opts.mem, &call->body);
}

static void call_free(HttpCall *call)
{
    const Mem *mem = call->http->opts.mem;
    if (call->has_stream) call->stream.end(call->stream.user);
    drop_body(call);
    put_free(&call->answer);
    mem_free(mem, call, sizeof *call);
}

static enum MHD_Result send_answer(HttpCall *call)
{
    if (!call->response) return MHD_NO;
    enum MHD_Result result = MHD_queue_response(
        call->connection, (unsigned)call->status, call->response);
    MHD_destroy_response(call->response);
    return result;
}

/* Room for so many bytes of the body, if all bodies together leave it. */
static bool reserve(HttpCall *call, size_t need)
{
    Http *h = call->http;
    size_t before = vec_bytes(&call->body);
    if (need <= before) return true;
    size_t more = MAX(before, need - before);
    size_t all = atomic_fetch_add(&h->bodies, more) + more;
    bool ok = all <= h->opts.max_bodies &&
              vec_reserve(h->opts.mem, &call->body, need);
    /* what was taken differs a little from what was asked for */
    atomic_fetch_add(&h->bodies, vec_bytes(&call->body) - before - more);
    return ok;
}

/* The body has its time from where it began, not from its last piece. */
static void set_reading(HttpCall *call)
{
    Http *h = call->http;
    uint64_t end = call->began_ms + h->opts.read_ms + call->received / BYTES_MS;
    uint64_t now = watch_now();
    watch_set(&h->watch, call->conn, false, end > now ? end - now : 1);
}

static bool take_body(HttpCall *call, const char *data, size_t size)
{
    const HttpOpts *o = &call->http->opts;
    call->received += size;
    if (call->received > (uint64_t)o->max_body * MOST_DROPPED) return false;
    if (!call->refusal.http && call->received > o->max_body)
        http_fail(call, &call->refusal, 413, "request_too_large",
                  "the request has more than %zu bytes", o->max_body);
    if (!call->refusal.http && !reserve(call, (size_t)call->received))
        http_fail(call, &call->refusal, 503, "too_many_requests",
                  "too many large requests are in hand");
    if (call->refusal.http) {
        drop_body(call);
    } else if (size) {
        memcpy(call->body.at + call->body.count, data, size);
        call->body.count += (uint32_t)size;
    }
    set_reading(call);
    return true;
}

static enum MHD_Result run(HttpCall *call)
{
    const HttpOpts *o = &call->http->opts;
    set_time(call, 0);
    if (call->refusal.http)
        http_refuse(call, &call->refusal);
    else
        call->route->handle(o->user, call);
    set_time(call, o->write_ms + call->answer.text.count / BYTES_MS);
    return send_answer(call);
}

/* Whether the request says that its body will be cut anyway. */
static bool is_hopeless(const HttpCall *call)
{
    const char *length = MHD_lookup_connection_value(
        call->connection, MHD_HEADER_KIND, "Content-Length");
    unsigned long long n = length ? strtoull(length, NULL, 10) : 0;
    return n > (unsigned long long)call->http->opts.max_body * MOST_DROPPED;
}

static enum MHD_Result begin(HttpCall *call, const char *url,
                             const char *method)
{
    http_check(call, url, method);
    if (!is_hopeless(call)) return MHD_YES;
    http_fail(call, &call->refusal, 413, "request_too_large",
              "the request has more than %zu bytes", call->http->opts.max_body);
    return run(call);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection,
                                  const char *url, const char *method,
                                  const char *version, const char *data,
                                  size_t *size, void **context)
{
    HttpCall *call = *context;
    (void)version;
    if (!call) {
        *context = call = call_new(user, connection);
        return call ? begin(call, url, method) : MHD_NO;
    }
    if (!*size) return run(call);
    bool goes_on = take_body(call, data, *size);
    *size = 0;
    return goes_on ? MHD_YES : MHD_NO;
}

static void on_completed(void *user, struct MHD_Connection *connection,
                         void **context, enum MHD_RequestTerminationCode code)
{
    Http *h = user;
    HttpCall *call = *context;
    (void)connection;
    (void)code;
    if (!call) return;
    Conn *conn = call->conn;
    call_free(call);
    *context = NULL;
    watch_set(&h->watch, conn, false, h->opts.read_ms);
}

/* ---- connections ---- */

static void on_connection(void *user, struct MHD_Connection *connection,
                          void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    Http *h = user;
    Conn *conn = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(
            connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        conn = mem_zero(h->opts.mem, sizeof *conn);
        *context = conn;
        if (!conn || !info) return;
        conn->fd = (int)info->connect_fd;
        watch_add(&h->watch, conn, watch_now() + h->opts.read_ms);
    } else if (conn) {
        watch_remove(&h->watch, conn);
        mem_free(h->opts.mem, conn, sizeof *conn);
        *context = NULL;
    }
}

/* What libmicrohttpd says of requests that are none is not repeated. */
static void on_log(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

/* ---- the server ---- */

static bool start(Http *h)
{
    h->daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION |
            MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG,
        0, NULL, NULL, on_request, h, MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
        MHD_OPTION_LISTEN_SOCKET, h->listener, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, h, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
        MHD_OPTION_CONNECTION_LIMIT, h->opts.connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_ROOM,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_END);
    return h->daemon != NULL;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof at;
    char name[8] = "0", host[64];
    getsockname(fd, (struct sockaddr *)&at, &size);
    getnameinfo((struct sockaddr *)&at, size, host, sizeof host, name,
                sizeof name, NI_NUMERICHOST | NI_NUMERICSERV);
    return (uint16_t)strtoul(name, NULL, 10);
}

Http *http_open(const HttpOpts *opts, weir_error *err)
{
    *err = (weir_error){.status = WEIR_OK};
    Http *h = mem_zero(opts->mem, sizeof *h);
    if (!h) return diag_no_memory(err), NULL;
    h->opts = *opts;
    h->is_local = http_is_loopback(opts->host, strlen(opts->host));
    h->listener = http_listen(opts->host, opts->port, err);
    if (h->listener >= 0) {
        h->port = port_of(h->listener);
        bool watches = watch_start(&h->watch);
        if (watches && start(h)) return h;
        if (watches) watch_stop(&h->watch);
        close(h->listener);
        diag_fail(err, WEIR_UNSUPPORTED, 0, 0, "the server cannot start");
    }
    mem_free(opts->mem, h, sizeof *h);
    return NULL;
}

uint16_t http_port(const Http *http)
{
    return http->port;
}

bool http_drain(Http *http, uint32_t ms)
{
    struct timespec pause = {.tv_nsec = 10000000};
    uint64_t end = watch_now() + ms;
    atomic_store(&http->is_draining, true);
    MHD_quiesce_daemon(http->daemon);
    while (watch_busy(&http->watch) && watch_now() < end)
        nanosleep(&pause, NULL);
    watch_cut(&http->watch, false);
    return !watch_busy(&http->watch);
}

void http_close(Http *http)
{
    if (!http) return;
    MHD_quiesce_daemon(http->daemon);
    watch_cut(&http->watch, true);
    MHD_stop_daemon(http->daemon);
    watch_stop(&http->watch);
    close(http->listener);
    mem_free(http->opts.mem, http, sizeof *http);
}
