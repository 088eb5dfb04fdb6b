"""Tasks for the demonstration model: sentences to be put into JSON, and
requests for a call of a tool. Everything is made up, from a seed.

    python3 model/task_data.py 5 --held-out     shows some

Two sets that never meet: a word of a name is in one of them by its hash, and
so is a template once its choices have been made. A held-out task is made of
held-out names and a held-out template throughout.
"""
import argparse
import itertools
import json
import random
import re
import zlib

import task_words as words

NAME_PARTS, TEMPLATE_PARTS = 10, 6  # one of so many is held out

ONSETS = """b br d dr f fl g gr h j k kl l m n p pr r s sh st t th tr v w z
""".split()
VOWELS = ["a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ea", "ie", "oo"]
CODAS = ["", "", "", "", "n", "r", "l", "s", "m", "nd", "rt", "x", "k", "t"]

TOOLS_BEFORE = (
    "# Tools\n\nYou may call one or more functions to assist with the user "
    "query.\n\nYou are provided with function signatures within "
    "<tools></tools> XML tags:\n<tools>")
TOOLS_AFTER = (
    "\n</tools>\n\nFor each function call, return a json object with function "
    "name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>"
    "\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n"
    "</tool_call>")


def is_held(text, parts):
    return zlib.crc32(text.lower().encode()) % parts == 0


def chains():
    """Two letters -> what follows them in the real names for training."""
    follow = {}
    for name in words.FIRST + words.LAST + words.CITIES:
        if is_held(name, NAME_PARTS):
            continue
        text = f"^^{name.lower()}$"
        for i in range(len(text) - 2):
            follow.setdefault(text[i:i + 2], []).append(text[i + 2])
    return follow


CHAINS = chains()


