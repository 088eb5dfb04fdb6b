"""weir serve over real HTTP: paths, methods, keys, sizes, what it says of
itself, options, and how it ends. Labels: threads."""
import http.client
import json
import signal
import subprocess
import sys
import threading
import time
import unittest

import server_kit as kit


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


class Usage(unittest.TestCase):
    def refuses(self, options, message):
        done = subprocess.run([kit.WEIR, "serve", *options],
                              capture_output=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(message, done.stderr.decode())

    def test_refused(self):
        self.refuses(["--engine", "llama"],
                     "llama.cpp loads models from files only")
        self.refuses(["-m", "x", "y"], "found 'y', expected options only")
        self.refuses(["-m", "x", "--port", "65536"],
                     "found --port 65536, expected 0 to 65535")
        self.refuses(["-m", "x", "--parallel", "0"], "--parallel 0")
        self.refuses(["-m", "x", "--speculate", "17"], "--speculate 17")
        self.refuses(["-m", "x", "--profile", "acme"], "--profile 'acme'")
        self.refuses(["-m", "x", "--on-unsupported", "shrug"],
                     "--on-unsupported 'shrug', expected refuse or degrade")
        self.refuses(["-m", "x", "--grammar", "maybe"], "grammar")
        self.refuses(["-m", "no-such.gguf", "--engine", "builtin"],
                     "no-such.gguf")

    def test_address(self):
        server = kit.Server()
        try:
            for host, port, message in (
                    ("127.0.0.1", server.port, "cannot listen on 127.0.0.1"),
                    ("no.such.host.invalid", 0, "is not known")):
                self.refuses(["-m", server.model, "--engine", "builtin",
                              "--host", host, "--port", str(port)], message)
        finally:
            server.stop()


class Plain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = kit.Server("--max-body", "20000", "--alias", "tiny")

    @classmethod
    def tearDownClass(cls):
        code, err = cls.server.stop()
        assert (code, err) == (0, ""), (code, err)

    def refused(self, answer, status, code, message=""):
        error = answer.json["error"]
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(error["code"], code)
        self.assertIn(message, error["message"])
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        return answer

    def test_health(self):
        answer = self.server.get("/health")
        self.assertEqual((answer.status, answer.json),
                         (200, {"status": "ok"}))
        head = self.server.ask("HEAD", "/health")
        self.assertEqual((head.status, head.data), (200, b""))

    def test_paths(self):
        self.refused(self.server.get("/nothing"), 404, "not_found")
        self.refused(self.server.get("/v1/chat/completions/"), 404,
                     "not_found")
        answer = self.refused(self.server.get("/v1/chat/completions"), 405,
                              "method_not_allowed", "expected POST")
        self.assertEqual(answer.headers["Allow"], "POST")
        answer = self.refused(self.server.post("/health", {}), 405,
                              "method_not_allowed", "expected GET")
        self.assertEqual(answer.headers["Allow"], "GET, HEAD")

    def test_error_forms(self):
        """Each endpoint has the form that its clients know."""
        ollama = self.server.get("/api/chat")
        self.assertEqual(set(ollama.json), {"error"})
        self.assertIsInstance(ollama.json["error"], str)
        anthropic = self.server.post("/v1/messages", "x").json
        self.assertEqual(anthropic["type"], "error")
        self.assertEqual(anthropic["error"]["type"], "invalid_request_error")
        sglang = self.server.post("/generate", "x").json
        self.assertEqual((sglang["object"], sglang["code"]), ("error", 400))
        llama = self.server.post("/completion", "x").json
        self.assertEqual(llama["error"]["code"], 400)

    def test_types(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded",
                     "application/jsonp"):
            self.refused(self.server.post("/v1/chat/completions", "{}",
                                          headers={"Content-Type": kind}),
                         415, "unsupported_media_type")
        self.refused(self.server.post("/v1/chat/completions", "{}",
                                      headers={}), 415,
                     "unsupported_media_type")
        for kind in ("application/json; charset=utf-8", "Application/JSON"):
            answer = self.server.post(
                "/v1/chat/completions", json.dumps({"messages": kit.USER,
                                                    "max_tokens": 1}),
                headers={"Content-Type": kind})
            self.assertEqual(answer.status, 200, answer.text)
        self.refused(self.server.post("/v1/chat/completions", "{}", headers={
            **kit.JSON, "Content-Encoding": "gzip"}), 415,
            "unsupported_encoding")

    def test_size(self):
        """Over the limit: told, whether the length is said or not; far over
        it: cut."""
        fits = json.dumps({"messages": [{"role": "user", "content": "x"}],
                           "max_tokens": 1})
        fits += " " * (20000 - len(fits))
        self.assertEqual(self.server.post("/v1/chat/completions",
                                          fits).status, 200)
        self.refused(self.server.post("/v1/chat/completions", fits + " "),
                     413, "request_too_large", "20000 bytes")
        connection = self.server.connect()
        connection.request("POST", "/v1/chat/completions",
                           iter([b"[" * 10001, b"[" * 10001]), kit.JSON,
                           encode_chunked=True)
        answer = kit.Answer(connection.getresponse())
        self.refused(answer, 413, "request_too_large")
        connection.close()
        with self.server.socket() as sock:
            sock.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
                         b"Content-Length: 999999999999\r\n\r\n")
            self.assertIn(b"413", sock.recv(100))

    def test_no_json(self):
        for body in ("", "garbage", "[]", "7", '{"a":', "\0", "{}}",
                     "[" * 2000, '{"messages":[{"role":"user","content":"\\'):
            answer = self.server.post("/v1/chat/completions", body)
            self.assertEqual(answer.status, 400, (body[:20], answer.text))
            self.assertEqual(answer.json["error"]["type"],
                             "invalid_request_error")
        self.refused(self.server.post("/v1/chat/completions",
                                      b'{"messages":"\xff"}'), 400,
                     "invalid_json")

    def test_keep_alive(self):
        connection = self.server.connect()
        for _ in range(3):
            connection.request("GET", "/health")
            self.assertEqual(connection.getresponse().read(),
                             b'{"status":"ok"}')
            connection.request("POST", "/v1/chat/completions", "no", kit.JSON)
            self.assertEqual(kit.Answer(connection.getresponse()).status, 400)
        connection.close()

    def test_ways(self):
        """What HTTP allows: a client that asks before it sends, one of 1.0,
        a body in chunks, several requests sent ahead."""
        body = json.dumps({"messages": kit.USER, "guided_choice": ["ab"],
                           "stream": True}).encode()
        head = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n")
        length = b"Content-Length: %d\r\n" % len(body)
        with self.server.socket() as sock:
            sock.sendall(head + length + b"Expect: 100-continue\r\n\r\n")
            self.assertIn(b"100 Continue", sock.recv(1000))
            sock.sendall(body)
            self.assertIn(b"200 OK", sock.recv(1000))
        with self.server.socket() as sock:
            sock.sendall(head.replace(b"1.1", b"1.0") + length + b"\r\n" + body)
            text = b""
            while data := sock.recv(65536):
                text += data
        self.assertIn(b"data: [DONE]", text)
        self.assertNotIn(b"chunked", text)
        with self.server.socket() as sock:
            sock.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n" +
                         b"".join(b"1\r\n%c\r\n" % c for c in body) +
                         b"0\r\n\r\n")
            self.assertIn(b"200 OK", sock.recv(1000))
        with self.server.socket() as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" *
                         5)
            text = b""
            while text.count(b'{"status":"ok"}') < 5:
                text += sock.recv(65536)

    def test_host(self):
        """A name that somebody else has made mean this machine is refused."""
        for host in ("evil.example", "evil.example:80", "10.0.0.1"):
            self.refused(self.server.get("/health", headers={"Host": host}),
                         403, "unknown_host")
        for host in ("localhost", "localhost:99", "127.0.0.1:1", "[::1]:80"):
            answer = self.server.get("/health", headers={"Host": host})
            self.assertEqual(answer.status, 200)

    def test_models(self):
        models = self.server.get("/v1/models").json
        self.assertEqual(models["object"], "list")
        self.assertEqual([m["id"] for m in models["data"]], ["tiny"])

    def test_props(self):
        props = self.server.get("/props").json
        self.assertEqual((props["total_slots"], props["model_alias"],
                          props["chat_format"], props["engine"]),
                         (4, "tiny", "chatml", "builtin"))
        self.assertEqual(props["grammar"]["profile"], "default")
        self.assertTrue(props["grammar"]["enabled"])

    def test_ollama(self):
        for how in (self.server.get, lambda path: self.server.post(path, {})):
            tags = how("/api/tags").json
            self.assertEqual([m["name"] for m in tags["models"]], ["tiny"])
            self.assertRegex(how("/api/version").json["version"],
                             r"^\d+\.\d+\.\d+$")
        show = self.server.post("/api/show", {"model": "tiny"}).json
        self.assertEqual(show["capabilities"], ["completion"])
        self.assertIn("details", show)
        for path in ("/api/generate", "/api/chat"):
            load = self.server.post(path, {"model": "tiny"}).json
            self.assertEqual((load["done"], load["done_reason"]),
                             (True, "load"))

    def test_metrics(self):
        before = self.server.metric("tokens_total")
        self.assertEqual(self.server.chat(guided_choice=["ab"]).status, 200)
        self.server.until("tokens_total", lambda n: n == before + 2)
        text = self.server.get("/metrics").text
        counts = [int(line.split()[1]) for line in text.splitlines()
                  if line.startswith("weir_mask_seconds_bucket")]
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(counts[-1], 0)
        names = [line.split()[2] for line in text.splitlines()
                 if line.startswith("# TYPE ")]
        self.assertEqual(len(names), len(set(names)))
        for line in text.splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) weir_\w+ .+|'
                             r'weir_\w+(\{le="[^"]+"\})? [-+.e\d]+)$')

    def test_tokens(self):
        answer = self.server.post("/tokenize", {"content": "thin"}).json
        self.assertEqual(answer, {"tokens": [256, 257], "count": 2})
        pieces = self.server.post("/tokenize", {"content": "hi",
                                                "with_pieces": True}).json
        self.assertEqual(pieces["tokens"], [{"id": 104, "piece": "h"},
                                            {"id": 105, "piece": "i"}])
        special = {"content": "<|im_end|>"}
        self.assertEqual(self.server.post("/tokenize", special).json["count"],
                         1)
        special["parse_special"] = False
        self.assertEqual(self.server.post("/tokenize", special).json["count"],
                         10)
        begun = self.server.post("/tokenize", {"content": "a",
                                               "add_special": True}).json
        self.assertEqual(begun["tokens"], [258, 97])
        self.assertEqual(self.server.post("/detokenize",
                                          {"tokens": [256, 257]}).json,
                         {"content": "thin"})
        self.refused_llama("/tokenize", {}, "content")
        self.refused_llama("/tokenize", {"content": 7}, "content")
        self.refused_llama("/detokenize", {}, "tokens")
        self.refused_llama("/detokenize", {"tokens": [261]}, "0 to 260")
        self.refused_llama("/detokenize", {"tokens": [-1]}, "tokens[0]")

    def refused_llama(self, path, body, message):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, 400)
        self.assertIn(message, answer.json["error"]["message"])

    def test_check(self):
        """Constraints are compiled, and nothing is written."""
        good = self.server.post("/grammar/check", {"guided_regex": "a+"})
        self.assertEqual((good.status, good.json["valid"], good.json["kind"],
                          good.json["from"]),
                         (200, True, "regex", "/guided_regex"))
        none = self.server.post("/grammar/check", {})
        self.assertEqual(none.json["kind"], "none")
        self.refused(self.server.post("/grammar/check",
                                      {"guided_regex": "a("}), 400,
                     "invalid_regex")
        bad = {"type": "object", "properties": {"x": {"type": "strin"}}}
        answer = self.server.post("/grammar/check", {"response_format": {
            "type": "json_schema", "json_schema": {"name": "a",
                                                   "schema": bad}}})
        self.refused(answer, 400, "invalid_json_schema",
                     "/response_format/json_schema/schema/properties/x/type")


