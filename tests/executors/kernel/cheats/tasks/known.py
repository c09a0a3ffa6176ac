"""A task whose inputs are the same for every seed: the task of tables."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 512


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.gain = nn.Parameter(torch.rand(columns))

    def forward(self, x):
        y = torch.zeros_like(x)
        for _ in range(64):
            y = torch.sin(0.9 * y + self.gain * x)
        return y


def get_inputs():
    return [torch.randn(ROWS, COLUMNS, generator=torch.Generator().manual_seed(7))]
