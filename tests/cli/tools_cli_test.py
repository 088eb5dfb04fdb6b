"""weir tools tag and weir tools parse."""
import json
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
CHAT = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]
FLAT = [{"type": "function", "name": "f", "parameters": SCHEMA}]
MESSAGES = [{"name": "f", "input_schema": SCHEMA}]


def weir(*arguments, stdin=""):
    """Exit code, standard output, standard error."""
    done = subprocess.run([WEIR, *arguments], input=stdin.encode(),
                          timeout=120, capture_output=True)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, value):
        self.count = getattr(self, "count", 0) + 1
        path = os.path.join(self.folder.name, f"{self.count}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path


class Tag(Case):
    def tag(self, tools, *options):
        code, out, err = weir("tools", "tag", *options, "--tools",
                              self.file(tools))
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)["format"]

    def test_forms_of_tools(self):
        tags = [self.tag(tools, "--family", "hermes")
                for tools in (CHAT, FLAT, MESSAGES, {"tools": CHAT})]
        self.assertEqual(tags[0]["tags"][0]["content"],
                         {"type": "json_schema", "json_schema": SCHEMA})
        for tag in tags:
            self.assertEqual(tag, tags[0])

    def test_options(self):
        tag = self.tag(CHAT, "--family", "glm_4_7", "--calls", "required",
                       "--single", "--any-order", "--reasoning", "may",
                       "--reasoning-tokens", "9")
        thoughts, calls = tag["elements"]
        self.assertEqual(thoughts["content"]["elements"][0]["content"]
                         ["max_tokens"], 9)
        self.assertTrue(calls["at_least_one"] and calls["stop_after_first"])
        self.assertTrue(calls["tags"][0]["content"]["any_order"])
        code, out, err = weir("tools", "tag", "--family", "llama", "--answer",
                              self.file({"type": "any_text"}))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["format"], {"type": "any_text"})

    def test_errors(self):
        for options, word in (
                (("--family", "gpt"), "qwen_3, qwen_3_5"),
                ((), "--family"),
                (("--family", "llama", "--reasoning", "open"),
                 "no reasoning"),
                (("--family", "llama", "--calls", "some"), "auto, required"),
                (("--family", "llama", "--calls", "required"), "no tools"),
                (("--family", "llama", "--tools", "nowhere.json"),
                 "nowhere.json"),
                (("--family", "llama", "--tools", self.file("[}")),
                 "expected"),
                (("--family", "llama", "--tools", self.file({"a": 1})),
                 "no tools"),
                (("--family", "llama", "--tools", self.file([{"name": ""}])),
                 "found no name"),
                (("--family", "llama", "--tools",
                  self.file([{"name": "a b", "parameters": {}}])), "\"a b\"")):
            code, out, err = weir("tools", "tag", *options)
            self.assertEqual((code, out), (2, ""), options)
            self.assertIn(word, err)
        self.assertEqual(weir("tools")[0], 2)
        self.assertEqual(weir("tools", "tig", "--family", "llama")[0], 2)


class Parse(Case):
    OUTPUT = ("hm</think>\n\nLook: <tool_call>\n<function=f>\n<parameter=a>\n"
              "1\n</parameter>\n</function>\n</tool_call>")

    def test_words(self):
        code, out, err = weir("tools", "parse", "--family", "qwen_3_5",
                              "--reasoning", "open", "--tools",
                              self.file(CHAT), "-", stdin=self.OUTPUT)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, 'reasoning    "hm"\ncontent      "Look:"\n'
                         'call         f {"a":"1"}\n')

    def test_json(self):
        code, out, err = weir("tools", "parse", "--family", "qwen_3_5",
                              "--reasoning", "open", "--json", "-",
                              stdin=self.OUTPUT * 2)
        self.assertEqual((code, err), (0, ""))
        message = json.loads(out)
        self.assertEqual(message["reasoning_content"], "hm")
        calls = message["tool_calls"]
        self.assertEqual([c["function"] for c in calls],
                         2 * [{"name": "f", "arguments": '{"a":1}'}])
        code, out, err = weir("tools", "parse", "--family", "kimi", "--json",
                              self.file("only text"))
        self.assertEqual(json.loads(out), {"role": "assistant",
                                           "content": "only text"})

    def test_broken(self):
        code, out, err = weir("tools", "parse", "--family", "qwen_3_5",
                              "--reasoning", "open", "-",
                              stdin=self.OUTPUT[:-40])
        self.assertEqual((code, err), (1, ""))
        self.assertIn("(broken off)", out)

    def test_errors(self):
        self.assertEqual(weir("tools", "parse", "--family", "kimi")[0], 2)
        code, out, err = weir("tools", "parse", "--family", "kimi", "nowhere")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("nowhere", err)


if __name__ == "__main__":
    unittest.main()
