"""The official clients from PyPI, where scripts/clients/install-clients has put
them: a test that calls `enter` goes on in their interpreter, or is skipped."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
VENV = os.path.join(ROOT, ".cache/clients/venv")
NPM = os.path.join(ROOT, ".cache/clients/npm")


def enter():
    python = os.path.join(VENV, "bin/python")
    if not os.path.exists(os.path.join(VENV, "installed.txt")):
        print("no clients: run scripts/clients/install-clients python")
        sys.exit(77)
    if os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        os.execv(python, [python, *sys.argv])
