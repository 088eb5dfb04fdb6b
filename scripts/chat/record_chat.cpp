/* record_chat.cpp: what llama.cpp's chat layer makes of JSON Schemas.
 *
 *     record-chat chatml|TEMPLATE-FILE REASONING THINKING < schemas > records
 *
 * A line of input is a JSON string: the text of a schema. A line of output is
 * the grammar and the end of the prompt, or the error, as JSON.
 * Built and run by scripts/chat/record-chat, against the libllama-common that it
 * fetches. The package has no headers: what is used is declared here, with the
 * layout of llama.cpp 0.4.0; what is never looked into is room. */
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

/* ---- llama.cpp, as far as needed ---- */

/* Returned through memory, so it must not look trivial. */
struct common_json {
    alignas(16) char room[512];
    common_json(const common_json &);
    ~common_json() {}
    static common_json parse(const std::string &);
};
struct llama_model;
struct common_chat_templates;
struct no_free {
    void operator()(common_chat_templates *) {}
};
struct common_chat_msg {
    char room[200];
    ~common_chat_msg() {}
};
struct common_chat_templates_inputs {
    std::vector<common_chat_msg> messages;
    std::string grammar, json_schema;
    bool add_generation_prompt = true;
    int continue_final_message = 0;
    bool use_jinja = true;
    std::vector<common_chat_msg> tools;
    int tool_choice = 0;
    bool parallel_tool_calls = false;
    int reasoning_format = 0; /* 0 none, 1 auto, 2 and 3 DeepSeek's */
    bool enable_thinking = true;
    std::chrono::system_clock::time_point now;
    std::map<std::string, std::string> chat_template_kwargs;
    char room[256] = {0};
};
struct common_chat_params {
    int format;
    std::string prompt, grammar;
    bool grammar_lazy;
    std::string generation_prompt;
    char room[2048];
    ~common_chat_params() {}
};
std::unique_ptr<common_chat_templates, no_free>
common_chat_templates_init(const llama_model *, const std::string &,
                           const std::string &, const std::string &);
std::vector<common_chat_msg>
common_chat_msgs_parse_oaicompat(const common_json &);
common_chat_params
common_chat_templates_apply(const common_chat_templates *,
                            const common_chat_templates_inputs &);

/* ---- records ---- */

static std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (unsigned char c : text) {
        char escape[8];
        if (c == '"' || c == '\\') {
            out += '\\';
            out += (char)c;
        } else if (c < 32) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            out += escape;
        } else {
            out += (char)c;
        }
    }
    return out + '"';
}

/* The input's escapes are those of Python's json.dumps with ensure_ascii off. */
static std::string unquoted(const std::string &line)
{
    std::string out;
    for (size_t i = 1; i + 1 < line.size(); i++) {
        if (line[i] != '\\') {
            out += line[i];
            continue;
        }
        char c = line[++i];
        if (c == 'u') {
            out += (char)strtoul(line.substr(i + 1, 4).c_str(), nullptr, 16);
            i += 4;
        } else {
            out += c == 'n'   ? '\n'
                   : c == 't' ? '\t'
                   : c == 'r' ? '\r'
                   : c == 'b' ? '\b'
                   : c == 'f' ? '\f'
                              : c;
        }
    }
    return out;
}

static void record(const common_chat_templates *templates,
                   const common_json &messages, const std::string &line,
                   char **argv)
{
    common_chat_templates_inputs in;
    new (&in.messages) auto(common_chat_msgs_parse_oaicompat(messages));
    in.json_schema = unquoted(line);
    in.reasoning_format = atoi(argv[2]);
    in.enable_thinking = atoi(argv[3]);
    try {
        void *room = malloc(sizeof(common_chat_params));
        auto *made = new (room)
            common_chat_params(common_chat_templates_apply(templates, in));
        printf("{\"schema\":%s,\"prefill\":%s,\"grammar\":%s}\n", line.c_str(),
               quoted(made->generation_prompt).c_str(),
               quoted(made->grammar).c_str());
    } catch (const std::exception &e) {
        printf("{\"schema\":%s,\"error\":%s}\n", line.c_str(),
               quoted(e.what()).c_str());
    }
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    std::string text = argv[1], line;
    if (text != "chatml") {
        std::ifstream file(argv[1]);
        std::stringstream all;
        all << file.rdbuf();
        text = all.str();
    }
    auto templates = common_chat_templates_init(nullptr, text, "", "");
    auto json = common_json::parse("[{\"role\":\"user\",\"content\":\"hi\"}]");
    while (std::getline(std::cin, line)) {
        fflush(stdout);
        pid_t child = fork(); /* some schemas end the process, or never end */
        if (!child) {
            alarm(5);
            record(templates.get(), json, line, argv);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status) printf("{\"schema\":%s,\"died\":true}\n", line.c_str());
    }
    fflush(stdout);
    _exit(0);
}
