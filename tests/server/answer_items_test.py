"""The shapes of answers that are lists of items or lines: OpenAI's responses,
Anthropic's messages, Ollama's chats; by their documentation.
"""
import json
import unittest

import answer_kit as kit
from answer_kit import steps

USER = [{"role": "user", "content": "hi"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
ALL = "hm</think>\n\nWait.\n" + CALL
QWEN = {"family": "qwen_3", "reasoning": kit.OPEN}


class Items(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = kit.Driver()

    @classmethod
    def tearDownClass(cls):
        assert cls.driver.close() == 0

    def run_answer(self, endpoint, fields, acts, **others):
        answer = self.driver.run(endpoint, fields, acts, **others)
        self.assertNotIn("refused", answer)
        self.assertTrue(answer["done"])
        return answer


def without(value, *names):
    return {k: v for k, v in value.items() if k not in names}


class Responses(Items):
    TOOL = {"type": "function", "name": "f", "parameters": SCHEMA,
            "strict": False}

    def answer(self, acts, others=None, **fields):
        return self.run_answer(kit.RESPONSES, {"input": "hi", **fields}, acts,
                               **(others or {}))

    def test_whole(self):
        text = {"format": {"type": "json_schema", "name": "x",
                           "schema": SCHEMA}}
        stream = self.driver.run(
            kit.RESPONSES, '{\r\n "input": "hi",\n "stream": true, "tools":'
            ' [\n],\n "metadata": {\n "k": "\u2028" }}', steps("a"))
        for _, data in kit.events(stream):
            kit.strict_json(data)
        body = kit.whole(self.answer(
            steps('{"a": 1}'), text=text, instructions="be brief",
            temperature=0.5, metadata={"k": "v"}))
        self.assertRegex(body["id"], r"^resp_[0-9a-f]{24}$")
        self.assertRegex(body["output"][0].pop("id"), r"^msg_[0-9a-f]{24}$")
        self.assertEqual(without(body, "id", "weir"), {
            "object": "response", "created_at": 1700000000,
            "status": "completed", "background": False, "error": None,
            "incomplete_details": None, "model": "tiny",
            "output": [{
                "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": '{"a": 1}',
                             "annotations": [], "logprobs": []}]}],
            "instructions": "be brief", "max_output_tokens": None,
            "metadata": {"k": "v"}, "parallel_tool_calls": True,
            "previous_response_id": None,
            "reasoning": {"effort": None, "summary": None}, "store": False,
            "temperature": 0.5, "text": text, "tool_choice": "auto",
            "tools": [], "top_p": 1, "truncation": "disabled", "user": None,
            "usage": {"input_tokens": 10,
                      "input_tokens_details": {"cached_tokens": 4,
                                               "cache_write_tokens": 0},
                      "output_tokens": 9,
                      "output_tokens_details": {"reasoning_tokens": 0},
                      "total_tokens": 19}})
        self.assertTrue(body["weir"]["completed"])

    def stream(self, acts, others=None, **fields):
        found = kit.events(self.answer(acts, others, stream=True, **fields))
        data = [kit.strict_json(text) for _, text in found]
        self.assertEqual([name for name, _ in found],
                         [d["type"] for d in data])
        self.assertEqual([d["sequence_number"] for d in data],
                         list(range(len(data))))
        return data

    def test_stream_of_text(self):
        data = self.stream(steps("Hello", pieces=["He", "llo"]))
        self.assertEqual([d["type"] for d in data], [
            "response.created", "response.in_progress",
            "response.output_item.added", "response.content_part.added",
            "response.output_text.delta", "response.output_text.delta",
            "response.output_text.done", "response.content_part.done",
            "response.output_item.done", "response.completed"])
        item = data[2]["item"]
        self.assertEqual(without(item, "id"), {
            "type": "message", "status": "in_progress", "role": "assistant",
            "content": []})
        for event in data[3:8]:
            self.assertEqual((event["item_id"], event["output_index"],
                              event["content_index"]), (item["id"], 0, 0))
        part = {"type": "output_text", "text": "", "annotations": [],
                "logprobs": []}
        self.assertEqual(data[3]["part"], part)
        self.assertEqual([d["delta"] for d in data[4:6]], ["He", "llo"])
        self.assertEqual(data[6]["text"], "Hello")
        self.assertEqual(data[7]["part"], part | {"text": "Hello"})
        self.assertEqual(data[8]["item"]["status"], "completed")
        self.assertEqual(data[0]["response"]["status"], "in_progress")
        self.assertIsNone(data[0]["response"]["usage"])
        self.assertEqual(data[9]["response"]["output"], [data[8]["item"]])

    def test_stream_of_all(self):
        data = self.stream(steps(ALL, pieces=[ALL[:10], ALL[10:50],
                                              ALL[50:]]),
                           QWEN, tools=[self.TOOL])
        types = [d["type"].removeprefix("response.") for d in data]
        kinds = [t for i, t in enumerate(types) if t != types[i - 1]]
        self.assertEqual(kinds, [
            "created", "in_progress",
            "output_item.added", "reasoning_summary_part.added",
            "reasoning_summary_text.delta", "reasoning_summary_text.done",
            "reasoning_summary_part.done", "output_item.done",
            "output_item.added", "content_part.added", "output_text.delta",
            "output_text.done", "content_part.done", "output_item.done",
            "output_item.added", "function_call_arguments.delta",
            "function_call_arguments.done", "output_item.done", "completed"])
        items = [d["item"] for d in data
                 if d["type"] == "response.output_item.done"]
        self.assertEqual([i["type"] for i in items],
                         ["reasoning", "message", "function_call"])
        self.assertEqual(items[0]["summary"],
                         [{"type": "summary_text", "text": "hm"}])
        self.assertEqual(items[1]["content"][0]["text"], "Wait.")
        self.assertRegex(items[2]["id"], r"^fc_[0-9a-f]{24}$")
        self.assertRegex(items[2]["call_id"], r"^call_[0-9a-f]{24}$")
        self.assertEqual(without(items[2], "id", "call_id"), {
            "type": "function_call", "status": "completed", "name": "f",
            "arguments": '{"a": 1}'})
        self.assertEqual(data[-1]["response"]["output"], items)
        added = [d["item"] for d in data
                 if d["type"] == "response.output_item.added"]
        self.assertEqual(added[2], items[2] | {"status": "in_progress",
                                               "arguments": ""})
        whole = kit.whole(self.answer(steps(ALL), QWEN, tools=[self.TOOL]))
        self.assertEqual(whole["output"], items)

    def test_cut(self):
        data = self.stream(steps("ab", finish=kit.LENGTH))
        self.assertEqual(data[-1]["type"], "response.incomplete")
        response = data[-1]["response"]
        self.assertEqual((response["status"], response["incomplete_details"]),
                         ("incomplete", {"reason": "max_output_tokens"}))
        self.assertEqual(response["output"][0]["status"], "incomplete")

    def test_nothing_said(self):
        data = self.stream(steps(""))
        self.assertEqual(data[-1]["response"]["output"][0]["content"][0],
                         {"type": "output_text", "text": "",
                          "annotations": [], "logprobs": []})
        self.assertIn("response.output_text.done",
                      [d["type"] for d in data])
        body = kit.whole(self.answer(steps("")))
        self.assertEqual(len(body["output"]), 1)

    def test_failure(self):
        data = self.stream(steps("ab", finish=kit.STUCK))
        self.assertEqual(data[-1]["type"], "response.failed")
        self.assertEqual(data[-1]["response"]["status"], "failed")
        error = data[-1]["response"]["error"]
        self.assertEqual(error["code"], "server_error")
        self.assertIn("no token", error["message"])

    def test_logprobs(self):
        acts = [["step", 0, {"text": "a", "tokens": [97],
                             "logprobs": [[-1, -1, []]]}],
                ["step", 0, {"text": "b", "tokens": [98, 256],
                             "logprobs": [[-2, -2, []], [0, 0, []]],
                             "finish": kit.END}], ["end", 0, {}]]
        fields = {"top_logprobs": 1,
                  "include": ["message.output_text.logprobs"]}
        data = self.stream(acts, **fields)
        told = [[t["logprob"] for t in d["logprobs"]] for d in data
                if d["type"] == "response.output_text.delta"]
        self.assertEqual(told, [[-1], [-2]])
        part = data[-1]["response"]["output"][0]["content"][0]
        self.assertEqual([t["logprob"] for t in part["logprobs"]], [-1, -2])


class Messages(Items):
    TOOL = {"name": "f", "input_schema": SCHEMA}

    def answer(self, acts, others=None, **fields):
        request = {"model": "m", "messages": USER, "max_tokens": 99, **fields}
        return self.run_answer(kit.MESSAGES, request, acts, **(others or {}))

    def test_whole(self):
        body = kit.whole(self.answer(steps("Hi")))
        self.assertRegex(body.pop("id"), r"^msg_[0-9a-f]{24}$")
        self.assertEqual(body, {
            "type": "message", "role": "assistant", "model": "tiny",
            "content": [{"type": "text", "text": "Hi", "citations": None}],
            "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 6, "cache_creation_input_tokens": 0,
                      "cache_read_input_tokens": 4, "output_tokens": 3}})

    def test_reasons(self):
        body = kit.whole(self.answer(steps("Hi", finish=kit.LENGTH)))
        self.assertEqual(body["stop_reason"], "max_tokens")
        body = kit.whole(self.answer(steps("Hi", finish=kit.TEXT, stop=0),
                                     stop_sequences=["##"]))
        self.assertEqual((body["stop_reason"], body["stop_sequence"]),
                         ("stop_sequence", "##"))

    def test_blocks(self):
        body = kit.whole(self.answer(steps(ALL), QWEN, tools=[self.TOOL]))
        thinking, text, use = body["content"]
        self.assertEqual(thinking, {"type": "thinking", "thinking": "hm",
                                    "signature": ""})
        self.assertEqual(text["text"], "Wait.")
        self.assertRegex(use.pop("id"), r"^call_[0-9a-f]{24}$")
        self.assertEqual(use, {"type": "tool_use", "name": "f",
                               "input": {"a": 1}})
        self.assertEqual(body["stop_reason"], "tool_use")

    def test_stream(self):
        found = kit.events(self.answer(
            steps(ALL, pieces=[ALL[:10], ALL[10:50], ALL[50:]]), QWEN,
            tools=[self.TOOL], stream=True))
        data = [kit.strict_json(text) for _, text in found]
        self.assertEqual([name for name, _ in found],
                         [d["type"] for d in data])
        start = data[0]["message"]
        self.assertEqual((start["content"], start["stop_reason"]), ([], None))
        self.assertEqual(start["usage"]["output_tokens"], 0)
        types = [d["type"] for d in data]
        kinds = [t for i, t in enumerate(types) if t != types[i - 1]]
        block = ["content_block_start", "content_block_delta",
                 "content_block_stop"]
        self.assertEqual(kinds, ["message_start", *block, *block, *block,
                                 "message_delta", "message_stop"])
        starts = [d["content_block"] for d in data
                  if d["type"] == "content_block_start"]
        self.assertEqual([s["type"] for s in starts],
                         ["thinking", "text", "tool_use"])
        self.assertEqual((starts[2]["name"], starts[2]["input"]), ("f", {}))
        deltas = [d["delta"] for d in data
                  if d["type"] == "content_block_delta"]
        self.assertEqual("".join(d.get("partial_json", "") for d in deltas),
                         '{"a": 1}')
        self.assertEqual({d["type"] for d in deltas},
                         {"thinking_delta", "text_delta", "input_json_delta"})
        self.assertEqual([d["index"] for d in data
                          if d["type"] == "content_block_stop"], [0, 1, 2])
        self.assertEqual(data[-2]["delta"], {"stop_reason": "tool_use",
                                             "stop_sequence": None})
        self.assertEqual(data[-2]["usage"]["output_tokens"],
                         len(ALL.encode()) + 1)

    def test_input_that_is_cut(self):
        body = kit.whole(self.answer(steps(CALL[:-20], finish=kit.LENGTH),
                                     {"family": "qwen_3"}, tools=[self.TOOL]))
        self.assertEqual((body["content"][0]["input"], body["stop_reason"]),
                         ({}, "max_tokens"))

    def test_failure(self):
        found = kit.events(self.answer(steps("a", finish=kit.STUCK),
                                       stream=True))
        self.assertEqual(found[-1][0], "error")
        self.assertEqual(kit.strict_json(found[-1][1])["type"], "error")


