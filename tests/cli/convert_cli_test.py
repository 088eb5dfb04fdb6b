"""weir convert, by what it prints and by its exit codes. The grammars are those
of tests/cases/schema_to_gbnf_recorded.jsonl; unit/convert_llama_test.c has all."""
import json
import os
import re
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")
RECORDS = os.path.join(ROOT, "tests", "cases",
                       "schema_to_gbnf_recorded.jsonl")
LLAMA = ("--from", "schema", "--to", "gbnf", "--dialect", "llama.cpp")


def convert(*arguments, stdin=""):
    done = subprocess.run([WEIR, "convert", *arguments], input=stdin.encode(),
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def record(key):
    """The first record that has a grammar, a warning or an error."""
    with open(RECORDS, encoding="utf-8") as file:
        return next(r for r in map(json.loads, file) if key in r)


class Convert(unittest.TestCase):
    def test_standard_input(self):
        r = record("gbnf")
        code, out, _ = convert(*LLAMA, "-", stdin=r["schema"])
        self.assertEqual((code, out), (0, r["gbnf"]))

    def test_a_file(self):
        r = record("gbnf")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(r["schema"])
            file.flush()
            code, out, _ = convert(*LLAMA, file.name)
        self.assertEqual((code, out), (0, r["gbnf"]))

    def test_warnings(self):
        r = record("warning")
        code, out, err = convert(*LLAMA, "-", stdin=r["schema"])
        self.assertEqual((code, out), (0, r["gbnf"]))
        self.assertEqual(err, f"weir: warning: {r['warning']}\n")

    def test_json(self):
        r = record("warning")
        code, out, err = convert(*LLAMA, "--json", "-", stdin=r["schema"])
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out),
                         {"text": r["gbnf"], "warnings": [r["warning"]]})

    def test_an_error_has_a_place(self):
        code, out, err = convert(*LLAMA, "-",
                                 stdin='{"items":\n {"type": "x"}}')
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(err.startswith("standard input:2:2: error: "), err)
        self.assertIn('Unrecognized schema: {"type":"x"}', err)

    def test_what_it_can_read_back(self):
        with tempfile.NamedTemporaryFile("w", suffix=".gbnf") as file:
            _, out, _ = convert(*LLAMA, "-", stdin='{"enum":["a b", 3]}')
            file.write(out)
            file.flush()
            check = (WEIR, "check", "--gbnf", file.name)
            for text, code in ((b'"a b"', 0), (b"3", 0), (b"4", 1)):
                done = subprocess.run(check, input=text, capture_output=True)
                self.assertEqual(done.returncode, code, text)

    def test_languages(self):
        regex = ("--from", "regex", "--to")
        code, out, _ = convert(*regex, "gbnf", "-", stdin="a|b[cd]\n")
        self.assertEqual((code, out), (0, 'root ::= "a" | "b" [c-d]\n'))
        code, out, _ = convert(*regex, "ebnf", "-i", "-", stdin="a")
        self.assertEqual((code, out), (0, "root ::= [Aa]\n"))
        code, out, _ = convert("--from", "gbnf", "--to", "ebnf", "--root", "x",
                               "-", stdin='x ::= y* | "é"\ny ::= <[7]>\n')
        self.assertEqual((code, out),
                         (0, 'root ::= "é" | y*\ny ::= Token(7)\n'))

    def test_lark_and_back(self):
        lark = 'start: (a "," )* a\na: /[0-9]+/ | @b\n'
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"enum": [true, null]}')
            file.flush()
            code, out, _ = convert("--from", "lark", "--to", "regex",
                                   "--named", f"b={file.name}", "-",
                                   stdin=lark)
        self.assertEqual(code, 0)
        for text, fits in (("1,true,22", True), ("1,", False)):
            self.assertEqual(bool(re.fullmatch(out[:-1], text)), fits, out)
        self.assertEqual(out[-1], "\n")
        code, out, _ = convert("--from", "regex", "--to", "lark", "-",
                               stdin=out)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("start: "), out)

    def test_what_is_not_regular(self):
        code, out, err = convert("--from", "ebnf", "--to", "regex", "-",
                                 stdin='root ::= "(" root ")" | "x"\n')
        self.assertEqual((code, out), (2, ""))
        self.assertIn("nests in itself", err)

    def test_a_schema_in_the_argument(self):
        code, out, _ = convert("--from", "schema", "--to", "ebnf",
                               "--whitespace", "compact",
                               '{"type":"array","items":{"type":"null"}}')
        self.assertEqual(code, 0)
        with tempfile.NamedTemporaryFile("w", suffix=".ebnf") as file:
            file.write(out)
            file.flush()
            for text, code in ((b"[]", 0), (b"[null,null]", 0), (b"[1]", 1)):
                done = subprocess.run((WEIR, "check", "--ebnf", file.name),
                                      input=text, capture_output=True)
                self.assertEqual(done.returncode, code, text)

    def test_a_structural_tag(self):
        tag = ('{"format":{"type":"tag","begin":"<","content":{"type":'
               '"any_text","excludes":["x"]},"end":">"}}')
        code, out, err = convert("--from", "structural-tag", "--to", "ebnf",
                                 tag)
        self.assertEqual((code, err), (0, ""))
        for text, wanted in (("<ab>", 0), ("<>", 0), ("<ax>", 1), ("<a>>", 1),
                             ("<a", 1)):
            with tempfile.NamedTemporaryFile("w", suffix=".ebnf") as file:
                file.write(out)
                file.flush()
                done = subprocess.run([WEIR, "check", "--ebnf", file.name],
                                      input=text.encode(), capture_output=True)
            self.assertEqual(done.returncode, wanted, text)
        code, _, err = convert("--from", "structural-tag", "--to", "gbnf", "-",
                               stdin='{"format":{"type":"any_text",'
                                     '"max_tokens":3}}')
        self.assertEqual(code, 2)
        self.assertIn("max_tokens", err)

    def test_what_cannot_be_said(self):
        schema = '{"type":"array","uniqueItems":true}'
        arguments = ("--from", "schema", "--to", "gbnf", schema)
        code, out, err = convert(*arguments)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("must differ", err)
        code, out, err = convert("--lenient", *arguments)
        self.assertEqual(code, 0)
        self.assertIn("warning: names of members, or items,", err)

    def test_usage(self):
        for arguments in (("--to", "gbnf", "-"), ("--from", "schema", "-"),
                          ("--from", "x", "--to", "gbnf", "-"), LLAMA,
                          ("--from", "schema", "--to", "schema", "{}"),
                          ("--from", "regex", "--to", "gbnf", "--strict", "-"),
                          (*LLAMA, "a", "b"), (*LLAMA[:-1], "x", "-"),
                          (*LLAMA, "/nonexistent")):
            code, out, err = convert(*arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertTrue(err.startswith("weir: "), err)


class Chat(unittest.TestCase):
    """unit/convert_chat_test.c has all records."""
    RECORDED = os.path.join(ROOT, "tests", "cases",
                            "chat_grammar_recorded.jsonl")

    def test_grammars(self):
        with open(self.RECORDED, encoding="utf-8") as file:
            first = json.loads(next(file))
        for i, chat in enumerate(("chatml", "qwen3", "qwen3-no-think")):
            code, out, _ = convert(*LLAMA, "--chat", chat, "--json", "-",
                                   stdin=first["schema"])
            self.assertEqual(code, 0)
            self.assertEqual(json.loads(out), {
                "text": first["qwen3" if i else "chatml"],
                "prefill": first["prefills"][i], "warnings": []})

    def test_usage(self):
        for arguments in (("--from", "schema", "--to", "gbnf", "--chat",
                           "qwen3"),
                          (*LLAMA, "--chat", "llama3"),
                          ("--from", "ebnf", "--to", "gbnf", "--dialect",
                           "llama.cpp", "--chat", "qwen3")):
            code, _, err = convert(*arguments, "-", stdin="{}")
            self.assertEqual(code, 2)
            self.assertIn("--chat", err)


if __name__ == "__main__":
    unittest.main()
