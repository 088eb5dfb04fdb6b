"""Answers against the types of the official clients: each body and each event
has all that OpenAI's, Anthropic's and Ollama's Python packages declare, of the
kinds that they declare. Nothing is sent.
"""
import functools
import unittest

import client_kit

client_kit.enter()

import anthropic.types  # noqa: E402
import ollama  # noqa: E402
import openai.types.chat  # noqa: E402
import openai.types.responses  # noqa: E402
import pydantic  # noqa: E402

import answer_kit as kit  # noqa: E402

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
TEXT = "hm</think>\n\nWait.\n" + CALL
USER = [{"role": "user", "content": "hi"}]
FUNCTION = {"type": "function", "function": {"name": "f"}}
QWEN = {"family": "qwen_3", "reasoning": kit.OPEN}
NOTED = [["step", 0, {"text": "é", "tokens": [0xC3, 0xA9], "finish": kit.LENGTH,
                      "logprobs": [[-1, -1, [[97, -2]]], [-1, -1, []]]}],
         ["end", 0, {}]]


@functools.cache
def adapter(kind):
    return pydantic.TypeAdapter(kind)


def check(kind, value):
    """pydantic's own check: fields that are missing or of a wrong kind. Of the
    members of a union the one that is nearest is told."""
    try:
        adapter(kind).validate_python(value)
    except pydantic.ValidationError as error:
        faults = {}
        for fault in error.errors():
            faults.setdefault(fault["loc"][0], []).append(
                (fault["loc"], fault["msg"]))
        raise AssertionError(min(faults.values(), key=len)) from None


class Types(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver = kit.Driver()

    @classmethod
    def tearDownClass(cls):
        assert cls.driver.close() == 0

    def run_both(self, endpoint, request, acts, **others):
        """The whole answer, and the stream's."""
        answers = [self.driver.run(endpoint, {**request, "stream": stream},
                                   acts, **others) for stream in (False, True)]
        for answer in answers:
            self.assertNotIn("refused", answer)
        return kit.whole(answers[0]), answers[1]

    def cut_or_not(self):
        """Acts of answers that end in each way."""
        yield kit.steps(TEXT)
        yield kit.steps(TEXT, pieces=list(TEXT))
        yield kit.steps(TEXT[:-20], finish=kit.LENGTH)
        yield kit.steps("", finish=kit.LENGTH)

    def test_chat(self):
        request = {"messages": USER, "tools": [FUNCTION]}
        for acts in self.cut_or_not():
            body, stream = self.run_both(kit.CHAT, request, acts, **QWEN)
            check(openai.types.chat.ChatCompletion, body)
            for chunk in kit.chunks(stream):
                check(openai.types.chat.ChatCompletionChunk, chunk)

    def test_chat_logprobs(self):
        request = {"messages": USER, "logprobs": True, "top_logprobs": 1}
        body, stream = self.run_both(kit.CHAT, request, NOTED)
        check(openai.types.chat.ChatCompletion, body)
        for chunk in kit.chunks(stream):
            check(openai.types.chat.ChatCompletionChunk, chunk)

    def test_usage(self):
        answer = self.driver.run(
            kit.CHAT, {"messages": USER, "stream": True,
                       "stream_options": {"include_usage": True}},
            kit.steps("a"))
        for chunk in kit.chunks(answer):
            check(openai.types.chat.ChatCompletionChunk, chunk)

    def test_completions(self):
        request = {"prompt": "p", "logprobs": 1}
        for acts in (NOTED, kit.steps("ab")):
            body, stream = self.run_both(kit.COMPLETIONS, request, acts)
            check(openai.types.Completion, body)
            for chunk in kit.chunks(stream):
                # the type has no null, which OpenAI's own chunks have
                if chunk["choices"][0]["finish_reason"] is None:
                    chunk["choices"][0]["finish_reason"] = "stop"
                check(openai.types.Completion, chunk)

    def test_responses(self):
        tools = [{"type": "function", "name": "f", "strict": False,
                  "parameters": {"type": "object"}}]
        fields = {"text": {"format": {"type": "text"}}, "tools": tools,
                  "tool_choice": "auto", "reasoning": {"effort": "low"}}
        for request in ({"input": "hi", "tools": tools},
                        {"input": "hi", **fields}):
            for acts in self.cut_or_not():
                body, stream = self.run_both(kit.RESPONSES, request, acts,
                                             **QWEN)
                check(openai.types.responses.Response, body)
                for _, data in kit.events(stream):
                    check(openai.types.responses.ResponseStreamEvent,
                          kit.strict_json(data))

    def test_responses_logprobs(self):
        request = {"input": "hi", "top_logprobs": 1}
        body, stream = self.run_both(kit.RESPONSES, request, NOTED)
        check(openai.types.responses.Response, body)
        for _, data in kit.events(stream):
            check(openai.types.responses.ResponseStreamEvent,
                  kit.strict_json(data))

    def test_responses_failed(self):
        answer = self.driver.run(kit.RESPONSES, {"input": "x", "stream": True},
                                 kit.steps("a", finish=kit.STUCK))
        for _, data in kit.events(answer):
            check(openai.types.responses.ResponseStreamEvent,
                  kit.strict_json(data))

    def test_messages(self):
        request = {"model": "m", "messages": USER, "max_tokens": 99,
                   "tools": [{"name": "f",
                              "input_schema": {"type": "object"}}]}
        for acts in self.cut_or_not():
            body, stream = self.run_both(kit.MESSAGES, request, acts, **QWEN)
            check(anthropic.types.Message, body)
            for _, data in kit.events(stream):
                check(anthropic.types.RawMessageStreamEvent,
                      kit.strict_json(data))

    def test_ollama(self):
        request = {"model": "m", "messages": USER, "tools": [FUNCTION]}
        for acts in self.cut_or_not():
            body, stream = self.run_both(kit.OLLAMA_CHAT, request, acts,
                                         **QWEN)
            for line in [body, *kit.lines(stream)]:
                check(ollama.ChatResponse, line)
        request = {"model": "m", "prompt": "p", "logprobs": True}
        for acts in (NOTED, kit.steps("ab")):
            body, stream = self.run_both(kit.OLLAMA_GENERATE, request, acts)
            for line in [body, *kit.lines(stream)]:
                check(ollama.GenerateResponse, line)


if __name__ == "__main__":
    unittest.main()
