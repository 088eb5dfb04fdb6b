"""Published failures of other servers, over real HTTP: each test bears the name
of its case (docs/cases.md). Labels: threads."""
import concurrent.futures
import json
import os
import statistics
import sys
import threading
import time
import unittest

import server_kit as kit

CHAT = "/v1/chat/completions"
R1 = "<｜User｜> <｜Assistant｜><think>\\n"


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


def number(name="x"):
    return {"type": "object", "additionalProperties": False,
            "properties": {name: {"type": "integer", "maximum": 999,
                                  "minimum": -999}}, "required": [name]}


def named(schema):
    return {"type": "json_schema",
            "json_schema": {"name": "a", "schema": schema}}


class Cases(unittest.TestCase):
    template, options = kit.HERMES, ("--ctx", "3000")

    @classmethod
    def setUpClass(cls):
        cls.server = kit.Server(*cls.options, template=cls.template)

    @classmethod
    def tearDownClass(cls):
        code, err = cls.server.stop()
        assert (code, err) == (0, ""), (code, err)

    def ok(self, path=CHAT, **fields):
        if path == CHAT:
            fields = {"messages": kit.USER, "max_tokens": 900, **fields}
        answer = self.server.post(path, fields)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def text(self, **fields):
        return self.ok(**fields)["choices"][0]["message"]["content"]

    def refused(self, path=CHAT, **fields):
        if path == CHAT:
            fields = {"messages": kit.USER, **fields}
        answer = self.server.post(path, fields)
        self.assertEqual(answer.status, 400, answer.text)
        return answer.json["error"]


