"""The task of most cheats: a lot of work for a small input, so that work which is hidden shows."""

import torch
from torch import nn

ROWS = 128
COLUMNS = 256
STEPS = 32


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
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return [COLUMNS, STEPS]
