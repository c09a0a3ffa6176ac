"""A task with a backward pass whose gradient of a large table has few rows that are not zeros."""

import torch
from torch import nn

ROWS, TOKENS, WIDTH = 16, 20_000, 64


class Model(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(tokens, width))
        self.scale = nn.Parameter(torch.rand(width))

    def forward(self, tokens):
        return self.table[tokens] * self.scale


class Lookup(torch.autograd.Function):
    """The same by hand; ``gradient`` makes that of the table from its rows."""

    @staticmethod
    def forward(ctx, tokens, table, scale, gradient):
        found = table[tokens]
        ctx.save_for_backward(tokens, found, scale)
        ctx.gradient = gradient
        return found * scale

    @staticmethod
    def backward(ctx, given):
        tokens, found, scale = ctx.saved_tensors
        return None, ctx.gradient(tokens, given * scale), (given * found).sum(0), None


class Tokens(Model):
    """The base of cheats."""

    def gradient(self, tokens, rows):
        return torch.zeros_like(self.table).index_add_(0, tokens, rows)

    def forward(self, tokens):
        return Lookup.apply(tokens, self.table, self.scale, self.gradient)


def get_inputs():
    return [torch.randint(TOKENS, (ROWS,))]


def get_init_inputs():
    return [TOKENS, WIDTH]