class Chat(Cases):
    def test_bad_grammar_after_good(self):
        self.assertIn(self.text(grammar='root ::= "a" | "b"'), ("a", "b"))
        error = self.refused(grammar='root ::= "a"\nroot ::= "b"\n')
        self.assertEqual(error["type"], "invalid_request_error")
        self.assertIn("root", error["message"])
        self.assertIn("line 2", error["message"])
        self.assertEqual(self.text(grammar='root ::= "c"'), "c")
        self.assertEqual(self.server.get("/health").status, 200)

    def test_response_format_text(self):
        answer = self.ok(response_format={"type": "text"}, max_tokens=3,
                         logit_bias=kit.NO_END)
        self.assertEqual(answer["usage"]["completion_tokens"], 3)

    def test_n_greater_one(self):
        answer = self.ok(n=3, temperature=1.0, seed=1,
                         response_format={"type": "json_object",
                                          "schema": number()})
        self.assertEqual(len(answer["choices"]), 3)
        for choice in answer["choices"]:
            self.assertEqual(choice["finish_reason"], "stop")
            self.assertIn("x", json.loads(choice["message"]["content"]))

    def test_fail_open_unparseable(self):
        schema = {"type": "string", "pattern": r"^hello there\!$"}
        self.assertEqual(json.loads(self.text(response_format=named(schema))),
                         "hello there!")

    def test_grammar_field_ollama(self):
        grammar = 'root ::= "I am " ("hungry" | "sleepy")'
        answer = self.ok("/api/generate", prompt="x", grammar=grammar,
                         stream=False)
        self.assertIn(answer["response"], ("I am hungry", "I am sleepy"))
        error = self.refused("/api/generate", prompt="x", grammar=grammar,
                             format="json")
        self.assertIn("format", error)

    def test_json_schema_envelope_dropped(self):
        for form in (named(number()), {"type": "json_object",
                                       "schema": number()}):
            found = json.loads(self.text(response_format=form))
            self.assertEqual(list(found), ["x"])
            self.assertIsInstance(found["x"], int)

    test_repeat_schema_title_json_echo = test_json_schema_envelope_dropped

    def test_stub_missing_backend_200(self):
        error = self.refused(response_format=named(
            {"type": "object", "properties": {"x": {"type": "strin"}}}))
        self.assertIn('"strin"', error["message"])

    def test_anthropic_tool_forced(self):
        tool = {"name": "submit", "strict": True, "input_schema": {
            "type": "object", "required": ["t"], "additionalProperties": False,
            "properties": {"t": {"type": "string", "maxLength": 9}}}}
        answer = self.ok("/v1/messages", messages=kit.USER, tools=[tool],
                         max_tokens=900,
                         tool_choice={"type": "tool", "name": "submit"})
        use = [b for b in answer["content"] if b["type"] == "tool_use"]
        self.assertEqual([(u["name"], list(u["input"])) for u in use],
                         [("submit", ["t"])])
        self.assertIsInstance(use[0]["input"]["t"], str)

    def test_responses_api_text_format(self):
        schema = {"type": "object", "required": ["a"],
                  "additionalProperties": False,
                  "properties": {"a": {"type": "string", "maxLength": 9}}}
        for fields in (
                {"text": {"format": {"type": "json_schema", "name": "m",
                                     "strict": True, "schema": schema}}},
                {"response_format": named(schema)}):
            answer = self.ok("/v1/responses", input="hi",
                             max_output_tokens=900, **fields)
            text = answer["output"][0]["content"][0]["text"]
            self.assertEqual(list(json.loads(text)), ["a"])

    test_responses_format_missing = test_responses_api_text_format

    def test_grammar_language_mixup(self):
        self.assertIn(self.text(
            guided_grammar='?start: a\na: "x" | "y"\n'), ("x", "y"))
        error = self.refused(guided_grammar='root := "x"')
        self.assertIn("invalid Lark grammar", error["message"])

    def test_choice_ignored_old_field(self):
        both = ["positive", "negative"]
        self.assertIn(self.text(guided_choice=both), both)
        self.assertIn(self.text(structured_outputs={"choice": both}), both)
        error = self.refused(guided_choice=both,
                             structured_outputs={"choice": both})
        self.assertEqual(error["code"], "conflicting_parameters")

    def test_two_constraints_conflict(self):
        error = self.refused(guided_json={"type": "object"},
                             guided_regex="a+")
        self.assertIn("guided_json", error["message"])
        self.assertIn("guided_regex", error["message"])

    def test_truncation_flag(self):
        choice = self.ok(max_tokens=5, guided_regex="[a-z]{50}")["choices"][0]
        self.assertEqual(choice["finish_reason"], "length")
        self.assertIs(choice["weir"]["completed"], False)
        choice = self.ok(guided_regex="[a-z]{5}")["choices"][0]
        self.assertIs(choice["weir"]["completed"], True)

    def test_error_body_amplification(self):
        answer = self.server.post("/v1/responses",
                                  {"input": [{"type": 7}] * 12000})
        self.assertEqual(answer.status, 400)
        self.assertLess(len(answer.data), 4096)

    def test_stream_vs_nonstream_equal(self):
        for form in ({}, {"response_format": named(number())},
                     {"guided_regex": "[α-ω]{9}"}):
            fields = {"messages": kit.USER, "seed": 1, "temperature": 0,
                      "max_tokens": 60, **form}
            whole = self.text(**fields)
            stream = self.server.post(CHAT, {**fields, "stream": True})
            self.assertEqual(kit.joined(kit.events(stream.text)), whole)

    def test_stream_utf8_split(self):
        """Tokens are bytes here, so each character is split."""
        text = "\U0001f600中é"
        stream = self.server.post(CHAT, {"messages": kit.USER, "stream": True,
                                         "guided_choice": [text]})
        deltas = [c["delta"].get("content") or ""
                  for e in kit.events(stream.text)[:-1]
                  for c in e["choices"]]
        self.assertEqual("".join(deltas), text)
        self.assertEqual([d for d in deltas if d], list(text))

    def test_tools_and_format_both(self):
        """A call, or an answer that fits the format."""
        tool = {"type": "function", "function": {
            "name": "f", "parameters": number("y")}}
        for seed in range(6):
            message = self.ok("/api/chat", messages=kit.USER, tools=[tool],
                              format=number(), stream=False,
                              options={"seed": seed, "num_predict": 900}
                              )["message"]
            for call in message.get("tool_calls", []):
                self.assertEqual(list(call["function"]["arguments"]), ["y"])
            if not message.get("tool_calls"):
                self.assertEqual(list(json.loads(message["content"])), ["x"])

    def test_response_format_empty_output(self):
        for seed in range(5):
            text = self.text(seed=seed, response_format={
                "type": "json_object", "schema": number()},
                logit_bias={"260": 100})  # a model that wants to stop
            self.assertTrue(json.loads(text))

    def test_kv_reuse_segv(self):
        """The second request begins with a prompt that is all there."""
        fields = {"prompt": "the same prompt", "seed": 3,
                  "response_format": named(number()), "max_tokens": 400}
        first = self.ok("/v1/completions", **fields)
        second = self.ok("/v1/completions", **fields)
        self.assertEqual(second["choices"][0]["text"],
                         first["choices"][0]["text"])
        cached = second["usage"]["prompt_tokens_details"]["cached_tokens"]
        self.assertGreater(cached, 8)

    def test_seed_nondeterminism(self):
        schema = {"type": "array", "items": {"type": "integer", "minimum": 0,
                                             "maximum": 99},
                  "minItems": 5, "maxItems": 5}
        texts = {self.text(seed=42, temperature=1,
                           response_format=named(schema)) for _ in range(4)}
        self.assertEqual(len(texts), 1)


