"""weir generate without -m: the model that the program carries.

It has been trained for held-out tasks like these (docs/model.md); here a few
of them show that model, format and runner fit together. The whole evaluation
is model/evaluate_model.py.
"""
import json
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("WEIR_BUILD",
                                       os.path.join(ROOT, "build")))
WEIR = os.path.join(BUILD, "weir")
sys.path.insert(0, os.path.join(ROOT, "model"))

import evaluate_model  # noqa: E402
import task_data  # noqa: E402

COUNT = 8 if os.environ.get("WEIR_QUICK") else 20
PERSON = {"type": "object", "additionalProperties": False,
          "required": ["name", "age", "city"],
          "properties": {"name": {"type": "string"},
                         "age": {"type": "integer"},
                         "city": {"type": "string"}}}


def weir(*arguments, **changes):
    done = subprocess.run(
        [WEIR, "generate", *arguments], capture_output=True, timeout=600,
        env={**os.environ, "NO_COLOR": "1",
             "WEIR_LLAMA_DIR": "no/such/folder", **changes})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class OwnModel(unittest.TestCase):
    def test_person(self):
        code, out, err = weir("-p", "Anna is 31 years old and lives in Oslo.",
                              "--schema", json.dumps(PERSON),
                              "--temperature", "0", "--stats")
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out),
                         {"name": "Anna", "age": 31, "city": "Oslo"})
        self.assertIn("weir's own runner", err)

    def test_held_out(self):
        """All are valid, and at least half of so few exact."""
        rows, wrong = evaluate_model.score(WEIR,
                                           evaluate_model.held_out(COUNT))
        n, _, valid, _, exact = (sum(c) for c in zip(*rows.values()))
        self.assertEqual((n, valid), (COUNT, COUNT))
        self.assertGreaterEqual(exact, COUNT // 2, "\n".join(wrong))

    def test_prompts(self):
        """The program writes prompts as the training did."""
        for i in range(COUNT):
            task = task_data.task(f"prompt {i}", True, calls=0)
            way = ["--max-tokens", "1", "--json", "--temperature", "0"]
            text = task_data.prompt_text(task)
            found = json.loads(weir(*evaluate_model.chat(task), *way)[1])
            whole = json.loads(weir("--chat-template", "none", "-p", text,
                                    *way)[1])
            self.assertEqual(found["prompt_tokens"], whole["prompt_tokens"])
            self.assertEqual(found["text"], whole["text"])

    def test_engine(self):
        code, out, err = weir("-p", "hi", "--json-value", "--engine", "llama")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("weir's own model: llama.cpp loads models from files "
                      "only", err)


class Sets(unittest.TestCase):
    """Held-out words and templates are in no task for training."""

    def test_apart(self):
        seen = {False: set(), True: set()}
        for held, words in seen.items():
            for i in range(1500):
                maker = task_data.Maker(task_data.random.Random(i), held)
                for kind in task_data.words.KINDS.values():
                    words.add(maker.template(kind["templates"]))
                words.update(maker.person()[0].split())
                words.add(maker.word())
        self.assertFalse(seen[False] & seen[True])
        self.assertGreater(len(seen[True]), 1000)


if __name__ == "__main__":
    if not os.path.exists(WEIR):
        print("the program is not built")
        sys.exit(77)
    unittest.main()
