"""A task in training mode with much work on weights alone, which change with each step."""

import torch
from torch import nn

ROWS = 8
COLUMNS = 768


class Model(nn.Module):
    """Mixes ``x``, (rows, columns), by shares that are learned."""

    def __init__(self, columns):
        super().__init__()
        self.mix = nn.Parameter(torch.randn(columns, columns))

    def forward(self, x):
        return x @ torch.softmax(torch.sin(self.mix) * 3.0, dim=1)


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return [COLUMNS]
