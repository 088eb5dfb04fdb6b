"""The shapes of answers, by the systems' documentation and request-api facts:
OpenAI's chats and completions, llama-server's /completion, SGLang's /generate.
"""
import math
import unittest

import answer_kit as kit
from answer_kit import steps

FUNCTION = {"type": "function", "function": {
    "name": "f", "parameters": {"type": "object"}}}
MESSAGES = [{"role": "user", "content": "hi"}]
CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


class Shapes(unittest.TestCase):
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


class Chat(Shapes):
    def chat(self, acts, others=None, **fields):
        request = {"messages": MESSAGES, "max_tokens": 64, **fields}
        return self.run_answer(kit.CHAT, request, acts, **(others or {}))

    def test_whole(self):
        body = kit.whole(self.chat(steps("Hi é")))
        self.assertRegex(body.pop("id"), r"^chatcmpl-[0-9a-f]{24}$")
        self.assertRegex(body.pop("system_fingerprint"), r"^weir-\d+\.")
        self.assertEqual(body, {
            "object": "chat.completion", "created": 1700000000,
            "model": "tiny",
            "choices": [{
                "index": 0, "logprobs": None, "finish_reason": "stop",
                "message": {"role": "assistant", "content": "Hi é",
                            "refusal": None}}],
            "usage": {
                "prompt_tokens": 10, "completion_tokens": 6,
                "total_tokens": 16,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 0}}})

    def test_stream(self):
        answer = self.chat(steps("Hello", pieces=["He", "llo"]), stream=True)
        self.assertEqual(answer["type"], "text/event-stream")
        found = kit.chunks(answer)
        self.assertEqual(len({c["id"] for c in found}), 1)
        for chunk in found:
            self.assertEqual(chunk["object"], "chat.completion.chunk")
            self.assertEqual(chunk["created"], 1700000000)
            self.assertNotIn("usage", chunk)
        self.assertEqual(
            [(c["choices"][0]["delta"], c["choices"][0]["finish_reason"])
             for c in found],
            [({"role": "assistant", "content": ""}, None),
             ({"content": "He"}, None), ({"content": "llo"}, None),
             ({}, "stop")])

    def test_usage_of_a_stream(self):
        found = kit.chunks(self.chat(steps("ab"), stream=True,
                                     stream_options={"include_usage": True}))
        self.assertEqual([c["usage"] for c in found[:-1]],
                         [None] * (len(found) - 1))
        self.assertEqual(found[-1]["choices"], [])
        self.assertEqual(found[-1]["usage"]["completion_tokens"], 3)
        self.assertEqual(found[-1]["usage"]["total_tokens"], 13)

    def test_continuous_usage(self):
        found = kit.chunks(self.chat(
            steps("abc", pieces=["a", "bc"]), stream=True,
            stream_options={"continuous_usage_stats": True}))
        self.assertEqual([c["usage"]["completion_tokens"] for c in found],
                         [0, 1, 4, 4])

    def test_stream_options_without_stream(self):
        fields = {"messages": MESSAGES,
                  "stream_options": {"include_usage": True}}
        for profile, refused in [(kit.DEFAULT, True), (kit.VLLM, True),
                                 (kit.LLAMA, False), (kit.OLLAMA, False)]:
            answer = self.driver.run(kit.CHAT, fields, steps("a"),
                                     profile=profile)
            self.assertEqual("refused" in answer, refused, profile)
        refused = self.driver.run(kit.CHAT, fields, [])["refused"]
        self.assertEqual((refused["http"], refused["param"]),
                         (400, "stream_options"))

    def test_wrong_kinds(self):
        for field, value in [("stream", 1), ("stream", "true"),
                             ("weir", {"tokens": 1})]:
            answer = self.driver.run(
                kit.CHAT, {"messages": MESSAGES, field: value}, [])
            self.assertEqual(answer["refused"]["http"], 400)
            self.assertIn(field, answer["refused"]["param"])
        answer = self.driver.run(
            kit.CHAT, {"messages": MESSAGES, "stream": 1}, steps("a"),
            profile=kit.OLLAMA)
        self.assertFalse(answer["stream"])

    def test_choices(self):
        acts = steps("aa", choice=1, pieces=["a", "a"])
        acts[1:1] = steps("bb", choice=0, finish=kit.LENGTH)
        body = kit.whole(self.chat(acts, n=2))
        self.assertEqual(
            [(c["index"], c["message"]["content"], c["finish_reason"])
             for c in body["choices"]],
            [(0, "bb", "length"), (1, "aa", "stop")])
        self.assertEqual(body["usage"]["completion_tokens"], 5)
        found = kit.chunks(self.chat(acts, n=2, stream=True))
        self.assertEqual(
            [(c["choices"][0]["index"],
              c["choices"][0]["delta"].get("content"),
              c["choices"][0]["finish_reason"]) for c in found],
            [(0, "", None), (1, "", None), (1, "a", None), (0, "bb", None),
             (0, None, "length"), (1, "a", None), (1, None, "stop")])

    def test_calls(self):
        answer = self.chat(
            steps("Let me.\n" + CALL), {"family": "qwen_3"}, tools=[FUNCTION])
        choice = kit.whole(answer)["choices"][0]
        call = choice["message"]["tool_calls"][0]
        self.assertRegex(call.pop("id"), r"^call_[0-9a-f]{24}$")
        self.assertEqual(call, {"type": "function", "function": {
            "name": "f", "arguments": '{"a": 1}'}})
        self.assertEqual(choice["message"]["content"], "Let me.")
        self.assertEqual(choice["finish_reason"], "tool_calls")

    def test_calls_alone_have_no_content(self):
        answer = self.chat(steps(CALL + "\n" + CALL), {"family": "qwen_3"},
                           tools=[FUNCTION])
        message = kit.whole(answer)["choices"][0]["message"]
        self.assertIsNone(message["content"])
        ids = [call["id"] for call in message["tool_calls"]]
        self.assertEqual(len(set(ids)), 2)

    def test_calls_of_a_stream(self):
        answer = self.chat(steps(CALL, pieces=[CALL[:40], CALL[40:]]),
                           {"family": "qwen_3"}, tools=[FUNCTION],
                           stream=True)
        found = [c["choices"][0] for c in kit.chunks(answer)]
        deltas = [c["delta"]["tool_calls"][0] for c in found
                  if "tool_calls" in c["delta"]]
        first = deltas[0]
        self.assertRegex(first.pop("id"), r"^call_[0-9a-f]{24}$")
        self.assertEqual(first, {"index": 0, "type": "function", "function": {
            "name": "f", "arguments": ""}})
        for delta in deltas[1:]:
            self.assertEqual(set(delta), {"index", "function"})
            self.assertEqual(set(delta["function"]), {"arguments"})
        self.assertEqual("".join(d["function"]["arguments"] for d in deltas),
                         '{"a": 1}')
        self.assertEqual(found[-1]["finish_reason"], "tool_calls")

    def test_a_call_that_is_cut(self):
        answer = self.chat(steps(CALL[:-20], finish=kit.LENGTH),
                           {"family": "qwen_3"}, tools=[FUNCTION])
        choice = kit.whole(answer)["choices"][0]
        self.assertEqual(choice["finish_reason"], "length")
        self.assertEqual(
            choice["message"]["tool_calls"][0]["function"]["arguments"],
            '{"')

    def test_reasoning(self):
        text = "thinking</think>\n\nHi"
        for profile, key in [(kit.DEFAULT, "reasoning_content"),
                             (kit.VLLM, "reasoning_content"),
                             (kit.OLLAMA, "reasoning")]:
            others = {"family": "qwen_3", "reasoning": kit.OPEN,
                      "profile": profile}
            body = kit.whole(self.chat(
                steps(text, pieces=["thinking", "</think>\n\n", "Hi"]),
                others))
            message = body["choices"][0]["message"]
            self.assertEqual((message[key], message["content"]),
                             ("thinking", "Hi"))
            counts = body["usage"]["completion_tokens_details"]
            self.assertEqual(counts["reasoning_tokens"], 8 + 10)
            found = kit.chunks(self.chat(steps(text), others, stream=True))
            self.assertEqual([c["choices"][0]["delta"] for c in found][1:],
                             [{key: "thinking"}, {"content": "Hi"}, {}])

    def test_content_is_the_value(self):
        """Of an output that is held to JSON."""
        fields = {"response_format": {"type": "json_object"}}
        fenced = '```json\n{"a": "`"}\n```'
        body = kit.whole(self.chat(steps(fenced), **fields))
        self.assertEqual(body["choices"][0]["message"]["content"],
                         '{"a": "`"}')
        self.assertEqual(body["choices"][0]["weir"], {
            "constraint": "json_object", "from": "/response_format",
            "completed": True, "forced": 0, "mask_ms": 0})
        found = kit.chunks(self.chat(
            steps(fenced, pieces=list(fenced)), stream=True, **fields))
        self.assertEqual("".join(c["choices"][0]["delta"].get("content", "")
                                 for c in found), '{"a": "`"}')
        # without a value the output as it is; a stream says nothing
        body = kit.whole(self.chat(steps("```js", finish=kit.LENGTH),
                                   **fields))
        self.assertEqual(body["choices"][0]["message"]["content"], "```js")
        self.assertFalse(body["choices"][0]["weir"]["completed"])
        found = kit.chunks(self.chat(steps("```js", finish=kit.LENGTH),
                                     stream=True, **fields))
        self.assertEqual([c["choices"][0]["delta"] for c in found],
                         [{"role": "assistant", "content": ""}, {}])

    def test_stop_reason(self):
        answer = self.chat(steps("a", finish=kit.TEXT, stop=1),
                           {"profile": kit.VLLM}, stop=["x", "END"])
        choice = kit.whole(answer)["choices"][0]
        self.assertEqual((choice["finish_reason"], choice["stop_reason"]),
                         ("stop", "END"))

    def test_list_of_calls(self):
        """vLLM's required: the text is a list of calls."""
        text = '[{"name": "f", "parameters": {"a": [1]}}, ' \
               '{"name": "f", "parameters": {}}]'
        others = {"profile": kit.VLLM}
        fields = {"tools": [FUNCTION], "tool_choice": "required"}
        message = kit.whole(self.chat(steps(text), others, **fields))
        message = message["choices"][0]["message"]
        self.assertIsNone(message["content"])
        self.assertEqual(
            [(c["function"]["name"], c["function"]["arguments"])
             for c in message["tool_calls"]], [("f", '{"a": [1]}'),
                                               ("f", "{}")])

    def test_arguments_alone(self):
        """vLLM's named tool: the text is its arguments."""
        fields = {"tools": [FUNCTION], "tool_choice": {
            "type": "function", "function": {"name": "f"}}}
        answer = self.chat(steps('{"a": 1}', pieces=['{"a', '": 1}']),
                           {"profile": kit.VLLM}, **fields)
        choice = kit.whole(answer)["choices"][0]
        self.assertEqual(
            [(c["function"]["name"], c["function"]["arguments"])
             for c in choice["message"]["tool_calls"]], [("f", '{"a": 1}')])
        self.assertEqual(choice["finish_reason"], "tool_calls")

    def test_failures(self):
        for finish in (kit.STUCK, kit.ERROR):
            acts = steps("a", finish=finish)
            answer = self.chat(acts)
            self.assertEqual(answer["status"], 500)
            body = kit.whole(answer)
            self.assertEqual(body["error"]["type"], "server_error")
            answer = self.chat(acts, stream=True)
            self.assertEqual(answer["status"], 200)
            found = kit.chunks(answer)
            self.assertEqual(found[-1]["error"]["code"], "generation_failed")
        acts = [["fail", {"http": 503, "message": "no more"}],
                ["step", 0, {"text": "x", "tokens": [1]}]]
        answer = self.chat(acts, stream=True)
        self.assertEqual(kit.chunks(answer)[-1]["error"]["message"],
                         "no more")

    def test_bytes_that_are_no_utf8(self):
        acts = [["step", 0, {"hex": "61ff62", "tokens": [97, 255, 98],
                             "finish": kit.LENGTH}], ["end", 0, {}]]
        body = kit.whole(self.chat(acts))
        self.assertEqual(body["choices"][0]["message"]["content"], "a\ufffdb")

    def test_report_of_tokens(self):
        acts = [["step", 0, {"text": "", "tokens": [0xC3],
                             "allowed": [200]}],
                ["step", 0, {"text": "é!", "tokens": [0xA9, 33, 256],
                             "allowed": [3, 1, 1], "forced": 2,
                             "finish": kit.END}], ["end", 0, {}]]
        answer = self.chat(acts, stream=True, weir={"tokens": True})
        self.assertTrue(answer["allowed"])
        found = [c["choices"][0] for c in kit.chunks(answer)]
        told = [t for c in found for t in c.get("weir", {}).get("tokens", [])]
        self.assertEqual(
            [(t["id"], t["forced"], t["allowed"]) for t in told],
            [(0xC3, False, 200), (0xA9, False, 3), (33, True, 1),
             (256, True, 1)])
        self.assertEqual(found[1]["delta"], {})
        self.assertEqual(found[-1]["weir"]["vocabulary"], 257)
        body = kit.whole(self.chat(acts, weir={"tokens": True}))
        self.assertEqual(len(body["choices"][0]["weir"]["tokens"]), 4)

    def test_grammar_is_told(self):
        answer = self.chat(steps("yes"), guided_regex="yes|no",
                           weir={"grammar": True})
        told = kit.whole(answer)["choices"][0]["weir"]
        self.assertEqual((told["constraint"], told["grammar"], told["from"]),
                         ("regex", "yes|no", "/guided_regex"))


