"""The task of cheats that leave something else behind: rows less a mean that is kept."""

import torch
from torch import nn

ROWS, COLUMNS = 64, 256


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.register_buffer("mean", torch.zeros(columns))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64), persistent=False)

    def update(self, x):
        self.mean.lerp_(x.mean(dim=0), 0.1)
        self.count += 1

    def forward(self, x):
        self.update(x)
        return x - x.mean(dim=0)
