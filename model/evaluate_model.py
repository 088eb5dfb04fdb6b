#!/usr/bin/env python3
"""What a constraint changes: the demonstration model on held-out tasks, greedy,
with and without, through `weir generate`.

    model/evaluate_model.py [--count 300] [--least 85]

By kind of task, in percent: outputs that are valid (an object of the schema;
for calls a call of an offered tool with arguments of its schema) and those that
say exactly what is expected. --least: fails if fewer outputs than that under
the constraint are exact, over all tasks. Validity is judged here, not by weir.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

import task_data

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = ("told", "not told", "call")


# ---- judging ----

def is_valid(schema, value):
    """For the schemas of task_data.py alone."""
    if "enum" in schema:
        return value in schema["enum"]
    kind = schema["type"]
    if kind == "object":
        known = schema["properties"]
        return (isinstance(value, dict) and set(value) == set(known) and
                all(is_valid(known[k], v) for k, v in value.items()))
    if kind == "array":
        return (isinstance(value, list) and
                schema["minItems"] <= len(value) <= schema["maxItems"] and
                all(is_valid(schema["items"], v) for v in value))
    if kind == "boolean":
        return isinstance(value, bool)
    if kind in ("integer", "number"):
        types = int if kind == "integer" else (int, float)
        return isinstance(value, types) and not isinstance(value, bool)
    return isinstance(value, str) and is_text(schema, value)


def is_text(schema, value):
    if len(value) > schema.get("maxLength", len(value)):
        return False
    if "pattern" in schema:
        return re.search(schema["pattern"], value) is not None
    if schema.get("format") == "date":
        try:
            return datetime.date.fromisoformat(value) is not None
        except ValueError:
            return False
    if schema.get("format") == "email":
        return re.fullmatch(r"[\w.]+@\w+(\.\w+)+", value) is not None
    return True


def read_output(task, text):
    """The object that an output is, and whether it is valid."""
    schema = task.get("schema")
    if task["task"] == "call":
        found = re.fullmatch(r"\s*<tool_call>\n(.*)\n</tool_call>\s*", text,
                             re.S)
        text = found[1] if found else ""
    try:
        value = json.loads(text)
    except ValueError:
        return None, False
    if task["task"] != "call":
        return value, is_valid(schema, value)
    tools = {t["function"]["name"]: t["function"]["parameters"]
             for t in task["tools"]}
    valid = (isinstance(value, dict) and
             set(value) == {"name", "arguments"} and
             isinstance(value["name"], str) and value["name"] in tools and
             is_valid(tools[value["name"]], value["arguments"]))
    return value, valid


# ---- generating ----

def generate(weir, arguments):
    command = [weir, "generate", "--temperature", "0", "--max-tokens", "600",
               "--json", *arguments]
    done = subprocess.run(command, capture_output=True, check=False,
                          env={**os.environ, "NO_COLOR": "1"})
    if done.returncode not in (0, 1):
        sys.exit(f"{done.stderr.decode()}\n{command}")
    return json.loads(done.stdout)["text"]


def chat(task):
    *system, user = (m["content"] for m in task["messages"])
    return ["-p", user, *(["--system", *system] if system else [])]


def constrained(weir, task):
    if task["task"] != "call":
        return generate(weir, [*chat(task), "--schema",
                               json.dumps(task["schema"])])
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(task["tools"], file)
        file.flush()
        return generate(weir, [*chat(task), "--tools", file.name, "--calls",
                               "required", "--single"])


def free(weir, task):
    """The same prompt; tools are told, but nothing is enforced."""
    if task["task"] != "call":
        return generate(weir, chat(task))
    return generate(weir, ["--chat-template", "none", "-p",
                           task_data.prompt_text(task)])


def score(weir, tasks):
    """Kind -> [tasks, valid free, valid constrained, exact free, exact
    constrained]; and the lines of those that the constraint left wrong."""
    rows, wrong = {}, []
    for task in tasks:
        row = rows.setdefault(task["task"], [0] * 5)
        row[0] += 1
        for way, make in enumerate((free, constrained)):
            text = make(weir, task)
            value, valid = read_output(task, text)
            exact = value == task["expected"]
            row[1 + way] += valid
            row[3 + way] += exact
            if way and not exact:
                wrong.append(f"{task['messages'][-1]['content']}\n  {text}")
    return rows, wrong


def held_out(count):
    return [task_data.task(f"evaluation {i}", True) for i in range(count)]


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weir", default=os.path.join(ROOT, "build/weir"))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--wrong", action="store_true",
                        help="print what is wrong under the constraint")
    options = parser.parse_args()
    rows, wrong = score(options.weir, held_out(options.count))
    print("| task | prompts | valid: free | constrained | exact: free | "
          "constrained |\n|---|---|---|---|---|---|")
    rows["all"] = [sum(column) for column in zip(*rows.values())]
    for kind in (*KINDS, "all"):
        n, *counts = rows.get(kind, [0] * 5)
        print(f"| {kind} | {n} | " +
              " | ".join(share(c, n) for c in counts) + " |")
    if options.wrong:
        print("\n".join(wrong))
    n, _, valid, _, exact = rows["all"]
    return valid < n or exact * 100 < options.least * n


if __name__ == "__main__":
    sys.exit(main())
