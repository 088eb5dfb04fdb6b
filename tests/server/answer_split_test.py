"""Streams say what whole answers say, however the text falls into steps: random
outputs of three families of models, with reasoning, text and calls, cut at
random, on every endpoint. Also the published cases of kind stream_join.
"""
import json
import os
import random
import unittest

import answer_kit as kit

QUICK = bool(os.environ.get("WEIR_QUICK"))
ROUNDS = 40 if QUICK else 400
USER = [{"role": "user", "content": "hi"}]
PARAMETERS = {"type": "object", "properties": {"a": {}, "b": {}}}
FUNCTION = {"type": "function", "function": {"name": "f",
                                             "parameters": PARAMETERS}}
TEXTS = ["", "a", "Grüße 😀", "x < y", "<tool", "{\"name\": ", "```json", "\n\n",
         "no </think", "日本語 text", "[TOOL", "\\u12", "\x85\u2028.\r\n"]
VALUES = [1, -2.5e3, "s", "é\"\\\n😀", "<tool_call>", None, True, [1, {"k": []}],
          {"name": "f"}, "\x85\u2029"]


def call(rng, family):
    arguments = {key: rng.choice(VALUES) for key in
                 rng.sample(["a", "b"], rng.randrange(3))}
    text = json.dumps(arguments, ensure_ascii=rng.random() < 0.5,
                      indent=rng.choice([None, 1]))
    if family == "mistral":
        return f"[TOOL_CALLS]f[ARGS]{text}"
    members = ['"name": "f"', f'"arguments": {text}']
    if rng.random() < 0.3:
        members.reverse()
    return "<tool_call>\n{" + ", ".join(members) + "}\n</tool_call>"


def output(rng, family):
    """A text that a model may write, and whether it begins in reasoning."""
    has_marks = family != "mistral"
    reasons = has_marks and rng.random() < 0.6
    text = ""
    if reasons:
        text = rng.choice(TEXTS[:6]) + "</think>\n\n"
    text += rng.choice(TEXTS) + rng.choice(TEXTS)
    for _ in range(rng.choice([0, 0, 1, 2])):
        text += ("\n" if has_marks else "") + call(rng, family)
    cut = rng.random() < 0.3
    if cut:
        text = text[:rng.randrange(len(text) + 1)]
    return text, reasons, kit.LENGTH if cut else kit.END


def cut(rng, text):
    at = sorted(rng.sample(range(1, len(text)), rng.randrange(len(text))))\
        if len(text) > 1 else []
    return [text[i:j] for i, j in zip([0] + at, at + [len(text)])]


# ---- what each endpoint says: reasoning, text, [(name, arguments)], reason

def chat_whole(body):
    message = body["choices"][0]["message"]
    calls = [(c["id"], c["function"]["name"], c["function"]["arguments"])
             for c in message.get("tool_calls", [])]
    return (message.get("reasoning_content", ""), message["content"] or "",
            calls, body["choices"][0]["finish_reason"])


def chat_joined(answer):
    reasoning, text, calls, reason = "", "", [], None
    for chunk in kit.chunks(answer):
        choice = chunk["choices"][0]
        assert reason is None, "something after the end"
        reason = choice["finish_reason"]
        delta = choice["delta"]
        reasoning += delta.get("reasoning_content", "")
        text += delta.get("content") or ""
        for part in delta.get("tool_calls", []):
            if "id" in part:
                assert part["index"] == len(calls)
                calls.append((part["id"], part["function"]["name"], ""))
            where = part["index"]
            known = calls[where]
            calls[where] = (*known[:2], known[2] +
                            part["function"]["arguments"])
    return reasoning, text, calls, reason


def responses_whole(body):
    output = [{k: v for k, v in item.items()} for item in body["output"]]
    return output, body["status"], body["usage"]


