"""The command line with JSON Schemas, by what it prints and its exit codes.
Expected values are written by hand from the contract."""
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
PERSON = {"type": "object", "additionalProperties": False,
          "required": ["name"],
          "properties": {"name": {"type": "string", "minLength": 1},
                         "age": {"type": "integer", "minimum": 0},
                         "tags": {"type": "array", "maxItems": 2,
                                  "items": {"enum": ["a", "b"]}}}}


def weir(*arguments, stdin=""):
    """Exit code, standard output, standard error."""
    done = subprocess.run([WEIR, *arguments], input=stdin.encode(),
                          capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, value):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def check(self, schema, text, *options):
        """What weir check says about a text: accepted, or the JSON report."""
        code, out, err = weir("check", "--schema", json.dumps(schema),
                              "--json", *options, stdin=text)
        self.assertEqual(err, "")
        found = json.loads(out)
        self.assertEqual(code, int(found["result"] != "accepted"), out)
        return found

    def accepts(self, schema, text, *options):
        self.assertEqual(self.check(schema, text, *options)["result"],
                         "accepted", (schema, text))

    def refuses(self, schema, text, *options):
        self.assertNotEqual(self.check(schema, text, *options)["result"],
                            "accepted", (schema, text))


class Usage(Case):
    def test_wrong_usage(self):
        for arguments, message in [
                (["--json-value", "--any-order"],
                 "goes with --schema or --structural-tag only"),
                (["--json-value", "--schema-dir", "x"],
                 "goes with --schema or --structural-tag only"),
                (["--schema", "{}", "--json-value"], "several constraints"),
                (["--schema", "{}", "--schema", "{}"], "given twice"),
                (["--schema", "-", "-"], "wanted twice"),
                (["--schema", "-"], "wanted twice"),
                (["--schema", "{}", "--draft", "5"], "expected 4, 6, 7"),
                (["--schema", "{}", "--schema-dir", "/nowhere"],
                 "cannot read '/nowhere'"),
                (["--schema", "/nowhere"], "cannot read '/nowhere'")]:
            code, out, err = weir("check", *arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn(message, err)

    def test_where_the_schema_comes_from(self):
        path = self.file("s.json", {"type": "null"})
        document = self.file("d.json", "null")
        for arguments, stdin in [
                (["--schema", path], "null"),
                (["--schema", ' \n{"type": "null"}'], "null"),
                (["--schema", "-", document], '{"type": "null"}')]:
            self.assertEqual(weir("check", *arguments, stdin=stdin),
                             (0, "accepted\n", ""))

    def test_an_error_has_its_place(self):
        code, out, err = weir("check", "--schema",
                              '{"properties": {"a": {"minLength": "x"}}}')
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(err.startswith("--schema:1:"), err)
        self.assertIn("(at #/properties/a/minLength)", err)
        code, _, err = weir("check", "--schema", '{"type": "null",}')
        self.assertEqual(code, 2)
        self.assertTrue(err.startswith("--schema:1:17: error: "), err)
        code, _, err = weir("check", "--schema", "{}",
                            "--whitespace", "regex=(")
        self.assertTrue(err.startswith("--whitespace:1:1"), err)


class Options(Case):
    def test_order(self):
        text = '{"age":3,"name":"x"}'
        self.refuses(PERSON, text)
        self.accepts(PERSON, text, "--any-order")
        self.accepts(PERSON, '{"name":"x","age":3}')

    def test_strict(self):
        schema = {"type": "object", "properties": {"a": {}}}
        self.accepts(schema, '{"b":1}')
        self.refuses(schema, '{"b":1}', "--strict")

    def test_whitespace(self):
        schema = {"type": "array", "items": {"type": "null"}}
        self.accepts(schema, "[null, null]")
        self.refuses(schema, "[null, null]", "--whitespace", "compact")
        self.accepts(schema, "[\n  null,\n  null\n]", "--whitespace",
                     "indent=2")
        self.refuses(schema, "[null]", "--whitespace", "indent=2")
        self.accepts(schema, "[ null]", "--whitespace", "regex= ?")
        self.refuses(schema, "[   null]", "--max-whitespace", "2")

    def test_formats(self):
        schema = {"type": "string", "format": "ipv4"}
        self.refuses(schema, '"1.2.3.256"')
        self.accepts(schema, '"1.2.3.256"', "--annotate-formats")

    def test_spellings(self):
        self.refuses({"type": "integer"}, "1.0")
        self.accepts({"type": "integer"}, "1.0", "--integer-fraction")
        self.refuses({"const": "a"}, '"\\u0061"')
        self.accepts({"const": "a"}, '"\\u0061"', "--any-escape")

    def test_draft(self):
        schema = {"type": "array", "items": [{"const": 1}]}
        self.accepts(schema, "[1, 2]", "--draft", "7")
        self.refuses(schema, "[2]", "--draft", "7")

    def test_documents(self):
        self.file("docs/a/one.json", {"type": "integer"})
        self.file("docs/two.json", {"$id": "https://example.com/two",
                                    "type": "string"})
        self.file("docs/not-json.json", "{")
        self.file("docs/other.txt", "{")
        at = os.path.join(self.folder.name, "docs")
        for reference, good, bad in [
                ("a/one.json", "1", '"1"'),
                ("https://example.com/two", '"1"', "1"),
                ("two.json", '"1"', "1")]:
            schema = {"$ref": reference}
            self.accepts(schema, good, "--schema-dir", at)
            self.refuses(schema, bad, "--schema-dir", at)
        code, _, err = weir("check", "--schema", '{"$ref": "none.json"}',
                            "--schema-dir", at)
        self.assertEqual(code, 2)
        self.assertIn("none.json", err)

    def test_lenient_says_what_it_gave_up(self):
        schema = json.dumps({"type": "string", "pattern": "^(a)\\1$"})
        self.assertEqual(weir("check", "--schema", schema)[0], 2)
        code, out, err = weir("check", "--schema", schema, "--lenient",
                              stdin='"x"')
        self.assertEqual((code, out), (0, "accepted\n"))
        self.assertIn("weir: warning: ", err)
        self.assertIn("pattern", err)


class Places(Case):
    def place(self, text, schema=None):
        found = self.check(schema or PERSON, text)
        self.assertNotEqual(found["result"], "accepted", text)
        return found["instance_path"], found["schema_path"]

    def test_instance_and_schema_path(self):
        for text, instance, place in [
                ('{"name":1', "/name", "#/properties/name/type"),
                ('{"name":""}', "/name", "#/properties/name/minLength"),
                ('{"name":"x","age":-1}', "/age", "#/properties/age/minimum"),
                ('{"name":"x","tags":["a","c"]}', "/tags/1",
                 "#/properties/tags/items/enum"),
                ('{"name":"x","tags":["a","b","a"]}', "/tags",
                 "#/properties/tags/maxItems"),
                ("{}", "", "#/required"),
                ("[", "", "#/type"),
                ('{"name":"x","b":1}', "", "#/additionalProperties")]:
            self.assertEqual(self.place(text), (instance, place), text)

    def test_incomplete(self):
        self.assertEqual(self.place('{"name":"x"')[0], "")
        self.assertEqual(self.place('{"name":"x')[0], "/name")

    def test_references(self):
        schema = {"$defs": {"n": {"anyOf": [
            {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}},
             "additionalProperties": False},
            {"const": 0}]}}, "$ref": "#/$defs/n"}
        self.assertEqual(self.place('{"n":{"n":1}}', schema),
                         ("/n/n", "#/$defs/n/anyOf/0/type"))

    def test_order_is_no_fault_of_a_keyword(self):
        found = self.check(PERSON, '{"age":1,"name":"x"}')
        self.assertEqual(found["instance_path"], "")
        self.assertEqual(found["schema_path"], "")
        _, out, _ = weir("check", "--schema", json.dumps(PERSON),
                         stdin='{"age":1,"name":"x"}')
        self.assertIn("any order", out)

    def test_words(self):
        _, out, _ = weir("check", "--schema", json.dumps(PERSON),
                         stdin='{"name":"x","age":-1}')
        # -0 is not less than 0
        self.assertTrue(out.startswith("refused at byte 19 (line 1, column "
                                       "20): found '1', expected '0'"), out)
        self.assertTrue(out.endswith(", in the value at /age, by "
                                     "#/properties/age/minimum\n"), out)


