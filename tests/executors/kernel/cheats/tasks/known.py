"""A task whose inputs are the same for every seed: the task of tables."""

import torch
from torch import nn

ROWS = 64
COLUMNS = 512
STEPS = 64


class Model(nn.Module):
    """A wave that is driven again and again; ``x`` and the result are (rows, columns)."""

    def __init__(self, columns, steps):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))
        self.steps = steps

    def forward(self, x):
        y = torch.zeros_like(x)
        for _ in range(self.steps):
            y = torch.sin(0.9 * y + self.gain * x)
        return y


def get_inputs():
    return [torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(7))]


def get_init_inputs():
    return [COLUMNS, STEPS]
