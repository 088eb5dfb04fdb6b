"""weir resolve, and --request of the other commands."""
import json
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")
TINY = os.path.join(HERE, "tiny-tokenizer.json")

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}},
          "required": ["a"]}
FORMAT = {"response_format": {"type": "json_schema", "json_schema": {
    "name": "n", "strict": True, "schema": SCHEMA}}}
TOOLS = {"tools": [{"type": "function", "function": {
    "name": "f", "parameters": SCHEMA}}]}


def weir(*arguments, stdin=b"", **environment):
    """Exit code, standard output, standard error."""
    done = subprocess.run([WEIR, *arguments], input=stdin, timeout=120,
                          capture_output=True,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, value):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def request(self, value):
        return self.file("request.json", value)

    def resolve(self, value, *options, **environment):
        code, out, err = weir("resolve", "--json", *options,
                              self.request(value), **environment)
        self.assertEqual(err, "")
        return code, json.loads(out)


class Family(Case):
    CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'

    def test_resolve(self):
        code, found = self.resolve(TOOLS, "--family", "hermes")
        self.assertEqual((code, found["kind"], found["from"],
                          found["compiles"]),
                         (0, "structural_tag", "/tools", True))
        tag = json.loads(found["source"])["format"]
        self.assertEqual(tag["tags"][0]["content"]["json_schema"], SCHEMA)
        code, found = self.resolve({**TOOLS, **FORMAT}, "--family", "hermes",
                                   "--reasoning", "open",
                                   "--reasoning-tokens", "5")
        self.assertEqual(json.loads(found["source"])["format"]["elements"][0]
                         ["content"]["max_tokens"], 5)

    def test_without(self):
        code, found = self.resolve(TOOLS)
        self.assertEqual((code, found["compiles"]), (0, False))
        self.assertIn("family", found["reason"])

    def test_check(self):
        request = self.request({**TOOLS, "tool_choice": "required"})
        for output, wanted in ((self.CALL, 0), ("hello", 1),
                               (self.CALL.replace("1", "x"), 1)):
            code, out, err = weir("check", "--request", request, "--family",
                                  "qwen_3", stdin=output.encode())
            self.assertEqual((code, err), (wanted, ""), out)

    def test_errors(self):
        for options, word in ((("--family", "x"), "qwen_3_coder"),
                              (("--reasoning", "open"), "--family"),
                              (("--family", "kimi", "--reasoning", "x"),
                               "open or may")):
            code, out, err = weir("resolve", *options, self.request(TOOLS))
            self.assertEqual((code, out), (2, ""))
            self.assertIn(word, err)