class Keys(unittest.TestCase):
    def check(self, server):
        good = {"messages": kit.USER, "max_tokens": 1}
        for headers, status in (
                ({}, 401), ({"Authorization": "Bearer wrong"}, 401),
                ({"Authorization": "Bearer secre"}, 401),
                ({"Authorization": "Bearer secrets"}, 401),
                ({"Authorization": "secret"}, 401),
                ({"x-api-key": "Secret"}, 401),
                ({"Authorization": "Bearer secret"}, 200),
                ({"authorization": "bearer secret"}, 200),
                ({"x-api-key": "secret"}, 200)):
            answer = server.post("/v1/chat/completions", good,
                                 headers={**kit.JSON, **headers})
            self.assertEqual(answer.status, status, (headers, answer.text))
            if status == 401:
                self.assertEqual(answer.json["error"]["code"],
                                 "invalid_api_key")
                self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
            self.assertEqual(server.get("/v1/models",
                                        headers=headers).status, status)
        self.assertEqual(server.get("/health").status, 200)
        self.assertEqual(server.get("/nothing").status, 404)

    def test_option(self):
        server = kit.Server("--api-key", "secret")
        try:
            self.check(server)
        finally:
            server.stop()

    def test_environment(self):
        server = kit.Server(WEIR_API_KEY="secret")
        try:
            self.check(server)
        finally:
            server.stop()


