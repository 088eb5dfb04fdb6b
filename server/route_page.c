/* route_page.c: the playground at "/". The page is part of the program, and is
 * told to ask nobody but this server.
 * Tests: tests/server/playground_test.py.
 */
#include "server/playground.h"
#include "server/service.h"

void route_page(void *user, HttpCall *call)
{
    weir_bytes page = {(const char *)playground_page, playground_page_size};
    (void)user;
    http_put_header(call, "Content-Security-Policy",
                    "default-src 'none'; connect-src 'self'; img-src data:; "
                    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                    "base-uri 'none'; form-action 'none'; "
                    "frame-ancestors 'none'");
    http_answer_static(call, "text/html; charset=utf-8", page);
}
