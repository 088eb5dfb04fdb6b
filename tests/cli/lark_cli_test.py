"""weir with Lark grammars: --lark and --named, by exit codes and output."""
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")


def weir(*arguments, stdin=""):
    done = subprocess.run([WEIR, *arguments], input=stdin.encode(),
                          capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Lark(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check(self, grammar, text, *more):
        path = self.file("main.lark", grammar)
        return weir("check", "--lark", path, *more, stdin=text)

    def test_texts(self):
        grammar = 'start: "a" B+\nB: /[0-9]/\n%ignore " "\n'
        self.assertEqual(self.check(grammar, "a 1 2")[0], 0)
        self.assertEqual(self.check(grammar, " a1")[0], 1)
        self.assertEqual(self.check(grammar, "b", "--root", "start")[0], 1)
        self.assertEqual(self.check(grammar, "", "--root", "x")[0], 2)

    def test_standard_input(self):
        text = self.file("text", "ab")
        code, _, _ = weir("check", "--lark", "-", text,
                          stdin='start: "a" "b"')
        self.assertEqual(code, 0)

    def test_named(self):
        files = {"a": self.file("a.json", '{"enum": [1, 2]}'),
                 "b": self.file("b.ebnf", 'root ::= "x"+'),
                 "c": self.file("c.gbnf", 'root ::= "y" .'),
                 "d": self.file("d.regex", "[pq]{2}"),
                 "e": self.file("e.lark", 'start: "z" @d')}
        named = [word for name, path in files.items()
                 for word in ("--named", f"{name}={path}")]
        grammar = "start: @a @b @c @d @e"
        self.assertEqual(self.check(grammar, "2xxy!pqzqq", *named)[0], 0)
        self.assertEqual(self.check(grammar, "3xxy!pqzqq", *named)[0], 1)
        code, _, err = self.check(grammar, "", *named[:2])
        self.assertEqual(code, 2)
        self.assertIn('no grammar called "b"', err)

    def test_wrong_usage(self):
        path = self.file("main.lark", 'start: "a"')
        for option in ("x", "=x", "x=", "x=y.txt", "x=/nonexistent.json"):
            code, _, err = weir("check", "--lark", path, "--named", option)
            self.assertEqual(code, 2, option)
            self.assertTrue(err.startswith("weir: "), err)
        code, _, err = weir("check", "--regex", "a", "--named", "x=y.json")
        self.assertEqual(code, 2)
        self.assertIn("--lark", err)

    def test_an_error_has_a_place(self):
        code, _, err = self.check('start: "a"\nb: /x', "")
        self.assertEqual(code, 2)
        self.assertIn("main.lark:2:4: error: found a regular expression that "
                      "does not end", err)
        self.assertIn("^", err)
        self.assertIn("b", err)

    def test_warnings(self):
        code, _, err = self.check('start.2: "a"', "a")
        self.assertEqual(code, 0)
        self.assertIn("priorities have no effect", err)


if __name__ == "__main__":
    unittest.main()
