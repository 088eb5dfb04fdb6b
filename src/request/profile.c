/* profile.c: the table of profiles.
 * Tests: unit/request_test.c, unit/request_rows_test.c.
 */
#include "request/profile.h"

/* llama.cpp's blanks: none, one, or line ends with a short indent. */
#define LLAMA_SPACE "( |\\n{1,2}[ \\t]{0,20})?"

static const Profile profiles[] = {
    [WEIR_PROFILE_DEFAULT] =
        {
            .name = "default",
            .conflict = CONFLICT_REFUSE,
            .json_object = WEIR_JSON_OBJECT,
            .empty_schema = WEIR_JSON_VALUE,
            .takes_flat = true,
            .refuses_twice = true,
            .closed = CLOSED_IF_STRICT,
            .tools = TOOL_TAGS,
            .choice_wants_tools = true,
            .parallel = true,
        },
    [WEIR_PROFILE_VLLM] =
        {
            .name = "vllm",
            .conflict = CONFLICT_REPLACE,
            .json_object = WEIR_JSON_OBJECT,
            .empty_schema = WEIR_JSON_VALUE,
            .ignores_misplaced = true,
            .refuses_nul = true,
            .closed = CLOSED_ALWAYS,
            .tools = TOOL_JSON,
            .choice_wants_tools = true,
            .empty_required = true,
            .parallel = true,
            .termination = WEIR_TERM_STOP_TOKEN,
            .sampling = SAMPLING_PLAIN,
            .logprobs_unmasked = true,
            .takes_odd_numbers = true,
        },
    [WEIR_PROFILE_LLAMA_SERVER] =
        {
            .name = "llama-server",
            .conflict = CONFLICT_LLAMA,
            .json_object = WEIR_JSON_OBJECT,
            .empty_schema = WEIR_JSON_OBJECT,
            .takes_flat = true,
            .missing = ODD_OBJECT,
            .odd = ODD_NONE,
            .ignores_misplaced = true,
            .tools = TOOL_TAGS,
            .dialect = WEIR_DIALECT_LLAMA_CPP,
            .space = LLAMA_SPACE,
            .termination = WEIR_TERM_STOP_TOKEN,
            .redraw = true,
            .sampling = SAMPLING_LLAMA,
            .logprobs_unmasked = true,
            .takes_odd_numbers = true,
        },
    [WEIR_PROFILE_OLLAMA] =
        {
            .name = "ollama",
            .conflict = CONFLICT_REFUSE,
            .json_object = WEIR_JSON_OBJECT,
            .empty_schema = WEIR_JSON_OBJECT,
            .ignores_types = true,
            .folds_types = true,
            .takes_flat = true,
            .missing = ODD_NONE,
            .ignores_misplaced = true,
            .tools = TOOL_FREE,
            .parallel = true,
            .dialect = WEIR_DIALECT_LLAMA_CPP,
            .space = LLAMA_SPACE,
            .termination = WEIR_TERM_STOP_TOKEN,
            .redraw = true,
            .sampling = SAMPLING_OLLAMA,
            .logprobs_unmasked = true,
            .takes_odd_numbers = true,
        },
    [WEIR_PROFILE_MLX_BUN] =
        {
            .name = "mlx-bun",
            .conflict = CONFLICT_FIRST,
            .json_object = WEIR_JSON_VALUE,
            .empty_schema = WEIR_JSON_VALUE,
            .ignores_types = true,
            .takes_flat = true,
            .missing = ODD_NONE,
            .ignores_misplaced = true,
            .closed = CLOSED_ALWAYS,
            .tools = TOOL_FREE,
            .parallel = true,
            .indent = 2,
            .termination = WEIR_TERM_FIRST_COMPLETE,
            .failure = WEIR_FAILURE_DEGRADE,
            .sampling = SAMPLING_PLAIN,
            .takes_odd_numbers = true,
        },
};

const Profile *profile_at(weir_profile profile)
{
    return (size_t)profile < COUNT_OF(profiles) ? &profiles[profile] : NULL;
}
