"""The content rule on all prefixes of more than 10,000 answers, and on all
splits in two of 500 of them, each in four dresses. The answers are made by
weir sample, for schemas that lead to every kind of value; what their content
is is known by construction: see content_driver.c.
"""
import json
import os
import re
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
VOCAB = os.path.join(ROOT, "tests/cases/sampling.gguf")
QUICK = bool(os.environ.get("WEIR_QUICK"))

SCHEMAS = [
    {"type": "object", "properties": {"name": {"type": "string"},
                                      "ok": {"type": "boolean"}}},
    {"type": "array", "items": {"type": "string", "maxLength": 9}},
    {"type": "object", "additionalProperties": {"type": "array"}},
    {"type": "string"},
    {"type": "string", "pattern": "^(\\\\|\"|\n|\u00e9|\U0001F600|`)+$"},
    {"type": "number"},
    {"type": ["boolean", "null", "integer"]},
    {"enum": ["\\", "\"", "\\u12", "```", "{", [], {}, "a\n`b", "\u65e5"]},
    {},
]
WANTED = 100 if QUICK else 1200


def sample(schema, seed):
    done = subprocess.run(
        [os.path.join(BUILD, "weir"), "sample", "--schema",
         json.dumps(schema), "--tokenizer", VOCAB, "-n", str(WANTED),
         "--seed", str(seed), "--max-tokens", "96", "--whitespace",
         "any" if seed % 2 else "compact", "--json"],
        capture_output=True, check=False)
    return done.stdout


class Content(unittest.TestCase):
    def test_answers(self):
        # interleaved, so that the splits too see every kind
        lists = [sample(schema, seed).splitlines()
                 for seed, schema in enumerate(SCHEMAS)]
        answers = [answer for row in zip(*lists) for answer in row]
        for text in answers[:200]:
            json.loads(json.loads(text))
        done = subprocess.run([os.path.join(BUILD, "content_driver")],
                              input=b"\n".join(answers) + b"\n",
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        found = re.fullmatch(rb"(\d+) answers, (\d+) prefixes, (\d+) splits\n",
                             done.stdout)
        counts = [int(n) for n in found.groups()]
        print(done.stdout.decode(), end="")
        self.assertGreaterEqual(counts[0], 800 if QUICK else 10000)
        self.assertGreater(counts[1], 20 * counts[0])
        self.assertGreater(counts[2], 10000)


if __name__ == "__main__":
    unittest.main()
