"""Answers by answer_driver, and streams taken apart by nothing of weir's: the
SSE rules of the HTML standard, lines of NDJSON, Python's own JSON."""
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))

CHAT, COMPLETIONS, RESPONSES, MESSAGES = 1, 2, 3, 4
COMPLETION, GENERATE, OLLAMA_CHAT, OLLAMA_GENERATE = 5, 6, 7, 8
DEFAULT, VLLM, LLAMA, OLLAMA, MLX = 0, 1, 2, 3, 4
END, TEXT, LENGTH, STUCK, ERROR = 1, 2, 3, 4, 5
NONE, OPEN, MAY = 0, 1, 2

STOP_ID = 256


class Driver:
    """One process for all cases of a test."""

    def __init__(self):
        self.process = subprocess.Popen(
            [os.path.join(BUILD, "answer_driver")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def close(self):
        self.process.stdin.close()
        code = self.process.wait()
        self.process.stdout.close()
        return code

    def run(self, endpoint, request, acts, **others):
        line = {"endpoint": endpoint, "acts": acts,
                "start": {"prompt": 10, "cached": 4}, **others,
                "request": request if isinstance(request, str)
                else json.dumps(request)}
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def steps(text, choice=0, finish=END, pieces=None, **last):
    """Acts that write the text, a piece a step, and end the choice. A piece
    has a token for each byte; the last step also the stop token."""
    acts = []
    pieces = [text] if pieces is None else pieces
    assert "".join(pieces) == text
    for i, piece in enumerate(pieces):
        step = {"text": piece, "tokens": list(piece.encode())}
        if i == len(pieces) - 1:
            step |= {"finish": finish, "completed": finish == END} | last
            if finish == END:
                step["tokens"].append(STOP_ID)
        acts.append(["step", choice, step])
    return acts + [["end", choice, {"prompt_ns": 2000000,
                                    "decode_ns": 4000000}]]


def no_constant(name):
    raise ValueError(name + " is no JSON")


def strict_json(text):
    return json.loads(text, parse_constant=no_constant)


def events(answer):
    """(name, data) of each event of a stream; each part must end with one."""
    found = []
    for part in answer["parts"]:
        if not part:
            continue
        assert part.endswith("\n\n"), part
        # one line a field, also for those who take more for a line's end
        assert part.splitlines() == part[:-1].split("\n"), part
        for block in part[:-2].split("\n\n"):
            name, data = None, []
            for line in block.split("\n"):
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                else:
                    assert field == "data", block
                    data.append(value)
            found.append((name, "\n".join(data)))
    return found


def chunks(answer):
    """The data of a stream without names, which ends with [DONE]."""
    found = events(answer)
    assert all(name is None for name, _ in found), found
    assert found[-1][1] == "[DONE]", found[-1]
    return [strict_json(data) for _, data in found[:-1]]


def lines(answer):
    text = "".join(answer["parts"])
    for part in answer["parts"]:
        assert not part or part.endswith("\n")
    return [strict_json(line) for line in text.splitlines()]


def whole(answer):
    assert not any(answer["parts"][:-1]), answer["parts"]
    return strict_json(answer["parts"][-1])
