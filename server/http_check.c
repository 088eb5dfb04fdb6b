/* http_check.c: what is wrong with a request before its handler is asked.
 *
 * In this order: the path, the method, the host, the key, the type of the
 * body, its length. A server that only this machine can reach answers to this
 * machine's names alone: a page in a browser that has made its own name mean
 * 127.0.0.1 does not get in, nor do forms, which have another content type.
 * Tests: tests/server/serve_http_test.py.
 */
#include <microhttpd.h>
#include <strings.h>

#include "server/http_parts.h"

static const char *header(const HttpCall *call, const char *name)
{
    return MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, name);
}

static void fail(HttpCall *call, int status, const char *code,
                 const char *message)
{
    if (!call->refusal.http)
        http_fail(call, &call->refusal, status, code, "%s", message);
}

/* ---- path and method ---- */

static bool is_method(const HttpRoute *route, const char *method)
{
    if (!strcmp(method, "HEAD")) method = "GET";
    return !strcmp(route->method, method);
}

static void find_route(HttpCall *call, const char *path, const char *method)
{
    const HttpOpts *o = &call->http->opts;
    const HttpRoute *other = NULL;
    for (size_t i = 0; i < o->route_count && !call->route; i++) {
        if (strcmp(o->routes[i].path, path)) continue;
        if (is_method(&o->routes[i], method))
            call->route = &o->routes[i];
        else
            other = &o->routes[i];
    }
    if (call->route || other)
        call->endpoint = (call->route ? call->route : other)->endpoint;
    else if (!strncmp(path, "/api/", 5))
        call->endpoint = WEIR_ENDPOINT_OLLAMA_CHAT;
    if (call->route) return;
    if (!other) {
        fail(call, 404, "not_found", "there is nothing at this path");
        return;
    }
    bool is_get = !strcmp(other->method, "GET");
    http_put_header(call, "Allow", is_get ? "GET, HEAD" : "POST");
    fail(call, 405, "method_not_allowed",
         is_get ? "found another method, expected GET"
                : "found another method, expected POST");
}

/* ---- host and key ---- */

static void check_host(HttpCall *call)
{
    const char *host = header(call, "Host");
    if (!call->http->is_local || !host) return;
    size_t size = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    size = MIN(size, strlen(host));
    const char *own = call->http->opts.host;
    bool is_own = strlen(own) == size && !strncasecmp(own, host, size);
    if (is_own || http_is_loopback(host, size)) return;
    fail(call, 403, "unknown_host",
         "found a Host that is not this machine; --host lets others in");
}

/* Takes as long wherever the difference is. */
static bool is_equal(const char *given, const char *key)
{
    size_t n = strlen(key), m = strlen(given);
    unsigned differs = n != m;
    for (size_t i = 0; i < m; i++)
        differs |= (unsigned)(given[i] ^ key[n ? i % n : 0]);
    return !differs;
}

static void check_key(HttpCall *call)
{
    const char *key = call->http->opts.api_key;
    const char *bearer = header(call, "Authorization");
    const char *given = header(call, "x-api-key");
    if (!key || (call->route && call->route->is_open)) return;
    if (bearer && !strncasecmp(bearer, "Bearer ", 7)) given = bearer + 7;
    if (given && is_equal(given, key)) return;
    http_put_header(call, "WWW-Authenticate", "Bearer");
    fail(call, 401, "invalid_api_key",
         given ? "found a key that is not the server's"
               : "found no key, expected Authorization: Bearer KEY");
}

/* ---- the body ---- */

static bool is_json(const char *type)
{
    static const char wanted[] = "application/json";
    size_t n = sizeof wanted - 1;
    return type && !strncasecmp(type, wanted, n) &&
           (!type[n] || type[n] == ';' || type[n] == ' ');
}

static void check_body(HttpCall *call)
{
    const char *length = header(call, "Content-Length");
    const char *type = header(call, "Content-Type");
    bool has_body = header(call, "Transfer-Encoding") ||
                    (length && strcmp(length, "0") != 0);
    bool is_post = call->route && !strcmp(call->route->method, "POST");
    if (is_post && has_body && !is_json(type))
        fail(call, 415, "unsupported_media_type",
             "found another content type, expected application/json");
    if (header(call, "Content-Encoding"))
        fail(call, 415, "unsupported_encoding",
             "found a Content-Encoding, expected none");
}

void http_check(HttpCall *call, const char *path, const char *method)
{
    find_route(call, path, method);
    check_host(call);
    check_key(call);
    check_body(call);
}
