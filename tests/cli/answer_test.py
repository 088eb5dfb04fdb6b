"""docs/answer.c, the program of the guide: requests in, responses out."""
import json
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
VOCAB = os.path.join(ROOT, "tests/cases/sampling.gguf")

SCHEMA = {"type": "object", "properties": {
    "a": {"type": "integer", "minimum": 0, "maximum": 99},
    "b": {"type": "string", "maxLength": 6}},
    "required": ["a", "b"], "additionalProperties": False}
FORMAT = {"response_format": {"type": "json_schema", "json_schema": {
    "name": "n", "schema": SCHEMA}}}
TOOLS = {"tools": [{"type": "function", "function": {
    "name": "f", "parameters": SCHEMA}}], "tool_choice": "required",
    "parallel_tool_calls": False}


def fits(value):
    return (list(value) == ["a", "b"] and 0 <= value["a"] <= 99
            and len(value["b"]) <= 6)


class Answer(unittest.TestCase):
    def answer(self, request, *family, status=0):
        done = subprocess.run([os.path.join(BUILD, "weir-answer"), VOCAB,
                               *family], input=json.dumps(request).encode(),
                              capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (status, b""))
        return json.loads(done.stdout)

    def test_schema(self):
        for seed in range(5):
            body = self.answer({**FORMAT, "seed": seed})
            choice = body["choices"][0]
            self.assertTrue(fits(json.loads(choice["message"]["content"])))
            self.assertEqual(choice["finish_reason"], "stop")
            self.assertEqual(body["weir"], {"completed": True})

    def test_length(self):
        body = self.answer({**FORMAT, "seed": 1, "max_tokens": 3})
        self.assertEqual(body["choices"][0]["finish_reason"], "length")
        self.assertEqual(body["weir"], {"completed": False})
        self.assertEqual(body["usage"]["completion_tokens"], 3)

    def test_call(self):
        for seed in range(5):
            body = self.answer({**TOOLS, "seed": seed}, "llama")
            message = body["choices"][0]["message"]
            calls = message["tool_calls"]
            self.assertEqual([c["function"]["name"] for c in calls], ["f"])
            arguments = json.loads(calls[0]["function"]["arguments"])
            self.assertTrue(fits(arguments))
            self.assertEqual(message["content"], "")
            self.assertEqual(body["choices"][0]["finish_reason"],
                             "tool_calls")

    def test_reasoning(self):
        thought = 0
        for seed in range(8):
            body = self.answer({**FORMAT, "seed": seed, "max_tokens": 200},
                               "qwen_3")
            message = body["choices"][0]["message"]
            thought += "reasoning_content" in message
            if body["weir"]["completed"]:
                self.assertTrue(fits(json.loads(message["content"])))
            else:
                self.assertEqual(message["content"], "")
        self.assertGreater(thought, 0)
        self.assertLess(thought, 8)

    def test_refusal(self):
        body = self.answer({"guided_regex": "("}, status=1)
        self.assertEqual(body["error"]["param"], "guided_regex")
        body = self.answer(TOOLS, status=1)
        self.assertIn("family", body["error"]["message"])
        body = self.answer({"temperature": 3}, status=1)
        self.assertEqual(body["error"]["param"], "temperature")

    def test_free(self):
        body = self.answer({"seed": 3, "max_tokens": 9})
        self.assertEqual(body["choices"][0]["finish_reason"], "length")
        self.assertEqual(body["weir"], {"completed": False})


if __name__ == "__main__":
    unittest.main()
