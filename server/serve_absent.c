/* serve_absent.c: in place of the server, where libmicrohttpd was not found
 * when weir was built. */
#include "base/diag.h"
#include "server/serve.h"

bool serve_run(const ServeOpts *opts, weir_error *err)
{
    (void)opts;
    *err = (weir_error){.status = WEIR_OK};
    return diag_fail(err, WEIR_UNSUPPORTED, 0, 0,
                     "this weir was built without libmicrohttpd, and so "
                     "without the server");
}
