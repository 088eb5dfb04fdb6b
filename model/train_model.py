"""Trains the demonstration model on one processor.

    python train_model.py TOKENIZER.json OUT.pt [--steps 5000] [--resume CKPT]

Each step has tasks of its own (task_data.py), told by the step's number: a run
that is resumed goes on as if it had not stopped. Only answers count. Matrices
are trained by Muon (momentum made orthogonal by Newton-Schulz iterations), the
embedding and norms by Adam; the rate is constant, then falls to zero.
"""
import argparse
import math
import os
import re
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import torch  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402
from torch.nn import functional as F  # noqa: E402

import copy_start  # noqa: E402
import llama_net  # noqa: E402
import task_data  # noqa: E402

MOST_TOKENS = 3000  # of a part of a batch, with padding


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.95):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @staticmethod
    def orthogonal(g):
        a, b, c = 3.4445, -4.7750, 2.0315
        is_tall = g.shape[0] > g.shape[1]
        x = g.T if is_tall else g
        x = x / (x.norm() + 1e-7)
        for _ in range(5):
            s = x @ x.T
            x = a * x + (b * s + c * (s @ s)) @ x
        return x.T if is_tall else x

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["speed"] = torch.zeros_like(p)
                speed = state["speed"]
                speed.lerp_(p.grad, 1 - group["momentum"])
                g = p.grad.lerp(speed, group["momentum"])
                scale = math.sqrt(max(1, p.shape[0] / p.shape[1]))
                p.add_(self.orthogonal(g), alpha=-group["lr"] * scale)


def encode(tokenizer, tasks):
    """Token ids of prompt and answer, and where the answer begins."""
    end = tokenizer.token_to_id("<|im_end|>")
    prompts = tokenizer.encode_batch([task_data.prompt_text(t) for t in tasks])
    answers = tokenizer.encode_batch([t["answer"] for t in tasks])
    return sorted(((p.ids + a.ids + [end], len(p.ids))
                   for p, a in zip(prompts, answers)),
                  key=lambda pair: len(pair[0]))


def parts(encoded):
    """Padded batches of texts of like length."""
    part = []
    for pair in encoded:
        if part and (len(part) + 1) * len(pair[0]) > MOST_TOKENS:
            yield part
            part = []
        part.append(pair)
    yield part


def answers_of(net, part):
    """Logits of the answers' tokens, those tokens, and whose they are."""
    length = max(len(ids) for ids, _ in part) - 1
    inputs = torch.zeros(len(part), length, dtype=torch.long)
    rows, columns, wanted = [], [], []
    for i, (ids, begin) in enumerate(part):
        inputs[i, :len(ids) - 1] = torch.tensor(ids[:-1])
        rows += [i] * (len(ids) - begin)
        columns += range(begin - 1, len(ids) - 1)
        wanted += ids[begin:]
    rows = torch.tensor(rows)
    states = net(inputs)[rows, torch.tensor(columns)]
    return net.logits(states), torch.tensor(wanted), rows


@torch.no_grad()
def evaluate(net, tokenizer, held, count):
    """By kind of task: the share of answers that greedy decoding without a
    constraint would get right to the last token."""
    found = {}
    tasks = [task_data.task(f"check {i}", held) for i in range(count)]
    for kind in ("told", "not told", "call"):
        right = total = 0
        chosen = [t for t in tasks if t["task"] == kind]
        for part in parts(encode(tokenizer, chosen)):
            logits, wanted, rows = answers_of(net, part)
            wrong = set(rows[logits.argmax(-1) != wanted].tolist())
            right += len(part) - len(wrong)
            total += len(part)
        found[kind] = round(right / total, 3)
    return found


def rate(step, options):
    """The share of the full rate."""
    fall = options.decay * options.steps
    return min(1, (step + 1) / 30, (options.steps - step) / max(fall, 1))


def careful(step):
    """The same for what copy_start.py has prepared, until it is of use."""
    return min(1, max(0.05, step / 1000))


def optimizers(net, options):
    def is_prepared(name):
        return re.match(r"[01]\.attn_", name) is not None

    matrices = [(n, p) for n, p in net.blk.named_parameters() if p.dim() == 2]
    others = [net.token_embd.weight] + [p for p in net.parameters()
                                        if p.dim() == 1]
    return [Muon([p for n, p in matrices if not is_prepared(n)], options.lr),
            Muon([p for n, p in matrices if is_prepared(n)], options.lr),
            torch.optim.Adam(others, options.lr, betas=(0.9, 0.95))]


def train(net, tokenizer, options):
    opts = optimizers(net, options)
    first = 0
    if options.resume:
        saved = torch.load(options.resume)
        net.load_state_dict(saved["net"])
        for o, state in zip(opts, saved["opts"]):
            o.load_state_dict(state)
        first = saved["step"]
    start, losses = time.time(), []
    for step in range(first, options.steps):
        calls = options.calls if step >= options.calls_from else 0
        tasks = [task_data.task(f"{options.seed} {step} {i}", False, calls)
                 for i in range(options.batch)]
        encoded = encode(tokenizer, tasks)
        total = sum(len(ids) - begin for ids, begin in encoded)
        loss = 0
        for part in parts(encoded):
            logits, wanted, _ = answers_of(net, part)
            share = F.cross_entropy(logits, wanted, reduction="sum") / total
            share.backward()
            loss += share.item()
        rates = [options.lr, options.lr * careful(step), options.lr * 0.4]
        for o, lr in zip(opts, rates):
            o.param_groups[0]["lr"] = lr * rate(step, options)
            o.step()
            o.zero_grad()
        losses.append(loss)
        done = step + 1
        if done % 20 == 0:
            print(f"step {done} loss {sum(losses) / len(losses):.4f} "
                  f"{time.time() - start:.0f} s", flush=True)
            losses = []
        if done % options.every == 0 or done == options.steps:
            print(f"step {done} held out {evaluate(net, tokenizer, True, 250)}"
                  f" seen {evaluate(net, tokenizer, False, 120)}", flush=True)
            torch.save({"net": net.state_dict(), "step": done,
                        "shape": net.shape,
                        "opts": [o.state_dict() for o in opts]}, options.out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tokenizer")
    parser.add_argument("out")
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--decay", type=float, default=0.6,
                        help="share of the steps in which the rate falls")
    parser.add_argument("--calls", type=float, default=0.12,
                        help="share of tasks that are calls of tools")
    parser.add_argument("--calls-from", type=int, default=200,
                        help="step from which on there are calls of tools")
    parser.add_argument("--every", type=int, default=250)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--resume")
    for name in ("width", "layers", "heads", "kv_heads", "hidden"):
        parser.add_argument("--" + name.replace("_", "-"), type=int,
                            default=llama_net.SHAPE[name])
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(1)
    tokenizer = Tokenizer.from_file(options.tokenizer)
    shape = dict(llama_net.SHAPE, vocab=tokenizer.get_vocab_size())
    for name in ("width", "layers", "heads", "kv_heads", "hidden"):
        shape[name] = getattr(options, name)
    net = llama_net.Net(shape)
    copy_start.prepare(net)
    print(f"{sum(p.numel() for p in net.parameters())} numbers", flush=True)
    train(net, tokenizer, options)


if __name__ == "__main__":
    main()