class Reasoning(Cases):
    template = R1

    def test_schema_applied_to_reasoning(self):
        message = self.ok(thinking_budget=9, response_format=named(number())
                          )["choices"][0]["message"]
        self.assertTrue(message["reasoning_content"])
        self.assertEqual(list(json.loads(message["content"])), ["x"])

    def test_think_prefilled_in_prompt(self):
        """The prompt ends in <think>: the deltas are reasoning first."""
        stream = self.server.post(CHAT, {
            "messages": kit.USER, "stream": True, "thinking_budget": 9,
            "max_tokens": 900, "response_format": named(number())})
        deltas = [c["delta"] for e in kit.events(stream.text)[:-1]
                  for c in e["choices"]]
        kinds = [bool(d.get("content")) for d in deltas
                 if d.get("content") or d.get("reasoning_content")]
        self.assertEqual(kinds, sorted(kinds))
        self.assertEqual(set(kinds), {False, True})
        json.loads("".join(d.get("content") or "" for d in deltas))


class Load(Cases):
    def test_lru_evicts_running(self):
        """Forty grammars at once; each answer obeys its own."""
        def ask(i):
            return json.loads(self.text(response_format=named(
                number(f"key{i}"))))
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            for i, found in enumerate(pool.map(ask, list(range(40)) * 3)):
                self.assertEqual(list(found), [f"key{i % 40}"])

    def test_cache_agent_schemas_growth(self):
        """Tools whose descriptions differ each time, and that nobody asks for
        twice: 94 KB each, kept up to the cache's 64 MiB. What is resident
        wanders by half of that, by where the allocator finds room."""
        def ask(i):
            tools = [{"type": "function", "function": {
                "name": f"tool{k}", "description": f"Tool {k} at {i}",
                "parameters": {**number(), "description": f"call {i}"}}}
                for k in range(30)]
            answer = self.server.post("/grammar/check", {"tools": tools})
            self.assertTrue(answer.json["valid"])
        before = self.server.memory()
        for i in range(200 if kit.QUICK else 3000):
            ask(i)
        self.assertGreater(self.server.metric("grammar_cache_bytes"), 0)
        self.assertLessEqual(self.server.metric("grammar_cache_bytes"),
                             64 << 20)
        if not kit.is_sanitized():
            self.assertLess(self.server.memory() - before, 128 << 20)

    def test_event_loop_block(self):
        """While a constraint compiles for long, /health answers at once."""
        pattern = "^(?=.*a.{44}b)(?=.*c.{45}d)(?!.*e.{43}f).*$"
        done = []

        def compile_long(i):
            schema = {"type": "string", "pattern": pattern, "title": str(i)}
            done.append(self.server.post("/grammar/check", {
                "response_format": named(schema)}, timeout=300))
        threads = [threading.Thread(target=compile_long, args=(i,))
                   for i in range(8)]
        for thread in threads:
            thread.start()
        times = []
        while any(thread.is_alive() for thread in threads):
            start = time.monotonic()
            self.assertEqual(self.server.get("/health").status, 200)
            times.append(time.monotonic() - start)
            time.sleep(0.01)
        self.assertTrue(all(answer.status == 400 for answer in done))
        self.assertLess(statistics.median(times), 0.05)

    def test_disk_cache_dos(self):
        """The server has no file open but the model's and its sockets'."""
        folder = f"/proc/{self.server.process.pid}/fd"
        files = {os.readlink(os.path.join(folder, name))
                 for name in os.listdir(folder)}
        allowed = ("socket:", "pipe:", "anon_inode:", "/dev/")
        self.assertEqual([f for f in files if not f.startswith(allowed) and
                          f != self.server.model], [])

    def test_tokenizer_index_first_request(self):
        """The first constrained request takes no longer than the next ones."""
        server = kit.Server(template=self.template)
        times = []
        try:
            for i in range(4):
                start = time.monotonic()
                server.chat(response_format=named(number(f"k{i}")), seed=1)
                times.append(time.monotonic() - start)
        finally:
            server.stop()
        self.assertLess(times[0], 1.5 * max(times[1:]) + 0.05)


if __name__ == "__main__":
    unittest.main()
