"""What the grammars of make-grammars are made of: expressions that can be
written as a regular expression or in EBNF, and that can make up texts of
their language, so that a text is valid by construction.

    L("text")         the text
    C("a-z_")         one character of a class, written as both languages have it;
                      no negated one has control characters
    S(x, y, ...)      one after the other
    A(x, y, ...)      one of them; the first must end without recursion
    R(x, lo, hi)      lo to hi times; hi None: any number
    W(x, [text ...])  x, of which texts have only these: what people would write
    N("rule")         a rule of the grammar, EBNF only
"""
DEEP = 7  # from here on a text takes the first of all alternatives

REGEX_SPECIAL = set("\\^$.|?*+()[]{}/")
ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


class L:
    def __init__(self, text):
        self.text = text

    def regex(self):
        return "".join("\\" + c if c in REGEX_SPECIAL else ESCAPES.get(c, c)
                       for c in self.text)

    def ebnf(self):
        return '"' + "".join("\\" + c if c in '"\\' else ESCAPES.get(c, c)
                             for c in self.text) + '"'

    def sample(self, rng, rules, depth):
        return self.text

    def is_atom(self, language):
        return language == "ebnf" or len(self.text) == 1


class C:
    def __init__(self, members):
        self.members = members

    def regex(self):
        return "[" + self.members + "]"

    ebnf = regex

    def sample(self, rng, rules, depth):
        text, chars, i = self.members, [], 0
        assert text[0] != "^", "negated classes need W"
        while i < len(text):
            if text[i] == "\\":
                i += 1
                chars.append({"n": "\n", "t": "\t"}.get(text[i], text[i]))
            elif i + 2 < len(text) and text[i + 1] == "-":
                chars += map(chr, range(ord(text[i]), ord(text[i + 2]) + 1))
                i += 2
            else:
                chars.append(text[i])
            i += 1
        return rng.choice(chars)

    def is_atom(self, language):
        return True


class Group:
    def __init__(self, *parts):
        self.parts = [L(p) if isinstance(p, str) else p for p in parts]

    def is_atom(self, language):
        return False


def bracketed(text, language):
    return f"(?:{text})" if language == "regex" else f"({text})"


def wrapped(node, language):
    """As one thing, which a repeat can follow."""
    text = getattr(node, language)()
    return text if node.is_atom(language) else bracketed(text, language)


def in_a_row(node, language):
    """As a part of a sequence."""
    inner = node
    while isinstance(inner, W) or (isinstance(inner, S)
                                   and len(inner.parts) == 1):
        inner = inner.parts[0]
    text = getattr(node, language)()
    return bracketed(text, language) if isinstance(inner, A) else text


class S(Group):
    def write(self, language):
        return (" " if language == "ebnf" else "").join(
            in_a_row(p, language) for p in self.parts)

    def regex(self):
        return self.write("regex")

    def ebnf(self):
        return self.write("ebnf")

    def sample(self, rng, rules, depth):
        return "".join(p.sample(rng, rules, depth) for p in self.parts)


class A(Group):
    def regex(self):
        return "|".join(p.regex() for p in self.parts)

    def ebnf(self):
        return " | ".join(p.ebnf() for p in self.parts)

    def sample(self, rng, rules, depth):
        part = self.parts[0] if depth > DEEP else rng.choice(self.parts)
        return part.sample(rng, rules, depth)


class R(Group):
    def __init__(self, part, lo, hi=None):
        super().__init__(part)
        self.lo, self.hi = lo, hi

    def write(self, language):
        mark = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get(
            (self.lo, self.hi))
        if mark is None:
            hi = "" if self.hi is None else self.hi
            mark = (f"{{{self.lo}}}" if self.lo == self.hi
                    else f"{{{self.lo},{hi}}}")
        return wrapped(self.parts[0], language) + mark

    def regex(self):
        return self.write("regex")

    def ebnf(self):
        return self.write("ebnf")

    def sample(self, rng, rules, depth):
        hi = self.lo + 3 if self.hi is None else min(self.hi, self.lo + 8)
        count = self.lo if depth > DEEP else rng.randint(self.lo, hi)
        return "".join(self.parts[0].sample(rng, rules, depth)
                       for _ in range(count))


class W(Group):
    def __init__(self, part, texts):
        super().__init__(part)
        self.texts = list(texts)

    def regex(self):
        return self.parts[0].regex()

    def ebnf(self):
        return self.parts[0].ebnf()

    def is_atom(self, language):
        return self.parts[0].is_atom(language)

    def sample(self, rng, rules, depth):
        return rng.choice(self.texts)


class N:
    def __init__(self, name):
        self.name = name

    def ebnf(self):
        return self.name

    def sample(self, rng, rules, depth):
        return rules[self.name].sample(rng, rules, depth + 1)

    def is_atom(self, language):
        return True


def opt(*parts):
    return R(S(*parts) if len(parts) > 1 else parts[0], 0, 1)


def many(*parts):
    return R(S(*parts) if len(parts) > 1 else parts[0], 0)


def listed(item, separator, lo=1, hi=None):
    """lo to hi items with the separator between them."""
    return S(item, R(S(separator, item), lo - 1,
                     None if hi is None else hi - 1))


def ebnf_text(rules):
    """The first rule is the root."""
    return "".join(f"{name} ::= {node.ebnf()}\n"
                   for name, node in rules.items())
