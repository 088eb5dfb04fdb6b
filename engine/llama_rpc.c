/* llama_rpc.c: other machines as devices of llama.cpp.
 *
 * llama.cpp ends the process when a machine that it has been told of does not
 * answer, so each is called first, and told of only if it takes the call. One
 * that goes away later still ends the process: docs/engine.md.
 * Tests: tests/engine/engine_rpc_test.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"
#include "engine/llama_abi.h"

enum { CALL_MS = 5000, NAME_SIZE = 256 };

typedef void *FindBackends(const char *name);
typedef void *FindFunction(void *backends, const char *name);
typedef void *AddServer(const char *endpoint);
typedef void TakeBackends(void *backends);

/* Waits until the connection is there; an errno, or 0. */
static int wait_connected(int fd)
{
    struct pollfd poll_for = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    int n = poll(&poll_for, 1, CALL_MS);
    if (n < 0) return errno;
    if (!n) return ETIMEDOUT;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) ? errno : error;
}

/* An errno, or 0. */
static int call_address(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol), error = 0;
    if (fd < 0) return errno;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ||
        connect(fd, a->ai_addr, a->ai_addrlen) < 0)
        error = errno == EINPROGRESS ? wait_connected(fd) : errno;
    close(fd);
    return error;
}

static bool call_server(char *name, weir_error *err)
{
    char *colon = strrchr(name, ':');
    if (!colon || colon == name || !colon[1])
        return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                         "found RPC server '%s', expected HOST:PORT",
                         diag_shown(span_text(name)).text);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    *colon = 0;
    int failed = getaddrinfo(name, colon + 1, &hints, &list), error = 0;
    *colon = ':';
    if (failed)
        return diag_fail(err, WEIR_IO, 0, 0, "RPC server '%s': %s",
                         diag_shown(span_text(name)).text,
                         gai_strerror(failed));
    for (const struct addrinfo *a = list; a; a = a->ai_next)
        if (!(error = call_address(a))) break;
    freeaddrinfo(list);
    return !error ||
           diag_fail(err, WEIR_IO, 0, 0, "RPC server '%s': %s",
                     diag_shown(span_text(name)).text, strerror(error));
}

static AddServer *find_add_server(const Llama *llama, weir_error *err)
{
    FindBackends *find;
    FindFunction *function;
    AddServer *add = NULL;
    if (!llama_function(llama, "ggml_backend_reg_by_name", &find, err) ||
        !llama_function(llama, "ggml_backend_reg_get_proc_address", &function,
                        err))
        return NULL;
    void *backends = find("RPC");
    void *at =
        backends ? function(backends, "ggml_backend_rpc_add_server") : NULL;
    memcpy(&add, &at, sizeof at);
    if (!add)
        diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                  "this libllama has no RPC; scripts/get-libllama.sh --build "
                  "makes one that has");
    return add;
}

static bool add_server(const Llama *llama, AddServer *add, char *name,
                       weir_error *err)
{
    TakeBackends *take;
    if (!call_server(name, err) ||
        !llama_function(llama, "ggml_backend_register", &take, err))
        return false;
    void *backends = add(name);
    if (!backends)
        return diag_fail(err, WEIR_IO, 0, 0, "RPC server '%s' has no devices",
                         diag_shown(span_text(name)).text);
    take(backends);
    return true;
}

bool llama_add_servers(const Llama *llama, const char *servers, weir_error *err)
{
    AddServer *add = find_add_server(llama, err);
    bool ok = add != NULL;
    for (const char *at = servers; ok; at++) {
        char name[NAME_SIZE];
        size_t size = strcspn(at, ",");
        if (size >= sizeof name)
            return diag_fail(err, WEIR_ARGUMENT, 0, 0,
                             "the name of an RPC server is too long");
        memcpy(name, at, size);
        name[size] = 0;
        ok = add_server(llama, add, name, err);
        at += size;
        if (!*at) break;
    }
    return ok;
}