class Resolve(Case):
    def test_words(self):
        code, out, err = weir("resolve", self.request(FORMAT))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "kind         json_schema\n"
                         "from         /response_format/json_schema/schema\n"
                         "name         n\n"
                         "strict       yes\n"
                         f"source       {json.dumps(SCHEMA)}\n")

    def test_json(self):
        code, found = self.resolve(FORMAT)
        self.assertEqual(code, 0)
        self.assertEqual(found, {
            "kind": "json_schema", "name": "n", "strict": True,
            "from": "/response_format/json_schema/schema",
            "source": json.dumps(SCHEMA), "whitespace": "any",
            "termination": "when_final", "mask": "first", "closed": True,
            "batched": True, "jump_forward": False, "compiles": True,
            "degraded": False})

    def test_choices(self):
        code, found = self.resolve({"guided_choice": ["a", "é\n"]})
        self.assertEqual((code, found["choices"]), (0, ["a", "é\n"]))
        out = weir("resolve", self.request({"guided_choice": ["a", "b"]}))[1]
        self.assertIn("choice       a\nchoice       b\n", out)

    def test_nothing(self):
        self.assertEqual(weir("resolve", "-", stdin=b"{}"),
                         (0, "kind         none\n", ""))
        self.assertEqual(weir("resolve", self.request({"messages": []})),
                         (0, "kind         none\n", ""))

    def test_profiles(self):
        value = {"response_format": {"type": "json_object"}}
        for profile, facts in {
                "default": ("json_object", "when_final", "first", "any"),
                "vllm": ("json_object", "stop_token", "first", "any"),
                "llama-server": ("json_object", "stop_token", "redraw",
                                 "regex"),
                "ollama": ("json_object", "stop_token", "redraw", "regex"),
                "mlx-bun": ("json_value", "first_complete", "first", "any"),
        }.items():
            code, found = self.resolve(value, "--profile", profile)
            self.assertEqual(code, 0)
            self.assertEqual(tuple(found[key] for key in (
                "kind", "termination", "mask", "whitespace")), facts, profile)

    def test_endpoints(self):
        for endpoint, value, origin in [
                ("chat", {"guided_regex": "a"}, "/guided_regex"),
                ("completions", {"regex": "a"}, "/regex"),
                ("responses", {"text": {"format": {"type": "json_object"}}},
                 "/text/format"),
                ("completion", {"json_schema": {"enum": [1]}},
                 "/json_schema"),
                ("generate", {"sampling_params": {"regex": "a"}},
                 "/sampling_params/regex"),
                ("ollama-chat", {"format": "json"}, "/format"),
                ("ollama-generate", {"format": "json"}, "/format")]:
            code, found = self.resolve(value, "--endpoint", endpoint)
            self.assertEqual((code, found["from"]), (0, origin), endpoint)
        code, found = self.resolve({"tools": [{"name": "f"}]},
                                   "--endpoint", "messages")
        self.assertEqual((code, found["tools"]["mode"]), (0, "auto"))

    def test_refused(self):
        value = {"guided_json": {"type": "strin"}, "model": "m"}
        code, found = self.resolve(value)
        self.assertEqual((code, found["status"]), (1, 400))
        self.assertEqual(found["pointer"], "/guided_json/type")
        text = json.dumps(value)
        self.assertEqual(text[found["begin"]:found["end"]], '"strin"')
        error = found["body"]["error"]
        self.assertEqual(error["param"], "guided_json")
        self.assertEqual(error["code"], "invalid_json_schema")
        code, out, err = weir("resolve", self.request(value))
        self.assertEqual((code, err), (1, ""))
        status, body = out.splitlines()
        self.assertEqual(status, "HTTP 400")
        self.assertEqual(json.loads(body), found["body"])

    def test_degraded(self):
        value = {"guided_json": {"type": "strin"}}
        code, found = self.resolve(value, "--failure", "degrade")
        self.assertEqual((code, found["kind"], found["degraded"]),
                         (0, "none", True))
        self.assertIn('"type": "strin"', found["system_message"])
        self.assertTrue(found["warning"].startswith('199 weir "'))
        out = weir("resolve", "--profile", "mlx-bun", self.request(value))[1]
        self.assertIn("\nsystem       Answer with JSON", out)

    def test_tools(self):
        code, found = self.resolve(TOOLS)
        self.assertEqual((code, found["kind"], found["compiles"]),
                         (0, "none", False))
        self.assertIn("no family of models", found["reason"])
        self.assertEqual(found["tools"], {
            "mode": "auto", "parallel": True, "list": [{
                "from": "/tools/0/function/parameters", "name": "f",
                "kind": "json_schema", "strict": False,
                "source": json.dumps(SCHEMA)}]})
        out = weir("resolve", self.request(TOOLS))[1]
        self.assertIn("tools        auto, in parallel\n", out)
        self.assertIn("compiles     no: ", out)

    def test_switches(self):
        value = {"guided_regex": "a"}
        for options, environment in [((), {"WEIR_GRAMMAR": "0"}),
                                     (("--grammar", "off"), {}),
                                     (("--grammar", "off"),
                                      {"WEIR_GRAMMAR": "1"})]:
            code, found = self.resolve(value, *options, **environment)
            self.assertEqual((code, found["body"]["error"]["code"]),
                             (1, "grammar_off"))
        code, found = self.resolve(value, "--grammar", "on",
                                   WEIR_GRAMMAR="0")
        self.assertEqual(code, 0)
        found = self.resolve(value, "--jump-forward", "on",
                             WEIR_GRAMMAR_BATCH="0")[1]
        self.assertEqual((found["jump_forward"], found["batched"]),
                         (True, False))
        found = self.resolve(value, "--batch-grammar", "off",
                             WEIR_GRAMMAR_JUMP="1")[1]
        self.assertEqual((found["jump_forward"], found["batched"]),
                         (True, False))
        err = weir("resolve", "--failure", "degrade",
                   self.request({"guided_regex": "("}),
                   WEIR_LANE_DEBUG="1")[2]
        self.assertEqual(err, "weir: lane batch, constraint no, "
                         "jump-forward off\n")
        err = weir("resolve", self.request(value), WEIR_LANE_DEBUG="1")[2]
        self.assertEqual(err, "weir: lane batch, constraint yes, "
                         "jump-forward off\n")

    def test_tokens(self):
        value = {"grammar": 'root ::= <[1]> "a"'}
        self.assertEqual(self.resolve(value, "--tokenizer", TINY)[0], 0)

    def test_usage(self):
        path = self.request({})
        for arguments, message in [
                ([], "expected one request"),
                ([path, path], "expected one request"),
                ([path, "--profile", "x"], "found --profile 'x'"),
                ([path, "--endpoint", "default"], "--endpoint 'default'"),
                ([path, "--failure", "x"], "expected refuse or degrade"),
                ([path, "--grammar", "0"], "expected on or off"),
                ([path + "x"], "cannot read")]:
            code, out, err = weir("resolve", *arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn(message, err)
        code, _, err = weir("resolve", path, WEIR_GRAMMAR="yes")
        self.assertEqual(code, 2)
        self.assertIn("found WEIR_GRAMMAR 'yes', expected 1 or 0", err)


class Constraint(Case):
    def check(self, value, answer, *options):
        return weir("check", "--request", self.request(value), *options,
                    self.file("answer.txt", answer))

    def test_check(self):
        self.assertEqual(self.check(FORMAT, '{"a": 1}'),
                         (0, "accepted\n", ""))
        code, out, err = self.check(FORMAT, '{"a": "b"}')
        self.assertEqual((code, err), (1, ""))
        self.assertIn("in the value at /a, by #/properties/a/type", out)
        code, out, _ = self.check({"guided_regex": "[0-9]+"}, "12x")
        self.assertEqual(code, 1)
        self.assertIn("at byte 2", out)
        # an output is read on, though a token would have ended it
        self.assertEqual(self.check({"guided_regex": "[0-9]+"}, "123",
                                    "--profile", "mlx-bun")[0], 0)

    def test_free_text(self):
        self.assertEqual(self.check({}, "any\ntext")[:2], (0, "accepted\n"))
        code, out, err = self.check({"guided_regex": "("}, "text",
                                    "--failure", "degrade")
        self.assertEqual((code, out), (0, "accepted\n"))
        self.assertIn("output format not enforced", err)

    def test_structural_tag(self):
        tag = {"type": "structural_tag", "format": {
            "type": "tag", "begin": "<", "content": {"type": "any_text"},
            "end": ">"}}
        request = {"messages": [], "response_format": tag}
        self.assertEqual(self.check(request, "<a>")[0], 0)
        self.assertEqual(self.check(request, "<a>>")[0], 1)
        # v1, and as the text that SGLang sends
        older = {"type": "structural_tag", "triggers": ["<"], "structures": [
            {"begin": "<", "schema": {"type": "integer"}, "end": ">"}]}
        self.assertEqual(self.check({"response_format": older}, "a<1>b")[0], 0)
        self.assertEqual(self.check({"response_format": older}, "a<b>")[0], 1)
        request = {"text": "p", "sampling_params": {
            "structural_tag": json.dumps(tag)}}
        self.assertEqual(self.check(request, "<a>", "--endpoint",
                                    "generate")[0], 0)
        tag["format"]["end"] = 7
        code, _, err = self.check({"response_format": tag}, "<a>")
        self.assertEqual(code, 2)
        self.assertIn("response_format: invalid structural tag: found a "
                      "number, expected a string, an array of them or a "
                      "token, at /response_format/format/end", err)

    def test_refused(self):
        code, out, err = self.check('{"a":\n {"guided_json": [1]}}', "x")
        self.assertEqual((code, out), (0, "accepted\n"))
        code, out, err = self.check('{"a": 1,\n "guided_json": [1]}', "x")
        self.assertEqual((code, out), (2, ""))
        self.assertIn(":2:17: guided_json: found an array, expected a JSON "
                      "Schema: an object", err)
        code, _, err = self.check(TOOLS, "x")
        self.assertEqual(code, 2)
        self.assertIn("no family of models", err)

    def test_other_commands(self):
        path = self.request({"guided_choice": ["a", "b"]})
        code, out, _ = weir("explain", "--request", path)
        self.assertEqual(code, 0)
        self.assertIn("root ::= [ab]", out)
        code, out, _ = weir("mask", "--request", path, "--tokenizer", TINY,
                            "--json")
        self.assertEqual((code, json.loads(out)["stop"]), (0, False))

    def test_usage(self):
        path = self.request({})
        for arguments, message in [
                (["--profile", "vllm", "--json-value"],
                 "--profile, which goes with --request only"),
                (["--request", path, "--json-value"], "several constraints"),
                (["--request", "-"], "standard input is wanted twice")]:
            code, _, err = weir("check", *arguments)
            self.assertEqual(code, 2)
            self.assertIn(message, err)


class Chat(Case):
    """--chat: llama-server's own grammar, behind its prefill."""
    SERVER = ("--profile", "llama-server", "--chat")
    BEGIN = "<|im_start|>assistant\n"

    def test_resolve(self):
        code, found = self.resolve(FORMAT, *self.SERVER, "qwen3-no-think")
        self.assertEqual((code, found["kind"], found["compiles"],
                          found["prefill"]),
                         (0, "gbnf", True,
                          self.BEGIN + "<think>\n\n</think>\n\n"))
        self.assertIn("response-format ::= response-format-schema\n",
                      found["source"])

    def test_check(self):
        path = self.request(FORMAT)
        for text, code in (('{"a": 1}', 0), ('```json\n{"a":1}\n```', 0),
                           ('{"a": "b"}', 1), (self.BEGIN + '{"a": 1}', 1)):
            self.assertEqual(weir("check", "--request", path, *self.SERVER,
                                  "chatml", stdin=text.encode())[0], code)

    def test_samples(self):
        code, out, _ = weir("sample", "--request", self.request(FORMAT),
                            *self.SERVER, "chatml", "--tokenizer", TINY, "-n",
                            "3")
        self.assertEqual(code, 0)
        self.assertNotIn("im_start", out)

    def test_usage(self):
        code, _, err = weir("resolve", "--chat", "qwen3", self.request(FORMAT))
        self.assertEqual(code, 2)
        self.assertIn("--profile llama-server", err)


if __name__ == "__main__":
    unittest.main()
