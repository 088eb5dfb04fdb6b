#!/usr/bin/env python3
"""Writes tests/cases/sampling.gguf: a vocabulary of bytes, some words and two
control tokens, in the form that both weir and llama.cpp load.

    scripts/sampling/make-vocab.py tests/cases/sampling.gguf
"""
import struct
import sys

WORDS = ["the", "then", "there", " the", " a", " an", "and", " and", "in",
         "ing", "ed", "er", "re", "on", "is", "it", "to", " to", "of",
         "true", "false", "null", "\": ", "\":", "\", \"", "{\"", "\"}",
         ", ", ": ", ":\n", "\n\n", "  ", "    ", "**", "aa", "aaa", "ab",
         "abc", "10", "20", "100", "00", "12", "name", "names", "list",
         "value", "é", "日", "日本", "x:", "end\n", "n\n"]
CONTROL = ["<|end|>", "<|pad|>"]
NORMAL, CONTROL_TYPE = 1, 3
STRING, ARRAY, UINT32, INT32, BOOL = 8, 9, 4, 5, 7


def byte_characters():
    """GPT-2's visible character of each byte."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [b for b in range(256) if b not in shown]
    table = {b: chr(b) for b in shown}
    table.update({b: chr(256 + i) for i, b in enumerate(hidden)})
    return table


def tokens_and_merges():
    table = byte_characters()
    tokens = [table[b] for b in range(256)]
    merges = []
    for word in WORDS:
        text = [table[b] for b in word.encode()]
        for n in range(2, len(text) + 1):
            left, right = "".join(text[:n - 1]), text[n - 1]
            if left + right not in tokens:
                tokens.append(left + right)
                merges.append(left + " " + right)
    return tokens, merges


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def texts(key, values):
    return entry(key, ARRAY, struct.pack("<IQ", STRING, len(values)) +
                 b"".join(map(text, values)))


def numbers(key, values):
    return entry(key, ARRAY, struct.pack("<IQ", INT32, len(values)) +
                 struct.pack(f"<{len(values)}i", *values))


def main():
    tokens, merges = tokens_and_merges()
    end = len(tokens)
    kinds = [NORMAL] * end + [CONTROL_TYPE] * len(CONTROL)
    name = "tokenizer.ggml."
    entries = [
        entry("general.architecture", STRING, text("llama")),
        entry(name + "model", STRING, text("gpt2")),
        entry(name + "pre", STRING, text("qwen2")),
        texts(name + "tokens", tokens + CONTROL),
        numbers(name + "token_type", kinds),
        texts(name + "merges", merges),
        entry(name + "eos_token_id", UINT32, struct.pack("<I", end)),
        entry(name + "add_bos_token", BOOL, b"\0"),
    ]
    with open(sys.argv[1], "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) +
                   b"".join(entries))


if __name__ == "__main__":
    main()