class Ollama(Items):
    TOOL = {"type": "function", "function": {"name": "f",
                                             "parameters": SCHEMA}}

    def chat(self, acts, others=None, **fields):
        request = {"model": "m", "messages": USER, **fields}
        return self.run_answer(kit.OLLAMA_CHAT, request, acts,
                               **(others or {}))

    def test_stream(self):
        answer = self.chat(steps("Hello", pieces=["He", "llo"]))
        self.assertEqual(answer["type"], "application/x-ndjson")
        found = kit.lines(answer)
        self.assertEqual(found[0], {
            "model": "tiny", "created_at": "2023-11-14T22:13:20.123456789Z",
            "message": {"role": "assistant", "content": "He"}, "done": False})
        self.assertEqual(found[-1], {
            "model": "tiny", "created_at": "2023-11-14T22:13:20.123456789Z",
            "message": {"role": "assistant", "content": ""}, "done": True,
            "done_reason": "stop", "total_duration": 6000000,
            "load_duration": 0, "prompt_eval_count": 10,
            "prompt_eval_duration": 2000000, "eval_count": 6,
            "eval_duration": 4000000})

    def test_whole(self):
        body = kit.whole(self.chat(steps(ALL), QWEN, tools=[self.TOOL],
                                   stream=False))
        message = body["message"]
        self.assertEqual((message["thinking"], message["content"]),
                         ("hm", "Wait."))
        self.assertEqual([without(c, "id") for c in message["tool_calls"]],
                         [{"function": {"index": 0, "name": "f",
                                        "arguments": {"a": 1}}}])
        self.assertEqual((body["done"], body["done_reason"]), (True, "stop"))

    def test_calls_of_a_stream(self):
        text = ALL + "\n" + CALL
        found = kit.lines(self.chat(steps(text, pieces=list(text)), QWEN,
                                    tools=[self.TOOL]))
        messages = [line["message"] for line in found]
        self.assertEqual("".join(m.get("thinking", "") for m in messages),
                         "hm")
        self.assertEqual("".join(m["content"] for m in messages), "Wait.")
        calls = [c["function"] for m in messages
                 for c in m.get("tool_calls", [])]
        self.assertEqual(calls, [
            {"index": 0, "name": "f", "arguments": {"a": 1}},
            {"index": 1, "name": "f", "arguments": {"a": 1}}])

    def test_call_that_is_cut(self):
        body = kit.whole(self.chat(steps(CALL[:-20], finish=kit.LENGTH),
                                   {"family": "qwen_3"}, tools=[self.TOOL],
                                   stream=False))
        self.assertNotIn("tool_calls", body["message"])
        self.assertEqual(body["done_reason"], "length")

    def test_generate(self):
        request = {"model": "m", "prompt": "p", "format": "json"}
        found = kit.lines(self.run_answer(
            kit.OLLAMA_GENERATE, request,
            steps('{"a": 1} ', pieces=['{"a"', ": 1} "])))
        self.assertEqual([line["response"] for line in found],
                         ['{"a"', ": 1}", ""])
        self.assertNotIn("message", found[0])
        self.assertEqual(found[-1]["weir"]["constraint"], "json_object")
        body = kit.whole(self.run_answer(
            kit.OLLAMA_GENERATE, {**request, "stream": False},
            steps('{"a": 1}')))
        self.assertEqual(json.loads(body["response"]), {"a": 1})

    def test_failure(self):
        found = kit.lines(self.chat(steps("a", finish=kit.STUCK)))
        self.assertEqual(list(found[-1]), ["error"])


if __name__ == "__main__":
    unittest.main()
