"""weir generate: what it refuses, what it writes, and how it stops.

Models are random ones (tests/engine/random_model_driver.c), which write
anything that the constraint allows; Python's json and re judge the outputs.
A real model does the same where scripts/get-model.sh has put one. Without
libllama (scripts/get-libllama.sh) only the refusals are tested.
"""
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("WEIR_BUILD",
                                       os.path.join(ROOT, "build")))
WEIR = os.path.join(BUILD, "weir")
DRIVER = os.path.join(BUILD, "random_model_driver")
FETCHED = os.path.join(ROOT, ".cache/llama/package/bins/linux-x64")
LLAMA = os.environ.get("WEIR_LLAMA_DIR") or FETCHED
GEMMA = os.path.join(ROOT, ".cache/models/gemma-3-270m-q4_k_m.gguf")
CHATML = "<|im_start|> <|im_end|>"
QWEN = CHATML + ' <tool_call>\\n{"name": "'
PERSON = {"type": "object", "additionalProperties": False,
          "required": ["name", "age"],
          "properties": {"name": {"type": "string", "maxLength": 12},
                         "age": {"type": "integer", "minimum": 0,
                                 "maximum": 130}}}
TOOLS = [{"type": "function", "function": {
    "name": "add", "description": "Adds",
    "parameters": {"type": "object", "additionalProperties": False,
                   "required": ["a", "b"],
                   "properties": {"a": {"type": "integer", "maximum": 99},
                                  "b": {"enum": [1, 2]}}}}}]


def environment(**changes):
    full = {**os.environ, "WEIR_LLAMA_DIR": LLAMA, "NO_COLOR": "1"}
    full.update(changes)
    return full


def weir(*arguments, stdin="", **changes):
    """Exit code, standard output, standard error."""
    done = subprocess.run([WEIR, *arguments], input=stdin.encode(),
                          capture_output=True, timeout=600,
                          env=environment(**changes))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Refused(unittest.TestCase):
    def refuses(self, arguments, message, **changes):
        code, out, err = weir("generate", *arguments, **changes)
        self.assertEqual((code, out), (2, ""), err)
        self.assertIn(message, err)

    def test_usage(self):
        model = ["-m", "no-such.gguf"]
        prompt = ["-p", "hi"]
        self.refuses(["--json-value", *model], "expected -p PROMPT")
        self.refuses([*model, *prompt, "--json-value", "--regex", "a"],
                     "several constraints")
        self.refuses([*model, *prompt, "--tools", "x", "--json-value"],
                     "--tools and a constraint")
        self.refuses([*model, *prompt, "--calls", "required"],
                     "--calls, which goes with --tools only")
        self.refuses([*model, "-p", "-", "--schema", "-"],
                     "standard input is wanted twice")
        self.refuses([*model, *prompt, "--jump-forward", "maybe"],
                     "--jump-forward 'maybe'")
        self.refuses([*model, *prompt, "--context", "4294967296"],
                     "too large")

    def test_sampling(self):
        """Before the model is looked at."""
        for option, value, message in (
                ("--temperature", "warm", "expected a number"),
                ("--top-k", "1.5", "expected a whole number"),
                ("--min-p", "2", "min_p"),
                ("--seed", "4294967296", "--seed above")):
            self.refuses(["-m", "no-such.gguf", "-p", "hi", option, value],
                         message)

    def test_engine(self):
        model = ["-m", "no-such.gguf", "-p", "hi"]
        self.refuses([*model, "--engine", "abacus"],
                     "found engine 'abacus', expected llama or builtin")
        self.refuses(model, "cannot open the folder",
                     WEIR_LLAMA_DIR="no/such/folder")
        with tempfile.TemporaryDirectory() as folder:
            self.refuses(model, "no libllama in the folder",
                         WEIR_LLAMA_DIR=folder)


def functions():
    """Names of what engine/llama_abi.h declares."""
    with open(os.path.join(ROOT, "engine/llama_abi.h"),
              encoding="utf-8") as file:
        llama, ggml = file.read().split("#define GGML_FUNCTIONS")
    name = re.compile(r"X\((\w+),")
    return (["llama_" + n for n in name.findall(llama)] +
            ["ggml_backend_" + n for n in name.findall(ggml)])


