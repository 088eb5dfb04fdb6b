#!/usr/bin/env python3
"""Random regular expressions and texts, and what Python's re makes of them,
for tests/prop/regex_reference_test.c: the lenient dialect's Python side.

    scripts/make-python-regex-cases.py [OUT [PATTERNS [SEED]]]

Writes .cache/regex/python.cases, in the form of make-regex-cases.mjs, dialect
0. The flag U stands for Unicode classes; without it re.ASCII is set. Left out
is what Python reads otherwise than ECMA-262: '$' (which it lets stand before a
last newline), other line ends than \\n, Unicode blanks, folding outside ASCII
when re.ASCII is set, look-behind of varying width, repeats of anchors.
"""
import os
import random
import re
import sys
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
    ROOT, ".cache/regex/python.cases")
PATTERNS = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
warnings.simplefilter("ignore")

ASCII = list("abABxyk01_ -.\n\t") + ["\a"]
MORE = ["é", "É", "σ", "Σ", "я", "Я", "٣", "字", "\U0001F600"]
SPECIAL = set("^$\\.*+?()[]{}|/#-&~ \n\t\a")
ODD = [r"\a", r"\A", r"\Z", r"\x41", r"\u0041", r"\U00000041", r"\07",
       r"\n", r"\t", "]", "}", "{", "{x", "x{2", "x{a}", r"\_",
       r"\-", r"\@", "(?#x(y)", "(?P<n1>a)", "(?P<_>)", "(?=a)*",
       "(?!b){2}", "(?i:a)", "(?s:.)", "(?-i:b)", "(?im-s:^b.)", "()",
       r"[\x41-\x43]", "(|a)"]
POSSESSIVE = re.compile(r"[*+?}]\+|[*+?}]\(\?#[^)]*\)\+")


class Mode:
    def __init__(self):
        self.flags = rng.choice(["-", "-", "i", "s", "m", "U", "Ui", "Ums"])
        self.letters = ASCII + (MORE if self.flags != "i" else [])
        self.local = rng.choices(self.letters, k=4)
        self.groups = 0


def rune(mode):
    c = rng.choice(mode.local)
    if rng.random() < 0.08:
        code = ord(c)
        if code < 256:
            return f"\\x{code:02x}"
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return "\\" + c if c in SPECIAL and c not in "\n\t\a" else c


def member(mode):
    c = rng.choice(mode.local)
    return "\\" + c if c in "^]\\-[" else c


def klass(mode):
    text = "[^" if rng.random() < 0.3 else "["
    for _ in range(rng.randint(1, 3)):
        roll = rng.random()
        if roll < 0.2:
            text += rng.choice([r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"])
        elif roll < 0.5:
            low, high = sorted(rng.choices(mode.local, k=2))
            text += f"{low}-{high}" if "-" not in (low, high) else "a-b"
            text = text.replace("[^^", "[^\\^")
        else:
            text += member(mode)
    return text + "]"


def atom(mode, depth):
    roll = rng.random()
    if roll < 0.04:
        return rng.choice(ODD)
    if roll < 0.45 or not depth:
        return rune(mode)
    if roll < 0.52:
        return klass(mode)
    if roll < 0.57:
        return "."
    if roll < 0.65:
        return rng.choice([r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"])
    if roll < 0.71:
        return rng.choice([r"\b", r"\B"])
    if roll < 0.76:
        return rng.choice(["^", r"\A", r"\Z"])
    opening = rng.choice(["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?:",
                          "(?P<g%d>" % mode.groups, "(?i:", "(?s:"])
    mode.groups += 1
    if opening == "(?i:" and set(mode.local) & set(MORE) and \
            "U" not in mode.flags:
        opening = "(?:"
    return opening + choice(mode, depth - 1) + ")"


def repeated(text):
    if rng.random() > 0.25 or text in (r"\b", r"\B", "^", r"\A", r"\Z") or \
            text.startswith("(?<"):
        return text
    low = rng.randint(0, 2)
    high = low + rng.randint(0, 2)
    return text + rng.choice(["*", "+", "?", f"{{{low}}}", f"{{{low},}}",
                              f"{{{low},{high}}}"]) + \
        ("?" if rng.random() < 0.15 else "")


def sequence(mode, depth):
    return "".join(repeated(atom(mode, depth))
                   for _ in range(rng.randint(1, 4)))


def choice(mode, depth):
    parts = [sequence(mode, depth)]
    while rng.random() < 0.2:
        parts.append(sequence(mode, depth) if rng.random() < 0.9 else "")
    return "|".join(parts)


def python_flags(flags):
    value = 0 if "U" in flags else re.ASCII
    for letter in flags:
        value |= {"i": re.I, "s": re.S, "m": re.M}.get(letter, 0)
    return value


def text(mode):
    return "".join(rng.choice(mode.local if rng.random() < 0.8
                              else mode.letters)
                   for _ in range(rng.randint(0, 6)))


def encoded(s):
    return s.encode().hex() or "-"


def main():
    lines = [f"# regex cases 1, Python {sys.version.split()[0]}"]
    patterns = texts = 0
    while patterns < PATTERNS:
        mode = Mode()
        prefix = rng.choice([""] * 8 + ["(?x) # note\n ", "(?i)"])
        pattern = prefix + choice(mode, 3)
        if POSSESSIVE.search(pattern):
            continue
        if prefix == "(?i)" and "U" not in mode.flags and \
                mode.flags != "i":
            continue
        try:
            regexp = re.compile(pattern, python_flags(mode.flags))
        except (re.error, OverflowError):
            continue
        patterns += 1
        lines.append(f"p 0 {mode.flags} {encoded(pattern)}")
        some = {text(mode) for _ in range(16)}
        if r"\B" in pattern:
            some.discard("")  # Python before 3.14: no \B in the empty text
        some |= {m[0] for m in map(regexp.search, some) if m and m[0]}
        for s in sorted(some):
            whole = regexp.fullmatch(s) is not None
            found = regexp.search(s) is not None
            lines.append(f"t {whole:d} {found:d} {encoded(s)}")
            texts += 1
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    with open(OUT + ".new", "w") as file:
        file.write("\n".join(lines) + "\n")
    os.replace(OUT + ".new", OUT)
    print(f"{patterns} patterns, {texts} texts")


main()
