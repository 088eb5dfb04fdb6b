"""Starting weights with which copying is learnt sooner.

An induction head writes what followed an earlier place like this one. It takes
two layers: heads of the first look one and two tokens back and put what they
see into parts of the state of their own; heads of the second look for places
where that is the token at hand, and write the token that stands there. Left to
chance such pairs need many steps to form; here they are there at the start,
weakly, and training does the rest.

A basis of the state, chosen at random, is cut into parts: the first of them
are read from a token's embedding, the others are written by the heads that
look back. One number of each embedding is the same for all tokens: from it the
first layer's heads make queries and keys that depend on the place alone.
"""
import math

import torch

from llama_net import EMBEDDING_STD

CONSTANT = 7 * EMBEDDING_STD
# Of the first rotated pairs: how much they weigh in looking back.
PEAK = (8.0, 6.0, 4.0)
BACK_GAIN, MATCH_GAIN, COPY_GAIN = 1.0, 3.0, 3.0


def turn(vector, angles):
    """A head's vector, its pairs rotated."""
    pairs = torch.view_as_complex(vector.view(-1, 2).contiguous())
    return torch.view_as_real(
        pairs * torch.polar(torch.ones_like(angles), angles)).flatten()


@torch.no_grad()
def look_back(layer, group, seen, written, shape):
    """Both heads of a group: one and two tokens back. seen: rows to read of
    those tokens; written: rows that each of the two writes to."""
    size = shape["width"] // shape["heads"]
    angles = shape["rope_base"] ** (-torch.arange(0, size, 2).float() / size)
    # What the norm divides the constant by.
    rms = math.sqrt(EMBEDDING_STD ** 2 + CONSTANT ** 2 / shape["width"])
    query = torch.zeros(size)
    for i, weight in enumerate(PEAK):
        query[2 * i] = math.sqrt(weight * math.sqrt(size)) * rms / CONSTANT
    rows = slice(group * size, group * size + size)
    layer.attn_k.weight[rows] = 0
    layer.attn_k.weight[rows, 0] = turn(query, angles)
    layer.attn_v.weight[rows] = seen
    for back in range(2):
        head = 2 * group + back
        rows = slice(head * size, head * size + size)
        layer.attn_q.weight[rows] = 0
        layer.attn_q.weight[rows, 0] = turn(query, -back * angles)
        layer.attn_output.weight[:, rows] = written[back].T * BACK_GAIN


@torch.no_grad()
def match(layer, group, seen, written, shape):
    """Both heads of a group look for the token at hand among what the heads
    that look one back have written, and copy the token that stands there."""
    size = shape["width"] // shape["heads"]
    half = size // 2  # pairs that turn slowly: they compare at any distance
    rows = slice(group * size, group * size + size)
    layer.attn_k.weight[rows] = 0
    layer.attn_k.weight[rows][half:] = written[half:] * MATCH_GAIN
    layer.attn_v.weight[rows] = seen
    for head in (2 * group, 2 * group + 1):
        rows = slice(head * size, head * size + size)
        layer.attn_q.weight[rows] = 0
        layer.attn_q.weight[rows][half:] = seen[half:] * MATCH_GAIN
        layer.attn_output.weight[:, rows] = seen.T * COPY_GAIN


@torch.no_grad()
def prepare(net):
    """For networks with two heads a group, and twice as many heads as groups
    that are prepared: width is at least six heads' size."""
    shape = net.shape
    width = shape["width"]
    size = width // shape["heads"]
    net.token_embd.weight[:, 0] = CONSTANT
    basis = torch.zeros(width, width)
    basis[0, 0] = 1
    basis[1:, 1:] = torch.linalg.qr(torch.randn(width - 1, width - 1))[0]
    parts = basis[1:1 + (width - 1) // size * size].split(size)
    for group in range(2):
        seen, one, two = parts[group], parts[2 + group], parts[4]
        look_back(net.blk[0], group, seen, (one, two), shape)
        match(net.blk[1], group, seen, one, shape)
