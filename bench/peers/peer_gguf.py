"""Writes the vocabulary of a byte-level tokenizer.json as a GGUF file without
a model, which is what llama.cpp reads a vocabulary from:
  peer_gguf.py TOKENIZER.json WIDTH STOP,STOP... PRE OUT.gguf
PRE is llama.cpp's name of the pre-tokenizer, such as llama-bpe."""
import json
import struct
import sys

UINT32, STRING, ARRAY, INT32 = 4, 8, 9, 5
NORMAL, CONTROL, UNUSED = 1, 3, 5


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def scalar(key, kind, packed):
    return text(key) + struct.pack("<I", kind) + packed


def array(key, kind, values, pack):
    return (scalar(key, ARRAY, struct.pack("<IQ", kind, len(values)))
            + b"".join(map(pack, values)))


def merge_text(merge):
    return merge if isinstance(merge, str) else " ".join(merge)


def main():
    source, width, stops, pre, target = sys.argv[1:6]
    with open(source, encoding="utf-8") as file:
        model = json.load(file)
    tokens = [f"<|unused_{i}|>" for i in range(int(width))]
    kinds = [UNUSED] * int(width)
    for token, number in model["model"]["vocab"].items():
        tokens[number], kinds[number] = token, NORMAL
    for added in model.get("added_tokens", []):
        tokens[added["id"]], kinds[added["id"]] = added["content"], CONTROL
    ends = [int(stop) for stop in stops.split(",")]
    fields = [
        scalar("general.architecture", STRING, text("llama")),
        scalar("tokenizer.ggml.model", STRING, text("gpt2")),
        scalar("tokenizer.ggml.pre", STRING, text(pre)),
        array("tokenizer.ggml.tokens", STRING, tokens, text),
        array("tokenizer.ggml.token_type", INT32, kinds,
              lambda kind: struct.pack("<i", kind)),
        array("tokenizer.ggml.merges", STRING, model["model"]["merges"],
              lambda merge: text(merge_text(merge))),
        scalar("tokenizer.ggml.eos_token_id", UINT32,
               struct.pack("<I", ends[0])),
        scalar("tokenizer.ggml.eot_token_id", UINT32,
               struct.pack("<I", ends[-1])),
    ]
    with open(target, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields)))
        file.write(b"".join(fields))


main()
