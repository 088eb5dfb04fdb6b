"""The JSON Schema Test Suite, whole, for two drafts.

tests/cases/conformance_expected.txt lists the tests that fail, with reasons.
The list only shrinks: a test fails here that is not on it, and one that is on
it but passes now. `conformance_test.py --shrink` takes those from it.
Skipped without ../shared or the metaschemas.
"""
import collections
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
WEIR = os.path.join(BUILD, "weir")
SUITE = os.path.join(ROOT, "..", "shared", "data", "json-schema-test-suite")
METASCHEMAS = os.path.join(ROOT, ".cache", "validators", "metaschemas")
EXPECTED = os.path.join(ROOT, "tests", "cases", "conformance_expected.txt")
FAILURE = re.compile(r"^(.*?: (?:false_negative|false_positive|compile_error))"
                     r": ", re.M)
# It wants content* asserted, which are annotations.
EXEMPT = "draft7/optional/content.json"


DRAFTS = {"draft2020-12": 2225, "draft7": 1721}  # and how many tests each has


def expected_lines():
    with open(EXPECTED, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def expected(draft):
    """The failures listed for a draft. A line with # is a reason."""
    return collections.Counter(line for line in expected_lines()
                               if line.startswith(draft + "/"))


def run_draft(draft):
    """The counts, and the failures as they stand in the list."""
    done = subprocess.run(
        [WEIR, "conformance", SUITE, "--draft", draft, "--schema-dir",
         METASCHEMAS, "--json"], capture_output=True, timeout=600)
    if done.returncode not in (0, 1):
        raise AssertionError(f"ended with {done.returncode}: "
                             f"{done.stderr.decode()[-1000:]}")
    return (json.loads(done.stdout),
            collections.Counter(FAILURE.findall(done.stderr.decode())))


@unittest.skipUnless(os.path.isdir(SUITE), "no ../shared")
@unittest.skipUnless(os.path.isdir(METASCHEMAS), "no metaschemas")
class Conformance(unittest.TestCase):
    longMessage = False

    def check(self, draft):
        counts, failures = run_draft(draft)
        listed = expected(draft)
        self.assertEqual(counts["tests"], DRAFTS[draft],
                         "the suite has changed")
        self.assertEqual(counts["tests"] - counts["pass"],
                         sum(failures.values()), "lines and counts differ")
        new = sorted((failures - listed).elements())
        fixed = sorted((listed - failures).elements())
        self.assertFalse(new, "fail now:\n" + "\n".join(new))
        self.assertFalse(fixed, "on the list, pass now:\n" + "\n".join(fixed))

    def test_draft2020_12(self):
        self.check("draft2020-12")

    def test_draft7(self):
        self.check("draft7")

    def test_nothing_invalid_is_accepted(self):
        wrong = [line for line in expected_lines()
                 if line.endswith("false_positive")
                 and not line.startswith(EXEMPT)]
        self.assertFalse(wrong, "invalid and accepted:\n" + "\n".join(wrong))


def shrink():
    left = sum((run_draft(draft)[1] for draft in DRAFTS),
               collections.Counter())
    kept = []
    for line in expected_lines():
        is_entry = line and not line.startswith("#")
        if not is_entry or left[line] > 0:
            kept.append(line)
            left[line] -= 1
    with open(EXPECTED, "w", encoding="utf-8") as file:
        file.write("\n".join(kept) + "\n")


if __name__ == "__main__":
    if "--shrink" in sys.argv:
        shrink()
    else:
        unittest.main()
