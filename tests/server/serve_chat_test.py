"""weir serve over real HTTP: what each endpoint does with a conversation and
with a constraint. Labels: threads."""
import concurrent.futures
import json
import re
import sys
import unittest

import server_kit as kit

PERSON = {"type": "object", "additionalProperties": False,
          "required": ["name", "age"],
          "properties": {"name": {"type": "string", "maxLength": 8},
                         "age": {"type": "integer", "minimum": 0,
                                 "maximum": 130}}}
FORMAT = {"type": "json_schema",
          "json_schema": {"name": "person", "schema": PERSON}}
SPACE = {"guided_whitespace_pattern": " ?"}  # fewer tokens
ADD = {"type": "object", "additionalProperties": False,
       "required": ["a", "b"],
       "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 99},
                      "b": {"enum": [1, 2]}}}
TOOL = {"type": "function", "function": {"name": "add", "description": "Adds",
                                         "parameters": ADD}}
R1 = "<｜User｜> <｜Assistant｜><think>\\n"


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


class Served(unittest.TestCase):
    options, template = (), kit.CHATML

    @classmethod
    def setUpClass(cls):
        cls.server = kit.Server("--ctx", "1500", *cls.options,
                                template=cls.template)

    @classmethod
    def tearDownClass(cls):
        code, err = cls.server.stop()
        assert (code, err) == (0, ""), (code, err)

    def ok(self, path, body):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, 200, answer.text)
        return answer

    def refused(self, path, body, message, status=400):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, status, answer.text)
        error = answer.json.get("error", answer.json)
        text = error if isinstance(error, str) else error["message"]
        self.assertIn(message, text)
        return error

    def person(self, text):
        person = json.loads(text)
        self.assertEqual(set(person), {"name", "age"})
        self.assertLessEqual(len(person["name"]), 8)
        self.assertIn(person["age"], range(131))


# How each endpoint is asked for a person, and where its answer says it.
def whole(path, body):
    return {
        "/v1/chat/completions":
            lambda: body["choices"][0]["message"]["content"],
        "/v1/completions": lambda: body["choices"][0]["text"],
        "/v1/responses": lambda: body["output"][0]["content"][0]["text"],
        "/completion": lambda: body["content"],
        "/generate": lambda: body["text"],
        "/api/chat": lambda: body["message"]["content"],
        "/api/generate": lambda: body["response"],
    }[path]()


def streamed(path, text):
    if path.startswith("/api/"):
        lines = [json.loads(line) for line in text.splitlines()]
        assert [l["done"] for l in lines] == [False] * (len(lines) - 1) + [True]
        return "".join(l["response"] if "response" in l
                       else l["message"]["content"] for l in lines)
    found = kit.events(text)
    if path == "/v1/chat/completions":
        assert found[-1] == "[DONE]"
        return kit.joined(found)
    if path == "/v1/completions":
        return "".join(c["choices"][0]["text"] for c in found[:-1])
    if path == "/v1/responses":
        return "".join(e["delta"] for e in found
                       if e["type"] == "response.output_text.delta")
    if path == "/completion":
        return "".join(e["content"] for e in found)
    return found[-2]["text"]  # SGLang's are the text so far


REQUESTS = {
    "/v1/chat/completions": {"messages": kit.USER, "response_format": FORMAT,
                             "max_tokens": 500, **SPACE},
    "/v1/completions": {"prompt": "hi", "response_format": FORMAT,
                        "max_tokens": 500, **SPACE},
    "/v1/responses": {"input": "hi", "max_output_tokens": 500, **SPACE, "text": {
        "format": {"type": "json_schema", "name": "p", "schema": PERSON}}},
    "/completion": {"prompt": "hi", "json_schema": PERSON, "n_predict": 500},
    "/generate": {"text": "hi", "sampling_params": {
        "json_schema": json.dumps(PERSON), "max_new_tokens": 500}},
    "/api/chat": {"messages": kit.USER, "format": PERSON,
                  "options": {"num_predict": 500}},
    "/api/generate": {"prompt": "hi", "format": PERSON,
                      "options": {"num_predict": 500}},
}


def seeded(path, body, seed):
    body = json.loads(json.dumps(body))
    if path.startswith("/api/"):
        body["options"]["seed"] = seed
    elif path == "/generate":
        body["sampling_params"]["sampling_seed"] = seed
    else:
        body["seed"] = seed
    return body


