"""Requirements on the server that no other test has, over real HTTP: each test
names the numbers that they bear in docs/requirements.md. Labels: threads."""
import json
import re
import sys
import unittest

import server_kit as kit

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
THREE = {"type": "integer", "minimum": 100, "maximum": 999}
BAD = {"type": "objekt"}
# What a model is told of BAD, named "person", when it is not enforced.
TOLD = """Answer with JSON that is valid against the schema 'person'.

JSON Schema:
```json
{
  "type": "objekt"
}
```

Write the JSON value alone, no other text and no explanation."""


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


def named(schema):
    return {"type": "json_schema", "json_schema": {
        "name": "person", "strict": True, "schema": schema}}


def body_for(path, **fields):
    start = ({"messages": kit.USER} if path == CHAT else {"prompt": "hi"})
    return {**start, "seed": 3, "max_tokens": 40, **fields}


def text_of(choice):
    return choice["text"] if "text" in choice else choice["message"]["content"]


# Fields as clients spell them, what the text must be, and where it stands.
OBJECT = {"response_format": {"type": "json_object"},
          "logit_bias": {"125": 100}}  # which closes it at once
FIELDS = [
    (OBJECT, r"\{\}", "/response_format"),
    ({"response_format": named(THREE)}, r"\d{3}",
     "/response_format/json_schema/schema"),
    ({"response_format": {"type": "json_object", "schema": THREE}}, r"\d{3}",
     "/response_format/schema"),
    ({"guided_json": THREE}, r"\d{3}", "/guided_json"),
    ({"guided_regex": r"[A-Z]{3}\d{2}"}, r"[A-Z]{3}\d\d", "/guided_regex"),
    ({"guided_choice": ["yes", "no"]}, "yes|no", "/guided_choice"),
    ({"guided_grammar": 'root ::= "<" [0-9] ">"'}, r"<\d>",
     "/guided_grammar"),
    ({"guided_grammar": 'start: "<" /[0-9]/ ">"'}, r"<\d>",
     "/guided_grammar"),
    ({"grammar": 'root ::= "<" [0-9] ">"'}, r"<\d>", "/grammar"),
    ({"json_schema": THREE}, r"\d{3}", "/json_schema"),
    ({"structured_outputs": THREE}, r"\d{3}", "/structured_outputs"),
    ({"structured_outputs": {"regex": "[a-c]{5}"}}, "[a-c]{5}",
     "/structured_outputs/regex"),
]


class Plain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = kit.Server("--ctx", "1500")

    @classmethod
    def tearDownClass(cls):
        code, err = cls.server.stop()
        assert (code, err) == (0, ""), (code, err)

    def one(self, path, **fields):
        answer = self.server.post(path, body_for(path, **fields))
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json["choices"][0]

    def test_fields_reach_the_sampler(self):
        """1, 5 to 8, 58, 83: each is enforced, and nothing like it comes
        without."""
        for path in (CHAT, COMPLETIONS):
            free = text_of(self.one(path))
            for fields, pattern, place in FIELDS:
                with self.subTest(path=path, fields=fields):
                    choice = self.one(path, **fields)
                    self.assertRegex(text_of(choice), rf"\A({pattern})\Z")
                    self.assertEqual(choice["finish_reason"], "stop")
                    self.assertEqual((choice["weir"]["from"],
                                      choice["weir"]["completed"]),
                                     (place, True))
                    self.assertIsNone(re.fullmatch(pattern, free))

    def test_other_ends_stay(self):
        """49: stop texts, the model's stop token and max_tokens, whichever
        comes before the grammar's end; streamed alike."""
        ends = {"logit_bias": {"260": 100}}  # where it may
        for fields, text, reason, completed in (
                ({"guided_choice": ["ab!cd"], "stop": ["!"]}, "ab", "stop",
                 False),
                ({"guided_choice": ["abc"], "max_tokens": 2}, "ab", "length",
                 False),
                ({"guided_choice": ["abc"], "max_tokens": 3}, "abc", "stop",
                 True),
                ({"guided_regex": "ab[a-z]*", **ends}, "ab", "stop", True),
                ({"guided_choice": ["abc"], **ends}, "abc", "stop", True)):
            with self.subTest(fields=fields):
                choice = self.one(CHAT, **fields)
                self.assertEqual((text_of(choice), choice["finish_reason"],
                                  choice["weir"]["completed"]),
                                 (text, reason, completed))
                stream = kit.events(self.server.post(CHAT, body_for(
                    CHAT, stream=True, **fields)).text)
                self.assertEqual(kit.joined(stream), text)
                self.assertEqual([c["finish_reason"] for e in stream[:-1]
                                  for c in e["choices"]
                                  if c["finish_reason"]], [reason])

    def test_free_answers_make_no_mask(self):
        """10, 14, 43, 72, 85: only a request that asks for a constraint has
        one, on each endpoint."""
        few = {"max_tokens": 4}
        self.one(CHAT, guided_choice=["ab"])
        self.server.until("mask_seconds_count", lambda n: n > 0)
        masks = self.server.metric("mask_seconds_count")
        free = [(CHAT, {"messages": kit.USER, **few}),
                (CHAT, {"messages": kit.USER, "response_format":
                        {"type": "text"}, **few}),
                (COMPLETIONS, {"prompt": "x", **few}),
                ("/v1/responses", {"input": "x", "max_output_tokens": 16}),
                ("/v1/messages", {"messages": kit.USER, **few}),
                ("/completion", {"prompt": "x", "n_predict": 4}),
                ("/generate", {"text": "x",
                               "sampling_params": {"max_new_tokens": 4}}),
                ("/api/chat", {"messages": kit.USER, "format": "",
                               "options": {"num_predict": 4}}),
                ("/api/generate", {"prompt": "x",
                                   "options": {"num_predict": 4}})]
        ended = self.server.metric("answers_total")
        for path, body in free:
            self.assertEqual(self.server.post(path, body).status, 200)
        self.server.until("answers_total", lambda n: n == ended + len(free))
        self.assertEqual(self.server.metric("mask_seconds_count"), masks)
        text = self.one(CHAT, response_format={"type": "text"})
        self.assertEqual(text_of(text), text_of(self.one(CHAT)))

    def test_refused_before_any_work(self):
        """183: wrong formats, settings and sizes cost no decode."""
        path, names = CHAT, ("decodes_total", "prompt_tokens_total")
        refused = self.server.metric("requests_refused_total")
        before = [self.server.metric(name) for name in names]
        wrong = [{"guided_regex": "a("}, {"response_format": named(BAD)},
                 {"temperature": 7}, {"top_p": 2}, {"logprobs": "many"},
                 {"messages": [{"role": "user", "content": "x" * 1600}]},
                 {"tool_choice": "required"}]
        for fields in wrong:
            answer = self.server.post(path, body_for(path, **fields))
            self.assertEqual(answer.status, 400, answer.text)
        self.assertEqual(self.server.metric("requests_refused_total"),
                         refused + len(wrong))
        self.assertEqual([self.server.metric(name) for name in names], before)