class Maker:
    """Values and sentences of one of the two sets."""

    def __init__(self, rng, held):
        self.rng, self.held = rng, held

    def of_set(self, make, parts):
        """The first of make() that belongs to the set."""
        for _ in range(10000):
            text = make()
            if is_held(text, parts) == self.held:
                return text
        raise ValueError("one of the sets is empty")

    def syllables(self):
        pick = self.rng.choice
        count = self.rng.choice((1, 2, 2, 2, 3))
        text = "".join(pick(ONSETS) + pick(VOWELS) for _ in range(count - 1))
        if self.rng.random() < 0.2:
            text = pick(VOWELS) + text
        return text + pick(ONSETS) + pick(VOWELS) + pick(CODAS)

    def letters(self):
        count = self.rng.randint(3, 8)
        return "".join(self.rng.choice("abcdefghijklmnopqrstuvwxyz")
                       for _ in range(count))

    def alike(self):
        """Letters that follow each other as in real names."""
        text = "^^"
        while not text.endswith("$"):
            text += self.rng.choice(CHAINS[text[-2:]])
        name = text[2:-1]
        return name if 2 < len(name) < 11 else self.alike()

    def small_word(self):
        """Mostly of syllables; others, too, so that all tokens are met in
        names."""
        make = self.rng.choices((self.syllables, self.alike, self.letters),
                                (70, 25, 5))[0]
        return self.of_set(make, NAME_PARTS)

    def word(self):
        return self.small_word().capitalize()

    def known(self, listed, share):
        """One of a list of real names, or a made-up one."""
        if self.rng.random() >= share:
            return self.word()
        return self.of_set(lambda: self.rng.choice(listed), NAME_PARTS)

    # ---- values: what a sentence says, and what JSON shall ----

    def person(self):
        first = self.known(words.FIRST, 0.4)
        if self.rng.random() < 0.3:
            return first, first
        name = first + " " + self.known(words.LAST, 0.3)
        return name, name

    def city(self):
        name = self.known(words.CITIES, 0.3)
        if self.rng.random() < 0.12:
            prefix = self.rng.choice("New Port San Bad Saint North".split())
            name = f"{prefix} {name}"
        return name, name

    def name_word(self):
        name = self.word()
        return name, name

    def names(self):
        count = self.rng.choice((2, 2, 3, 3, 4))
        listed = [self.known(words.FIRST, 0.4) for _ in range(count)]
        return ", ".join(listed[:-1]) + " and " + listed[-1], listed

    def title(self):
        def make():
            count = self.rng.choice((1, 2, 2))
            text = " ".join(self.rng.sample(words.TITLES, count))
            return "The " + text if self.rng.random() < 0.5 else text
        text = self.of_set(make, NAME_PARTS)
        return text, text

    def email(self):
        local = self.small_word()
        if self.rng.random() < 0.5:
            local += "." + self.small_word()
        text = f"{local}@{self.small_word()}.{self.rng.choice(['org', 'com', 'net'])}"
        return text, text

    def date(self):
        year, month, day = (self.rng.randint(1990, 2039),
                            self.rng.randint(1, 12), self.rng.randint(1, 28))
        name = words.MONTHS[month - 1]
        value = f"{year}-{month:02}-{day:02}"
        return self.rng.choice((f"{day} {name} {year}", f"{name} {day}, {year}",
                                value)), value

    def time(self):
        text = f"{self.rng.randint(0, 23):02}:{self.rng.choice((0, 15, 30, 45, self.rng.randint(0, 59))):02}"
        return text, text

    def number(self, least, most):
        value = self.rng.randint(least, most)
        return str(value), value

    def quantity(self):
        value = self.rng.randint(2, 12 if self.rng.random() < 0.5 else 99)
        spelled = value < 13 and self.rng.random() < 0.5
        return (words.NUMBERS[value] if spelled else str(value)), value

    def temperature(self):
        value = self.rng.randint(-19, 39)
        return str(value), value

    def price(self):
        value = self.rng.randint(1, 199)
        if self.rng.random() < 0.6:
            value = float(f"{value}.{self.rng.choice((25, 45, 49, 75, 95, 99))}")
        return self.rng.choice((f"${value}", f"{value} euros",
                                f"{value} dollars")), value

    def one_of(self, listed):
        text = self.rng.choice(listed)
        return text, text

    def flag(self, yes, no):
        value = self.rng.random() < 0.5
        return self.rng.choice(yes if value else no), value

    def phrase(self):
        text = self.fill(self.expand(self.rng.choice(words.PHRASES)), {})
        return text, text

    def value(self, field):
        if field in ("person", "city", "names", "title", "email", "date",
                     "time", "quantity", "temperature", "price", "phrase"):
            return getattr(self, field)()
        if field == "word":
            return self.name_word()
        if field in RANGES:
            return self.number(*RANGES[field])
        if field in FLAGS:
            return self.flag(*FLAGS[field])
        return self.one_of(ENUMS[field])

    # ---- sentences ----

    def expand(self, template):
        return re.sub(r"\[([^\]]*)\]",
                      lambda m: self.rng.choice(m[1].split("|")), template)

    def template(self, listed):
        """One of the set, its choices made."""
        return self.of_set(lambda: self.expand(self.rng.choice(listed)),
                           TEMPLATE_PARTS)

    def fill(self, template, fields):
        """The sentence; fields of no name get values of their own."""
        def put(match):
            name = match[1]
            if name in pronouns:
                return pronouns[name]
            if name not in fields:
                fields[name] = self.value(name)
            return fields[name][0]
        he = self.rng.choice(("he", "she"))
        pronouns = {"he": he, "He": he.capitalize(),
                    "His": "His" if he == "he" else "Her"}
        return re.sub(r"\{(\w+)\}", put, template)


RANGES = {"age": (2, 99), "year": (1900, 2029), "pages": (40, 990),
          "minutes": (1, 180)}
FLAGS = {"paid": (["has paid", "paid already", "has already paid"],
                  ["has not paid", "still has to pay", "did not pay yet"]),
         "vaccinated": (["is vaccinated", "has been vaccinated"],
                        ["is not vaccinated", "has not been vaccinated"]),
         "on": (["on"], ["off"])}
ENUMS = {"job": words.JOBS, "item": words.ITEMS, "animal": words.ANIMALS,
         "weather": words.WEATHER, "event": words.EVENTS, "room": words.ROOMS,
         "colour": words.COLOURS, "currency": words.CURRENCIES}
# Those that a schema lists; the others are any text there.
LISTED = ("animal", "weather", "event", "room", "colour", "currency")