class Endpoints(Served):
    def test_valid(self):
        """Held to a schema, whole and streamed alike."""
        for path, body in REQUESTS.items():
            for seed in range(1 if kit.QUICK else 4):
                with self.subTest(path=path, seed=seed):
                    asked = seeded(path, body, seed)
                    text = whole(path, self.ok(
                        path, {**asked, "stream": False}).json)
                    self.person(text)
                    answer = self.ok(path, {**asked, "stream": True})
                    self.assertIn(
                        answer.headers["Content-Type"].split(";")[0],
                        ("text/event-stream", "application/x-ndjson"))
                    self.assertEqual(streamed(path, answer.text), text)

    def test_grammar(self):
        """A grammar of GBNF, on Ollama's endpoints, too."""
        grammar = 'root ::= "I am " ("hungry" | "sleepy")'
        for path in ("/v1/chat/completions", "/v1/completions", "/completion",
                     "/api/chat", "/api/generate"):
            body = {k: v for k, v in REQUESTS[path].items()
                    if k not in ("response_format", "json_schema", "format")}
            body = {**body, "grammar": grammar, "stream": False}
            self.assertIn(whole(path, self.ok(path, body).json),
                          ("I am hungry", "I am sleepy"))
        self.refused("/api/chat", {"messages": kit.USER, "grammar": grammar,
                                   "format": "json"}, "second constraint")

    def test_messages(self):
        """Anthropic's endpoint."""
        body = {"max_tokens": 7, "messages": kit.USER,
                "logit_bias": kit.NO_END}
        answer = self.ok("/v1/messages", body).json
        self.assertEqual((answer["type"], answer["stop_reason"],
                          answer["usage"]["output_tokens"]),
                         ("message", "max_tokens", 7))
        text = self.ok("/v1/messages", {**body, "stream": True}).text
        names = re.findall(r"(?m)^event: (\w+)$", text)
        self.assertEqual((names[0], names[-1]),
                         ("message_start", "message_stop"))

    def test_choices(self):
        answer = self.ok("/v1/chat/completions", {
            **REQUESTS["/v1/chat/completions"], "n": 3, "seed": 1}).json
        texts = [c["message"]["content"] for c in answer["choices"]]
        self.assertEqual([c["index"] for c in answer["choices"]], [0, 1, 2])
        self.assertEqual(len(set(texts)), 3)
        for text in texts:
            self.person(text)
        body = {"prompt": ["a", "b", [1, 2]], "n": 2, "max_tokens": 3,
                "guided_regex": "[a-z]{9}"}
        answer = self.ok("/v1/completions", body).json
        self.assertEqual([c["index"] for c in answer["choices"]],
                         list(range(6)))
        self.assertEqual(answer["usage"]["prompt_tokens"], 2 + 2 + 2)
        self.refused("/v1/chat/completions", {"messages": kit.USER,
                                              "n": 100000}, "n")
        self.refused("/v1/completions", {"prompt": ["a"] * 9, "n": 128},
                     "n: found 1152 answers")

    def test_cut(self):
        answer = self.ok("/v1/chat/completions", {
            "messages": kit.USER, "max_tokens": 5,
            "response_format": FORMAT}).json["choices"][0]
        self.assertEqual(answer["finish_reason"], "length")
        self.assertFalse(answer["weir"]["completed"])

    def test_one_token(self):
        """The last token is the one that was drawn."""
        answer = self.ok("/v1/chat/completions", {
            "messages": kit.USER, "max_tokens": 1,
            "guided_choice": ["abc"]}).json
        self.assertEqual(answer["choices"][0]["message"]["content"][:1], "a")
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")

    def test_layout(self):
        """any_whitespace: false: one layout."""
        form = {"type": "json_schema", "json_schema": {
            "name": "x", "any_whitespace": False, "schema": {
                "type": "object", "additionalProperties": False,
                "required": ["a", "b"], "properties": {
                    "a": {"type": "null"}, "b": {"const": [1, 2]}}}}}
        answer = self.ok("/v1/chat/completions", {
            "messages": kit.USER, "response_format": form}).json
        self.assertEqual(answer["choices"][0]["message"]["content"],
                         '{"a": null, "b": [1, 2]}')

    def test_seed(self):
        """Alone and among others a seed gives the same tokens."""
        body = {"messages": kit.USER, "max_tokens": 60, "seed": 42,
                "response_format": FORMAT, "temperature": 1}

        def ask(seed):
            return self.ok("/v1/chat/completions", {**body, "seed": seed}
                           ).json["choices"][0]["message"]["content"]
        alone = {seed: ask(seed) for seed in range(40, 48)}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _ in range(1 if kit.QUICK else 3):
                self.assertEqual(dict(zip(alone, pool.map(ask, alone))), alone)

    def test_logprobs(self):
        answer = self.ok("/v1/chat/completions", {
            "messages": kit.USER, "logprobs": True, "top_logprobs": 2,
            "guided_choice": ["ab"]}).json["choices"][0]
        found = answer["logprobs"]["content"]
        self.assertEqual([t["token"] for t in found], ["a", "b"])
        self.assertEqual(found[0]["logprob"], 0)

    def test_allowed(self):
        """How many tokens the constraint let come, if that is asked for."""
        answer = self.ok("/v1/chat/completions", {
            "messages": kit.USER, "guided_choice": ["ab", "cb"],
            "weir": {"tokens": True}}).json["choices"][0]
        found = answer["weir"]["tokens"]
        self.assertEqual([t["text"] for t in found][1:], ["b"])
        self.assertEqual([t["allowed"] for t in found], [2, 1])
        free = self.ok("/v1/chat/completions", {
            "messages": kit.USER, "max_tokens": 1,
            "weir": {"tokens": True}}).json["choices"][0]
        self.assertEqual([t["allowed"] for t in free["weir"]["tokens"]],
                         [None])

    def test_context(self):
        long = {"messages": [{"role": "user", "content": "x" * 3000}]}
        error = self.refused("/v1/chat/completions", long, "1500")
        self.assertEqual(error["type"], "exceed_context_size_error")
        self.assertEqual(error["n_ctx"], 1500)
        self.assertGreater(error["n_prompt_tokens"], 3000)
        self.refused("/api/chat", long, "1500")
        error = self.refused("/generate", {"text": "x" * 3000}, "1500")
        self.assertEqual(error["object"], "error")
        # an answer may not go beyond the context, either
        full = {"messages": [{"role": "user", "content": "x" * 1450}],
                "logit_bias": kit.NO_END, "guided_regex": "[a-z]{2000}"}
        answer = self.ok("/v1/chat/completions", full).json
        self.assertEqual(answer["choices"][0]["finish_reason"], "length")
        self.assertEqual(answer["usage"]["total_tokens"], 1500)

    def test_system(self):
        """Roles and parts of text; what is no text."""
        def tokens(messages):
            return self.ok("/v1/chat/completions", {
                "messages": messages, "max_tokens": 1}
                ).json["usage"]["prompt_tokens"]
        plain = tokens([{"role": "system", "content": "a\n\nb"}, *kit.USER])
        for roles in (("system", "system"), ("developer", "system")):
            self.assertEqual(plain, tokens(
                [{"role": roles[0], "content": "a"},
                 {"role": roles[1], "content": "b"}, *kit.USER]))
        self.assertEqual(
            tokens([{"role": "user", "content": "a\nb"}]),
            tokens([{"role": "user", "content": [
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b"}]}]))
        path = "/v1/chat/completions"
        for message, expected in (
                ({"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": "data:"}}]},
                 'messages[0].content[0]: found content of type "image_url"'),
                ({"role": "user", "content": 7},
                 "messages[0].content: found a number"),
                ({"role": "narrator", "content": "x"},
                 'messages[0].role: found "narrator"'),
                ({"content": "x"}, "messages[0].role"),
                ("x", "messages[0]: found a string"),
                ({"role": "assistant", "content": "x"},
                 "no message of the user")):
            self.refused(path, {"messages": [message]}, expected)
        self.refused(path, {"messages": [
            *kit.USER, {"role": "system", "content": "x"}]},
            "messages[1]: found a system message behind others")
        self.refused(path, {}, "messages: found nothing")
        self.refused("/v1/responses", {"input": "a",
                                       "previous_response_id": "r"},
                     "previous_response_id")
        self.refused("/v1/messages", {"max_tokens": 1, "messages": [
            {"role": "user", "content": [{"type": "image"}]}]}, "image")
        self.refused("/api/chat", {"messages": [
            {"role": "user", "content": "x", "images": ["eA=="]}]}, "images")
        self.refused("/api/generate", {"prompt": "x", "suffix": "y"},
                     "suffix")

    def test_continued(self):
        """An answer that has begun goes on, and is met as a whole."""
        start = '{"name": "ab'
        talk = [*kit.USER, {"role": "assistant", "content": start}]
        for path in ("/v1/chat/completions", "/api/chat"):
            body = {**REQUESTS[path], "messages": talk, "stream": False}
            answer = self.ok(path, body).json
            self.person(start + whole(path, answer))
            told = answer["choices"][0] if "choices" in answer else answer
            self.assertEqual((told["weir"]["constraint"],
                              told["weir"]["completed"]),
                             ("json_schema", True))
        rest = self.ok("/v1/messages", {
            "max_tokens": 9, "messages": talk,
            "logit_bias": kit.NO_END}).json
        self.assertEqual(rest["usage"]["output_tokens"], 9)
        bad = [*kit.USER, {"role": "assistant", "content": '{"nome'}]
        self.refused("/v1/chat/completions", {
            **REQUESTS["/v1/chat/completions"], "messages": bad},
            "does not obey the constraint from byte 3 on")
        # a new answer is asked for
        again = self.ok("/v1/chat/completions", {
            **REQUESTS["/v1/chat/completions"], "messages": bad,
            "continue_final_message": False}).json
        self.person(again["choices"][0]["message"]["content"])

    def test_prompts(self):
        count = {"prompt": "hi", "max_tokens": 1}
        path = "/v1/completions"

        def tokens(prompt):
            return self.ok(path, {**count, "prompt": prompt}
                           ).json["usage"]["prompt_tokens"]
        self.assertEqual(tokens("hi"), 3)  # begin, h, i
        self.assertEqual(tokens([104, 105]), 2)
        self.assertEqual(tokens("<|im_start|>hi"), 4)
        self.assertEqual(tokens([[104], [105]]), 2)
        for prompt, message in (
                ([], "no prompt"), ([[]], "empty prompt"), ([261], "0 to 260"),
                ([1.5], "prompt[0]"), ([-1], "prompt[0]"), (7, "a number"),
                (None, "nothing"), ({}, "an object"),
                (["a"] * 200, "more than 128 prompts"),
                ([["a"]], "prompt[0][0]")):
            self.refused(path, {**count, "prompt": prompt}, message)
        mixed = {"prompt": [104, "i<|im_end|>", 105], "n_predict": 1}
        self.assertEqual(self.ok("/completion", mixed
                                 ).json["tokens_evaluated"], 4)
        self.refused("/completion", {"prompt": [[1], [2]]}, "several prompts")
        self.refused("/generate", {"text": ["a", "b"]}, "several prompts")
        self.assertEqual(self.ok("/generate", {
            "input_ids": [1, 2, 3], "sampling_params": {"max_new_tokens": 1}}
            ).json["meta_info"]["prompt_tokens"], 3)
        raw = {"prompt": "hi", "raw": True, "stream": False,
               "options": {"num_predict": 1}}
        self.assertEqual(self.ok("/api/generate", raw
                                 ).json["prompt_eval_count"], 3)
        echo = self.ok(path, {"prompt": "hi", "echo": True, "max_tokens": 2,
                              "guided_choice": ["ab"]}).json
        self.assertEqual(echo["choices"][0]["text"], "hiab")

    def test_no_tools(self):
        """A format without a place for tools says so."""
        self.refused("/v1/chat/completions", {
            "messages": kit.USER, "tools": [TOOL]}, "tools")
        self.refused("/v1/chat/completions", {"messages": [
            *kit.USER, {"role": "tool", "content": "x"}]},
            "no place for earlier calls")


class Drafts(Endpoints):
    """The same with drafts, looked up in what was written."""
    options = ("--speculate", "8", "--parallel", "2")


class Forced(Endpoints):
    """The same where forced text is not drawn."""
    options = ("--jump-forward", "on")


class Alone(Endpoints):
    """The same where constrained answers share no step."""
    options = ("--batch-grammar", "off")


class NoFormat(Served):
    template = None

    def test_messages(self):
        self.refused("/v1/chat/completions", {"messages": kit.USER},
                     "no chat format")
        self.ok("/v1/completions", {"prompt": "hi", "max_tokens": 1})
        self.ok("/api/generate", {"prompt": "hi", "stream": False,
                                  "options": {"num_predict": 1}})


class Tools(Served):
    template = kit.HERMES

    def call(self, call):
        self.assertEqual(call["function"]["name"], "add")
        arguments = call["function"]["arguments"]
        if isinstance(arguments, str):
            arguments = json.loads(arguments)
        self.assertIn(arguments["a"], range(100))
        self.assertIn(arguments["b"], (1, 2))

    def test_required(self):
        body = {"messages": kit.USER, "tools": [TOOL], "max_tokens": 900,
                "tool_choice": "required", "parallel_tool_calls": False}
        answer = self.ok("/v1/chat/completions", body).json["choices"][0]
        self.assertEqual(answer["finish_reason"], "tool_calls")
        calls = answer["message"]["tool_calls"]
        self.assertEqual(len(calls), 1)
        self.call(calls[0])

        # and a conversation that goes on after it
        talk = [*kit.USER, answer["message"],
                {"role": "tool", "tool_call_id": calls[0]["id"],
                 "content": "3"}]
        more = self.ok("/v1/chat/completions", {
            "messages": talk, "tools": [TOOL], "tool_choice": "none",
            "max_tokens": 3}).json
        self.assertGreater(more["usage"]["prompt_tokens"], 100)

    def test_streamed(self):
        body = {"messages": kit.USER, "tools": [TOOL], "max_tokens": 900,
                "tool_choice": {"type": "function",
                                "function": {"name": "add"}}, "stream": True}
        found = kit.events(self.ok("/v1/chat/completions", body).text)
        deltas = [call for chunk in found[:-1] for c in chunk["choices"]
                  for call in c["delta"].get("tool_calls", [])]
        text = "".join(d["function"].get("arguments", "") for d in deltas)
        self.call({"function": {"name": deltas[0]["function"]["name"],
                                "arguments": text}})

    def test_anthropic(self):
        tool = {"name": "add", "strict": True, "input_schema": ADD}
        body = {"messages": kit.USER, "tools": [tool], "max_tokens": 900,
                "tool_choice": {"type": "tool", "name": "add"}}
        answer = self.ok("/v1/messages", body).json
        self.assertEqual(answer["stop_reason"], "tool_use")
        use = [b for b in answer["content"] if b["type"] == "tool_use"]
        self.assertEqual([u["name"] for u in use], ["add"])
        self.assertIn(use[0]["input"]["a"], range(100))
        talk = [*kit.USER, {"role": "assistant", "content": use},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": use[0]["id"],
                     "content": [{"type": "text", "text": "3"}]}]}]
        self.ok("/v1/messages", {"messages": talk, "tools": [tool],
                                 "tool_choice": {"type": "none"},
                                 "max_tokens": 3})

    def test_responses(self):
        tool = {"type": "function", "name": "add", "parameters": ADD}
        body = {"input": "hi", "tools": [tool], "tool_choice": "required",
                "max_output_tokens": 900, "parallel_tool_calls": False}
        answer = self.ok("/v1/responses", body).json
        calls = [o for o in answer["output"] if o["type"] == "function_call"]
        self.assertEqual(len(calls), 1)
        self.call({"function": calls[0]})
        talk = [{"role": "user", "content": "hi"}, calls[0],
                {"type": "function_call_output", "output": "3",
                 "call_id": calls[0]["call_id"]}]
        self.ok("/v1/responses", {"input": talk, "tools": [tool],
                                  "tool_choice": "none",
                                  "max_output_tokens": 16})

    def test_ollama(self):
        talk = [*kit.USER, {"role": "assistant", "content": "", "tool_calls": [
            {"function": {"name": "add", "arguments": {"a": 1, "b": 2}}}]},
            {"role": "tool", "tool_name": "add", "content": "3"}]
        self.ok("/api/chat", {"messages": talk, "tools": [TOOL],
                              "stream": False, "options": {"num_predict": 3}})

    def test_bad_tools(self):
        bad = {"type": "function", "function": {
            "name": "f", "parameters": {"type": "objekt"}}}
        error = self.refused("/v1/chat/completions", {
            "messages": kit.USER, "tools": [TOOL, bad]}, "objekt")
        self.assertIn("/tools/1/function/parameters/type", error["message"])