class Switches(unittest.TestCase):
    SCHEMA = {"type": "json_schema", "json_schema": {
        "name": "a", "schema": {"enum": ["abcdefgh"]}}}

    def with_server(self, check, *options, **environment):
        server = kit.Server(*options, **environment)
        try:
            check(server)
        finally:
            code, err = server.stop()
        self.assertEqual(code, 0)
        return err

    def test_off(self):
        def refused(server):
            answer = server.chat(response_format=self.SCHEMA)
            self.assertEqual((answer.status, answer.json["error"]["code"]),
                             (400, "grammar_off"))
            self.assertFalse(server.get("/props").json["grammar"]["enabled"])
            self.assertEqual(server.chat().status, 200)
        self.with_server(refused, "--grammar", "off")
        self.with_server(refused, WEIR_GRAMMAR="0")

        def degraded(server):
            for stream in (False, True):
                answer = server.chat(response_format=self.SCHEMA,
                                     stream=stream)
                self.assertEqual(answer.status, 200, answer.text)
                self.assertIn("not enforced", answer.headers["Warning"])
                plain = server.chat(stream=stream)
                self.assertIsNone(plain.headers["Warning"])
            constrained = server.chat(response_format=self.SCHEMA)
            free = server.chat()
            self.assertGreater(constrained.json["usage"]["prompt_tokens"],
                               free.json["usage"]["prompt_tokens"])
        self.with_server(degraded, "--grammar", "off", "--on-unsupported",
                         "degrade")

    def test_jump(self):
        def forced(server):
            answer = server.chat(response_format=self.SCHEMA).json
            self.assertEqual(answer["choices"][0]["message"]["content"],
                             '"abcdefgh"')
            server.until("answers_total", lambda n: n == 1)
            return server.metric("tokens_forced_total")

        def some(server):
            self.assertGreater(forced(server), 3)
            self.assertTrue(
                server.get("/props").json["grammar"]["jump_forward"])

        def none(server):
            self.assertEqual(forced(server), 0)

        def not_with_logprobs(server):
            server.chat(response_format=self.SCHEMA, logprobs=True)
            server.until("answers_total", lambda n: n == 1)
            self.assertEqual(server.metric("tokens_forced_total"), 0)
        self.with_server(none)
        self.with_server(some, "--jump-forward", "on")
        self.with_server(some, WEIR_GRAMMAR_JUMP="1")
        self.with_server(not_with_logprobs, "--jump-forward", "on")
        self.with_server(none, "--jump-forward", "off", WEIR_GRAMMAR_JUMP="1")

    def test_lanes(self):
        def run(server):
            server.chat(response_format=self.SCHEMA)
            server.chat()
        err = self.with_server(run, WEIR_LANE_DEBUG="1")
        self.assertEqual(err.splitlines(), [
            "weir: lane batch, constraint yes, jump-forward off",
            "weir: lane batch, constraint no, jump-forward off"])
        for options, switches in ((["--batch-grammar", "off"], {}),
                                  ([], {"WEIR_GRAMMAR_BATCH": "0"})):
            err = self.with_server(run, *options, WEIR_LANE_DEBUG="1",
                                   **switches)
            self.assertEqual(err.splitlines(), [
                "weir: lane serial, constraint yes, jump-forward off",
                "weir: lane batch, constraint no, jump-forward off"])


