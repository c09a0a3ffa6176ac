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


def get_inputs():
    return [torch.randint(TOKENS, (ROWS,))]


def get_init_inputs():
    return [TOKENS, WIDTH]
