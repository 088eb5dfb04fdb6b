"""The command line, by what it prints and by its exit codes.

Expected values are written by hand from the contract, or found by another way:
masks by trying every token of tiny-tokenizer.json (and of Llama-3, when it is
there) on json_prefix.py, samples by Python's json and re.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")
TINY = os.path.join(HERE, "tiny-tokenizer.json")
VOCAB_DIR = os.environ.get("WEIR_VOCAB_DIR", os.path.join(ROOT, ".cache/vocab"))
LLAMA = os.path.join(VOCAB_DIR, "llama3", "tokenizer.json")

sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import json_prefix  # noqa: E402


def weir(*arguments, stdin=b""):
    """Exit code, standard output, standard error."""
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    done = subprocess.run([WEIR, *arguments], input=stdin,
                          capture_output=True, env=environment, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def on_terminal(*arguments, **environment):
    """What a terminal gets of standard output, and the exit code."""
    head, tail = pty.openpty()
    full = {**os.environ, "TERM": "xterm", **environment}
    if "NO_COLOR" not in environment:
        full.pop("NO_COLOR", None)
    child = subprocess.Popen([WEIR, *arguments], stdin=subprocess.DEVNULL,
                             stdout=tail, stderr=tail, env=full)
    os.close(tail)
    text = b""
    while True:
        try:
            piece = os.read(head, 4096)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(head)
    return child.wait(), text.decode()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def expect(self, result, code, out=None, err=None):
        self.assertEqual((result[0], result[1] if out is None else out),
                         (code, result[1]), result[2])
        if err is not None:
            self.assertIn(err, result[2])
        if code == 2:
            self.assertEqual(result[1], "")
        else:
            self.assertEqual(result[2] == "", err is None, result[2])


# ---- usage -----------------------------------------------------------------

class Usage(Case):
    def test_help_and_version(self):
        self.expect(weir("--version"), 0, "weir 0.1.0\n")
        for arguments in (["--help"], ["-h"], ["help"], ["check", "--help"],
                          ["help", "mask"]):
            code, out, err = weir(*arguments)
            self.assertEqual((code, err), (0, ""), arguments)
            self.assertTrue(out.startswith("Usage: weir "), arguments)

    def test_wrong_usage(self):
        for arguments, message in [
                ([], "expected a command"),
                (["chekc"], "unknown command 'chekc'; did you mean 'check'?"),
                (["check", "--josn"], "did you mean '--json'?"),
                (["check", "--encode", "x", "--json-value"],
                 "unknown option '--encode'"),
                (["check"], "found no constraint"),
                (["check", "--json-value", "--choice", "a"],
                 "found several constraints"),
                (["check", "--regex", "a", "--regex", "b"], "given twice"),
                (["check", "--regex"], "--regex wants a value"),
                (["check", "--json-value=1"], "--json-value takes no value"),
                (["check", "--json-value", "-x"], "unknown option '-x'"),
                (["check", "--json-value", "--root", "r"],
                 "--root, which goes with --ebnf, --gbnf or --lark only"),
                (["check", "--ebnf", "g", "--dialect", "llama.cpp"],
                 "--dialect, which goes with --gbnf only"),
                (["check", "--gbnf", "g", "--dialect", "gnu"],
                 "found --dialect 'gnu', expected llama.cpp"),
                (["check", "--gbnf", "-"], "wanted twice"),
                (["check", "--json-value", "-i"],
                 "--ignore-case, which goes with --regex only"),
                (["check", "--regex", "a", "--whitespace", "any"],
                 "--whitespace, which goes with --json-value"),
                (["check", "--json-value", "--whitespace", "tab"],
                 "expected any, compact, indent=N (up to 1000) or regex=R"),
                (["check", "--json-value", "--max-whitespace", "-1"],
                 "found '-1', expected a whole number for --max-whitespace"),
                (["check", "--json-value", "--whitespace", "compact",
                  "--max-whitespace", "3"], "goes with --whitespace any"),
                (["check", "--ebnf", "-", "-"], "wanted twice"),
                (["check", "--ebnf", "-"], "wanted twice"),
                (["mask", "--json-value"], "expected --tokenizer PATH"),
                (["sample", "--json-value"], "expected --tokenizer PATH"),
                (["sample", "--json-value", "--tokenizer", TINY, "-nx"],
                 "found 'x', expected a whole number for -n"),
                (["explain", "--json-value", "file"], "found 'file'"),
                (["tokenizer"], "expected a PATH"),
                (["tokenizer", TINY, TINY], "found several paths")]:
            self.expect(weir(*arguments), 2, err=message)

    def test_spellings_of_options(self):
        for arguments in (["--regex=a+"], ["--regex", "a+"],
                          ["-i", "--regex", "A+"], ["--regex=a+", "--", "-"]):
            self.expect(weir("check", *arguments, stdin=b"aa"), 0,
                        "accepted\n")

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            code = subprocess.run([WEIR, "--help"], stdout=full,
                                  stderr=subprocess.DEVNULL).returncode
        self.assertEqual(code, 2)


class Terminal(Case):
    def test_colour(self):
        path = self.file("a.json", "{}")
        check = ["check", "--json-value", path]
        self.assertIn("\033[32maccepted", on_terminal(*check)[1])
        for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertEqual(on_terminal(*check, **plain),
                             (0, "accepted\r\n"))
        self.assertIn("\033[32m", on_terminal(*check, NO_COLOR="")[1])
        self.assertNotIn("\033", weir(*check)[1])


# ---- constraints and their errors ------------------------------------------

class Constraints(Case):
    def test_error_with_its_place(self):
        path = self.file("g.ebnf", 'root ::= a\n\na ::=\t"é" b "c"\n')
        code, out, err = weir("check", "--ebnf", path, stdin=b"")
        self.assertEqual((code, out), (2, ""))
        head, line, caret = err.splitlines()
        # bytes: a ::= TAB " é é " and a blank before b
        self.assertTrue(head.startswith(f"{path}:3:12: error: "), head)
        self.assertEqual(line, '    3 | a ::= "é" b "c"')
        self.assertEqual(caret, '      |           ^')

    def test_regex_errors(self):
        for pattern, place in [("a(b", "--regex:1:2: error: "),
                               ("[z-a]", "--regex:1:2: error: "),
                               ("(a)\\1", "--regex:1:4: error: "),
                               ("*", "--regex:1:1: error: ")]:
            self.expect(weir("check", "--regex", pattern), 2, err=place)

    def test_long_lines_are_cut(self):
        pattern = "a" * 5000 + "(" + "b" * 5000
        code, _, err = weir("check", "--regex", pattern)
        _, line, caret = err.splitlines()
        self.assertEqual(code, 2)
        self.assertIn(":1:5001:", err)
        self.assertLess(len(line), 120)
        self.assertEqual(line[caret.index("^")], "(")

    def test_nothing_drives_the_terminal(self):
        err = weir("check", "--regex", "\033[31m(")[2]
        self.assertNotIn("\033", err)

    def test_files_that_are_not_there(self):
        for arguments in (["check", "--ebnf", "/nowhere"],
                          ["check", "--json-value", "/nowhere"],
                          ["check", "--json-value", HERE],
                          ["tokenizer", "/nowhere"]):
            self.expect(weir(*arguments), 2, err="cannot read '")

    def test_whitespace(self):
        text = b'{"a": [1, 2]}'
        indented = b'{\n  "a": [\n    1,\n    2\n  ]\n}'
        for policy, accepted in [("any", [text, indented]),
                                 ("compact", [b'{"a":[1,2]}']),
                                 ("indent=0", [text]),
                                 ("indent=2", [indented]),
                                 ("regex= ?", [text])]:
            for sample in (text, indented, b'{"a":[1,2]}'):
                code = weir("check", "--json-value", "--whitespace", policy,
                            stdin=sample)[0]
                good = sample in accepted or (sample == b'{"a":[1,2]}' and
                                              policy in ("any", "regex= ?"))
                self.assertEqual(code, 0 if good else 1, (policy, sample))

    def test_max_whitespace(self):
        for most, run, code in [("0", 0, 0), ("0", 1, 1), ("3", 3, 0),
                                ("3", 4, 1), (None, 128, 0), (None, 129, 1)]:
            option = ["--max-whitespace", most] if most else []
            self.assertEqual(
                weir("check", "--json-value", *option,
                     stdin=b"[" + b" " * run + b"]")[0], code, (most, run))

    def test_root_and_flags(self):
        path = self.file("g.ebnf", 'root ::= "a"\nother ::= "b"\n')
        self.expect(weir("check", "--ebnf", path, "--root", "other",
                         stdin=b"b"), 0, "accepted\n")
        self.expect(weir("check", "--ebnf", path, "--root", "third"), 2,
                    err="third")
        self.expect(weir("check", "--regex", "a.b", "--dot-all",
                         stdin=b"a\nb"), 0, "accepted\n")
        self.assertEqual(weir("check", "--regex", "a.b", stdin=b"a\nb")[0], 1)
        self.assertEqual(weir("check", "--regex", "AB", "-i",
                              stdin=b"aB")[0], 0)
        self.assertEqual(weir("check", "--regex", "AB", stdin=b"aB")[0], 1)

    def test_gbnf(self):
        grammar = self.file("g.gbnf", 'root ::= "a" | root "b"\nroot ::= x\n'
                            'x ::= "c" | x "d"\n')
        code, out, err = weir("check", "--gbnf", grammar, stdin=b"cd")
        self.assertEqual((code, out), (0, "accepted\n"))
        self.assertIn('rule "root" is defined again', err)
        code, out, err = weir("check", "--gbnf", grammar, "--dialect",
                              "llama.cpp", stdin=b"c")
        self.assertEqual(code, 2)
        self.assertIn("g.gbnf:3:1: error: rule \"x\" begins with itself", err)
        self.assertIn('    3 | x ::= "c" | x "d"\n      | ^\n', err)
        grammar = self.file("h.gbnf", 'root ::= "a"{3000}')
        self.expect(weir("check", "--gbnf", grammar, "--dialect", "llama.cpp",
                         stdin=b""), 2, None, "expected at most 2000")
        self.expect(weir("check", "--gbnf", grammar, "--dialect", "llama.cpp",
                         "--any-repeat", stdin=b"a" * 3000), 0)

    def test_structural_tag(self):
        tag = ('{"format":{"type":"triggered_tags","triggers":["<|t"],'
               '"tags":[{"begin":"<|tool|>","content":{"type":"json_schema",'
               '"json_schema":{"type":"object",'
               '"properties":{"ab":{"type":"integer"}},'
               '"additionalProperties":false}},"end":""}]}}')
        path = self.file("tag.json", tag)
        for source in (path, tag):
            self.expect(weir("check", "--structural-tag", source,
                             stdin=b'x<|tool|>{"ab": 1}y'), 0, "accepted\n")
            self.expect(weir("check", "--structural-tag", source,
                             stdin=b'x<|tool|>{"ab": ""}'), 1)
        self.expect(weir("check", "--structural-tag", "-", path, stdin=b"{}"),
                    2, "", "standard input:1:1: error: found no format, expected a format: "
                           "an object (at #/format)")
        # the control token stands for its name, and nothing else reaches it
        code, out, _ = weir("mask", "--structural-tag", tag, "--tokenizer",
                            TINY, "--json", "--ids")
        ids = json.loads(out)["ids"]
        self.assertEqual(code, 0)
        self.assertTrue({1, 2, 40} <= set(ids))
        self.assertNotIn(0, ids)
        code, out, _ = weir("mask", "--structural-tag", tag, "--tokenizer",
                            TINY, "--json", "--ids", "--prefix", "<|tool|>")
        self.assertEqual(json.loads(out)["ids"], [2, 33])
        code, out, _ = weir("sample", "--structural-tag", tag, "--tokenizer",
                            TINY, "--seed", "5")
        self.assertEqual(code, 0)
        self.expect(weir("check", "--structural-tag", tag, "--trim",
                         stdin=out.encode()), 0)
        code, out, _ = weir("explain", "--structural-tag", tag)
        self.assertEqual(code, 0)
        self.assertIn("\nroot ::= ", out)
        self.expect(weir("check", "--structural-tag", tag, "--regex", "a"), 2,
                    None, "several constraints")
        self.expect(weir("check", "--structural-tag", tag, "--strict",
                         "--max-whitespace", "0",
                         stdin=b'<|tool|>{"ab":1}'), 0)

    def test_gbnf_mask(self):
        # the control token <s> is text in the dialect, and only there
        grammar = self.file("g.gbnf", 'root ::= "<s>" | [a-c] <[15]>')
        for dialect, ids in (((), "14 15"),
                             (("--dialect", "llama.cpp"), "0 14 15")):
            code, out, err = weir("mask", "--gbnf", grammar, *dialect,
                                  "--tokenizer", TINY, "--ids")
            self.assertEqual(code, 0, err)
            self.assertIn(f"ids      {ids}\n", out)

    def test_ebnf_from_standard_input(self):
        path = self.file("b", "b")
        self.expect(weir("check", "--ebnf", "-", path, stdin=b'root ::= "b"'),
                    0, "accepted\n")


# ---- check -----------------------------------------------------------------

class Check(Case):
    def test_verdicts(self):
        for constraint, text, code, out in [
                (["--json-value"], '{"a": [1, true]}', 0, "accepted"),
                (["--json-object"], "[]", 1,
                 "refused at byte 0 (line 1, column 1): found '[', "
                 "expected '{'"),
                (["--json-value"], '{"a": 01}', 1,
                 "refused at byte 7 (line 1, column 8): found '1', expected "
                 "',', '.', 'E', 'e', '}' or a blank"),
                (["--json-value"], '{\n "a":\n  tru}', 1,
                 "refused at byte 13 (line 3, column 6): found '}', "
                 "expected 'e'"),
                (["--json-value"], "nul", 1, "incomplete: expected 'l'"),
                (["--json-value"], "", 1,
                 "incomplete: expected '\"', '-', '[', 'false', 'null', "
                 "'true', '{' or a digit"),
                (["--choice", "yes", "--choice", "no"], "yes", 0, "accepted"),
                (["--choice", "yes", "--choice", "no"], "maybe", 1,
                 "refused at byte 0 (line 1, column 1): found 'm', "
                 "expected 'no' or 'yes'"),
                (["--choice", "yes", "--choice", "no"], "nope", 1,
                 "refused at byte 2 (line 1, column 3): found 'p', "
                 "expected end of output"),
                (["--choice", ""], "", 0, "accepted"),
                (["--regex", "[0-9]+"], "12x", 1,
                 "refused at byte 2 (line 1, column 3): found 'x', "
                 "expected a digit or end of output")]:
            self.expect(weir("check", *constraint, stdin=text.encode()), code,
                        out + "\n")

    def test_characters_of_several_bytes(self):
        # è is C3 A8, é is C3 A9: the second byte is refused, the words are
        # about the character; columns count bytes
        self.expect(weir("check", "--choice", "ß\né", stdin="ß\nè".encode()),
                    1, "refused at byte 4 (line 2, column 2): found 'è', "
                    "expected 'é'\n")
        self.expect(weir("check", "--regex", ".*", stdin=b"ab\xff"), 1,
                    "refused at byte 2 (line 1, column 3): found byte 0xFF, "
                    "expected any character but a newline, a carriage return, "
                    "U+2028 or U+2029, or end of output\n")

    def test_trim(self):
        for text in (b"{}\n", b"{}\r\n"):
            self.assertEqual(
                weir("check", "--json-value", stdin=text),
                (1, "refused at byte 2 (line 1, column 3): found a "
                 + ("carriage return" if b"\r" in text else "newline")
                 + ", expected end of output\n",
                 "weir: hint: --trim forgives the newline at the end\n"))
            self.expect(weir("check", "--json-value", "--trim", stdin=text),
                        0, "accepted\n")
        for text in (b"{}\n\n", b"{} \n", b"{\n", b"\n{}\n"):
            code, _, err = weir("check", "--json-value", "--trim", stdin=text)
            self.assertEqual((code, err), (1, ""))
        # a newline that the constraint wants stays
        self.expect(weir("check", "--choice", "a\n", "--trim", stdin=b"a\n"),
                    0, "accepted\n")

    def test_several_files(self):
        good = self.file("good", "[1]")
        bad = self.file("bad", "[1")
        self.expect(weir("check", "--json-value", good, bad, good), 1,
                    f"{good}: accepted\n{bad}: incomplete: expected ',', '.', "
                    f"'E', ']', 'e', a digit or a blank\n{good}: accepted\n")
        self.expect(weir("check", "--json-value", good, "-", stdin=b"1"), 0,
                    f"{good}: accepted\n-: accepted\n")
        code, out, _ = weir("check", "--json-value", good, "/nowhere", bad)
        self.assertEqual((code, out.count("\n")), (2, 2))

    def test_json_output(self):
        good = self.file("good", "[1]")
        bad = self.file("bad", "[1,\n}")
        half = self.file("half", "[1,\n")
        code, out, _ = weir("check", "--json-value", "--json", good, bad, half)
        values = "'\"', '-', '[', 'false', 'null', 'true', '{', a digit or " \
            "a blank"
        self.assertEqual(code, 1)
        self.assertEqual(
            [json.loads(line) for line in out.splitlines()],
            [{"file": good, "result": "accepted"},
             {"file": bad, "result": "refused", "byte": 4, "line": 2,
              "column": 1, "found": "'}'", "expected": values},
             {"file": half, "result": "incomplete", "byte": 4, "line": 2,
              "column": 1, "expected": values}])

    def test_long_inputs(self):
        # characters of three bytes across every border of 64 KiB pieces
        for shift in range(4):
            text = b'["' + b"x" * shift + "€".encode() * 100000 + b'"'
            path = self.file("long", text + b"]")
            self.expect(weir("check", "--json-value", path), 0, "accepted\n")
            path = self.file("long", text + b"}")
            self.assertIn(f"refused at byte {len(text)} (line 1, column "
                          f"{len(text) + 1}): found '}}'",
                          weir("check", "--json-value", path)[1])
        lines = b"[" + b"1,\n" * 50000
        self.assertIn(f"refused at byte {len(lines)} (line 50001, column 1): "
                      "found ']'",
                      weir("check", "--json-value", stdin=lines + b"]")[1])


# ---- mask ------------------------------------------------------------------

def byte_level():
    """GPT-2's visible characters to bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(byte): byte for byte in plain}
    hidden = [byte for byte in range(256) if byte not in plain]
    table.update({chr(256 + i): byte for i, byte in enumerate(hidden)})
    return table


