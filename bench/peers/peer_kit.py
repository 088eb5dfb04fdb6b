"""What the peers in Python share: the vocabulary, the clock, and the
conversation with scripts/compare-peers, which starts them as

  PEER.py TOKENIZER.json WIDTH STOP,STOP...

A peer first prints one line about itself. Then it reads jobs, one a line,
  {"kind":"json_schema"|"gbnf","source":TEXT,"root":NAME,"tests":[[ID...]...]}
and answers each with one line: {"error":TEXT}, or
  {"ttfm_us":T,"tests":[{"us":[T...],"taken":N,"may_stop":BOOL}...]}
ttfm is compiling, a matcher and its first mask; us are the steps, a mask and
the taking of one token, each without what the clock costs.
"""
import json
import os
import statistics
import sys
import time

clock = time.perf_counter_ns


def empty_clock_ns():
    times = []
    for _ in range(20001):
        begin = clock()
        times.append(clock() - begin)
    return statistics.median(times)


CLOCK_NS = empty_clock_ns()


def call_ns(call, count=20001):
    """The median time of a call that does next to nothing: the floor below
    which no engine can be measured through this binding."""
    times = []
    for _ in range(count):
        begin = clock()
        call()
        times.append(clock() - begin)
    return max(0, statistics.median(times) - CLOCK_NS)


def us_since(begin):
    return max(0, clock() - begin - CLOCK_NS) * 1e-3


def byte_of_char():
    """GPT-2's visible characters: those that Latin-1 shows stand for
    themselves, the others follow from U+0100 on."""
    shown = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {chr(b): b for b in shown}
    rest = [b for b in range(256) if b not in shown]
    table.update((chr(0x100 + i), b) for i, b in enumerate(rest))
    return table


def read_tokens(path, width):
    """Bytes by id of a byte-level tokenizer.json; b"" for ids without."""
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    tokens, table = [b""] * width, byte_of_char()
    for text, number in model["model"]["vocab"].items():
        tokens[number] = bytes(table[c] for c in text)
    for added in model.get("added_tokens", []):
        tokens[added["id"]] = added["content"].encode()
    return tokens


class Peer:
    """A subclass compiles, and makes matchers of what it has compiled."""
    name = version = overhead_of = ""

    def __init__(self, tokenizer, width, stops):
        raise NotImplementedError

    def compile(self, kind, source, root):
        """The grammar, or an exception whose text says why not."""
        raise NotImplementedError

    def matcher(self, grammar):
        """(fill, take, may_stop): a mask into the row; True if the token is
        taken; True if the text may end here."""
        raise NotImplementedError

    def overhead(self):
        """A call through the binding that does next to nothing."""
        raise NotImplementedError


def run_test(peer, grammar, ids):
    fill, take, may_stop = peer.matcher(grammar)
    times, cost, taken = [], CLOCK_NS, 0
    for number in ids:
        begin = clock()
        fill()
        accepted = take(number)
        times.append(max(0, clock() - begin - cost) * 1e-3)
        if not accepted:
            break
        taken += 1
    whole = taken == len(ids)
    return {"us": times, "taken": taken, "may_stop": whole and may_stop()}


def run_job(peer, job):
    begin = clock()
    try:
        grammar = peer.compile(job["kind"], job["source"], job.get("root"))
        peer.matcher(grammar)[0]()
    except Exception as error:  # whatever a peer throws is its answer
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    ttfm = us_since(begin)
    return {"ttfm_us": ttfm,
            "tests": [run_test(peer, grammar, ids) for ids in job["tests"]]}


def serve(kind_of_peer):
    # What an engine prints is not part of the conversation.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    tokenizer, width, stops = sys.argv[1:4]
    peer = kind_of_peer(tokenizer, int(width),
                        [int(stop) for stop in stops.split(",")])

    def say(answer):
        print(json.dumps(answer), file=out, flush=True)

    say({"name": peer.name, "version": peer.version,
         "overhead_ns": call_ns(peer.overhead()),
         "overhead_of": peer.overhead_of})
    for line in sys.stdin:
        say(run_job(peer, json.loads(line)))