class Logprobs(Shapes):
    ACTS = [["step", 0, {"text": "", "tokens": [0xC3], "logprobs": [
        [-1.5, -0.5, [[0xC3, -0.5], [97, "none"]]]]}],
        ["step", 0, {"text": "é", "tokens": [0xA9, 256], "logprobs": [
            [-2.5, -0.25, []], [0, 0, []]], "finish": kit.END}],
        ["end", 0, {}]]

    def test_chat(self):
        fields = {"messages": MESSAGES, "logprobs": True, "top_logprobs": 2}
        expected = [
            {"token": "\ufffd", "logprob": -0.5, "bytes": [0xC3],
             "top_logprobs": [
                 {"token": "\ufffd", "logprob": -0.5, "bytes": [0xC3]},
                 {"token": "a", "logprob": -9999, "bytes": [97]}]},
            {"token": "\ufffd", "logprob": -0.25, "bytes": [0xA9],
             "top_logprobs": []}]
        body = kit.whole(self.run_answer(kit.CHAT, fields, self.ACTS))
        self.assertEqual(body["choices"][0]["logprobs"],
                         {"content": expected, "refusal": None})
        found = kit.chunks(self.run_answer(
            kit.CHAT, {**fields, "stream": True}, self.ACTS))
        told = [c["choices"][0]["logprobs"] for c in found]
        self.assertEqual([x for t in told if t for x in t["content"]],
                         expected)

    def test_unmasked(self):
        """vLLM's are those before the mask."""
        fields = {"messages": MESSAGES, "logprobs": True}
        body = kit.whole(self.run_answer(kit.CHAT, fields, self.ACTS,
                                         profile=kit.VLLM))
        self.assertEqual([t["logprob"] for t in
                          body["choices"][0]["logprobs"]["content"]],
                         [-1.5, -2.5])

    def test_completions(self):
        acts = [["step", 0, {"text": "a", "tokens": [97], "logprobs": [
            [-1, -1, [[97, -1], [0xC3, -2]]]]}],
            ["step", 0, {"text": "é", "tokens": [0xC3, 0xA9], "logprobs": [
                [-1, -2, [[98, -0.5]]], [-1, -3, []]],
                "finish": kit.LENGTH}], ["end", 0, {}]]
        fields = {"prompt": "né", "logprobs": 2, "echo": True}
        body = kit.whole(self.run_answer(kit.COMPLETIONS, fields, acts,
                                         prompts=["né"]))
        self.assertEqual(body["choices"][0], {
            "index": 0, "text": "néaé", "finish_reason": "length",
            "logprobs": {
                "tokens": ["a", "bytes:\\xc3", "bytes:\\xa9"],
                "token_logprobs": [-1, -2, -3],
                "top_logprobs": [{"a": -1, "bytes:\\xc3": -2}, {"b": -0.5},
                                 {}],
                "text_offset": [2, 3, 4]}})

    def test_llama(self):
        fields = {"prompt": "x", "n_probs": 2}
        body = kit.whole(self.run_answer(kit.COMPLETION, fields, self.ACTS))
        self.assertEqual(body["completion_probabilities"][0], {
            "id": 0xC3, "token": "\ufffd", "bytes": [0xC3], "logprob": -0.5,
            "top_logprobs": [
                {"id": 0xC3, "token": "\ufffd", "bytes": [0xC3],
                 "logprob": -0.5},
                {"id": 97, "token": "a", "bytes": [97], "logprob": -9999}]})

    def test_chances(self):
        fields = {"prompt": "x", "n_probs": 1, "post_sampling_probs": True}
        acts = [["step", 0, {"text": "a", "tokens": [97], "candidates": [
            [98, 0.75], [97, 0.25]], "finish": kit.LENGTH}], ["end", 0, {}]]
        answer = self.run_answer(kit.COMPLETION, fields, acts)
        self.assertEqual(answer["candidates"], 1)
        told = kit.whole(answer)["completion_probabilities"]
        self.assertEqual(told, [{
            "id": 97, "token": "a", "bytes": [97], "prob": 0.25,
            "top_probs": [{"id": 98, "token": "b", "bytes": [98],
                           "prob": 0.75}]}])

    def test_sglang(self):
        fields = {"text": "x", "return_logprob": True, "top_logprobs_num": 2}
        body = kit.whole(self.run_answer(kit.GENERATE, fields, self.ACTS))
        info = body["meta_info"]
        self.assertEqual(info["output_token_logprobs"],
                         [[-0.5, 0xC3, None], [-0.25, 0xA9, None]])
        self.assertEqual(info["output_top_logprobs"],
                         [[[-0.5, 0xC3, None], [-9999, 97, None]], []])
        self.assertTrue(math.isfinite(info["e2e_latency"]))

    def test_ollama(self):
        fields = {"model": "m", "messages": MESSAGES, "logprobs": True,
                  "top_logprobs": 2}
        found = kit.lines(self.run_answer(kit.OLLAMA_CHAT, fields, self.ACTS))
        told = [t for line in found for t in line.get("logprobs", [])]
        self.assertEqual([t["logprob"] for t in told], [-0.5, -0.25])


