#!/usr/bin/env python3
"""Texts and what the reference tokenizers make of them, for
tests/unit/encode_reference_test.c.

    make-encoder-cases.py OUT VOCABS [--strings N] [--seed S] [NAME ...]

VOCABS/NAME/package/models/tokenizer.json or VOCABS/NAME/tokenizer.json are
read; OUT/NAME.cases is written for each. OUT/pretoken.cases is for the
pre-tokenizers alone. Small tokenizers are trained for what the real ones do
not have, as OUT/small_NAME/tokenizer.json and OUT/small_NAME.cases; so are
SentencePiece models, as OUT/spm_NAME/tokenizer.model, where that package is
installed. Needs the package tokenizers as pinned in scripts/requirements.txt.

A .cases file is little-endian: the 8 bytes "WEIRENC1", then u32 count, then
per case: u32 bytes, the text, u32 n, n ids with special tokens parsed, u32 m,
m ids without; m = 0xFFFFFFFF where the two are equal, n = 0xFFFFFFFF where the
reference has no special tokens in texts. pretoken.cases has the
8 bytes "WEIRPRE1", u32 count, then per case: u32 kind (enum PretokenKind),
u32 bytes, the text, u32 n, the ends of the n words.
"""

import argparse
import array
import io
import json
import pathlib
import random
import struct
import sys
import unicodedata

from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models,
                        normalizers, pre_tokenizers, trainers)

try:
    import sentencepiece
except ImportError:
    sentencepiece = None

NAMES = 'llama3 qwen3 gemma3 gpt4o gptoss deepseek_v3 llama2'.split()

# ---- characters ----------------------------------------------------------

# The reference's tables are Unicode 16's, the library's Unicode 17's. These
# are the code points whose category differs between the two.
CHANGED = '''295 88F C5C CDC 1ACF-1ADD 1AE0-1AEB 20C1 2B96 A7CE-A7CF A7D2 A7D4
A7F1 FBC3-FBD2 FD90-FD91 FDC8-FDCE 10940-10959 10EC5-10EC7 10ED0-10ED8
10EFA-10EFB 11B60-11B67 11DB0-11DDB 11DE0-11DE9 16EA0-16EB8 16EBB-16ED3
16FF2-16FF6 187F8-187FF 18D09-18D1E 18D80-18DF2 1CCFA-1CCFC 1CEBA-1CED0
1CEE0-1CEF0 1E6C0-1E6DE 1E6E0-1E6F5 1E6FE-1E6FF 1F6D8 1F777-1F77A 1F8D0-1F8D8
1FA54-1FA57 1FA8A 1FA8E 1FAC8 1FACD 1FAEA 1FAEF 1FBFA 2B73A-2B73F 2CEA2-2CEAD
323B0-33479'''


def code_points(text):
    for part in text.split():
        lo, _, hi = part.partition('-')
        yield from range(int(lo, 16), int(hi or lo, 16) + 1)


CHANGED_SET = set(code_points(CHANGED))
BY_CATEGORY = {}
for code in range(0x110000):
    if 0xD800 <= code < 0xE000 or code in CHANGED_SET:
        continue
    BY_CATEGORY.setdefault(unicodedata.category(chr(code)), []).append(code)

BLOCKS = [list(code_points(block)) for block in '''20-7E A1-24F 250-2AF
    300-36F 370-3FF 400-4FF 531-587 5D0-5EA 600-6FF 900-97F 980-9FF B80-BFF
    E01-E5B E81-EDF F40-FBC 1000-109F 10A0-10FF 1100-11FF 1200-137F 13A0-13FF
    1780-17FF 1E00-1EFF 1F00-1FFF 2000-206F 2070-209F 20A0-20BF 2100-214F
    2150-218F 2190-21FF 2200-22FF 2500-257F 2600-26FF 3000-303F 3041-3096
    30A0-30FF 3105-312F 3131-318E 4E00-4FFF 9F00-9FFF AC00-AFFF D700-D7A3
    F900-FAFF FB00-FB06 FE70-FEFC FF01-FF9F 10000-1005D 10400-1044F
    12000-12399 13000-1342E 1D400-1D4FF 1F300-1F64F 1F900-1F9FF 20000-2005F'''
          .split()]