def responses_joined(answer):
    """The output as the deltas have it must be that of the last event."""
    built, last = [], None
    for _, text in kit.events(answer):
        data = kit.strict_json(text)
        kind = data["type"].removeprefix("response.")
        if kind == "output_item.added":
            assert data["output_index"] == len(built)
            built.append({"item": data["item"], "text": ""})
        elif kind.endswith(".delta"):
            built[data["output_index"]]["text"] += data["delta"]
        elif kind == "output_item.done":
            built[data["output_index"]]["item"] = data["item"]
        last = data.get("response", last)
    for entry in built:
        item = entry["item"]
        said = item.get("arguments")
        if item["type"] == "message":
            said = item["content"][0]["text"]
        elif item["type"] == "reasoning":
            said = item["summary"][0]["text"]
        assert said == entry["text"], (said, entry["text"])
    assert [e["item"] for e in built] == last["output"]
    return responses_whole(last)


def messages_whole(body):
    blocks = [{k: v for k, v in b.items() if k not in ("signature",
                                                       "citations")}
              for b in body["content"]]
    return blocks, body["stop_reason"], body["usage"]["output_tokens"]


def messages_joined(answer):
    blocks, reason, tokens = [], None, None
    for name, text in kit.events(answer):
        data = kit.strict_json(text)
        if name == "content_block_start":
            assert data["index"] == len(blocks)
            blocks.append(dict(data["content_block"], json=""))
        elif name == "content_block_delta":
            delta, block = data["delta"], blocks[data["index"]]
            block["json"] += delta.get("partial_json", "")
            for key in ("text", "thinking"):
                if key in delta:
                    block[key] += delta[key]
        elif name == "message_delta":
            reason = data["delta"]["stop_reason"]
            tokens = data["usage"]["output_tokens"]
    for block in blocks:
        text = block.pop("json")
        if block["type"] == "tool_use":
            try:
                block["input"] = json.loads(text)
            except ValueError:  # cut off
                block["input"] = {}
        block.pop("signature", None)
        block.pop("citations", None)
    return blocks, reason, tokens


def ollama_whole(body):
    message = body["message"]
    return (message.get("thinking", ""), message["content"],
            [c["function"] for c in message.get("tool_calls", [])],
            body["done_reason"], body["eval_count"])


def ollama_joined(answer):
    found = kit.lines(answer)
    assert [line["done"] for line in found] == \
        [False] * (len(found) - 1) + [True]
    said = [line["message"] for line in found]
    return ("".join(m.get("thinking", "") for m in said),
            "".join(m["content"] for m in said),
            [c["function"] for m in said for c in m.get("tool_calls", [])],
            found[-1]["done_reason"], found[-1]["eval_count"])


ENDPOINTS = [
    (kit.CHAT, {"messages": USER, "tools": [FUNCTION]}, chat_whole,
     chat_joined),
    (kit.RESPONSES, {"input": "hi", "tools": [
        {"type": "function", "name": "f", "parameters": PARAMETERS}]},
     responses_whole, responses_joined),
    (kit.MESSAGES, {"model": "m", "messages": USER, "max_tokens": 999,
                    "tools": [{"name": "f", "input_schema": PARAMETERS}]},
     messages_whole, messages_joined),
    (kit.OLLAMA_CHAT, {"model": "m", "messages": USER,
                       "tools": [FUNCTION]}, ollama_whole, ollama_joined)]


def text_whole(endpoint, body):
    if endpoint == kit.COMPLETIONS:
        return body["choices"][0]["text"]
    return body["content" if endpoint == kit.COMPLETION else "text"]


def text_joined(endpoint, answer):
    found = [kit.strict_json(data) for _, data in kit.events(answer)
             if data != "[DONE]"]
    if endpoint == kit.COMPLETIONS:
        return "".join(c["choices"][0]["text"] for c in found)
    if endpoint == kit.COMPLETION:
        return "".join(c["content"] for c in found)
    texts = [c["text"] for c in found]  # SGLang's: all of it, each time
    for before, after in zip(texts, texts[1:]):
        assert after.startswith(before)
    return texts[-1]


