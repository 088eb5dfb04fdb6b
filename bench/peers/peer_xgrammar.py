"""xgrammar through the objects below its Python classes; see peer_kit.py.

Its package imports torch and transformers, gigabytes that measuring needs
nothing of: so the package's own first file is passed over, and its binding is
called directly, which is what its classes do one Python call later.
Any blanks, not strict, one thread, no cache.
"""
import importlib.metadata
import importlib.util
import sys
import types

import numpy
import peer_kit
import tvm_ffi


def binding():
    where = importlib.util.find_spec("xgrammar").submodule_search_locations
    package = types.ModuleType("xgrammar")
    package.__path__ = list(where)
    sys.modules["xgrammar"] = package
    importlib.import_module("xgrammar.load_binding")
    return importlib.import_module("xgrammar.tvm_ffi_binding")


core = binding()
RAW = 0  # VocabType: tokens are bytes


class Xgrammar(peer_kit.Peer):
    name, version = "xgrammar", importlib.metadata.version("xgrammar")
    overhead_of = "GrammarMatcher.is_terminated()"

    def __init__(self, tokenizer, width, stops):
        tokens = peer_kit.read_tokens(tokenizer, width)
        info = core.TokenizerInfo(tokens, RAW, width, stops, False)
        self.compiler = core.GrammarCompiler(info, 1, False, -1)
        self.array = numpy.zeros((1, (width + 31) // 32), dtype=numpy.int32)
        self.row = tvm_ffi.from_dlpack(self.array)

    def compile(self, kind, source, root):
        if kind == "gbnf":
            return self.compiler.compile_grammar_from_strings(source, root)
        return self.compiler.compile_json_schema(source, True, None, None,
                                                 False, None, False)

    def matcher(self, grammar):
        matcher = core.GrammarMatcher(grammar, None, False, -1, None)
        write, accept, row = (matcher.fill_next_token_bitmask,
                              matcher.accept_token, self.row)
        return (lambda: write(row, 0, False), lambda id: accept(id, False),
                matcher.is_completed)

    def overhead(self):
        grammar = self.compile("json_schema", '{"type":"null"}', "")
        return core.GrammarMatcher(grammar, None, False, -1,
                                   None).is_terminated


peer_kit.serve(Xgrammar)