BLOCKS = [[c for c in block if c not in CHANGED_SET] for block in BLOCKS]

SPACES = [' ', ' ', ' ', '\n', '\n', '\t', '\r', '\r\n', '\v', '\f', '\x85',
          '\xa0', '\u1680', '\u2003', '\u2028', '\u2029', '\u202f', '\u3000']
EMOJI = ['😀', '👍🏽', '👩‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪🇫🇷', '1️⃣', '❤️', '☕', '🧑🏿‍🚀', '✈', '🫠', '⌚️', '©',
         '#️⃣', '👁️‍🗨️', '🏴\U000e0067\U000e0062\U000e007f', '\u200d', '\ufe0f']
CONTRACTIONS = "'s 't 're 've 'm 'll 'd 'S 'T 'RE 'Ve 'M 'lL 'D 'ſ 'x '' 'r " \
    "'l 'v 'Re's 'LLM 'sS ’s ’ll".split()
SENTENCES = [
    'The quick brown fox jumps over the lazy dog', "I'm sure they'll say we've",
    'Größere Übung für süße Bären', 'Ça va? Où est l’hôtel, s’il vous plaît',
    'Съешь ещё этих мягких французских булок', 'Ξεσκεπάζω την ψυχοφθόρα',
    'いろはにほへと ちりぬるを', 'カタカナとひらがなと漢字が混ざる文', '中文分词测试，没有空格',
    '한국어 문장을 나누어 봅시다', 'שלום עולם טקסט', 'مرحبا بالعالم كيف الحال', 'नमस्ते दुनिया कैसे हो',
    'สวัสดีชาวโลก', 'xin chào thế giới Việt Nam', 'İstanbul’da ılık bir gün', 'ǅungla Ǆ ǆ',
    'Příliš žluťoučký kůň', 'გამარჯობა მსოფლიო', 'ሰላም ልዑል', 'வணக்கம் உலகம்', 'ABCdefGHI camelCase '
    'HTTPServer XMLHttpRequest iPhone McDonald', 'x²+y₂=½ Ⅷ ①②③ ٣٤٥ ४५६ 10⁶']
CODE = [
    'int main(void)\n{\n    return 0;\n}\n', 'for (i = 0; i < n; i++)\n\t\tsum += a[i];',
    'def f(x):\n    return [y for y in x if y != 0]\n\n\n', '// a comment/\r\n',
    'SELECT * FROM "t" WHERE a>=10 AND b<>\'x\';', '<div class="a-b">&nbsp;</div>',
    'https://example.org/a/b?c=d&e=%20#f', 'user.name+tag@example.com', 'C:\\dir\\file.txt',
    'let s = `a${b}c`;', '!=== >>>= ->* :: ... ** // /* */ <!-- -->', '$a[$i]["k"] = @$x;',
    '#!/bin/sh\nset -eu\n', '\\begin{equation} \\alpha_{i}^{2} \\end{equation}', '___init__ __a__',
    '| a | b |\n|---|---|\n', '```json\n{}\n```']
JSON = ['{"name": "weir", "values": [1, 2.5, -3e10, true, false, null]}',
        '{"a":{"b":[[],{}]}}', '[\n  {\n    "id": 1234567,\n    "s": "\\u00e9\\n"\n  }\n]',
        '"', '": "', '",\n  "', '}}]}', '{"}', '":[{"', '\\"', '"\\u2028"', '[1,2,3', ':0.125,"x":']


