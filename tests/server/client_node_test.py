"""The official JavaScript clients against weir serve: client_node.mjs."""
import os
import re
import shutil
import subprocess
import sys

import client_kit
import server_kit as kit

HERE = os.path.dirname(os.path.abspath(__file__))


def run_node(script, *arguments):
    """Runs a script of Node's tests against a server of its own."""
    server = kit.Server("--ctx", "1500", "--alias", "tiny",
                        template=kit.HERMES)
    done = subprocess.run(
        ["node", os.path.join(HERE, script), f"http://127.0.0.1:{server.port}",
         *arguments], check=False, capture_output=True)
    code, err = server.stop()
    told = done.stdout.decode()
    print(told + done.stderr.decode() + err)
    counts = [re.search(rf"^# {what} (\d+)$", told, re.M)
              for what in ("pass", "fail")]
    if all(counts):
        print("{} passed, {} failed".format(*(c[1] for c in counts)))
    return done.returncode or code


def main():
    reason = kit.missing()
    if not shutil.which("node"):
        reason = "node is missing"
    if not os.path.exists(os.path.join(client_kit.NPM, "package-lock.json")):
        reason = "no clients: run scripts/clients/install-clients npm"
    if reason:
        print(reason)
        return 77
    return run_node("client_node.mjs")


if __name__ == "__main__":
    sys.exit(main())
