/* http_watch.c: connections that take too long are cut off.
 *
 * Each connection has a time until which something must have happened: its
 * request come in, or a piece of its answer been taken. A thread looks at all
 * of them ten times a second and shuts the sockets of those that are late; the
 * thread of the connection then finds it closed, and ends it as any other.
 * A socket stays open as long as its Conn is in the list.
 * Tests: tests/server/serve_fault_test.py.
 */
#include <sys/socket.h>
#include <time.h>

#include "server/http_parts.h"

enum { LOOK_MS = 100 };

uint64_t watch_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void cut(Conn *conn)
{
    shutdown(conn->fd, SHUT_RDWR);
    conn->until_ms = 0;
}

static void *look(void *arg)
{
    Watch *w = arg;
    struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
    for (bool ends = false; !ends;) {
        nanosleep(&pause, NULL);
        uint64_t now = watch_now();
        lock_take(&w->lock);
        for (Conn *c = w->first; c; c = c->next)
            if (c->until_ms && c->until_ms < now) cut(c);
        ends = w->ends;
        lock_give(&w->lock);
    }
    return NULL;
}

bool watch_start(Watch *w)
{
    lock_init(&w->lock);
    if (!pthread_create(&w->thread, NULL, look, w)) return true;
    lock_free(&w->lock);
    return false;
}

void watch_stop(Watch *w)
{
    lock_take(&w->lock);
    w->ends = true;
    lock_give(&w->lock);
    pthread_join(w->thread, NULL);
    assert(!w->first);
    lock_free(&w->lock);
}

void watch_add(Watch *w, Conn *conn, uint64_t until_ms)
{
    lock_take(&w->lock);
    conn->until_ms = until_ms;
    conn->next = w->first;
    conn->link = &w->first;
    if (w->first) w->first->link = &conn->next;
    w->first = conn;
    lock_give(&w->lock);
}

void watch_remove(Watch *w, Conn *conn)
{
    lock_take(&w->lock);
    *conn->link = conn->next;
    if (conn->next) conn->next->link = conn->link;
    w->busy -= conn->is_busy;
    lock_give(&w->lock);
}

void watch_set(Watch *w, Conn *conn, bool is_busy, uint64_t ms)
{
    lock_take(&w->lock);
    w->busy += (uint32_t)is_busy - (uint32_t)conn->is_busy;
    conn->is_busy = is_busy;
    conn->until_ms = ms ? watch_now() + ms : 0;
    lock_give(&w->lock);
}

uint32_t watch_busy(Watch *w)
{
    lock_take(&w->lock);
    uint32_t busy = w->busy;
    lock_give(&w->lock);
    return busy;
}

void watch_cut(Watch *w, bool all)
{
    lock_take(&w->lock);
    for (Conn *c = w->first; c; c = c->next)
        if (all || !c->is_busy) cut(c);
    lock_give(&w->lock);
}