class Maker:
    """Random texts; `names` are added tokens, `words` the model's own."""

    def __init__(self, seed, names=(), words=()):
        self.random = random.Random(seed)
        self.names, self.words = list(names), list(words)
        self.kinds = [self.category, self.block, self.spaces, self.emoji,
                      self.contraction, self.sentence, self.code, self.json,
                      self.digits, self.marked, self.control, self.repeat,
                      self.cased, self.ascii]
        if self.names:
            self.kinds += [self.name, self.name]
        if self.words:
            self.kinds += [self.vocabulary] * 3

    def some(self, lo, hi):
        return range(self.random.randint(lo, hi))

    def pick(self, items):
        return self.random.choice(items)

    def category(self):
        one = BY_CATEGORY[self.pick(list(BY_CATEGORY))]
        return ''.join(chr(self.pick(one)) for _ in self.some(1, 4))

    def block(self):
        block = self.pick(BLOCKS)
        return ''.join(chr(self.pick(block)) for _ in self.some(1, 8))

    def spaces(self):
        if self.random.random() < 0.3:
            return self.pick(SPACES) * self.random.randint(1, 20)
        return ''.join(self.pick(SPACES) for _ in self.some(1, 5))

    def emoji(self):
        return ''.join(self.pick(EMOJI) for _ in self.some(1, 3))

    def contraction(self):
        return self.pick(['', 'he', 'WE', 'é', '1', ' ', 'ſ']) + \
            self.pick(CONTRACTIONS) + self.pick(['', 'x', ' ', '\n'])

    def cut(self, text):
        if self.random.random() < 0.3:
            return text
        i = self.random.randrange(len(text))
        return text[i:i + self.random.randint(1, 24)]

    def sentence(self):
        return self.cut(self.pick(SENTENCES))

    def code(self):
        return self.cut(self.pick(CODE))

    def json(self):
        return self.cut(self.pick(JSON))

    def digits(self):
        kinds = ['0123456789'] * 6 + ['٠١٢٣٤', '०१२३', '０１２', '²³¹½¾', 'ⅠⅡⅷ', '一二三']
        digits = self.pick(kinds)
        return ''.join(self.pick(digits) for _ in self.some(1, 9)) + \
            self.pick(['', '.', ',', 'e', '%', ' ', '-'])

    def marked(self):
        text = ''
        for _ in self.some(1, 4):
            text += self.pick('aeoAEOكबกあ가 -\u0915\u1100\u1161')
            for _ in self.some(0, 3):
                text += chr(self.pick(BY_CATEGORY[self.pick(['Mn', 'Mn', 'Mc', 'Me'])]
                                      if self.random.random() < 0.3
                                      else range(0x300, 0x345)))
        return text

    def control(self):
        return ''.join(chr(self.pick(BY_CATEGORY['Cc'] + BY_CATEGORY['Cf']
                                     + [0xFFFD, 0xFFFE, 0x10FFFF, 0xE000, 0]))
                       for _ in self.some(1, 3))

    def repeat(self):
        text = self.pick(['a', 'ab', '=', '-', '*', ' ', '\n', 'ha', '0', '。', 'ア', '\t', '#',
                          '\u2581', 'é', '/', '\r\n'])
        return text * self.random.randint(2, 40)

    def cased(self):
        pools = ['Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Nd', 'Po', 'Zs']
        return ''.join(chr(self.pick(BY_CATEGORY[self.pick(pools)])) if self.random.random() < 0.5
                       else self.pick("aBcDʰªǅ'1! \u0301文")
                       for _ in self.some(2, 8))

    def ascii(self):
        return ''.join(chr(self.random.randrange(128)) for _ in self.some(1, 12))

    def name(self):
        name = self.pick(self.names)
        chance = self.random.random()
        if chance < 0.15:
            name = name[:-1]
        elif chance < 0.25:
            name = name[1:]
        return self.pick(['', '', ' ', '  ', '\n', 'x']) + name + self.pick(['', '', ' ', '\n', 'x'])

    def vocabulary(self):
        return ''.join(self.pick(self.words) for _ in self.some(1, 4))

    def text(self):
        return ''.join(self.pick(self.kinds)() for _ in self.some(1, 9))


# ---- one tokenizer -------------------------------------------------------

def vocabulary_words(tokenizer, count):
    ids = random.Random(1).sample(range(tokenizer.get_vocab_size(False)), count)
    words = (tokenizer.decode([i], skip_special_tokens=False) for i in ids)
    return [w for w in words if w and '\ufffd' not in w
            and not CHANGED_SET.intersection(map(ord, w))]


