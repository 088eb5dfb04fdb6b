"""The names that the libraries export are those of exports.txt, which are those
that the public headers declare: a name can neither slip out nor get lost.

After a wanted change:  python3 tests/abi/abi_test.py --update
"""
import glob
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
LIST = os.path.join(HERE, "exports.txt")
DECLARED = re.compile(r"^WEIR_API\b[^;(]*?\b(weir_\w+)\s*\(", re.M)


def declared():
    names = []
    for header in glob.glob(os.path.join(ROOT, "include/weir/*.h")):
        with open(header, encoding="utf-8") as file:
            names += DECLARED.findall(file.read())
    return sorted(names)


def listed():
    with open(LIST, encoding="utf-8") as file:
        return file.read().split()


def defined(library, *options):
    out = subprocess.run(["nm", "-g", "--defined-only", *options,
                          os.path.join(BUILD, library)],
                         check=True, capture_output=True, text=True).stdout
    return sorted(line.split()[2] for line in out.splitlines()
                  if len(line.split()) == 3)


class Abi(unittest.TestCase):
    maxDiff = None

    def test_headers_declare_the_list(self):
        self.assertEqual(declared(), listed())

    def test_shared_library_exports_the_list(self):
        self.assertEqual(defined("libweir.so", "-D"), listed())

    def test_static_library_exports_the_list(self):
        self.assertEqual(defined("libweir.a"), listed())

    def test_shared_library_needs_only_the_c_library(self):
        out = subprocess.run(["readelf", "-d",
                              os.path.join(BUILD, "libweir.so")],
                             check=True, capture_output=True, text=True).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", out))
        self.assertLessEqual(needed, {"libc.so.6", "libm.so.6",
                                      "ld-linux-x86-64.so.2",
                                      "ld-linux-aarch64.so.1"})
        self.assertEqual(re.findall(r"\(SONAME\).*\[(.*)\]", out),
                         ["libweir.so.0"])


if __name__ == "__main__":
    if "--update" in sys.argv:
        with open(LIST, "w", encoding="utf-8") as file:
            file.write("\n".join(declared()) + "\n")
    else:
        unittest.main()
