"""A network of llama's architecture, as GGUF files mean it: RMSNorm, rotation
of neighbouring pairs, grouped-query attention, SwiGLU, and an output matrix
that is the embedding."""
import math

import torch
from torch import nn
from torch.nn import functional as F

SHAPE = {"width": 192, "layers": 4, "heads": 6, "kv_heads": 3, "hidden": 512,
         "context": 1024, "vocab": 4096, "rope_base": 100000.0,
         "epsilon": 1e-5}


EMBEDDING_STD = 0.5


class Norm(nn.Module):
    def __init__(self, width, epsilon, start=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((width,), start))
        self.epsilon = epsilon

    def forward(self, x):
        scale = torch.rsqrt((x * x).mean(-1, keepdim=True) + self.epsilon)
        return x * scale * self.weight


def matrix(columns, rows, gain=1.0):
    linear = nn.Linear(columns, rows, bias=False)
    nn.init.normal_(linear.weight, std=gain / math.sqrt(columns))
    return linear


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.heads, self.kv_heads = s["heads"], s["kv_heads"]
        width, hidden = s["width"], s["hidden"]
        kv = width // self.heads * self.kv_heads
        self.attn_norm = Norm(width, s["epsilon"])
        self.attn_q = matrix(width, width)
        self.attn_k = matrix(width, kv)
        self.attn_v = matrix(width, kv)
        self.attn_output = matrix(width, width, 0)
        self.ffn_norm = Norm(width, s["epsilon"])
        self.ffn_gate = matrix(width, hidden)
        self.ffn_up = matrix(width, hidden)
        self.ffn_down = matrix(hidden, width, 0)

    def attention(self, x, turns, mask):
        rows, length, width = x.shape
        size = width // self.heads

        def heads_of(linear, count):
            return linear(x).view(rows, length, count, size)

        def turned(t):
            pairs = torch.view_as_complex(
                t.reshape(*t.shape[:-1], size // 2, 2))
            return torch.view_as_real(pairs * turns).flatten(-2)
        q = turned(heads_of(self.attn_q, self.heads)).transpose(1, 2)
        k = turned(heads_of(self.attn_k, self.kv_heads)).transpose(1, 2)
        v = heads_of(self.attn_v, self.kv_heads).transpose(1, 2)
        shared = self.heads // self.kv_heads
        k = k.repeat_interleave(shared, 1)
        v = v.repeat_interleave(shared, 1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(size) + mask
        mixed = torch.softmax(scores, -1) @ v
        return self.attn_output(mixed.transpose(1, 2).reshape(x.shape))

    def forward(self, x, turns, mask):
        x = x + self.attention(self.attn_norm(x), turns, mask)
        y = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(y)) * self.ffn_up(y))


class Net(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape["vocab"], shape["width"])
        nn.init.normal_(self.token_embd.weight, std=EMBEDDING_STD)
        self.blk = nn.ModuleList(Layer(shape) for _ in range(shape["layers"]))
        self.output_norm = Norm(shape["width"], shape["epsilon"],
                                0.05 / EMBEDDING_STD)
        size = shape["width"] // shape["heads"]
        angles = torch.outer(
            torch.arange(shape["context"]).float(),
            shape["rope_base"] ** (-torch.arange(0, size, 2).float() / size))
        self.turns = torch.polar(torch.ones_like(angles), angles)
        self.mask = torch.full((shape["context"], shape["context"]),
                               float("-inf")).triu(1)

    def forward(self, ids):
        """The normed states after each token; logits() of some of them."""
        length = ids.shape[1]
        x = self.token_embd(ids)
        turns = self.turns[:length, None]
        mask = self.mask[:length, :length]
        for layer in self.blk:
            x = layer(x, turns, mask)
        return self.output_norm(x)

    def logits(self, states):
        return states @ self.token_embd.weight.T
