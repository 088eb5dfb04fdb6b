"""Triggers on the command line. Expected by hand, from docs/gbnf.md."""
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
WIDTH = 41
IDS = {"{": 2, "}": 3, "[": 4, '"': 6, ":": 7, "0": 10, "1": 11, "a": 14,
       "</s>": 1, "<|tool|>": 40}
GRAMMAR = 'root ::= "{" [01]+ "}"\n'


def weir(*arguments, stdin=""):
    done = subprocess.run([WEIR, *arguments], input=stdin.encode(),
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "g.gbnf")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(GRAMMAR)

    def mask(self, prefix, *more):
        code, out, err = weir("mask", "--gbnf", self.path, "--tokenizer", TINY,
                              "--json", "--ids", "--prefix", prefix, *more)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def check(self, text, *more):
        code, out, _ = weir("check", "--gbnf", self.path, "--tokenizer", TINY,
                            *more, stdin=text)
        return code, out


class Mask(Case):
    def test_waiting(self):
        for prefix in ("", "a", "a b", "}"):
            m = self.mask(prefix, "--trigger-word", "{")
            self.assertTrue(m["waiting"])
            self.assertTrue(m["stop"])
            self.assertEqual(m["allowed"], WIDTH)

    def test_behind_a_word(self):
        m = self.mask("a b{1", "--trigger-word", "{")
        self.assertFalse(m["waiting"])
        self.assertEqual(m["ids"], [IDS["}"], IDS["0"], IDS["1"]])

    def test_behind_a_pattern(self):
        m = self.mask("aa{0}", "--trigger-pattern", "a+(\\{)")
        self.assertEqual((m["waiting"], m["stop"]), (False, True))
        m = self.mask("b{0}", "--trigger-pattern", "a+(\\{)")
        self.assertTrue(m["waiting"])

    def test_behind_a_token(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write('root ::= <|tool|> "1"\n')
        for token in ("40", "<|tool|>"):
            m = self.mask("a{", "--trigger-token", token)
            self.assertTrue(m["waiting"])
            m = self.mask("a{<|tool|>", "--trigger-token", token)
            self.assertEqual((m["waiting"], m["ids"]), (False, [IDS["1"]]))

    def test_several(self):
        for prefix in ("a{", "b{"):
            m = self.mask(prefix, "--trigger-word", "zz", "--trigger-pattern",
                          "[ab](\\{)")
            self.assertFalse(m["waiting"])

    def test_without_triggers(self):
        self.assertNotIn("waiting", self.mask("{1"))

    def test_a_token_that_goes_on(self):
        """{" is one token: what follows the word in it is constrained."""
        code, _, err = weir("mask", "--gbnf", self.path, "--tokenizer", TINY,
                            "--prefix", 'a{"', "--trigger-word", "{")
        self.assertEqual(code, 1)
        self.assertIn("--prefix is refused at byte 1", err)

    def test_words(self):
        code, out, _ = weir("mask", "--gbnf", self.path, "--tokenizer", TINY,
                            "--trigger-word", "{")
        self.assertEqual(code, 0)
        self.assertIn("next     anything, until the trigger\n", out)


class Check(Case):
    def test_accepted(self):
        for text in ("", "a b", "{10}", "a b{01}"):
            self.assertEqual(self.check(text, "--trigger-word", "{"),
                             (0, "accepted\n"), text)

    def test_refused(self):
        code, out = self.check("a\n b{0a}", "--trigger-word", "{")
        self.assertEqual(code, 1)
        self.assertTrue(out.startswith(
            "refused at byte 6 (line 2, column 5): found 'a', expected"), out)

    def test_incomplete(self):
        code, out = self.check("ab{0", "--trigger-word", "{")
        self.assertEqual(code, 1)
        self.assertTrue(out.startswith("incomplete: expected"), out)

    def test_trigger_refused(self):
        code, out = self.check("a [", "--trigger-word", "[")
        self.assertEqual(code, 1)
        self.assertTrue(out.startswith(
            "refused at byte 2 (line 1, column 3): found '['"), out)

    def test_trim(self):
        self.assertEqual(self.check("a{0}\n", "--trigger-word", "{")[0], 1)
        self.assertEqual(
            self.check("a{0}\n", "--trigger-word", "{", "--trim")[0], 0)

    def test_any_constraint(self):
        code, out, _ = weir("check", "--json-object", "--tokenizer", TINY,
                            "--trigger-word", "{", stdin='ab{"a":1}')
        self.assertEqual((code, out), (0, "accepted\n"))


class Usage(Case):
    def refused(self, *arguments):
        code, _, err = weir(*arguments)
        self.assertEqual(code, 2)
        return err

    def test_tokenizer(self):
        err = self.refused("check", "--gbnf", self.path, "--trigger-word", "x")
        self.assertIn("expected --tokenizer PATH", err)

    def test_token(self):
        for token in ("41", "nosuch"):
            err = self.refused("mask", "--gbnf", self.path, "--tokenizer", TINY,
                               "--trigger-token", token)
            self.assertIn("--trigger-token", err)

    def test_pattern(self):
        err = self.refused("mask", "--gbnf", self.path, "--tokenizer", TINY,
                           "--trigger-pattern", "a(")
        self.assertIn("--trigger-pattern: ", err)

    def test_request(self):
        err = self.refused("mask", "--request", self.path, "--tokenizer", TINY,
                           "--trigger-word", "x")
        self.assertIn("--request", err)


if __name__ == "__main__":
    unittest.main()
