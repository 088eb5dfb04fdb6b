"""outlines-core through its Python API; see peer_kit.py. A schema becomes a
regular expression, and that an index of all tokens in all its states, with
references unrolled to its default depth."""
import importlib.metadata

import numpy
import peer_kit
from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema


class Outlines(peer_kit.Peer):
    name = "outlines-core"
    version = importlib.metadata.version("outlines_core")
    overhead_of = "Guide.is_finished()"

    def __init__(self, tokenizer, width, stops):
        ids = {}
        for number, token in enumerate(peer_kit.read_tokens(tokenizer, width)):
            if token and number not in stops:
                ids.setdefault(token, []).append(number)
        self.vocabulary = Vocabulary(stops[0], ids)
        self.row = numpy.zeros((width + 31) // 32, dtype=numpy.int32)

    def compile(self, kind, source, root):
        if kind != "json_schema":
            raise ValueError(f"no {kind}")
        return Index(build_regex_from_schema(source), self.vocabulary)

    def matcher(self, grammar):
        guide = Guide(grammar)
        write, advance = guide.write_mask_into, guide.advance
        at, size = self.row.ctypes.data, self.row.size

        def take(number):
            try:
                advance(number, False)
                return True
            except ValueError:
                return False

        return lambda: write(at, size, 4), take, guide.is_finished

    def overhead(self):
        return Guide(Index("a", self.vocabulary)).is_finished


peer_kit.serve(Outlines)