def has_old_nfc(normalizer, text):
    """The reference composes by tables of Unicode 9: marks that came later
    are not reordered there."""
    return normalizer.normalize_str(text) != unicodedata.normalize('NFC', text)


SAME = struct.pack('<I', 0xFFFFFFFF)


def pack_ids(ids):
    words = array.array('I', ids)
    if sys.byteorder == 'big':
        words.byteswap()
    return struct.pack('<I', len(ids)) + words.tobytes()


def encode_all(tokenizer, texts, is_special):
    tokenizer.encode_special_tokens = not is_special
    return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]


def make_cases(name, vocabs, out, strings, seed):
    """Cases for VOCABS/name."""
    path = vocabs / name / 'package' / 'models' / 'tokenizer.json'
    if not path.exists():
        path = vocabs / name / 'tokenizer.json'
    if not path.exists():
        sys.exit(f'make-encoder-cases: no {name} in {vocabs}')
    tokenizer = Tokenizer.from_file(str(path))
    added = list(tokenizer.get_added_tokens_decoder().values())
    random.Random(2).shuffle(added)
    added = [t.content for t in sorted(added, key=lambda t: not t.special)[:200]]
    maker = Maker(f'{seed} {name}', added, vocabulary_words(tokenizer, 20000))
    print(name, end=': ')
    write_cases(tokenizer, maker, out / f'{name}.cases', strings)


def write_cases(tokenizer, maker, path, strings):
    texts = [maker.text() for _ in range(strings)]
    texts += [s for s in SENTENCES + CODE + JSON + EMOJI + CONTRACTIONS]
    if isinstance(tokenizer.normalizer, normalizers.NFC):
        texts = [t for t in texts if not has_old_nfc(tokenizer.normalizer, t)]
    with_special = encode_all(tokenizer, texts, True)
    without = encode_all(tokenizer, texts, False)
    parts = [b'WEIRENC1', struct.pack('<I', len(texts))]
    for text, a, b in zip(texts, with_special, without):
        data = text.encode()
        parts += [struct.pack('<I', len(data)), data, pack_ids(a),
                  SAME if a == b else pack_ids(b)]
    path.write_bytes(b''.join(parts))
    differ = sum(a != b for a, b in zip(with_special, without))
    print(f'{len(texts)} texts, {sum(map(len, with_special))} ids, '
          f'{differ} texts with special tokens')


# ---- small tokenizers ----------------------------------------------------

CORPUS = (SENTENCES + CODE + JSON) * 2 + [''.join(s.split(' ')) for s in SENTENCES]
BYTE_TOKENS = [f'<0x{byte:02X}>' for byte in range(256)]


def trained(model, trainer, normalizer=None, pre_tokenizer=None):
    tokenizer = Tokenizer(model)
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def bpe(unk=None, fuse=False, fallback=False, alphabet=1000, **steps):
    special = ([unk] if unk else []) + (BYTE_TOKENS if fallback else [])
    trainer = trainers.BpeTrainer(vocab_size=1500, special_tokens=special,
                                  limit_alphabet=alphabet, show_progress=False)
    tokenizer = trained(models.BPE(), trainer, **steps)
    data = json.loads(tokenizer.to_str())
    data['added_tokens'] = []
    data['model'].update(unk_token=unk, fuse_unk=fuse, byte_fallback=fallback)
    return Tokenizer.from_str(json.dumps(data))


def unigram(fallback=False, **steps):
    trainer = trainers.UnigramTrainer(vocab_size=1500, unk_token='<unk>',
                                      special_tokens=['<unk>'], show_progress=False)
    data = json.loads(trained(models.Unigram(), trainer, **steps).to_str())
    data['added_tokens'] = []
    # Files made from SentencePiece's have scores of 32 bits.
    for piece in data['model']['vocab']:
        piece[1] = struct.unpack('<f', struct.pack('<f', piece[1]))[0]
    if fallback:
        data['model']['vocab'] += [[name, -20.0] for name in BYTE_TOKENS]
        data['model']['byte_fallback'] = True
    return Tokenizer.from_str(json.dumps(data))


