"""The page at "/" in headless Chromium, by the keyboard alone: playground.mjs.
The pictures that it takes lie in the build's folder."""
import os
import shutil
import sys

import client_kit
import server_kit as kit
from client_node_test import run_node


def main():
    reason = kit.missing()
    chromium = shutil.which("chromium")
    if not os.path.exists(os.path.join(client_kit.NPM, "package-lock.json")):
        reason = "no clients: run scripts/clients/install-clients npm"
    if not chromium:
        reason = "no Chromium: run scripts/setup test"
    if reason:
        print(reason)
        return 77
    return run_node("playground.mjs", kit.BUILD, chromium)


sys.exit(main())
