"""The official Python clients of OpenAI, Anthropic and Ollama, unmodified,
against weir serve with a small random model: what comes is valid because the
constraint holds, not because the model knows. Labels: threads."""
import json
import sys
import typing
import unittest

import client_kit

client_kit.enter()

import anthropic  # noqa: E402
import ollama  # noqa: E402
import openai  # noqa: E402
import pydantic  # noqa: E402

import server_kit as kit  # noqa: E402


class Person(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    name: str = pydantic.Field(max_length=8)
    age: int = pydantic.Field(ge=0, le=130)
    mood: typing.Literal["happy", "sad"]


class Add(pydantic.BaseModel):
    """Adds two numbers."""
    model_config = pydantic.ConfigDict(extra="forbid")
    a: int = pydantic.Field(ge=0, le=99)
    b: typing.Literal[1, 2]


USER = [{"role": "user", "content": "A person, please."}]
ADD = {"type": "function", "function": {
    "name": "Add", "parameters": Add.model_json_schema()}}


def setUpModule():
    reason = kit.missing()
    if reason:
        print(reason)
        sys.exit(77)


class Served(unittest.TestCase):
    template = kit.HERMES

    @classmethod
    def setUpClass(cls):
        cls.server = kit.Server("--ctx", "1500", "--alias", "tiny",
                                template=cls.template)
        cls.url = f"http://127.0.0.1:{cls.server.port}"
        cls.openai = openai.OpenAI(base_url=cls.url + "/v1", api_key="none",
                                   max_retries=0)
        cls.anthropic = anthropic.Anthropic(base_url=cls.url, api_key="none",
                                            max_retries=0)
        cls.ollama = ollama.Client(host=cls.url)

    @classmethod
    def tearDownClass(cls):
        for client in (cls.openai, cls.anthropic):
            client.close()
        code, err = cls.server.stop()
        assert (code, err) == (0, ""), (code, err)


class Chat(Served):
    def test_models(self):
        self.assertEqual([m.id for m in self.openai.models.list()], ["tiny"])

    def test_parse(self):
        answer = self.openai.chat.completions.parse(
            model="tiny", messages=USER, response_format=Person,
            max_tokens=900, n=2, seed=1)
        for choice in answer.choices:
            self.assertEqual(choice.finish_reason, "stop")
            self.assertIsInstance(choice.message.parsed, Person)

    def test_parse_of_a_stream(self):
        with self.openai.chat.completions.stream(
                model="tiny", messages=USER, response_format=Person,
                max_tokens=900, stream_options={"include_usage": True}) as s:
            deltas = [e.delta for e in s if e.type == "content.delta"]
            final = s.get_final_completion()
        self.assertIsInstance(final.choices[0].message.parsed, Person)
        self.assertEqual("".join(deltas), final.choices[0].message.content)
        self.assertGreater(final.usage.completion_tokens, 1)

    def test_stream_is_the_whole_answer(self):
        fields = {"model": "tiny", "messages": USER, "max_tokens": 40,
                  "temperature": 0, "seed": 3}
        whole = self.openai.chat.completions.create(**fields)
        chunks = self.openai.chat.completions.create(stream=True, **fields)
        text = "".join(c.choices[0].delta.content or "" for c in chunks)
        self.assertEqual(text, whole.choices[0].message.content)

    def test_tools(self):
        tools = [openai.pydantic_function_tool(Add)]
        answer = self.openai.chat.completions.parse(
            model="tiny", messages=USER, tools=tools, tool_choice="required",
            parallel_tool_calls=False, max_tokens=900)
        message = answer.choices[0].message
        self.assertEqual(answer.choices[0].finish_reason, "tool_calls")
        self.assertIsInstance(message.tool_calls[0].function.parsed_arguments,
                              Add)
        # the answer goes back with the tool's result
        more = self.openai.chat.completions.create(
            model="tiny", max_tokens=5, messages=[
                *USER, message.model_dump(exclude_none=True),
                {"role": "tool", "content": "3",
                 "tool_call_id": message.tool_calls[0].id}])
        self.assertEqual(more.choices[0].message.role, "assistant")

    def test_tools_of_a_stream(self):
        with self.openai.chat.completions.stream(
                model="tiny", messages=USER, max_tokens=900,
                tools=[openai.pydantic_function_tool(Add)],
                tool_choice="required", parallel_tool_calls=False) as s:
            done = [e for e in s
                    if e.type == "tool_calls.function.arguments.done"]
            final = s.get_final_completion()
        self.assertIsInstance(done[0].parsed_arguments, Add)
        call = final.choices[0].message.tool_calls[0]
        self.assertEqual(call.function.name, "Add")

    def test_logprobs(self):
        answer = self.openai.chat.completions.create(
            model="tiny", messages=USER, max_tokens=5, logprobs=True,
            top_logprobs=3, extra_body={"guided_choice": ["yes", "no"]})
        content = answer.choices[0].logprobs.content
        self.assertEqual("".join(t.token for t in content),
                         answer.choices[0].message.content)
        self.assertTrue(all(len(t.top_logprobs) <= 3 for t in content))

    def test_cut(self):
        with self.assertRaises(openai.LengthFinishReasonError):
            self.openai.chat.completions.parse(
                model="tiny", messages=USER, response_format=Person,
                max_tokens=2)

    def test_refused(self):
        with self.assertRaises(openai.BadRequestError) as caught:
            self.openai.chat.completions.create(
                model="tiny", messages=USER,
                extra_body={"guided_regex": "a(b"})
        self.assertEqual(caught.exception.code, "invalid_regex")
        self.assertEqual(caught.exception.param, "guided_regex")

    def test_completions(self):
        answer = self.openai.completions.create(
            model="tiny", prompt=["a", "b"], max_tokens=9,
            extra_body={"guided_regex": "[0-9]{3}"})
        for choice in answer.choices:
            self.assertRegex(choice.text, "^[0-9]{3}$")


class Responses(Served):
    def test_parse(self):
        answer = self.openai.responses.parse(
            model="tiny", input="A person.", text_format=Person,
            max_output_tokens=900)
        self.assertIsInstance(answer.output_parsed, Person)
        self.assertEqual(answer.status, "completed")

    def test_parse_of_a_stream(self):
        with self.openai.responses.stream(
                model="tiny", input="A person.", text_format=Person,
                max_output_tokens=900) as s:
            deltas = [e.delta for e in s
                      if e.type == "response.output_text.delta"]
            final = s.get_final_response()
        self.assertIsInstance(final.output_parsed, Person)
        self.assertEqual("".join(deltas), final.output_text)

    def test_tools(self):
        tool = openai.pydantic_function_tool(Add)["function"]
        fields = {"model": "tiny", "input": "1 + 2", "max_output_tokens": 900,
                  "tools": [{"type": "function", **tool}],
                  "tool_choice": "required", "parallel_tool_calls": False}
        answer = self.openai.responses.parse(**fields)
        call, = [i for i in answer.output if i.type == "function_call"]
        Add.model_validate_json(call.arguments)
        deltas, last = "", None
        for event in self.openai.responses.create(stream=True, **fields):
            if event.type == "response.function_call_arguments.delta":
                deltas += event.delta
            last = event
        self.assertEqual(last.type, "response.completed")
        Add.model_validate_json(deltas)

    def test_cut(self):
        answer = self.openai.responses.create(
            model="tiny", input="x", max_output_tokens=3,
            extra_body={"logit_bias": kit.NO_END})
        self.assertEqual((answer.status, answer.incomplete_details.reason),
                         ("incomplete", "max_output_tokens"))


class Messages(Served):
    TOOL = {"name": "Add", "input_schema": Add.model_json_schema()}

    def test_text(self):
        answer = self.anthropic.messages.create(
            model="tiny", messages=USER, max_tokens=20)
        self.assertEqual(answer.type, "message")
        with self.anthropic.messages.stream(
                model="tiny", messages=USER, max_tokens=20) as s:
            text = "".join(s.text_stream)
            final = s.get_final_message()
        self.assertEqual(text, "".join(b.text for b in final.content))

    def test_forced_tool(self):
        fields = {"model": "tiny", "messages": USER, "max_tokens": 900,
                  "tools": [self.TOOL],
                  "tool_choice": {"type": "tool", "name": "Add"}}
        answer = self.anthropic.messages.create(**fields)
        use, = [b for b in answer.content if b.type == "tool_use"]
        self.assertEqual((use.name, answer.stop_reason), ("Add", "tool_use"))
        Add.model_validate(use.input)
        with self.anthropic.messages.stream(**fields) as s:
            for _ in s:
                pass
            use, = [b for b in s.get_final_message().content
                    if b.type == "tool_use"]
        Add.model_validate(use.input)

    def test_refused(self):
        with self.assertRaises(anthropic.BadRequestError):
            self.anthropic.messages.create(
                model="tiny", messages=USER, max_tokens=9, tools=[
                    {"name": "f", "input_schema": {"type": "objekt"}}])


class Ollama(Served):
    def test_format(self):
        schema = Person.model_json_schema()
        answer = self.ollama.chat(model="tiny", messages=USER, format=schema)
        Person.model_validate_json(answer.message.content)
        parts = list(self.ollama.generate(model="tiny", prompt="A person",
                                          format=schema, stream=True))
        Person.model_validate_json("".join(p.response for p in parts))
        self.assertTrue(parts[-1].done)
        self.assertGreater(parts[-1].eval_count, 1)

    def test_json(self):
        answer = self.ollama.chat(model="tiny", messages=USER, format="json",
                                  options={"num_predict": 400, "seed": 4})
        if answer.done_reason == "stop":
            self.assertIsInstance(json.loads(answer.message.content), dict)

    def test_tools(self):
        answer = self.ollama.chat(model="tiny", messages=USER, tools=[ADD],
                                  options={"num_predict": 50})
        for call in answer.message.tool_calls or []:
            Add.model_validate(call.function.arguments)

    def test_list(self):
        self.assertEqual([m.model for m in self.ollama.list().models],
                         ["tiny"])
        self.ollama.show("tiny")

    def test_refused(self):
        with self.assertRaises(ollama.ResponseError) as caught:
            self.ollama.chat(model="tiny", messages=USER,
                             format={"type": "objekt"})
        self.assertEqual(caught.exception.status_code, 400)


class Thinking(Served):
    """A model whose prompt has begun the reasoning."""
    template = "<｜User｜> <｜Assistant｜><think>\\n"

    def test_chat(self):
        chunks = list(self.openai.chat.completions.create(
            model="tiny", messages=USER, max_tokens=900, stream=True,
            extra_body={"thinking_budget": 10, "guided_json":
                        Person.model_json_schema()}))
        deltas = [c.choices[0].delta for c in chunks]
        thoughts = [getattr(d, "reasoning_content", None) for d in deltas]
        self.assertTrue(any(thoughts))
        Person.model_validate_json("".join(d.content or "" for d in deltas))
        last = max(i for i, t in enumerate(thoughts) if t)
        self.assertFalse(any(d.content for d in deltas[:last]))

    def test_messages(self):
        with self.anthropic.messages.stream(
                model="tiny", messages=USER, max_tokens=300,
                thinking={"type": "enabled", "budget_tokens": 10},
                extra_body={"temperature": 1, "logit_bias": kit.NO_END}) as s:
            kinds = [e.delta.type for e in s
                     if e.type == "content_block_delta"]
            blocks = s.get_final_message().content
        self.assertEqual(blocks[0].type, "thinking")
        self.assertEqual(kinds[0], "thinking_delta")

    def test_ollama(self):
        parts = list(self.ollama.chat(
            model="tiny", messages=USER, think=True, stream=True,
            format=Person.model_json_schema(),
            options={"num_predict": 900}))
        if parts[-1].done_reason == "stop":
            Person.model_validate_json(
                "".join(p.message.content for p in parts))
        self.assertTrue(any(p.message.thinking for p in parts))


if __name__ == "__main__":
    unittest.main()
