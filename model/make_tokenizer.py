"""Trains the demonstration model's tokenizer: byte-level BPE.

    python make_tokenizer.py OUT.json [--size 4096]

First merges within words, within runs of punctuation (with the blank before
them) and of line breaks: a name is the same tokens at the start of a sentence,
after a blank and after a quotation mark, so that copying it is copying tokens.
Then, behind them, a blank with each frequent small word of the sentences that
is one token already and no value: most blanks cost no token.

At run time texts are divided as Qwen 2's are, which every reader of GGUF
knows; no merge crosses a border of that division.
"""
import argparse
import collections
import json
import re

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from tokenizers import trainers

import task_data
import task_words

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
QWEN_2 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
          r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
TRAINING = r"\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+"
MOST_SMALL_WORDS = 400


def dividing(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def texts(count):
    for i in range(count):
        it = task_data.task(f"tokenizer {i}", False)
        text = task_data.prompt_text(it) + it["answer"]
        for name in SPECIAL:
            text = text.replace(name, "\n")
        yield text


def value_words():
    listed = set(task_words.NUMBERS)
    for enum in task_data.ENUMS.values():
        listed.update(enum)
    return {w.lower() for w in listed}


def small_words(count, known):
    """Frequent lower-case words after a blank that are one token."""
    seen = collections.Counter()
    for i in range(count):
        it = task_data.task(f"tokenizer {i}", False)
        seen.update(re.findall(r"(?<= )[a-z]+\b", task_data.prompt_text(it)))
    # The words of templates and formats alone: names are seldom the same.
    values = value_words()
    return [w for w, n in seen.most_common()
            if n >= 20 and w in known and w not in values]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--texts", type=int, default=60000)
    options = parser.parse_args()
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = dividing(TRAINING)
    trainer = trainers.BpeTrainer(
        vocab_size=options.size - MOST_SMALL_WORDS, special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False)
    tokenizer.train_from_iterator(texts(options.texts), trainer)
    data = json.loads(tokenizer.to_str())
    vocab, merges = data["model"]["vocab"], data["model"]["merges"]
    for word in small_words(options.texts, vocab)[:options.size - len(vocab)]:
        vocab["\u0120" + word] = len(vocab)
        merges.append(["\u0120", word])
    final = Tokenizer.from_str(json.dumps(data))
    final.pre_tokenizer = dividing(QWEN_2)
    final.decoder = decoders.ByteLevel()
    final.save(options.out)
    print(f"{len(vocab)} tokens, {len(merges)} merges")


if __name__ == "__main__":
    main()