class Reasoning(Served):
    template = R1

    def test_before_format(self):
        """Reasoning is free, then comes the JSON; streamed in that order."""
        body = {**REQUESTS["/v1/chat/completions"], "thinking_budget": 6,
                "seed": 3}
        answer = self.ok("/v1/chat/completions", body).json["choices"][0]
        self.person(answer["message"]["content"])
        reasoning = answer["message"]["reasoning_content"]
        self.assertTrue(reasoning)
        found = kit.events(self.ok("/v1/chat/completions", {
            **body, "stream": True}).text)
        deltas = [c["delta"] for chunk in found[:-1]
                  for c in chunk["choices"]]
        kinds = ["r" if d.get("reasoning_content") else "c" for d in deltas
                 if d.get("reasoning_content") or d.get("content")]
        self.assertEqual(kinds, sorted(kinds, reverse=True))
        self.assertEqual("".join(d.get("reasoning_content") or ""
                                 for d in deltas), reasoning)
        self.assertEqual(kit.joined(found), answer["message"]["content"])

    def test_off(self):
        for field in ({"reasoning_effort": "none"},
                      {"chat_template_kwargs": {"enable_thinking": False}},
                      {"thinking_budget": 0}):
            answer = self.ok("/v1/chat/completions", {
                **REQUESTS["/v1/chat/completions"], **field})
            message = answer.json["choices"][0]["message"]
            self.person(message["content"])
            self.assertFalse(message.get("reasoning_content"))
        answer = self.ok("/api/chat", {**REQUESTS["/api/chat"],
                                       "think": False, "stream": False})
        self.person(answer.json["message"]["content"])

    def test_grammar(self):
        """What cannot stand behind reasoning stands alone, unless reasoning
        is asked for."""
        body = {"messages": kit.USER, "grammar": 'root ::= "yes" | "no"'}
        answer = self.ok("/v1/chat/completions", body).json["choices"][0]
        self.assertIn(answer["message"]["content"], ("yes", "no"))
        self.refused("/v1/chat/completions", {
            **body, "reasoning_effort": "high"}, "reasoning")


