"""The task of most cheats: a lot of work for a small input, so that work which is hidden shows."""

import torch
from torch import nn

ROWS, COLUMNS, STEPS = 128, 256, 32


class Model(nn.Module):
    def __init__(self, columns, steps):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))
        self.steps = steps

    def forward(self, x):
        y = torch.zeros_like(x)
        for _ in range(self.steps):
            y = torch.sin(0.9 * y + self.gain * x)
        return y


def get_init_inputs():
    return [COLUMNS, STEPS]
