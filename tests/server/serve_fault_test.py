"""What clients do wrong to weir serve, by accident or on purpose: then a good
request is answered, and nothing is left behind. Labels: threads."""
import json
import random
import socket
import sys
import threading
import time
import unittest

import server_kit as kit

ENDLESS = {"messages": kit.USER, "max_tokens": 50000,
           "logit_bias": {"260": False}}
PATH = "/v1/chat/completions"


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


def head(body, *lines, path=PATH):
    text = "\r\n".join([f"POST {path} HTTP/1.1", "Host: localhost",
                        "Content-Type: application/json", *lines,
                        f"Content-Length: {len(body)}", "", ""])
    return text.encode() + body


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = kit.Server("--ctx", "60000", "--parallel", "2",
                                "--timeout", "2", "--queue", "3",
                                "--max-work", "100000000")

    @classmethod
    def tearDownClass(cls):
        code, err = cls.server.stop()
        assert (code, err) == (0, ""), (code, err)

    def tearDown(self):
        """The good request; nothing runs or waits any more."""
        answer = self.server.chat(guided_choice=["good"])
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.json["choices"][0]["message"]["content"],
                         "good")
        self.idle()

    def idle(self):
        end = time.monotonic() + 20
        while self.server.metric("rows") or self.server.metric("queue"):
            self.assertLess(time.monotonic(), end, "a row is not free")
            time.sleep(0.01)

    def closed(self, sock, seconds):
        """Whether the server closes the connection in that time."""
        sock.settimeout(seconds)
        try:
            while sock.recv(65536):
                pass
        except OSError:
            return True
        except socket.timeout:
            return False
        return True

    def test_client_leaves(self):
        """In the middle of a stream, or while all of it is awaited."""
        for stream in (True, False):
            body = json.dumps({**ENDLESS, "stream": stream}).encode()
            for reset in (False, True):
                sock = self.server.socket()
                if reset:  # a reset in place of a good-bye
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                    b"\1\0\0\0\0\0\0\0")
                sock.sendall(head(body))
                if stream:
                    self.assertIn(b"200 OK", sock.recv(100))
                while not self.server.metric("rows"):
                    time.sleep(0.001)
                left = self.server.metric("clients_left_total")
                sock.close()
                self.idle()
                self.server.until("clients_left_total",
                                  lambda n: n == left + 1)

    def test_waiting_client_leaves(self):
        """Of those that wait for a row, too."""
        body = json.dumps(ENDLESS).encode()
        sockets = [self.server.socket() for _ in range(4)]
        for sock in sockets:
            sock.sendall(head(body))
        while self.server.metric("queue") < 2:
            time.sleep(0.001)
        for sock in reversed(sockets):
            sock.close()
        self.idle()

    def test_too_many(self):
        """More than rows and queue take: 503, and when to come again."""
        body = json.dumps(ENDLESS).encode()
        sockets = [self.server.socket() for _ in range(5)]
        for sock in sockets:
            sock.sendall(head(body))
        while (self.server.metric("queue") < 3 or
               self.server.metric("rows") < 2):
            time.sleep(0.001)
        for path, request in ((PATH, {"messages": kit.USER}),
                              ("/api/chat", {"messages": kit.USER}),
                              ("/v1/messages", {"messages": kit.USER,
                                                "max_tokens": 1})):
            answer = self.server.post(path, request)
            self.assertEqual(answer.status, 503, answer.text)
            self.assertEqual(answer.headers["Retry-After"], "1")
            self.assertIn("error", answer.json)
        self.assertEqual(self.server.get("/health").status, 200)
        for sock in sockets:
            sock.close()
        self.idle()

    def test_slow(self):
        """Who does not finish sending is cut off; so is who sends bytes one by
        one for ever."""
        whole = head(json.dumps({"messages": kit.USER}).encode())
        for sent in (b"", b"GET", b"GET /health HTTP/1.1\r\nX: ",
                     whole[:-5], b"\r\n"):
            with self.server.socket() as sock:
                sock.sendall(sent)
                start = time.monotonic()
                self.assertTrue(self.closed(sock, 10), sent)
                self.assertLess(time.monotonic() - start, 9)
        for sent in (b"GET /health HTTP/1.1\r\nX: ",
                     head(b" " * 10000)[:-10000]):
            with self.server.socket() as sock:
                start = time.monotonic()
                sock.sendall(sent)
                try:
                    while time.monotonic() - start < 10:
                        sock.sendall(b" ")
                        time.sleep(0.05)
                    self.fail("a slow client was not cut off")
                except OSError:
                    pass

    def test_slow_reader(self):
        """Who does not take an answer is cut off, and its row is free."""
        sock = self.server.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.sendall(head(json.dumps({
            **ENDLESS, "stream": True, "logprobs": True,
            "top_logprobs": 10}).encode()))
        self.assertIn(b"200", sock.recv(30))
        self.idle()
        sock.close()

    def test_many_slow(self):
        """A hundred of them keep nobody else out."""
        sockets = [self.server.socket() for _ in range(100)]
        for sock in sockets:
            sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n")
        start = time.monotonic()
        self.assertEqual(self.server.chat(max_tokens=1).status, 200)
        self.assertLess(time.monotonic() - start, 5)
        for sock in sockets:
            self.assertTrue(self.closed(sock, 15))
            sock.close()

    def test_garbage(self):
        """Bytes that are no HTTP, and requests that are changed."""
        rng = random.Random(7)
        good = head(json.dumps({"messages": kit.USER, "max_tokens": 1,
                                "guided_regex": "a+"}).encode())
        texts = [bytes(rng.randrange(256) for _ in range(rng.randrange(400)))
                 for _ in range(50)]
        for _ in range(150):
            changed = bytearray(good)
            for _ in range(rng.randrange(1, 6)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            texts.append(bytes(changed))
        texts += [b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n",
                  b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
                  b"GET / HTTP/1.1\r\nA: " + b"b" * 200000 + b"\r\n\r\n",
                  b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
                  b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999"
                  b"\r\n\r\n",
                  b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                  b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01" * 50]
        for text in texts:
            try:
                with self.server.socket() as sock:
                    sock.sendall(text)
                    sock.shutdown(socket.SHUT_WR)
                    self.assertTrue(self.closed(sock, 30), text[:80])
            except OSError:
                pass

    def test_bad_requests(self):
        """Bodies that are JSON, and no requests: each is a 4xx."""
        rng = random.Random(3)
        values = [None, True, 0, -1, 1e400, "", "x", [], {}, [[]], [{}],
                  {"": None}, "\ud83d\ude00", 2 ** 70, [None], {"a": []}]
        fields = ["messages", "prompt", "input", "max_tokens", "n", "stop",
                  "temperature", "seed", "stream", "tools", "tool_choice",
                  "response_format", "guided_json", "guided_regex",
                  "guided_choice", "structured_outputs", "format", "options",
                  "logit_bias", "stream_options", "text", "sampling_params",
                  "chat_template_kwargs", "reasoning", "thinking", "system",
                  "think", "instructions", "weir", "logprobs", "raw", "echo"]
        paths = [PATH, "/v1/completions", "/v1/responses", "/v1/messages",
                 "/completion", "/generate", "/api/chat", "/api/generate",
                 "/tokenize", "/detokenize", "/grammar/check"]
        base = {"messages": kit.USER, "prompt": "x", "input": "x",
                "text": "x", "content": "x", "tokens": [1], "max_tokens": 2}
        for _ in range(300 if kit.QUICK else 1500):
            body = dict(base) if rng.random() < 0.8 else {}
            for _ in range(rng.randrange(1, 3)):
                body[rng.choice(fields)] = rng.choice(values)
            path = rng.choice(paths)
            if path == "/generate":
                body.setdefault("sampling_params", {"max_new_tokens": 2})
            body.setdefault("n_predict", 2)
            if path.startswith("/api/"):
                body.setdefault("options", {"num_predict": 2})
                if not isinstance(body["options"], dict) or not body["options"]:
                    body["options"] = {"num_predict": 2}
            answer = self.server.post(path, body)
            self.assertIn(answer.status // 100, (2, 4), (path, body,
                                                         answer.text))
            if answer.status != 200:
                self.assertLess(len(answer.data), 8192)
                self.assertTrue(answer.json)

    def test_bad_schemas(self):
        """10,000 requests with bad schemas, ten connections at once."""
        count = 500 if kit.QUICK else 10000
        kinds = [lambda i: {"type": f"objekt{i}"},
                 lambda i: {"$ref": f"#/$defs/{i}"},
                 lambda i: {"properties": [i]},
                 lambda i: {"enum": i}, lambda i: {"pattern": f"({i}"},
                 lambda i: {"allOf": [{"const": i}, {"const": i + 1}]},
                 lambda i: {"minLength": -i - 1},
                 lambda i: {"type": "string", "minLength": 2, "maxLength": 1,
                            "title": str(i)}]
        faults = []

        def run(part):
            connection = self.server.connect()
            for i in range(part, count, 10):
                schema = kinds[i % len(kinds)](i)
                connection.request("POST", PATH, json.dumps({
                    "messages": kit.USER, "response_format": {
                        "type": "json_schema", "json_schema": {
                            "name": "x", "schema": schema}}}), kit.JSON)
                answer = kit.Answer(connection.getresponse())
                if answer.status != 400 or not answer.json["error"]["code"]:
                    faults.append((schema, answer.status, answer.text))
            connection.close()
        threads = [threading.Thread(target=run, args=(n,)) for n in range(10)]
        before = self.server.memory()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(faults[:3], [])
        # failures are remembered, in a cache of 64 MiB
        if not kit.is_sanitized():
            self.assertLess(self.server.memory() - before, 100 << 20)

    def test_exploding(self):
        """A schema that explodes: an error that names the limit, and others
        are answered meanwhile."""
        big = {"type": "object", "properties": {
            "x": {"type": "string",
                  "pattern": "^(?=.*a.{40}b)(?=.*c.{41}d)(?!.*e.{39}f).*$"}}}
        got = {}

        def explode():
            got["answer"] = self.server.chat(response_format={
                "type": "json_schema",
                "json_schema": {"name": "x", "schema": big}})
        threads = [threading.Thread(target=explode) for _ in range(4)]
        for thread in threads:
            thread.start()
        slowest = 0
        while any(thread.is_alive() for thread in threads):
            start = time.monotonic()
            self.assertEqual(self.server.get("/health").status, 200)
            slowest = max(slowest, time.monotonic() - start)
            self.assertEqual(self.server.chat(max_tokens=2).status, 200)
        error = got["answer"].json["error"]
        self.assertEqual(got["answer"].status, 400, error)
        self.assertRegex(error["message"], r"max_(work|states|memory)")
        self.assertLess(slowest, 1)

    def test_tools(self):
        tools = [{"type": "function", "function": {"name": f"f{i}"}}
                 for i in range(1025)]
        answer = self.server.chat(tools=tools)
        self.assertEqual((answer.status, answer.json["error"]["message"]),
                         (400, "tools: found 1025 tools, expected at most "
                          "1024"))

    def test_long(self):
        """Prompts that can never fit are refused before they are encoded."""
        start = time.monotonic()
        for path, body in (
                (PATH, {"messages": [{"role": "user", "content": "x"}] *
                        300000}),
                (PATH, {"messages": [{"role": "user",
                                      "content": "x" * 15000000}]}),
                ("/v1/completions", {"prompt": "x" * 15000000}),
                ("/completion", {"prompt": ["x" * 15000000]})):
            answer = self.server.post(path, body)
            self.assertEqual(answer.status, 400)
            error = answer.json["error"]
            self.assertEqual(error["type"], "exceed_context_size_error")
            self.assertGreater(error["n_prompt_tokens"], error["n_ctx"])
        answer = self.server.post("/tokenize", {"content": "x" * 15000000})
        self.assertEqual(answer.status, 400)
        self.assertLess(time.monotonic() - start, 60)

    def test_deep(self):
        """Nesting, long lists, and errors that would repeat them."""
        for text in ('{"messages":' + "[" * 200000,
                     '{"messages":' + '[{"role":"user","content":' * 5000,
                     '{"a":' * 100000 + "1" + "}" * 100000):
            self.assertEqual(self.server.post(PATH, text).status, 400)
        answer = self.server.post("/v1/responses", {"input": [7] * 12000})
        self.assertEqual(answer.status, 400)
        self.assertLess(len(answer.data), 4096)
        answer = self.server.post(PATH, {"messages": [
            {"role": "user", "content": "x"}] * 20000, "max_tokens": 1})
        self.assertEqual(answer.status, 400)
        self.assertIn("n_prompt_tokens", answer.text)


if __name__ == "__main__":
    unittest.main()