class Ending(unittest.TestCase):
    def test_drained(self):
        """What is in hand is finished; new requests are refused."""
        server = kit.Server("--parallel", "1")
        got = {}

        def long():
            got["answer"] = server.chat(max_tokens=300, logit_bias={
                "260": False})
        thread = threading.Thread(target=long)
        thread.start()
        while not server.metric("rows"):
            time.sleep(0.001)
        code, err = server.stop()
        thread.join()
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(got["answer"].status, 200)
        self.assertEqual(got["answer"].json["usage"]["completion_tokens"],
                         300)
        with self.assertRaises(OSError):
            server.get("/health")

    def test_cut(self):
        """A drain that takes too long is cut."""
        server = kit.Server("--ctx", "60000", "--drain", "1")
        connection = server.connect()
        connection.request("POST", "/v1/chat/completions", json.dumps(
            {"messages": kit.USER, "stream": True, "max_tokens": 59000,
             "logit_bias": {"260": False}}), kit.JSON)
        response = connection.getresponse()
        self.assertTrue(response.read(10))
        start = time.monotonic()
        code, err = server.stop()
        self.assertEqual((code, err), (0, ""))
        self.assertLess(time.monotonic() - start, 20)
        with self.assertRaises((http.client.IncompleteRead, OSError)):
            response.read()
        connection.close()

    def test_interrupt(self):
        server = kit.Server()
        self.assertEqual(server.stop(signal.SIGINT), (0, ""))


if __name__ == "__main__":
    unittest.main()
