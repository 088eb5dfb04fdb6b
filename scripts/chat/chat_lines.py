"""Input and output of scripts/chat/record-chat: JSON lines in, JSON lines out.

chat_lines.py schemas FILE     the texts of the schemas, any object first
chat_lines.py template FILE    the chat template of a tokenizer_config.json
chat_lines.py join CHATML QWEN3 NO_THINK
                          one record a schema; grammars after the first few by
                          their FNV-1a hash
"""

import json
import sys

FIRST = ['{"type":"object"}', '{"type":"object","title":"x"}', '{"type":"integer"}']
WHOLE = 3


def fnv1a64(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return "%016x" % value


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def schemas(path):
    for text in FIRST + [record["schema"] for record in read(path)]:
        print(json.dumps(text, ensure_ascii=False))


def template(path):
    with open(path, encoding="utf-8") as file:
        sys.stdout.write(json.load(file)["chat_template"])


# The reason itself stands behind this, in the server's answer.
REASON = "Automatic parser generation failed: "


def join(*paths):
    for number, made in enumerate(zip(*map(read, paths), strict=True)):
        record = {"schema": made[0]["schema"]}
        if "error" in made[0]:
            assert all(m["error"] == made[0]["error"] for m in made)
            record["error"] = made[0]["error"].split(REASON, 1)[-1]
        elif "grammar" in made[0]:
            assert made[1]["grammar"] == made[2]["grammar"]
            for name, one in zip(("chatml", "qwen3"), made):
                text = one["grammar"]
                record[name] = text if number < WHOLE else fnv1a64(text)
            record["prefills"] = [m["prefill"] for m in made]
        else:
            continue
        print(json.dumps(record, ensure_ascii=False))


{"schemas": schemas, "template": template, "join": join}[sys.argv[1]](*sys.argv[2:])