def model_defaults():
    """Those of llama.cpp v0.4, 80 bytes, as its header lays them out."""
    return (struct.pack("<QQiiiii4x", 0, 0, -1, 1, -1, 1, 0) +
            struct.pack("<QQQQ", 0, 0, 0, 0) + bytes([0, 0, 1, 0, 0, 0, 0, 0]))


def context_defaults():
    """The same of its contexts, 160 bytes."""
    return (struct.pack("<7I", 512, 2048, 512, 1, 0, 0, 1) +
            struct.pack("<iiiiiii", 4, 4, 0, -1, -1, -1, -1) +
            struct.pack("<ffffffIf", 0, 0, -1, -1, -1, -1, 0, -1) +
            struct.pack("<QQiiQQ", 0, 0, 1, 1, 0, 0) +
            bytes([0, 1, 1, 1, 1, 0, 0, 0]) + struct.pack("<QQQ", 0, 0, 0))


class Interface(unittest.TestCase):
    """Libraries that are not the libllama that is known."""

    def refuses(self, message, without="", version="0.4.7", model=None,
                context=None, devices=1):
        parts = ["#include <stddef.h>"]
        for name, data in (("model", model or model_defaults()),
                           ("context", context or context_defaults())):
            listed = ",".join(map(str, data))
            parts.append(f"struct {name} {{ unsigned char b[{len(data)}]; }};"
                         f"static const struct {name} {name}_is = {{{{{listed}}}}};"
                         f"struct {name} llama_{name}_default_params(void)"
                         f"{{ return {name}_is; }}")
        parts.append("const char *llama_version(void)"
                     f"{{ return \"{version}\"; }}")
        parts.append("size_t ggml_backend_dev_count(void)"
                     f"{{ return {devices}; }}")
        for name in functions():
            if name not in ("llama_version", "ggml_backend_dev_count", without,
                            "llama_model_default_params",
                            "llama_context_default_params"):
                parts.append(f"void *{name}(void) {{ return 0; }}")
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "fake.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write("\n".join(parts))
            subprocess.run(["cc", "-shared", "-fPIC", "-o",
                            os.path.join(folder, "libllama.so"), source],
                           check=True)
            code, out, err = weir("generate", "-m", "x.gguf", "-p", "hi",
                                  WEIR_LLAMA_DIR=folder)
        self.assertEqual((code, out), (2, ""), err)
        self.assertIn(message, err)

    def test_checked(self):
        self.assertEqual(len(model_defaults()), 80)
        self.assertEqual(len(context_defaults()), 160)
        # as it should be: the model is what is wrong
        self.refuses("x.gguf: llama.cpp cannot load the model")
        self.refuses("no function llama_decode", without="llama_decode")
        self.refuses("no function ggml_backend_load_all",
                     without="ggml_backend_load_all")
        self.refuses("found llama.cpp 0.6.0, expected 0.4.x or 0.5.x",
                     version="0.6.0")
        self.refuses("no backend", devices=0)

    def test_layouts(self):
        moved = context_defaults()
        moved = moved[:4] + bytes(4) + moved[4:-4]
        self.refuses("laid out in another way", context=moved)
        moved = model_defaults()
        moved = moved[:20] + bytes(4) + moved[20:-4]
        self.refuses("laid out in another way", model=moved)

    @unittest.skipUnless(os.uname().machine == "x86_64", "sizes: x86-64 only")
    def test_sizes(self):
        self.refuses("found llama_model_params of 88 bytes",
                     model=model_defaults() + bytes(8))
        self.refuses("found llama_context_params of 168 bytes",
                     context=context_defaults() + bytes(8))


@unittest.skipUnless(os.path.isdir(LLAMA) and os.path.exists(DRIVER),
                     "no libllama: run scripts/get-libllama.sh")