class Completions(Shapes):
    def test_whole(self):
        body = kit.whole(self.run_answer(
            kit.COMPLETIONS, {"prompt": "p"}, steps("ab")))
        self.assertRegex(body["id"], r"^cmpl-[0-9a-f]{24}$")
        self.assertEqual(body["object"], "text_completion")
        self.assertEqual(body["choices"], [{
            "index": 0, "text": "ab", "logprobs": None,
            "finish_reason": "stop"}])
        self.assertEqual(body["usage"]["total_tokens"], 13)

    def test_stream(self):
        found = kit.chunks(self.run_answer(
            kit.COMPLETIONS, {"prompt": "p", "stream": True, "echo": True,
                              "stream_options": {"include_usage": True}},
            steps("ab", pieces=["a", "b"]), prompts=["p"]))
        self.assertEqual(
            [(c["text"], c["finish_reason"]) for chunk in found
             for c in chunk["choices"]],
            [("p", None), ("a", None), ("b", None), ("", "stop")])
        self.assertEqual(found[-1]["choices"], [])
        self.assertEqual({c["object"] for c in found}, {"text_completion"})

    def test_prompts(self):
        acts = [act for i in range(4) for act in steps(str(i), choice=i)]
        answer = self.run_answer(
            kit.COMPLETIONS, {"prompt": ["p", "q"], "n": 2, "echo": True},
            acts, prompts=["p", "q"])
        self.assertEqual(answer["choices"], 4)
        self.assertEqual([(c["index"], c["text"])
                          for c in kit.whole(answer)["choices"]],
                         [(0, "p0"), (1, "p1"), (2, "q2"), (3, "q3")])


