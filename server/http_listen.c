/* http_listen.c: the socket of a server.
 * Tests: tests/server/serve_http_test.py. */
#include "server/http_parts.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diag.h"

static bool starts(const char *text, size_t size, const char *with)
{
    size_t n = strlen(with);
    return size >= n && !memcmp(text, with, n);
}

static bool is(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && starts(text, size, word);
}

bool http_is_loopback(const char *host, size_t size)
{
    return is(host, size, "localhost") || is(host, size, "::1") ||
           is(host, size, "[::1]") || starts(host, size, "127.");
}

/* What a client does not take is held by the system only so far. */
static int listen_at(const struct addrinfo *at)
{
    int on = 1, held = 128 * 1024,
        fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &held, sizeof held);
    if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, SOMAXCONN))
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int http_listen(const char *host, uint16_t port, weir_error *err)
{
    char text[8];
    struct addrinfo *list, hints = {.ai_flags = AI_PASSIVE,
                                    .ai_family = AF_UNSPEC,
                                    .ai_socktype = SOCK_STREAM};
    snprintf(text, sizeof text, "%u", port);
    int failed = getaddrinfo(host, text, &hints, &list);
    if (failed) {
        diag_fail(err, WEIR_ARGUMENT, 0, 0, "the host %s is not known: %s",
                  diag_shown(span_text(host)).text, gai_strerror(failed));
        return -1;
    }
    int fd = -1;
    for (struct addrinfo *at = list; at && fd < 0; at = at->ai_next)
        fd = listen_at(at);
    if (fd < 0)
        diag_fail(err, WEIR_IO, 0, 0, "cannot listen on %s, port %u: %s",
                  diag_shown(span_text(host)).text, port, strerror(errno));
    freeaddrinfo(list);
    return fd;
}