class Splits(unittest.TestCase):
    def setUp(self):
        self.driver = kit.Driver()

    def tearDown(self):
        self.assertEqual(self.driver.close(), 0)

    def answers(self, rng, endpoint, request, text, finish, others):
        """The whole answer to one step, and the stream of random pieces."""
        whole = self.driver.run(endpoint, {**request, "stream": False},
                                kit.steps(text, finish=finish), **others)
        pieces = cut(rng, text)
        stream = self.driver.run(
            endpoint, {**request, "stream": True},
            kit.steps(text, finish=finish, pieces=pieces), **others)
        self.assertTrue(whole["done"] and stream["done"])
        return kit.whole(whole), stream, pieces

    def test_messages(self):
        rng = random.Random(1)
        for round_number in range(ROUNDS):
            family = rng.choice(["qwen_3", "hermes", "mistral"])
            text, reasons, finish = output(rng, family)
            others = {"family": family, "reasoning":
                      kit.OPEN if reasons else kit.NONE}
            for endpoint, request, read, join in ENDPOINTS:
                body, stream, pieces = self.answers(
                    rng, endpoint, request, text, finish, others)
                told = read(body)
                joined = join(stream)
                if endpoint == kit.RESPONSES:  # reasoning is counted by steps
                    for part in (told, joined):
                        part[2].pop("output_tokens_details")
                self.assertEqual(joined, told, (round_number, text, pieces))

    def test_texts(self):
        rng = random.Random(2)
        for _ in range(ROUNDS):
            text, _, finish = output(rng, "qwen_3")
            for endpoint, field in [(kit.COMPLETIONS, "prompt"),
                                    (kit.COMPLETION, "prompt"),
                                    (kit.GENERATE, "text")]:
                body, stream, _ = self.answers(rng, endpoint, {field: "p"},
                                               text, finish, {})
                self.assertEqual(text_whole(endpoint, body), text)
                self.assertEqual(text_joined(endpoint, stream), text)

    def test_values(self):
        """JSON answers, in the dresses that models put them into."""
        rng = random.Random(3)
        request = {"messages": USER,
                   "response_format": {"type": "json_object"}}
        for _ in range(ROUNDS):
            value = json.dumps({"a": rng.choice(VALUES)}, ensure_ascii=False)
            text = rng.choice(["", " \n", "```json\n"]) + value
            text += rng.choice(["", "\n", "\n```", "\n``` and more"])
            body, stream, _ = self.answers(rng, kit.CHAT, request, text,
                                           kit.END, {})
            self.assertEqual(chat_whole(body)[1], value)
            self.assertEqual(chat_joined(stream)[1], value)

    def test_case_stream_utf8_split(self):
        """Tokens within characters: deltas are whole ones. The decoder holds
        the pieces back; what it hands on is sent as it comes."""
        tokens = [[0xF0, 0x9F], [0x98], [0x80], [0xE4, 0xB8], [0xAD]]
        texts = ["", "", "😀", "", "中"]
        acts = [["step", 0, {"text": text, "tokens": ids}]
                for ids, text in zip(tokens, texts)]
        acts[-1][2]["finish"] = kit.LENGTH
        stream = self.driver.run(
            kit.CHAT, {"messages": USER, "stream": True},
            acts + [["end", 0, {}]])
        deltas = [c["choices"][0]["delta"].get("content")
                  for c in kit.chunks(stream)]
        self.assertEqual([d for d in deltas if d], ["😀", "中"])

    def test_case_stream_args_none(self):
        """Arguments before the name: both come, in order."""
        text = '<tool_call>\n{"arguments": {"n1": 2, "n2": 2}, ' \
               '"name": "sum"}\n</tool_call>'
        tool = {"type": "function", "function": {"name": "sum"}}
        for at in range(len(text) + 1):
            pieces = [p for p in (text[:at], text[at:]) if p]
            stream = self.driver.run(
                kit.CHAT, {"messages": USER, "tools": [tool],
                           "stream": True},
                kit.steps(text, pieces=pieces), family="qwen_3")
            (call_id, name, arguments), = chat_joined(stream)[2]
            self.assertTrue(call_id.startswith("call_"))
            self.assertEqual((name, arguments),
                             ("sum", '{"n1": 2, "n2": 2}'))


if __name__ == "__main__":
    unittest.main()
