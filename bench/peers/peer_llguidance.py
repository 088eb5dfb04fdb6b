"""llguidance through its Python API; see peer_kit.py. JSON with its default
blanks, masks written straight into a row."""
import llguidance
import numpy
import peer_kit


class Llguidance(peer_kit.Peer):
    name, version = "llguidance", llguidance.__version__
    overhead_of = "LLMatcher.is_error()"

    def __init__(self, tokenizer, width, stops):
        self.tokenizer = llguidance.LLTokenizer(tokenizer, n_vocab=width,
                                                eos_token=stops)
        self.row = numpy.zeros((width + 31) // 32, dtype=numpy.int32)

    def compile(self, kind, source, root):
        if kind != "json_schema":
            raise ValueError(f"no {kind}")
        grammar = llguidance.LLMatcher.grammar_from_json_schema(source)
        matcher = llguidance.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def matcher(self, grammar):
        matcher = grammar.deep_copy()
        write, at, size = (matcher.unsafe_compute_mask_ptr,
                           self.row.ctypes.data, self.row.nbytes)
        return (lambda: write(at, size), matcher.consume_token,
                matcher.is_accepting)

    def overhead(self):
        return llguidance.LLMatcher(
            self.tokenizer, llguidance.LLMatcher.grammar_from_json_schema("{}"),
            log_level=0).is_error


peer_kit.serve(Llguidance)