def field_schema(field):
    if field in FLAGS:
        return {"type": "boolean"}
    if field in RANGES or field in ("quantity", "temperature"):
        return {"type": "integer"}
    if field == "price":
        return {"type": "number"}
    if field == "names":
        return {"type": "array", "items": {"type": "string"}, "minItems": 1,
                "maxItems": 8}
    if field in LISTED:
        return {"enum": ENUMS[field]}
    if field in ("date", "email"):
        return {"type": "string", "format": field}
    if field == "time":
        return {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"}
    return {"type": "string"}


def object_schema(fields, longest=None):
    """fields: key -> field. longest: of plain texts."""
    properties = {k: field_schema(f) for k, f in fields.items()}
    for schema in properties.values():
        text = schema.get("items", schema)
        if longest and text == {"type": "string"}:
            text["maxLength"] = longest
    return {"type": "object", "properties": properties,
            "required": list(fields), "additionalProperties": False}


def tool_definition(name):
    fields, description, _ = words.TOOLS[name]
    return {"type": "function", "function": {
        "name": name, "description": description,
        "parameters": object_schema(fields)}}


# ---- tasks ----

def extraction(maker, is_told=None):
    """A sentence, and the object that it says. The keys are told by the
    prompt, or are those that the sentence has something for, mostly."""
    rng = maker.rng
    kind = words.KINDS[rng.choice(list(words.KINDS))]
    template = maker.template(kind["templates"])
    said = re.findall(r"\{(\w+)\}", template)
    keys = [k for k in kind["fields"] if k in said]
    values = {k: maker.value(kind["fields"][k]) for k in keys}
    sentence = maker.fill(template, dict(values))
    if is_told is None:
        is_told = rng.random() < 0.6
    if is_told or rng.random() < 0.35:
        keys = rng.sample(keys, rng.randint(1, len(keys)))
    messages = [{"role": "user", "content": sentence}]
    if is_told:
        ask = f"{rng.choice(words.ASKS)} {', '.join(keys)}."
        if rng.random() < 0.5:
            messages.insert(0, {"role": "system", "content": ask})
        else:
            messages[0]["content"] = f"{ask} {sentence}"
    else:
        messages[0]["content"] += rng.choice(words.HINTS)
    answer = {k: values[k][1] for k in keys}
    return {"task": "told" if is_told else "not told", "messages": messages,
            "schema": object_schema({k: kind["fields"][k] for k in keys}, 60),
            "expected": answer, "answer": json.dumps(answer)}


def call(maker):
    """A request, one or two tools, and the call of the right one."""
    rng = maker.rng
    name = rng.choice(list(words.TOOLS))
    fields, _, templates = words.TOOLS[name]
    template = maker.template(templates)
    values = {k: maker.value(f) for k, f in fields.items()}
    request = maker.fill(template, dict(values))
    offered = [name]
    if rng.random() < 0.4:
        others = [t for t in words.TOOLS if t != name]
        offered.insert(rng.randint(0, 1), rng.choice(others))
    expected = {"name": name,
                "arguments": {k: v[1] for k, v in values.items()}}
    return {"task": "call", "messages": [{"role": "user", "content": request}],
            "tools": [tool_definition(t) for t in offered],
            "expected": expected,
            "answer": f"<tool_call>\n{json.dumps(expected)}\n</tool_call>"}


def task(seed, held, calls=0.2):
    """The task of a seed, any text or number."""
    maker = Maker(random.Random(f"weir {seed}"), held)
    is_call = maker.rng.random() < calls
    return call(maker) if is_call else extraction(maker)


# ---- ChatML ----

def prompt_text(it):
    """The conversation up to where the answer begins."""
    messages = it["messages"]
    out = ""
    if it.get("tools"):
        lines = "".join("\n" + json.dumps(t) for t in it["tools"])
        out += (f"<|im_start|>system\n{TOOLS_BEFORE}{lines}{TOOLS_AFTER}"
                "<|im_end|>\n")
    for message in messages:
        out += (f"<|im_start|>{message['role']}\n{message['content']}"
                "<|im_end|>\n")
    return out + "<|im_start|>assistant\n"


def main():
    parser = argparse.ArgumentParser(description="prints tasks as JSON lines")
    parser.add_argument("count", type=int)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--text", action="store_true",
                        help="as the model sees them")
    parser.add_argument("--seed", default="0")
    options = parser.parse_args()
    for i in itertools.islice(itertools.count(), options.count):
        it = task(f"{options.seed} {i}", options.held_out)
        print(prompt_text(it) + it["answer"] if options.text
              else json.dumps(it))


if __name__ == "__main__":
    main()