class LlamaServer(Shapes):
    FIELDS = {"prompt": "p", "grammar": 'root ::= "ab"', "temperature": 0.5,
              "stop": ["\n"], "n_predict": 9}

    def test_whole(self):
        body = kit.whole(self.run_answer(
            kit.COMPLETION, self.FIELDS, steps("ab"), prompts=["p"],
            profile=kit.LLAMA))
        self.assertEqual((body["content"], body["stop"], body["stop_type"],
                          body["stopping_word"], body["index"]),
                         ("ab", True, "eos", "", 0))
        self.assertEqual((body["tokens_predicted"], body["tokens_evaluated"],
                          body["tokens_cached"]), (3, 10, 13))
        self.assertEqual((body["prompt"], body["tokens"], body["truncated"]),
                         ("p", [], False))
        settings = body["generation_settings"]
        self.assertEqual(settings["grammar"], 'root ::= "ab"')
        self.assertEqual((settings["temperature"], settings["stop"],
                          settings["n_predict"], settings["seed"]),
                         (0.5, ["\n"], 9, 42))
        self.assertEqual(settings["samplers"],
                         ["penalties", "dry", "top_n_sigma", "top_k", "typ_p",
                          "top_p", "min_p", "xtc", "temperature"])
        timings = body["timings"]
        self.assertEqual((timings["prompt_n"], timings["prompt_ms"],
                          timings["cache_n"]), (6, 2, 4))
        self.assertEqual((timings["predicted_n"], timings["predicted_ms"],
                          timings["predicted_per_second"]), (3, 4, 750))
        self.assertNotIn("completion_probabilities", body)

    def test_stream(self):
        found = kit.events(self.run_answer(
            kit.COMPLETION, {**self.FIELDS, "stream": True},
            steps("ab", pieces=["a", "b"], finish=kit.LENGTH)))
        found = [kit.strict_json(data) for _, data in found]
        self.assertEqual([(c["content"], c["tokens"], c["stop"])
                          for c in found],
                         [("a", [97], False), ("b", [98], False),
                          ("", [], True)])
        self.assertEqual(found[-1]["stop_type"], "limit")
        self.assertIn("timings", found[-1])

    def test_stop_text(self):
        body = kit.whole(self.run_answer(
            kit.COMPLETION, {"prompt": "p", "stop": ["##"]},
            steps("ab", finish=kit.TEXT, stop=0)))
        self.assertEqual((body["stop_type"], body["stopping_word"]),
                         ("word", "##"))

    def test_chat_has_timings(self):
        fields = {"messages": MESSAGES}
        body = kit.whole(self.run_answer(kit.CHAT, fields, steps("a"),
                                         profile=kit.LLAMA))
        self.assertEqual(body["timings"]["predicted_n"], 2)
        found = kit.chunks(self.run_answer(
            kit.CHAT, {**fields, "stream": True}, steps("a"),
            profile=kit.LLAMA))
        self.assertIsNone(found[0]["choices"][0]["delta"]["content"])
        self.assertIn("timings", found[-1])

    def test_return_tokens(self):
        body = kit.whole(self.run_answer(
            kit.COMPLETION, {"prompt": "p", "return_tokens": True},
            steps("a")))
        self.assertEqual(body["tokens"], [97, 256])