def with_added(tokenizer, normalized):
    tokenizer.add_tokens([
        AddedToken('<mask>', lstrip=True, normalized=normalized),
        AddedToken('<next>', rstrip=True, normalized=normalized),
        AddedToken('both', lstrip=True, rstrip=True, normalized=False),
        AddedToken('word', single_word=True, normalized=normalized),
        AddedToken('wordy', normalized=False),
        AddedToken('a b', normalized=normalized),
        AddedToken('é', single_word=True, normalized=normalized)])
    tokenizer.add_special_tokens([
        AddedToken('<s>', special=True), AddedToken('<s><s>', special=True),
        AddedToken('<mask><', special=True, single_word=True)])
    return tokenizer


def small_tokenizers():
    byte_level = pre_tokenizers.ByteLevel
    mark = normalizers.Sequence([normalizers.Prepend('▁'), normalizers.Replace(' ', '▁')])
    digits = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                      byte_level(add_prefix_space=False)])
    metaspace = pre_tokenizers.Metaspace
    yield 'gpt2', with_added(bpe(pre_tokenizer=byte_level(add_prefix_space=False)), False)
    yield 'prefix', with_added(bpe(pre_tokenizer=byte_level(add_prefix_space=True)), True)
    yield 'smollm', bpe(pre_tokenizer=digits)
    yield 'prepend', with_added(bpe(unk='<unk>', fallback=True, normalizer=mark), True)
    yield 'unknown', bpe(unk='<unk>', alphabet=60, normalizer=normalizers.Replace(' ', '▁'))
    yield 'fused', bpe(unk='<unk>', fuse=True, alphabet=60, normalizer=mark)
    yield 'dropped', bpe(alphabet=60, pre_tokenizer=metaspace(prepend_scheme='never'))
    yield 'nfc', with_added(bpe(pre_tokenizer=byte_level(add_prefix_space=False),
                                normalizer=normalizers.NFC()), True)
    for scheme in ('always', 'first', 'never'):
        yield f'metaspace_{scheme}', with_added(
            bpe(unk='<unk>', fuse=True, pre_tokenizer=metaspace(prepend_scheme=scheme)), True)
    yield 'metaspace_whole', bpe(
        unk='<unk>', pre_tokenizer=metaspace(prepend_scheme='first', split=False))
    yield 'unigram', with_added(unigram(pre_tokenizer=metaspace()), False)
    yield 'unigram_bytes', unigram(True, pre_tokenizer=metaspace(split=False))


def make_small(out, strings, seed):
    for name, tokenizer in small_tokenizers():
        if not isinstance(tokenizer.pre_tokenizer, pre_tokenizers.Metaspace):
            tokenizer.decoder = decoders.ByteLevel()
        if name in ('prepend', 'unknown', 'fused', 'unigram_bytes'):
            tokenizer.decoder = decoders.Sequence(
                [decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse()])
        if name.startswith(('metaspace', 'unigram', 'dropped')) and name != 'unigram_bytes':
            tokenizer.decoder = decoders.Metaspace()
        folder = out / f'small_{name}'
        folder.mkdir(exist_ok=True)
        tokenizer.save(str(folder / 'tokenizer.json'))
        added = [t.content for t in tokenizer.get_added_tokens_decoder().values()]
        maker = Maker(f'{seed} {name}', added * 2 + [' ', '▁'], added + ['a', ' ', 'x', 'é'])
        print(f'small_{name}', end=': ')
        write_cases(tokenizer, maker, out / f'small_{name}.cases', strings)


# ---- SentencePiece -------------------------------------------------------

SPM_MODELS = {
    'bpe': {'byte_fallback': True, 'user_defined_symbols': ['<user>'],
            'remove_extra_whitespaces': False},
    'bpe_collapse': {'vocab_size': 800},
    'bpe_no_prefix': {'byte_fallback': True, 'add_dummy_prefix': False,
                      'remove_extra_whitespaces': False},
    'unigram': {'byte_fallback': True, 'remove_extra_whitespaces': False},
    'unigram_collapse': {'vocab_size': 800, 'user_defined_symbols': ['<user>']},
}


