"""Many clients at once, each stream held to one of fifty schemas: every answer
is valid by checks that share nothing with the grammars, none is lost, and
memory stays as it was after the first tenth. A minute of 200 clients; in the
quick form some seconds of 40. Labels: threads."""
import json
import random
import re
import sys
import threading
import time
import unittest

import server_kit as kit

CLIENTS, SECONDS = (40, 6) if kit.QUICK else (200, 60)
SEEDS = 20  # of each schema, so that all states are met early


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


def integer(i):
    schema = {"type": "object", "additionalProperties": False,
              "required": ["a", f"k{i}"], "properties": {
                  "a": {"type": "integer", "minimum": -i, "maximum": i + 9},
                  f"k{i}": {"enum": ["x", None, i]}}}
    return schema, lambda v: (set(v) == {"a", f"k{i}"} and
                              type(v["a"]) is int and -i <= v["a"] <= i + 9
                              and v[f"k{i}"] in ("x", None, i))


def items(i):
    schema = {"type": "array", "minItems": 2, "maxItems": 3 + i % 4,
              "items": {"type": "boolean" if i % 2 else "null"}}
    kind = bool if i % 2 else type(None)
    return schema, lambda v: (2 <= len(v) <= 3 + i % 4 and
                              all(type(x) is kind for x in v))


def text(i):
    schema = {"type": "string", "pattern": f"^[a-c]{{{i + 1},{i + 3}}}-{i}$"}
    return schema, lambda v: re.fullmatch(f"[a-c]{{{i + 1},{i + 3}}}-{i}", v)


def nested(i):
    schema = {"type": "object", "additionalProperties": False,
              "required": ["in"], "properties": {
                  "in": {"type": "object", "additionalProperties": False,
                         "required": [f"n{i}"], "properties": {
                             f"n{i}": {"type": "number", "minimum": 0,
                                       "exclusiveMaximum": i + 1,
                                       "multipleOf": 0.5}}},
                  "to": {"type": "string", "maxLength": 3}}}
    return schema, lambda v: (
        {"in"} <= set(v) <= {"in", "to"} and list(v["in"]) == [f"n{i}"] and
        0 <= v["in"][f"n{i}"] < i + 1 and v["in"][f"n{i}"] * 2 % 1 == 0 and
        len(v.get("to", "")) <= 3)


def either(i):
    schema = {"anyOf": [{"const": i}, {"type": "object", "maxProperties": 1,
                                       "minProperties": 1,
                                       "propertyNames": {"pattern": "^p.$"},
                                       "additionalProperties": {"const": i}}]}
    return schema, lambda v: v == i or (
        len(v) == 1 and all(len(k) == 2 and k[0] == "p" for k in v) and
        list(v.values()) == [i])


SCHEMAS = [kind(i) for i in range(10)
           for kind in (integer, items, text, nested, either)]


class Client(threading.Thread):
    def __init__(self, server, number, end):
        super().__init__()
        self.server, self.end, self.faults, self.count = server, end, [], 0
        self.random = random.Random(number)

    def ask(self, connection):
        schema, check = self.random.choice(SCHEMAS)
        body = {"messages": kit.USER, "stream": True, "max_tokens": 600,
                "seed": self.random.randrange(SEEDS), "guided_json": schema,
                "guided_whitespace_pattern": " ?",
                "stream_options": {"include_usage": True}}
        connection.request("POST", "/v1/chat/completions", json.dumps(body),
                           kit.JSON)
        answer = kit.Answer(connection.getresponse())
        found = kit.events(answer.text)
        content = kit.joined(found)
        self.count += 1
        if answer.status != 200 or found[-1] != "[DONE]":
            self.faults.append((answer.status, answer.text[-300:]))
        elif not check(json.loads(content)):
            self.faults.append((schema, content))
        elif not found[-2]["usage"]["completion_tokens"]:
            self.faults.append(found[-2])

    def run(self):
        connection = self.server.connect()
        try:
            while time.monotonic() < self.end:
                self.ask(connection)
        except Exception as error:  # a lost answer is a fault, too
            self.faults.append(repr(error))
        finally:
            connection.close()


class Load(unittest.TestCase):
    def test_streams(self):
        server = kit.Server("--parallel", "16", "--queue", "400", "--ctx",
                            "700")
        start = time.monotonic()
        clients = [Client(server, n, start + SECONDS) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(SECONDS / 10)
        first = server.memory()
        for client in clients:
            client.join()
        last = server.memory()
        faults = [fault for client in clients for fault in client.faults]
        count = sum(client.count for client in clients)
        self.assertEqual(faults[:3], [])
        self.assertTrue(all(client.count for client in clients))
        server.until("answers_total", lambda n: n == count)
        self.assertEqual(server.metric("answers_failed_total"), 0)
        self.assertEqual(server.metric("answers_cancelled_total"), 0)
        self.assertEqual(server.stop(), (0, ""))
        print(f"{count} answers, {first >> 10} KiB, then {last >> 10} KiB")
        # the quick form's first tenth has not met all schemas
        if not kit.is_sanitized():
            self.assertLess(last, first * (3 if kit.QUICK else 1.05))


if __name__ == "__main__":
    unittest.main()
