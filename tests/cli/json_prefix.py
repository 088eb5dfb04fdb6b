"""A JSON text read byte by byte: what the tests expect of --json-object and
--json-value, written from RFC 8259 and the project's rules, apart from weir:

- no blanks before or after the value, runs of up to 128 between its parts;
- strings are well-formed UTF-8; an escaped surrogate stands in a pair.

A state is None (refused) or (mode, detail, stack). stack: "{" and "[" that are
open, outermost first.
"""
BLANKS = b" \t\n\r"
LITERALS = {b"t"[0]: b"rue", b"f"[0]: b"alse", b"n"[0]: b"ull"}
DIGITS = b"0123456789"
HEX = b"0123456789abcdefABCDEF"
MAX_RUN = 128


def start(only_object):
    return ("top", "{" if only_object else "", "")


def is_complete(state):
    if state is None or state[2]:
        return False
    mode, detail = state[:2]
    return mode == "done" or (mode == "number" and
                              detail in ("zero", "int", "fraction", "power"))


def step(state, byte):
    """The state after one byte more."""
    if state is None:
        return None
    mode, detail, stack = state
    return MODES[mode](byte, detail, stack)


def run(state, data):
    for byte in data:
        state = step(state, byte)
        if state is None:
            return None
    return state


# ---- values ----------------------------------------------------------------

def value(byte, stack):
    if byte == b'"'[0]:
        return ("string", "value", stack)
    if byte == b"{"[0]:
        return ("blank", ("key or }", 0), stack + "{")
    if byte == b"["[0]:
        return ("blank", ("value or ]", 0), stack + "[")
    if byte in LITERALS:
        return ("literal", LITERALS[byte], stack)
    if byte == b"-"[0]:
        return ("number", "minus", stack)
    if byte == b"0"[0]:
        return ("number", "zero", stack)
    if byte in DIGITS:
        return ("number", "int", stack)
    return None


def after_value(stack):
    return ("blank", ("comma or end", 0), stack) if stack else ("done", "", "")


def top(byte, only, stack):
    if only and byte != only.encode()[0]:
        return None
    return value(byte, stack)


def done(byte, detail, stack):
    return None


def blank(byte, detail, stack):
    """Between the parts of a value; detail: what is expected, and how many
    blanks there have been."""
    expected, count = detail
    if byte in BLANKS:
        return ("blank", (expected, count + 1), stack) \
            if count < MAX_RUN else None
    char = chr(byte)
    if char == "}" and expected in ("key or }", "comma or end") \
            and stack[-1] == "{":
        return after_value(stack[:-1])
    if char == "]" and expected in ("value or ]", "comma or end") \
            and stack[-1] == "[":
        return after_value(stack[:-1])
    if expected == "comma or end":
        then = "key" if stack[-1] == "{" else "value"
        return ("blank", (then, 0), stack) if char == "," else None
    if expected in ("key", "key or }"):
        return ("string", "key", stack) if char == '"' else None
    if expected == "colon":
        return ("blank", ("value", 0), stack) if char == ":" else None
    return value(byte, stack)


def literal(byte, rest, stack):
    if byte != rest[0]:
        return None
    return ("literal", rest[1:], stack) if rest[1:] else after_value(stack)


# by state: what a digit, '0', '.', 'e', a sign lead to
NUMBER = {
    "minus": {"digit": "int", "0": "zero"},
    "zero": {".": "point", "e": "e"},
    "int": {"digit": "int", "0": "int", ".": "point", "e": "e"},
    "point": {"digit": "fraction", "0": "fraction"},
    "fraction": {"digit": "fraction", "0": "fraction", "e": "e"},
    "e": {"digit": "power", "0": "power", "sign": "sign"},
    "sign": {"digit": "power", "0": "power"},
    "power": {"digit": "power", "0": "power"},
}


def number(byte, detail, stack):
    char = chr(byte)
    kind = "0" if char == "0" else "digit" if byte in DIGITS else \
        "e" if char in "eE" else "sign" if char in "+-" else char
    then = NUMBER[detail].get(kind)
    if then:
        return ("number", then, stack)
    if detail in ("zero", "int", "fraction", "power") and stack:
        return blank(byte, ("comma or end", 0), stack)
    return None


# ---- strings ---------------------------------------------------------------

# detail: the string's role; in the middle of a character or an escape, a pair
# of that and what is missing.

def string(byte, role, stack):
    if byte == b'"'[0]:
        return after_value(stack) if role == "value" else \
            ("blank", ("colon", 0), stack)
    if byte == b"\\"[0]:
        return ("escape", (role, ""), stack)
    if byte < 0x20:
        return None
    if byte < 0x80:
        return ("string", role, stack)
    if not 0xC2 <= byte <= 0xF4:
        return None
    low = {0xE0: 0xA0, 0xF0: 0x90}.get(byte, 0x80)
    high = {0xED: 0x9F, 0xF4: 0x8F}.get(byte, 0xBF)
    left = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
    return ("inside", (role, left, low, high), stack)


def inside(byte, detail, stack):
    role, left, low, high = detail
    if not low <= byte <= high:
        return None
    if left == 1:
        return ("string", role, stack)
    return ("inside", (role, left - 1, 0x80, 0xBF), stack)


def escape(byte, detail, stack):
    """detail: the role, and the hexadecimal digits of the surrogate before."""
    role, before = detail
    if byte == b"u"[0]:
        return ("hex", (role, before, ""), stack)
    if before or byte not in b'"\\/bfnrt':
        return None
    return ("string", role, stack)


def hexadecimal(byte, detail, stack):
    role, before, digits = detail
    if byte not in HEX:
        return None
    digits += chr(byte).lower()
    is_low = len(digits) > 1 and digits[0] == "d" and digits[1] in "cdef"
    if before and (digits[0] != "d" or (len(digits) > 1 and not is_low)):
        return None
    if not before and is_low:
        return None
    if len(digits) < 4:
        return ("hex", (role, before, digits), stack)
    is_high = digits[0] == "d" and digits[1] in "89ab"
    return ("pair", (role, digits), stack) if is_high else \
        ("string", role, stack)


def pair(byte, detail, stack):
    return ("escape", detail, stack) if byte == b"\\"[0] else None


MODES = {"top": top, "done": done, "blank": blank, "literal": literal,
         "number": number, "string": string, "inside": inside,
         "escape": escape, "hex": hexadecimal, "pair": pair}
