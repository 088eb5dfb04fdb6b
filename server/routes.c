/* routes.c: which path is answered by what.
 * Tests: tests/server/serve_http_test.py. */
#include "server/service.h"

#define GET(path, handle)                              \
    {                                                  \
        path, "GET", WEIR_ENDPOINT_CHAT, false, handle \
    }
#define OLLAMA(path, method, handle)                           \
    {                                                          \
        path, method, WEIR_ENDPOINT_OLLAMA_CHAT, false, handle \
    }
#define POST(path, endpoint, handle)                          \
    {                                                         \
        path, "POST", WEIR_ENDPOINT_##endpoint, false, handle \
    }

const HttpRoute service_routes[] = {
    POST("/v1/chat/completions", CHAT, route_turn),
    POST("/v1/completions", COMPLETIONS, route_turn),
    POST("/v1/responses", RESPONSES, route_turn),
    POST("/v1/messages", MESSAGES, route_turn),
    POST("/completion", COMPLETION, route_turn),
    POST("/generate", GENERATE, route_turn),
    POST("/api/chat", OLLAMA_CHAT, route_turn),
    POST("/api/generate", OLLAMA_GENERATE, route_turn),
    POST("/tokenize", COMPLETION, route_tokenize),
    POST("/detokenize", COMPLETION, route_detokenize),
    POST("/grammar/check", CHAT, route_check),
    OLLAMA("/api/tags", "GET", route_tags),
    OLLAMA("/api/tags", "POST", route_tags),
    OLLAMA("/api/show", "POST", route_show),
    OLLAMA("/api/version", "GET", route_version),
    OLLAMA("/api/version", "POST", route_version),
    GET("/v1/models", route_models),
    GET("/props", route_props),
    GET("/metrics", route_metrics),
    {"/health", "GET", WEIR_ENDPOINT_CHAT, true, route_health},
    {"/", "GET", WEIR_ENDPOINT_CHAT, true, route_page},
};
const size_t service_route_count = COUNT_OF(service_routes);