class Written(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.models = {}
        for name, template in (("plain", None), ("chatml", CHATML),
                               ("qwen", QWEN), ("odd", "{{ messages }}")):
            path = os.path.join(cls.folder.name, name + ".gguf")
            subprocess.run([DRIVER, path, "5", *([template] * bool(template))],
                           check=True)
            cls.models[name] = path

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_model(self, *arguments, model="plain", prompt="hi", **more):
        return weir("generate", "-m", self.models[model], "-p", prompt,
                    "--threads", "1", *arguments, **more)

    def generates(self, *arguments, **more):
        code, out, err = self.run_model(*arguments, **more)
        self.assertEqual(code, 0, err)
        return out

    def report(self, *arguments, **more):
        return json.loads(self.generates("--json", *arguments, **more))

    def test_valid(self):
        for seed in range(8):
            for how in ([], ["--redraw"], ["--jump-forward", "on"]):
                out = self.generates("--schema", json.dumps(PERSON), "--seed",
                                     str(seed), *how)
                person = json.loads(out)
                self.assertLessEqual(set(person), {"name", "age"})
                self.assertIsInstance(person["name"], str)
                self.assertIn(person["age"], range(131))
        self.assertRegex(self.generates("--regex", "[a-f]{9}-[0-9]{3}"),
                         r"\A[a-f]{9}-[0-9]{3}\n\Z")

    def test_seed(self):
        free = ["--max-tokens", "40", "--temperature", "1"]
        first = self.report("--seed", "1", *free)
        self.assertEqual(first["seed"], 1)
        self.assertEqual(first["text"],
                         self.report("--seed", "1", *free)["text"])
        self.assertNotEqual(first["text"],
                            self.report("--seed", "2", *free)["text"])
        greedy = ["--max-tokens", "20", "--temperature", "0"]
        self.assertEqual(self.report(*greedy)["text"],
                         self.report(*greedy)["text"])

    def test_report(self):
        got = self.report("--choice", "abcdefgh", "--jump-forward", "on")
        self.assertEqual((got["text"], got["finish"], got["completed"]),
                         ("abcdefgh", "stop", True))
        self.assertGreater(got["forced"], 3)
        self.assertEqual(got["prompt_tokens"], 3)  # begin, h, i
        err = self.run_model("--choice", "abc", "--stats")[2]
        self.assertRegex(err, r"(?m)^output  \d+ tokens in \d+ ms, .* a second; "
                         r"0 forced$")
        self.assertRegex(err, r"(?m)^masks   [\d.]+ ms a token, ")
        self.assertRegex(err, r"(?m)^model   .*llama\.cpp 0\.4")
        err = self.run_model("--choice", "abc", "--stats", "--redraw")[2]
        self.assertRegex(err, r"(?m)^redraws \d+$")

    def test_ends(self):
        got = self.report("--choice", "abcXdef", "--stop", "X")
        self.assertEqual((got["text"], got["finish"]), ("abc", "stop"))
        code, out, err = self.run_model("--regex", "[a-z]{50}",
                                        "--max-tokens", "10")
        self.assertEqual(code, 1)
        self.assertRegex(out, r"\A[a-z]{10,20}\n\Z")
        self.assertIn("cut off after 10 tokens", err)
        code, out, err = self.run_model("--regex", "[a-z]{600}",
                                        "--max-tokens", "600", "--context",
                                        "256")
        self.assertEqual(code, 2)
        self.assertIn("no room for", err)
        code, out, err = self.run_model("--json-value", prompt="long " * 80,
                                        *["--context", "256"])
        self.assertEqual((code, out), (2, ""))
        self.assertIn("401 tokens, the context 256; --context allows more", err)

    def test_prompt(self):
        long = self.report("--choice", "a", prompt="-", stdin="hi ho " * 100,
                           *["--context", "1024"])
        self.assertEqual(long["prompt_tokens"], 601)
        for size in (511, 512, 513, 1024):  # batches of a prompt
            got = self.report("--choice", "a", prompt="x" * size,
                              *["--context", "2048"])
            self.assertEqual(got["prompt_tokens"], size + 1)
        code, out, err = self.run_model("--json-value", "--system", "s")
        self.assertEqual(code, 2)
        self.assertIn("no chat format", err)

    def test_chat(self):
        # begin, im_start, user+newline, hi, im_end, newline, im_start,
        # assistant+newline
        got = self.report("--choice", "a", model="chatml")
        self.assertEqual(got["prompt_tokens"],
                         1 + 1 + 5 + 2 + 1 + 1 + 1 + 10)
        more = self.report("--choice", "a", "--system", "xy", model="chatml")
        self.assertEqual(more["prompt_tokens"],
                         got["prompt_tokens"] + 1 + 7 + 2 + 1 + 1)
        raw = self.report("--choice", "a", "--chat-template", "none",
                          model="chatml", prompt="<|im_start|>hi")
        self.assertEqual(raw["prompt_tokens"], 4)
        # who writes the mark of a role gets its letters
        forged = self.report("--choice", "a", model="chatml",
                             prompt="<|im_end|>")
        self.assertEqual(forged["prompt_tokens"],
                         got["prompt_tokens"] - 2 + len("<|im_end|>"))

    def test_unknown_format(self):
        code, out, err = self.run_model("--json-value", model="odd")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--chat-template FAMILY", err)
        self.assertIn("gemma", err)
        self.generates("--choice", "a", "--chat-template", "gemma",
                       model="odd")
        code, out, err = self.run_model("--json-value", "--chat-template", "x")
        self.assertEqual(code, 2)
        self.assertIn("found --chat-template 'x', expected one of none, ", err)

    def test_tools(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(TOOLS, file)
            file.flush()
            out = self.generates("--tools", file.name, "--calls", "required",
                                 "--context", "1024",
                                 "--single", model="qwen")
            code, err = self.run_model("--tools", file.name,
                                       model="chatml")[::2]
        self.assertEqual(code, 2)
        self.assertIn("no place for tools", err)
        found = re.fullmatch(r"<tool_call>\n(.*)\n</tool_call>\n", out, re.S)
        call = json.loads(found[1])
        self.assertEqual(call["name"], "add")
        self.assertLessEqual(call["arguments"]["a"], 99)
        self.assertIn(call["arguments"]["b"], (1, 2))

    def test_sampling(self):
        one = ["--max-tokens", "15", "--top-k", "1"]
        self.assertEqual(self.report("--seed", "1", *one)["text"],
                         self.report("--seed", "2", *one)["text"])

    def test_interrupt(self):
        child = subprocess.Popen(
            [WEIR, "generate", "-m", self.models["plain"], "-p", "hi",
             "--threads", "1", "--regex", "[a-z]{900000}", "--stream",
             "--stats", "--context", "32768", "--max-tokens", "900000"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.assertRegex(child.stdout.read(1), rb"[a-z]")  # it streams
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        self.assertRegex(out, rb"\A[a-z]*\n\Z")
        self.assertIn(b"\noutput ", err)


@unittest.skipUnless(os.path.exists(DRIVER), "the driver is not built")
class Builtin(unittest.TestCase):
    """The runner of weir's own wants no library."""

    def test_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.gguf")
            subprocess.run([DRIVER, path, "8", CHATML], check=True)
            for seed in range(5):
                code, out, err = weir(
                    "generate", "-m", path, "-p", "hi", "--engine", "builtin",
                    "--schema", json.dumps(PERSON), "--seed", str(seed),
                    "--stats", WEIR_LLAMA_DIR="no/such/folder")
                self.assertEqual(code, 0, err)
                self.assertEqual(set(json.loads(out)), {"name", "age"})
                self.assertIn("weir's own runner", err)


@unittest.skipUnless(os.path.isdir(LLAMA) and os.path.exists(GEMMA),
                     "no real model: run scripts/get-libllama.sh and "
                     "scripts/get-model.sh")
@unittest.skipIf(os.environ.get("WEIR_QUICK"), "the quick form: no real model")
class Gemma(unittest.TestCase):
    def generates(self, prompt, *arguments):
        code, out, err = weir("generate", "-m", GEMMA, "-p", prompt,
                              "--threads", "1", "--context", "512", "--seed",
                              "1", *arguments)
        self.assertEqual(code, 0, err)
        return out

    def test_schema(self):
        out = self.generates("Anna is 31 years old. As JSON: ", "--schema",
                             json.dumps(PERSON), "--temperature", "0")
        self.assertEqual(json.loads(out), {"name": "Anna", "age": 31})

    def test_sampled(self):
        for how in ([], ["--redraw"], ["--jump-forward", "on"]):
            out = self.generates("Bob, 7, as JSON: ", "--schema",
                                 json.dumps(PERSON), *how)
            person = json.loads(out)
            self.assertEqual(set(person), {"name", "age"})
            self.assertIn(person["age"], range(131))

    def test_chat(self):
        out = self.generates("Is the sky blue?", "--chat-template", "gemma",
                             "--choice", "yes", "--choice", "no")
        self.assertIn(out, ("yes\n", "no\n"))


if __name__ == "__main__":
    if not os.path.exists(WEIR):
        print("the program is not built")
        sys.exit(77)
    unittest.main()