def read_tokens(path):
    """Id to bytes for what text can reach, and the number of ids."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    table = byte_level()
    added = {token["id"] for token in data["added_tokens"]}
    vocab = data["model"]["vocab"]
    tokens = {i: bytes(table[char] for char in text)
              for text, i in vocab.items() if i not in added}
    return tokens, max([*vocab.values(), *added]) + 1


def fnv1a64(ids):
    value = 0xcbf29ce484222325
    for i in ids:
        for byte in i.to_bytes(4, "little"):
            value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f"{value:016x}"


def brute_force(tokens, stops, only_object, prefix):
    state = json_prefix.run(json_prefix.start(only_object), prefix)
    complete = json_prefix.is_complete(state)
    ids = [i for i, token in tokens.items()
           if json_prefix.run(state, token) is not None]
    return sorted(ids + (stops if complete else [])), complete


class Mask(Case):
    def check_mask(self, path, tokens, width, stops, constraint, prefix):
        ids, complete = brute_force(tokens, stops,
                                    constraint == "--json-object",
                                    prefix.encode())
        code, out, err = weir("mask", constraint, "--tokenizer", path,
                              "--prefix", prefix, "--json", "--ids")
        self.assertEqual((code, err), (0, ""), prefix)
        found = json.loads(out)
        self.assertEqual(found, {"allowed": len(ids), "fnv1a64": fnv1a64(ids),
                                 "stop": complete, "width": width,
                                 "ids": ids}, prefix)
        self.assertEqual(list(found), ["allowed", "fnv1a64", "stop", "width",
                                       "ids"])

    def test_tiny_by_brute_force(self):
        tokens, width = read_tokens(TINY)
        self.assertEqual((len(tokens), width), (38, 41))
        for constraint in ("--json-value", "--json-object"):
            for prefix in ("", "{", '{"', '{"a', '{"a"', '{"a":', '{"a": ',
                           '{"a":1', '{"a":0', '{"a":1.', '{"a":t',
                           '{"a":[', '{"a":[1', '{"a":[1]', '{"a":"\\',
                           '{"a":"\\u0', "{}", '{"a":{}', '{"a":' + " " * 127,
                           '{"a":' + " " * 128):
                self.check_mask(TINY, tokens, width, [1], constraint, prefix)

    @unittest.skipUnless(os.path.exists(LLAMA), "no Llama-3 vocabulary")
    def test_llama3_by_brute_force(self):
        tokens, width = read_tokens(LLAMA)
        stops = [128001, 128009]
        for prefix in ('{"name": "J', '{"name": "J"', "{}"):
            self.check_mask(LLAMA, tokens, width, stops, "--json-object",
                            prefix)

    def test_json_has_one_shape(self):
        # after an empty output: { and {" are allowed, ids 2 and 33
        self.expect(weir("mask", "--json-object", "--tokenizer", TINY,
                         "--json"), 0,
                    '{"allowed":2,"fnv1a64":"%s","stop":false,"width":41}\n'
                    % fnv1a64([2, 33]))

    def test_words(self):
        self.expect(weir("mask", "--choice", "yes", "--choice", "ab",
                         "--tokenizer", TINY, "--prefix", "y"), 0,
                    "allowed  1 of 41 tokens\n"
                    f"hash     {fnv1a64([13])}\n"
                    "stop     no\n"
                    "next     'es'\n"
                    "these\n"
                    "        13 'e'\n")
        self.expect(weir("mask", "--choice", "a", "--tokenizer", TINY,
                         "--prefix", "a", "--ids"), 0,
                    "allowed  1 of 41 tokens\n"
                    f"hash     {fnv1a64([1])}\n"
                    "stop     yes\n"
                    "next     end of output\n"
                    "ids      1\n")

    def test_refused_prefix(self):
        self.expect(weir("mask", "--choice", "yes", "--tokenizer", TINY,
                         "--prefix", "yo"), 1, "",
                    "--prefix is refused at byte 1: found 'o', expected 'es'")


# ---- sample ----------------------------------------------------------------

class Sample(Case):
    def sample(self, *arguments, code=0):
        found, out, err = weir("sample", *arguments, "--json")
        self.assertEqual((found, err), (code, ""))
        return [json.loads(line) for line in out.splitlines()]

    def test_every_output_is_right(self):
        lines = self.sample("--json-value", "--tokenizer", TINY, "-n", "300",
                            "--max-tokens", "40")
        self.assertEqual(len(lines), 300)
        self.assertGreater(len(set(lines)), 100)
        for line in lines:
            json.loads(line)
        paths = [self.file(str(i), line) for i, line in enumerate(lines[:50])]
        self.expect(weir("check", "--json-value", *paths), 0)

    def test_recursive_grammar(self):
        # more often grows than ends: {("a" (... "b" ...))}
        grammar = self.file("g", 'root ::= "a" root root "b" | "[" root "]" '
                            '| "a" root | "0"\n')
        for line in self.sample("--ebnf", grammar, "--tokenizer", TINY,
                                "-n100", "--max-tokens", "64"):
            self.expect(weir("check", "--ebnf", grammar,
                             stdin=line.encode()), 0, "accepted\n")

    def test_each_choice_comes(self):
        lines = self.sample("--choice", "yes", "--choice", "no", "--choice",
                            "ab", "--tokenizer", TINY, "-n", "60")
        self.assertEqual(set(lines), {"yes", "no", "ab"})

    def test_regex(self):
        pattern = r"(a|b){3,10}(\.[01]+)?"
        for line in self.sample("--regex", pattern, "--tokenizer", TINY,
                                "-n", "100"):
            self.assertRegex(line, f"^({pattern})$")

    def test_seeds(self):
        def run(seed):
            return self.sample("--json-object", "--tokenizer", TINY, "-n",
                               "20", "--seed", seed)
        self.assertEqual(run("7"), run("7"))
        self.assertNotEqual(run("7"), run("8"))
        self.assertEqual(run("0"), self.sample(
            "--json-object", "--tokenizer", TINY, "-n", "20"))

    def test_raw_output(self):
        self.expect(weir("sample", "--choice", "a\nb", "--tokenizer", TINY,
                         "-n", "2"), 0, "a\nb\na\nb\n")
        self.expect(weir("sample", "--choice", "a", "--tokenizer", TINY,
                         "-n", "0"), 0, "")

    def test_limit(self):
        # true is one token, and four at most; nothing fits into none
        self.expect(weir("sample", "--choice", "true", "--tokenizer", TINY,
                         "--max-tokens", "1"), 0, "true\n")
        self.expect(weir("sample", "--choice", "true", "--tokenizer", TINY,
                         "--max-tokens", "0"), 1, "",
                    "1 of 1 outputs incomplete after 0 tokens")
        # 5 tokens at least: [ 1 , 0 ]; --max-tokens holds for each output
        pattern = r"\[[01](,[01])+\]"
        lines = self.sample("--regex", pattern, "--tokenizer", TINY, "-n",
                            "50", "--max-tokens", "7")
        self.assertEqual(len(lines), 50)
        self.assertLessEqual(max(map(len, lines)), 7)

    def test_what_cannot_be_spelled(self):
        self.expect(weir("sample", "--choice", "xyz", "--tokenizer", TINY,
                         "-n", "2"), 1, "", "2 of 2 outputs incomplete")

    @unittest.skipUnless(os.path.exists(LLAMA), "no Llama-3 vocabulary")
    def test_llama3(self):
        for line in self.sample("--json-object", "--tokenizer", LLAMA, "-n",
                                "50", "--max-tokens", "60"):
            self.assertIsInstance(json.loads(line), dict)


# ---- tokenizer, explain ----------------------------------------------------

class Tokenizer(Case):
    def test_json(self):
        code, out, err = weir("tokenizer", TINY, "--json")
        self.assertEqual((code, err), (0, ""))
        found = json.loads(out)
        self.assertGreater(found.pop("load_ms"), 0)
        self.assertGreater(found.pop("memory"), 0)
        self.assertRegex(found.pop("hash"), "^[0-9a-f]{16}$")
        self.assertEqual(found, {
            "kind": "hf_json", "coding": "byte_level", "tokens": 41,
            "width": 41, "stops": [1], "pre_tokenizer": "gpt2",
            "encoder_exact": True,
            "specials": [{"id": 0, "text": "<s>"}, {"id": 1, "text": "</s>"},
                         {"id": 40, "text": "<|tool|>"}]})

    def test_words(self):
        code, out, _ = weir("tokenizer", TINY)
        self.assertEqual(code, 0)
        for line in ("kind           Hugging Face tokenizer.json",
                     "tokens         41",
                     "specials       3: 0 '<s>', 1 '</s>', 40 '<|tool|>'",
                     "stops          1 '</s>'"):
            self.assertIn(line + "\n", out)
        self.assertTrue(re.search(r"^loaded in +\d+ ms$", out, re.M))

    def test_encode_and_decode(self):
        # by hand: words {" ab ": Ġtrue } yes, merged by rank
        text = '{"ab": true}yes</s>'
        ids = [33, 38, 34, 24, 32, 3, 39, 20, 1]
        words = " ".join(map(str, ids))
        self.expect(weir("tokenizer", TINY, "--encode", text), 0, words + "\n")
        self.expect(weir("tokenizer", TINY, "--encode", text, "--json"), 0,
                    json.dumps(ids, separators=(",", ":")) + "\n")
        for spelled in (words, ",".join(map(str, ids)), str(ids)):
            self.expect(weir("tokenizer", TINY, "--decode", spelled), 0,
                        text + "\n")
        self.expect(weir("tokenizer", TINY, "--decode", words, "--json"), 0,
                    json.dumps(text) + "\n")
        self.expect(weir("tokenizer", TINY, "--encode", ""), 0, "\n")
        self.expect(weir("tokenizer", TINY, "--decode", "41"), 2,
                    err="found '41' in --decode, expected a token id below 41")

    def test_broken_files(self):
        with open(TINY, "rb") as file:
            text = file.read()
        for broken in (text[:700], b"{}", b"", b"\0" * 100):
            path = self.file("tokenizer.json", broken)
            code, out, err = weir("tokenizer", path)
            self.assertEqual((code, out), (2, ""), broken[:10])
            self.assertTrue(err.startswith("weir: error: "), err)


class Explain(Case):
    def test_words(self):
        code, out, err = weir("explain", "--choice", "yes", "--choice", "no")
        self.assertEqual((code, err), (0, ""))
        for part in ("rules       1\n", "warnings    0\n",
                     '\nRules\nroot ::= "no" | "yes"\n', "\nNetwork\nframe 0"):
            self.assertIn(part, out)

    def test_json(self):
        for arguments in (["--json-value"], ["--regex", "a{2,9}[^b]*"],
                          ["--json-object", "--tokenizer", TINY]):
            code, out, err = weir("explain", *arguments, "--json")
            self.assertEqual((code, err), (0, ""))
            found = json.loads(out)
            self.assertEqual(list(found), [
                "rules", "frames", "states", "is_whole", "memory", "hash",
                "compile_ms", "warnings", "ir", "network"])
            self.assertGreater(found["memory"], 0)
            self.assertIn("::=", found["ir"])
            self.assertEqual(found["warnings"], [])

    def test_states_of_a_small_automaton(self):
        # yes | no: start, y, ye, n and the end
        found = json.loads(weir("explain", "--choice", "yes", "--choice",
                                "no", "--json")[1])
        self.assertEqual((found["states"], found["is_whole"]), (5, True))

    def test_stats(self):
        # the place after [ is that after a comma; that after a 1 comes twice
        arguments = ["explain", "--regex", r"\[(?:1,)*1\]", "--tokenizer",
                     TINY, "--stats"]
        for text, taken, whole in (("[1,1]", 5, True), ("[1,1", 4, False),
                                   ("[1e", 2, False)):
            found = json.loads(weir(*arguments, text, "--json")[1])["stats"]
            self.assertEqual(
                (found["tokens"], found["taken"], found["bytes"],
                 found["is_whole"], found["error"]),
                (len(text), taken, taken, whole, "OK"))
            masks = min(taken + 1, len(text))
            self.assertEqual((found["masks"], found["remembered"],
                              found["direct"]),
                             (masks, max(0, masks - 3), 0))
            self.assertGreater(found["nodes"], 0)
            self.assertGreater(found["states"], 0)
        code, out, err = weir(*arguments, "[1,1]")
        self.assertEqual((code, err), (0, ""))
        for line in ("tokens read                    5\n",
                     "of 5, a whole output\n",
                     "  remembered                   2\n"):
            self.assertIn(line, out)
        self.expect(weir("explain", "--regex", "a", "--stats", "a"), 2,
                    err="--stats wants --tokenizer")

    def test_wrong_constraint(self):
        self.expect(weir("explain", "--regex", "("), 2, err="--regex:1:1:")


if __name__ == "__main__":
    unittest.main()