def make_sentencepiece(out, strings, seed):
    for name, settings in SPM_MODELS.items():
        file = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(**{
            'sentence_iterator': iter(CORPUS * 2), 'model_writer': file,
            'model_type': name.split('_')[0], 'vocab_size': 1000,
            'normalization_rule_name': 'identity', 'hard_vocab_limit': False,
            'minloglevel': 2, **settings})
        folder = out / f'spm_{name}'
        folder.mkdir(exist_ok=True)
        (folder / 'tokenizer.model').write_bytes(file.getvalue())
        model = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
        maker = Maker(f'{seed} {name}', ['<s>', '</s>', '<unk>', '<user>', ' ', '▁'],
                      ['a', ' ', 'x'])
        texts = [maker.text().replace('\0', '') for _ in range(strings)]
        parts = [b'WEIRENC1', struct.pack('<I', len(texts))]
        for text in texts:
            data = text.encode()
            parts += [struct.pack('<I', len(data)), data, SAME, pack_ids(model.encode(text))]
        (out / f'spm_{name}.cases').write_bytes(b''.join(parts))
        print(f'spm_{name}: {len(texts)} texts')


# ---- pre-tokenizers alone ------------------------------------------------

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+" \
    r"|\s+(?!\S)|\s+"
WORD = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
HEAD, TAIL = r'[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]', r'[\p{Ll}\p{Lm}\p{Lo}\p{M}]'
PREFIX = r'[^\r\n\p{L}\p{N}]?'
END = r'| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+'
# By number in enum PretokenKind.
EXPRESSIONS = {
    3: [GPT2],
    4: [r'\p{N}', GPT2],
    5: [WORD + r'|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}' + REST],
    6: [WORD + r'|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}' + REST],
    7: [WORD + r'|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}'
        r'| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+'],
    8: [f'{PREFIX}{HEAD}*{TAIL}+{WORD}?|{PREFIX}{HEAD}+{TAIL}*{WORD}?'
        r'|\p{N}{1,3}' + END],
    9: [f'{PREFIX}{HEAD}*{TAIL}+|{PREFIX}{HEAD}+{TAIL}*' r'|\p{N}' + END],
    10: [r'\p{N}{1,3}', '[一-龥぀-ゟ゠-ヿ]+',
         '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+'
         '|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*'
         r'|\s*[\r\n]+|\s+(?!\S)|\s+'],
    # tiktoken's own, with \z for $ and without a + after {1,3}, for which this
    # engine has other meanings.
    11: [r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}"
         r'| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]|\s+(?!\S)|\s'],
}


def make_pretoken_cases(out, strings, seed):
    maker = Maker(f'{seed} pretoken')
    parts, count = [], 0
    for kind, expressions in EXPRESSIONS.items():
        splitter = pre_tokenizers.Sequence(
            [pre_tokenizers.Split(Regex(e), 'isolated') for e in expressions])
        for _ in range(strings):
            text = maker.text()
            ends, at = [], 0
            for word, _ in splitter.pre_tokenize_str(text):
                at += len(word.encode())
                ends.append(at)
            data = text.encode()
            parts += [struct.pack('<II', kind, len(data)), data, pack_ids(ends)]
            count += 1
    (out / 'pretoken.cases').write_bytes(
        b'WEIRPRE1' + struct.pack('<I', count) + b''.join(parts))
    print(f'pretoken: {count} texts')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('vocabs', type=pathlib.Path)
    parser.add_argument('names', nargs='*', default=NAMES)
    parser.add_argument('--strings', type=int, default=10000)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    make_pretoken_cases(options.out, options.strings // 4, options.seed)
    make_small(options.out, options.strings // 4, options.seed)
    if sentencepiece:
        make_sentencepiece(options.out, options.strings // 4, options.seed)
    for name in options.names:
        make_cases(name, options.vocabs, options.out, options.strings, options.seed)


if __name__ == '__main__':
    main()