class Sample(Case):
    def test_samples_pass(self):
        code, out, _ = weir("sample", "--schema", json.dumps(PERSON),
                            "--tokenizer", TINY, "-n", "20", "--json",
                            "--whitespace", "compact")
        self.assertIn(code, (0, 1))
        for line in out.splitlines():
            self.accepts(PERSON, json.loads(line))


class Explain(Case):
    def test_warnings(self):
        code, out, _ = weir("explain", "--json", "--schema",
                            '{"properties": {"a": {"typ": "string"}}}')
        self.assertEqual(code, 0)
        warnings = "\n".join(json.loads(out)["warnings"])
        self.assertIn("#/properties/a", warnings)
        self.assertIn("type", warnings)


class Conformance(Case):
    def suite(self):
        groups = [{"description": "integers", "schema": {"type": "integer"},
                   "tests": [{"description": "one", "data": 1, "valid": True},
                             {"description": "float", "data": 1.0,
                              "valid": True},
                             {"description": "lie", "data": 2,
                              "valid": False},
                             {"description": "another lie", "data": "x",
                              "valid": True}]},
                  {"description": "nothing", "schema": False,
                   "tests": [{"description": "null", "data": None,
                              "valid": False}]},
                  {"description": "remote",
                   "schema": {"$ref": "http://localhost:1234/a/b.json"},
                   "tests": [{"description": "string", "data": "\u00e9 \\",
                              "valid": True}]},
                  {"description": "bad", "schema": {"type": "integr"},
                   "tests": [{"description": "any", "data": 1,
                              "valid": True}]}]
        ipv4 = [{"description": "ipv4", "schema": {"format": "ipv4"},
                 "tests": [{"description": "bad", "data": "x",
                            "valid": False}]}]
        self.file("suite/tests/draft7/type.json", groups)
        self.file("suite/tests/draft2020-12/optional/format/ipv4.json", ipv4)
        self.file("suite/tests/draft3/type.json", "[")
        self.file("suite/remotes/a/b.json", {"type": "string"})
        return os.path.join(self.folder.name, "suite")

    def test_counts(self):
        suite = self.suite()
        code, out, err = weir("conformance", suite, "--json")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out),
                         {"tests": 8, "pass": 5, "false_negative": 1,
                          "false_positive": 1, "compile_error": 1})
        self.assertEqual(
            [line.split(": ")[:4] for line in err.splitlines()],
            [["draft7/type.json", "integers", "lie", "false_positive"],
             ["draft7/type.json", "integers", "another lie",
              "false_negative"],
             ["draft7/type.json", "bad", "any", "compile_error"]])

    def test_words_and_draft(self):
        suite = self.suite()
        code, out, err = weir("conformance", suite, "--draft", "2020-12")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "1 of 1 tests pass, false_negative 0, "
                              "false_positive 0, compile_error 0\n")
        code, out, _ = weir("conformance", os.path.join(suite, "tests"),
                            "--draft", "draft7", "--json")
        self.assertEqual(json.loads(out)["compile_error"], 2)

    def test_wrong_usage(self):
        path = self.file("one/x.json", {})
        for arguments, message in [
                ([], "expected a folder"), (["a", "b"], "several folders"),
                (["/nowhere"], "cannot read '/nowhere'"),
                ([os.path.dirname(path)], "found an object, expected an "
                                          "array"),
                ([self.folder.name, "--draft", "1"], "expected 4, 6, 7")]:
            code, out, err = weir("conformance", *arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn(message, err)


if __name__ == "__main__":
    unittest.main()