class Profiles(unittest.TestCase):
    def test_precedence(self):
        """9: where the first of several holds, one after another is taken
        away."""
        fields = {"guided_grammar": 'root ::= "g"',
                  "response_format": named({"enum": [1]}),
                  "structured_outputs": {"enum": [2]},
                  "guided_regex": "r", "guided_choice": ["c"]}
        server = kit.Server("--profile", "mlx-bun")
        try:
            for path in (CHAT, COMPLETIONS):
                left = dict(fields)
                for name, text in zip(fields, "g12rc"):
                    answer = server.post(path, body_for(path, **left)).json
                    choice = answer["choices"][0]
                    self.assertEqual(text_of(choice), text)
                    self.assertIn(name, choice["weir"]["from"])
                    if name == "response_format":
                        left[name] = {"type": "json_object"}
                        answer = server.post(path, body_for(path, **left)).json
                        self.assertEqual(answer["choices"][0]["weir"]["from"],
                                         "/response_format")
                    del left[name]
        finally:
            self.assertEqual(server.stop(), (0, ""))

    def degraded(self, server, path, **fields):
        answer = server.post(path, body_for(path, **fields))
        self.assertEqual(answer.status, 200, answer.text)
        self.assertIn("not enforced", answer.headers["Warning"])
        return answer

    def degraded_chats(self, server):
        """The model gets the schema and its name: the prompt is that of who
        says so in as many words, all but its last token from the cache."""
        usage = self.degraded(server, CHAT, response_format=named(BAD),
                              n=2).json["usage"]
        same = server.chat(messages=[{"role": "system", "content": TOLD},
                                     *kit.USER], max_tokens=1)
        self.assertIsNone(same.headers["Warning"])
        same = same.json["usage"]
        self.assertEqual(same["prompt_tokens"], usage["prompt_tokens"])
        self.assertEqual(same["prompt_tokens_details"]["cached_tokens"],
                         usage["prompt_tokens"] - 1)
        stream = self.degraded(server, CHAT, response_format=named(BAD),
                               stream=True)
        self.assertEqual(kit.events(stream.text)[-1], "[DONE]")
        answer = server.post("/v1/responses", {
            "input": "x", "max_output_tokens": 16,
            "text": {"format": {"type": "json_schema", "name": "person",
                                "schema": BAD}}})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertIn("not enforced", answer.headers["Warning"])

    def test_degraded(self):
        """12, 52 to 57, 84: told and said, not enforced, in the common batch;
        a good constraint is, afterwards."""
        server = kit.Server("--profile", "mlx-bun", "--batch-grammar", "off",
                            WEIR_LANE_DEBUG="1")
        try:
            self.degraded_chats(server)
            usage = self.degraded(server, COMPLETIONS, guided_grammar="root ::="
                                  ).json["usage"]
            self.assertEqual(usage["prompt_tokens"], 3)
            self.assertEqual(server.metric("mask_seconds_count"), 0)
            good = server.post(CHAT, body_for(CHAT, guided_choice=["ab"]))
            self.assertIsNone(good.headers["Warning"])
            self.assertEqual(text_of(good.json["choices"][0]), "ab")
        finally:
            code, err = server.stop()
        self.assertEqual(code, 0)
        lanes = ["lane serial, constraint yes" in line
                 for line in err.splitlines()]
        self.assertEqual(lanes, [False] * 5 + [True])
        self.assertEqual(err.count("lane batch, constraint no"), 5)


if __name__ == "__main__":
    unittest.main()
