"""The benchmark program: what it prints can be read, it notices wrong answers,
and it refuses wrong arguments. Times themselves are not judged."""
import json
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
BENCH = os.path.join(BUILD, "weir-bench")
TINY = os.path.join(HERE, "tiny-tokenizer.json")
LLAMA3 = os.path.join(os.environ.get("WEIR_VOCAB_DIR")
                      or os.path.join(ROOT, ".cache/vocab"),
                      "llama3/tokenizer.json")
FIGURES = ["avg", "p50", "p75", "p90", "p95", "p99", "p999", "max"]


def bench(*arguments):
    """Exit code, standard output, standard error."""
    done = subprocess.run([BENCH, *arguments], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


class Peer(unittest.TestCase):
    """weir-peer keeps to the conversation of bench/peers/peer_kit.py."""

    def talk(self, *jobs):
        done = subprocess.run(
            [os.path.join(BUILD, "weir-peer"), TINY],
            input="".join(json.dumps(job) + "\n" for job in jobs),
            capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_answers(self):
        one, a = [4, 11, 5], [6, 14, 6]  # [1] and "a"
        about, array, gbnf, wrong = self.talk(
            {"kind": "json_schema", "source": '{"type":"array"}', "root": "",
             "tests": [one, one[:2], a]},
            {"kind": "gbnf", "source": 'start ::= "[" "1"* "]"',
             "root": "start", "tests": [one]},
            {"kind": "json_schema", "source": "{", "root": "", "tests": []})
        self.assertEqual((about["name"], about["overhead_ns"] >= 0),
                         ("weir", True))
        self.assertEqual([(test["taken"], test["may_stop"], len(test["us"]))
                          for test in array["tests"]],
                         [(3, True, 3), (2, False, 2), (0, False, 0)])
        self.assertGreater(array["ttfm_us"], 0)
        self.assertEqual(gbnf["tests"][0]["taken"], 3)
        self.assertIn("expected", wrong["error"])


class Bench(unittest.TestCase):
    def cases(self, *tests):
        """A file with one line of these tests, gone after the test."""
        file = tempfile.NamedTemporaryFile("w", suffix=".jsonl")
        self.addCleanup(file.close)
        json.dump({"file": "tiny", "schema": True, "tests": [
            {"valid": valid, "text": "", "ids": ids} for valid, ids in tests
        ]}, file)
        file.flush()
        return file.name

    def check_figures(self, found):
        """Percentiles ascend and the average is within them."""
        ranks = [found[name] for name in FIGURES[1:]]
        self.assertEqual(ranks, sorted(ranks))
        self.assertLessEqual(found["avg"], found["max"])

    def test_rows_without_files(self):
        code, out, err = bench("memcpy", "apply-f32", "sample", "--json")
        self.assertEqual((code, err), (0, ""))
        found = json.loads(out)
        self.assertEqual(list(found), ["memcpy", "apply-f32", "sample"])
        for chain in "free", "string-redraw", "no-top-k":
            self.check_figures(found["sample"][chain])
        self.check_figures(found["memcpy"])
        self.assertEqual(found["memcpy"]["row_bytes"], 4008 * 4)
        for mask in "ones", "string", "sparse":
            self.check_figures(found["apply-f32"][mask])

    def test_json_row(self):
        # {"a":true} and [1]; the third is not valid and is left out
        cases = self.cases((True, [33, 14, 34, 32, 3]), (True, [4, 11, 5]),
                           (False, [3]))
        code, out, err = bench("json", "--tokenizer", TINY, "--cases", cases,
                               "--runs", "2", "--json")
        self.assertEqual((code, err), (0, ""))
        row = json.loads(out)["json"]
        self.check_figures(row)
        self.assertEqual((row["tests"], row["steps"], row["runs"],
                          row["refused"]), (2, 8, 2, 0))

    def test_json_row_counts_what_is_refused(self):
        # [1 alone is incomplete; ] begins nothing
        cases = self.cases((True, [4, 11]), (True, [5]), (True, [11]))
        code, out, err = bench("json", "--tokenizer", TINY, "--cases", cases,
                               "--runs", "1", "--json")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out)["json"]["refused"], 2)
        self.assertIn("tiny, test 0: incomplete at token 2 of 2", err)
        self.assertIn("tiny, test 1: refused at token 0 of 1", err)

    def records(self, grammar, *steps):
        """A folder of records for the tiny vocabulary: (token before, ids that
        the mask has)."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "gbnf_grammars.jsonl"), "w",
                  encoding="utf-8") as file:
            json.dump({"name": "g", "root": "root", "text": grammar}, file)
        with open(os.path.join(folder.name, "gbnf_masks.jsonl"), "w",
                  encoding="utf-8") as file:
            for prev, ids in steps:
                value = 0xcbf29ce484222325
                for byte in b"".join(i.to_bytes(4, "little") for i in ids):
                    value = (value ^ byte) * 0x100000001b3 % 2**64
                file.write(json.dumps({
                    "vocab": "tiny", "grammar": "g", "prev": prev,
                    "fnv1a64": f"{value:016x}"}) + "\n")
        return folder.name

    def test_gbnf_row(self):
        # [1] with 4 "[", 11 "1", 5 "]"
        grammar = 'root ::= "[" "1" "]"'
        records = self.records(grammar, (None, [4]), (4, [11]), (11, [5]))
        code, out, err = bench("gbnf", "--tokenizer", TINY, "--records",
                               records, "--runs", "2", "--json")
        self.assertEqual((code, err), (0, ""))
        row = json.loads(out)["gbnf"]
        self.check_figures(row)
        self.check_figures(row["compile"])
        self.assertEqual((row["grammars"], row["masks"], row["runs"],
                          row["wrong"]), (1, 3, 2, 0))
        records = self.records(grammar, (None, [4]), (4, [11, 12]), (5, [5]))
        code, out, err = bench("gbnf", "--tokenizer", TINY, "--records",
                               records, "--json")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out)["gbnf"]["wrong"], 3)

    def test_load_and_batch(self):
        cases = self.cases((True, [33, 14, 34, 32, 3]))
        code, out, err = bench("vocab-load", "batch", "--tokenizer", TINY,
                               "--cases", cases, "--json")
        self.assertEqual((code, err), (0, ""))
        found = json.loads(out)
        self.check_figures(found["vocab-load"])
        batch = found["batch"]
        for group in (batch, *(batch[f"of_{n}"] for n in (1, 8, 64, 1024))):
            for way in "loop", "1", "2":
                self.check_figures(group[way])
        self.assertGreaterEqual(batch["growth_loop"], 1)

    def test_cold_and_caches(self):
        cases = self.cases((True, [33, 14, 34, 32, 3]))
        code, out, err = bench("cold", "cache-hit", "cache-cap", "--tokenizer",
                               TINY, "--cases", cases, "--json")
        self.assertEqual((code, err), (0, ""))
        found = json.loads(out)
        for name in ("vocabulary", "first_mask", "second_mask",
                     "compiled_again"):
            self.check_figures(found["cold"][name])
        hit = found["cache-hit"]
        self.assertEqual((hit["schemas"], hit["hits"], hit["misses"],
                          hit["not_compiled"]), (1, 7, 1, 0))
        # the schema and, in the second round, the same in another text: true
        # has no place for a comment, so it is the same
        cap = found["cache-cap"]
        self.assertEqual((cap["schemas"], cap["misses"], cap["entries"]),
                         (2, 1, 1))
        self.assertGreater(cap["held_at_most_mib"], 0)

    @unittest.skipUnless(os.path.exists(LLAMA3), "no vocabulary")
    def test_growth(self):
        code, out, err = bench("growth", "--tokenizer", LLAMA3, "--json")
        self.assertEqual((code, err), (0, ""))
        found = json.loads(out)["growth"]
        for axis, largest in (("length", 1000000), ("depth", 10000),
                              ("max_length", 1000000), ("enum", 100000),
                              ("properties", 1000)):
            for what in "mask", "accept":
                self.check_figures(found[f"{axis}_{what}"][str(largest)])
                self.assertIn(f"growth_of_{axis}_{what}", found)

    def maskbench(self, lines, *options):
        """The row's figures and its list, over lines of (schema, tests)."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        cases, found = (os.path.join(folder.name, name)
                        for name in ("cases", "list"))
        with open(cases, "w", encoding="utf-8") as file:
            for number, (schema, tests) in enumerate(lines):
                file.write(json.dumps({
                    "file": f"f{number}", "schema": schema,
                    "tests": [{"valid": valid, "text": "", "ids": ids}
                              for valid, ids in tests]}) + "\n")
        code, out, err = bench("maskbench", "--tokenizer", TINY, "--cases",
                               cases, "--list", found, "--json", *options)
        self.assertEqual((code, err), (0, ""))
        with open(found, encoding="utf-8") as file:
            listed = [line.rstrip("\n").split("\t") for line in file]
        return json.loads(out)["maskbench"], listed

    def test_maskbench(self):
        one, true_of_a, a = [4, 11, 5], [33, 14, 34, 32, 3], [6, 14, 6]
        array = {"type": "array"}
        row, listed = self.maskbench([
            (array, [(True, one), (False, true_of_a)]),
            ({"type": "string"}, [(True, one), (True, a)]),
            (True, [(True, one), (False, a)]),
            ({"type": "arr"}, [(True, one)]),
            # not yet complete, and tokens too many
            (array, [(False, [4, 11]), (False, [4, 5, 5])]),
        ])
        self.assertEqual(
            [row[key] for key in (
                "schemas", "passing", "compile_error", "validation_error",
                "order_refusal", "invalidation_error")], [5, 2, 1, 1, 0, 1])
        self.assertEqual([line[:2] for line in listed], [
            ["f0", "passing"], ["f1", "validation_error"],
            ["f2", "invalidation_error"], ["f3", "compile_error"],
            ["f4", "passing"]])
        self.assertIn('test 0, token 0 of 3: refused', listed[1][2])
        self.assertIn("#/type", listed[3][2])
        # steps: 3 + 1, 1 + 3, 3 + 3, 2 + 3
        self.assertEqual(row["masks"], 19)
        self.check_figures(row["tbm_us"])
        self.check_figures(row["ttfm_us"])
        self.assertGreater(row["rss_mb"], 0)
        self.assertGreater(row["memcpy_us"], 0)

    def test_maskbench_order(self):
        schema = {"properties": {"a": {}, "b": {}},
                  "additionalProperties": False}
        backward = [33, 15, 34, 11, 8, 6, 14, 34, 11, 3]  # {"b":1,"a":1}
        wrong = [33, 15, 34, 11, 8, 6, 16, 34, 11, 3]  # {"b":1,"f":1}
        lines = [(schema, [(True, backward)]), (schema, [(True, wrong)]),
                 (schema, [(True, backward), (True, wrong)])]
        row, listed = self.maskbench(lines)
        self.assertEqual([line[1] for line in listed],
                         ["order_refusal", "validation_error",
                          "validation_error"])
        self.assertEqual((row["order_refusal"], row["validation_error"]),
                         (1, 2))
        row, listed = self.maskbench(lines, "--any-order")
        self.assertEqual([line[1] for line in listed],
                         ["passing", "validation_error", "validation_error"])

    def test_runs_count_with_the_least(self):
        # as many steps and sources as in one run, each with its least time
        lines = [({"type": "array"}, [(True, [4, 11, 5]), (False, [4, 11])])]
        for runs in "1", "3":
            row, listed = self.maskbench(lines, "--runs", runs)
            self.assertEqual((row["schemas"], row["passing"], row["masks"],
                              row["runs"]), (1, 1, 5, int(runs)))
            self.assertEqual(len(listed), 1)
            self.assertAlmostEqual(float(listed[0][4]), row["tbm_us"]["max"],
                                   delta=0.01)

    def front(self, row, source, *texts):
        """A front end's row over one grammar: exit code, figures."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, row + ".jsonl")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"file": "g", "source": source, "tests": [
                {"valid": valid, "text": text} for valid, text in texts]},
                file)
        saved = os.path.join(folder.name, "saved")
        code, out, _ = bench(row, "--tokenizer", TINY, "--grammars",
                             folder.name, "--runs", "2", "--save", saved)
        self.assertIn(f"{row}: bench/grammars/{row}.jsonl", out)
        with open(saved, encoding="utf-8") as file:
            return code, json.load(file)[row]

    def test_front_ends(self):
        for row, source in (("regex", r"\[1+(,1)?\]"),
                            ("ebnf", 'root ::= "[" "1"+ ("," "1")? "]"')):
            code, found = self.front(row, source, (True, "[11]"),
                                     (True, "[1,1]"), (False, "[1,1"))
            self.assertEqual((code, found["passing"], found["grammars"]),
                             (0, 1, 1))
            self.check_figures(found["tbm_us"])
            # a grammar that does not do as its texts say is a wrong answer
            code, found = self.front(row, source, (False, "[11]"))
            self.assertEqual((code, found["passing"]), (1, 0))

    def test_grammars_are_as_made(self):
        done = subprocess.run(
            [os.path.join(ROOT, "bench/grammars/make-grammars"), "--check"],
            capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_table(self):
        code, out, err = bench("memcpy")
        self.assertEqual((code, err), (0, ""))
        for word in "memcpy:", "p99.9", "time, us", "16032 bytes":
            self.assertIn(word, out)

    def test_slowest_steps(self):
        cases = self.cases((True, [33, 14, 34, 32, 3]))
        code, _, err = bench("json", "--tokenizer", TINY, "--cases", cases,
                             "--slowest", "9")
        self.assertEqual(code, 0)
        self.assertEqual(err.count("tiny, test 0, step"), 5)
        self.assertIn('step 3: "{\\"a\\":" then "true"', err)

    def test_serve(self):
        """A model of random weights, by the runner of our own."""
        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "random.gguf")
            subprocess.run([os.path.join(BUILD, "random_model_driver"), model,
                            "1"], check=True)
            code, out, _ = bench("serve", "--model", model, "--engine",
                                 "builtin", "--runs", "1", "--json")
        found = json.loads(out)["serve"]
        self.assertEqual(code, 0)
        for size in (1, 4, 16):
            self.assertGreater(found[f"free_tokens_of_{size}_per_s"], 0)
            self.assertGreater(found[f"constrained_tokens_of_{size}_per_s"], 0)
            self.assertGreater(found[f"mask_work_of_{size}_percent"], 0)
            self.assertLessEqual(found[f"slower_least_of_{size}_percent"],
                                 found[f"slower_of_{size}_percent"])

    def test_serve_wants_a_model(self):
        code, _, err = bench("serve")
        self.assertEqual((code, err),
                         (1, "weir-bench: serve: expected --model FILE\n"))

    def test_usage(self):
        for wrong in ((), ("nothing",), ("memcpy", "--runs"),
                      ("json", "--runs", "0"), ("json", "--wrong", "1")):
            self.assertEqual(bench(*wrong)[0], 2, wrong)
        self.assertEqual(bench("--help")[0], 0)

    def test_missing_files(self):
        code, out, err = bench("json", "--cases", "/nowhere/cases", "--json")
        self.assertEqual((code, json.loads(out)), (1, {}))
        self.assertIn("cannot read '/nowhere/cases'", err)


if __name__ == "__main__":
    unittest.main()
