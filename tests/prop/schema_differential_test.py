"""Runs schema_differential.mjs, which says what it tests."""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

if not shutil.which("node"):
    print("node is missing: skipped")
    sys.exit(77)
os.execvp("node", ["node", os.path.join(HERE, "schema_differential.mjs"), *sys.argv[1:]])
