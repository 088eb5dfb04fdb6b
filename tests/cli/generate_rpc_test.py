#!/usr/bin/env python3
"""weir generate --rpc: a model on other machines.

Two of llama.cpp's servers on this machine compute a random model; what is
written is what the same library writes without them. They and a libllama with
RPC are what scripts/get-libllama.sh --build makes: without it only refusals are
tested.
"""
import glob
import os
import re
import socket
import subprocess
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("WEIR_BUILD",
                                       os.path.join(ROOT, "build")))
WEIR = os.path.join(BUILD, "weir")
DRIVER = os.path.join(BUILD, "random_model_driver")
FETCHED = os.path.join(ROOT, ".cache/llama/package/bins/linux-x64")
BUILT = (sorted(glob.glob(os.path.join(ROOT, ".cache/llama/rpc-*"))) or [""])[0]
PATTERNS = ["[a-z]{40}", "[0-9]{3}(-[0-9]{4}){5}", "(yes|no)( (yes|no)){20}"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def generate(library, *arguments):
    # llama.cpp keeps what it knows of its servers to the process's end, and
    # closes a socket that another of its threads reads
    leaks = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    races = (os.environ.get("TSAN_OPTIONS", "") +
             ":ignore_noninstrumented_modules=1")
    done = subprocess.run(
        [WEIR, "generate", "--temperature", "0", *arguments],
        capture_output=True, timeout=600,
        env={**os.environ, "WEIR_LLAMA_DIR": library, "NO_COLOR": "1",
             "ASAN_OPTIONS": leaks, "TSAN_OPTIONS": races})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class WithModel(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.model = os.path.join(place.name, "random.gguf")
        subprocess.run([DRIVER, self.model, "7"], check=True)

    def write(self, library, pattern, *more):
        code, out, err = generate(library, "-m", self.model, "-p", "x",
                                  "--threads", "1", "--regex", pattern, *more)
        self.assertEqual(code, 0, err)
        return out.rstrip("\n")

    def refuses(self, library, servers, message):
        code, out, err = generate(library, "-m", self.model, "-p", "x",
                                  "--regex", "[a-z]", "--rpc", servers)
        self.assertNotEqual(code, 0)
        self.assertEqual(out, "")
        self.assertIn(message, err)


class BuiltIn(WithModel):
    def test_refuses(self):
        code, out, err = generate("", "--rpc", "localhost:1", "-p", "x",
                                  "--engine", "builtin", "-m", self.model)
        self.assertNotEqual(code, 0)
        self.assertEqual(out, "")
        self.assertIn("RPC servers compute for libllama only", err)


@unittest.skipUnless(os.path.isdir(FETCHED), "scripts/get-libllama.sh not run")
class WithoutRpc(WithModel):
    def test_refuses(self):
        self.refuses(FETCHED, "localhost:1", "this libllama has no RPC")


@unittest.skipUnless(BUILT, "scripts/get-libllama.sh --build not run")
class WithRpc(WithModel):
    def server(self):
        port = free_port()
        log = tempfile.TemporaryFile()
        self.addCleanup(log.close)
        program = subprocess.Popen(
            [os.path.join(BUILT, "ggml-rpc-server"), "-H", "127.0.0.1", "-p",
             str(port), "-t", "1"], stdout=log, stderr=subprocess.STDOUT,
            env={**os.environ, "GGML_RPC_DEBUG": "1"})
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return port, log
            except OSError:
                time.sleep(0.1)
        self.fail("the server does not listen")

    def test_two_servers_write_the_same(self):
        servers = [self.server(), self.server()]
        names = ",".join(f"127.0.0.1:{port}" for port, _ in servers)
        for pattern in PATTERNS:
            with self.subTest(pattern):
                alone = self.write(BUILT, pattern)
                self.assertRegex(alone, re.compile(f"^{pattern}$"))
                self.assertEqual(self.write(BUILT, pattern, "--rpc", names),
                                 alone)
        for _, log in servers:
            log.seek(0)
            self.assertIn(b"[graph_compute]", log.read(),
                          "a server has not computed anything")

    def test_refuses(self):
        self.refuses(BUILT, f"127.0.0.1:{free_port()}", "Connection refused")
        self.refuses(BUILT, "127.0.0.1", "expected HOST:PORT")
        self.refuses(BUILT, "", "expected HOST:PORT")
        self.refuses(BUILT, "no-such-host.invalid:1", "no-such-host.invalid")
        self.refuses(BUILT, "a" * 300, "too long")


if __name__ == "__main__":
    unittest.main()