class SGLang(Shapes):
    def test_whole(self):
        body = kit.whole(self.run_answer(kit.GENERATE, {"text": "p"},
                                         steps("ab")))
        self.assertEqual(body["text"], "ab")
        self.assertEqual(body["output_ids"], [97, 98, 256])
        info = body["meta_info"]
        self.assertEqual(info["finish_reason"],
                         {"type": "stop", "matched": 256})
        self.assertEqual((info["prompt_tokens"], info["completion_tokens"],
                          info["cached_tokens"], info["e2e_latency"]),
                         (10, 3, 4, 0.006))

    def test_reasons(self):
        body = kit.whole(self.run_answer(
            kit.GENERATE, {"text": "p", "sampling_params": {"stop": "x"}},
            steps("ab", finish=kit.TEXT, stop=0)))
        self.assertEqual(body["meta_info"]["finish_reason"],
                         {"type": "stop", "matched": "x"})
        body = kit.whole(self.run_answer(kit.GENERATE, {"text": "p"},
                                         steps("ab", finish=kit.LENGTH)))
        self.assertEqual(body["meta_info"]["finish_reason"],
                         {"type": "length", "length": 2})

    def test_stream_has_all_text_so_far(self):
        found = kit.chunks(self.run_answer(
            kit.GENERATE, {"text": "p", "stream": True},
            steps("abc", pieces=["a", "b", "c"])))
        self.assertEqual([c["text"] for c in found], ["a", "ab", "abc", "abc"])
        self.assertEqual([c["meta_info"]["finish_reason"] is None
                          for c in found], [True, True, True, False])

    def test_choices(self):
        fields = {"text": "p", "sampling_params": {"n": 2}}
        acts = steps("a", choice=1) + steps("b", choice=0)
        body = kit.whole(self.run_answer(kit.GENERATE, fields, acts))
        self.assertEqual([c["text"] for c in body], ["b", "a"])
        found = kit.chunks(self.run_answer(
            kit.GENERATE, {**fields, "stream": True}, acts))
        self.assertEqual([(c["index"], c["text"]) for c in found],
                         [(1, "a"), (1, "a"), (0, "b"), (0, "b")])

    def test_failure(self):
        answer = self.run_answer(
            kit.GENERATE, {"text": "p", "stream": True},
            steps("a", finish=kit.STUCK))
        self.assertEqual(kit.chunks(answer)[-1]["error"]["code"], 500)


if __name__ == "__main__":
    unittest.main()
