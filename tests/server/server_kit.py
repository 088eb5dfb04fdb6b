"""A server with a small random model, for tests in Python.

The model writes anything that a constraint allows (random_model_driver), so what
is tested is what the server does, not what the model knows.
"""
import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("WEIR_BUILD",
                                       os.path.join(ROOT, "build")))
WEIR = os.path.join(BUILD, "weir")
DRIVER = os.path.join(BUILD, "random_model_driver")
CHATML = "<|im_start|> <|im_end|>"
HERMES = CHATML + ' <tool_call>\\n{"name": "'
QWEN = HERMES + " <think>"
QUICK = bool(os.environ.get("WEIR_QUICK"))
JSON = {"Content-Type": "application/json"}
USER = [{"role": "user", "content": "hi"}]
NO_END = {"260": False}  # a bias: the stop token is never drawn


def is_sanitized():
    """Whether memory is kept back, and there is more of it, to find mistakes."""
    with open(WEIR, "rb") as file:
        program = file.read()
    return b"__asan_init" in program or b"__tsan_init" in program


def missing():
    """Why the tests cannot run, or None."""
    if not os.path.exists(WEIR) or not os.path.exists(DRIVER):
        return "the programs are not built"
    done = subprocess.run([WEIR, "serve", "--help"], capture_output=True,
                          check=False)
    with open(WEIR, "rb") as file:
        if b"built without libmicrohttpd" in file.read():
            return "built without libmicrohttpd"
    return None if done.returncode == 0 else "there is no weir serve"


class Answer:
    """Status, headers and text of a response."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.data = response.read()
        self.text = self.data.decode()

    @property
    def json(self):
        return json.loads(self.text)


class Server:
    """weir serve on a port of its own, until stop()."""

    def __init__(self, *options, template=CHATML, seed="5", **environment):
        self.folder = tempfile.TemporaryDirectory()
        self.model = os.path.join(self.folder.name, "tiny.gguf")
        subprocess.run([DRIVER, self.model, seed,
                        *([template] if template else [])], check=True)
        self.process = subprocess.Popen(
            [WEIR, "serve", "-m", self.model, "--engine", "builtin", "--port",
             "0", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "NO_COLOR": "1", **environment})
        line = self.process.stdout.readline().decode()
        if "listening" not in line:
            raise RuntimeError(self.process.communicate()[1].decode())
        self.port = int(line.rsplit(":", 1)[1])

    def connect(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.port,
                                          timeout=timeout)

    def socket(self, timeout=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """One request; a body that is no text is sent as JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if headers is None:
            headers = JSON if body is not None else {}
        connection = self.connect(timeout)
        try:
            connection.request(method, path, body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def chat(self, **fields):
        return self.post("/v1/chat/completions",
                         {"messages": USER, "max_tokens": 60, **fields})

    def metric(self, name):
        for line in self.get("/metrics").text.splitlines():
            if line.startswith(f"weir_{name} "):
                return float(line.split()[1])
        raise KeyError(name)

    def until(self, name, test):
        """The metric, when it passes the test; counts come after answers."""
        for _ in range(2000):
            value = self.metric(name)
            if test(value):
                return value
            time.sleep(0.005)
        raise AssertionError(f"{name} is {value}")

    def memory(self):
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def stop(self, how=signal.SIGTERM):
        """Exit code and standard error."""
        self.process.send_signal(how)
        err = self.process.communicate(timeout=120)[1].decode()
        self.folder.cleanup()
        return self.process.returncode, err


def events(text):
    """The data of SSE events, as JSON but for the last, [DONE]."""
    found = []
    for block in text.split("\n\n"):
        for line in block.split("\n"):
            if line.startswith("data: "):
                data = line[len("data: "):]
                found.append(data if data == "[DONE]" else json.loads(data))
    return found


def joined(chunks):
    """The content of a chat's chunks."""
    return "".join(choice["delta"].get("content") or ""
                   for chunk in chunks if chunk != "[DONE]"
                   for choice in chunk["choices"])