class Profiles(unittest.TestCase):
    def ask(self, options, path, body):
        server = kit.Server(*options)
        try:
            return server.post(path, body)
        finally:
            server.stop()

    def test_forms(self):
        conflict = {"messages": kit.USER, "guided_regex": "a",
                    "guided_choice": ["a"]}
        path = "/v1/chat/completions"
        vllm = self.ask(["--profile", "vllm"], path, conflict)
        self.assertEqual((vllm.status, vllm.json["error"]["code"]), (400, 400))
        llama = self.ask(["--profile", "llama-server"], path, conflict)
        self.assertEqual(llama.json["error"]["code"], 400)
        ollama = self.ask(["--profile", "ollama"], path, conflict)
        self.assertIsNone(ollama.json["error"]["code"])
        first = self.ask(["--profile", "mlx-bun"], path, conflict)
        self.assertEqual(first.json["choices"][0]["message"]["content"], "a")

    def test_degraded(self):
        bad = {"messages": kit.USER, "max_tokens": 3,
               "response_format": {"type": "json_schema", "json_schema": {
                   "name": "x", "schema": {"type": "objekt"}}}}
        path = "/v1/chat/completions"
        answer = self.ask(["--profile", "mlx-bun"], path, bad)
        self.assertEqual(answer.status, 200)
        self.assertIn("not enforced", answer.headers["Warning"])
        answer = self.ask(["--profile", "mlx-bun", "--on-unsupported",
                           "refuse"], path, bad)
        self.assertEqual(answer.status, 400)
        self.assertIsNone(answer.headers["Warning"])

    def test_degraded_completions(self):
        """Without messages there is the header alone."""
        bad = {"prompt": "hi", "guided_regex": "a(", "max_tokens": 3}
        server = kit.Server("--on-unsupported", "degrade")
        try:
            answer = server.post("/v1/completions", bad)
            self.assertEqual(answer.status, 200)
            self.assertIn("not enforced", answer.headers["Warning"])
            self.assertEqual(answer.json["usage"]["prompt_tokens"], 3)
        finally:
            server.stop()

    def test_llama(self):
        """llama-server's own grammar is enforced, and told."""
        body = {"messages": kit.USER, "response_format": FORMAT, "seed": 1,
                "max_tokens": 500, "weir": {"grammar": True}}
        answer = self.ask(["--profile", "llama-server"],
                          "/v1/chat/completions", body)
        self.assertEqual(answer.status, 200, answer.text)
        choice = answer.json["choices"][0]
        self.assertEqual(set(json.loads(choice["message"]["content"])),
                         {"name", "age"})
        self.assertEqual(choice["weir"]["constraint"], "gbnf")
        self.assertIn("root ::=", choice["weir"]["grammar"])
        text = 'root ::= "a"'
        answer = self.ask(["--profile", "llama-server"], "/completion",
                          {"prompt": "hi", "grammar": text})
        self.assertEqual(answer.json["generation_settings"]["grammar"], text)


if __name__ == "__main__":
    unittest.main()
